//! Formats errors for people and programs, and defines the exit codes.

use std::borrow::Cow;
use std::io::Write;
use std::process::ExitCode;

use icr_impact::report::{shortened, visible};
use icr_model::name_distance;
use icr_secrets::mask_tokens;
use serde_json::json;

use crate::arguments::Global;
use crate::config::ConfigError;
use crate::panics::{Bug, NoThread};

/// Success.
pub(crate) const OK: u8 = 0;
/// Nothing was found, or a finding makes the run fail.
pub(crate) const FINDING: u8 = 1;
/// Unknown flag, format or key, or a value out of bounds.
pub(crate) const USAGE: u8 = 2;
/// Could not look: no repository, unknown revision, unreadable objects.
pub(crate) const NOT_ANALYSED: u8 = 3;
/// The answer is incomplete, with `--strict`.
pub(crate) const PARTIAL: u8 = 4;
/// A fault of icr or of the machine.
pub(crate) const INTERNAL: u8 = 5;
/// Another process is writing (`EX_TEMPFAIL` of sysexits.h).
pub(crate) const BUSY: u8 = 75;

/// Writes the error to stderr, as text with its causes and hints or as JSON. Returns the exit code. Names in the text
/// may come from anywhere, so control characters are shown instead of sent to the terminal.
pub(crate) fn report(error: &anyhow::Error, global: &Global) -> ExitCode {
    let (code, exit, hints) = sort(error);
    let mut messages: Vec<String> = Vec::new();
    for cause in error.chain() {
        let message = cause.to_string();
        // Transparent errors repeat what they wrap, and some end with it.
        if !messages.last().is_some_and(|last| last.ends_with(&message)) {
            messages.push(message);
        }
    }
    // Typed text may be very long.
    // A name that may be meant is a name of the repository.
    let message = messages.join(": ");
    let message = mask_tokens(&message).text;
    let message = shortened(&message);
    let hints: Vec<_> = hints.iter().map(|hint| mask_tokens(hint).text).collect();
    let hints: Vec<_> = hints.iter().map(|hint| shortened(hint)).collect();
    let mut stderr = std::io::stderr().lock();
    // If stderr is closed, nobody can be told.
    let _ = if global.json {
        writeln!(stderr, "{}", json!({"error": {"code": code, "message": message, "hints": hints}}))
    } else {
        writeln!(stderr, "error: {}", visible(&message))
            .and_then(|()| hints.iter().try_for_each(|hint| writeln!(stderr, "hint: {}", visible(hint))))
    };
    ExitCode::from(exit)
}

/// Writes the error in the arguments, or the help that was asked for. Returns the exit code.
pub(crate) fn report_arguments(mut error: clap::Error) -> ExitCode {
    suggest_nearest_commands(&mut error);
    let json = asks_for_json();
    // If no arguments were typed, the help is shown.
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !json {
        let _ = error.print();
        return ExitCode::from(USAGE);
    }
    // If the stream is closed, nobody can be told.
    let whole = error.render().to_string();
    let text = if error.use_stderr() { shortened(&whole) } else { whole.as_str().into() };
    let _ = if json && error.use_stderr() {
        let (message, hints) = parts(&text);
        let value = json!({"error": {"code": "VALIDATION_ERROR", "message": message, "hints": hints}});
        writeln!(std::io::stderr().lock(), "{value}")
    } else if error.use_stderr() && (typed_hides() || matches!(text, Cow::Owned(_))) {
        let lines: Vec<_> = text.lines().map(visible).collect();
        writeln!(std::io::stderr().lock(), "{}", lines.join("\n"))
    } else {
        error.print()
    };
    ExitCode::from(if error.use_stderr() { USAGE } else { OK })
}

/// Most commands that are suggested for a mistyped one.
const COMMANDS_SUGGESTED: usize = 3;

/// Sorts the commands that clap suggests by their distance from the typed one, and keeps the nearest. clap suggests every
/// command with a few letters in common, the nearest last.
fn suggest_nearest_commands(error: &mut clap::Error) {
    use clap::error::{ContextKind, ContextValue};
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let Some(ContextValue::Strings(suggested)) = error.get(ContextKind::SuggestedSubcommand) else { return };
    let mut nearest: Vec<String> = suggested.iter().rev().cloned().collect();
    nearest.sort_by_key(|command| name_distance(typed, command));
    nearest.truncate(COMMANDS_SUGGESTED);
    error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(nearest));
}

