//! Errors of the engine.

use std::path::PathBuf;

use crate::written_names::{MissingMember, did_you_mean, or_listed};
use crate::{Hint, process_limits};

/// An error of the engine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading the repository failed.
    #[error(transparent)]
    Git(icr_git::Error),
    /// Reading or writing the store failed.
    #[error(transparent)]
    Store(icr_store::Error),
    /// Reading or writing the postings failed.
    #[error(transparent)]
    Lexical(icr_lexical::Error),
    /// Reading or writing the vectors failed.
    #[error(transparent)]
    Vector(icr_vector::Error),
    /// A model failed.
    #[error(transparent)]
    Embed(icr_embed::Error),
    /// Reading or writing pins or memories failed.
    #[error(transparent)]
    Memory(#[from] icr_memory::Error),
    /// This clone has no pin of that id.
    #[error("there is no pin `{source_id}`")]
    NoSuchPin {
        /// What was asked for.
        source_id: String,
        /// Similar ids.
        similar: Vec<String>,
    },
    /// A directory, where only files can be pinned.
    #[error("`{path}` is a directory; only files can be pinned")]
    Directory {
        /// The path asked for.
        path: String,
        /// Some of the files below it.
        files: Vec<String>,
    },
    /// The path is that of a directory, where a file was wanted.
    #[error("`{path}` is a directory; name a file")]
    NotAFile {
        /// The path asked for.
        path: String,
        /// Some of the files in it.
        files: Vec<String>,
    },
    /// The path does not lie below the root.
    #[error("`{path}` is not below the root of the repository")]
    OutsideRoot {
        /// The path asked for.
        path: String,
    },
    /// A pin or memory was to be written, but the engine is read-only.
    #[error("{what} is something to write, and this icr was told to write nothing")]
    ReadOnly {
        /// What was to be written.
        what: &'static str,
    },
    /// A search by vectors alone is impossible: vectors are switched off.
    #[error("a search in mode `semantic` needs vectors, and they are switched off")]
    NoVectors,
    /// A request for a pack or something similar is out of bounds.
    #[error(transparent)]
    Pack(icr_pack::Error),
    /// The path is not in the view, or icr does not read it.
    #[error("`{path}` is not in the view of {view}")]
    NoSuchFile {
        /// The path asked for.
        path: String,
        /// The view asked.
        view: String,
        /// Paths with the same ending.
        similar: Vec<String>,
    },
    /// The path is in the view's tree, and its object is missing or corrupt.
    #[error("`{path}` cannot be read: {}", .source)]
    Object {
        /// The path asked for.
        path: String,
        /// Which object, and what is wrong with it.
        source: icr_git::Error,
    },
    /// The path is on the list of secrets, which are never read.
    #[error("`{path}` is on the list of secret files, which icr never reads")]
    Secret {
        /// The path asked for.
        path: String,
    },
    /// The file has no text.
    #[error("`{path}` has no text: {why}")]
    NotText {
        /// The path asked for.
        path: String,
        /// Why.
        why: String,
    },
    /// The file has no such definition.
    #[error("`{path}` defines no `{symbol}`")]
    NoSuchSymbol {
        /// The path asked for.
        path: String,
        /// The symbol asked for.
        symbol: String,
        /// Similar names, of the file if it has some.
        similar: Vec<String>,
        /// Other files that define exactly that symbol.
        defined_in: Vec<String>,
    },
    /// The type has no such member, nor inherits one.
    #[error("{0}")]
    NoSuchMember(Box<MissingMember>),
    /// A path was given where the name of a definition belongs.
    #[error("`{path}` is a file, not a definition")]
    PathForSymbol {
        /// The path.
        path: String,
        /// The first of its definitions.
        definitions: Vec<String>,
    },
    /// The name of a definition was given where a path belongs.
    #[error("`{symbol}` is a definition, not a file")]
    SymbolForPath {
        /// The name.
        symbol: String,
        /// Files that define it.
        defined_in: Vec<String>,
    },
    /// Nothing in the view has that name.
    #[error("no file in the view of {view} defines `{symbol}`")]
    NoDefinition {
        /// The symbol asked for.
        symbol: String,
        /// The view asked.
        view: String,
        /// Similar names.
        similar: Vec<String>,
    },
    /// Too many files define the name to search for references to each.
    #[error(
        "`{symbol}` is defined in {files} files; references are looked for where at most {} define it",
        crate::references::DEFINERS
    )]
    TooManyDefiners {
        /// The symbol asked for.
        symbol: String,
        /// Files that define it.
        files: usize,
        /// Some of them.
        some: Vec<String>,
    },
    /// Lines outside of the file, or in the wrong order.
    #[error("{}", lines_wanted(path, *start, *end, *lines_total))]
    NoSuchLines {
        /// The path asked for.
        path: String,
        /// First line asked for.
        start: u32,
        /// Last line asked for.
        end: u32,
        /// Lines of the file.
        lines_total: u32,
    },
    /// The file was edited after the snapshot was taken.
    #[error("`{path}` was changed while it was being read")]
    Changed {
        /// The path.
        path: String,
    },
    /// The time that was given for the answer is over.
    #[error("the time limit for the answer has passed")]
    TimedOut,
    /// The answer was cancelled.
    #[error("the question was cancelled")]
    Cancelled,
    /// The view changed while the question was answered.
    #[error("the repository changed while the question was being answered")]
    Moved,
    /// The pattern is no regular expression.
    #[error("`{pattern}` is not a regular expression: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What the parser said.
        reason: String,
    },
    /// An argument is outside its bounds.
    #[error("{field} must be {allowed}, not `{value}`")]
    Bounds {
        /// Name of the argument.
        field: &'static str,
        /// What is allowed.
        allowed: String,
        /// What was given.
        value: String,
    },
    /// The text is no valid patch, or does not apply here.
    #[error("the patch does not apply: {reason}")]
    Patch {
        /// What is wrong.
        reason: String,
        /// What would be right.
        hint: Hint,
    },
    /// There is no base to compare with, or it cannot be determined.
    #[error("cannot compare: {reason}")]
    NoBase {
        /// Why.
        reason: String,
        /// What would help.
        hint: Hint,
    },
    /// A named commit is missing from this shallow clone.
    #[error("cannot compare: the clone is shallow, so `{range}` may lie beyond its cut: {}", .source)]
    BeyondCut {
        /// The revision as given.
        range: String,
        /// The error, which names the missing object.
        source: icr_git::Error,
    },
    /// A side of a range is invalid.
    #[error("`{range}`: {}", .source)]
    Range {
        /// The range as given.
        range: String,
        /// What is wrong with it.
        source: icr_git::Error,
    },
    /// The operating system refused something.
    #[error("{doing} `{}`", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

