//! Every bound of every argument of every listed tool, from the schemas themselves: what breaks one is refused by name, and what
//! keeps it is not.

use icr_mcp::{Settings, Toolset};
use serde_json::{Map, Value, json};

use crate::client::{Client, Place, error};

/// Arguments that each tool answers, by tool.
pub(crate) fn valid() -> Map<String, Value> {
    let Value::Object(mut valid) = json!({
        "admin_ping": {},
        "context_pack": {"goal": "validate tokens"},
        "env_aggregate": {"op": "unique", "inputs": ["a", "b", "a"]},
        "env_peek": {"path": "src/auth.py", "start_line": 1, "end_line": 5},
        "env_search": {"query": "validate token", "scope": "repo"},
        "env_slice": {"path": "src/auth.py", "symbol": "AuthService.authenticate"},
        "graph_neighbors": {"path": "src/auth.py"},
        "icm_memoir_add_concept": {"memoir": "design", "name": "cache", "definition": "keeps what was read"},
        "icm_memoir_create": {"name": "another"},
        "icm_memoir_inspect": {"memoir": "design", "name": "store"},
        "icm_memoir_link": {"memoir": "design", "from": "store", "to": "disk", "relation": "depends_on"},
        "icm_memoir_list": {},
        "icm_memoir_refine": {"memoir": "design", "name": "store", "definition": "keeps all"},
        "icm_memoir_search": {"memoir": "design", "query": "disk"},
        "icm_memoir_search_all": {"query": "disk"},
        "icm_memoir_show": {"name": "design"},
        "icm_memory_consolidate": {"topic": "consolidated", "summary": "all of it"},
        "icm_memory_embed_all": {},
        "icm_memory_forget": {"id": "forgotten"},
        "icm_memory_health": {},
        "icm_memory_list_topics": {},
        "icm_memory_recall": {"query": "tokens"},
        "icm_memory_stats": {},
        "icm_memory_store": {"topic": "decisions", "content": "Tokens are validated once."},
        "icm_memory_update": {"id": "updated", "content": "other words"},
        "impact_diff": {},
        "memory_get": {"source_id": "types"},
        "memory_list": {},
        "memory_pack": {"prompt": "how are tokens validated"},
        "memory_pin": {"source_id": "types", "path": "src/errors.py"},
        "memory_stats": {},
        "memory_unpin": {"source_id": "none"},
        "project_commands": {},
        "project_impact": {"changed_paths": ["src/errors.py"]},
        "project_map": {},
        "project_symbol_search": {"query": "authenticate"},
        "rlm_map_reduce": {
            "task": "errors", "sources": ["src/auth.py"], "map_prompt": "AuthError", "reduce_prompt": "AuthError",
        },
        "rlm_plan": {"task": "find where AuthError is raised", "scope": "repo"},
    }) else {
        unreachable!("written as an object")
    };
    valid.insert("project_outline".to_owned(), json!({"path": "src/auth.py"}));
    valid.insert("project_references".to_owned(), json!({"symbol": "validate_token", "path": "src/auth.py"}));
    valid
}

/// What a schema says may not be, by the keyword that says so.
const KEYWORDS: [&str; 11] = [
    "required",
    "type",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "additionalProperties",
    "anyOf",
];

/// Arguments that take less than their schemas can say.
const NARROWER: [&str; 6] = [
    // What an answer gave.
    "cursor",
    // A patch.
    "diff",
    // Names of languages.
    "language",
    "languages",
    // Some operations need parameters.
    "op",
    // It may be left out beside lines.
    "symbol",
];

/// One change of valid arguments.
struct Case {
    field: String,
    /// `None` for an argument that is left out.
    value: Option<Value>,
    /// The keyword that it breaks, if any.
    breaks: Option<&'static str>,
}

