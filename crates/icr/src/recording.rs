//! Traces calls, as the configuration says.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Instant, SystemTime};

use icr_serve::ShownPlaces;
use icr_traces::{CallInput, CallKind, CallOutcome, CallRecord, Door, Recorder, RecorderOptions};
use serde_json::json;

use crate::arguments::{Arguments, Global, TopLevelCommand};
use crate::config::ResolvedConfig;
use crate::context::{configuration_around, home};
use crate::environment;

/// Environment variable in which an agent gives the session that started a process.
const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

/// Longest command line that a trace keeps, in bytes.
const ARGUMENTS_BYTES_MOST: usize = 4_000;

/// The recorder for calls under `config`. It is off if the configuration says so or nothing may be written.
pub(crate) fn recorder(global: &Global, config: &ResolvedConfig, home: &Path) -> Recorder {
    if global.read_only || !config.get_bool("telemetry.enabled") {
        return Recorder::off();
    }
    let days = u32::try_from(config.get_integer("telemetry.traces_retention_days")).unwrap_or(u32::MAX);
    Recorder::open(RecorderOptions { retention_days: days, ..RecorderOptions::new(home, environment::now) })
}

/// Id of the agent session that started this process, if the agent gives it.
pub(crate) fn agent_session() -> Option<String> {
    let session = environment::variable(SESSION_VARIABLE)?.into_string().ok()?;
    Some(session).filter(|session| !session.is_empty())
}

/// Data about an answer for its trace.
#[derive(Debug, Default)]
pub(crate) struct AnswerTrace {
    /// Lines and files that it showed.
    pub(crate) shown: ShownPlaces,
    /// Names of the gaps.
    pub(crate) gaps: Vec<String>,
    /// Id of the repository that the answer is about.
    pub(crate) repo_id: Option<String>,
    /// Bytes of the answer as JSON.
    pub(crate) bytes: u64,
    /// Model tokens of the answer as JSON.
    pub(crate) tokens: u64,
}

/// Kind and name of a command in traces; `None` for commands that are not traced because they do not explore code.
pub(crate) fn traced_as(command: &TopLevelCommand) -> Option<(CallKind, &'static str)> {
    Some(match command {
        TopLevelCommand::Context(_) => (CallKind::Search, "context"),
        TopLevelCommand::Impact(_) => (CallKind::Impact, "impact"),
        TopLevelCommand::MapReduce(_) => (CallKind::Run, "map-reduce"),
        TopLevelCommand::Neighbors(_) => (CallKind::Search, "neighbors"),
        TopLevelCommand::Pack(_) => (CallKind::Search, "pack"),
        TopLevelCommand::Read(_) => (CallKind::Read, "read"),
        TopLevelCommand::Refs(_) => (CallKind::Search, "refs"),
        TopLevelCommand::Search(_) => (CallKind::Search, "search"),
        TopLevelCommand::Slice(_) => (CallKind::Read, "slice"),
        TopLevelCommand::Symbols(_) => (CallKind::Search, "symbols"),
        _ => return None,
    })
}

/// The question that a command was asked, as typed.
fn task_of(command: &TopLevelCommand) -> Option<String> {
    Some(match command {
        TopLevelCommand::Context(context) => context.goal.join(" "),
        TopLevelCommand::Impact(impact) => impact.change.clone()?,
        TopLevelCommand::MapReduce(map_reduce) => map_reduce.task.clone(),
        TopLevelCommand::Neighbors(neighbors) => neighbors.path.clone(),
        TopLevelCommand::Pack(pack) => pack.prompt.join(" "),
        TopLevelCommand::Read(read) => read.path.clone(),
        TopLevelCommand::Refs(refs) => refs.symbol.clone(),
        TopLevelCommand::Search(search) => search.query.join(" "),
        TopLevelCommand::Slice(slice) => slice.symbol.clone(),
        TopLevelCommand::Symbols(symbols) => symbols.query.clone(),
        _ => return None,
    })
}

/// Traces a command that was answered or failed with `error`. Errors of tracing itself are ignored.
pub(crate) fn trace_command(
    Arguments { global, command, .. }: &Arguments,
    (kind, name): (CallKind, &'static str),
    (started_at, began): (SystemTime, Instant),
    answer: AnswerTrace,
    error: Option<&anyhow::Error>,
) {
    let Ok(home) = home() else { return };
    // A missing home is not created just for a trace.
    if !home.is_dir() {
        return;
    }
    let Ok(config) = configuration_around(global, &home) else { return };
    let recorder = recorder(global, &config, &home);
    if !recorder.is_on() {
        return;
    }
    let mut call = CallRecord::new(Door::Cli, kind, name, started_at);
    let typed = typed_words(environment::arguments().into_iter().skip(1));
    call.task = task_of(command).map(|task| task[..task.floor_char_boundary(ARGUMENTS_BYTES_MOST)].to_owned());
    call.input = CallInput::new(&json!({ "argv": typed }));
    call.session = agent_session();
    call.duration = began.elapsed();
    (call.returned, call.impact) = (answer.shown.returned, answer.shown.impact);
    (call.gaps, call.repo_id) = (answer.gaps, answer.repo_id);
    (call.output_bytes, call.output_tokens) = (answer.bytes, answer.tokens);
    call.outcome = match error {
        Some(error) => CallOutcome::Error(crate::problem::code_of(error).to_owned()),
        None if call.gaps.is_empty() => CallOutcome::Ok,
        None => CallOutcome::Gap,
    };
    recorder.record(call);
}

/// The typed arguments without configuration values, because some are API keys.
fn typed_words(arguments: impl Iterator<Item = OsString>) -> Vec<String> {
    const SET: &str = "--set";
    let mut words: Vec<String> = Vec::new();
    for argument in arguments {
        let word = argument.to_string_lossy().into_owned();
        if words.last().is_some_and(|last| last == SET) {
            words.push("[value]".to_owned());
        } else if word.starts_with("--set=") {
            words.push("--set=[value]".to_owned());
        } else {
            words.push(word);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_configuration_are_not_traced() {
        let typed = ["search", "--set", "network.api_key=secret", "--set=a.b=c", "words"].map(OsString::from);
        assert_eq!(typed_words(typed.into_iter()), ["search", "--set", "[value]", "--set=[value]", "words"]);
    }
}
