//! One session: its records in order, and which of them count.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use icr_model::{Digest64, Moment};

use super::host::SplitDocument;
use super::host_text::without_host_text;
use super::listing::SessionFile;
use super::mask::mask_credentials;
use super::record::{Record, SessionPlace, Speaker};
use super::roots::RepositoryRoots;
use super::session_file::{FileLine, LinesEnd, each_line, open_own_file};
use super::{RECORD_BYTES_MOST, SessionTurn, TURN_BYTES_MOST, Turn};

/// How reading a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadEnd {
    /// Everything relevant was read.
    Whole,
    /// There is more, or the system refused.
    Stopped,
}

/// A session of the repository.
#[derive(Debug, Default)]
pub(super) struct SessionTurns {
    /// Turns, each with a key that its copies in other files share.
    pub(super) turns: Vec<(u64, SessionTurn)>,
    pub(super) records_skipped: u64,
}

/// Reads one session file.
pub(super) struct SessionReader<'a> {
    file: &'a SessionFile,
    roots: &'a RepositoryRoots,
    bytes_read: u64,
    /// The host's id of it.
    id: Option<String>,
    /// Whether the session began in the repository; `None` before its place is known.
    began_here: Option<bool>,
    /// Whether its present place is in the repository.
    is_here: bool,
    /// Present place of the session, so that the same directory is checked only once.
    place: Option<SessionPlace>,
    session: SessionTurns,
    /// Turns by the ids of their records.
    by_id: HashMap<String, usize>,
}

impl<'a> SessionReader<'a> {
    pub(super) fn new(file: &'a SessionFile, roots: &'a RepositoryRoots) -> Self {
        Self {
            file,
            roots,
            bytes_read: 0,
            id: None,
            began_here: None,
            is_here: false,
            place: None,
            session: SessionTurns::default(),
            by_id: HashMap::new(),
        }
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Reads at most `bytes_most` bytes. Stops early when the session turns out to belong to another repository.
    pub(super) fn read(&mut self, bytes_most: u64, is_over: &dyn Fn() -> bool) -> ReadEnd {
        let Ok(file) = open_own_file(&self.file.path) else { return ReadEnd::Stopped };
        match self.file.host.document.filter(|_| self.file.name.ends_with(".json")) {
            Some(records_of) => self.read_document(file, bytes_most, records_of),
            None => self.read_lines(file, bytes_most, is_over),
        }
    }

    /// The turns, if the session belongs to the repository.
    pub(super) fn finish(self) -> Option<SessionTurns> {
        (self.began_here == Some(true)).then_some(self.session)
    }

    fn read_lines(&mut self, file: impl Read, bytes_most: u64, is_over: &dyn Fn() -> bool) -> ReadEnd {
        let mut bytes_read = 0;
        let end = each_line(file, bytes_most, is_over, &mut bytes_read, |number, line| {
            match line {
                FileLine::Whole(line) if line.trim_ascii().is_empty() => {}
                FileLine::Whole(line) => match (self.file.host.record)(line) {
                    Ok(record) => self.take(record, number, number),
                    Err(_) => self.session.records_skipped += 1,
                },
                // An incomplete line is not damage: the rest is about to be written.
                FileLine::Unfinished(line) => {
                    if let Ok(record) = (self.file.host.record)(line) {
                        self.take(record, number, number);
                    }
                }
                FileLine::TooLong => self.session.records_skipped += 1,
            }
            if self.began_here == Some(false) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.bytes_read = bytes_read;
        if end == LinesEnd::Stopped { ReadEnd::Stopped } else { ReadEnd::Whole }
    }

    fn read_document(&mut self, file: impl Read, bytes_most: u64, records_of: SplitDocument) -> ReadEnd {
        let mut bytes = Vec::new();
        let read = file.take(bytes_most.saturating_add(1)).read_to_end(&mut bytes);
        self.bytes_read = (bytes.len() as u64).min(bytes_most);
        if read.is_err() || bytes.len() as u64 > bytes_most {
            return ReadEnd::Stopped;
        }
        let Some(records) = str::from_utf8(&bytes).ok().and_then(|text| records_of(text).ok()) else {
            // A document that is being written or is damaged: its repository is unknown.
            return ReadEnd::Stopped;
        };
        let (mut counted, mut line) = (0, 1_u32);
        for (at, (begins, record)) in records.into_iter().enumerate() {
            line = line.saturating_add(line_ends(&bytes[counted..begins]));
            counted = begins;
            let last = line.saturating_add(line_ends(record.as_bytes()));
            // The first record is the whole document, which has fields besides its messages.
            match (self.file.host.record)(record.as_bytes()) {
                _ if at > 0 && record.len() > RECORD_BYTES_MOST => self.session.records_skipped += 1,
                Ok(record) => self.take(record, line, last),
                Err(_) => self.session.records_skipped += 1,
            }
            if self.began_here == Some(false) {
                break;
            }
        }
        ReadEnd::Whole
    }

    fn take(&mut self, record: Record, start_line: u32, end_line: u32) {
        if self.id.is_none() {
            self.id = record.session;
        }
        if let Some(place) = record.place
            && self.place.as_ref() != Some(&place)
        {
            self.is_here = match &place {
                SessionPlace::Directory(directory) => self.roots.hold_directory(Path::new(directory)),
                SessionPlace::DirectoryHash(hash) => self.roots.hold_hash(hash, self.file.project_root.as_deref()),
            };
            self.place = Some(place);
            self.began_here.get_or_insert(self.is_here);
        }
        let Some((speaker, text)) = record.said.filter(|_| self.is_here) else { return };
        let Some(turn) = turn(speaker, &text, record.time, record.is_sidechain) else { return };
        let key = key(self.file.host.name, record.id.as_deref(), &turn);
        let stem = || self.file.name.split('.').next().unwrap_or_default().to_owned();
        let turn = SessionTurn {
            host: self.file.host.name,
            session: self.id.clone().unwrap_or_else(stem),
            file_name: self.file.name.clone(),
            start_line,
            end_line,
            turn,
        };
        let turns = &mut self.session.turns;
        match record.id.as_ref().and_then(|id| self.by_id.get(id)) {
            Some(earlier) => turns[*earlier] = (key, turn),
            None => {
                self.by_id.extend(record.id.map(|id| (id, turns.len())));
                turns.push((key, turn));
            }
        }
    }
}

/// A turn as it is kept; `None` if the host wrote all of its text.
pub(super) fn turn(speaker: Speaker, text: &str, time: Option<Moment>, is_sidechain: bool) -> Option<Turn> {
    let said = without_host_text(text);
    let said = said.trim();
    if said.is_empty() {
        return None;
    }
    // Masked before it is cut, because half a credential is not recognised.
    let masked = mask_credentials(said);
    let text = masked[..masked.floor_char_boundary(TURN_BYTES_MOST)].to_owned();
    Some(Turn { speaker, text, time, is_sidechain })
}

/// Digest of a text without the host's additions, in hexadecimal digits. It is used to find a prompt again in a
/// transcript.
pub fn said_digest(text: &str) -> String {
    format!("{:016x}", Digest64::default().with(without_host_text(text).trim().as_bytes()).finish())
}

fn line_ends(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// Equal for a turn and its copies in other files.
fn key(host: &str, id: Option<&str>, turn: &Turn) -> u64 {
    let mut hasher = DefaultHasher::new();
    match id {
        Some(id) => (host, id, &turn.text).hash(&mut hasher),
        None => (host, turn.speaker, turn.time, &turn.text).hash(&mut hasher),
    }
    hasher.finish()
}
