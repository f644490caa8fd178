//! Values of configuration keys: parsed from TOML or text and checked against the key's row.

use std::fmt;

use icr_engine::accept_list_problems;
use icr_model::is_lower_hexadecimal;
use toml::Value as Toml;

use super::table::{Key, KeyType};

/// A checked value. Words and paths are texts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number within the bounds of its key.
    Integer(i64),
    /// A finite number within the bounds of its key.
    Float(f64),
    /// Text without NUL; empty means unset.
    Text(String),
    /// Texts without NUL, in the order given.
    List(Vec<String>),
    /// Entries of an accept list, each without mistakes.
    Tables(Vec<toml::Table>),
    /// A duration in milliseconds.
    Duration(u64),
}

impl Value {
    /// The built-in value of `key`.
    pub(crate) fn built_in(key: &Key) -> Self {
        let list = |texts: &[&str]| Self::List(texts.iter().map(|text| (*text).to_owned()).collect());
        match key.kind {
            KeyType::Bool { default } => Self::Bool(default),
            KeyType::Integer { default, .. } => Self::Integer(default),
            KeyType::Float { default, .. } => Self::Float(default),
            KeyType::Text { default } | KeyType::Path { default } | KeyType::Word { default, .. } => {
                Self::Text(default.to_owned())
            }
            KeyType::Hex { .. } => Self::Text(String::new()),
            KeyType::List { default } | KeyType::WordList { default, .. } => list(default),
            KeyType::AcceptList => Self::Tables(Vec::new()),
            KeyType::Duration { default_ms, .. } => Self::Duration(default_ms),
        }
    }

    /// `toml` as a value of `key`; `None` if the key does not allow it ([`Key::describe_allowed_values`] says what is
    /// allowed).
    pub(crate) fn from_toml(key: &Key, toml: &Toml) -> Option<Self> {
        let value = match (&key.kind, toml) {
            (KeyType::Bool { .. }, Toml::Boolean(value)) => Self::Bool(*value),
            (KeyType::Integer { .. }, Toml::Integer(value)) => Self::Integer(*value),
            (KeyType::Float { .. }, Toml::Float(value)) => Self::Float(*value),
            // Whole numbers in the range of any key are exact as floats; larger ones are rejected by the range check.
            (KeyType::Float { .. }, Toml::Integer(value)) => Self::Float(*value as f64),
            (KeyType::Duration { .. }, Toml::String(text)) => Self::Duration(duration(text)?),
            (KeyType::List { .. } | KeyType::WordList { .. }, Toml::Array(items)) => {
                Self::List(items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<_>>()?)
            }
            (KeyType::AcceptList, Toml::Array(items)) => {
                Self::Tables(items.iter().map(|item| item.as_table().cloned()).collect::<Option<_>>()?)
            }
            (
                KeyType::Text { .. } | KeyType::Hex { .. } | KeyType::Path { .. } | KeyType::Word { .. },
                Toml::String(text),
            ) => Self::Text(text.clone()),
            _ => return None,
        };
        value.validate_for(key)
    }

    /// `text` as a value of `key`, as given in environment variables, flags and `config set`. A list is separated by
    /// commas or written as in TOML; a switch may be `1`, `yes` or `on`. `None` as in [`Value::from_toml`].
    pub(crate) fn from_text(key: &Key, text: &str) -> Option<Self> {
        let trimmed = text.trim();
        let value = match key.kind {
            KeyType::Bool { .. } => Self::Bool(switch(trimmed)?),
            KeyType::Integer { .. } => Self::Integer(trimmed.parse().ok()?),
            KeyType::Float { .. } => Self::Float(trimmed.parse().ok()?),
            KeyType::Duration { .. } => Self::Duration(duration(trimmed)?),
            KeyType::List { .. } | KeyType::WordList { .. } if trimmed.starts_with('[') => {
                let document: toml::Table = toml::from_str(&format!("list = {trimmed}")).ok()?;
                // A line break would let the text hold further entries.
                return if document.len() == 1 { Self::from_toml(key, document.get("list")?) } else { None };
            }
            KeyType::List { .. } | KeyType::WordList { .. } => Self::List(
                trimmed.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect(),
            ),
            // Entries of an accept list do not fit in one line.
            KeyType::AcceptList => return None,
            KeyType::Word { .. } | KeyType::Hex { .. } => Self::Text(trimmed.to_owned()),
            KeyType::Text { .. } | KeyType::Path { .. } => Self::Text(text.to_owned()),
        };
        value.validate_for(key)
    }

