//! The local socket: a process that lives long answers short ones from its warm views.
//!
//! The socket `run/<repo id>.sock` in the home of icr is accessible to its own user only. For each repository one
//! process listens there ([`Socket`]); others wait at a lock file and take over when it ends. A client ([`ask`]) sends
//! one line of JSON and gets one line back, within a time limit that it sends along. If no process listens, the client
//! does the work itself.
//!
//! [`RepositorySocket`] answers about repositories, by a table of [`RequestKind`]s. Only Unix systems have it.

#[cfg(unix)]
mod client;
#[cfg(unix)]
#[doc(hidden)]
pub mod fuzzing;
mod kind;
#[cfg(unix)]
mod line;
#[cfg(unix)]
mod listener;
#[cfg(not(unix))]
#[path = "socket/nobody.rs"]
mod listener;
mod repository_socket;
#[cfg(unix)]
mod socket_directory;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use icr_engine::Deadline;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(unix)]
pub use client::ask;
pub use kind::{KindAnswer, RequestKind};
pub use listener::Socket;
#[cfg(not(unix))]
pub use listener::ask;
pub use repository_socket::{Program, RepositorySocket};

/// Revision of the socket's protocol. A request of another revision is refused in the form of this one.
pub const VERSION: u32 = 1;

/// Longest line in either direction, with its line end, in bytes: enough for any prompt and for its context.
pub const LINE_BYTES_MOST: usize = 1 << 20;

/// Longest work on a request, even if it asks for more. Hooks wait less.
pub const WORK_MOST: Duration = Duration::from_secs(5);

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Name of a [`RequestKind`].
    pub kind: String,
    /// Root of the worktree that is asked about, absolute.
    pub root: PathBuf,
    /// Arguments of the kind.
    pub body: Value,
}

/// A response: the result of the kind, or why there is none.
pub type Response = Result<Value, RequestError>;

/// Answers requests until their deadline. Called on separate threads, several at once. The deadline also ends when the
/// client no longer waits.
pub type Handler = Arc<dyn Fn(&Request, &Deadline) -> Response + Send + Sync>;

/// Why a request has no answer, as the client gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RequestError {
    /// For programs: one of the constants here, or a code of the engine's errors.
    pub code: String,
    /// For people.
    pub message: String,
}

impl RequestError {
    /// The line is not a valid request.
    pub const BAD_REQUEST: &'static str = "BAD_REQUEST";
    /// The repository cannot be opened.
    pub const CANNOT_OPEN: &'static str = "CANNOT_OPEN";
    /// The answer could not be written down.
    pub const INTERNAL: &'static str = "INTERNAL";
    /// There is no index to answer from yet; a request never starts the first one.
    pub const NOT_INDEXED: &'static str = "NOT_INDEXED";
    /// The request met a bug.
    pub const PANICKED: &'static str = "PANICKED";
    /// The time of the request is over.
    pub const TIMED_OUT: &'static str = "TIMED_OUT";
    /// The request or its answer is longer than a line may be.
    pub const TOO_LONG: &'static str = "TOO_LONG";
    /// There is no such kind of request.
    pub const UNKNOWN_KIND: &'static str = "UNKNOWN_KIND";
    /// The request is of another revision.
    pub const UNKNOWN_VERSION: &'static str = "UNKNOWN_VERSION";
    /// The repository is not the one that the socket is of, or may not be asked.
    pub const WRONG_REPOSITORY: &'static str = "WRONG_REPOSITORY";

    /// The error with this code.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }
}

impl From<icr_engine::Error> for RequestError {
    fn from(error: icr_engine::Error) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The id is invalid as a file name.
    #[error("`{repo_id}` is not the id of a repository: it has 1 to 64 letters, digits, `-` and `_`")]
    RepoId {
        /// The given id.
        repo_id: String,
    },
    /// A directory or file on the way to the socket may belong to another user.
    #[error(transparent)]
    Untrusted(#[from] UntrustedSocket),
    /// The system refused.
    #[error("cannot listen at `{}`: {doing}: {source}", .path.display())]
    Io {
        /// Path of the socket.
        path: PathBuf,
        /// The operation that failed.
        doing: &'static str,
        /// The error of the system.
        source: std::io::Error,
    },
}

/// Why a socket is not trusted.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {problem}", .path.display())]
pub struct UntrustedSocket {
    /// The directory or the socket that is not trusted.
    pub path: PathBuf,
    /// End of the message: a phrase that follows the path.
    pub problem: &'static str,
}

/// Why a listening process gave no answer. The client then does the work itself.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// A directory or file on the way to the socket may belong to another user, or the listening process does.
    #[error(transparent)]
    Untrusted(#[from] UntrustedSocket),
    /// The request cannot be sent.
    #[error("the request cannot be sent: {problem}")]
    Unsendable {
        /// Why.
        problem: &'static str,
    },
    /// The answer was not there in time.
    #[error("there was no answer within {} ms", .within.as_millis())]
    OutOfTime {
        /// How long it was waited for.
        within: Duration,
    },
    /// The connection ended before a complete answer: the process ended, or it has too many connections.
    #[error("the connection was closed without an answer")]
    Closed,
    /// The answer is invalid.
    #[error("the reply is not an answer: {problem}")]
    NoAnswer {
        /// Why.
        problem: String,
    },
    /// The system refused.
    #[error("asking the local socket: {0}")]
    Io(#[from] std::io::Error),
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
