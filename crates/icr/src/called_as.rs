//! The names that the program can be called by. Called as `icm`, it accepts the command lines of ICM, so that scripts
//! and agents that call ICM need no change. Called by any other name, it accepts its own command lines.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::CommandFactory;

use crate::arguments::Arguments;
use crate::problem::Usage;

/// Commands of ICM that have another form in icr: the name, and the words that replace it. Sorted by name.
static CHANGED: &[(&str, &[&str])] = &[
    // A client of ICM expects its tools.
    ("serve", &["mcp", "--toolsets", "memory"]),
];

/// Commands of ICM that icr does not have, and what to do instead. Sorted by name.
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
    ("learn", "`icm memoir create` and `icm memoir add-concept` make a memoir"),
    ("recall-project", "`icm recall QUERY` asks the memories of this project"),
    ("remember", "`icm store -t TOPIC -c TEXT` keeps a memory"),
    ("save-project", "`icm store -t TOPIC -c TEXT` keeps a memory of this project"),
    ("sessions", "icr keeps no conversations; `icm store -t TOPIC -c TEXT` keeps what one came to"),
    ("transcript", "icr keeps no conversations; `icm extract` keeps the facts that one states, from standard input"),
    ("tui", "`icm stats`, `icm health` and `icm list` show what is kept"),
    ("upgrade", "install a newer version as this one was installed"),
    ("wake-up", "`icm recall-context QUERY` prints memories for a prompt"),
    // tidy: end
];

/// Flags of ICM's commands that icr does not have, and what to do instead. Sorted by command and name.
static ABSENT_FLAGS: &[(&str, &str, &str)] = &[
    // tidy: sorted
    ("extract", "--enqueue", "leave it out: `icm extract` keeps the facts of a text at once"),
    (
        "import",
        "--format",
        "leave it out: exports and databases are told by what they are; `icm extract` takes facts out of other texts",
    ),
    ("serve", "--http", "icr answers agents on standard input and output only: `icm serve`"),
    // tidy: end
];

/// `arguments` translated from ICM to icr, if the program was called as `icm`. The first argument is the name it was
/// called by.
///
/// # Errors
///
/// [`Usage`] for a command or a flag of ICM that icr does not have.
pub(crate) fn translated(arguments: Vec<OsString>) -> Result<Vec<OsString>, Usage> {
    let is_icm =
        arguments.first().is_some_and(|called| Path::new(called).file_stem().is_some_and(|name| name == "icm"));
    if !is_icm {
        return Ok(arguments);
    }
    match command_at(&arguments, &global_flags_with_value()) {
        Some(at) => icm(arguments, at),
        None => Ok(arguments),
    }
}

/// Names of events in ICM, and their names in icr. Sorted by name. A name that is not in the list is kept, and ignored
/// later if it is unknown.
static EVENTS: &[(&str, &str)] = &[
    // tidy: sorted
    ("compact", "PreCompact"),
    ("end", "SessionEnd"),
    ("post", "PostToolUse"),
    ("prompt", "UserPromptSubmit"),
    ("start", "SessionStart"),
    // tidy: end
];

/// Whether `arguments` call a hook.
pub(crate) fn is_hook(arguments: &[OsString]) -> bool {
    command_at(arguments, &global_flags_with_value()).is_some_and(|at| arguments[at] == "hook")
}

