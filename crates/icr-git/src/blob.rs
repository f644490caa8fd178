//! Reading the bytes of blobs.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard};

use gix::objs::Kind;
use icr_model::{BlobId, even_after_panic};

use crate::object::{blob_id, corrupt, find, header, object_id, verify};
use crate::{Error, Repository};

/// Most ids of verified blobs that are remembered: some megabytes, and more than most repositories have files.
const HASHED_MOST: usize = 1 << 16;

/// Blobs of one repository whose bytes this process has hashed, and whose hash is their id.
#[derive(Default)]
pub(crate) struct VerifiedBlobs(Mutex<HashSet<BlobId>>);

impl VerifiedBlobs {
    fn holds(&self, id: BlobId) -> bool {
        self.ids().contains(&id)
    }

    fn add(&self, id: BlobId) {
        let mut ids = self.ids();
        if ids.len() >= HASHED_MOST {
            ids.clear();
        }
        ids.insert(id);
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<BlobId>> {
        even_after_panic(self.0.lock())
    }
}

impl Repository {
    /// A reader of blobs for one thread.
    pub fn reader(&self) -> BlobReader {
        BlobReader { repo: self.local(), of: self.clone() }
    }

    /// The id that a blob with these `bytes` has in this repository, whether or not the blob exists. Nothing is
    /// written.
    ///
    /// # Errors
    ///
    /// [`Error::Collision`].
    pub fn blob_id_of(&self, bytes: &[u8]) -> Result<BlobId, Error> {
        let id = gix::objs::compute_hash(self.local().object_hash(), Kind::Blob, bytes);
        id.map(|id| blob_id(&id)).map_err(|error| Error::Collision { source: error.into() })
    }
}

/// Reads blobs on one thread; it can be sent to another one. Objects are not cached, since an index reads each once;
/// blobs in the order of their tree are read faster than in the order of their ids.
pub struct BlobReader {
    repo: gix::Repository,
    of: Repository,
}

impl BlobReader {
    /// Size of the blob in bytes. A packed blob is not decompressed for it.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`], [`Error::CorruptObject`].
    pub fn size(&self, id: BlobId) -> Result<u64, Error> {
        let id = object_id(id.as_bytes());
        match header(&self.repo, id)? {
            (Kind::Blob, size) => Ok(size),
            (kind, _) => Err(corrupt(id, format!("it is a {kind}, where a blob belongs"))),
        }
    }

    /// Replaces the content of `out` by the bytes of the blob.
    ///
    /// The bytes are verified against the id. icr shares what it knows of a blob among all clones that have its id, and
    /// a clone may have been unpacked from an archive that stores other bytes under that id. Hashing takes a
    /// millisecond per megabyte, the first time that this process reads the blob of this repository.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`]; [`Error::CorruptObject`], also when the bytes have another id. The content of `out` is
    /// then undefined.
    pub fn read(&self, id: BlobId, out: &mut Vec<u8>) -> Result<(), Error> {
        let named = object_id(id.as_bytes());
        find(&self.repo, named, Kind::Blob, out)?;
        if self.of.hashed().holds(id) {
            return Ok(());
        }
        verify(&self.repo, named, Kind::Blob, out)?;
        self.of.hashed().add(id);
        Ok(())
    }
}

impl std::fmt::Debug for BlobReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlobReader").field("git_dir", &self.repo.git_dir()).finish()
    }
}
