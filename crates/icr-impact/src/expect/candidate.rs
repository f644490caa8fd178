//! A change and the files that may belong to it, in plain numbers.

use icr_history::{ChangeSummary, HistoryEvidence};
use icr_model::RepoPath;

use super::MentionedWords;

/// A change whose other files are looked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diff {
    /// Files of the change, including new ones, each once, by their paths before the change, which the history knows.
    pub files: Vec<DiffFile>,
    /// Evidence from history about all files of the change together.
    pub history: ChangeSummary,
}

/// A file of a [`Diff`].
#[derive(Debug, Clone, PartialEq)]
pub struct DiffFile {
    /// Path.
    pub path: RepoPath,
    /// Commits that changed it; 0 for one that the history does not know.
    pub commits: u32,
    /// Number of those commits that changed no other file.
    pub alone: u32,
    /// Mean over its commits of one divided by the files of the commit, in `0.0..=1.0`; 0 without commits.
    pub focus: f64,
}

impl DiffFile {
    /// A file that the history does not know.
    pub fn new(path: RepoPath) -> Self {
        Self { path, commits: 0, alone: 0, focus: 0.0 }
    }
}

/// A file that may belong to a [`Diff`].
#[derive(Debug, Clone, PartialEq)]
pub struct DiffCandidate {
    /// Path.
    pub path: RepoPath,
    /// Evidence from history; it refers to files of the change by their indices in [`Diff::files`]. `None` if no
    /// counted commit changed the file.
    pub history: Option<HistoryEvidence>,
    /// A file of the change imports it: the import with the smallest fan-in.
    pub import_forward: Option<Import>,
    /// It imports a file of the change: the import with the smallest fan-in.
    pub import_backward: Option<Import>,
    /// References from this file to a file of the change; of several, the one with the largest share of the references
    /// to that file.
    pub refers: Option<References>,
    /// A file of the change refers to it: the file that makes the largest share of its references there.
    pub referred: Option<References>,
    /// Rare words of the change's lines that it mentions; `None` for none, and where nobody looked.
    pub words: Option<MentionedWords>,
}

impl DiffCandidate {
    /// A file of which nothing is known but its path.
    pub fn new(path: RepoPath) -> Self {
        Self {
            path,
            history: None,
            import_forward: None,
            import_backward: None,
            refers: None,
            referred: None,
            words: None,
        }
    }
}

/// An import between a file of the change and another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import {
    /// Index of the changed file in [`Diff::files`].
    pub file: usize,
    /// Files that import the imported one.
    pub fan_in: u32,
}

/// References between a file of the change and another file. The shipped weights were fitted with references of whole
/// files, as `graph --refs` counts them. References to the changed definitions alone are stronger evidence of the same
/// kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct References {
    /// Index of the changed file in [`Diff::files`].
    pub file: usize,
    /// Number of references.
    pub count: u32,
    /// Weight of these references, divided by that of all references into the changed file (for
    /// [`DiffCandidate::refers`]) or out of it (for [`DiffCandidate::referred`]), in `0.0..=1.0`.
    pub share: f64,
}
