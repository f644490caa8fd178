//! One call of every tool as its users write it, and what they read in the answer.

use std::path::Path;
use std::sync::Arc;

use icr_engine::{Gap, TranscriptTurn, TranscriptTurns};
use icr_mcp::Settings;
use icr_serve::{ConfiguredRepository, RepositoryAccess, TranscriptReader};
use serde_json::{Value, json};

use crate::client::{Client, Place, opened, text};

/// Names of the fields of an object.
fn fields(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("{value} is no object")).keys().map(String::as_str).collect()
}

#[track_caller]
fn has(value: &Value, names: &[&str]) {
    for name in names {
        assert!(fields(value).contains(name), "`{name}` is not among {:?}", fields(value));
    }
}

/// As texts name the tree of the newest commit.
fn tree(place: &Place) -> String {
    place.fixture.git(&["rev-parse", "HEAD^{tree}"])[..12].to_owned()
}

async fn client() -> (Place, Client) {
    let place = Place::new();
    let client = place.client().await;
    (place, client)
}

#[tokio::test]
async fn memory_pack_compiles_code_with_citations() {
    let (place, mut client) = client().await;
    let arguments = json!({
        "prompt": "How does the authentication system validate JWT tokens?",
        "repo_root": place.fixture.root(),
        "mode": "auto",
        "budget_tokens": 4000,
        "k": 20,
        "focus_paths": ["src/"],
    });
    let result = client.call("memory_pack", arguments).await;
    assert!(result["structuredContent"].is_null(), "{result}");
    let (pack, last) = text(&result).trim_end().rsplit_once('\n').expect("a pack and a line about it");
    assert!(pack.starts_with("# Context Pack") && pack.contains("def validate_token"), "{pack}");
    assert!(pack.contains("### [1] src/"), "sources are cited: {pack}");
    assert!(last.starts_with(&format!("> tree {}; strength strong; mode pack (", tree(&place))), "{last}");
    for part in [", entropy ", " of 4000 tokens; ", " considered, 0 pinned"] {
        assert!(last.contains(part), "{part}: {last}");
    }
}

#[tokio::test]
async fn pins_are_kept_listed_packed_and_removed() {
    let (place, mut client) = client().await;
    let pin = json!({"source_id": "core-types", "path": "src/errors.py", "label": "Core type definitions", "ttl_seconds": null});
    let pinned = json!({
        "source_id": "core-types",
        "path": "src/errors.py",
        "label": "Core type definitions",
        "pinned_at": "2024-01-15T10:30:00Z",
        "expires_at": null,
        "priority": 5,
    });
    assert_eq!(client.data("memory_pin", pin).await, pinned);
    let short = json!({"source_id": "short", "path": "src/users.py", "ttl_seconds": 60, "priority": 4});
    assert_eq!(client.data("memory_pin", short).await["expires_at"], "2024-01-15T10:31:00Z");
    let mut client = place.client().await;
    let list = client.data("memory_list", json!({"filter_type": "pinned", "limit": 20})).await;
    assert_eq!(
        (&list["total_count"], &list["has_more"], &list["next_cursor"]),
        (&json!(2), &json!(false), &Value::Null)
    );
    has(&list["items"][0], &["id", "path", "label", "type", "created_at"]);
    let order = [0, 1].map(|at| (&list["items"][at]["id"], &list["items"][at]["priority"]));
    assert_eq!(order, [(&json!("core-types"), &json!(5)), (&json!("short"), &json!(4))]);
    let pin = client.text("memory_get", json!({"source_id": "core-types"})).await;
    assert!(pin.starts_with("core-types: Core type definitions\nsrc/errors.py:1-9\n"), "{pin}");
    assert!(pin.contains("class AuthError") && pin.contains("; pinned 2024-01-15T10:30:00Z; "), "{pin}");
    let without = client.text("memory_get", json!({"source_id": "core-types", "include_content": false})).await;
    assert!(!without.contains("class AuthError") && without.contains(" tokens in 9 lines"), "{without}");
    let pack = client.text("memory_pack", json!({"prompt": "anything", "pinned_only": true})).await;
    assert!(pack.contains("class AuthError") && pack.contains(" considered, 2 pinned"), "{pack}");
    let unpin = json!({"source_id": "core-types"});
    assert_eq!(client.data("memory_unpin", unpin.clone()).await, json!({"unpinned": true, "source_id": "core-types"}));
    assert_eq!(client.data("memory_unpin", unpin.clone()).await["unpinned"], false);
    let gone = client.failure("memory_get", unpin).await;
    assert_eq!(gone["code"], "NOT_FOUND");
}

