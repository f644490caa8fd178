//! Progress reports of a long run.

/// A point between two writes. If the process is killed at any of them, the next run must be able to complete the
/// store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteStep {
    /// Recipe rows are on disk; no blob uses them yet.
    RecipesRecorded,
    /// Numbers are reserved; nothing uses them yet.
    NumbersReserved,
    /// Documents were passed to the postings writer, but not committed.
    DocumentsAdded,
    /// Postings are committed; the ledger does not list them.
    PostingsCommitted,
    /// Vectors are committed; the ledger does not list their chunks.
    VectorsCommitted,
    /// The ledger lists the blobs of one part of the work; the view is not published.
    BlobsListed,
    /// The view is published.
    Published,
    /// The ledger has deleted garbage; its postings still exist.
    GarbageForgotten,
    /// The postings of garbage are deleted.
    GarbageDeleted,
}

impl WriteStep {
    /// All steps, in the order of the enum.
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

    /// The name in logs, and for stopping a run at a step.
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

/// Receives the progress of a run. Called on the thread that started it.
pub trait Observer: Sync {
    /// A step was reached.
    fn step(&self, _step: WriteStep) {}

    /// `done` of `total` blobs are finished.
    fn progress(&self, _done: u64, _total: u64) {}

    /// A model has embedded `done` of `total` chunks.
    fn filling(&self, _done: u64, _total: u64) {}
}

/// Ignores all reports.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentObserver;

impl Observer for SilentObserver {}