/// Whether errors must be JSON although the arguments cannot be parsed: looks only for the `--json` flag.
pub(crate) fn asks_for_json() -> bool {
    std::env::args_os().skip(1).take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// Whether an argument contains control characters. clap repeats arguments unchanged.
fn typed_hides() -> bool {
    std::env::args_os().any(|argument| matches!(visible(&argument.to_string_lossy()), Cow::Owned(_)))
}

/// Splits a message of clap: the first paragraph as one line, and the other paragraphs, which say what to type instead.
fn parts(text: &str) -> (String, Vec<String>) {
    let one_line = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = text.trim().split("\n\n").map(one_line).filter(|paragraph| !paragraph.is_empty());
    let message = paragraphs.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").map(str::to_owned).unwrap_or(message);
    (message, paragraphs.map(|paragraph| paragraph.trim_start_matches("tip: ").to_owned()).collect())
}

/// Whether the error means that the reader of stdout is gone, which is not a failure.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Error code for programs.
pub(crate) fn code_of(error: &anyhow::Error) -> &'static str {
    sort(error).0
}

fn sort(error: &anyhow::Error) -> (&'static str, u8, Vec<String>) {
    if let Some(NotAnalysed(error)) = error.downcast_ref::<NotAnalysed>() {
        let (code, exit) = (error.code(), exit_of(error));
        return (code, if exit == FINDING { NOT_ANALYSED } else { exit }, error.command_line_hints());
    }
    if let Some(NotThere { error, hint }) = error.downcast_ref::<NotThere>() {
        let hints = error.command_line_hints().into_iter().chain([hint.clone()]).collect();
        return (error.code(), exit_of(error), hints);
    }
    if let Some(error) = error.downcast_ref::<icr_engine::Error>() {
        return (error.code(), exit_of(error), error.command_line_hints());
    }
    if let Some(error) = error.downcast_ref::<ConfigError>() {
        return ("CONFIG_ERROR", USAGE, error.hint().into_iter().collect());
    }
    if let Some(icr_watch::Error::Taken { .. }) = error.downcast_ref() {
        return (
            "BUSY",
            BUSY,
            vec!["end that one first; to keep other worktrees up to date, use hooks: `icr hooks install`".to_owned()],
        );
    }
    if let Some(icr_hooks::Error::Git { .. }) = error.downcast_ref() {
        return (
            "GIT_ERROR",
            NOT_ANALYSED,
            vec!["`git config --list --show-origin` says what git reads there".to_owned()],
        );
    }
    if error.is::<NoThread>() {
        let limits = icr_engine::process_limits();
        let threads =
            "the user may have no more of them (`ulimit -u`), or the machine has no memory for one".to_owned();
        return ("INTERNAL_ERROR", INTERNAL, if limits.is_empty() { vec![threads] } else { limits });
    }
    if error.is::<Bug>() {
        let hint = "run it again with RUST_BACKTRACE=1 and report what it prints".to_owned();
        return ("INTERNAL_ERROR", INTERNAL, vec![hint]);
    }
    match error.downcast_ref::<Usage>() {
        Some(usage) => ("VALIDATION_ERROR", USAGE, usage.hint.clone().into_iter().collect()),
        None => ("INTERNAL_ERROR", INTERNAL, Vec::new()),
    }
}

fn exit_of(error: &icr_engine::Error) -> u8 {
    match error.code() {
        "BUSY" => BUSY,
        "NOT_FOUND" => FINDING,
        "VALIDATION_ERROR" => USAGE,
        "STORE_READ_ONLY" | "STORE_FULL" | "INTERNAL_ERROR" => INTERNAL,
        _ => NOT_ANALYSED,
    }
}

/// What a command should examine does not exist. Has its own exit code even where 1 means a finding.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct NotAnalysed(pub(crate) icr_engine::Error);

/// Something that was named does not exist, with suggestions.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub(crate) struct NotThere {
    pub(crate) error: icr_engine::Error,
    pub(crate) hint: String,
}

/// Something that was typed is not possible.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Usage {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_is_the_message_and_the_others_are_hints() {
        let text = "error: a value\n  <X> is missing\n\n  tip: say one\n\nUsage: icr <X>\n\nFor more information, try '--help'.\n";
        let hints = ["say one", "Usage: icr <X>", "For more information, try '--help'."];
        assert_eq!(parts(text), ("a value <X> is missing".to_owned(), hints.map(str::to_owned).to_vec()));
        assert_eq!(parts(""), (String::new(), Vec::new()));
    }
}
