//! Watches how much disk space is used up while a command runs.

use std::path::{Path, PathBuf};

/// Watches the free space of the file systems of some directories.
#[derive(Debug)]
pub(super) struct DiskWatch {
    /// For each file system: one of its directories, and the bytes that were free at the start.
    free: Vec<(PathBuf, u64)>,
    most: u64,
}

impl DiskWatch {
    /// Watches whether any file system of `directories` loses `most` bytes of free space.
    pub(super) fn new(directories: &[&Path], most: u64) -> Self {
        let free = directories.iter().filter_map(|path| Some((path.to_path_buf(), free_bytes(path)?)));
        Self { free: free.collect(), most }
    }

    /// Whether more space is gone than allowed, whoever used it.
    pub(super) fn is_over(&self) -> bool {
        let is_over = |(path, before): &(PathBuf, u64)| {
            free_bytes(path).is_some_and(|now| before.saturating_sub(now) > self.most)
        };
        self.free.iter().any(is_over)
    }
}

/// Free bytes that the user may write on the file system of `path`.
fn free_bytes(path: &Path) -> Option<u64> {
    let system = rustix::fs::statvfs(path).ok()?;
    Some(system.f_bavail.saturating_mul(system.f_frsize))
}
