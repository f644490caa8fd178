//! Impacts made by hand, and with any names.

use crate::*;

/// A change of `greet.py` that breaks a contract which two files use, and seems to forget a document.
pub(crate) fn breaking() -> Impact {
    Impact {
        verdict: Verdict::Breaking,
        summary: "`Greeter.greet` lost a parameter that 2 files still pass".into(),
        impact_score: 0.64,
        risk: Risk {
            level: RiskLevel::High,
            score: 0.72,
            version: 1,
            parts: vec![
                part("contract", 1.0, 0.4, "1 contract is broken for 2 files"),
                part("missing", 0.82, 0.2, "`docs/greet.md` seems forgotten"),
            ],
            unknown: Vec::new(),
        },
        sides: Sides {
            base: "main".into(),
            base_commit: Some("1111111111111111111111111111111111111111".into()),
            head: "HEAD".into(),
            head_commit: Some("2222222222222222222222222222222222222222".into()),
            reverts: None,
            notes: vec!["`main` is no ancestor of `HEAD`; compared from their merge base".into()],
        },
        changed: vec![
            changed_file("src/greet.py", FileStatus::Modified, 10, 4),
            changed_file("src/gone.py", FileStatus::Deleted, 0, 9),
        ],
        incomplete: Vec::new(),
        changed_symbols: vec![
            symbol("src/gone.py", "wave", SymbolChangeKind::Removed, Severity::Breaking, (3, 9)),
            symbol("src/greet.py", "Greeter.greet", SymbolChangeKind::Signature, Severity::Breaking, (12, 20)),
        ],
        direct_dependents: vec![
            dependent("src/app.py", &["Greeter.greet"], &[3, 9], Level::High, 0.9),
            dependent("src/cli.py", &["Greeter.greet"], &[41], Level::Medium, 0.7),
            Dependent { test: true, ..dependent("tests/test_greet.py", &["Greeter.greet"], &[5], Level::High, 0.9) },
        ],
        transitive_dependents: vec![TransitiveDependent {
            path: "src/main.py".into(),
            depth: 2,
            via: vec!["src/app.py".into()],
            impact_level: Level::Low,
            probability: 0.2,
            test: false,
        }],
        contract_impact: ContractImpact {
            modified_contracts: vec!["Greeter.greet".into(), "wave".into()],
            affected_files: vec!["src/app.py".into(), "src/cli.py".into(), "tests/test_greet.py".into()],
            breaking_change_risk: RiskLevel::High,
            changes: vec![
                ContractChange {
                    effect: Effect::Breaks,
                    uses: vec![broken_use("src/app.py", 3, "greeter.greet(\"Ada\")", "no argument is taken any more")],
                    ..contract(
                        "src/greet.py",
                        "Greeter.greet",
                        "parameter_removed",
                        "parameter `name` was removed",
                        12,
                        (3, 3),
                    )
                },
                ContractChange {
                    severity: Severity::Risky,
                    ..contract(
                        "src/greet.py",
                        "Greeter.greet",
                        "return_changed",
                        "returns `int` instead of `str`",
                        12,
                        (3, 3),
                    )
                },
                contract("src/gone.py", "wave", "removed", "it is gone", 3, (0, 0)),
            ],
        },
        expected: vec![missing(), ExpectedFile { path: "CHANGES.md".into(), probability: 0.4, evidence: Vec::new() }],
        missing: vec![missing()],
        warning: None,
        cochange: vec![CochangePartner {
            path: "docs/greet.md".into(),
            confidence: 0.85,
            lift: 7.5,
            commits: 11,
            last_commit: 1_700_000_000,
        }],
        tests: vec![test("tests/test_greet.py", 0.9, true), test("tests/test_cli.py", 0.3, false)],
        test_plan: TestPlan {
            selected: 1,
            total: 20,
            expected_recall: 0.92,
            commands: vec!["pytest tests/test_greet.py".into()],
        },
        suggested_review: vec![Review {
            path: "src/app.py".into(),
            probability: 0.9,
            reasons: vec!["it refers to `Greeter.greet` 2 times".into()],
        }],
        memories: Vec::new(),
        graph: ImpactGraph {
            nodes: vec![
                node("src/greet.py", "greet.py", GraphRole::Changed),
                node("docs/greet.md", "greet.md", GraphRole::Missing),
                node("src/app.py", "app.py", GraphRole::Dependent),
                node("tests/test_greet.py", "test_greet.py", GraphRole::Test),
            ],
            edges: vec![
                edge("src/app.py", "src/greet.py", GraphEdgeKind::Reference, 2),
                edge("tests/test_greet.py", "src/greet.py", GraphEdgeKind::Test, 1),
                edge("src/greet.py", "docs/greet.md", GraphEdgeKind::Cochange, 11),
            ],
        },
        truncated: true,
        cuts: vec![TruncatedList { list: "expected", shown: 2, total: 140 }],
    }
}

