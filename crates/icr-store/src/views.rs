//! Published views: the files of one committed tree, and the totals that exact statistics need.

use std::path::Path;

use icr_model::{CommitId, FieldCounts, LiveSet, Recipe, TreeId};
use roaring::RoaringBitmap;
use rusqlite::{OptionalExtension, Row};
use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerWrite, now};
use crate::{Error, Ledger, ViewManifest};

/// Most views that are kept. A view of 100,000 files takes 0.8 MB; a dropped view is rebuilt from a similar one with a
/// tree diff, without reading blobs.
const VIEWS_KEPT: u32 = 32;

/// Key of a view: the view depends on nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ViewKey {
    /// The tree.
    pub tree: TreeId,
    /// Digest of the membership rules and of how each language is indexed.
    pub shape: Recipe,
}

/// Totals over the live documents of a view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Number of tokens in the live chunks.
    pub tokens: FieldCounts,
    /// Number of tokens in the live paths.
    pub path_tokens: u64,
    /// Size of the live text blobs in bytes.
    pub text_bytes: u64,
    /// Number of files without text.
    pub binary_files: u64,
    /// Number of files above the size limit.
    pub oversize_files: u64,
    /// Number of files whose objects the repository did not have; they are not in the manifest.
    pub missing_files: u64,
}

/// A published view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedView {
    /// Key of the view.
    pub key: ViewKey,
    /// The commit with this tree when the view was published.
    pub commit: Option<CommitId>,
    /// That commit's committer time in seconds since 1970.
    pub committer_time: Option<i64>,
    /// Its files.
    pub manifest: ViewManifest,
    /// Its chunks.
    pub live_chunks: LiveSet,
    /// Its totals.
    pub totals: Totals,
}

/// A published view without its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewSummary {
    /// Key of the view.
    pub key: ViewKey,
    /// Committer time of its commit, in seconds since 1970.
    pub committer_time: Option<i64>,
    /// When it was last published or queried, in seconds since 1970.
    pub used_at: i64,
}

impl Ledger {
    /// The view of `key`, if it is published.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] also when the row does not decode.
    pub fn view(&self, key: &ViewKey) -> Result<Option<PublishedView>, Error> {
        let mut statement = self.prepare(
            "SELECT commit_id, committer_time, manifest, live_chunks, totals FROM views WHERE tree_id = ?1 AND shape = ?2",
        )?;
        let row = statement
            .query_row((key.tree.as_bytes(), key.shape.to_bytes()), |row| Ok(view_of(*key, row)))
            .optional()
            .map_err(self.failed("reading a view"))?;
        row.map(|view| view.map_err(|reason| self.damage_error(reason))).transpose()
    }

    /// All published views, most recently used first.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn views(&self) -> Result<Vec<ViewSummary>, Error> {
        let mut statement = self.prepare(
            "SELECT tree_id, shape, committer_time, used_at FROM views ORDER BY used_at DESC, tree_id, shape",
        )?;
        let rows = statement.query_map([], |row| {
            let (tree, shape): (Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(1)?);
            let key = TreeId::from_bytes(&tree).zip(Recipe::from_bytes(&shape));
            let (committer_time, used_at) = (row.get(2)?, row.get(3)?);
            Ok(key.map(|(tree, shape)| ViewSummary { key: ViewKey { tree, shape }, committer_time, used_at }))
        });
        let rows: Vec<_> = rows.and_then(Iterator::collect).map_err(self.failed("reading the views"))?;
        rows.into_iter().map(|row| row.ok_or_else(|| self.damage_error("a view has no tree id"))).collect()
    }

    /// The view that a worktree published last; the view may have been dropped since.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn published(&self, worktree: &Path) -> Result<Option<ViewKey>, Error> {
        let mut statement = self.prepare("SELECT tree_id, shape FROM worktrees WHERE path = ?1")?;
        let row = statement
            .query_row([worktree.as_os_str().as_encoded_bytes()], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
            })
            .optional()
            .map_err(self.failed("reading what a worktree published"))?;
        let Some((tree, shape)) = row else { return Ok(None) };
        let key = TreeId::from_bytes(&tree).zip(Recipe::from_bytes(&shape));
        let (tree, shape) = key.ok_or_else(|| self.damage_error("a worktree published no tree id"))?;
        Ok(Some(ViewKey { tree, shape }))
    }
}

