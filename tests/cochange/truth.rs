//! The same rules, applied to the output of the real `git log`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use icr_engine::{Cochange, Engine, Freshness, SilentObserver, ViewSelector};
use icr_fixture::Fixture;

/// The answer of a store that is brought up to date first, as a door does it.
#[track_caller]
pub(crate) fn cochange(engine: &Engine, at: &ViewSelector) -> Cochange {
    engine.answer(at, &Freshness::default(), &SilentObserver, icr_engine::cochange).unwrap()
}

/// Compares the answer for the worktree in `directory` with git's own.
#[track_caller]
pub(crate) fn check(fixture: &Fixture, directory: &Path, home: &Path, when: &str) {
    check_with(
        fixture,
        directory,
        &cochange(&icr_tests::engine(directory, home), &ViewSelector::Worktree),
        "HEAD",
        when,
    );
}

/// Compares `found` with what git says of `revision`.
#[track_caller]
pub(crate) fn check_with(fixture: &Fixture, directory: &Path, found: &Cochange, revision: &str, when: &str) {
    let expected = truth(&Git { fixture, directory }, revision);
    assert_eq!(lines(found), expected, "{when}, at {revision}");
}

struct Git<'a> {
    fixture: &'a Fixture,
    directory: &'a Path,
}

impl Git<'_> {
    fn say(&self, args: &[&str]) -> String {
        self.fixture.git_in(self.directory, args)
    }
}

fn lines(found: &Cochange) -> Vec<String> {
    let head = format!("{} commits, now {}", found.commits_analyzed, found.now.unwrap_or_default());
    let files = found.file_stats.iter().map(|file| {
        let last = file.last_modified.unwrap_or_default();
        format!("{} {} {} {last}", file.path, file.commit_count, file.recent_count)
    });
    let pairs = found.pairs.iter().map(|pair| format!("{} {} + {}", pair.count, pair.a, pair.b));
    std::iter::once(head).chain(files).chain(pairs).collect()
}

fn truth(git: &Git<'_>, revision: &str) -> Vec<String> {
    const RECENT: i64 = 90 * 24 * 60 * 60;
    let log = git.say(&[
        "-c",
        "diff.renames=true",
        "log",
        "--no-merges",
        "-n",
        "2000",
        "--name-only",
        "-z",
        "--format=%x01%at",
        revision,
    ]);
    let now: i64 = git.say(&["show", "-s", "--format=%ct", revision]).parse().unwrap();
    let mut commits = 0;
    let mut files: BTreeMap<String, (u32, u32, i64)> = BTreeMap::new();
    let mut pairs: BTreeMap<(String, String), u32> = BTreeMap::new();
    for record in log.split('\x01').skip(1) {
        commits += 1;
        let mut fields = record.split(['\0', '\n']).filter(|field| !field.is_empty());
        let time: i64 = fields.next().unwrap().parse().unwrap();
        let paths: BTreeSet<&str> = fields.collect();
        if paths.len() > 20 {
            continue;
        }
        for path in &paths {
            let (count, recent, last) = files.entry((*path).to_owned()).or_insert((0, 0, time));
            *count += 1;
            *recent += u32::from(time >= now - RECENT);
            *last = time.max(*last);
            for other in paths.range::<str, _>((std::ops::Bound::Excluded(*path), std::ops::Bound::Unbounded)) {
                *pairs.entry(((*path).to_owned(), (*other).to_owned())).or_default() += 1;
            }
        }
    }
    let mut pairs: Vec<_> = pairs.into_iter().filter(|(_, count)| *count >= 2).collect();
    pairs.sort_by_key(|(paths, count)| (std::cmp::Reverse(*count), paths.clone()));
    let head = format!("{commits} commits, now {now}");
    let files = files.into_iter().map(|(path, (count, recent, last))| format!("{path} {count} {recent} {last}"));
    let pairs = pairs.into_iter().map(|((a, b), count)| format!("{count} {a} + {b}"));
    std::iter::once(head).chain(files).chain(pairs).collect()
}
