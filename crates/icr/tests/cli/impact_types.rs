//! A signature whose names stand for other types than before has changed, even if its text has not.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::Icr;

/// Classes of the contract changes of a change of `before` into `after`, each with its effect, and the whole answer.
fn changes(before: &str, after: &str) -> (Vec<String>, Value) {
    let fixture = Fixture::new(before);
    fixture.write(after);
    let answer = Icr::new(&fixture).json(&["impact"]);
    let rows = answer["contract_impact"]["changes"].as_array().unwrap();
    let row = |row: &Value| format!("{} {}", row["class"].as_str().unwrap(), row["effect"].as_str().unwrap());
    (rows.iter().map(row).collect(), answer)
}

#[track_caller]
fn check(what: &str, before: &str, after: &str, expected: &[&str]) {
    let (rows, answer) = changes(before, after);
    assert_eq!(rows, expected, "{what}: {answer:#}");
}

const RUST: &str = "//- Cargo.toml
[package]
name = \"swap\"
version = \"0.1.0\"
edition = \"2021\"
//- src/lib.rs
pub mod a;
pub mod b;
pub mod f;
pub mod user;
//- src/a.rs
pub struct X;
//- src/b.rs
pub struct X;
//- src/f.rs
use crate::a::X;

pub fn take(x: &X) -> bool {
    std::mem::size_of_val(x) > 0
}
//- src/user.rs
use crate::a::X;
use crate::f::take;

pub fn go() -> bool {
    take(&X)
}
";

#[test]
fn a_type_that_is_imported_from_elsewhere_is_another_in_rust() {
    let with = |import: &str, ty: &str| {
        format!("//- src/f.rs\n{import}\n\npub fn take(x: &{ty}) -> bool {{\n    std::mem::size_of_val(x) > 0\n}}\n")
    };
    check("another module", RUST, &with("use crate::b::X;", "X"), &["parameter_retyped may_break"]);
    let (_, answer) = changes(RUST, &with("use crate::b::X;", "X"));
    assert_eq!(answer["verdict"], "may_break", "{answer:#}");
    let detail = &answer["contract_impact"]["changes"][0]["detail"];
    assert_eq!(detail, "type of parameter `x` changed from `&crate::a::X` to `&crate::b::X`");
    check("the long path", RUST, &with("", "crate::a::X"), &[]);
    check("the long path to another", RUST, &with("", "crate::b::X"), &["parameter_retyped may_break"]);
    check("other words for it", RUST, &with("use super::a::X;", "X"), &[]);
    let passed_on = format!("//- src/b.rs\npub use crate::a::X;\n{}", with("use crate::b::X;", "X"));
    check("passed on", RUST, &passed_on, &[]);
    let offered = "//- src/b.rs\npub use crate::a::X as Y;\npub use crate::a::Z as W;\npub struct X;\n";
    let before = RUST.replace("//- src/b.rs\npub struct X;\n", offered);
    let before = before.replace("//- src/a.rs\npub struct X;\n", "//- src/a.rs\npub struct X;\npub struct Z;\n");
    check("passed on under another name", &before, &with("use crate::b::Y as X;", "X"), &[]);
    let other = with("use crate::b::W as X;", "X");
    check("another one under another name", &before, &other, &["parameter_retyped may_break"]);
}

#[test]
fn a_name_of_the_repository_for_a_type_is_that_type() {
    let before = "//- Cargo.toml\n[package]\nname = \"kit\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub mod error;\npub mod f;\npub mod g;\n//- src/error.rs\npub struct Error;\n\npub type Result<T> = std::result::Result<T, Error>;\n//- src/g.rs\npub struct Error;\n//- src/f.rs\nuse crate::error::Result;\n\npub fn get() -> Result<u8> {\n    Ok(1)\n}\n";
    let after = |import: &str, ty: &str| format!("//- src/f.rs\n{import}\n\npub fn get() -> {ty} {{\n    Ok(1)\n}}\n");
    check("written out", before, &after("use crate::error::Error;", "Result<u8, Error>"), &[]);
    check("another error", before, &after("use crate::g::Error;", "Result<u8, Error>"), &["return_changed may_break"]);
    check(
        "another value",
        before,
        &after("use crate::error::Error;", "Result<u16, Error>"),
        &["return_changed may_break"],
    );
}

#[test]
fn a_type_that_moves_with_its_import_is_the_same() {
    let body = "pub struct Shape {\n    pub width: u32,\n    pub height: u32,\n    pub name: String,\n}\n";
    let before = RUST.replace("//- src/a.rs\npub struct X;\n", &format!("//- src/a.rs\n{body}pub struct X;\n"));
    let before =
        before.replace("use crate::a::X;\n\npub fn take(x: &X)", "use crate::a::Shape;\n\npub fn take(x: &Shape)");
    let after = format!(
        "//- src/a.rs\npub struct X;\n//- src/b.rs\n{body}pub struct X;\n//- src/f.rs\nuse crate::b::Shape;\n\npub fn take(x: &Shape) -> bool {{\n    std::mem::size_of_val(x) > 0\n}}\n"
    );
    let (rows, answer) = changes(&before, &after);
    assert!(!rows.iter().any(|row| row.starts_with("parameter_retyped")), "{answer:#}");
}

