//! Why a measurement cannot be made.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{message}\n\n{}", crate::arguments::USAGE)]
    Usage { message: String },
    #[error("`{}` has no commit to measure", .path.display())]
    Unborn { path: PathBuf },
    #[error("`git {command}` failed: {message}")]
    Git { command: String, message: String },
    #[error("the stage `{name}` failed: {message}")]
    Stage { name: &'static str, message: String },
    #[error("`{program}` exited with {code}: {message}")]
    Program { program: String, code: String, message: String },
    #[error("{doing} `{}`: {source}", .path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
    #[error("asking `{address}`: {source}")]
    Connection { address: std::net::SocketAddr, source: std::io::Error },
    #[error(transparent)]
    Repository(#[from] icr_git::Error),
    #[error(transparent)]
    Engine(#[from] icr_engine::Error),
    #[error(transparent)]
    Postings(#[from] icr_lexical::Error),
}

/// Names what was being done to `path` when an operation failed.
pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { doing, path, source }
}
