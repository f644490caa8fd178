//! Pinned lines as candidates for a pack.

use crate::files::text_of;
use crate::packing::pack::pack;
use crate::search::search;
use icr_git::Membership;
use icr_model::{LineIndex, Lines};
use icr_pack::Candidate;

use super::hits::{is_contract, symbol_starts};
use super::sources::is_of_one_file;
use super::{PackAnswer, PackRequest};
use crate::search::path_of;
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
    /// When it was pinned, in seconds since the Unix epoch.
    pub pinned_at: i64,
}

impl Pin {
    /// All lines of a file.
    pub fn of_file(path: String, pinned_at: i64) -> Self {
        Self { path, start_line: 1, end_line: u32::MAX, pinned_at }
    }
}

/// The live pins of the clone, newest first, each as all lines of its file, whatever that is in this view; `now` is in
/// seconds since 1970.
///
/// # Errors
///
/// [`Error::Memory`].
pub fn pins(snapshot: &Snapshot, now: i64) -> Result<Vec<Pin>, Error> {
    let pins = snapshot.engine.live_pins(now)?.into_iter();
    Ok(pins.map(|pin| Pin::of_file(pin.path.to_string(), pin.pinned_at)).collect())
}

/// What [`crate::search()`] finds with the live pins of the clone besides those of the request; `now` is in seconds since
/// 1970. Pins that cannot be read are left out: a search is as good without.
///
/// # Errors
///
/// As [`crate::search()`].
pub fn search_with_pins(snapshot: &Snapshot, request: &SearchRequest, now: i64) -> Result<SearchResults, Error> {
    let mut request = request.clone();
    match pins(snapshot, now) {
        Ok(pins) => request.pinned.extend(pins.into_iter().map(|pin| pin.path)),
        Err(error) => tracing::debug!(%error, "a search without pins"),
    }
    search(snapshot, &request)
}

/// The pack for `request` with the live pins of the clone besides its own; `now` is in seconds since 1970. Where the
/// kept pins cannot be read, a warning says so and the rest is packed, unless only pins were asked for.
///
/// # Errors
///
/// As [`crate::pack`]; [`Error::Memory`] where only pins were asked for.
pub fn pack_with_pins(snapshot: &Snapshot, request: &PackRequest, now: i64) -> Result<PackAnswer, Error> {
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

/// The pinned lines as they are in this view, each named by the innermost definition around all of it; and a sentence for
/// each pin that it does not have any more.
pub(super) fn pinned(snapshot: &Snapshot, pins: &[Pin]) -> Result<(Vec<Candidate>, Vec<String>), Error> {
    let (mut candidates, mut warnings) = (Vec::new(), Vec::new());
    for pin in pins {
        match pinned_lines(snapshot, pin) {
            Ok(candidate) => candidates.push(candidate),
            Err(error) if is_of_one_file(&error) => warnings.push(format!("a pin is left out: {error}")),
            Err(error) => return Err(error),
        }
    }
    Ok((candidates, warnings))
}

fn pinned_lines(snapshot: &Snapshot, pin: &Pin) -> Result<Candidate, Error> {
    let path = path_of(&pin.path);
    // What is written like a path of a pin helps nobody who asked about something else.
    if snapshot.engine.foundation.shape.policy().decide(&path) != Membership::Secret
        && snapshot.view.file(&path)?.is_none()
    {
        let (path, view) = (path.to_string(), snapshot.name().to_owned());
        return Err(Error::NoSuchFile { path, view, similar: Vec::new() });
    }
    let (file, text) = text_of(snapshot, &pin.path)?;
    let facts = snapshot.facts(file.row.blob_no)?;
    let index = LineIndex::new(&text);
    if index.lines_total() == 0 {
        return Err(Error::NotText { path: file.path.to_string(), why: "it is empty".to_owned() });
    }
    let lines = Lines { start: pin.start_line, end: pin.end_line.min(index.lines_total()) };
    if lines.start == 0 || lines.start > lines.end {
        let (path, end) = (file.path.to_string(), pin.end_line);
        return Err(Error::NoSuchLines { path, start: pin.start_line, end, lines_total: index.lines_total() });
    }
    let around = facts.symbols.iter().rposition(|symbol| symbol.lines.contains(lines)).map(|at| at as u32);
    Ok(Candidate {
        id: format!("{}:{}-{}", &file.row.blob_id.to_string()[..8], lines.start, lines.end),
        path: file.path.to_string(),
        symbol: around.map(|symbol| facts.qualified_name(symbol)),
        start_line: lines.start,
        end_line: lines.end,
        language: facts.language.clone(),
        text: String::from_utf8_lossy(index.span_of(lines).of(&text)).into_owned(),
        symbol_starts: symbol_starts(&facts, &index, lines),
        score: 0.0,
        is_contract: is_contract(&facts, around),
        pinned_at: Some(pin.pinned_at),
    })
}
