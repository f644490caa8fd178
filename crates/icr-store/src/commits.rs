//! Commit facts: the changes and the message of each commit. Immutable, keyed by commit id.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use icr_model::{CommitId, FileChange};
use rusqlite::{OptionalExtension, Row};

use crate::gc::since;
use crate::ledger::LedgerWrite;
use crate::{Error, Ledger};

/// One commit, without its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRow {
    /// Id of the commit.
    pub id: CommitId,
    /// Parents in git's order.
    pub parents: Vec<CommitId>,
    /// Committer time in seconds since 1970.
    pub committer_time: i64,
    /// Author time in seconds since 1970.
    pub author_time: i64,
    /// Files changed against the first parent; empty for a merge.
    pub changes: Vec<FileChange>,
}

/// Position of a commit in history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestry {
    /// Parents in git's order.
    pub parents: Vec<CommitId>,
    /// Committer time in seconds since 1970.
    pub committer_time: i64,
    /// Number of the newest commits from this one on, not counting merges, that are known to be recorded; 0 if unknown.
    pub history_known: u64,
}

impl Ledger {
    /// The position of a commit in history; `None` if its facts are not recorded. One look-up.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] also when the row does not decode.
    pub fn ancestry(&self, id: &CommitId) -> Result<Option<Ancestry>, Error> {
        let sql = "SELECT committer_time, history_known, parents FROM commits WHERE commit_id = ?1";
        let row = self
            .prepare(sql)?
            .query_row([id.as_bytes()], |row| {
                let (committer_time, history_known) = (row.get(0)?, row.get(1)?);
                Ok(ids(id, row, 2)?.map(|parents| Ancestry { parents, committer_time, history_known }))
            })
            .optional()
            .map_err(self.failed("reading where a commit stands"))?;
        row.map(|row| row.ok_or_else(|| self.damage_error(BAD_PARENTS))).transpose()
    }

    /// The facts of a commit; `None` if they are not recorded. One look-up.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] also when the row does not decode.
    pub fn commit(&self, id: &CommitId) -> Result<Option<CommitRow>, Error> {
        let sql = "SELECT committer_time, author_time, parents, changes FROM commits WHERE commit_id = ?1";
        let row = self
            .prepare(sql)?
            .query_row([id.as_bytes()], |row| {
                let changes = postcard::from_bytes(row.get_ref(3)?.as_blob()?).ok();
                Ok((row.get(0)?, row.get(1)?, ids(id, row, 2)?, changes))
            })
            .optional()
            .map_err(self.failed("reading a commit"))?;
        let Some((committer_time, author_time, parents, changes)) = row else { return Ok(None) };
        let parents = parents.ok_or_else(|| self.damage_error(BAD_PARENTS))?;
        let changes = changes.ok_or_else(|| self.damage_error("the changes of a commit do not decode"))?;
        Ok(Some(CommitRow { id: *id, parents, committer_time, author_time, changes }))
    }

    /// The whole message of a commit; `None` if its facts are not recorded.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] also when the row does not decode.
    pub fn commit_message(&self, id: &CommitId) -> Result<Option<String>, Error> {
        let mut statement = self.prepare("SELECT text FROM messages WHERE commit_id = ?1")?;
        let row = statement.query_row([id.as_bytes()], |row| row.get::<_, Vec<u8>>(0)).optional();
        let text = row.map_err(self.failed("reading a message"))?;
        text.map(|text| decompress(&text).ok_or_else(|| self.damage_error("a message does not decode"))).transpose()
    }

