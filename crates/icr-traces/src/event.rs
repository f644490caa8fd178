//! The events that are recorded.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::{CallRecord, moments};

/// An event of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TraceEvent {
    /// icr was called and has answered.
    Call(Box<CallRecord>),
    /// A file was read, or files were searched.
    Opened(FileAccess),
    /// A file was changed.
    Changed(FileEdit),
    /// An agent's hook reported that the agent called icr.
    SeenCall(SeenCall),
}

/// Lines of a file, from 1, first and last line included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessedLines {
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

/// A read of a file, or a search for files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileAccess {
    /// When it happened.
    #[serde(rename = "time_ms", with = "moments::milliseconds")]
    pub at: SystemTime,
    /// Session of the access.
    pub session: String,
    /// Id of the repository.
    pub repo_id: String,
    /// Path in the repository; `None` for an access that read no file, such as a search for names.
    pub path: Option<String>,
    /// The lines that were read; `None` for all of them.
    pub lines: Option<AccessedLines>,
    /// Name of the tool: `Read`, `Grep`, `Bash`, or a tool of icr.
    pub by: String,
    /// Whether it counts as one exploring call that the agent made without icr. If one call opened several files, only
    /// one of its accesses counts.
    pub manual: bool,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEdit {
    /// When it happened.
    #[serde(rename = "time_ms", with = "moments::milliseconds")]
    pub at: SystemTime,
    /// Session of the change.
    pub session: String,
    /// Id of the repository.
    pub repo_id: String,
    /// Path in the repository.
    pub path: String,
}

/// A call of icr that an agent's hook reported right after the answer. It tells the session of the call. See
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
    /// Name of the icr tool; `None` for a shell command.
    pub tool: Option<String>,
}

impl FileAccess {
    /// An access to a whole file that icr read for an agent.
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
    /// When the event happened; for a call, when it began.
    pub fn at(&self) -> SystemTime {
        match self {
            Self::Call(call) => call.started_at,
            Self::Opened(opened) => opened.at,
            Self::Changed(changed) => changed.at,
            Self::SeenCall(seen) => seen.at,
        }
    }

    /// Session of the event.
    pub fn session(&self) -> Option<&str> {
        match self {
            Self::Call(call) => call.session.as_deref(),
            Self::Opened(opened) => Some(&opened.session),
            Self::Changed(changed) => Some(&changed.session),
            Self::SeenCall(seen) => Some(&seen.session),
        }
    }

    /// Id of the repository that the event is about.
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
