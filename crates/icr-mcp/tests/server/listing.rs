//! The list of tools.

use icr_mcp::{Settings, Toolset};
use icr_tokens::model_tokens;
use serde_json::{Value, json};

use crate::client::{Client, Place};

async fn list(toolsets: &[Toolset]) -> Value {
    let settings = Settings { toolsets: toolsets.to_vec(), ..Place::new().settings() };
    Client::start(settings).await.request("tools/list", json!({})).await["result"].take()
}

fn names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[tokio::test]
async fn the_sets_fit_their_budgets() {
    for (toolsets, most, tools) in
        [(&[Toolset::Code, Toolset::Memory][..], 5_000, 40), (&[Toolset::Core][..], 2_400, 8)]
    {
        let list = list(toolsets).await;
        let tokens = model_tokens(list["tools"].to_string().as_bytes());
        assert!(tokens <= most, "{toolsets:?}: {tokens} of {most}");
        assert_eq!(list["tools"].as_array().map(Vec::len), Some(tools), "{toolsets:?}");
    }
}

#[tokio::test]
async fn tools_of_several_sets_are_listed_once_and_by_name() {
    let both = list(&[Toolset::Core, Toolset::Code]).await;
    assert_eq!(both, list(&[Toolset::Code]).await);
    let all = list(&[Toolset::Core, Toolset::Memory, Toolset::Code]).await;
    assert!(names(&both).is_sorted() && names(&all).is_sorted());
    let memory = list(&[Toolset::Memory]).await;
    assert!(names(&memory).iter().all(|name| name.starts_with("icm_")), "{:?}", names(&memory));
    let core = [
        "env_peek",
        "env_search",
        "env_slice",
        "impact_diff",
        "memory_pack",
        "project_outline",
        "project_references",
        "project_symbol_search",
    ];
    assert_eq!(names(&list(&[Toolset::Core]).await), core);
}

#[tokio::test]
async fn instructions_name_only_tools_that_are_listed() {
    let all = list(&[Toolset::Code, Toolset::Memory]).await;
    let sets: [(&[Toolset], &str); 5] = [
        (&[Toolset::Core], "memory_pack"),
        (&[Toolset::Code], "context_pack"),
        (&[Toolset::Memory], "icm_memory_store"),
        (&[Toolset::Core, Toolset::Memory], "icm_memory_recall"),
        (&[Toolset::Code, Toolset::Memory], "context_pack"),
    ];
    for (toolsets, expected) in sets {
        let settings = Settings { toolsets: toolsets.to_vec(), ..Place::new().settings() };
        let said = Client::start(settings).await.request("server/discover", json!({})).await;
        let said = said["result"]["instructions"].as_str().expect("instructions").to_owned();
        let listed = list(toolsets).await;
        let words = said.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let named: Vec<&str> = words.filter(|word| names(&all).contains(word)).collect();
        assert!(named.contains(&expected), "{toolsets:?}: {said}");
        assert!(named.iter().all(|name| names(&listed).contains(name)), "{toolsets:?}: {said}");
    }
}

/// Tools that add to what is kept; the same again adds nothing.
const ADDITIVE: &[&str] = &[
    "icm_memoir_add_concept",
    "icm_memoir_create",
    "icm_memoir_link",
    "icm_memory_embed_all",
    "icm_memory_store",
    "memory_pin",
];

/// Tools that take away from what is kept, or overwrite some of it.
const DESTRUCTIVE: &[&str] =
    &["icm_memoir_refine", "icm_memory_consolidate", "icm_memory_forget", "icm_memory_update", "memory_unpin"];

/// Those that do so again when they are called again.
const REPLACING: &[&str] = &["icm_memoir_refine", "icm_memory_consolidate"];