/// Why the requested lines are invalid.
fn lines_wanted(path: &str, start: u32, end: u32, lines_total: u32) -> String {
    match start {
        0 => format!("lines of `{path}` are counted from 1, not from 0"),
        _ if end < start => format!("lines {start} to {end} of `{path}` end before they begin"),
        _ => format!("`{path}` has no line {start}: it has {lines_total}"),
    }
}

impl Error {
    /// A stable error code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Git(error) => git_code(error),
            Self::Store(icr_store::Error::Busy) | Self::Lexical(icr_lexical::Error::Busy) => "BUSY",
            Self::Memory(error) => memory_code(error),
            Self::ReadOnly { .. } => "READ_ONLY",
            Self::Store(icr_store::Error::ReadOnly { .. }) => "STORE_READ_ONLY",
            Self::Store(icr_store::Error::Absent { .. }) => "NOT_INDEXED",
            Self::Store(icr_store::Error::Full { .. }) => "STORE_FULL",
            Self::Store(icr_store::Error::Damaged { .. })
            | Self::Lexical(icr_lexical::Error::Damaged { .. })
            | Self::Vector(icr_vector::Error::Damaged { .. }) => "STORE_DAMAGED",
            Self::Pack(_) | Self::Embed(icr_embed::Error::Setting { .. }) => "VALIDATION_ERROR",
            Self::Embed(icr_embed::Error::Remote { .. } | icr_embed::Error::Digest { .. }) => "NETWORK",
            Self::Embed(_) => "MODEL",
            Self::Changed { .. }
            | Self::Moved
            | Self::Store(icr_store::Error::Rewritten { .. })
            | Self::Vector(icr_vector::Error::Rewritten { .. }) => "CHANGED",
            Self::Vector(_) | Self::Store(_) | Self::Lexical(_) | Self::Io { .. } => "INTERNAL_ERROR",
            Self::NoSuchFile { .. }
            | Self::NoSuchSymbol { .. }
            | Self::NoDefinition { .. }
            | Self::NoSuchMember(_)
            | Self::PathForSymbol { .. }
            | Self::SymbolForPath { .. }
            | Self::NotAFile { .. }
            | Self::NoSuchPin { .. } => "NOT_FOUND",
            Self::Secret { .. } => "SECRET",
            Self::Patch { .. } => "PATCH_DOES_NOT_APPLY",
            Self::NoBase { .. } | Self::BeyondCut { .. } => "NO_BASE",
            Self::Range { source, .. } | Self::Object { source, .. } => git_code(source),
            Self::TimedOut => "TIMEOUT",
            Self::Cancelled => "CANCELLED",
            Self::NotText { .. } => "NOT_TEXT",
            Self::NoVectors | Self::Directory { .. } | Self::OutsideRoot { .. } => "VALIDATION_ERROR",
            Self::NoSuchLines { .. } | Self::Pattern { .. } | Self::Bounds { .. } | Self::TooManyDefiners { .. } => {
                "VALIDATION_ERROR"
            }
        }
    }

    /// What to do about it.
    pub fn hints(&self) -> Vec<Hint> {
        match self {
            Self::Git(error) | Self::Range { source: error, .. } | Self::Object { source: error, .. } => {
                git_hints(error)
            }
            Self::Patch { hint, .. } | Self::NoBase { hint, .. } => vec![hint.clone()],
            Self::BeyondCut { .. } => vec![crate::change::DEEPEN.into()],
            Self::NoSuchSymbol { symbol, defined_in, .. } if !defined_in.is_empty() => {
                vec![format!("`{symbol}` is defined in {}", first_of(defined_in, PLACES_NAMED)).into()]
            }
            Self::NoSuchFile { similar, .. }
            | Self::NoSuchSymbol { similar, .. }
            | Self::NoDefinition { similar, .. }
            | Self::NoSuchPin { similar, .. }
                if !similar.is_empty() =>
            {
                did_you_mean(similar).into_iter().map(Hint::Sentence).collect()
            }
            Self::NoSuchMember(missing) => missing.hints().into_iter().map(Hint::Sentence).collect(),
            Self::PathForSymbol { definitions, .. } if !definitions.is_empty() => {
                let names = or_listed(definitions).unwrap_or_default();
                vec![format!("name one of its definitions, such as {names}").into()]
            }
            Self::SymbolForPath { defined_in, .. } => {
                vec![format!("it is in {}", first_of(defined_in, PLACES_NAMED)).into()]
            }
            Self::NotAFile { files, .. } => {
                vec![format!("name a file, for example {}", Hint::alternatives(files)).into()]
            }
            Self::NoSuchPin { .. } => vec![Hint::ListPins],
            Self::TooManyDefiners { some, .. } => {
                vec![Hint::NameDefiningFile(some.clone())]
            }
            Self::TimedOut => vec!["ask about less, such as fewer commits or files".into()],
            Self::Directory { files, .. } => {
                vec![format!("pin the files that matter, for example {}", Hint::alternatives(files)).into()]
            }
            Self::Memory(error) => memory_hints(error),
            Self::NoSuchFile { .. } | Self::OutsideRoot { .. } => {
                vec![Hint::ListFiles]
            }
            Self::Store(icr_store::Error::Busy) | Self::Lexical(icr_lexical::Error::Busy) => {
                vec!["try again when it is done; queries are answered meanwhile".into()]
            }
            Self::Store(icr_store::Error::ReadOnly { .. }) => {
                vec!["set ICR_HOME to a directory that you can write".into()]
            }
            Self::Store(icr_store::Error::Absent { .. }) => vec![Hint::IndexFirst],
            Self::Store(icr_store::Error::Full { .. }) => {
                limits_or("free some space, or set ICR_HOME to a directory on another disk; nothing was lost")
            }
            Self::Store(icr_store::Error::Damaged { .. })
            | Self::Lexical(icr_lexical::Error::Damaged { .. })
            | Self::Vector(icr_vector::Error::Damaged { .. }) => {
                vec![Hint::DeriveAgain]
            }
            Self::Store(icr_store::Error::Io { .. } | icr_store::Error::Internal { .. })
            | Self::Lexical(icr_lexical::Error::Internal { .. })
            | Self::Vector(icr_vector::Error::Internal { .. }) => limits_or(
                "the store needs a directory that you can write, with space left: set ICR_HOME to one; what is published already is not lost",
            ),
            Self::Changed { .. }
            | Self::Moved
            | Self::Store(icr_store::Error::Rewritten { .. })
            | Self::Vector(icr_vector::Error::Rewritten { .. }) => vec!["ask again".into()],
            Self::NoVectors => vec![Hint::SwitchVectorsOn],
            _ => Vec::new(),
        }
    }

    /// The hints in the words of the command line.
    pub fn command_line_hints(&self) -> Vec<String> {
        self.hints().iter().map(Hint::on_command_line).collect()
    }

    /// Whether the store contradicts itself, so that a rebuild is the remedy.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Store(icr_store::Error::Damaged { .. })
                | Self::Lexical(icr_lexical::Error::Damaged { .. })
                | Self::Vector(icr_vector::Error::Damaged { .. })
        )
    }

    /// Whether an unlocked store was rewritten during the read.
    pub(crate) fn is_rewriting(&self) -> bool {
        matches!(
            self,
            Self::Store(icr_store::Error::Rewritten { .. }) | Self::Vector(icr_vector::Error::Rewritten { .. })
        )
    }

    /// Whether the store does not exist, or is being rebuilt.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, Self::Store(icr_store::Error::Absent { .. }))
    }

    /// Whether another process holds the store.
    pub fn is_busy(&self) -> bool {
        self.code() == "BUSY"
    }
}

