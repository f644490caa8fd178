//! What can go wrong while ingesting.

/// What can go wrong while ingesting: an error of the part that failed, as it is.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is computed before it is written.
    #[error(transparent)]
    Compute(#[from] icr_compute::Error),
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
    /// The model.
    #[error(transparent)]
    Embed(#[from] icr_embed::Error),
}