/// A change that needs no review.
#[cfg(test)]
pub(crate) fn clean() -> Impact {
    let all = breaking();
    Impact {
        verdict: Verdict::Clean,
        summary: "nothing else is affected".into(),
        impact_score: 0.1,
        risk: Risk { level: RiskLevel::None, score: 0.0, parts: Vec::new(), ..all.risk },
        changed_symbols: Vec::new(),
        direct_dependents: Vec::new(),
        transitive_dependents: Vec::new(),
        contract_impact: ContractImpact {
            modified_contracts: Vec::new(),
            affected_files: Vec::new(),
            breaking_change_risk: RiskLevel::None,
            changes: Vec::new(),
        },
        expected: Vec::new(),
        missing: Vec::new(),
        tests: Vec::new(),
        test_plan: TestPlan { selected: 0, commands: Vec::new(), ..all.test_plan },
        sides: Sides { notes: Vec::new(), ..all.sides },
        graph: ImpactGraph::default(),
        cuts: Vec::new(),
        truncated: false,
        ..all
    }
}

/// A memory of the change's method.
pub(crate) fn note(summary: &str) -> CodeNote {
    CodeNote {
        id: "01HF7YAT00000000000000000".into(),
        topic: "choices".into(),
        summary: summary.into(),
        path: "src/greet.py".into(),
        symbol: Some("Greeter.greet".into()),
        state: Some(NotedCode::Changed),
        created_at: icr_model::Moment(1_700_000_000),
    }
}

/// [`breaking`] with `names` for everything that a change can name, and as many rows of each list as there are names.
pub(crate) fn impact_with_names(names: &[String]) -> Impact {
    let mut impact = breaking();
    let of = |at: usize| names[at % names.len()].clone();
    impact.summary = format!("`{}` changed: {}", of(0), of(1));
    impact.sides.base = of(2);
    impact.sides.notes = vec![of(3)];
    impact.sides.reverts = Some(RevertedCommit { id: "0123456789abcdef".into(), subject: of(6) });
    impact.test_plan.commands = vec![of(4)];
    impact.risk.unknown = vec![of(5)];
    impact.changed = each(names, |name, _| changed_file(name, FileStatus::Modified, 1, 1));
    impact.incomplete =
        each(names, |name, at| Incomplete { path: name.into(), reason: name.into(), code: at % 2 == 0 });
    impact.changed_symbols =
        each(names, |name, _| symbol(name, name, SymbolChangeKind::Body, Severity::Behaviour, (1, 2)));
    impact.direct_dependents = each(names, |name, _| dependent(name, &[name], &[1, 2, 3], Level::High, 0.9));
    impact.contract_impact.changes = each(names, |name, at| {
        let detail = format!("parameter `{name}` was removed; {name}");
        let class = ["removed", "parameter_removed"][at % 2];
        ContractChange {
            effect: Effect::Breaks,
            uses: vec![broken_use(name, at as u32, name, name)],
            accepted: (at % 7 == 6).then(|| name.to_owned()),
            ..contract(name, name, class, &detail, at as u32, (9, 9))
        }
    });
    impact.transitive_dependents = each(names, |name, _| TransitiveDependent {
        path: name.into(),
        via: vec![name.into()],
        ..breaking().transitive_dependents.remove(0)
    });
    impact.expected =
        each(names, |name, _| ExpectedFile { path: name.into(), probability: 0.5, evidence: vec![evidence(name)] });
    impact.missing = impact.expected.iter().take(3).cloned().collect();
    impact.cochange = each(names, |name, _| CochangePartner { path: name.into(), ..breaking().cochange.remove(0) });
    impact.tests = each(names, |name, _| TestChoice { reason: name.into(), ..test(name, 0.5, true) });
    impact.suggested_review =
        each(names, |name, _| Review { path: name.into(), probability: 0.5, reasons: vec![name.into()] });
    impact.memories = each(names, |name, _| CodeNote {
        topic: name.into(),
        summary: name.into(),
        path: name.into(),
        symbol: Some(name.into()),
        ..note("")
    });
    impact.graph.nodes = each(names, |name, _| node(name, name, GraphRole::Changed));
    impact.graph.edges = each(names, |name, at| edge(&of(at + 1), name, GraphEdgeKind::Reference, 2));
    impact
}

