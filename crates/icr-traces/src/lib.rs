//! Traces of calls and metrics over them, local to this machine: what was asked of icr through any door, what came
//! back, what the agent then opened and changed, and how much of the answers was of use.
//!
//! A door makes a [`Recorder`] and tells it an [`Event`] for each call, for each file that was opened and for each that
//! was changed. Recording takes microseconds: one thread of the recorder masks credentials and writes, and whatever is
//! wrong with the database costs events, never an answer. [`Traces`] reads the database; [`metrics`] are pure functions
//! over events.
//!
//! Nothing here goes over a network.

mod bounds;
mod call;
mod call_id;
mod connections;
mod database;
mod error;
mod event;
mod input;
mod masking;
pub mod metrics;
mod moments;
mod otlp;
mod queue;
mod recorder;
mod retention;
mod rows;
mod traces;
mod writer;

pub use bounds::{INPUT_BYTES_MOST, LIST_MOST, TASK_CHARACTERS_MOST};
pub use call::{CallKind, CallOutcome, CallRecord, Door, ImpactAnswer, ReturnedSpan};
pub use call_id::{CallId, CallIdError};
pub use connections::join_connections;
pub use error::Error;
pub use event::{AccessedLines, FileAccess, FileEdit, SeenCall, TraceEvent};
pub use input::CallInput;
pub use recorder::{FLUSH_BOUND, Recorder, RecorderOptions};
pub use traces::{CallFilter, EventFilter, SessionSummary, Traces};

/// Name of the database in its directory.
pub const DATABASE_NAME: &str = "traces.db";
