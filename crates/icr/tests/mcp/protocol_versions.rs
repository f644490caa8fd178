//! Both eras of the protocol, and what is said before the first call.

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::examples::repository;
use crate::place::Place;
use crate::rendering::without_varying;
use crate::server::{Era, MODERN, Server, initialize};

/// Revisions with a handshake, oldest first.
const HANDSHAKES: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn small() -> Place {
    Place::of(Fixture::new("//- a.rs\nfn anchor() {}\n"))
}

/// Names of the tools that a server lists.
#[track_caller]
fn tools(server: &mut Server) -> Vec<String> {
    let listed = server.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("a list of tools: {listed}"));
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn who_asks_without_a_handshake_is_told_what_the_server_is() {
    let place = small();
    let mut server = Server::start(&place);
    let discovered = server.ask("server/discover", json!({}));
    let result = &discovered["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(300_000), &json!("public")));
    assert!(result["supportedVersions"].as_array().is_some_and(|all| all.contains(&json!(MODERN))), "{result}");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "icr");
    assert!(result["capabilities"]["tools"].is_object(), "{result}");
    for absent in ["prompts", "resources", "logging", "completions"] {
        assert!(result["capabilities"][absent].is_null(), "{absent} is not offered: {result}");
    }
    let instructions = result["instructions"].as_str().expect("an agent is told what to use this for");
    assert!((1..=2_000).contains(&instructions.chars().count()), "{instructions}");
    server.ends_well();
}

#[test]
fn every_revision_with_a_handshake_is_spoken() {
    let place = small();
    for version in HANDSHAKES {
        let mut server = Server::start(&place).of(Era::Legacy(version));
        let answer = server.ask("initialize", initialize(version));
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "icr");
        for of_another_era in ["resultType", "ttlMs", "cacheScope"] {
            assert!(answer["result"][of_another_era].is_null(), "{version}: {answer}");
        }
        server.is_initialized();
        assert_eq!(server.ask("ping", json!({}))["result"], json!({}), "{version}");
        assert_eq!(server.call("admin_ping", json!({"echo": version}))["isError"], false, "{version}");
        server.ends_well();
    }
}

#[test]
fn an_unknown_revision_is_answered_with_those_that_are_known() {
    let place = small();
    let mut server = Server::start(&place).of(Era::Legacy("1999-12-31"));
    let answer = server.ask("initialize", initialize("1999-12-31"));
    let offered = answer["result"]["protocolVersion"].as_str().expect("the server offers another");
    assert!(HANDSHAKES.contains(&offered), "{offered}");
    server.ends_well();

    let mut server = Server::start(&place);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2999-12-31",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    for (id, method) in [(1, "server/discover"), (2, "tools/list"), (3, "tools/call")] {
        let params = json!({"_meta": meta, "name": "admin_ping", "arguments": {}});
        server.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let error = &server.answer(id)["error"];
        assert_eq!(error["code"], -32022, "{method}: {error}");
        assert_eq!(error["data"]["requested"], "2999-12-31", "{method}: {error}");
        assert!(error["data"]["supported"].as_array().is_some_and(|all| all.contains(&json!(MODERN))), "{error}");
    }
    assert!(tools(&mut server).len() >= 20, "the next request of a known revision is answered");
    server.ends_well();
}

#[test]
fn the_list_of_tools_is_the_same_in_every_era_and_after_every_call() {
    let place = repository();
    let mut lists = Vec::new();
    for era in HANDSHAKES.map(Era::Legacy).into_iter().chain([Era::Modern]) {
        let mut server = Server::ready(&place, era);
        let before = server.ask("tools/list", json!({}))["result"]["tools"].clone();
        server.data("env_search", json!({"query": "validate_token", "scope": "repo"}));
        let after = server.ask("tools/list", json!({}))["result"]["tools"].clone();
        assert_eq!(before, after, "{era:?}");
        // What a revision does not know may be left out for it.
        lists.push((era, tools(&mut server)));
        server.ends_well();
    }
    let (_, newest) = lists.last().expect("there are eras");
    assert!(newest.len() >= 20, "{newest:?}");
    for (era, list) in &lists {
        assert_eq!(list, newest, "{era:?}");
    }
}

