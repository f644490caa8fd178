//! What is recorded is there, as it was told, and no more than is kept.

use std::time::Duration;

use icr_traces::{
    AccessedLines, CallFilter, CallId, CallInput, CallKind, CallOutcome, CallRecord, Door, EventFilter, FileAccess,
    INPUT_BYTES_MOST, ImpactAnswer, LIST_MOST, Recorder, SeenCall, TASK_CHARACTERS_MOST, TraceEvent, Traces,
};
use serde_json::{Value, json};

use super::{changed, database, flush, now, opened, options, recorder, search, traces};

#[test]
fn what_is_recorded_is_read_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let recorder = recorder(directory.path());
    let mut call = search(60);
    call.task = Some("why \u{0} does \\ud83d é".to_owned());
    call.step = Some("1 of 3".to_owned());
    call.client = Some("claude-code".to_owned());
    call.root = Some("clone".to_owned());
    call.input = CallInput::new(&json!({"query": "a\u{0}\\ud83d", "n": [1, null, 2.5]}));
    call.gaps = vec!["not_embedded".to_owned()];
    call.outcome = CallOutcome::Error("NOT_FOUND".to_owned());
    call.parent = Some(CallId::random());
    call.impact = Some(ImpactAnswer { asked: vec!["a".to_owned()], predicted: vec!["b".to_owned()] });
    let look = FileAccess { lines: Some(AccessedLines { start: 3, end: 9 }), manual: true, path: None, ..opened(50) };
    let (session, repo_id) = ("s".to_owned(), "r".to_owned());
    let seen = SeenCall { at: now(), session, repo_id, tool: Some("project_search".to_owned()) };
    let events = [call.clone().into(), TraceEvent::from(look), opened(40).into(), changed(30).into(), seen.into()];
    for event in &events {
        recorder.record(event.clone());
    }
    // The same call once more is no second one.
    recorder.record(call.clone());
    flush(&recorder);
    assert_eq!(recorder.dropped_events(), 0);
    let traces = traces(directory.path());
    assert_eq!(traces.events(&EventFilter::default()).unwrap(), events);
    assert_eq!(traces.call(call.id).unwrap(), Some(call));
    assert_eq!(traces.call(CallId::random()).unwrap(), None);
}

