//! Stores of another user: readable, but not writable.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use icr_engine::{Freshness, Gap, Severity, SilentObserver, Snapshot, SyncOptions, ViewSelector};
use icr_fixture::Fixture;
use icr_tests::{answers, ask_fresh, empty_home, engine, read_only_engine};
use tempfile::TempDir;

const FILES: &str = "//- src/lib.rs\n/// Opens.\npub fn open_file() {\n    parse_token();\n}\n//- src/token.py\ndef parse_token():\n    return 1\n";

/// The user `nobody`, who reads files that root wrote.
const NOBODY: u32 = 65_534;

/// Environment variables that tell a reader what to do.
const READER: &str = "ICR_TESTS_READER";
const START: &str = "ICR_TESTS_READER_START";
const HOME: &str = "ICR_TESTS_READER_HOME";

/// What a reader says once it has a snapshot.
const HAS_SNAPSHOT: &str = "has a snapshot";

/// A store below a home that its readers cannot write, and a clone of theirs.
struct UnwritableStore {
    owner: Fixture,
    home: TempDir,
    clone: PathBuf,
}

impl UnwritableStore {
    fn new() -> Self {
        let (owner, home) = (Fixture::new(FILES), empty_home());
        engine(owner.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
        let clone = owner.clone_to("reader", &[]);
        // The id is found before the clone changes its owner.
        assert_eq!(engine(&clone, home.path()).repo_id(), engine(owner.root(), home.path()).repo_id());
        let shared = Self { owner, home, clone };
        shared.give_to_reader();
        shared
    }

    /// Lets readers read the home, and gives them their clone.
    fn give_to_reader(&self) {
        set_modes(self.home.path(), 0o555, 0o444);
        if is_root() {
            fs::set_permissions(self.owner.home(), Permissions::from_mode(0o755)).unwrap();
            each_below(&self.clone, &mut |path| chown(path, Some(NOBODY), Some(NOBODY)).unwrap());
        }
    }

    /// Syncs as the owner does.
    fn sync_as_owner(&self) {
        set_modes(self.home.path(), 0o755, 0o644);
        engine(self.owner.root(), self.home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
        set_modes(self.home.path(), 0o555, 0o444);
    }

    /// A process of a user who cannot write the home.
    fn reader(&self, task: &str) -> Child {
        // By descriptor, since the other user may not search the directories of its path.
        let mut command = Command::new(if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe().unwrap()
        });
        command.args(["--exact", "unwritable::reader", "--nocapture"]).current_dir("/");
        command.env(READER, task).env(START, &self.clone).env(HOME, self.home.path());
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a test can start itself")
    }

    #[track_caller]
    fn check(&self, task: &str) {
        assert_ran(&self.reader(task).wait_with_output().unwrap(), task);
    }
}

impl Drop for UnwritableStore {
    fn drop(&mut self) {
        set_modes(self.home.path(), 0o755, 0o644);
    }
}

/// A process that runs no test at all would also succeed.
#[track_caller]
fn assert_ran(output: &Output, task: &str) {
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{task}: {said}");
}

fn is_root() -> bool {
    fs::metadata("/proc/self").or_else(|_| fs::metadata(std::env::temp_dir())).is_ok_and(|metadata| metadata.uid() == 0)
}

fn each_below(path: &Path, each: &mut dyn FnMut(&Path)) {
    each(path);
    if fs::symlink_metadata(path).unwrap().is_dir() {
        fs::read_dir(path).unwrap().flatten().for_each(|entry| each_below(&entry.path(), each));
    }
}

fn set_modes(directory: &Path, of_directories: u32, of_files: u32) {
    // Directories first, so that one who is not root can look into them.
    each_below(directory, &mut |path| {
        let mode = if path.is_dir() { of_directories } else { of_files };
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    });
}

/// The work of the process that [`UnwritableStore::reader`] starts; otherwise nothing.
#[test]
fn reader() {
    let Ok(task) = std::env::var(READER) else { return };
    let path = |name| PathBuf::from(std::env::var_os(name).expect("a reader is told where to read"));
    let (start, home) = (path(START), path(HOME));
    assert!(fs::write(home.join("probe"), "").is_err(), "the home cannot be written");
    let expected = ask_fresh(&start, &ViewSelector::Worktree).unwrap();
    let (engine, freshness) = (engine(&start, &home), Freshness::default());
    match task.as_str() {
        "ask" => {
            let found = engine.answer(&ViewSelector::Worktree, &freshness, &SilentObserver, answers).unwrap();
            found.assert_equal(&expected, "what is published");
            let read_only = read_only_engine(&start, &home);
            let found = read_only.answer(&ViewSelector::Worktree, &freshness, &SilentObserver, answers).unwrap();
            found.assert_equal(&expected, "told to write nothing");
            let bad = icr_engine::examine(&engine).into_iter().find(|finding| finding.severity == Severity::Bad);
            assert_eq!(bad, None);
        }
        "ask what is not published" => {
            let gaps = |snapshot: &Snapshot| Ok(snapshot.provenance().gaps.clone());
            let gaps = engine.answer(&ViewSelector::Worktree, &freshness, &SilentObserver, gaps).unwrap();
            assert_eq!(gaps, [Gap::ReadOnlyStore]);
            let found = read_only_engine(&start, &home)
                .answer(&ViewSelector::Worktree, &freshness, &SilentObserver, answers)
                .unwrap();
            found.assert_equal(&expected, "what is not published");
        }
        _ => {
            let attempts = std::cell::Cell::new(0);
            let question = |snapshot: &Snapshot| {
                attempts.set(attempts.get() + 1);
                if attempts.get() == 1 {
                    writeln!(std::io::stdout(), "{HAS_SNAPSHOT}").unwrap();
                    std::io::stdin().lock().read_line(&mut String::new()).unwrap();
                }
                answers(snapshot)
            };
            let found = engine.answer(&ViewSelector::Worktree, &freshness, &SilentObserver, question).unwrap();
            assert_eq!(attempts.get(), 2, "what was read while it was written is asked again");
            found.assert_equal(&expected, "written meanwhile");
        }
    }
}

#[test]
fn a_store_that_cannot_be_written_is_asked() {
    let shared = UnwritableStore::new();
    shared.check("ask");
}

#[test]
fn what_a_store_that_cannot_be_written_lacks_is_found_and_named() {
    let shared = UnwritableStore::new();
    fs::write(shared.clone.join("src/more.rs"), "fn read_token() {}\n").unwrap();
    let git = |args: &[&str]| shared.owner.git_in(&shared.clone, args);
    if is_root() {
        each_below(&shared.clone, &mut |path| chown(path, Some(0), Some(0)).unwrap());
    }
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "second"]);
    shared.give_to_reader();
    shared.check("ask what is not published");
}

