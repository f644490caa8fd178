//! Combines all findings about a change into one answer.

use std::collections::BTreeSet;

use crate::answer::{
    ChangedFile, ChangedSymbol, CochangePartner, ContractChange, ContractImpact, Dependent, Effect, ExpectedFile,
    GraphEdge, Impact, Incomplete, RiskLevel, Severity, Sides, TestChoice, TestPlan, TransitiveDependent,
    TruncatedList, Verdict, WarningRule,
};
use crate::expect::{self, EXPECTED_MOST, WARNINGS_MOST};
use crate::network::network;
use crate::review::review;
use crate::risk::{ReachEstimate, risk};

/// What was found out about a change.
#[derive(Debug, Clone)]
pub struct Findings {
    /// The two sides that were compared.
    pub sides: Sides,
    /// Files of the change.
    pub changed: Vec<ChangedFile>,
    /// What was not looked into, or not in full, by path.
    pub incomplete: Vec<Incomplete>,
    /// Definitions of the change.
    pub symbols: Vec<ChangedSymbol>,
    /// Changes of contracts, with the users of each.
    pub contracts: Vec<ContractChange>,
    /// Qualified names of exported definitions whose contract changed or that are gone, as they were before.
    pub modified_contracts: BTreeSet<String>,
    /// Files that use a contract that changed.
    pub affected_files: BTreeSet<String>,
    /// Files that refer to what changed.
    pub direct: Vec<Dependent>,
    /// Files that reach it through others.
    pub transitive: Vec<TransitiveDependent>,
    /// Files that are expected to change too, best first; none of the change.
    pub expected: Vec<ExpectedFile>,
    /// Files that may have been forgotten, best first, without files of the change and files that nobody edits by hand.
    /// A warning rule refers to their probabilities.
    pub forgotten: Vec<ExpectedFile>,
    /// Which of the forgotten files to warn about; `None` for none.
    pub warning: Option<WarningRule>,
    /// Files that changed with the change's files before, best first.
    pub cochange: Vec<CochangePartner>,
    /// Tests, best first.
    pub tests: Vec<TestChoice>,
    /// How many of them to run.
    pub test_plan: TestPlan,
    /// Connections between files.
    pub edges: Vec<GraphEdge>,
    /// Why nothing can be concluded from history, where it cannot.
    pub history_unknown: Option<String>,
    /// Limits on the lists of the answer.
    pub most: AnswerLimits,
}

/// Rows of changed definitions, and of changed contracts, that an answer has at most: more than anybody reads, at a kilobyte each.
const CHANGED_MOST: usize = 20_000;

/// How many of each an answer has at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerLimits {
    /// Files of the lists of dependents together, and of the graph.
    pub nodes: usize,
    /// Edges of the graph.
    pub edges: usize,
    /// Files that are expected to change too.
    pub expected: usize,
    /// Files that seem forgotten.
    pub missing: usize,
    /// Files to read besides the change.
    pub review: usize,
}

impl Default for AnswerLimits {
    /// What can be drawn, ranked and read: 100 files and 500 edges, 100 expected ones, 3 warnings, 20 files for a reviewer.
    fn default() -> Self {
        Self { nodes: 100, edges: 500, expected: EXPECTED_MOST, missing: WARNINGS_MOST, review: 20 }
    }
}

