//! Budgets of measurements: the limits that the design was made for, on two ordinary cores.

/// A full sync takes at most this multiple of the CPU time of only reading and parsing all blobs.
pub(crate) const FULL_SYNC_TIMES_BARE_LIMIT: f64 = 2.2;

/// Most milliseconds of CPU for a sync with nothing to do, including process start.
pub(crate) const SYNC_OF_NOTHING_MS: f64 = 20.0;

/// Most milliseconds of CPU for a sync after a commit of ten files, in a repository of a thousand files.
pub(crate) const SYNC_OF_TEN_FILES_MS: f64 = 100.0;

/// In a repository of a hundred thousand files, a sync after a commit of ten files takes at most this multiple of that
/// time.
pub(crate) const SYNC_OF_TEN_FILES_GROWTH: f64 = 1.5;

/// Most milliseconds of CPU for a return to a branch seen before.
pub(crate) const RETURN_MS: f64 = 100.0;

/// Blobs parsed by a return to a branch seen before.
pub(crate) const RETURN_PARSED: f64 = 0.0;

/// A cold search takes at most so many milliseconds on the clock beyond `git status` of the same worktree, at 50,000
/// chunks.
pub(crate) const COLD_SEARCH_BEYOND_STATUS_MS: f64 = 50.0;

/// Most milliseconds of wall time for a cold impact of a change of 30 files, at 10,000 files.
pub(crate) const COLD_IMPACT_MS: f64 = 300.0;

/// Blobs parsed by the first sync of a second clone.
pub(crate) const SECOND_CLONE_PARSED: f64 = 0.0;

/// Most milliseconds of wall time for the median warm search on a quiet machine, at 100,000 chunks.
pub(crate) const WARM_SEARCH_MS: f64 = 5.0;

/// Most bytes of the store for each byte of indexed text.
pub(crate) const STORE_SHARE: f64 = 0.7;

/// Most bytes of the postings for each byte of indexed text.
pub(crate) const POSTINGS_SHARE: f64 = 0.3;

/// Most bytes of ledger and facts for each byte of indexed text.
pub(crate) const LEDGER_SHARE: f64 = 0.1;

/// Most megabytes of memory during a full sync of up to [`PEAK_LINES`] lines.
pub(crate) const PEAK_MB: f64 = 500.0;

/// Lines up to which [`PEAK_MB`] holds.
pub(crate) const PEAK_LINES: u64 = 1_000_000;

/// At 200 requests a second, a local server answers 99 of 100 within this many milliseconds, at 80,000 chunks.
pub(crate) const REQUEST_P99_MS: f64 = 60.0;

/// Most megabytes of memory of an idle server over ten repositories.
pub(crate) const SERVER_AT_REST_MB: f64 = 150.0;

/// Most CPU of an idle server, in hundredths of a processor.
pub(crate) const SERVER_AT_REST_PERCENT: f64 = 0.1;
