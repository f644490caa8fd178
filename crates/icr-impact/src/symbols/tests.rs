use icr_model::{Import, ImportKind, ImportName, Symbol};
use proptest::prelude::*;

use super::fixture::{Diff, FixtureFile};
use super::*;

/// One line for each change: facets, kind, name, and what stands out.
fn show(changes: &[SymbolChange]) -> String {
    let line = |change: &SymbolChange| {
        let row = change.row(Severity::None);
        let facets: Vec<_> = change.facets.iter().map(|facet| format!("{facet:?}").to_lowercase()).collect();
        let old_name = row.old_name.map(|name| format!(" was {name}")).unwrap_or_default();
        let old_path = row.old_path.map(|path| format!(" from {path}")).unwrap_or_default();
        let follows = if change.follows { " follows" } else { "" };
        format!("{} {} {} {}{old_name}{old_path}{follows}\n", row.path, facets.join("+"), row.kind, row.qualified_name)
    };
    changes.iter().map(line).collect()
}

/// Compares one file `a.py`.
#[track_caller]
fn check(old: &str, new: &str, expected: &str) {
    check_files(
        &[("a.py", old, "a.py", new)],
        &expected.lines().map(|line| format!("a.py {line}\n")).collect::<String>(),
    );
}

#[track_caller]
fn check_files(files: &[(&str, &str, &str, &str)], expected: &str) {
    assert_eq!(show(&changes(&Diff::of(files).sides())), expected);
}

/// A body that is long enough to be known again.
const LONG: &str = "    x = first(a, b)\n    y = second(x, a)\n    return third(x + y)\n";

#[test]
fn what_is_on_one_side_only_was_added_or_removed() {
    check("def a():\n    pass\n", "def a():\n    pass\n\ndef b():\n    pass\n", "added function b\n");
    check("def a():\n    pass\n\nX = 1\n", "def a():\n    pass\n", "removed variable X\n");
    check_files(&[("", "", "a.py", "def a():\n    pass\n")], "a.py added function a\n");
    check_files(&[("a.py", "def a():\n    pass\n", "", "")], "a.py removed function a\n");
}

#[test]
fn what_a_syntax_error_hides_is_neither_added_nor_removed() {
    let both = "def b():\n    pass\n\ndef a():\n    pass\n";
    let broken = "def b(:\n    pass\n\ndef a():\n    pass\n";
    let check = |old: &str, new: &str, expected: &str| {
        let mut diff = Diff::of(&[("a.py", old, "a.py", new)]);
        diff.hide_last_definition();
        assert_eq!(show(&changes(&diff.sides())), expected);
    };
    check(both, broken, "a.py signature function b\n");
    // A line that begins the definition is no longer there, or not as often.
    check(both, &broken.replace("def a():", "def a(x):"), "a.py signature function b\na.py removed function a\n");
    let twice = format!("{both}\ndef a():\n    return 1\n");
    check(&twice, broken, "a.py signature function b\na.py removed function a\na.py removed function a\n");
}

#[test]
fn the_parts_of_a_definition_are_told_apart() {
    check("def a(x):\n    pass\n", "def a(x, y):\n    pass\n", "signature function a\n");
    check("def a(x):\n    pass\n", "def a(x):\n    return x\n", "body function a\n");
    check("def a():\n    \"\"\"A.\"\"\"\n    pass\n", "def a():\n    \"\"\"B.\"\"\"\n    pass\n", "doc function a\n");
    check("def a():\n    pass\n", "def a():\n    # Why.\n    pass\n", "cosmetic function a\n");
    check("def a():\n    pass\n", "async def a(b):\n    \"\"\"A.\"\"\"\n    b()\n", "signature+body+doc function a\n");
    check("X = 1\n", "X = 2\n", "body variable X\n");
    check("X = 1\n", "X: int = 1\n", "signature variable X\n");
}

#[test]
fn a_decorator_is_part_of_the_promise() {
    check("def a():\n    pass\n", "@cached\ndef a():\n    pass\n", "signature function a\n");
    check("@one\ndef a():\n    pass\n", "@two\ndef a():\n    x()\n", "signature+body function a\n");
}

