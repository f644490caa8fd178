//! The fields of a memory, and their limits.

use icr_model::UnixMillis;
use serde::{Deserialize, Serialize};

use crate::{Error, RecordId};

/// Longest topic, in bytes.
pub const TOPIC_BYTES_MOST: usize = 255;

/// Longest summary, and longest excerpt, in bytes.
pub const TEXT_BYTES_MOST: usize = 64 * 1024;

/// Most keywords of a memory, and the longest keyword in bytes.
const KEYWORDS_MOST: usize = 100;
const KEYWORD_BYTES_MOST: usize = 255;

/// The beginning of the year 10000: times are written with four digits of the year.
pub(crate) const YEAR_10000: UnixMillis = UnixMillis(253_402_300_800_000);

/// Most places in code that one memory may be about.
pub(crate) const PLACES_MOST: usize = 100;

/// How much a memory matters. It decides how fast the weight decays, and whether the memory may be pruned.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    /// Decays twice as fast as a medium one; may be pruned.
    Low,
    /// May be pruned.
    #[default]
    Medium,
    /// Decays half as fast as a medium one; never pruned.
    High,
    /// Never decays; never pruned.
    Critical,
}

impl Importance {
    /// All levels, the lowest first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The name of the level.
    pub fn name(self) -> &'static str {
        ["low", "medium", "high", "critical"][self as usize]
    }

    /// The level with this name, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|importance| importance.name().eq_ignore_ascii_case(name))
    }

    /// Factor on the decay of a medium memory.
    pub fn decay_factor(self) -> f64 {
        [2.0, 1.0, 0.5, 0.0][self as usize]
    }

    /// Whether a memory of this importance may be pruned.
    pub fn may_be_pruned(self) -> bool {
        self <= Self::Medium
    }
}

/// Who stored the memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person at a command line.
    #[default]
    Person,
    /// An agent, through a tool call.
    Agent,
    /// A hook, which extracts memories by rules.
    Hook,
}

impl Author {
    /// All authors, in the order of their declaration.
    pub const ALL: [Self; 3] = [Self::Person, Self::Agent, Self::Hook];

    /// The name of the author.
    pub fn name(self) -> &'static str {
        ["person", "agent", "hook"][self as usize]
    }

    /// The author with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|author| author.name() == name)
    }
}

/// Where a memory comes from: the client or conversation, as free text of at most 255 bytes (`claude-code`, `conversation`, `manual`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct MemoryOrigin(pub String);

impl Default for MemoryOrigin {
    fn default() -> Self {
        Self("manual".to_owned())
    }
}

/// The kind of a memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    /// Something that happened or was learned.
    #[default]
    Episodic,
    /// Something that must stay true; derived from code or dialogue.
    Invariant,
    /// A decision; derived from code or dialogue.
    Decision,
    /// A fact; derived from code or dialogue.
    Fact,
}

impl MemoryKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [Self; 4] = [Self::Episodic, Self::Invariant, Self::Decision, Self::Fact];

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        ["episodic", "invariant", "decision", "fact"][self as usize]
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The project that a memory belongs to: the id of a repository, which its clones and worktrees share; or no project,
/// for a memory that is about no repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct ProjectKey(String);

impl ProjectKey {
    /// No project.
    pub const NONE: Self = Self(String::new());

    /// The project of the repository with that id.
    pub fn of_repository(repo_id: &str) -> Self {
        Self(repo_id.to_owned())
    }

    /// The repository's id; empty for no project.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is no project.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

/// The places in code that a memory is about, with their state at that time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CodeBinding {
    /// The commit that was checked out, in hexadecimal digits; `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The tree of that commit, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Files and definitions, most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<CodePlace>,
}

/// A file, or a definition in it, that a memory is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CodePlace {
    /// The file, relative to the root of the repository.
    pub path: String,
    /// The qualified name of the definition; `None` for the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The file's blob at that time, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
    /// A digest of the definition's text at that time, in hexadecimal digits. It tells a change of the definition from
    /// a change elsewhere in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Whether the place was found in the text of the memory; otherwise it was named when the memory was stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub found_in_text: bool,
}