impl From<icr_git::Error> for Error {
    fn from(error: icr_git::Error) -> Self {
        match error {
            icr_git::Error::Interrupted => Self::TimedOut,
            error => Self::Git(error),
        }
    }
}

impl From<icr_pack::Error> for Error {
    fn from(error: icr_pack::Error) -> Self {
        match error {
            icr_pack::Error::OutOfTime => Self::TimedOut,
            error @ icr_pack::Error::Invalid { .. } => Self::Pack(error),
        }
    }
}

impl From<icr_store::Error> for Error {
    fn from(error: icr_store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<icr_lexical::Error> for Error {
    fn from(error: icr_lexical::Error) -> Self {
        match error {
            // A full disk is the same error for the caller, whichever part of the store met it.
            icr_lexical::Error::Full { path } => Self::Store(icr_store::Error::Full { path }),
            error => Self::Lexical(error),
        }
    }
}

impl From<icr_vector::Error> for Error {
    fn from(error: icr_vector::Error) -> Self {
        match error {
            icr_vector::Error::Full { path } => Self::Store(icr_store::Error::Full { path }),
            error => Self::Vector(error),
        }
    }
}

impl From<icr_embed::Error> for Error {
    fn from(error: icr_embed::Error) -> Self {
        Self::Embed(error)
    }
}

impl From<icr_compute::Error> for Error {
    fn from(error: icr_compute::Error) -> Self {
        match error {
            icr_compute::Error::Git(error) => error.into(),
            icr_compute::Error::Store(error) => Self::Store(error),
            icr_compute::Error::Lexical(error) => error.into(),
        }
    }
}

impl From<icr_ingest::Error> for Error {
    fn from(error: icr_ingest::Error) -> Self {
        match error {
            icr_ingest::Error::Compute(error) => error.into(),
            icr_ingest::Error::Git(error) => error.into(),
            icr_ingest::Error::Store(error) => Self::Store(error),
            icr_ingest::Error::Lexical(error) => error.into(),
            icr_ingest::Error::Vector(error) => error.into(),
            icr_ingest::Error::Embed(error) => error.into(),
        }
    }
}

impl From<icr_view::Error> for Error {
    fn from(error: icr_view::Error) -> Self {
        match error {
            icr_view::Error::Git(error) => error.into(),
            icr_view::Error::Store(error) => Self::Store(error),
            icr_view::Error::Lexical(error) => error.into(),
            icr_view::Error::Vector(error) => error.into(),
            icr_view::Error::Changed { path } => Self::Changed { path },
        }
    }
}

impl From<icr_db::Error> for Error {
    fn from(error: icr_db::Error) -> Self {
        match error {
            icr_db::Error::Source(error) => from_source(error),
            _ => Self::Moved,
        }
    }
}

/// The error behind a failed source of the query graph; it is always of this crate or of one below.
fn from_source(error: icr_db::SourceError) -> Error {
    let error = match error.downcast::<Error>() {
        Ok(error) => return *error,
        Err(error) => error,
    };
    let error = match error.downcast::<icr_view::Error>() {
        Ok(error) => return (*error).into(),
        Err(error) => error,
    };
    let error = match error.downcast::<icr_store::Error>() {
        Ok(error) => return Error::Store(*error),
        Err(error) => error,
    };
    let error = match error.downcast::<icr_compute::Error>() {
        Ok(error) => return (*error).into(),
        Err(error) => error,
    };
    match error.downcast::<icr_lexical::Error>() {
        Ok(error) => (*error).into(),
        Err(error) => unreachable!("the query graph reads a view only, not what failed with: {error}"),
    }
}

/// The process limits, which are the probable cause of the error; `hint` if there are none.
fn limits_or(hint: &str) -> Vec<Hint> {
    let limits = process_limits();
    if limits.is_empty() { vec![hint.into()] } else { limits.into_iter().map(Hint::Sentence).collect() }
}

/// Most files that a hint names.
const PLACES_NAMED: usize = 3;

/// The first `most` of `names`, and how many others there are.
fn first_of(names: &[String], most: usize) -> String {
    let shown: Vec<String> = names.iter().take(most).map(|name| format!("`{name}`")).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        others => format!("{} and {others} more", shown.join(", ")),
    }
}

fn memory_code(error: &icr_memory::Error) -> &'static str {
    use icr_memory::{DatabaseKind, Error};
    let of = |kind: &DatabaseKind, pins, memory| match kind {
        DatabaseKind::Pins => pins,
        DatabaseKind::Memory => memory,
    };
    match error {
        Error::Busy { .. } => "BUSY",
        Error::ReadOnly { .. } => "STORE_READ_ONLY",
        Error::Full { .. } => "STORE_FULL",
        Error::Damaged { kind, .. } => of(kind, "PINS_DAMAGED", "MEMORY_DAMAGED"),
        Error::Newer { kind, .. } | Error::Older { kind, .. } => of(kind, "PINS_VERSION", "MEMORY_VERSION"),
        Error::CutOff { kind, .. } => of(kind, "PINS_CUT_OFF", "MEMORY_CUT_OFF"),
        Error::TooMany { .. } | Error::Invalid { .. } => "VALIDATION_ERROR",
        Error::NotFound { .. } | Error::NothingToUndo => "NOT_FOUND",
        Error::ChangedSince { .. } => "CHANGED_SINCE",
        Error::Io { .. } | Error::Sqlite(_) | Error::Internal { .. } => "INTERNAL_ERROR",
    }
}

