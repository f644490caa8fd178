//! Errors of embedding.

/// Why there is no vector.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file of a model is missing or invalid.
    #[error("{}: {reason}", path.display())]
    Model {
        /// The file or directory.
        path: std::path::PathBuf,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// The library that runs models is missing or unusable.
    #[error("ONNX Runtime {}: {reason}", path.display())]
    Runtime {
        /// The library, or the name that the system was asked for.
        path: std::path::PathBuf,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// The model gave an invalid result.
    #[error("the model `{name}` {reason}")]
    Answer {
        /// Name of the model.
        name: String,
        /// What it gave and what is expected.
        reason: String,
    },
    /// A remote service could not be reached, or its answer is invalid.
    #[error("{address}: {reason}")]
    Remote {
        /// Address of the service, without user names, passwords, keys and queries.
        address: String,
        /// What it answered and what is expected.
        reason: String,
    },
    /// A downloaded file differs from the published one.
    #[error("{address}: its SHA-256 is {found}, expected {expected}; nothing of it was kept")]
    Digest {
        /// Address of the download, without user names, passwords, keys and queries.
        address: String,
        /// Digest of the published file, in hexadecimal.
        expected: String,
        /// Digest of the downloaded file, in hexadecimal.
        found: String,
    },
    /// A setting that cannot be used.
    #[error("{name}: {reason}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value and what is expected.
        reason: String,
    },
}

impl Error {
    /// An [`Error::Model`] about the file or directory at `path`.
    pub(crate) fn model(path: &std::path::Path, reason: impl Into<String>) -> Self {
        Self::Model { path: path.to_owned(), reason: reason.into() }
    }
}
