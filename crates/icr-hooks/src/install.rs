//! Putting hooks in.

use std::path::Path;

use crate::report::report;
use crate::{Error, HookEvent, HooksPlace, HooksReach, HooksReport};

/// What to put in.
#[derive(Debug, Clone, Copy)]
pub struct InstallRequest<'a> {
    /// The events.
    pub events: &'a [&'static HookEvent],
    /// The icr that scripts run when none is on the path.
    pub icr: &'a Path,
    /// Also where hooks concern others than this clone.
    pub force: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// Puts a script for each event where git looks for hooks. A hook that is there already is kept byte for byte beside it and run first;
/// a script of an earlier version is written anew. What others write, or wrote into ours, is left alone: the report says which and what to do.
/// Doing it twice is doing it once.
///
/// # Errors
///
/// [`Error::LinkOut`] where a link in the repository leads out of it; [`Error::NotOurs`] where hooks concern others or lie outside of the repository, unless forced; [`Error::Io`] when a file cannot be written. What was put
/// in before the error stays.
pub fn install(place: &HooksPlace, request: &InstallRequest<'_>) -> Result<HooksReport, Error> {
    place.refuse_link()?;
    // A manager of hooks writes into the project, and nowhere else.
    if !request.force && (place.manager.is_none() || place.reach == HooksReach::Outside) {
        place.refuse_others()?;
    }
    report(place, request.events.iter().copied(), |slot| {
        let takes = slot.takes(request.icr);
        if takes && !request.dry_run {
            slot.fill(request.icr)?;
        }
        Ok(takes)
    })
}
