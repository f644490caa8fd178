//! Lines: how they may come, and that nothing but messages leaves.

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::place::Place;
use crate::server::{Era, Server, request};

const LEGACY: Era = Era::Legacy("2025-06-18");

fn small() -> Place {
    Place::of(Fixture::new("//- a.rs\nfn anchor() {}\n"))
}

/// A call of `admin_ping` as a line without its end.
fn ping(id: u64, echo: &str) -> String {
    request(id, "tools/call", json!({"name": "admin_ping", "arguments": {"echo": echo}}), Era::Modern).to_string()
}

#[track_caller]
fn echoes(server: &mut Server, id: u64, echo: &str) {
    assert_eq!(server.result(id)["structuredContent"]["data"]["echo"], echo);
}

#[test]
fn a_line_may_end_as_on_any_system_and_come_in_any_pieces() {
    let place = small();
    let mut server = Server::start(&place);
    server.write(format!("{}\r\n", ping(1, "with a carriage return")).as_bytes());
    echoes(&mut server, 1, "with a carriage return");
    // Not one letter of more than one byte comes whole.
    for byte in format!("{}\n", ping(2, "in pieces: äöü 🦀")).into_bytes() {
        server.write(&[byte]);
    }
    echoes(&mut server, 2, "in pieces: äöü 🦀");
    server.write(format!("{}\n{}\n", ping(3, "one"), ping(4, "two")).as_bytes());
    echoes(&mut server, 4, "two");
    echoes(&mut server, 3, "one");
    server.ends_well();
}

#[test]
fn a_line_that_is_no_message_harms_nobody() {
    let lines: &[&[u8]] = &[
        b"",
        b"\r",
        b"   ",
        b"garbage",
        b"{",
        b"null",
        b"[]",
        b"1e999",
        b"\"text\"",
        b"{}",
        b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}",
        b"{\"jsonrpc\":\"2.0\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":null}",
        b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/no-such-thing\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":12345}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"unasked\",\"result\":{}}",
        b"\xff\xfe\x00\x01",
        b"\xef\xbb\xbf{}",
    ];
    let place = small();
    for era in [Era::Modern, LEGACY] {
        let mut server = Server::ready(&place, era);
        for line in lines {
            server.write(line);
            server.write(b"\n");
            assert_eq!(server.call("admin_ping", json!({"echo": "here"}))["isError"], false, "{line:?}");
        }
        let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
        server.write(deep.as_bytes());
        assert_eq!(server.call("admin_ping", json!({"echo": "here"}))["isError"], false);
        for message in server.ends_well() {
            assert!(message["error"].is_object(), "only refusals are left: {message}");
        }
    }
}

#[test]
fn garbage_before_the_first_message_does_not_end_the_server() {
    let place = small();
    let mut server = Server::start(&place);
    server.write(b"garbage\n\n{\"jsonrpc\":\"2.0\"}\n");
    assert_eq!(server.call("admin_ping", json!({"echo": "here"}))["isError"], false);
    server.ends_well();
    let mut server = Server::start(&place);
    server.write(b"garbage\n[1]\n");
    server.shake_hands(LEGACY);
    assert_eq!(server.call("admin_ping", json!({"echo": "here"}))["isError"], false);
    server.ends_well();
}

#[test]
fn several_requests_in_one_line_are_refused_and_the_next_line_is_answered() {
    let place = small();
    for era in [Era::Modern, LEGACY] {
        let mut server = Server::ready(&place, era);
        server.write(format!("[{},{}]\n", ping(901, "one"), ping(902, "two")).as_bytes());
        assert_eq!(server.call("admin_ping", json!({"echo": "here"}))["isError"], false);
        for message in server.ends_well() {
            assert_eq!(message["error"]["code"], -32600, "{message}");
        }
    }
}

#[test]
fn a_request_that_does_not_fit_its_method_is_an_error_with_its_id() {
    let place = small();
    let mut server = Server::ready(&place, Era::Modern);
    for params in [json!({}), json!({"name": 7}), json!({"name": "admin_ping", "arguments": [1]})] {
        let answer = server.ask("tools/call", params.clone());
        let refused = answer["error"]["code"].is_i64() || answer["result"]["isError"] == true;
        assert!(refused, "{params}: {answer}");
    }
    server.ends_well();
}

#[test]
fn an_id_comes_back_as_it_was() {
    let place = small();
    let mut server = Server::start(&place);
    for id in [json!("a name"), json!(""), json!(0), json!(-7), json!(9_007_199_254_740_991_u64)] {
        let mut message: Value = serde_json::from_str(&ping(1, "here")).expect("it was just written");
        message["id"] = id.clone();
        server.send(&message);
        assert_eq!(server.next()["id"], id);
    }
    server.ends_well();
}

