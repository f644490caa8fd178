//! Which agents keep transcripts, and where.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::record::{Record, UnknownShape};
use super::{claude_code, codex, gemini};

/// An agent that keeps its sessions on disk.
#[derive(Debug)]
pub struct TranscriptHost {
    /// As answers show it.
    pub name: &'static str,
    /// The variable that moves the agent's directory, and what the directory is below the path that it says.
    variable: (&'static str, &'static str),
    /// The agent's directory below the user's home.
    below_home: &'static str,
    /// From that directory to session files, a directory or file a step.
    pub(super) steps: &'static [Step],
    /// Reads one record.
    pub(super) record: ReadRecord,
    /// For files whose names end in `.json`, where the host has such.
    pub(super) document: Option<SplitDocument>,
}

/// Says what a record says.
pub(super) type ReadRecord = fn(&[u8]) -> Result<Record, UnknownShape>;

/// Takes a document apart into records, each with the byte it begins at. The first one is the whole document.
pub(super) type SplitDocument = fn(&str) -> Result<Vec<(usize, &str)>, UnknownShape>;

/// A step from an agent's directory towards its session files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The directory of that name.
    Named(&'static str),
    /// Any directory.
    Any,
    /// Directories whose names may stand for a directory in the repository: its path with a `-` for each character that is neither letter nor
    /// digit. Several paths have one such name, so it rules out and proves nothing.
    MayBeInRepository,
    /// Files by how their names begin and end.
    File(&'static str, &'static [&'static str]),
}

/// Agents whose sessions are read, sorted by name.
///
/// Layouts and shapes are those of Claude Code 2.1, Codex 0.46 and later (older ones do not say where a session takes place in a
/// field of its own), and Gemini CLI 0.1.9 and later.
pub static HOSTS: &[TranscriptHost] = &[
    TranscriptHost {
        name: "claude-code",
        variable: ("CLAUDE_CONFIG_DIR", ""),
        below_home: ".claude",
        steps: &[Step::Named("projects"), Step::MayBeInRepository, Step::File("", &[".jsonl"])],
        record: claude_code::record,
        document: None,
    },
    TranscriptHost {
        name: "codex",
        variable: ("CODEX_HOME", ""),
        below_home: ".codex",
        steps: &[Step::Named("sessions"), Step::Any, Step::Any, Step::Any, Step::File("rollout-", &[".jsonl"])],
        record: codex::record,
        document: None,
    },
    TranscriptHost {
        name: "gemini",
        variable: ("GEMINI_CLI_HOME", ".gemini"),
        below_home: ".gemini",
        steps: &[Step::Named("tmp"), Step::Any, Step::Named("chats"), Step::File("", &[".json", ".jsonl"])],
        record: gemini::record,
        document: Some(gemini::records),
    },
];

/// Where agents keep the sessions of a user.
#[derive(Debug, Clone)]
pub struct TranscriptPlaces {
    pub(super) directories: Vec<(&'static TranscriptHost, PathBuf)>,
}

impl TranscriptPlaces {
    /// The directories of all hosts for the user whose home is `home`, under the environment that `variable` reads. A path that is not absolute
    /// counts as none: it would mean another directory everywhere.
    pub fn new(home: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let directory = |host: &TranscriptHost| {
            let (name, below) = host.variable;
            let moved = variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
            moved.map_or_else(|| home.join(host.below_home), |moved| moved.join(below))
        };
        let directories = HOSTS.iter().map(|host| (host, directory(host)));
        Self { directories: directories.filter(|(_, directory)| directory.is_absolute()).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_sorted_and_end_at_files() {
        assert!(HOSTS.is_sorted_by_key(|host| host.name));
        for host in HOSTS {
            let (last, before) = host.steps.split_last().expect("a host has steps");
            assert!(matches!(last, Step::File(..)) && before.iter().all(|step| !matches!(step, Step::File(..))));
        }
    }

    #[test]
    fn variables_move_directories() {
        let variables = |name: &str| match name {
            "CODEX_HOME" => Some(OsString::from("/elsewhere/codex")),
            "GEMINI_CLI_HOME" => Some(OsString::from("/elsewhere")),
            "CLAUDE_CONFIG_DIR" => Some(OsString::from("not/absolute")),
            _ => None,
        };
        let places = TranscriptPlaces::new(Path::new("/ada"), variables);
        let directories: Vec<_> = places.directories.iter().map(|(_, path)| path.as_path()).collect();
        assert_eq!(directories, ["/ada/.claude", "/elsewhere/codex", "/elsewhere/.gemini"].map(Path::new));
        assert!(TranscriptPlaces::new(Path::new(""), |_| None).directories.is_empty());
    }
}
