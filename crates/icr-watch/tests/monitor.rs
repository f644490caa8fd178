//! What a monitor knows of directories, by real files: whatever was done before is known at once, without waiting.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use icr_watch::{Changes, Monitor, Names, Pass};
use tempfile::TempDir;

/// A directory that is watched, with directories in it that are too.
struct WatchedTree {
    root: TempDir,
    monitor: Monitor,
    clock: u64,
}

impl WatchedTree {
    fn new(directories: &[&str]) -> Self {
        let (root, monitor) = (tempfile::tempdir().unwrap(), Monitor::start().unwrap());
        let paths = directories.iter().map(|directory| root.path().join(directory));
        let paths: Vec<PathBuf> = paths.inspect(|path| fs::create_dir_all(path).unwrap()).collect();
        let pass = monitor.begin().unwrap();
        monitor.watch(pass, root.path(), Names::All);
        for path in &paths {
            monitor.watch(pass, path, Names::All);
        }
        let clock = monitor.begin().unwrap().clock;
        Self { root, monitor, clock }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// What changed since the last time this was asked: names, `nothing`, or `unknown`.
    fn changed(&mut self) -> String {
        let changes = self.monitor.since(self.clock);
        self.clock = self.monitor.begin().unwrap().clock;
        match changes {
            Changes::Nothing => "nothing".to_owned(),
            Changes::Unknown => "unknown".to_owned(),
            Changes::Paths { paths, .. } => {
                let name = |path: &PathBuf| path.strip_prefix(self.root.path()).unwrap().display().to_string();
                paths.iter().map(name).collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[track_caller]
    fn check(&mut self, act: impl FnOnce(&Path), expected: &str) {
        act(self.root.path());
        assert_eq!(self.changed(), expected);
        assert_eq!(self.changed(), "nothing");
    }
}

#[test]
fn every_change_of_a_file_is_known_at_once() {
    let mut watched = WatchedTree::new(&["d"]);
    watched.check(|_| (), "nothing");
    watched.check(|root| fs::write(root.join("a"), "1").unwrap(), "a");
    watched.check(|root| fs::write(root.join("a"), "2").unwrap(), "a");
    watched.check(|root| drop(fs::read(root.join("a")).unwrap()), "nothing");
    watched.check(|root| assert_eq!(fs::read_dir(root.join("d")).unwrap().count(), 0), "nothing");
    watched.check(|root| fs::rename(root.join("a"), root.join("d/b")).unwrap(), "a d/b");
    let mode = |root: &Path| fs::set_permissions(root.join("d/b"), std::os::unix::fs::PermissionsExt::from_mode(0o755));
    watched.check(|root| mode(root).unwrap(), "d/b");
    watched.check(|root| std::os::unix::fs::symlink("d/b", root.join("l")).unwrap(), "l");
    watched.check(|root| fs::remove_file(root.join("l")).unwrap(), "l");
    watched.check(|root| fs::remove_file(root.join("d/b")).unwrap(), "d/b");
}

#[test]
fn directories_that_come_go_or_move_are_more_than_their_paths() {
    let mut watched = WatchedTree::new(&["d/e", "d"]);
    assert_eq!(watched.monitor.directories(), 3);
    watched.check(|root| fs::create_dir(root.join("new")).unwrap(), "unknown");
    watched.check(|root| fs::rename(root.join("d"), root.join("moved")).unwrap(), "unknown");
    assert_eq!(watched.monitor.directories(), 1);
    // Nobody has named it since, so that nobody can rely on it.
    watched.check(|root| fs::write(root.join("moved/e/x"), "1").unwrap(), "nothing");
    watched.check(|root| fs::remove_dir_all(root.join("moved")).unwrap(), "unknown");
}

#[test]
fn a_directory_that_was_moved_and_named_again_is_watched_where_it_is() {
    let mut watched = WatchedTree::new(&["d"]);
    fs::rename(watched.path("d"), watched.path("moved")).unwrap();
    let pass = watched.monitor.begin().unwrap();
    assert!(!watched.monitor.watch(pass, &watched.path("moved"), Names::All), "not before this pass");
    watched.clock = pass.clock;
    watched.check(|root| fs::write(root.join("moved/x"), "1").unwrap(), "moved/x");
    // Named while the move is still in the queue.
    let pass = watched.monitor.begin().unwrap();
    fs::rename(watched.path("moved"), watched.path("again")).unwrap();
    watched.monitor.watch(pass, &watched.path("again"), Names::All);
    assert_eq!(watched.monitor.since(pass.clock), Changes::Unknown);
}

#[test]
fn a_pass_knows_what_was_watched_before_it() {
    let watched = WatchedTree::new(&["d"]);
    let (monitor, directory) = (&watched.monitor, watched.path("d"));
    let pass = monitor.begin().unwrap();
    assert!(monitor.watch(pass, &directory, Names::All));
    assert!(!monitor.watch(pass, &watched.path("gone"), Names::All));
    fs::create_dir(watched.path("late")).unwrap();
    let (first, second) = (monitor.begin().unwrap(), monitor.begin().unwrap());
    assert!(!monitor.watch(first, &watched.path("late"), Names::All));
    assert!(!monitor.watch(second, &watched.path("late"), Names::All), "the second looked at it before it was watched");
    let third = monitor.begin().unwrap();
    assert!(monitor.watch(third, &watched.path("late"), Names::All));
    monitor.end(third);
    assert_eq!(monitor.directories(), 1, "others were not named");
    assert_eq!(third, Pass { number: third.number, clock: third.clock });
}

#[test]
fn of_some_directories_only_a_few_names_matter() {
    let mut watched = WatchedTree::new(&[]);
    fs::create_dir(watched.path("git")).unwrap();
    let pass = watched.monitor.begin().unwrap();
    watched.monitor.watch(pass, &watched.path("git"), Names::Only(&["index", "info"]));
    watched.clock = pass.clock;
    watched.check(|root| fs::write(root.join("git/index.lock"), "1").unwrap(), "nothing");
    watched.check(|root| fs::rename(root.join("git/index.lock"), root.join("git/index")).unwrap(), "git/index");
    watched.check(|root| fs::create_dir(root.join("git/info")).unwrap(), "unknown");
    // When others come to matter, what happened to them before is not known.
    let pass = watched.monitor.begin().unwrap();
    assert!(watched.monitor.watch(pass, &watched.path("git"), Names::Only(&["index", "info"])));
    assert!(!watched.monitor.watch(pass, &watched.path("git"), Names::All));
    watched.check(|root| fs::write(root.join("git/other"), "1").unwrap(), "git/other");
}

#[test]
fn more_changes_than_are_remembered_are_unknown_and_it_goes_on() {
    let mut watched = WatchedTree::new(&[]);
    let clock = watched.clock;
    for number in 0..5_000 {
        fs::write(watched.path(&format!("n{}", number % 2_500)), "1").unwrap();
    }
    assert_eq!(watched.changed(), "unknown");
    assert_eq!(watched.monitor.since(clock), Changes::Unknown);
    watched.check(|root| fs::write(root.join("a"), "1").unwrap(), "a");
}

#[test]
fn a_queue_that_ran_over_is_unknown_and_begins_anew() {
    let watched = WatchedTree::new(&["d"]);
    let before = watched.clock;
    let file = |no: u32| watched.path(if no.is_multiple_of(2) { "d/a" } else { "d/b" });
    let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse::<u32>().unwrap();
    // Two files in turns are not told as one.
    for number in 0..=most {
        fs::write(file(number), "1").unwrap();
    }
    assert_eq!(watched.monitor.since(before), Changes::Unknown);
    assert_eq!(watched.monitor.directories(), 0, "which directories were moved was lost as well");
    assert_eq!(watched.monitor.refusal_reason(), None);
    let pass = watched.monitor.begin().unwrap();
    assert!(!watched.monitor.watch(pass, &watched.path("d"), Names::All));
    fs::write(file(0), "1").unwrap();
    assert_ne!(watched.monitor.since(pass.clock), Changes::Nothing);
}

#[test]
fn a_clock_of_another_monitor_is_unknown() {
    let watched = WatchedTree::new(&[]);
    assert_eq!(watched.monitor.since(watched.clock + 1), Changes::Unknown);
}

#[test]
fn a_file_system_that_does_not_tell_everything_is_given_up() {
    let monitor = Monitor::start().unwrap();
    let pass = monitor.begin().unwrap();
    assert!(!monitor.watch(pass, Path::new("/proc/self"), Names::All) || monitor.refusal_reason().is_some());
    let real = fs::canonicalize("/proc/self").unwrap();
    assert!(!monitor.watch(pass, &real, Names::All));
    assert!(monitor.refusal_reason().unwrap().contains("does not tell every change"), "{:?}", monitor.refusal_reason());
    assert_eq!(monitor.begin(), None);
    assert_eq!(monitor.since(0), Changes::Unknown);
}
