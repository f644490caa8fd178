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
}
