//! Git repositories from text, for tests. Names, dates and ids are fixed; the user's configuration has no influence.
//!
//! Everything is made by the real `git` binary, so tests see the same repositories as users. Every function panics if
//! git fails: a fixture that cannot be made is a broken test.

mod generated;
mod optional;
mod text;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::TempDir;

pub use optional::{path_from, skip};

/// Date of the first commit: 2024-01-01T00:00:00Z, in seconds since the epoch.
pub const FIRST_COMMIT_TIME: u64 = 1_704_067_200;

/// Seconds between two commits.
pub const COMMIT_INTERVAL: u64 = 3_600;

/// Commands that make commits or reflog entries of their own; each moves the clock once.
const COMMITTING: [&str; 9] =
    ["am", "cherry-pick", "commit", "commit-tree", "merge", "pull", "rebase", "revert", "stash"];

/// What a fixture's repositories are configured with, whatever the machine's own configuration says. Programs under
/// test read the user's configuration too, so its settings that change contents or ignored files are overridden here.
const CONFIGURATION: [(&str, &str); 12] = [
    ("user.name", "Fixture"),
    ("user.email", "fixture@example.org"),
    ("commit.gpgSign", "false"),
    ("gc.auto", "0"),
    // The dates of fixtures are long past, and reflogs must not expire by the clock of the machine.
    ("gc.reflogExpire", "never"),
    ("gc.reflogExpireUnreachable", "never"),
    ("maintenance.auto", "false"),
    ("core.autocrlf", "false"),
    ("core.excludesFile", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("uploadpack.allowFilter", "true"),
    ("uploadpack.allowAnySHA1InWant", "true"),
];

/// A git repository in a directory of its own, removed on drop with its clones and linked worktrees.
#[derive(Debug)]
pub struct Fixture {
    home: TempDir,
    root: PathBuf,
    clock: AtomicU64,
}

impl Fixture {
    /// A repository with one commit that holds `files`: `//- src/a.rs`, a line break, the content, and so on.
    pub fn new(files: &str) -> Self {
        let fixture = Self::empty();
        fixture.write(files);
        fixture.commit("first");
        fixture
    }

    /// A repository on an unborn branch `main`.
    pub fn empty() -> Self {
        Self::with_object_format("sha1")
    }

    /// Like [`Fixture::empty`], with object ids of `format`: `sha1` or `sha256`.
    pub fn with_object_format(format: &str) -> Self {
        Self::init(&["--object-format", format])
    }

    /// Like [`Fixture::empty`] with other options of `git init`, for example `--ref-format=reftable`.
    pub fn with_format(options: &[&str]) -> Self {
        Self::init(options)
    }

    /// An empty bare repository; its root is the git directory.
    pub fn bare() -> Self {
        Self::init(&["--bare"])
    }

    /// A checked-out repository of `files` small Rust and Python files, 50 in a directory, in one commit. The contents
    /// differ from each other and are the same in every run.
    pub fn generated(files: usize) -> Self {
        let fixture = Self::empty();
        fixture.import(&generated::stream(files));
        fixture.git(&["reset", "-q", "--hard"]);
        fixture
    }

    /// Like [`Fixture::generated`] as a bare repository.
    pub fn generated_bare(files: usize) -> Self {
        let fixture = Self::bare();
        fixture.import(&generated::stream(files));
        fixture
    }

    /// The worktree, or the git directory of a bare repository; an absolute path without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory that holds the repository, its clones and its linked worktrees, and nothing else.
    pub fn home(&self) -> &Path {
        self.root.parent().expect("the repository lies in the home directory")
    }

    /// Writes `files` into the worktree, over what is there; the form is that of [`Fixture::new`].
    pub fn write(&self, files: &str) {
        for (path, content) in text::files(files) {
            self.write_bytes(path, content.as_bytes());
        }
    }

    /// Writes one file into the worktree and makes its directories.
    pub fn write_bytes(&self, path: &str, content: &[u8]) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("a file has a directory")).expect("directories can be made");
        fs::write(&path, content).unwrap_or_else(|error| panic!("cannot write `{}`: {error}", path.display()));
    }

    /// Removes a file, or a directory with all it holds, from the worktree.
    pub fn delete(&self, path: &str) {
        let path = self.root.join(path);
        let is_directory = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir());
        let removed = if is_directory { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.unwrap_or_else(|error| panic!("cannot delete `{}`: {error}", path.display()));
    }

    /// Makes a symbolic link in the worktree; `target` is not checked.
    #[cfg(unix)]
    pub fn symlink(&self, target: impl AsRef<Path>, path: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("a file has a directory")).expect("directories can be made");
        std::os::unix::fs::symlink(target, path).expect("the name is free");
    }

    /// Commits the whole worktree (`add -A`), also when nothing changed, and returns the id of the commit.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs `git` in the worktree and returns its output without the line end.
    ///
    /// # Panics
    ///
    /// With git's message, when it fails.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root, args)
    }

    /// Like [`Fixture::git`] in another directory: a clone, a linked worktree.
    #[track_caller]
    pub fn git_in(&self, directory: &Path, args: &[&str]) -> String {
        match self.try_git_in(directory, args) {
            Ok(output) => output,
            Err(message) => panic!("`git {}` failed: {message}", args.join(" ")),
        }
    }

    /// Like [`Fixture::git`] for commands that may fail: git's output, or what it wrote to its error stream.
    pub fn try_git(&self, args: &[&str]) -> Result<String, String> {
        self.try_git_in(&self.root, args)
    }

    /// Adds a linked worktree named `name` with `revision` checked out, detached, and returns its root.
    pub fn worktree(&self, name: &str, revision: &str) -> PathBuf {
        let path = self.home().join(name);
        self.git(&["worktree", "add", "-q", "--detach", &as_text(&path), revision]);
        path
    }

    /// Clones the repository over a `file://` address and returns the clone's directory; `args` are those of
    /// `git clone`, for example `--depth=1`.
    pub fn clone_to(&self, name: &str, args: &[&str]) -> PathBuf {
        let path = self.home().join(name);
        let settings: Vec<String> =
            CONFIGURATION.iter().map(|(key, value)| format!("--config={key}={value}")).collect();
        let url = format!("file://{}", as_text(&self.root));
        let mut all = vec!["clone", "-q"];
        all.extend(settings.iter().map(String::as_str));
        all.extend(args);
        let destination = as_text(&path);
        all.extend([url.as_str(), destination.as_str()]);
        self.git_in(self.home(), &all);
        path
    }

    /// Number of objects in the object database, loose and packed. A program that must not write to the repository must
    /// not change it.
    pub fn object_count(&self) -> usize {
        self.object_count_in(&self.root)
    }

    /// Like [`Fixture::object_count`] for a clone.
    pub fn object_count_in(&self, directory: &Path) -> usize {
        let report = self.git_in(directory, &["count-objects", "-v"]);
        let counts = report.lines().filter_map(|line| line.split_once(": "));
        counts
            .filter(|(key, _)| ["count", "in-pack"].contains(key))
            .map(|(_, count)| count.parse::<usize>().expect("git counts in digits"))
            .sum()
    }

    /// Moves the clock, so that the next commit is `hours` later than it would be.
    pub fn advance_hours(&self, hours: u64) {
        self.clock.fetch_add(hours * 3_600, Ordering::Relaxed);
    }

    /// Feeds a `git fast-import` stream to the repository. The files of a worktree do not follow.
    #[track_caller]
    pub fn import(&self, stream: &[u8]) {
        self.git_with_input(&["fast-import", "--quiet", "--force"], stream);
    }

    /// Like [`Fixture::git`] with `input` on its standard input.
    #[track_caller]
    pub fn git_with_input(&self, args: &[&str], input: &[u8]) -> String {
        let path = self.home().join("input");
        fs::write(&path, input).expect("the home directory can be written");
        let file = fs::File::open(&path).expect("the file was just written");
        match self.run(self.command(&self.root, args).stdin(file)) {
            Ok(output) => output,
            Err(message) => panic!("`git {}` failed: {message}", args.join(" ")),
        }
    }

    fn init(args: &[&str]) -> Self {
        let home = TempDir::with_prefix("icr-fixture-").expect("a temporary directory can be made");
        // Some systems hand out a temporary directory behind a symbolic link; git and the programs under test resolve
        // it.
        let root = fs::canonicalize(home.path()).expect("the directory exists").join("repo");
        let fixture = Self { home, root, clock: AtomicU64::new(FIRST_COMMIT_TIME) };
        fs::create_dir(&fixture.root).expect("the home directory is empty");
        fixture.git(&[&["init", "-q", "-b", "main"], args].concat());
        fixture.configure();
        fixture
    }

    /// Appends to the file instead of running `git config` a dozen times: a test makes many fixtures.
    fn configure(&self) {
        let bare = self.root.join("config");
        let path = if bare.is_file() { bare } else { self.root.join(".git/config") };
        let mut text = fs::read_to_string(&path).expect("`git init` wrote a configuration");
        for (key, value) in CONFIGURATION {
            let (section, name) = key.split_once('.').expect("keys are `section.name`");
            text.push_str(&format!("[{section}]\n\t{name} = {value}\n"));
        }
        fs::write(&path, text).expect("the configuration is a file of ours");
    }

    fn try_git_in(&self, directory: &Path, args: &[&str]) -> Result<String, String> {
        self.run(&mut self.command(directory, args))
    }

    fn run(&self, command: &mut Command) -> Result<String, String> {
        let output = command.output().expect("`git` can be run");
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim_end().to_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
    }

    #[expect(clippy::disallowed_methods, reason = "repositories are made by the real git, whatever surrounds the test")]
    fn command(&self, directory: &Path, args: &[&str]) -> Command {
        let interval = if COMMITTING.contains(&subcommand(args)) { COMMIT_INTERVAL } else { 0 };
        let date = format!("{} +0000", self.clock.fetch_add(interval, Ordering::Relaxed));
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        command
            .args(args)
            .current_dir(directory)
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_AUTHOR_NAME", "Fixture")
            .env("GIT_AUTHOR_EMAIL", "fixture@example.org")
            .env("GIT_COMMITTER_NAME", "Fixture")
            .env("GIT_COMMITTER_EMAIL", "fixture@example.org")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .env("GIT_ALLOW_PROTOCOL", "file")
            .env("GIT_EDITOR", "true")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .env("TZ", "UTC");
        command
    }
}

