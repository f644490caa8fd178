//! What can go wrong between a path on disk and a blob.

use std::path::PathBuf;

use icr_model::RepoPath;

/// Any failure of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither the path nor a directory above it holds a repository.
    #[error("`{}` is not inside a git repository", .path.display())]
    NotARepository {
        /// Where the search began.
        path: PathBuf,
    },
    /// The repository uses a format that icr cannot read.
    #[error("the repository `{}` uses `{feature}`, which icr cannot read", .path.display())]
    Unsupported {
        /// Where the search began.
        path: PathBuf,
        /// The extension, as `key=value` of the repository's configuration.
        feature: String,
    },
    /// There is a repository, but it cannot be opened.
    #[error("the repository at `{}` cannot be opened", .path.display())]
    Open {
        /// Where the search began.
        path: PathBuf,
        /// What git's format says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The git directory may have been committed by whoever wrote the files around it.
    #[error("`{}` looks like a git directory, and lies among the files of the worktree `{}`", .git_dir.display(), .worktree.display())]
    GitDirectoryAmongFiles {
        /// The git directory.
        git_dir: PathBuf,
        /// Root of the worktree among whose files it lies.
        worktree: PathBuf,
    },
    /// A git directory says that it belongs to a linked worktree, which does not name it, or to a repository that does not
    /// hold it.
    #[error("the git directory `{}` and the worktree that it names do not belong to each other", .git_dir.display())]
    UnlinkedGitDirectory {
        /// The git directory.
        git_dir: PathBuf,
        /// The `.git` that it names as its worktree's, if it names one.
        worktree: Option<PathBuf>,
    },
    /// The configuration of a repository names a directory elsewhere as its worktree.
    #[error("the git directory `{}` names `{}` as its worktree, which does not belong to it", .git_dir.display(), .worktree.display())]
    ForeignWorktree {
        /// The git directory.
        git_dir: PathBuf,
        /// What it names.
        worktree: PathBuf,
    },
    /// The configuration of a repository, or the environment, names a worktree that is not there.
    #[error("the worktree `{}` of the git directory `{}` is not there", .worktree.display(), .git_dir.display())]
    WorktreeMissing {
        /// The git directory.
        git_dir: PathBuf,
        /// What it is said to have.
        worktree: PathBuf,
    },
    /// Another user owns the repository, and the configuration of this one does not list it as safe.
    #[error("the repository `{}` belongs to another user", .path.display())]
    OtherOwner {
        /// Its worktree, or the git directory of a bare one.
        path: PathBuf,
    },
    /// A line of the file of packed refs is no ref, so that nobody knows which histories there are.
    #[error("`{}` cannot be read: line {line} is no ref", .path.display())]
    PackedRefs {
        /// Where git keeps it.
        path: PathBuf,
        /// Number of the line, from 1. What it says is not told: the file may be a link to one of somebody else.
        line: usize,
    },
    /// A file of a git directory is none of git's.
    #[error("`{}` {reason}", .path.display())]
    GitFile {
        /// The file.
        path: PathBuf,
        /// What it is or is not, as the rest of the sentence.
        reason: &'static str,
    },
    /// No object has this name.
    #[error("revision `{revision}` not found")]
    UnknownRevision {
        /// As given.
        revision: String,
        /// Up to three names of branches and tags that are written like it, nearest first.
        similar: Vec<String>,
    },
    /// Several objects have ids that begin like this.
    #[error("revision `{revision}` is the beginning of several object ids")]
    AmbiguousRevision {
        /// As given.
        revision: String,
    },
    /// The name is that of a file or of a directory, whose paths would not be those of the repository: what is secret by
    /// its path would be so no more.
    #[error("revision `{revision}` names a {object}, not a commit")]
    NotACommit {
        /// As given.
        revision: String,
        /// What it names: `file` or `directory`.
        object: &'static str,
    },
    /// Nobody waits for the result any more.
    #[error("the work was given up")]
    Interrupted,
    /// The repository does not have the object: a partial or shallow clone, or damage.
    #[error("object `{id}` is missing from the repository")]
    MissingObject {
        /// Hexadecimal object id.
        id: String,
    },
    /// The object is there and cannot be decoded.
    #[error("object `{id}` is corrupt")]
    CorruptObject {
        /// Hexadecimal object id.
        id: String,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A tree is larger than any that people make.
    #[error("the tree `{id}` has more than {bound}")]
    TreeTooLarge {
        /// Hexadecimal object id of the tree that was asked for.
        id: String,
        /// What it has too much of, with the bound.
        bound: &'static str,
    },
    /// There are commits but no index, so that every file would count as deleted.
    #[error("the index `{}` is missing; `git reset` restores it", .path.display())]
    IndexMissing {
        /// Where git keeps the index.
        path: PathBuf,
    },
    /// The index is there and cannot be decoded.
    #[error("the index `{}` cannot be read", .path.display())]
    Index {
        /// Where git keeps the index.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The repository is bare.
    #[error("the repository `{}` has no worktree", .git_dir.display())]
    NoWorktree {
        /// The git directory.
        git_dir: PathBuf,
    },
    /// The path must not be read from the worktree.
    #[error("`{path}` cannot be read from the worktree: {reason}")]
    Refused {
        /// As given.
        path: RepoPath,
        /// Why, to complete the sentence.
        reason: &'static str,
    },
    /// The file on disk is larger than the caller allows.
    #[error("`{path}` has more than {max_bytes} bytes")]
    Oversize {
        /// As given.
        path: RepoPath,
        /// As given.
        max_bytes: u64,
    },
    /// The content on disk is what an external program made of the real one, or the reverse; icr runs none.
    #[error("`{path}` passes through the external filter `{driver}`, which icr does not run")]
    ExternalFilter {
        /// As given.
        path: RepoPath,
        /// Name of the filter driver, from the attributes.
        driver: String,
    },
    /// Git's conversion of the file for storage fails, as `git add` would.
    #[error("`{path}` cannot be converted as its attributes say")]
    Unconvertible {
        /// As given.
        path: RepoPath,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Bytes were made to have the same id as others; git refuses them too.
    #[error("the content is an attack on SHA-1 and has no id")]
    Collision {
        /// What was found.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file of the worktree or of the git directory cannot be read or written.
    #[error("`{}` cannot be read or written", .path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Something that the caller cannot act on.
    #[error("{doing}")]
    Internal {
        /// What icr was doing.
        doing: &'static str,
        /// Why it failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Whether a tree is too large to be looked into, which says nothing of other trees.
    pub(crate) fn is_too_large(&self) -> bool {
        matches!(self, Self::TreeTooLarge { .. })
    }

    /// Whether the object is not there at all, as in a partial clone; a damaged one is another thing.
    pub fn is_missing_object(&self) -> bool {
        matches!(self, Self::MissingObject { .. })
    }
}

/// Gives an error of gix the words for what icr was doing.
pub(crate) fn internal<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    doing: &'static str,
) -> impl FnOnce(E) -> Error {
    move |source| Error::Internal { doing, source: source.into() }
}
