//! Answers fit the schemas that were promised for them, in every state of a repository: clients refuse those that do not.

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::examples::{examples, repository};
use crate::place::Place;
use crate::server::{Era, Server};

/// What in `value` does not fit `schema`, of the keywords that the server uses.
fn misfits(schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some(other) => panic!("{place}: a type that this does not know: {other}"),
        None => panic!("{place}: no type in {schema}"),
    };
    if !fits {
        return vec![format!("{place} is {value}, and promised was {}", schema["type"])];
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut misfits: Vec<String> =
        required.filter(|name| value.get(name).is_none()).map(|name| format!("{place} lacks `{name}`")).collect();
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            misfits.extend(self::misfits(schema, value, &format!("{place}.{name}")));
        }
    }
    if let Some(items) = schema.get("items") {
        for (at, value) in value.as_array().into_iter().flatten().enumerate() {
            misfits.extend(self::misfits(items, value, &format!("{place}[{at}]")));
        }
    }
    misfits
}

/// Calls that succeed have structured content as the list of tools promises it.
#[track_caller]
fn check(server: &mut Server, calls: &[(String, Value)]) {
    let listed = server.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("a list of tools").clone();
    for (tool, arguments) in calls {
        let result = server.call(tool, arguments.clone());
        let row = tools.iter().find(|row| row["name"] == **tool).unwrap_or_else(|| panic!("{tool} is not listed"));
        if let Some(schema) = row.get("outputSchema").filter(|_| result["isError"] != true) {
            assert_eq!(misfits(schema, &result["structuredContent"], tool), Vec::<String>::new());
        }
    }
}

fn ping() -> Vec<(String, Value)> {
    vec![
        ("admin_ping".to_owned(), json!({"include_diagnostics": true})),
        ("admin_ping".to_owned(), json!({"echo": "hello"})),
    ]
}

#[test]
fn of_a_repository_that_is_indexed() {
    let place = repository();
    let calls: Vec<(String, Value)> =
        examples().into_iter().map(|example| (example.tool.clone(), example.arguments_for(place.root()))).collect();
    let mut server = Server::ready(&place, Era::Modern);
    check(&mut server, &calls);
    server.ends_well();
}

#[test]
fn of_a_repository_without_an_index() {
    let place = Place::of(Fixture::new("//- a.rs\nfn anchor() {}\n"));
    let mut server = Server::ready(&place, Era::Modern);
    check(&mut server, &ping());
    let _held = place.held();
    check(&mut server, &ping());
    server.ends_well();
}

#[test]
fn of_a_repository_that_is_not_there() {
    let place = Place::of(Fixture::new("//- a.rs\nfn anchor() {}\n"));
    let mut server = Server::ready(&place, Era::Modern);
    check(&mut server, &ping());
    std::fs::remove_dir_all(place.root()).expect("the repository can be removed");
    check(&mut server, &ping());
    server.ends_well();
}

#[test]
fn what_does_not_fit_is_named() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "string"}}, "b": {"type": "integer"}},
        "required": ["b", "c"],
    });
    assert_eq!(
        misfits(&schema, &json!({"a": ["x", null], "b": 1.5}), "answer"),
        [
            "answer lacks `c`",
            "answer.a[1] is null, and promised was \"string\"",
            "answer.b is 1.5, and promised was \"integer\""
        ]
    );
}
