//! Groups events by session.

use std::collections::BTreeMap;
use std::time::SystemTime;

use crate::{CallRecord, FileAccess, FileEdit, TraceEvent};

/// The events of one session, calls in the order of their starts.
#[derive(Debug, Default)]
pub(super) struct Session<'a> {
    pub(super) calls: Vec<&'a CallRecord>,
    pub(super) opened: Vec<&'a FileAccess>,
    pub(super) changed: Vec<&'a FileEdit>,
}

impl Session<'_> {
    /// When the first event of the session happened; `None` if it has none.
    pub(super) fn started_at(&self) -> Option<SystemTime> {
        let calls = self.calls.iter().map(|call| call.started_at);
        let opened = self.opened.iter().map(|opened| opened.at);
        let changed = self.changed.iter().map(|changed| changed.at);
        calls.chain(opened).chain(changed).min()
    }
}

/// The sessions of `events`, by name. Events without a session are left out, and so is [`TraceEvent::SeenCall`], which
/// only tells which session a call belongs to.
pub(super) fn sessions<'a>(events: impl IntoIterator<Item = &'a TraceEvent>) -> BTreeMap<&'a str, Session<'a>> {
    let mut sessions: BTreeMap<&str, Session<'a>> = BTreeMap::new();
    for event in events {
        let Some(name) = event.session() else { continue };
        match event {
            TraceEvent::Call(call) => sessions.entry(name).or_default().calls.push(call),
            TraceEvent::Opened(opened) => sessions.entry(name).or_default().opened.push(opened),
            TraceEvent::Changed(changed) => sessions.entry(name).or_default().changed.push(changed),
            TraceEvent::SeenCall(_) => {}
        }
    }
    for session in sessions.values_mut() {
        session.calls.sort_by_key(|call| (call.started_at, call.id));
    }
    sessions
}
