//! The layers above the built-in values, each read into checked entries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use icr_engine::accept_list_problems;
use icr_model::LineIndex;
use toml::de::DeTable;
use toml::{Spanned, Value as Toml};

use super::error::{ConfigError, ValueOrigin, Warning};
use super::keys::KEYS;
use super::message_text::format_for_message;
use super::table::{Alias, FromProject, Key, KeyNo, KeyType, find, is_section, suggestion};
use super::value::{Value, switch};

/// Most errors that are reported for a file; a user with more will start over.
const PROBLEMS_MOST: usize = 50;

/// Most entries of an accept list; nobody accepts more changes one by one.
const ACCEPTED_MOST: usize = 1_000;

/// The sources that the caller has read. A file is given as its path (for messages) and its text; `None` if it does not
/// exist.
#[derive(Debug, Default, Clone)]
pub(crate) struct ConfigurationLayers<'a> {
    /// The user's file; its path is that of [`user_file`].
    pub(crate) user: Option<(PathBuf, String)>,
    /// The override for this repository in the store. It is trusted like the user's file, because it lies beside the
    /// store.
    pub(crate) store: Option<(PathBuf, String)>,
    /// `.icr.toml` at the root of the worktree.
    pub(crate) project: Option<(PathBuf, String)>,
    /// Names and values of environment variables; those of other programs are ignored.
    pub(crate) environment: &'a [(String, String)],
    /// `section.key` and value pairs from the command line; if a key is given twice, the last one counts.
    pub(crate) flags: &'a [(String, String)],
}

/// Path of the user's file: `ICR_CONFIG_PATH`, else `ICM_CONFIG`, else `config.toml` in `icr_home`.
pub(crate) fn user_file(environment: &[(String, String)], icr_home: &Path) -> PathBuf {
    let variable = |name: &str| environment.iter().find(|(known, value)| known == name && !value.is_empty());
    let named = variable("ICR_CONFIG_PATH").or_else(|| variable("ICM_CONFIG"));
    named.map_or_else(|| icr_home.join("config.toml"), |(_, path)| PathBuf::from(path))
}

/// One value that a layer sets.
#[derive(Debug)]
pub(super) struct LayerEntry {
    pub(super) no: KeyNo,
    pub(super) value: Value,
    pub(super) place: ValueOrigin,
}

/// The content of a layer: its entries, its errors, and its warnings about translated words.
#[derive(Debug, Default)]
pub(super) struct ConfigurationLayer {
    pub(super) entries: Vec<LayerEntry>,
    pub(super) errors: Vec<ConfigError>,
    pub(super) warnings: Vec<Warning>,
}

/// The entries of a TOML file in line order; `place` turns a line number into a place.
pub(super) fn file(text: &str, place: impl Fn(usize) -> ValueOrigin) -> ConfigurationLayer {
    let mut layer = ConfigurationLayer::default();
    let (spans, values) = match parse(text, &place) {
        Ok(parsed) => parsed,
        Err(error) => {
            layer.errors.push(error);
            return layer;
        }
    };
    let lines = LineIndex::new(text.as_bytes());
    let line_of = |offset: usize| lines.line_of(u32::try_from(offset).unwrap_or(u32::MAX)) as usize;
    'sections: for (section, section_value) in spans.get_ref() {
        if layer.errors.len() >= PROBLEMS_MOST {
            layer.errors.push(ConfigError::TooManyProblems { place: place(line_of(section.span().start)) });
            break;
        }
        let section_place = || place(line_of(section.span().start));
        let name = section.get_ref().as_ref();
        let (Some(keys), Some(Toml::Table(table))) = (section_value.get_ref().as_table(), values.get(name)) else {
            layer.errors.push(match is_section(name) {
                true => invalid(
                    section_place(),
                    name,
                    values.get(name).map_or_else(String::new, Toml::to_string),
                    "a table",
                ),
                false => unknown(section_place(), name),
            });
            continue;
        };
        if keys.is_empty() && !is_section(name) {
            layer.errors.push(unknown(section_place(), name));
        }
        for leaf in keys.keys() {
            let place = place(line_of(leaf.span().start));
            if layer.errors.len() >= PROBLEMS_MOST {
                layer.errors.push(ConfigError::TooManyProblems { place });
                break 'sections;
            }
            let leaf = leaf.get_ref().as_ref();
            let Some(toml) = table.get(leaf) else { continue };
            layer.take_toml(&format!("{name}.{leaf}"), toml, place);
        }
    }
    layer.entries.sort_by_key(|entry| entry.place.line());
    layer.errors.sort_by_key(|error| error.line());
    layer
}

