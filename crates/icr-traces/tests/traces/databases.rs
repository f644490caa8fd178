//! Databases that are locked, damaged, of another version, too large or gone.

use std::fs;
use std::time::Instant;

use icr_traces::{CallFilter, Error, EventFilter, Recorder, RecorderOptions, Traces};
use rusqlite::Connection;

use super::{database, flush, opened, options, recorder, search, traces};

/// That recording there costs events and nothing else, and leaves the bytes of the database as they are.
#[track_caller]
fn loses(directory: &std::path::Path) {
    let before = fs::read(database(directory)).ok();
    let recorder = recorder(directory);
    for _ in 0..3 {
        recorder.record(search(1));
        flush(&recorder);
    }
    assert_eq!(recorder.dropped_events(), 3);
    drop(recorder);
    assert_eq!(fs::read(database(directory)).ok(), before);
}

/// A database with one call, closed.
fn written() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let recorder = recorder(directory.path());
    recorder.record(search(1));
    flush(&recorder);
    drop(recorder);
    // The thread of a recorder may still be closing it.
    let is_closed = || !directory.path().join("traces.db-wal").exists();
    assert!((0..1_000_000).any(|_| is_closed()), "a recorder that has ended closes its database");
    directory
}

#[test]
fn what_is_no_database_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    for bytes in [
        &b"not a database at all, but longer than a header of one would be, so that it is read as one................"
            [..],
        b"x",
    ] {
        fs::write(database(directory.path()), bytes).unwrap();
        loses(directory.path());
        let error = Traces::open(directory.path()).unwrap_err();
        assert!(
            matches!(&error, Error::Damaged { .. }) && error.to_string().contains("icr starts a new one"),
            "{error}"
        );
    }
}

#[test]
fn a_damaged_database_is_no_panic() {
    let whole = written();
    let bytes = fs::read(database(whole.path())).unwrap();
    for (start, fill) in [(0, 0), (18, 7), (100, 0xff), (bytes.len() / 2, 0xff), (4_096, 0), (8_192, 0x55)] {
        let directory = tempfile::tempdir().unwrap();
        let mut damaged = bytes.clone();
        let end = damaged.len().min(start + 2_000);
        damaged[start..end].fill(fill);
        damaged.truncate(bytes.len() - start / 100);
        fs::write(database(directory.path()), &damaged).unwrap();
        let recorder = recorder(directory.path());
        recorder.record(search(1));
        recorder.record(opened(1));
        flush(&recorder);
        // Whatever is left of it is read or refused.
        if let Ok(Some(traces)) = Traces::open(directory.path()) {
            let _ = (traces.calls(&CallFilter::default()), traces.events(&EventFilter::default()), traces.sessions(9));
        }
        let read =
            Traces::open(directory.path()).map(|traces| traces.map(|traces| traces.events(&EventFilter::default())));
        let is_there = matches!(&read, Ok(Some(Ok(events))) if events.len() >= 2);
        assert!(is_there || recorder.dropped_events() > 0 || matches!(read, Err(_) | Ok(Some(Err(_)))), "at {start}");
    }
}

