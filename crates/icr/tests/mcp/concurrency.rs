//! Many calls at once, long ones beside short ones, calls that are given up, and several processes beside each other.

use std::collections::BTreeMap;

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::examples::{Example, examples, repository};
use crate::place::Place;
use crate::rendering::rendered;
use crate::server::{Era, Server};

const ERAS: [Era; 2] = [Era::Modern, Era::Legacy("2025-11-25")];

/// More calls than work at once, as many as an agent may send without waiting.
const PIPELINED: u64 = 64;

fn search(query: &str) -> Value {
    json!({"query": query, "scope": "repo", "limit": 5})
}

/// Asks until the first index is complete.
#[track_caller]
fn asks_until_indexed(server: &mut Server, arguments: &Value) -> Value {
    loop {
        let result = server.call("env_search", arguments.clone());
        let envelope = &result["structuredContent"];
        if envelope["success"] == true {
            return envelope["data"].clone();
        }
        assert_eq!(envelope["error"]["code"], "SERVICE_UNAVAILABLE", "{result}");
        assert!(envelope["error"]["details"]["index_status"].is_string(), "{result}");
    }
}

/// The progress that was told for `token`, oldest first.
fn progress(messages: &[Value], token: &str) -> Vec<f64> {
    let of_token = messages.iter().filter(|message| message["params"]["progressToken"] == token);
    of_token.map(|message| message["params"]["progress"].as_f64().expect("progress is a number")).collect()
}

#[test]
fn calls_that_are_sent_without_waiting_are_each_answered_once() {
    let place = repository();
    for era in ERAS {
        let mut server = Server::ready(&place, era);
        let mut asked = BTreeMap::new();
        for number in 0..PIPELINED {
            let (tool, arguments) = match number % 4 {
                0 => ("env_search", search("validate_token")),
                1 => ("env_peek", json!({"path": "src/auth/jwt.py", "start_line": number + 1, "end_line": number + 1})),
                2 => ("admin_ping", json!({"echo": number.to_string()})),
                _ => ("project_symbol_search", json!({"query": "authenticate", "repo_root": place.root()})),
            };
            asked.insert(server.begin(tool, arguments), number);
        }
        for _ in 0..PIPELINED {
            let answer = server.next();
            let id = answer["id"].as_u64().unwrap_or_else(|| panic!("{era:?}: {answer}"));
            let number = asked.remove(&id).unwrap_or_else(|| panic!("{era:?}: nobody waits for {answer}"));
            let result = &answer["result"];
            assert_eq!(result["isError"], false, "{era:?}: {answer}");
            let data = &result["structuredContent"]["data"];
            match number % 4 {
                0 => assert!(data["total_count"].as_u64().is_some_and(|count| count > 0), "{answer}"),
                1 => {
                    let place = format!("src/auth/jwt.py:{}-", number + 1);
                    let text = result["content"][0]["text"].as_str().expect("lines are text");
                    assert!(text.starts_with(&place), "{answer}");
                }
                2 => assert_eq!(data["echo"], number.to_string()),
                _ => assert_eq!(data["symbols"][0]["name"], "authenticate", "{answer}"),
            }
        }
        assert_eq!(server.ends_well(), Vec::<Value>::new());
    }
}

#[test]
fn the_same_calls_at_once_and_one_after_the_other_are_answered_the_same() {
    let place = repository();
    // What is kept makes the next answer another.
    let is_about_code = |example: &Example| !["memory_", "icm_"].iter().any(|set| example.tool.starts_with(set));
    let asked = || examples().into_iter().filter(is_about_code);
    let mut server = Server::ready(&place, Era::Modern);
    let alone: Vec<String> = asked()
        .map(|example| rendered(&server.call(&example.tool, example.arguments_for(place.root())), place.root()))
        .collect();
    let ids: Vec<u64> =
        asked().map(|example| server.begin(&example.tool, example.arguments_for(place.root()))).collect();
    for ((id, alone), example) in ids.into_iter().zip(alone).zip(asked()) {
        assert_eq!(rendered(&server.result(id), place.root()), alone, "{}", example.name);
    }
    server.ends_well();
}

#[test]
fn a_quick_call_does_not_wait_for_a_slow_one() {
    for era in ERAS {
        let place = Place::of(Fixture::generated(50));
        let held = place.held();
        let mut server = Server::ready(&place, era);
        let slow: Vec<u64> = (0..16).map(|_| server.begin("env_search", search("Reads row"))).collect();
        for number in 0..16 {
            let quick = server.begin("admin_ping", json!({"echo": number.to_string()}));
            assert_eq!(server.next()["id"], quick, "{era:?}: nothing else can be answered yet");
        }
        drop(held);
        for id in slow {
            server.result(id);
        }
        server.ends_well();
    }
}

