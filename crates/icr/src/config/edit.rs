//! Sets and removes a key in the text of a configuration file, and keeps everything else as it is.

use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::error::{ConfigError, ValueOrigin};
use super::keys::KEYS;
use super::layers::{ConfigurationLayers, find_key, parse, value_from_text};
use super::resolve::resolve;
use super::table::Key;
use super::value::Value;

/// `file`, the text of the file at `path`, with the key `name` set to `text` (parsed as by [`Value::from_text`]).
/// Comments, order and line ends are kept.
///
/// An existing value is replaced in its place, also in an inline table or behind dotted keys. A new key is added after
/// the last one of its section; a new section is added at the end. The result has been parsed again to check that it
/// differs from `file` only in this value.
///
/// # Errors
///
/// [`ConfigError::UnknownKey`] and [`ConfigError::InvalidValue`] for a wrong key or value, [`ConfigError::Syntax`] if
/// `file` is not TOML, [`ConfigError::NotEditable`] if the form of the section does not allow the key to be added.
pub(crate) fn set(path: &Path, file: &str, name: &str, text: &str) -> Result<String, ConfigError> {
    let (no, value) = value_from_text(name, text, ValueOrigin::Flag)?;
    let key = &KEYS[no];
    let (spans, before) = parse(file, |line| ValueOrigin::User { path: path.to_owned(), line })?;
    let not_editable = || ConfigError::NotEditable { path: path.to_owned(), key: key.name };
    let wanted = with_value(before, key, &value).ok_or_else(not_editable)?;
    let reads_back = |candidate: &String| toml::from_str::<toml::Table>(candidate).is_ok_and(|after| after == wanted);
    candidates(file, spans.get_ref(), key, &value).find(reads_back).ok_or_else(not_editable)
}

