//! Memory requests of the parser: work that it does not count as an operation, and the memory of its trees.
//!
//! Error recovery copies what it skips, again and again, and pops and merges stacks: up to 20,000 memory requests
//! within a hundred operations, and the parser counts none of them. The requests are the same for the same text on
//! every machine.

use std::alloc::{Layout, handle_alloc_error};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;

use tree_sitter::Allocator;

/// Memory requests of one thread, and the bytes that it holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Allocations {
    /// Requests so far.
    pub(crate) requests: u64,
    /// Bytes of all requests so far.
    pub(crate) bytes: u64,
    /// Bytes requested and not freed. It can be negative when trees moved to another thread.
    pub(crate) held: i64,
    /// Stack nodes among the held memory.
    pub(crate) stack_nodes: i64,
}

thread_local! {
    static ALLOCATIONS: Cell<Allocations> = const { Cell::new(Allocations { requests: 0, bytes: 0, held: 0, stack_nodes: 0 }) };
}

/// Bytes before each allocation, where its length is stored; at least the alignment of `malloc`.
const HEADER: usize = align_of::<libc::max_align_t>();

/// Bytes of a node of the parser's stack (`StackNode` in tree-sitter's stack.c). Hardly any other allocation has this
/// size.
const STACK_NODE_BYTES: usize = size_of::<StackNode>();

/// As in tree-sitter's stack.c, for its length.
#[repr(C)]
struct StackNode {
    state: u16,
    position: [u32; 3],
    links: [StackLink; 8],
    link_count: u16,
    counts: [u32; 4],
}

#[repr(C)]
struct StackLink {
    node: *mut c_void,
    subtree: *mut c_void,
    is_pending: bool,
}

/// The counts of this thread since it began.
pub(crate) fn allocations() -> Allocations {
    ALLOCATIONS.get()
}

/// Makes tree-sitter allocate memory through this module. Must be called before any object of tree-sitter is created.
pub(crate) fn count_allocations() {
    static COUNTED: Once = Once::new();
    COUNTED.call_once(|| {
        // SAFETY: the four functions belong together. All objects of tree-sitter are made from grammars, and grammars
        // are made only after this call.
        unsafe { tree_sitter::set_allocator(Some(Allocator { malloc, calloc, realloc, free })) };
    });
}

/// Counts a request of `bytes` that replaces `given_back`.
fn note_request(bytes: usize, given_back: usize) {
    let mut allocations = ALLOCATIONS.get();
    allocations.requests += 1;
    allocations.bytes += bytes as u64;
    allocations.held += bytes as i64 - given_back as i64;
    allocations.stack_nodes += i64::from(bytes == STACK_NODE_BYTES) - i64::from(given_back == STACK_NODE_BYTES);
    ALLOCATIONS.set(allocations);
}

/// Stores the length `bytes` at the start of `memory` and returns the address behind this header, for the caller.
///
/// # Safety
///
/// `memory` is null or has room for the header.
unsafe fn behind_header(memory: *mut c_void, bytes: usize) -> *mut c_void {
    if memory.is_null() {
        // The library does not check the pointer that it gets.
        handle_alloc_error(Layout::from_size_align(bytes, HEADER).unwrap_or(Layout::new::<libc::max_align_t>()));
    }
    // SAFETY: there is room, and `malloc` aligns for any type.
    unsafe {
        memory.cast::<usize>().write(bytes);
        memory.byte_add(HEADER)
    }
}

/// The start of the allocation that was handed out as `memory`, and its length.
///
/// # Safety
///
/// `memory` came from [`behind_header`].
unsafe fn with_header(memory: *mut c_void) -> (*mut c_void, usize) {
    // SAFETY: the header stands in front.
    unsafe {
        let begin = memory.byte_sub(HEADER);
        (begin, begin.cast::<usize>().read())
    }
}

unsafe extern "C" fn malloc(bytes: usize) -> *mut c_void {
    note_request(bytes, 0);
    // SAFETY: `HEADER` more bytes are asked for; more than there can be are none.
    unsafe { behind_header(libc::malloc(bytes.saturating_add(HEADER)), bytes) }
}

unsafe extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
    let bytes = count.saturating_mul(bytes);
    note_request(bytes, 0);
    // SAFETY: as in `malloc`.
    unsafe { behind_header(libc::calloc(1, bytes.saturating_add(HEADER)), bytes) }
}

unsafe extern "C" fn realloc(memory: *mut c_void, bytes: usize) -> *mut c_void {
    if memory.is_null() {
        // SAFETY: means the same.
        return unsafe { malloc(bytes) };
    }
    // SAFETY: the library hands back what it got from here.
    unsafe {
        let (begin, held) = with_header(memory);
        note_request(bytes, held);
        behind_header(libc::realloc(begin, bytes.saturating_add(HEADER)), bytes)
    }
}

unsafe extern "C" fn free(memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: as in `realloc`.
    unsafe {
        let (begin, held) = with_header(memory);
        let mut allocations = ALLOCATIONS.get();
        allocations.held -= held as i64;
        allocations.stack_nodes -= i64::from(held == STACK_NODE_BYTES);
        ALLOCATIONS.set(allocations);
        libc::free(begin);
    }
}
