//! Errors of a look-up in a view.

/// Why a look-up failed: the unchanged error of the part that failed, or a file that changed meanwhile.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading the repository failed.
    #[error(transparent)]
    Git(#[from] icr_git::Error),
    /// Reading the ledger or the store directory failed.
    #[error(transparent)]
    Store(#[from] icr_store::Error),
    /// Reading the postings failed.
    #[error(transparent)]
    Lexical(#[from] icr_lexical::Error),
    /// Reading the vectors failed.
    #[error(transparent)]
    Vector(#[from] icr_vector::Error),
    /// The file was edited after the view was made.
    #[error("`{path}` was changed while it was being read")]
    Changed {
        /// The path.
        path: String,
    },
}

impl From<icr_compute::Error> for Error {
    fn from(error: icr_compute::Error) -> Self {
        match error {
            icr_compute::Error::Git(error) => Self::Git(error),
            icr_compute::Error::Store(error) => Self::Store(error),
            icr_compute::Error::Lexical(error) => Self::Lexical(error),
        }
    }
}
