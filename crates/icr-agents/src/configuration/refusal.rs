//! Reasons why a file is left unchanged.

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
    /// Position of the byte `at` in `text`.
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

/// Why a file of a host is left unchanged. Nothing was written to it.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The file is a link.
    #[error("it is a link to `{}`; edit that file by hand, or put a file in the link's place", .target.display())]
    Link {
        /// Where it points.
        target: PathBuf,
    },
    /// The file has further hard links, which would keep the old text.
    #[error("it has {names} hard links, and writing it would separate them; edit it by hand, or replace it by a copy")]
    HardLinked {
        /// Number of its names.
        names: u64,
    },
    /// The file belongs to another user, and writing would change its owner.
    #[error("it belongs to another user; run icr as that user")]
    OtherOwner,
    /// A directory between the repository's root and the file is a symbolic link.
    #[error("`{}` is a link to `{}`, and what a repository brings is not followed", .directory.display(), .target.display())]
    LinkInProject {
        /// Path of the link.
        directory: PathBuf,
        /// Where it points.
        target: PathBuf,
    },
    /// The path is not an ordinary file.
    #[error("it is {found}, where a file is expected")]
    NotAFile {
        /// What it is, in words.
        found: &'static str,
    },
    /// The file is larger than any configuration file.
    #[error("it has {bytes} bytes; icr edits files of at most {most}")]
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
        /// Largest size that is edited, in bytes.
        most: u64,
    },
    /// The file is read-only.
    #[error("it is read-only; make it writable if icr is to change it")]
    ReadOnly,
    /// The file is not UTF-8.
    #[error("it is not UTF-8 text (byte {at} is not); save it as UTF-8 first")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        at: usize,
    },
    /// The file cannot be parsed.
    #[error("{position}: expected {expected}; correct it first")]
    Syntax {
        /// Position of the error.
        position: Position,
        /// What should stand there.
        expected: String,
    },
    /// A key on the path to the entry occurs twice.
    #[error("{position}: the key `{key}` is there a second time; remove one of them first")]
    DoubleKey {
        /// The key.
        key: String,
        /// Position of the second one.
        position: Position,
    },
    /// A key has a value of the wrong type.
    #[error("{key} is {found}, where {expected} is expected")]
    WrongType {
        /// Name of the key, or of the file.
        key: String,
        /// Its type.
        found: &'static str,
        /// The expected type.
        expected: &'static str,
    },
    /// icr does not edit files with this structure.
    #[error("{reason}; add these lines by hand:\n{lines}")]
    Structure {
        /// What is unusual about it.
        reason: &'static str,
        /// Lines to add by hand.
        lines: String,
    },
    /// An entry of this name exists and was not written by icr.
    #[error("{what} is there already and is not icr's; `--force` replaces it")]
    Foreign {
        /// Description of the entry.
        what: String,
    },
    /// The entry runs a program that is gone.
    #[error("{what} runs `{command}`, which is not there; `--force` replaces it")]
    Stale {
        /// Description of the entry.
        what: String,
        /// The program that it runs.
        command: String,
    },
    /// The entry was written by icr and changed since.
    #[error("{what} was changed by hand; `--force` replaces it")]
    Changed {
        /// Description of the entry.
        what: String,
    },
    /// A file that icr wrote completely was changed.
    #[error("somebody edited it; delete it yourself if you do not need it")]
    Rewritten,
    /// The host has not made its file yet.
    #[error("there is no such file yet; start {host} once, which makes it")]
    NotThere {
        /// Title of the host.
        host: &'static str,
    },
    /// A directory of the host cannot be determined.
    #[error(transparent)]
    Directory(#[from] crate::hosts::DirectoryError),
    /// The path is not UTF-8, so the manifest cannot store it.
    #[error("its path is not UTF-8")]
    PathNotUtf8,
    /// Another process is writing the file.
    #[error("another program changed it meanwhile; run icr again")]
    Busy,
    /// The edit would change something else in the file.
    #[error("icr found no way to edit it without changing something else; edit it by hand")]
    Inexact,
    /// The system returned an error.
    #[error("cannot {doing} it: {source}")]
    System {
        /// The operation that failed.
        doing: &'static str,
        /// Error of the system.
        source: std::io::Error,
    },
}
