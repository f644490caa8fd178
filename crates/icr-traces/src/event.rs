//! What is recorded.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::{CallRecord, moments};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TraceEvent {
    /// icr was called, and the answer is there.
    Call(Box<CallRecord>),
    /// Somebody looked into a file, or for one.
    Opened(FileAccess),
    /// A file was changed.
    Changed(FileEdit),
    /// An agent's hook saw that its agent called icr.
    SeenCall(SeenCall),
}

/// Lines of a file, from 1, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessedLines {
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

/// A look into a file, or for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileAccess {
    /// When.
    #[serde(rename = "time_ms", with = "moments::milliseconds")]
    pub at: SystemTime,
    /// Session that it happened in.
    pub session: String,
    /// Id of the repository.
    pub repo_id: String,
    /// Path in the repository; `None` for a look that read no file, such as a search for names.
    pub path: Option<String>,
    /// The lines; `None` for all of them.
    pub lines: Option<AccessedLines>,
    /// Name of the tool: `Read`, `Grep`, `Bash`, or one of icr.
    pub by: String,
    /// Whether it counts as one call that the agent made by its own means. Of one call that opened several files, one
    /// counts.
    pub manual: bool,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEdit {
    /// When.
    #[serde(rename = "time_ms", with = "moments::milliseconds")]
    pub at: SystemTime,
    /// Session that it happened in.
    pub session: String,
    /// Id of the repository.
    pub repo_id: String,
    /// Path in the repository.
    pub path: String,
}

/// A call of icr as an agent's hook saw it, right after the answer: it tells which session the call was of. See
/// [`crate::join_connections`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenCall {
    /// When the hook was called.
    #[serde(rename = "time_ms", with = "moments::milliseconds")]
    pub at: SystemTime,
    /// The agent's session.
    pub session: String,
    /// Id of the repository.
    pub repo_id: String,
    /// Name of the tool of icr; `None` for a command of a shell.
    pub tool: Option<String>,
}

impl FileAccess {
    /// A whole file that icr read for an agent.
    pub fn new(
        at: SystemTime,
        session: impl Into<String>,
        repo_id: impl Into<String>,
        path: impl Into<String>,
        by: impl Into<String>,
    ) -> Self {
        let (session, repo_id, path) = (session.into(), repo_id.into(), Some(path.into()));
        Self { at, session, repo_id, path, lines: None, by: by.into(), manual: false }
    }
}

impl FileEdit {
    /// A change of `path`.
    pub fn new(
        at: SystemTime,
        session: impl Into<String>,
        repo_id: impl Into<String>,
        path: impl Into<String>,
    ) -> Self {
        Self { at, session: session.into(), repo_id: repo_id.into(), path: path.into() }
    }
}

impl TraceEvent {
    /// When it happened; a call when it began.
    pub fn at(&self) -> SystemTime {
        match self {
            Self::Call(call) => call.started_at,
            Self::Opened(opened) => opened.at,
            Self::Changed(changed) => changed.at,
            Self::SeenCall(seen) => seen.at,
        }
    }

    /// Session that it happened in.
    pub fn session(&self) -> Option<&str> {
        match self {
            Self::Call(call) => call.session.as_deref(),
            Self::Opened(opened) => Some(&opened.session),
            Self::Changed(changed) => Some(&changed.session),
            Self::SeenCall(seen) => Some(&seen.session),
        }
    }

    /// Repository that it is about.
    pub fn repo_id(&self) -> Option<&str> {
        match self {
            Self::Call(call) => call.repo_id.as_deref(),
            Self::Opened(opened) => Some(&opened.repo_id),
            Self::Changed(changed) => Some(&changed.repo_id),
            Self::SeenCall(seen) => Some(&seen.repo_id),
        }
    }
}

impl From<CallRecord> for TraceEvent {
    fn from(call: CallRecord) -> Self {
        Self::Call(Box::new(call))
    }
}

impl From<FileAccess> for TraceEvent {
    fn from(opened: FileAccess) -> Self {
        Self::Opened(opened)
    }
}

impl From<FileEdit> for TraceEvent {
    fn from(changed: FileEdit) -> Self {
        Self::Changed(changed)
    }
}

impl From<SeenCall> for TraceEvent {
    fn from(seen: SeenCall) -> Self {
        Self::SeenCall(seen)
    }
}
