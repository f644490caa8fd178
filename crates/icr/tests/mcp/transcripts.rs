//! Every request of the fixture over raw lines, and its answer against the transcripts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::examples::{Example, directory, examples, repository};
use crate::rendering::rendered;
use crate::server::{Era, MODERN, Server, envelope};

/// Set to 1, it makes the test of the newest revision write the transcripts instead of comparing with them.
const UPDATE: &str = "ICR_UPDATE_GOLDENS";

/// Compares what a client got with the transcripts: `results` are those of [`examples`], in their order, of a repository at
/// `root`.
#[track_caller]
pub(crate) fn check(client: &str, examples: &[Example], results: &[Value], root: &Path) {
    assert_eq!(results.len(), examples.len(), "{client}: every request is answered");
    let told = transcripts(examples, results, root);
    let recorded = recorded();
    for (tool, text) in &told {
        let expected = recorded.get(tool).map_or("", String::as_str);
        let lines = expected.lines().chain([""]).zip(text.lines().chain([""])).enumerate();
        if let Some((at, (left, right))) = lines.into_iter().find(|(_, (left, right))| left != right) {
            panic!("line {} of the transcript of {tool} is\n{left}\nand {client} got\n{right}\n{}", at + 1, accept());
        }
        assert_eq!(text, expected, "{client} and the transcript of {tool} differ; {}", accept());
    }
    let of_nothing: Vec<_> = recorded.keys().filter(|tool| !told.contains_key(*tool)).collect();
    assert!(of_nothing.is_empty(), "transcripts of what nobody asks: {of_nothing:?}; {}", accept());
}

fn transcripts(examples: &[Example], results: &[Value], root: &Path) -> BTreeMap<String, String> {
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    for (example, result) in examples.iter().zip(results) {
        let text = told.entry(example.tool.clone()).or_insert_with(|| format!("{}\n", example.tool));
        text.push_str(&format!("\n== {}\n{}\n\n{}", example.name, example.arguments, rendered(result, root)));
    }
    told
}

/// The transcripts by the names of tools.
fn recorded() -> BTreeMap<String, String> {
    let entries = fs::read_dir(directory().join("transcripts")).into_iter().flatten();
    let read = |path: &Path| Some((path.file_stem()?.to_str()?.to_owned(), fs::read_to_string(path).ok()?));
    entries.filter_map(|entry| read(&entry.ok()?.path())).collect()
}

/// Replaces the transcripts by what was answered.
fn write(told: &BTreeMap<String, String>) {
    let directory = directory().join("transcripts");
    fs::create_dir_all(&directory).expect("the fixture can be written");
    for tool in recorded().keys().filter(|tool| !told.contains_key(*tool)) {
        fs::remove_file(directory.join(format!("{tool}.txt"))).expect("it was just read");
    }
    for (tool, text) in told {
        fs::write(directory.join(format!("{tool}.txt")), text).expect("the fixture can be written");
    }
}

fn accept() -> String {
    format!("when that is meant: `{UPDATE}=1 cargo test -p icr --test mcp transcripts`, and look at the difference")
}

/// Answers to all requests by one server.
fn answers(era: Era, then: impl FnOnce(&[Example], &[Value], &Path)) {
    let place = repository();
    let examples = examples();
    let mut server = Server::ready(&place, era);
    let ask = |example: &Example| server.call(&example.tool, example.arguments_for(place.root()));
    let results: Vec<Value> = examples.iter().map(ask).collect();
    then(&examples, &results, place.root());
    assert_eq!(server.ends_well(), Vec::<Value>::new(), "nothing is said unasked");
}

#[test]
fn requests_of_the_newest_revision_are_answered_as_recorded() {
    answers(Era::Modern, |examples, results, root| {
        if std::env::var(UPDATE).is_ok_and(|value| value == "1") {
            write(&transcripts(examples, results, root));
        }
        check(MODERN, examples, results, root);
    });
}

#[test]
fn requests_after_a_handshake_are_answered_the_same() {
    // The oldest revision that knows structured content, and the newest that knows a handshake.
    for version in ["2025-06-18", "2025-11-25"] {
        answers(Era::Legacy(version), |examples, results, root| check(version, examples, results, root));
    }
}

#[test]
fn every_answer_has_the_fields_that_clients_rely_on() {
    answers(Era::Modern, |examples, results, _| {
        for (example, result) in examples.iter().zip(results) {
            let (name, envelope) = (&example.name, envelope(result));
            assert_eq!(result["isError"] == true, example.error.is_some(), "{name}: {result}");
            if !example.text.is_empty() {
                let text = result["content"][0]["text"].as_str().expect("an answer has a text");
                let lacking: Vec<_> = example.text.iter().filter(|part| !text.contains(part.as_str())).collect();
                assert!(
                    lacking.is_empty() && result["structuredContent"].is_null(),
                    "{name} lacks {lacking:?}: {result}"
                );
                continue;
            }
            assert_eq!(envelope["success"], example.error.is_none(), "{name}: {result}");
            if let Some(code) = &example.error {
                assert_eq!(envelope["error"]["code"], **code, "{name}");
                assert!(envelope["error"]["message"].is_string(), "{name}");
                continue;
            }
            for (part, fields) in [("data", &example.data), ("metadata", &example.metadata)] {
                let lacking: Vec<_> =
                    fields.iter().filter(|field| envelope[part].get(field.as_str()).is_none()).collect();
                assert!(lacking.is_empty(), "{name}: {part} lacks {lacking:?} in {envelope}");
            }
        }
    });
}

#[test]
fn there_is_a_request_for_every_tool_and_none_for_others() {
    let place = repository();
    let mut server = Server::ready(&place, Era::Modern);
    let listed = server.ask("tools/list", serde_json::json!({}));
    let tools = listed["result"]["tools"].as_array().expect("a list of tools").iter();
    let mut tools: Vec<String> = tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect();
    tools.sort();
    let mut asked: Vec<String> = examples().into_iter().map(|example| example.tool).collect();
    asked.sort();
    asked.dedup();
    assert_eq!(asked, tools);
    server.ends_well();
}
