//! Limits set for the process by its parent (`ulimit`). Exceeding one appears as various errors: a failed write, a file
//! that cannot be opened, a library thread that ends.

/// Files that a process has open at once while it indexes, with some reserve: with a lower limit, some step fails.
#[cfg(unix)]
const FILES_ENOUGH: u64 = 64;

/// The limits that may make icr fail, a sentence each; empty if there are none.
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

/// The limits that may make icr fail: this system reports none.
#[cfg(not(unix))]
pub fn process_limits() -> Vec<String> {
    Vec::new()
}
