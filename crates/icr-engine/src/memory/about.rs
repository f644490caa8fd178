//! Memories that an answer about code quotes. If they cannot be read, the answer has none and is still valid.

use icr_memory::{CodeBinding, MemoryItem, PlaceItem, PlaceOrder, PlaceState, ProjectKey, memories_at};
use icr_model::UnixMillis;
use icr_pack::FileNote;

use crate::memory::code::{code_states, plain_line};
use crate::memory::place::MemoryPlace;
use crate::{Error, Snapshot};

/// Longest text of a memory that an answer quotes, in characters.
pub(crate) const QUOTED_CHARACTERS: usize = 200;

/// Most memories that are examined for notes: some may be about definitions that the view does not have.
const LOOKED_AT: usize = 10;

/// At most `limit` memories of this repository about one of `paths` or `symbols`: those about a symbol first, then by
/// `order`. A symbol is a path and a qualified name. Each memory lists only those of its places that were asked for,
/// symbols first, with their state in this view.
///
/// Empty if the engine was opened without memories, if nothing was ever stored, or if the database cannot be read
/// because it is locked, damaged or of another version; that is logged.
///
/// Cost: an index look-up for each path and symbol, and [`code_states`] for the returned memories.
pub fn memories_about(
    snapshot: &Snapshot,
    paths: &[&str],
    symbols: &[(&str, &str)],
    (order, limit): (PlaceOrder, usize),
) -> Vec<MemoryItem> {
    let Some(place) = &snapshot.context.options.memory else { return Vec::new() };
    quoted(snapshot, place, paths, symbols, (order, limit)).unwrap_or_else(|error| {
        tracing::debug!(%error, "an answer without memories");
        Vec::new()
    })
}

fn quoted(
    snapshot: &Snapshot,
    place: &MemoryPlace,
    paths: &[&str],
    symbols: &[(&str, &str)],
    limit: (PlaceOrder, usize),
) -> Result<Vec<MemoryItem>, Error> {
    let Some(database) = place.for_quoting()? else { return Ok(Vec::new()) };
    let project = ProjectKey::of_repository(&snapshot.provenance().repo_id);
    let now = now_ms();
    let memories = memories_at(&database, &project, paths, symbols, limit, now)?;
    let nothing = CodeBinding::default();
    let bindings: Vec<&CodeBinding> = memories.iter().map(|memory| memory.code.as_ref().unwrap_or(&nothing)).collect();
    let states = code_states(snapshot, &bindings)?;
    let item = |(memory, places): (&icr_memory::Memory, Vec<PlaceItem>)| {
        let weight = memory.weight_now(place.rules(), now);
        MemoryItem { code: asked_places(places, paths, symbols), ..MemoryItem::new(memory, weight, None) }
    };
    Ok(memories.iter().zip(states).map(item).collect())
}

/// Those of `places` that were asked for, symbols first.
fn asked_places(places: Vec<PlaceItem>, paths: &[&str], symbols: &[(&str, &str)]) -> Vec<PlaceItem> {
    let is_asked_symbol = |place: &PlaceItem| {
        place.symbol.as_deref().is_some_and(|symbol| symbols.contains(&(place.path.as_str(), symbol)))
    };
    let (mut asked, others): (Vec<_>, Vec<_>) = places.into_iter().partition(is_asked_symbol);
    asked.extend(others.into_iter().filter(|place| paths.contains(&place.path.as_str())));
    asked
}

/// Notes about files of the view, for packs and maps: memories about `paths` of which something still exists. `symbols`
/// are those that the answer shows.
pub(crate) fn file_notes(snapshot: &Snapshot, paths: &[&str], symbols: &[(&str, &str)]) -> Vec<FileNote> {
    let note = |item: MemoryItem| {
        let place = item.code.iter().find(|place| place.state != Some(PlaceState::Absent))?;
        Some(FileNote {
            path: place.path.clone(),
            changed: place.state == Some(PlaceState::Changed),
            symbol: place.symbol.as_deref().map(|symbol| plain_line(symbol, QUOTED_CHARACTERS)),
            summary: plain_line(&item.summary, QUOTED_CHARACTERS),
            id: item.id.to_string(),
        })
    };
    memories_about(snapshot, paths, symbols, (PlaceOrder::AsNamed, LOOKED_AT)).into_iter().filter_map(note).collect()
}

/// The current time, to the millisecond. Only the expiry of memories depends on it, nothing else in an answer.
#[expect(clippy::disallowed_methods, reason = "a memory that is over by now is not quoted")]
pub(super) fn now_ms() -> UnixMillis {
    UnixMillis::of(std::time::SystemTime::now())
}

#[cfg(test)]
mod tests;
