//! A memory as the interfaces of icr show it.

use icr_model::{Moment, UnixMillis};
use serde::Serialize;

use crate::{Author, CodeBinding, CodePlace, Importance, Memory, MemoryKind, RecordId};

/// The current state of a place in code that a memory is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaceState {
    /// The text is unchanged.
    Same,
    /// The text is unchanged, but in another place.
    Moved,
    /// The text has changed.
    Changed,
    /// The queried view has no such file or definition.
    Absent,
    /// Unknown: the memory does not record the earlier text, or the file cannot be read.
    Unknown,
}

/// A place in code that a memory is about, and its current state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PlaceItem {
    /// Path of the file.
    pub path: String,
    /// The qualified name of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Its state in the queried view; `None` if there is no view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<PlaceState>,
    /// One line about the current definition: where it begins, and its signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// A memory as the interfaces of icr show it. In JSON, missing fields are left out.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MemoryItem {
    /// The id of the memory.
    pub id: RecordId,
    /// The topic that the memory is filed under.
    pub topic: String,
    /// The remembered text.
    pub summary: String,
    /// The excerpt that the text was taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_excerpt: Option<String>,
    /// Keywords to find it by.
    pub keywords: Vec<String>,
    /// How much it matters.
    pub importance: Importance,
    /// How well it answers the question, in `0.0..=1.0`; only in answers to a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Its current weight, in `0.0..=1.0`.
    pub weight: f64,
    /// Where the memory comes from, such as `claude-code`.
    pub source: String,
    /// Who said it.
    pub author: Author,
    /// What kind it is.
    pub kind: MemoryKind,
    /// The repository that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// When it was stored.
    pub created_at: Moment,
    /// When its text was last changed.
    pub updated_at: Moment,
    /// When it was last recalled or stored again.
    pub accessed_at: Moment,
    /// How often it was recalled or stored again.
    pub access_count: u32,
    /// From this time on it is no longer recalled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// The memory that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<RecordId>,
    /// Memories with a similar meaning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RecordId>,
    /// The places in code that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<PlaceItem>,
    /// Fields whose stored values make no sense, and are shown as if they were missing. An update of the memory replaces
    /// them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub senseless: Vec<&'static str>,
}

impl MemoryItem {
    /// Builds the item with the current weight, and with the score if it is an answer to a question.
    pub fn new(memory: &Memory, weight: f64, score: Option<f64>) -> Self {
        let place = |place: &CodePlace| PlaceItem {
            path: place.path.clone(),
            symbol: place.symbol.clone(),
            state: None,
            now: None,
        };
        let places = memory.code.iter().flat_map(|code: &CodeBinding| &code.places);
        Self {
            id: memory.id.clone(),
            topic: memory.topic.clone(),
            summary: memory.summary.clone(),
            raw_excerpt: memory.raw_excerpt.clone(),
            keywords: memory.keywords.clone(),
            importance: memory.importance,
            score: score.map(rounded),
            weight: rounded(weight),
            source: memory.source.0.clone(),
            author: memory.author,
            kind: memory.kind,
            project: (!memory.project.is_none()).then(|| memory.project.as_str().to_owned()),
            created_at: memory.created_at.to_moment(),
            updated_at: memory.updated_at.to_moment(),
            accessed_at: memory.accessed_at.to_moment(),
            access_count: memory.access_count,
            expires_at: memory.expires_at.map(UnixMillis::to_moment),
            superseded_by: memory.superseded_by.clone(),
            related: memory.related.clone(),
            code: places.map(place).collect(),
            senseless: memory.senseless.clone(),
        }
    }

    /// The summary in one line.
    pub fn line(&self) -> String {
        self.summary.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Rounds to four digits, which is more than anybody compares.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryDatabase, MemoryOptions, NewMemory, memory_of, store};

    #[test]
    fn an_item_says_what_is_there_and_nothing_else() {
        let mut database = MemoryDatabase::in_memory(MemoryOptions::default()).unwrap();
        let place = CodePlace {
            path: "src/a.rs".into(),
            symbol: Some("open".into()),
            blob: Some("ab".into()),
            definition: None,
            found_in_text: true,
        };
        let code = CodeBinding { commit: None, tree: None, places: vec![place] };
        let new = NewMemory {
            topic: "choices".into(),
            summary: "We open\n files once.".into(),
            code: Some(code),
            ..NewMemory::default()
        };
        let id = store(&mut database, &new, UnixMillis(1_700_000_000_000)).unwrap().id;
        let item = MemoryItem::new(&memory_of(&database, &id).unwrap(), 0.123_456, None);
        assert_eq!(item.line(), "We open files once.");
        let mut json = serde_json::to_value(&item).unwrap();
        json["id"] = "ID".into();
        insta::assert_snapshot!(serde_json::to_string_pretty(&json).unwrap(), @r#"
        {
          "id": "ID",
          "topic": "choices",
          "summary": "We open\n files once.",
          "keywords": [],
          "importance": "medium",
          "weight": 0.1235,
          "source": "manual",
          "author": "person",
          "kind": "episodic",
          "created_at": "2023-11-14T22:13:20Z",
          "updated_at": "2023-11-14T22:13:20Z",
          "accessed_at": "2023-11-14T22:13:20Z",
          "access_count": 0,
          "code": [
            {
              "path": "src/a.rs",
              "symbol": "open"
            }
          ]
        }
        "#);
    }
}
