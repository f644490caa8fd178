//! The end of the input, in any state, is the end of the server: code 0.

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::examples::repository;
use crate::place::Place;
use crate::server::{Era, Server, initialize};

const LEGACY: Era = Era::Legacy("2025-11-25");

fn small() -> Place {
    Place::of(Fixture::new("//- a.rs\nfn anchor() {}\n"))
}

/// Ends well after `input`, and answers nothing but errors.
#[track_caller]
fn check(input: &[u8]) {
    let place = small();
    let mut server = Server::start(&place);
    server.write(input);
    for message in server.ends_well() {
        assert!(message["error"].is_object(), "{message}");
    }
}

#[test]
fn without_any_input_nothing_is_said() {
    let place = small();
    assert_eq!(Server::start(&place).ends_well(), Vec::<Value>::new());
    let output = place.icr(&["mcp"]).output().expect("the program can be run");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]), "the null device");
}

#[test]
fn before_a_handshake() {
    check(b"\n");
    check(b"garbage\n");
    check(b"garbage without an end");
    check(b"[]\n{}\n");
    check(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    check(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/li");
}

#[test]
fn in_the_middle_of_a_handshake() {
    let place = small();
    let mut server = Server::start(&place).of(LEGACY);
    server.ask("initialize", initialize("2025-11-25"));
    assert_eq!(server.ends_well(), Vec::<Value>::new());
    let mut server = Server::start(&place).of(LEGACY);
    server.request("initialize", initialize("2025-11-25"));
    let left = server.ends_well();
    assert!(left.len() <= 1, "one answer, or none: {left:?}");
}

#[test]
fn after_a_handshake_and_between_calls() {
    let place = small();
    for era in [Era::Modern, LEGACY] {
        assert_eq!(Server::ready(&place, era).ends_well(), Vec::<Value>::new());
        let mut server = Server::ready(&place, era);
        server.ask("tools/list", json!({}));
        server.data("admin_ping", json!({}));
        assert_eq!(server.ends_well(), Vec::<Value>::new());
    }
}

#[test]
fn quick_calls_that_were_read_are_still_answered() {
    let place = small();
    for era in [Era::Modern, LEGACY] {
        let mut server = Server::ready(&place, era);
        let ids: Vec<u64> = (0..16).map(|_| server.begin("admin_ping", json!({}))).collect();
        let answers = server.ends_well();
        let mut answered: Vec<u64> = answers.iter().filter_map(|answer| answer["id"].as_u64()).collect();
        answered.sort_unstable();
        assert_eq!(answered, ids, "{era:?}");
    }
}

#[test]
fn with_calls_in_flight() {
    let place = repository();
    for era in [Era::Modern, LEGACY] {
        let mut server = Server::ready(&place, era);
        for _ in 0..64 {
            server.begin("memory_pack", json!({"prompt": "How are tokens validated?", "repo_root": place.root()}));
        }
        assert!(server.ends_well().len() <= 64, "an answer for each call at most");
    }
}

#[test]
fn with_a_first_index_under_way() {
    let place = Place::of(Fixture::generated(3_000));
    let mut server = Server::ready(&place, Era::Modern);
    server.begin("env_search", json!({"query": "rows", "scope": "repo"}));
    let ping = server.begin("admin_ping", json!({}));
    server.answer(ping);
    server.ends_well();
    // What was begun and not finished is no harm to those who come later.
    place.index();
    let mut server = Server::ready(&place, Era::Modern);
    let found = server.data("env_search", json!({"query": "Reads row", "scope": "repo", "limit": 5}));
    assert_eq!(found["results"].as_array().map(Vec::len), Some(5));
    server.ends_well();
}

#[test]
fn when_nobody_reads_any_more() {
    let place = small();
    let mut command = place.icr(&["mcp"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the program can be run");
    drop(child.stdout.take());
    let request = crate::server::request(1, "tools/list", json!({}), Era::Modern);
    // It may have ended already.
    let _ = std::io::Write::write_all(&mut child.stdin.take().expect("it is piped"), format!("{request}\n").as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some() && !stderr.contains("panicked"), "{:?}: {stderr}", output.status);
}
