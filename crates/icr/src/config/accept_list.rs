//! Facts about `[[impact.accept]]` in a project file.

use std::path::PathBuf;

use super::layers::ConfigurationLayers;
use super::resolve::{ResolvedConfig, resolve};

fn project(text: &str) -> ResolvedConfig {
    let project = Some((PathBuf::from(".icr.toml"), text.to_owned()));
    resolve(&ConfigurationLayers { project, ..ConfigurationLayers::default() })
        .expect("a project file stops no command")
}

/// The list and its warnings.
fn list_with_warnings(resolved: &ResolvedConfig) -> String {
    let list = resolved.setting("impact.accept").expect("the key exists").value;
    let warnings: String = resolved.warnings().iter().map(|warning| format!("\n{warning}")).collect();
    format!("{list}{warnings}")
}

#[test]
fn entries_that_are_right_are_the_list() {
    let resolved = project(concat!(
        "[impact]\nmax_nodes = 50\n\n[[impact.accept]]\nclass = \"renamed\"\nreason = \"planned\"\nsymbol = \"Shape.area\"\n",
        "[[impact.accept]]\npath = \"old/**\"\nreason = \"gone\"\nuntil = 2027-01-31\n",
    ));
    insta::assert_snapshot!(list_with_warnings(&resolved), @r#"[{ class = "renamed", reason = "planned", symbol = "Shape.area" }, { path = "old/**", reason = "gone", until = "2027-01-31" }]"#);
    assert_eq!(resolved.get_integer("impact.max_nodes"), 50);
}

#[test]
fn what_is_wrong_is_named_by_entry_and_field_and_the_other_entries_count() {
    let resolved = project(concat!(
        "[[impact.accept]]\nsymbol = \"a\"\n",
        "[[impact.accept]]\nreason = \"planned\"\nsymbol = \"b\"\n",
        "[[impact.accept]]\nsymbol = \"c\"\nreason = \"planned\"\nuntil = \"tomorrow\"\n",
    ));
    let told = list_with_warnings(&resolved);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "[{ reason = \"planned\", symbol = \"b\" }]");
    let wrong = [
        "entry 1 of `impact.accept`: `reason` is missing, expected why the change is accepted, in words",
        "entry 3 of `impact.accept`: `until` is `\"tomorrow\"`, expected a date such as `2027-01-31`",
    ];
    assert_eq!(lines.len(), 3, "{told}");
    for (line, wrong) in lines[1..].iter().zip(wrong) {
        assert!(line.starts_with("ignored: `.icr.toml` line ") && line.ends_with(wrong), "{line}");
    }
}

#[test]
fn what_is_no_list_is_left_out() {
    let expected = "[]\nignored: `.icr.toml` line 2: `impact.accept` is `3`, expected entries `[[impact.accept]]` in `.icr.toml` of the \
                    repository";
    assert_eq!(list_with_warnings(&project("[impact]\naccept = 3\n")), expected);
}

#[test]
fn only_a_project_file_accepts() {
    let user = Some((PathBuf::from("user.toml"), "[[impact.accept]]\nsymbol = \"a\"\nreason = \"b\"\n".to_owned()));
    let error = resolve(&ConfigurationLayers { user, ..ConfigurationLayers::default() })
        .expect_err("it would accept nothing")
        .to_string();
    assert!(error.starts_with("`user.toml` line 1: `impact.accept` is set here, expected entries"), "{error}");
    let flags = [("impact.accept".to_owned(), "[]".to_owned())];
    assert!(resolve(&ConfigurationLayers { flags: &flags, ..ConfigurationLayers::default() }).is_err());
}
