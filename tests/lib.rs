//! Helpers of the integration tests: all answers of a view as text, and stores to compare them with.
//!
//! Two stores are equal if their [`Answers`] are. The reference is a store that saw only the present state.

mod answers;
mod stopping;

pub use answers::{Answers, answers};
pub use stopping::{StopAt, stopped_at};

use std::path::Path;

use icr_engine::{Engine, Error, Freshness, OpenOptions, SilentObserver, ViewSelector};
use tempfile::TempDir;

/// An engine for the repository around `start`, with its store below `home`.
///
/// # Panics
///
/// When the repository cannot be opened.
#[track_caller]
pub fn engine(start: &Path, home: &Path) -> Engine {
    Engine::open(OpenOptions::new(start, home)).unwrap_or_else(|error| panic!("{}: {error}", start.display()))
}

/// Like [`engine`], but it never writes the store.
///
/// # Panics
///
/// When the repository cannot be opened.
#[track_caller]
pub fn read_only_engine(start: &Path, home: &Path) -> Engine {
    let options = OpenOptions { read_only: true, ..OpenOptions::new(start, home) };
    Engine::open(options).unwrap_or_else(|error| panic!("{}: {error}", start.display()))
}

/// A home of icr with nothing in it.
///
/// # Panics
///
/// When no temporary directory can be made.
pub fn empty_home() -> TempDir {
    TempDir::with_prefix("icr-home-").expect("a temporary directory can be made")
}

/// Asks as the interfaces do, and collects every answer.
///
/// # Errors
///
/// Errors of [`Engine::answer`].
pub fn ask(start: &Path, home: &Path, at: &ViewSelector) -> Result<Answers, Error> {
    Engine::open(OpenOptions::new(start, home))?.answer(at, &Freshness::default(), &SilentObserver, answers)
}

/// The answers of a fresh store.
///
/// # Errors
///
/// As for [`ask`].
pub fn ask_fresh(start: &Path, at: &ViewSelector) -> Result<Answers, Error> {
    ask(start, empty_home().path(), at)
}

/// Asks `home` and a fresh store, and compares.
///
/// # Panics
///
/// When they differ, with the first answers that do.
#[track_caller]
pub fn assert_equals_fresh(start: &Path, home: &Path, at: &ViewSelector, when: &str) {
    let found = ask(start, home, at).unwrap_or_else(|error| panic!("{when}: {error}"));
    let expected = ask_fresh(start, at).unwrap_or_else(|error| panic!("{when}, in a fresh store: {error}"));
    found.assert_equal(&expected, when);
}

/// Panics when anything that [`icr_engine::examine`] looks at is bad.
///
/// # Panics
///
/// With the bad findings.
#[track_caller]
pub fn assert_sound(start: &Path, home: &Path, when: &str) {
    let findings = icr_engine::examine(&engine(start, home));
    let bad: Vec<_> = findings.iter().filter(|finding| finding.severity == icr_engine::Severity::Bad).collect();
    assert!(bad.is_empty(), "{when}: {bad:#?}");
}

/// Name of SQLite's file system layer that checks a sum on every page. It is registered once a process has opened a
/// ledger by an engine.
const CHECKSUM_VFS: &str = "icr-sums";

/// A connection to a ledger that can change it in ways that no user of the store can.
///
/// # Panics
///
/// When the file cannot be opened, or no engine has opened a ledger yet.
#[track_caller]
pub fn ledger(path: &Path) -> rusqlite::Connection {
    let opened = rusqlite::Connection::open_with_flags_and_vfs(path, rusqlite::OpenFlags::default(), CHECKSUM_VFS);
    opened.expect("the ledger is a database")
}

/// Changes a ledger from outside.
///
/// # Panics
///
/// As [`ledger`], and when `sql` fails.
#[track_caller]
pub fn change_ledger(path: &Path, sql: &str) {
    ledger(path).execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Numbers that look random and are the same in every run: a 64-bit linear congruential generator with Knuth's constants.
#[derive(Debug, Clone)]
pub struct Draws(u64);

impl Draws {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}