#[test]
fn a_comment_before_the_body_is_not_part_of_the_signature() {
    let mut diff = Diff::of(&[("a.py", "def f():\n    pass\n", "a.py", "def f():\n    # Why.\n    pass\n")]);
    // A signature reaches to the body, and then ends before the colon only when nothing stands behind that.
    diff.resign(|text| text.find("    pass").unwrap() as u32);
    assert_eq!(show(&changes(&diff.sides())), "a.py cosmetic function f\n");
}

#[test]
fn other_quotes_and_a_last_comma_are_layout() {
    check("def a(x, y):\n    pass\n", "def a(x, y,):\n    pass\n", "cosmetic function a\n");
    check("def a(x=(1,)):\n    pass\n", "def a(x=(1)):\n    pass\n", "signature function a\n");
    check("def a():\n    return ['b', 'c']\n", "def a():\n    return [\"b\", \"c\",]\n", "cosmetic function a\n");
    check("def a():\n    return 'b\"'\n", "def a():\n    return \"b'\"\n", "body function a\n");
}

#[test]
fn indentation_that_says_something_is_no_layout() {
    let old = "def a(x):\n    if x:\n        y()\n        z()\n";
    check(old, "def a(x):\n    if x:\n        y()\n    z()\n", "body function a\n");
    check(old, "def a(x):\n  if x:\n    y()\n    z()\n", "cosmetic function a\n");
}

#[test]
fn what_holds_others_is_told_for_itself_only() {
    let class = |head: &str, body: &str| {
        format!("class A{head}:\n    \"\"\"Doc.\"\"\"\n{body}\n    def m(self):\n        return 1\n")
    };
    let old = class("", "");
    check(&old, &old.replace('1', "2"), "body method A.m\n");
    check(&old, &class("(B)", ""), "signature class A\n");
    check(&old, &old.replace("Doc", "Other"), "doc class A\n");
    check(&old, &class("", "    # Why.\n"), "");
    check(&old, &class("", "    register(1)\n"), "body class A\n");
    check(&old, &class("", "    def n(self):\n        pass\n"), "added method A.n\n");
    check(&old, &class("", "    \"Bare.\"\n"), "");
}

#[test]
fn a_class_is_also_its_fields() {
    let class = |fields: &str| format!("class A:\n    x = 1\n{fields}\n    def m(self):\n        return 1\n");
    check(&class(""), &class("    y = 2\n"), "body class A\nadded field A.y\n");
    check(&class("    y = 2\n"), &class("    y = 3\n"), "body class A\nbody field A.y\n");
}

#[test]
fn fields_of_what_is_new_or_gone_are_part_of_it() {
    let text = "class A:\n    x = 1\n    def m(self):\n        pass\n";
    check("", text, "added class A\nadded method A.m follows\n");
    check(text, "", "removed class A\nremoved method A.m follows\n");
}

#[test]
fn what_is_local_to_a_function_is_its_body() {
    let old = "def a():\n    def b():\n        return 1\n    return b\n";
    check(old, &old.replace('1', "2"), "body function a\n");
    check(old, &old.replace("def b()", "def b(x)"), "body function a\n");
}

#[test]
fn definitions_of_one_name_are_paired_by_what_they_say() {
    let overload = |argument: &str| format!("@overload\ndef a({argument}):\n    pass\n");
    let old = format!("{}{}", overload("x: int"), overload("x: str"));
    check(&old, &format!("{}{}", overload("x: str"), overload("x: int")), "");
    check(&old, &format!("{}{old}", overload("x: bytes")), "added function a\n");
    check(&old, &old.replace("str", "bytes"), "signature function a\n");
}

#[test]
fn a_name_with_another_kind_is_one_change() {
    check("def a():\n    pass\n", "class a:\n    pass\n", "signature class a\n");
}

#[test]
fn an_equal_body_under_another_name_was_renamed() {
    let (old, new) = (format!("def f(a, b):\n{LONG}"), format!("def g(a, b):\n{LONG}"));
    check(&old, &new, "renamed function g was f\n");
    check(&old, &new.replace("b):", "b, c=1):"), "renamed+signature function g was f\n");
}

#[test]
fn a_body_that_says_little_is_never_known_again() {
    check("def a():\n    return 1\n", "def b():\n    return 1\n", "removed function a\nadded function b\n");
}

