//! Errors of ingesting.

/// Errors of ingesting: the error of the part that failed, unchanged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error of computing, before anything is written.
    #[error(transparent)]
    Compute(#[from] icr_compute::Error),
    /// An error of the repository.
    #[error(transparent)]
    Git(#[from] icr_git::Error),
    /// An error of the ledger or of the store's directory.
    #[error(transparent)]
    Store(#[from] icr_store::Error),
    /// An error of the postings.
    #[error(transparent)]
    Lexical(#[from] icr_lexical::Error),
    /// An error of the vectors.
    #[error(transparent)]
    Vector(#[from] icr_vector::Error),
    /// An error of the model.
    #[error(transparent)]
    Embed(#[from] icr_embed::Error),
}
