//! A repository with a linked worktree and a clone, and the one store that they share.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use icr_engine::{
    Backend, EmbeddingOptions, Engine, Freshness, Gap, OpenOptions, SilentObserver, Snapshot, SyncOptions,
    ViewSelector, Warm,
};
use icr_fixture::Fixture;
use icr_lexical::{Lexical, WriterOptions};
use icr_tests::{
    answers, ask_fresh, assert_equals_fresh, assert_sound, empty_home, engine, read_only_engine, stopped_at,
};
use proptest::sample::Index;
use tempfile::TempDir;

use crate::operations::Operation;
use crate::texts::{PATHS, text};

/// A month, as configured by default.
const KEEP_UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const RULES: [&str; 3] = ["", "*.py\n", "/src/stream/\n!open.h\n"];

/// Everything that a history happens to.
pub(crate) struct World {
    fixture: Fixture,
    home: TempDir,
    worktree: Option<PathBuf>,
    clone: Option<PathBuf>,
    branches: usize,
    /// Query graphs that live as long as the history does.
    warm: RefCell<Warm>,
}

impl World {
    /// A repository with one file in one commit, and an empty store.
    pub(crate) fn new() -> Self {
        let fixture = Fixture::new("//- docs/first.md\nThe first file.\n");
        Self { fixture, home: empty_home(), worktree: None, clone: None, branches: 0, warm: RefCell::default() }
    }