fn icm(mut arguments: Vec<OsString>, at: usize) -> Result<Vec<OsString>, Usage> {
    let name = arguments[at].to_string_lossy().into_owned();
    let rest: Vec<_> = arguments[at + 1..].iter().map(|argument| argument.to_string_lossy()).collect();
    if let Some((_, hint)) = ABSENT.iter().find(|(absent, _)| *absent == name) {
        return Err(Usage { message: format!("icr has no command `{name}`"), hint: Some((*hint).to_owned()) });
    }
    if name == "hook" {
        let event = rest.first().and_then(|event| EVENTS.iter().find(|(name, _)| name == event));
        if let Some((_, event)) = event {
            arguments[at + 1] = OsString::from(event);
        }
        return Ok(arguments);
    }
    let is_given = |flag: &str| {
        let flags = rest.iter().take_while(|argument| *argument != "--");
        flags.into_iter().any(|argument| argument.split('=').next() == Some(flag))
    };
    if let Some((_, flag, hint)) = ABSENT_FLAGS.iter().find(|(of, flag, _)| *of == name && is_given(flag)) {
        return Err(Usage { message: format!("icr has no `{name} {flag}`"), hint: Some((*hint).to_owned()) });
    }
    if name == "config" && rest.is_empty() {
        arguments.push("show".into());
    }
    if let Some((_, instead)) = CHANGED.iter().find(|(changed, _)| *changed == name) {
        arguments.splice(at..=at, instead.iter().map(OsString::from));
    }
    Ok(arguments)
}

/// Global flags that take a value and may stand before a command, as they are typed.
fn global_flags_with_value() -> Vec<String> {
    let command = Arguments::command();
    let has_value = command.get_arguments().filter(|flag| flag.is_global_set() && flag.get_action().takes_values());
    let typed = |flag: &clap::Arg| {
        let long = flag.get_long().map(|long| format!("--{long}"));
        let short = flag.get_short().map(|short| format!("-{short}"));
        [long, short]
    };
    has_value.flat_map(typed).flatten().collect()
}

/// Index of the command's name in `arguments`.
fn command_at(arguments: &[OsString], flags_with_value: &[String]) -> Option<usize> {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        if flags_with_value.iter().any(|flag| argument == OsStr::new(flag)) {
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
            for before in [&["--read-only"] as &[&str], &["--color", "never"], &["--color=never", "-q", "--at", "x"]] {
                let typed = ["icm"].iter().chain(before).chain([name]).map(OsString::from).collect();
                let error = translated(typed).expect_err("it is absent");
                let expected = (format!("icr has no command `{name}`"), Some((*hint).to_owned()));
                assert_eq!((error.message, error.hint), expected);
            }
        }
        assert!(ABSENT.is_sorted(), "the table is sorted");
    }

    #[test]
    fn flags_that_are_not_here_say_what_to_do_instead() {
        for (name, flag, hint) in ABSENT_FLAGS {
            for given in [(*flag).to_owned(), format!("{flag}=x")] {
                let error = translated(vec!["icm".into(), (*name).into(), given.into()]).expect_err("it is absent");
                let expected = (format!("icr has no `{name} {flag}`"), Some((*hint).to_owned()));
                assert_eq!((error.message, error.hint), expected);
            }
        }
        check(&["icm", "extract", "-t", "x", "--", "--enqueue"], &["icm", "extract", "-t", "x", "--", "--enqueue"]);
        assert!(ABSENT_FLAGS.is_sorted(), "the table is sorted");
    }

    #[test]
    fn hooks_of_agents_have_the_names_of_their_events() {
        check(&["icm", "--db", "x", "hook", "prompt"], &["icm", "--db", "x", "hook", "UserPromptSubmit"]);
        check(&["icm", "hook", "pre"], &["icm", "hook", "pre"]);
        check(&["icm", "hook"], &["icm", "hook"]);
        check(&["icm", "hook", "git", "post-commit"], &["icm", "hook", "git", "post-commit"]);
        check(&["icr", "hook", "start"], &["icr", "hook", "start"]);
        assert!(EVENTS.is_sorted(), "the table is sorted");
    }

    #[test]
    fn a_hook_is_known_by_its_place() {
        let is_hook = |words: &[&str]| super::is_hook(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(is_hook(&["icr", "hook", "--what"]) && is_hook(&["icm", "--db", "x", "hook"]));
        assert!(!is_hook(&["icr", "search", "hook"]) && !is_hook(&["icr"]));
    }
}