#[tokio::test]
async fn memory_stats_counts_what_is_indexed() {
    let (_place, mut client) = client().await;
    let stats = client.data("memory_stats", json!({"include_breakdown": true})).await;
    has(&stats, &["repo_id", "files_indexed", "chunks_stored", "vectors_stored", "contracts_detected", "pinned_items"]);
    has(&stats["memory_usage"], &["index_size_bytes", "vector_size_bytes", "total_bytes"]);
    has(&stats["breakdown"], &["by_language", "by_type"]);
    assert_eq!(stats["files_indexed"], 5);
    assert!(client.data("memory_stats", json!({})).await["breakdown"].is_null());
}

#[tokio::test]
async fn credentials_are_masked_but_in_a_file_that_is_asked_for() {
    let token = format!("ghp_{}", "0123456789abcdefABCD0123456789abcdef");
    let place = Place::new();
    place.fixture.write(&format!("//- src/moor.py\ndef moor_ship(token=\"{token}\"):\n    return token\n"));
    let mut client = place.client().await;
    let masked = json!({"gap": "masked", "credentials": 1});
    for (tool, arguments) in [
        ("env_search", json!({"query": "moor ship", "scope": "repo"})),
        ("project_symbol_search", json!({"query": "moor_ship"})),
    ] {
        let answer = client.call(tool, arguments).await;
        assert!(!answer.to_string().contains(&token), "{answer}");
        let gaps = &answer["structuredContent"]["provenance"]["gaps"];
        assert!(gaps.as_array().is_some_and(|gaps| gaps.contains(&masked)), "{answer}");
    }
    let pack = client.call("memory_pack", json!({"prompt": "moor ship"})).await["content"][0]["text"].to_string();
    assert!(pack.contains("[masked]") && pack.contains("credential is masked") && !pack.contains(&token), "{pack}");
    let peek = json!({"path": "src/moor.py", "start_line": 1, "end_line": 2});
    assert!(client.call("env_peek", peek).await.to_string().contains(&token));
    let mut shown = Client::start(Settings { mask_credentials: false, ..place.settings() }).await;
    let found = shown.data("env_search", json!({"query": "moor ship", "scope": "repo"})).await;
    assert!(found.to_string().contains(&token), "{found}");
}

#[tokio::test]
async fn env_search_finds_files_and_explains() {
    let (_place, mut client) = client().await;
    let arguments =
        json!({"query": "error handling", "scope": "repo", "language": "python", "limit": 20, "explain": true});
    let data = client.data("env_search", arguments).await;
    has(&data, &["results", "total_count", "has_more", "next_cursor", "explanation"]);
    let hit = &data["results"][0];
    has(hit, &["id", "path", "symbol", "content_preview", "start_line", "end_line", "score", "match_type"]);
    assert_eq!(hit["path"], "src/errors.py");
    has(&data["explanation"], &["strategy", "semantic_matches", "lexical_matches", "merged_candidates"]);
    let quiet = client.data("env_search", json!({"query": "error handling", "scope": "repo"})).await;
    assert!(quiet["explanation"].is_null());
    let result = client.call("env_search", json!({"query": "error", "scope": "transcript"})).await;
    assert_eq!(result["structuredContent"]["data"]["results"], json!([]));
    assert_eq!(result["structuredContent"]["provenance"]["gaps"], json!([{"gap": "no_transcripts"}]));
}

