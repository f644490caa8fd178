//! Bytes of blobs.

use gix::objs::Kind;
use icr_model::BlobId;

use crate::object::{find, header, object_id};
use crate::{Error, Repository};

impl Repository {
    /// A reader of blobs for one thread.
    pub fn reader(&self) -> BlobReader {
        BlobReader { repo: self.local() }
    }
}

/// Reads blobs on one thread; it can be sent to another one. Objects are not cached, since an index reads each once;
/// blobs in the order of their tree are read faster than in the order of their ids.
pub struct BlobReader {
    repo: gix::Repository,
}

impl BlobReader {
    /// Bytes of the blob. A packed blob is not decompressed for it.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`], [`Error::CorruptObject`].
    pub fn size(&self, id: BlobId) -> Result<u64, Error> {
        let id = object_id(id.as_bytes());
        match header(&self.repo, id)? {
            (Kind::Blob, size) => Ok(size),
            (kind, _) => Err(crate::object::corrupt(id, format!("it is a {kind}, where a blob belongs"))),
        }
    }

    /// Puts the bytes of the blob into `out`, in place of what it holds.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`], [`Error::CorruptObject`]; `out` then holds nothing of use.
    pub fn read(&self, id: BlobId, out: &mut Vec<u8>) -> Result<(), Error> {
        find(&self.repo, object_id(id.as_bytes()), Kind::Blob, out).map(|_| ())
    }
}

impl std::fmt::Debug for BlobReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlobReader").field("git_dir", &self.repo.git_dir()).finish()
    }
}