fn memory_hints(error: &icr_memory::Error) -> Vec<Hint> {
    use icr_memory::{DatabaseKind, Error};
    let hint = match error {
        Error::Busy { .. } => "try again",
        Error::ReadOnly { .. } => "set ICR_HOME to a directory that you can write",
        Error::Full { .. } => return limits_or("free some space; nothing was lost"),
        Error::Damaged { kind: DatabaseKind::Memory, .. } => return vec![Hint::SaveMemories],
        // An export has no pins.
        Error::Damaged { kind: DatabaseKind::Pins, .. } => {
            "icr never deletes it; move it away, and pin again what matters: its `.recover` in SQLite's own shell may list it"
        }
        Error::Newer { .. } => "use the newer icr that wrote it; nothing in it was touched",
        Error::Older { .. } | Error::CutOff { .. } => return vec![Hint::AskWriting],
        Error::TooMany { .. } => return vec![Hint::TakePinsAway],
        Error::Invalid { right, .. } => return vec![right.clone().into()],
        Error::NotFound { similar, .. } if !similar.is_empty() => {
            return did_you_mean(similar).into_iter().map(Hint::Sentence).collect();
        }
        Error::ChangedSince { by: Some(by), .. } => return vec![format!("undo operation {by} first").into()],
        Error::NotFound { .. }
        | Error::NothingToUndo
        | Error::ChangedSince { .. }
        | Error::Io { .. }
        | Error::Sqlite(_)
        | Error::Internal { .. } => {
            return Vec::new();
        }
    };
    vec![hint.into()]
}

