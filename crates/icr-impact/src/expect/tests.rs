//! A change and its candidates, from evidence to words.

use icr_history::{BestFile, ChangeSummary, HistoryEvidence};
use icr_model::RepoPath;
use proptest::prelude::*;

use super::*;
use crate::ExpectedFile;

const NOW: i64 = 1_700_000_000;
const DAY: i64 = 24 * 60 * 60;

fn change(paths: &[&str]) -> Diff {
    let file = |path: &&str| DiffFile { path: (*path).into(), commits: 13, alone: 2, focus: 0.4 };
    let history = ChangeSummary { commits_total: 1000, touching: 12.0, overlap: 1, overlap_commits: 13, now: NOW };
    Diff { files: paths.iter().map(file).collect(), history }
}

fn places(paths: &[&str]) -> FileNameIndex {
    FileNameIndex::new(&paths.iter().map(|path| RepoPath::from(*path)).collect::<Vec<_>>())
}

/// A candidate that shares `shared` of the 13 commits of the change's first file.
fn candidate(path: &str, shared: u32) -> DiffCandidate {
    let best = BestFile {
        file: 0,
        commits: 13,
        shared,
        commits_in_year: 13,
        shared_in_year: shared,
        last_shared: NOW - 9 * DAY,
    };
    let share = f64::from(shared) / 14.0;
    let history = HistoryEvidence {
        commits: 20,
        popularity: 0.02,
        recent_popularity: 0.04,
        touched_age: 4,
        shared,
        lift: share * 50.0,
        weighted_mean: share / 2.0,
        best_confidence: share,
        overlap_shared: shared,
        nearness: share / 2.0,
        best: (shared > 0).then_some(best),
    };
    DiffCandidate { history: Some(history), ..DiffCandidate::new(path.into()) }
}

fn values(diff: &Diff, candidate: &DiffCandidate, files: &[&str]) -> Vec<(&'static str, f64)> {
    let places = places(files);
    let values = Measure::new(diff, &places).features(candidate);
    FEATURES.iter().zip(values).map(|(feature, value)| (feature.name, value)).collect()
}

/// `name value` of the features that begin with `prefix` and are not 0.
#[track_caller]
fn check_values(diff: &Diff, candidate: &DiffCandidate, files: &[&str], prefix: &str, expected: &[&str]) {
    let found = values(diff, candidate, files);
    let shown = found.iter().filter(|(name, value)| name.starts_with(prefix) && *value != 0.0);
    let shown: Vec<String> = shown.map(|(name, value)| format!("{name} {value:.3}")).collect();
    assert_eq!(shown, expected);
}

#[test]
fn a_candidate_of_which_nothing_is_known_has_only_what_says_so() {
    let diff =
        Diff { files: vec![DiffFile::new("src/a.rs".into()), DiffFile::new("src/b.rs".into())], ..Diff::default() };
    let files = ["src/a.rs", "src/b.rs", "docs/x.md"];
    let expected = [
        "history_none 1.000",
        "history_thin 1.000",
        "history_thin_unknown 1.000",
        "together_never 1.000",
        "unknown 1.000",
    ];
    check_values(&diff, &DiffCandidate::new("docs/x.md".into()), &files, "", &expected);
}

#[test]
fn names_and_places_are_compared_with_every_file_of_the_change() {
    let files = ["src/lexer.rs", "src/parser.rs", "tests/parser.rs", "src/deep/tree.rs"];
    let diff = change(&["src/lexer.rs", "src/parser.rs"]);
    let test = candidate("tests/parser.rs", 0);
    check_values(
        &diff,
        &test,
        &files,
        "name",
        &["name_alike 1.000", "name_alike_unshared 1.000", "name_namesakes 0.693", "name_test_pair 1.000"],
    );
    check_values(&diff, &test, &files, "place", &[]);
    let deep = candidate("src/deep/tree.rs", 2);
    check_values(&diff, &deep, &files, "name", &[]);
    check_values(&diff, &deep, &files, "place", &["place_prefix 0.667"]);
    let beside = candidate("src/tree.rs", 2);
    check_values(&diff, &beside, &files, "place", &["place_beside 0.707", "place_prefix 1.000", "place_same 1.000"]);
}

