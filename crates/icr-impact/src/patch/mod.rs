//! Unified diffs as git writes them: reading them, and applying them to contents.
//!
//! Pure: [`parse`] takes the text of a diff and [`apply`] the content of one side of a file. Both take time linear in
//! what they are given.

mod apply;
mod colour;
mod cursor;
mod error;
mod file;
mod hunk;
mod hunk_placement;
mod line_changes;
mod names;
mod parse;

#[cfg(test)]
mod apply_tests;
#[cfg(test)]
mod git_tests;
#[cfg(test)]
mod parse_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod testing;

pub use apply::{Direction, apply};
pub use error::Error;
pub use file::FilePatch;
pub use hunk::{Hunk, HunkLine, HunkLineIterator, LineKind};
pub use line_changes::{LineChanges, changed_lines};
pub use parse::parse;
