//! The source of the query graph: one trait, which a view implements, and tests in memory.

use std::sync::Arc;

use icr_model::{BlobId, Facts, RepoPath, Statements};

/// The content of a path in a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub struct ViewBlob {
    /// The blob.
    pub blob_id: BlobId,
    /// Its language by its path, as in the language table.
    pub language: &'static str,
}

/// Why a source could not answer, as reported by the crate that failed.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// One view: its files, the facts of their blobs, and look-ups by name.
///
/// A source never changes; another view needs another source. Lists are sorted and hold each path once. The cost of a
/// look-up depends on the number of results, not on the size of the view.
pub trait ViewSource: Send + Sync {
    /// What the view holds at `path`; `None` when nothing is there.
    ///
    /// # Errors
    ///
    /// When reading the store fails, as for every look-up here.
    fn content(&self, path: &RepoPath) -> Result<Option<ViewBlob>, SourceError>;

    /// The facts of a blob. They are the same for the same content in every view.
    fn facts(&self, content: ViewBlob) -> Result<Arc<Facts>, SourceError>;

    /// [`Facts::statements`] of a blob. A walk along imports asks many files for these, and most of them for nothing
    /// else.
    fn statements(&self, content: ViewBlob) -> Result<Statements, SourceError> {
        Ok(self.facts(content)?.statements())
    }

    /// The bytes of a blob of a view; `None` when the blob is not text or is too large. Used for manifests.
    fn text(&self, content: ViewBlob) -> Result<Option<Arc<[u8]>>, SourceError>;

    /// Files directly in `directory`; the root is the empty path.
    fn files_in(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError>;

    /// Files whose last components are those of `suffix`, compared without case: `b/c.h` matches `a/b/c.h`, not
    /// `ab/c.h`.
    fn files_ending(&self, suffix: &str) -> Result<Vec<RepoPath>, SourceError>;

    /// Files that declare the package, namespace or module `name`.
    fn providing(&self, name: &str) -> Result<Vec<RepoPath>, SourceError>;

    /// Files with an import that has the key; see [`icr_model::import_keys`].
    fn requiring(&self, key: &str) -> Result<Vec<RepoPath>, SourceError>;

    /// The results of [`ViewSource::requiring`] that are in `directory` or below; the root is the empty path. The cost
    /// is at most that of the smaller set: the files with the key, or the files in the directory.
    fn requiring_below(&self, key: &str, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError>;

    /// Files with a definition called `name`, as written.
    fn defining(&self, name: &str) -> Result<Vec<RepoPath>, SourceError>;

    /// Files that may mention the identifier `name`: all that do, and some that contain it in another case or in a
    /// comment.
    fn mentioning(&self, name: &str) -> Result<Vec<RepoPath>, SourceError>;
}
