//! Checks arguments against the schema that the tool shows to clients.

use icr_model::similar_names;
use serde_json::{Number, Value, json};

use crate::failure::{CallFailure, Violation, truncate_text};
use crate::schema::JsonObject;

/// The checked arguments. Arguments that are `null` are removed, since some clients send `null` for omitted ones. Whole
/// numbers that came as `20.0` become integers.
///
/// # Errors
///
/// A validation error for the first argument that breaks the schema. Unknown arguments are reported first, then the
/// others in the order of the schema.
pub fn validated(schema: &JsonObject, arguments: JsonObject) -> Result<JsonObject, CallFailure> {
    object("", schema, arguments)
}

/// `path` is empty for the arguments themselves, and otherwise ends in a dot.
fn object(path: &str, schema: &JsonObject, mut given: JsonObject) -> Result<JsonObject, CallFailure> {
    let no_properties = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&no_properties);
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        unknown(path, properties, &given)?;
    }
    let is_required = |name: &str| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let mut read = JsonObject::new();
    for (name, property) in properties {
        let field = format!("{path}{name}");
        match given.remove(name) {
            None if is_required(name) => {
                let article = type_name(property);
                return Err(CallFailure::validation(Violation {
                    field: &field,
                    constraint: "required",
                    value: &Value::Null,
                    allowed: json!(article),
                    problem: format!("is missing; it must be {}", with_article(article)),
                }));
            }
            Some(Value::Null) if !is_required(name) => {}
            None => {}
            Some(given) => drop(read.insert(name.clone(), value(&field, property, given)?)),
        }
    }
    read.extend(given);
    Ok(read)
}

fn unknown(path: &str, properties: &JsonObject, given: &JsonObject) -> Result<(), CallFailure> {
    let Some((name, value)) = given.iter().find(|(name, _)| !properties.contains_key(*name)) else { return Ok(()) };
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    let problem = match similar_names(name, names.iter().copied(), 1).first() {
        Some(suggestion) => format!("is not an argument here; did you mean `{path}{suggestion}`?"),
        None => "is not an argument here".to_owned(),
    };
    Err(CallFailure::validation(Violation {
        field: &truncate_text(&format!("{path}{name}")),
        constraint: "additionalProperties",
        value,
        allowed: json!(names),
        problem,
    }))
}

fn value(field: &str, schema: &Value, given: Value) -> Result<Value, CallFailure> {
    let Some(schema) = schema.as_object() else { return Ok(given) };
    let given = coerce_to_type(field, schema, given)?;
    let violation = |constraint: &str, allowed: Value, problem: String| {
        CallFailure::validation(Violation { field, constraint, value: &given, allowed, problem })
    };
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.contains(&given)
    {
        let names: Vec<String> = words.iter().map(|word| word.as_str().unwrap_or_default().to_owned()).collect();
        let similar = similar_names(given.as_str().unwrap_or_default(), names.iter().map(String::as_str), 1);
        let suggestion = similar.first().map(|word| format!("; did you mean `{word}`?")).unwrap_or_default();
        let problem = format!("must be one of {}{suggestion}", names.join(", "));
        return Err(violation("enum", Value::Array(words.clone()), problem));
    }
    for (constraint, is_broken, words) in bounds(&given) {
        if let Some(bound) = schema.get(*constraint)
            && is_broken(&given, bound)
        {
            let measured = measure(&given);
            let problem = format!("is {measured}; allowed: {} {bound}{}", words.0, words.1);
            return Err(violation(constraint, bound.clone(), problem));
        }
    }
    match given {
        Value::Array(items) => {
            let inner = schema.get("items").unwrap_or(&Value::Null);
            let items = items.into_iter().enumerate();
            items.map(|(at, item)| value(&format!("{field}[{at}]"), inner, item)).collect()
        }
        Value::Object(inner) => object(&format!("{field}."), schema, inner).map(Value::Object),
        other => Ok(other),
    }
}