    /// Number of commits with recorded facts.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn commits_total(&self) -> Result<u64, Error> {
        let count = self.connection.query_row("SELECT count(*) FROM commits", [], |row| row.get(0));
        count.map_err(self.failed("counting the commits"))
    }

    /// Parents of all recorded commits.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] also when a row does not decode.
    pub fn commit_graph(&self) -> Result<HashMap<CommitId, Vec<CommitId>>, Error> {
        let mut statement = self.prepare("SELECT commit_id, parents FROM commits")?;
        let rows = statement.query_map([], |row| {
            let id = CommitId::from_bytes(row.get_ref(0)?.as_blob()?);
            id.map(|id| Ok(ids(&id, row, 1)?.map(|parents| (id, parents)))).transpose().map(Option::flatten)
        });
        let rows: Vec<_> = rows.and_then(Iterator::collect).map_err(self.failed("reading the commits"))?;
        rows.into_iter().map(|row| row.ok_or_else(|| self.damage_error(BAD_PARENTS))).collect()
    }

    /// Commits of views that were published or queried within `keep_unused`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn recently_viewed_commits(&self, keep_unused: Duration) -> Result<Vec<CommitId>, Error> {
        let sql = "SELECT commit_id FROM views WHERE used_at >= ?1 AND commit_id IS NOT NULL";
        let mut statement = self.prepare(sql)?;
        let rows = statement.query_map([since(keep_unused)], |row| row.get::<_, Vec<u8>>(0));
        let rows: Vec<_> = rows.and_then(Iterator::collect).map_err(self.failed("reading the views"))?;
        Ok(rows.iter().filter_map(|bytes| CommitId::from_bytes(bytes)).collect())
    }
}

impl LedgerWrite<'_> {
    /// Records the facts of a commit and its whole message. Facts that are already recorded stay as they are.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn add_commit(&self, commit: &CommitRow, message: &str) -> Result<(), Error> {
        let parents: Vec<u8> = commit.parents.iter().flat_map(|parent| parent.as_bytes()).copied().collect();
        let changes = postcard::to_stdvec(&commit.changes).expect("numbers always encode");
        let sql =
            "INSERT OR IGNORE INTO commits (commit_id, committer_time, author_time, history_known, parents, changes)
                   VALUES (?1, ?2, ?3, 0, ?4, ?5)";
        self.execute(sql, (commit.id.as_bytes(), commit.committer_time, commit.author_time, parents, changes))?;
        let text = lz4_flex::compress_prepend_size(message.as_bytes());
        self.execute("INSERT OR IGNORE INTO messages (commit_id, text) VALUES (?1, ?2)", (commit.id.as_bytes(), text))
    }

    /// Records that the newest `commits` commits from `head` on, not counting merges, and the merges between them are
    /// all recorded.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn know_history(&self, head: &CommitId, commits: u64) -> Result<(), Error> {
        let sql = "UPDATE commits SET history_known = max(history_known, ?2) WHERE commit_id = ?1";
        self.execute(sql, (head.as_bytes(), commits))
    }

    /// Deletes commits. The caller must also pass the descendants of each commit, unless their history is not marked as
    /// known.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn forget_commits(&self, garbage: &HashSet<CommitId>) -> Result<(), Error> {
        for id in garbage {
            self.execute("DELETE FROM commits WHERE commit_id = ?1", [id.as_bytes()])?;
            self.execute("DELETE FROM messages WHERE commit_id = ?1", [id.as_bytes()])?;
        }
        Ok(())
    }
}

const BAD_PARENTS: &str = "a parent of a commit is not an object id";

