//! What icr puts into a file, whatever the file's format.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::{self, JsonPlace};
use super::refusal::Refusal;
use super::splice::Splice;
use super::yaml::YamlPlace;
use super::{block, lines, splice, toml_table, yaml};

/// Where in a file an entry stands, and in which format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "format", rename_all = "kebab-case")]
pub(crate) enum EntryLocation {
    /// JSON with comments: a member at a path of keys.
    JsonMember { path: Vec<String> },
    /// JSON with comments: a member that the host requires, whatever its value.
    JsonDefault { path: Vec<String> },
    /// JSON with comments: an item of the array at a path of keys, recognised by words in it.
    JsonItem { path: Vec<String>, marker: String },
    /// TOML: a table.
    TomlTable { path: Vec<String> },
    /// YAML: an item of the list below a top-level key, recognised by its name or by its whole value.
    YamlItem { key: String, name: Option<String> },
    /// YAML: a member of the mapping below a top-level key.
    YamlMember { key: String, name: String },
    /// A block between marks at the end of a text.
    Block,
    /// The whole file.
    File,
}

/// A place in a file and the content that belongs there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ConfigurationEntry {
    pub(crate) place: EntryLocation,
    /// JSON, lines of TOML or YAML, or text.
    pub(crate) content: String,
}

/// What a file has at an entry's place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EntryState {
    /// Nothing.
    Absent,
    /// The same value.
    Equal,
    /// Another value: its strings, and its canonical form without layout.
    Other { texts: Vec<String>, canonical: String },
}

/// A record of how an entry was put into a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Insertion {
    pub(crate) entry: ConfigurationEntry,
    /// Text that was inserted.
    pub(crate) text: String,
    /// Text that was replaced.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) replaced: String,
    /// Whether the replaced text was an entry of the same name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) replaces_entry: bool,
    /// Number of enclosing containers that were created together with it.
    #[serde(default)]
    pub(crate) created: usize,
    /// Names of the hosts that it is for.
    pub(crate) hosts: Vec<String>,
    /// Names of the modes that it belongs to.
    pub(crate) modes: Vec<String>,
}

impl ConfigurationEntry {
    /// Description of the entry, for messages.
    pub(crate) fn title(&self) -> String {
        match &self.place {
            EntryLocation::JsonMember { path }
            | EntryLocation::JsonDefault { path }
            | EntryLocation::TomlTable { path } => {
                format!("`{}`", path.join("."))
            }
            EntryLocation::JsonItem { path, .. } => format!("the hook in `{}`", path.join(".")),
            EntryLocation::YamlItem { key, name: Some(name) } | EntryLocation::YamlMember { key, name } => {
                format!("`{name}` in `{key}`")
            }
            EntryLocation::YamlItem { key, name: None } => format!("the item of `{key}`"),
            EntryLocation::Block => "the block of icr".to_owned(),
            EntryLocation::File => "the file".to_owned(),
        }
    }

    /// State of the entry's place in `text`.
    pub(crate) fn state_in(&self, text: &str) -> Result<EntryState, Refusal> {
        let other = |canonical: String| EntryState::Other {
            texts: canonical.split(['"', '\'', ' ', '\n']).map(str::to_owned).collect(),
            canonical,
        };
        match &self.place {
            EntryLocation::JsonMember { path } => json::state_of(text, JsonPlace { path, marker: None }, &self.value()),
            EntryLocation::JsonDefault { path } => {
                let state = json::state_of(text, JsonPlace { path, marker: None }, &self.value())?;
                Ok(if state == EntryState::Absent { state } else { EntryState::Equal })
            }
            EntryLocation::JsonItem { path, marker } => {
                json::state_of(text, JsonPlace { path, marker: Some(marker) }, &self.value())
            }
            EntryLocation::TomlTable { path } => Ok(match toml_table::table_at(text, path)? {
                None => EntryState::Absent,
                Some(found) if Some(&found) == toml_value(&self.content).as_ref() => EntryState::Equal,
                Some(found) => other(found.to_string()),
            }),
            EntryLocation::YamlItem { .. } | EntryLocation::YamlMember { .. } => {
                let place = self.yaml_place();
                Ok(match yaml::entry_at(text, place, &self.content)? {
                    None => EntryState::Absent,
                    found if found == yaml::value_of(place, &self.content) => EntryState::Equal,
                    Some(found) => other(yaml_texts(&found)),
                })
            }
            EntryLocation::Block => Ok(match block::block_in(text)? {
                None => EntryState::Absent,
                Some(found) if found == block::block(&self.content) => EntryState::Equal,
                Some(found) => other(found),
            }),
            EntryLocation::File => Ok(match text {
                "" => EntryState::Absent,
                _ if text == self.content => EntryState::Equal,
                _ => other(text.to_owned()),
            }),
        }
    }

