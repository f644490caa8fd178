//! `icr init` and `icr uninstall` in a home full of configuration.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use icr_fixture::Fixture;

use crate::run::Icr;

/// Files of a home, as people write them.
const HAND_WRITTEN: &[(&str, &str)] = include!("../../../icr-agents/src/configuration/tests/hand_written.in");

/// A repository, and a home beside it with `files`.
fn place(files: &[(&str, &str)]) -> (Fixture, Icr, PathBuf) {
    let fixture = Fixture::new("//- src/a.rs\nfn a() {}\n");
    let home = fixture.home().join("person");
    fs::create_dir_all(&home).expect("the home can be made");
    for (path, text) in files {
        let path = home.join(path);
        fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("the directory can be made");
        fs::write(path, text).expect("the file can be written");
    }
    let text = |path: &Path| path.to_str().expect("it is text").to_owned();
    let icr = Icr::new(&fixture)
        .with_variable("HOME", &text(&home))
        .with_variable("XDG_CONFIG_HOME", &text(&home.join(".config")));
    (fixture, icr, home)
}

/// All files and directories below `directory`, with what files hold.
fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut contents = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("it is a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            contents.extend(self::contents(&path));
        }
        contents.insert(path.clone(), fs::read(&path).unwrap_or_default());
    }
    contents
}

#[cfg(target_os = "linux")]
#[test]
fn a_home_full_of_configuration_is_the_same_to_the_byte_afterwards() {
    let (_fixture, icr, home) = place(HAND_WRITTEN);
    let before = contents(&home);
    let planned = icr.run(&["init", "--mode", "all", "--dry-run"]);
    assert_eq!((planned.code, contents(&home) == before), (0, true), "{}", planned.stderr);
    assert!(planned.stdout.contains("+    \"icr\": {"), "{}", planned.stdout);
    let ran = icr.run(&["init", "--mode", "all"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stderr.starts_with("note: instructions and skills call `icr`, which is not in PATH"), "{}", ran.stderr);
    assert!(contents(&home) != before);
    let again = icr.run(&["init", "--mode", "all"]);
    let lines: Vec<_> = again.stdout.lines().filter(|line| !line.starts_with("unchanged ")).collect();
    assert_eq!((again.code, lines), (0, Vec::new()));
    assert_eq!(icr.run(&["init", "--mode", "mcp", "--tool", "cursor", "--json"]).code, 0);
    let ran = icr.run(&["uninstall"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    for (path, text) in &before {
        assert_eq!(contents(&home).get(path), Some(text), "{}", path.display());
    }
    assert_eq!(contents(&home).len(), before.len());
}

#[test]
fn what_is_refused_is_a_line_and_an_exit_code() {
    let (_fixture, icr, home) = place(&[(".cursor/mcp.json", "{\"mcpServers\": []}"), (".junie/mcp/mcp.json", "{}")]);
    let ran = icr.run(&["init"]);
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!(ran.stdout, @r"
refused       ~/.cursor/mcp.json  Cursor (mcp)
  `mcpServers` is an array, where an object is expected
changed       ~/.junie/mcp/mcp.json  Junie (mcp)
agents read this when they start; `icr uninstall` takes it out
");
    let written = fs::read_to_string(home.join(".junie/mcp/mcp.json")).expect("it is there");
    assert!(written.contains("\"args\": [\"mcp\"]"), "{written}");
}

#[test]
fn an_agent_is_named_when_none_is_found() {
    let (_fixture, icr, _) = place(&[]);
    let ran = icr.run(&["init"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("no agent was found: none has its files in your home yet\nstart it once, or name it with `--tool`: aider, amazon-q,"));
    assert_eq!(icr.run(&["init", "--tool", "emacs"]).code, 2);
    assert_eq!(icr.run(&["init", "--tool", "aider"]).code, 1);
    assert_eq!(icr.run(&["init", "--read-only"]).code, 2);
    assert!(icr.run(&["uninstall"]).stdout.starts_with("nothing to take out"));
}

#[test]
fn the_doctor_names_programs_that_are_gone_and_servers_that_are_there_twice() {
    let gone = "{\"mcpServers\": {\"icr\": {\"command\": \"/gone/icr\", \"args\": [\"mcp\"]}}}";
    let (fixture, icr, home) = place(&[(".cursor/mcp.json", gone)]);
    assert_eq!(icr.run(&["init", "--tool", "cursor", "--project"]).code, 0);
    assert!(fixture.root().join(".cursor/mcp.json").exists());
    let ran = icr.run(&["doctor"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("/.cursor/mcp.json` runs `/gone/icr`, which is not there\n      hint: `icr init --mode mcp --tool cursor --force` mends it"), "{}", ran.stdout);
    assert!(ran.stdout.contains("note  Cursor: "), "{}", ran.stdout);
    assert_eq!(icr.run(&["init", "--tool", "cursor", "--force"]).code, 0);
    assert!(!icr.run(&["doctor"]).stdout.contains("/gone/icr"));
    assert_eq!(icr.run(&["uninstall"]).code, 0);
    assert_eq!(fs::read_to_string(home.join(".cursor/mcp.json")).expect("it is there"), gone);
    assert!(!fixture.root().join(".cursor").exists());
}
