//! What the user noted about the code of a change.

use icr_impact::{CodeNote, Impact, NotedCode};
use icr_memory::{MemoryItem, PlaceOrder, PlaceState};

use crate::change::sides::ViewChange;
use crate::memory::{QUOTED_CHARACTERS, memories_about, plain_line};

/// Memories about files and definitions of the change, under their names before and after it, with the state of their
/// code after the change.
pub(crate) fn memories_about_change(change: &ViewChange<'_>, impact: &Impact) -> Vec<CodeNote> {
    let mut paths: Vec<&str> = Vec::with_capacity(impact.changed.len());
    for file in &impact.changed {
        paths.push(&file.path);
        paths.extend(file.old_path.as_deref());
    }
    let mut symbols: Vec<(&str, &str)> = Vec::with_capacity(impact.changed_symbols.len());
    for symbol in &impact.changed_symbols {
        symbols.push((&symbol.path, &symbol.qualified_name));
        if symbol.old_path.is_some() || symbol.old_name.is_some() {
            let old_path = symbol.old_path.as_deref().unwrap_or(&symbol.path);
            symbols.push((old_path, symbol.old_name.as_deref().unwrap_or(&symbol.qualified_name)));
        }
    }
    memories_about(&change.new, &paths, &symbols, (PlaceOrder::Newest, CodeNote::MOST))
        .into_iter()
        .filter_map(note)
        .collect()
}

fn note(item: MemoryItem) -> Option<CodeNote> {
    let place = item.code.into_iter().next()?;
    let state = |state| match state {
        PlaceState::Same => NotedCode::Same,
        PlaceState::Moved => NotedCode::Moved,
        PlaceState::Changed => NotedCode::Changed,
        PlaceState::Absent => NotedCode::Absent,
        PlaceState::Unknown => NotedCode::Unknown,
    };
    Some(CodeNote {
        id: item.id.to_string(),
        topic: plain_line(&item.topic, QUOTED_CHARACTERS),
        summary: plain_line(&item.summary, QUOTED_CHARACTERS),
        path: place.path,
        symbol: place.symbol.map(|symbol| plain_line(&symbol, QUOTED_CHARACTERS)),
        state: place.state.map(state),
        created_at: item.created_at,
    })
}
