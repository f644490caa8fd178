//! Impacts for pages: one as people have it, one of any size, one in which every text is hostile, and none.

use icr_impact::{
    BrokenUse, ChangedFile, ChangedSymbol, CochangePartner, CodeNote, ContractChange, ContractImpact, Dependent,
    Effect, Evidence, EvidenceKind, ExpectedFile, FileStatus, GraphEdge, GraphEdgeKind, GraphNode, GraphRole, Impact,
    ImpactGraph, Incomplete, Level, NotedCode, RevertedCommit, Review, Risk, RiskLevel, RiskPart, Severity, Sides,
    SymbolChangeKind, TestChoice, TestPlan, TransitiveDependent, TruncatedList, Verdict, WarningRule,
};

use super::HOSTILE;

/// Nothing was changed.
pub(super) fn empty() -> Impact {
    Impact {
        verdict: Verdict::Empty,
        summary: "Nothing was changed.".to_owned(),
        impact_score: 0.0,
        risk: Risk { level: RiskLevel::None, score: 0.0, version: 1, parts: Vec::new(), unknown: Vec::new() },
        sides: Sides {
            base: "main".to_owned(),
            base_commit: Some("1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d".to_owned()),
            head: "the worktree".to_owned(),
            head_commit: None,
            reverts: None,
            notes: Vec::new(),
        },
        changed: Vec::new(),
        incomplete: Vec::new(),
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
        warning: None,
        cochange: Vec::new(),
        tests: Vec::new(),
        test_plan: TestPlan { selected: 0, total: 41, expected_recall: 0.0, commands: Vec::new() },
        suggested_review: Vec::new(),
        memories: Vec::new(),
        graph: ImpactGraph::default(),
        truncated: false,
        cuts: Vec::new(),
    }
}