/// The ids in a column, which must be as long as the id of the commit itself; `None` if they are not.
fn ids(commit: &CommitId, row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Vec<CommitId>>> {
    let bytes = row.get_ref(column)?.as_blob()?;
    let chunks = bytes.chunks_exact(commit.as_bytes().len());
    let is_whole = chunks.remainder().is_empty();
    Ok(chunks.map(CommitId::from_bytes).collect::<Option<Vec<_>>>().filter(|_| is_whole))
}

fn decompress(bytes: &[u8]) -> Option<String> {
    /// Git makes no message of more bytes. A larger size is damage, and must not be allocated.
    const LARGEST: usize = 1 << 28;
    let (size, block) = lz4_flex::block::uncompressed_size(bytes).ok()?;
    let plain = (size <= LARGEST).then(|| lz4_flex::block::decompress(block, size).ok())??;
    String::from_utf8(plain).ok()
}

#[cfg(test)]
mod tests {
    use icr_model::{FileChangeKind, PathNo};

    use super::*;
    use crate::Access;
    use crate::testing::store;

    fn id(digit: char, digits: usize) -> CommitId {
        digit.to_string().repeat(digits).parse().unwrap()
    }

    fn row(digits: usize) -> CommitRow {
        let renamed = FileChange { path: PathNo(300), old_path: Some(PathNo(2)), kind: FileChangeKind::Renamed };
        let parents = vec![id('b', digits), id('c', digits)];
        CommitRow { id: id('a', digits), parents, committer_time: 5, author_time: -3, changes: vec![renamed] }
    }

    #[test]
    fn a_commit_reads_back_as_it_was_recorded_first() {
        for digits in [40, 64] {
            let (_home, place) = store();
            let mut ledger = Ledger::open(&place, Access::Write).unwrap();
            let row = row(digits);
            let later = CommitRow { author_time: 9, ..row.clone() };
            ledger
                .write(|write| write.add_commit(&row, "größe\n").and_then(|()| write.add_commit(&later, "x")))
                .unwrap();
            assert_eq!(ledger.commit(&row.id).unwrap(), Some(row.clone()));
            assert_eq!(ledger.commit_message(&row.id).unwrap().as_deref(), Some("größe\n"));
            let ancestry = Ancestry { parents: row.parents.clone(), committer_time: 5, history_known: 0 };
            assert_eq!(ledger.ancestry(&row.id).unwrap(), Some(ancestry));
            assert_eq!(ledger.commit_graph().unwrap(), HashMap::from([(row.id, row.parents)]));
            assert_eq!(ledger.commits_total().unwrap(), 1);
            assert_eq!(ledger.commit(&id('b', digits)).unwrap(), None);
            assert_eq!(ledger.ancestry(&id('b', digits)).unwrap(), None);
        }
    }

    #[test]
    fn what_is_known_of_a_history_never_shrinks_and_goes_with_the_commit() {
        let (_home, place) = store();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let row = row(40);
        let known = |ledger: &Ledger| ledger.ancestry(&row.id).unwrap().map(|ancestry| ancestry.history_known);
        ledger.write(|write| write.know_history(&row.id, 7)).unwrap();
        assert_eq!(known(&ledger), None, "of a commit that is not listed nothing is known");
        ledger.write(|write| write.add_commit(&row, "x")).unwrap();
        ledger.write(|write| write.know_history(&row.id, 7)).unwrap();
        ledger.write(|write| write.know_history(&row.id, 3)).unwrap();
        ledger.write(|write| write.add_commit(&row, "x")).unwrap();
        assert_eq!(known(&ledger), Some(7));
        ledger.write(|write| write.forget_commits(&HashSet::from([row.id]))).unwrap();
        assert_eq!((known(&ledger), ledger.commit_message(&row.id).unwrap()), (None, None));
        ledger.write(|write| write.add_commit(&row, "x")).unwrap();
        assert_eq!(known(&ledger), Some(0));
    }

    #[test]
    fn rows_that_do_not_decode_are_damage() {
        let (_home, place) = store();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let row = row(40);
        ledger.write(|write| write.add_commit(&row, "x")).unwrap();
        let damage = |sql: &str| assert_eq!(ledger.connection.execute(sql, []).unwrap(), 1);
        damage("UPDATE commits SET changes = x'ffffffffff'");
        assert!(matches!(ledger.commit(&row.id), Err(Error::Damaged { .. })));
        damage("UPDATE commits SET parents = x'0102'");
        assert!(matches!(ledger.ancestry(&row.id), Err(Error::Damaged { .. })));
        assert!(matches!(ledger.commit_graph(), Err(Error::Damaged { .. })));
        damage("UPDATE messages SET text = x'ffffffff00'");
        assert!(matches!(ledger.commit_message(&row.id), Err(Error::Damaged { .. })));
    }
}
