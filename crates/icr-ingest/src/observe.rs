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

/// A part of a run in which no file is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPart {
    /// Walks the history of the target; see [`Observer::count_commit`].
    History,
    /// Compares the target with what is indexed.
    Comparison,
    /// Calibrates warnings on past commits, after the view is published; see [`Observer::calibrating`].
    Calibration,
}

/// The two passes over every blob that a run indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobPass {
    /// It was read and parsed.
    Extracted,
    /// Its documents and vectors were made.
    Prepared,
}

/// Receives the progress of a run. Called on the thread that started it, except for [`Observer::count_blob`].
pub trait Observer: Sync {
    /// Whether somebody looks at the progress, so that numbers which only serve a display are worth their cost.
    fn is_watched(&self) -> bool {
        false
    }

    /// A part of the run begins.
    fn part(&self, _part: RunPart) {}

    /// The walk over the history met one more commit.
    fn count_commit(&self) {}

    /// The blobs to be indexed have `bytes` together, without those that are too large to be read. Only reported if
    /// somebody looks at the progress and the run has no deadline.
    fn bytes_total(&self, _bytes: u64) {}

    /// A blob of `bytes` is through a pass; called on any thread. A blob that is missing or too large counts 0 bytes, and
    /// a missing one has only the first pass.
    fn count_blob(&self, _pass: BlobPass, _bytes: u64) {}

    /// A step was reached.
    fn step(&self, _step: WriteStep) {}

    /// `done` of `total` blobs are finished; reported for each batch.
    fn progress(&self, _done: u64, _total: u64) {}

    /// A calibration has measured `done` of `total` past commits, or fewer if not all of them tell enough.
    fn calibrating(&self, _done: u64, _total: u64) {}

    /// A model has embedded `done` of `total` chunks.
    fn filling(&self, _done: u64, _total: u64) {}
}

/// Ignores all reports.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentObserver;

impl Observer for SilentObserver {}
