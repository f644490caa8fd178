use super::*;

#[test]
fn results_are_compared_as_the_language_does() {
    check("go", "-> int", "-> string", "return_changed: return type changed from `int` to `string`");
    check("python", "-> int", "-> str", "return_reannotated: return type changed from `int` to `str`");
    check("python", "-> int | None", "-> int", "return_narrowed: return type changed from `int | None` to `int`");
    check("typescript", "-> A", "-> A | B", "return_changed: return type changed from `A` to `A | B`");
    check("python", "", "-> int", "type_written: it has the return type `int` now");
    check("kotlin", "", "-> Int", "type_written: it has the return type `Int` now");
    check("go", "", "-> error", "return_changed: it has the return type `error` now");
    check("rust", "-> u8", "", "return_changed: it no longer has the return type `u8`");
    check("python", "-> int", "", "return_reannotated: it no longer has the return type `int`");
}

#[test]
fn bases_come_and_go() {
    let check = |kind, old: &str, new: &str, expected: &str| check_kind("python", kind, old, new, expected);
    check(SymbolKind::Class, "bases A", "bases A; B", "base_added: base `B` was added");
    check(SymbolKind::Class, "bases A; B", "bases B", "base_removed: base `A` was removed");
    check(SymbolKind::Class, "bases A[int]", "bases A[str]", "base_changed: base changed from `A[int]` to `A[str]`");
    check(SymbolKind::Trait, "bases A", "bases A; B", "base_required: base `B` was added");
    check(SymbolKind::Interface, "", "bases B", "base_required: base `B` was added");
}

#[test]
fn type_parameters_and_modifiers() {
    check(
        "rust",
        "generic T",
        "generic T: Copy",
        "type_parameter_changed: type parameters changed from `T` to `T: Copy`",
    );
    check("rust", "generic T", "", "type_parameter_changed: type parameters changed from `T` to none");
    check("rust", "a: &'a str -> &'a str\ngeneric 'a", "a: &str -> &str", "");
    check("rust", "a: Held<'a, 'b>; b: u8 -> &'b u8\ngeneric 'a; 'b", "a: Held; b: u8 -> &u8", "");
    let of_receiver = "type_parameter_changed: type parameters changed from `'a` to none\nparameter_retyped: type of parameter `a` changed from `&'a str` to `&str`\nreturn_changed: return type changed from `&'a str` to `&str`";
    check("rust", "&self: &self; a: &'a str -> &'a str\ngeneric 'a", "&self: &self; a: &str -> &str", of_receiver);
    let named = "a: &T -> u8\ngeneric T: Into<String>";
    let named_too = "type_parameter_changed: type parameters changed from none to `T: Into<String>`";
    check("rust", "a: &impl Into<String> -> u8", named, named_too);
    let other = "type_parameter_changed: type parameters changed from none to `T: Copy`\nparameter_retyped: type of parameter `a` changed from `&impl Into<String>` to `&impl Copy`";
    check("rust", "a: &impl Into<String> -> u8", "a: &T -> u8\ngeneric T: Copy", other);
    check("python", "", "modifiers async", "modifier_added: it became `async`");
    check("python", "modifiers async", "", "modifier_removed: it is no longer `async`");
    check("java", "", "modifiers final", "modifier_added: it became `final`");
    check("java", "modifiers final", "", "modifier_relaxed: it is no longer `final`");
    check("rust", "", "modifiers const", "modifier_relaxed: it became `const`");
    check(
        "python",
        "modifiers classmethod",
        "modifiers staticmethod",
        "modifier_changed: it became `staticmethod`\nmodifier_changed: it is no longer `classmethod`",
    );
    check("kotlin", "", "modifiers override", "");
}

#[test]
fn receivers_of_other_languages_are_compared() {
    check("rust", "&self: &self", "&self: &mut self", "receiver_changed: receiver changed from `&self` to `&mut self`");
    check("rust", "&self", "", "receiver_changed: it no longer has the receiver `self`");
    check("rust", "", "&self", "receiver_changed: it has the receiver `self` now");
    check("go", "&s: *S", "&t: *S", "");
}

