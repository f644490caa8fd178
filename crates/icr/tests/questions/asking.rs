//! Asking both sides, and what counts as the same answer.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::question::Question;
use crate::scenario::World;
use crate::server::{Era, Server};

/// How often a question is asked that was not answered in its time, on a machine that does other things as well.
const ATTEMPTS: usize = 3;

/// Lines that are shown of two answers, from the first on that differs.
const LINES_SHOWN: usize = 12;

/// What one side says.
#[derive(PartialEq, Eq)]
struct Answer {
    text: String,
    /// Whether it is an error.
    is_error: bool,
}

/// Two answers, compared.
pub(crate) enum Comparison {
    Equal,
    /// Both sides failed with the same error.
    EqualErrors,
    /// At least one side stopped because its time was over, and said so.
    Unfinished,
    /// With how they differ.
    Different(String),
}

/// Asks the store and the server that lived through the world's history, and a fresh process on a fresh store.
pub(crate) fn compare(world: &mut World, question: &Question) -> Comparison {
    for _ in 0..ATTEMPTS {
        let fresh_home = TempDir::with_prefix("icr-home-").expect("a temporary directory can be made");
        let (lived, fresh) = match question {
            Question::Typed { root, args, input } => {
                let home = world.place.home();
                let lived = typed(world, &home, root, args, input.as_deref());
                // A store that nobody may write is never made.
                let writing: Vec<String> = args.iter().filter(|arg| *arg != "--read-only").cloned().collect();
                (lived, typed(world, fresh_home.path(), root, &writing, input.as_deref()))
            }
            Question::Called { tool, arguments } => {
                let lived = called(&mut world.server, tool, arguments);
                let mut command = world.place.icr(&["mcp"]);
                command.env("ICR_HOME", fresh_home.path());
                let mut fresh = Server::run(&world.place, command).of(Era::Modern);
                (lived, called(&mut fresh, tool, arguments))
            }
        };
        if lived == fresh {
            return if lived.is_error { Comparison::EqualErrors } else { Comparison::Equal };
        }
        if ![&lived, &fresh].into_iter().any(|answer| is_unfinished(&answer.text)) {
            return Comparison::Different(difference(&lived.text, &fresh.text));
        }
    }
    Comparison::Unfinished
}

/// What a command prints and ends with.
fn typed(world: &World, home: &Path, root: &Path, args: &[String], input: Option<&str>) -> Answer {
    let mut command: Command = world.place.icr(&["--json", "--quiet"]);
    command.args(args).current_dir(root).env("ICR_HOME", home);
    if let Some(input) = input {
        let path = world.place.fixture.home().join("patch");
        std::fs::write(&path, input).expect("the home can be written");
        command.stdin(Stdio::from(File::open(&path).expect("it was just written")));
    }
    let output = command.output().expect("the program can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let errors: Vec<&str> = stderr.lines().filter(|line| line.starts_with('{')).collect();
    let text = format!("exit {:?}\n{}\n{}", output.status.code(), settled(&stdout), errors.join("\n"));
    Answer { text, is_error: !errors.is_empty() }
}

/// What a tool answers.
fn called(server: &mut Server, tool: &str, arguments: &Value) -> Answer {
    let answer = server.ask("tools/call", json!({"name": tool, "arguments": arguments}));
    let texts = answer["result"]["content"].as_array().into_iter().flatten();
    let texts: Vec<String> = texts.map(|content| settled(content["text"].as_str().unwrap_or_default())).collect();
    let structured = settled(&answer["result"]["structuredContent"].to_string());
    let error = &answer["error"];
    let is_error = !error.is_null() || answer["result"]["isError"] == true;
    Answer { text: format!("{}\n{structured}\n{error}", texts.join("\n")), is_error }
}

/// A text without what differs between two runs on the same: how long something took. JSON is written a field a line.
fn settled(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(mut value) => {
            settle(&mut value);
            serde_json::to_string_pretty(&value).expect("JSON can be written")
        }
        Err(_) => text.to_owned(),
    }
}

fn settle(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["duration_ms", "elapsed_ms", "map_duration_ms", "reduce_duration_ms"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(settle);
        }
        Value::Array(values) => values.iter_mut().for_each(settle),
        _ => {}
    }
}

/// Whether an answer says that its time was over, or that something was left because of that.
fn is_unfinished(answer: &str) -> bool {
    ["TIMEOUT", "\"unindexed\"", "not indexed yet"].iter().any(|said| answer.contains(said))
}

/// Both answers from the first line on that differs.
fn difference(lived: &str, fresh: &str) -> String {
    let same = lived.lines().zip(fresh.lines()).take_while(|(one, other)| one == other).count();
    let shown = |answer: &str| answer.lines().skip(same).take(LINES_SHOWN).collect::<Vec<_>>().join("\n");
    format!("from line {same} on, the store that lived answers\n{}\nand a fresh one\n{}", shown(lived), shown(fresh))
}
