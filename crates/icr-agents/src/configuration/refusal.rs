//! Why a file is left as it is.

use std::path::PathBuf;

/// A place in a text, counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Position {
    /// That of the byte `at`.
    pub(crate) fn of(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}').chars().count() + 1;
        Self { line, column }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// Why a file of a host is left as it is. Nothing of it was written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The file is a link.
    #[error("it is a link to `{}`; edit that file by hand, or put a file in the link's place", .target.display())]
    Link {
        /// Where it points.
        target: PathBuf,
    },
    /// The file has further names, which would keep the old text.
    #[error(
        "it has {names} names (hard links), and writing it would part them; edit it by hand, or make it a file of its own"
    )]
    HardLinked {
        /// How many.
        names: u64,
    },
    /// The file is another user's, and would be no longer.
    #[error("it belongs to another user; run icr as that user")]
    OtherOwner,
    /// A directory on the way from the repository's root is a link.
    #[error("`{}` is a link to `{}`, and what a repository brings is not followed", .directory.display(), .target.display())]
    LinkInProject {
        /// The link.
        directory: PathBuf,
        /// Where it points.
        target: PathBuf,
    },
    /// Something else than a file stands there.
    #[error("it is {found}, where a file is expected")]
    NotAFile {
        /// What it is.
        found: &'static str,
    },
    /// It is larger than any configuration.
    #[error("it has {bytes} bytes; icr edits files of at most {most}")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The largest that is edited.
        most: u64,
    },
    /// Nobody may write it.
    #[error("it is read-only; make it writable if icr is to change it")]
    ReadOnly,
    /// It is text of another encoding, or none.
    #[error("it is not UTF-8 text (byte {at} is not); save it as UTF-8 first")]
    NotUtf8 {
        /// The first byte that is not.
        at: usize,
    },
    /// It cannot be parsed.
    #[error("{position}: expected {expected}; mend it first")]
    Syntax {
        /// Where it goes wrong.
        position: Position,
        /// What should stand there.
        expected: String,
    },
    /// A key on the way is there twice.
    #[error("{position}: the key `{key}` is there a second time; take one of them out first")]
    DoubleKey {
        /// The key.
        key: String,
        /// Where the second one stands.
        position: Position,
    },
    /// A key holds another kind of value.
    #[error("{key} is {found}, where {expected} is expected")]
    WrongType {
        /// The key, or the file.
        key: String,
        /// What it is.
        found: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// Its structure is one that icr does not edit.
    #[error("{reason}; add these lines by hand:\n{lines}")]
    Structure {
        /// What is unusual.
        reason: &'static str,
        /// What to add.
        lines: String,
    },
    /// An entry with the name is there and is none of icr's.
    #[error("{what} is there already and is not icr's; `--force` replaces it")]
    Foreign {
        /// What is there.
        what: String,
    },
    /// The entry runs a program that is gone.
    #[error("{what} runs `{command}`, which is not there; `--force` replaces it")]
    Stale {
        /// What is there.
        what: String,
        /// What it runs.
        command: String,
    },
    /// The entry was written by icr and changed since.
    #[error("{what} was changed by hand; `--force` replaces it")]
    Changed {
        /// What is there.
        what: String,
    },
    /// A file that is wholly icr's was rewritten.
    #[error("it was rewritten by hand; delete it by hand if you do not need it")]
    Rewritten,
    /// The host has not made its file yet.
    #[error("there is no such file yet; start {host} once, which makes it")]
    NotThere {
        /// The host.
        host: &'static str,
    },
    /// A directory of the host cannot be told.
    #[error(transparent)]
    Directory(#[from] crate::hosts::DirectoryError),
    /// A path that the manifest cannot hold.
    #[error("its path is not UTF-8")]
    PathNotUtf8,
    /// Somebody else writes the file.
    #[error("another program changed it meanwhile; run icr again")]
    Busy,
    /// The edit would have changed something else.
    #[error("icr found no way to edit it without changing something else; edit it by hand")]
    Inexact,
    /// The system does not allow it.
    #[error("cannot {doing} it: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
}
