//! What happened in a session of an agent, from hook to hook: each is a process of its own.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use icr_model::Digest64;
use serde::{Deserialize, Serialize};

use crate::LedgerItem;

/// Size above which nothing is appended any more, in bytes: some thousand events, a long day's work.
const MOST_BYTES: u64 = 1 << 20;

/// Sessions that are kept of one repository; the oldest go first.
const SESSIONS_KEPT: usize = 200;

/// Ending of the files.
const ENDING: &str = "jsonl";

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum SessionEvent {
    /// The session began, went on or began anew.
    Started {
        /// `startup`, `resume`, `clear`, `compact`.
        source: String,
        /// What was shown.
        #[serde(default)]
        text: String,
    },
    /// A prompt was answered with context, or with nothing.
    Prompted {
        /// What tells the lines that were shown from others.
        keys: Vec<String>,
        /// Files that were named as places to look.
        files: Vec<String>,
        /// Model tokens of what was shown.
        tokens: u32,
    },
    /// A tool was used.
    Tool(ToolUse),
    /// An answer had a ledger.
    Ledger {
        /// What stood in it.
        items: Vec<LedgerItem>,
    },
    /// A turn ended after context was shown.
    Turn {
        /// Whether a file that was shown was read, changed or named.
        helped: bool,
    },
    /// The conversation was replaced by a summary: what was shown before is no longer read by the model.
    Compacted,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// Its name.
    pub tool: String,
    /// What it was for.
    pub purpose: ToolPurpose,
    /// Files that it was called with, as they were named.
    pub paths: Vec<String>,
    /// Definitions that it was called with.
    #[serde(default)]
    pub symbols: Vec<String>,
    /// Model tokens that it answered.
    pub tokens: u32,
}

/// What a tool is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolPurpose {
    /// To look for something or read it.
    Explore,
    /// To change a file.
    Change,
    /// To ask icr.
    AskIcr,
    /// Anything else.
    Other,
}

/// The record of one session: a file of lines, one event each, which are only ever appended.
///
/// What a killed hook left half written is skipped. No lock is taken: a line is one write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    path: PathBuf,
}

impl Session {
    /// The record of the session that its host calls `session_id`, below `directory`, which belongs to one repository. Touches nothing.
    pub fn new(directory: &Path, session_id: &str) -> Self {
        // A host may name a session anything.
        let digest = Digest64::default().with(session_id.as_bytes()).finish();
        Self { path: directory.join(format!("{digest:016x}.{ENDING}")) }
    }

    /// What happened, in order; what cannot be read has not happened. Cost: one read of at most 1 MiB.
    pub fn events(&self) -> Vec<SessionEvent> {
        let mut text = Vec::new();
        let file = opened(File::options().read(true), &self.path);
        let read = file.and_then(|file| file.take(2 * MOST_BYTES).read_to_end(&mut text));
        if read.is_err() {
            return Vec::new();
        }
        text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    /// Adds `event`. The file is readable by its owner only, as are the directories that are made for it.
    ///
    /// # Errors
    ///
    /// Those of the file system; a record of 1 MiB takes no more and is no error.
    pub fn append(&self, event: &SessionEvent) -> io::Result<()> {
        if let Some(directory) = self.path.parent() {
            create_private_directory(directory)?;
        }
        let mut file = opened(File::options().append(true).create(true), &self.path)?;
        if file.metadata()?.len() >= MOST_BYTES {
            return Ok(());
        }
        // A half line before it would take this one with it.
        let line = format!("\n{}\n", serde_json::to_string(event).map_err(io::Error::other)?);
        file.write_all(line.as_bytes())
    }

    /// Keeps other hooks of the session waiting until what is returned is dropped: two that were called for the same prompt are not to say the same.
    /// Waits as long as another holds it.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn lock(&self) -> io::Result<impl Sized + use<>> {
        if let Some(directory) = self.path.parent() {
            create_private_directory(directory)?;
        }
        let file = opened(File::options().append(true).create(true), &self.path)?;
        file.lock()?;
        Ok(file)
    }

    /// Forgets what happened.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn clear(&self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// The one below `directory` that was written last.
    pub fn latest(directory: &Path) -> Option<Self> {
        records(directory).pop().map(|(_, path)| Self { path })
    }

    /// Removes the oldest below `directory`, so that 200 stay. Returns how many went. Of what cannot be removed nothing is said.
    pub fn prune(directory: &Path) -> usize {
        let records = records(directory);
        let superfluous = records.len().saturating_sub(SESSIONS_KEPT);
        records[..superfluous].iter().filter(|(_, path)| fs::remove_file(path).is_ok()).count()
    }

    /// How many there are below `directory`.
    pub fn count(directory: &Path) -> usize {
        records(directory).len()
    }

    /// Removes all below `directory`. Returns how many went.
    ///
    /// # Errors
    ///
    /// The first of the file system.
    pub fn clear_all(directory: &Path) -> io::Result<usize> {
        let records = records(directory);
        records.iter().try_for_each(|(_, path)| Self { path: path.clone() }.clear())?;
        Ok(records.len())
    }
}