#[test]
fn a_function_that_calls_itself_is_renamed_with_its_calls() {
    let old = format!("def a(a, b):\n{LONG}").replace("second", "self_call");
    check(
        &old.replace("self_call", "f").replace("def a", "def f"),
        &old.replace("self_call", "g").replace("def a", "def g"),
        "renamed function g was f\n",
    );
}

#[test]
fn an_equal_definition_in_another_file_was_moved() {
    let text = format!("def f(a, b):\n{LONG}");
    check_files(
        &[("a.py", &text, "a.py", "X = 1\n"), ("b.py", "", "b.py", &text)],
        "a.py added variable X\nb.py moved function f from a.py\n",
    );
    check_files(
        &[("a.py", &text, "", ""), ("", "", "b.py", &text.replace("def f", "def g"))],
        "b.py renamed+moved function g was f from a.py\n",
    );
}

#[test]
fn members_follow_what_they_stand_in() {
    let old = format!(
        "class A:\n    def __init__(self):\n        pass\n\n    def m(self, a, b):\n{}",
        LONG.replace("    ", "        ")
    );
    let new = old.replace("class A", "class B");
    check(
        &old,
        &new,
        "renamed class B was A\nrenamed method B.__init__ was A.__init__ follows\nrenamed method B.m was A.m follows\n",
    );
    check(
        &old,
        &new.replace("pass", "self.x = 1"),
        "renamed class B was A\nrenamed+body method B.__init__ was A.__init__ follows\nrenamed method B.m was A.m follows\n",
    );
    check_files(
        &[("a.py", &old, "", ""), ("", "", "b.py", &old.replace("pass", "self.x = 1"))],
        "b.py moved class A from a.py\nb.py moved+body method A.__init__ from a.py follows\nb.py moved method A.m from a.py follows\n",
    );
}

#[test]
fn members_that_name_what_they_stand_in_follow_it_too() {
    let old = format!(
        "class A:\n    def copy(self) -> A:\n        return A(self)\n\n    def m(self, a, b):\n{}",
        LONG.replace("    ", "        ")
    );
    check(
        &old,
        &old.replace('A', "B"),
        "renamed class B was A\nrenamed method B.copy was A.copy follows\nrenamed method B.m was A.m follows\n",
    );
}

#[test]
fn a_method_that_became_a_function_was_renamed() {
    let old = format!("class A:\n    def m(self, a, b):\n{}\n    x = 1\n", LONG.replace("    ", "        "));
    let new = format!("class A:\n    x = 1\n\ndef m(self, a, b):\n{LONG}");
    check(&old, &new, "renamed+signature function m was A.m\n");
}

#[test]
fn definitions_of_a_renamed_file_were_moved_with_it() {
    let text = "def a():\n    pass\n\nclass B:\n    def m(self):\n        pass\n";
    check_files(
        &[("a.py", text, "b.py", text)],
        "b.py moved function a from a.py follows\nb.py moved class B from a.py follows\nb.py moved method B.m from a.py follows\n",
    );
}

#[test]
fn a_name_that_its_old_file_imports_is_where_it_was() {
    let text = format!("def a(a, b):\n{LONG}");
    let moved = |now: &str| {
        let files = [("a.py", text.as_str(), "a.py", now), ("b.py", "", "b.py", text.as_str())];
        let changes = changes(&Diff::of(&files).sides());
        (changes[0].facets.clone(), changes[0].same_address, changes[0].modifies_contract(&[]))
    };
    assert_eq!(moved("from b import a\n"), (vec![SymbolChangeKind::Moved], true, false));
    assert_eq!(moved("from b import c\n"), (vec![SymbolChangeKind::Moved], false, true));
}

