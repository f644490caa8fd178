//! Views: the code at one tree with one overlay.
//!
//! A [`View`] is an immutable value that threads share by `Arc`. It answers look-ups (paths, rows, facts, texts,
//! postings, vectors) and is the source that the query graph reads. It does not know the engine and cannot write a
//! store: uncommitted files and unpublished revisions are indexed in memory.

mod background_drop;
mod build;
mod cache;
mod error;
mod foundation;
mod ledger_look_ups;
mod name_words;
mod source;
mod texts;
mod tree_delta;
mod vectors;
mod view;

pub use background_drop::BackgroundDrop;
pub use build::{MemoryBudget, ViewLayers};
pub use cache::{PathFacts, ViewCache};
pub use error::Error;
pub use foundation::{Foundation, StoreMoment};
pub use ledger_look_ups::LedgerLookUps;
pub use name_words::NameWords;
pub use texts::Texts;
pub use tree_delta::TreeDelta;
pub use view::{View, ViewFile, ViewId};
