//! Many calls at once, and calls that take too long.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use icr_mcp::{Limits, Settings};
use icr_serve::RepositoryAccess;
use serde_json::{Value, json};

use crate::client::{Client, Place, opened};

/// Settings under which whatever asks a repository waits until what is returned is dropped.
fn blocked(place: &Place, limits: Limits) -> (Settings, mpsc::Sender<()>) {
    let (open, closed) = mpsc::channel::<()>();
    let closed = Arc::new(Mutex::new(closed));
    let home = place.home();
    let places = RepositoryAccess {
        open: Arc::new(move |directory| {
            // Fails when the sender is gone, which is what is waited for.
            let _ = closed.lock().map(|closed| closed.recv());
            opened(directory, &home)
        }),
        ..place.places()
    };
    let settings = Settings { places, limits, ..place.settings() };
    (settings, open)
}

fn short() -> Limits {
    Limits { call: Duration::from_millis(20), pack: Duration::from_millis(20), ..Limits::default() }
}

#[tokio::test]
async fn sixty_four_calls_at_once_are_all_answered() {
    let place = Place::new();
    let mut client = place.client().await;
    let mut ids = Vec::new();
    for at in 0..64 {
        let (tool, arguments) = match at % 4 {
            0 => ("env_search", json!({"query": "validate token", "scope": "repo"})),
            1 => ("env_peek", json!({"path": "src/auth.py", "start_line": 1, "end_line": 9})),
            2 => ("graph_neighbors", json!({"path": "src/auth.py"})),
            _ => ("admin_ping", json!({"echo": at.to_string()})),
        };
        ids.push(client.begin("tools/call", json!({"name": tool, "arguments": arguments})).await);
    }
    let mut answered = Vec::new();
    while answered.len() < ids.len() {
        let answer = client.next().await.expect("an answer");
        assert!(answer["result"]["isError"] != true, "{answer}");
        answered.push(answer["id"].as_u64().expect("an id"));
    }
    answered.sort_unstable();
    assert_eq!(answered, ids);
}

#[tokio::test]
async fn quick_calls_do_not_wait_for_slow_ones() {
    let place = Place::new();
    let (settings, gate) = blocked(&place, Limits { in_flight: 1, ..Limits::default() });
    let mut client = Client::start(settings).await;
    let peek = json!({"name": "env_peek", "arguments": {"path": "src/auth.py", "start_line": 1, "end_line": 1}});
    let slow = [client.begin("tools/call", peek.clone()).await, client.begin("tools/call", peek).await];
    let quick = client.begin("tools/call", json!({"name": "admin_ping", "arguments": {}})).await;
    assert_eq!(client.next().await.expect("an answer")["id"], quick);
    let counted = client
        .begin("tools/call", json!({"name": "env_aggregate", "arguments": {"op": "count", "inputs": ["a"]}}))
        .await;
    assert_eq!(client.next().await.expect("an answer")["id"], counted);
    drop(gate);
    // In either order: both wait for the first index.
    let mut answered = Vec::new();
    for _ in slow {
        let answer = client.next().await.expect("an answer");
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answered.push(answer["id"].as_u64().expect("an id"));
    }
    answered.sort_unstable();
    assert_eq!(answered, slow);
}

#[tokio::test]
async fn a_request_with_the_id_of_one_that_is_not_answered_is_refused() {
    let place = Place::new();
    let (settings, gate) = blocked(&place, Limits::default());
    let mut client = Client::start(settings).await;
    let peek = json!({"name": "env_peek", "arguments": {"path": "src/auth.py", "start_line": 1, "end_line": 1}});
    let slow = client.begin("tools/call", peek.clone()).await;
    for method in ["tools/call", "server/discover"] {
        client.send_as(slow, method, peek.clone()).await;
        let refused = client.next().await.expect("an answer");
        let message = "another request with the `id` 1 is not answered yet; give each an id of its own";
        assert_eq!(refused, json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32600, "message": message}}));
    }
    drop(gate);
    assert_eq!(client.next().await.expect("an answer")["result"]["isError"], false);
    // The id is free again.
    client.send_as(slow, "server/discover", json!({})).await;
    assert!(client.answer_to(slow).await["error"].is_null());
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let place = Place::new();
    let (settings, gate) = blocked(&place, short());
    let mut client = Client::start(settings).await;
    for (tool, arguments) in
        [("env_search", json!({"query": "x", "scope": "repo"})), ("memory_pack", json!({"prompt": "x"}))]
    {
        let error = client.failure(tool, arguments).await;
        assert_eq!((&error["code"], &error["details"]["limit_ms"]), (&json!("TIMEOUT"), &json!(20)), "{tool}");
    }
    drop(gate);
}

