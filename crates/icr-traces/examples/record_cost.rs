//! Measures what `Recorder::record` costs its caller, with eight threads that record as fast as they can and eight that
//! pause between calls as doors do. Prints nanoseconds a call. This includes the time that a thread waits for a
//! processor; the run with a recorder that is off shows how long that is. `cargo run --release -p icr-traces --example
//! record_cost`.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use icr_traces::{CallInput, CallKind, CallRecord, Door, Recorder, RecorderOptions, ReturnedSpan};
use serde_json::{Value, json};

const THREADS: usize = 8;

/// Calls of a thread that does not pause, and of a thread that does.
const CALLS: usize = 20_000;
const PAUSED_CALLS: usize = 300;

fn main() {
    let input = json!({"query": "where is the token of a session checked", "limit": 20, "paths": ["src", "tests"]});
    for spans in [20, 200] {
        measure(&format!("off, {spans} spans"), &Recorder::off(), spans, &input, CALLS, Duration::ZERO);
    }
    for (name, spans, input) in [
        ("20 spans", 20, &input),
        ("200 spans", 200, &input),
        ("10 MB of input", 20, &json!({"text": "word ".repeat(2 << 20)})),
    ] {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let recorder = open(directory.path());
        measure(name, &recorder, spans, input, CALLS, Duration::ZERO);
        let recorder = open(directory.path());
        measure(&format!("{name}, with pauses"), &recorder, spans, input, PAUSED_CALLS, Duration::from_millis(5));
    }
}

fn open(directory: &Path) -> Recorder {
    #[expect(clippy::disallowed_methods, reason = "a program tells its recorder what time it is")]
    Recorder::open(RecorderOptions::new(directory, SystemTime::now))
}

/// Prints how long it took to make a call with its input, and to record it.
fn measure(name: &str, recorder: &Recorder, spans: usize, input: &Value, calls: usize, pause: Duration) {
    #[expect(clippy::disallowed_methods, reason = "what is recorded has a time")]
    let now = SystemTime::now();
    let work = || {
        let mut nanoseconds = Vec::with_capacity(calls);
        for _ in 0..calls {
            // A door hands over the spans and texts of its answer; it makes no copy for the recorder.
            let mut call = CallRecord::new(Door::Mcp, CallKind::Search, "project_search", now);
            call.returned = (0..spans as u32).map(span).collect();
            call.task = Some("where is the token of a session checked".to_owned());
            (call.session, call.repo_id) = (Some("session".to_owned()), Some("0123456789abcdef".to_owned()));
            if !pause.is_zero() {
                std::thread::park_timeout(pause);
            }
            let before = Instant::now();
            call.input = CallInput::new(input);
            recorder.record(call);
            nanoseconds.push(before.elapsed().as_nanos() as u64);
        }
        nanoseconds
    };
    let mut all: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a measurement does not panic")).collect()
    });
    recorder.flush();
    all.sort_unstable();
    let (total, mean) = (all.len(), all.iter().sum::<u64>() / all.len() as u64);
    let part = |thousandths: usize| all[(total - 1) * thousandths / 1_000];
    let dropped = recorder.dropped_events();
    eprintln!(
        "{name}: mean {mean}, median {}, p99 {}, p99.9 {}; {dropped} of {total} dropped",
        part(500),
        part(990),
        part(999)
    );
}

fn span(at: u32) -> ReturnedSpan {
    let path = format!("crates/component/src/module_{at}/file.rs");
    ReturnedSpan { path, start_line: at, end_line: at + 20, tokens: 300, symbol_kind: Some("function".to_owned()) }
}