fn git_code(error: &icr_git::Error) -> &'static str {
    match error {
        icr_git::Error::NotARepository { .. } => "NOT_A_REPOSITORY",
        icr_git::Error::UnknownRevision { .. }
        | icr_git::Error::ReflogTime { .. }
        | icr_git::Error::MessagePattern { .. } => "UNKNOWN_REVISION",
        icr_git::Error::AmbiguousRevision { .. } => "AMBIGUOUS_REVISION",
        icr_git::Error::NotACommit { .. } => "NOT_A_COMMIT",
        icr_git::Error::MissingObject { .. } => "MISSING_OBJECT",
        icr_git::Error::CorruptObject { .. } => "CORRUPT_OBJECT",
        icr_git::Error::TreeTooLarge { .. } => "TREE_TOO_LARGE",
        icr_git::Error::Unsupported { .. } => "UNSUPPORTED_REPOSITORY",
        icr_git::Error::GitDirectoryAmongFiles { .. }
        | icr_git::Error::UnlinkedGitDirectory { .. }
        | icr_git::Error::ForeignWorktree { .. }
        | icr_git::Error::OtherOwner { .. } => "UNSAFE_REPOSITORY",
        icr_git::Error::Open { .. }
        | icr_git::Error::WorktreeMissing { .. }
        | icr_git::Error::PackedRefs { .. }
        | icr_git::Error::GitFile { .. }
        | icr_git::Error::Index { .. }
        | icr_git::Error::IndexMissing { .. } => "BROKEN_REPOSITORY",
        icr_git::Error::Refused { .. } | icr_git::Error::ExternalFilter { .. } => "REFUSED",
        _ => "GIT_ERROR",
    }
}