    /// The value in the table's spelling, if it is within the limits of `key`.
    pub(crate) fn validate_for(self, key: &Key) -> Option<Self> {
        let allowed = match (&key.kind, &self) {
            (KeyType::Bool { .. }, Self::Bool(_)) => true,
            (KeyType::Integer { min, max, .. }, Self::Integer(value)) => (min..=max).contains(&value),
            // `contains` is false for NaN.
            (KeyType::Float { min, max, .. }, Self::Float(value)) => (min..=max).contains(&value),
            (KeyType::Duration { min_ms, max_ms, .. }, Self::Duration(value)) => (min_ms..=max_ms).contains(&value),
            (KeyType::Text { .. } | KeyType::Path { .. }, Self::Text(text)) => {
                !text.contains('\0') && key.misspelled(text).is_none()
            }
            (KeyType::Hex { digits }, Self::Text(text)) => {
                text.is_empty() || (text.len() == *digits && is_lower_hexadecimal(text))
            }
            (KeyType::List { .. }, Self::List(items)) => items.iter().all(|item| !item.contains('\0')),
            (KeyType::AcceptList, Self::Tables(_)) => accept_list_problems(&self.to_toml()).is_empty(),
            (KeyType::Word { words, mapped, .. }, Self::Text(text)) => {
                let mapped = mapped.iter().find(|(from, _)| from.eq_ignore_ascii_case(text)).map(|(_, to)| *to);
                return mapped.or_else(|| canonical(words, text)).map(|word| Self::Text(word.to_owned()));
            }
            (KeyType::WordList { words, .. }, Self::List(items)) => {
                let items: Option<Vec<String>> =
                    items.iter().map(|item| canonical(words, item).map(str::to_owned)).collect();
                return items.map(Self::List);
            }
            _ => false,
        };
        allowed.then_some(self)
    }

    /// The value as TOML, which `from_toml` reads back.
    pub(crate) fn to_toml(&self) -> Toml {
        match self {
            Self::Bool(value) => Toml::Boolean(*value),
            Self::Integer(value) => Toml::Integer(*value),
            Self::Float(value) => Toml::Float(*value),
            Self::Text(text) => Toml::String(text.clone()),
            Self::List(items) => Toml::Array(items.iter().cloned().map(Toml::String).collect()),
            Self::Tables(tables) => Toml::Array(tables.iter().cloned().map(Toml::Table).collect()),
            Self::Duration(milliseconds) => Toml::String(duration_text(*milliseconds)),
        }
    }

    /// The value as JSON; a duration is its text.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Bool(value) => (*value).into(),
            Self::Integer(value) => (*value).into(),
            Self::Float(value) => (*value).into(),
            Self::Text(text) => text.clone().into(),
            Self::List(items) => items.clone().into(),
            Self::Tables(tables) => {
                let table = |table: &toml::Table| -> serde_json::Map<String, serde_json::Value> {
                    table.iter().map(|(field, value)| (field.clone(), field_text(value).into())).collect()
                };
                tables.iter().map(table).collect::<Vec<_>>().into()
            }
            Self::Duration(milliseconds) => duration_text(*milliseconds).into(),
        }
    }
}

/// The value as TOML on one line.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // TOML would spread a text with line breaks over several lines.
            Self::Text(text) => f.write_str(&basic_string(text)),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| basic_string(item)).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Self::Tables(tables) => {
                let field = |(name, value): (&String, &Toml)| format!("{name} = {}", basic_string(&field_text(value)));
                let table =
                    |table: &toml::Table| format!("{{ {} }}", table.iter().map(field).collect::<Vec<_>>().join(", "));
                write!(f, "[{}]", tables.iter().map(table).collect::<Vec<_>>().join(", "))
            }
            Self::Duration(milliseconds) => write!(f, "\"{}\"", duration_text(*milliseconds)),
            other => write!(f, "{}", other.to_toml()),
        }
    }
}

/// A duration in its largest whole unit: `1500ms`, `30s`, `7d`. Weeks are read but not written.
pub(crate) fn duration_text(milliseconds: u64) -> String {
    if milliseconds == 0 {
        return "0s".to_owned();
    }
    let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)];
    match units.into_iter().find(|(_, unit)| milliseconds.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{}{name}", milliseconds / unit),
        None => format!("{milliseconds}ms"),
    }
}

/// Parses a switch: `true`, `1`, `yes`, `on` or their opposites, ignoring case.
pub(crate) fn switch(text: &str) -> Option<bool> {
    let is = |words: [&str; 4]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is(["true", "1", "yes", "on"]) {
        Some(true)
    } else if is(["false", "0", "no", "off"]) {
        Some(false)
    } else {
        None
    }
}

/// Parses a whole number with a unit into milliseconds; `None` without a unit, because the unit would be ambiguous.
pub(crate) fn duration(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim_start() {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        "w" => 604_800_000,
        _ => return None,
    };
    number.checked_mul(unit)
}

fn canonical(words: &'static [&'static str], text: &str) -> Option<&'static str> {
    words.iter().copied().find(|word| word.eq_ignore_ascii_case(text))
}