#[test]
fn calls_are_listed_newest_first_in_the_shape_that_is_documented() {
    let directory = tempfile::tempdir().unwrap();
    let recorder = recorder(directory.path());
    let ids: Vec<CallId> = [30, 10, 20]
        .map(|seconds| {
            let call = search(seconds);
            let id = call.id;
            recorder.record(call);
            id
        })
        .to_vec();
    let other = CallRecord { session: None, repo_id: None, door: Door::Cli, tool: "map".to_owned(), ..search(40) };
    recorder.record(other);
    flush(&recorder);
    let traces = traces(directory.path());
    let tools =
        |filter: CallFilter| traces.calls(&filter).unwrap().iter().map(|call| call.started_at).collect::<Vec<_>>();
    let before = |seconds: &[u64]| seconds.iter().map(|ago| now() - Duration::from_secs(*ago)).collect::<Vec<_>>();
    assert_eq!(tools(CallFilter::default()), before(&[10, 20, 30, 40]));
    assert_eq!(tools(CallFilter { limit: Some(1), ..CallFilter::default() }), before(&[10]));
    assert_eq!(tools(CallFilter { door: Some(Door::Cli), ..CallFilter::default() }), before(&[40]));
    assert_eq!(tools(CallFilter { tool: Some("map".to_owned()), ..CallFilter::default() }), before(&[40]));
    let session = CallFilter { session: Some("s".to_owned()), since: before(&[20]).pop(), ..CallFilter::default() };
    assert_eq!(tools(session), before(&[10, 20]));
    let repository = CallFilter { repo_id: Some("0123456789abcdef".to_owned()), ..CallFilter::default() };
    assert_eq!(tools(repository), before(&[10, 20, 30]));
    let newest = &traces.calls(&CallFilter { limit: Some(1), ..CallFilter::default() }).unwrap()[0];
    let expected = json!({
        "id": ids[1],
        "time_ms": (super::NOW - 10) * 1_000,
        "door": "mcp",
        "type": "search",
        "tool": "project_search",
        "task": null,
        "step": null,
        "client": null,
        "session": "s",
        "repo_id": "0123456789abcdef",
        "root": null,
        "input": null,
        "output_tokens": 120,
        "output_bytes": 480,
        "gaps": [],
        "duration_ms": 1.234,
        "outcome": "ok",
        "parent": null,
    });
    assert_eq!(serde_json::to_value(newest).unwrap(), expected);
    assert_eq!(serde_json::from_value::<CallRecord>(expected).unwrap(), *newest);
    let mut lines = Vec::new();
    assert_eq!(traces.otlp_lines(&CallFilter::default(), &mut lines).unwrap(), 4);
    let first: Value = serde_json::from_slice(lines.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!(first["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"], "map");
}

#[test]
fn sessions_and_metrics_are_those_of_the_events() {
    let directory = tempfile::tempdir().unwrap();
    let recorder = recorder(directory.path());
    let seen = |seconds: u64| SeenCall {
        at: now() - Duration::from_secs(seconds),
        session: "agent".to_owned(),
        repo_id: "0123456789abcdef".to_owned(),
        tool: Some("project_search".to_owned()),
    };
    recorder.record(search(60));
    recorder.record(seen(59));
    recorder.record(FileAccess { session: "agent".to_owned(), manual: true, ..opened(50) });
    flush(&recorder);
    let traces = traces(directory.path());
    let sessions = traces.sessions(10).unwrap();
    let of_agent = json!({"session": "agent", "client": null, "started_ms": (super::NOW - 59) * 1_000,
        "last_ms": (super::NOW - 50) * 1_000, "calls": 0, "opened": 1, "changed": 0});
    assert_eq!((sessions.len(), serde_json::to_value(&sessions[0]).unwrap()), (2, of_agent));
    assert_eq!(traces.sessions(1).unwrap(), sessions[..1]);
    // The connection `s` is of the session `agent`, whose look used the 100 tokens: 0 of 100 wasted, 1 manual call of
    // 2.
    let metrics = traces.metrics(&icr_traces::metrics::MetricsRequest::default()).unwrap();
    assert_eq!((metrics.ewr_tokens.value, metrics.ewr_calls.value, metrics.sessions.len()), (Some(0.0), Some(0.5), 1));
    for (session, calls) in [("agent", 1), ("s", 1), ("other", 0)] {
        let of_session = CallFilter { session: Some(session.to_owned()), ..CallFilter::default() };
        assert_eq!(traces.calls(&of_session).unwrap().len(), calls, "{session}");
        assert_eq!(traces.calls_with_lists(&of_session).unwrap().len(), calls, "{session}");
    }
}

#[test]
fn inputs_of_megabytes_are_cut() {
    let directory = tempfile::tempdir().unwrap();
    let recorder = recorder(directory.path());
    let long = "é word ".repeat(10 << 17);
    let mut call = search(1);
    (call.tool, call.task, call.root) = (long.clone(), Some(long.clone()), Some(long.clone()));
    call.input = CallInput::new(&json!({ "query": long }));
    call.gaps = vec![long[..100_000].to_owned(); 100];
    call.returned = vec![call.returned[0].clone(); 100_000];
    call.impact =
        Some(ImpactAnswer { asked: vec!["a".to_owned(); 1_000], predicted: vec![long[..10_000].to_owned(); 1_000] });
    let id = call.id;
    recorder.record(call);
    flush(&recorder);
    assert_eq!(recorder.dropped_events(), 0);
    let call = traces(directory.path()).call(id).unwrap().unwrap();
    assert_eq!(call.task.unwrap().chars().count(), TASK_CHARACTERS_MOST);
    assert!(call.tool.len() <= 200 && call.tool.starts_with("é word") && call.root.unwrap().len() <= 1_000);
    assert!(call.input.value().to_string().len() <= INPUT_BYTES_MOST);
    assert_eq!((call.returned.len(), call.gaps.len()), (LIST_MOST, 20));
    let impact = call.impact.unwrap();
    assert_eq!((impact.asked.len(), impact.predicted.len()), (LIST_MOST, LIST_MOST));
}

#[test]
fn a_recorder_that_is_off_does_nothing() {
    let recorder = Recorder::off();
    recorder.record(search(1));
    assert!(!recorder.is_on() && recorder.flush() && recorder.dropped_events() == 0);
}

#[test]
fn no_file_is_made_before_the_first_event() {
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("a/b");
    let recorder = recorder(&inner);
    assert!(recorder.is_on() && recorder.flush() && !inner.exists());
    drop(recorder);
    assert!(!inner.exists() && Traces::open(&inner).unwrap().is_none());
}

#[test]
fn the_end_of_a_recorder_writes_what_it_holds() {
    let directory = tempfile::tempdir().unwrap();
    recorder(directory.path()).record(search(1));
    // The end waits half a second, and the thread goes on by itself on a machine that takes longer.
    let is_written = || {
        Traces::open(directory.path())
            .unwrap()
            .is_some_and(|traces| traces.events(&EventFilter::default()).unwrap().len() == 1)
    };
    assert!((0..100_000).any(|_| is_written()));
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("a");
    let recorder = recorder(&inner);
    recorder.record(search(1));
    flush(&recorder);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&inner), mode(&database(&inner))), (0o700, 0o600));
    assert_eq!(mode(&inner.join("traces.db-wal")), 0o600);
}

#[test]
fn what_is_too_old_is_deleted_when_the_database_is_opened() {
    let directory = tempfile::tempdir().unwrap();
    let days = |days: u64| days * 24 * 60 * 60;
    let first = recorder(directory.path());
    let clock = options(directory.path()).clock;
    assert_eq!(clock(), now());
    first.record(search(days(2)));
    flush(&first);
    first.record(search(days(40)));
    first.record(opened(days(40)));
    first.record(changed(days(6)));
    flush(&first);
    // Within the hour nothing is looked for.
    assert_eq!(traces(directory.path()).events(&EventFilter::default()).unwrap().len(), 4);
    drop(first);
    let second = Recorder::open(icr_traces::RecorderOptions { retention_days: 7, ..options(directory.path()) });
    second.record(opened(0));
    flush(&second);
    let left = traces(directory.path()).events(&EventFilter::default()).unwrap();
    let ages: Vec<u64> = left.iter().map(|event| now().duration_since(event.at()).unwrap().as_secs()).collect();
    assert_eq!(ages, [days(2), days(6), 0]);
    assert!(matches!(&left[0], TraceEvent::Call(call) if call.kind == CallKind::Search));
}
