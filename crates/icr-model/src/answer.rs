//! What every answer says of itself: where it was computed, and what it lacks.

use serde::Serialize;

/// What an answer lacks, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "gap", rename_all = "snake_case")]
pub enum Gap {
    /// Files of the view whose blobs are not indexed yet.
    Unindexed {
        /// How many.
        files: u64,
    },
    /// Changed files whose attributes name an external filter driver; icr runs none and reads no such file.
    ExternalFilter {
        /// How many.
        files: u64,
    },
    /// Objects that the repository names but does not have: a partial clone, or damage.
    MissingObject {
        /// How many blobs.
        objects: u64,
    },
    /// Files that git or icr could not read.
    Unreadable {
        /// How many.
        files: u64,
    },
    /// Files above the size limit.
    Oversize {
        /// How many.
        files: u64,
    },
    /// Paths of a merge in progress that have no single content.
    Conflicted {
        /// How many.
        files: u64,
    },
    /// History is cut off: the clone is shallow.
    ShallowHistory,
    /// A manifest that says how modules are named does not parse, so what it would explain is unresolved.
    UnreadableManifest {
        /// Its path.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A walk over the graph was stopped: the level has more files than are followed.
    StoppedWalk {
        /// Steps from where the walk began, 1 for direct neighbours.
        level: u32,
        /// Files of the level that were followed.
        followed: u64,
        /// Files of the level that there are.
        files: u64,
    },
    /// Not everybody who refers to a definition was looked for: there were too many definitions, or a name is in so many
    /// files that it says nothing.
    StoppedReferences {
        /// Names of which only those files were looked at that import the definer.
        names: Vec<String>,
    },
    /// The threshold of warnings is the one that icr ships with: nobody has worked out the repository's own.
    Uncalibrated,
    /// No vectors were asked for, so nothing is found by meaning.
    NoVectors,
    /// The model that the configuration names cannot run; the built-in one answers in its place.
    NoModel {
        /// Its name.
        model: String,
        /// Why not, and what would be right.
        reason: String,
    },
    /// The model has not read all that was looked at.
    NotEmbedded {
        /// Its name.
        model: String,
        /// Chunks among those looked at that it has not read.
        chunks: u64,
        /// Chunks looked at.
        looked_at: u64,
    },
    /// Near vectors were found by trees, which may miss some.
    Approximate,
    /// There are no transcripts to search: nobody said where they are.
    NoTranscripts,
    /// The store could not be written, so the next question does the same work again.
    ReadOnlyStore,
}

/// Where an answer was computed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// 16 hexadecimal digits, equal for all worktrees and clones of one repository.
    pub repo_id: String,
    /// Tree id of the committed part of the view; `None` for an unborn HEAD.
    pub tree: Option<String>,
    /// Commit of that tree, where the view was named by one.
    pub commit: Option<String>,
    /// Changed, added and deleted files of the worktree that the view adds to the tree.
    pub dirty: u64,
    /// What the answer lacks; empty when nothing.
    pub gaps: Vec<Gap>,
}
