//! What a question may use besides its view.

use std::path::Path;
use std::sync::Arc;

use icr_view::Foundation;

use crate::models::Models;
use crate::{Deadline, OpenOptions};

/// An opened repository with its options and models, and the deadline of the present answer. It has no function that
/// syncs or rebuilds a store: that takes an [`crate::Engine`].
#[derive(Debug, Clone)]
pub(crate) struct SnapshotContext {
    pub(crate) foundation: Arc<Foundation>,
    pub(crate) options: Arc<OpenOptions>,
    pub(crate) models: Arc<Models>,
    pub(crate) deadline: Deadline,
}

impl SnapshotContext {
    /// Root of the worktree, or the directory of a bare repository.
    pub(crate) fn root(&self) -> &Path {
        self.foundation.root()
    }

    /// Directory of the store; it may not exist.
    pub(crate) fn store_directory(&self) -> &Path {
        self.foundation.place.directory()
    }
}