#[test]
fn imports_and_references_count_more_where_few_have_them() {
    let diff = change(&["src/a.rs"]);
    let mut one = candidate("src/b.rs", 1);
    one.import_forward = Some(Import { file: 0, fan_in: 1 });
    one.import_backward = Some(Import { file: 0, fan_in: 100 });
    one.refers = Some(References { file: 0, count: 3, share: 0.5 });
    check_values(&diff, &one, &[], "import", &["import_backward 0.178", "import_forward 0.591"]);
    check_values(&diff, &one, &[], "refer", &["refers 2.398"]);
}

/// Words that a candidate mentions, the rarest of them `fooBar`.
fn mentioned(words: u32) -> MentionedWords {
    let rarity = 5.0 * f64::from(words);
    MentionedWords { added: 5.0, removed: rarity, rarity, share: 0.5, rarest: 0.8, word: "fooBar".to_owned(), words }
}

#[test]
fn words_of_changed_lines_count_by_their_rarity_and_the_sides_they_stand_on() {
    let diff = change(&["src/a.rs"]);
    let words = Some(mentioned(3));
    let shared = DiffCandidate { words: words.clone(), ..candidate("x/b.rs", 2) };
    let expected = ["words_added 0.693", "words_rarest 0.800", "words_removed 1.386", "words_share 0.500"];
    check_values(&diff, &shared, &[], "words", &expected);
    let unshared = DiffCandidate { words, ..candidate("x/b.rs", 0) };
    check_values(&diff, &unshared, &[], "words", &[&expected[..], &["words_share_unshared 0.500"]].concat());
}

