//! Inputs of properties that hold for any bytes: random ones, and those that are stored for a fuzz target, changed.
//!
//! Compiled into the tests of the crates that have a body of a fuzz target.

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The inputs that are stored for `target`, in order of their names.
pub(crate) fn stored_inputs(target: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&directory).expect("every target has stored inputs");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("the directory can be read").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "`{}` is empty", directory.display());
    paths.iter().map(|path| std::fs::read(path).expect("an input is a file")).collect()
}

/// Random bytes, and stored inputs of `target` with a few changes.
pub(crate) fn any_input(target: &str) -> impl Strategy<Value = Vec<u8>> + use<> {
    let changes = prop::collection::vec(change(), 1..8);
    let changed = (select(stored_inputs(target)), select(stored_inputs(target)), changes).prop_map(
        |(mut input, other, changes)| {
            changes.iter().for_each(|change| change.apply(&mut input, &other));
            input
        },
    );
    prop_oneof![1 => prop::collection::vec(any::<u8>(), 0..300), 3 => changed]
}

/// A change of an input, at a place of it.
#[derive(Debug, Clone)]
enum InputMutation {
    /// Some bytes are taken out.
    Cut(Index, usize),
    /// All behind the place is taken out.
    End(Index),
    /// A byte becomes another one.
    Replace(Index, u8),
    /// Bytes that formats give a meaning to are put in.
    Insert(Index, &'static str),
    /// A piece of another input, or of this one, is put in.
    Copy(Index, Index, usize),
}

fn change() -> impl Strategy<Value = InputMutation> {
    let place = any::<Index>;
    prop_oneof![
        (place(), 1..40_usize).prop_map(|(at, length)| InputMutation::Cut(at, length)),
        place().prop_map(InputMutation::End),
        (place(), any::<u8>()).prop_map(|(at, byte)| InputMutation::Replace(at, byte)),
        (place(), select(PIECES)).prop_map(|(at, piece)| InputMutation::Insert(at, piece)),
        (place(), place(), 1..60_usize).prop_map(|(at, from, length)| InputMutation::Copy(at, from, length)),
    ]
}

/// What formats give a meaning to.
const PIECES: &[&str] = &[
    "\0",
    "\n",
    "\r\n",
    "\t",
    " ",
    "\"",
    "'",
    "`",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "&",
    "|",
    "/",
    "../",
    ":",
    ",",
    "=",
    "#",
    "@",
    "*",
    "%",
    "-",
    "+",
    "0",
    "-1",
    "18446744073709551616",
    "1e999",
    "null",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{feff}",
    "é",
    "漢",
];

impl InputMutation {
    fn apply(&self, input: &mut Vec<u8>, other: &[u8]) {
        let place = |at: &Index, input: &[u8]| at.index(input.len() + 1);
        match self {
            Self::Cut(at, length) => {
                let at = place(at, input);
                input.drain(at..(at + length).min(input.len()));
            }
            Self::End(at) => input.truncate(place(at, input)),
            Self::Replace(at, byte) if !input.is_empty() => {
                let at = at.index(input.len());
                input[at] = *byte;
            }
            Self::Replace(..) => {}
            Self::Insert(at, piece) => {
                let at = place(at, input);
                input.splice(at..at, piece.bytes());
            }
            Self::Copy(at, from, length) => {
                let (at, from) = (place(at, input), place(from, other));
                let piece = other[from..(from + length).min(other.len())].to_vec();
                input.splice(at..at, piece);
            }
        }
    }
}
