//! Errors of computing.

/// Errors of computing: the error of the part that failed, unchanged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error of the repository.
    #[error(transparent)]
    Git(#[from] icr_git::Error),
    /// An error of reading the ledger.
    #[error(transparent)]
    Store(#[from] icr_store::Error),
    /// An error of the postings in memory.
    #[error(transparent)]
    Lexical(#[from] icr_lexical::Error),
}
