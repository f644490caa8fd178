//! Commits as facts, against `git log`.

use std::collections::HashMap;

use icr_fixture::Fixture;
use icr_git::{CommitFacts, Error, History, HistoryEntry, KnownCommit, Repository};
use icr_model::CommitId;

use crate::show::{name_status, open};

fn commits(repository: &Repository, revision: &str, limit: usize) -> Vec<CommitFacts> {
    let start = repository.resolve(revision).unwrap().commit.unwrap();
    repository.history(&[start], limit, |_| Ok::<_, Error>(None)).unwrap().into_read().collect()
}

/// What git says of the history of HEAD, in the form of [`name_status`].
fn logged(fixture: &Fixture) -> Vec<String> {
    let log = fixture.git(&["-c", "core.quotePath=false", "log", "--root", "-M", "--name-status", "--format=%x00%H"]);
    let commits = log.split('\0').skip(1).map(|commit| {
        let lines = commit.lines().filter(|line| !line.is_empty());
        lines
            .map(|line| if line.starts_with('R') { format!("R{}", &line[4..]) } else { line.to_owned() })
            .collect::<Vec<_>>()
            .join("\n")
    });
    commits.collect()
}

#[track_caller]
fn check_against_log(fixture: &Fixture) {
    let repository = open(fixture.root());
    let found: Vec<String> = commits(&repository, "HEAD", usize::MAX).iter().map(name_status).collect();
    assert_eq!(found, logged(fixture));
}

#[test]
fn changes_are_those_of_git_log() {
    let fixture = Fixture::new("//- a.rs\nfn a() {}\n//- d/b.rs\nfn b() {}\n//- d/c.rs\nfn c() {}\n");
    fixture.write("//- a.rs\nfn a2() {}\n//- new.rs\nfn new() {}\n");
    fixture.delete("d/c.rs");
    fixture.commit("edit, add, delete");
    fixture.git(&["mv", "d", "e"]);
    fixture.commit("rename a directory");
    fixture.git(&["update-index", "--chmod=+x", "a.rs"]);
    fixture.git(&["commit", "-q", "-m", "mode only"]);
    fixture.git(&["checkout", "-q", "a.rs"]);
    fixture.delete("new.rs");
    fixture.symlink("a.rs", "new.rs");
    fixture.commit("type change");
    fixture.commit("nothing");
    fixture.delete("e");
    fixture.write("//- e\na file in place of a directory\n");
    fixture.commit("directory to file");
    check_against_log(&fixture);
}

#[test]
fn renames_with_edits_are_those_of_git_log() {
    let line = |n: usize| format!("    let value_{n} = compute({n});\n");
    let text = |from: usize, to: usize| (from..to).map(line).collect::<String>();
    let fixture = Fixture::new(&format!(
        "//- src/parser.rs\n{}//- src/lexer.rs\n{}//- src/mod.rs\n{}//- lib/mod.rs\n{}//- same1\n{}//- same2\n{}//- empty\n",
        text(0, 40),
        text(100, 140),
        text(200, 230),
        text(300, 330),
        text(400, 410),
        text(400, 410),
    ));
    // Moved and edited in several degrees; names that are unique, shared and swapped; equal contents; one half kept.
    for path in ["src/parser.rs", "src/lexer.rs", "src/mod.rs", "lib/mod.rs", "same1", "same2", "empty"] {
        fixture.delete(path);
    }
    fixture.write(&format!(
        "//- core/parser.rs\n{}//- core/tokens.rs\n{}//- core/mod.rs\n{}//- base/mod.rs\n{}//- b/same2\n{}//- b/other\n{}//- none\n//- half.rs\n{}",
        text(0, 35) + &text(900, 912),
        text(100, 125) + &text(500, 515),
        text(300, 320) + &text(600, 605),
        text(200, 216) + &text(700, 716),
        text(400, 410),
        text(400, 410),
        text(120, 140) + &text(800, 820),
    ));
    fixture.commit("reshuffle");
    fixture.git(&["mv", "core/parser.rs", "core/tokens.tmp"]);
    fixture.git(&["mv", "core/tokens.rs", "core/parser.rs"]);
    fixture.git(&["mv", "core/tokens.tmp", "core/tokens.rs"]);
    fixture.commit("swap: no rename for git, since both names stay");
    check_against_log(&fixture);
}

