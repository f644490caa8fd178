//! Agents that keep transcripts, and where they keep them.

use std::path::PathBuf;

use super::record::{Record, UnknownShape};
use super::{claude_code, codex, copilot, gemini};
use crate::hosts::{BaseDirectory, HostDirectories, HostPath};

/// An agent that keeps its sessions on disk.
#[derive(Debug)]
pub struct TranscriptHost {
    /// Name of the host, as shown in answers.
    pub name: &'static str,
    /// The agent's directory.
    root: BaseDirectory,
    /// Path from that directory to the session files, one component per step.
    pub(super) steps: &'static [PathStep],
    /// Parser for one record.
    pub(super) record: ReadRecord,
    /// Splitter for files with names ending in `.json`; `None` if the host has no such files.
    pub(super) document: Option<SplitDocument>,
}

/// A function that parses one record.
pub(super) type ReadRecord = fn(&[u8]) -> Result<Record, UnknownShape>;

/// A function that splits a document into records, each with its byte offset. The first record is the whole document.
pub(super) type SplitDocument = fn(&str) -> Result<Vec<(usize, &str)>, UnknownShape>;

/// A step from an agent's directory towards its session files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathStep {
    /// The directory of that name.
    Named(&'static str),
    /// Any directory.
    Any,
    /// Directories whose names may stand for a directory in the repository: its path with a `-` for each character that
    /// is neither letter nor digit. Several paths have the same name, so it can rule a directory out but not confirm
    /// it.
    MayBeInRepository,
    /// Files whose names begin with the first text and end with one of the others.
    File(&'static str, &'static [&'static str]),
    /// The file of that name, in a directory that is called as the session is.
    FileOfSession(&'static str),
}

/// Agents whose sessions are read, sorted by name.
///
/// Paths and formats are those of Claude Code 2.1, Codex 0.46 and later (older ones have no separate field for the
/// directory of a session), Copilot CLI 1.0.102, and Gemini CLI 0.1.9 and later.
pub static HOSTS: &[TranscriptHost] = &[
    TranscriptHost {
        name: "claude-code",
        root: BaseDirectory::Claude,
        steps: &[PathStep::Named("projects"), PathStep::MayBeInRepository, PathStep::File("", &[".jsonl"])],
        record: claude_code::record,
        document: None,
    },
    TranscriptHost {
        name: "codex",
        root: BaseDirectory::Codex,
        steps: &[
            PathStep::Named("sessions"),
            PathStep::Any,
            PathStep::Any,
            PathStep::Any,
            PathStep::File("rollout-", &[".jsonl"]),
        ],
        record: codex::record,
        document: None,
    },
    TranscriptHost {
        name: "copilot",
        root: BaseDirectory::Copilot,
        steps: &[PathStep::Named("session-state"), PathStep::Any, PathStep::FileOfSession("events.jsonl")],
        record: copilot::record,
        document: None,
    },
    TranscriptHost {
        name: "gemini",
        root: BaseDirectory::Gemini,
        steps: &[
            PathStep::Named("tmp"),
            PathStep::Any,
            PathStep::Named("chats"),
            PathStep::File("", &[".json", ".jsonl"]),
        ],
        record: gemini::record,
        document: Some(gemini::records),
    },
];

/// The places where agents keep a user's sessions.
#[derive(Debug, Clone)]
pub struct TranscriptPlaces {
    pub(super) directories: Vec<(&'static TranscriptHost, PathBuf)>,
}

impl TranscriptPlaces {
    /// The places of all hosts in `directories`. A host whose directory cannot be determined is left out.
    pub fn new(directories: &HostDirectories) -> Self {
        let place = |host: &'static TranscriptHost| Some((host, directories.path(HostPath(host.root, "")).ok()?));
        Self { directories: HOSTS.iter().filter_map(place).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::Platform;

    #[test]
    fn hosts_are_sorted_and_end_at_files() {
        assert!(HOSTS.is_sorted_by_key(|host| host.name));
        for host in HOSTS {
            let (last, before) = host.steps.split_last().expect("a host has steps");
            let is_file = |step: &PathStep| matches!(step, PathStep::File(..) | PathStep::FileOfSession(_));
            assert!(is_file(last) && !before.iter().any(is_file));
        }
    }

    #[test]
    fn variables_move_directories() {
        let check = |variables: &[(&str, &str)], expected: &[&str]| {
            let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let directories =
                HostDirectories { home: PathBuf::from("/ada"), platform: Platform::Linux, variables, project: None };
            let places = TranscriptPlaces::new(&directories);
            let paths: Vec<_> = places.directories.iter().map(|(_, path)| path.to_str().expect("it is text")).collect();
            assert_eq!(paths, expected);
        };
        check(&[], &["/ada/.claude", "/ada/.codex", "/ada/.copilot", "/ada/.gemini"]);
        check(
            &[("CODEX_HOME", "/elsewhere/codex"), ("GEMINI_CLI_HOME", "/elsewhere")],
            &["/ada/.claude", "/elsewhere/codex", "/ada/.copilot", "/elsewhere/.gemini"],
        );
        check(
            &[("CLAUDE_CONFIG_DIR", "not/absolute"), ("GEMINI_CONFIG_DIR", "/g")],
            &["/ada/.codex", "/ada/.copilot", "/g"],
        );
    }
}