/// One answer from `findings`: ordered, cut, judged. What is noted about the code is for the caller to add.
pub fn assemble(findings: Findings) -> Impact {
    let Findings {
        sides,
        mut changed,
        incomplete,
        mut symbols,
        mut contracts,
        modified_contracts,
        affected_files,
        mut direct,
        mut transitive,
        ..
    } = findings;
    let Findings { mut expected, forgotten, warning, cochange, mut tests, test_plan, edges, .. } = findings;
    let Findings { history_unknown, most, .. } = findings;
    changed.sort_by(|one, other| one.path.cmp(&other.path));
    symbols.sort_by(|one, other| {
        (&one.path, one.line, &one.qualified_name).cmp(&(&other.path, other.line, &other.qualified_name))
    });
    contracts.sort_by(|one, other| {
        let worst = other.effect.cmp(&one.effect).then(other.severity.cmp(&one.severity));
        worst.then_with(|| {
            (&one.path, one.line, one.class, &one.detail).cmp(&(&other.path, other.line, other.class, &other.detail))
        })
    });
    direct.sort_by(|one, other| other.probability.total_cmp(&one.probability).then_with(|| one.path.cmp(&other.path)));
    transitive.sort_by(|one, other| {
        let likelier = other.probability.total_cmp(&one.probability);
        likelier.then(one.depth.cmp(&other.depth)).then_with(|| one.path.cmp(&other.path))
    });
    // A file that could not be read may have changed in more than its comments.
    let is_known = incomplete.iter().all(|file| !file.code);
    let is_cosmetic = is_known && !changed.is_empty() && changed.iter().all(|file| file.cosmetic);
    let reach = ReachEstimate::of(&direct, &transitive);
    let mut cuts = Vec::new();
    cut(&mut direct, most.nodes, "direct_dependents", &mut cuts);
    let left = most.nodes - direct.len();
    cut(&mut transitive, left, "transitive_dependents", &mut cuts);
    cut(&mut tests, most.nodes, "tests", &mut cuts);
    let missing = match &warning {
        _ if is_cosmetic => Vec::new(),
        Some(rule) => expect::missing(&forgotten, rule.threshold, most.missing).to_vec(),
        None => Vec::new(),
    };
    expected.truncate(most.expected);
    let mut contract_impact = contract_impact(contracts, modified_contracts, affected_files);
    let risk = risk(
        &changed,
        &incomplete,
        &symbols,
        &contract_impact,
        &reach,
        &tests,
        &missing,
        history_unknown.as_deref(),
        is_cosmetic,
    );
    let indirect = indirect_users(&changed, &transitive);
    let users = NearUsers { direct: &direct, indirect: &indirect };
    let verdict = verdict(&changed, &incomplete, &contract_impact, users, &missing, is_cosmetic);
    let impact_score = if is_cosmetic { 0.0 } else { score(&changed, &incomplete, &symbols, &reach) };
    let suggested_review =
        if is_cosmetic { Vec::new() } else { review(&direct, &indirect, &tests, &missing, most.review) };
    let graph = network(&changed, &direct, &transitive, &expected, &missing, &tests, edges, &most, &mut cuts);
    let summary = summary(verdict, &changed, &incomplete, &contract_impact, users, &missing, &test_plan);
    // The verdict uses all rows, but only so many are shown.
    cut(&mut symbols, CHANGED_MOST, "changed_symbols", &mut cuts);
    cut(&mut contract_impact.changes, CHANGED_MOST, "contract_impact.changes", &mut cuts);
    cut(&mut contract_impact.modified_contracts, CHANGED_MOST, "contract_impact.modified_contracts", &mut cuts);
    Impact {
        verdict,
        summary,
        impact_score,
        risk,
        sides,
        changed,
        incomplete,
        changed_symbols: symbols,
        direct_dependents: direct,
        transitive_dependents: transitive,
        contract_impact,
        expected,
        missing,
        warning,
        cochange,
        tests,
        test_plan,
        suggested_review,
        memories: Vec::new(),
        graph,
        truncated: !cuts.is_empty(),
        cuts,
    }
}

fn cut<T>(list: &mut Vec<T>, most: usize, name: &'static str, cuts: &mut Vec<TruncatedList>) {
    if list.len() > most {
        cuts.push(TruncatedList { list: name, shown: most as u64, total: list.len() as u64 });
        list.truncate(most);
    }
}

fn contract_impact(
    changes: Vec<ContractChange>,
    modified: BTreeSet<String>,
    affected_files: BTreeSet<String>,
) -> ContractImpact {
    let breaking_change_risk = match worst(&changes) {
        Some(Effect::Breaks) => RiskLevel::High,
        Some(Effect::MayBreak) => RiskLevel::Medium,
        Some(Effect::Holds) if changes.iter().any(|change| change.exported) => RiskLevel::Low,
        Some(Effect::Holds) | None => RiskLevel::None,
    };
    ContractImpact {
        modified_contracts: modified.into_iter().collect(),
        affected_files: affected_files.into_iter().collect(),
        breaking_change_risk,
        changes,
    }
}

