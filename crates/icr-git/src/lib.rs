//! From a git repository to views, tree diffs, overlays, commit facts and blob bytes.
//!
//! The only crate that knows gix. Nothing here writes into an object database or a worktree, and nothing runs another
//! program: no filter driver, hook, file system monitor, text conversion or transport, whatever the repository's
//! configuration says.

mod alternates;
mod ancestry;
mod blob;
mod change;
mod clone_file;
mod config_includes;
mod contained_file;
mod convert;
mod error;
mod first_parents;
mod format;
#[doc(hidden)]
pub mod fuzzing;
mod git_dir;
mod git_files;
mod history;
mod ignore_rules;
mod index;
mod index_paths;
mod interrupt;
mod known_trees;
mod line_hunks;
mod lineage;
mod links;
mod message_pattern;
mod named_refs;
mod object;
mod overlay;
mod packed_refs;
mod policy;
mod range;
mod reachable;
mod reflog;
mod rename;
mod repo_id;
mod repository;
mod revision;
mod revision_steps;
mod rule_file;
mod secret;
mod staged;
mod tips;
mod tree;
mod tree_bounds;
mod tree_names;
mod untracked;
mod worktree;
mod written_time;

pub use ancestry::{Ancestry, MergeBase};
pub use blob::BlobReader;
pub use change::FileDiff;
pub use clone_file::{MAX_CLONE_FILE_BYTES, read_clone_file};
pub use error::Error;
pub use first_parents::{FirstParents, LineEnd};
pub use history::{ChangeKind, CommitFacts, FileChange, History, HistoryEntry, KnownCommit};
pub use interrupt::interruptible;
pub use line_hunks::{LineHunk, line_hunks};
pub use links::{LinkChange, LinkKind};
pub use named_refs::{NamedRef, RefKind};
pub use overlay::{Follow, Names, Overlay, OverlayEntry, OverlayState, UnreadFile, UnreadReason};
pub use policy::{DEFAULT_MAX_FILE_BYTES, Membership, Policy, PolicyOptions, names_every_file};
pub use range::{Dots, RangeError, RangeSide, RevisionOrRange, RevisionRange};
pub use rename::pair_renames;
pub use repo_id::{RecordedClone, clone_id_at};
pub use repository::{HashKind, Repository, is_marked_as_repository};
pub use revision::{Revision, Root};
pub use tree::{FileKind, TreeChange, TreeFile};
pub use worktree::WorktreeReader;
