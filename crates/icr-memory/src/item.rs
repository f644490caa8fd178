//! A memory as doors show it.

use icr_model::Moment;
use serde::Serialize;

use crate::memory::moment;
use crate::{Author, CodeBinding, CodePlace, Importance, Memory, MemoryKind, RecordId};

/// What has become of a place in code that a memory is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaceState {
    /// It says what it said then.
    Same,
    /// It says what it said then, in another place.
    Moved,
    /// It says something else.
    Changed,
    /// The view that is asked has no such file or definition.
    Absent,
    /// It cannot be told: the memory does not say what it was, or the file cannot be looked into.
    Unknown,
}

/// A place in code that a memory is about, and what has become of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PlaceItem {
    /// The file.
    pub path: String,
    /// The qualified name of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// What has become of it in the view that is asked; none where no view is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<PlaceState>,
    /// What it is now, in a line: where it begins and its signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// A memory as doors show it; in JSON, what is not there is left out.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MemoryItem {
    /// Its id.
    pub id: RecordId,
    /// What it is filed under.
    pub topic: String,
    /// What is remembered.
    pub summary: String,
    /// The text that it was taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_excerpt: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// How much it matters.
    pub importance: Importance,
    /// How well it answers, in `0.0..=1.0`; in answers to a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Its weight as of now, in `0.0..=1.0`.
    pub weight: f64,
    /// Where it comes from.
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
    /// How often.
    pub access_count: u32,
    /// From when on it is not recalled any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// The memory that stands in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<RecordId>,
    /// Memories that are near in meaning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RecordId>,
    /// The code that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<PlaceItem>,
}

impl MemoryItem {
    /// The memory with its weight as of now, and its score in an answer to a question.
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
            created_at: moment(memory.created_at),
            updated_at: moment(memory.updated_at),
            accessed_at: moment(memory.accessed_at),
            access_count: memory.access_count,
            expires_at: memory.expires_at.map(moment),
            superseded_by: memory.superseded_by.clone(),
            related: memory.related.clone(),
            code: places.map(place).collect(),
        }
    }

    /// The summary in one line.
    pub fn line(&self) -> String {
        self.summary.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// To four digits, which is more than anybody compares.
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
        let id = store(&mut database, &new, 1_700_000_000_000).unwrap().id;
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
