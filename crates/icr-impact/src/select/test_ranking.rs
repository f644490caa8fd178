//! Combines the evidence about each test into one ranking, and decides how many tests are enough.

use std::collections::{BTreeMap, BTreeSet};

use icr_model::RepoPath;

use super::reach::TestReach;
use super::reasons::reason;
use super::runners::{ProjectManifest, TestCommand, TestFile, TestParts, commands, commands_alone};
use crate::{TestChoice, TestPlan};

/// What is known of a test file and a change.
#[derive(Debug, Clone, PartialEq)]
pub struct TestEvidence {
    /// Path.
    pub path: RepoPath,
    /// Whether the change changes it.
    pub in_change: bool,
    /// A changed file that is part of it: a module of a test target.
    pub changed_module: Option<String>,
    /// Whether it is a file of code that holds tests beside what changed.
    pub is_beside: bool,
    /// Which of its tests are meant.
    pub parts: TestParts,
    /// Cargo features that it needs, as in [`TestFile::features`].
    pub features: BTreeSet<String>,
    /// References to changed definitions in the test.
    pub references: u32,
    /// Names of these definitions, the most referred to first.
    pub referred: Vec<String>,
    /// 1: it refers to something that changed; 2: to something that refers to that; and so on.
    pub reference_distance: Option<u32>,
    /// [`TestReach::strength`]; 0 if no references lead to the change.
    pub reach: f64,
    /// Names of the strongest way, from what the test refers to, to what changed.
    pub through: Vec<String>,
    /// 1: it imports a changed file; 2: a file that imports one; and so on.
    pub import_distance: Option<u32>,
    /// Largest [`TestName::pair_strength`](super::TestName::pair_strength) with a changed file.
    pub pair: f64,
    /// Name of that file, for the reason.
    pub paired_file: Option<String>,
    /// Largest [`TestName::symbol_strength`](super::TestName::symbol_strength) with a changed definition.
    pub symbol_pair: f64,
    /// Name of that definition, for the reason.
    pub paired_symbol: Option<String>,
    /// Largest share of the commits of a changed file that changed the test too, in `0.0..=1.0`.
    pub cochange_confidence: f64,
    /// Share of the files of the test's package that it imports, directly or through others, in `0.0..=1.0`.
    pub broad: f64,
}

/// A ranked test.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Path.
    pub path: RepoPath,
    /// Probability that the test runs changed code, in `0.0..=1.0`.
    pub probability: f64,
    /// Why, in words.
    pub reason: String,
    /// Whether the plan takes it in.
    pub selected: bool,
}

/// How many of the ranked tests are enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestSelection {
    /// Tests that are taken in.
    pub selected: u32,
    /// Test files of the view.
    pub total: u32,
    /// Expected share, among all tests that run changed code, of those that are selected, in `0.0..=1.0`.
    pub expected_recall: f64,
}

/// Ranks tests, best first and ties by path. Selects as many as are expected to find nine tenths of what all tests
/// would find, and also the tests that are in the change or are named after changed code. `total` is the number of test
/// files of the view.
///
/// Tests that nothing ties to the change are left out. Of several entries for a path the most probable counts. The order
/// of `evidence` does not matter.
pub fn choose(evidence: &[TestEvidence], total: u32) -> (Vec<Choice>, TestSelection) {
    let mut ranked: Vec<(f64, &TestEvidence)> =
        evidence.iter().filter(|test| test.is_tied()).map(|test| (test.probability(), test)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)).then_with(|| reasons(a, b)));
    let mut seen = BTreeSet::new();
    ranked.retain(|(_, test)| seen.insert(&test.path));

    // If there is no better evidence, connections that most tests have are used.
    let all_count = !ranked.iter().any(|(_, test)| test.has_own_evidence());
    let worth = |(probability, test): &(f64, &TestEvidence)| match all_count || test.has_own_evidence() {
        true => *probability,
        false => 0.0,
    };
    let all: f64 = ranked.iter().map(worth).sum();
    let mut found = 0.0;
    let mut choices = Vec::with_capacity(ranked.len());
    let mut expected = 0.0;
    for row in &ranked {
        let (probability, test) = *row;
        let worth = worth(row);
        let is_needed = worth > 0.0 && found < ENOUGH * all;
        let selected = is_needed || test.is_always_taken();
        if is_needed {
            found += worth;
        }
        if selected {
            expected += worth;
        }
        choices.push(Choice { path: test.path.clone(), probability, reason: reason(test), selected });
    }
    let selected = choices.iter().filter(|choice| choice.selected).count() as u32;
    let expected_recall = if all > 0.0 { (expected / all).clamp(0.0, 1.0) } else { 0.0 };
    (choices, TestSelection { selected, total: total.max(selected), expected_recall })
}

