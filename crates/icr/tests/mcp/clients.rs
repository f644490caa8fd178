//! Clients that others wrote, which check more of an answer than we do: that it is of a revision, that it fits the schema
//! that was promised for it.
//!
//! `ICR_TEST_MCP_CLIENTS` names the directory that `clients/from-packages`, beside this file, fills. Without it, or without one of
//! the clients in it, tests are skipped, under continuous integration they fail.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use icr_fixture::{Fixture, path_from, skip};
use serde_json::{Value, json};

use crate::examples::{Example, examples, repository};
use crate::place::Place;
use crate::transcripts::check;

/// Says which directory the clients are in.
const CLIENTS: &str = "ICR_TEST_MCP_CLIENTS";

/// The inspector's exit code for a tool that answers with an error.
const TOOL_ERROR: i32 = 5;

/// The path of a client in the directory of clients; `None`, and `test` is skipped, where it is not.
pub(crate) fn client(test: &str, path: &str) -> Option<PathBuf> {
    let path = path_from(CLIENTS, test)?.join(path);
    if !path.exists() {
        skip(test, &format!("there is no `{}`, clients/from-packages says why", path.display()));
        return None;
    }
    Some(path)
}

/// What the Python SDK got for requests that it made of a server of `place`.
struct Driven {
    /// The revision that was agreed on, and the server's name.
    hello: Value,
    results: Vec<Value>,
}

/// Makes requests with the Python SDK, which refuses answers that do not fit their schemas and progress that does not grow.
fn python(test: &str, mode: &str, place: &Place, examples: &[Example]) -> Option<Driven> {
    let python = client(test, "python/bin/python")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/clients/python_sdk.py");
    let request = |example: &Example| json!({"tool": example.tool, "arguments": example.arguments_for(place.root())});
    let requests = place.fixture.home().join("requests.json");
    let text = examples.iter().map(request).collect::<Value>().to_string();
    std::fs::write(&requests, text).expect("the home can be written");
    let mut command = place.program(python, &[]);
    let output = succeeds(command.arg(script).args([mode, env!("CARGO_BIN_EXE_icr")]).arg(requests));
    let mut lines = output.lines().map(|line| serde_json::from_str(line).expect("the script prints JSON"));
    Some(Driven { hello: lines.next().expect("the script says what it is connected to"), results: lines.collect() })
}

/// Makes every request with the Python SDK in a mode that has to agree on `version`.
fn python_asks_everything(test: &str, mode: &str, version: &str) {
    let (place, examples) = (repository(), examples());
    let Some(driven) = python(test, mode, &place, &examples) else { return };
    assert_eq!(driven.hello, json!({"protocol_version": version, "server": "icr"}));
    check(&format!("the Python SDK, {mode}"), &examples, &driven.results, place.root());
}

/// The inspector, which is asked for one thing at a time, of one place.
struct Inspector<'a> {
    bin: PathBuf,
    place: &'a Place,
}

impl<'a> Inspector<'a> {
    fn new(test: &str, place: &'a Place) -> Option<Self> {
        let inspector = client(test, "node/node_modules/.bin/mcp-inspector")?;
        Some(Self { bin: inspector.parent().expect("it lies in a directory").to_owned(), place })
    }

    fn run(&self, era: &str, args: &[&str]) -> Output {
        let mut command = self.place.program(self.bin.join("node"), &[]);
        command.arg(self.bin.join("mcp-inspector")).args(["--cli", env!("CARGO_BIN_EXE_icr"), "mcp"]);
        let home = format!("ICR_HOME={}", self.place.home().display());
        command.args(["-e", &home, "--protocol-era", era]).args(args);
        command.output().expect("the inspector can be run")
    }

    #[track_caller]
    fn call(&self, era: &str, example: &Example) -> Value {
        let arguments = example.arguments_for(self.place.root()).to_string();
        let output =
            self.run(era, &["--method", "tools/call", "--tool-name", &example.tool, "--tool-args-json", &arguments]);
        let expected = if example.error.is_some() { TOOL_ERROR } else { 0 };
        assert_eq!(output.status.code(), Some(expected), "{}: {}", example.name, said(&output));
        parsed(&output)
    }
}

#[track_caller]
fn parsed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(output)))
}

fn said(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Standard output of a command that ends well.
#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let output = command.output().expect("the client can be run");
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).expect("what is printed is text")
}

#[test]
fn the_python_sdk_asks_everything_without_a_handshake() {
    python_asks_everything("the_python_sdk_asks_everything_without_a_handshake", "auto", "2026-07-28");
}

#[test]
fn the_python_sdk_asks_everything_after_a_handshake() {
    python_asks_everything("the_python_sdk_asks_everything_after_a_handshake", "legacy", "2025-11-25");
}

#[test]
fn the_python_sdk_waits_for_a_first_index() {
    let arguments = json!({"query": "Reads row 7", "scope": "repo", "limit": 5});
    let example = |name: &str| Example {
        name: name.to_owned(),
        tool: "env_search".to_owned(),
        arguments: arguments.clone(),
        data: Vec::new(),
        metadata: Vec::new(),
        text: Vec::new(),
        error: None,
    };
    let asked = [example("the first question"), example("the same again")];
    for mode in ["auto", "legacy"] {
        let place = Place::of(Fixture::generated(300));
        let Some(driven) = python("the_python_sdk_waits_for_a_first_index", mode, &place, &asked) else { return };
        let found = |result: &Value| result["structuredContent"]["data"]["results"].clone();
        let [first, second] = driven.results.as_slice() else { panic!("two answers: {:?}", driven.results) };
        assert_eq!(found(first).as_array().map(Vec::len), Some(5), "{mode}: {first}");
        assert_eq!(found(first), found(second), "{mode}");
    }
}

#[test]
fn the_inspector_asks_everything() {
    let place = repository();
    let Some(inspector) = Inspector::new("the_inspector_asks_everything", &place) else { return };
    let examples = examples();
    let results: Vec<Value> = examples.iter().map(|example| inspector.call("legacy", example)).collect();
    check("the inspector", &examples, &results, place.root());
}

#[test]
fn the_inspector_asks_without_a_handshake() {
    let place = repository();
    let Some(inspector) = Inspector::new("the_inspector_asks_without_a_handshake", &place) else { return };
    for example in examples().iter().filter(|example| example.tool == "admin_ping") {
        assert_eq!(inspector.call("modern", example)["structuredContent"]["data"]["echo"], "hello");
    }
}

#[test]
fn the_inspector_finds_nothing_wrong_with_the_schemas() {
    let place = repository();
    let Some(inspector) = Inspector::new("the_inspector_finds_nothing_wrong_with_the_schemas", &place) else { return };
    for era in ["legacy", "modern"] {
        let output = inspector.run(era, &["--method", "tools/list", "--strict"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{era}: not even a warning");
        assert!(parsed(&output)["tools"].as_array().is_some_and(|tools| tools.len() >= 38), "{}", said(&output));
    }
}
