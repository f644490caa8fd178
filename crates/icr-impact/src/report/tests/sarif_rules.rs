//! Logs in SARIF 2.1.0 are as the standard says.

use serde_json::Value;

use super::*;
use crate::contract::ContractChangeClass;
use crate::fuzzing::sarif_rules::{check_log, rows};
use crate::{ContractChange, Effect, Incomplete};

/// A change with findings of every check and level: a contract for each class of changes, one of them accepted, a file that seems
/// forgotten, files that were not looked into, and dependents. Names hold what URIs and messages have to escape.
fn every_finding() -> Impact {
    let mut impact = sample::breaking();
    let model = impact.contract_impact.changes[0].clone();
    let change = |(at, class): (usize, ContractChangeClass)| {
        let effect = if at % 2 == 0 { Effect::Breaks } else { Effect::MayBreak };
        ContractChange {
            path: format!("src/a b#{at}?.py"),
            symbol: format!("f{{{at}}}"),
            class: class.name(),
            detail: "[see](https://example.com) `{0}`".into(),
            severity: class.severity(),
            effect,
            uses: if effect == Effect::Breaks { model.uses.clone() } else { Vec::new() },
            accepted: (at == 0).then(|| "nobody {calls} it".into()),
            ..model.clone()
        }
    };
    impact.contract_impact.changes = ContractChangeClass::all().enumerate().map(change).collect();
    let unread = |path: &str, code| Incomplete { path: path.into(), reason: "too large".into(), code };
    impact.incomplete = vec![unread("src/é%.pl", true), unread("Cargo.lock", false)];
    impact
}

#[test]
fn a_log_with_every_finding_is_as_the_standard_says() {
    let log: Value = serde_json::from_str(&rendered(&every_finding(), Format::Sarif, &Limit::NONE)).unwrap();
    check_log(&log);
    let results = rows(&log["runs"][0]["results"]);
    let has = |key: &str, value: &str| results.iter().any(|result| result[key] == value);
    for class in ContractChangeClass::all() {
        assert!(has("ruleId", &format!("contract/{}", class.name())), "{}", class.name());
    }
    assert!(["dependent", "incomplete", "missing"].iter().all(|rule| has("ruleId", rule)));
    assert!(["error", "note", "warning"].iter().all(|level| has("level", level)));
}

#[test]
fn a_log_without_findings_is_as_the_standard_says() {
    let log: Value = serde_json::from_str(&rendered(&sample::clean(), Format::Sarif, &Limit::NONE)).unwrap();
    check_log(&log);
    assert_eq!(rows(&log["runs"][0]["results"]), &[] as &[Value]);
}
