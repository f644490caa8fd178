//! Commands that run test files, chosen from the manifests above them.
//!
//! There is one row, and one file, for each family of runners. A family tells what runs one file ([`TestTarget`]);
//! files that the same program can run at once are then combined into one command.

mod bats;
mod busted;
mod cargo;
mod ctest;
mod dart;
mod deno;
mod dotnet;
mod dune;
mod go;
mod gradle;
mod haskell;
mod javascript;
mod jvm_classes;
mod maven;
mod mix;
mod package_json;
mod php;
mod project;
mod python;
mod quote;
mod r;
mod ruby;
mod sbt;
mod scan;
mod swift;
mod zig;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use icr_model::RepoPath;

use project::Project;

/// A file that says how a project is tested. Of lock files and wrapper scripts the text may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectManifest {
    /// Path.
    pub path: RepoPath,
    /// Content.
    pub text: String,
}

/// A file with tests to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFile {
    /// Path.
    pub path: RepoPath,
    /// Which of its tests.
    pub parts: TestParts,
    /// Cargo features that its tests, or what they test, are only built with. Those that the package does not declare
    /// are left out of commands.
    pub features: BTreeSet<String>,
}

impl From<RepoPath> for TestFile {
    /// The tests of the file at `path`, which need no feature.
    fn from(path: RepoPath) -> Self {
        Self { path, parts: TestParts::default(), features: BTreeSet::new() }
    }
}

/// Which tests of a file are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TestParts {
    /// Those in its code.
    #[default]
    Code,
    /// Those in its documentation.
    Documentation,
    /// All.
    Both,
}

/// One program with its arguments, which runs some test files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCommand {
    /// Name of the runner: `pytest`, `cargo test`, `vitest`.
    pub runner: &'static str,
    /// Directory to start it in, relative to the root; empty for the root.
    pub cwd: RepoPath,
    /// Program and arguments, to be started without a shell.
    pub argv: Vec<String>,
    /// The same as one line for a POSIX shell at the root, quoted where need be.
    pub shown: String,
    /// The test files that it runs, by path.
    pub tests: Vec<RepoPath>,
    /// Whether it also runs tests of other files, because the runner cannot be told which.
    pub runs_more: bool,
}

/// Commands that run `tests`, as few as their runners allow, by runner and directory. Files for which `manifests` say no
/// runner are in no command. Neither order of input matters.
///
/// From a manifest, only names of packages, modules and targets are used, and a few options of test scripts that are
/// plain words. JSON is parsed; in TOML, XML and build scripts, a few keys are found line by line, so an unusual layout
/// is not recognised. Linear in the bytes of the manifests, and in tests × depth of their directories.
pub fn commands(manifests: &[ProjectManifest], tests: &[TestFile]) -> Vec<TestCommand> {
    let project = Project::of(manifests).with_tests(tests.iter());
    let mut files: Vec<(&str, TestParts)> =
        tests.iter().filter_map(|test| Some((path_in_command(&test.path)?, test.parts))).collect();
    files.sort_unstable_by_key(|(path, _)| *path);
    files.dedup_by_key(|(path, _)| *path);
    let mut groups: BTreeMap<Frame, Vec<(&str, Item, bool)>> = BTreeMap::new();
    for (path, parts) in files {
        for target in targets_of(&project, path, parts) {
            groups.entry(target.frame).or_default().push((path, target.item, target.runs_more));
        }
    }
    groups.into_iter().map(|(frame, items)| frame.into_command(items)).collect()
}

/// The command that runs each of `tests` alone, in their order; as those of [`commands`]. If one takes two commands, the
/// one for its code.
pub(super) fn commands_alone(manifests: &[ProjectManifest], tests: &[TestFile]) -> Vec<Option<TestCommand>> {
    let project = Project::of(manifests).with_tests(tests.iter());
    let alone = |test: &TestFile| {
        let path = path_in_command(&test.path)?;
        let target = targets_of(&project, path, test.parts).into_iter().next()?;
        Some(target.frame.into_command(vec![(path, target.item, target.runs_more)]))
    };
    tests.iter().map(alone).collect()
}

/// The path as text, if a command can have it.
fn path_in_command(path: &RepoPath) -> Option<&str> {
    path.as_str().filter(|path| !path.contains('\0'))
}

/// What runs these tests of the file at `path`.
fn targets_of(project: &Project<'_>, path: &str, parts: TestParts) -> Vec<TestTarget> {
    let code = || target_of(project, path);
    let documentation = || cargo::doc_tests(project, path);
    match parts {
        TestParts::Code => code().into_iter().collect(),
        TestParts::Documentation => documentation().into_iter().collect(),
        TestParts::Both => code().into_iter().chain(documentation()).collect(),
    }
}

/// Names of the files to bring to [`commands`], sorted: relative to any directory of the view, or `*.` and an extension.
pub fn manifest_names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let mut names: Vec<&str> =
            RUNNERS.iter().flat_map(|row| row.markers.iter().chain(row.others)).copied().collect();
        names.sort_unstable();
        names.dedup();
        names
    });
    &NAMES
}

