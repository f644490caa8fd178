//! What a user pinned, in searches and packs.

use icr_model::Moment;
use icr_pack::PinRank;

use crate::memory::live_pins;
use crate::packing::pack::pack;
use crate::search::search;

use super::{PackAnswer, PackRequest};
use crate::{Error, SearchRequest, SearchResults, Snapshot};

/// Lines that a user pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive; lines past the end of the file are left out.
    pub end_line: u32,
    /// Where they stand among other pins.
    pub rank: PinRank,
}

impl Pin {
    /// All lines of a file.
    pub fn of_file(path: String, rank: PinRank) -> Self {
        Self { path, start_line: 1, end_line: u32::MAX, rank }
    }
}

/// The live pins of the clone, in their order, each as all lines of its file, whatever that is in this view.
///
/// # Errors
///
/// [`Error::Memory`].
pub fn pins(snapshot: &Snapshot, now: Moment) -> Result<Vec<Pin>, Error> {
    let pin = |pin: icr_memory::Pin| {
        let rank = PinRank { priority: pin.priority.number(), pinned_at: pin.pinned_at };
        Pin::of_file(pin.path.to_string(), rank)
    };
    Ok(live_pins(snapshot, now)?.into_iter().map(pin).collect())
}

/// What [`crate::search()`] finds with the live pins of the clone besides those of the request. Pins that cannot be
/// read are left out: a search is as good without.
///
/// # Errors
///
/// As [`crate::search()`].
pub fn search_with_pins(snapshot: &Snapshot, request: &SearchRequest, now: Moment) -> Result<SearchResults, Error> {
    let mut request = request.clone();
    match pins(snapshot, now) {
        Ok(pins) => request.pinned.extend(pins.into_iter().map(|pin| pin.path)),
        Err(error) => tracing::debug!(%error, "a search without pins"),
    }
    search(snapshot, &request)
}

/// The pack for `request` with the live pins of the clone besides its own. Where the kept pins cannot be read,
/// a warning says so and the rest is packed, unless only pins were asked for.
///
/// # Errors
///
/// As [`crate::pack`]; [`Error::Memory`] where only pins were asked for.
pub fn pack_with_pins(snapshot: &Snapshot, request: &PackRequest, now: Moment) -> Result<PackAnswer, Error> {
    let mut request = request.clone();
    let problem = match pins(snapshot, now) {
        Ok(pins) => {
            request.pins.extend(pins);
            None
        }
        Err(error) if !request.pinned_only => Some(format!("what is pinned is left out: {error}")),
        Err(error) => return Err(error),
    };
    let mut answer = pack(snapshot, &request)?;
    answer.warnings.extend(problem);
    Ok(answer)
}
