//! Watching a worktree and its git directory: what changed, in batches that have settled.
//!
//! Memory is bounded: of a batch with more paths than are kept, only that there were many is known. Nothing here
//! decides what a change means; whoever is called looks at the repository.

mod alone;
mod debounce;
mod error;
mod ignored;
mod monitor;
#[cfg_attr(not(target_os = "linux"), path = "no_queue.rs")]
mod queue;
mod watch;

pub use alone::Alone;
pub use debounce::{Batch, Debouncer};
pub use error::Error;
pub use ignored::IgnoreOptions;
pub use monitor::{Changes, Monitor, Names, Pass};
pub use watch::{Ended, Settled, Stop, Watch, WatchOptions, Way};
