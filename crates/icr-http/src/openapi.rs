//! The description of what can be asked, generated from the table of questions and their types.

use axum::http::StatusCode;
use axum::response::Response;
use icr_model::Provenance;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::answer::json_response;
use crate::index_events::INDEX_PATH;
use crate::questions::{QUESTIONS, QuestionEndpoint, Verb};

/// Version of OpenAPI: <https://spec.openapis.org/oas/v3.1.0>
const OPENAPI: &str = "3.1.0";

/// The description, as it is sent.
pub(crate) async fn describe() -> Response {
    json_response(StatusCode::OK, description().to_string())
}

/// The OpenAPI description of all questions.
pub(crate) fn description() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let provenance = generator.subschema_for::<Provenance>();
    let mut paths = Map::new();
    for question in QUESTIONS {
        let output = (question.output)(&mut generator).to_value();
        let answer = match question.has_provenance {
            true => json!({ "allOf": [output, {
                "type": "object", "properties": { "provenance": provenance }, "required": ["provenance"],
            }] }),
            false => output,
        };
        let path = paths.entry(question.path).or_insert_with(|| json!({}));
        path[question.verb.name()] = operation(question, answer);
    }
    paths.insert(INDEX_PATH.to_owned(), json!({ "post": indexing() }));
    json!({
        "openapi": OPENAPI,
        "info": {
            "title": "icr",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Questions about the code of git repositories, on this machine. \
                Send the token: `Authorization: Bearer TOKEN`.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": generator.take_definitions(true),
        },
    })
}

/// Indexing, whose answer is no document but a stream.
fn indexing() -> Value {
    json!({
        "summary": "Completes the index of a repository and says how far it is.",
        "operationId": "post_index",
        "parameters": [{ "name": "repo", "in": "query", "required": false, "schema": {
            "type": "string", "description": "Id or directory of the repository; by default, that of the server",
        } }],
        "responses": {
            "200": {
                "description": "Server-sent events: `progress` with `done` and `total`, then one `done` with the \
                    report, or one `error` with `code`, `message` and `hints`.",
                "content": { "text/event-stream": { "schema": { "type": "string" } } },
            },
            "default": { "description": "An error.", "content": { "application/json": { "schema": error() } } },
        },
    })
}

fn operation(question: &QuestionEndpoint, answer: Value) -> Value {
    let schema = question.schema();
    let properties = schema.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let is_in_path = |name: &str| question.path.contains(&format!("{{{name}}}"));
    let in_body = |name: &str| question.verb == Verb::Post && !is_in_path(name) && name != "repo";
    let parameters: Vec<Value> = properties
        .into_iter()
        .flatten()
        .filter(|(name, _)| !in_body(name))
        .map(|(name, property)| {
            let is_required = is_in_path(name) || required.contains(&name.as_str());
            let place = if is_in_path(name) { "path" } else { "query" };
            json!({ "name": name, "in": place, "required": is_required, "schema": property })
        })
        .collect();
    let mut operation = json!({
        "summary": question.summary,
        "operationId": operation_id(question),
        "parameters": parameters,
        "responses": {
            "200": { "description": "The answer.", "content": { "application/json": { "schema": answer } } },
            "default": { "description": "An error.", "content": { "application/json": { "schema": error() } } },
        },
    });
    if question.verb == Verb::Post {
        operation["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    }
    operation
}

/// `get_memory_list`
fn operation_id(question: &QuestionEndpoint) -> String {
    let words = question.path.trim_start_matches("/api/").replace(['{', '}'], "").replace('/', "_");
    format!("{}_{words}", question.verb.name())
}

fn error() -> Value {
    json!({
        "type": "object",
        "properties": { "error": {
            "type": "object",
            "properties": {
                "code": { "type": "string" },
                "message": { "type": "string" },
                "hints": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["code", "message", "hints"],
        } },
        "required": ["error"],
    })
}