/// The worst effect of what nobody accepted.
fn worst(changes: &[ContractChange]) -> Option<Effect> {
    changes.iter().filter(|change| change.accepted.is_none()).map(|change| change.effect).max()
}

/// Files that depend on the change with no file between that is not changed.
#[derive(Debug, Clone, Copy)]
struct NearUsers<'a> {
    /// Those that use what changed.
    direct: &'a [Dependent],
    /// Those of [`indirect_users`].
    indirect: &'a [&'a TransitiveDependent],
}

/// Files, tests apart, that use something in a changed file that uses what changed (callers of a public function whose
/// private helper changed), or what a changed definition overrides. No other code is between, so they depend on the
/// change as its direct users do.
fn indirect_users<'a>(changed: &[ChangedFile], transitive: &'a [TransitiveDependent]) -> Vec<&'a TransitiveDependent> {
    let changed: BTreeSet<&str> = changed.iter().map(|file| file.path.as_str()).collect();
    let is_near = |file: &&TransitiveDependent| file.via.iter().all(|path| changed.contains(path.as_str()));
    transitive.iter().filter(|file| !file.test).filter(is_near).collect()
}

fn verdict(
    changed: &[ChangedFile],
    incomplete: &[Incomplete],
    contracts: &ContractImpact,
    users: NearUsers<'_>,
    missing: &[ExpectedFile],
    is_cosmetic: bool,
) -> Verdict {
    let worst = worst(&contracts.changes);
    match () {
        () if changed.is_empty() && incomplete.is_empty() => Verdict::Empty,
        () if is_cosmetic => Verdict::Cosmetic,
        () if worst == Some(Effect::Breaks) => Verdict::Breaking,
        () if worst == Some(Effect::MayBreak) => Verdict::MayBreak,
        () if !missing.is_empty() || !users.indirect.is_empty() => Verdict::Review,
        () if users.direct.iter().any(|file| !file.in_change && !file.test) => Verdict::Review,
        () if incomplete.iter().any(|file| file.code) => Verdict::Unknown,
        () => Verdict::Clean,
    }
}

/// Impact score of a change by its severity alone, before its users are counted. The steps are even, because they only
/// order changes that nobody uses.
fn own_weight(severity: Severity) -> f64 {
    match severity {
        Severity::None => 0.0,
        Severity::Additive => 0.05,
        Severity::Behaviour => 0.1,
        Severity::Risky => 0.15,
        Severity::Breaking => 0.2,
    }
}

fn score(changed: &[ChangedFile], incomplete: &[Incomplete], symbols: &[ChangedSymbol], reach: &ReachEstimate) -> f64 {
    if changed.is_empty() && incomplete.is_empty() {
        return 0.0;
    }
    // A change that cannot be analysed affects at least as much as an addition.
    let unknown = !incomplete.is_empty();
    let worst = symbols.iter().map(|symbol| symbol.severity).max().unwrap_or(Severity::None);
    let own = own_weight(worst).max(if unknown || symbols.is_empty() { own_weight(Severity::Additive) } else { 0.0 });
    own + (1.0 - own) * reach.share()
}

