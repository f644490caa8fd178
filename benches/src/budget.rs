//! What each measurement may cost: the envelope that the design was made for, on two ordinary cores.

/// A full sync takes at most so many times the CPU of reading all blobs and parsing them, nothing else.
pub(crate) const FULL_SYNC_TIMES_BARE_LIMIT: f64 = 2.2;

/// A sync with nothing to do takes at most so many milliseconds of CPU, process start included.
pub(crate) const SYNC_OF_NOTHING_MS: f64 = 20.0;

/// A sync after a commit of ten files takes at most so many milliseconds of CPU in a repository of a thousand files.
pub(crate) const SYNC_OF_TEN_FILES_MS: f64 = 100.0;

/// A sync after a commit of ten files takes at most so many times that in a repository of a hundred thousand files.
pub(crate) const SYNC_OF_TEN_FILES_GROWTH: f64 = 1.5;

/// A return to a branch seen before takes at most so many milliseconds of CPU.
pub(crate) const RETURN_MS: f64 = 100.0;

/// A return to a branch seen before parses so many blobs.
pub(crate) const RETURN_PARSED: f64 = 0.0;

/// A cold search takes at most so many milliseconds on the clock beyond `git status` of the same worktree, at 50,000
/// chunks.
pub(crate) const COLD_SEARCH_BEYOND_STATUS_MS: f64 = 50.0;

/// A cold impact of a change of 30 files takes at most so many milliseconds on the clock, at 10,000 files.
pub(crate) const COLD_IMPACT_MS: f64 = 300.0;

/// The first sync of a second clone parses so many blobs.
pub(crate) const SECOND_CLONE_PARSED: f64 = 0.0;

/// The median warm search takes at most so many milliseconds on the clock of a quiet machine, at 100,000 chunks.
pub(crate) const WARM_SEARCH_MS: f64 = 5.0;

/// The store has at most so many bytes for a byte of indexed text.
pub(crate) const STORE_SHARE: f64 = 0.7;

/// The postings have at most so many bytes for a byte of indexed text.
pub(crate) const POSTINGS_SHARE: f64 = 0.3;

/// Ledger and facts have at most so many bytes for a byte of indexed text.
pub(crate) const LEDGER_SHARE: f64 = 0.1;

/// A full sync of up to [`PEAK_LINES`] lines holds at most so many megabytes in memory.
pub(crate) const PEAK_MB: f64 = 500.0;

/// Lines up to which [`PEAK_MB`] holds.
pub(crate) const PEAK_LINES: u64 = 1_000_000;

/// Of two hundred requests a second to a local server, 99 in a hundred are answered within so many milliseconds, at 80,000 chunks.
pub(crate) const REQUEST_P99_MS: f64 = 60.0;

/// A server over ten repositories has at most so many megabytes while nobody asks.
pub(crate) const SERVER_AT_REST_MB: f64 = 150.0;

/// A server uses at most so many hundredths of a processor while nobody asks.
pub(crate) const SERVER_AT_REST_PERCENT: f64 = 0.1;