/// A parameter was removed: two files of the change, two dependents, one farther file, a test, a forgotten and an expected
/// file.
pub(super) fn small() -> Impact {
    let evidence = |kind, text: &str, weight| Evidence { kind, text: text.to_owned(), weight };
    let forgotten = ExpectedFile {
        path: "docs/cart.md".to_owned(),
        probability: 0.83,
        evidence: vec![
            evidence(EvidenceKind::History, "11 of the 13 commits that touched `src/cart.ts` touched this too", 2.4),
            evidence(EvidenceKind::Name, "its name is that of `src/cart.ts`", 0.6),
        ],
    };
    let often = ExpectedFile {
        path: "src/i18n/en.json".to_owned(),
        probability: 0.31,
        evidence: vec![
            evidence(EvidenceKind::History, "4 of the 13 commits touched this too", 0.9),
            evidence(EvidenceKind::History, "it changed in many other commits", -0.4),
        ],
    };
    Impact {
        verdict: Verdict::Breaking,
        summary: "`Cart.add` lost a parameter that 2 files outside of the change use.".to_owned(),
        impact_score: 0.46,
        risk: Risk {
            level: RiskLevel::High,
            score: 0.61,
            version: 1,
            parts: vec![
                part("contract", 1.0, 0.35, "a contract is broken"),
                part("reach", 0.4, 0.3, "about 3 files outside of the change to look at"),
            ],
            unknown: vec!["2 files have no grammar".to_owned()],
        },
        changed: vec![changed("src/cart.ts", FileStatus::Modified), changed("src/cart/rules.ts", FileStatus::Added)],
        incomplete: Vec::new(),
        changed_symbols: vec![symbol("src/cart.ts", "Cart.add", Severity::Breaking)],
        direct_dependents: vec![
            dependent("src/checkout.ts", 0.94, "calls `Cart.add` in 3 places"),
            dependent("src/pages/basket.tsx", 0.71, "calls `Cart.add` once"),
        ],
        transitive_dependents: vec![TransitiveDependent {
            path: "src/app.tsx".to_owned(),
            depth: 2,
            via: vec!["src/checkout.ts".to_owned()],
            impact_level: Level::Low,
            probability: 0.22,
            test: false,
        }],
        contract_impact: ContractImpact {
            modified_contracts: vec!["Cart.add".to_owned()],
            affected_files: vec!["src/checkout.ts".to_owned(), "src/pages/basket.tsx".to_owned()],
            breaking_change_risk: RiskLevel::High,
            changes: vec![ContractChange {
                path: "src/cart.ts".to_owned(),
                symbol: "Cart.add".to_owned(),
                class: "parameter_removed",
                detail: "parameter `quantity` was removed".to_owned(),
                severity: Severity::Breaking,
                exported: true,
                line: 12,
                consumers: 3,
                consumers_untouched: 2,
                own_references: 0,
                declared_at: None,
                lacked_by: Vec::new(),
                effect: Effect::Breaks,
                uses: vec![BrokenUse {
                    path: "src/checkout.ts".to_owned(),
                    line: 17,
                    text: "cart.add(item, 2)".to_owned(),
                    reason: "`add` takes 1 argument".to_owned(),
                }],
                accepted: None,
            }],
        },
        expected: vec![forgotten.clone(), often],
        missing: vec![forgotten],
        warning: Some(WarningRule {
            threshold: 0.72,
            false_alarms: 0.041,
            precision: Some(0.66),
            recall: Some(0.28),
            commits: 312,
            anchor: Some("9f8e7d6".to_owned()),
        }),
        cochange: vec![CochangePartner {
            path: "docs/cart.md".to_owned(),
            confidence: 0.85,
            lift: 12.3,
            commits: 11,
            last_commit: 1_767_139_200,
        }],
        tests: vec![TestChoice {
            path: "test/cart.test.ts".to_owned(),
            probability: 0.97,
            reason: "it calls `Cart.add`".to_owned(),
            command: Some("npx vitest run test/cart.test.ts".to_owned()),
            selected: true,
        }],
        test_plan: TestPlan {
            selected: 1,
            total: 41,
            expected_recall: 0.93,
            commands: vec!["npx vitest run test/cart.test.ts".to_owned()],
        },
        memories: vec![note("The cart keeps its order.", "src/cart.ts", "Cart.add")],
        suggested_review: vec![
            review("src/checkout.ts", 0.94, "calls `Cart.add` in 3 places"),
            review("docs/cart.md", 0.83, "11 of the 13 commits that touched `src/cart.ts` touched this too"),
        ],
        graph: ImpactGraph {
            nodes: vec![
                node("src/cart.ts", GraphRole::Changed, 0, 1.0),
                node("src/cart/rules.ts", GraphRole::Changed, 0, 1.0),
                node("docs/cart.md", GraphRole::Missing, 1, 0.83),
                node("test/cart.test.ts", GraphRole::Test, 1, 0.97),
                node("src/checkout.ts", GraphRole::Dependent, 1, 0.94),
                node("src/pages/basket.tsx", GraphRole::Dependent, 1, 0.71),
                node("src/i18n/en.json", GraphRole::Expected, 1, 0.31),
                node("src/app.tsx", GraphRole::Transitive, 2, 0.22),
            ],
            edges: vec![
                edge("src/checkout.ts", "src/cart.ts", GraphEdgeKind::Reference, "Cart.add"),
                edge("src/checkout.ts", "src/cart.ts", GraphEdgeKind::Import, ""),
                edge("src/pages/basket.tsx", "src/cart.ts", GraphEdgeKind::Reference, "Cart.add"),
                edge("src/cart.ts", "src/cart/rules.ts", GraphEdgeKind::Import, ""),
                edge("test/cart.test.ts", "src/cart.ts", GraphEdgeKind::Test, "Cart.add"),
                edge("src/app.tsx", "src/checkout.ts", GraphEdgeKind::Import, ""),
                edge("src/cart.ts", "docs/cart.md", GraphEdgeKind::Cochange, "11 of 13 commits"),
                edge("src/cart.ts", "src/i18n/en.json", GraphEdgeKind::Cochange, "4 of 13 commits"),
            ],
        },
        cuts: vec![TruncatedList { list: "graph.nodes", shown: 8, total: 9 }],
        truncated: true,
        ..empty()
    }
}