#[test]
fn a_call_that_is_given_up_is_not_answered() {
    for era in ERAS {
        let place = Place::of(Fixture::generated(50));
        let held = place.held();
        let mut server = Server::ready(&place, era);
        let given_up = server.begin("env_search", search("Reads row"));
        let other = server.begin("env_search", search("Reads row"));
        let params = json!({"requestId": given_up, "reason": "nobody waits any more"});
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
        // It was read when what was sent after it is answered.
        server.data("admin_ping", json!({}));
        drop(held);
        server.result(other);
        asks_until_indexed(&mut server, &search("Reads row"));
        for message in server.ends_well() {
            assert_ne!(message["id"], given_up, "{era:?}: {message}");
        }
    }
}

#[test]
fn ten_thousand_cancellations_leave_nothing_behind() {
    /// What allocators keep for the threads that answer: up to 4 MiB for each of eight. How many of them search at
    /// once is chance, so ten thousand calls go before those that count. A call that left 4 kB behind would go beyond it.
    const MEMORY_MOST: u64 = 32 << 20;
    const TOGETHER: usize = 100;
    const ROUNDS: usize = 10_000 / TOGETHER;
    for era in ERAS {
        let place = Place::of(Fixture::generated(50));
        place.index();
        let mut server = Server::ready(&place, era);
        asks_until_indexed(&mut server, &search("Reads row"));
        let (mut threads, mut memory) = (None, None);
        for round in 0..2 * ROUNDS {
            if round == ROUNDS {
                (threads, memory) = (server.threads(), server.peak_memory());
            }
            let mut given_up = Vec::new();
            for _ in 0..TOGETHER {
                let id = server.begin("env_search", search("Reads row"));
                given_up.push(id);
                // Of calls, of what was never asked, and twice.
                for id in [json!(id), json!(id), json!("never asked")] {
                    let params = json!({"requestId": id, "reason": "nobody waits"});
                    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
                }
            }
            server.data("admin_ping", json!({}));
        }
        asks_until_indexed(&mut server, &search("Reads row"));
        if let (Some(before), Some(after)) = (threads, server.threads()) {
            // One for each call that may be answered at once.
            assert!(after <= before + 8, "{era:?}: {before} threads, then {after}");
        }
        if let (Some(before), Some(after)) = (memory, server.peak_memory()) {
            assert!(after - before <= MEMORY_MOST, "{era:?}: {before} bytes, then {after}");
        }
        server.ends_well();
    }
}

#[test]
fn progress_of_a_first_index_grows_and_ends_before_the_answer() {
    for era in ERAS {
        let place = Place::of(Fixture::generated(50));
        let mut held = Some(place.held());
        let mut server = Server::ready(&place, era);
        let call = |token: Option<&str>| {
            let mut params = json!({"name": "env_search", "arguments": search("Reads row")});
            if let Some(token) = token {
                params["_meta"] = json!({"progressToken": token});
            }
            params
        };
        let told = server.request("tools/call", call(Some("with a token")));
        let untold = server.request("tools/call", call(None));
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut waiting = vec![told, untold];
        while !waiting.is_empty() {
            let message = server.next();
            let is_of_token = message["params"]["progressToken"] == "with a token";
            // Something is told while nothing can be done.
            drop(held.take());
            assert!(is_of_token || message["id"].is_u64(), "nobody asked for {message}");
            waiting.retain(|id| message["id"] != *id);
            if waiting.contains(&told) { &mut before } else { &mut after }.push(message);
        }
        asks_until_indexed(&mut server, &search("Reads row"));
        after.extend(server.ends_well());
        let steps = progress(&before, "with a token");
        assert!(!steps.is_empty(), "{era:?}: something is told of what takes long");
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{era:?}: {steps:?}");
        assert_eq!(progress(&after, "with a token"), Vec::<f64>::new(), "{era:?}: nothing is told after the answer");
    }
}

#[test]
fn two_servers_and_an_indexer_of_one_repository_do_not_disturb_each_other() {
    let place = Place::of(Fixture::generated(300));
    let mut servers = [Server::ready(&place, ERAS[0]), Server::ready(&place, ERAS[1])];
    let asked: Vec<u64> = servers.iter_mut().map(|server| server.begin("env_search", search("Reads row 7"))).collect();
    let indexer = place.icr(&["index", "--quiet"]).spawn().expect("the program can be run");
    for (server, id) in servers.iter_mut().zip(asked) {
        server.answer(id);
    }
    let indexed = indexer.wait_with_output().expect("it ends");
    assert!(indexed.status.success(), "a writer waits for another");
    let found: Vec<Value> =
        servers.iter_mut().map(|server| asks_until_indexed(server, &search("Reads row 7"))).collect();
    assert!(found[0]["total_count"].as_u64().is_some_and(|count| count > 0), "{}", found[0]);
    assert_eq!(found[0], found[1]);
    for server in servers {
        server.ends_well();
    }
}
