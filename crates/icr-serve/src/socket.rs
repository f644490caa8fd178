//! The local socket: a process that lives long answers short ones from its warm views.
//!
//! `run/<repo id>.sock` in the home of icr is open to its own user alone. One process for each repository listens there ([`Socket`]);
//! others wait behind a lock file and take over when it ends. Who asks ([`ask`]) sends one line of JSON and gets one line back,
//! within a time that it names. Nobody has to listen: whoever asks can answer by itself.
//!
//! [`RepositorySocket`] answers about repositories, by a table of [`Kind`]s. Outside of Unix nobody listens.

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

/// Revision of what is said on the socket. Another one is refused in words of this one.
pub const VERSION: u32 = 1;

/// Longest line in either direction, its end included, in bytes: room for any prompt and for the context of one.
pub const LINE_BYTES_MOST: usize = 1 << 20;

/// Longest work on one request, whatever it asks for. Hooks wait less.
pub const WORK_MOST: Duration = Duration::from_secs(5);

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Name of a [`Kind`].
    pub kind: String,
    /// Root of the worktree that is asked about, absolute.
    pub root: PathBuf,
    /// What the kind takes.
    pub body: Value,
}

/// What is answered: what the kind gives, or why there is nothing.
pub type Response = Result<Value, RequestError>;

/// Answers requests until their deadline. Called on threads of its own, some at once. The deadline is over as soon as nobody waits
/// any more.
pub type Handler = Arc<dyn Fn(&Request, &Deadline) -> Response + Send + Sync>;

/// Why a request has no answer, as it is said to whoever asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RequestError {
    /// For programs: one of the constants here, or a code of the engine's errors.
    pub code: String,
    /// For people.
    pub message: String,
}

impl RequestError {
    /// The line is no request.
    pub const BAD_REQUEST: &'static str = "BAD_REQUEST";
    /// The repository cannot be opened.
    pub const CANNOT_OPEN: &'static str = "CANNOT_OPEN";
    /// The answer could not be written down.
    pub const INTERNAL: &'static str = "INTERNAL";
    /// There is nothing to answer from yet, and a request starts no first index.
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

    /// An error of that code.
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
    /// The id would be no name of a file.
    #[error("`{repo_id}` is no id of a repository: it has 1 to 64 letters, digits, `-` and `_`")]
    RepoId {
        /// As it was given.
        repo_id: String,
    },
    /// What lies on the way to the socket could be somebody else's.
    #[error(transparent)]
    Untrusted(#[from] UntrustedSocket),
    /// The system refuses.
    #[error("cannot listen at `{}`: {doing}: {source}", .path.display())]
    Io {
        /// Where the socket would be.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
}

/// Why a socket is not trusted.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {problem}", .path.display())]
pub struct UntrustedSocket {
    /// The directory or the socket.
    pub path: PathBuf,
    /// The end of a sentence that begins with the path.
    pub problem: &'static str,
}

/// Why nothing was answered although somebody may listen. Whoever asked answers by itself.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// What lies on the way to the socket could be somebody else's, or the process behind it is.
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
    /// The connection ended without a whole answer: the process ended, or too many ask it at once.
    #[error("the connection was closed without an answer")]
    Closed,
    /// What came is no answer.
    #[error("what came is no answer: {problem}")]
    NoAnswer {
        /// Why.
        problem: String,
    },
    /// The system refuses.
    #[error("asking the local socket: {0}")]
    Io(#[from] std::io::Error),
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