#[test]
fn a_type_that_is_imported_from_elsewhere_is_another_in_java() {
    let before = "//- a/X.java\npackage a;\n\npublic class X {}\n//- b/X.java\npackage b;\n\npublic class X {}\n//- p/F.java\npackage p;\n\nimport a.X;\n\npublic class F {\n    public X last;\n\n    public boolean take(X x) {\n        return x != null;\n    }\n}\n//- q/User.java\npackage q;\n\nimport a.X;\nimport p.F;\n\npublic class User {\n    public boolean go(F f) {\n        return f.take(new X());\n    }\n}\n";
    let after = |import: &str| {
        format!(
            "//- p/F.java\npackage p;\n\n{import}\n\npublic class F {{\n    public X last;\n\n    public boolean take(X x) {{\n        return x != null;\n    }}\n}}\n"
        )
    };
    for import in ["import b.X;", "import b.*;"] {
        let (rows, answer) = changes(before, &after(import));
        let has = |class: &str| rows.iter().any(|row| row.starts_with(class));
        assert!(has("parameter_retyped") && has("field_retyped"), "{import}: {answer:#}");
        assert_eq!(answer["verdict"], "may_break", "{import}: {answer:#}");
    }
    check("all of the package", before, &after("import a.*;"), &[]);
}

#[test]
fn a_type_that_is_imported_from_elsewhere_is_another_in_python() {
    let before = "//- a.py\nclass X:\n    pass\n//- b.py\nclass X:\n    pass\n//- f.py\nfrom a import X\n\n\nclass Y(X):\n    pass\n\n\ndef take(x: X) -> bool:\n    return bool(x)\n//- user.py\nfrom a import X\nfrom f import Y, take\n\ntake(X())\nY()\n";
    let after =
        "//- f.py\nfrom b import X\n\n\nclass Y(X):\n    pass\n\n\ndef take(x: X) -> bool:\n    return bool(x)\n";
    let (rows, answer) = changes(before, after);
    let has = |class: &str| rows.iter().any(|row| row.starts_with(class));
    assert!(has("base_removed") && has("parameter_reannotated"), "{answer:#}");
    assert_eq!(answer["verdict"], "may_break", "{answer:#}");
}

#[test]
fn a_type_that_is_imported_from_elsewhere_is_another_in_typescript() {
    let before = "//- a.ts\nexport class X {}\n//- b.ts\nexport class X {}\n//- index.ts\nexport { X } from \"./a\";\n//- f.ts\nimport { X } from \"./a\";\n\nexport function take(x: X): X[] {\n    return [x];\n}\n//- user.ts\nimport { X } from \"./a\";\nimport { take } from \"./f\";\n\ntake(new X());\n";
    let after = |from: &str| {
        format!(
            "//- f.ts\nimport {{ X }} from \"{from}\";\n\nexport function take(x: X): X[] {{\n    return [x];\n}}\n"
        )
    };
    check("another module", before, &after("./b"), &["parameter_retyped may_break", "return_changed may_break"]);
    check("passed on", before, &after("./index"), &[]);
}

#[test]
fn a_type_that_is_imported_from_elsewhere_is_another_in_go() {
    let before = "//- go.mod\nmodule example.com/m\n\ngo 1.22\n//- a/a.go\npackage a\n\ntype T struct{}\n//- b/b.go\npackage b\n\ntype T struct{}\n//- f/f.go\npackage f\n\nimport x \"example.com/m/a\"\n\nfunc Take(v x.T) bool {\n\treturn v == x.T{}\n}\n//- user/user.go\npackage user\n\nimport (\n\t\"example.com/m/a\"\n\t\"example.com/m/f\"\n)\n\nfunc Go() bool {\n\treturn f.Take(a.T{})\n}\n";
    let after =
        "//- f/f.go\npackage f\n\nimport x \"example.com/m/b\"\n\nfunc Take(v x.T) bool {\n\treturn v == x.T{}\n}\n";
    check("another package", before, after, &["parameter_retyped may_break"]);
}

#[test]
fn a_trait_that_is_derived_instead_of_implemented_is_still_there() {
    let with = |derives: &str, block: &str| {
        let user = "//- src/b.rs\nuse crate::a::X;\n\npub fn go() -> X {\n    X::default()\n}\n";
        let manifest = "//- Cargo.toml\n[package]\nname = \"swap\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        format!(
            "{manifest}//- src/lib.rs\npub mod a;\npub mod b;\n{user}//- src/a.rs\n#[derive({derives})]\npub struct X {{\n    pub n: u32,\n}}\n{block}"
        )
    };
    let block = "\nimpl Default for X {\n    fn default() -> Self {\n        Self { n: 0 }\n    }\n}\n";
    check("derived", &with("Debug", block), &with("Debug, Default", ""), &[]);
    check("implemented", &with("Debug, Default", ""), &with("Debug", block), &[]);
    let (rows, answer) = changes(&with("Debug", block), &with("Debug, Clone", ""));
    assert!(rows.contains(&"removed may_break".to_owned()), "another trait is derived: {answer:#}");
    let (rows, answer) = changes(&with("Debug, Default", ""), &with("Debug", ""));
    assert!(rows.contains(&"base_removed may_break".to_owned()), "nothing is left: {answer:#}");
}
