//! What `icr bench-pack` replays, what it leaves out, and what it says of both.

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::run::Icr;

/// A berth for so many ships.
fn berth(ships: u32) -> String {
    format!("//- src/berth.rs\n/// Ships that fit.\npub fn ships() -> u32 {{\n    {ships}\n}}\n")
}

/// A repository with two commits to replay after its first.
fn with_berths() -> Fixture {
    let fixture = Fixture::new(&berth(1));
    for ships in [2, 3] {
        fixture.write(&berth(ships));
        fixture.commit(&format!("berth: {ships} ships fit"));
    }
    fixture
}

/// The same with commits of every kind that is left out.
fn with_sweeps() -> Fixture {
    let fixture = with_berths();
    fixture.write("//- docs/mooring.md\n# Mooring\n");
    fixture.commit("say how to moor a ship");
    fixture.write(&berth(4));
    fixture.commit("...");
    for number in 0..21 {
        fixture.write(&format!("//- src/berth{number}.rs\npub fn number() -> u32 {{\n    {number}\n}}\n"));
    }
    fixture.commit("more berths");
    fixture.git(&["checkout", "-q", "-b", "side"]);
    fixture.write("//- docs/tides.md\n# Tides\n");
    fixture.commit("say when to moor a ship");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.git(&["merge", "-q", "--no-ff", "-m", "merge the tides", "side"]);
    fixture
}

#[test]
fn commits_that_are_left_out_are_counted_by_reason() {
    let fixture = with_sweeps();
    let icr = Icr::new(&fixture);
    let printed = icr.prints(&["bench-pack"]);
    let mut lines = printed.lines();
    assert!(lines.next().is_some_and(|line| line.starts_with("2 commits, 2 changed files; ")), "{printed}");
    let left_out = "of 8 commits read, 2 are merges or have no parent, 1 changes more than 20 files, 1 has a message \
                    without words, 2 change no source code (tests aside) that was there before";
    assert_eq!(lines.next(), Some(left_out), "{printed}");
    let answer = icr.json(&["bench-pack"]);
    let expected = json!({
        "without_one_parent": 2,
        "with_unknown_changes": 0,
        "with_many_files": 1,
        "without_words": 1,
        "without_source_code": 2,
        "without_indexed_lines": 0,
    });
    assert_eq!((&answer["commits"], &answer["commits_read"]), (&json!(2), &json!(8)), "{answer}");
    assert_eq!(answer["left_out"], expected);
}

#[test]
fn where_nothing_can_be_replayed_the_reason_is_said() {
    #[track_caller]
    fn check(fixture: &Fixture, expected: &str) {
        let ran = Icr::new(fixture).run(&["bench-pack"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, expected), "{}", ran.stderr);
    }
    check(&Fixture::empty(), "no commit to replay: there is none yet\n");
    let fixture = Fixture::new(&berth(1));
    check(&fixture, "no commit to replay: of 1 commit read, 1 is a merge or has no parent\n");
    fixture.write("//- .icrignore\nsrc/\n");
    fixture.write(&berth(2));
    fixture.commit("berth: two ships fit");
    let both = "1 is a merge or has no parent, 1 changes no line that is indexed";
    check(&fixture, &format!("no commit to replay: of 2 commits read, {both}\n"));
}

#[test]
fn the_history_of_the_revision_that_is_asked_is_replayed() {
    let fixture = with_berths();
    let icr = Icr::new(&fixture);
    let commits = |args: &[&str]| icr.json(&[&["bench-pack"], args].concat())["commits"].clone();
    assert_eq!(commits(&[]), 2);
    assert_eq!(commits(&["--at", "main"]), 2);
    assert_eq!(commits(&["--at", "HEAD~1"]), 1);
    assert_eq!(commits(&["--at", "HEAD~2"]), 0);
    let answer = icr.json(&["bench-pack", "--at", "HEAD~1"]);
    assert_eq!(answer["provenance"]["commit"], fixture.git(&["rev-parse", "HEAD~1"]));
    let said = icr.fails(3, &["bench-pack", "--at", "nonsense"]);
    assert!(said.starts_with("error: revision `nonsense` not found"), "{said}");
}