/// A field of an entry: a text, or a date as it is written.
fn field_text(value: &Toml) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `text` as a TOML basic string, always on one line.
fn basic_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            other if other.is_control() => quoted.push_str(&format!("\\u{:04X}", other as u32)),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::table::find;
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expected: Option<&str>) {
        let (_, key) = find(name).expect("the test names a key");
        let shown = Value::from_text(key, text).map(|value| value.to_string());
        assert_eq!(shown.as_deref(), expected, "{name} = {text}");
    }

    #[test]
    fn bounds_are_inclusive() {
        check("storage.cache_size_mb", "8", Some("8"));
        check("storage.cache_size_mb", "512", Some("512"));
        check("storage.cache_size_mb", "7", None);
        check("storage.cache_size_mb", "513", None);
        check("retrieval.mmr_lambda", "0", Some("0.0"));
        check("retrieval.mmr_lambda", "1.0", Some("1.0"));
        check("retrieval.mmr_lambda", "1.0001", None);
        check("rlm.timeout", "30s", Some("\"30s\""));
        check("rlm.timeout", "30001ms", None);
    }

    #[test]
    fn numbers_are_finite_and_whole_where_they_must_be() {
        check("retrieval.mmr_lambda", "nan", None);
        check("retrieval.mmr_lambda", "inf", None);
        check("storage.cache_size_mb", "64.0", None);
        check("storage.cache_size_mb", "99999999999999999999", None);
        check("storage.cache_size_mb", "", None);
    }

    #[test]
    fn switches_have_four_spellings() {
        for on in ["true", "1", "yes", "ON"] {
            check("run.enabled", on, Some("true"));
        }
        for off in ["false", "0", "No", "off"] {
            check("run.enabled", off, Some("false"));
        }
        check("run.enabled", "maybe", None);
    }

    #[test]
    fn durations_need_a_unit() {
        check("git.keep_unused", "2w", Some("\"14d\""));
        check("git.keep_unused", "36h", Some("\"36h\""));
        check("git.keep_unused", "30", None);
        check("git.keep_unused", "-1d", None);
        check("git.keep_unused", "1 d", Some("\"1d\""));
        check("git.keep_unused", "99999999999999999999d", None);
        check("git.keep_unused", "18446744073709551615w", None);
        check("git.keep_unused", "é", None);
        assert_eq!(duration_text(0), "0s");
        assert_eq!(duration_text(1500), "1500ms");
    }

    #[test]
    fn words_are_read_in_any_case_and_old_names_are_mapped() {
        check("embedding.backend", "ONNX", Some("\"onnx\""));
        check("embedding.backend", "sentence_transformer", Some("\"onnx\""));
        check("embedding.backend", "tensorflow", None);
        check("logging.level", "WARNING", Some("\"warn\""));
        check("mcp.toolsets", "core, CODE", Some("[\"core\", \"code\"]"));
        check("mcp.toolsets", "core,tools", None);
    }

    #[test]
    fn lists_are_separated_by_commas_or_written_as_toml() {
        check("watcher.ignore_patterns", "a/**, *.lock ,", Some("[\"a/**\", \"*.lock\"]"));
        check("watcher.ignore_patterns", "[\"{a,b}\"]", Some("[\"{a,b}\"]"));
        check("watcher.ignore_patterns", "[]", Some("[]"));
        check("watcher.ignore_patterns", "[1]", None);
        check("watcher.ignore_patterns", "[]\nother = 1", None);
        check("watcher.ignore_patterns", "[", None);
    }

    #[test]
    fn a_repository_id_has_16_lower_case_hex_digits() {
        check("storage.repo_id", "0123456789abcdef", Some("\"0123456789abcdef\""));
        check("storage.repo_id", "0123456789ABCDEF", None);
        check("storage.repo_id", "../../../../etc/x", None);
        check("storage.repo_id", "0123456789abcde", None);
    }

    #[test]
    fn texts_hold_no_nul() {
        check("logging.file", "/tmp/a\0b", None);
        check("watcher.ignore_patterns", "a\0b", None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_shown_on_one_line_and_read_back(text in "\\PC*|[\\x01-\\x7f]*") {
            let value = Value::Text(text);
            let line = format!("key = {value}");
            proptest::prop_assert_eq!(line.lines().count(), 1);
            let document: toml::Table = toml::from_str(&line).expect("a shown value is TOML");
            proptest::prop_assert_eq!(&document["key"], &value.to_toml());
        }

        #[test]
        fn no_text_makes_any_key_panic(text in "\\PC*") {
            for key in super::super::keys::KEYS {
                let _ = Value::from_text(key, &text);
            }
        }

        #[test]
        fn durations_are_read_back(milliseconds in 0u64..=u64::MAX / 1000) {
            proptest::prop_assert_eq!(duration(&duration_text(milliseconds)), Some(milliseconds));
        }
    }
}
