use super::*;
use crate::decompose;

fn found(id: &str, score: f64, source: &str) -> SubQueryHit {
    SubQueryHit { id: id.into(), path: format!("{id}.rs"), start_line: 1, score, source: source.into() }
}

/// `count` results of about the same score, from `first` on.
fn flat(first: usize, count: usize) -> Vec<SubQueryHit> {
    (first..first + count).map(|at| found(&format!("f{at:03}"), 0.5 + at as f64 / 10_000.0, "lexical")).collect()
}

fn queries() -> Vec<SubQuery> {
    decompose("where do AuthService and parse_token check expiry")
}

/// What all of `lists` come to, one for each sub-query.
fn fuse(lists: &[Vec<SubQueryHit>]) -> Vec<FusedHit> {
    let mut fusion = Fusion::new(SubQueryBonus::default());
    for list in lists {
        fusion.add(list);
    }
    fusion.best(50)
}

/// Asks until nothing is left; every search finds what `results` says for its number, from 0.
fn expand(limits: ExpansionLimits, results: impl Fn(usize) -> Vec<SubQueryHit>) -> SubQueryExpansion {
    let mut expansion = Expansion::new(queries(), &results(0), limits, SubQueryBonus::default());
    let mut step = 0;
    while expansion.next_query().is_some() {
        step += 1;
        expansion.record(&results(step));
    }
    expansion.finish()
}

#[test]
fn scores_rise_with_sub_queries_and_kinds_of_evidence() {
    let lists = [
        vec![found("a", 0.5, "lexical"), found("b", 0.6, "lexical"), found("a", 0.4, "lexical")],
        vec![found("a", 0.3, "semantic"), found("c", f64::NAN, "lexical")],
    ];
    let fused = fuse(&lists);
    let shown: Vec<(&str, u32, usize)> =
        fused.iter().map(|one| (one.id.as_str(), one.found_by, one.sources.len())).collect();
    assert_eq!(shown, [("a", 2, 2), ("b", 1, 1), ("c", 1, 1)]);
    assert!((fused[0].score - (0.5 + 0.2 + 0.1)).abs() < 1e-12, "{}", fused[0].score);
    assert_eq!((fused[1].score, fused[2].score), (0.6, 0.0));
    let turned: Vec<Vec<SubQueryHit>> = lists.iter().rev().cloned().collect();
    assert_eq!(fuse(&turned), fused);
    assert_eq!(fuse(&[flat(0, 80)]).len(), 50);
    assert_eq!(fuse(&[]), []);
}

#[test]
fn every_sub_query_is_asked_while_nothing_stands_out() {
    let expanded = expand(ExpansionLimits::default(), |step| flat(step * 4, 4));
    assert_eq!(expanded.stop_reason, StopReason::Done);
    assert!(!expanded.is_partial);
    assert_eq!((expanded.steps_used, expanded.steps_remaining), (11, 1));
    assert_eq!(expanded.candidates.len(), 44);
}

#[test]
fn it_ends_as_soon_as_something_stands_out() {
    let expanded = expand(ExpansionLimits::default(), |step| {
        let mut list = flat(step * 10, 10);
        list.push(found("it", if step == 0 { 0.5 } else { 0.95 }, "lexical"));
        list
    });
    assert_eq!(expanded.stop_reason, StopReason::LowEntropy);
    assert_eq!((expanded.candidates[0].id.as_str(), expanded.steps_used), ("it", 2));
    assert!(!expanded.is_partial);
}

#[test]
fn bounds_end_it_with_what_was_found() {
    let limits = ExpansionLimits { max_steps: 3, ..ExpansionLimits::default() };
    let expanded = expand(limits, |step| flat(step * 4, 4));
    assert_eq!((expanded.stop_reason, expanded.is_partial), (StopReason::MaxSteps, true));
    assert_eq!((expanded.steps_used, expanded.steps_remaining, expanded.candidates.len()), (3, 0, 12));

    let expanded = expand(ExpansionLimits::default(), |_| flat(0, 60));
    assert_eq!((expanded.stop_reason, expanded.candidates.len()), (StopReason::MaxCandidates, 50));
}

#[test]
fn peeks_are_steps_with_lines_of_their_own() {
    let mut expansion = Expansion::new(queries(), &[], ExpansionLimits::default(), SubQueryBonus::default());
    assert_eq!(expansion.peek(800), 800);
    assert_eq!(expansion.peek(800), 400);
    assert_eq!(expansion.peek(1), 0);
    assert_eq!(expansion.next_query(), None);
    let expanded = expansion.finish();
    assert_eq!((expanded.stop_reason, expanded.steps_used), (StopReason::MaxPeekLines, 3));
    assert_eq!((expanded.peek_lines_used, expanded.peek_lines_remaining), (1_200, 0));
}

#[test]
fn a_caller_without_time_has_a_partial_answer() {
    let mut expansion = Expansion::new(queries(), &flat(0, 10), ExpansionLimits::default(), SubQueryBonus::default());
    assert!(expansion.next_query().is_some());
    expansion.time_out();
    assert_eq!(expansion.next_query(), None);
    expansion.record(&flat(10, 10));
    let expanded = expansion.finish();
    assert_eq!((expanded.stop_reason, expanded.candidates.len()), (StopReason::Timeout, 20));
    let abandoned =
        Expansion::new(queries(), &flat(0, 10), ExpansionLimits::default(), SubQueryBonus::default()).finish();
    assert!(abandoned.is_partial);
}

#[test]
fn being_found_again_adds_what_is_asked_for() {
    let scores = |bonus| {
        let mut expansion = Expansion::new(queries(), &flat(0, 2), ExpansionLimits::default(), bonus);
        expansion.next_query();
        expansion.record(&flat(0, 2));
        expansion.finish().candidates[0].score
    };
    let usual = scores(SubQueryBonus::default());
    let doubled = scores(SubQueryBonus { found_again: 0.4, ..SubQueryBonus::default() });
    assert!((doubled - usual - 0.2).abs() < 1e-12, "{usual} {doubled}");
}