#[tokio::test]
async fn env_search_finds_what_was_said_to_agents() {
    let place = Place::new();
    let turn = TranscriptTurn {
        id: "s1:4".to_owned(),
        path: "codex/rollout-1.jsonl".to_owned(),
        start_line: 4,
        end_line: 4,
        speaker: "assistant",
        time: Some(icr_model::Moment(0)),
        text: "Errors are handled at the border.".to_owned(),
    };
    let transcripts = TranscriptReader::new(move |deadline| {
        assert!(!deadline.is_over(), "who reads is told until when");
        TranscriptTurns { turns: vec![turn.clone()], gaps: vec![Gap::UnreadTranscripts { sessions: 2 }] }
    });
    let home = place.home();
    let open = move |directory: &Path| {
        Ok(ConfiguredRepository { transcripts: transcripts.clone(), ..opened(directory, &home)? })
    };
    let places = RepositoryAccess { open: Arc::new(open), ..place.places() };
    let mut client = Client::start(Settings { places, ..place.settings() }).await;
    let result = client.call("env_search", json!({"query": "errors handled", "scope": "transcript"})).await;
    let hit = json!({
        "id": "s1:4", "path": "codex/rollout-1.jsonl", "symbol": null,
        "content_preview": "Errors are handled at the border.", "start_line": 4, "end_line": 4, "score": 1.0,
        "match_type": "transcript", "speaker": "assistant", "said_at": "1970-01-01T00:00:00Z",
    });
    assert_eq!(result["structuredContent"]["data"]["results"], json!([hit]));
    let gaps = &result["structuredContent"]["provenance"]["gaps"];
    assert_eq!(gaps, &json!([{"gap": "unread_transcripts", "sessions": 2}]));
    assert!(text(&result).contains("Errors are handled at the border."), "{}", text(&result));
    let all = client.data("env_search", json!({"query": "errors handled", "scope": "all"})).await;
    let scopes: Vec<&Value> = all["results"].as_array().expect("a list").iter().map(|hit| &hit["scope"]).collect();
    for scope in ["repo", "transcript"] {
        assert!(scopes.contains(&&json!(scope)), "{scopes:?}");
    }
}

#[tokio::test]
async fn env_peek_reads_lines() {
    let (place, mut client) = client().await;
    let lines = client
        .text("env_peek", json!({"path": "src/errors.py", "start_line": 4, "end_line": 60, "max_lines": 200}))
        .await;
    assert!(lines.starts_with("src/errors.py:4-9\n```python\nclass AuthError(Exception):\n"), "{lines}");
    assert!(lines.ends_with(&format!("```\n\n> tree {}; 9 lines in the file\n", tree(&place))), "{lines}");
}

