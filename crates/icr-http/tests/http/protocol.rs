//! The protocol for agents over HTTP, in the revisions that clients speak.

use serde_json::{Value, json};

use crate::place::{Answer, Place};

fn post(place: &Place, headers: &[(&str, &str)], message: &Value) -> Answer {
    let mut all = vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    all.extend(headers);
    place.ask("POST", "/mcp", &all, &message.to_string())
}

/// The message in an answer, which may be an event.
fn message(answer: &Answer) -> Value {
    let data =
        answer.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).rfind(|data| !data.is_empty());
    serde_json::from_str(data.unwrap_or(&answer.body)).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

#[test]
fn a_client_of_an_older_revision_shakes_hands_and_calls() {
    let place = Place::new();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }});
    let answer = post(&place, &[], &hello);
    assert_eq!(message(&answer)["result"]["protocolVersion"], "2025-06-18", "{answer:?}");
    let session = answer.header("mcp-session-id").to_owned();
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
    assert_eq!(post(&place, &headers, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).status, 202);
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "env_peek", "arguments": {"path": "src/errors.py", "rev": "HEAD~1", "start_line": 1, "end_line": 9},
    }});
    let text = message(&post(&place, &headers, &call))["result"]["content"][0]["text"].to_string();
    assert!(text.contains("Somebody is not let in"), "{text}");
    assert_eq!(place.ask("DELETE", "/mcp", &headers, "").status / 100, 2);
    assert_eq!(post(&place, &headers, &call).status, 404);
}

#[test]
fn a_client_of_the_present_revision_calls_at_once() {
    let place = Place::new();
    let headers = |method| {
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method), ("Mcp-Name", "project_symbol_search")]
    };
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let listed = message(&post(&place, &headers("tools/list")[..2], &list));
    assert!(listed["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 5), "{listed}");
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "project_symbol_search", "arguments": {"query": "validate_token"}, "_meta": meta,
    }});
    let called = message(&post(&place, &headers("tools/call"), &call));
    assert_eq!(called["result"]["structuredContent"]["data"]["symbols"][0]["path"], "src/auth.py", "{called}");
}

#[test]
fn a_client_of_a_revision_without_a_handshake_that_asks_for_one_is_told_there_is_none() {
    let place = Place::new();
    let hello = json!({"jsonrpc": "2.0", "id": 7, "method": "initialize"});
    let answer = post(&place, &[("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "initialize")], &hello);
    assert_eq!(answer.status, 404, "{answer:?}");
    assert_eq!(
        answer.body,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"this revision of the protocol has no `initialize`"}}"#
    );
}

#[test]
fn what_is_no_message_is_refused_in_the_words_of_json_rpc() {
    let place = Place::new();
    let headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let many = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":[{}0]}}}}"#, "[],".repeat(200_000));
    for (body, code) in [("{", -32700), ("[]", -32600), (r#"{"id":1,"method":"ping"}"#, -32600), (&many, -32600)] {
        let answer = place.ask("POST", "/mcp", &headers, body);
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(message(&answer)["error"]["code"], code, "{answer:?}");
    }
}

#[test]
fn each_session_is_a_session_of_its_traces() {
    let place = Place::new();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "env_peek", "arguments": {"path": "src/errors.py"},
    }});
    for _ in 0..2 {
        let session = post(&place, &[], &hello).header("mcp-session-id").to_owned();
        let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
        post(&place, &headers, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        for _ in 0..2 {
            post(&place, &headers, &call);
        }
    }
    assert!(place.recorder.flush());
    let traces = place.get("/api/traces");
    let calls = traces["traces"].as_array().expect("calls").iter().filter(|call| call["door"] == "mcp-http");
    let sessions: Vec<&str> = calls.filter_map(|call| call["session"].as_str()).collect();
    let distinct: std::collections::BTreeSet<&&str> = sessions.iter().collect();
    assert_eq!((sessions.len(), distinct.len()), (4, 2), "{traces:#}");
}

#[test]
fn the_trace_of_a_failed_question_names_its_repository() {
    let place = Place::new();
    let known = place.get("/api/status")["provenance"]["repo_id"].clone();
    let failed = place.ask("GET", "/api/read?path=nothing.py", &[], "");
    assert_eq!(failed.status, 404, "{}", failed.body);
    assert!(place.recorder.flush());
    let traces = place.get("/api/traces");
    let calls = traces["traces"].as_array().expect("calls");
    let failed = calls.iter().find(|call| call["outcome"] != "ok").unwrap_or_else(|| panic!("{traces:#}"));
    assert_eq!(failed["repo_id"], known, "{failed:#}");
    // What an answer showed is listed where it is asked for.
    place.get("/api/search?query=token");
    assert!(place.recorder.flush());
    let returned = |address: &str| {
        let traces = place.get(address);
        traces["traces"][0]["returned"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(returned("/api/traces?tool=/api/search"), 0);
    assert!(returned("/api/traces?tool=/api/search&lists=true") > 0);
}