/// The first argument that is no option of git itself, nor the value of one.
fn subcommand<'a>(args: &[&'a str]) -> &'a str {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match *arg {
            "-c" | "-C" => drop(rest.next()),
            option if option.starts_with('-') => {}
            command => return command,
        }
    }
    ""
}

fn as_text(path: &Path) -> String {
    path.to_str().expect("temporary directories have names in UTF-8").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_have_fixed_ids_an_hour_apart() {
        let ids = || {
            let fixture = Fixture::new("//- a\n1\n");
            fixture.write("//- a\n2\n");
            fixture.commit("second");
            fixture.git(&["log", "--format=%H %ct %s"])
        };
        let log = ids();
        assert_eq!(log, ids());
        let times: Vec<&str> = log.lines().map(|line| &line[41..]).collect();
        assert_eq!(times, ["1704070800 second", "1704067200 first"]);
    }

    #[test]
    fn clones_and_worktrees_lie_beside_the_repository() {
        let fixture = Fixture::new("//- a\n1\n");
        fixture.write("//- a\n2\n");
        fixture.commit("second");
        let shallow = fixture.clone_to("shallow", &["--depth=1"]);
        assert_eq!(fixture.git_in(&shallow, &["rev-list", "--count", "HEAD"]), "1");
        let worktree = fixture.worktree("old", "HEAD~1");
        assert_eq!(fs::read_to_string(worktree.join("a")).unwrap(), "1\n");
        assert_eq!([shallow.parent(), worktree.parent()], [Some(fixture.home()); 2]);
        fixture.git_in(&shallow, &["commit", "-q", "--allow-empty", "-m", "third"]);
        assert_eq!(fixture.git_in(&shallow, &["log", "-1", "--format=%ct %an"]), "1704074400 Fixture");
    }

    #[test]
    fn objects_are_counted_loose_and_packed() {
        let fixture = Fixture::new("//- a\n1\n//- b\n2\n");
        assert_eq!(fixture.object_count(), 4);
        fixture.git(&["gc", "-q"]);
        assert_eq!(fixture.object_count(), 4);
        fixture.write("//- c\n3\n");
        fixture.git(&["hash-object", "-w", "c"]);
        assert_eq!(fixture.object_count(), 5);
    }

    #[test]
    fn generated_files_are_committed_and_checked_out() {
        let fixture = Fixture::generated(120);
        assert_eq!(fixture.git(&["ls-files"]).lines().count(), 120);
        assert_eq!(fixture.git(&["status", "--porcelain"]), "");
        let blobs = fixture.git(&["ls-files", "--format=%(objectname)"]);
        let distinct: std::collections::HashSet<&str> = blobs.lines().collect();
        assert_eq!(distinct.len(), 120);
        assert_eq!(Fixture::generated_bare(120).git(&["rev-parse", "HEAD"]), fixture.git(&["rev-parse", "HEAD"]));
    }

    #[test]
    fn sha256_ids_are_longer() {
        let fixture = Fixture::with_object_format("sha256");
        fixture.write("//- a\n1\n");
        assert_eq!(fixture.commit("first").len(), 64);
    }

    #[test]
    fn options_before_the_command_do_not_stop_the_clock() {
        let fixture = Fixture::new("//- a\n1\n");
        fixture.git(&["-c", "user.useConfigOnly=true", "commit", "-q", "--allow-empty", "-m", "second"]);
        fixture.git(&["--no-pager", "commit", "-q", "--allow-empty", "-m", "third"]);
        assert_eq!(fixture.git(&["log", "--format=%ct"]), "1704074400\n1704070800\n1704067200");
    }

    #[test]
    fn failures_carry_the_message_of_git() {
        let message = Fixture::empty().try_git(&["rev-parse", "--verify", "HEAD"]).unwrap_err();
        assert_eq!(message, "fatal: Needed a single revision");
    }
}
