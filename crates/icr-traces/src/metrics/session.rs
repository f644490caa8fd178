//! Events by session.

use std::collections::BTreeMap;
use std::time::SystemTime;

use crate::{Call, Changed, Event, Opened};

/// The events of one session, calls in the order of their begins.
#[derive(Debug, Default)]
pub(super) struct Session<'a> {
    pub(super) calls: Vec<&'a Call>,
    pub(super) opened: Vec<&'a Opened>,
    pub(super) changed: Vec<&'a Changed>,
}

impl Session<'_> {
    /// When its first event happened; `None` where there is none.
    pub(super) fn started_at(&self) -> Option<SystemTime> {
        let calls = self.calls.iter().map(|call| call.started_at);
        let opened = self.opened.iter().map(|opened| opened.at);
        let changed = self.changed.iter().map(|changed| changed.at);
        calls.chain(opened).chain(changed).min()
    }
}

/// The sessions of `events`, by name. What belongs to none is left out, and so is [`Event::SeenCall`], which only says
/// what belongs together.
pub(super) fn sessions<'a>(events: impl IntoIterator<Item = &'a Event>) -> BTreeMap<&'a str, Session<'a>> {
    let mut sessions: BTreeMap<&str, Session<'a>> = BTreeMap::new();
    for event in events {
        let Some(name) = event.session() else { continue };
        match event {
            Event::Call(call) => sessions.entry(name).or_default().calls.push(call),
            Event::Opened(opened) => sessions.entry(name).or_default().opened.push(opened),
            Event::Changed(changed) => sessions.entry(name).or_default().changed.push(changed),
            Event::SeenCall(_) => {}
        }
    }
    for session in sessions.values_mut() {
        session.calls.sort_by_key(|call| (call.started_at, call.id));
    }
    sessions
}
