//! Both eras of the protocol, and what comes over the line that is none.

use icr_tokens::model_tokens;
use serde_json::{Value, json};

use crate::client::{Client, Place, text};

/// The revisions that shake hands.
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

async fn ping(client: &mut Client) {
    assert_eq!(client.data("admin_ping", json!({"echo": "still here"})).await["echo"], "still here");
}

#[tokio::test]
async fn the_end_of_input_is_no_error_whenever_it_comes() {
    let place = Place::new();
    let (said, ended) = place.client().await.end().await;
    assert!(said.is_empty() && ended.is_ok());
    for garbage in ["garbage", "garbage\n", "{\"jsonrpc\"\n\n\r\n", "{}\n", "\u{feff}\n"] {
        let mut client = place.client().await;
        client.raw(garbage.as_bytes()).await;
        let (_, ended) = client.end().await;
        assert!(ended.is_ok(), "{garbage}: {ended:?}");
    }
    let mut client = place.client().await;
    client.request("server/discover", json!({})).await;
    assert!(client.end().await.1.is_ok());
    let client = Client::legacy(place.settings(), "2025-11-25", "test").await;
    assert!(client.end().await.1.is_ok());
}

#[tokio::test]
async fn what_was_asked_before_the_end_of_input_is_answered() {
    let place = Place::new();
    let mut client = place.client().await;
    let id = client.begin("tools/call", json!({"name": "admin_ping", "arguments": {}})).await;
    let (said, ended) = client.end().await;
    assert!(ended.is_ok());
    assert_eq!(said.iter().map(|message| &message["id"]).collect::<Vec<_>>(), [&json!(id)]);
}

#[tokio::test]
async fn a_last_line_without_an_end_is_answered() {
    let place = Place::new();
    let mut client = place.client().await;
    ping(&mut client).await;
    let request = json!({"jsonrpc": "2.0", "id": "last", "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    }}});
    client.raw(request.to_string().as_bytes()).await;
    let (said, _) = client.end().await;
    assert_eq!(said.len(), 1);
    assert_eq!(said[0]["id"], "last");
}

#[tokio::test]
async fn lines_that_are_no_messages_are_passed_over_or_refused_and_the_server_lives_on() {
    let place = Place::new();
    for client in [place.client().await, Client::legacy(place.settings(), "2025-06-18", "test").await] {
        let mut client = client;
        ping(&mut client).await;
        client.raw(b"\n\r\n").await;
        for garbage in ["nonsense\n", "{\"jsonrpc\":\"2.0\",\n", "\u{0}\n", "\"text\n"] {
            client.raw(garbage.as_bytes()).await;
            let answer = client.next().await.expect("an answer");
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)), "{answer}");
        }
        client.raw(b"\xff\xfe\x00{}\n").await;
        ping(&mut client).await;
        for (wrong, code) in
            [("[]\n", -32600), ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n", -32600), ("7\n", -32600)]
        {
            client.raw(wrong.as_bytes()).await;
            let answer = client.next().await.expect("an answer");
            assert_eq!(answer["error"]["code"], code, "{wrong}: {answer}");
        }
        ping(&mut client).await;
    }
}

#[tokio::test]
async fn requests_may_come_in_pieces_and_with_either_line_end() {
    let place = Place::new();
    let mut client = place.client().await;
    let request = |id: u64| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        }}})
        .to_string()
    };
    for piece in format!("{}\n", request(71)).as_bytes().chunks(7) {
        client.raw(piece).await;
        tokio::task::yield_now().await;
    }
    assert!(client.answer_to(71).await["result"]["tools"].is_array());
    client.raw(format!("{}\r\n{}\r\n", request(72), request(73)).as_bytes()).await;
    let mut ids = [client.next().await, client.next().await].map(|answer| answer.expect("an answer")["id"].as_u64());
    ids.sort();
    assert_eq!(ids, [Some(72), Some(73)]);
}

#[tokio::test]
async fn arguments_of_four_mebibytes_are_read_and_the_answer_stays_small() {
    let place = Place::new();
    let mut client = place.client().await;
    let long = "word ".repeat(4 << 18);
    let result = client.call("env_aggregate", json!({"op": "unique", "inputs": [long, "short"]})).await;
    assert_eq!(result["structuredContent"]["success"], true);
    assert_eq!(result["structuredContent"]["metadata"]["truncated"], true);
    assert!(model_tokens(text(&result).as_bytes()) <= 8_400);
    ping(&mut client).await;
}

#[tokio::test]
async fn clients_of_every_revision_are_answered() {
    let place = Place::new();
    for version in LEGACY {
        let mut client = Client::legacy(place.settings(), version, "test").await;
        assert_eq!(client.request("ping", json!({})).await["result"], json!({}), "{version}");
        let list = client.request("tools/list", json!({})).await["result"].take();
        assert_eq!(list["tools"].as_array().map(Vec::len), Some(22), "{version}");
        for modern in ["ttlMs", "cacheScope", "resultType"] {
            assert!(list[modern].is_null(), "{version} does not know {modern}");
        }
        ping(&mut client).await;
    }
    let mut client = place.client().await;
    let found = client.request("server/discover", json!({})).await["result"].take();
    assert_eq!(found["supportedVersions"].as_array().map(Vec::len), Some(5));
    assert_eq!((&found["ttlMs"], &found["cacheScope"]), (&json!(300_000), &json!("public")));
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "icr");
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["version"], "1.2.3");
    assert!(found["instructions"].as_str().is_some_and(|text| (1..=2_000).contains(&text.chars().count())));
    let list = client.request("tools/list", json!({})).await["result"].take();
    assert_eq!((&list["ttlMs"], &list["cacheScope"]), (&json!(300_000), &json!("public")));
    ping(&mut client).await;
}

