//! The texts of a view's files: from the object database, from the worktree, or as laid on top by the caller.

use std::collections::HashMap;
use std::sync::Arc;

use icr_compute::{BlobReadOutcome, BlobSource, ReadBlob};
use icr_git::Repository;
use icr_model::{BlobId, ContentKind, RepoPath};
use icr_store::BlobRow;

use crate::{Error, ViewCache};

/// Contents that may be missing from the object database.
#[derive(Debug, Default)]
pub(crate) struct UncommittedContents {
    /// For each blob, a worktree file with that content.
    pub(crate) worktree: HashMap<BlobId, RepoPath>,
    /// Contents that the caller laid on top.
    pub(crate) laid: HashMap<BlobId, Arc<[u8]>>,
}

/// Reads the texts of the view's files: from the object database, or from the worktree if uncommitted.
pub struct Texts<'a> {
    objects: icr_git::BlobReader,
    worktree: Worktree<'a>,
    uncommitted: &'a UncommittedContents,
    cache: &'a ViewCache,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(repository: &'a Repository, uncommitted: &'a UncommittedContents, cache: &'a ViewCache) -> Self {
        Self { objects: repository.reader(), worktree: Worktree::new(repository), uncommitted, cache }
    }

    /// Puts the text of `row` into `out`; empty for a blob that is not text.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] when the file was edited after the view was made, so that its lines no longer match the
    /// facts.
    pub fn read(&mut self, row: &BlobRow, out: &mut Vec<u8>) -> Result<(), Error> {
        out.clear();
        if row.content != ContentKind::Text {
            return Ok(());
        }
        if let Some(bytes) = self.uncommitted.laid.get(&row.blob_id) {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        let Some(path) = self.uncommitted.worktree.get(&row.blob_id) else {
            let read = |out: &mut Vec<u8>| Ok(self.objects.read(row.blob_id, out)?);
            return self.cache.text(row.blob_id, out, read);
        };
        if self.worktree.read(path, u64::MAX, out).is_ok_and(|found| found == row.blob_id) {
            return Ok(());
        }
        // A blob that was only staged, or was committed meanwhile, is in the object database, whatever the worktree
        // has.
        self.objects.read(row.blob_id, out).map_err(|_| Error::Changed { path: path.to_string() })
    }
}

/// A reader of worktree files, opened on first use.
struct Worktree<'a> {
    repository: &'a Repository,
    reader: Option<icr_git::WorktreeReader>,
}

impl<'a> Worktree<'a> {
    fn new(repository: &'a Repository) -> Self {
        Self { repository, reader: None }
    }

    fn read(&mut self, path: &RepoPath, max_bytes: u64, out: &mut Vec<u8>) -> Result<BlobId, icr_git::Error> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => none.insert(self.repository.worktree_reader()?),
        };
        reader.read(path, max_bytes, out)
    }
}

/// Reads uncommitted contents from where they are, and all others from the object database.
pub(crate) struct LayeredContents<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) uncommitted: &'a UncommittedContents,
}

struct LayeredReader<'a> {
    objects: icr_git::BlobReader,
    worktree: Worktree<'a>,
    uncommitted: &'a UncommittedContents,
}

impl BlobSource for LayeredContents<'_> {
    fn reader(&self) -> Box<dyn ReadBlob + '_> {
        Box::new(LayeredReader {
            objects: self.repository.reader(),
            worktree: Worktree::new(self.repository),
            uncommitted: self.uncommitted,
        })
    }
}

impl ReadBlob for LayeredReader<'_> {
    fn read(&mut self, blob_id: &BlobId, max_bytes: u64, out: &mut Vec<u8>) -> Result<BlobReadOutcome, icr_git::Error> {
        if let Some(bytes) = self.uncommitted.laid.get(blob_id) {
            if bytes.len() as u64 > max_bytes {
                return Ok(BlobReadOutcome::Oversize { bytes_total: bytes.len() as u64 });
            }
            out.clear();
            out.extend_from_slice(bytes);
            return Ok(BlobReadOutcome::Read);
        }
        let from_worktree = match self.uncommitted.worktree.get(blob_id) {
            Some(path) => self.worktree.read(path, max_bytes, out).is_ok_and(|found| found == *blob_id),
            None => false,
        };
        // If the file is being edited right now, the answer describes its old content or has a gap; it never mixes
        // both.
        if from_worktree {
            Ok(BlobReadOutcome::Read)
        } else {
            ReadBlob::read(&mut self.objects, blob_id, max_bytes, out)
        }
    }

    fn size_of(&mut self, _: &BlobId) -> Option<u64> {
        None
    }
}
