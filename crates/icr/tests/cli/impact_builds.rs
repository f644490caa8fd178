//! Definitions that are not there in every build: behind features, and between the lines of a preprocessor.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::Icr;

const LIBRARY: &str = "//- Cargo.toml\n[package]\nname = \"kit\"\nversion = \"0.1.0\"\nedition = \"2021\"\ndescription = \"A kit.\"\nlicense = \"MIT\"\n\n[features]\nx = []\n";

/// The verdict on a change of `before` into `after`, then the classes of the contract changes.
#[track_caller]
fn check(what: &str, before: &str, after: &str, expected: &str) {
    let fixture = Fixture::new(before);
    fixture.write(after);
    let answer = Icr::new(&fixture).json(&["impact"]);
    let changes = answer["contract_impact"]["changes"].as_array().unwrap();
    let class = |change: &Value| format!(" {}", change["class"].as_str().unwrap());
    let classes: String = changes.iter().map(class).collect();
    assert_eq!(format!("{}{classes}", answer["verdict"].as_str().unwrap()), expected, "{what}: {answer:#}");
}

fn library(code: &str) -> String {
    format!("{LIBRARY}//- src/lib.rs\n{code}")
}

const ON: &str = "#[cfg(feature = \"x\")]\npub fn size() -> u8 {\n    1\n}\n\n";
const OFF: &str = "#[cfg(not(feature = \"x\"))]\npub fn size() -> u8 {\n    2\n}\n\n";

#[test]
fn what_moves_behind_a_feature_may_be_missed_without_it() {
    let plain = ON.replacen("#[cfg(feature = \"x\")]\n", "", 1);
    check("a new feature", &library(&plain), &library(ON), "may_break visibility_reduced");
    check("a feature that is no longer needed", &library(ON), &library(&plain), "clean visibility_widened");
    let block = |attribute: &str| {
        format!("pub struct Box;\n\n{attribute}impl Box {{\n    pub fn size(&self) -> u8 {{\n        1\n    }}\n}}\n")
    };
    // The member is shut out with the block around it, and is not told twice.
    let gated = block("#[cfg(feature = \"x\")]\n");
    check("a block", &library(&block("")), &library(&gated), "may_break visibility_reduced");
}

#[test]
fn a_module_that_moves_behind_a_feature_may_be_missed_without_it() {
    let code = |root: &str| format!("{LIBRARY}//- src/lib.rs\n{root}//- src/a.rs\npub fn size() -> u8 {{\n    1\n}}\n");
    let gate = "#[cfg(feature = \"x\")]\n";
    let gated = |statement: &str| code(&format!("{gate}{statement}"));
    check("a module", &code("pub mod a;\n"), &gated("pub mod a;\n"), "may_break visibility_reduced");
    check("a module of its own", &code("mod a;\n"), &gated("mod a;\n"), "clean");
    let passed_on = |gate: &str| code(&format!("mod a;\n{gate}pub use a::size;\n"));
    check("passed on", &passed_on(""), &passed_on(gate), "may_break visibility_reduced");
    check("at any time", &gated("pub mod a;\n"), &code("pub mod a;\n"), "clean");
}

#[test]
fn a_variant_that_is_gone_is_missed_by_the_builds_that_no_other_is_for() {
    let both = format!("{ON}{OFF}");
    check("one of two", &library(&both), &library(OFF), "may_break visibility_reduced");
    let only = OFF.replacen("#[cfg(not(feature = \"x\"))]\n", "", 1);
    check("one for all", &library(&both), &library(&only), "clean");
    check("both for one", &library(&only), &library(&both), "clean");
    let changed = both.replacen("pub fn size() -> u8 {\n    2", "pub fn size() -> u16 {\n    2", 1);
    check("another signature of one", &library(&both), &library(&changed), "may_break return_changed");
}

#[test]
fn variants_of_the_preprocessor_are_one_definition() {
    let user = "//- b.cpp\n#include \"a.h\"\n\nint go() {\n    return size();\n}\n";
    let header = |text: &str| format!("//- a.h\n{text}{user}");
    let both =
        "#ifdef KIT_X\ninline int size() {\n    return 1;\n}\n#else\ninline int size() {\n    return 2;\n}\n#endif\n";
    let one = "#ifndef KIT_X\ninline int size() {\n    return 2;\n}\n#endif\n";
    let all = "inline int size() {\n    return 2;\n}\n";
    check("one of two", &header(both), &header(one), "may_break visibility_reduced");
    check("one for all", &header(both), &header(all), "review");
    let edited = both.replacen("return 1", "return 3", 1);
    check("another body of one", &header(both), &header(&edited), "review");
}
