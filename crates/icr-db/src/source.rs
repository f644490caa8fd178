//! Where the query graph reads what a view says: one trait, implemented over the store, and in memory for tests.

use std::sync::Arc;

use icr_model::{BlobId, Facts, RepoPath, Statements};

/// What a path of a view holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub struct ViewBlob {
    /// The blob.
    pub blob_id: BlobId,
    /// Its language by its path, as in the language table.
    pub language: &'static str,
}

/// Why a source could not answer, in the words of the crate that failed.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// One view: its files, what their blobs say, and where names stand.
///
/// A source never changes; another view is another source. Lists are sorted and hold each path once. Every look-up costs
/// what it finds, not what the view holds.
pub trait ViewSource: Send + Sync {
    /// What the view holds at `path`; `None` when nothing is there.
    ///
    /// # Errors
    ///
    /// Those of reading the store, as for every look-up here.
    fn content(&self, path: &RepoPath) -> Result<Option<ViewBlob>, SourceError>;

    /// What a blob says. The same for the same content in every view.
    fn facts(&self, content: ViewBlob) -> Result<Arc<Facts>, SourceError>;

    /// [`Facts::statements`] of a blob. A walk along imports asks for those of many files, and for nothing else of most.
    fn statements(&self, content: ViewBlob) -> Result<Statements, SourceError> {
        Ok(self.facts(content)?.statements())
    }

    /// The bytes of a blob of a view; `None` when they are no text or too many. For manifests.
    fn text(&self, content: ViewBlob) -> Result<Option<Arc<[u8]>>, SourceError>;

    /// Files right inside of `directory`; the root is the empty path.
    fn files_in(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError>;

    /// Files whose last components are those of `suffix`, in any case of letters: `b/c.h` for `a/b/c.h`, not for `ab/c.h`.
    fn files_ending(&self, suffix: &str) -> Result<Vec<RepoPath>, SourceError>;

    /// Files that declare themselves to be `name`: a package, a namespace, a module.
    fn providing(&self, name: &str) -> Result<Vec<RepoPath>, SourceError>;

    /// Files with an import that has the key; see [`icr_model::import_keys`].
    fn requiring(&self, key: &str) -> Result<Vec<RepoPath>, SourceError>;

    /// Those of [`Source::requiring`] that stand in `directory` or below; the root is the empty path. Costs at most the
    /// smaller of what the key finds and what stands there.
    fn requiring_below(&self, key: &str, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError>;

    /// Files that define something called `name`, as written.
    fn defining(&self, name: &str) -> Result<Vec<RepoPath>, SourceError>;

    /// Files that may mention the identifier `name`: all that do, and some that hold it in another case or in a comment.
    fn mentioning(&self, name: &str) -> Result<Vec<RepoPath>, SourceError>;
}