#[tokio::test]
async fn a_pack_without_time_is_the_one_before_and_says_so() {
    let place = Place::new();
    let (open, closed) = mpsc::channel::<()>();
    let closed = Mutex::new(closed);
    let opened_before = AtomicBool::new(false);
    let home = place.home();
    let places = RepositoryAccess {
        open: Arc::new(move |directory| {
            if opened_before.swap(true, Ordering::Relaxed) {
                let _ = closed.lock().map(|closed| closed.recv());
            }
            opened(directory, &home)
        }),
        ..place.places()
    };
    let limits = Limits { pack: Duration::from_secs(3), ..Limits::default() };
    let mut client = Client::start(Settings { places, limits, ..place.settings() }).await;
    let ask = json!({"prompt": "validate a token"});
    let before = client.text("memory_pack", ask.clone()).await;
    assert!(before.contains("def validate_token") && !before.contains("stale"), "{before}");
    // A repository whose configuration changed is opened again, which does not come to an end.
    place.fixture.git(&["config", "user.name", "Somebody"]);
    let stale = client.text("memory_pack", ask).await;
    let (pack, last) = before.trim_end().rsplit_once('\n').expect("a last line");
    assert!(stale.starts_with(pack), "{stale}");
    let note = "note: stale: time was over before anything new was read; this is the answer of 0 seconds ago";
    assert_eq!(stale[pack.len()..].trim(), format!("{last}; {note}"));
    drop(open);
}

#[tokio::test]
async fn too_many_waiting_calls_are_sent_away() {
    let place = Place::new();
    let limits = Limits { in_flight: 1, waiting: 2, ..Limits::default() };
    let (settings, gate) = blocked(&place, limits);
    let mut client = Client::start(settings).await;
    let map = json!({"name": "project_map", "arguments": {}});
    for _ in 0..4 {
        client.begin("tools/call", map.clone()).await;
    }
    let answer = client.next().await.expect("an answer");
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "RATE_LIMITED");
    drop(gate);
    for _ in 0..3 {
        let answer = client.next().await.expect("an answer");
        assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
    }
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered() {
    let place = Place::new();
    let (settings, gate) = blocked(&place, Limits::default());
    let mut client = Client::start(settings).await;
    let map = json!({"name": "project_map", "arguments": {}});
    let id = client.begin("tools/call", map.clone()).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    client.data("admin_ping", json!({})).await;
    drop(gate);
    let next = client.begin("tools/call", map).await;
    let answer = client.next().await.expect("an answer");
    assert_eq!(answer["id"], next, "the cancelled call has no answer");
}

#[tokio::test]
async fn the_end_of_input_does_not_wait_for_what_takes_long() {
    let place = Place::new();
    let (settings, gate) = blocked(&place, Limits { drain: Duration::from_millis(20), ..Limits::default() });
    let mut client = Client::start(settings).await;
    client.data("admin_ping", json!({})).await;
    client.begin("tools/call", json!({"name": "project_map", "arguments": {}})).await;
    let (said, ended) = client.end().await;
    assert!(said.is_empty() && ended.is_ok(), "{said:?} {ended:?}");
    drop(gate);
}

#[tokio::test]
async fn a_bug_fails_its_own_call_and_no_other() {
    let place = Place::new();
    let places = RepositoryAccess { open: Arc::new(|_| panic!("on purpose")), ..place.places() };
    let settings = Settings { places, ..place.settings() };
    let mut client = Client::start(settings).await;
    let error = client.failure("project_map", json!({})).await;
    assert_eq!(error["code"], "INTERNAL_ERROR");
    assert_eq!(error["message"], "this is a bug in icr: on purpose");
    client.data("admin_ping", json!({})).await;
}

#[tokio::test]
async fn progress_grows_and_ends_with_the_answer() {
    let place = Place::new();
    let (settings, gate) = blocked(&place, Limits::default());
    let mut client = Client::start(settings).await;
    let params = json!({"name": "project_map", "arguments": {}, "_meta": {"progressToken": "p"}});
    let id = client.begin("tools/call", params).await;
    let mut told: Vec<f64> = Vec::new();
    let mut gate = Some(gate);
    let answer = loop {
        let message: Value = client.next().await.expect("a message");
        if message["id"] == id {
            break message;
        }
        assert_eq!(
            (&message["method"], &message["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("p"))
        );
        told.push(message["params"]["progress"].as_f64().expect("a number"));
        if told.len() == 2 {
            gate.take();
        }
    };
    assert_eq!(answer["result"]["structuredContent"]["success"], true);
    assert!(
        told.len() >= 2 && told.is_sorted_by(|one, next| one < next) && told.iter().all(|share| *share < 1.0),
        "{told:?}"
    );
    // Nobody asked for any here, and none is late.
    client.data("admin_ping", json!({})).await;
}

#[tokio::test]
async fn patterns_that_would_backtrack_for_ever_are_done_at_once() {
    let place = Place::new();
    let mut client = place.client().await;
    let arguments = json!({"op": "extract_regex", "inputs": ["a".repeat(50_000)], "params": {"pattern": "(a*)*b"}});
    assert_eq!(client.data("env_aggregate", arguments).await["count"], 0);
    for pattern in ["(", "a{1000}{1000}{1000}", "(?<=a)b"] {
        let error = client
            .failure("env_aggregate", json!({"op": "extract_regex", "inputs": ["a"], "params": {"pattern": pattern}}))
            .await;
        assert_eq!(
            (&error["code"], &error["details"]["field"]),
            (&json!("VALIDATION_ERROR"), &json!("params.pattern")),
            "{pattern}"
        );
    }
}
