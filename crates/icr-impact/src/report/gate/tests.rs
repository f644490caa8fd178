//! Which conditions are read, and when they are met.

use super::super::tests::sample;
use super::*;
use crate::{ChangedSymbol, ContractChange, Incomplete, RiskLevel, Severity, TruncatedList};

#[track_caller]
fn check(text: &str, impact: &Impact, expected: Option<&str>) {
    assert_eq!(parse(text).unwrap().met_by(impact).as_deref(), expected, "{text}");
}

#[track_caller]
fn check_error(text: &str, expected: &str) {
    assert_eq!(parse(text).unwrap_err().to_string(), expected);
}

#[test]
fn words_hold_or_not() {
    let (breaking, clean) = (sample::breaking(), sample::clean());
    check("breaking", &breaking, Some("the verdict is breaking"));
    check("may_break", &breaking, Some("the verdict is breaking"));
    check("review", &breaking, Some("the verdict is breaking"));
    check("missing", &breaking, Some("1 file seems forgotten"));
    check("unknown", &breaking, None);
    check("clean", &clean, Some("the verdict is clean"));
    for word in ["breaking", "may_break", "review", "missing", "cosmetic", "empty", "none"] {
        check(word, &clean, None);
    }
}

#[test]
fn numbers_are_compared() {
    let impact = sample::breaking();
    check("score>0.5", &impact, Some("the impact score is 0.64 (`score>0.5`)"));
    check("score>0.64", &impact, None);
    check("score>=0.64", &impact, Some("the impact score is 0.64 (`score>=0.64`)"));
    check("dependents>2", &impact, Some("3 files refer to what changed (`dependents>2`)"));
    check("dependents > 3", &impact, None);
    check("dependents=3", &impact, Some("3 files refer to what changed (`dependents=3`)"));
    check("transitive>=1", &impact, Some("1 file reaches what changed through others (`transitive>=1`)"));
    check("missing>1", &impact, None);
    check("changed>=2", &impact, Some("2 files changed (`changed>=2`)"));
    check("contracts==2", &impact, Some("2 contracts changed (`contracts=2`)"));
}

#[test]
fn steps_are_compared() {
    let impact = sample::breaking();
    check("risk>=medium", &impact, Some("the risk is high (0.72) (`risk>=medium`)"));
    check("risk>high", &impact, None);
    check("risk>=0.7", &impact, Some("the risk is high (0.72) (`risk>=0.7`)"));
    check("severity>=risky", &impact, Some("the worst change is breaking (`severity>=risky`)"));
    check("severity>=behaviour", &sample::clean(), None);
    check("verdict>=review", &impact, Some("the verdict is breaking (`verdict>=review`)"));
    check("verdict=review", &impact, None);
    check("verdict>=unknown", &impact, Some("the verdict is breaking (`verdict>=unknown`)"));
    check("verdict>=unknown", &sample::clean(), None);
}

#[test]
fn what_was_accepted_meets_no_condition() {
    let mut impact = sample::breaking();
    let accept = |impact: &mut Impact, symbol: &str| {
        let changes = impact.contract_impact.changes.iter_mut().filter(|change| change.symbol == symbol);
        changes.for_each(|change| change.accepted = Some("nobody relies on it".into()));
    };
    accept(&mut impact, "wave");
    check("severity>=breaking", &impact, Some("the worst change is breaking (`severity>=breaking`)"));
    check("contracts>0", &impact, Some("1 contract changed (`contracts>0`)"));
    check("contract:removed", &impact, None);
    accept(&mut impact, "Greeter.greet");
    check("severity>none", &impact, None);
    check("contracts>0", &impact, None);
    // A definition of which no change of a contract is listed is nothing that anybody accepted.
    let body =
        ChangedSymbol { name: "shout".into(), qualified_name: "shout".into(), ..impact.changed_symbols[0].clone() };
    impact.changed_symbols.push(ChangedSymbol { severity: Severity::Behaviour, ..body });
    check("severity>=behaviour", &impact, Some("the worst change is behaviour (`severity>=behaviour`)"));
    impact.contract_impact.modified_contracts.push("shout".into());
    check("contracts=1", &impact, Some("1 contract changed (`contracts=1`)"));
}

#[test]
fn a_promise_is_accepted_when_all_of_its_changes_are() {
    let mut impact = sample::breaking();
    impact.contract_impact.changes[0].accepted = Some("nobody gives it".into());
    check("contracts=2", &impact, Some("2 contracts changed (`contracts=2`)"));
    check("severity>=risky", &impact, Some("the worst change is breaking (`severity>=risky`)"));
    impact.contract_impact.changes.pop();
    impact.changed_symbols.retain(|symbol| symbol.name != "wave");
    check("severity>=risky", &impact, Some("the worst change is risky (`severity>=risky`)"));
    check("severity>=breaking", &impact, None);
}

#[test]
fn an_accepted_change_is_of_the_promise_as_it_was_called_before() {
    let mut impact = sample::breaking();
    impact.contract_impact.changes.remove(2);
    for change in &mut impact.contract_impact.changes {
        change.accepted = Some("the release notes say so".into());
    }
    let check_modified = |impact: &Impact, modified: &str, expected: Option<&str>| {
        let mut impact = impact.clone();
        impact.contract_impact.modified_contracts = vec![modified.into()];
        check("contracts>0", &impact, expected);
    };
    check_modified(&impact, "Greeter.greet", None);
    // A field is part of the contract of its type.
    check_modified(&impact, "Greeter", None);
    check_modified(&impact, "Greeter.hello", Some("1 contract changed (`contracts>0`)"));
    impact.changed_symbols[1].old_name = Some("Greeter.hello".into());
    check_modified(&impact, "Greeter.hello", None);
}

