//! Reading the `config.yaml` of older tools: nested two-level maps of scalars and lists, nothing more of YAML.

use std::path::Path;

use super::error::{ConfigError, ValueOrigin};
use super::keys::KEYS;
use super::layers::unknown;
use super::message_text::format_for_message;
use super::table::{Key, KeyNo, KeyType, find};
use super::value::Value;

/// Converts `yaml`, the text of the file at `path`, to TOML, with sections and keys in the order of the table.
///
/// `null` and an empty value mean that the key is not set. If a key occurs twice, the last one counts, as in the older
/// tools.
///
/// # Errors
///
/// [`ConfigError::Yaml`] with the line, for anything but a two-level map (anchors, tags, block texts, deeper maps,
/// tabs); [`ConfigError::UnknownKey`] and [`ConfigError::InvalidValue`] as for any file.
pub(crate) fn migrate(path: &Path, yaml: &str) -> Result<String, ConfigError> {
    let place = |line| ValueOrigin::User { path: path.to_owned(), line };
    let mut values: Vec<(KeyNo, Value)> = Vec::new();
    let entries = entries(yaml).map_err(|(line, reason)| ConfigError::Yaml { place: place(line), reason })?;
    for entry in entries {
        let name = format!("{}.{}", entry.section, entry.key);
        let Some((no, key)) = find(&name) else { return Err(unknown(place(entry.line), &name)) };
        let Some(scalars) = entry.value.present() else { continue };
        let value = scalars.to_value(key).ok_or_else(|| ConfigError::InvalidValue {
            place: place(entry.line),
            key: name,
            value: if key.secret {
                "not valid".to_owned()
            } else {
                format!("`{}`", format_for_message(&scalars.text()))
            },
            allowed: key.describe_allowed_values(),
        })?;
        values.retain(|(other, _)| *other != no);
        values.push((no, value));
    }
    values.sort_by_key(|(no, _)| *no);
    Ok(toml(&values))
}

/// One `key: value` of a section.
struct YamlEntry {
    line: usize,
    section: String,
    key: String,
    value: YamlValue,
}

/// A value as written.
#[derive(Debug)]
enum YamlValue {
    Scalar(Scalar),
    List(Vec<Scalar>),
}

#[derive(Debug)]
struct Scalar {
    text: String,
    quoted: bool,
}

impl YamlValue {
    fn present(self) -> Option<Self> {
        match &self {
            Self::Scalar(Scalar { text, quoted: false })
                if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL") =>
            {
                None
            }
            _ => Some(self),
        }
    }

