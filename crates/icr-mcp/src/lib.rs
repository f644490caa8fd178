//! The MCP server of icr: agents ask the engine through a table of tools.
//!
//! A tool is a row of the table and a file: types of its arguments and its answer, from which its schemas are made, and what it
//! asks a snapshot. The rest is the same for all: arguments are held against the schema that is shown, answers stay within a bound
//! of model tokens and say where they come from and what they lack. That calls wait for a place and are given up in time, and that
//! repositories stay open and warm between them, is icr-serve's.
//!
//! The binary says how repositories are opened and configured ([`Settings`]); this crate knows the protocol.

mod answer_cache;
mod call;
mod cursor;
#[doc(hidden)]
pub mod fuzzing;
mod http;
mod kept_input;
mod lines;
mod memory;
mod message;
mod message_id;
mod nudge;
mod page;
mod paths;
mod progress;
mod reply;
mod serve;
mod server;
mod settings;
mod table;
mod tools;
mod traced;
mod transport;
mod truncation;
mod work;

pub use http::{Endpoint, endpoint, refusal_of};
pub use kept_input::{HeldInput, KeptInput};
pub use serve::{Error, serve, serve_stdio};
pub use server::Server;
pub use settings::{Clock, Limits, MemorySettings, Settings, Toolset, Tracing};
