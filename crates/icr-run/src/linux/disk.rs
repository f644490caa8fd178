//! How much of the disk goes away while a command runs.

use std::path::{Path, PathBuf};

/// Watches the free space of the file systems of some directories.
#[derive(Debug)]
pub(super) struct DiskWatch {
    /// A directory of each, and the bytes that were free.
    free: Vec<(PathBuf, u64)>,
    most: u64,
}

impl DiskWatch {
    /// Watches for the loss of `most` bytes on any file system of `directories`.
    pub(super) fn new(directories: &[&Path], most: u64) -> Self {
        let free = directories.iter().filter_map(|path| Some((path.to_path_buf(), free_bytes(path)?)));
        Self { free: free.collect(), most }
    }

    /// Whether more is gone than may be, whoever took it.
    pub(super) fn is_over(&self) -> bool {
        let is_over = |(path, before): &(PathBuf, u64)| {
            free_bytes(path).is_some_and(|now| before.saturating_sub(now) > self.most)
        };
        self.free.iter().any(is_over)
    }
}

/// Bytes of the file system of `path` that its user may still write.
fn free_bytes(path: &Path) -> Option<u64> {
    let system = rustix::fs::statvfs(path).ok()?;
    Some(system.f_bavail.saturating_mul(system.f_frsize))
}