/// An impact whose graph has `files_total` files in nested directories and about `edges_total` edges, by a fixed linear
/// congruence.
pub(super) fn sized(files_total: usize, edges_total: usize) -> Impact {
    let mut state = 1_u64;
    let mut next = |below: usize| {
        // Multiplier and increment of Knuth's MMIX; the upper bits are the better ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let mut impact = small();
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let changed_total = (files_total / 12).clamp(1, 30);
    for no in 0..files_total {
        let share = 1.0 - no as f64 / files_total as f64;
        let path = format!("packages/area{}/src/part{}/component_{no}.tsx", no % 9, no % 4);
        let test = format!("packages/area{}/test/component_{no}.test.tsx", no % 9);
        nodes.push(match no {
            _ if no < changed_total => node(&path, GraphRole::Changed, 0, 1.0),
            _ if no < changed_total + 2 => node(&path, GraphRole::Missing, 1, 0.8),
            _ if no < changed_total + 7 => node(&path, GraphRole::Expected, 1, 0.4 * share),
            _ if no % 5 == 0 => node(&test, GraphRole::Test, 1 + no as u32 % 2, share),
            _ if no < files_total / 2 => node(&path, GraphRole::Dependent, 1, share),
            _ => node(&path, GraphRole::Transitive, 2 + no as u32 % 3, share),
        });
    }
    for at in 0..edges_total {
        let from: &GraphNode = &nodes[if at < files_total { at } else { next(files_total) }];
        let to = match from.role {
            GraphRole::Transitive => &nodes[next(files_total)],
            _ => &nodes[next(changed_total)],
        };
        edges.push(match from.role {
            GraphRole::Missing | GraphRole::Expected => {
                edge(&to.path, &from.path, GraphEdgeKind::Cochange, "9 of 11 commits")
            }
            GraphRole::Test => edge(&from.path, &to.path, GraphEdgeKind::Test, "Component.render"),
            GraphRole::Dependent => edge(&from.path, &to.path, GraphEdgeKind::Reference, "Component.render"),
            _ => edge(&from.path, &to.path, GraphEdgeKind::Import, ""),
        });
    }
    let mut seen = std::collections::BTreeSet::new();
    edges.retain(|edge| seen.insert((edge.from.clone(), edge.to.clone())));
    let of_role = |role: GraphRole| nodes.iter().filter(move |node| node.role == role);
    impact.changed = of_role(GraphRole::Changed).map(|node| changed(&node.path, FileStatus::Modified)).collect();
    impact.direct_dependents = of_role(GraphRole::Dependent)
        .map(|node| dependent(&node.path, node.strength, "calls `Component.render` in 3 places"))
        .collect();
    impact.graph = ImpactGraph { nodes, edges };
    impact
}

/// An impact in which every text is hostile and many numbers are none.
pub(super) fn hostile() -> Impact {
    let text = |no: usize| HOSTILE[no % HOSTILE.len()].to_owned();
    let numbers = [f64::NAN, f64::INFINITY, -1.0, 0.5];
    let number = |no: usize| numbers[no % numbers.len()];
    let all = 0..HOSTILE.len();
    let reasons = |no: usize| vec![Evidence { kind: EvidenceKind::History, text: text(no), weight: number(no) }];
    let expected: Vec<ExpectedFile> = all
        .clone()
        .map(|no| ExpectedFile { path: text(no), probability: number(no), evidence: reasons(no + 1) })
        .collect();
    let roles = [GraphRole::Changed, GraphRole::Missing, GraphRole::Test, GraphRole::Dependent, GraphRole::Transitive];
    Impact {
        verdict: Verdict::Review,
        summary: text(0),
        impact_score: f64::NAN,
        risk: Risk {
            level: RiskLevel::Unknown,
            score: f64::NAN,
            version: u32::MAX,
            parts: vec![part("size", f64::NAN, f64::INFINITY, &text(1))],
            unknown: HOSTILE.map(str::to_owned).into(),
        },
        sides: Sides {
            base: text(2),
            base_commit: Some(text(3)),
            head: text(4),
            head_commit: Some(text(4)),
            reverts: Some(RevertedCommit { id: text(5), subject: text(6) }),
            notes: vec![text(5)],
        },
        changed: all
            .clone()
            .map(|no| ChangedFile {
                old_path: Some(text(no + 1)),
                language: text(no),
                opaque: Some(text(no)),
                ..changed(&text(no), FileStatus::Renamed)
            })
            .collect(),
        incomplete: all.clone().map(|no| Incomplete { path: text(no), reason: text(no + 1), code: true }).collect(),
        changed_symbols: all.clone().map(|no| symbol(&text(no), &text(no + 1), Severity::Risky)).collect(),
        direct_dependents: all.clone().map(|no| dependent(&text(no), number(no), &text(no + 2))).collect(),
        transitive_dependents: all
            .clone()
            .map(|no| TransitiveDependent {
                path: text(no),
                depth: u32::MAX,
                via: vec![text(no + 1)],
                impact_level: Level::High,
                probability: number(no),
                test: true,
            })
            .collect(),
        contract_impact: ContractImpact {
            changes: all
                .clone()
                .map(|no| ContractChange {
                    path: text(no),
                    symbol: text(no + 1),
                    detail: text(no + 2),
                    uses: vec![BrokenUse { path: text(no), line: 0, text: text(no + 1), reason: text(no + 2) }],
                    accepted: (no % 2 == 1).then(|| text(no + 3)),
                    ..broken()
                })
                .collect(),
            ..empty().contract_impact
        },
        missing: expected.clone(),
        expected,
        cochange: all
            .clone()
            .map(|no| CochangePartner {
                path: text(no),
                confidence: number(no),
                lift: number(no),
                commits: u32::MAX,
                last_commit: [i64::MAX, i64::MIN][no % 2],
            })
            .collect(),
        tests: all
            .clone()
            .map(|no| TestChoice {
                path: text(no),
                probability: number(no),
                reason: text(no + 1),
                command: Some(text(no + 2)),
                selected: true,
            })
            .collect(),
        test_plan: TestPlan {
            selected: 1,
            total: 1,
            expected_recall: f64::NAN,
            commands: HOSTILE.map(str::to_owned).into(),
        },
        memories: all.clone().map(|no| note(&text(no), &text(no + 1), &text(no + 2))).collect(),
        suggested_review: all.clone().map(|no| review(&text(no), number(no), &text(no + 1))).collect(),
        graph: ImpactGraph {
            nodes: all
                .clone()
                .map(|no| GraphNode { label: text(no), ..node(&text(no), roles[no % 5], no as u32, number(no)) })
                .chain([node(&text(0), GraphRole::Expected, 1, 0.5)])
                .collect(),
            edges: all.map(|no| edge(&text(no), &text(no * 2 + 1), GraphEdgeKind::Reference, &text(no + 1))).collect(),
        },
        ..small()
    }
}

fn part(name: &'static str, value: f64, weight: f64, reason: &str) -> RiskPart {
    RiskPart { name, value, weight, reason: reason.to_owned() }
}

fn changed(path: &str, status: FileStatus) -> ChangedFile {
    ChangedFile {
        path: path.to_owned(),
        status,
        old_path: None,
        language: "typescript".to_owned(),
        lines_added: 12,
        lines_removed: 3,
        cosmetic: false,
        opaque: None,
    }
}

fn symbol(path: &str, name: &str, severity: Severity) -> ChangedSymbol {
    ChangedSymbol {
        path: path.to_owned(),
        name: name.to_owned(),
        qualified_name: name.to_owned(),
        old_name: None,
        old_path: None,
        kind: "method".to_owned(),
        change: SymbolChangeKind::Signature,
        severity,
        exported: true,
        line: 12,
        end_line: 20,
    }
}

fn broken() -> ContractChange {
    small().contract_impact.changes.remove(0)
}

fn dependent(path: &str, probability: f64, reason: &str) -> Dependent {
    Dependent {
        path: path.to_owned(),
        references: 3,
        symbols: vec!["Cart.add".to_owned()],
        lines: vec![3, 17, 204],
        impact_level: Level::of(probability),
        probability,
        test: false,
        in_change: false,
        evidence: vec![Evidence { kind: EvidenceKind::Reference, text: reason.to_owned(), weight: 2.1 }],
    }
}

fn note(summary: &str, path: &str, symbol: &str) -> CodeNote {
    CodeNote {
        id: "01HF7YAT00000000000000000".to_owned(),
        topic: summary.to_owned(),
        summary: summary.to_owned(),
        path: path.to_owned(),
        symbol: Some(symbol.to_owned()),
        state: Some(NotedCode::Changed),
        created_at: icr_engine::Moment(1_700_000_000),
    }
}

fn review(path: &str, probability: f64, reason: &str) -> Review {
    Review { path: path.to_owned(), probability, reasons: vec![reason.to_owned()] }
}

/// A node whose label is the last name of its path.
pub(super) fn node(path: &str, role: GraphRole, depth: u32, strength: f64) -> GraphNode {
    let label = path.rsplit('/').next().unwrap_or(path).to_owned();
    GraphNode { path: path.to_owned(), label, role, depth, strength }
}

pub(super) fn edge(from: &str, to: &str, kind: GraphEdgeKind, label: &str) -> GraphEdge {
    GraphEdge { from: from.to_owned(), to: to.to_owned(), kind, count: 1, label: label.to_owned() }
}
