//! The MCP server of icr: agents ask the engine through a table of tools.
//!
//! A tool is a row of the table and a file. The file has the types of its arguments and its answer, from which its
//! schemas are generated, and its question to a snapshot. The rest is common to all tools: arguments are validated
//! against the published schema; answers stay within a bound of model tokens and report their provenance and their
//! gaps. The crate icr-serve provides slots, time limits, and repositories that stay open and warm between calls.
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
mod page;
mod paths;
mod progress;
mod reply;
mod serve;
mod server;
mod settings;
mod store_reminder;
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