#[test]
fn a_newer_or_foreign_database_is_left_alone() {
    let directory = written();
    let connection = Connection::open(database(directory.path())).unwrap();
    connection.execute_batch("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
    drop(connection);
    loses(directory.path());
    assert!(matches!(Traces::open(directory.path()), Err(Error::Newer { found: 99, known: 1, .. })));
    let foreign = tempfile::tempdir().unwrap();
    Connection::open(database(foreign.path())).unwrap().execute_batch("CREATE TABLE notes (text)").unwrap();
    loses(foreign.path());
    assert!(matches!(Traces::open(foreign.path()), Err(Error::Damaged { .. })));
}

#[test]
fn a_directory_in_its_place_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(database(directory.path())).unwrap();
    loses(directory.path());
    assert!(matches!(Traces::open(directory.path()), Err(Error::Damaged { .. })));
    // A file in the place of the directory.
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    loses(&file);
    assert!(Traces::open(&file).unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written_is_read_and_not_written() {
    use std::os::unix::fs::PermissionsExt;
    let directory = written();
    let set = |mode| fs::set_permissions(directory.path(), fs::Permissions::from_mode(mode)).unwrap();
    set(0o500);
    let is_root = fs::write(directory.path().join("probe"), "").is_ok();
    assert_eq!(traces(directory.path()).calls(&CallFilter::default()).unwrap().len(), 1);
    if is_root {
        // Nothing keeps this user from writing, but nobody can make files in this file system.
        #[cfg(target_os = "linux")]
        loses(std::path::Path::new("/proc/icr"));
    } else {
        loses(directory.path());
    }
    set(0o700);
}

#[test]
fn a_locked_database_makes_nobody_wait_and_what_does_not_fit_is_counted() {
    let directory = written();
    let lock = Connection::open(database(directory.path())).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let recorder = recorder(directory.path());
    // One batch is with the writer, which waits for the lock, and one in the queue.
    const CALLS: u64 = 3_000;
    for _ in 0..CALLS {
        recorder.record(search(1));
    }
    let refused = recorder.dropped_events();
    assert!(refused >= CALLS - 1_536, "{refused}: the queue holds 512");
    let before = Instant::now();
    assert!(!recorder.flush() || recorder.dropped_events() == CALLS);
    assert!(before.elapsed().as_secs() < 5, "a flush waits for half a second");
    lock.execute_batch("ROLLBACK").unwrap();
    flush(&recorder);
    recorder.record(opened(1));
    flush(&recorder);
    let traces = traces(directory.path());
    let dropped = traces.dropped_events_since(None).unwrap();
    let calls = traces.calls(&CallFilter::default()).unwrap().len() as u64 - 1;
    assert_eq!((dropped, calls + dropped), (recorder.dropped_events(), CALLS));
}

#[test]
fn events_that_could_not_be_written_are_counted_once() {
    let directory = written();
    let lock = Connection::open(database(directory.path())).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let recorder = recorder(directory.path());
    recorder.record(search(1));
    // The writer waits for two seconds.
    flush(&recorder);
    assert_eq!(recorder.dropped_events(), 1);
    lock.execute_batch("ROLLBACK").unwrap();
    for _ in 0..2 {
        recorder.record(opened(1));
        flush(&recorder);
        assert_eq!(traces(directory.path()).dropped_events_since(None).unwrap(), 1);
    }
    assert_eq!(recorder.dropped_events(), 1);
}

#[test]
fn the_end_of_a_recorder_does_not_wait_for_a_lock() {
    let directory = written();
    let lock = Connection::open(database(directory.path())).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let recorder = recorder(directory.path());
    recorder.record(search(1));
    let before = Instant::now();
    drop(recorder);
    // Half a second; less than the two that the writer waits for the lock, on a machine with many others too.
    assert!(before.elapsed().as_millis() < 1_900, "{:?}", before.elapsed());
}

#[test]
fn traces_that_are_removed_begin_anew() {
    let directory = tempfile::tempdir().unwrap();
    let recorder = recorder(directory.path());
    recorder.record(search(1));
    flush(&recorder);
    for file in fs::read_dir(directory.path()).unwrap() {
        fs::remove_file(file.unwrap().path()).unwrap();
    }
    recorder.record(opened(1));
    flush(&recorder);
    assert_eq!(recorder.dropped_events(), 0);
    assert_eq!(traces(directory.path()).events(&EventFilter::default()).unwrap(), [opened(1).into()]);
}

#[test]
fn the_size_is_bounded_and_the_oldest_go_first() {
    let directory = tempfile::tempdir().unwrap();
    let bytes_most = RecorderOptions::BYTES_LEAST;
    let recorder = Recorder::open(RecorderOptions { bytes_most, ..options(directory.path()) });
    let total = 2_000_u64;
    for at in 0..total {
        let mut call = search(total - at);
        call.task = Some("word ".repeat(100));
        call.returned = vec![call.returned[0].clone(); 20];
        recorder.record(call);
        if at % 100 == 99 {
            flush(&recorder);
        }
    }
    assert_eq!(recorder.dropped_events(), 0);
    let calls = traces(directory.path()).calls(&CallFilter::default()).unwrap();
    assert!(calls.len() > 100 && calls.len() < total as usize, "{}", calls.len());
    // What is left are the newest, without a hole.
    for (at, call) in calls.iter().enumerate() {
        assert_eq!(call.started_at, search(at as u64 + 1).started_at);
    }
    drop(recorder);
    let connection = Connection::open(database(directory.path())).unwrap();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let bytes = fs::metadata(database(directory.path())).unwrap().len();
    assert!(bytes <= bytes_most, "{bytes}");
}
