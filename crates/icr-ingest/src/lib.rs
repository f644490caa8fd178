//! Indexes blobs: read, extract, number, write postings, list in the ledger; then publishes the view that contains
//! them.
//!
//! All code here keeps one order: numbers are reserved first, postings are committed second, ledger rows and the view
//! last and in one transaction. If the process is killed in between, it leaves garbage under numbers that are never
//! used again.

mod built_in_model;
mod collect;
mod error;
mod fill;
mod observe;
mod session;
mod sync;

pub use built_in_model::{BuiltInEmbedder, BuiltInFill, note_use};
pub use collect::{CollectReport, collect};
pub use error::Error;
pub use fill::{FillReport, FillRequest, UnembeddedBlob, facts_of, fill, unread_blobs};
pub use observe::{BlobPass, Observer, RunPart, SilentObserver, WriteStep};
pub use sync::{COMMITS_READ, SyncReport, SyncRequest, SyncTarget, open_lexical, sync};
