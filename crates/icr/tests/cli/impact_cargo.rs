//! Which commands of Cargo `icr impact` names for the tests of Rust.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::Icr;

const PACKAGE: &str = "//- Cargo.toml\n[package]\nname = \"mini\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

/// The commands that an answer names.
fn commands(answer: &Value) -> Vec<&str> {
    let commands = answer["test_plan"]["commands"].as_array().expect("a list");
    commands.iter().filter_map(Value::as_str).collect()
}

#[test]
fn tests_behind_features_are_run_with_them() {
    let engine = |value: u32| format!("//- src/engine.rs\npub fn run() -> u32 {{\n    {value}\n}}\n");
    let rest = "[features]\ndynamic = []\n//- src/lib.rs\n#[cfg(feature = \"dynamic\")]\npub mod engine;\n//- tests/all/main.rs\nmod engine;\n//- tests/all/engine.rs\n#![cfg(feature = \"dynamic\")]\n\nuse mini::engine::run;\n\n#[test]\nfn runs() {\n    assert_eq!(run(), 1);\n}\n";
    let fixture = Fixture::new(&[PACKAGE, rest, &engine(1)].concat());
    fixture.write(&engine(2));
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!(commands(&answer), ["cargo test --features dynamic --test all"], "{answer:#}");
}

#[test]
fn tests_among_the_code_are_run() {
    let walk = |value: u32| {
        format!(
            "//- src/walk.rs\npub fn step() -> u32 {{\n    {value}\n}}\n\n#[cfg(test)]\nmod tests {{\n    use super::step;\n\n    #[test]\n    fn steps() {{\n        assert_eq!(step(), 1);\n    }}\n}}\n"
        )
    };
    let rest = "//- src/lib.rs\npub mod other;\npub mod walk;\n//- src/other.rs\n#[cfg(test)]\nmod tests {\n    use crate::walk::step;\n\n    #[test]\n    fn steps_elsewhere() {\n        assert!(step() > 0);\n    }\n}\n";
    let fixture = Fixture::new(&[PACKAGE, rest, &walk(1)].concat());
    fixture.write(&walk(2));
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!(commands(&answer), ["cargo test -- other:: walk::"], "{answer:#}");
    assert_eq!(answer["tests"][0]["path"], "src/walk.rs");
    let reason = answer["tests"][0]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("has tests beside what changed"), "{reason}");
}

#[test]
fn a_module_of_a_test_target_stands_for_the_target() {
    let part = |value: u32| format!("//- tests/all/part.rs\n#[test]\nfn counts() {{\n    assert!({value} > 0);\n}}\n");
    let rest = "//- src/lib.rs\npub fn run() {}\n//- tests/all/main.rs\nmod part;\n";
    let fixture = Fixture::new(&[PACKAGE, rest, &part(1)].concat());
    fixture.write(&part(2));
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!(commands(&answer), ["cargo test --test all"], "{answer:#}");
    let reason = answer["tests"][0]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("has the module `tests/all/part.rs`, which changed"), "{reason}");
}

#[test]
fn code_in_documentation_is_a_test() {
    let source = |call: &str, drawing: &str, body: &str| {
        format!(
            "//- src/lib.rs\n/// Adds one.\n///\n/// ```\n/// assert_eq!(mini::add({call}), 2);\n/// ```\n///\n/// ```text\n/// {drawing}\n/// ```\npub fn add(a: u32) -> u32 {{\n    {body}\n}}\n"
        )
    };
    let fixture = Fixture::new(&[PACKAGE, &source("1", "a", "a + 1")].concat());
    let icr = Icr::new(&fixture);
    for (text, verdict_is_cosmetic, expected) in [
        (source("0 + 1", "a", "a + 1"), false, &["cargo test --doc"][..]),
        (source("1", "b", "a + 1"), true, &[]),
        (source("1", "a", "1 + a"), false, &["cargo test --doc"]),
    ] {
        fixture.write(&text);
        let answer = icr.json(&["impact"]);
        assert_eq!(answer["verdict"] == "cosmetic", verdict_is_cosmetic, "{answer:#}");
        assert_eq!(commands(&answer), expected, "{answer:#}");
    }
}

#[test]
fn tests_of_packages_that_do_not_depend_on_the_change_are_left_out() {
    let package = |name: &str, rest: &str| {
        format!("//- {name}/Cargo.toml\n[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
    };
    let limit =
        |value: u32| format!("//- a/src/lib.rs\npub fn base() -> u32 {{\n    1\n}}\n\nconst LIMIT: u32 = {value};\n");
    let root = "//- Cargo.toml\n[workspace]\nmembers = [\"a\", \"b\", \"c\"]\nresolver = \"2\"\n";
    let fixture = Fixture::new(&[root, &package("a", ""), &limit(1)].concat());
    // Each in a commit of its own, so that the history ties none to another.
    fixture.write(&package("b", "[dependencies]\na = { path = \"../a\" }\n//- b/src/lib.rs\npub fn go() -> u32 {\n    a::base()\n}\n//- b/tests/b.rs\nuse b::go;\n\n#[test]\nfn goes() {\n    assert_eq!(go(), 1);\n}\n"));
    fixture.commit("Add b");
    fixture.write(&package("c", "//- c/src/lib.rs\npub fn see() -> u32 {\n    1\n}\n//- c/tests/c.rs\nuse c::see;\n\n#[test]\nfn sees() {\n    assert_eq!(see(), 1);\n}\n"));
    fixture.commit("Add c");
    fixture.write(&limit(2));
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!(commands(&answer), ["cargo test -p b --test b"], "{answer:#}");
}
