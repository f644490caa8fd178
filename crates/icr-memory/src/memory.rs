//! What a memory is.

use icr_model::Moment;
use serde::{Deserialize, Serialize};

use crate::{Error, RecordId};

/// Longest topic, in bytes.
pub const TOPIC_BYTES_MOST: usize = 255;

/// Longest summary and longest excerpt, in bytes.
pub const TEXT_BYTES_MOST: usize = 64 * 1024;

/// Most keywords of a memory, and longest of them in bytes.
const KEYWORDS_MOST: usize = 100;
const KEYWORD_BYTES_MOST: usize = 255;

/// When the year 10000 begins, in milliseconds since 1970: times are written with four digits of the year.
pub(crate) const YEAR_10000_MS: i64 = 253_402_300_800_000;

/// Most places in code that a memory may be about.
pub(crate) const PLACES_MOST: usize = 100;

/// How much a memory matters: how fast its weight decays, and whether it may be pruned.
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
    /// All, from the least.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The word for it.
    pub fn name(self) -> &'static str {
        ["low", "medium", "high", "critical"][self as usize]
    }

    /// The importance that a word names, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|importance| importance.name().eq_ignore_ascii_case(name))
    }

    /// How much faster than a medium memory one of this importance decays.
    pub fn decay_factor(self) -> f64 {
        [2.0, 1.0, 0.5, 0.0][self as usize]
    }

    /// Whether a memory of this importance may be pruned.
    pub fn may_be_pruned(self) -> bool {
        self <= Self::Medium
    }
}

/// Who said what is remembered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// Somebody at a command line.
    #[default]
    Person,
    /// An agent, through a tool.
    Agent,
    /// A hook, by rule.
    Hook,
}

impl Author {
    /// All.
    pub const ALL: [Self; 3] = [Self::Person, Self::Agent, Self::Hook];

    /// The word for it.
    pub fn name(self) -> &'static str {
        ["person", "agent", "hook"][self as usize]
    }

    /// The author that a word names.
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

/// What kind of thing is remembered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    /// What happened or was learned.
    #[default]
    Episodic,
    /// What must stay true; derived.
    Invariant,
    /// What was decided; derived.
    Decision,
    /// What is the case; derived.
    Fact,
}

impl MemoryKind {
    /// All.
    pub const ALL: [Self; 4] = [Self::Episodic, Self::Invariant, Self::Decision, Self::Fact];

    /// The word for it.
    pub fn name(self) -> &'static str {
        ["episodic", "invariant", "decision", "fact"][self as usize]
    }

    /// The kind that a word names.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The project that a memory belongs to: the id of a repository, which its clones and worktrees share; none for what is about no
/// repository.
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

/// The code that a memory is about, as it was then.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CodeBinding {
    /// The commit that was checked out, in hexadecimal digits; none where there was no commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Its tree, in hexadecimal digits.
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
    /// The qualified name of the definition; none for the file as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The file's blob at that time, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
    /// A digest of the definition's text at that time, in hexadecimal digits, so that a change elsewhere in the file is told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Whether the place was found in the text of the memory; else it was named when the memory was stored.
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
    /// What it is filed under; 1 to 255 bytes, one line.
    pub topic: String,
    /// What is remembered; 1 byte to 64 KiB.
    pub summary: String,
    /// The text that it was taken from.
    pub raw_excerpt: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// How much it matters.
    pub importance: Importance,
    /// Where it comes from.
    pub source: MemoryOrigin,
    /// Who said it.
    pub author: Author,
    /// What kind it is.
    pub kind: MemoryKind,
    /// When it was stored, in milliseconds since 1970.
    pub created_at: i64,
    /// When its text was last changed.
    pub updated_at: i64,
    /// When it was last recalled or stored again.
    pub accessed_at: i64,
    /// How often.
    pub access_count: u32,
    /// Its weight at `weight_at`, above 0 and at most 1.
    pub weight: f64,
    /// The moment that `weight` holds for.
    pub weight_at: i64,
    /// From when on it is not recalled any more; none for ever.
    pub expires_at: Option<i64>,
    /// The memory that it was consolidated into, which is recalled in its place.
    pub superseded_by: Option<RecordId>,
    /// Memories that are near in meaning.
    pub related: Vec<RecordId>,
    /// The code that it is about.
    pub code: Option<CodeBinding>,
}

/// A memory that is to be stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewMemory {
    /// The project that it belongs to.
    pub project: ProjectKey,
    /// What it is filed under; 1 to 255 bytes, one line.
    pub topic: String,
    /// What is remembered; 1 byte to 64 KiB.
    pub summary: String,
    /// The text that it was taken from; at most 64 KiB.
    pub raw_excerpt: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// How much it matters.
    pub importance: Importance,
    /// Where it comes from.
    pub source: MemoryOrigin,
    /// Who said it.
    pub author: Author,
    /// What kind it is.
    pub kind: MemoryKind,
    /// From when on it is not recalled any more, in milliseconds since 1970.
    pub expires_at: Option<i64>,
    /// The code that it is about.
    pub code: Option<CodeBinding>,
}

impl NewMemory {
    /// Refuses what no memory may be, and says what would be right.
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
        if let Some(expires_at) = self.expires_at.filter(|at| *at >= YEAR_10000_MS) {
            let wrong = format!("is {expires_at}, after the year 9999");
            return Err(Error::Invalid { field: "expires_at", wrong, right: "leave it out for what stays".to_owned() });
        }
        check_length("source", &self.source.0, TOPIC_BYTES_MOST)?;
        check_keywords(&self.keywords)?;
        check_places(self.code.as_ref())
    }
}

/// Refuses an empty topic, a long one, and one of several lines.
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

/// Refuses an empty text and a long one.
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

/// A moment in milliseconds since 1970 as answers show it, to the second.
pub(crate) fn moment(ms: i64) -> Moment {
    Moment(ms.div_euclid(1_000))
}
