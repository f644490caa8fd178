//! Answers follow the worktree, and say where they come from.

use std::time::Duration;

use icr_mcp::{Limits, Settings};
use icr_serve::RepositoryAccess;
use serde_json::{Value, json};

use crate::client::{Client, Place, text};

#[tokio::test]
async fn what_is_not_committed_is_seen_at_once() {
    let place = Place::new();
    let mut client = place.client().await;
    let find = json!({"query": "fresh_function"});
    assert_eq!(client.data("project_symbol_search", find.clone()).await["total_count"], 0);
    place.fixture.write("//- src/fresh.py\ndef fresh_function(): pass\n");
    let result = client.call("project_symbol_search", find.clone()).await;
    let envelope = &result["structuredContent"];
    assert_eq!(envelope["data"]["symbols"][0]["path"], "src/fresh.py");
    assert_eq!(envelope["provenance"]["dirty"], 1);
    place.fixture.commit("fresh");
    let envelope = client.call("project_symbol_search", find.clone()).await["structuredContent"].take();
    assert_eq!((&envelope["data"]["total_count"], &envelope["provenance"]["dirty"]), (&json!(1), &json!(0)));
    assert_eq!(envelope["provenance"]["commit"], place.fixture.git(&["rev-parse", "HEAD"])[..12]);
    let mut before = find;
    before["rev"] = json!("HEAD~1");
    assert_eq!(client.data("project_symbol_search", before).await["total_count"], 0);
}

#[tokio::test]
async fn graphs_follow_edits_between_calls() {
    let place = Place::new();
    let mut client = place.client().await;
    let around = json!({"path": "src/errors.py"});
    let importers = |data: &Value| data["importers"].as_array().expect("importers").len();
    let before = client.data("graph_neighbors", around.clone()).await;
    place.fixture.write("//- src/more.py\nfrom src.errors import AuthError\n");
    let after = client.data("graph_neighbors", around).await;
    assert_eq!(importers(&after), importers(&before) + 1, "{after}");
}

#[tokio::test]
async fn an_ignore_file_that_changes_changes_what_is_there() {
    let place = Place::new();
    let mut client = place.client().await;
    let find = json!({"query": "handle_error"});
    assert_eq!(client.data("project_symbol_search", find.clone()).await["total_count"], 1);
    place.fixture.write("//- .icrignore\nsrc/errors.py\n");
    assert_eq!(client.data("project_symbol_search", find).await["total_count"], 0);
}

#[tokio::test]
async fn an_ignore_file_that_is_pushed_to_a_bare_repository_counts() {
    let place = Place::new();
    let bare = place.fixture.clone_to("bare.git", &["--bare"]);
    let settings = Settings { places: RepositoryAccess { start: bare.clone(), ..place.places() }, ..place.settings() };
    let mut client = Client::start(settings).await;
    let find = json!({"query": "handle_error"});
    assert_eq!(client.data("project_symbol_search", find.clone()).await["total_count"], 1);
    place.fixture.write("//- .icrignore\nsrc/errors.py\n");
    place.fixture.commit("leave it out");
    place.fixture.git(&["push", "-q", bare.to_str().expect("a path in UTF-8"), "HEAD"]);
    assert_eq!(client.data("project_symbol_search", find).await["total_count"], 0);
}

#[tokio::test]
async fn a_list_of_what_git_ignores_that_an_included_file_names_from_now_on_counts() {
    let place = Place::new();
    let (shared, ignored) = (place.fixture.home().join("shared"), place.fixture.home().join("ignored"));
    std::fs::write(&shared, "[user]\n\tname = n\n").expect("it can be written");
    std::fs::write(&ignored, "new.py\n").expect("it can be written");
    place.fixture.git(&["config", "include.path", shared.to_str().expect("a path in UTF-8")]);
    place.fixture.write("//- new.py\ndef brand_new(): pass\n");
    let mut client = place.client().await;
    let find = json!({"query": "brand_new"});
    assert_eq!(client.data("project_symbol_search", find.clone()).await["total_count"], 1);
    std::fs::write(&shared, format!("[core]\n\texcludesFile = {}\n", ignored.display())).expect("it can be written");
    assert_eq!(client.data("project_symbol_search", find).await["total_count"], 0);
}

