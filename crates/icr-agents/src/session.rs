//! Record of what happened in an agent's session. Each hook is a separate process, so they share this record.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use icr_model::{Digest64, UnixMillis};
use serde::{Deserialize, Serialize};

use crate::{LedgerItem, LedgerKind, is_same_text};

/// Largest record, in bytes: some thousand events, a long day's work. Events beyond that are not recorded.
const RECORD_BYTES_MOST: u64 = 1 << 20;

/// Part of the record that is reserved for events which decide whether context is shown again, in bytes. Tools, ledgers
/// and done todos may use only the rest.
const RESERVED_BYTES: u64 = 256 << 10;

/// Sessions that are kept of one repository; the oldest go first.
const SESSIONS_KEPT: usize = 200;

/// File name extension of the records.
const ENDING: &str = "jsonl";

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum SessionEvent {
    /// The session began, was resumed, or began anew.
    Started {
        /// Reason: `startup`, `resume`, `clear` or `compact`.
        source: String,
        /// Context that was shown.
        #[serde(default)]
        text: String,
        /// Keys of the memories in it.
        #[serde(default)]
        keys: Vec<String>,
        /// Time.
        #[serde(default)]
        at: UnixMillis,
    },
    /// A prompt was answered with context, or with nothing.
    Prompted {
        /// Keys that identify the lines that were shown.
        keys: Vec<String>,
        /// Files that were named as places to look.
        files: Vec<String>,
        /// Model tokens of what was shown.
        tokens: u32,
        /// Digest of the prompt, in hexadecimal digits.
        #[serde(default)]
        prompt: String,
        /// The [`prompt_sketch`] of the prompt.
        #[serde(default)]
        sketch: u64,
        /// Time.
        #[serde(default)]
        at: UnixMillis,
    },
    /// A tool was used.
    Tool(ToolUse),
    /// An answer had a ledger.
    Ledger {
        /// Items of the ledger.
        items: Vec<LedgerItem>,
    },
    /// A turn ended with an answer.
    Turn {
        /// Whether a shown file was read, changed or named; `None` if none was shown or it is not known.
        helped: Option<bool>,
        /// Digest of the answer, in hexadecimal digits.
        #[serde(default)]
        answer: String,
    },
    /// An answer ticked off todos.
    Done {
        /// Texts of the todos.
        todos: Vec<String>,
    },
    /// The conversation was replaced by a summary: the model no longer sees what was shown before.
    Compacted {
        /// Whether the host shows the model the note of what to keep, so that it need not be shown again.
        #[serde(default)]
        is_noted: bool,
        /// Keys of the memories in that note.
        #[serde(default)]
        keys: Vec<String>,
    },
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// Its name.
    pub tool: String,
    /// Purpose of the call.
    pub purpose: ToolPurpose,
    /// Files in the input of the tool, as given there.
    pub paths: Vec<String>,
    /// Definitions in the input of the tool.
    #[serde(default)]
    pub symbols: Vec<String>,
    /// Model tokens of the tool's output.
    pub tokens: u32,
}

/// Purposes of tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolPurpose {
    /// To find or read something.
    Explore,
    /// To change a file.
    Change,
    /// To ask icr.
    AskIcr,
    /// Anything else.
    Other,
}

/// The record of one session: an append-only file with one event per line.
///
/// Each event is written in a single call, so that concurrent hooks lose nothing; a half line left by a killed hook is
/// skipped. [`Session::lock`] serialises hooks that read the record before they add to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    path: PathBuf,
}

impl Session {
    /// The record of the session that its host calls `session_id`. `directory` has the records of one repository. Does
    /// not access the file system.
    pub fn new(directory: &Path, session_id: &str) -> Self {
        // Hashed, because a host may use any text as session id.
        let digest = Digest64::default().with(session_id.as_bytes()).finish();
        Self { path: directory.join(format!("{digest:016x}.{ENDING}")) }
    }

