//! The database of memories, open for all calls of a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use icr_engine::{BindRequest, MemoryPlace, bind_code};
use icr_memory::memoir::{Concept, ConceptHit, NamedLink};
use icr_memory::{Access, CodeBinding, Importance, Memory, MemoryDatabase, RecordId};
use icr_model::even_after_panic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::{Call, CodeLook};
use crate::failure::{Code, Failure, Violation};
use crate::reply::Reply;
use crate::size::tokens_of;

/// What the memories are needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To read them. Where nothing was ever stored, an empty database is asked.
    Question,
    /// To change some that are there. Where nothing was ever stored, there is none to change.
    Change,
    /// To add one. Where nothing was ever stored, the database is made.
    Addition,
}

/// One connection for all calls, opened when the first needs it, and anew when the file is another than before.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    place: MemoryPlace,
    open: Mutex<Option<OpenDatabase>>,
}

#[derive(Debug)]
struct OpenDatabase {
    database: MemoryDatabase,
    file: Option<FileIdentity>,
    /// Of the write-ahead log of `database`, after the newest call.
    log: Option<FileIdentity>,
}

impl SharedMemory {
    pub(crate) fn new(place: MemoryPlace) -> Self {
        Self { place, open: Mutex::default() }
    }

    /// What `work` gets from the database. Waits for other calls that use it.
    ///
    /// # Errors
    ///
    /// Those of opening it, and of `work`.
    pub(crate) fn with<T>(
        &self,
        purpose: Purpose,
        work: impl FnOnce(&mut MemoryDatabase) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut open = self.open();
        let file = FileIdentity::of(self.place.path());
        let is_usable = open.as_ref().is_some_and(|open| {
            // What can only be read may be writable again.
            open.file == file
                && file.is_some()
                && (purpose == Purpose::Question || open.database.access() == Access::Write)
        });
        if !is_usable {
            // Closed before the next is opened: SQLite keeps one state for all connections of a file.
            if let Some(before) = open.take().filter(|before| before.file != file && file.is_some()) {
                self.put_log_aside(before);
            }
            *open = self.opened(purpose)?;
        }
        let worked = match open.as_mut() {
            Some(open) => {
                let worked = work(&mut open.database);
                open.log = FileIdentity::of(&self.beside("-wal"));
                worked
            }
            None => work(&mut self.place.empty()?),
        };
        // What a connection failed at may have to do with what it remembers of the file.
        if worked.as_ref().is_err_and(|failure| matches!(failure.code, Code::ServiceUnavailable | Code::InternalError))
        {
            *open = None;
        }
        worked
    }

    /// Moves the log of a database away that another file was put in the place of. SQLite would take what it holds for a part of that file,
    /// and damage it.
    fn put_log_aside(&self, before: OpenDatabase) {
        let OpenDatabase { database, log, .. } = before;
        drop(database);
        if log.is_none() || FileIdentity::of(&self.beside("-wal")) != log {
            return;
        }
        let moved = fs::rename(self.beside("-wal"), self.beside("-wal.replaced"));
        if let Err(error) = moved.and_then(|()| fs::remove_file(self.beside("-shm"))) {
            tracing::warn!(%error, "the log of the memories that were replaced stays beside them");
        }
    }

    /// The path of the database with more letters at its end.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.place.path().as_os_str().to_owned();
        path.push(ending);
        path.into()
    }

    fn opened(&self, purpose: Purpose) -> Result<Option<OpenDatabase>, Failure> {
        let path = self.place.path();
        let database = match purpose {
            Purpose::Question => self.place.for_questions()?,
            Purpose::Change if !path.exists() => None,
            Purpose::Change | Purpose::Addition => Some(self.place.for_changes()?),
        };
        Ok(database.map(|database| OpenDatabase { database, file: FileIdentity::of(path), log: None }))
    }

    fn open(&self) -> MutexGuard<'_, Option<OpenDatabase>> {
        even_after_panic(self.open.lock())
    }
}

/// Which file lies at a path: another one after it was deleted, or replaced, or restored from a copy.
#[derive(Debug, PartialEq, Eq)]
struct FileIdentity {
    #[cfg(unix)]
    inode: (u64, u64),
    created: Option<std::time::SystemTime>,
}

impl FileIdentity {
    /// `None` where there is no file.
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            #[cfg(unix)]
            inode: (std::os::unix::fs::MetadataExt::dev(&metadata), std::os::unix::fs::MetadataExt::ino(&metadata)),
            created: metadata.created().ok(),
        })
    }
}

// How much a memory matters, as calls say it. No comment of the documentation: clients would be shown it with each argument.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ImportanceName {
    Critical,
    High,
    #[default]
    Medium,
    Low,
}