#[test]
fn random_moves_and_edits_are_those_of_git_log() {
    // A linear congruential generator with the constants of Numerical Recipes: the same history in every run.
    let mut state = 7_u32;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let fixture = Fixture::empty();
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    for round in 0..40 {
        for _ in 0..6 {
            let path = format!("d{}/f{}.rs", next(4), next(12));
            match next(3) {
                0 => {
                    let lines = (0..5 + next(30)).map(|_| format!("line {} of {round}\n", next(60))).collect();
                    files.retain(|(other, _)| *other != path);
                    files.push((path, lines));
                }
                1 if !files.is_empty() => {
                    let at = next(files.len());
                    let (_, mut lines) = files.remove(at);
                    for _ in 0..next(12) {
                        let at = next(lines.len());
                        lines[at] = format!("edit {}\r\n", next(1000));
                    }
                    files.retain(|(other, _)| *other != path);
                    files.push((path, lines));
                }
                _ if !files.is_empty() => {
                    files.remove(next(files.len()));
                }
                _ => {}
            }
        }
        for n in 0..4 {
            let _ = std::fs::remove_dir_all(fixture.root().join(format!("d{n}")));
        }
        for (path, lines) in &files {
            fixture.write_bytes(path, lines.concat().as_bytes());
        }
        fixture.commit(&format!("round {round}"));
    }
    let renames = logged(&fixture).iter().filter(|commit| commit.contains("\nR\t")).count();
    assert!(renames >= 10, "only {renames} commits rename something");
    check_against_log(&fixture);
}

#[test]
fn merges_come_without_changes_and_newest_first() {
    let fixture = Fixture::new("//- a\n1\n");
    fixture.git(&["checkout", "-q", "-b", "side"]);
    fixture.write("//- b\n1\n");
    fixture.commit("side 1");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("//- c\n1\n");
    fixture.commit("main 1");
    fixture.git(&["checkout", "-q", "side"]);
    fixture.write("//- b\n2\n");
    fixture.commit("side 2");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.git(&["merge", "-q", "--no-edit", "side"]);
    check_against_log(&fixture);
    let facts = &commits(&open(fixture.root()), "HEAD", 1)[0];
    let parents: Vec<String> = facts.parents.iter().map(ToString::to_string).collect();
    assert_eq!(parents, [fixture.git(&["rev-parse", "HEAD^1"]), fixture.git(&["rev-parse", "HEAD^2"])]);
    assert_eq!(facts.changes, Some(Vec::new()));
}

/// A history with a side branch, and what is known when all of it was read.
fn forked() -> (Fixture, Vec<CommitFacts>) {
    let fixture = Fixture::new("//- a\n1\n");
    fixture.git(&["switch", "-q", "-c", "side"]);
    fixture.write("//- b\n1\n");
    fixture.commit("side");
    fixture.git(&["switch", "-q", "main"]);
    for n in 2..5 {
        fixture.write(&format!("//- a\n{n}\n"));
        fixture.commit(&n.to_string());
    }
    fixture.git(&["merge", "-q", "--no-edit", "side"]);
    fixture.write("//- a\n5\n");
    fixture.commit("5");
    let all = commits(&open(fixture.root()), "HEAD", usize::MAX);
    (fixture, all)
}

