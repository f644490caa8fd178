//! Parameters that come from the answer of an earlier step.
//!
//! `{"$from": "steps[1].results[0].path"}` stands for a value, wherever one can stand: step 1's answer, its field
//! `results`, the first element, the field `path`. `[*]` stands for all elements; what it gives is a list, whose elements
//! take the reference's place where that stands in a list itself.

use serde_json::{Map, Value};

use crate::error::Error;

/// The key of a reference.
const FROM: &str = "$from";

/// `params` with every reference replaced by what `answers` say; the first of `answers` is that of step 1.
///
/// # Errors
///
/// [`Error::Invalid`] when a reference is malformed, or leads to nothing: the step then has nothing to work on.
pub fn resolve_params(params: &Map<String, Value>, answers: &[Value]) -> Result<Map<String, Value>, Error> {
    params.iter().map(|(name, value)| Ok((name.clone(), resolved(value, answers)?))).collect()
}

/// The value of a reference to `path` of the answer of step `step`.
pub(super) fn from_step(step: usize, path: &str) -> Value {
    serde_json::json!({ FROM: format!("steps[{step}].{path}") })
}

fn resolved(value: &Value, answers: &[Value]) -> Result<Value, Error> {
    match value {
        Value::Object(object) => match reference_of(object) {
            Some(reference) => follow(reference, answers),
            None => resolve_params(object, answers).map(Value::Object),
        },
        Value::Array(elements) => {
            let mut all = Vec::new();
            for element in elements {
                let is_reference = element.as_object().is_some_and(|object| reference_of(object).is_some());
                match resolved(element, answers)? {
                    Value::Array(many) if is_reference => all.extend(many),
                    one => all.push(one),
                }
            }
            Ok(Value::Array(all))
        }
        plain => Ok(plain.clone()),
    }
}

fn reference_of(object: &Map<String, Value>) -> Option<&str> {
    if object.len() == 1 { object.get(FROM)?.as_str() } else { None }
}

/// Follows `steps[N].field[index].field`.
fn follow(reference: &str, answers: &[Value]) -> Result<Value, Error> {
    let malformed =
        || Error::invalid(FROM, "`steps[N].field`, with `[index]` or `[*]` after a list", format!("`{reference}`"));
    let missing =
        || Error::invalid(FROM, "a value that an earlier step answered", format!("`{reference}`, which has none"));
    let mut parts = reference.split('.').map(part_of);
    let (name, indices) = parts.next().flatten().ok_or_else(malformed)?;
    let [Index::At(step)] = indices[..] else { return Err(malformed()) };
    if name != "steps" {
        return Err(malformed());
    }
    let answer = step.checked_sub(1).and_then(|at| answers.get(at)).ok_or_else(missing)?;
    let mut found = vec![answer];
    let mut is_list = false;
    for part in parts {
        let (name, indices) = part.ok_or_else(malformed)?;
        found = found.into_iter().filter_map(|value| value.get(name)).collect();
        for index in indices {
            found = match index {
                Index::At(at) => found.into_iter().filter_map(|value| value.get(at)).collect(),
                Index::All => found.into_iter().filter_map(Value::as_array).flatten().collect(),
            };
            is_list |= index == Index::All;
        }
    }
    match (is_list, found.as_slice()) {
        (true, found) => Ok(Value::Array(found.iter().map(|value| (*value).clone()).collect())),
        (false, [value]) => Ok((*value).clone()),
        (false, _) => Err(missing()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Index {
    At(usize),
    All,
}

/// `results[0]` as its name and its indices.
fn part_of(part: &str) -> Option<(&str, Vec<Index>)> {
    let (name, rest) = part.split_at(part.find('[').unwrap_or(part.len()));
    let mut indices = Vec::new();
    for index in rest.split_inclusive(']') {
        let inside = index.strip_prefix('[')?.strip_suffix(']')?;
        indices.push(if inside == "*" { Index::All } else { Index::At(inside.parse().ok()?) });
    }
    (!name.is_empty()).then_some((name, indices))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(params: Value, expected: Result<Value, &str>) {
        let answers = [
            json!({"results": [{"path": "a.rs", "start_line": 3}, {"path": "b.rs"}]}),
            json!({"results": [{"path": "c.rs"}], "grid": [[1, 2], [3]]}),
        ];
        let params = params.as_object().expect("an object").clone();
        let found = resolve_params(&params, &answers).map(Value::Object).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn references_become_values() {
        check(
            json!({"path": from_step(1, "results[0].path"), "start_line": from_step(1, "results[0].start_line"), "n": 5}),
            Ok(json!({"path": "a.rs", "start_line": 3, "n": 5})),
        );
        check(json!({"a": from_step(1, "results[*].start_line")}), Ok(json!({"a": [3]})));
        check(
            json!({"inputs": [from_step(1, "results[*].path"), "x", from_step(2, "results[*].path"), ["y"]]}),
            Ok(json!({"inputs": ["a.rs", "b.rs", "x", "c.rs", ["y"]]})),
        );
        check(json!({"a": {"b": from_step(2, "grid[0][1]")}}), Ok(json!({"a": {"b": 2}})));
        check(json!({"a": from_step(2, "grid[*][*]")}), Ok(json!({"a": [1, 2, 3]})));
        check(json!({"a": {"$from": "x", "b": 1}}), Ok(json!({"a": {"$from": "x", "b": 1}})));
    }

    #[test]
    fn references_to_nothing_are_errors() {
        let missing = |reference: &str| {
            Err(format!("`$from` is `{reference}`, which has none; allowed: a value that an earlier step answered"))
        };
        for reference in ["steps[0].results", "steps[3].results", "steps[1].results[2].path", "steps[1].paths"] {
            let expected = missing(reference);
            check(json!({"a": {"$from": reference}}), expected.as_ref().map(|()| json!(null)).map_err(String::as_str));
        }
        let malformed = "allowed: `steps[N].field`, with `[index]` or `[*]` after a list";
        for reference in
            ["", "steps", "steps[*].a", "step[1].a", "steps[1]..a", "steps[1].a[", "steps[1].a[-1]", "steps[1]x.a"]
        {
            let expected = format!("`$from` is `{reference}`; {malformed}");
            check(json!({"a": {"$from": reference}}), Err(&expected));
        }
    }
}
