//! What can go wrong while computing.

/// What can go wrong while computing: an error of the part that failed, as it is.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository.
    #[error(transparent)]
    Git(#[from] icr_git::Error),
    /// The ledger, which is read.
    #[error(transparent)]
    Store(#[from] icr_store::Error),
    /// The postings in memory.
    #[error(transparent)]
    Lexical(#[from] icr_lexical::Error),
}
