//! Makes blobs complete: read, extract, number, post, list; then publishes the view that holds them.
//!
//! Everything here keeps one order: numbers are given out first, postings come second, ledger rows and the view last and
//! in one transaction. Whoever is killed in between leaves garbage under numbers that nobody will use again.

mod collect;
mod error;
mod fill;
mod observe;
mod quick;
mod session;
mod sync;

pub use collect::{CollectReport, collect};
pub use error::Error;
pub use fill::{FillReport, FillRequest, UnembeddedBlob, facts_of, fill, unread_blobs};
pub use observe::{Observer, SilentObserver, WriteStep};
pub use quick::{QuickEmbedder, QuickFill, note_use};
pub use sync::{COMMITS_READ, SyncReport, SyncRequest, SyncTarget, open_lexical, sync};