#[test]
fn a_log_that_was_not_written_back_is_read_without_shared_memory() {
    let shared = UnwritableStore::new();
    set_modes(shared.home.path(), 0o755, 0o644);
    let ledger = engine(shared.owner.root(), shared.home.path()).store().directory().join("ledger.db");
    // As in a copy of a store in use: the last published data is in the log, and the shared memory file is missing.
    let reading = icr_tests::ledger(&ledger);
    reading.execute_batch("BEGIN; SELECT count(*) FROM blobs").unwrap();
    shared.owner.write("//- src/more.rs\nfn read_token() {}\n");
    shared.owner.commit("second");
    engine(shared.owner.root(), shared.home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    let files = ["db", "db-wal"].map(|extension| fs::read(ledger.with_extension(extension)).unwrap());
    assert!(!files[1].is_empty(), "there is a log");
    drop(reading);
    fs::remove_file(ledger.with_extension("db-shm")).ok();
    fs::write(&ledger, &files[0]).unwrap();
    fs::write(ledger.with_extension("db-wal"), &files[1]).unwrap();
    shared.give_to_reader();
    shared.check("ask");
}

#[test]
fn what_the_owner_writes_while_a_reader_asks_makes_no_wrong_answer() {
    let shared = UnwritableStore::new();
    let mut reader = shared.reader("ask while it is written");
    let mut lines = BufReader::new(reader.stdout.take().unwrap()).lines();
    let has_snapshot = lines.by_ref().any(|line| line.unwrap().contains(HAS_SNAPSHOT));
    assert!(has_snapshot);
    for number in 0..4 {
        shared.owner.write(&format!("//- src/more_{number}.rs\nfn read_token_{number}() {{}}\n"));
        shared.owner.commit("next");
        shared.sync_as_owner();
    }
    reader.stdin.take().unwrap().write_all(b"go on\n").unwrap();
    // Its output is read to the end, so that it never blocks.
    lines.for_each(drop);
    assert!(reader.wait().unwrap().success());
}