/// Parses a TOML text with positions.
///
/// # Errors
///
/// [`ConfigError::Syntax`] with the line.
pub(super) fn parse<'a>(
    text: &'a str,
    place: impl Fn(usize) -> ValueOrigin,
) -> Result<(Spanned<DeTable<'a>>, toml::Table), ConfigError> {
    let parsed = DeTable::parse(text).and_then(|spans| Ok((spans, toml::from_str(text)?)));
    parsed.map_err(|error| ConfigError::Syntax {
        place: place(line_of(text, error.span().map_or(0, |span| span.start))),
        message: format_for_message(error.message()),
    })
}

/// The entries of the project file: as in [`file()`], but without those that only the user may set.
pub(super) fn project(text: &str, place: impl Fn(usize) -> ValueOrigin) -> ConfigurationLayer {
    let mut layer = file(text, place);
    for entry in std::mem::take(&mut layer.entries) {
        match untrusted(&KEYS[entry.no], &entry.value) {
            None => layer.entries.push(entry),
            Some((only, reason)) => {
                layer.warnings.retain(|warning| warning.place() != Some(&entry.place));
                let key = KEYS[entry.no].name;
                layer.errors.push(ConfigError::NotTrusted { place: entry.place, key, only, reason });
            }
        }
    }
    layer.errors.sort_by_key(|error| error.line());
    layer
}

/// The entries of the environment. If several variables set one key, the order of precedence is `ICR_<SECTION>__<KEY>`,
/// then the aliases in the table in their order, then `ICD_<SECTION>__<KEY>`. An empty variable counts as unset.
pub(super) fn environment(variables: &[(String, String)]) -> ConfigurationLayer {
    let mut layer = ConfigurationLayer::default();
    let set: BTreeMap<&str, &str> = variables
        .iter()
        .filter(|(_, value)| !value.trim().is_empty())
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    for key in KEYS {
        if let Some((variable, text)) = strongest(key, &set) {
            layer.take_text(key.name, text, ValueOrigin::Environment { variable });
        }
    }
    for variable in set.keys() {
        if let Some(key) = unknown_variable(variable) {
            layer.errors.push(unknown(ValueOrigin::Environment { variable: (*variable).to_owned() }, &key));
        }
    }
    layer
}

/// The entries of the command line, in its order.
pub(super) fn flags(flags: &[(String, String)]) -> ConfigurationLayer {
    let mut layer = ConfigurationLayer::default();
    for (key, text) in flags {
        layer.take_text(key, text, ValueOrigin::Flag);
    }
    layer
}

/// `text` as a value of the key `name`.
///
/// # Errors
///
/// [`ConfigError::UnknownKey`] and [`ConfigError::InvalidValue`], at `place`.
pub(super) fn value_from_text(name: &str, text: &str, place: ValueOrigin) -> Result<(KeyNo, Value), ConfigError> {
    let Some((no, key)) = find(name) else { return Err(unknown(place, name)) };
    match Value::from_text(key, text) {
        Some(value) => Ok((no, value)),
        None => Err(invalid_value(place, key, text.to_owned(), text)),
    }
}

