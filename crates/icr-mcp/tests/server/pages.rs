//! Long answers: page by page, cut with a notice, and never above the hard limit.

use std::time::Duration;

use icr_fixture::Fixture;
use icr_mcp::{Limits, Settings};
use icr_tokens::model_tokens;
use serde_json::{Value, json};

use crate::bounds::valid;
use crate::client::{Client, Place, text};

fn limits(soft_tokens: u32, hard_tokens: u32) -> Limits {
    Limits { soft_tokens, hard_tokens, call: Duration::from_secs(60), ..Limits::default() }
}

fn large() -> Place {
    Place { fixture: Fixture::generated(300) }
}

async fn all(client: &mut Client, tool: &str, list: &str, mut arguments: Value) -> Vec<Value> {
    let mut items = Vec::new();
    loop {
        let mut data = client.data(tool, arguments.clone()).await;
        let Value::Array(page) = data[list].take() else { panic!("{tool} has no {list}: {data}") };
        assert!(!page.is_empty(), "a page that was promised is empty");
        items.extend(page);
        assert_eq!(data["has_more"], !data["next_cursor"].is_null(), "{data}");
        if data["has_more"] == false {
            return items;
        }
        arguments["cursor"] = data["next_cursor"].take();
    }
}

#[tokio::test]
async fn pages_hold_the_whole_list_in_its_order() {
    let place = Place::new();
    let mut client = place.client().await;
    for (tool, list, arguments) in [
        ("env_search", "results", json!({"query": "token error", "scope": "repo"})),
        ("project_symbol_search", "symbols", json!({"query": "a"})),
    ] {
        let mut one_by_one = arguments.clone();
        one_by_one["limit"] = json!(1);
        let pages = all(&mut client, tool, list, one_by_one).await;
        let whole = client.data(tool, arguments).await;
        assert!(pages.len() > 1, "{tool}");
        assert_eq!(json!(pages), whole[list], "{tool}");
        assert_eq!(whole["has_more"], false);
    }
    for id in ["a", "b", "c"] {
        client.data("memory_pin", json!({"source_id": id, "path": "src/auth.py"})).await;
    }
    let pins = all(&mut client, "memory_list", "items", json!({"limit": 2})).await;
    assert_eq!(pins.len(), 3);
}

