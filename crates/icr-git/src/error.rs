//! Errors of this crate.

use std::borrow::Cow;
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
        /// Why it cannot be opened.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The git directory may have been committed by the author of the files around it.
    #[error("`{}` looks like a git directory, and lies among the files of the worktree `{}`", .git_dir.display(), .worktree.display())]
    GitDirectoryAmongFiles {
        /// The git directory.
        git_dir: PathBuf,
        /// Root of the worktree among whose files it lies.
        worktree: PathBuf,
    },
    /// A git directory of a linked worktree: the worktree does not name it back, or the repository that it names does
    /// not contain it.
    #[error("the git directory `{}` and the worktree that it names do not belong to each other", .git_dir.display())]
    UnlinkedGitDirectory {
        /// The git directory.
        git_dir: PathBuf,
        /// The `.git` of the worktree that it names, if it names one.
        worktree: Option<PathBuf>,
    },
    /// The configuration of a repository names a worktree that does not belong to it.
    #[error("the git directory `{}` names `{}` as its worktree, which does not belong to it", .git_dir.display(), .worktree.display())]
    ForeignWorktree {
        /// The git directory.
        git_dir: PathBuf,
        /// The worktree that it names.
        worktree: PathBuf,
    },
    /// The configuration of a repository, or the environment, names a worktree that does not exist.
    #[error("the worktree `{}` of the git directory `{}` is not there", .worktree.display(), .git_dir.display())]
    WorktreeMissing {
        /// The git directory.
        git_dir: PathBuf,
        /// The worktree that is named.
        worktree: PathBuf,
    },
    /// Another user owns the repository, and the configuration of the current user does not list it as safe.
    #[error("the repository `{}` belongs to another user", .path.display())]
    OtherOwner {
        /// Its worktree, or the git directory of a bare one.
        path: PathBuf,
    },
    /// A line of the packed-refs file is not a ref, so the set of histories is unknown.
    #[error("`{}` cannot be read: line {line} is not a ref with an id of the repository's hash function", .path.display())]
    PackedRefs {
        /// Path of the packed-refs file.
        path: PathBuf,
        /// Number of the line, from 1. Its text is not shown: the file may be a link to a file of somebody else.
        line: usize,
    },
    /// A file of a git directory is not what git writes there.
    #[error("`{}` {reason}", .path.display())]
    GitFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with the file; completes the sentence that begins with its path.
        reason: Cow<'static, str>,
    },
    /// No object has this name.
    #[error("revision `{revision}` not found")]
    UnknownRevision {
        /// The revision as typed.
        revision: String,
        /// Up to three similar names of branches and tags, nearest first.
        similar: Vec<String>,
    },
    /// The braces of a revision, as in `main@{yesterday}`, have no time that icr can read.
    #[error("`@{{{time}}}` is neither the number nor the time of an entry of a reflog")]
    ReflogTime {
        /// The text in the braces.
        time: String,
    },
    /// The pattern of a revision, as in `:/text`, has a part that means something else in git.
    #[error("git may read the pattern `{pattern}` in another way than icr")]
    MessagePattern {
        /// The pattern as typed.
        pattern: String,
    },
    /// Several objects have ids that begin with these digits.
    #[error("revision `{revision}` is the beginning of several object ids")]
    AmbiguousRevision {
        /// The revision as typed.
        revision: String,
    },
    /// The revision names a file or a directory, not a commit. Its paths would not be relative to the root, so files
    /// that are secret by their path would no longer be recognised.
    #[error("revision `{revision}` names a {object}, not a commit")]
    NotACommit {
        /// The revision as typed.
        revision: String,
        /// Kind of the named object: `file` or `directory`.
        object: &'static str,
    },
    /// The caller no longer waits for the result.
    #[error("the work was cancelled")]
    Interrupted,
    /// The object is not in the repository: a partial or shallow clone, or damage.
    #[error("object `{id}` is missing from the repository")]
    MissingObject {
        /// Hexadecimal object id.
        id: String,
    },
    /// The object exists but cannot be decoded.
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
        /// The bound that it exceeds.
        bound: &'static str,
    },
    /// There are commits but no index; every file would count as deleted.
    #[error("the index `{}` is missing; `git reset` restores it", .path.display())]
    IndexMissing {
        /// Path of the index.
        path: PathBuf,
    },
    /// The index exists but cannot be decoded.
    #[error("the index `{}` cannot be read", .path.display())]
    Index {
        /// Path of the index.
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
        /// The path as given.
        path: RepoPath,
        /// The reason; completes the sentence.
        reason: &'static str,
    },
    /// The file on disk is larger than the caller allows.
    #[error("`{path}` has more than {max_bytes} bytes")]
    Oversize {
        /// The path as given.
        path: RepoPath,
        /// The limit as given, in bytes.
        max_bytes: u64,
    },
    /// The content on disk was produced by an external filter program, or needs one; icr runs none.
    #[error("`{path}` passes through the external filter `{driver}`, which icr does not run")]
    ExternalFilter {
        /// The path as given.
        path: RepoPath,
        /// Name of the filter driver, from the attributes.
        driver: String,
    },
    /// Git cannot convert the file for storage; `git add` would fail too.
    #[error("`{path}` cannot be converted as its attributes say")]
    Unconvertible {
        /// The path as given.
        path: RepoPath,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Bytes were crafted to have the same id as others (a hash collision); git refuses them too.
    #[error("the content is an attack on SHA-1 and has no id")]
    Collision {
        /// The collision that was found.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file of the worktree or of the git directory cannot be read or written.
    #[error("`{}` cannot be read or written", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// An error that the caller cannot act on.
    #[error("{doing}")]
    Internal {
        /// What icr was doing.
        doing: &'static str,
        /// Why that failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Whether a tree is too large to be read. Other trees may still be readable.
    pub(crate) fn is_too_large(&self) -> bool {
        matches!(self, Self::TreeTooLarge { .. })
    }

    /// Whether the object is missing, as in a partial clone. A damaged object is not missing.
    pub fn is_missing_object(&self) -> bool {
        matches!(self, Self::MissingObject { .. })
    }
}

/// Wraps an error of gix; `doing` says what icr was doing.
pub(crate) fn internal<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    doing: &'static str,
) -> impl FnOnce(E) -> Error {
    move |source| Error::Internal { doing, source: source.into() }
}
