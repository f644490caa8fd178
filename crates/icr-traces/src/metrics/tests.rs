use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    AccessedLines, CallId, CallKind, CallRecord, Door, FileAccess, FileEdit, ImpactAnswer, ReturnedSpan, TraceEvent,
};

fn at(ms: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(ms)
}

/// A call that takes ten milliseconds.
fn call(ms: u64, session: &str, kind: CallKind, returned: &[(&str, u32, u32, u32, Option<&str>)]) -> CallRecord {
    let span = |(path, start_line, end_line, tokens, kind): &(&str, u32, u32, u32, Option<&str>)| ReturnedSpan {
        path: (*path).to_owned(),
        start_line: *start_line,
        end_line: *end_line,
        tokens: *tokens,
        symbol_kind: kind.map(str::to_owned),
    };
    let mut call = CallRecord::new(Door::Mcp, kind, "tool", at(ms));
    call.id = CallId::from_bits(ms + 1).unwrap();
    call.duration = Duration::from_millis(10);
    (call.session, call.repo_id) = (Some(session.to_owned()), Some("r".to_owned()));
    call.returned = returned.iter().map(span).collect();
    call
}

fn impact(ms: u64, session: &str, asked: &[&str], predicted: &[&str]) -> CallRecord {
    let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    let answer = ImpactAnswer { asked: owned(asked), predicted: owned(predicted) };
    CallRecord { impact: Some(answer), ..call(ms, session, CallKind::Impact, &[]) }
}

/// A look of the agent by its own means.
fn look(ms: u64, session: &str, path: Option<&str>, lines: Option<(u32, u32)>) -> TraceEvent {
    let (path, lines) = (path.map(str::to_owned), lines.map(|(start, end)| AccessedLines { start, end }));
    let (session, repo_id, by) = (session.to_owned(), "r".to_owned(), "Read".to_owned());
    FileAccess { at: at(ms), session, repo_id, path, lines, by, manual: true }.into()
}

fn change(ms: u64, session: &str, path: &str) -> TraceEvent {
    FileEdit::new(at(ms), session, "r", path).into()
}

/// What an agent did that was asked to change `b.rs`.
fn scripted() -> Vec<TraceEvent> {
    let first = [
        ("a.rs", 1, 10, 100, Some("function")),
        ("a.rs", 20, 30, 50, Some("method")),
        ("b.rs", 1, 5, 40, Some("function")),
        ("c.md", 1, 100, 300, None),
    ];
    let second = [("a.rs", 1, 10, 100, Some("function")), ("d.rs", 1, 5, 60, Some("class"))];
    let mut step = call(101, "s", CallKind::Search, &second);
    step.parent = CallId::from_bits(101);
    vec![
        // Before the answer: it uses nothing of it.
        look(5, "s", Some("c.md"), None),
        CallRecord { client: Some("claude-code".to_owned()), ..call(0, "s", CallKind::Search, &first) }.into(),
        look(50, "s", Some("a.rs"), Some((5, 8))),
        call(100, "s", CallKind::Run, &second).into(),
        step.into(),
        // Beside the lines that were shown.
        look(120, "s", Some("d.rs"), Some((6, 9))),
        look(130, "s", None, None),
        impact(200, "s", &["b.rs"], &["b.rs", "d.rs", "e.rs", "g.rs"]).into(),
        change(300, "s", "b.rs"),
        change(310, "s", "d.rs"),
        change(320, "s", "d.rs"),
        change(330, "s", "f.rs"),
        call(400, "s", CallKind::Other, &[]).into(),
    ]
}

