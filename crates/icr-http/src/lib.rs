//! The local HTTP service of icr: the protocol for agents at `/mcp`, questions and their answers as JSON below `/api`, and a page
//! for people at `/`.
//!
//! A question is a row of the table (`questions`) and a function: types of its input and its answer, from which the description at
//! `/api/openapi.json` is made, and what it asks a repository. The rest is the same for all: who asks is checked before
//! anything else ([`Credentials`]), input is held against its schema, credentials in answers are masked, time is bounded.
//! That calls wait for a place and that repositories stay open and warm between them is icr-serve's.
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