/// A placeholder where the error concerns a commit and not a file or directory.
fn commit_instead(revision: &str, object: &str) -> Hint {
    match revision.split_once(':') {
        Some((commit, path)) if !commit.is_empty() && !path.is_empty() && object == "file" => {
            Hint::ReadFileAt { path: path.to_owned(), commit: commit.to_owned() }
        }
        Some((commit, path)) if !commit.is_empty() && !path.is_empty() => {
            format!("name the commit as the revision, `{commit}`, and the directory as a path, `{path}`").into()
        }
        _ => match revision.strip_suffix("^{tree}") {
            Some(commit) => format!("name the commit: `{commit}`").into(),
            None => "name a commit, a branch or a tag, and give the path by itself".into(),
        },
    }
}

fn git_hints(error: &icr_git::Error) -> Vec<Hint> {
    let hint = match error {
        icr_git::Error::NotARepository { .. } => return vec![Hint::NameRepository],
        icr_git::Error::UnknownRevision { similar, .. } if !similar.is_empty() => {
            return did_you_mean(similar).into_iter().map(Hint::Sentence).collect();
        }
        icr_git::Error::UnknownRevision { .. } => "`git log --oneline --all` lists what there is",
        icr_git::Error::ReflogTime { .. } => {
            "icr reads numbers, `2026-01-31`, `2026-01-31 10:00`, `2026-01-31 10:00:00 +0100`, `31 Jan 2026`, `2.days.ago`, `last friday`, `yesterday 10:00`, `noon`, `midnight` and `now`; of an hour that exists twice, give the zone"
        }
        icr_git::Error::MessagePattern { .. } => {
            "extended regular expressions have `.`, `*`, `+`, `?`, `{2,5}`, `|`, `( )`, `[a-z]`, `^` and `$`; a digit is `[0-9]`, and `\\` takes the meaning of a sign away"
        }
        icr_git::Error::AmbiguousRevision { .. } => "give more digits of the id",
        icr_git::Error::MissingObject { .. } => {
            "a partial clone fetches objects when git asks for them: `git checkout` or `git fetch --refetch` gets them; `git fsck` finds other damage"
        }
        icr_git::Error::NotACommit { revision, object } => return vec![commit_instead(revision, object)],
        icr_git::Error::GitDirectoryAmongFiles { git_dir, worktree } => {
            return vec![Hint::AskWorktree(worktree.clone()), Hint::NameGitDirectory(git_dir.clone())];
        }
        icr_git::Error::UnlinkedGitDirectory { .. } => {
            "`git worktree repair` mends a worktree that was moved; if it came with somebody else's files, leave it alone"
        }
        icr_git::Error::ForeignWorktree { .. } => {
            "if that is right, say so with GIT_WORK_TREE; else take `core.worktree` out of the repository's configuration"
        }
        icr_git::Error::WorktreeMissing { .. } => {
            "`core.worktree` and GIT_WORK_TREE name it: git takes `~` literally, and a relative `core.worktree` from the git directory on"
        }
        icr_git::Error::OtherOwner { path } => {
            let hint = format!(
                "if you trust it, list it as git demands: `git config --global --add safe.directory '{}'`",
                path.display()
            );
            return vec![hint.into()];
        }
        icr_git::Error::PackedRefs { .. } => {
            "git cannot read it either: take the line out, or write the refs anew from another clone"
        }
        icr_git::Error::Open { .. } => "`git status` there says what git makes of it",
        icr_git::Error::Index { .. } => {
            let subject = "`git status` says what is wrong with it; the last commit";
            return vec![Hint::AskCommitted { subject }];
        }
        icr_git::Error::CorruptObject { .. } => {
            "`git fsck` says what else is damaged; another clone may have the object"
        }
        icr_git::Error::TreeTooLarge { .. } => "other revisions can be asked; git could hardly check this one out",
        icr_git::Error::IndexMissing { .. } => "`git reset` writes a new index",
        icr_git::Error::ExternalFilter { .. } => return vec![Hint::AskCommitted { subject: "the committed version" }],
        _ => return Vec::new(),
    };
    vec![hint.into()]
}