#[test]
fn a_scripted_session_has_the_numbers_that_a_hand_computes() {
    let metrics = Metrics::of(&scripted(), &MetricsRequest::default(), 3);
    // Explored: 100 + 50 + 40 + 300 of the first answer; of the second 60, since lines 1 to 10 of a.rs were shown
    // before; 0 of its step: 550. Used: 100, lines 5 to 8 of a.rs were opened after it; 40 and 60, b.rs and d.rs were
    // changed: 200. (550 - 200) / 550 = 7 / 11.
    assert_eq!(metrics.ewr_tokens, EwrTokens { value: Some(7.0 / 11.0), used: 200, explored: 550 });
    // Looks by its own means: 4. Calls: the search, the run, the impact; not the step and not the index: 3. 4 / (3 +
    // 4).
    assert_eq!(metrics.ewr_calls, EwrCalls { value: Some(4.0 / 7.0), manual: 4, icr: 3, target: 0.1 });
    // Changed after the answer: b, d and f; without b, which it was asked about, 2. Named: d, e and g, 3 without b. In
    // both: d. Missed: f. IMR 1 / 2, recall 1 / 2, precision 1 / 3, F1 2 * 1 / (3 + 2).
    let expected = Imr {
        value: Some(0.5),
        missed: 1,
        impactful: 2,
        predicted: 3,
        named: 1,
        recall: Some(0.5),
        precision: Some(1.0 / 3.0),
        f1: Some(0.4),
        answers: 1,
        answers_without_truth: 0,
        sessions_without_truth: 0,
        target: 0.2,
    };
    assert_eq!(metrics.imr, expected);
    // Text without a symbol: 300, nothing used. Functions: 100 + 40, all used. Classes: 60, used. Methods: 50, not
    // used.
    let kinds: Vec<_> = metrics
        .by_kind
        .iter()
        .map(|kind| (kind.kind.as_deref(), kind.ewr_tokens.used, kind.ewr_tokens.explored))
        .collect();
    assert_eq!(kinds, [(None, 0, 300), (Some("function"), 140, 140), (Some("class"), 60, 60), (Some("method"), 0, 50)]);
    // The first answer: 490 explored, 140 used, 350 / 490 = 5 / 7; the second: 60 and 60.
    let calls: Vec<_> = ewr_tokens_of_calls(&scripted())
        .iter()
        .map(|call| (call.call.bits(), call.ewr_tokens.value, call.ewr_tokens.used, call.ewr_tokens.explored))
        .collect();
    assert_eq!(calls, [(1, Some(5.0 / 7.0), 140, 490), (101, Some(0.0), 60, 60)]);
    let [session] = metrics.sessions.as_slice() else { panic!("there is one session") };
    assert_eq!((session.session.as_str(), session.client.as_deref()), ("s", Some("claude-code")));
    // Calls: search, run, step, impact, index.
    assert_eq!((session.started_ms, session.calls, session.ewr_tokens), (0, 5, metrics.ewr_tokens));
    assert_eq!((metrics.trend.len(), metrics.trend[0].ewr_tokens), (1, Some(7.0 / 11.0)));
    assert_eq!((metrics.advice.len(), metrics.calls_without_session, metrics.dropped), (0, 0, 3));
    assert_eq!(
        (ewr_tokens(&scripted()), ewr_calls(&scripted()), imr(&scripted())),
        (metrics.ewr_tokens, metrics.ewr_calls, metrics.imr)
    );
}

#[test]
fn nothing_has_no_rates() {
    let metrics = serde_json::to_value(Metrics::of(&[], &MetricsRequest::default(), 0)).unwrap();
    assert_eq!(metrics["ewr_tokens"], json!({"value": null, "used": 0, "explored": 0}));
    assert_eq!(metrics["ewr_calls"], json!({"value": null, "manual": 0, "icr": 0, "target": 0.1}));
    assert_eq!((&metrics["imr"]["value"], &metrics["imr"]["f1"]), (&json!(null), &json!(null)));
    for list in ["sessions", "trend", "by_kind", "advice"] {
        assert_eq!(metrics[list], json!([]), "{list}");
    }
}

#[test]
fn what_icr_reads_was_opened_and_not_explored() {
    let events = [
        call(0, "s", CallKind::Search, &[("a.rs", 1, 10, 100, None), ("a.rs", 50, 60, 100, None)]).into(),
        call(20, "s", CallKind::Read, &[("a.rs", 10, 40, 500, None)]).into(),
    ];
    // Lines 10 to 40 overlap lines 1 to 10.
    assert_eq!(ewr_tokens(&events), EwrTokens { value: Some(0.5), used: 100, explored: 200 });
}

#[test]
fn an_impact_answer_without_later_changes_is_left_out_and_counted() {
    let events = [
        change(0, "s", "x.rs"),
        impact(10, "s", &["a.rs"], &["b.rs"]).into(),
        change(50, "s", "a.rs"),
        change(50, "t", "c.rs"),
        impact(60, "t", &[], &["b.rs"]).into(),
        impact(0, "t", &[], &["b.rs"]).into(),
    ];
    let imr = imr(&events);
    // Of session s there is no truth; of t only the answer before its change counts: c.rs is missed.
    assert_eq!((imr.value, imr.missed, imr.impactful, imr.precision), (Some(1.0), 1, 1, Some(0.0)));
    assert_eq!((imr.answers, imr.answers_without_truth, imr.sessions_without_truth), (1, 2, 1));
}

#[test]
fn advice_comes_above_seven_and_nine_tenths() {
    for (used, expected) in [(30, None), (29, Some("narrow")), (10, Some("narrow")), (9, Some("nearly nothing"))] {
        let spans = [("a.rs", 1, 1, used, None), ("b.rs", 1, 1, 100 - used, None)];
        let events = [call(0, "s", CallKind::Search, &spans).into(), look(50, "s", Some("a.rs"), None)];
        let advice = Metrics::of(&events, &MetricsRequest::default(), 0).advice;
        assert_eq!(advice.first().map(|advice| advice.starts_with(expected.unwrap_or("none"))), expected.map(|_| true));
    }
}