#[tokio::test]
async fn a_repository_that_is_made_around_the_start_is_the_one_to_ask() {
    let place = Place::new();
    place.fixture.write("//- inner/deep/x.py\ndef inside(): pass\n");
    let start = place.fixture.root().join("inner/deep");
    let mut client =
        Client::start(Settings { places: RepositoryAccess { start, ..place.places() }, ..place.settings() }).await;
    let (outside, inside) = (json!({"query": "handle_error"}), json!({"query": "inside"}));
    assert_eq!(client.data("project_symbol_search", outside.clone()).await["total_count"], 1);
    place.fixture.git(&["init", "-q", "inner"]);
    assert_eq!(client.data("project_symbol_search", outside).await["total_count"], 0);
    assert_eq!(client.data("project_symbol_search", inside).await["total_count"], 1);
}

#[tokio::test]
async fn the_first_index_is_made_once_for_all_and_calls_that_cannot_wait_are_told() {
    let place = Place::new();
    let limits = Limits { call: Duration::ZERO, pack: Duration::from_secs(30), ..Limits::default() };
    let mut client = Client::start(Settings { limits, ..place.settings() }).await;
    let error = client.failure("env_search", json!({"query": "token", "scope": "repo"})).await;
    assert_eq!(
        (&error["code"], &error["details"]["index_status"]),
        (&json!("SERVICE_UNAVAILABLE"), &json!("indexing")),
        "{error}"
    );
    assert!(error["details"]["total"].is_u64() && error["details"]["hints"][0].is_string(), "{error}");
    let result = client.call("memory_pack", json!({"prompt": "how are tokens validated"})).await;
    assert!(text(&result).contains("def validate_token"), "{result}");
}

#[tokio::test]
async fn nothing_is_indexed_before_a_tool_needs_it() {
    let place = Place::new();
    let mut client = place.client().await;
    client.request("tools/list", json!({})).await;
    client.data("admin_ping", json!({})).await;
    client.data("env_aggregate", json!({"op": "count", "inputs": ["a"]})).await;
    client.data("rlm_plan", json!({"task": "find AuthError", "scope": "repo"})).await;
    let diagnostics = client.data("admin_ping", json!({"include_diagnostics": true})).await["diagnostics"].take();
    assert_eq!(diagnostics["index_status"], "none");
    client.data("project_map", json!({})).await;
    let diagnostics = client.data("admin_ping", json!({"include_diagnostics": true})).await["diagnostics"].take();
    assert_eq!((&diagnostics["index_status"], &diagnostics["pending_updates"]), (&json!("ready"), &json!(0)));
    assert!(diagnostics["last_index_update"].as_str().is_some_and(|time| time.ends_with('Z')), "{diagnostics}");
    assert!(diagnostics["embedding_backend"].is_string(), "{diagnostics}");
}

#[tokio::test]
async fn a_server_outside_of_any_repository_says_so_and_answers_what_it_can() {
    let place = Place::new();
    let places = RepositoryAccess { start: place.fixture.home().to_owned(), ..place.places() };
    let settings = Settings { places, ..place.settings() };
    let mut client = Client::start(settings).await;
    let error = client.failure("project_map", json!({})).await;
    assert_eq!((&error["code"], &error["details"]["engine_code"]), (&json!("NOT_FOUND"), &json!("NOT_A_REPOSITORY")));
    client.data("rlm_plan", json!({"task": "find AuthError", "scope": "repo"})).await;
    let ping = client.data("admin_ping", json!({"include_diagnostics": true})).await;
    assert_eq!((&ping["status"], &ping["diagnostics"]["index_status"]), (&json!("degraded"), &json!("unavailable")));
}

#[tokio::test]
async fn gaps_stand_in_the_last_line_of_texts_and_in_the_provenance() {
    let place = Place::new();
    let clone = place.fixture.clone_to("shallow", &["--depth=1"]);
    let places = RepositoryAccess { start: clone.clone(), ..place.places() };
    let settings = Settings { places, ..place.settings() };
    let mut client = Client::start(settings).await;
    let result = client.call("env_search", json!({"query": "AuthError", "scope": "repo"})).await;
    assert_eq!(result["structuredContent"]["provenance"]["gaps"], json!([{"gap": "shallow_history"}]));
    let peek = json!({"path": "src/errors.py", "start_line": 1, "end_line": 1});
    let lines = client.text("env_peek", peek.clone()).await;
    assert!(lines.ends_with("; note: the clone is shallow: history is cut off\n"), "{lines}");
    std::fs::write(clone.join("src/errors.py"), "E = 1\n").expect("it can be written");
    let lines = client.text("env_peek", peek).await;
    assert!(lines.contains(" with 1 uncommitted file; 1 line in the file; note: "), "{lines}");
}
