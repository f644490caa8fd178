//! What doors that live long share: repositories that stay open with their warm views, the first index of each, monitors of
//! worktrees, places for calls, deadlines, giving up, and the local [`socket`].
//!
//! A door (MCP, HTTP, an agent's hook) makes a [`Workshop`] and gives it jobs. A job asks [`Repositories`] for one of them, and
//! the [`Repository`] for a view; which words it is told in, and in which shape it is answered, is the door's.

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
pub use failure::{CallFailure, Code, Violation, shown_value, truncate_text};
pub use repositories::Repositories;
pub use repository::{STACK_BYTES, ServedRepository};
pub use run::{RunRequest, RunRules};
pub use shared_memory::{Purpose, SharedMemory};
pub use slots::Lane;
pub use trace::{ShownPlaces, gap_names, task_of};
pub use validate::validated;
pub use watched_roots::{keep_watched, set_watched, watched_roots};
pub use work::{Attempt, Bounds, Progress, Terms, Workshop};