/// The row of the key `name`.
///
/// # Errors
///
/// [`ConfigError::UnknownKey`]
pub(super) fn find_key(name: &str, place: ValueOrigin) -> Result<&'static Key, ConfigError> {
    find(name).map(|(_, key)| key).ok_or_else(|| unknown(place, name))
}

/// `toml` as a value of the key `name`.
///
/// # Errors
///
/// As for [`value_from_text`].
pub(super) fn value_from_toml(name: &str, toml: &Toml, place: ValueOrigin) -> Result<(KeyNo, Value), ConfigError> {
    let Some((no, key)) = find(name) else { return Err(unknown(place, name)) };
    match Value::from_toml(key, toml) {
        Some(value) => Ok((no, value)),
        None => Err(invalid_value(place, key, toml.to_string(), toml.as_str().unwrap_or_default())),
    }
}

/// The error for an unknown key name.
pub(super) fn unknown(place: ValueOrigin, name: &str) -> ConfigError {
    ConfigError::UnknownKey { place, key: name.to_owned(), suggestion: suggestion(name) }
}

impl ConfigurationLayer {
    fn take_toml(&mut self, name: &str, toml: &Toml, place: ValueOrigin) {
        if let (Some((no, Key { kind: KeyType::AcceptList, .. })), Toml::Array(rows)) = (find(name), toml) {
            return self.take_entries(no, toml, rows, place);
        }
        let taken = value_from_toml(name, toml, place.clone());
        self.take(taken, toml.as_str().unwrap_or_default(), place);
    }

    /// Takes the valid entries of an accept list. Only a project file may have one: a change is judged by what its own
    /// repository accepts.
    fn take_entries(&mut self, no: KeyNo, list: &Toml, rows: &[Toml], place: ValueOrigin) {
        if !matches!(place, ValueOrigin::Project { .. }) {
            let error = ConfigError::InvalidValue {
                place,
                key: KEYS[no].name.to_owned(),
                value: "set here".to_owned(),
                allowed: KEYS[no].describe_allowed_values(),
            };
            return self.errors.push(error);
        }
        if rows.len() > ACCEPTED_MOST {
            let value = format!("{} entries", rows.len());
            return self.errors.push(invalid(place, KEYS[no].name, value, &format!("at most {ACCEPTED_MOST}")));
        }
        let problems = accept_list_problems(list);
        let is_right = |entry: usize| problems.iter().all(|problem| problem.entry != entry);
        let right =
            (1..).zip(rows).filter(|(entry, _)| is_right(*entry)).filter_map(|(_, row)| row.as_table().cloned());
        let value = Value::Tables(right.collect());
        let errors = problems.into_iter().take(PROBLEMS_MOST).map(Box::new);
        self.errors.extend(errors.map(|problem| ConfigError::Entry { place: place.clone(), problem }));
        self.entries.push(LayerEntry { no, value, place });
    }

    fn take_text(&mut self, name: &str, text: &str, place: ValueOrigin) {
        let taken = value_from_text(name, text, place.clone());
        self.take(taken, text.trim(), place);
    }

    fn take(&mut self, taken: Result<(KeyNo, Value), ConfigError>, written: &str, place: ValueOrigin) {
        let (no, value) = match taken {
            Ok(taken) => taken,
            Err(error) => return self.errors.push(error),
        };
        if let (KeyType::Word { mapped, .. }, Value::Text(word)) = (&KEYS[no].kind, &value)
            && mapped.iter().any(|(from, _)| from.eq_ignore_ascii_case(written))
        {
            let from = format!("`{}` of `{}`", format_for_message(written), KEYS[no].name);
            self.warnings.push(Warning::Mapped { place: place.clone(), from, to: format!("`{word}`") });
        }
        self.entries.push(LayerEntry { no, value, place });
    }
}