#[test]
fn outside_of_definitions_imports_are_told_apart_from_the_rest() {
    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let diff = Diff::of(&[("a.py", old, "a.py", new)]);
        let sides = diff.sides();
        let residue = &residues(&sides, &changes(&sides))[0];
        let words = [(residue.changed, "changed"), (residue.only_imports, "imports"), (residue.cosmetic, "cosmetic")];
        let words: Vec<_> = words.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
        assert_eq!(words.join(" "), expected, "{old} -> {new}");
    }
    let text = "import a\n\ndef f():\n    pass\n\nrun(f)\n";
    check(text, text, "");
    check(text, &text.replace("pass", "x()"), "");
    check(text, &text.replace("import a", "import b"), "changed imports");
    check(text, &text.replace("import a", "from a import (\n    b,\n    c,\n)"), "changed imports");
    check(text, &text.replace("run(f)", "run(f, 1)"), "changed");
    check(text, &text.replace("run(f)", "run(\n    f,\n)"), "");
    check("def f():\n    g(1)\n", "def f():\n    g(\n        1,\n    )\n", "");
    check(text, &text.replace("import a", "import b").replace("run(f)", "run(g)"), "changed");
    check(text, &text.replace("run", "# Now.\nrun"), "cosmetic");
    check(text, &text.replace("def f():", "def f():\n    # Nothing."), "cosmetic");
    check("\"\"\"A.\"\"\"\n", "\"\"\"B.\"\"\"\n", "cosmetic");
    check("run(f)\n", "", "changed");
    check("", "import a\n", "changed imports");
    check("", "# a\n", "cosmetic");
}

#[test]
fn text_without_a_grammar_changes_as_a_whole() {
    let mut diff = [super::fixture::FixtureFile::python("a", "x y"), super::fixture::FixtureFile::python("a", "x  y")];
    for file in &mut diff {
        file.facts = Facts { language: "text".to_owned(), ..Facts::default() };
        file.token_digest = None;
    }
    let sides = [FileSides { old: Some(diff[0].side()), new: Some(diff[1].side()) }];
    let residue = &residues(&sides, &[])[0];
    assert!(residue.changed && !residue.only_imports && !residue.cosmetic);
}

#[test]
fn what_only_the_digests_see_counts_as_changed() {
    let diff = [
        super::fixture::FixtureFile::python("a.py", "x = 1\n"),
        super::fixture::FixtureFile::python("a.py", "x  = 1\n"),
    ];
    let mut new = diff[1].side();
    new.token_digest = Some(7);
    let sides = [FileSides { old: Some(diff[0].side()), new: Some(new) }];
    assert!(residues(&sides, &changes(&sides))[0].changed);
}

/// Texts of definitions.
fn any_text() -> impl Strategy<Value = String> {
    let body = prop::sample::select(vec!["pass", "return 1", "x = f(a, b)\n    return g(x, a) + h(x, b)"]);
    let function = ("[a-c]", prop::sample::select(vec!["", "x", "x, y"]), body)
        .prop_map(|(name, arguments, body)| format!("def {name}({arguments}):\n    {body}\n\n"));
    let class = ("[A-B]", prop::collection::vec(function.clone(), 0..3)).prop_map(|(name, members)| {
        let members: String = members.concat().lines().map(|line| format!("    {line}\n")).collect();
        format!("class {name}:\n    x = 1\n{members}\n")
    });
    prop::collection::vec(
        prop_oneof![function, class, Just("import a\n".to_owned()), Just("run(1)\n".to_owned())],
        0..5,
    )
    .prop_map(|parts| parts.concat())
}

/// Facts whose spans have nothing to do with the text.
fn any_facts() -> impl Strategy<Value = Facts> {
    let span = || (0..90_u32, 0..40_u32).prop_map(|(start, length)| Span::new(start, start + length));
    let kind = prop::sample::select(SymbolKind::ALL.to_vec());
    let symbol = ("[a-b]", kind, span(), span(), prop::option::of(span()), 0..99_u32, 0..4_u32);
    prop::collection::vec(symbol, 0..6).prop_map(|rows| {
        let mut facts = super::fixture::python("def a():\n    pass\n");
        let model = facts.symbols.remove(0);
        for (index, (name, kind, span, signature, doc, name_start, hash)) in rows.into_iter().enumerate() {
            let parent = (hash == 1 && index > 0).then(|| index as u32 - 1);
            let receiver = (hash == 2).then(|| "a".to_owned());
            let hashes = (hash, hash / 2);
            let symbol = Symbol { name, kind, span, signature, doc, name_start, parent, receiver, ..model.clone() };
            facts.symbols.push(Symbol { signature_hash: hashes.0, body_hash: hashes.1, ..symbol });
        }
        facts
    })
}

