use super::check;

#[test]
fn parameters_come_and_go() {
    check("python", "a", "a; b", "parameter_added_required: parameter `b` was added without a default");
    check("python", "b", "a; b", "parameter_added_required: parameter `a` was added without a default, before `b`");
    check("python", "a", "a; b = 1", "parameter_added_optional: parameter `b` was added with the default `1`");
    check("python", "a", "a; =b = 1", "parameter_added_optional: parameter `b` was added with the default `1`");
    check("python", "a", "a; =b", "parameter_added_required: parameter `b` was added without a default");
    check("python", "a; b", "a", "parameter_removed: parameter `b` was removed");
    check("typescript", "a", "a; b?: T", "parameter_added_optional: optional parameter `b` was added");
    check("c", ":int", ":int; :char", "parameter_added_required: parameter of type `char` was added without a default");
    check(
        "python",
        "a; b = 1",
        "a; b = 1; *c",
        "parameter_added_optional: parameter `c` was added, which takes any number",
    );
    check("python", "a; *b", "a", "parameter_removed: parameter `b` was removed");
}

#[test]
fn what_a_list_of_all_others_takes_is_not_lost() {
    check(
        "python",
        "a; =b",
        "a; **c",
        "parameter_absorbed: parameter `b` was removed; what is given for it is taken with all others\nparameter_added_optional: parameter `c` was added, which takes any number",
    );
    check("python", "a; b; *c", "a; *c", "parameter_removed: parameter `b` was removed");
    check(
        "python",
        "a; /b; *c",
        "a; *c",
        "parameter_absorbed: parameter `b` was removed; what is given for it is taken with all others",
    );
    check(
        "python",
        "a; b; *c; **d",
        "a; *c; **d",
        "parameter_absorbed: parameter `b` was removed; what is given for it is taken with all others",
    );
    check(
        "javascript",
        "a; b; *c",
        "a; *c",
        "parameter_absorbed: parameter `b` was removed; what is given for it is taken with all others",
    );
}

#[test]
fn places_change_with_the_order_and_with_what_may_be_left_out() {
    check(
        "python",
        "a; b",
        "b; a",
        "parameter_moved: parameter `a` moved from place 1 to 2\nparameter_moved: parameter `b` moved from place 2 to 1",
    );
    check(
        "python",
        "a; b = 1",
        "a; c = 2; b = 1",
        "parameter_added_optional: parameter `c` was added with the default `2`, before `b`\nparameter_moved: parameter `b` moved from place 2 to 3",
    );
    check(
        "python",
        "a; *b",
        "a; c = 2; *b",
        "parameter_added_optional: parameter `c` was added with the default `2`, before `b`\nparameter_moved: parameter `b` moved from place 2 to 3",
    );
    check("python", "=a; =b", "=b; =a", "");
    check("python", "a; b; c", "b; c", "parameter_removed: parameter `a` was removed");
    check(
        "go",
        "a: int; b: int",
        "b: int; a: int",
        "parameter_moved: parameter `a` moved from place 1 to 2\nparameter_moved: parameter `b` moved from place 2 to 1",
    );
}

#[test]
fn a_name_matters_where_callers_write_it() {
    let renamed = "parameter_renamed: parameter `a` was renamed to `b`";
    for language in ["python", "kotlin", "swift", "csharp", "php", "scala", "r"] {
        check(language, "a", "b", renamed);
    }
    for language in ["elixir", "go", "java", "javascript", "rust", "ruby", "dart"] {
        check(language, "a", "b", "");
    }
    check("ruby", "=a", "=b", renamed);
    check("dart", "=a", "=b", renamed);
    check("python", "/a", "/b", "");
    check("python", "*a", "*b", "");
    check(
        "python",
        "a: int",
        "b: str",
        "parameter_removed: parameter `a` was removed\nparameter_added_required: parameter `b` was added without a default",
    );
    check("java", "a: int", "b: long", "parameter_retyped: type of parameter `b` changed from `int` to `long`");
    check("javascript", "{ a }", "{ a, b }", "parameter_reannotated: parameter `{ a }` is taken apart as `{ a, b }`");
}

#[test]
fn types_of_parameters_are_compared_as_the_language_does() {
    check("go", "a: int", "a: string", "parameter_retyped: type of parameter `a` changed from `int` to `string`");
    check("python", "a: int", "a: str", "parameter_reannotated: type of parameter `a` changed from `int` to `str`");
    check(
        "python",
        "a: int",
        "a: int | None",
        "parameter_widened: type of parameter `a` changed from `int` to `int | None`",
    );
    check("typescript", "a: A | B", "a: A", "parameter_retyped: type of parameter `a` changed from `A | B` to `A`");
    check("python", "a", "a: int", "type_written: parameter `a` has the type `int` now");
    check("typescript", "a", "a: int", "parameter_reannotated: parameter `a` has the type `int` now");
    check("python", "a: int", "a", "parameter_widened: parameter `a` no longer has the type `int`");
    check(
        "c",
        ":int; :char",
        ":long; :char",
        "parameter_retyped: type of parameter of type `long` changed from `int` to `long`",
    );
    check("python", "a: Optional[int]", "a: int | None", "");
    check("python", "a: A | B", "a: B | A", "type_written: type of parameter `a` changed from `A | B` to `B | A`");
}

#[test]
fn defaults_make_parameters_optional() {
    check("python", "a", "a = 1", "parameter_made_optional: parameter `a` has the default `1` now");
    check("python", "a = 1", "a", "parameter_made_required: parameter `a` lost its default `1`");
    check("typescript", "a?: T", "a: T", "parameter_made_required: parameter `a` is required now");
    check("typescript", "a: T", "a?: T", "parameter_made_optional: parameter `a` may be left out now");
    check("python", "a = 1", "a = 2", "parameter_default_changed: default of parameter `a` changed from `1` to `2`");
}

#[test]
fn arguments_are_given_in_fewer_or_more_ways() {
    check(
        "python",
        "a",
        "=a",
        "parameter_kind_changed: parameter `a` was given by place or name and is given by name only",
    );
    check(
        "python",
        "a",
        "/a",
        "parameter_kind_changed: parameter `a` was given by place or name and is given by place only",
    );
    check(
        "python",
        "/a",
        "=a",
        "parameter_kind_changed: parameter `a` was given by place only and is given by name only",
    );
    check("python", "=a", "a", "parameter_kind_widened: parameter `a` can be given by place or name");
    check("python", "/a", "a", "parameter_kind_widened: parameter `a` can be given by place or name");
    check("go", "a: int", "*a: int", "parameter_kind_widened: parameter `a` can be given with all others by place");
    check(
        "go",
        "*a: int",
        "a: int",
        "parameter_kind_changed: parameter `a` was given with all others by place and is given by place",
    );
    check("java", "a", "/a", "");
}

#[test]
fn receivers_are_not_parameters() {
    check("python", "&self; a", "&this; a", "");
    check("python", "&self; a", "a", "");
}
