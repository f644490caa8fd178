//! Git hooks that keep the index fresh: which events count, putting scripts in without losing what is there, and running
//! what they call so that git never notices.
//!
//! A hook cannot break its host. The scripts return at once, but for that of pre-push, which waits for what icr tells of the
//! push; all are silent when icr is gone. [`is_due`] looks at files of the git directory only, and failures are lines of a
//! [`Journal`], never of a terminal.

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