/// A memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its id.
    pub id: RecordId,
    /// The project that it belongs to.
    pub project: ProjectKey,
    /// The topic that it is filed under; 1 to 255 bytes, one line.
    pub topic: String,
    /// The remembered text; 1 byte to 64 KiB.
    pub summary: String,
    /// The excerpt that the text was taken from.
    pub raw_excerpt: Option<String>,
    /// Keywords to find it by.
    pub keywords: Vec<String>,
    /// How much it matters.
    pub importance: Importance,
    /// Where it comes from.
    pub source: MemoryOrigin,
    /// Who stored it.
    pub author: Author,
    /// The kind of the memory.
    pub kind: MemoryKind,
    /// When it was stored.
    pub created_at: UnixMillis,
    /// When its text was last changed.
    pub updated_at: UnixMillis,
    /// When it was last recalled or stored again.
    pub accessed_at: UnixMillis,
    /// How often it was recalled or stored again.
    pub access_count: u32,
    /// Its weight at `weight_at`, above 0 and at most 1.
    pub weight: f64,
    /// The time at which the memory had this `weight`.
    pub weight_at: UnixMillis,
    /// From this time on it is no longer recalled; `None` if it does not expire.
    pub expires_at: Option<UnixMillis>,
    /// The memory that it was consolidated into, which is recalled instead.
    pub superseded_by: Option<RecordId>,
    /// Ids of memories with a similar meaning.
    pub related: Vec<RecordId>,
    /// The places in code that it is about.
    pub code: Option<CodeBinding>,
    /// Columns of its row whose values make no sense, and were read as if they were the default.
    pub senseless: Vec<&'static str>,
}

/// A memory to store.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewMemory {
    /// The project that it belongs to.
    pub project: ProjectKey,
    /// The topic that it is filed under; 1 to 255 bytes, one line.
    pub topic: String,
    /// The remembered text; 1 byte to 64 KiB.
    pub summary: String,
    /// The excerpt that the text was taken from; at most 64 KiB.
    pub raw_excerpt: Option<String>,
    /// Keywords to find it by.
    pub keywords: Vec<String>,
    /// How much it matters.
    pub importance: Importance,
    /// Where it comes from.
    pub source: MemoryOrigin,
    /// Who stored it.
    pub author: Author,
    /// The kind of the memory.
    pub kind: MemoryKind,
    /// From this time on it is no longer recalled; `None` if it does not expire.
    pub expires_at: Option<UnixMillis>,
    /// The places in code that it is about.
    pub code: Option<CodeBinding>,
}

impl NewMemory {
    /// Checks that every field is valid; the error says what would be valid.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`].
    pub fn check(&self) -> Result<(), Error> {
        check_topic(&self.topic)?;
        check_text("content", &self.summary)?;
        if let Some(excerpt) = &self.raw_excerpt {
            check_length("raw_excerpt", excerpt, TEXT_BYTES_MOST)?;
        }
        if let Some(expires_at) = self.expires_at.filter(|at| *at >= YEAR_10000) {
            let wrong = format!("is {}, after the year 9999", expires_at.0);
            return Err(Error::Invalid { field: "expires_at", wrong, right: "leave it out for what stays".to_owned() });
        }
        check_length("source", &self.source.0, TOPIC_BYTES_MOST)?;
        check_keywords(&self.keywords)?;
        check_places(self.code.as_ref())
    }
}

/// Refuses a topic that is empty, too long, or has several lines.
pub(crate) fn check_topic(topic: &str) -> Result<(), Error> {
    if topic.trim().is_empty() {
        return Err(Error::invalid("topic", "is empty", "name what the memory is filed under, such as `decisions`"));
    }
    check_length("topic", topic, TOPIC_BYTES_MOST)?;
    if topic.chars().any(char::is_control) {
        return Err(Error::invalid(
            "topic",
            "has a line break, a NUL or another control character",
            "write it on one line",
        ));
    }
    Ok(())
}

/// Refuses a text that is empty or too long.
pub(crate) fn check_text(field: &'static str, text: &str) -> Result<(), Error> {
    if text.trim().is_empty() {
        return Err(Error::invalid(field, "is empty", "say what is to be remembered"));
    }
    check_length(field, text, TEXT_BYTES_MOST)
}

pub(crate) fn check_length(field: &'static str, text: &str, most: usize) -> Result<(), Error> {
    if text.len() <= most {
        return Ok(());
    }
    let wrong = format!("has {} bytes", text.len());
    Err(Error::Invalid {
        field,
        wrong,
        right: format!("at most {most} bytes are kept; shorten it or store it in parts"),
    })
}

pub(crate) fn check_keywords(keywords: &[String]) -> Result<(), Error> {
    if keywords.len() > KEYWORDS_MOST {
        let wrong = format!("has {} words", keywords.len());
        return Err(Error::Invalid { field: "keywords", wrong, right: format!("at most {KEYWORDS_MOST} are kept") });
    }
    for keyword in keywords {
        if keyword.trim().is_empty() {
            return Err(Error::invalid("keywords", "holds an empty word", "leave it out"));
        }
        check_length("keywords", keyword, KEYWORD_BYTES_MOST)?;
    }
    Ok(())
}

fn check_places(code: Option<&CodeBinding>) -> Result<(), Error> {
    let places = code.map_or(0, |code| code.places.len());
    if places <= PLACES_MOST {
        return Ok(());
    }
    let wrong = format!("names {places} places");
    Err(Error::Invalid { field: "code", wrong, right: format!("at most {PLACES_MOST} are kept") })
}