proptest! {
    #[test]
    fn facts_of_another_text_do_no_harm(old in any_facts(), new in any_facts(), text in any_text()) {
        let mut diff = Diff::of(&[("a.py", &text, "b.py", &text), ("a.py", &text, "", "")]);
        diff.replace_facts(&old, &new);
        let sides = diff.sides();
        let changes = changes(&sides);
        prop_assert_eq!(residues(&sides, &changes).len(), 2);
    }

    #[test]
    fn a_text_does_not_differ_from_itself(text in any_text()) {
        prop_assert_eq!(show(&changes(&Diff::of(&[("a.py", &text, "a.py", &text)]).sides())), "");
    }

    #[test]
    fn every_definition_is_on_each_side_once(one in any_text(), two in any_text(), three in any_text()) {
        let diff = Diff::of(&[("a.py", &one, "a.py", &two), ("b.py", &three, "c.py", &one), ("", "", "d.py", &three)]);
        let changes = changes(&diff.sides());
        for side in [|change: &SymbolChange| change.old.clone(), |change: &SymbolChange| change.new.clone()] {
            let mut ids: Vec<_> = changes.iter().filter_map(side).map(|side| (side.file, side.symbol)).collect();
            ids.sort_unstable();
            let total = ids.len();
            ids.dedup();
            prop_assert_eq!(ids.len(), total);
        }
        prop_assert!(changes.iter().all(|change| change.facets.is_sorted() && change.facets[0] == change.change));
    }

    #[test]
    fn both_directions_name_the_same_definitions(one in any_text(), two in any_text()) {
        let there = changes(&Diff::of(&[("a.py", &one, "a.py", &two)]).sides());
        let back = changes(&Diff::of(&[("a.py", &two, "a.py", &one)]).sides());
        prop_assert_eq!(there.is_empty(), back.is_empty());
        let count = |changes: &[SymbolChange], change| changes.iter().filter(|one| one.change == change).count();
        prop_assert_eq!(count(&there, SymbolChangeKind::Added), count(&back, SymbolChangeKind::Removed));
        prop_assert_eq!(count(&there, SymbolChangeKind::Removed), count(&back, SymbolChangeKind::Added));
    }
}

/// Compares two texts of functions, one line for each change: facets, name, and which builds have it.
#[track_caller]
fn check_builds(language: &str, old: &str, new: &str, expected: &str) {
    let files = [old, new].map(|text| FixtureFile::functions("a", language, text));
    let sides = [FileSides { old: Some(files[0].side()), new: Some(files[1].side()) }];
    let line = |change: &SymbolChange| {
        let facets: Vec<_> = change.facets.iter().map(|facet| format!("{facet:?}").to_lowercase()).collect();
        let builds = change.builds.as_ref();
        let builds = builds.map(|builds| format!(" {:?} {}", builds.reach, builds.condition)).unwrap_or_default();
        let same = if change.same_address && change.new.is_none() { " left" } else { "" };
        format!("{} {}{builds}{same}\n", facets.join("+"), change.display_side().name)
    };
    let shown: String = changes(&sides).iter().map(line).collect();
    assert_eq!(shown, expected, "{old}=>\n{new}");
}

#[test]
fn a_feature_before_a_function_takes_it_from_other_builds() {
    let plain = "pub fn f() { 1 }\n\n";
    let gated = "#[cfg(feature = \"x\")]\npub fn f() { 1 }\n\n";
    check_builds("rust", plain, gated, "signature+body f Reduced feature = \"x\"\n");
    check_builds("rust", gated, plain, "signature+body f Widened always\n");
    let both = format!("{gated}#[cfg(not(feature = \"x\"))]\npub fn f() {{ 2 }}\n\n");
    check_builds("rust", plain, &both, "body f\nadded f\n");
    let turned = gated.replace("feature = \"x\"", "all(feature = \"x\")");
    check_builds("rust", gated, &turned, "body f\n");
}

