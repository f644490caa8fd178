//! Limits that whoever started the process set for it (`ulimit`). What the system refuses because of one comes up in many places and
//! under many names: a write that fails, a file that cannot be opened, a thread of a library that ends.

/// Files that a process has open at once while it indexes, with room for more: with fewer some step of it fails.
#[cfg(unix)]
const FILES_ENOUGH: u64 = 64;

/// The limits by which icr may fail, a sentence each; none where there are none.
#[cfg(unix)]
pub fn process_limits() -> Vec<String> {
    use rustix::process::{Resource, getrlimit};
    let limit = |resource| getrlimit(resource).current;
    let file = limit(Resource::Fsize)
        .map(|bytes| format!("no file of this process may have more than {} KiB (`ulimit -f`)", bytes >> 10));
    let memory = limit(Resource::As)
        .map(|bytes| format!("this process may have no more than {} MiB of memory (`ulimit -v`)", bytes >> 20));
    let files = limit(Resource::Nofile).filter(|files| *files < FILES_ENOUGH).map(|files| {
        format!(
            "this process may have no more than {files} files open (`ulimit -n`), and icr needs some {FILES_ENOUGH}"
        )
    });
    [file, memory, files].into_iter().flatten().collect()
}

/// The limits by which icr may fail: none that this system tells.
#[cfg(not(unix))]
pub fn process_limits() -> Vec<String> {
    Vec::new()
}
