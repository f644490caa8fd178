//! Schemas of tools, generated from their types and made such that every client reads them.
//!
//! Clients support different parts of JSON Schema. These schemas use only what all of them support: one type for each
//! value, bounds, enumerations. References are resolved; `null` types and formats are removed.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// An object of JSON.
pub type JsonObject = Map<String, Value>;

/// Name of the shared argument that names a repository. An interface may have another one; see
/// [`crate::InterfaceWords`].
pub const REPOSITORY_ARGUMENT: &str = "repo_root";

/// The schema of the arguments `T`, with the shared arguments of tools.
pub fn input<T: JsonSchema>(shared: SharedArguments) -> JsonObject {
    let mut schema = generated::<T>();
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        if shared.repo_root {
            properties.insert(REPOSITORY_ARGUMENT.to_owned(), json!({"type": "string"}));
        }
        if shared.rev {
            properties.insert("rev".to_owned(), json!({"type": "string"}));
        }
    }
    ordered(schema)
}

/// Arguments that many tools share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedArguments {
    /// The repository argument.
    pub repo_root: bool,
    /// The revision argument.
    pub rev: bool,
}

/// The schema of the envelope around data of `T`.
pub fn output<T: JsonSchema>() -> JsonObject {
    let mut data = generated::<T>();
    data.shift_remove("additionalProperties");
    let envelope = json!({
        "type": "object",
        "properties": { "success": {"type": "boolean"}, "data": data },
        "required": ["success", "data"],
    });
    match envelope {
        Value::Object(envelope) => envelope,
        _ => JsonObject::new(),
    }
}

fn generated<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    portable(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            // The name and the description of the Rust type say nothing to a client.
            schema.shift_remove("title");
            schema.shift_remove("description");
            schema
        }
        _ => JsonObject::new(),
    }
}

/// Keeps only the keywords that every client supports.
fn portable(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    object.shift_remove("format");
    if object.get("additionalProperties") == Some(&Value::Bool(true)) {
        object.shift_remove("additionalProperties");
    }
    object.shift_remove("$schema");
    // An omitted default is empty, zero or false, which need not be said.
    if object.get("default").is_some_and(is_nothing) {
        object.shift_remove("default");
    }
    without_null(object);
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(portable);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = object.get_mut(key) {
            portable(inner);
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Removes `null` from optional properties: a client omits the property instead.
fn without_null(object: &mut JsonObject) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = object.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if let Some(Value::Array(mut choices)) = object.shift_remove("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        match <[Value; 1]>::try_from(choices) {
            Ok([Value::Object(only)]) => {
                for (key, value) in only {
                    object.entry(key).or_insert(value);
                }
                without_null(object);
            }
            Ok([other]) => drop(object.insert("anyOf".to_owned(), json!([other]))),
            Err(choices) => drop(object.insert("anyOf".to_owned(), Value::Array(choices))),
        }
    }
}

/// Puts required properties first and forbids other properties.
fn ordered(mut schema: JsonObject) -> JsonObject {
    let required: Vec<String> = match schema.shift_remove("required") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let mut properties = JsonObject::new();
    if let Some(Value::Object(mut given)) = schema.shift_remove("properties") {
        for name in &required {
            if let Some(property) = given.shift_remove(name) {
                properties.insert(name.clone(), property);
            }
        }
        properties.extend(given);
    }
    let mut ordered = JsonObject::new();
    ordered.insert("type".to_owned(), json!("object"));
    ordered.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        ordered.insert("required".to_owned(), json!(required));
    }
    ordered.insert("additionalProperties".to_owned(), json!(false));
    ordered
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct SchemaSample {
        /// How many.
        #[schemars(range(min = 1, max = 50))]
        #[serde(default = "twenty")]
        limit: u32,
        #[schemars(length(max = 9))]
        label: Option<String>,
        word: Option<SampleWord>,
        #[serde(default)]
        #[schemars(length(max = 3), inner(length(min = 1, max = 7)))]
        paths: Vec<String>,
        inner: Option<Inner>,
        #[schemars(length(min = 1, max = 5))]
        query: String,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum SampleWord {
        One,
        Two,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Inner {
        #[schemars(range(min = 0, max = 3))]
        depth: Option<u8>,
    }

    fn twenty() -> u32 {
        20
    }

    #[test]
    fn schemas_are_portable_and_name_what_is_required_first() {
        let schema = input::<SchemaSample>(SharedArguments { repo_root: true, rev: true });
        let lines: Vec<String> = schema["properties"]
            .as_object()
            .expect("an object")
            .iter()
            .map(|(name, property)| format!("{name} {property}"))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        query {"type":"string","minLength":1,"maxLength":5}
        limit {"type":"integer","minimum":1,"description":"How many.","maximum":50,"default":20}
        label {"type":"string","maxLength":9}
        word {"type":"string","enum":["one","two"]}
        paths {"type":"array","items":{"type":"string","minLength":1,"maxLength":7},"maxItems":3}
        inner {"type":"object","properties":{"depth":{"type":"integer","minimum":0,"maximum":3}}}
        repo_root {"type":"string"}
        rev {"type":"string"}
        "#);
        assert_eq!(schema["required"], json!(["query"]));
        assert_eq!(schema["additionalProperties"], json!(false));
    }
}
