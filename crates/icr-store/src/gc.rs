//! Garbage collection: deletes the rows of blobs that are no longer reachable.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use icr_model::{BlobId, BlobNo};

use crate::ledger::{LedgerWrite, now};
use crate::place::path_from_bytes;
use crate::{Error, Ledger, RecipeNo};

impl Ledger {
    /// Git directories of the clones that use this store, each with whether it was seen within `keep_unused`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn clones(&self, keep_unused: Duration) -> Result<Vec<(PathBuf, bool)>, Error> {
        let mut statement = self.prepare("SELECT common_dir, seen_at FROM clones ORDER BY common_dir")?;
        let limit = since(keep_unused);
        let rows = statement.query_map([], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)? >= limit)));
        let rows: Vec<_> = rows.and_then(Iterator::collect).map_err(self.failed("reading the clones"))?;
        Ok(rows.into_iter().filter_map(|(path, recent)| Some((path_from_bytes(path)?, recent))).collect())
    }

    /// Worktrees and bare repositories that published into this store.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn worktrees(&self) -> Result<Vec<PathBuf>, Error> {
        let mut statement = self.prepare("SELECT path FROM worktrees ORDER BY path")?;
        let rows = statement.query_map([], |row| row.get::<_, Vec<u8>>(0));
        let rows: Vec<_> = rows.and_then(Iterator::collect).map_err(self.failed("reading the worktrees"))?;
        Ok(rows.into_iter().filter_map(path_from_bytes).collect())
    }

    /// Ids of all blobs in the ledger.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn blob_ids(&self) -> Result<HashSet<BlobId>, Error> {
        let mut ids = HashSet::new();
        self.blob_rows(|row| {
            ids.insert(row.blob_id);
        })?;
        Ok(ids)
    }

    /// Recipes that were not used within `keep_unused`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn stale_recipes(&self, keep_unused: Duration) -> Result<HashSet<RecipeNo>, Error> {
        let mut statement = self.prepare("SELECT recipe_no FROM recipes WHERE used_at < ?1")?;
        let rows = statement.query_map([since(keep_unused)], |row| row.get(0).map(RecipeNo));
        rows.and_then(Iterator::collect).map_err(self.failed("reading the recipes"))
    }

    /// Returns the pages of deleted rows to the file system, as far as no reader prevents it.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn compact(&self) -> Result<(), Error> {
        match self
            .connection
            .execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
            .map_err(self.failed("compacting the ledger"))
        {
            Err(Error::Busy) => Ok(()),
            other => other,
        }
    }

    /// Blobs of views that were published or queried within `keep_unused`; they are never garbage.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn recently_viewed(&self, keep_unused: Duration) -> Result<HashSet<BlobNo>, Error> {
        let limit = since(keep_unused);
        let mut blobs = HashSet::new();
        for summary in self.views()?.into_iter().filter(|summary| summary.used_at >= limit) {
            let view = self.view(&summary.key)?;
            blobs.extend(view.iter().flat_map(|view| view.manifest.entries()).map(|entry| entry.blob_no));
        }
        Ok(blobs)
    }
}

impl LedgerWrite<'_> {
    /// Deletes the blobs `garbage` and the views that contain any of them, and increments the generation.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn forget(&self, garbage: &HashSet<BlobNo>, views: &[crate::ViewKey]) -> Result<(), Error> {
        for blob_no in garbage {
            self.execute("DELETE FROM blobs WHERE blob_no = ?1", [blob_no.0])?;
            self.execute("DELETE FROM facts WHERE blob_no = ?1", [blob_no.0])?;
        }
        for key in views {
            let sql = "DELETE FROM views WHERE tree_id = ?1 AND shape = ?2";
            self.execute(sql, (key.tree.as_bytes(), key.shape.to_bytes()))?;
        }
        self.set_number("generation", self.number("generation")?.wrapping_add(1))
    }

    /// Deletes the record of a clone.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn forget_clone(&self, common_dir: &Path) -> Result<(), Error> {
        self.execute("DELETE FROM clones WHERE common_dir = ?1", [common_dir.as_os_str().as_encoded_bytes()])
    }

    /// Deletes the record of a worktree.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn forget_worktree(&self, path: &Path) -> Result<(), Error> {
        self.execute("DELETE FROM worktrees WHERE path = ?1", [path.as_os_str().as_encoded_bytes()])
    }
}

/// The earliest second within `keep_unused`, in seconds since 1970.
pub(crate) fn since(keep_unused: Duration) -> i64 {
    now().saturating_sub(i64::try_from(keep_unused.as_secs()).unwrap_or(i64::MAX))
}