/// [`choose`], with the commands that `manifests` say: what an [`Impact`](crate::Impact) shows.
pub fn test_rows(evidence: &[TestEvidence], total: u32, manifests: &[ProjectManifest]) -> (Vec<TestChoice>, TestPlan) {
    let (choices, plan) = choose(evidence, total);
    let by_path: BTreeMap<&RepoPath, &TestEvidence> = evidence.iter().map(|test| (&test.path, test)).collect();
    let file = |choice: &Choice| {
        let mut file = TestFile::from(choice.path.clone());
        if let Some(test) = by_path.get(&choice.path) {
            (file.parts, file.features) = (test.parts, test.features.clone());
        }
        file
    };
    let files: Vec<TestFile> = choices.iter().map(file).collect();
    let selected: Vec<TestFile> =
        choices.iter().zip(&files).filter(|(choice, _)| choice.selected).map(|(_, file)| file.clone()).collect();
    let alone = commands_alone(manifests, &files);
    let row = |(choice, command): (Choice, Option<TestCommand>)| TestChoice {
        path: choice.path.to_string(),
        probability: choice.probability,
        reason: choice.reason,
        command: command.map(|command| command.shown),
        selected: choice.selected,
    };
    let plan = TestPlan {
        selected: plan.selected,
        total: plan.total,
        expected_recall: plan.expected_recall,
        commands: commands(manifests, &selected).into_iter().map(|command| command.shown).collect(),
    };
    (choices.into_iter().zip(alone).map(row).collect(), plan)
}

/// Share of what all ranked tests would find that a plan is made to find. On the coverage of [`WEIGHTS`] such plans held
/// 0.94, 0.89, 0.87 and 0.95 of the tests that run a changed function, with half of the suite (0.53, 0.54, 0.51, 0.47).
const ENOUGH: f64 = 0.9;

/// From here a name is taken at its word: the name of the file agrees, and its directories do not object.
const NAMED_AFTER_FILE: f64 = 0.75;

/// The same for definitions: the test is named after the definition or one around it.
const NAMED_AFTER_SYMBOL: f64 = 0.9;

/// From here history ties a test to a file; below, everything changed together once.
const TIED_BY_HISTORY: f64 = 0.05;

/// What is added to [`TestEvidence::reach`] before its logarithm is taken, so that 0 has one. Less than the smallest reach
/// that told tests apart.
const LEAST_REACH: f64 = 0.001;

/// What a piece of evidence adds to the log of the odds: weight × value.
struct Weight {
    weight: f64,
    value: fn(&TestEvidence) -> f64,
}

/// Log of the odds without any evidence. Fitted last, with the weights as they are.
const ODDS: f64 = 0.6;

