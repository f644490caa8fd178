//! What a recorder keeps, what traces tell of it, and that nothing that is wrong with a database reaches who records.

mod child;
mod databases;
mod processes;
mod recording;
mod secrets;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use icr_traces::{
    CallKind, CallRecord, DATABASE_NAME, Door, FileAccess, FileEdit, Recorder, RecorderOptions, ReturnedSpan, Traces,
};

/// Seconds since 1970 of the clock of these tests.
const NOW: u64 = 1_700_000_000;

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(NOW)
}

fn options(directory: &Path) -> RecorderOptions {
    RecorderOptions::new(directory, now)
}

fn recorder(directory: &Path) -> Recorder {
    Recorder::open(options(directory))
}

/// Waits until all that was recorded is done, also on a machine that takes longer than a flush waits.
#[track_caller]
fn flush(recorder: &Recorder) {
    assert!((0..40).any(|_| recorder.flush()), "twenty seconds are enough for any disk");
}

fn traces(directory: &Path) -> Traces {
    Traces::open(directory).expect("the database is whole").expect("the database is there")
}

fn database(directory: &Path) -> PathBuf {
    directory.join(DATABASE_NAME)
}

/// A search in session `s` that showed ten lines, `seconds` before now.
fn search(seconds: u64) -> CallRecord {
    let mut call = CallRecord::new(Door::Mcp, CallKind::Search, "project_search", now() - Duration::from_secs(seconds));
    (call.session, call.repo_id) = (Some("s".to_owned()), Some("0123456789abcdef".to_owned()));
    call.duration = Duration::from_micros(1_234);
    (call.output_tokens, call.output_bytes) = (120, 480);
    let (path, symbol_kind) = ("src/a.rs".to_owned(), Some("function".to_owned()));
    call.returned = vec![ReturnedSpan { path, start_line: 1, end_line: 10, tokens: 100, symbol_kind }];
    call
}

fn opened(seconds: u64) -> FileAccess {
    FileAccess::new(now() - Duration::from_secs(seconds), "s", "0123456789abcdef", "src/a.rs", "Read")
}

fn changed(seconds: u64) -> FileEdit {
    FileEdit::new(now() - Duration::from_secs(seconds), "s", "0123456789abcdef", "src/a.rs")
}