#[tokio::test]
async fn bounds_are_enforced_as_they_are_shown() {
    let place = Place::new();
    let toolsets = vec![Toolset::Code, Toolset::Memory];
    let mut client = Client::start(Settings { toolsets, ..place.settings() }).await;
    let list = client.request("tools/list", json!({})).await["result"].take();
    let mut valid = valid();
    client.data("memory_pin", valid["memory_pin"].clone()).await;
    for (topic, tool) in [("consolidated", None), ("forgotten", Some("forget")), ("updated", Some("update"))] {
        let stored = client.text("icm_memory_store", json!({"topic": topic, "content": topic})).await;
        if let (Some(tool), Some(id)) = (tool, stored.strip_prefix("Stored memory: ")) {
            valid[&format!("icm_memory_{tool}")]["id"] = json!(id);
        }
    }
    client.text("icm_memoir_create", json!({"name": "design"})).await;
    for name in ["store", "disk"] {
        client.text("icm_memoir_add_concept", json!({"memoir": "design", "name": name, "definition": "a part"})).await;
    }
    let mut cases_total = 0;
    for tool in list["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        let arguments = valid.remove(name).unwrap_or_else(|| panic!("{name} needs valid arguments in this test"));
        assert_ne!(client.call(name, arguments.clone()).await["isError"], true, "{name}");
        for case in cases(&tool["inputSchema"]) {
            cases_total += 1;
            check(&mut client, name, &arguments, &case).await;
        }
    }
    assert!(cases_total > 750, "{cases_total} cases");
}

async fn check(client: &mut Client, tool: &str, valid: &Value, case: &Case) {
    let mut arguments = valid.clone();
    set(&mut arguments, &case.field, case.value.clone());
    let result = client.call(tool, arguments).await;
    let error = if result["isError"] == true { error(&result) } else { Value::Null };
    let (code, field, constraint) = (&error["code"], &error["details"]["field"], &error["details"]["constraint"]);
    let shown: String = format!("{tool} {} = {:?}", case.field, case.value).chars().take(200).collect();
    match case.breaks {
        Some(keyword) => {
            assert_eq!(code, "VALIDATION_ERROR", "{shown}: {result}");
            let inner = format!("{}[", case.field);
            let is_named = field.as_str().is_some_and(|name| name == case.field || name.starts_with(&inner));
            assert!(is_named, "{shown}: {error}");
            assert_eq!(constraint, keyword, "{shown}: {error}");
            assert!(!error["details"]["allowed"].is_null(), "{shown}: {error}");
        }
        None => {
            let of_schema = constraint.as_str().is_some_and(|name| KEYWORDS.contains(&name));
            assert!(!of_schema || *field != case.field.as_str(), "{shown}: {error}");
            // Bytes, lines, names that are taken: what no schema can say of texts that are kept.
            let is_of_memory = tool.starts_with("icm_") && ["rule", "pattern"].iter().any(|rule| constraint == rule);
            let is_narrower = NARROWER.contains(&case.field.as_str()) || is_of_memory;
            assert!(code != "VALIDATION_ERROR" || is_narrower, "{shown}: {error}");
            assert_ne!(code, "INTERNAL_ERROR", "{shown}: {error}");
        }
    }
}

/// Sets an argument, where dots lead into objects.
fn set(arguments: &mut Value, field: &str, value: Option<Value>) {
    let (outer, name) = match field.split_once('.') {
        Some((outer, name)) => (&mut arguments[outer], name),
        None => (arguments, field),
    };
    if outer.is_null() {
        *outer = json!({});
    }
    match value {
        Some(value) => outer[name] = value,
        None => drop(outer.as_object_mut().expect("an object").remove(name)),
    }
}

fn cases(schema: &Value) -> Vec<Case> {
    let mut cases =
        vec![Case { field: "no_such_thing".to_owned(), value: Some(json!(1)), breaks: Some("additionalProperties") }];
    let required =
        |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name));
    for (name, property) in schema["properties"].as_object().expect("properties") {
        cases.extend(cases_of(name, property, required(name)));
        for (inner, property) in property["properties"].as_object().into_iter().flatten() {
            cases.extend(cases_of(&format!("{name}.{inner}"), property, false));
        }
    }
    cases
}