#[test]
fn a_request_takes_the_newest_sessions_of_one_repository() {
    let mut events: Vec<TraceEvent> = (0..15).map(|at| look(at * 100, &format!("s{at:02}"), None, None)).collect();
    events.push(FileEdit::new(at(9_000), "elsewhere", "other", "a.rs").into());
    let metrics = |repo_id: Option<&str>, last_sessions| {
        let request = MetricsRequest { repo_id: repo_id.map(str::to_owned), last_sessions, since: None };
        let metrics = Metrics::of(&events, &request, 0);
        metrics.sessions.iter().map(|session| session.session.clone()).collect::<Vec<_>>()
    };
    assert_eq!(metrics(Some("r"), Some(2)), ["s14", "s13"]);
    assert_eq!(metrics(None, Some(1)), ["elsewhere"]);
    let trend = Metrics::of(&events, &MetricsRequest::default(), 0).trend;
    // Ten sessions with a value, oldest first; the newest session has none.
    assert_eq!((trend.len(), trend[0].session.as_str(), trend[9].session.as_str()), (10, "s05", "s14"));
}

fn any_event() -> impl Strategy<Value = TraceEvent> {
    let session = prop::sample::select(vec!["s", "t", "u"]);
    let path = prop::sample::select(vec!["a.rs", "b.rs", "c.rs"]);
    let kind = prop::sample::select(CallKind::ALL.to_vec());
    let span = (path.clone(), 1_u32..20, 0_u32..20, prop::sample::select(vec![0, 1, 7, u32::MAX]));
    let calls = (0_u64..50, session.clone(), kind, prop::collection::vec(span, 0..4), any::<bool>()).prop_map(
        |(ms, session, kind, spans, is_impact)| {
            let spans: Vec<_> = spans
                .into_iter()
                .map(|(path, start, more, tokens)| (path, start, start + more, tokens, None))
                .collect();
            let call = call(ms, session, kind, &spans);
            let paths = |count: usize| spans.iter().take(count).map(|span| span.0.to_owned()).collect();
            let impact = is_impact.then(|| ImpactAnswer { asked: paths(1), predicted: paths(4) });
            CallRecord { id: CallId::random(), impact, ..call }.into()
        },
    );
    let looks = (0_u64..50, session.clone(), prop::option::of(path.clone()), prop::option::of((1_u32..20, 1_u32..20)))
        .prop_map(|(ms, session, path, lines)| look(ms, session, path, lines));
    let changes = (0_u64..50, session, path).prop_map(|(ms, session, path)| change(ms, session, path));
    prop_oneof![calls, looks, changes]
}

proptest! {
    #[test]
    fn rates_are_rates(events in prop::collection::vec(any_event(), 0..40)) {
        let metrics = Metrics::of(&events, &MetricsRequest::default(), 0);
        let mut values = vec![metrics.ewr_tokens.value, metrics.ewr_calls.value];
        values.extend([metrics.imr.value, metrics.imr.recall, metrics.imr.precision, metrics.imr.f1]);
        values.extend(metrics.by_kind.iter().map(|kind| kind.ewr_tokens.value));
        values.extend(metrics.sessions.iter().flat_map(|session| {
            [session.ewr_tokens.value, session.ewr_calls.value, session.imr.value]
        }));
        prop_assert!(values.iter().flatten().all(|value| (0.0..=1.0).contains(value)), "{metrics:?}");
        let explored: u64 = metrics.by_kind.iter().map(|kind| kind.ewr_tokens.explored).sum();
        prop_assert_eq!(explored, metrics.ewr_tokens.explored);
        let of_calls: u64 = ewr_tokens_of_calls(&events).iter().map(|call| call.ewr_tokens.used).sum();
        prop_assert_eq!(of_calls, metrics.ewr_tokens.used);
    }

    #[test]
    fn the_order_of_events_does_not_matter(
        (events, shuffled) in prop::collection::vec(any_event(), 0..30).prop_flat_map(|events| {
            (Just(events.clone()), Just(events).prop_shuffle())
        })
    ) {
        let request = MetricsRequest::default();
        prop_assert_eq!(Metrics::of(&events, &request, 0), Metrics::of(&shuffled, &request, 0));
    }

    #[test]
    fn other_sessions_change_nothing_of_a_session(
        events in prop::collection::vec(any_event(), 0..30),
        others in prop::collection::vec(any_event(), 0..30),
        turn in 0_usize..60,
    ) {
        let of_s = |events: &[TraceEvent]| {
            let metrics = Metrics::of(events, &MetricsRequest::default(), 0);
            metrics.sessions.into_iter().find(|session| session.session == "s")
        };
        let alone = of_s(&events);
        let mut together = events.clone();
        together.extend(others.into_iter().filter(|event| event.session() != Some("s")));
        let turn = turn % together.len().max(1);
        together.rotate_left(turn);
        prop_assert_eq!(of_s(&together), alone);
    }
}
