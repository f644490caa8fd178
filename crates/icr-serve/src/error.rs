//! Why a call has no answer, apart from the errors of the question itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Why a repository could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The repository cannot be read.
    #[error(transparent)]
    Engine(#[from] icr_engine::Error),
    /// Its configuration is invalid.
    #[error("{message}")]
    Configuration {
        /// What is wrong.
        message: String,
        /// What is expected.
        hint: Option<String>,
    },
}

/// Why a call has no answer. MCP, HTTP and hooks each have their own messages; the texts here are for logs.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name of a repository is invalid as a directory.
    #[error("`{given}` {problem}")]
    NoPath {
        /// The given name.
        given: String,
        /// End of the message: a phrase that follows the name.
        problem: &'static str,
    },
    /// The directory does not exist or cannot be read.
    #[error("`{}` is not a directory that can be read: {source}", .directory.display())]
    NoDirectory {
        /// The directory.
        directory: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The server may not ask this repository.
    #[error("`{}` is a repository that this server may not read", .root.display())]
    NotAllowed {
        /// Root of the repository.
        root: PathBuf,
        /// Directories whose repositories the server may ask, its own first.
        allowed: Vec<PathBuf>,
    },
    /// The repository cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The error of the engine.
    #[error(transparent)]
    Engine(#[from] icr_engine::Error),
    /// Too many calls are already waiting.
    #[error("{waiting} calls are waiting already")]
    Crowded {
        /// Most calls that may wait.
        waiting: usize,
    },
    /// The call reached its time limit.
    #[error("the call took longer than {} ms", .limit.as_millis())]
    OutOfTime {
        /// The time limit.
        limit: Duration,
    },
    /// The first index is still being made.
    #[error("`{name}` is being indexed for the first time, {done} of {total} files are done")]
    Indexing {
        /// Name of the repository, for messages.
        name: String,
        /// Files indexed so far.
        done: u64,
        /// Files to be indexed.
        total: u64,
    },
    /// The first index cannot be made. All calls that waited for it get this error.
    #[error(transparent)]
    NotIndexed(Arc<Error>),
    /// The system has no thread for the first index.
    #[error("no thread can be started to index the repository: {0}")]
    NoThread(#[source] std::io::Error),
    /// A call panicked.
    #[error("a call failed because of a bug in icr: {said}")]
    Panicked {
        /// The message of the panic.
        said: String,
    },
    /// The runtime ended before the call did.
    #[error("the call was cancelled")]
    GivenUp,
}

impl Error {
    /// The error for a panic with this payload.
    pub(crate) fn panicked(payload: &(dyn std::any::Any + Send)) -> Self {
        let said = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "it did not say what".to_owned());
        Self::Panicked { said }
    }
}