/// What each piece of evidence adds.
///
/// Fitted (logistic regression in which each change weighs the same) on the coverage of four public Python projects: which
/// test files run each of 2,209 functions. Fitted on three of them, the weights rank the tests of the fourth as well as
/// these do. Probabilities are right within 0.07 in every tenth.
const WEIGHTS: [Weight; 7] = [
    // Fitted: 0.39 (0.35 to 0.43 without one of the projects). Nearly all of the order.
    Weight { weight: 0.42, value: |test| (clamp_or_zero(test.reach, 1e6) + LEAST_REACH).ln() },
    // Fitted: 0.25 with history and 0.80 without, which a shallow clone lacks.
    Weight { weight: 0.5, value: |test| clamp_or_zero(test.pair, 1.0) },
    // Fitted: -0.28 to 0.31, so that little is known but that they break ties.
    Weight { weight: 0.2, value: |test| clamp_or_zero(test.symbol_pair, 1.0) },
    // Fitted: 3.9 (3.1 to 6.7); less, because a shorter history is less sure.
    Weight { weight: 3.0, value: |test| clamp_or_zero(test.cochange_confidence, 1.0) },
    // Fitted: -0.26 to 0.53.
    Weight { weight: 0.2, value: |test| test.import_distance.map_or(0.0, |steps| 1.0 / f64::from(steps.max(1))) },
    // Fitted: 0.76 (0.46 to 1.11); less, because it hardly changes the order and suites differ in what it means.
    Weight { weight: 0.3, value: |test| clamp_or_zero(test.broad, 1.0) },
    // Not fitted: whoever changes a test and a source at once mostly means them to belong together, and tests in the file
    // of a source are mostly of that.
    Weight { weight: 2.0, value: |test| f64::from(u8::from(test.is_part_of_change())) },
];

/// `value` within `0.0..=most`; 0 for what is no number.
fn clamp_or_zero(value: f64, most: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, most) }
}

/// An order of entries that are equally probable and have one path, so that the answer does not depend on theirs.
fn reasons(a: &(f64, &TestEvidence), b: &(f64, &TestEvidence)) -> std::cmp::Ordering {
    reason(a.1).cmp(&reason(b.1))
}

impl TestEvidence {
    /// Nothing known of the test at `path`.
    pub fn of(path: RepoPath) -> Self {
        Self {
            path,
            in_change: false,
            changed_module: None,
            is_beside: false,
            parts: TestParts::Code,
            features: BTreeSet::new(),
            references: 0,
            referred: Vec::new(),
            reference_distance: None,
            reach: 0.0,
            through: Vec::new(),
            import_distance: None,
            pair: 0.0,
            paired_file: None,
            symbol_pair: 0.0,
            paired_symbol: None,
            cochange_confidence: 0.0,
            broad: 0.0,
        }
    }

