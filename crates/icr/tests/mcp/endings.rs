//! The end of the input, in any state, is the end of the server: code 0.

use std::io::Write;
use std::process::{Child, ChildStdin, Stdio};

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::examples::repository;
use crate::place::Place;
use crate::server::{Era, Server, end_of, initialize, request};

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
    let place = Place::of(Fixture::generated(50));
    for era in [Era::Modern, LEGACY] {
        let _held = place.held();
        let mut server = Server::ready(&place, era);
        server.begin("env_search", json!({"query": "rows", "scope": "repo"}));
        server.data("admin_ping", json!({}));
        assert_eq!(server.ends_well(), Vec::<Value>::new(), "{era:?}: there is nothing to answer");
    }
    // What was begun and not finished is no harm to those who come later.
    place.index();
    let mut server = Server::ready(&place, Era::Modern);
    let found = server.data("env_search", json!({"query": "Reads row", "scope": "repo", "limit": 5}));
    assert_eq!(found["results"].as_array().map(Vec::len), Some(5));
    server.ends_well();
}

#[test]
fn when_nobody_reads_what_is_written() {
    let place = small();
    let (mut child, mut input) = piped(&place);
    // Far more than a pipe holds.
    for id in 0..100 {
        let request = request(id, "tools/list", json!({}), Era::Modern);
        input.write_all(format!("{request}\n").as_bytes()).expect("a hundred lines fit into a pipe");
    }
    drop(input);
    let unread = child.stdout.take();
    assert_eq!(end_of(child).code(), Some(0));
    drop(unread);
}

#[test]
fn when_nobody_can_read_any_more() {
    let place = small();
    let (mut child, mut input) = piped(&place);
    drop(child.stdout.take());
    let request = request(1, "tools/list", json!({}), Era::Modern);
    // It may have ended already.
    let _ = input.write_all(format!("{request}\n").as_bytes());
    drop(input);
    assert!(end_of(child).code().is_some(), "it ends, and nothing ends it");
}

/// A server of `place` with pipes that the test holds itself.
fn piped(place: &Place) -> (Child, ChildStdin) {
    let mut command = place.icr(&["mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program can be run");
    let input = child.stdin.take().expect("it is piped");
    (child, input)
}
