//! Reads the fields of one record one by one, and knows which fields are left over.

use icr_model::UnixMillis;
use serde_json::{Map, Value};

use super::archive::OrderedWords;
use crate::memory::YEAR_10000;
use crate::{CodeBinding, RecordId};

/// The fields of a JSON object. Each is read once. Errors are sentences that name the field.
pub(crate) struct Fields {
    fields: Map<String, Value>,
    taken: Vec<&'static str>,
}

impl Fields {
    pub(crate) fn new(fields: Map<String, Value>) -> Self {
        Self { fields, taken: Vec::new() }
    }

    pub(crate) fn text(&mut self, name: &'static str) -> Result<String, String> {
        self.text_or_none(name)?.ok_or_else(|| format!("`{name}` is missing; it is a text"))
    }

    pub(crate) fn text_or_none(&mut self, name: &'static str) -> Result<Option<String>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(not_a(name, &other, "a text")),
        }
    }

    pub(crate) fn id(&mut self, name: &'static str) -> Result<RecordId, String> {
        let text = self.text(name)?;
        RecordId::try_from(text).map_err(|error| format!("`{name}`: {error}"))
    }

    pub(crate) fn id_or_none(&mut self, name: &'static str) -> Result<Option<RecordId>, String> {
        let text = self.text_or_none(name)?;
        text.map(|text| RecordId::try_from(text).map_err(|error| format!("`{name}`: {error}"))).transpose()
    }

    /// A field whose text is one of a few words.
    pub(crate) fn word<T>(
        &mut self,
        name: &'static str,
        of: impl Fn(&str) -> Option<T>,
        words: &[&str],
    ) -> Result<T, String> {
        let word = self.text(name)?;
        of(&word).ok_or_else(|| format!("`{name}` is `{word}`; it is one of {}", words.join(", ")))
    }

    /// A list of texts; empty if the field is missing.
    pub(crate) fn words(&mut self, name: &'static str) -> Result<OrderedWords, String> {
        let Some(value) = self.take(name) else { return Ok(OrderedWords::default()) };
        let Value::Array(values) = value else { return Err(not_a(name, &value, "a list of texts")) };
        let word = |value: Value| match value {
            Value::String(word) => Ok(word),
            other => Err(format!("`{name}` holds {}; it is a list of texts", describe_value(&other))),
        };
        Ok(OrderedWords(values.into_iter().map(word).collect::<Result<_, _>>()?))
    }

    /// A list of ids; empty if the field is missing.
    pub(crate) fn ids(&mut self, name: &'static str) -> Result<OrderedWords, String> {
        let words = self.words(name)?;
        let wrong = words.0.iter().find_map(|word| RecordId::try_from(word.as_str()).err());
        wrong.map_or(Ok(words), |error| Err(format!("`{name}`: {error}")))
    }

    pub(crate) fn integer(&mut self, name: &'static str) -> Result<i64, String> {
        let value = self.take(name).ok_or_else(|| format!("`{name}` is missing; it is a whole number"))?;
        value.as_i64().ok_or_else(|| not_a(name, &value, "a whole number"))
    }

    pub(crate) fn count(&mut self, name: &'static str) -> Result<u32, String> {
        let number = self.integer(name)?;
        u32::try_from(number).map_err(|_| format!("`{name}` is {number}; it is between 0 and {}", u32::MAX))
    }

    /// A time, which is written in milliseconds since 1970.
    pub(crate) fn time(&mut self, name: &'static str) -> Result<UnixMillis, String> {
        self.time_or_none(name)?.ok_or_else(|| format!("`{name}` is missing; it is a time in milliseconds since 1970"))
    }

    pub(crate) fn time_or_none(&mut self, name: &'static str) -> Result<Option<UnixMillis>, String> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let time = value.as_i64().ok_or_else(|| not_a(name, &value, "a time in milliseconds since 1970"))?;
        if (-(YEAR_10000.0 - 1)..=(YEAR_10000.0 - 1)).contains(&time) {
            return Ok(Some(UnixMillis(time)));
        }
        Err(format!("`{name}` is {time}; a time is in milliseconds since 1970 and before the year 10000"))
    }

    /// A finite number.
    pub(crate) fn number(&mut self, name: &'static str) -> Result<f64, String> {
        let value = self.take(name).ok_or_else(|| format!("`{name}` is missing; it is a number"))?;
        let number = value.as_f64().filter(|number| number.is_finite());
        number.ok_or_else(|| not_a(name, &value, "a number"))
    }

    /// A number between 0 and 1.
    pub(crate) fn share(&mut self, name: &'static str) -> Result<f64, String> {
        let number = self.number(name)?;
        if (0.0..=1.0).contains(&number) {
            Ok(number)
        } else {
            Err(format!("`{name}` is {number}; it is between 0 and 1"))
        }
    }

    /// A boolean; false if the field is missing.
    pub(crate) fn flag(&mut self, name: &'static str) -> Result<bool, String> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(not_a(name, &other, "true or false")),
        }
    }

    /// The places in code that a memory is about.
    pub(crate) fn code(&mut self, name: &'static str) -> Result<Option<CodeBinding>, String> {
        let Some(value) = self.take(name) else { return Ok(None) };
        serde_json::from_value(value).map(Some).map_err(|error| format!("`{name}`: {error}"))
    }

    /// Refuses fields that were not read: no record of this kind has them.
    pub(crate) fn unknown(&self) -> Result<(), String> {
        let Some(name) = self.names().next() else { return Ok(()) };
        let near = self.taken.iter().find(|taken| is_near(taken, name));
        let hint = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
        Err(format!("`{name}`{hint} is no field"))
    }

    /// Names of the fields that were not read.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// Takes the value of a field; `None` for a missing field or `null`.
    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.taken.push(name);
        self.fields.remove(name).filter(|value| !value.is_null())
    }
}

/// Whether two names differ in one letter.
fn is_near(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let rest = (&a[start..], &b[start..]);
    let end = rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(a, b)| a == b).count();
    let differs = (rest.0.len() - end, rest.1.len() - end);
    differs.0.max(differs.1) <= 1
}

fn not_a(name: &str, value: &Value, right: &str) -> String {
    format!("`{name}` is {}; it is {right}", describe_value(value))
}

/// Longest value that an error shows, in characters.
const SHOWN: usize = 40;

/// A value in the form that an error shows.
fn describe_value(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > SHOWN => {
            format!("the text `{}…`", text.chars().take(SHOWN).collect::<String>())
        }
        Value::String(text) => format!("the text `{text}`"),
        other => other.to_string(),
    }
}
