//! What can go wrong on the way to a vector.

/// Why there is no vector.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file of a model is absent or not what it should be.
    #[error("{}: {reason}", path.display())]
    Model {
        /// The file or directory.
        path: std::path::PathBuf,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// The library that runs models is absent or not what it should be.
    #[error("ONNX Runtime {}: {reason}", path.display())]
    Runtime {
        /// The library, or the name that the system was asked for.
        path: std::path::PathBuf,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// The model gave what it should not.
    #[error("the model `{name}` {reason}")]
    Answer {
        /// Which model.
        name: String,
        /// What it did and what would be right.
        reason: String,
    },
    /// Another machine could not be asked, or gave what it should not.
    #[error("{address}: {reason}")]
    Remote {
        /// Which one, without user names, passwords, keys and queries.
        address: String,
        /// What came and what would be right.
        reason: String,
    },
    /// What was fetched is not what was published.
    #[error("{address}: its SHA-256 is {found}, expected {expected}; nothing of it was kept")]
    Digest {
        /// Where it came from, without user names, passwords, keys and queries.
        address: String,
        /// That of the published file, in hexadecimal.
        expected: String,
        /// That of what came, in hexadecimal.
        found: String,
    },
    /// A setting that cannot be used.
    #[error("{name}: {reason}")]
    Setting {
        /// What it is called.
        name: &'static str,
        /// What it is and what would be right.
        reason: String,
    },
}

impl Error {
    /// An [`Error::Model`] about the file or directory at `path`.
    pub(crate) fn model(path: &std::path::Path, reason: impl Into<String>) -> Self {
        Self::Model { path: path.to_owned(), reason: reason.into() }
    }
}