    fn to_value(&self, key: &Key) -> Option<Value> {
        match (self, &key.kind) {
            (Self::List(items), _) if key.is_list() => {
                Value::List(items.iter().map(|item| item.text.clone()).collect()).validate_for(key)
            }
            (Self::List(_), _) => None,
            // A scalar is not split at commas when a list is expected, because YAML has its own lists.
            (Self::Scalar(scalar), KeyType::List { .. } | KeyType::WordList { .. }) => {
                Value::List(vec![scalar.text.clone()]).validate_for(key)
            }
            (
                Self::Scalar(Scalar { quoted: true, .. }),
                KeyType::Bool { .. } | KeyType::Integer { .. } | KeyType::Float { .. },
            ) => None,
            (Self::Scalar(scalar), _) => Value::from_text(key, &scalar.text),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Scalar(scalar) => scalar.written(),
            Self::List(items) => format!("[{}]", items.iter().map(Scalar::written).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// The entries in the order of the lines, or the line that is not read and why.
fn entries(yaml: &str) -> Result<Vec<YamlEntry>, (usize, &'static str)> {
    let mut entries: Vec<YamlEntry> = Vec::new();
    let mut section: Option<String> = None;
    let mut indent_of_keys: Option<usize> = None;
    let yaml = yaml.strip_prefix('\u{feff}').unwrap_or(yaml);
    for (no, raw) in yaml.lines().enumerate() {
        let fail = |reason| (no + 1, reason);
        let body = raw.trim_start_matches(' ');
        let indent = raw.len() - body.len();
        let body = without_comment(body).trim_end();
        if body.is_empty() || (indent == 0 && matches!(body, "---" | "...")) {
            continue;
        }
        if body.starts_with('\t') {
            return Err(fail("tabs cannot indent YAML"));
        }
        if let Some(item) = body.strip_prefix("- ").or(if body == "-" { Some("") } else { None }) {
            let belongs = indent_of_keys.is_some_and(|keys| indent >= keys);
            let open = entries.last_mut().filter(|_| belongs).and_then(|entry| entry.value.as_open_list());
            let list = open.ok_or_else(|| fail("a list item must follow a key without value"))?;
            list.push(scalar(item.trim()).map_err(fail)?);
            continue;
        }
        let (key, rest) = key_and_rest(body).ok_or_else(|| fail("expected `key: value`"))?;
        if indent == 0 {
            match rest {
                "" | "{}" => (section, indent_of_keys) = (Some(key), None),
                _ => return Err(fail("a value must lie in a section")),
            }
            continue;
        }
        let Some(section) = &section else { return Err(fail("an indented key must lie in a section")) };
        if *indent_of_keys.get_or_insert(indent) != indent {
            return Err(fail("maps deeper than two levels are not read"));
        }
        entries.push(YamlEntry { line: no + 1, section: section.clone(), key, value: node(rest).map_err(fail)? });
    }
    Ok(entries)
}

impl YamlValue {
    /// The list for the items below a key; a key without a value becomes an empty list.
    fn as_open_list(&mut self) -> Option<&mut Vec<Scalar>> {
        if matches!(self, Self::Scalar(Scalar { text, quoted: false }) if text.is_empty()) {
            *self = Self::List(Vec::new());
        }
        match self {
            Self::List(items) => Some(items),
            Self::Scalar(_) => None,
        }
    }
}

impl Scalar {
    /// The text, with quotes when it had some.
    fn written(&self) -> String {
        if self.quoted { format!("\"{}\"", self.text) } else { self.text.clone() }
    }
}

fn key_and_rest(body: &str) -> Option<(String, &str)> {
    let (key, rest) = body.split_once(':')?;
    let separated = rest.is_empty() || rest.starts_with(' ');
    let key = key.trim_end().trim_matches(['"', '\'']);
    let plain =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    (separated && plain).then(|| (key.to_owned(), rest.trim()))
}

fn node(text: &str) -> Result<YamlValue, &'static str> {
    let Some(inside) = text.strip_prefix('[') else { return scalar(text).map(YamlValue::Scalar) };
    let inside = inside.strip_suffix(']').ok_or("a list must end on its line")?;
    let items = items(inside)?.into_iter().map(|item| scalar(item.trim())).collect::<Result<Vec<_>, _>>()?;
    Ok(YamlValue::List(items))
}

/// The parts of an inline list, split at commas outside quotes; a comma at the end is allowed.
fn items(inside: &str) -> Result<Vec<&str>, &'static str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, Quote::default());
    for (at, character) in inside.char_indices() {
        let outside = quote.step(character);
        match character {
            ',' if outside => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            '[' | ']' | '{' | '}' if outside => return Err("lists in lists and maps in lists are not read"),
            _ => {}
        }
    }
    if !inside[start..].trim().is_empty() {
        parts.push(&inside[start..]);
    }
    Ok(parts)
}

fn scalar(text: &str) -> Result<Scalar, &'static str> {
    match text.chars().next() {
        Some('"') => double_quoted(text).map(|text| Scalar { text, quoted: true }),
        Some('\'') => {
            let inside = text[1..].strip_suffix('\'').ok_or("a quoted text must end on its line")?;
            let unpaired = inside.replace("''", "").contains('\'');
            if unpaired {
                Err("text after a quoted text")
            } else {
                Ok(Scalar { text: inside.replace("''", "'"), quoted: true })
            }
        }
        Some('|' | '>') => Err("block texts are not read"),
        Some('&' | '*' | '!') => Err("anchors, aliases and tags are not read"),
        Some('{') => Err("maps deeper than two levels are not read"),
        Some('%' | '@' | '`') => Err("a plain text cannot begin with this character"),
        _ if text.contains(": ") || text.ends_with(':') => Err("maps deeper than two levels are not read"),
        _ => Ok(Scalar { text: text.to_owned(), quoted: false }),
    }
}

fn double_quoted(text: &str) -> Result<String, &'static str> {
    let mut out = String::new();
    let mut characters = text.chars();
    characters.next();
    while let Some(character) = characters.next() {
        match character {
            '"' if characters.as_str().is_empty() => return Ok(out),
            '"' => return Err("text after a quoted text"),
            '\\' => out.push(match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(same @ ('"' | '\\' | '/')) => same,
                _ => return Err("this escape is not read"),
            }),
            other => out.push(other),
        }
    }
    Err("a quoted text must end on its line")
}

/// The part of a line before its comment. A comment begins with a `#` at the start or after a space.
fn without_comment(body: &str) -> &str {
    let (mut quote, mut after_space) = (Quote::default(), true);
    for (at, character) in body.char_indices() {
        let outside = quote.step(character);
        if character == '#' && outside && after_space {
            return &body[..at];
        }
        after_space = character == ' ' || character == '\t';
    }
    body
}

/// Tracks quotes along a line. A quote counts only where a value can begin, so `don't` is plain text.
#[derive(Default)]
struct Quote {
    open: Option<char>,
    escaped: bool,
    inside_plain: bool,
}

impl Quote {
    /// Whether `character`, the next of the line, lies outside quotes.
    fn step(&mut self, character: char) -> bool {
        match self.open {
            Some('"') if self.escaped => self.escaped = false,
            Some('"') if character == '\\' => self.escaped = true,
            Some(open) if open == character => self.open = None,
            Some(_) => {}
            None if matches!(character, '"' | '\'') && !self.inside_plain => self.open = Some(character),
            None => {
                self.inside_plain = !matches!(character, ' ' | ',' | '[' | ':' | '-');
                return true;
            }
        }
        false
    }
}

