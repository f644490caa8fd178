//! Commit facts: what each commit changed and said. Immutable, keyed by commit id.

use icr_model::{CommitId, PathNo};
use rusqlite::OptionalExtension;
use serde::{Deserialize, Serialize};

use crate::ledger::LedgerWrite;
use crate::{Error, Ledger};

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRow {
    /// Its id.
    pub id: CommitId,
    /// Parents in git's order.
    pub parents: Vec<CommitId>,
    /// Committer time in seconds since 1970.
    pub committer_time: i64,
    /// The whole message.
    pub message: String,
    /// Files changed against the first parent; empty for a merge.
    pub changes: Vec<FileChange>,
}

/// One file of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Path after the commit; before it for a deletion.
    pub path: PathNo,
    /// Path before the commit, for a rename as git detects it.
    pub old_path: Option<PathNo>,
    /// What happened.
    pub kind: FileChangeKind,
}

/// What a commit did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileChangeKind {
    /// It is new.
    Added,
    /// Its content or mode changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path, and perhaps another content.
    Renamed,
}

#[derive(Serialize, Deserialize)]
struct Body {
    parents: Vec<Vec<u8>>,
    message: String,
    changes: Vec<FileChange>,
}

impl Ledger {
    /// Whether the facts of a commit are known.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn has_commit(&self, id: &CommitId) -> Result<bool, Error> {
        let mut statement = self.prepare("SELECT 1 FROM commits WHERE commit_id = ?1")?;
        let row = statement.query_row([id.as_bytes()], |_| Ok(())).optional();
        row.map(|row| row.is_some()).map_err(self.failed("looking up a commit"))
    }

    /// The facts of a commit; `None` when they were not read.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] also when the row does not decode.
    pub fn commit(&self, id: &CommitId) -> Result<Option<CommitRow>, Error> {
        let mut statement = self.prepare("SELECT committer_time, body FROM commits WHERE commit_id = ?1")?;
        let row = statement
            .query_row([id.as_bytes()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))
            .optional()
            .map_err(self.failed("reading a commit"))?;
        let Some((committer_time, bytes)) = row else { return Ok(None) };
        let body = decode(&bytes).ok_or_else(|| self.damaged("the facts of a commit do not decode"))?;
        let parents = body.parents.iter().map(|parent| CommitId::from_bytes(parent)).collect::<Option<Vec<_>>>();
        let parents = parents.ok_or_else(|| self.damaged("a parent of a commit is no object id"))?;
        Ok(Some(CommitRow { id: *id, parents, committer_time, message: body.message, changes: body.changes }))
    }

    /// How many commits are known.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn commits_total(&self) -> Result<u64, Error> {
        let count = self.connection.query_row("SELECT count(*) FROM commits", [], |row| row.get(0));
        count.map_err(self.failed("counting the commits"))
    }
}

impl LedgerWrite<'_> {
    /// Records the facts of a commit; those of a known one stay as they are.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn add_commit(&self, commit: &CommitRow) -> Result<(), Error> {
        let body = Body {
            parents: commit.parents.iter().map(|parent| parent.as_bytes().to_vec()).collect(),
            message: commit.message.clone(),
            changes: commit.changes.clone(),
        };
        let plain = postcard::to_stdvec(&body).expect("texts and numbers always encode");
        let sql = "INSERT OR IGNORE INTO commits (commit_id, committer_time, body) VALUES (?1, ?2, ?3)";
        self.execute(sql, (commit.id.as_bytes(), commit.committer_time, lz4_flex::compress_prepend_size(&plain)))
    }
}

fn decode(bytes: &[u8]) -> Option<Body> {
    /// No commit has more: a tree of a million paths encodes to less.
    const LARGEST: usize = 1 << 28;
    let (size, block) = lz4_flex::block::uncompressed_size(bytes).ok()?;
    let plain = (size <= LARGEST).then(|| lz4_flex::block::decompress(block, size).ok())??;
    postcard::from_bytes(&plain).ok()
}
