//! Every key does something: it is read, it stands for another, or whoever sets it is told that it does nothing.

use std::fs;
use std::path::Path;

use super::keys::KEYS;
use super::layers::ConfigurationLayers;
use super::resolve::resolve;
use super::table::{Key, KeyType};

/// The text of every source file of the program, without tests and without the tables of the configuration.
fn sources() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut text = String::new();
    let mut directories = vec![root.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).expect("the sources are there") {
            let path = entry.expect("a directory can be read").path();
            match path.is_dir() {
                true if path == root.join("config") => {}
                true => directories.push(path),
                false => text.push_str(&code(&path)),
            }
        }
    }
    // Where values are held against each other.
    text + &code(&root.join("config/resolve.rs"))
}

/// The text of a source file before its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("sources are text");
    text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned()
}

fn does_something(key: &Key, sources: &str) -> bool {
    let is_read = || sources.contains(&format!("\"{}\"", key.name));
    // The engine reads it of the side before a change, which is seldom what lies in the worktree.
    let is_read_by_engine = matches!(key.kind, KeyType::AcceptList);
    key.note.is_some() || key.maps_to.is_some() || is_read_by_engine || is_read()
}

#[test]
fn no_key_is_accepted_in_silence_and_does_nothing() {
    let sources = sources();
    let dead: Vec<&str> = KEYS.iter().filter(|key| !does_something(key, &sources)).map(|key| key.name).collect();
    assert!(dead.is_empty(), "nothing reads {dead:?}: read them, or say in the table that and why nothing does");
}

#[test]
fn what_is_read_is_not_said_to_do_nothing() {
    let sources = sources();
    let read = |key: &&Key| sources.contains(&format!("\"{}\"", key.name));
    let noted: Vec<&str> = KEYS.iter().filter(|key| key.note.is_some()).filter(read).map(|key| key.name).collect();
    assert!(noted.is_empty(), "{noted:?} are read, and the table says that nothing does");
}

/// What is told when one variable is set.
fn warnings_for_variable(variable: &str, value: &str) -> String {
    let environment = [(variable.to_owned(), value.to_owned())];
    let resolved = resolve(&ConfigurationLayers { environment: &environment, ..ConfigurationLayers::default() })
        .expect("the value is valid");
    resolved.warnings().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn who_sets_a_key_of_what_is_not_built_is_told_unless_it_is_for_another_program() {
    let expected = "`ICR_EXTRACTION__ENABLED`: `extraction.enabled` is accepted and not used yet: the extraction of memories by hooks is not built";
    assert_eq!(warnings_for_variable("ICR_EXTRACTION__ENABLED", "true"), expected);
    assert_eq!(warnings_for_variable("ICR_DB_PATH", "/memories"), "", "it has its effect");
    assert_eq!(warnings_for_variable("ICR_EXTRACTION__ENABLED", "false"), "", "it is off anyway");
}

#[test]
fn a_value_that_gives_way_was_set_by_nobody() {
    // The time of a program is 60 seconds usually, and gives way to the longest that may be asked for: nobody set it, so there is nothing to tell.
    assert_eq!(warnings_for_variable("ICR_RUN__MAX_TIMEOUT_SECONDS", "30"), "");
}