    /// The canonical form in [`EntryState::Other`] if the place holds exactly what icr wrote.
    pub(crate) fn canonical(&self) -> String {
        match &self.place {
            EntryLocation::JsonMember { .. } | EntryLocation::JsonDefault { .. } | EntryLocation::JsonItem { .. } => {
                json::canonical(&self.value())
            }
            EntryLocation::TomlTable { .. } => {
                toml_value(&self.content).map(|value| value.to_string()).unwrap_or_default()
            }
            EntryLocation::YamlItem { .. } | EntryLocation::YamlMember { .. } => {
                yaml::value_of(self.yaml_place(), &self.content).map(|value| yaml_texts(&value)).unwrap_or_default()
            }
            EntryLocation::Block => block::block(&self.content),
            EntryLocation::File => self.content.clone(),
        }
    }

    /// Puts the entry into `text`, replacing what is at its place. Returns the new text and the record that is needed
    /// to remove the entry.
    pub(crate) fn insert(&self, text: &str) -> Result<(String, Insertion), Refusal> {
        let replaces_entry = self.state_in(text)? != EntryState::Absent;
        let (splice, created) = match &self.place {
            EntryLocation::JsonMember { path } | EntryLocation::JsonDefault { path } => {
                json::insert(text, JsonPlace { path, marker: None }, &self.value())?
            }
            EntryLocation::JsonItem { path, marker } => {
                json::insert(text, JsonPlace { path, marker: Some(marker) }, &self.value())?
            }
            EntryLocation::TomlTable { path } => (toml_table::insert(text, path, &self.content)?, 0),
            EntryLocation::YamlItem { .. } | EntryLocation::YamlMember { .. } => {
                yaml::insert(text, self.yaml_place(), &self.content)?
            }
            EntryLocation::Block => (self.block_splice(text)?, 0),
            EntryLocation::File => (Splice::at(text, 0..text.len(), self.content.clone()), 0),
        };
        let after = splice.apply(text);
        let insertion = Insertion {
            entry: self.clone(),
            text: splice.text,
            replaced: splice.replaced,
            replaces_entry,
            created,
            hosts: Vec::new(),
            modes: Vec::new(),
        };
        // Checks that nothing else has changed.
        if self.state_in(&after)? != EntryState::Equal || !insertion.leads_back(&after, text)? {
            return Err(Refusal::Inexact);
        }
        Ok((after, insertion))
    }

    fn block_splice(&self, text: &str) -> Result<Splice, Refusal> {
        if text.contains('\0') {
            return Err(Refusal::NotUtf8 { at: text.find('\0').unwrap_or_default() });
        }
        let block = block::block(&self.content);
        Ok(match block::place(text)? {
            Some((start, end)) => {
                Splice::at(text, start..end, lines::with_line_ends(&block, splice::line_end_of(text)))
            }
            None => lines::appended(text, &block),
        })
    }

    fn value(&self) -> Value {
        serde_json::from_str(&self.content).unwrap_or_default()
    }

    fn yaml_place(&self) -> YamlPlace<'_> {
        match &self.place {
            EntryLocation::YamlItem { key, name } => YamlPlace { key, is_list: true, name: name.as_deref() },
            EntryLocation::YamlMember { key, name } => YamlPlace { key, is_list: false, name: Some(name) },
            _ => YamlPlace { key: "", is_list: false, name: None },
        }
    }
}

impl Insertion {
    /// A record for an entry that is there already although the manifest has no record of it. How the file was before
    /// is unknown, so empty containers are removed together with the entry.
    pub(super) fn from_existing(entry: &ConfigurationEntry) -> Self {
        let is_file = entry.place == EntryLocation::File;
        let created = match &entry.place {
            EntryLocation::JsonMember { path } => path.len().saturating_sub(1),
            EntryLocation::JsonItem { path, .. } => path.len(),
            EntryLocation::YamlItem { .. } | EntryLocation::YamlMember { .. } => 1,
            EntryLocation::JsonDefault { .. }
            | EntryLocation::TomlTable { .. }
            | EntryLocation::Block
            | EntryLocation::File => 0,
        };
        Self {
            entry: entry.clone(),
            // Only a whole file is found by its text; other entries are found by their place.
            text: if is_file { entry.content.clone() } else { String::new() },
            replaced: String::new(),
            replaces_entry: false,
            created,
            hosts: Vec::new(),
            modes: Vec::new(),
        }
    }