#[test]
fn a_risk_that_is_not_known_cannot_be_ruled_out() {
    let mut impact = sample::clean();
    impact.risk.level = RiskLevel::Unknown;
    impact.risk.unknown = vec!["`a.bin` is binary".into()];
    check("unknown", &impact, Some("the risk is unknown: `a.bin` is binary"));
    check("risk>=high", &impact, Some("the risk is unknown: `a.bin` is binary (`risk>=high`)"));
    check("risk>0.9", &impact, Some("the risk is unknown: `a.bin` is binary (`risk>0.9`)"));
    check("risk=unknown", &impact, Some("the risk is unknown: `a.bin` is binary (`risk=unknown`)"));
    for other in ["risk=none", "risk=0", "score>0.5", "breaking", "severity>=risky"] {
        check(other, &impact, None);
    }
}

#[test]
fn code_that_was_not_looked_into_is_not_known_whatever_the_verdict() {
    let row = |code| Incomplete { path: "a.py".into(), reason: "too large".into(), code };
    let impact = Impact { incomplete: vec![row(true)], ..sample::breaking() };
    check("unknown", &impact, Some("1 file of code not looked into in full: `a.py`: too large"));
    check("unknown", &Impact { incomplete: vec![row(false)], ..sample::clean() }, None);
}

#[test]
fn classes_of_changes_are_counted() {
    let mut impact = sample::breaking();
    check(
        "contract:parameter_removed",
        &impact,
        Some("parameter removed of `Greeter.greet` (`contract:parameter_removed`)"),
    );
    check("contract:renamed", &impact, None);
    let again = ContractChange { severity: Severity::Risky, ..impact.contract_impact.changes[0].clone() };
    impact.contract_impact.changes.push(again);
    check(
        "contract:parameter_removed",
        &impact,
        Some("parameter removed of `Greeter.greet` and 1 more (`contract:parameter_removed`)"),
    );
}

#[test]
fn lists_that_were_cut_count_in_full() {
    let mut impact = sample::breaking();
    impact.cuts = vec![TruncatedList { list: "direct_dependents", shown: 3, total: 300 }];
    check("dependents>20", &impact, Some("300 files refer to what changed (`dependents>20`)"));
}

#[test]
fn and_binds_tighter_than_or() {
    let impact = sample::breaking();
    check("clean and missing or breaking", &impact, Some("the verdict is breaking"));
    check("breaking or clean and missing", &impact, Some("the verdict is breaking"));
    check("clean, unknown", &impact, None);
    check("breaking and unknown, missing", &impact, Some("1 file seems forgotten"));
    check("missing and risk>=high", &impact, Some("1 file seems forgotten and the risk is high (0.72) (`risk>=high`)"));
}

#[test]
fn none_never_fails() {
    assert!(parse(" none ").unwrap().is_none());
    assert!(!parse("breaking").unwrap().is_none());
}

#[test]
fn what_is_not_known_is_named_with_its_place() {
    check_error("missing, braking", "no condition is called `braking` (at 10); did you mean `breaking`?");
    check_error("contract:removd", "no class of changes is called `removd` (at 10); did you mean `removed`?");
    check_error("risk>=hihg", "`risk` is not compared with `hihg` (at 7); did you mean `high`?");
    check_error(
        "risk>7",
        "`risk` is not compared with `7` (at 6); it takes `none`, `low`, `medium` or `high`, or a number from 0 to 1",
    );
    check_error("score>NaN", "`score` is not compared with `NaN` (at 7); it takes a number from 0 to 1");
    check_error("dependents>0.5", "`dependents` is not compared with `0.5` (at 12); it takes a whole number");
    check_error(
        "\u{1b}xyzzy",
        "no condition is called `\u{241b}xyzzy` (at 1); there are `breaking`, `changed`, `clean`, `contract:`, \
         `contracts`, `cosmetic`, `dependents`, `empty`, `may_break`, `missing`, `none`, `review`, `risk`, `score`, `severity`, `transitive`, \
         `unknown` and `verdict`",
    );
}

#[test]
fn what_is_not_in_its_place_is_named() {
    check_error("", "a condition is expected at 1, not the end");
    check_error("breaking or", "a condition is expected at 12, not the end");
    check_error("breaking,,missing", "a condition is expected at 10, not `,`");
    check_error("breaking missing", "`,`, `or` or `and` is expected at 10, not `missing`");
    check_error("or", "a condition is expected at 1, not `or`");
    check_error("risk", "a comparison such as `dependents>20` or `risk>=high` is expected at 1, not `risk` alone");
    check_error("risk>=", "a value of `risk` is expected at 7, not the end");
    check_error("risk>=,", "a value of `risk` is expected at 7, not `,`");
    check_error("breaking>1", "`,`, `or` or `and` is expected at 9, not `>` after `breaking`, which is met or not");
    check_error("none, breaking", "`none` cannot be combined with other conditions (at 1)");
    check_error("breaking and none", "`none` cannot be combined with other conditions (at 14)");
    check_error("risk<0.5", "`<` is not supported (at 5): a run fails when a value is too high; use `>=`");
}

#[test]
fn every_name_is_read() {
    for word in WORDS {
        assert!(parse(word.name).is_ok(), "{}", word.name);
    }
    for measure in MEASURES {
        let numbers: &[&str] = if measure.numbers == Numbers::No { &[] } else { &["0", "1"] };
        for value in measure.steps.iter().chain(numbers) {
            assert!(parse(&format!("{}={value}", measure.name)).is_ok(), "{} {value}", measure.name);
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(risk|breaking|and|or|,|>=|>|=|<|contract:|high|0\\.5|é| |\\PC){0,12}") {
        if let Err(error) = parse(&text) {
            proptest::prop_assert!(!error.to_string().is_empty());
        }
    }
}
