//! Commits as facts, against `git log`.

use std::collections::HashSet;
use std::ops::ControlFlow;

use icr_fixture::Fixture;
use icr_git::{CommitFacts, Repository};
use icr_model::CommitId;

use crate::show::{name_status, open};

fn commits(repository: &Repository, revision: &str, known: &HashSet<CommitId>, limit: usize) -> Vec<CommitFacts> {
    let start = repository.resolve(revision).unwrap().commit.unwrap();
    let mut all = Vec::new();
    repository
        .commits(&[start], &mut |id| known.contains(&id), limit, &mut |facts| {
            all.push(facts);
            ControlFlow::Continue(())
        })
        .unwrap();
    all
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
    let found: Vec<String> =
        commits(&repository, "HEAD", &HashSet::new(), usize::MAX).iter().map(name_status).collect();
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
    let facts = &commits(&open(fixture.root()), "HEAD", &HashSet::new(), 1)[0];
    let parents: Vec<String> = facts.parents.iter().map(ToString::to_string).collect();
    assert_eq!(parents, [fixture.git(&["rev-parse", "HEAD^1"]), fixture.git(&["rev-parse", "HEAD^2"])]);
    assert_eq!(facts.changes, Some(Vec::new()));
}

#[test]
fn known_commits_end_the_walk_and_are_asked_for_once() {
    let fixture = Fixture::new("//- a\n1\n");
    for n in 2..6 {
        fixture.write(&format!("//- a\n{n}\n"));
        fixture.commit(&n.to_string());
    }
    let repository = open(fixture.root());
    let third = repository.resolve("HEAD~2").unwrap().commit.unwrap();
    let new = commits(&repository, "HEAD", &HashSet::from([third]), usize::MAX);
    let messages: Vec<&str> = new.iter().map(|facts| facts.message.trim_end()).collect();
    assert_eq!(messages, ["5", "4"]);
    // The oldest new commit is compared with a parent that is known.
    assert_eq!(new[1].changes.as_ref().unwrap().len(), 1);
    let head = repository.head().unwrap().commit.unwrap();
    let mut asked = Vec::new();
    let mut known = |id: CommitId| {
        asked.push(id);
        id == third
    };
    repository.commits(&[head, head, third], &mut known, usize::MAX, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((asked.len(), asked.iter().collect::<HashSet<_>>().len()), (3, 3));
}

#[test]
fn the_walk_ends_at_the_limit_or_when_told() {
    let fixture = Fixture::new("//- a\n1\n");
    fixture.commit("2");
    fixture.commit("3");
    let repository = open(fixture.root());
    assert_eq!(commits(&repository, "HEAD", &HashSet::new(), 2).len(), 2);
    assert_eq!(commits(&repository, "HEAD", &HashSet::new(), 0).len(), 0);
    let (head, mut given) = (repository.head().unwrap().commit.unwrap(), 0);
    let mut sink = |_| {
        given += 1;
        ControlFlow::Break(())
    };
    repository.commits(&[head], &mut |_| false, usize::MAX, &mut sink).unwrap();
    assert_eq!(given, 1);
}

#[test]
fn messages_are_text_whatever_their_encoding() {
    let fixture = Fixture::new("//- a\n1\n");
    let settings = ["-c", "i18n.commitEncoding=ISO-8859-1"];
    fixture.git_with_input(
        &[&settings[..], &["commit", "-q", "--allow-empty", "-F", "-"]].concat(),
        b"gr\xf6\xdfe\n\nbody\n",
    );
    let all = commits(&open(fixture.root()), "HEAD", &HashSet::new(), usize::MAX);
    assert_eq!(all[0].message, "größe\n\nbody\n");
    assert_eq!(all[1].message, "first\n");
    assert_eq!(all[1].committer_time, 1_704_067_200);
}
