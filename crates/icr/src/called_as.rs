//! The names that the program is called by. Under the name `icm` it takes the command lines of ICM, so that scripts and agents that call it need no
//! change; under any other name, its own.

use std::ffi::OsString;
use std::path::Path;

use crate::problem::Usage;

/// Command lines of ICM that are written otherwise here. Sorted by name.
static CHANGED: &[(&str, &[&str])] = &[
    // A client of ICM expects its tools.
    ("serve", &["mcp", "--toolsets", "memory"]),
];

/// Commands of ICM that are not here, and what to do in place of them. Sorted by name.
static ABSENT: &[(&str, &str)] = &[
    // tidy: sorted
    ("bench-format", "`icm bench` measures memories on this machine"),
    ("cloud", "nothing leaves this machine; `icm export` and `icm import` move memories"),
    ("code-areas", "`icr map` and `icr symbols` show what is where"),
    ("dashboard", "`icm stats`, `icm health` and `icm list` show what is kept"),
    ("extract-patterns", "`icm memoir distill --from-topic TOPIC --into MEMOIR` makes concepts of a topic"),
    ("extract-pending", "`icm extract` takes facts out of a text at once"),
    ("facts", "`icm store -t TOPIC -c TEXT` keeps a fact"),
    ("feedback", "`icm store -t TOPIC -c TEXT` keeps what was corrected"),
    ("hook-log", "`icm memory log` lists what was done to memories"),
    ("hook-stats", "`icm stats` counts what is kept"),
    ("init", "`claude mcp add icr -- icr mcp` adds the server to Claude Code; other agents take the same command"),
    ("learn", "`icm memoir create` and `icm memoir add-concept` make a memoir"),
    ("recall-project", "`icm recall QUERY` asks the memories of this project"),
    ("remember", "`icm store -t TOPIC -c TEXT` keeps a memory"),
    ("save-project", "`icm store -t TOPIC -c TEXT` keeps a memory of this project"),
    ("sessions", "`icm extract` takes facts out of a text"),
    ("transcript", "`icm extract` takes facts out of a text"),
    ("tui", "`icm stats`, `icm health` and `icm list` show what is kept"),
    ("uninstall", "delete the program; the memory database stays where `icm config get memory.db_path` says"),
    ("upgrade", "install a newer version as this one was installed"),
    ("wake-up", "`icm recall-context QUERY` prints memories for a prompt"),
    // tidy: end
];

/// Flags of ICM that stand before a command and have a value.
const FLAGS_WITH_VALUE: [&str; 5] = ["--db", "--repo", "--at", "--config", "--set"];

/// `arguments` as the program's own command line takes them; the first is the name that it was called by.
///
/// # Errors
///
/// [`Usage`] for a command of ICM that is not here.
pub(crate) fn translated(arguments: Vec<OsString>) -> Result<Vec<OsString>, Usage> {
    let is_icm =
        arguments.first().is_some_and(|called| Path::new(called).file_stem().is_some_and(|name| name == "icm"));
    match command_at(&arguments).filter(|_| is_icm) {
        Some(at) => icm(arguments, at),
        None => Ok(arguments),
    }
}

fn icm(mut arguments: Vec<OsString>, at: usize) -> Result<Vec<OsString>, Usage> {
    let name = arguments[at].to_string_lossy().into_owned();
    if let Some((_, hint)) = ABSENT.iter().find(|(absent, _)| *absent == name) {
        return Err(Usage { message: format!("icr has no command `{name}`"), hint: Some((*hint).to_owned()) });
    }
    let is_last = at + 1 == arguments.len();
    if name == "config" && is_last {
        arguments.push("show".into());
    }
    if let Some((_, instead)) = CHANGED.iter().find(|(changed, _)| *changed == name) {
        arguments.splice(at..=at, instead.iter().map(OsString::from));
    }
    Ok(arguments)
}

/// Where the name of the command stands.
fn command_at(arguments: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        if FLAGS_WITH_VALUE.iter().any(|flag| argument == flag) {
            at += 2;
        } else if argument.to_string_lossy().starts_with('-') {
            at += 1;
        } else {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &[&str], expected: &[&str]) {
        let found = translated(given.iter().map(OsString::from).collect()).expect("these commands are there");
        assert_eq!(found, expected.iter().map(OsString::from).collect::<Vec<_>>(), "{given:?}");
    }

    #[test]
    fn the_server_lists_the_tools_that_a_client_of_icm_expects() {
        check(
            &["/usr/bin/icm", "--db", "serve", "serve", "--compact"],
            &["/usr/bin/icm", "--db", "serve", "mcp", "--toolsets", "memory", "--compact"],
        );
        check(&["icr", "serve"], &["icr", "serve"]);
    }

    #[test]
    fn config_alone_shows_the_configuration() {
        check(&["icm", "config"], &["icm", "config", "show"]);
        check(&["icm", "config", "get", "recall.limit"], &["icm", "config", "get", "recall.limit"]);
        check(&["icr", "config"], &["icr", "config"]);
        check(&["icm"], &["icm"]);
        check(&["icm", "store", "-t", "wake-up", "-c", "serve"], &["icm", "store", "-t", "wake-up", "-c", "serve"]);
    }

    #[test]
    fn commands_that_are_not_here_say_what_to_do_instead() {
        for (name, hint) in ABSENT {
            let error = translated(vec!["icm".into(), "--read-only".into(), (*name).into()]).expect_err("it is absent");
            assert_eq!((error.message, error.hint), (format!("icr has no command `{name}`"), Some((*hint).to_owned())));
        }
        assert!(ABSENT.is_sorted(), "the table is sorted");
    }
}
