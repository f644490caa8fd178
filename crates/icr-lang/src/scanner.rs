//! Guards scanners of grammars whose state may be larger than the parser's buffer.
//!
//! A scanner is C code that comes with a grammar. Between tokens it writes its state into a buffer of the parser.
//! Several scanners check for free space before they write two or four bytes, so a state that is a little too long
//! ends the process. Text made for this purpose has 250 nested here-documents in Ruby, or 400 levels of strings and
//! indentation in Python.

use std::cell::Cell;
use std::ffi::{c_char, c_uint, c_void};
use std::mem::MaybeUninit;
use std::ptr;

use tree_sitter::Language;

/// Size in bytes of the parser's buffer for a state (`TREE_SITTER_SERIALIZATION_BUFFER_SIZE` in tree-sitter's
/// parser.h).
const STATE_BYTES: usize = 1024;

/// Extra room for a scanner that writes too much. The longest single write is a word of 255 bytes.
const ROOM_BYTES: usize = 4 * STATE_BYTES;

/// The function with which a scanner writes its state; it returns the number of bytes.
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

/// A state of more bytes is nearly full and is counted. A state that does not fit takes as long to read again as one
/// that does.
const FULL_BYTES: usize = STATE_BYTES / 4 * 3;

thread_local! {
    /// The function of the grammar with which this thread parses.
    static SERIALIZE: Cell<Option<Serialize>> = const { Cell::new(None) };
    /// States of this thread so far that were nearly full.
    static FULL_STATES: Cell<u64> = const { Cell::new(0) };
}

/// States that were nearly full, of this thread, since it began.
pub(crate) fn full_states() -> u64 {
    FULL_STATES.get()
}

/// `language` with a scanner that writes an empty state when its state is too long, as most scanners do by themselves.
/// Also returns the function of the original scanner, for [`with_serializer`]. `None` for a grammar without a scanner.
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
    // One allocation for each grammar; it is kept as long as the process lives.
    let tables = Box::leak(Box::new(Tables { scanner, ..tables }));
    // SAFETY: it is a grammar like the one before, and is never freed.
    (unsafe { Language::from_raw(ptr::from_ref(tables).cast()) }, serialize)
}

/// Runs `parse`; meanwhile, the scanners of [`guarded`] grammars write their state with `serialize`.
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
