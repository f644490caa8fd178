//! Shared parts of the long-lived interfaces: repositories that stay open with warm views, their first index, monitors
//! of worktrees, slots for calls, deadlines, cancelling, and the local [`socket`].
//!
//! An interface (MCP, HTTP, an agent's hook) makes a [`Workshop`] and gives it jobs. A job gets a [`ServedRepository`]
//! from [`Repositories`] and asks it for a view. Wording and format of answers belong to the interface.

mod configured_repository;
mod error;
mod failure;
mod idle;
mod memory;
mod monitor;
mod repositories;
mod repository;
mod run;
pub mod schema;
mod shared_memory;
mod slots;
pub mod socket;
#[cfg(test)]
mod testing;
mod trace;
mod validate;
mod watched_roots;
mod work;

pub use configured_repository::{
    BaseRulesFinder, ConfiguredRepository, Identifier, Judging, Opener, RepositoryAccess, TranscriptReader,
};
pub use error::{Error, OpenError};
pub use failure::{CallFailure, Code, InterfaceWords, Violation, shown_value, truncate_text};
pub use repositories::Repositories;
pub use repository::{STACK_BYTES, ServedRepository};
pub use run::{RunRequest, RunRules};
pub use shared_memory::{Purpose, SharedMemory};
pub use slots::Lane;
pub use trace::{ShownPlaces, gap_names, task_of};
pub use validate::validated;
pub use watched_roots::{keep_watched, set_watched, watched_roots};
pub use work::{Attempt, Bounds, Progress, Terms, Workshop};