impl From<ImportanceName> for Importance {
    fn from(name: ImportanceName) -> Self {
        match name {
            ImportanceName::Critical => Self::Critical,
            ImportanceName::High => Self::High,
            ImportanceName::Medium => Self::Medium,
            ImportanceName::Low => Self::Low,
        }
    }
}

/// The id of a memory in the argument `id`.
///
/// # Errors
///
/// A validation error for what is no id.
pub(crate) fn memory_id(id: &str) -> Result<RecordId, Failure> {
    RecordId::try_from(id).map_err(|_| {
        Failure::validation(Violation {
            field: "id",
            constraint: "pattern",
            value: &Value::String(id.to_owned()),
            allowed: json!("the id of a memory, as icm_memory_recall shows it"),
            problem: "is no id: an id has letters, digits, `-` and `_`".to_owned(),
        })
    })
}

/// The code that a text is about.
pub(crate) struct CodeOfText {
    /// The places that it names, if any are known.
    pub(crate) binding: Option<CodeBinding>,
    /// That an index is there and did not say.
    pub(crate) missed: Option<&'static str>,
}

impl CodeOfText {
    /// Of a repository that is not indexed no code is known, and none is expected.
    pub(crate) fn of(call: &Call<'_>, text: &str) -> Self {
        let request = BindRequest { text: text.to_owned(), ..BindRequest::default() };
        match call.look_at_code(|snapshot| bind_code(snapshot, &request)) {
            CodeLook::Answered(binding) => {
                Self { binding: Some(binding).filter(|binding| !binding.places.is_empty()), missed: None }
            }
            CodeLook::NotIndexed => Self { binding: None, missed: None },
            CodeLook::NotAnswered => Self {
                binding: None,
                missed: Some("Code not looked at: the index did not answer in time; the same again adds it."),
            },
        }
    }
}

/// A concept as lists show it.
pub(crate) fn concept_item(concept: &Concept) -> Value {
    let mut item = json!({ "name": concept.name, "definition": concept.definition });
    if !concept.labels.is_empty() {
        item["labels"] = json!(concept.labels);
    }
    item["confidence"] = json!(rounded(concept.confidence));
    item["revision"] = json!(concept.revision);
    item
}

/// A link as lists show it.
pub(crate) fn link_item(link: &NamedLink) -> Value {
    json!({ "from": link.from, "relation": link.relation.name(), "to": link.to })
}

/// The first `limit` of what was found in memoirs, best first, and how many there are. Of [`HITS_MOST`] there may be more.
pub(crate) fn concept_hits(hits: &[ConceptHit], limit: usize) -> Reply {
    let items = hits.iter().take(limit).map(|hit| {
        let mut item = concept_item(&hit.concept);
        item["memoir"] = json!(hit.memoir);
        item["score"] = json!(rounded(hit.score));
        item
    });
    let concepts: Vec<Value> = items.collect();
    Reply::default()
        .and("total_count", json!(hits.len()))
        .and("has_more", json!(hits.len() > limit))
        .and("concepts", Value::Array(concepts))
}

/// A number with at most three digits behind the point: nobody compares more.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

/// `topics` in the order of an answer: where there is no room for all, those that need consolidation come first, since the last are cut.
pub(crate) fn urgent_first<T: Serialize>(
    call: &Call<'_>,
    mut topics: Vec<T>,
    is_urgent: impl Fn(&T) -> bool,
) -> Vec<T> {
    /// Model tokens of what stands around the topics.
    const FRAME_TOKENS: u32 = 500;
    if tokens_of(&json!(topics)).saturating_add(FRAME_TOKENS) > call.settings.limits.soft_tokens {
        topics.sort_by_key(|topic| !is_urgent(topic));
    }
    topics
}

/// What is to be known about a memory that was archived, behind what was done to it.
pub(crate) fn archived_note(memory: &Memory) -> String {
    let whole = memory.superseded_by.as_ref();
    whole.map(|whole| format!(" (archived: {whole} is recalled in its place)")).unwrap_or_default()
}

/// Whether a character ends a line, or moves the cursor of whoever shows it.
fn is_control(character: char) -> bool {
    (character.is_control() && character != '\t') || matches!(character, '\u{2028}' | '\u{2029}')
}

/// `1 memory`, `8 memories`.
pub(crate) fn counted_memories(count: u64) -> String {
    if count == 1 { "1 memory".to_owned() } else { format!("{count} memories") }
}

/// What somebody stored, on one line: other lines of an answer are not its own.
pub(crate) fn on_one_line(text: &str) -> String {
    text.trim().replace(is_control, " ")
}

/// What somebody stored, each line of it indented: a line of an answer that is not indented was not stored.
pub(crate) fn indented(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let lines = text
        .trim_end()
        .split(is_control)
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") });
    lines.collect()
}