#[tokio::test]
async fn uses_of_a_name_of_many_definitions_are_all_on_some_page() {
    let directory = "a_rather_long_name_of_a_package/and_one_of_a_part_of_it/that_holds_what_is_defined";
    let files: String = (0..40)
        .map(|at| {
            let body = "    return 'what it gives is as long as a line'\n".repeat(2);
            format!("//- {directory}/m{at:02}.py\ndef moor():\n{body}//- use{at:02}.py\nfrom {}.m{at:02} import moor\nmoor()\nmoor()\n", directory.replace('/', "."))
        })
        .collect();
    let place = Place { fixture: Fixture::new(&files) };
    let settings = Settings { limits: limits(2_000, 4_000), ..place.settings() };
    let mut client = Client::start(settings).await;
    for limit in [3, 10, 50] {
        let arguments = json!({"symbol": "moor", "limit": limit});
        let pages = all(&mut client, "project_references", "references", arguments).await;
        let mut paths: Vec<&str> = pages.iter().filter_map(|place| place["path"].as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!((pages.len(), paths.len()), (40, 40), "{limit}");
    }
}

#[tokio::test]
async fn cursors_that_no_answer_gave_are_refused() {
    let place = Place::new();
    let mut client = place.client().await;
    let first = client.data("env_search", json!({"query": "token", "scope": "repo", "limit": 1})).await;
    let cursor = &first["next_cursor"];
    client.data("env_search", json!({"query": "token", "scope": "repo", "cursor": cursor})).await;
    for (tool, arguments) in [
        ("env_search", json!({"query": "auth", "scope": "repo", "cursor": cursor})),
        ("project_symbol_search", json!({"query": "token", "cursor": cursor})),
        ("memory_list", json!({"cursor": cursor})),
    ] {
        let error = client.failure(tool, arguments).await;
        assert_eq!(error["details"]["field"], "cursor", "{tool}: {error}");
    }
    for cursor in ["garbage", "", "eyJvZmZzZXQiOi0xfQ=="] {
        let error = client.failure("env_search", json!({"query": "token", "scope": "repo", "cursor": cursor})).await;
        assert_eq!(
            (&error["code"], &error["details"]["field"]),
            (&json!("VALIDATION_ERROR"), &json!("cursor")),
            "{cursor}"
        );
    }
    let far = json!({"query": "token", "scope": "repo", "cursor": "eyJvZmZzZXQiOjkwMDB9"});
    let data = client.data("env_search", far).await;
    assert_eq!((&data["results"], &data["has_more"]), (&json!([]), &json!(false)));
}

#[tokio::test]
async fn what_does_not_fit_is_on_the_next_page() {
    let place = large();
    let settings = Settings { limits: limits(1_500, 3_000), ..place.settings() };
    let mut client = Client::start(settings).await;
    let arguments = json!({"query": "rows of a step", "scope": "repo", "limit": 50});
    let result = client.call("env_search", arguments.clone()).await;
    let envelope = &result["structuredContent"];
    let shown = envelope["data"]["results"].as_array().expect("results").len();
    assert!((1..50).contains(&shown), "{shown}");
    assert_eq!(envelope["metadata"]["truncated"], true);
    assert!(envelope["metadata"]["notices"][0].as_str().is_some_and(|notice| notice.contains("`next_cursor`")));
    let mut second = arguments;
    second["cursor"] = envelope["data"]["next_cursor"].clone();
    let next = client.data("env_search", second).await;
    assert_ne!(next["results"][0], envelope["data"]["results"][0]);
}

#[tokio::test]
async fn no_answer_of_any_tool_is_above_the_hard_limit() {
    let place = large();
    place
        .fixture
        .write("//- src/auth.py\nclass AuthService:\n    def authenticate(self): pass\n//- src/errors.py\nE = 1\n");
    place.fixture.commit("paths of the tests");
    for (soft, hard) in [(500, 1_000), (900, 1_200), (8_000, 25_000)] {
        let settings = Settings { limits: limits(soft, hard), ..place.settings() };
        let mut client = Client::start(settings).await;
        client.data("memory_pin", valid()["memory_pin"].clone()).await;
        for (tool, mut arguments) in valid() {
            match tool.as_str() {
                "project_map" => arguments = json!({"depth": 10, "include_stats": true}),
                "env_search" => {
                    arguments = json!({"query": "rows of a step", "scope": "all", "limit": 50, "explain": true})
                }
                "project_symbol_search" => arguments = json!({"query": "a", "limit": 100}),
                "env_peek" => arguments = json!({"path": "src/auth.py", "start_line": 1, "end_line": 400}),
                "memory_pack" => arguments = json!({"prompt": "rows of a step", "budget_tokens": 12_000}),
                _ => {}
            }
            let result = client.call(&tool, arguments).await;
            let tokens = model_tokens(text(&result).as_bytes());
            assert!(tokens <= hard, "{tool}: {tokens} of {hard}");
            let is_about_code = !tool.starts_with("icm_");
            if is_about_code && result["structuredContent"].is_null() && result["isError"] != true {
                let last = text(&result).lines().last().expect("a line about the text");
                assert!(last.starts_with("> tree "), "what is said about a text is not cut with it: {tool}: {last}");
            }
        }
    }
}

#[tokio::test]
async fn a_map_that_is_too_deep_is_drawn_as_deep_as_fits() {
    let place = large();
    let settings = Settings { limits: limits(2_000, 4_000), ..place.settings() };
    let result = Client::start(settings).await.call("project_map", json!({"depth": 10, "include_stats": true})).await;
    let envelope = &result["structuredContent"];
    assert_eq!(envelope["data"]["summary"]["total_files"], 300);
    assert!(
        envelope["metadata"]["notices"][0].as_str().is_some_and(|notice| notice.starts_with("depth 10")),
        "{envelope}"
    );
}

#[tokio::test]
async fn long_files_are_read_in_parts() {
    let place = Place::new();
    let lines: String = (1..=900).map(|line| format!("line_{line} = {line}\n")).collect();
    place.fixture.write(&format!("//- src/long.py\n{lines}"));
    let mut client = place.client().await;
    let result = client.call("env_peek", json!({"path": "src/long.py", "start_line": 1, "end_line": 900})).await;
    assert_eq!(text(&result).lines().next(), Some("src/long.py:1-200"));
    let last = text(&result).lines().last().expect("a line about the others");
    assert!(last.ends_with("; note: `max_lines` are shown; continue with `start_line` 201 of 900"), "{last}");
    let rest = json!({"path": "src/long.py", "start_line": 881, "end_line": 2_000, "max_lines": 400});
    let lines = client.text("env_peek", rest).await;
    assert!(lines.starts_with("src/long.py:881-900\n") && !lines.contains("note:"), "{lines}");
}