#[tokio::test]
async fn every_tool_says_what_it_is_and_what_it_does() {
    let list = list(&[Toolset::Code, Toolset::Memory]).await;
    for tool in list["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        for field in ["title", "description"] {
            assert!(tool[field].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {field}");
        }
        let destroys = DESTRUCTIVE.contains(&name);
        let writes = destroys || ADDITIVE.contains(&name);
        let hints = &tool["annotations"];
        assert_eq!(hints["openWorldHint"], false, "{name}");
        assert_eq!(hints["readOnlyHint"] == true, !writes, "{name}");
        assert_eq!(hints["destructiveHint"] == true, destroys, "{name}");
        assert_eq!(hints["idempotentHint"] == true, writes && !REPLACING.contains(&name), "{name}");
        let words = tool.to_string();
        for word in ["$schema", "$ref", "$defs", "\"format\":", "\"null\"", "anyOf", "oneOf"] {
            assert!(!words.contains(word), "{name} has {word}");
        }
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

#[tokio::test]
async fn the_list_of_all_tools() {
    let list = list(&[Toolset::Code, Toolset::Memory]).await;
    let mut lines = Vec::new();
    for tool in list["tools"].as_array().expect("tools") {
        let text = |field: &str| tool[field].as_str().expect("text");
        lines.push(format!("{} ({}) {}", text("name"), text("title"), text("description")));
        let required = tool["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
        for (name, property) in tool["inputSchema"]["properties"].as_object().expect("properties") {
            let mark = if required.contains(&json!(name)) { "!" } else { "" };
            lines.push(format!("  {name}{mark} {property}"));
        }
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    admin_ping (Ping) Is the server healthy? Diagnostics describe the index.
      echo {"type":"string","maxLength":256}
      include_diagnostics {"type":"boolean"}
      repo_root {"type":"string"}
    context_pack (Map for a goal) Where to look for a goal: files, importers, history, commands. No code.
      goal! {"type":"string","minLength":1,"maxLength":10000}
      budget_tokens {"type":"integer","minimum":50,"maximum":4000,"default":300}
      repo_root {"type":"string"}
      rev {"type":"string"}
    env_aggregate (Aggregate lines) Counts, sorts, groups, joins or filters strings. Reads no files.
      op! {"type":"string","enum":["extract_regex","unique","sort","group_by","count","top_k","join_on","diff_sets"]}
      inputs! {"type":"array","items":{"type":"string"},"minItems":1,"maxItems":200}
      params {"type":"object","description":"For the op: pattern, key, reverse, k"}
      limit {"type":"integer","minimum":1,"maximum":200,"default":100}
      repo_root {"type":"string"}
    env_peek (Read lines) Lines of a file.
      path! {"type":"string"}
      start_line! {"type":"integer","minimum":1}
      end_line! {"type":"integer","minimum":1}
      max_lines {"type":"integer","minimum":1,"maximum":400,"default":200}
      repo_root {"type":"string"}
      rev {"type":"string"}
    env_search (Search code) Which files and lines answer a question? Scope `transcript`: earlier conversations with agents here.
      query! {"type":"string","minLength":1,"maxLength":2000}
      scope! {"type":"string","enum":["repo","transcript","diffs","contracts","all"]}
      path_prefix {"type":"string"}
      language {"type":"string","maxLength":50}
      time_window_seconds {"type":"integer","minimum":1,"maximum":604800}
      limit {"type":"integer","minimum":1,"maximum":50}
      cursor {"type":"string"}
      explain {"type":"boolean"}
      repo_root {"type":"string"}
      rev {"type":"string"}
    env_slice (Read a definition) The text of a definition, or of lines, with context.
      path! {"type":"string"}
      symbol {"type":"string","description":"`name` or `Class.name`","maxLength":256}
      start_line {"type":"integer","minimum":1}
      end_line {"type":"integer","minimum":1}
      context_lines {"type":"integer","minimum":0,"maximum":20,"default":3}
      repo_root {"type":"string"}
      rev {"type":"string"}
    graph_neighbors (Neighbours of a file) What a file imports, who imports it, what changes with it.
      path! {"type":"string"}
      depth {"type":"integer","minimum":1,"maximum":16,"default":1}
      limit {"type":"integer","minimum":0,"description":"Files that change with it","maximum":100,"default":10}
      repo_root {"type":"string"}
      rev {"type":"string"}
    icm_memoir_add_concept (Add a concept) Adds a concept to a memoir.
      memoir! {"type":"string","minLength":1,"maxLength":255}
      name! {"type":"string","minLength":1,"maxLength":255}
      definition! {"type":"string","minLength":1,"maxLength":10000}
      labels {"type":"string","description":"`namespace:value`, separated by commas","maxLength":5000}
      repo_root {"type":"string"}
    icm_memoir_create (Create a memoir) Makes a memoir: lasting knowledge, as concepts and links; all repositories share it.
      name! {"type":"string","minLength":1,"maxLength":255}
      description {"type":"string","maxLength":10000}
      repo_root {"type":"string"}
    icm_memoir_inspect (Inspect a concept) A concept and what it is linked with.
      memoir! {"type":"string","minLength":1,"maxLength":255}
      name! {"type":"string","minLength":1,"maxLength":255}
      depth {"type":"integer","minimum":1,"maximum":5,"default":1}
      repo_root {"type":"string"}
    icm_memoir_link (Link concepts) Links two concepts of a memoir.
      memoir! {"type":"string","minLength":1,"maxLength":255}
      from! {"type":"string","minLength":1,"maxLength":255}
      to! {"type":"string","minLength":1,"maxLength":255}
      relation! {"type":"string","description":"part_of, depends_on, related_to, contradicts, refines, alternative_to, caused_by, instance_of or superseded_by","minLength":1,"maxLength":50}
      repo_root {"type":"string"}
    icm_memoir_list (List memoirs) Memoirs, with counts.
      repo_root {"type":"string"}
    icm_memoir_refine (Refine a concept) Gives a concept a better definition.
      memoir! {"type":"string","minLength":1,"maxLength":255}
      name! {"type":"string","minLength":1,"maxLength":255}
      definition! {"type":"string","minLength":1,"maxLength":10000}
      repo_root {"type":"string"}
    icm_memoir_search (Search a memoir) Which concepts of a memoir answer a question?
      memoir! {"type":"string","minLength":1,"maxLength":255}
      query! {"type":"string","description":"Empty for all with the label","maxLength":10000}
      label {"type":"string","minLength":1,"maxLength":100}
      limit {"type":"integer","minimum":1,"maximum":100,"default":10}
      repo_root {"type":"string"}
    icm_memoir_search_all (Search memoirs) Which concepts of all memoirs answer a question?
      query! {"type":"string","maxLength":10000}
      limit {"type":"integer","minimum":1,"maximum":100,"default":10}
      repo_root {"type":"string"}
    icm_memoir_show (Show a memoir) A memoir's concepts and links.
      name! {"type":"string","minLength":1,"maxLength":255}
      repo_root {"type":"string"}
    icm_memory_consolidate (Consolidate a topic) Replaces a topic's memories with a summary and archives them.
      topic! {"type":"string","minLength":1,"maxLength":255}
      summary! {"type":"string","minLength":1,"maxLength":65536}
      repo_root {"type":"string"}
    icm_memory_embed_all (Embed memories) Makes vectors for memories that have none.
      topic {"type":"string","minLength":1,"maxLength":255}
      repo_root {"type":"string"}
    icm_memory_forget (Forget a memory) Deletes a memory.
      id! {"type":"string","minLength":1,"maxLength":64}
      repo_root {"type":"string"}
    icm_memory_health (Health of topics) Which topics of memories are stale or need consolidation?
      topic {"type":"string","minLength":1,"maxLength":255}
      repo_root {"type":"string"}
    icm_memory_list_topics (List topics) Topics of memories, with counts.
      repo_root {"type":"string"}
    icm_memory_recall (Recall memories) What was decided, fixed or learned before? Long-term memory, across conversations.
      query! {"type":"string","description":"A question, or words","minLength":1,"maxLength":10000}
      topic {"type":"string","minLength":1,"maxLength":255}
      keyword {"type":"string","description":"One of its keywords","minLength":1,"maxLength":255}
      limit {"type":"integer","minimum":1,"maximum":20,"default":5}
      repo_root {"type":"string"}
    icm_memory_stats (Memory statistics) How much is remembered.
      repo_root {"type":"string"}
    icm_memory_store (Store a memory) Keeps a fact in long-term memory, across conversations.
      topic! {"type":"string","minLength":1,"maxLength":255}
      content! {"type":"string","minLength":1,"maxLength":65536}
      importance {"type":"string","enum":["critical","high","medium","low"],"default":"medium"}
      keywords {"type":"array","items":{"type":"string","minLength":1,"maxLength":255},"maxItems":100}
      raw_excerpt {"type":"string","description":"Text it was taken from","maxLength":65536}
      repo_root {"type":"string"}
    icm_memory_update (Update a memory) Replaces a memory's text.
      id! {"type":"string","minLength":1,"maxLength":64}
      content! {"type":"string","minLength":1,"maxLength":65536}
      importance {"type":"string","enum":["critical","high","medium","low"]}
      keywords {"type":"array","items":{"type":"string","minLength":1,"maxLength":255},"maxItems":100}
      repo_root {"type":"string"}
    impact_diff (Impact of a change) What a change breaks or forgets; tests to run.
      range {"type":"string","description":"`A..B` or a commit; default: uncommitted changes","maxLength":512}
      diff {"type":"string","description":"Unified diff","maxLength":4000000}
      depth {"type":"integer","minimum":1,"maximum":5}
      max_nodes {"type":"integer","minimum":10,"maximum":500}
      repo_root {"type":"string"}
    memory_get (Read a pin) A pinned file of code, or a whole memory.
      source_id! {"type":"string","minLength":1,"maxLength":256}
      include_content {"type":"boolean","default":true}
      repo_root {"type":"string"}
      rev {"type":"string"}
    memory_list (List pins) Pinned files of code and derived memories; others: icm_memory_list_topics.
      filter_type {"type":"string","enum":["all","pinned","recent","stale"],"default":"all"}
      limit {"type":"integer","minimum":1,"maximum":200}
      cursor {"type":"string"}
      repo_root {"type":"string"}
      rev {"type":"string"}
    memory_pack (Pack code) The code that answers a question, with citations, within a token budget.
      prompt! {"type":"string","minLength":1,"maxLength":10000}
      mode {"type":"string","enum":["auto","pack","rlm"],"default":"auto"}
      budget_tokens {"type":"integer","minimum":512,"maximum":12000}
      k {"type":"integer","minimum":5,"maximum":50,"default":20}
      focus_paths {"type":"array","items":{"type":"string","maxLength":4096},"maxItems":100}
      pinned_only {"type":"boolean"}
      repo_root {"type":"string"}
      rev {"type":"string"}
    memory_pin (Pin a file) Keeps a file of code in every pack; facts: icm_memory_store.
      source_id! {"type":"string","minLength":1,"maxLength":256}
      path! {"type":"string"}
      label {"type":"string","maxLength":256}
      ttl_seconds {"type":"integer","minimum":60,"maximum":86400}
      priority {"type":"integer","minimum":1,"maximum":10,"description":"5 if unset; 10 comes first"}
      repo_root {"type":"string"}
    memory_stats (Index statistics) How much code is indexed and pinned.
      include_breakdown {"type":"boolean"}
      repo_root {"type":"string"}
      rev {"type":"string"}
    memory_unpin (Unpin a file) Removes a pin of code.
      source_id! {"type":"string","minLength":1,"maxLength":256}
      repo_root {"type":"string"}
    project_commands (Project commands) How the project is built, tested, linted, formatted and run.
      command_type {"type":"string","enum":["build","test","lint","format","run","all"],"default":"all"}
      repo_root {"type":"string"}
      rev {"type":"string"}
    project_impact (Impact of files) Who depends on these files, directly and through others.
      changed_paths! {"type":"array","items":{"type":"string"},"minItems":1,"maxItems":200}
      query {"type":"string","description":"Files that match come first","maxLength":1000}
      max_nodes {"type":"integer","minimum":10,"maximum":500}
      max_edges {"type":"integer","minimum":10,"maximum":2000}
      repo_root {"type":"string"}
      rev {"type":"string"}
    project_map (Project map) The tree of directories and files.
      depth {"type":"integer","minimum":1,"maximum":10,"default":3}
      include_patterns {"type":"array","items":{"type":"string"},"description":"Globs","maxItems":50}
      exclude_patterns {"type":"array","items":{"type":"string"},"maxItems":50}
      include_stats {"type":"boolean"}
      repo_root {"type":"string"}
      rev {"type":"string"}
    project_outline (Outline) What a file or directory defines: names, lines, signatures.
      path! {"type":"string"}
      depth {"type":"integer","minimum":1,"maximum":6,"default":2}
      cursor {"type":"string"}
      repo_root {"type":"string"}
      rev {"type":"string"}
    project_references (Find references) Who calls or uses a definition? Lines with their text, found without a type checker.
      symbol! {"type":"string","description":"`name` or `Class.name`","minLength":1,"maxLength":256}
      path {"type":"string"}
      line {"type":"integer","minimum":1}
      limit {"type":"integer","minimum":1,"maximum":100}
      cursor {"type":"string"}
      repo_root {"type":"string"}
      rev {"type":"string"}
    project_symbol_search (Find definitions) Where is a name defined?
      query! {"type":"string","description":"Name, part of one, or `Class.name`","minLength":1,"maxLength":500}
      symbol_types {"type":"array","items":{"type":"string","enum":["function","class","method","variable","type","interface"]}}
      languages {"type":"array","items":{"type":"string"},"maxItems":20}
      limit {"type":"integer","minimum":1,"maximum":100}
      cursor {"type":"string"}
      repo_root {"type":"string"}
      rev {"type":"string"}
    rlm_map_reduce (Extract from files) Lines relevant to a task, from many files. No text is generated.
      task! {"type":"string","minLength":1,"maxLength":5000}
      sources! {"type":"array","items":{"type":"string","maxLength":5000},"description":"`path`, `path:10-40` or `path:symbol`","minItems":1,"maxItems":100}
      map_prompt! {"type":"string","minLength":1,"maxLength":2000}
      reduce_prompt! {"type":"string","minLength":1,"maxLength":2000}
      max_parallel {"type":"integer","minimum":1,"maximum":20,"default":5}
      repo_root {"type":"string"}
      rev {"type":"string"}
    rlm_plan (Plan a retrieval) Plans the searches and reads for a task.
      task! {"type":"string","minLength":1,"maxLength":5000}
      scope! {"type":"string","enum":["repo","contracts","diffs","all"]}
      budget {"type":"object","additionalProperties":false,"properties":{"max_steps":{"type":"integer","minimum":1,"maximum":12},"max_peek_lines":{"type":"integer","minimum":1,"maximum":1200},"max_candidates":{"type":"integer","minimum":1,"maximum":100}}}
      repo_root {"type":"string"}
      rev {"type":"string"}
    "#);
}
