//! The configuration for people and programs: `config show` as text and JSON, and the reference page.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use super::keys::{KEYS, ORDERED};
use super::resolve::{ResolvedConfig, Setting};
use super::table::{Alias, FromProject, Key, quoted, sections};
use super::value::Value;

/// One line per key in aligned columns: name, value as TOML and, if `with_origin`, where the value was written.
pub(crate) fn text(resolved: &ResolvedConfig, with_origin: bool) -> String {
    let rows: Vec<(&str, String, String)> = resolved
        .settings()
        .map(|setting| (setting.key.name, shown_value(&setting), setting.place.to_string()))
        .collect();
    let name_width = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
    // Columns ignore long values, so that one long list does not push the origins of all rows off the screen.
    let widths = rows.iter().map(|(_, value, _)| value.chars().count()).filter(|width| *width <= WIDEST_VALUE);
    let value_width = widths.max().unwrap_or(0);
    let mut out = String::new();
    for (name, value, place) in rows {
        let _ = match with_origin {
            true => writeln!(out, "{name:name_width$}  {value:value_width$}  {place}"),
            false => writeln!(out, "{name:name_width$}  {value}"),
        };
    }
    out
}

/// `{section: {key: value}}`, or `{section: {key: {value, origin}}}` with origins. A secret that is set is `"(set)"`.
pub(crate) fn json(resolved: &ResolvedConfig, with_origin: bool) -> Json {
    let mut all = Map::new();
    for setting in resolved.settings() {
        let value = match hidden(&setting) {
            true => json!(HIDDEN),
            false => setting.value.to_json(),
        };
        let entry = match with_origin {
            true => json!({ "value": value, "origin": setting.place.to_string() }),
            false => value,
        };
        if let Json::Object(section) = all.entry(setting.key.section()).or_insert_with(|| json!({})) {
            section.insert(setting.key.leaf().to_owned(), entry);
        }
    }
    Json::Object(all)
}

/// The reference page, in Markdown: a table per section.
pub(crate) fn reference() -> String {
    let mut out = String::from(REFERENCE_HEAD);
    for section in sections() {
        let _ = write!(out, "\n## {section}\n\n| key | default | allowed | meaning |\n|---|---|---|---|\n");
        for key in KEYS.iter().filter(|key| key.section() == section) {
            let _ = writeln!(
                out,
                "| `{}` | {} | {} | {} |",
                key.leaf(),
                default_cell(key),
                cell(&key.describe_allowed_values()),
                cell(&describe_key(key))
            );
        }
    }
    out.push_str("\n## Values that depend on each other\n\n");
    for (low, high) in ORDERED {
        let _ = writeln!(out, "- `{low}` must not exceed `{high}`; while it is not set, it gives way.");
    }
    out.push_str("- `embedding.backend = \"remote\"` needs `network.enabled = true`.\n");
    out
}

const WIDEST_VALUE: usize = 40;

const HIDDEN: &str = "(set)";

const REFERENCE_HEAD: &str = "\
# Configuration

Later layers win: built-in values, the user's file, the repository's override in the store, `.icr.toml` at the root of the
worktree, environment variables, flags. Every key has a variable: `pack.score_weight` is `ICR_PACK__SCORE_WEIGHT`.
`.icr.toml` comes with a clone, so some keys are out of its reach; what it may not set is ignored with a warning.
";

fn shown_value(setting: &Setting<'_>) -> String {
    if hidden(setting) { HIDDEN.to_owned() } else { setting.value.to_string() }
}

fn hidden(setting: &Setting<'_>) -> bool {
    setting.key.secret && *setting.value != Value::built_in(setting.key)
}

fn default_cell(key: &Key) -> String {
    match Value::built_in(key) {
        _ if key.maps_to.is_some() => "–".to_owned(),
        Value::Text(text) if text.is_empty() => "unset".to_owned(),
        value => format!("`{}`", cell(&value.to_string())),
    }
}

fn describe_key(key: &Key) -> String {
    let mut text = key.doc.to_owned();
    if let Some(mapping) = key.maps_to {
        let _ = match mapping.factor {
            1.0 => write!(text, " Sets `{}`.", mapping.key),
            factor => write!(text, " Sets `{}` to {} times its value.", mapping.key, (factor * 1e4).round() / 1e4),
        };
    }
    if let Some(note) = key.note {
        let _ = write!(text, " It is {note}.");
    }
    let variables: Vec<String> = key.environment.iter().map(alias).collect();
    if !variables.is_empty() {
        let _ = write!(text, " Also from {}.", variables.join(", "));
    }
    match key.from_project {
        FromProject::Any => {}
        FromProject::Never(_) => text.push_str(" Not from `.icr.toml`."),
        FromProject::Only(values, _) => {
            let _ = write!(text, " From `.icr.toml` only {}.", quoted(values));
        }
    }
    text
}

fn alias(alias: &Alias) -> String {
    match alias {
        Alias::Value(name) => format!("`{name}`"),
        Alias::Switch(name, value) => format!("`{name}=1` (`{value}`)"),
    }
}

