//! The arguments of a call.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::bounds::{INPUT_BYTES_MOST, MASKING_SLACK, cut};

/// Most values that are kept of an input. Arguments of tools have a few dozen; copying this many takes a few
/// microseconds.
const VALUES_MOST: usize = 200;

/// Deepest nesting of values that is kept; arguments of tools are nested three deep.
const DEPTH_MOST: usize = 16;

/// The mark that replaces what was cut off.
const ELLIPSIS: &str = "…";

/// The arguments of a call as JSON. Long strings and lists are cut inside, so that the result is still JSON.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Value")]
pub struct CallInput(Value);

impl CallInput {
    /// Copies as much of `value` as masking needs to see. Cost: copying at most 12 kB, whatever the size of `value`.
    pub fn new(value: &Value) -> Self {
        Self(Budget::of(INPUT_BYTES_MOST + 2 * MASKING_SLACK).copy(value, 0))
    }

    /// The JSON.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// The JSON, for masking.
    pub(crate) fn value_mut(&mut self) -> &mut Value {
        &mut self.0
    }

    /// Cuts the masked JSON to its bound.
    pub(crate) fn cut(&mut self) {
        let mut bytes = INPUT_BYTES_MOST;
        // The first cut did not count the extra bytes of letters that JSON escapes.
        while json_bytes(&self.0) > INPUT_BYTES_MOST && bytes > 0 {
            self.0 = Budget::of(bytes).copy(&self.0, 0);
            bytes /= 2;
        }
    }

    /// Approximate bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        memory_bytes(&self.0)
    }
}

impl From<Value> for CallInput {
    fn from(value: Value) -> Self {
        Self::new(&value)
    }
}

/// How much may still be copied.
struct Budget {
    bytes: usize,
    values: usize,
}

impl Budget {
    fn of(bytes: usize) -> Self {
        Self { bytes, values: VALUES_MOST }
    }

    fn copy(&mut self, value: &Value, depth: usize) -> Value {
        self.values = self.values.saturating_sub(1);
        if depth > DEPTH_MOST {
            return Value::from(ELLIPSIS);
        }
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(values) => {
                self.spend(2);
                let mut kept = Vec::new();
                for value in values {
                    if self.is_spent() {
                        kept.push(Value::from(ELLIPSIS));
                        break;
                    }
                    self.spend(1);
                    kept.push(self.copy(value, depth + 1));
                }
                Value::Array(kept)
            }
            Value::Object(fields) => {
                self.spend(2);
                let mut kept = Map::new();
                for (name, value) in fields {
                    if self.is_spent() {
                        kept.insert(ELLIPSIS.to_owned(), Value::Null);
                        break;
                    }
                    self.spend(2);
                    let name = self.text(name);
                    let value = self.copy(value, depth + 1);
                    kept.insert(name, value);
                }
                Value::Object(kept)
            }
            // A number has at most 24 digits and signs.
            Value::Number(_) => {
                self.spend(24);
                value.clone()
            }
            Value::Null | Value::Bool(_) => {
                self.spend(5);
                value.clone()
            }
        }
    }

    fn text(&mut self, text: &str) -> String {
        let mut kept = text[..text.floor_char_boundary(self.bytes.saturating_add(4))].to_owned();
        cut(&mut kept, self.bytes);
        self.spend(kept.len() + 2);
        kept
    }

    fn spend(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    fn is_spent(&self) -> bool {
        self.bytes == 0 || self.values == 0
    }
}

/// Approximate bytes of `value` in memory.
fn memory_bytes(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::String(text) => text.capacity(),
            Value::Array(values) => values.iter().map(memory_bytes).sum(),
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| size_of::<Value>() + name.capacity() + memory_bytes(value)).sum()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}

/// Bytes of `value` as JSON text.
fn json_bytes(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).expect("values of JSON can be written, and counting does not fail");
    count.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn cut_value(value: &Value) -> Value {
        let mut input = CallInput::new(value);
        assert!(input.bytes() <= INPUT_BYTES_MOST + 3 * MASKING_SLACK + 200 * VALUES_MOST, "{}", input.bytes());
        input.cut();
        assert!(json_bytes(&input.0) <= INPUT_BYTES_MOST, "{}", input.0);
        input.0
    }

    #[test]
    fn a_small_input_is_kept_as_it_is() {
        let value = json!({"query": "a \u{0} b \\ud83d é", "limit": 3, "paths": ["a", null, true, -1.5e300]});
        assert_eq!(cut_value(&value), value);
    }

    #[test]
    fn a_large_one_is_cut_and_stays_json() {
        for value in [
            json!({"query": "word ".repeat(2 << 20), "limit": 3}),
            json!({"query": "\u{1}".repeat(10 << 20)}),
            json!(vec![""; 1 << 20]),
            json!(vec![vec![1]; 100_000]),
            json!((0..10_000).map(|at| (at.to_string(), json!(at))).collect::<Map<_, _>>()),
            (0..100).fold(json!("deep"), |inner, _| json!([inner])),
        ] {
            let kept = cut_value(&value).to_string();
            assert!(kept.contains('…') && kept.len() > 2, "{kept}");
        }
        let shown = cut_value(&json!({"query": "word ".repeat(2 << 20)})).to_string();
        assert!(shown.starts_with("{\"query\":\"word word") && shown.len() > INPUT_BYTES_MOST / 2, "{}", shown.len());
    }
}
