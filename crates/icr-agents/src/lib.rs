//! Support for coding agents: the protocols of their hooks, and the places of their configuration.
//!
//! A program that runs agents is called a *host*. Hosts use different event names, payload fields and answer formats;
//! each protocol is a [`Dialect`], a row of a table. A hook is one short process. What it must know about earlier hooks
//! is in the record of its [`Session`].

mod compaction;
pub mod configuration;
mod continuation;
mod dialect;
mod event;
mod helpfulness_prior;
pub mod hosts;
mod ledger;
mod observed_use;
mod payload;
mod session;
mod shell_command;
mod tool_names;
mod tool_use;
pub mod transcript;

pub use compaction::CompactionNote;
pub use continuation::{is_continuation, looks_back};
pub use dialect::{Dialect, HostEvent, OutputShape, TimeoutUnit};
pub use event::AgentHookEvent;
pub use helpfulness_prior::Prior;
pub use ledger::{LedgerItem, LedgerKind, done_in, is_same_text, ledger_of};
pub use observed_use::ObservedToolUse;
pub use payload::{Payload, PayloadError, ToolCall};
pub use session::{CONTINUATION_KEY, Session, SessionEvent, SessionState, ToolPurpose, ToolUse, prompt_sketch};
pub use tool_use::tool_use;