impl ValueOrigin {
    /// The line number, for sorting; 0 if the entry is not from a file.
    pub(super) fn line(&self) -> usize {
        match self {
            Self::User { line, .. } | Self::Store { line, .. } | Self::Project { line, .. } => *line,
            Self::BuiltIn | Self::GivesWay { .. } | Self::Environment { .. } | Self::Flag | Self::Several(_) => 0,
        }
    }
}

impl ConfigError {
    fn line(&self) -> usize {
        match self {
            Self::Syntax { place, .. }
            | Self::UnknownKey { place, .. }
            | Self::TooManyProblems { place }
            | Self::InvalidValue { place, .. }
            | Self::Entry { place, .. }
            | Self::NotTrusted { place, .. } => place.line(),
            _ => 0,
        }
    }
}

impl Warning {
    fn place(&self) -> Option<&ValueOrigin> {
        match self {
            Self::Mapped { place, .. } | Self::HidesAll { place, .. } | Self::Note { place, .. } => Some(place),
            Self::Ignored(_) => None,
        }
    }
}

/// The error for an invalid value, shown as `written`; `text` is the same value without quotes if it is a text.
fn invalid_value(place: ValueOrigin, key: &Key, written: String, text: &str) -> ConfigError {
    let allowed = match key.misspelled(text) {
        Some(problem) => format!("{}: {problem}", key.describe_allowed_values()),
        None => key.describe_allowed_values(),
    };
    let written = if key.secret { "not valid".to_owned() } else { format!("`{}`", format_for_message(&written)) };
    ConfigError::InvalidValue { place, key: key.name.to_owned(), value: written, allowed }
}

fn invalid(place: ValueOrigin, key: &str, written: String, allowed: &str) -> ConfigError {
    let value = format!("`{}`", format_for_message(&written));
    ConfigError::InvalidValue { place, key: key.to_owned(), value, allowed: allowed.to_owned() }
}

/// Why the project file may not set `key` to `value`, after the values it may set; `None` when it may.
fn untrusted(key: &Key, value: &Value) -> Option<(&'static [&'static str], &'static str)> {
    match key.from_project {
        FromProject::Any => None,
        FromProject::Never(reason) => Some((&[], reason)),
        FromProject::Only(values, reason) => {
            let text = match value {
                Value::Text(text) => text.clone(),
                other => other.to_string(),
            };
            (!values.contains(&text.as_str())).then_some((values, reason))
        }
    }
}

fn strongest<'a>(key: &'static Key, set: &BTreeMap<&str, &'a str>) -> Option<(String, &'a str)> {
    let of_prefix = |prefix| {
        let variable = key.variable(prefix);
        set.get(variable.as_str()).map(|text| (variable, *text))
    };
    let of_alias = |alias: &Alias| match *alias {
        Alias::Value(name) => set.get(name).map(|text| (name.to_owned(), *text)),
        // Every value except a clear "no" switches it on: a user who sets `ICR_DISABLE_HOOKS` at all wants no hooks.
        Alias::Switch(name, value) => {
            set.get(name).filter(|text| switch(text.trim()) != Some(false)).map(|_| (name.to_owned(), value))
        }
    };
    of_prefix("ICR").or_else(|| key.environment.iter().find_map(of_alias)).or_else(|| of_prefix("ICD"))
}

/// The key that `variable` seems to mean, if it has the form of an icr variable but names no key.
fn unknown_variable(variable: &str) -> Option<String> {
    let (rest, is_ours) = match variable.strip_prefix("ICR_") {
        Some(rest) => (rest, true),
        None => (variable.strip_prefix("ICD_")?, false),
    };
    let (section, leaf) = rest.split_once("__")?;
    let name = format!("{section}.{leaf}").to_ascii_lowercase();
    // Variables with the older prefix may belong to another program; they count only with a section that icr has.
    let meant = is_ours || is_section(&section.to_ascii_lowercase());
    let known = find(&name).is_some() && rest.bytes().all(|byte| !byte.is_ascii_lowercase());
    (meant && !known).then_some(name)
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}