#[test]
fn what_is_not_committed_has_no_part() {
    let fixture = with_berths();
    let icr = Icr::new(&fixture);
    let clean = icr.json(&["bench-pack"]);
    fixture.write(&berth(9));
    assert_eq!(icr.json(&["bench-pack"]), clean);
    assert_eq!(clean["provenance"]["dirty"], 0);
}

#[test]
fn a_history_that_is_cut_off_is_a_gap() {
    let fixture = with_berths();
    let clone = fixture.clone_to("shallow", &["--depth=2"]);
    let icr = Icr::new(&fixture).standing_in(&clone);
    assert_eq!(icr.gaps(&["bench-pack"]), ["shallow_history"]);
    let answer = icr.json(&["bench-pack"]);
    assert_eq!((&answer["commits"], &answer["left_out"]["with_unknown_changes"]), (&json!(1), &json!(1)), "{answer}");
    let ran = icr.run(&["bench-pack", "--strict"]);
    assert!(ran.code == 4 && ran.stderr.contains("note: the clone is shallow: history is cut off\n"), "{ran:?}");
    assert!(ran.stdout.contains("of 2 commits read, 1 has changes that are not known here\n"), "{}", ran.stdout);
}

#[test]
fn budgets_are_given_with_commas_or_spaces() {
    let fixture = with_berths();
    let icr = Icr::new(&fixture);
    let budgets = |args: &[&str]| -> Vec<Value> {
        let answer = icr.json(&[&["bench-pack", "--commits", "1"], args].concat());
        let tables = answer["budgets"].as_array().expect("there is a table for each budget");
        tables.iter().map(|table| table["budget_tokens"].clone()).collect()
    };
    assert_eq!(budgets(&[]), [2_000, 4_000, 8_000]);
    let both = [&["--budgets", "1000,4000"][..], &["--budgets", "1000", "4000"], &["--budgets=1000", "--budgets=4000"]];
    for given in both {
        assert_eq!(budgets(given), [1_000, 4_000], "{given:?}");
    }
    assert_eq!(budgets(&["--set", "pack.max_budget_tokens=5000"]), [2_000, 4_000], "the usual ones that are allowed");
    let help = icr.prints(&["bench-pack", "--help"]);
    let help: Vec<&str> = help.split_whitespace().collect();
    assert!(help.join(" ").contains("[default: 2000,4000,8000]"), "{help:?}");
}

#[test]
fn budgets_have_the_bounds_of_the_configuration() {
    let fixture = with_berths();
    let icr = Icr::new(&fixture);
    let refuses = |most: &str, wrong: &str| {
        let setting = format!("pack.max_budget_tokens={most}");
        let said = icr.fails(2, &["bench-pack", "--set", &setting, "--budgets", "600", wrong]);
        let expected = format!("error: `--budgets`: the budget must be 512 to {most} model tokens, not `{wrong}`\n");
        assert!(said.starts_with(&expected), "{said}");
    };
    refuses("32000", "511");
    refuses("32000", "32001");
    refuses("4500", "5000");
    icr.prints(&["bench-pack", "--set", "pack.max_budget_tokens=60000", "--budgets", "40000"]);
}

#[test]
fn tables_are_explained_once() {
    let printed = Icr::new(&with_berths()).prints(&["bench-pack"]);
    assert_eq!(printed.matches("95 % interval").count(), 1, "{printed}");
    let verdicts = printed.lines().filter(|line| line.starts_with("pack over bm25"));
    let are_undecided = verdicts.clone().all(|line| line.ends_with("]  no difference shown"));
    assert!(are_undecided, "one file is in all packs: {printed}");
    assert_eq!(verdicts.count(), 3, "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
}

#[test]
fn a_store_that_is_only_read_cannot_be_added_to() {
    let fixture = with_berths();
    let said = Icr::new(&fixture).fails(2, &["bench-pack", "--read-only"]);
    assert!(said.starts_with("error: `icr bench-pack` writes the store, which `--read-only` forbids\n"), "{said}");
}
