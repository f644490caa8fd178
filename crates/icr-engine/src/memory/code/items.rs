//! Memories of an answer with the state of their code.

use icr_memory::{CodeBinding, MemoryItem, PlaceItem, PlaceState, RecalledMemory};

use crate::memory::code::code_states;
use crate::{Error, Snapshot};

/// What to do with memories whose code is only in another branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AbsentCode {
    /// Show them like all others.
    #[default]
    Show,
    /// Leave out memories whose places are all absent in the requested view, and count them.
    Hide,
}

/// Memories as a view sees them.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoriesInView {
    /// The memories to show, in order, each with the state of its code.
    pub items: Vec<MemoryItem>,
    /// How many were left out by [`AbsentCode::Hide`].
    pub hidden: usize,
}

/// Recalled memories in this view, in order. Places of another repository's memories have no state and never count as
/// absent.
///
/// # Errors
///
/// Those of reading the store.
pub fn memories_in_view(
    snapshot: &Snapshot,
    recalled: &[RecalledMemory],
    absent: AbsentCode,
) -> Result<MemoriesInView, Error> {
    let repo_id = &snapshot.provenance().repo_id;
    let nothing = CodeBinding::default();
    let mut bindings: Vec<&CodeBinding> = Vec::with_capacity(recalled.len());
    for RecalledMemory { memory, .. } in recalled {
        let code = memory.code.as_ref().filter(|_| memory.project.as_str() == repo_id);
        bindings.push(code.unwrap_or(&nothing));
    }
    let states = code_states(snapshot, &bindings)?;
    let mut shown = MemoriesInView { items: Vec::with_capacity(recalled.len()), hidden: 0 };
    for (recalled, states) in recalled.iter().zip(states) {
        if absent == AbsentCode::Hide && is_absent(&states) {
            shown.hidden += 1;
            continue;
        }
        let mut item = MemoryItem::new(&recalled.memory, recalled.weight, Some(recalled.score));
        if !states.is_empty() {
            item.code = states;
        }
        shown.items.push(item);
    }
    Ok(shown)
}

/// Whether a memory has places, and all of them are absent.
fn is_absent(places: &[PlaceItem]) -> bool {
    !places.is_empty() && places.iter().all(|place| place.state == Some(PlaceState::Absent))
}
