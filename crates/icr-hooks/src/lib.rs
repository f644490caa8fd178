//! Git hooks that keep the index fresh: which events matter, installing scripts without losing existing hooks, and
//! running what the scripts call without disturbing git.
//!
//! A hook must never break a git command. The scripts return at once, except for that of pre-push, which waits for
//! icr's report about the push. All are silent if icr is gone. [`is_due`] reads only files of the git directory, and
//! failures are written to a [`Journal`], never to a terminal.

mod detached;
mod due;
mod error;
mod event;
mod hooks_place;
mod install;
mod journal;
mod managers;
mod pause;
mod report;
mod script;
mod slot;
mod uninstall;

pub use detached::{DetachedProgram, leave_session};
pub use due::is_due;
pub use error::Error;
pub use event::{EVENTS, HookEvent, event};
pub use hooks_place::{HooksPlace, HooksReach};
pub use install::{InstallRequest, install};
pub use journal::Journal;
pub use pause::{begins_rebase, pause, resume, resume_after_rebase};
pub use report::{Advice, EventReport, HookState, HooksReport, status};
pub use uninstall::uninstall;
