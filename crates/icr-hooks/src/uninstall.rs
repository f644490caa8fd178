//! Removing hooks.

use crate::report::{of_slot, report};
use crate::script::HookFileKind;
use crate::slot::{Slot, with_ending};
use crate::{EVENTS, Error, HookState, HooksPlace, HooksReport};

/// Suffixes of hooks that managers run beside their own.
const BESIDE: [&str; 2] = ["", ".legacy"];

/// Removes every script of icr and restores the hooks that existed before, byte for byte. Looks in the configured hooks
/// directory and in the default one. A hook that existed before is restored even if icr's script was deleted. A script
/// that somebody edited stays, and the report says so.
///
/// # Errors
///
/// [`Error::Io`] when a file cannot be moved; hooks that were removed before the error stay removed.
pub fn uninstall(place: &HooksPlace, dry_run: bool) -> Result<HooksReport, Error> {
    let mut answer = report(place, EVENTS.iter(), |_| Ok(false))?;
    for event in &mut answer.events {
        let known = EVENTS.iter().find(|known| known.name == event.event).expect("the report has events of the table");
        let mut changed = false;
        for directory in [&place.directory, &place.usual] {
            for ending in BESIDE {
                let slot = Slot::at(known, with_ending(&directory.join(known.name), ending), None)?;
                changed |= take_out(&slot, dry_run)?;
            }
        }
        *event = of_slot(&Slot::of(place, known)?);
        event.changed = changed;
    }
    Ok(answer)
}

fn take_out(slot: &Slot, dry_run: bool) -> Result<bool, Error> {
    let is_taken = matches!(slot.found, Some(HookFileKind::Ours { .. })) || slot.state() == HookState::Orphaned;
    if is_taken && !dry_run {
        slot.restore()?;
    }
    Ok(is_taken)
}