/// Escaped, because a `|` would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::super::layers::ConfigurationLayers;
    use super::super::resolve::resolve;
    use super::*;

    fn resolve_flags(flags: &[(&str, &str)]) -> ResolvedConfig {
        let flags: Vec<_> = flags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        resolve(&ConfigurationLayers { flags: &flags, ..ConfigurationLayers::default() }).expect("the flags are valid")
    }

    fn lines(text: &str, prefix: &str) -> String {
        text.lines().filter(|line| line.starts_with(prefix)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn text_has_aligned_columns() {
        let resolved = resolve_flags(&[("watcher.debounce_ms", "250"), ("watcher.ignore_patterns", "a,b")]);
        insta::assert_snapshot!(lines(&text(&resolved, true), "watcher."), @r#"
        watcher.debounce_ms              250                      command line
        watcher.enabled                  true                     built-in
        watcher.ignore_patterns          ["a", "b"]               command line
        watcher.max_file_size_kb         500                      built-in
        watcher.respect_gitignore        true                     built-in
        watcher.respect_icrignore        true                     built-in
        watcher.watch_extensions         []                       built-in
        "#);
        insta::assert_snapshot!(lines(&text(&resolved, false), "rlm.t"), @r#"rlm.timeout                      "8s""#);
    }

    #[test]
    fn a_long_value_moves_only_its_own_origin() {
        let resolved = resolve_flags(&[("watcher.ignore_patterns", &"x".repeat(200))]);
        let all = text(&resolved, true);
        let column = |line: &str| line.find("built-in").expect("the row is built-in");
        let columns: Vec<usize> = all.lines().filter(|line| line.ends_with("built-in")).map(column).collect();
        assert!(columns.len() > 100);
        let wide = columns.iter().filter(|position| **position != columns[0]).count();
        // The only other long list is the built-in list of git hooks.
        assert_eq!(wide, 1);
    }

    #[test]
    fn json_is_nested_by_section() {
        let resolved = resolve_flags(&[("logging.level", "debug")]);
        insta::assert_snapshot!(json(&resolved, false)["logging"], @r#"{"file":"","format":"text","level":"debug"}"#);
        insta::assert_snapshot!(json(&resolved, true)["logging"], @r#"{"file":{"value":"","origin":"built-in"},"format":{"value":"text","origin":"built-in"},"level":{"value":"debug","origin":"command line"}}"#);
        let sections: Vec<String> = json(&resolved, false).as_object().expect("an object").keys().cloned().collect();
        assert!(sections.is_sorted());
    }

    #[test]
    fn a_secret_is_never_shown() {
        let secret = resolve_flags(&[("network.api_key", "hunter2")]);
        for shown in [text(&secret, true), json(&secret, true).to_string()] {
            assert!(!shown.contains("hunter2"));
            assert!(shown.contains("(set)"));
        }
        assert!(!text(&resolve_flags(&[]), true).contains("(set)"));
    }

    #[test]
    fn keys_that_stand_for_others_are_shown_when_set() {
        assert_eq!(lines(&text(&resolve_flags(&[]), false), "storage.hnsw_m"), "");
        let set = text(&resolve_flags(&[("storage.hnsw_m", "24")]), true);
        let cells = |prefix| lines(&set, prefix).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(cells("storage.hnsw_m "), ["storage.hnsw_m", "24", "command", "line"]);
        assert_eq!(cells("vector.trees "), ["vector.trees", "24", "command", "line"]);
    }

    #[test]
    fn the_reference_has_every_key_once_in_rows_of_four_cells() {
        let page = reference();
        for section in sections() {
            let (_, rest) = page.split_once(&format!("\n## {section}\n")).expect("every section has a heading");
            let table = rest.split("\n## ").next().unwrap_or(rest);
            for key in KEYS.iter().filter(|key| key.section() == section) {
                assert_eq!(table.matches(&format!("| `{}` |", key.leaf())).count(), 1, "{}", key.name);
            }
            for row in table.lines().filter(|line| line.starts_with('|')) {
                assert_eq!(row.replace("\\|", "").matches('|').count(), 5, "{row}");
            }
        }
        insta::assert_snapshot!(lines(&page, "| `backend`"), @r#"| `backend` | `"static"` | one of `static`, `onnx`, `remote`, `none` (also read: `local_onnx`, `sentence_transformer`, `openai`, `anthropic`, `custom`) | Where vectors come from. Also from `ICR_NO_EMBEDDINGS=1` (`none`), `ICM_NO_EMBEDDINGS=1` (`none`). From `.icr.toml` only `static`, `onnx`, `none`. |"#);
        insta::assert_snapshot!(lines(&page, "| `hnsw"), @"
        | `hnsw_ef_construction` | `200` | a whole number from 50 to 500 | Build effort of an HNSW graph. It is accepted and not used: trees are built with one fixed effort. |
        | `hnsw_ef_search` | – | a whole number from 10 to 500 | Query effort of an HNSW graph. Sets `vector.search_k` to 10 times its value. |
        | `hnsw_m` | – | a whole number from 4 to 64 | Degree of an HNSW graph. Sets `vector.trees`. |
        ");
    }
}
