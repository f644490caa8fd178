//! Shell completions for paths, definitions and revisions of an indexed repository, in addition to the words of the
//! command line. Completing never indexes or writes, and an error only means that nothing is offered.

use std::ffi::OsStr;
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::{Command, CommandFactory, ValueHint};
use clap_complete::CompleteEnv;
use clap_complete::engine::CompletionCandidate;
use icr_engine::{LogRequest, MapRequest, Snapshot, SymbolRequest};

use crate::arguments::{Arguments, Global};
use crate::context::Context;

/// The variable by which a shell asks for completions; its value is the name of the shell.
pub(crate) const VARIABLE: &str = "ICR_COMPLETE";

/// Most definitions that are looked up; a user cannot choose from more.
const OFFERED: usize = 50;

/// Most names offered.
const OFFERED_MOST: usize = 500;

/// Longest time that a shell waits.
const TIME_MOST: Duration = Duration::from_secs(1);

/// If a shell asks for completions, answers and ends the process.
pub(crate) fn answer() {
    CompleteEnv::with_factory(|| without_files(Arguments::command())).var(VARIABLE).complete();
}

/// The command line without clap's own file completions for path arguments, which offer files of the file system
/// instead of the view.
fn without_files(command: Command) -> Command {
    let command = command.mut_args(|argument| argument.value_hint(ValueHint::Other));
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, without_files))
}

/// Whether a name is safe in a shell unquoted. Completion scripts insert names into the line as they are, and names may
/// come from anybody. So names with blanks or characters special to a shell are not offered, nor names that look like
/// an option.
fn is_plain(name: &str) -> bool {
    let means_itself = |letter: char| letter.is_alphanumeric() || "_./:@%+=,-".contains(letter);
    name.chars().all(means_itself) && !name.starts_with(['-', '='])
}

/// Files and directories of the view, a directory at a time.
pub(crate) fn paths(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str().map(str::to_owned) else { return Vec::new() };
    complete_from_index(move |context, snapshot| {
        let (directory, begun) =
            typed.rsplit_once('/').map_or(("", typed.as_str()), |(directory, begun)| (directory, begun));
        let below = context.path_of(if directory.is_empty() { "." } else { directory });
        let below = Some(below).filter(|below| below != ".");
        let request = MapRequest { depth: 1, path_prefix: below, ..MapRequest::default() };
        let (tree, _) = icr_engine::map(snapshot, &request)?;
        let names = tree.children.into_iter().filter(|node| node.name.starts_with(begun)).map(|node| {
            let slash = if node.kind == "directory" { "/" } else { "" };
            let before = if directory.is_empty() { String::new() } else { format!("{directory}/") };
            format!("{before}{}{slash}", node.name)
        });
        Ok(names.collect())
    })
}

/// Names of definitions that begin with the typed text.
pub(crate) fn symbols(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str().filter(|typed| !typed.is_empty()).map(str::to_owned) else { return Vec::new() };
    complete_from_index(move |_, snapshot| {
        let request = SymbolRequest { query: typed.clone(), limit: OFFERED, ..SymbolRequest::default() };
        let found = icr_engine::symbols(snapshot, &request)?.symbols;
        let lower = typed.to_lowercase();
        let names = found.into_iter().flat_map(|symbol| [symbol.name, symbol.qualified_name]);
        let mut names: Vec<String> = names.filter(|name| name.to_lowercase().starts_with(&lower)).collect();
        names.sort();
        names.dedup();
        Ok(names)
    })
}

/// Branches and tags.
pub(crate) fn revisions(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str().map(str::to_owned) else { return Vec::new() };
    complete_from_index(move |_, snapshot| {
        // In a range, the revision after the dots is completed.
        let (before, begun) = match typed.rfind("..") {
            Some(at) => typed.split_at(at + 2 + usize::from(typed[at + 2..].starts_with('.'))),
            None => ("", typed.as_str()),
        };
        let log = icr_engine::log(snapshot, &LogRequest { limit: 0, ..LogRequest::default() })?;
        let names = log.refs.into_iter().map(|named| named.name).chain(["HEAD".to_owned()]);
        Ok(names.filter(|name| name.starts_with(begun)).map(|name| format!("{before}{name}")).collect())
    })
}

/// The answer to `question` within [`TIME_MOST`], from the repository around the shell's directory if it is indexed.
fn complete_from_index(
    question: impl Fn(&Context, &Snapshot) -> Result<Vec<String>, icr_engine::Error> + Send + 'static,
) -> Vec<CompletionCandidate> {
    let global = Global { quiet: true, read_only: true, no_embeddings: true, ..Global::default() };
    let (answered, answer) = channel();
    // Not joined: the process ends after the answer, and the thread with it.
    std::thread::spawn(move || {
        let names = || {
            let context = Context::open(&global).ok()?;
            if !context.engine.store().is_indexed().ok()? {
                return None;
            }
            let (names, _) = context.ask(|snapshot| question(&context, snapshot)).ok()?;
            Some(names)
        };
        let _ = answered.send(names().unwrap_or_default());
    });
    let names = answer.recv_timeout(TIME_MOST).unwrap_or_default();
    names.into_iter().filter(|name| is_plain(name)).take(OFFERED_MOST).map(CompletionCandidate::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_act_on_is_not_offered() {
        for name in ["src/a.rs", "feature/x-1", "Server.handle", "v1.2..main", "größe.rs", "a@b+c=d"] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "a$(touch x)",
            "`a`",
            "a;b",
            "a b",
            "-e.py",
            "--set=run.enabled=true",
            "a\nb",
            "a\u{1b}[31m",
            "a&b",
            "a|b",
            "~a",
            "a*",
            "!a",
            "a\\b",
            "'a",
            "#a",
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
    }

    #[test]
    fn no_argument_offers_files_as_they_are() {
        fn check(command: &Command) {
            for argument in command.get_arguments() {
                assert_eq!(
                    argument.get_value_hint(),
                    ValueHint::Other,
                    "{} of {}",
                    argument.get_id(),
                    command.get_name()
                );
            }
            command.get_subcommands().for_each(check);
        }
        check(&without_files(Arguments::command()));
    }
}
