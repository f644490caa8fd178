//! What a long run tells whoever watches it.

/// A point between two writes. Killing the process at any of them must leave a store that the next run completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteStep {
    /// Recipe rows are on disk; no blob uses them yet.
    RecipesRecorded,
    /// Numbers are given out; nothing stands under them.
    NumbersReserved,
    /// Documents are with the postings writer, not committed.
    DocumentsAdded,
    /// Postings are committed; the ledger does not list them.
    PostingsCommitted,
    /// Vectors are committed; the ledger does not list their chunks.
    VectorsCommitted,
    /// The ledger lists the blobs of a part of the work; the view is not published.
    BlobsListed,
    /// The view is published.
    Published,
    /// Garbage is forgotten by the ledger; its postings are still there.
    GarbageForgotten,
    /// The postings of garbage are gone.
    GarbageDeleted,
}

impl WriteStep {
    /// All steps, in the order of the type.
    pub const ALL: [Self; 9] = [
        Self::RecipesRecorded,
        Self::NumbersReserved,
        Self::DocumentsAdded,
        Self::PostingsCommitted,
        Self::VectorsCommitted,
        Self::BlobsListed,
        Self::Published,
        Self::GarbageForgotten,
        Self::GarbageDeleted,
    ];

    /// The name used in logs and by whoever stops a run at a step.
    pub fn name(self) -> &'static str {
        match self {
            Self::RecipesRecorded => "recipes-recorded",
            Self::NumbersReserved => "numbers-reserved",
            Self::DocumentsAdded => "documents-added",
            Self::PostingsCommitted => "postings-committed",
            Self::VectorsCommitted => "vectors-committed",
            Self::BlobsListed => "blobs-listed",
            Self::Published => "published",
            Self::GarbageForgotten => "garbage-forgotten",
            Self::GarbageDeleted => "garbage-deleted",
        }
    }
}

/// Watches a run. Called on the thread that asked for it.
pub trait Observer: Sync {
    /// A step was reached.
    fn step(&self, _step: WriteStep) {}

    /// `done` of `total` blobs are through.
    fn progress(&self, _done: u64, _total: u64) {}

    /// A model has read `done` of `total` chunks.
    fn filling(&self, _done: u64, _total: u64) {}
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentObserver;

impl Observer for SilentObserver {}
