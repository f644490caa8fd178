//! The state of the hooks directory, event by event.

use std::path::Path;

use serde::Serialize;

use crate::managers::HookIntegration;
use crate::script::HookFileKind;
use crate::slot::Slot;
use crate::{EVENTS, Error, HookEvent, HooksPlace, HooksReach};

/// The state of the hooks directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HooksReport {
    /// The hooks directory.
    pub directory: String,
    /// Whom hooks there affect.
    pub reach: HooksReach,
    /// The events of icr, by name.
    pub events: Vec<EventReport>,
}

/// The hook of one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EventReport {
    /// The event.
    pub event: &'static str,
    /// State of the hook.
    pub state: HookState,
    /// Path of icr's script, whether or not it exists.
    pub file: String,
    /// Path of the hook that existed before, which runs first.
    pub runs_first: Option<String>,
    /// Path of a former hook that is not executable: git does not run it, and neither does icr.
    pub not_executable: Option<String>,
    /// The icr binary that the script falls back to if `PATH` contains none.
    pub icr: Option<String>,
    /// The hook manager that writes hooks here, or runs those of icr.
    pub manager: Option<&'static str>,
    /// What to add to the manager's configuration so that it runs icr.
    pub advice: Option<Advice>,
    /// Whether this call changed the hook; in a dry run, whether it would.
    pub changed: bool,
}

/// A line for the configuration of another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// The file, relative to the root of the worktree.
    pub file: String,
    /// The line to add.
    pub line: String,
}

/// State of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookState {
    /// There is no hook.
    Absent,
    /// The script of icr was deleted. The hook that existed before icr's is still beside it, where git does not run it.
    Orphaned,
    /// A hook of somebody else; an install keeps it and runs it first.
    Foreign,
    /// The script of icr.
    Installed,
    /// The script of icr, and the hook that existed before, which runs first if it is executable.
    Chained,
    /// A script of another icr version; an install replaces it.
    Outdated,
    /// A script of icr that somebody edited; it is left alone.
    Changed,
    /// A hook manager writes this file; it is left alone.
    Managed,
    /// A hook of somebody else that replaced the script of icr. The hook that existed before icr's is still beside it.
    /// Both are left alone.
    Replaced,
}

impl HookState {
    /// Whether icr is run at the event.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Installed | Self::Chained | Self::Outdated | Self::Changed)
    }
}

/// The state of the hooks in `place`. Changes nothing.
///
/// # Errors
///
/// [`Error::Io`] when a hook cannot be read.
pub fn status(place: &HooksPlace) -> Result<HooksReport, Error> {
    report(place, EVENTS.iter(), |_| Ok(false))
}

/// The state of `events` after calling `act` for each; `act` returns whether it changed anything.
pub(crate) fn report(
    place: &HooksPlace,
    events: impl Iterator<Item = &'static HookEvent>,
    mut act: impl FnMut(&Slot) -> Result<bool, Error>,
) -> Result<HooksReport, Error> {
    let events = events.map(|event| {
        let changed = act(&Slot::of(place, event)?)?;
        Ok(EventReport { changed, ..of_slot(&Slot::of(place, event)?) })
    });
    Ok(HooksReport {
        directory: display_path(&place.directory),
        reach: place.reach,
        events: events.collect::<Result<_, Error>>()?,
    })
}

pub(crate) fn of_slot(slot: &Slot) -> EventReport {
    let state = slot.state();
    let advice = slot.manager.filter(|_| state == HookState::Managed).and_then(|manager| match &manager.way {
        HookIntegration::Line { file, line } => {
            Some(Advice { file: file(slot.event.name), line: line(slot.event.name) })
        }
        HookIntegration::Beside(_) => None,
    });
    let icr = match &slot.found {
        Some(HookFileKind::Ours { icr, .. }) => Some(display_path(icr)),
        _ => None,
    };
    EventReport {
        event: slot.event.name,
        state,
        file: display_path(&slot.file),
        runs_first: slot.runs_first().map(display_path),
        not_executable: slot.not_executable().map(display_path),
        icr,
        manager: slot.manager.map(|manager| manager.name),
        advice,
        changed: false,
    }
}

fn display_path(path: &Path) -> String {
    path.display().to_string()
}
