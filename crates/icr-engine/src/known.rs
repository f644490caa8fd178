//! What the ledger says of a number, which stands until garbage is collected.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use icr_model::{BlobNo, PathNo, RepoPath};
use icr_store::BlobRow;

use crate::Error;

/// Most rows, and most paths, that are kept: some megabytes, and more than the candidates of many questions.
const KEPT: usize = 65_536;

/// Most vectors of paths that are kept, a kilobyte each.
const VECTORS_KEPT: usize = 8_192;

/// Rows, paths and vectors of paths that questions looked up. A question has candidates by the thousand, and the next one has
/// many of them again; one look-up costs some microseconds.
#[derive(Default)]
pub(crate) struct Known {
    rows: Kept<BlobNo, BlobRow>,
    paths: Kept<PathNo, RepoPath>,
    path_vectors: Kept<PathNo, Arc<[f32]>>,
}

impl Known {
    /// The row of a blob; `look_up` finds one that is not known yet.
    pub(crate) fn row(
        &self,
        blob_no: BlobNo,
        look_up: impl FnOnce() -> Result<BlobRow, Error>,
    ) -> Result<BlobRow, Error> {
        self.rows.get(blob_no, KEPT, look_up)
    }

    /// The path of a number; `look_up` finds one that is not known yet.
    pub(crate) fn path(
        &self,
        path_no: PathNo,
        look_up: impl FnOnce() -> Result<RepoPath, Error>,
    ) -> Result<RepoPath, Error> {
        self.paths.get(path_no, KEPT, look_up)
    }

    /// What the built-in model makes of a path.
    pub(crate) fn path_vector(&self, path_no: PathNo, embed: impl FnOnce() -> Arc<[f32]>) -> Arc<[f32]> {
        let embedded = self.path_vectors.get(path_no, VECTORS_KEPT, || Ok(embed()));
        embedded.expect("making a vector in memory does not fail")
    }
}

struct Kept<K, V>(Mutex<HashMap<K, V>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Copy + Eq + Hash, V: Clone> Kept<K, V> {
    fn get(&self, key: K, most: usize, make: impl FnOnce() -> Result<V, Error>) -> Result<V, Error> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = kept.get(&key) {
            return Ok(value.clone());
        }
        let value = make()?;
        if kept.len() >= most {
            kept.clear();
        }
        kept.insert(key, value.clone());
        Ok(value)
    }
}
