//! Watching a worktree and its git directory: what changed, in batches that have settled.
//!
//! Memory is bounded: of a batch with more paths than are kept, only that there were many is known. Nothing here
//! decides what a change means; whoever is called looks at the repository.

mod debounce;
mod error;
mod ignore_rules;
mod monitor;
#[cfg_attr(not(target_os = "linux"), path = "no_queue.rs")]
mod queue;
mod watch;
mod watch_lock;

pub use debounce::{Batch, Debouncer};
pub use error::Error;
pub use ignore_rules::IgnoreOptions;
pub use monitor::{Changes, Monitor, Names, Pass};
pub use watch::{SettledBatch, Stop, Watch, WatchEnd, WatchMode, WatchOptions};
pub use watch_lock::WatchLock;
