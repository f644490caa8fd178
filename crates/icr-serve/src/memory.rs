//! Memory of a process that lives long.

/// Gives the system what was freed: an allocator keeps it for later, and an index needs much at once and then never again. Costs milliseconds.
pub(crate) fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function may be called at any time (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}
