//! What a look-up can fail with.

/// What a look-up can fail with: an error of the part that failed, as it is, or a file that moved on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository.
    #[error(transparent)]
    Git(#[from] icr_git::Error),
    /// The ledger or the place of the store.
    #[error(transparent)]
    Store(#[from] icr_store::Error),
    /// The postings.
    #[error(transparent)]
    Lexical(#[from] icr_lexical::Error),
    /// The vectors.
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