impl LedgerWrite<'_> {
    /// Publishes `view`: readers of its tree see it once the transaction is committed. If there are too many views, the
    /// least recently used ones are dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn publish(&self, view: &PublishedView) -> Result<(), Error> {
        let bitmap: RoaringBitmap = view.live_chunks.iter().collect();
        let mut live_chunks = Vec::with_capacity(bitmap.serialized_size());
        bitmap.serialize_into(&mut live_chunks).expect("a vector takes every byte");
        let totals = postcard::to_stdvec(&view.totals).expect("numbers always encode");
        self.execute(
            "INSERT OR REPLACE INTO views (tree_id, shape, commit_id, committer_time, manifest, live_chunks, totals, used_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            (
                view.key.tree.as_bytes(),
                view.key.shape.to_bytes(),
                view.commit.as_ref().map(CommitId::as_bytes),
                view.committer_time,
                view.manifest.encode(),
                live_chunks,
                totals,
                now(),
            ),
        )?;
        self.execute(
            "DELETE FROM views WHERE (tree_id, shape) IN
             (SELECT tree_id, shape FROM views ORDER BY used_at DESC, rowid DESC LIMIT -1 OFFSET ?1)",
            [VIEWS_KEPT],
        )
    }

    /// Marks a view as used now, so that its blobs are kept and the view is dropped last.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn touch_view(&self, key: &ViewKey) -> Result<(), Error> {
        let sql = "UPDATE views SET used_at = ?3 WHERE tree_id = ?1 AND shape = ?2";
        self.execute(sql, (key.tree.as_bytes(), key.shape.to_bytes(), now()))
    }

    /// Records the worktree (or bare repository) at `key`, and which clone it belongs to.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn stand_at(&self, worktree: &Path, common_dir: &Path, key: &ViewKey) -> Result<(), Error> {
        self.execute(
            "INSERT OR REPLACE INTO worktrees (path, tree_id, shape, published_at) VALUES (?1, ?2, ?3, ?4)",
            (worktree.as_os_str().as_encoded_bytes(), key.tree.as_bytes(), key.shape.to_bytes(), now()),
        )?;
        self.register_clone(common_dir)
    }

    /// Records that a clone uses this store.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn register_clone(&self, common_dir: &Path) -> Result<(), Error> {
        let sql = "INSERT OR REPLACE INTO clones (common_dir, seen_at) VALUES (?1, ?2)";
        self.execute(sql, (common_dir.as_os_str().as_encoded_bytes(), now()))
    }
}

fn view_of(key: ViewKey, row: &Row<'_>) -> Result<PublishedView, String> {
    let sql = |error: rusqlite::Error| error.to_string();
    let commit: Option<Vec<u8>> = row.get(0).map_err(sql)?;
    let manifest: Vec<u8> = row.get(2).map_err(sql)?;
    let live_chunks: Vec<u8> = row.get(3).map_err(sql)?;
    let totals: Vec<u8> = row.get(4).map_err(sql)?;
    let bitmap = RoaringBitmap::deserialize_from(live_chunks.as_slice()).map_err(|error| error.to_string())?;
    Ok(PublishedView {
        key,
        commit: commit.map(|bytes| CommitId::from_bytes(&bytes).ok_or("a view has no commit id")).transpose()?,
        committer_time: row.get(1).map_err(sql)?,
        manifest: ViewManifest::decode(&manifest).ok_or("the manifest of a view does not decode")?,
        live_chunks: LiveSet::from_numbers(bitmap),
        totals: postcard::from_bytes(&totals).map_err(|error| error.to_string())?,
    })
}

#[cfg(test)]
mod tests {
    use icr_model::{BlobNo, PathNo};

    use super::*;
    use crate::testing::store;
    use crate::{Access, ManifestEntry};

    #[test]
    fn a_view_reads_back_as_published_and_old_ones_are_dropped() {
        let (_home, place) = store();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let view = |tree: u32| PublishedView {
            key: ViewKey { tree: format!("{tree:040x}").parse().unwrap(), shape: Recipe(3) },
            commit: None,
            committer_time: Some(-5),
            manifest: ViewManifest::new(vec![ManifestEntry { path_no: PathNo(0), blob_no: BlobNo(4) }]),
            live_chunks: icr_model::LiveSet::from_numbers([5, 6, 7]),
            totals: Totals {
                tokens: FieldCounts { body: 7, definitions: 1, comments: 0 },
                path_tokens: 2,
                text_bytes: 12,
                ..Totals::default()
            },
        };
        for tree in 0..40 {
            ledger.write(|write| write.publish(&view(tree))).unwrap();
        }
        assert_eq!(ledger.view(&view(39).key).unwrap(), Some(view(39)));
        assert_eq!(ledger.view(&view(0).key).unwrap(), None);
        assert_eq!(ledger.views().unwrap().len(), 32);
    }
}