    /// Does the step, as far as git allows it.
    pub(crate) fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Write { path, text: number } => self.write_in(&self.root(), PATHS[*path], &text(*number)),
            Operation::Delete { file } => self.with_file(*file, |path| fs::remove_file(path).expect("it was listed")),
            Operation::Rename { file, path } => {
                let to = self.room_for(&self.root(), PATHS[*path]);
                self.with_file(*file, |from| drop(fs::rename(from, to)));
            }
            Operation::Copy { file, path } => {
                let to = self.room_for(&self.root(), PATHS[*path]);
                self.with_file(*file, |from| drop((from != to).then(|| fs::copy(from, to))));
            }
            Operation::Chmod { file } => self.with_file(*file, toggle_executable),
            Operation::Link { path } => {
                let path = self.room_for(&self.root(), PATHS[*path]);
                let _ = fs::remove_file(&path);
                std::os::unix::fs::symlink("lib.rs", path).expect("there is room");
            }
            Operation::Stage => {
                self.git(&["add", "-A"]);
            }
            Operation::Ignore { rules } => self.write_in(&self.root(), ".icrignore", RULES[*rules]),
            Operation::Commit => self.commit_in(&self.root(), &["-m", "a commit about parse and token"]),
            Operation::Amend => self.commit_in(&self.root(), &["--amend", "-m", "amended"]),
            Operation::Branch => {
                self.branches += 1;
                self.git(&["switch", "-q", "-c", &format!("branch-{}", self.branches)]);
            }
            Operation::Orphan => {
                self.branches += 1;
                self.git(&["switch", "-q", "--orphan", &format!("orphan-{}", self.branches)]);
            }
            Operation::Switch { to } => {
                self.with_branch(*to, |branch| self.git(&["switch", "-q", branch]));
            }
            Operation::Detach { to } => {
                self.with_commit(*to, |commit| self.git(&["checkout", "-q", "--detach", commit]));
            }
            Operation::Merge { from } => {
                self.with_branch(*from, |branch| {
                    self.git(&["merge", "-q", "--no-edit", "--allow-unrelated-histories", branch])
                });
            }
            Operation::Rebase { onto } => {
                if !self.with_branch(*onto, |branch| self.git(&["rebase", "-q", branch])) {
                    self.git(&["rebase", "--abort"]);
                }
            }
            Operation::Reset { to } => {
                self.with_commit(*to, |commit| self.git(&["reset", "-q", "--hard", commit]));
            }
            Operation::Stash => {
                self.git(&["stash", "push", "-q", "-u"]);
            }
            Operation::Pop => {
                self.git(&["stash", "pop", "-q"]);
            }
            Operation::Tag => {
                self.branches += 1;
                self.git(&["tag", "-m", "a tag", &format!("tag-{}", self.branches)]);
            }
            Operation::InWorktree { path, text: number, commit } => {
                let worktree = self.linked_worktree();
                self.write_in(&worktree, PATHS[*path], &text(*number));
                if *commit {
                    self.commit_in(&worktree, &["-m", "in the worktree"]);
                }
            }
            Operation::InClone { path, text: number, commit } => {
                let clone = self.second_clone();
                self.write_in(&clone, PATHS[*path], &text(*number));
                if *commit {
                    self.commit_in(&clone, &["-m", "in the clone"]);
                }
            }
            Operation::Pull => {
                let clone = self.second_clone();
                self.git_in(&clone, &["pull", "-q", "--no-rebase", "--no-edit"]);
            }
            Operation::Collect => {
                let _report = self.engine().collect_garbage(KEEP_UNUSED, &SilentObserver).expect("nobody else writes");
            }
            Operation::CollectAged => self.collect_aged(),
            Operation::GitCollect => {
                self.git(&["gc", "-q"]);
            }
            Operation::Fail { step } => {
                stopped_at(*step, |observer| self.engine().sync(&SyncOptions::default(), observer).map(drop));
            }
            Operation::MergePostings => self.merge_postings(),
            Operation::Sync => {
                self.engine().sync(&SyncOptions::default(), &SilentObserver).expect("nobody else writes");
            }
            Operation::SyncWithoutVectors => {
                let built_in = OpenOptions::new(self.root(), self.home.path());
                let embedding = EmbeddingOptions { backend: Backend::None, ..built_in.embedding.clone() };
                let engine = Engine::open(OpenOptions { embedding, ..built_in }).expect("a repository");
                engine.sync(&SyncOptions::default(), &SilentObserver).expect("nobody else writes");
            }
        }
    }

    /// Every view that can be asked answers like a fresh store.
    pub(crate) fn check(&self, at: usize, operation: &Operation) {
        let when = format!("after step {at} {operation:?}");
        let root = self.root();
        let expected = ask_fresh(&root, &ViewSelector::Worktree)
            .unwrap_or_else(|error| panic!("{when}, in a fresh store: {error}"));
        let reader = read_only_engine(&root, self.home.path());
        // A view that was not synced is indexed in memory for the question; here it is always small enough.
        let asked = reader.ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver);
        let lacks_vectors =
            |snapshot: &Snapshot| snapshot.provenance().gaps.iter().any(|gap| matches!(gap, Gap::NotEmbedded { .. }));
        match asked.and_then(|snapshot| Ok((lacks_vectors(&snapshot), answers(&snapshot)?))) {
            // A sync without vectors leaves them to whoever may write, and the answer says so.
            Ok((true, _)) => {}
            Ok((false, found)) => found.assert_equal(&expected, &format!("{when}, before any sync")),
            Err(error) => assert_eq!(error.code(), "NOT_INDEXED", "{when}, before any sync: {error}"),
        }
        let found = icr_tests::ask(&root, self.home.path(), &ViewSelector::Worktree)
            .unwrap_or_else(|error| panic!("{when}: {error}"));
        found.assert_equal(&expected, &when);
        let found = self.warm.borrow_mut().answer(
            &self.engine(),
            &ViewSelector::Worktree,
            &Freshness::default(),
            &SilentObserver,
            answers,
        );
        let found = found.unwrap_or_else(|error| panic!("{when}, with a warm graph: {error}"));
        found.assert_equal(&expected, &format!("{when}, with a warm graph"));
        for place in [&self.worktree, &self.clone].into_iter().flatten() {
            assert_equals_fresh(
                place,
                self.home.path(),
                &ViewSelector::Worktree,
                &format!("{when}, in {}", name(place)),
            );
        }
        let commits = self.lines(&["rev-list", "--all", "--max-count=30"]);
        if let Some(commit) = commits.get(at * 7 % commits.len().max(1)) {
            let at = ViewSelector::Revision(commit.clone());
            assert_equals_fresh(&root, self.home.path(), &at, &format!("{when}, at {commit}"));
        }
    }

    /// All branches and tags, and the store itself.
    pub(crate) fn check_at_the_end(&self) {
        for name in self.lines(&["for-each-ref", "--format=%(refname)"]) {
            let at = ViewSelector::Revision(name.clone());
            assert_equals_fresh(&self.root(), self.home.path(), &at, &format!("at the end, at {name}"));
        }
        assert_sound(&self.root(), self.home.path(), "at the end");
    }

    fn root(&self) -> PathBuf {
        self.fixture.root().to_owned()
    }

    fn engine(&self) -> Engine {
        engine(self.fixture.root(), self.home.path())
    }

    /// Whether the git command succeeded.
    fn git(&self, args: &[&str]) -> bool {
        self.fixture.try_git(args).is_ok()
    }

    fn git_in(&self, directory: &Path, args: &[&str]) -> bool {
        let directory = directory.to_str().expect("fixtures have names in UTF-8");
        self.fixture.try_git(&[&["-C", directory], args].concat()).is_ok()
    }

    fn lines(&self, args: &[&str]) -> Vec<String> {
        self.fixture.try_git(args).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn commit_in(&self, directory: &Path, args: &[&str]) {
        self.git_in(directory, &["add", "-A"]);
        self.git_in(directory, &[&["commit", "-q", "--allow-empty"], args].concat());
    }

    fn write_in(&self, root: &Path, path: &str, content: &str) {
        let path = self.room_for(root, path);
        // A write would go through a link.
        let _ = fs::remove_file(&path);
        fs::write(path, content).expect("there is room");
    }

    fn room_for(&self, root: &Path, path: &str) -> PathBuf {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a file has a directory"))
            .expect("no file has the name of a directory");
        path
    }

    /// Calls `change` with a file of the worktree, if there is one.
    fn with_file(&self, file: Index, change: impl FnOnce(&Path)) {
        let files: Vec<PathBuf> = PATHS.iter().map(|path| self.fixture.root().join(path)).collect();
        let there: Vec<&PathBuf> =
            files.iter().filter(|path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())).collect();
        if !there.is_empty() {
            change(file.get(there.as_slice()).as_path());
        }
    }

    fn with_branch(&self, branch: Index, act: impl FnOnce(&str) -> bool) -> bool {
        let branches = self.lines(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
        !branches.is_empty() && act(branch.get(branches.as_slice()).as_str())
    }

    fn with_commit(&self, commit: Index, act: impl FnOnce(&str) -> bool) -> bool {
        let commits = self.lines(&["rev-list", "--all", "--max-count=30"]);
        !commits.is_empty() && act(commit.get(commits.as_slice()).as_str())
    }

    fn linked_worktree(&mut self) -> PathBuf {
        let path = self.fixture.home().join("linked");
        if self.worktree.is_none() {
            // An unborn HEAD names nothing to check out; a branch always does.
            let branch = self.lines(&["for-each-ref", "--format=%(refname)", "refs/heads"]).swap_remove(0);
            self.fixture.worktree("linked", &branch);
            self.worktree = Some(path.clone());
        }
        path
    }

    fn second_clone(&mut self) -> PathBuf {
        let path = self.fixture.home().join("clone");
        if self.clone.is_none() {
            self.fixture.clone_to("clone", &["--branch=main"]);
            self.clone = Some(path.clone());
        }
        path
    }

    fn collect_aged(&self) {
        self.git(&["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
        self.git(&["gc", "-q", "--prune=now"]);
        let ledger = self.engine().store().directory().join("ledger.db");
        if ledger.exists() {
            let connection = icr_tests::ledger(&ledger);
            connection
                .execute_batch("UPDATE views SET used_at = 0; UPDATE clones SET seen_at = 0;")
                .expect("views and clones have a date");
        }
        self.engine().collect_garbage(KEEP_UNUSED, &SilentObserver).expect("nobody else writes");
    }

    fn merge_postings(&self) {
        let directory = self.engine().store().directory().join("lexical");
        if let Ok(lexical) = Lexical::open(directory) {
            let mut writer = lexical.writer(WriterOptions::default()).expect("nobody else writes");
            writer.merge_all().expect("segments can be merged");
            writer.finish().expect("merges end");
        }
    }
}

fn toggle_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).expect("it was listed").permissions().mode() ^ 0o111;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the file is ours");
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
