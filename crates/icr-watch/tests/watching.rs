//! Real watches over real repositories: what is told, and what is not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use icr_fixture::Fixture;
use icr_watch::{IgnoreOptions, SettledBatch, Stop, Watch, WatchEnd, WatchMode, WatchOptions};

/// Longest wait for a batch, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

fn read(directory: &Path, name: &str) -> Option<Vec<u8>> {
    fs::read(directory.join(name)).ok()
}

/// A watch in a thread of its own, and what it told so far.
struct Watching {
    told: Receiver<SettledBatch>,
    stop: Stop,
    thread: Option<JoinHandle<WatchEnd>>,
    directories: usize,
}

impl Watching {
    fn of(root: &Path, git_dir: &Path, common_dir: &Path, most_paths: usize) -> Self {
        let ignore = IgnoreOptions { patterns: Vec::new(), respect_gitignore: true, respect_icrignore: true, read };
        let watch = Watch::start(WatchOptions {
            root: root.to_owned(),
            git_dir: git_dir.to_owned(),
            common_dir: common_dir.to_owned(),
            debounce: Duration::from_millis(100),
            most_paths,
            ignore,
        });
        let watch = watch.expect("a repository can be watched");
        assert_eq!(*watch.way(), WatchMode::Events);
        let (stop, directories, (send, told)) = (watch.stopper(), watch.directories(), channel());
        let tell = move |settled: &SettledBatch| send.send(settled.clone()).unwrap_or_default();
        let thread = Some(std::thread::spawn(move || watch.run(tell)));
        Self { told, stop, thread, directories }
    }

    fn over(fixture: &Fixture) -> Self {
        let git_dir = fixture.root().join(".git");
        Self::of(fixture.root(), &git_dir, &git_dir, 100)
    }

    /// Everything told until all of `paths` are among it, and HEAD if it is wanted.
    #[track_caller]
    fn tells(&self, paths: &[&str], head: bool) -> SettledBatch {
        let wanted: BTreeSet<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let mut all = SettledBatch::default();
        let began = Instant::now();
        while !wanted.is_subset(&all.paths) || (head && !all.head) {
            let left = PATIENCE.saturating_sub(began.elapsed());
            let settled = self.told.recv_timeout(left).unwrap_or_else(|_| panic!("told {all:?}, not {paths:?}"));
            all.paths.extend(settled.paths);
            all.many |= settled.many;
            all.head |= settled.head;
        }
        all
    }