/// One row: a family of runners.
struct Runner {
    /// Ends of the names of files that it runs.
    endings: &'static [&'static str],
    /// Names of manifests; the nearest one above a test marks this family. Empty if the family needs no manifest.
    markers: &'static [&'static str],
    /// Other files it looks at.
    others: &'static [&'static str],
    /// What runs the file at that path.
    target: fn(&Project<'_>, &str) -> Option<TestTarget>,
}

/// Of several families for a file the one whose marker is nearest is asked first; of equally near ones the first row.
static RUNNERS: [Runner; 21] = [
    // tidy: sorted
    bats::ROW,
    busted::ROW,
    cargo::ROW,
    ctest::ROW,
    dart::ROW,
    deno::ROW,
    dotnet::ROW,
    dune::ROW,
    go::ROW,
    gradle::ROW,
    haskell::ROW,
    javascript::ROW,
    maven::ROW,
    mix::ROW,
    php::ROW,
    python::ROW,
    r::ROW,
    ruby::ROW,
    sbt::ROW,
    swift::ROW,
    zig::ROW,
    // tidy: end
];

fn target_of(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let mut rows: Vec<(usize, &Runner)> = Vec::new();
    for row in RUNNERS.iter().filter(|row| row.endings.iter().any(|ending| path.ends_with(ending))) {
        if row.markers.is_empty() {
            rows.push((0, row));
        } else if let Some(found) = project.nearest(path, row.markers) {
            rows.push((1 + project::depth(found.directory), row));
        }
    }
    // Stable, so that equally near rows keep the order of the table.
    rows.sort_by_key(|(depth, _)| std::cmp::Reverse(*depth));
    rows.into_iter().find_map(|(_, row)| (row.target)(project, path))
}

/// What runs one file.
struct TestTarget {
    frame: Frame,
    item: Item,
    runs_more: bool,
}

/// What a command is but for the files it runs. Targets with equal frames become one command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    runner: &'static str,
    cwd: String,
    /// Program and arguments before those of the files.
    head: Vec<String>,
    /// How the arguments of several files are put together.
    joint: Joint,
    /// Arguments after them.
    tail: Vec<String>,
}

/// How the arguments of several files are put together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Joint {
    /// One after the other.
    Apart,
    /// Into one argument.
    Together { open: String, separator: &'static str, close: &'static str },
}

/// What one file adds to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    arguments: Vec<String>,
    /// Arguments instead, when it is the only file.
    alone: Option<Vec<String>>,
}

impl TestTarget {
    /// `head` and one argument, started in `cwd`.
    fn new(runner: &'static str, cwd: &str, head: &[&str], argument: impl Into<String>) -> Self {
        Self::with(runner, cwd, head, vec![argument.into()])
    }

    /// `head` and several arguments, started in `cwd`.
    fn with(runner: &'static str, cwd: &str, head: &[&str], arguments: Vec<String>) -> Self {
        let head = head.iter().map(|part| (*part).to_owned()).collect();
        let frame = Frame { runner, cwd: cwd.to_owned(), head, joint: Joint::Apart, tail: Vec::new() };
        Self { frame, item: Item { arguments, alone: None }, runs_more: false }
    }

    /// A command for all tests of a project, because its runner cannot select files.
    fn for_whole_project(runner: &'static str, cwd: &str, head: &[&str]) -> Self {
        Self { runs_more: true, ..Self::with(runner, cwd, head, Vec::new()) }
    }

    fn with_joint(mut self, open: impl Into<String>, separator: &'static str, close: &'static str) -> Self {
        self.frame.joint = Joint::Together { open: open.into(), separator, close };
        self
    }

    fn tail(mut self, tail: &[&str]) -> Self {
        self.frame.tail = tail.iter().map(|part| (*part).to_owned()).collect();
        self
    }

    fn with_single_arguments(mut self, arguments: Vec<String>) -> Self {
        self.item.alone = Some(arguments);
        self
    }
}

impl Frame {
    fn into_command(self, items: Vec<(&str, Item, bool)>) -> TestCommand {
        let tests = items.iter().map(|(path, ..)| RepoPath::from(*path)).collect();
        let runs_more = items.iter().any(|(.., runs_more)| *runs_more);
        let mut argv = self.head;
        let mut distinct: Vec<Item> = Vec::new();
        for (_, item, _) in items {
            if !distinct.contains(&item) {
                distinct.push(item);
            }
        }
        match (distinct.as_slice(), &self.joint) {
            ([Item { alone: Some(alone), .. }], _) => argv.extend(alone.iter().cloned()),
            (items, Joint::Apart) => argv.extend(items.iter().flat_map(|item| item.arguments.iter().cloned())),
            (items, Joint::Together { open, separator, close }) => {
                let parts: Vec<&str> =
                    items.iter().flat_map(|item| item.arguments.iter().map(String::as_str)).collect();
                argv.push(format!("{open}{}{close}", parts.join(separator)));
            }
        }
        argv.extend(self.tail);
        let shown = quote::format_shell_line(&self.cwd, &argv);
        TestCommand { runner: self.runner, cwd: RepoPath::from(self.cwd.as_str()), argv, shown, tests, runs_more }
    }
}