fn summary(
    verdict: Verdict,
    changed: &[ChangedFile],
    incomplete: &[Incomplete],
    contracts: &ContractImpact,
    users: NearUsers<'_>,
    missing: &[ExpectedFile],
    plan: &TestPlan,
) -> String {
    let files = format_count(changed.len(), "file", "files");
    // Tests that use what changed are run, not re-checked.
    let direct = users.direct.iter().filter(|file| !file.in_change && !file.test).count();
    let to_check = direct + users.indirect.len();
    let mut parts = Vec::new();
    let with = |effect: Effect| -> BTreeSet<&str> {
        let changes = contracts.changes.iter().filter(|change| change.effect == effect && change.accepted.is_none());
        changes.map(|change| change.symbol.as_str()).collect()
    };
    let (broken, doubtful) = (with(Effect::Breaks), with(Effect::MayBreak));
    if !broken.is_empty() {
        parts.push(format!(
            "{} with users that are not updated",
            format_count(broken.len(), "broken contract", "broken contracts")
        ));
    }
    let doubtful = doubtful.difference(&broken).count();
    if doubtful > 0 {
        parts.push(format!("{} that may break users", format_count(doubtful, "contract", "contracts")));
    }
    if to_check > 0 {
        parts.push(format!("{} to re-check", format_count(to_check, "file", "files")));
    }
    if !missing.is_empty() {
        parts.push(format!("{} that may have been forgotten", format_count(missing.len(), "file", "files")));
    }
    let unseen = incomplete.iter().filter(|file| file.code).count();
    if unseen > 0 {
        parts.push(format!("{} of code not looked into in full", format_count(unseen, "file", "files")));
    }
    match verdict {
        Verdict::Empty => "nothing changed".to_owned(),
        Verdict::Cosmetic => format!("only comments and layout changed, in {files}"),
        Verdict::Clean if plan.selected > 0 => {
            format!("{files} changed; {} to run", format_count(plan.selected as usize, "test", "tests"))
        }
        Verdict::Clean => format!("{files} changed; nothing else to look at"),
        _ => format!("{files} changed: {}", parts.join(", ")),
    }
}

pub(crate) fn format_count(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileStatus, Level};

    fn file(path: &str) -> ChangedFile {
        ChangedFile {
            path: path.to_owned(),
            status: FileStatus::Modified,
            old_path: None,
            language: "python".to_owned(),
            lines_added: 1,
            lines_removed: 1,
            cosmetic: false,
            opaque: None,
        }
    }

    fn dependent(path: &str, test: bool) -> Dependent {
        Dependent {
            path: path.to_owned(),
            references: 1,
            symbols: Vec::new(),
            lines: vec![1],
            impact_level: Level::High,
            probability: 0.9,
            test,
            in_change: false,
            evidence: Vec::new(),
        }
    }

    /// The sentence about a change of two files with these dependents, of which so many tests are to run.
    #[track_caller]
    fn check(direct: &[Dependent], selected: u32, expected: &str) {
        check_reach(direct, &[], selected, expected);
    }

    /// As [`check`], with files that are reached through others.
    #[track_caller]
    fn check_reach(direct: &[Dependent], transitive: &[TransitiveDependent], selected: u32, expected: &str) {
        let changed = [file("a.py"), file("b.py")];
        let contracts = contract_impact(Vec::new(), BTreeSet::new(), BTreeSet::new());
        let plan = TestPlan { selected, total: 20, expected_recall: 0.9, commands: Vec::new() };
        let indirect = indirect_users(&changed, transitive);
        let users = NearUsers { direct, indirect: &indirect };
        let verdict = verdict(&changed, &[], &contracts, users, &[], false);
        assert_eq!(summary(verdict, &changed, &[], &contracts, users, &[], &plan), expected);
    }

    #[test]
    fn a_clean_change_says_how_many_tests_to_run() {
        check(&[], 0, "2 files changed; nothing else to look at");
        check(&[], 1, "2 files changed; 1 test to run");
        check(&[], 3, "2 files changed; 3 tests to run");
        check(&[dependent("test_a.py", true)], 1, "2 files changed; 1 test to run");
    }

    #[test]
    fn a_change_to_review_says_what_to_check() {
        let direct = [dependent("c.py", false), dependent("test_a.py", true)];
        check(&direct, 1, "2 files changed: 1 file to re-check");
    }

    #[test]
    fn files_that_are_reached_through_changed_files_alone_are_to_be_reviewed() {
        let reached = |path: &str, via: &[&str], test: bool| TransitiveDependent {
            path: path.to_owned(),
            depth: 2,
            via: via.iter().map(|path| (*path).to_owned()).collect(),
            impact_level: Level::Medium,
            probability: 0.5,
            test,
        };
        check_reach(&[], &[reached("c.py", &[], false)], 0, "2 files changed: 1 file to re-check");
        check_reach(&[], &[reached("c.py", &["b.py"], false)], 0, "2 files changed: 1 file to re-check");
        let others = [reached("c.py", &["d.py"], false), reached("test_a.py", &[], true)];
        check_reach(&[], &others, 0, "2 files changed; nothing else to look at");
    }
}