#[test]
fn what_is_not_offered_is_an_unknown_method() {
    let place = small();
    for era in [Era::Modern, Era::Legacy("2025-11-25")] {
        let mut server = Server::ready(&place, era);
        for method in ["prompts/list", "resources/list", "resources/templates/list", "no/such/method"] {
            let answer = server.ask(method, json!({}));
            assert_eq!(answer["error"]["code"], -32601, "{era:?} {method}: {answer}");
        }
        server.ends_well();
    }
}

#[test]
fn nothing_is_written_before_the_first_question_about_code() {
    let place = small();
    let mut server = Server::start(&place);
    server.ask("server/discover", json!({}));
    tools(&mut server);
    server.data("admin_ping", json!({"echo": "hello"}));
    server.data("env_aggregate", json!({"op": "count", "inputs": ["a", "b", "a"]}));
    assert!(!place.home().exists(), "nothing of icr's is there");
    assert!(!place.root().join(".git/icr").exists(), "the repository has no trace of it");
    server.data("env_search", json!({"query": "anchor", "scope": "repo"}));
    assert!(place.home().join("repos").exists());
    server.ends_well();
}

#[test]
fn an_unknown_tool_is_named_in_the_answer() {
    let place = small();
    let mut server = Server::ready(&place, Era::Modern);
    let answer = server.ask("tools/call", json!({"name": "env_serach", "arguments": {}}));
    let is_error = answer["error"]["code"] == -32602 || answer["result"]["isError"] == true;
    assert!(is_error && answer.to_string().contains("env_serach"), "{answer}");
    assert!(answer.to_string().contains("env_search"), "what may be meant is said: {answer}");
    server.ends_well();
}

#[test]
fn sets_of_tools_are_chosen_at_the_start_and_others_still_work_by_name() {
    let place = small();
    let mut server = Server::run(&place, place.icr(&["mcp", "--toolsets", "core"]));
    let core = tools(&mut server);
    assert!((1..=8).contains(&core.len()) && core.contains(&"env_search".to_owned()), "{core:?}");
    assert!(!core.contains(&"env_aggregate".to_owned()), "{core:?}");
    let counted = server.data("env_aggregate", json!({"op": "count", "inputs": ["a"]}));
    assert_eq!(counted["operation"], "count");
    server.ends_well();
    let refused = place.icr(&["mcp", "--toolsets", "no-such-set"]).output().expect("the program can be run");
    assert_eq!((refused.status.code(), refused.stdout.as_slice()), (Some(2), &b""[..]));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no-such-set"));
}

#[test]
fn the_tool_that_runs_commands_is_listed_where_its_set_is_asked_for_and_runs_nothing_unless_allowed() {
    let place = small();
    let mut server = Server::run(&place, place.icr(&["mcp", "--toolsets", "run"]));
    assert_eq!(tools(&mut server), ["run_command"]);
    server.ends_well();
    let refused = place.icr(&["mcp", "--toolsets", ""]).output().expect("the program can be run");
    assert_eq!((refused.status.code(), refused.stdout.as_slice()), (Some(2), &b""[..]));
    for (sets, tool) in [("code,run", "env_search"), ("run,core", "env_search"), ("memory", "icm_memory_recall")] {
        let mut server = Server::run(&place, place.icr(&["mcp", "--toolsets", sets]));
        assert!(tools(&mut server).contains(&tool.to_owned()), "{sets}");
        server.ends_well();
    }
}

/// Tools that change what is kept.
const WRITING: &[&str] = &[
    "icm_memoir_add_concept",
    "icm_memoir_create",
    "icm_memoir_link",
    "icm_memoir_refine",
    "icm_memory_consolidate",
    "icm_memory_embed_all",
    "icm_memory_forget",
    "icm_memory_store",
    "icm_memory_update",
    "memory_pin",
    "memory_unpin",
];