/// `file`, the text of the file at `path`, without the key `name`; `None` if the file does not set it. Comments, order
/// and line ends are kept. The result has been parsed again to check it.
///
/// # Errors
///
/// [`ConfigError::UnknownKey`], [`ConfigError::Syntax`] if `file` is not TOML, [`ConfigError::NotEditable`] if the key
/// cannot be removed without removing others.
pub(crate) fn unset(path: &Path, file: &str, name: &str) -> Result<Option<String>, ConfigError> {
    let key = find_key(name, ValueOrigin::Flag)?;
    let (spans, mut wanted) = parse(file, |line| ValueOrigin::User { path: path.to_owned(), line })?;
    let section = wanted.get_mut(key.section()).and_then(toml::Value::as_table_mut);
    if section.and_then(|section| section.remove(key.leaf())).is_none() {
        return Ok(None);
    }
    let is_empty = |value: &toml::Value| value.as_table().is_some_and(toml::Table::is_empty);
    let same = |after: &toml::Table| {
        let mut after = after.clone();
        // An empty section sets nothing, so it is removed too.
        if !after.contains_key(key.section()) && wanted.get(key.section()).is_some_and(is_empty) {
            after.insert(key.section().to_owned(), toml::Value::Table(toml::Table::new()));
        }
        after == wanted
    };
    let table = spans.get_ref().iter().find(|(name, _)| name.get_ref() == key.section());
    let table = table.and_then(|(_, value)| value.get_ref().as_table());
    let present = table.and_then(|table| table.iter().find(|(name, _)| name.get_ref() == key.leaf()));
    let candidates = present.into_iter().flat_map(|(name, value)| {
        let (start, end) = (name.span().start, value.span().end);
        let line_start = file[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = file[end..].find('\n').map_or(file.len(), |at| end + at + 1);
        let comma_after = file[end..].find(',').map_or(end, |at| end + at + 1);
        let comma_before = file[..start].rfind(',').unwrap_or(start);
        // The heading of an emptied section, with the blank line that `set` puts before it.
        let heading = format!("[{}]", key.section());
        let before = file[..line_start].trim_end();
        let heading_start = before.ends_with(&heading).then(|| before.len() - heading.len());
        let is_last = file[line_end..].trim_start().is_empty() || file[line_end..].trim_start().starts_with('[');
        let heading_start = heading_start.filter(|_| is_last && table.is_some_and(|table| table.len() == 1));
        let heading_start = heading_start.map_or(line_start, |start| match file[..start].ends_with("\n\n") {
            true => start - 1,
            false => start,
        });
        [heading_start..line_end, line_start..line_end, comma_before..end, start..comma_after, start..end]
            .map(|range| spliced(file, range, ""))
    });
    let reads_back = |candidate: &String| toml::from_str::<toml::Table>(candidate).is_ok_and(|after| same(&after));
    let mut candidates: Vec<String> = candidates.collect();
    candidates.retain(reads_back);
    let not_editable = ConfigError::NotEditable { path: path.to_owned(), key: key.name };
    candidates.into_iter().next().map(Some).ok_or(not_editable)
}

/// Checks that the user's file at `path` can be used after an edit that set the keys `names` and changed its text from
/// `before` to `after`. Errors that were there before and concern other keys do not count, because users repair errors
/// one at a time.
///
/// # Errors
///
/// The error of [`resolve`] with which every command would now fail.
pub(crate) fn check_set(
    path: &Path,
    before: &str,
    after: &str,
    names: &[&str],
    environment: &[(String, String)],
) -> Result<(), ConfigError> {
    let read = |text: &str| {
        let user = Some((path.to_owned(), text.to_owned()));
        resolve(&ConfigurationLayers { user, environment, ..ConfigurationLayers::default() }).map(drop)
    };
    match read(after) {
        Err(error) if read(before).is_ok() || names.iter().any(|name| error.concerns(name)) => Err(error),
        _ => Ok(()),
    }
}

/// The table that the edited file must hold; `None` when the section is no table.
fn with_value(mut table: toml::Table, key: &Key, value: &Value) -> Option<toml::Table> {
    let section = table.entry(key.section()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
    section.as_table_mut()?.insert(key.leaf().to_owned(), value.to_toml());
    Some(table)
}

/// The file with the value written in every way that TOML allows for a section. The form of the existing section is not
/// examined: the check after parsing rejects a candidate that does not fit.
fn candidates(file: &str, root: &DeTable<'_>, key: &Key, value: &Value) -> impl Iterator<Item = String> {
    let line_end = if file.contains("\r\n") { "\r\n" } else { "\n" };
    let section = root.iter().find(|(name, _)| name.get_ref() == key.section());
    let table = section.and_then(|(_, value)| value.get_ref().as_table());
    let present = table.and_then(|table| table.iter().find(|(name, _)| name.get_ref() == key.leaf()));
    let last = table.and_then(|table| table.values().map(|value| value.span().end).max());
    let mut all = Vec::new();
    if let Some((_, present)) = present {
        all.push(spliced(file, present.span(), &value.to_string()));
    }
    let (leaf, dotted) = (format!("{} = {value}", key.leaf()), format!("{} = {value}", key.name));
    if let (Some(end), None) = (last, present) {
        all.push(after_line(file, end, &leaf, line_end));
        all.push(after_line(file, end, &dotted, line_end));
        all.push(spliced(file, end..end, &format!(", {leaf}")));
    }
    if let (Some((name, table)), None) = (section, last) {
        all.push(after_line(file, name.span().end, &leaf, line_end));
        if let DeValue::Table(_) = table.get_ref() {
            all.push(spliced(file, table.span(), &format!("{{ {leaf} }}")));
        }
    }
    all.push(appended(file, &format!("[{}]{line_end}{leaf}", key.section()), line_end));
    all.into_iter()
}

fn spliced(file: &str, range: Range<usize>, text: &str) -> String {
    match (file.get(..range.start), file.get(range.end..)) {
        (Some(before), Some(after)) => format!("{before}{text}{after}"),
        _ => String::new(),
    }
}

/// Inserts `line` below the line that contains `offset`, with the same indentation.
fn after_line(file: &str, offset: usize, line: &str, line_end: &str) -> String {
    let (Some(before), Some(after)) = (file.get(..offset), file.get(offset..)) else { return String::new() };
    let start = before.rfind('\n').map_or(0, |position| position + 1);
    let indent: String = file[start..].chars().take_while(|character| matches!(character, ' ' | '\t')).collect();
    match after.find('\n') {
        Some(position) => {
            spliced(file, offset + position + 1..offset + position + 1, &format!("{indent}{line}{line_end}"))
        }
        None => format!("{file}{line_end}{indent}{line}{line_end}"),
    }
}

/// `file` with `section` as its last lines, after an empty line.
fn appended(file: &str, section: &str, line_end: &str) -> String {
    let gap = match file {
        "" => "",
        _ if file.ends_with('\n') => line_end,
        _ => return format!("{file}{line_end}{line_end}{section}{line_end}"),
    };
    format!("{file}{gap}{section}{line_end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, name: &str, value: &str, expected: &str) {
        assert_eq!(set(Path::new("c.toml"), file, name, value).as_deref(), Ok(expected));
    }

    #[test]
    fn a_present_value_is_replaced_where_it_stands() {
        check(
            "# mine\n[pack]\n  score_weight = 0.5   # tuned\n\n[rlm]\nenabled = false\n",
            "pack.score_weight",
            "0.75",
            "# mine\n[pack]\n  score_weight = 0.75   # tuned\n\n[rlm]\nenabled = false\n",
        );
        check("[logging]\n\"level\" = 'info'", "logging.level", "debug", "[logging]\n\"level\" = \"debug\"");
    }

    #[test]
    fn a_list_over_several_lines_is_replaced_whole() {
        check(
            "[watcher]\nignore_patterns = [\n  \"a\", # why\n  \"b\",\n] # end\nenabled = true\n",
            "watcher.ignore_patterns",
            "c",
            "[watcher]\nignore_patterns = [\"c\"] # end\nenabled = true\n",
        );
    }

    #[test]
    fn a_new_value_follows_the_last_of_its_section() {
        check(
            "[pack]\n\tscore_weight = 0.5 # tuned\n# about rlm\n[rlm]\nenabled = false\n",
            "pack.pin_share",
            "0.25",
            "[pack]\n\tscore_weight = 0.5 # tuned\n\tpin_share = 0.25\n# about rlm\n[rlm]\nenabled = false\n",
        );
        check(
            "[watcher]\nignore_patterns = [\n  \"a\",\n]\n[rlm]\n",
            "watcher.enabled",
            "no",
            "[watcher]\nignore_patterns = [\n  \"a\",\n]\nenabled = false\n[rlm]\n",
        );
        check("[rlm]\nenabled = false", "rlm.max_steps", "3", "[rlm]\nenabled = false\nmax_steps = 3\n");
    }

    #[test]
    fn a_new_value_of_an_empty_section_follows_its_heading() {
        check("[pack] # empty\n[rlm]\n", "pack.pin_share", "0.5", "[pack] # empty\npin_share = 0.5\n[rlm]\n");
        check("[pack]", "pack.pin_share", "0.5", "[pack]\npin_share = 0.5\n");
    }

    #[test]
    fn a_new_section_is_the_last() {
        check("", "rlm.enabled", "false", "[rlm]\nenabled = false\n");
        check("# mine\n", "rlm.enabled", "false", "# mine\n\n[rlm]\nenabled = false\n");
        check("[a]\nb = 1", "rlm.enabled", "false", "[a]\nb = 1\n\n[rlm]\nenabled = false\n");
    }

    #[test]
    fn inline_tables_and_dotted_keys_keep_their_form() {
        check("pack = { pin_share = 0.5 }\n", "pack.pin_share", "0.25", "pack = { pin_share = 0.25 }\n");
        check(
            "pack = { pin_share = 0.5 }\n",
            "pack.score_weight",
            "0.25",
            "pack = { pin_share = 0.5, score_weight = 0.25 }\n",
        );
        check("pack = {}\n", "pack.score_weight", "0.25", "pack = { score_weight = 0.25 }\n");
        check(
            "pack.pin_share = 0.5\nrlm.enabled = true\n",
            "pack.score_weight",
            "0.25",
            "pack.pin_share = 0.5\npack.score_weight = 0.25\nrlm.enabled = true\n",
        );
    }

    #[test]
    fn line_ends_stay_as_they_are() {
        check("[rlm]\r\nenabled = true\r\n", "rlm.enabled", "false", "[rlm]\r\nenabled = false\r\n");
        check("[rlm]\r\nenabled = true\r\n", "rlm.max_steps", "3", "[rlm]\r\nenabled = true\r\nmax_steps = 3\r\n");
        check("[a]\r\n", "rlm.enabled", "no", "[a]\r\n\r\n[rlm]\r\nenabled = false\r\n");
    }

    #[test]
    fn a_value_is_taken_out_and_nothing_else() {
        let check = |file: &str, expected: Option<&str>| {
            let found = unset(Path::new("c.toml"), file, "rlm.enabled");
            assert_eq!(found, Ok(expected.map(str::to_owned)), "{file}");
        };
        check("# mine\n[rlm] # why\nenabled = true # x\nmax_steps = 3\n", Some("# mine\n[rlm] # why\nmax_steps = 3\n"));
        check("[rlm]\nenabled = true", Some(""));
        check("[a]\nb = 1\n\n[rlm]\nenabled = true\n", Some("[a]\nb = 1\n"));
        check("[rlm]\nenabled = true\n# about it\n", Some("[rlm]\n# about it\n"));
        check("rlm = { enabled = true, max_steps = 3 }\n", Some("rlm = {  max_steps = 3 }\n"));
        check("rlm = { max_steps = 3, enabled = true }\n", Some("rlm = { max_steps = 3 }\n"));
        check("rlm.enabled = true\nrlm.max_steps = 3\n", Some("rlm.max_steps = 3\n"));
        check("[pack]\nscore_weight = 0.5\n", None);
        check("", None);
    }

    #[test]
    fn what_is_set_is_checked() {
        let message = |name, value| set(Path::new("c.toml"), "", name, value).expect_err("not valid").to_string();
        insta::assert_snapshot!(message("rlm.max_steps", "13"), @"command line: `rlm.max_steps` is `13`, expected a whole number from 1 to 12");
        insta::assert_snapshot!(message("rlm.max_stepz", "3"), @"command line: `rlm.max_stepz` is not a configuration key");
    }

    #[test]
    fn a_file_that_cannot_take_the_value_is_left_alone() {
        let message =
            |file| set(Path::new("c.toml"), file, "rlm.enabled", "true").expect_err("not editable").to_string();
        let not_editable = "`rlm.enabled` cannot be written into `c.toml` without changing other entries";
        assert_eq!(message("rlm = 3\n"), not_editable);
        assert_eq!(message("[[rlm]]\nenabled = true\n"), not_editable);
        assert_eq!(message("a = 1\n[rlm\n"), "`c.toml` line 2: not TOML: unclosed table, expected `]`");
    }

    proptest::proptest! {
        #[test]
        fn nothing_else_changes(
            file in proptest::collection::vec(
                proptest::sample::select(vec![
                    "[pack]\n", "[rlm] # why\n", "enabled = true\n", "pin_share = 0.5 # é\n", "# note\n", "\n",
                    "rlm.max_steps = 3\n", "watcher = { enabled = true }\n", "[rlm.sub]\n", "x = '''\n[rlm]\n'''\n",
                    "l = [\n 1, # [rlm]\n]\n",
                ]),
                0..8,
            )
        ) {
            let file = file.concat();
            if let Ok(edited) = set(Path::new("c.toml"), &file, "rlm.enabled", "false") {
                let mut before: toml::Table = toml::from_str(&file).expect("set accepts only TOML");
                let mut after: toml::Table = toml::from_str(&edited).expect("set returns TOML");
                let section = after["rlm"].as_table_mut().expect("the section is a table");
                proptest::prop_assert_eq!(section.remove("enabled"), Some(toml::Value::Boolean(false)));
                if let Some(section) = before.get_mut("rlm").and_then(toml::Value::as_table_mut) {
                    section.remove("enabled");
                }
                if section.is_empty() && !before.contains_key("rlm") {
                    after.remove("rlm");
                }
                proptest::prop_assert_eq!(before, after);
                let comments = |text: &str| text.matches('#').count();
                proptest::prop_assert_eq!(comments(&file), comments(&edited));
            }
        }
    }
}
