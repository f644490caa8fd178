//! Installing hooks.

use std::path::Path;

use crate::report::report;
use crate::{Error, HookEvent, HooksPlace, HooksReach, HooksReport};

/// What to install.
#[derive(Debug, Clone, Copy)]
pub struct InstallRequest<'a> {
    /// The events.
    pub events: &'a [&'static HookEvent],
    /// Path of the icr binary that scripts run if `PATH` contains none.
    pub icr: &'a Path,
    /// Whether to install even if the hooks affect others than this clone.
    pub force: bool,
    /// Whether to only report what would be done.
    pub dry_run: bool,
}

/// Installs a script for each event where git looks for hooks. An existing hook is kept unchanged beside it and runs
/// first; a script of an earlier version is replaced. Hooks of other programs, and scripts of icr that somebody edited,
/// are left alone; the report names them and says what to do. Installing again changes nothing.
///
/// # Errors
///
/// [`Error::LinkOut`] when a link in the repository leads out of it; [`Error::NotOurs`] when hooks affect others or are
/// outside of the repository, unless forced; [`Error::Io`] when a file cannot be written. Hooks that were installed
/// before the error stay.
pub fn install(place: &HooksPlace, request: &InstallRequest<'_>) -> Result<HooksReport, Error> {
    place.refuse_link()?;
    // A hook manager writes into the project and nowhere else.
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
