//! How much can go wrong with a change, part by part.

use crate::answer::{
    ChangedFile, ChangedSymbol, ContractChange, ContractImpact, Dependent, Effect, ExpectedFile, Incomplete, Risk,
    RiskLevel, RiskPart, Severity, TestChoice, TransitiveDependent,
};
use crate::assemble::format_count;

/// Version of the rule below. It moves when a part, a weight or a border does.
pub const VERSION: u32 = 2;

/// Parts and their weights; they add up to 1. A judgement, not a measurement: what breaks users comes first, then how many
/// are reached, then whether anything would notice.
const WEIGHTS: [(&str, f64); 5] =
    [("contract", 0.35), ("reach", 0.3), ("tests", 0.15), ("missing", 0.1), ("size", 0.1)];

/// Scores from which the level is medium, and high.
const LEVELS: (f64, f64) = (0.25, 0.5);

/// How many files are reached, by their probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ReachEstimate {
    /// Expected number of files outside of the change that have to be looked at.
    touched: f64,
}

impl ReachEstimate {
    pub(crate) fn of(direct: &[Dependent], transitive: &[TransitiveDependent]) -> Self {
        let direct: f64 = direct.iter().filter(|file| !file.in_change).map(|file| file.probability).sum();
        let transitive: f64 = transitive.iter().map(|file| file.probability).sum();
        // The sum of no numbers is -0.0.
        Self { touched: 0.0 + direct + transitive }
    }

    /// The same between 0 and 1: eight files to look at, a morning's review, are half of the way.
    pub(crate) fn share(self) -> f64 {
        self.touched / (self.touched + 8.0)
    }
}

/// How much can go wrong.
#[expect(clippy::too_many_arguments, reason = "each is another list of the answer that is being made")]
pub(crate) fn risk(
    changed: &[ChangedFile],
    incomplete: &[Incomplete],
    symbols: &[ChangedSymbol],
    contracts: &ContractImpact,
    reach: &ReachEstimate,
    tests: &[TestChoice],
    missing: &[ExpectedFile],
    history_unknown: Option<&str>,
    is_cosmetic: bool,
) -> Risk {
    if is_cosmetic || (changed.is_empty() && incomplete.is_empty()) {
        return Risk { level: RiskLevel::None, score: 0.0, version: VERSION, parts: Vec::new(), unknown: Vec::new() };
    }
    let values = [
        contract(contracts),
        (
            reach.share(),
            format!(
                "about {} outside of the change to look at",
                format_count(reach.touched.round() as usize, "file", "files")
            ),
        ),
        untested(symbols, tests),
        forgotten(missing),
        size(changed),
    ];
    let parts = WEIGHTS.iter().zip(values);
    let mut parts: Vec<RiskPart> =
        parts.map(|((name, weight), (value, reason))| RiskPart { name, value, weight: *weight, reason }).collect();
    let score: f64 = parts.iter().map(|part| part.value * part.weight).sum();
    parts.sort_by(|one, other| {
        (other.value * other.weight).total_cmp(&(one.value * one.weight)).then(one.name.cmp(other.name))
    });
    let unknown = unknown(incomplete, history_unknown);
    let known = match score {
        _ if contracts.breaking_change_risk == RiskLevel::High => RiskLevel::High,
        _ if score >= LEVELS.1 => RiskLevel::High,
        _ if score >= LEVELS.0 => RiskLevel::Medium,
        _ => RiskLevel::Low,
    };
    // What was seen may be called bad; what was not seen may not be called good.
    let level = if known == RiskLevel::Low && !unknown.is_empty() { RiskLevel::Unknown } else { known };
    Risk { level, score, version: VERSION, parts, unknown }
}

fn contract(contracts: &ContractImpact) -> (f64, String) {
    // What only the repository uses counts if the change breaks, or may break, these uses.
    let counts =
        |change: &&ContractChange| change.accepted.is_none() && (change.exported || change.effect != Effect::Holds);
    let changes = contracts.changes.iter().filter(counts);
    let weight = |severity| -> f64 {
        match severity {
            Severity::None | Severity::Additive => 0.0,
            Severity::Behaviour => 0.2,
            Severity::Risky => 0.5,
            Severity::Breaking => 1.0,
        }
    };
    // A change that holds for all known users, or breaks none of them, can still break users outside of the repository.
    let of = |effect: Effect| match effect {
        Effect::Holds => 0.2,
        Effect::MayBreak => 0.4,
        Effect::Breaks => 1.0,
    };
    let worst = changes.map(|change| (weight(change.severity) * of(change.effect), change));
    match worst.max_by(|one, other| one.0.total_cmp(&other.0)) {
        Some((value, change)) if value > 0.0 => (value, format!("`{}`: {}", change.symbol, change.detail)),
        _ => (0.0, "no contract changed".to_owned()),
    }
}

fn untested(symbols: &[ChangedSymbol], tests: &[TestChoice]) -> (f64, String) {
    if !symbols.iter().any(|symbol| symbol.severity >= Severity::Behaviour) {
        // Tests may run code outside of definitions, too.
        let what = if tests.is_empty() { "nothing changed that" } else { "no definition changed in a way that" };
        return (0.0, format!("{what} a test could notice"));
    }
    // The probability that none of the tests runs changed code.
    let none: f64 = tests.iter().map(|test| 1.0 - test.probability).product();
    match tests.len() {
        0 => (1.0, "no test is known to reach what changed".to_owned()),
        count => (none, format!("{} may reach what changed", format_count(count, "test file", "test files"))),
    }
}

fn forgotten(missing: &[ExpectedFile]) -> (f64, String) {
    match missing.first() {
        Some(first) => (first.probability, format!("`{}` may have been forgotten", first.path)),
        None => (0.0, "no file seems forgotten".to_owned()),
    }
}

fn size(changed: &[ChangedFile]) -> (f64, String) {
    let lines: u32 = changed.iter().map(|file| file.lines_added + file.lines_removed).sum();
    // Review finds fewer defects in changes beyond some 200 lines (Cohen, Best Kept Secrets of Peer Code Review, 2006).
    (
        f64::from(lines) / (f64::from(lines) + 200.0),
        format!("{} changed", format_count(lines as usize, "line", "lines")),
    )
}

fn unknown(incomplete: &[Incomplete], history_unknown: Option<&str>) -> Vec<String> {
    let code = incomplete.iter().filter(|file| file.code);
    let mut reasons: Vec<String> =
        code.take(3).map(|file| format!("`{}` was not looked into: {}", file.path, file.reason)).collect();
    reasons.extend(history_unknown.map(str::to_owned));
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reach_of_a_change_that_reaches_nothing_is_zero_without_a_sign() {
        assert_eq!(format!("{:.2}", ReachEstimate::of(&[], &[]).share()), "0.00");
    }

    #[test]
    fn where_tests_are_to_be_run_something_changed_that_they_could_notice() {
        let tests = crate::fuzzing::sample::breaking().tests;
        assert_eq!(untested(&[], &tests).1, "no definition changed in a way that a test could notice");
        assert_eq!(untested(&[], &[]).1, "nothing changed that a test could notice");
    }
}
