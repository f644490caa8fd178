//! Groups changes into batches. The clock is passed in by the caller.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Longest age of a batch, in quiet times: if changes never pause, the batch is delivered after this time.
const LONGEST_IN_QUIET_TIMES: u32 = 10;

/// The changes of one batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// The changed paths, each once, up to a limit.
    pub paths: BTreeSet<PathBuf>,
    /// Whether there are more changes than `paths`: too many, or the system has lost some.
    pub many: bool,
}

/// Collects changes until there have been none for a while.
#[derive(Debug)]
pub struct Debouncer {
    quiet: Duration,
    most: usize,
    batch: Batch,
    /// Times of the first and the last change of the batch.
    times: Option<(Instant, Instant)>,
}

impl Debouncer {
    /// A batch ends `quiet` after its last change, or ten times that after its first. It keeps at most `most` paths.
    pub fn new(quiet: Duration, most: usize) -> Self {
        Self { quiet, most, batch: Batch::default(), times: None }
    }

    /// Records a change of `path`.
    pub fn note(&mut self, now: Instant, path: PathBuf) {
        self.touch(now);
        if self.batch.paths.len() < self.most || self.batch.paths.contains(&path) {
            self.batch.paths.insert(path);
        } else {
            self.batch.many = true;
        }
    }

    /// Records changes of unknown paths.
    pub fn note_many(&mut self, now: Instant) {
        self.touch(now);
        self.batch.many = true;
    }

    /// When the batch ends if nothing more changes; `None` if there is no batch.
    pub fn due(&self) -> Option<Instant> {
        let (first, last) = self.times?;
        Some((last + self.quiet).min(first + self.quiet * LONGEST_IN_QUIET_TIMES))
    }

    /// The batch, if it has ended; the next change then begins a new one.
    pub fn settle(&mut self, now: Instant) -> Option<Batch> {
        if self.due()? > now {
            return None;
        }
        self.times = None;
        Some(std::mem::take(&mut self.batch))
    }

    fn touch(&mut self, now: Instant) {
        let first = self.times.map_or(now, |(first, _)| first);
        self.times = Some((first, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Duration = Duration::from_millis(500);

    /// Notes changes given as milliseconds and path (`*` for many), asks every 100 ms until `end`, and gives each batch
    /// with its time.
    fn batches(changes: &[(u64, &str)], end: u64) -> Vec<(u64, Vec<String>, bool)> {
        let start = Instant::now();
        let mut debouncer = Debouncer::new(QUIET, 3);
        let mut found = Vec::new();
        for now in (0..=end).step_by(100) {
            for (_, path) in changes.iter().filter(|(at, _)| *at == now) {
                let at = start + Duration::from_millis(now);
                match *path {
                    "*" => debouncer.note_many(at),
                    path => debouncer.note(at, path.into()),
                }
            }
            if let Some(batch) = debouncer.settle(start + Duration::from_millis(now)) {
                let paths = batch.paths.iter().map(|path| path.display().to_string()).collect();
                found.push((now, paths, batch.many));
            }
        }
        found
    }

    #[track_caller]
    fn check(changes: &[(u64, &str)], expected: &[(u64, &[&str], bool)]) {
        let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        let expected: Vec<(u64, Vec<String>, bool)> =
            expected.iter().map(|(at, paths, many)| (*at, owned(paths), *many)).collect();
        assert_eq!(batches(changes, 10_000), expected);
    }

    #[test]
    fn a_batch_ends_when_it_has_been_quiet() {
        check(&[(0, "a")], &[(500, &["a"], false)]);
        check(&[(0, "b"), (400, "a"), (800, "b")], &[(1_300, &["a", "b"], false)]);
        check(&[(0, "a"), (600, "b")], &[(500, &["a"], false), (1_100, &["b"], false)]);
        check(&[], &[]);
    }

    #[test]
    fn changes_without_a_pause_are_told_all_the_same() {
        let steady: Vec<(u64, &str)> = (0..=70).map(|step| (step * 100, "a")).collect();
        check(&steady, &[(5_000, &["a"], false), (7_500, &["a"], false)]);
    }

    #[test]
    fn of_too_many_paths_it_is_known_that_there_were_many() {
        check(&[(0, "a"), (0, "b"), (0, "c")], &[(500, &["a", "b", "c"], false)]);
        check(&[(0, "a"), (0, "b"), (0, "c"), (0, "d"), (100, "a")], &[(600, &["a", "b", "c"], true)]);
        check(&[(0, "*")], &[(500, &[], true)]);
        check(&[(0, "*"), (1_000, "a")], &[(500, &[], true), (1_500, &["a"], false)]);
    }

    proptest::proptest! {
        #[test]
        fn every_change_is_in_one_batch_and_soon(changes in proptest::collection::vec((0_u64..80, 0_u8..3), 0..60)) {
            let mut changes: Vec<(u64, String)> = changes.into_iter().map(|(at, path)| (at * 100, path.to_string())).collect();
            changes.sort();
            let borrowed: Vec<(u64, &str)> = changes.iter().map(|(at, path)| (*at, path.as_str())).collect();
            let batches = batches(&borrowed, 20_000);
            for (at, path) in &borrowed {
                let told = batches.iter().find(|(end, ..)| end >= at).expect("every change is told");
                proptest::prop_assert!(told.1.iter().any(|found| found == path) && told.0 <= at + 5_000, "{at} {told:?}");
            }
            proptest::prop_assert!(batches.iter().all(|(_, paths, many)| !paths.is_empty() && !many));
        }
    }
}