#[tokio::test]
async fn a_client_may_discover_first_and_shake_hands_then() {
    let place = Place::new();
    let mut client = place.client().await;
    client.request("server/discover", json!({})).await;
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}});
    client.send(&json!({"jsonrpc": "2.0", "id": 99, "method": "initialize", "params": params})).await;
    assert_eq!(client.answer_to(99).await["result"]["protocolVersion"], "2025-11-25");
    client.send(&json!({"jsonrpc": "2.0", "id": 100, "method": "tools/list"})).await;
    assert!(client.answer_to(100).await["result"]["tools"].is_array());
}

#[tokio::test]
async fn unknown_revisions_are_refused_or_negotiated_down() {
    let place = Place::new();
    let mut client = place.client().await;
    let params = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}});
    let error = client.request("tools/list", params).await["error"].take();
    assert_eq!(error["code"], -32022, "{error}");
    assert_eq!(error["data"]["requested"], "2099-01-01");
    assert_eq!(error["data"]["supported"].as_array().map(Vec::len), Some(5));
    ping(&mut client).await;
    let mut client = place.client().await;
    let params =
        json!({"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}});
    client.send(&json!({"jsonrpc": "2.0", "id": 99, "method": "initialize", "params": params})).await;
    assert_eq!(client.answer_to(99).await["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn messages_before_the_first_request_do_not_end_the_server() {
    let place = Place::new();
    let mut client = place.client().await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})).await;
    client.send(&json!({"jsonrpc": "2.0", "id": 7, "result": {}})).await;
    ping(&mut client).await;
}

#[tokio::test]
async fn what_is_not_offered_is_not_found() {
    let place = Place::new();
    let mut client = place.client().await;
    for method in ["prompts/list", "resources/list", "resources/templates/list", "ping", "no/such/method"] {
        assert_eq!(client.request(method, json!({})).await["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn calls_that_name_no_tool_are_told_which_there_are() {
    let place = Place::new();
    let mut client = place.client().await;
    let mut check = async |params: Value, expected: &str| {
        let error = client.request("tools/call", params).await["error"].take();
        assert_eq!((&error["code"], error["message"].as_str()), (&json!(-32602), Some(expected)));
    };
    check(json!({"name": "env_serch", "arguments": {}}), "there is no tool `env_serch`; did you mean `env_search`?")
        .await;
    check(json!({"name": "x", "arguments": {}}), "there is no tool `x`; `tools/list` names those there are").await;
    check(json!({"name": 5}), "the parameters of `tools/call` are not what it takes").await;
    check(json!({"name": "admin_ping", "arguments": []}), "the parameters of `tools/call` are not what it takes").await;
    let error = client.request("tools/list", json!({"cursor": "abc"})).await["error"].take();
    assert_eq!(error["code"], -32602);
}

/// Tools that answer with code, or where it is, with arguments that they answer.
fn code_tools() -> [(&'static str, Value); 5] {
    [
        ("context_pack", json!({"goal": "validate tokens"})),
        ("env_peek", json!({"path": "src/errors.py", "start_line": 1, "end_line": 3})),
        ("env_slice", json!({"path": "src/auth.py", "symbol": "validate_token"})),
        ("memory_get", json!({"source_id": "errors"})),
        ("memory_pack", json!({"prompt": "how are tokens validated"})),
    ]
}

#[tokio::test]
async fn code_is_text_alone_and_lists_are_text_and_structure_to_every_client() {
    let place = Place::new();
    place.client().await.data("memory_pin", json!({"source_id": "errors", "path": "src/errors.py"})).await;
    let mut clients = Vec::new();
    for name in ["claude-code", "codex-mcp-client", "test"] {
        clients.push(place.client().await.named(name));
        for version in LEGACY {
            clients.push(Client::legacy(place.settings(), version, name).await);
        }
    }
    let mut texts: Vec<String> = Vec::new();
    for client in &mut clients {
        let list = client.request("tools/list", json!({})).await["result"]["tools"].take();
        let mut all = String::new();
        for (tool, arguments) in code_tools() {
            let listed = list.as_array().expect("tools").iter().find(|listed| listed["name"] == tool);
            assert!(listed.is_some_and(|listed| listed["outputSchema"].is_null()), "{tool}");
            let answered = client.call(tool, arguments).await;
            let refused = client.call(tool, json!({"no such argument": 1})).await;
            for result in [&answered, &refused] {
                assert!(result["structuredContent"].is_null(), "{tool}: {result}");
                assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{tool}: {result}");
            }
            assert_eq!((&answered["isError"], &refused["isError"]), (&json!(false), &json!(true)));
            assert!(text(&refused).contains("`no such argument` is not an argument here"), "{refused}");
            let last = text(&answered).lines().last().expect("a line about the text");
            assert!(last.starts_with("> tree "), "{tool}: {last}");
            all.push_str(text(&answered));
        }
        texts.push(all);
        let search = client.call("env_search", json!({"query": "token", "scope": "repo"})).await;
        assert_eq!(search["structuredContent"]["success"], true);
        let same: Value = serde_json::from_str(text(&search)).expect("the same list");
        assert_eq!(same, search["structuredContent"]);
    }
    assert!(texts.iter().all(|all| *all == texts[0]), "{texts:#?}");
    for code in ["Error handling", "def validate_token", "class AuthError"] {
        assert!(texts[0].contains(code), "{code}");
    }
}