/// The ordinary file at `path`, made for its owner only where `options` say so. A link is not followed, and a pipe in its place is an error and
/// waits for nobody.
pub(crate) fn opened(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no ordinary file")),
    }
}

/// The records below a directory, the one written last at the end.
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

/// What a session has come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionState {
    /// What the model has read of icr: a later prompt is not given it again.
    pub shown: HashSet<String>,
    /// Files that the last prompt was shown.
    pub files_of_last_prompt: Vec<String>,
    /// Tools used since the last prompt.
    pub tools_of_turn: Vec<ToolUse>,
    /// Files that were changed, in order, each once.
    pub changed_files: Vec<String>,
    /// Definitions that were asked about, in order, each once.
    pub symbols: Vec<String>,
    /// What stood in ledgers, in order.
    pub ledger: Vec<LedgerItem>,
    /// Prompts since the session began, or began anew after a compaction.
    pub prompts: usize,
}

impl SessionState {
    /// What `events` come to.
    pub fn of(events: &[SessionEvent]) -> Self {
        let mut state = Self::default();
        for event in events {
            match event {
                SessionEvent::Started { source, .. } if source == "clear" => state = Self::default(),
                SessionEvent::Started { .. } | SessionEvent::Turn { .. } => {}
                SessionEvent::Compacted => {
                    (state.shown, state.prompts) = (HashSet::new(), 0);
                    state.files_of_last_prompt.clear();
                }
                SessionEvent::Prompted { keys, files, .. } => {
                    state.shown.extend(keys.iter().cloned());
                    state.files_of_last_prompt.clone_from(files);
                    state.tools_of_turn.clear();
                    state.prompts += 1;
                }
                SessionEvent::Tool(tool) => {
                    if tool.purpose == ToolPurpose::Change {
                        add_new(&mut state.changed_files, &tool.paths);
                    }
                    add_new(&mut state.symbols, &tool.symbols);
                    state.tools_of_turn.push(tool.clone());
                }
                SessionEvent::Ledger { items } => add_new(&mut state.ledger, items),
            }
        }
        state
    }

    /// Whether a file of the last prompt was read, changed or named since; `None` where none was shown.
    pub fn helped(&self, answer: &str) -> Option<bool> {
        if self.files_of_last_prompt.is_empty() {
            return None;
        }
        let is_used = |file: &String| {
            let is_path = |path: &String| path == file || path.ends_with(&format!("/{file}"));
            let name = file.rsplit('/').next().unwrap_or(file);
            // People and models name a file by its last part where that says enough.
            answer.contains(name) || self.tools_of_turn.iter().any(|tool| tool.paths.iter().any(is_path))
        };
        Some(self.files_of_last_prompt.iter().any(is_used))
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

    fn prompted(key: &str) -> SessionEvent {
        SessionEvent::Prompted { keys: vec![key.to_owned()], files: vec![format!("src/{key}.rs")], tokens: 10 }
    }

    fn used(purpose: ToolPurpose, path: &str) -> SessionEvent {
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
        session.append(&SessionEvent::Compacted).unwrap();
        assert_eq!(session.events(), [prompted("a"), SessionEvent::Compacted]);
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
        fs::write(&session.path, vec![b'\n'; MOST_BYTES as usize]).unwrap();
        session.append(&prompted("a")).unwrap();
        assert_eq!(fs::metadata(&session.path).unwrap().len(), MOST_BYTES);
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
        let state = SessionState::of(&[prompted("a"), prompted("b")]);
        assert_eq!((state.shown.len(), state.prompts), (2, 2));
        assert_eq!(state.files_of_last_prompt, ["src/b.rs"]);
        let state = SessionState::of(&[prompted("a"), SessionEvent::Compacted]);
        assert_eq!((state.shown.len(), state.prompts), (0, 0));
    }

    #[test]
    fn what_was_shown_helped_where_it_was_used_or_named() {
        let check = |events: &[SessionEvent], answer| SessionState::of(events).helped(answer);
        assert_eq!(check(&[], "src/a.rs"), None);
        assert_eq!(check(&[prompted("a")], "nothing"), Some(false));
        assert_eq!(check(&[prompted("a")], "see src/a.rs:3"), Some(true));
        assert_eq!(check(&[prompted("a")], "see `a.rs`"), Some(true));
        assert_eq!(check(&[prompted("a"), used(ToolPurpose::Explore, "/r/src/a.rs")], ""), Some(true));
        assert_eq!(check(&[prompted("a"), used(ToolPurpose::Explore, "/r/xsrc/a.rs")], ""), Some(false));
        assert_eq!(check(&[used(ToolPurpose::Explore, "/r/src/a.rs"), prompted("a")], ""), Some(false));
    }

    #[test]
    fn changed_files_are_listed_once() {
        let events = [used(ToolPurpose::Change, "a"), used(ToolPurpose::Explore, "b"), used(ToolPurpose::Change, "a")];
        assert_eq!(SessionState::of(&events).changed_files, ["a"]);
    }
}
