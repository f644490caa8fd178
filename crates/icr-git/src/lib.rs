//! From a git repository to views, tree diffs, overlays, commit facts and blob bytes.
//!
//! The only crate that knows gix. Nothing here writes into an object database or a worktree, and nothing runs another
//! program: no filter driver, hook, file system monitor, text conversion or transport, whatever the repository's
//! configuration says.

mod blob;
mod convert;
mod error;
mod format;
mod history;
mod ignore_rules;
mod index;
mod names;
mod object;
mod overlay;
mod policy;
mod reachable;
mod rename;
mod repo_id;
mod repository;
mod revision;
mod secret;
mod tips;
mod tree;
mod untracked;
mod worktree;

pub use blob::BlobReader;
pub use error::Error;
pub use history::{ChangeKind, CommitFacts, FileChange, History, HistoryEntry, KnownCommit};
pub use overlay::{Overlay, OverlayEntry, OverlayState};
pub use policy::{DEFAULT_MAX_FILE_BYTES, Membership, Policy, PolicyOptions};
pub use repository::{HashKind, Repository};
pub use revision::{Revision, Root};
pub use tree::{FileKind, TreeChange, TreeFile};
pub use worktree::WorktreeReader;
