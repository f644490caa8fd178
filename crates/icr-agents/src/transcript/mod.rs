//! Transcripts: what a user and an agent said to each other, read where the agent keeps it.
//!
//! Agents write each session to its own file. [`read_transcripts`] reads those of one repository, newest first and
//! within limits; [`last_answer`] reads the end of one file. Nothing is copied or written. Output of tools is never
//! read: it mostly consists of files of the repository, and could contain secret files. Credentials in what was said
//! are masked.
//!
//! An agent is a row of [`HOSTS`] and a file beside this one.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod host;
mod host_text;
mod listing;
mod mask;
mod record;
mod roots;
mod session_file;
mod session_reader;
mod tail;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use icr_model::Moment;

pub use host::{HOSTS, TranscriptHost, TranscriptPlaces};
pub use host_text::said_in_prompt;
pub use mask::{MASK, mask_credentials};
pub use record::Speaker;
pub use roots::RepositoryRoots;
pub use session_reader::said_digest;
pub use tail::{LastAnswer, last_answer};

use listing::{SessionFile, list_sessions};
use session_reader::{ReadEnd, SessionReader};

/// Longest text of a turn, in bytes; a longer one is cut. It is enough for a long answer, but not for a pasted log.
const TURN_BYTES_MOST: usize = 64 << 10;

/// Longest record that is read, in bytes; a longer one is a picture or output of a tool.
const RECORD_BYTES_MOST: usize = 1 << 20;

/// One utterance of a user or an assistant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who said it.
    pub speaker: Speaker,
    /// What was said, at most 64 KiB, with credentials masked and without what the host added.
    pub text: String,
    /// Time; `None` if the file does not give it.
    pub time: Option<Moment>,
    /// Whether it belongs to a conversation between an agent and a subagent.
    pub is_sidechain: bool,
}

/// A [`Turn`] with its place in a session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionTurn {
    /// Name of the host, as in its row of [`HOSTS`].
    pub host: &'static str,
    /// The host's id of the session; if the file does not give it, the file name without extension.
    pub session: String,
    /// File name of the session; if the host uses the same name for all files, with the session's directory before it.
    pub file_name: String,
    /// First line of the record in that file, 1-based.
    pub start_line: u32,
    /// Last line of the record.
    pub end_line: u32,
    /// What was said.
    pub turn: Turn,
}

/// Limits for reading transcripts for one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Most session files that are opened. Most of these may belong to other repositories, which costs 64 KiB for each,
    /// and the whole document for a `.json` file.
    pub sessions: usize,
    /// Most bytes read from all files together.
    pub bytes: u64,
    /// Most bytes read from one file.
    pub session_bytes: u64,
}

impl Default for ReadLimits {
    /// A thousand files and 64 MiB, at most half of it from one session: months of daily work.
    fn default() -> Self {
        Self { sessions: 1_000, bytes: 64 << 20, session_bytes: 32 << 20 }
    }
}

/// Result of reading the transcripts of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcripts {
    /// Turns, by session with the most recently written first; within a session in order.
    pub turns: Vec<SessionTurn>,
    /// Sessions of the repository that were read, in part or whole.
    pub sessions_read: u64,
    /// Session files that were not read to their end, or not at all: the limits were reached, or the system refused.
    pub sessions_left: u64,
    /// Records of sessions of the repository that could not be read: damaged, of an unknown shape, or longer than 1
    /// MiB.
    pub records_skipped: u64,
    /// Bytes that were read.
    pub bytes_read: u64,
}

/// Reads what was said in sessions in the worktrees `roots`, the most recently written session first.
///
/// A session counts if the directory in which it began is in a worktree, and a turn counts if the directory at that
/// time is. `is_over` is asked before each 64 KiB of lines and before each document; reading stops when it returns
/// true. A turn that is in several files, because a session was resumed or forked, is returned once. Reads at most what
/// `limits` allow, and lists at most 20,000 entries of each host's directory.
pub fn read_transcripts(
    places: &TranscriptPlaces,
    roots: &RepositoryRoots,
    limits: &ReadLimits,
    is_over: &dyn Fn() -> bool,
) -> Transcripts {
    let mut transcripts = Transcripts::default();
    let mut known = HashSet::new();
    for (at, file) in list_sessions(places, roots).iter().enumerate() {
        let bytes_left = limits.bytes.saturating_sub(transcripts.bytes_read).min(limits.session_bytes);
        if at >= limits.sessions || bytes_left == 0 || is_over() {
            transcripts.sessions_left += 1;
            continue;
        }
        transcripts.read(file, roots, bytes_left, is_over, &mut known);
    }
    transcripts
}

impl Transcripts {
    fn read(
        &mut self,
        file: &SessionFile,
        roots: &RepositoryRoots,
        bytes_most: u64,
        is_over: &dyn Fn() -> bool,
        known: &mut HashSet<u64>,
    ) {
        let mut reader = SessionReader::new(file, roots);
        let end = reader.read(bytes_most, is_over);
        self.bytes_read += reader.bytes_read();
        self.sessions_left += u64::from(end == ReadEnd::Stopped);
        let Some(session) = reader.finish() else { return };
        self.sessions_read += 1;
        self.records_skipped += session.records_skipped;
        let new = session.turns.into_iter().filter(|(key, _)| known.insert(*key));
        self.turns.extend(new.map(|(_, turn)| turn));
    }
}
