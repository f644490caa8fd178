//! The text of a view's files: from the object database, from the worktree, or as it was laid on top.

use std::collections::HashMap;
use std::sync::Arc;

use icr_compute::{BlobReadOutcome, BlobSource, ReadBlob};
use icr_git::Repository;
use icr_model::{BlobId, ContentKind, RepoPath};
use icr_store::BlobRow;

use crate::{Error, ViewCache};

/// Contents that the object database does not have, or need not have.
#[derive(Debug, Default)]
pub(crate) struct UncommittedContents {
    /// Files of the worktree that have a content.
    pub(crate) worktree: HashMap<BlobId, RepoPath>,
    /// Contents that somebody laid on top.
    pub(crate) laid: HashMap<BlobId, Arc<[u8]>>,
}

/// Reads what the view's files say: from the object database, or from the worktree where it is not committed.
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

    /// The text of `row`, into `out`; empty for what is no text.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] when the file was edited after the view was made: its lines are no longer those that the facts
    /// speak of.
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
        // What was only staged, or committed meanwhile, is in the object database, whatever lies in the worktree.
        self.objects.read(row.blob_id, out).map_err(|_| Error::Changed { path: path.to_string() })
    }
}

/// A reader of worktree files, made when the first is read.
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

/// Contents that are uncommitted where they are, of the object database else.
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
        // Whoever edits the file at this moment gets the answer for what it was, or a gap; never a mixture.
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
