//! Why there is no answer, apart from what a question itself fails with.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Why a repository could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The repository itself.
    #[error(transparent)]
    Engine(#[from] icr_engine::Error),
    /// What it is configured with.
    #[error("{message}")]
    Configuration {
        /// What is wrong.
        message: String,
        /// What would be right.
        hint: Option<String>,
    },
}

/// Why there is no answer. Doors say it in their own words; these are for logs.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name of a repository is none that a directory can have.
    #[error("`{given}` {problem}")]
    NoPath {
        /// As it was given.
        given: String,
        /// The end of a sentence that begins with the name.
        problem: &'static str,
    },
    /// There is no such directory, or it cannot be read.
    #[error("`{}` is no directory that can be read: {source}", .directory.display())]
    NoDirectory {
        /// The directory.
        directory: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The repository is neither the server's own nor one that it may ask besides.
    #[error("`{}` is a repository that this server may not read", .root.display())]
    NotAllowed {
        /// Root of the repository.
        root: PathBuf,
        /// Directories whose repositories may be asked, the server's own first.
        allowed: Vec<PathBuf>,
    },
    /// The repository cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The engine's.
    #[error(transparent)]
    Engine(#[from] icr_engine::Error),
    /// So many calls wait that a further one is sent away.
    #[error("{waiting} calls wait for their turn already")]
    Crowded {
        /// How many may wait.
        waiting: usize,
    },
    /// The call took longer than it may.
    #[error("the call took longer than {} ms", .limit.as_millis())]
    OutOfTime {
        /// How long it may take.
        limit: Duration,
    },
    /// The first index is not there yet.
    #[error("`{name}` is being indexed for the first time, {done} of {total} files are done")]
    Indexing {
        /// What people call the repository.
        name: String,
        /// Files that are done.
        done: u64,
        /// Files to be indexed.
        total: u64,
    },
    /// The first index cannot be made. All who waited for it are told the same.
    #[error(transparent)]
    NotIndexed(Arc<Error>),
    /// There is no thread to be had for the first index.
    #[error("no thread can be started to index the repository: {0}")]
    NoThread(#[source] std::io::Error),
    /// A call met a bug.
    #[error("a call met a bug: {said}")]
    Panicked {
        /// What it said.
        said: String,
    },
    /// The runtime ended before the call did.
    #[error("the call was given up")]
    GivenUp,
}

impl Error {
    /// A panic of a call, by what it said.
    pub(crate) fn panicked(payload: &(dyn std::any::Any + Send)) -> Self {
        let said = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "it did not say what".to_owned());
        Self::Panicked { said }
    }
}