#[test]
fn fields_are_typed_and_optional() {
    let check = |language: &str, old: &str, new: &str, expected: &str| {
        check_kind(language, SymbolKind::Field, old, new, expected)
    };
    check("rust", "type u8", "type u16", "field_retyped: type changed from `u8` to `u16`");
    check("python", "type int", "type str", "field_reannotated: type changed from `int` to `str`");
    check("rust", "type u8", "type Option<u8>", "field_made_optional: it may be absent now");
    check("kotlin", "type Int?", "type Int", "field_made_required: it may no longer be absent");
    check("python", "", "type int", "type_written: it has the type `int` now");
    check("python", "type int", "", "field_reannotated: it no longer has the type `int`");
    check("python", "value 1", "value 2", "value_changed: value changed from `1` to `2`");
    check("protobuf", "value 1", "value 2", "field_renumbered: value changed from `1` to `2`");
    let mut filled = stays("python", SymbolKind::Field);
    filled.holder =
        Some(Holder { kind: SymbolKind::Class, contract: Some(Contract::Dataclass), existed: true, open: true });
    let (with, without) = (shape("type int\nvalue 1"), shape("type int"));
    assert_eq!(show(&contract_changes(&filled, &without, &with, None)), "field_made_optional: it may be absent now\n");
    assert_eq!(
        show(&contract_changes(&filled, &with, &without, None)),
        "field_made_required: it may no longer be absent\n"
    );
}

#[test]
fn a_field_may_be_marked_by_its_name() {
    let mut change = stays("typescript", SymbolKind::Field);
    if let Some(new) = &mut change.new {
        new.optional = true;
    }
    let field = shape("type T");
    assert_eq!(show(&contract_changes(&change, &field, &field, None)), "field_made_optional: it may be absent now\n");
    std::mem::swap(&mut change.old, &mut change.new);
    assert_eq!(
        show(&contract_changes(&change, &field, &field, None)),
        "field_made_required: it may no longer be absent\n"
    );
}

#[test]
fn values_variants_and_aliases() {
    check_kind("go", SymbolKind::Constant, "value 1", "value 2", "value_changed: value changed from `1` to `2`");
    check_kind("go", SymbolKind::Constant, "type int", "type uint", "type_changed: type changed from `int` to `uint`");
    check_kind("python", SymbolKind::Variable, "", "type int", "type_written: it has the type `int` now");
    check_kind("rust", SymbolKind::Type, "type u8", "type u16", "type_changed: type changed from `u8` to `u16`");
    check_kind(
        "rust",
        SymbolKind::Variant,
        "type (u8)",
        "type (u16)",
        "variant_retyped: content changed from `(u8)` to `(u16)`",
    );
    check_kind("rust", SymbolKind::Variant, "", "type (u16)", "variant_retyped: it holds `(u16)` now");
    check_kind("rust", SymbolKind::Variant, "type (u16)", "", "variant_retyped: it no longer holds `(u16)`");
    check_kind("c", SymbolKind::Variant, "value 1", "value 2", "variant_value_changed: value changed from `1` to `2`");
    check_kind(
        "typescript",
        SymbolKind::Type,
        "type 'a' | 'b'",
        "type 'a' | 'b' | 'c'",
        "variant_added_unexpected: `'c'` was added to the union",
    );
    check_kind(
        "typescript",
        SymbolKind::Type,
        "type 'a' | 'b' | 'c'",
        "type 'a' | 'b'",
        "variant_removed: `'c'` was removed from the union",
    );
}

#[test]
fn a_signature_that_differs_in_no_part_is_said_to_differ() {
    check("python", "a", "a", "signature_changed: its signature changed");
    let mut body = stays("python", SymbolKind::Function);
    body.facets = vec![SymbolChangeKind::Body];
    assert_eq!(contract_changes(&body, &Shape::default(), &Shape::default(), None), []);
}

#[test]
fn another_way_to_write_a_type_changes_nothing() {
    check("rust", "a: Vec<std::ffi::OsString> -> fmt::Result", "a: Vec<OsString> -> std::fmt::Result", "");
    check("go", ":func(next http.Handler)", ":func(http.Handler)", "");
    check("go", "-> func(i, j int) bool", "-> func(int, int) bool", "");
    check("typescript", "a: (b: B) => C", "a: (d: B) => C", "");
    check_kind("go", SymbolKind::Type, "type func(w http.ResponseWriter)", "type func(http.ResponseWriter)", "");
    check_kind("go", SymbolKind::Field, "type map[string]interface{}", "type map[string]any", "");
    check_kind("csharp", SymbolKind::Class, "bases System.IDisposable", "bases IDisposable", "");
    check_kind("rust", SymbolKind::Variant, "type (io::Error)", "type (std::io::Error)", "");
    check_kind("java", SymbolKind::Class, "generic T extends java.util.List", "generic T extends List", "");
}

#[test]
fn another_path_to_a_name_is_another_type() {
    check(
        "rust",
        "-> io::Error",
        "-> fmt::Error",
        "return_changed: return type changed from `io::Error` to `fmt::Error`",
    );
    check(
        "go",
        "-> http.Handler",
        "-> Handler",
        "return_changed: return type changed from `http.Handler` to `Handler`",
    );
}