    /// The same with what references say; `name` gives the name of a definition for the reason.
    #[must_use]
    pub fn with_reach<D>(mut self, reach: &TestReach<D>, name: impl Fn(&D) -> String) -> Self {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for (definition, count) in &reach.direct {
            let sum = counts.entry(name(definition)).or_default();
            *sum = sum.saturating_add(*count);
        }
        let mut referred: Vec<(String, u32)> = counts.into_iter().collect();
        referred.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        self.references = referred.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count));
        self.referred = referred.into_iter().map(|(name, _)| name).collect();
        self.reference_distance = Some(reach.distance);
        self.reach = reach.strength;
        self.through = reach.through.iter().map(name).collect();
        self
    }

    /// How likely the test runs what changed, in `0.0..=1.0`.
    fn probability(&self) -> f64 {
        let odds: f64 = ODDS + WEIGHTS.iter().map(|row| row.weight * (row.value)(self)).sum::<f64>();
        1.0 / (1.0 + (-odds).exp())
    }

    /// Whether anything ties it to the change.
    fn is_tied(&self) -> bool {
        self.has_own_evidence() || self.import_distance.is_some() || clamp_or_zero(self.broad, 1.0) > 0.0
    }

    /// Whether anything ties it that does not tie most tests. In a large suite nearly all import the change somehow: they
    /// are ranked, but many of them are no reason to run any.
    fn has_own_evidence(&self) -> bool {
        self.is_always_taken()
            || clamp_or_zero(self.reach, 1e6) > 0.0
            || clamp_or_zero(self.pair, 1.0) > 0.0
            || clamp_or_zero(self.symbol_pair, 1.0) > 0.0
            || clamp_or_zero(self.cochange_confidence, 1.0) > TIED_BY_HISTORY
            || self.import_distance.is_some_and(|steps| steps <= 1)
    }

    fn is_part_of_change(&self) -> bool {
        self.in_change || self.is_beside || self.changed_module.is_some()
    }

    fn is_always_taken(&self) -> bool {
        self.is_part_of_change()
            || clamp_or_zero(self.pair, 1.0) >= NAMED_AFTER_FILE
            || clamp_or_zero(self.symbol_pair, 1.0) >= NAMED_AFTER_SYMBOL
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn test(path: &str, change: impl FnOnce(&mut TestEvidence)) -> TestEvidence {
        let mut evidence = TestEvidence::of(path.into());
        change(&mut evidence);
        evidence
    }

    #[track_caller]
    fn check(evidence: &[TestEvidence], expected: &str) {
        let (choices, plan) = choose(evidence, 10);
        let row = |choice: &Choice| {
            let mark = if choice.selected { "*" } else { "-" };
            format!("{mark} {} {:.2} {}\n", choice.path, choice.probability, choice.reason)
        };
        let rows: String = choices.iter().map(row).collect();
        let plan = format!("{} of {}, {:.2}\n", plan.selected, plan.total, plan.expected_recall);
        assert_eq!(rows + &plan, expected);
    }

    #[test]
    fn stronger_ways_come_first_and_each_says_why() {
        check(
            &[
                test("tests/far.py", |test| {
                    test.reach = 0.01;
                    test.reference_distance = Some(3);
                    test.through = vec!["main".into(), "invoke".into(), "echo".into()];
                }),
                test("tests/near.py", |test| {
                    test.reach = 2.0;
                    test.references = 12;
                    test.reference_distance = Some(1);
                    test.referred = vec!["echo".into()];
                }),
                test("tests/imports.py", |test| test.import_distance = Some(2)),
            ],
            "* tests/near.py 0.71 refers to `echo`, which changed, 12 times\n\
             * tests/far.py 0.22 uses `main`, which leads to `echo` in 2 steps\n\
             - tests/imports.py 0.10 imports a changed file through one other\n\
             2 of 10, 1.00\n",
        );
    }

    #[test]
    fn changed_tests_and_those_named_after_the_change_are_always_taken() {
        check(
            &[
                test("tests/strong.py", |test| test.reach = 50.0),
                test("tests/changed.py", |test| test.in_change = true),
                test("tests/test_utils.py", |test| {
                    test.pair = 0.9;
                    test.paired_file = Some("utils.py".into());
                }),
                test("tests/test_echo.py", |test| {
                    test.symbol_pair = 1.0;
                    test.paired_symbol = Some("echo".into());
                }),
                test("tests/alike.py", |test| test.pair = 0.3),
            ],
            "* tests/strong.py 0.90 refers to what changed\n\
             * tests/changed.py 0.43 is changed itself\n\
             * tests/test_utils.py 0.14 named after `utils.py`\n\
             * tests/test_echo.py 0.11 named after `echo`\n\
             - tests/alike.py 0.10 has a name like that of a changed file\n\
             4 of 10, 0.94\n",
        );
    }

    #[test]
    fn tests_that_nothing_ties_to_the_change_are_left_out() {
        check(&[test("a", |_| ()), test("b", |test| test.reach = f64::NAN)], "0 of 10, 0.00\n");
    }

    #[test]
    fn a_thousand_tests_that_import_the_change_somehow_are_no_reason_to_run_one() {
        let mut evidence: Vec<TestEvidence> =
            (0..1000).map(|no| test(&format!("t{no}"), |test| test.import_distance = Some(4))).collect();
        evidence.push(test("direct", |test| test.reach = 1.0));
        let (choices, plan) = choose(&evidence, 2000);
        assert_eq!(choices.len(), 1001);
        assert_eq!((plan.selected, plan.total, plan.expected_recall), (1, 2000, 1.0));
    }

    #[test]
    fn where_imports_are_all_there_is_they_make_the_plan() {
        let evidence: Vec<TestEvidence> =
            (0..10).map(|no| test(&format!("t{no}"), |test| test.import_distance = Some(no + 2))).collect();
        check(
            &evidence[..2],
            "* t0 0.10 imports a changed file through one other\n\
             * t1 0.10 imports a changed file through 2 others\n\
             2 of 10, 1.00\n",
        );
        assert_eq!(choose(&evidence, 10).1.selected, 9);
    }

    #[test]
    fn evidence_never_lowers_the_place_of_a_test() {
        let stronger: [fn(&mut TestEvidence); 7] = [
            |test| test.reach += 1.0,
            |test| test.pair += 0.5,
            |test| test.symbol_pair += 0.5,
            |test| test.cochange_confidence += 0.5,
            |test| test.import_distance = Some(1),
            |test| test.broad += 0.5,
            |test| test.in_change = true,
        ];
        let plain = test("b", |test| test.reach = 0.2);
        for change in stronger {
            let better = test("z", |test| {
                test.reach = 0.2;
                change(test);
            });
            let (choices, _) = choose(&[plain.clone(), better], 2);
            assert_eq!(choices[0].path, "z".into());
        }
    }

    #[test]
    fn rows_carry_the_commands_of_the_plan() {
        let manifests = [ProjectManifest { path: "go.mod".into(), text: "module a\n".to_owned() }];
        let evidence = [
            test("x/a_test.go", |test| test.reach = 9.0),
            test("y/b_test.go", |test| test.import_distance = Some(3)),
            test("z/notes.txt", |test| test.in_change = true),
        ];
        let (rows, plan) = test_rows(&evidence, 5, &manifests);
        let shown: Vec<_> = rows.iter().map(|row| (row.path.as_str(), row.command.as_deref(), row.selected)).collect();
        assert_eq!(
            shown,
            [
                ("x/a_test.go", Some("go test ./x"), true),
                ("z/notes.txt", None, true),
                ("y/b_test.go", Some("go test ./y"), false)
            ]
        );
        assert_eq!(plan.commands, ["go test ./x"]);
    }

    fn any_evidence() -> impl Strategy<Value = TestEvidence> {
        let number = prop_oneof![Just(0.0), 0.0..1.0_f64, Just(f64::NAN), Just(f64::INFINITY), Just(-1.0)];
        let numbers = prop::collection::vec(number, 5);
        (0..6_u8, any::<bool>(), numbers, prop::option::of(0..5_u32), 0..3_u32).prop_map(
            |(no, in_change, numbers, import_distance, references)| TestEvidence {
                in_change,
                references,
                reach: numbers[0],
                pair: numbers[1],
                symbol_pair: numbers[2],
                cochange_confidence: numbers[3],
                broad: numbers[4],
                import_distance,
                ..TestEvidence::of(format!("t{no}").as_str().into())
            },
        )
    }

    proptest! {
        #[test]
        fn the_ranking_is_a_total_order_whatever_the_input(evidence in prop::collection::vec(any_evidence(), 0..20), turn in 0..20_usize) {
            let (choices, plan) = choose(&evidence, 20);
            let mut turned = evidence.clone();
            turned.rotate_left(turn.min(evidence.len()));
            turned.reverse();
            prop_assert_eq!(&choose(&turned, 20), &(choices.clone(), plan));
            prop_assert!(choices.iter().all(|choice| (0.0..=1.0).contains(&choice.probability)));
            prop_assert!((0.0..=1.0).contains(&plan.expected_recall));
            prop_assert!(choices.windows(2).all(|pair| (pair[1].probability, &pair[0].path) < (pair[0].probability, &pair[1].path)
                || pair[1].probability < pair[0].probability));
            prop_assert_eq!(plan.selected as usize, choices.iter().filter(|choice| choice.selected).count());
        }
    }
}
