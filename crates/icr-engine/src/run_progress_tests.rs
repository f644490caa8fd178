//! What a run reports of its progress.

use std::sync::atomic::{AtomicU64, Ordering};

use icr_fixture::Fixture;

use crate::{BlobPass, Engine, Observer, OpenOptions, SyncOptions};

#[derive(Default)]
struct Counts {
    is_watched: bool,
    commits: AtomicU64,
    total: AtomicU64,
    bytes_total: AtomicU64,
    extracted: AtomicU64,
    prepared: AtomicU64,
    bytes_of_passes: AtomicU64,
}

impl Observer for Counts {
    fn is_watched(&self) -> bool {
        self.is_watched
    }

    fn count_commit(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    fn bytes_total(&self, bytes: u64) {
        self.bytes_total.store(bytes, Ordering::Relaxed);
    }

    fn count_blob(&self, pass: BlobPass, bytes: u64) {
        let blobs = match pass {
            BlobPass::Extracted => &self.extracted,
            BlobPass::Prepared => &self.prepared,
        };
        blobs.fetch_add(1, Ordering::Relaxed);
        self.bytes_of_passes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn progress(&self, _done: u64, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }
}

/// Syncs a repository of `files` different files, and returns what was counted.
fn counts_of(files: usize, is_watched: bool) -> Counts {
    let text: String = (0..files).map(|no| format!("//- src/f{no}.rs\nfn f{no}() {{}}\n")).collect();
    let (fixture, home) = (Fixture::new(&text), tempfile::tempdir().unwrap());
    let engine = Engine::open(OpenOptions::new(fixture.root(), home.path())).unwrap();
    let counts = Counts { is_watched, ..Counts::default() };
    engine.sync(&SyncOptions::default(), &counts).unwrap();
    counts
}

#[test]
fn every_file_and_every_byte_is_counted_in_both_passes() {
    // Few files are read on one thread, many on all.
    for files in [3, 100] {
        let counts = counts_of(files, true);
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        assert_eq!(of(&counts.total), files as u64);
        assert_eq!((of(&counts.extracted), of(&counts.prepared)), (files as u64, files as u64));
        assert!(of(&counts.bytes_total) > 0);
        assert_eq!(of(&counts.bytes_of_passes), 2 * of(&counts.bytes_total));
        assert_eq!(of(&counts.commits), 1);
    }
}

#[test]
fn sizes_are_not_looked_up_for_nobody() {
    let counts = counts_of(3, false);
    assert_eq!(counts.bytes_total.into_inner(), 0);
    assert_eq!(counts.extracted.into_inner(), 3);
}