    #[track_caller]
    fn ends(mut self) -> WatchEnd {
        let thread = self.thread.take().expect("it was started");
        thread.join().expect("a watch does not panic")
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn paths(settled: &SettledBatch) -> Vec<String> {
    settled.paths.iter().map(|path| path.display().to_string()).collect()
}

#[test]
fn edits_are_told_and_what_is_ignored_is_not() {
    let fixture = Fixture::new("//- a.rs\n1\n//- .gitignore\n*.log\n/target/\n//- src/b.rs\n2\n");
    fixture.write("//- target/deep/down/x.rs\n1\n//- node_modules/p/index.js\n1\n");
    let watching = Watching::over(&fixture);
    // The root, `src`, and three of git.
    assert_eq!(watching.directories, 4);
    fixture.write("//- x.log\n1\n//- target/deep/down/x.rs\n2\n//- target/y.rs\n2\n//- node_modules/p/index.js\n2\n");
    fixture.write("//- src/b.rs\n3\n");
    fixture.delete("a.rs");
    let settled = watching.tells(&["a.rs", "src/b.rs"], false);
    assert_eq!(
        (paths(&settled), settled.many, settled.head),
        (vec!["a.rs".to_owned(), "src/b.rs".to_owned()], false, false)
    );
    drop(watching);
}

#[test]
fn directories_that_come_are_followed_with_what_is_in_them() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let watching = Watching::over(&fixture);
    fixture.write("//- new/deep/one.rs\n1\n");
    watching.tells(&["new/deep/one.rs"], false);
    fixture.write("//- new/deep/two.rs\n1\n");
    watching.tells(&["new/deep/two.rs"], false);
    fs::rename(fixture.root().join("new"), fixture.root().join("moved")).unwrap();
    watching.tells(&["moved/deep/one.rs", "moved/deep/two.rs"], false);
    fixture.write("//- moved/deep/three.rs\n1\n");
    watching.tells(&["moved/deep/three.rs"], false);
}

#[test]
fn what_is_ignored_from_now_on_is_not_told_from_now_on() {
    let fixture = Fixture::new("//- a.rs\n1\n//- out/b.rs\n1\n");
    let watching = Watching::over(&fixture);
    fixture.write("//- .gitignore\nout/\n");
    watching.tells(&[".gitignore"], false);
    fixture.write("//- out/b.rs\n2\n//- a.rs\n2\n");
    assert_eq!(paths(&watching.tells(&["a.rs"], false)), ["a.rs"]);
}

#[test]
fn commits_branches_and_packed_branches_move_head() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let watching = Watching::over(&fixture);
    let moves = |arguments: &[&str]| {
        fixture.git(arguments);
        let settled = watching.tells(&[], true);
        assert_eq!(paths(&settled), [""; 0], "after `git {}`", arguments.join(" "));
    };
    moves(&["commit", "-q", "--allow-empty", "-m", "second"]);
    moves(&["checkout", "-q", "-b", "topic/with/slashes"]);
    moves(&["commit", "-q", "--allow-empty", "-m", "third"]);
    moves(&["commit", "-q", "--allow-empty", "-m", "fourth"]);
    moves(&["reset", "-q", "--soft", "HEAD~1"]);
    moves(&["pack-refs", "--all"]);
    // Looking is no change: the next thing told is the commit.
    fixture.git(&["status"]);
    fixture.git(&["add", "-A"]);
    moves(&["commit", "-q", "--allow-empty", "-m", "fifth"]);
}

#[test]
fn a_linked_worktree_has_a_head_of_its_own() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let other = fixture.worktree("other", "HEAD");
    let common_dir = fixture.root().join(".git");
    let watching = Watching::of(&other, &common_dir.join("worktrees/other"), &common_dir, 100);
    fixture.git_in(&other, &["commit", "-q", "--allow-empty", "-m", "second"]);
    watching.tells(&[], true);
    fs::write(other.join("b.rs"), "1").unwrap();
    assert_eq!(paths(&watching.tells(&["b.rs"], false)), ["b.rs"]);
}

#[test]
fn thousands_of_changes_are_many_and_take_bounded_room() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let watching = Watching::over(&fixture);
    for number in 0..5_000 {
        fs::write(fixture.root().join(format!("n{number}.txt")), "1").unwrap();
    }
    let mut many = false;
    while !many {
        let settled = watching.told.recv_timeout(PATIENCE).expect("a burst is told");
        assert!(settled.paths.len() <= 100);
        many = settled.many;
    }
    // And it goes on as before: once the burst is told, a single change is told alone.
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < PATIENCE, "a single change is told after a burst");
        fixture.write("//- a.rs\n2\n");
        let settled = watching.told.recv_timeout(PATIENCE).expect("each write is told");
        if paths(&settled) == ["a.rs"] && !settled.many {
            break;
        }
    }
}

#[test]
fn a_watch_ends_when_it_is_told_to_and_when_the_repository_is_gone() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let watching = Watching::over(&fixture);
    watching.stop.stop();
    assert_eq!(watching.ends(), WatchEnd::Stopped);
    let watching = Watching::over(&fixture);
    fs::remove_dir_all(fixture.root()).unwrap();
    assert_eq!(watching.ends(), WatchEnd::Gone);
}

#[test]
fn a_root_that_is_not_there_is_an_error() {
    let nowhere = PathBuf::from("/nowhere/at/all");
    let ignore = IgnoreOptions { patterns: Vec::new(), respect_gitignore: true, respect_icrignore: true, read };
    let options = WatchOptions {
        git_dir: nowhere.join(".git"),
        common_dir: nowhere.join(".git"),
        root: nowhere,
        debounce: Duration::from_millis(100),
        most_paths: 1,
        ignore,
    };
    let message = Watch::start(options).unwrap_err().to_string();
    assert!(message.starts_with("listing `/nowhere/at/all`"), "{message}");
}