#[test]
fn words_are_told_with_the_rarest_of_them() {
    let weigh = |feature: &Feature| if feature.reason == Reason::Words { 1.0 } else { 0.0 };
    let weights = Weights { intercept: -7.0, by_feature: FEATURES.each_ref().map(weigh) };
    let told = |words: u32| {
        let one = DiffCandidate { words: Some(mentioned(words)), ..DiffCandidate::new("docs/x.md".into()) };
        let (diff, places) = (change(&["src/a.rs"]), places(&[]));
        let found = Ranking::new(&diff, vec![one], &places).best(&weights, EXPECTED_MOST);
        let evidence = found[0].evidence.iter().map(|one| format!("{:?} {}", one.kind, one.text));
        evidence.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(told(1), "Words mentions `fooBar` of changed lines");
    assert_eq!(told(2), "Words mentions `fooBar` and 1 more word of changed lines");
    assert_eq!(told(3), "Words mentions `fooBar` and 2 more words of changed lines");
}

fn ranked(diff: &Diff, candidates: Vec<DiffCandidate>, files: &[&str]) -> Vec<ExpectedFile> {
    Ranking::new(diff, candidates, &places(files)).best(&SHIPPED, EXPECTED_MOST)
}

#[track_caller]
fn check_order(diff: &Diff, candidates: Vec<DiffCandidate>, expected: &str) {
    let found = ranked(diff, candidates, &["src/a.rs", "src/b.rs", "src/c.rs"]);
    assert_eq!(found.iter().map(|found| found.path.as_str()).collect::<Vec<_>>().join(" "), expected);
}

#[test]
fn what_went_with_the_change_more_often_comes_first() {
    let diff = change(&["src/a.rs"]);
    check_order(
        &diff,
        vec![candidate("x/b.rs", 1), candidate("y/c.rs", 12), candidate("z/d.rs", 5)],
        "y/c.rs z/d.rs x/b.rs",
    );
}

#[test]
fn equal_candidates_are_in_the_order_of_their_paths_and_the_change_is_none() {
    let diff = change(&["src/a.rs"]);
    let candidates = ["y/n", "src/a.rs", "x/n", "y/n"].map(|path| candidate(path, 3)).to_vec();
    check_order(&diff, candidates, "x/n y/n");
    check_order(&diff, Vec::new(), "");
}

#[test]
fn without_history_names_and_references_give_low_probabilities() {
    let diff = Diff { files: vec![DiffFile::new("src/parser.rs".into())], ..Diff::default() };
    let files = ["src/parser.rs", "src/b.rs", "src/c.rs", "tests/parser.rs", "docs/x.md"];
    let found = ranked(
        &diff,
        ["tests/parser.rs", "src/b.rs", "docs/x.md"].map(|path| DiffCandidate::new(path.into())).to_vec(),
        &files,
    );
    assert!(found.iter().all(|found| found.probability < 0.15), "{found:?}");
    assert_eq!(found.last().map(|found| found.path.as_str()), Some("docs/x.md"));
}

#[test]
fn the_list_and_the_warnings_are_cut() {
    let diff = change(&["src/a.rs"]);
    let many: Vec<DiffCandidate> = (0..150).map(|at| candidate(&format!("f{at:03}"), 3)).collect();
    assert_eq!(Ranking::new(&diff, many.clone(), &places(&[])).best(&SHIPPED, 120).len(), 120);
    let found = ranked(&diff, many, &[]);
    assert_eq!((found.len(), found[99].path.as_str()), (EXPECTED_MOST, "f099"));
    assert_eq!(missing(&found, found[0].probability, WARNINGS_MOST).len(), WARNINGS_MOST);
    assert_eq!(missing(&found, found[0].probability.next_up(), WARNINGS_MOST).len(), 0);
    assert_eq!(missing(&found[..2], 0.0, WARNINGS_MOST).len(), 2);
    assert_eq!(missing(&[], 0.0, WARNINGS_MOST).len(), 0);
}

/// The evidence of one candidate, a line for each reason.
fn told(diff: &Diff, candidate: DiffCandidate, files: &[&str]) -> String {
    let found = ranked(diff, vec![candidate], files);
    // The weights are those of a fit, and move with the next.
    assert!(found[0].evidence.is_sorted_by(|one, other| one.weight >= other.weight));
    let lines = found[0].evidence.iter().map(|one| format!("{:?} {}", one.kind, one.text));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn evidence_is_told_heaviest_first() {
    let mut diff = change(&["src/parser.rs", "src/lexer.rs"]);
    let files = ["src/parser.rs", "src/lexer.rs", "tests/parser.rs", "docs/x.md", "src/tree.rs"];
    let mut test = candidate("tests/parser.rs", 11);
    test.import_backward = Some(Import { file: 0, fan_in: 2 });
    test.refers = Some(References { file: 0, count: 12, share: 0.3 });
    insta::assert_snapshot!(told(&diff, test.clone(), &files), @r"
    History 11 of the 13 commits that touched `src/parser.rs` in the last year touched this too, last 9 days ago
    Test named as a test of `src/parser.rs`
    Reference refers to `src/parser.rs` 12 times
    ");
    diff.history = ChangeSummary { overlap: 2, overlap_commits: 4, ..diff.history };
    let mut few = candidate("src/tree.rs", 3);
    if let Some(history) = &mut few.history {
        history.touched_age = 0;
        history.best = history.best.map(|best| BestFile { commits_in_year: 1, last_shared: NOW + DAY, ..best });
    }
    insta::assert_snapshot!(told(&diff, few, &files), @r"
    History 3 of the 13 commits that touched `src/parser.rs` touched this too, last within a day of the newest commit; so did 3 of the 4 that touched 2 of these files
    Name in the directory of `src/lexer.rs`
    ");
    let mut referred = DiffCandidate::new("docs/x.md".into());
    referred.import_forward = Some(Import { file: 1, fan_in: 1 });
    referred.referred = Some(References { file: 1, count: 1, share: 0.9 });
    insta::assert_snapshot!(told(&diff, referred, &files), @r"
    Reference `src/lexer.rs` refers to it once
    Import imported by `src/lexer.rs`
    ");
    assert_eq!(told(&change(&["src/a.rs"]), DiffCandidate::new("docs/x.md".into()), &files), "");
}

#[test]
fn times_are_told_from_the_newest_commit() {
    let at = |last_shared: i64| {
        let mut one = candidate("x", 3);
        if let Some(history) = &mut one.history {
            history.best = history.best.map(|best| BestFile { last_shared, commits: 1, commits_in_year: 0, ..best });
        }
        told(&change(&["a"]), one, &[]).lines().next().unwrap_or_default().rsplit(", last ").next().unwrap().to_owned()
    };
    assert_eq!(at(NOW), "within a day of the newest commit");
    assert_eq!(at(NOW - DAY), "1 day ago");
    assert_eq!(at(NOW - 60 * DAY), "60 days ago");
    assert_eq!(at(NOW - 61 * DAY), "2 months ago");
    assert_eq!(at(NOW - 800 * DAY), "2 years ago");
    assert_eq!(at(i64::MIN), format!("{} years ago", i64::MAX / DAY / 365));
}

#[test]
fn baselines_score_what_their_names_say() {
    let mut diff = change(&["src/a.rs"]);
    let score = |name: &str, diff: &Diff, candidate: &DiffCandidate| {
        let baseline = BASELINES.iter().find(|baseline| baseline.name == name).unwrap();
        (baseline.score)(diff, candidate)
    };
    let (often, once, never) = (candidate("src/b.rs", 11), candidate("x/c.rs", 1), candidate("src/d.rs", 0));
    for name in ["rose", "tarmaq"] {
        assert!(score(name, &diff, &often) > score(name, &diff, &once), "{name}");
        assert!(score(name, &diff, &once) > 0.0 && score(name, &diff, &never) == 0.0, "{name}");
    }
    assert!(score("same_directory", &diff, &never) > 0.0 && score("same_directory", &diff, &once) == 0.0);
    let mut importer = never.clone();
    importer.import_backward = Some(Import { file: 0, fan_in: 3 });
    assert!(score("import_neighbours", &diff, &importer) > 0.0 && score("import_neighbours", &diff, &often) == 0.0);
    // No commit has both files of the change together with another.
    diff.files.push(DiffFile::new("src/new.rs".into()));
    assert_eq!(score("rose", &diff, &often), 0.0);
    assert!(score("tarmaq", &diff, &often) > 0.0);
    assert!(BASELINES.is_sorted_by(|one, other| one.name < other.name));
}

proptest! {
    #[test]
    fn the_order_does_not_depend_on_that_of_the_candidates_and_probabilities_are_some(
        shared in prop::collection::vec(0_u32..20, 1..12),
        turn in 0_usize..12,
        paths in prop::collection::vec("[a-c/._A-Z\u{e9}]{0,8}", 1..4),
    ) {
        let diff = change(&paths.iter().map(String::as_str).collect::<Vec<_>>());
        let all = (0..).zip(&shared).map(|(at, shared)| candidate(&format!("{}/f{at}", paths[0]), *shared));
        let mut candidates: Vec<DiffCandidate> = all.collect();
        let one = ranked(&diff, candidates.clone(), &["a/a"]);
        let turn = turn % candidates.len();
        candidates.rotate_left(turn);
        let other = ranked(&diff, candidates, &["a/a"]);
        prop_assert!(one.iter().all(|found| (0.0..=1.0).contains(&found.probability)));
        prop_assert!(one.is_sorted_by(|one, other| one.probability >= other.probability));
        prop_assert_eq!(one, other);
    }
}
