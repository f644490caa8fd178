//! What can go wrong while ingesting.

/// What can go wrong while ingesting: an error of the part that failed, as it is.
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
    /// The model.
    #[error(transparent)]
    Embed(#[from] icr_embed::Error),
}

impl Error {
    /// Whether the store contradicts itself, so that deriving it again is the cure.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Store(icr_store::Error::Damaged { .. })
                | Self::Lexical(icr_lexical::Error::Damaged { .. })
                | Self::Vector(icr_vector::Error::Damaged { .. })
        )
    }
}
