//! Memory of a long-lived process.

/// Returns freed memory to the system. An allocator keeps it for later, but indexing needs much once and then never
/// again. Takes milliseconds.
pub(crate) fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function may be called at any time (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}
