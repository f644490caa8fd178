//! Where memories are stored, and the model that finds them by meaning.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use icr_embed::{Embedder, StaticEmbedder};
use icr_memory::{Access, MemoryDatabase, MemoryOptions, MemoryRules, TextEmbedder};

/// How long an answer that only quotes memories waits for a locked database: too short to notice. After that, it quotes
/// none.
const QUOTING_WAIT: Duration = Duration::from_millis(100);

/// The configured memory database of a user. It is opened on first use.
#[derive(Debug, Clone)]
pub struct MemoryPlace {
    path: PathBuf,
    options: MemoryOptions,
    access: Access,
}

impl MemoryPlace {
    /// The database at `path`, with vectors unless `embeds` is false, and never written where `read_only`.
    pub fn new(path: PathBuf, rules: MemoryRules, embeds: bool, read_only: bool) -> Self {
        let embedder = embeds.then(|| Arc::new(StaticTextEmbedder::default()) as Arc<dyn TextEmbedder>);
        let access = if read_only { Access::Read } else { Access::Write };
        Self { path, options: MemoryOptions { rules, embedder }, access }
    }

    /// Where the database is, whether it is there or not.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What may be done to it.
    pub fn access(&self) -> Access {
        self.access
    }

    /// The configured limits and times for keeping memories.
    pub fn rules(&self) -> &MemoryRules {
        &self.options.rules
    }

    /// The database for a question; `None` if nothing was ever stored. It is opened for writing if allowed and
    /// possible, so that accesses can be counted.
    ///
    /// # Errors
    ///
    /// Those of opening it.
    pub fn for_questions(&self) -> Result<Option<MemoryDatabase>, icr_memory::Error> {
        match MemoryDatabase::existing(&self.path, self.access, self.options.clone()) {
            Err(icr_memory::Error::ReadOnly { .. } | icr_memory::Error::Full { .. }) => {
                MemoryDatabase::existing(&self.path, Access::Read, self.options.clone())
            }
            opened => opened,
        }
    }

    /// An empty database in memory, for a question where nothing was ever stored.
    ///
    /// # Errors
    ///
    /// [`icr_memory::Error::Internal`].
    pub fn empty(&self) -> Result<MemoryDatabase, icr_memory::Error> {
        MemoryDatabase::in_memory(self.options.clone())
    }

    /// The database for an answer that only quotes memories; `None` if nothing was ever stored. Never written or
    /// created, whatever the access.
    ///
    /// # Errors
    ///
    /// Those of opening it; [`icr_memory::Error::Busy`] where it is locked.
    pub(crate) fn for_quoting(&self) -> Result<Option<MemoryDatabase>, icr_memory::Error> {
        // Vectors are not needed to look up memories by place.
        let options = MemoryOptions { embedder: None, ..self.options.clone() };
        MemoryDatabase::existing_within(&self.path, options, QUOTING_WAIT)
    }

    /// A stamp of the database file and its log; it changes with every write.
    pub(crate) fn stamp(&self) -> MemoryStamp {
        let of = |path: &Path| {
            let metadata = std::fs::metadata(path).ok()?;
            Some((metadata.len(), metadata.modified().ok()?))
        };
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        // Reading creates an empty log, so that an empty log counts as none.
        MemoryStamp { file: of(&self.path), log: of(Path::new(&log)).filter(|(bytes, _)| *bytes > 0) }
    }

    /// The database for a write; created if it does not exist.
    ///
    /// # Errors
    ///
    /// [`icr_memory::Error::ReadOnly`] where it may not be written; those of opening it.
    pub fn for_changes(&self) -> Result<MemoryDatabase, icr_memory::Error> {
        if self.access == Access::Read {
            let kind = icr_memory::DatabaseKind::Memory;
            return Err(icr_memory::Error::ReadOnly { kind, path: self.path.clone() });
        }
        MemoryDatabase::create(&self.path, self.options.clone())
    }
}

/// Length and modification time of the database file and of its log; `None` for a file that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryStamp {
    file: Option<(u64, SystemTime)>,
    log: Option<(u64, SystemTime)>,
}

/// Weight of the built-in model relative to words. The model was made for code: above 0.2, conversations lose more than
/// notes gain.
const TABLE_WEIGHT: f64 = 0.1;

/// The built-in model as memories use it; its vocabulary is loaded for the first text.
#[derive(Debug, Default)]
struct StaticTextEmbedder {
    space: OnceLock<String>,
}

impl TextEmbedder for StaticTextEmbedder {
    fn space(&self) -> &str {
        self.space.get_or_init(|| StaticEmbedder::built_in().descriptor().space().to_string())
    }

    fn dimensions(&self) -> usize {
        StaticEmbedder::built_in().dims()
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        StaticEmbedder::built_in().embed(text)
    }

    fn weight(&self) -> Option<f64> {
        Some(TABLE_WEIGHT)
    }
}

#[cfg(test)]
mod tests {
    use icr_memory::{ListRequest, NewMemory};
    use icr_model::UnixMillis;

    use super::*;

    #[test]
    fn nothing_is_made_by_asking_and_nothing_written_where_only_reading_is_allowed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("memory.db");
        let place = |read_only| MemoryPlace::new(path.clone(), MemoryRules::default(), true, read_only);
        assert!(place(false).for_questions().unwrap().is_none());
        let empty = place(false).empty().unwrap();
        assert_eq!(icr_memory::list(&empty, &ListRequest::default(), UnixMillis(1)).unwrap(), []);
        assert!(matches!(place(true).for_changes(), Err(icr_memory::Error::ReadOnly { .. })));
        assert!(!path.exists());
        let new = NewMemory { topic: "a".to_owned(), summary: "b".to_owned(), ..NewMemory::default() };
        icr_memory::store(&mut place(false).for_changes().unwrap(), &new, UnixMillis(1)).unwrap();
        let database = place(true).for_questions().unwrap().unwrap();
        assert_eq!(icr_memory::list(&database, &ListRequest::default(), UnixMillis(1)).unwrap().len(), 1);
    }

    #[test]
    fn vectors_of_the_table_have_unit_length() {
        let embedder = StaticTextEmbedder::default();
        let vector = embedder.embed("the write-ahead log");
        assert_eq!(vector.len(), embedder.dimensions());
        let length: f32 = vector.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-3);
        assert!(!embedder.space().is_empty());
    }
}
