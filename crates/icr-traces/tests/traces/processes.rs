//! Several processes, and those that are killed.

use std::io::{BufRead, BufReader};
use std::process::Child;

use icr_traces::{CallFilter, EventFilter, Traces};

use super::child::{BATCH, BATCHES, Work, spawn};
use super::{flush, opened, recorder, traces};

/// Lines that say how many events were dropped up to a flush.
fn flushes(child: &mut Child) -> impl Iterator<Item = u64> {
    let lines = BufReader::new(child.stdout.take().expect("a pipe was asked for")).lines();
    lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("flushed ")?.parse().ok())
}

#[test]
fn a_killed_process_loses_only_what_was_not_flushed() {
    for batches in [1, 3, 10] {
        let directory = tempfile::tempdir().unwrap();
        let mut child = spawn(Work::Forever, directory.path());
        let flushed = flushes(&mut child).take(batches).filter(|dropped| *dropped == 0).count();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(flushed, batches, "the child ended by itself or dropped something");
        let calls = traces(directory.path()).calls(&CallFilter::default()).unwrap().len();
        assert!(calls >= batches * BATCH, "{calls} of {batches} batches");
        // Whoever comes next writes on.
        let next = recorder(directory.path());
        next.record(opened(1));
        flush(&next);
        assert_eq!(next.dropped_events(), 0);
        assert_eq!(traces(directory.path()).events(&EventFilter::default()).unwrap().len(), calls + 1);
    }
}

#[test]
fn several_processes_write_one_database() {
    let directory = tempfile::tempdir().unwrap();
    let children: Vec<Child> = (0..4).map(|_| spawn(Work::Some, directory.path())).collect();
    let mut dropped = 0;
    for mut child in children {
        dropped += flushes(&mut child).last().expect("the child flushed");
        assert!(child.wait().unwrap().success());
    }
    let traces = traces(directory.path());
    let calls = traces.calls(&CallFilter::default()).unwrap().len() as u64;
    // On a machine so slow that one waits for two seconds for the others something may be dropped, and that is known.
    assert_eq!(calls + dropped, (4 * BATCH * BATCHES) as u64);
    assert!(traces.dropped_events_since(None).unwrap() <= dropped);
}

#[cfg(unix)]
#[test]
fn a_full_disk_costs_events_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = spawn(Work::FullDisk, directory.path());
    let dropped = flushes(&mut child).last().expect("the child flushed");
    assert!(child.wait().unwrap().success());
    assert!(dropped > 0, "a full disk takes no {} events", BATCH * BATCHES);
    // With room again, what was written is there.
    let next = recorder(directory.path());
    next.record(opened(1));
    flush(&next);
    assert_eq!(next.dropped_events(), 0);
    let events = Traces::open(directory.path()).unwrap().unwrap().events(&EventFilter::default()).unwrap().len() as u64;
    assert_eq!(events + dropped, (BATCH * BATCHES) as u64 + 1);
}