#[test]
fn arguments_of_four_mebibytes_are_refused_by_name() {
    let place = small();
    for era in [Era::Modern, LEGACY] {
        let mut server = Server::ready(&place, era);
        let long = "x".repeat(4 << 20);
        for (tool, field, arguments) in [
            ("admin_ping", "echo", json!({"echo": long})),
            ("env_search", "query", json!({"query": long, "scope": "repo"})),
            ("env_aggregate", "op", json!({"op": long, "inputs": ["a"]})),
        ] {
            let result = server.call(tool, arguments);
            let error = &result["structuredContent"]["error"];
            assert_eq!((&error["code"], &error["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!(field)));
            assert!(result.to_string().len() < 4_096, "what was too long is not sent back: {tool}");
        }
        server.ends_well();
    }
}

#[test]
fn however_much_is_logged_only_messages_are_printed() {
    let place = small();
    let mut command = place.icr(&["mcp", "-vvv"]);
    command.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full");
    let mut server = Server::run(&place, command);
    // Belongs to a handshake that nobody began, which is told in the log.
    server.is_initialized();
    server.data("admin_ping", json!({"echo": "here", "include_diagnostics": true}));
    server.data("env_search", json!({"query": "anchor", "scope": "repo"}));
    server.write(b"garbage\n");
    server.call("env_peek", json!({"path": "../outside", "start_line": 1, "end_line": 2}));
    // `Server` reads every line as a message and fails on any other.
    let ending = server.ends();
    assert_eq!(ending.code, Some(0));
    assert!(ending.stderr.contains("debug: "), "what is logged goes elsewhere: {}", ending.stderr);
}

/// Writes a line of some text between two others, of which no more than a piece is in memory.
fn write_long(server: &mut Server, before: &str, mebibytes: usize, after: &str) {
    server.write(before.as_bytes());
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..mebibytes {
        server.write(&piece);
    }
    server.write(after.as_bytes());
    server.write(b"\n");
}

#[test]
fn a_line_of_any_length_is_answered_within_bounded_memory() {
    /// The longest line that is read, twice: as it is read ahead, and as it is put together. A buffer doubles, and the smaller one is
    /// beside it until it is copied.
    const MEMORY_MOST: u64 = 2 * 3 * (16 << 20);
    let place = small();
    let call = "\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"";
    for era in [Era::Modern, LEGACY] {
        let mut server = Server::ready(&place, era);
        server.call("admin_ping", json!({"echo": "here"}));
        let before = server.peak_memory();
        let requests = [
            (17, format!("{{\"id\":9001,{call},\"params\":{{\"name\":\""), "\"}}".to_owned(), json!(9001)),
            (200, format!("{{{call},\"params\":{{\"name\":\""), "\"},\"id\":\"late\"}".to_owned(), json!("late")),
            (17, "garbage".to_owned(), String::new(), Value::Null),
        ];
        for (mebibytes, start, end, id) in requests {
            write_long(&mut server, &start, mebibytes, &end);
            let refused = server.next();
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&id, &json!(-32600)), "{refused}");
            assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains("16 MiB")), "{refused}");
            assert_eq!(server.call("admin_ping", json!({"echo": "here"}))["isError"], false);
        }
        if let (Some(before), Some(after)) = (before, server.peak_memory()) {
            assert!(after - before <= MEMORY_MOST, "{era:?}: {before} bytes, then {after}");
        }
        assert_eq!(server.ends_well(), Vec::<Value>::new());
    }
}

#[test]
fn a_line_that_is_too_long_and_has_no_end_is_answered_at_the_end_of_the_input() {
    let place = small();
    let mut server = Server::start(&place);
    server.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"");
    for _ in 0..17 {
        server.write(&vec![b'x'; 1 << 20]);
    }
    let [refused] = server.ends_well().try_into().expect("one answer");
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32600)));
}

#[test]
fn a_line_that_is_no_message_is_told_what_is_wrong() {
    let place = small();
    for era in [Era::Modern, LEGACY] {
        let mut server = Server::ready(&place, era);
        let deep = "[".repeat(100_000);
        let deep_call = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{deep}");
        for (line, id, code) in [
            ("garbage", Value::Null, -32700),
            ("{\"jsonrpc\":\"2.0\",\"id\":7", Value::Null, -32700),
            (&deep, Value::Null, -32700),
            (&deep_call, json!(7), -32700),
            ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"a\":\"\\q\"}}", json!(7), -32700),
            ("null", Value::Null, -32600),
            ("[{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}]", Value::Null, -32600),
            ("{\"id\":7,\"method\":\"ping\"}", json!(7), -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":\"seven\",\"method\":7}", json!("seven"), -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", Value::Null, -32600),
        ] {
            server.write(line.as_bytes());
            server.write(b"\n");
            let refused = server.next();
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&id, &json!(code)), "{era:?}: {refused}");
        }
        assert_eq!(server.call("admin_ping", json!({}))["isError"], false);
        assert_eq!(server.ends_well(), Vec::<Value>::new(), "each line has one answer");
    }
}

#[test]
fn an_id_that_is_used_twice_harms_nobody() {
    let place = small();
    for era in [Era::Modern, LEGACY] {
        let mut server = Server::ready(&place, era);
        let call =
            request(7, "tools/call", json!({"name": "env_search", "arguments": {"query": "a", "scope": "repo"}}), era);
        for _ in 0..2 {
            server.send(&call);
        }
        let answers = [server.answer(7), server.answer(7)];
        let (done, others): (Vec<_>, Vec<_>) =
            answers.iter().partition(|answer| answer["result"]["content"].is_array());
        assert!(!done.is_empty(), "{era:?}: {answers:?}");
        assert!(others.iter().all(|answer| answer["error"]["code"] == -32600), "{era:?}: {answers:?}");
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}));
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "never"}}));
        assert_eq!(server.call("admin_ping", json!({}))["isError"], false, "{era:?}");
        server.ends_well();
    }
}