/// `given` if it is of the type that the schema names.
fn coerce_to_type(field: &str, schema: &JsonObject, given: Value) -> Result<Value, CallFailure> {
    let Some(wanted) = schema.get("type").and_then(Value::as_str) else { return Ok(given) };
    let given = match (wanted, &given) {
        // JSON Schema counts `20.0` as an integer; clients in languages without integers send it.
        ("integer", Value::Number(number)) => exact_integer(number).map_or(given, Value::Number),
        _ => given,
    };
    let fits = match wanted {
        // A whole number that is too large to be an integer here is reported by its bound.
        "integer" => given.is_i64() || given.is_u64() || is_whole(&given) && breaks_bound(schema, &given),
        "number" => given.is_number(),
        "string" => given.is_string(),
        "boolean" => given.is_boolean(),
        "array" => given.is_array(),
        "object" => given.is_object(),
        _ => true,
    };
    if fits {
        return Ok(given);
    }
    let problem = format!("must be {}, not {}", with_article(wanted), type_of(&given));
    let allowed = json!(wanted);
    Err(CallFailure::validation(Violation { field, constraint: "type", value: &given, allowed, problem }))
}

/// For each keyword: whether a value breaks its bound, and the words before and after the bound in the message.
type BoundKeyword = (&'static str, fn(&Value, &Value) -> bool, (&'static str, &'static str));

fn bounds(given: &Value) -> &'static [BoundKeyword] {
    const NUMBERS: &[BoundKeyword] = &[
        ("minimum", |value, bound| number(value) < number(bound), ("at least", "")),
        ("maximum", |value, bound| number(value) > number(bound), ("at most", "")),
    ];
    const TEXTS: &[BoundKeyword] = &[
        ("minLength", |value, bound| characters(value) < number(bound), ("at least", " characters")),
        ("maxLength", |value, bound| characters(value) > number(bound), ("at most", " characters")),
    ];
    const LISTS: &[BoundKeyword] = &[
        ("minItems", |value, bound| items(value) < number(bound), ("at least", " items")),
        ("maxItems", |value, bound| items(value) > number(bound), ("at most", " items")),
    ];
    match given {
        Value::Number(_) => NUMBERS,
        Value::String(_) => TEXTS,
        Value::Array(_) => LISTS,
        _ => &[],
    }
}

/// Whether `given` breaks a bound of `schema`.
fn breaks_bound(schema: &JsonObject, given: &Value) -> bool {
    let is_broken = |(constraint, is_broken, _): &BoundKeyword| {
        schema.get(*constraint).is_some_and(|bound| is_broken(given, bound))
    };
    bounds(given).iter().any(is_broken)
}

fn is_whole(value: &Value) -> bool {
    value.as_f64().is_some_and(|value| value.fract() == 0.0)
}

/// Numbers of arguments and their bounds are whole and small, or so large that rounding them does not matter.
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn characters(value: &Value) -> f64 {
    value.as_str().map_or(0.0, |text| text.chars().count() as f64)
}

fn items(value: &Value) -> f64 {
    value.as_array().map_or(0.0, |items| items.len() as f64)
}

fn measure(value: &Value) -> String {
    match value {
        Value::String(_) => format!("{} characters long", characters(value)),
        Value::Array(_) => format!("{} items long", items(value)),
        other => truncate_text(&other.to_string()),
    }
}

/// A whole number that was written as a fraction, where it is small enough to be exact.
fn exact_integer(number: &Number) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = number.as_f64().filter(|_| number.is_f64())?;
    (value.fract() == 0.0 && value.abs() <= EXACT).then(|| Number::from(value as i64))
}

fn type_name(schema: &Value) -> &str {
    schema.get("type").and_then(Value::as_str).unwrap_or("value")
}