#[test]
fn variants_for_different_builds_are_compared_with_their_like() {
    let on = "#[cfg(unix)]\npub fn f() { 1 }\n\n";
    let off = "#[cfg(not(unix))]\npub fn f() { 2 }\n\n";
    let both = format!("{on}{off}");
    check_builds("rust", &both, off, "removed f Reduced unix\n");
    check_builds("rust", &both, &off.replace('2', "3"), "removed f Reduced unix\nbody f\n");
    check_builds("rust", &both, "pub fn f() { 2 }\n\n", "body f\nremoved+body f left\n");
    check_builds("rust", &both, &both.replace("f() { 2", "f() -> u8 { 2"), "signature f\n");
    let directives = |on: &str, off: &str| format!("#ifdef A\n{on}\n\n#else\n{off}\n\n#endif\n");
    let both = directives("int f() { 1 }", "int f() { 2 }");
    check_builds("c", &both, &directives("int f() { 3 }", "int f() { 2 }"), "body f\n");
    check_builds("c", &both, &directives("", "int f() { 2 }"), "removed f Reduced defined(A)\n");
    check_builds("c", &both, &directives("", "int f() { 3 }"), "removed f Reduced defined(A)\nbody f\n");
    check_builds("c", &both, "int f() { 2 }\n\n", "removed+body f left\n");
    check_builds("c", "int f() { 2 }\n\n", &directives("int f() { 2 }", ""), "signature f Reduced defined(A)\n");
}

#[test]
fn a_module_and_a_name_that_are_passed_on_may_be_for_fewer_builds() {
    let imports = |text: &str| {
        let mut file = FixtureFile::functions("a", "rust", text);
        for (number, line) in (1..).zip(text.lines()) {
            let (kind, specifier, names) = match line.trim_end_matches(';').rsplit_once(' ') {
                Some((before, name)) if before.ends_with("mod") => (ImportKind::Module, name, Vec::new()),
                Some((_, path)) if path.contains("::") => {
                    let (specifier, name) = path.rsplit_once("::").unwrap();
                    (ImportKind::Import, specifier, vec![ImportName { name: name.to_owned(), alias: None }])
                }
                _ => continue,
            };
            let reexport = kind == ImportKind::Import && line.starts_with("pub");
            let specifier = specifier.to_owned();
            file.facts.imports.push(Import { specifier, names, kind, type_only: false, reexport, line: number });
        }
        file
    };
    let check = |old: &str, new: &str, expected: &str| {
        let (old, new) = (imports(old), imports(new));
        let found = gated_exports(old.side(), new.side()).into_iter();
        let line = |gated: GatedExport| format!("{}:{} {}\n", gated.name, gated.line, gated.condition);
        assert_eq!(found.map(line).collect::<String>(), expected);
    };
    check("pub mod a;\n", "#[cfg(x)]\npub mod a;\n", "a:2 x\n");
    check("mod a;\n", "#[cfg(x)]\nmod a;\n", "");
    check("pub use a::b;\n", "#[doc(inline)]\n#[cfg(x)]\npub use a::b;\n", "b:3 x\n");
    check("pub use a::b;\n", "#[cfg(x)]\npub use a::b;\n#[cfg(not(x))]\npub use a::b;\n", "");
    check("pub use a::b;\n", "#[cfg(x)]\npub use a::c;\n", "");
    check("pub use a::b;\n", "#![cfg(x)]\npub use a::b;\n", "b:2 x\n");
}

#[test]
fn a_body_that_goes_into_its_declaration_is_not_gone() {
    let file = |path: &str, text: &str| FixtureFile::functions(path, "cpp", text);
    let olds = [file("a.h", "int f(int a){;}\n\n"), file("a.cpp", "int f(int a) { return 1; }\n\n")];
    let mut declared = file("a.h", "int f(int a);\n\nint g() { 1 }\n\n");
    // A declaration ends with its signature.
    let mut symbol = olds[0].facts.symbols[0].clone();
    symbol.span = Span::new(0, 13);
    symbol.signature = Span::new(0, 12);
    declared.facts.symbols.insert(0, symbol);
    let filled = file("a.h", "int f(int a) { return 1; }\n\nint g() { 1 }\n\n");
    let empty = file("a.cpp", "int h() { 1 }\n\n");
    let removed = |now: &FixtureFile| {
        let sides = [
            FileSides { old: Some(declared.side()), new: Some(now.side()) },
            FileSides { old: Some(olds[1].side()), new: Some(empty.side()) },
        ];
        let changes = changes(&sides);
        let gone: Vec<bool> = changes.iter().filter(|it| it.new.is_none()).map(|it| it.same_address).collect();
        gone
    };
    assert_eq!(removed(&filled), [true]);
    assert_eq!(removed(&declared), [false]);
}
