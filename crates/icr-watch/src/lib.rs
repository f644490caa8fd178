//! Watches a worktree and its git directory, and delivers changes in batches after they have settled.
//!
//! Memory is bounded: if a batch has more paths than the limit, it only records that there were more. This crate does
//! not interpret changes; the callback checks the repository.

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
