//! What a reader should know of the sides of a change.

use crate::Sides;

/// How the note begins that says which commit a change takes back: `Reverts 0123456789 "greet: say hello"`.
const REVERTS: &str = "Reverts ";

/// The note that says which commit the change reverts.
pub fn reverts(sides: &Sides) -> Option<&str> {
    sides.notes.iter().map(String::as_str).find(|note| note.starts_with(REVERTS))
}

/// All notes but those that say what is reverted.
pub fn other_notes(sides: &Sides) -> impl Iterator<Item = &str> {
    sides.notes.iter().map(String::as_str).filter(|note| !note.starts_with(REVERTS))
}
