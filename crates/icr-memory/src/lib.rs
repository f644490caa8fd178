//! Keeps what users and agents asked to keep: memories, memoirs and pins. None of it can be derived again, so only its
//! owner deletes it.
//!
//! [`MemoryDatabase`] opens the database of memories and memoirs. All functions on it are in modules named after what
//! they do: [`store`](store()), [`update`], [`forget`], [`consolidate`], [`prune`], [`decay`] write; [`list`],
//! [`topics`], [`statistics`], [`health`], [`memories_at`] read; [`memoir`] has those of memoirs. Every change that a
//! user can see is an [`Operation`] of the log, and can be undone.
//!
//! The crate has no clock, environment or model of its own: callers pass times (`now`), and vectors come from a
//! [`TextEmbedder`].

mod consolidation;
mod database;
mod embedding;
mod error;
mod extraction;
mod index;
mod item;
mod listing;
pub mod memoir;
mod memory;
pub mod near_duplicates;
mod operations;
mod pins;
mod places;
mod preamble;
mod pruning;
mod recall;
mod record_id;
mod store;
mod terms;
mod transfer;
mod vectors;
mod weight;

pub use consolidation::{Consolidation, ConsolidationRequest, consolidate};
pub use database::{MemoryDatabase, MemoryOptions, MemoryRules, TextEmbedder};
pub use embedding::{EmbeddingReport, embed};
pub use error::{DatabaseKind, Error};
pub use extraction::{ExtractedFact, ExtractionRules, Signal, extract};
pub use item::{MemoryItem, PlaceItem, PlaceState};
pub use listing::{
    ListOrder, ListRequest, ListScope, Statistics, TopicCount, TopicHealth, health, list, memory_of, nameless_rows,
    statistics, topics,
};
pub use memory::{
    Author, CodeBinding, CodePlace, Importance, Memory, MemoryKind, MemoryOrigin, NewMemory, ProjectKey,
    TEXT_BYTES_MOST, TOPIC_BYTES_MOST,
};
pub use operations::{Entity, Operation, UndoReport, UndoTarget, history, operations, undo};
pub use pins::{Access, CloneKey, PINS_MOST, Pin, PinOperation, PinPriority, Pins};
pub use places::{PlaceOrder, memories_at};
pub use preamble::{PreambleItem, PreambleLimits, preamble, reference_line};
pub use pruning::{Pruning, decay, prune};
pub use recall::{ANSWERING_SHARE, RECALL_MOST, RecallAnswer, RecallRequest, RecalledMemory, answering, recall};
pub use record_id::{NoRecordId, RecordId};
pub use store::{
    MemoryAccess, MemoryUpdate, StoreAction, StoreOutcome, count_accesses, forget, forget_topic, store, store_all,
    store_verbatim, touch, update,
};
pub use transfer::{
    ExportRequest, IcmReport, IcmRequest, ImportRequest, ImportSource, RecordCounts, RecordReport, RefusedRecord,
    RefusedRecords, TransferError, TransferNote, TransferReport, export, import, import_icm, import_source, merge,
};
pub use weight::{DAY_MS, effective_weight};