fn with_article(name: &str) -> String {
    match name.as_bytes().first() {
        Some(b'a' | b'e' | b'i' | b'o') => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

fn type_of(given: &Value) -> &'static str {
    match given {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() && is_whole(given) => "a number that is too large",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> JsonObject {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "maxLength": 3},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50},
                "scope": {"type": "string", "enum": ["repo", "diffs"]},
                "paths": {"type": "array", "maxItems": 2, "items": {"type": "string", "minLength": 1}},
                "budget": {"type": "object", "properties": {"steps": {"type": "integer", "maximum": 12}}, "additionalProperties": false},
                "line": {"type": "integer"},
                "params": {"type": "object"},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        schema.as_object().expect("an object").clone()
    }

    fn validate(arguments: Value) -> Result<Value, CallFailure> {
        validated(&schema(), arguments.as_object().expect("an object").clone()).map(Value::Object)
    }

    #[track_caller]
    fn check(arguments: Value, field: &str, constraint: &str, message: &str) {
        let failure = validate(arguments).expect_err("a violation");
        assert_eq!(
            (failure.details["field"].as_str(), failure.details["constraint"].as_str(), failure.message.as_str()),
            (Some(field), Some(constraint), message),
        );
    }

    #[test]
    fn violations_name_field_constraint_value_and_bound() {
        check(json!({}), "query", "required", "`query` is missing; it must be a string");
        check(json!({"query": null}), "query", "type", "`query` must be a string, not null");
        check(
            json!({"query": ""}),
            "query",
            "minLength",
            "`query` is 0 characters long; allowed: at least 1 characters",
        );
        check(
            json!({"query": "äöüß"}),
            "query",
            "maxLength",
            "`query` is 4 characters long; allowed: at most 3 characters",
        );
        check(json!({"query": "a", "limit": 51}), "limit", "maximum", "`limit` is 51; allowed: at most 50");
        check(json!({"query": "a", "limit": -1}), "limit", "minimum", "`limit` is -1; allowed: at least 1");
        check(json!({"query": "a", "limit": "5"}), "limit", "type", "`limit` must be an integer, not a string");
        check(
            json!({"query": "a", "limit": 1.5}),
            "limit",
            "type",
            "`limit` must be an integer, not a number with a fraction",
        );
        check(json!({"query": "a", "limit": 1e20}), "limit", "maximum", "`limit` is 1e+20; allowed: at most 50");
        check(json!({"query": "a", "limit": -1e20}), "limit", "minimum", "`limit` is -1e+20; allowed: at least 1");
        check(
            json!({"query": "a", "line": 1e20}),
            "line",
            "type",
            "`line` must be an integer, not a number that is too large",
        );
        check(
            json!({"query": "a", "scope": "repos"}),
            "scope",
            "enum",
            "`scope` must be one of repo, diffs; did you mean `repo`?",
        );
        check(
            json!({"query": "a", "paths": ["a", "b", "c"]}),
            "paths",
            "maxItems",
            "`paths` is 3 items long; allowed: at most 2 items",
        );
        check(
            json!({"query": "a", "paths": ["a", ""]}),
            "paths[1]",
            "minLength",
            "`paths[1]` is 0 characters long; allowed: at least 1 characters",
        );
        check(
            json!({"query": "a", "budget": {"steps": 13}}),
            "budget.steps",
            "maximum",
            "`budget.steps` is 13; allowed: at most 12",
        );
        check(
            json!({"query": "a", "qery": 1}),
            "qery",
            "additionalProperties",
            "`qery` is not an argument here; did you mean `query`?",
        );
        check(
            json!({"query": "a", "budget": {"step": 1}}),
            "budget.step",
            "additionalProperties",
            "`budget.step` is not an argument here; did you mean `budget.steps`?",
        );
    }

    #[test]
    fn what_is_in_bounds_is_read_without_nulls_and_with_whole_numbers() {
        let read = validate(json!({"query": "äöü", "limit": 50.0, "scope": null, "params": {"any": [1]}}));
        assert_eq!(read, Ok(json!({"query": "äöü", "limit": 50, "params": {"any": [1]}})));
    }

    #[test]
    fn long_values_are_cut_in_what_is_repeated() {
        let failure = validate(json!({"query": "x".repeat(5_000)})).expect_err("too long");
        assert_eq!(failure.details["value"].as_str().map(|text| text.chars().count()), Some(81));
    }
}