    /// All events in order; unreadable lines are skipped. Cost: one read of at most 1 MiB.
    pub fn events(&self) -> Vec<SessionEvent> {
        let mut text = Vec::new();
        let file = open_ordinary_file(File::options().read(true), &self.path);
        let read = file.and_then(|file| file.take(RECORD_BYTES_MOST).read_to_end(&mut text));
        if read.is_err() {
            return Vec::new();
        }
        text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    /// Appends `event`. The file and the directories created for it are accessible only to their owner.
    ///
    /// # Errors
    ///
    /// Errors of the file system. If the record would exceed 1 MiB, the event is dropped without an error; for events
    /// of tools, ledgers and done todos the limit is 768 KiB.
    pub fn append(&self, event: &SessionEvent) -> io::Result<()> {
        if let Some(directory) = self.path.parent() {
            create_private_directory(directory)?;
        }
        let mut file = open_ordinary_file(File::options().append(true).create(true), &self.path)?;
        // Starts with a line break, because a half line before it would otherwise spoil this line.
        let line = format!("\n{}\n", serde_json::to_string(event).map_err(io::Error::other)?);
        let bytes_most = match event {
            SessionEvent::Tool(_) | SessionEvent::Ledger { .. } | SessionEvent::Done { .. } => {
                RECORD_BYTES_MOST - RESERVED_BYTES
            }
            _ => RECORD_BYTES_MOST,
        };
        match file.metadata()?.len() + line.len() as u64 > bytes_most {
            true => Ok(()),
            false => file.write_all(line.as_bytes()),
        }
    }

    /// Blocks other hooks of the session until the returned guard is dropped, so that two hooks called for the same
    /// prompt do not show the same context. Waits while another process holds the lock.
    ///
    /// # Errors
    ///
    /// Errors of the file system.
    pub fn lock(&self) -> io::Result<impl Sized + use<>> {
        if let Some(directory) = self.path.parent() {
            create_private_directory(directory)?;
        }
        let file = open_ordinary_file(File::options().append(true).create(true), &self.path)?;
        file.lock()?;
        Ok(file)
    }

    /// Deletes the record.
    ///
    /// # Errors
    ///
    /// Errors of the file system.
    pub fn clear(&self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// The most recently written session below `directory`.
    pub fn latest(directory: &Path) -> Option<Self> {
        records(directory).pop().map(|(_, path)| Self { path })
    }

    /// Removes the oldest sessions below `directory`, so that 200 remain. Returns how many were removed. Files that
    /// cannot be removed are ignored.
    pub fn prune(directory: &Path) -> usize {
        let records = records(directory);
        let superfluous = records.len().saturating_sub(SESSIONS_KEPT);
        records[..superfluous].iter().filter(|(_, path)| fs::remove_file(path).is_ok()).count()
    }

    /// Number of sessions below `directory`.
    pub fn count(directory: &Path) -> usize {
        records(directory).len()
    }

    /// Removes all sessions below `directory`. Returns how many were removed.
    ///
    /// # Errors
    ///
    /// The first error of the file system; a missing directory is not an error.
    pub fn clear_all(directory: &Path) -> io::Result<usize> {
        match fs::read_dir(directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let records = records(directory);
        records.iter().try_for_each(|(_, path)| Self { path: path.clone() }.clear())?;
        Ok(records.len())
    }
}

/// Opens the ordinary file at `path`; if `options` create it, only its owner can access it. A symbolic link is not
/// followed. A pipe is an error and does not block.
///
/// # Errors
///
/// `InvalidInput` if it is not an ordinary file; other errors of the system.
pub(crate) fn open_ordinary_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no ordinary file")),
    }
}

/// The records below a directory, the most recently written one last.
fn records(directory: &Path) -> Vec<(std::time::SystemTime, PathBuf)> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let record = |entry: fs::DirEntry| {
        let path = entry.path();
        let modified = entry.metadata().ok().filter(fs::Metadata::is_file)?.modified().ok()?;
        (path.extension()? == ENDING).then_some((modified, path))
    };
    let mut records: Vec<_> = entries.flatten().filter_map(record).collect();
    records.sort();
    records
}