fn cases_of(field: &str, schema: &Value, is_required: bool) -> Vec<Case> {
    let case =
        |value: Value, breaks: Option<&'static str>| Case { field: field.to_owned(), value: Some(value), breaks };
    let mut cases = vec![
        Case { field: field.to_owned(), value: None, breaks: is_required.then_some("required") },
        case(Value::Null, is_required.then_some("type")),
    ];
    let kind = schema["type"].as_str().unwrap_or_else(|| panic!("{field} has no type"));
    for wrong in [json!("text"), json!(7), json!(1.5), json!(true), json!([]), json!({})] {
        let fits = match kind {
            "string" => wrong.is_string(),
            "integer" => wrong.is_u64(),
            "boolean" => wrong.is_boolean(),
            "array" => wrong.is_array(),
            "object" => wrong.is_object(),
            other => panic!("{field} has the type {other}"),
        };
        if !fits {
            cases.push(case(wrong, Some("type")));
        }
    }
    if kind == "boolean" {
        cases.extend([case(json!(true), None), case(json!(false), None)]);
    }
    if let Some(words) = schema["enum"].as_array() {
        cases.extend(words.iter().map(|word| case(word.clone(), None)));
        cases.push(case(json!("no such word"), Some("enum")));
        return cases;
    }
    let bound = |keyword: &str| schema[keyword].as_u64();
    if let Some(least) = bound("minimum") {
        cases.push(case(json!(least), None));
        cases.push(case(json!(i64::try_from(least).expect("small") - 1), Some("minimum")));
    }
    if let Some(most) = bound("maximum") {
        cases.extend([case(json!(most), None), case(json!(most + 1), Some("maximum"))]);
        cases.push(case(json!(most as f64), None));
    }
    // Two bytes each: lengths are counted in characters.
    let letters = |count: u64| Value::String("é".repeat(usize::try_from(count).expect("small")));
    if let Some(least) = bound("minLength") {
        cases.push(case(letters(least), None));
        cases.push(case(letters(least - 1), Some("minLength")));
    }
    if let Some(most) = bound("maxLength") {
        cases.extend([case(letters(most), None), case(letters(most + 1), Some("maxLength"))]);
    }
    let items = |count: u64| Value::Array((0..count).map(|at| item(&schema["items"], at)).collect());
    if let Some(least) = bound("minItems") {
        cases.push(case(items(least), None));
        cases.push(case(items(least - 1), Some("minItems")));
    }
    if let Some(most) = bound("maxItems") {
        cases.extend([case(items(most), None), case(items(most + 1), Some("maxItems"))]);
        cases.push(case(json!([7]), Some("type")));
    }
    let inner = &schema["items"];
    if let Some(most) = inner["maxLength"].as_u64() {
        cases.push(case(json!([letters(most + 1)]), Some("maxLength")));
    }
    if let Some(words) = inner["enum"].as_array() {
        cases.extend([case(json!(words), None), case(json!(["no such word"]), Some("enum"))]);
    }
    cases
}

fn item(schema: &Value, at: u64) -> Value {
    match schema["enum"].as_array() {
        Some(words) => words[0].clone(),
        None => json!(format!("src/{at}.py")),
    }
}

#[tokio::test]
async fn a_pack_and_what_is_said_about_it_are_within_the_budget() {
    let place = Place::new();
    let functions =
        |at: u32| format!("def validate_{at}(token):\n    \"\"\"Validates token {at}.\"\"\"\n    return token\n\n\n");
    let long: String = (0..400).map(functions).collect();
    place.fixture.write_bytes("src/long.py", long.as_bytes());
    let mut client = place.client().await;
    let tokens = |text: &str| icr_tokens::model_tokens(text.as_bytes());
    for budget in [512, 513, 700, 1_000, 4_000, 12_000] {
        let pack = client.text("memory_pack", json!({"prompt": "validate a token", "budget_tokens": budget})).await;
        // There are 20 candidates, of some 7,500 tokens.
        assert!(tokens(&pack) <= budget && tokens(&pack) > budget.min(7_000) * 3 / 4, "{budget}: {}", tokens(&pack));
    }
    for budget in [150, 300] {
        let map = client.text("context_pack", json!({"goal": "validate a token", "budget_tokens": budget})).await;
        assert!(tokens(&map) <= budget, "{budget}: {}", tokens(&map));
    }
}