fn toml(values: &[(KeyNo, Value)]) -> String {
    let mut out = String::new();
    for rows in values.chunk_by(|(a, _), (b, _)| KEYS[*a].section() == KEYS[*b].section()) {
        let gap = if out.is_empty() { "" } else { "\n" };
        out.push_str(&format!("{gap}[{}]\n", KEYS[rows[0].0].section()));
        for (no, value) in rows {
            out.push_str(&format!("{} = {value}\n", KEYS[*no].leaf()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::layers::ConfigurationLayers;
    use super::super::resolve::resolve;
    use super::*;

    fn migrated(yaml: &str) -> String {
        match migrate(Path::new("config.yaml"), yaml) {
            Ok(toml) => toml,
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn an_old_file_becomes_toml_in_the_order_of_the_table() {
        let toml = migrated(concat!(
            "# old\n---\nretrieval:\n  weight_embedding: 0.5  # more\n  mmr_lambda: 1\n\n",
            "storage:\n    db_path: .icd/index.db\n    hnsw_m: 24\nembedding:\n  backend: local_onnx\n  model_path: null\n",
            "  model_name: 'it''s'\nwatcher:\n  enabled: yes\n  ignore_patterns:\n    - '*.min.js'\n    - \"dist/**\"\n",
            "  watch_extensions: [py, 'r,s', ]\nlogging:\n  level: INFO\n",
        ));
        insta::assert_snapshot!(toml, @r#"
        [embedding]
        backend = "onnx"
        model_name = "it's"

        [logging]
        level = "info"

        [retrieval]
        mmr_lambda = 1.0
        weight_embedding = 0.5

        [storage]
        db_path = ".icd/index.db"
        hnsw_m = 24

        [watcher]
        enabled = true
        ignore_patterns = ["*.min.js", "dist/**"]
        watch_extensions = ["py", "r,s"]
        "#);
        let user = Some((PathBuf::from("config.toml"), toml));
        let resolved = resolve(&ConfigurationLayers { user, ..ConfigurationLayers::default() })
            .expect("what is migrated is valid");
        assert_eq!(resolved.get_list("watcher.watch_extensions"), ["py", "r,s"]);
        assert_eq!(resolved.get_integer("vector.trees"), 24);
    }

    #[test]
    fn nothing_becomes_nothing() {
        assert_eq!(migrated(""), "");
        assert_eq!(migrated("# only a comment\nwatcher:\n"), "");
        assert_eq!(migrated("\u{feff}rlm:\r\n  enabled: false\r\n"), "[rlm]\nenabled = false\n");
    }

    #[test]
    fn errors_name_the_line_and_the_reason() {
        let all: Vec<String> = [
            "level: info\n",
            "  level: info\n",
            "logging:\n\tlevel: info\n",
            "logging:\n  level:\n    deep: 1\n",
            "logging:\n  file: |\n    text\n",
            "logging:\n  file: &anchor x\n",
            "logging:\n  file: \"open\n",
            "logging:\n  file: {a: b}\n",
            "watcher:\n  ignore_patterns: [a, [b]]\n",
            "watcher:\n  ignore_patterns: [a,\n  b]\n",
            "watcher:\n  enabled: true\n  - item\n",
            "watcher:\n  just text\n",
            "watcher:\n  debounce_ms: 5\n",
            "watcher:\n  debounce_ms: \"500\"\n",
            "watcher:\n  debounce_ms: [500]\n",
            "watcher:\n  debounce: 500\n",
            "network:\n  api_key: [hunter2]\n",
        ]
        .into_iter()
        .map(migrated)
        .collect();
        insta::assert_snapshot!(all.join("\n"), @r#"
        error: `config.yaml` line 1: a value must lie in a section
        error: `config.yaml` line 1: an indented key must lie in a section
        error: `config.yaml` line 2: tabs cannot indent YAML
        error: `config.yaml` line 3: maps deeper than two levels are not read
        error: `config.yaml` line 2: block texts are not read
        error: `config.yaml` line 2: anchors, aliases and tags are not read
        error: `config.yaml` line 2: a quoted text must end on its line
        error: `config.yaml` line 2: maps deeper than two levels are not read
        error: `config.yaml` line 2: lists in lists and maps in lists are not read
        error: `config.yaml` line 2: a list must end on its line
        error: `config.yaml` line 3: a list item must follow a key without value
        error: `config.yaml` line 2: expected `key: value`
        error: `config.yaml` line 2: `watcher.debounce_ms` is `5`, expected a whole number from 100 to 5000
        error: `config.yaml` line 2: `watcher.debounce_ms` is `"500"`, expected a whole number from 100 to 5000
        error: `config.yaml` line 2: `watcher.debounce_ms` is `[500]`, expected a whole number from 100 to 5000
        error: `config.yaml` line 2: `watcher.debounce` is not a configuration key
        error: `config.yaml` line 2: `network.api_key` is not valid, expected text
        "#);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(yaml in "(logging:|watcher:|  level: |  - |'|\"|\\[|,|#|é|\n| |x)*") {
            let _ = migrated(&yaml);
        }
    }
}