fn create_private_directory(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Key for the results of earlier sessions in the list of what was shown.
pub const CONTINUATION_KEY: &str = "continuation";

/// A 64-bit sketch of the words of a text. Texts with slightly different wording share most of its bits (M. Charikar,
/// Similarity estimation techniques from rounding algorithms, 2002).
pub fn prompt_sketch(text: &str) -> u64 {
    let mut sums = [0_i32; 64];
    for word in text.split_whitespace() {
        let digest = Digest64::default().with(word.to_lowercase().as_bytes()).finish();
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += if digest >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    sums.iter().enumerate().filter(|(_, sum)| **sum > 0).fold(0, |sketch, (bit, _)| sketch | 1 << bit)
}

/// Most bits in which the sketches of a prompt and its rewording differ. Sketches of unrelated prompts differ in 32
/// bits, give or take four.
const REWORDED_BITS: u32 = 20;

fn is_rewording(one: u64, other: u64) -> bool {
    (one ^ other).count_ones() <= REWORDED_BITS
}

/// State of a session, computed from its events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionState {
    /// Keys of the context that the model has seen; later prompts do not get it again. If the host reports the end of
    /// turns, context of a prompt that was never answered is not included, because hosts drop such a turn.
    pub shown: HashSet<String>,
    /// Keys of the context for the last prompt, while it is unknown whether the prompt is answered.
    shown_last: HashSet<String>,
    /// Whether the host reports the end of turns.
    tells_ends: bool,
    /// Sketch of the last prompt.
    sketch: u64,
    /// Digest and time of the last prompt as in [`SessionEvent::Prompted`], if nothing has happened since.
    pub unanswered: Option<(String, UnixMillis)>,
    /// Digest of the last answer.
    pub last_answer: String,
    /// Whether the session continues earlier ones, so that it has their open todos too.
    pub goes_on: bool,
    /// Whether anything was done or stated.
    pub has_work: bool,
    /// Whether the model was shown what had to survive the last compaction.
    pub is_noted: bool,
    /// Files that were shown for the last prompt.
    pub files_of_last_prompt: Vec<String>,
    /// Tools used since the last prompt.
    pub tools_of_turn: Vec<ToolUse>,
    /// Changed files, in order, each once.
    pub changed_files: Vec<String>,
    /// Definitions that icr was asked about, in order, each once.
    pub symbols: Vec<String>,
    /// Ledger items, in order.
    pub ledger: Vec<LedgerItem>,
    /// Prompts since the session began, or began anew after a compaction.
    pub prompts: usize,
}

impl SessionState {
    /// Computes the state from `events`.
    pub fn of(events: &[SessionEvent]) -> Self {
        let mut state = Self::default();
        events.iter().for_each(|event| state.apply(event));
        state
    }

    /// Changes the state by what happened in `event`.
    fn apply(&mut self, event: &SessionEvent) {
        match event {
            SessionEvent::Started { source, .. } if source == "clear" => *self = Self::default(),
            SessionEvent::Started { source, keys, .. } if source == "compact" => {
                // What the note of the compaction held stays in the conversation.
                let noted = if self.is_noted { std::mem::take(&mut self.shown) } else { HashSet::new() };
                self.forget_conversation(false);
                self.shown.extend(noted.into_iter().chain(keys.iter().cloned()));
            }
            SessionEvent::Started { .. } => {}
            SessionEvent::Turn { answer, .. } => {
                self.mark_answered();
                self.last_answer.clone_from(answer);
                self.tells_ends = true;
                // Only once per turn, even if its end is reported several times.
                self.files_of_last_prompt.clear();
                self.tools_of_turn.clear();
            }
            SessionEvent::Compacted { is_noted, keys } => {
                self.forget_conversation(*is_noted);
                self.shown.extend(keys.iter().cloned());
            }
            SessionEvent::Prompted { keys, files, prompt, sketch, at, .. } => {
                self.goes_on |= keys.iter().any(|key| key == CONTINUATION_KEY);
                // An interrupted prompt may be sent again in other words. If this is another prompt, the last one
                // was answered.
                if !is_rewording(self.sketch, *sketch) {
                    self.shown.extend(self.shown_last.drain());
                }
                self.sketch = *sketch;
                let keys = keys.iter().cloned();
                match self.tells_ends {
                    true => self.shown_last = keys.collect(),
                    false => self.shown.extend(keys),
                }
                self.files_of_last_prompt.clone_from(files);
                self.tools_of_turn.clear();
                self.prompts += 1;
                self.unanswered = Some((prompt.clone(), *at));
            }
            SessionEvent::Done { todos } => {
                self.mark_answered();
                let is_ticked = |item: &LedgerItem| todos.iter().any(|done| is_same_text(done, &item.text));
                let is_done = |item: &LedgerItem| item.kind == LedgerKind::Todo && is_ticked(item);
                self.ledger.retain(|item| !is_done(item));
            }
            SessionEvent::Tool(tool) => {
                self.mark_answered();
                self.has_work = true;
                if tool.purpose == ToolPurpose::Change {
                    add_new(&mut self.changed_files, &tool.paths);
                }
                add_new(&mut self.symbols, &tool.symbols);
                self.tools_of_turn.push(tool.clone());
            }
            SessionEvent::Ledger { items } => {
                self.mark_answered();
                self.has_work = true;
                for item in items {
                    if !self.ledger.iter().any(|known| known.states_same(item)) {
                        self.ledger.push(item.clone());
                    }
                }
            }
        }
    }

    /// Resets what the model has seen, after the conversation was replaced by a summary.
    fn forget_conversation(&mut self, is_noted: bool) {
        (self.shown, self.prompts, self.is_noted) = (HashSet::new(), 0, is_noted);
        self.shown_last.clear();
        self.files_of_last_prompt.clear();
        self.unanswered = None;
    }

    /// Keys of the context that the model has seen when it gets a prompt with the sketch `sketch` (see
    /// [`prompt_sketch`]).
    pub fn shown_before(&self, sketch: u64) -> HashSet<String> {
        let last = (!is_rewording(self.sketch, sketch)).then_some(&self.shown_last);
        self.shown.iter().chain(last.into_iter().flatten()).cloned().collect()
    }

    /// Marks the context of the last prompt as seen by the model.
    fn mark_answered(&mut self) {
        self.shown.extend(self.shown_last.drain());
        self.unanswered = None;
    }

    /// Whether a file shown for the last prompt was read, changed or named since. `None` if no file was shown, or if no
    /// tool used one and the answer is unknown.
    pub fn has_helped(&self, answer: Option<&str>) -> Option<bool> {
        if self.files_of_last_prompt.is_empty() {
            return None;
        }
        let is_used = |file: &String| {
            let is_path = |path: &String| path == file || path.ends_with(&format!("/{file}"));
            self.tools_of_turn.iter().any(|tool| tool.paths.iter().any(is_path))
        };
        if self.files_of_last_prompt.iter().any(is_used) {
            return Some(true);
        }
        // People and models often name a file only by its last component.
        let is_named = |answer: &str| {
            let name = |file: &String| file.rsplit('/').next().is_some_and(|name| answer.contains(name));
            self.files_of_last_prompt.iter().any(name)
        };
        answer.map(is_named)
    }
}

fn add_new<T: PartialEq + Clone>(known: &mut Vec<T>, items: &[T]) {
    for item in items {
        if !known.contains(item) {
            known.push(item.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWERED: SessionEvent = SessionEvent::Turn { helped: None, answer: String::new() };
    const COMPACTED: SessionEvent = SessionEvent::Compacted { is_noted: false, keys: Vec::new() };

    fn prompted(key: &str) -> SessionEvent {
        SessionEvent::Prompted {
            keys: vec![key.to_owned()],
            files: vec![format!("src/{key}.rs")],
            tokens: 10,
            prompt: key.to_owned(),
            sketch: 0,
            at: UnixMillis(0),
        }
    }

    fn tool_event(purpose: ToolPurpose, path: &str) -> SessionEvent {
        SessionEvent::Tool(ToolUse {
            tool: "x".to_owned(),
            purpose,
            paths: vec![path.to_owned()],
            symbols: Vec::new(),
            tokens: 5,
        })
    }

    #[test]
    fn what_is_appended_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let session = Session::new(&directory.path().join("sessions"), "../../etc/passwd");
        assert_eq!(session.events(), []);
        session.append(&prompted("a")).unwrap();
        session.append(&COMPACTED).unwrap();
        assert_eq!(session.events(), [prompted("a"), COMPACTED]);
        assert_eq!(Session::latest(&directory.path().join("sessions")), Some(session.clone()));
        assert_eq!(Session::count(&directory.path().join("sessions")), 1);
        assert_eq!(Session::clear_all(&directory.path().join("sessions")).unwrap(), 1);
        assert_eq!(session.events(), []);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_it() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let session = Session::new(&directory.path().join("sessions"), "s");
        session.append(&prompted("a")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&session.path), mode(session.path.parent().unwrap())), (0o600, 0o700));
    }

    #[test]
    fn what_a_killed_hook_left_is_skipped() {
        let directory = tempfile::tempdir().unwrap();
        let session = Session::new(directory.path(), "s");
        session.append(&prompted("a")).unwrap();
        let mut file = File::options().append(true).open(&session.path).unwrap();
        file.write_all(b"{\"event\":\"prompted\",\"ke\xff").unwrap();
        session.append(&prompted("b")).unwrap();
        assert_eq!(session.events(), [prompted("a"), prompted("b")]);
    }

    #[test]
    fn a_record_takes_no_more_than_its_size() {
        let directory = tempfile::tempdir().unwrap();
        let session = Session::new(directory.path(), "s");
        let almost = RECORD_BYTES_MOST - 10;
        fs::write(&session.path, vec![b'\n'; usize::try_from(almost).unwrap()]).unwrap();
        session.append(&prompted("a")).unwrap();
        assert_eq!(fs::metadata(&session.path).unwrap().len(), almost);
        fs::write(&session.path, vec![b'\n'; usize::try_from(RECORD_BYTES_MOST - RESERVED_BYTES).unwrap()]).unwrap();
        session.append(&tool_event(ToolPurpose::Explore, "a")).unwrap();
        session.append(&prompted("a")).unwrap();
        assert_eq!(session.events(), [prompted("a")], "what was shown has room left");
    }

    #[test]
    fn the_oldest_go_first() {
        let directory = tempfile::tempdir().unwrap();
        for number in 0..SESSIONS_KEPT + 3 {
            fs::write(directory.path().join(format!("{number:016x}.{ENDING}")), "").unwrap();
        }
        fs::write(directory.path().join("prior.json"), "{}").unwrap();
        assert_eq!((Session::prune(directory.path()), Session::prune(directory.path())), (3, 0));
    }

    #[test]
    fn what_was_shown_is_forgotten_with_the_conversation() {
        let state = SessionState::of(&[prompted("a"), ANSWERED, prompted("b"), ANSWERED]);
        assert_eq!((state.shown.len(), state.prompts), (2, 2));
        let state = SessionState::of(&[prompted("a"), ANSWERED, prompted("b")]);
        assert_eq!(state.files_of_last_prompt, ["src/b.rs"]);
        let compact_start = SessionEvent::Started {
            source: "compact".to_owned(),
            text: String::new(),
            keys: Vec::new(),
            at: UnixMillis(0),
        };
        for compacted in [COMPACTED, compact_start] {
            let state = SessionState::of(&[prompted("a"), ANSWERED, compacted]);
            assert_eq!((state.shown.len(), state.prompts), (0, 0));
        }
    }

    #[test]
    fn what_came_with_a_prompt_that_was_never_answered_was_not_read() {
        let state = SessionState::of(&[prompted("a"), ANSWERED, prompted("b"), prompted("c")]);
        assert_eq!(state.shown, HashSet::from(["a".to_owned()]));
        assert_eq!(state.unanswered, Some(("c".to_owned(), UnixMillis(0))));
        let state = SessionState::of(&[prompted("a"), ANSWERED, prompted("b"), tool_event(ToolPurpose::Explore, "x")]);
        assert_eq!((state.shown.len(), state.unanswered), (2, None));
        let state = SessionState::of(&[prompted("a"), prompted("b")]);
        assert_eq!(state.shown.len(), 2, "nobody tells whether the first was answered");
    }

    #[test]
    fn what_came_with_another_prompt_that_was_typed_meanwhile_was_read() {
        let of = |key: &str, text: &str| match prompted(key) {
            SessionEvent::Prompted { keys, files, tokens, prompt, at, .. } => {
                SessionEvent::Prompted { keys, files, tokens, prompt, at, sketch: prompt_sketch(text) }
            }
            other => other,
        };
        let first = of("a", "why does the login of a session fail after thirty days");
        let before = SessionState::of(&[ANSWERED, first.clone()]);
        assert_eq!(before.shown_before(prompt_sketch("how are pages rendered to markup")).len(), 1);
        let shown = |next: SessionEvent| SessionState::of(&[ANSWERED, first.clone(), next]).shown.len();
        assert_eq!(shown(of("b", "why does the login of my session fail after thirty days?")), 0);
        assert_eq!(shown(of("b", "how are pages rendered to markup")), 1);
    }

    #[test]
    fn things_that_are_done_are_no_longer_to_do() {
        let todo = |text: &str| LedgerItem { kind: LedgerKind::Todo, text: text.to_owned(), confidence: 1.0 };
        let stated = SessionEvent::Ledger { items: vec![todo("a"), todo("b")] };
        let state = SessionState::of(&[stated, SessionEvent::Done { todos: vec!["a".to_owned()] }]);
        assert_eq!(state.ledger, [todo("b")]);
    }

    #[test]
    fn what_was_shown_helped_where_it_was_used_or_named() {
        let check = |events: &[SessionEvent], answer| SessionState::of(events).has_helped(Some(answer));
        assert_eq!(check(&[], "src/a.rs"), None);
        assert_eq!(SessionState::of(&[prompted("a")]).has_helped(None), None, "the answer is not known");
        let read = tool_event(ToolPurpose::Explore, "src/a.rs");
        assert_eq!(SessionState::of(&[prompted("a"), read]).has_helped(None), Some(true));
        let told = SessionState::of(&[prompted("a"), ANSWERED]);
        assert_eq!(told.has_helped(Some("src/a.rs")), None, "a turn is learned from once");
        assert_eq!(check(&[prompted("a")], "nothing"), Some(false));
        assert_eq!(check(&[prompted("a")], "see src/a.rs:3"), Some(true));
        assert_eq!(check(&[prompted("a")], "see `a.rs`"), Some(true));
        assert_eq!(check(&[prompted("a"), tool_event(ToolPurpose::Explore, "/r/src/a.rs")], ""), Some(true));
        assert_eq!(check(&[prompted("a"), tool_event(ToolPurpose::Explore, "/r/xsrc/a.rs")], ""), Some(false));
        assert_eq!(check(&[tool_event(ToolPurpose::Explore, "/r/src/a.rs"), prompted("a")], ""), Some(false));
    }

    #[test]
    fn what_two_answers_state_is_stated_once() {
        let stated = |confidence| SessionEvent::Ledger {
            items: vec![LedgerItem { kind: crate::LedgerKind::Todo, text: "measure it".to_owned(), confidence }],
        };
        assert_eq!(SessionState::of(&[stated(1.0), stated(0.9)]).ledger.len(), 1);
    }

    #[test]
    fn changed_files_are_listed_once() {
        let events = [
            tool_event(ToolPurpose::Change, "a"),
            tool_event(ToolPurpose::Explore, "b"),
            tool_event(ToolPurpose::Change, "a"),
        ];
        assert_eq!(SessionState::of(&events).changed_files, ["a"]);
    }
}
