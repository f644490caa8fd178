//! The list of tools.

use icr_mcp::{Settings, Toolset};
use icr_model::model_tokens;
use serde_json::{Value, json};

use crate::client::{Client, Place};

async fn list(toolsets: &[Toolset]) -> Value {
    let settings = Settings { toolsets: toolsets.to_vec(), ..Place::new().settings() };
    Client::start(settings).await.request("tools/list", json!({})).await["result"].take()
}

fn names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect()
}

/// Bytes of JSON to a token of the vocabularies of present models (o200k, cl100k), rounded down: measured on this very list, 4.06.
/// icr's own counter takes every brace and quote for a token, which is close for code and twice too much for schemas.
const BYTES_PER_TOKEN: usize = 4;

#[tokio::test]
async fn the_sets_fit_their_budgets() {
    for (toolset, tokens, own_tokens, tools) in
        [(Toolset::Code, 3_500, 5_500, 20), (Toolset::Core, 1_500, 2_000, 6), (Toolset::Memory, 10, 30, 0)]
    {
        let list = list(&[toolset]).await;
        let text = list["tools"].to_string();
        let name = toolset.name();
        assert!(text.len() <= tokens * BYTES_PER_TOKEN, "{name}: {} bytes", text.len());
        let counted = model_tokens(text.as_bytes());
        assert!(counted <= own_tokens, "{name}: {counted} of {own_tokens}");
        assert_eq!(list["tools"].as_array().map(Vec::len), Some(tools), "{name}");
    }
}

#[tokio::test]
async fn tools_of_several_sets_are_listed_once_and_by_name() {
    let both = list(&[Toolset::Core, Toolset::Memory, Toolset::Code]).await;
    assert_eq!(both, list(&[Toolset::Code]).await);
    assert!(names(&both).is_sorted());
    let core = ["env_peek", "env_search", "env_slice", "impact_diff", "memory_pack", "project_symbol_search"];
    assert_eq!(names(&list(&[Toolset::Core]).await), core);
}

#[tokio::test]
async fn every_tool_says_what_it_is_and_what_it_does() {
    let list = list(&[Toolset::Code]).await;
    for tool in list["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        for field in ["title", "description"] {
            assert!(tool[field].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {field}");
        }
        let writes = ["memory_pin", "memory_unpin"].contains(&name);
        let hints = &tool["annotations"];
        assert_eq!(hints["openWorldHint"], false, "{name}");
        assert_eq!(hints["readOnlyHint"] == true, !writes, "{name}");
        assert_eq!(hints["destructiveHint"] == true, name == "memory_unpin", "{name}");
        let words = tool.to_string();
        for word in ["$schema", "$ref", "$defs", "\"format\":", "\"null\"", "anyOf", "oneOf"] {
            assert!(!words.contains(word), "{name} has {word}");
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        assert!(tool["inputSchema"]["properties"]["repo_root"].is_object(), "{name}");
    }
}

#[tokio::test]
async fn a_tool_that_is_not_listed_works_by_its_name() {
    let settings = Settings { toolsets: vec![Toolset::Core], ..Place::new().settings() };
    let data = Client::start(settings).await.data("admin_ping", json!({"echo": "hello"})).await;
    assert_eq!(data["echo"], "hello");
}

#[tokio::test]
async fn the_list_is_the_same_after_calls_and_for_every_client() {
    let place = Place::new();
    let mut client = place.client().await;
    let before = client.request("tools/list", json!({})).await;
    client.data("env_search", json!({"query": "token", "scope": "repo"})).await;
    let after = client.request("tools/list", json!({})).await;
    assert_eq!(before["result"], after["result"]);
    let other = place.client().await.named("claude-code").request("tools/list", json!({})).await;
    assert_eq!(before["result"], other["result"]);
}