#[test]
fn a_description_says_what_a_tool_does_to_the_world() {
    let place = small();
    let mut server = Server::ready(&place, Era::Modern);
    let listed = server.ask("tools/list", json!({}));
    let writes = |tool: &Value| WRITING.iter().any(|name| tool["name"] == **name);
    for tool in listed["result"]["tools"].as_array().expect("a list of tools") {
        let annotations = &tool["annotations"];
        assert_eq!(annotations["openWorldHint"], false, "{tool}");
        assert_eq!(annotations["readOnlyHint"] == true, !writes(tool), "{tool}");
        let has_title = tool["title"].is_string() || annotations["title"].is_string();
        assert!(has_title && tool["description"].is_string(), "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
    server.ends_well();
}

#[test]
fn one_process_speaks_both_eras() {
    let place = repository();
    let question = || json!({"query": "validate_token", "scope": "repo"});
    let mut server = Server::ready(&place, Era::Modern);
    server.ask("server/discover", json!({}));
    let first = server.data("env_search", question());
    // A client that gave up on its probe begins again with a handshake.
    let mut again = Server::start(&place);
    again.ask("server/discover", json!({}));
    again.shake_hands(Era::Legacy("2025-06-18"));
    let second = again.data("env_search", question());
    assert_eq!(without_varying(&first, place.root()), without_varying(&second, place.root()));
    server.ends_well();
    again.ends_well();
}

/// Asks what is answered in another way in each era.
#[track_caller]
fn answers_as(server: &mut Server, era: Era) {
    let is_modern = era == Era::Modern;
    let list = server.ask("tools/list", json!({}))["result"].take();
    assert!(list["tools"].as_array().is_some_and(|tools| tools.len() >= 20), "{era:?}: {list}");
    assert_eq!((list["ttlMs"].is_number(), list["resultType"] == "complete"), (is_modern, is_modern), "{era:?}");
    assert_eq!(server.data("admin_ping", json!({"echo": "hello"}))["echo"], "hello", "{era:?}");
    assert_eq!(server.ask("ping", json!({}))["error"]["code"] == -32601, is_modern, "{era:?}");
}

#[test]
fn one_connection_answers_each_request_in_its_own_era() {
    const LEGACY: Era = Era::Legacy("2025-06-18");
    let place = small();
    for eras in [[Era::Modern, LEGACY, Era::Modern], [LEGACY, Era::Modern, LEGACY]] {
        let mut server = Server::start(&place);
        for era in eras {
            server.shake_hands(era);
            if era == Era::Modern {
                assert_eq!(server.ask("server/discover", json!({}))["result"]["resultType"], "complete");
            }
            answers_as(&mut server, era);
        }
        // One handshake is enough, whatever comes between.
        server = server.of(Era::Modern);
        answers_as(&mut server, Era::Modern);
        server = server.of(LEGACY);
        answers_as(&mut server, LEGACY);
        assert_eq!(server.ends_well(), Vec::<Value>::new());
    }
}

#[test]
fn what_is_sent_before_the_answer_to_a_handshake_is_answered() {
    let place = small();
    let mut server = Server::start(&place).of(Era::Legacy("2025-06-18"));
    let shaken = server.request("initialize", initialize("2025-06-18"));
    server.is_initialized();
    let listed = server.request("tools/list", json!({}));
    let called = server.begin("admin_ping", json!({}));
    assert_eq!(server.result(shaken)["protocolVersion"], "2025-06-18");
    assert!(server.result(listed)["tools"].is_array());
    assert_eq!(server.result(called)["isError"], false);
    server.ends_well();
}

#[test]
fn a_request_of_no_era_is_told_how_to_say_which_it_is_of() {
    let place = small();
    let mut server = Server::start(&place);
    for _ in 0..2 {
        server = server.of(Era::Legacy("none"));
        for method in ["tools/list", "tools/call", "no/such/method"] {
            let error = server.ask(method, json!({}))["error"].take();
            assert_eq!(error["code"], -32602, "{method}: {error}");
            let message = error["message"].as_str().expect("a message");
            assert!(message.contains("`initialize`") && message.contains("/protocolVersion`"), "{message}");
        }
        // Another request of the same connection tells nothing about it.
        server = server.of(Era::Modern);
        answers_as(&mut server, Era::Modern);
    }
    server.ends_well();
}
