//! Scanners of grammars that would say more of their state than the parser has room for.
//!
//! A scanner is C that a grammar brings along. Between tokens it writes its state into a buffer of the parser, and several look whether
//! there is room before they write two bytes or four: a state a little too long then ends the process. Text made for it has 250 here
//! documents in each other in Ruby, or 400 levels of strings and indentation in Python.

use std::cell::Cell;
use std::ffi::{c_char, c_uint, c_void};
use std::mem::MaybeUninit;
use std::ptr;

use tree_sitter::Language;

/// Bytes of a state that the parser has room for (`TREE_SITTER_SERIALIZATION_BUFFER_SIZE` in tree-sitter's parser.h).
const STATE_BYTES: usize = 1024;

/// Room for a scanner to write more: the longest that one writes at once is a word of 255 bytes.
const ROOM_BYTES: usize = 4 * STATE_BYTES;

/// A scanner writes its state, and says how many bytes it has.
pub(crate) type Serialize = unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_uint;

/// As in tree-sitter's parser.h, up to what is needed here.
#[repr(C)]
#[derive(Clone, Copy)]
struct Tables {
    abi_version: u32,
    counts: [u32; 8],
    max_alias_sequence_length: u16,
    tables: [*const c_void; 13],
    lexers: [*const c_void; 2],
    keyword_capture_token: u16,
    scanner: Scanner,
    primary_state_ids: *const c_void,
    since_15: Since15,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Scanner {
    tables: [*const c_void; 2],
    functions: [*const c_void; 3],
    serialize: Option<Serialize>,
    deserialize: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Since15 {
    name: *const c_char,
    reserved_words: *const c_void,
    max_reserved_word_set_size: u16,
    supertype_count: u32,
    supertypes: [*const c_void; 3],
    metadata: [u8; 3],
}

/// A state of more bytes is nearly full: what does not fit of it is counted, and takes as long to read again as if it did.
const FULL_BYTES: usize = STATE_BYTES / 4 * 3;

thread_local! {
    /// Of the grammar that this thread parses by.
    static SERIALIZE: Cell<Option<Serialize>> = const { Cell::new(None) };
    /// States of this thread so far that were nearly full.
    static FULL_STATES: Cell<u64> = const { Cell::new(0) };
}

/// States that were nearly full, of this thread, since it began.
pub(crate) fn full_states() -> u64 {
    FULL_STATES.get()
}

/// `language` with a scanner whose state is nothing where it is too long, as most scanners have it themselves; and what that
/// scanner is, for [`within`]. `None` for a grammar without one.
pub(crate) fn guarded(language: Language) -> (Language, Option<Serialize>) {
    let raw = language.into_raw();
    // SAFETY: a grammar is one static value with this layout, whose end only those have that say so.
    let (tables, serialize) = unsafe {
        let mut tables = MaybeUninit::<Tables>::zeroed();
        let known =
            if (*raw.cast::<u32>()) >= 15 { size_of::<Tables>() } else { std::mem::offset_of!(Tables, since_15) };
        ptr::copy_nonoverlapping(raw.cast::<u8>(), tables.as_mut_ptr().cast(), known);
        let tables = tables.assume_init();
        (tables, tables.scanner.serialize)
    };
    if serialize.is_none() {
        // SAFETY: it came from `into_raw`.
        return (unsafe { Language::from_raw(raw) }, None);
    }
    let scanner = Scanner { serialize: Some(bounded_serialize), ..tables.scanner };
    // One for each grammar, as long as the process lives.
    let tables = Box::leak(Box::new(Tables { scanner, ..tables }));
    // SAFETY: it is a grammar like the one before, and is never freed.
    (unsafe { Language::from_raw(ptr::from_ref(tables).cast()) }, serialize)
}

/// What `parse` gives, during which scanners of [`guarded`] grammars write their state by `serialize`.
pub(crate) fn with_serializer<T>(serialize: Option<Serialize>, parse: impl FnOnce() -> T) -> T {
    let before = SERIALIZE.replace(serialize);
    let parsed = parse();
    SERIALIZE.set(before);
    parsed
}

unsafe extern "C" fn bounded_serialize(scanner: *mut c_void, state: *mut c_char) -> c_uint {
    let Some(serialize) = SERIALIZE.get() else { return 0 };
    let mut room = [const { MaybeUninit::<c_char>::uninit() }; ROOM_BYTES];
    // SAFETY: the scanner is one of the grammar that this thread parses by, and there is more room than it asks for.
    let bytes = unsafe { serialize(scanner, room.as_mut_ptr().cast()) };
    if bytes as usize > FULL_BYTES {
        FULL_STATES.set(FULL_STATES.get() + 1);
    }
    if bytes as usize > STATE_BYTES {
        return 0;
    }
    // SAFETY: so many bytes were written, and the parser has room for them.
    unsafe { ptr::copy_nonoverlapping(room.as_ptr().cast(), state, bytes as usize) };
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TABLE;

    #[test]
    fn a_copy_of_a_grammar_says_the_same() {
        for row in TABLE {
            let own = (row.grammar.language)();
            let (copy, _) = guarded((row.grammar.language)());
            assert_eq!((own.abi_version(), own.name()), (copy.abi_version(), copy.name()), "{}", row.name);
            assert_eq!(own.node_kind_count(), copy.node_kind_count(), "{}", row.name);
            assert_eq!(own.field_count(), copy.field_count(), "{}", row.name);
            assert_eq!(own.supertypes(), copy.supertypes(), "{}", row.name);
            assert_eq!(own.parse_state_count(), copy.parse_state_count(), "{}", row.name);
        }
    }
}