    /// `text` without the entry; unchanged if the entry is not there. Other changes to the file are kept.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the file cannot be parsed, or if the inserted text cannot be separated from its surroundings.
    pub(crate) fn remove(&self, text: &str) -> Result<String, Refusal> {
        let before = self.replaces_entry.then_some(self.replaced.as_str());
        let replaced = before.unwrap_or_default();
        match &self.entry.place {
            EntryLocation::JsonMember { path } => self.remove_json(text, JsonPlace { path, marker: None }, before),
            EntryLocation::JsonItem { path, marker } => {
                self.remove_json(text, JsonPlace { path, marker: Some(marker) }, before)
            }
            EntryLocation::JsonDefault { path } => {
                // The member stays if other members or items were added meanwhile, because they need it.
                let left = self.remove_json(text, JsonPlace { path, marker: None }, before)?;
                Ok(if json::is_vacuous(&left) { left } else { text.to_owned() })
            }
            EntryLocation::TomlTable { path } => {
                Ok(toml_table::remove(text, path, &self.text, replaced)?.unwrap_or_else(|| text.to_owned()))
            }
            EntryLocation::YamlItem { .. } | EntryLocation::YamlMember { .. } => {
                let exact = (self.text.as_str(), replaced);
                let (place, content) = (self.entry.yaml_place(), &self.entry.content);
                Ok(yaml::remove(text, place, content, self.created, exact)?.unwrap_or_else(|| text.to_owned()))
            }
            EntryLocation::Block => {
                let Some((start, end)) = block::place(text)? else { return Ok(text.to_owned()) };
                if let Some(left) = lines::reversed(text, &self.text, replaced) {
                    return Ok(left);
                }
                Ok(match before {
                    Some(before) => Splice::at(text, start..end, before.to_owned()).apply(text),
                    None => lines::without(text, start, end),
                })
            }
            EntryLocation::File => match splice::reversed(text, &self.text, replaced) {
                Some(left) => Ok(left),
                None if text.is_empty() => Ok(String::new()),
                None => Err(Refusal::Rewritten),
            },
        }
    }

    fn remove_json(&self, text: &str, place: JsonPlace<'_>, before: Option<&str>) -> Result<String, Refusal> {
        let Some(structural) = json::remove(text, place, self.created, before)? else { return Ok(text.to_owned()) };
        let exact = splice::reversed(text, &self.text, &self.replaced);
        let wanted = json::canonical_text(&structural)?;
        Ok(exact.filter(|exact| json::canonical_text(exact).is_ok_and(|whole| whole == wanted)).unwrap_or(structural))
    }

    /// Whether removing the entry from `after` gives `before`: the same value at least, and the same text if the entry
    /// is found by its text.
    fn leads_back(&self, after: &str, before: &str) -> Result<bool, Refusal> {
        let left = match self.entry.place {
            // Removal would keep this member as long as others are beside it, so the text is compared directly.
            EntryLocation::JsonDefault { .. } => {
                return Ok(splice::reversed(after, &self.text, &self.replaced).is_some_and(|left| left == before));
            }
            _ => self.remove(after)?,
        };
        match self.entry.place {
            EntryLocation::JsonMember { .. } | EntryLocation::JsonItem { .. } => {
                Ok(left == before || json::canonical_text(&left)? == json::canonical_text(before)?)
            }
            EntryLocation::TomlTable { .. } => {
                Ok(left == before || toml_table::parse(&left)? == toml_table::parse(before)?)
            }
            EntryLocation::YamlItem { .. } | EntryLocation::YamlMember { .. } => {
                Ok(left == before || yaml::parse(&left)? == yaml::parse(before)?)
            }
            _ => Ok(left == before),
        }
    }
}

fn toml_value(content: &str) -> Option<toml::Value> {
    toml::from_str(content).ok().map(toml::Value::Table)
}

/// All strings of a YAML value with their keys, one per line.
fn yaml_texts(value: &yaml_rust2::Yaml) -> String {
    use yaml_rust2::Yaml;
    match value {
        Yaml::Hash(members) => {
            members.iter().map(|(key, value)| format!("{} {}\n", yaml_texts(key), yaml_texts(value))).collect()
        }
        Yaml::Array(items) => items.iter().map(|item| format!("{}\n", yaml_texts(item))).collect(),
        Yaml::String(text) | Yaml::Real(text) => text.clone(),
        other => format!("{other:?}"),
    }
}
