//! The local HTTP service of icr: the protocol for agents at `/mcp`, questions and their answers as JSON below `/api`, and a page
//! for people at `/`.
//!
//! A question is a row of the table in `questions`, and a function. The types of its input and answer give the
//! description at `/api/openapi.json`. Everything else is the same for all questions: the sender is checked first
//! ([`Credentials`]), the input is checked against its schema, credentials in the answer are masked, and the time is
//! limited. `icr-serve` queues calls, and keeps repositories open and warm between them.
//!
//! The server listens on this machine only. `SECURITY.md` says which threats that covers.

mod answer;
mod connections;
mod credentials;
mod guard;
mod index_events;
mod link;
mod openapi;
mod page;
mod protocol;
mod questions;
mod random;
mod server;
mod settings;
mod token_file;
mod traced;

pub use credentials::Credentials;
pub use link::{LinkError, link_of};
pub use server::{Error, Server};
pub use settings::{MemoryView, Settings};
pub use token_file::TokenError;