fn each<T>(names: &[String], row: impl Fn(&str, usize) -> T) -> Vec<T> {
    names.iter().enumerate().map(|(at, name)| row(name, at)).collect()
}

fn part(name: &'static str, value: f64, weight: f64, reason: &str) -> RiskPart {
    RiskPart { name, value, weight, reason: reason.into() }
}

fn changed_file(path: &str, status: FileStatus, lines_added: u32, lines_removed: u32) -> ChangedFile {
    let (path, language) = (path.into(), "python".into());
    ChangedFile { path, status, old_path: None, language, lines_added, lines_removed, cosmetic: false, opaque: None }
}

fn symbol(path: &str, name: &str, change: SymbolChangeKind, severity: Severity, lines: (u32, u32)) -> ChangedSymbol {
    ChangedSymbol {
        path: path.into(),
        name: name.rsplit('.').next().unwrap_or(name).into(),
        qualified_name: name.into(),
        old_name: None,
        old_path: None,
        kind: "function".into(),
        change,
        severity,
        exported: true,
        line: lines.0,
        end_line: lines.1,
    }
}

pub(crate) fn dependent(
    path: &str,
    symbols: &[&str],
    lines: &[u32],
    impact_level: Level,
    probability: f64,
) -> Dependent {
    Dependent {
        path: path.into(),
        references: lines.len() as u32,
        symbols: symbols.iter().map(|&symbol| symbol.into()).collect(),
        lines: lines.into(),
        impact_level,
        probability,
        test: false,
        in_change: false,
        evidence: Vec::new(),
    }
}

/// A change that may break users.
fn contract(
    path: &str,
    symbol: &str,
    class: &'static str,
    detail: &str,
    line: u32,
    (consumers, consumers_untouched): (u32, u32),
) -> ContractChange {
    let (path, symbol, detail) = (path.into(), symbol.into(), detail.into());
    ContractChange {
        path,
        symbol,
        class,
        detail,
        severity: Severity::Breaking,
        exported: true,
        line,
        consumers,
        consumers_untouched,
        own_references: 0,
        declared_at: None,
        lacked_by: Vec::new(),
        effect: Effect::MayBreak,
        uses: Vec::new(),
        accepted: None,
    }
}

fn broken_use(path: &str, line: u32, text: &str, reason: &str) -> BrokenUse {
    BrokenUse { path: path.into(), line, text: text.into(), reason: reason.into() }
}

fn missing() -> ExpectedFile {
    let text = "11 of the 13 commits that touched `src/greet.py` touched this too, last 9 days before";
    ExpectedFile { path: "docs/greet.md".into(), probability: 0.82, evidence: vec![evidence(text)] }
}

fn evidence(text: &str) -> Evidence {
    Evidence { kind: EvidenceKind::History, text: text.into(), weight: 2.0 }
}

fn test(path: &str, probability: f64, selected: bool) -> TestChoice {
    TestChoice {
        path: path.into(),
        probability,
        reason: "calls `Greeter.greet`, which changed".into(),
        command: None,
        selected,
    }
}

fn node(path: &str, label: &str, role: GraphRole) -> GraphNode {
    GraphNode { path: path.into(), label: label.into(), role, depth: 1, strength: 0.5 }
}

fn edge(from: &str, to: &str, kind: GraphEdgeKind, count: u32) -> GraphEdge {
    GraphEdge { from: from.into(), to: to.into(), kind, count, label: "`Greeter.greet`".into() }
}