#[tokio::test]
async fn env_slice_extracts_definitions_and_ranges() {
    let (place, mut client) = client().await;
    let arguments = json!({"path": "src/auth.py", "symbol": "AuthService.authenticate", "context_lines": 5});
    let slice = client.text("env_slice", arguments).await;
    assert!(slice.contains("class AuthService:") && slice.contains("return validate_token(token)"), "{slice}");
    assert!(slice.ends_with("; method AuthService.authenticate at lines 9-13\n"), "{slice}");
    let lines = json!({"path": "src/auth.py", "start_line": 7, "end_line": 7, "context_lines": 0});
    let range = client.text("env_slice", lines).await;
    let code = "src/auth.py:7-7\n```python\n    \"\"\"Authentication service.\"\"\"\n```\n";
    assert_eq!(range, format!("{code}\n> tree {}; 21 lines in the file\n", tree(&place)));
    let missing = client.failure("env_slice", json!({"path": "src/auth.py"})).await;
    assert_eq!((&missing["code"], &missing["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("symbol")));
    let unknown = client.failure("env_slice", json!({"path": "src/auth.py", "symbol": "authenticat"})).await;
    assert_eq!((&unknown["code"], &unknown["details"]["engine_code"]), (&json!("NOT_FOUND"), &json!("NOT_FOUND")));
}

#[tokio::test]
async fn env_aggregate_extracts_by_pattern() {
    let (_place, mut client) = client().await;
    let arguments = json!({
        "op": "extract_regex",
        "inputs": ["def foo(): pass", "def bar(): pass", "class Baz: pass"],
        "params": {"pattern": "def (\\w+)"},
        "limit": 100,
    });
    let data = client.data("env_aggregate", arguments).await;
    assert_eq!(
        (&data["operation"], &data["results"], &data["count"]),
        (&json!("extract_regex"), &json!(["foo", "bar"]), &json!(2))
    );
    let error = client.failure("env_aggregate", json!({"op": "extract_regex", "inputs": ["a"]})).await;
    assert_eq!((&error["code"], &error["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("params.pattern")));
}

#[tokio::test]
async fn project_map_draws_the_tree() {
    let (place, mut client) = client().await;
    let data =
        client.data("project_map", json!({"repo_root": place.fixture.root(), "depth": 3, "include_stats": true})).await;
    assert_eq!((&data["tree"]["name"], &data["tree"]["type"]), (&json!("repo"), &json!("directory")));
    let source = &data["tree"]["children"][0];
    assert_eq!((&source["name"], &source["children"][0]["name"]), (&json!("src"), &json!("auth.py")));
    has(&source["children"][0]["stats"], &["size_bytes", "lines", "language"]);
    has(&data["summary"], &["total_files", "total_directories", "languages"]);
    let some =
        client.data("project_map", json!({"include_patterns": ["src/**"], "exclude_patterns": ["*errors*"]})).await;
    assert_eq!(some["summary"]["total_files"], 2);
    assert!(some["tree"]["children"][0]["children"][0]["stats"].is_null());
    let error = client.failure("project_map", json!({"include_patterns": ["src/["]})).await;
    assert_eq!(error["code"], "VALIDATION_ERROR");
}

#[tokio::test]
async fn project_symbol_search_finds_definitions() {
    let (_place, mut client) = client().await;
    let arguments =
        json!({"query": "authenticate", "symbol_types": ["function", "method"], "languages": ["python"], "limit": 20});
    let data = client.data("project_symbol_search", arguments).await;
    has(&data, &["symbols", "total_count", "has_more"]);
    let symbol = &data["symbols"][0];
    has(
        symbol,
        &["name", "qualified_name", "type", "path", "start_line", "end_line", "signature", "docstring", "score"],
    );
    assert_eq!(
        (&symbol["name"], &symbol["type"], &symbol["path"]),
        (&json!("authenticate"), &json!("method"), &json!("src/auth.py"))
    );
    assert_eq!(symbol["docstring"], "Authenticate a user by token.");
    let class = json!({"query": "authenticate", "symbol_types": ["class"]});
    let envelope = client.call("project_symbol_search", class).await["structuredContent"].take();
    assert_eq!(
        (&envelope["data"]["total_count"], &envelope["metadata"]["notices"][0]),
        (&json!(0), &json!("no class or struct is called `authenticate`; it is a method"))
    );
    for (typed, meant) in [("AuthErorr", "AuthError"), ("AuthServce.logout", "AuthService.logout")] {
        let envelope = client.call("project_symbol_search", json!({"query": typed})).await["structuredContent"].take();
        assert_eq!(envelope["metadata"]["notices"], json!([format!("nothing found; did you mean `{meant}`?")]));
    }
}

#[tokio::test]
async fn project_references_lists_every_use_with_its_text() {
    let (_place, mut client) = client().await;
    let data = client.data("project_references", json!({"symbol": "AuthError"})).await;
    assert_eq!(data["definitions"][0]["path"], "src/errors.py");
    let uses = &data["references"][0];
    has(uses, &["path", "count", "sureness", "lines", "text"]);
    assert_eq!(uses["path"], "src/auth.py");
    assert_eq!(uses["lines"], json!([3, 12]));
    let text =
        json!(["3: from src.errors import AuthError", "12 in AuthService.authenticate: raise AuthError(\"no token\")"]);
    assert_eq!(uses["text"], text);
    assert_eq!((&data["total_count"], &data["uses_total"], &data["has_more"]), (&json!(1), &json!(2), &json!(false)));
    let envelope = client.call("project_references", json!({"symbol": "authservice.logout"})).await;
    assert_eq!(
        envelope["structuredContent"]["metadata"]["notices"][0],
        "no definition is called exactly `authservice.logout`; the nearest that are called `logout` are meant instead"
    );
    let error = client.failure("project_references", json!({"symbol": "AuthErorr"})).await;
    assert_eq!(
        (&error["code"], &error["details"]["hints"][0]),
        (&json!("NOT_FOUND"), &json!("did you mean `AuthError`?"))
    );
    let error = client.failure("project_references", json!({"symbol": "AuthError", "path": "src/erors.py"})).await;
    assert_eq!(error["details"]["hints"][0], "did you mean `src/errors.py`?");
    let audit =
        client.text("memory_pack", json!({"prompt": "audit all usages of AuthError", "budget_tokens": 600})).await;
    assert!(audit.contains("## Uses of `AuthError`: 2 in 1 file\n- src/auth.py:"), "{audit}");
}

#[tokio::test]
async fn project_outline_draws_what_files_define() {
    let (_place, mut client) = client().await;
    let data = client.data("project_outline", json!({"path": "src/auth.py"})).await;
    let class = &data["files"][0]["symbols"][0];
    has(class, &["name", "type", "line_start", "line_end", "signature", "children"]);
    assert_eq!((&class["name"], &class["children"][1]["name"]), (&json!("AuthService"), &json!("logout")));
    let directory = client.data("project_outline", json!({"path": "src", "depth": 1})).await;
    let paths: Vec<&Value> = directory["files"].as_array().expect("files").iter().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["src/auth.py", "src/errors.py", "src/users.py"]);
    assert!(directory["files"][0]["symbols"][0]["children"].is_null());
    assert_eq!(
        client.failure("project_outline", json!({"path": "scr"})).await["details"]["hints"][0],
        "did you mean `src`?"
    );
}

#[tokio::test]
async fn project_impact_names_dependents() {
    let (_place, mut client) = client().await;
    let arguments =
        json!({"changed_paths": ["src/auth.py"], "query": "Which functions use AuthService?", "max_nodes": 100});
    let data = client.data("project_impact", arguments).await;
    has(
        &data,
        &["impact_score", "direct_dependents", "transitive_dependents", "contract_impact", "suggested_review", "graph"],
    );
    has(&data["direct_dependents"][0], &["path", "references", "impact_level"]);
    has(&data["contract_impact"], &["modified_contracts", "affected_files", "breaking_change_risk"]);
    has(&data["graph"], &["nodes", "edges"]);
    assert!(data["contract_impact"]["affected_files"].is_u64());
    let paths: Vec<&str> = data["direct_dependents"]
        .as_array()
        .expect("dependents")
        .iter()
        .filter_map(|file| file["path"].as_str())
        .collect();
    assert!(paths.contains(&"src/users.py"), "{paths:?}");
    assert!(data["suggested_review"].as_array().is_some_and(|paths| paths.iter().all(Value::is_string)));
}

#[tokio::test]
async fn project_commands_names_commands() {
    let (_place, mut client) = client().await;
    let data = client.data("project_commands", json!({})).await;
    assert_eq!(data["detected_tools"], json!(["cargo"]));
    assert_eq!(data["commands"]["test"], json!({"command": "cargo test", "source": "Cargo.toml"}));
    let only = client.data("project_commands", json!({"command_type": "build"})).await;
    assert_eq!(fields(&only["commands"]), ["build"]);
}

#[tokio::test]
async fn rlm_plan_gives_steps_that_the_tools_accept() {
    let (_place, mut client) = client().await;
    let arguments = json!({
        "task": "Find all places where user authentication is bypassed by AuthService",
        "scope": "repo",
        "budget": {"max_steps": 12, "max_peek_lines": 1200, "max_candidates": 100},
    });
    let data = client.data("rlm_plan", arguments).await;
    has(&data["plan"], &["steps", "estimated_tokens", "estimated_time_ms"]);
    has(&data["plan"]["steps"][0], &["step", "action", "params", "rationale"]);
    assert_eq!(data["clamped"], json!([{"name": "max_candidates", "asked": 100, "used": 50}]));
    for step in data["plan"]["steps"].as_array().expect("steps") {
        // What stands for a value of an earlier answer is given one here.
        let mut params = step["params"].clone();
        for (name, value) in params.as_object_mut().expect("an object") {
            match (name.as_str(), value.is_object() || value.is_array()) {
                ("path", true) => *value = json!("src/auth.py"),
                ("start_line" | "end_line", true) => *value = json!(1),
                ("inputs", true) => *value = json!(["src/auth.py"]),
                _ => {}
            }
        }
        let result = client.call(step["action"].as_str().expect("a tool"), params).await;
        assert_ne!(result["isError"], true, "{step}: {result}");
    }
}

#[tokio::test]
async fn rlm_map_reduce_quotes_lines() {
    let (_place, mut client) = client().await;
    let arguments = json!({
        "task": "Summarize all error handling patterns",
        "sources": ["src/auth.py", "src/errors.py", "src/gone.py"],
        "map_prompt": "Extract error handling patterns from this file: {content}",
        "reduce_prompt": "Combine these error handling patterns into a summary: {results}",
        "max_parallel": 5,
    });
    let result = client.call("rlm_map_reduce", arguments).await;
    let envelope = &result["structuredContent"];
    has(&envelope["data"], &["map_results", "reduce_result", "sources_processed", "sources_failed"]);
    assert_eq!((&envelope["data"]["sources_processed"], &envelope["data"]["sources_failed"]), (&json!(2), &json!(1)));
    has(&envelope["metadata"], &["duration_ms", "map_duration_ms", "reduce_duration_ms"]);
    assert_eq!(envelope["metadata"]["generative"], false);
    assert!(envelope["data"]["reduce_result"].as_str().is_some_and(|lines| lines.contains("src/errors.py:")));
}

#[tokio::test]
async fn admin_ping_answers() {
    let (_place, mut client) = client().await;
    client.data("project_map", json!({})).await;
    let data = client.data("admin_ping", json!({"echo": "hello", "include_diagnostics": true})).await;
    assert_eq!(
        (&data["status"], &data["echo"], &data["version"]),
        (&json!("healthy"), &json!("hello"), &json!("1.2.3"))
    );
    assert_eq!(data["uptime_seconds"], 0);
    has(&data["diagnostics"], &["index_status", "embedding_backend", "last_index_update", "pending_updates"]);
}

#[tokio::test]
async fn compact_answers_leave_out_how_they_were_found() {
    let place = Place::new();
    let settings = Settings { compact: true, ..place.settings() };
    let mut client = Client::start(settings).await;
    let result = client.call("env_search", json!({"query": "validate tokens", "scope": "repo"})).await;
    let envelope = &result["structuredContent"];
    assert_eq!(fields(&envelope["metadata"]), ["duration_ms", "tokens_used"]);
    assert_eq!(fields(&envelope["provenance"]), ["tree", "dirty", "gaps"]);
    let pack = client.text("memory_pack", json!({"prompt": "validate tokens"})).await;
    assert_eq!(pack.lines().last(), Some(format!("> tree {}", tree(&place)).as_str()));
}

#[tokio::test]
async fn answers_with_a_schema_keep_it() {
    let (_place, mut client) = client().await;
    let list = client.request("tools/list", json!({})).await["result"].take();
    for tool in list["tools"].as_array().expect("tools").iter().filter(|tool| tool["outputSchema"].is_object()) {
        let name = tool["name"].as_str().expect("a name");
        for with_more in [false, true] {
            let result = client.call(name, json!({"include_diagnostics": with_more})).await;
            holds(&tool["outputSchema"], &result["structuredContent"], name);
        }
    }
}

/// Whether a value has the types and the required fields that a schema names.
#[track_caller]
fn holds(schema: &Value, value: &Value, place: &str) {
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        other => panic!("{place}: {other:?}"),
    };
    assert!(fits, "{place}: {value} is no {}", schema["type"]);
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        assert!(!value[name].is_null(), "{place}.{name} is missing");
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            holds(property, value, &format!("{place}.{name}"));
        }
    }
}

#[tokio::test]
async fn context_pack_maps_a_goal() {
    let (_place, mut client) = client().await;
    let map = client.text("context_pack", json!({"goal": "make token validation stricter"})).await;
    assert!(map.contains("## Where to Look\n1. src/") && map.contains("src/auth.py"), "{map}");
    assert!(map.ends_with(" of 300 tokens\n"), "{map}");
    assert!(
        map.contains("## Tools\nenv_search {query} | env_peek {path} | memory_pack {prompt} | impact_diff\n"),
        "{map}"
    );
}

#[tokio::test]
async fn impact_diff_reads_the_worktree_a_range_or_a_patch() {
    let (place, mut client) = client().await;
    assert_eq!(client.data("impact_diff", json!({})).await["verdict"], "empty");
    let renamed = "//- src/errors.py\nclass AuthError(Exception):\n    pass\n\n\ndef handle_failure(error: Exception) -> str:\n    return str(error)\n";
    place.fixture.write(renamed);
    let worktree = client.data("impact_diff", json!({})).await;
    assert_eq!(worktree["changed"], json!([{"path": "src/errors.py", "status": "modified"}]));
    let patch = place.fixture.git(&["diff"]) + "\n";
    place.fixture.git(&["checkout", "-q", "."]);
    let patched = client.data("impact_diff", json!({"diff": patch})).await;
    assert_eq!(patched["changed"], worktree["changed"]);
    place.fixture.write(renamed);
    place.fixture.commit("rename");
    let range = client.data("impact_diff", json!({"range": "HEAD~1..HEAD"})).await;
    assert_eq!(range["changed_symbols"], worktree["changed_symbols"]);
    has(
        &range,
        &[
            "verdict",
            "summary",
            "impact_score",
            "risk",
            "incomplete",
            "contract_impact",
            "direct_dependents",
            "missing",
            "tests",
            "suggested_review",
        ],
    );
    let unknown = client.failure("impact_diff", json!({"range": "nowhere..HEAD"})).await;
    assert_eq!(
        (&unknown["code"], &unknown["details"]["engine_code"]),
        (&json!("NOT_FOUND"), &json!("UNKNOWN_REVISION"))
    );
    let broken = client.failure("impact_diff", json!({"diff": "no diff"})).await;
    assert_eq!(broken["details"]["engine_code"], "PATCH_DOES_NOT_APPLY");
    place.fixture.write("//- src/errors.py\ndef handle_failure(:\n");
    let unread = client.data("impact_diff", json!({})).await;
    assert_eq!(
        (&unread["incomplete"][0]["path"], &unread["incomplete"][0]["code"]),
        (&json!("src/errors.py"), &json!(true))
    );
}

#[tokio::test]
async fn graph_neighbors_shows_who_imports_whom() {
    let (_place, mut client) = client().await;
    let data = client.data("graph_neighbors", json!({"path": "src/auth.py"})).await;
    let paths = |name: &str| -> Vec<&str> {
        data[name].as_array().expect("a list").iter().filter_map(|file| file["path"].as_str()).collect()
    };
    assert_eq!(paths("imports"), ["src/errors.py"]);
    assert_eq!(paths("importers"), ["src/users.py", "tests/test_auth.py"]);
}
