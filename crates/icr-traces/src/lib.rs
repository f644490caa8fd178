//! Traces of calls and metrics over them, local to this machine. They tell which calls icr got through any door, what
//! it answered, what the agent then opened and changed, and how much of the answers was useful.
//!
//! A door creates a [`Recorder`] and gives it an [`TraceEvent`] for each call, each opened file and each changed file.
//! Recording takes microseconds: a thread of the recorder masks credentials and writes. A problem with the database
//! costs events, never an answer. [`Traces`] reads the database; [`metrics`] are pure functions over events.
//!
//! Nothing is sent over a network.

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

/// File name of the database in its directory.
pub const DATABASE_NAME: &str = "traces.db";