/// The history of HEAD for one who knows the commits with these messages; `*` marks those known with their history.
#[track_caller]
fn check_known(known: &[&str], limit: usize, expected: &str) {
    let (fixture, all) = forked();
    let repository = open(fixture.root());
    let title = |facts: &CommitFacts| facts.message.lines().next().unwrap_or_default().to_owned();
    let titles: HashMap<CommitId, String> = all.iter().map(|facts| (facts.id, title(facts))).collect();
    let mut asked = Vec::new();
    let head = repository.head().unwrap().commit.unwrap();
    let history: History = repository
        .history(&[head, head], limit, |id| {
            asked.push(id);
            let facts = all.iter().find(|facts| facts.id == id).unwrap();
            let word = known.iter().find(|word| word.trim_end_matches('*') == titles[&id]);
            Ok::<_, Error>(word.map(|word| KnownCommit {
                parents: facts.parents.clone(),
                committer_time: facts.committer_time,
                with_history: word.ends_with('*'),
            }))
        })
        .unwrap();
    let shown: Vec<String> = history
        .entries
        .iter()
        .map(|entry| match entry {
            HistoryEntry::Known(id) => format!("({})", titles[id]),
            HistoryEntry::Read(facts) => {
                assert_eq!(all.iter().find(|other| other.id == facts.id), Some(facts), "whoever else is known");
                title(facts)
            }
        })
        .collect();
    assert_eq!(shown.join(", "), expected);
    let times_asked = asked.len();
    asked.sort_unstable();
    asked.dedup();
    assert_eq!(asked.len(), times_asked, "each is asked for once");
}

#[test]
fn what_is_known_is_passed_in_its_place_and_not_read() {
    check_known(&[], usize::MAX, "5, Merge branch 'side', 4, 3, 2, side, first");
    check_known(&["4", "3", "first"], usize::MAX, "5, Merge branch 'side', (4), (3), 2, side, (first)");
    check_known(&["5", "Merge branch 'side'"], usize::MAX, "(5), (Merge branch 'side'), 4, 3, 2, side, first");
}

#[test]
fn a_known_history_ends_the_walk_when_nothing_else_is_left() {
    check_known(&["5*"], usize::MAX, "");
    check_known(&["Merge branch 'side'*"], usize::MAX, "5");
    // The side branch is left when `4` comes, so that all is walked, up to the one commit where both meet.
    check_known(&["4*"], usize::MAX, "5, Merge branch 'side', (4), 3, 2, side, first");
    check_known(&["4*", "first*"], usize::MAX, "5, Merge branch 'side', (4), 3, 2, side");
    check_known(&["4*", "side*"], usize::MAX, "5, Merge branch 'side', (4), 3, 2, (side), first");
}

#[test]
fn merges_do_not_count_towards_the_limit() {
    check_known(&[], 0, "");
    check_known(&[], 2, "5, Merge branch 'side', 4");
    check_known(&["Merge branch 'side'", "4"], 3, "5, (Merge branch 'side'), (4), 3");
}

#[test]
fn ancestors_of_tips_are_no_garbage() {
    let (fixture, all) = forked();
    let repository = open(fixture.root());
    let side = repository.resolve("side").unwrap().commit.unwrap();
    let mut left = all.iter().map(|facts| facts.id).collect();
    repository.prune_ancestors(&[side], &mut left).unwrap();
    let mut titles: Vec<&str> =
        all.iter().filter(|facts| left.contains(&facts.id)).map(|facts| facts.message.trim_end()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["2", "3", "4", "5", "Merge branch 'side'"]);
    repository.prune_ancestors(&[repository.head().unwrap().commit.unwrap()], &mut left).unwrap();
    assert!(left.is_empty());
}

#[test]
fn times_of_author_and_committer_are_kept_apart() {
    let fixture = Fixture::new("//- a\n1\n");
    fixture.git(&["commit", "-q", "--allow-empty", "-m", "old work", "--date=@1000000000 +0200"]);
    let found = commits(&open(fixture.root()), "HEAD", 1);
    assert_eq!((found[0].author_time, found[0].committer_time), (1_000_000_000, 1_704_070_800));
}

#[test]
fn messages_are_text_whatever_their_encoding() {
    let fixture = Fixture::new("//- a\n1\n");
    let settings = ["-c", "i18n.commitEncoding=ISO-8859-1"];
    fixture.git_with_input(
        &[&settings[..], &["commit", "-q", "--allow-empty", "-F", "-"]].concat(),
        b"gr\xf6\xdfe\n\nbody\n",
    );
    let all = commits(&open(fixture.root()), "HEAD", usize::MAX);
    assert_eq!(all[0].message, "größe\n\nbody\n");
    assert_eq!(all[1].message, "first\n");
    assert_eq!(all[1].committer_time, 1_704_067_200);
}
