//! What lies where git looks for hooks, event by event.

use std::path::Path;

use serde::Serialize;

use crate::managers::HookIntegration;
use crate::script::HookFileKind;
use crate::slot::Slot;
use crate::{EVENTS, Error, HookEvent, HooksPlace, HooksReach};

/// What lies where git looks for hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HooksReport {
    /// The directory.
    pub directory: String,
    /// Whom hooks there concern.
    pub reach: HooksReach,
    /// Each event of icr, by name.
    pub events: Vec<EventReport>,
}

/// The hook of one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EventReport {
    /// The event.
    pub event: &'static str,
    /// What lies there.
    pub state: HookState,
    /// The file of icr, or where it would lie.
    pub file: String,
    /// The hook that was there before, which runs first.
    pub runs_first: Option<String>,
    /// The icr that the script falls back to when none is on the path.
    pub icr: Option<String>,
    /// The program that writes hooks here, or runs ours.
    pub manager: Option<&'static str>,
    /// What to write where, so that the manager runs icr.
    pub advice: Option<Advice>,
    /// Whether this call changed it; under a dry run, whether it would.
    pub changed: bool,
}

/// A line for the configuration of another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// The file, relative to the root of the worktree.
    pub file: String,
    /// The line.
    pub line: String,
}

/// What lies in the place of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookState {
    /// Nothing.
    Absent,
    /// Somebody else's hook; an install keeps it and runs it first.
    Foreign,
    /// Ours.
    Installed,
    /// Ours, and the hook that was there before, which runs first.
    Chained,
    /// Ours, of another version; an install writes it anew.
    Outdated,
    /// Ours, with changes that somebody made; it is left alone.
    Changed,
    /// A place that another program writes; it is left alone.
    Managed,
    /// Somebody else's hook, which was put over ours: the one before ours still lies beside it. Both are left alone.
    Replaced,
}

impl HookState {
    /// Whether icr hears of the event.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Installed | Self::Chained | Self::Outdated | Self::Changed)
    }
}

/// What lies in `place`. Changes nothing.
///
/// # Errors
///
/// [`Error::Io`] when a hook cannot be read.
pub fn status(place: &HooksPlace) -> Result<HooksReport, Error> {
    report(place, EVENTS.iter(), |_| Ok(false))
}

/// The state of `events` after `act`, which says whether it changed anything.
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
        icr,
        manager: slot.manager.map(|manager| manager.name),
        advice,
        changed: false,
    }
}

fn display_path(path: &Path) -> String {
    path.display().to_string()
}
