//! What Cargo tests apart from the files that their names call tests: tests among the code, those in documentation,
//! and the modules of test targets. With the features that these need, and the packages that a change can affect.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::rc::Rc;

use icr_db::CargoPackageEdges;
use icr_impact::SymbolChangeKind as Kind;
use icr_impact::select::{
    DocTest, TestEvidence, TestParts, TestReach, doc_tests, features_of_file, features_of_module, inline_tests,
};
use icr_model::{ContentKind, Facts, RepoPath, Symbol};
use icr_view::Texts;

use crate::change::comparison::ChangeComparison;
use crate::change::sides::ViewChange;
use crate::{Error, Snapshot};

/// Most modules around a module that are looked into for the features it needs.
const DEPTH: usize = 32;

/// From this share of common commits, a test may depend on a change in a way that manifests do not say: it runs the
/// program of another package.
const OFTEN: f64 = 0.1;

/// Directories of a package whose files no other package can use.
const OWN_DIRECTORIES: [&str; 3] = ["benches/", "examples/", "tests/"];

/// Lines of tests among the code of a file, as from [`inline_tests`].
type TestLines = Rc<Vec<RangeInclusive<u32>>>;

/// Whether the doc tests of a Rust file differ between its two texts. Of other languages, and of files that rustdoc does
/// not read, nothing in the documentation is run.
pub(crate) fn has_other_doc_tests(path: &RepoPath, old: &[u8], new: &[u8]) -> bool {
    if !is_rust(path) || icr_rank::is_test_path(path) {
        return false;
    }
    let code = |text: &[u8]| {
        doc_tests(&String::from_utf8_lossy(text)).into_iter().map(|test| test.code).collect::<Vec<String>>()
    };
    code(old) != code(new)
}

fn is_rust(path: &RepoPath) -> bool {
    path.as_bytes().ends_with(b".rs")
}

/// The Rust tests of the view after a change.
pub(crate) struct RustTests<'a> {
    view: &'a Snapshot,
    /// Opened once: a reader of uncommitted files reads git's index.
    texts: RefCell<Texts<'a>>,
    paths: BTreeSet<&'a RepoPath>,
    /// Files that are tests by their names.
    tests: BTreeSet<&'a RepoPath>,
    packages: Vec<CargoPackageEdges>,
    /// By path, for the files that were looked into.
    inline: RefCell<HashMap<RepoPath, TestLines>>,
    /// Modules of test targets that lead to the change, by the file of the target.
    modules: RefCell<BTreeMap<RepoPath, BTreeSet<RepoPath>>>,
}

impl<'a> RustTests<'a> {
    /// `paths` are all files of the view, and `tests` those that are tests by their names. Cost: reads the manifests of
    /// all packages if there is a Rust file.
    pub(crate) fn new(view: &'a Snapshot, paths: &'a [RepoPath], tests: BTreeSet<&'a RepoPath>) -> Result<Self, Error> {
        let packages = if paths.iter().any(is_rust) { view.graph()?.cargo_packages()? } else { Vec::new() };
        let paths = paths.iter().filter(|path| is_rust(path)).collect();
        let texts = RefCell::new(view.view.texts());
        Ok(Self { view, texts, paths, tests, packages, inline: RefCell::default(), modules: RefCell::default() })
    }

    /// The file of the test target that the file at `path` is a module of: `tests/all/main.rs` of `tests/all/one.rs`.
    pub(crate) fn target_of_module(&self, path: &RepoPath) -> Option<RepoPath> {
        if !is_rust(path) || self.tests.contains(path) {
            return None;
        }
        let text = path.as_str()?;
        let (package, inside) = match text.strip_prefix("tests/") {
            Some(inside) => ("", inside),
            None => text.split_once("/tests/")?,
        };
        let (name, _) = inside.split_once('/')?;
        let directory = if package.is_empty() { String::new() } else { format!("{package}/") };
        let targets = [format!("{directory}tests/{name}/main.rs"), format!("{directory}tests/{name}.rs")];
        targets.iter().map(|target| RepoPath::from(target.as_str())).find(|target| self.tests.contains(target))
    }

    /// As [`Self::target_of_module`], for a module that leads to the change: the target needs the features of that too.
    pub(crate) fn target_of_leading_module(&self, path: &RepoPath) -> Option<RepoPath> {
        let target = self.target_of_module(path)?;
        self.modules.borrow_mut().entry(target.clone()).or_default().insert(path.clone());
        Some(target)
    }

    /// Whether the definition `symbol`, of the file at `path`, is or is in a test among its code.
    pub(crate) fn is_inline_test(&self, path: &RepoPath, facts: &Facts, symbol: &Symbol) -> Result<bool, Error> {
        if !is_rust(path) {
            return Ok(false);
        }
        let tests = self.inline_tests(path)?;
        let is_test = |symbol: &Symbol| tests.iter().any(|lines| lines.contains(&symbol.lines.start));
        let around = std::iter::successors(Some(symbol), |inner| inner.parent.map(|at| &facts.symbols[at as usize]));
        Ok(around.take(DEPTH).any(is_test))
    }

    /// The tests among the code of a file. Those of examples and benchmarks are not run by default.
    fn inline_tests(&self, path: &RepoPath) -> Result<TestLines, Error> {
        if let Some(known) = self.inline.borrow().get(path) {
            return Ok(Rc::clone(known));
        }
        let text = if self.is_for_own_package(path) { None } else { self.text(path)? };
        let tests = Rc::new(text.map(|text| inline_tests(&text)).unwrap_or_default());
        self.inline.borrow_mut().insert(path.clone(), Rc::clone(&tests));
        Ok(tests)
    }

    fn text(&self, path: &RepoPath) -> Result<Option<String>, Error> {
        let Some(file) = self.view.view.file(path)?.filter(|file| file.row.content == ContentKind::Text) else {
            return Ok(None);
        };
        let mut text = Vec::new();
        self.texts.borrow_mut().read(&file.row, &mut text)?;
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }

    /// What is known of the tests among the code: those of changed files, those in their documentation that show what
    /// changed, and those that `reached` leads to. Cost: reads the texts of changed Rust files and of reached ones.
    pub(crate) fn among_code<D>(
        &self,
        change: &ViewChange<'_>,
        compared: &ChangeComparison,
        reached: &BTreeMap<RepoPath, TestReach<D>>,
        name: impl Fn(&D) -> String,
    ) -> Result<Vec<TestEvidence>, Error> {
        let mut found: BTreeMap<RepoPath, TestEvidence> = BTreeMap::new();
        for (path, reach) in reached.iter().filter(|(path, _)| is_rust(path) && !self.tests.contains(path)) {
            found.insert(path.clone(), TestEvidence::of(path.clone()).with_reach(reach, &name));
        }
        for file in &change.files {
            let Some(path) = file.new.as_ref().filter(|path| self.paths.contains(path)) else { continue };
            if self.tests.contains(path) || self.target_of_module(path).is_some() {
                continue;
            }
            let is_comment = compared.residues.iter().any(|residue| residue.cosmetic && residue.path == *path);
            let has_tests = !is_comment && !self.inline_tests(path)?.is_empty();
            let has_doc_tests = self.library_of(path).is_some() && {
                let old = match &file.old {
                    Some(old) => change.old.view.text_at(old)?.unwrap_or_default(),
                    None => Vec::new(),
                };
                let new = self.text(path)?.unwrap_or_default().into_bytes();
                has_other_doc_tests(path, &old, &new) || shows_change(compared, path, &new)
            };
            if has_tests || has_doc_tests {
                let test = found.entry(path.clone()).or_insert_with(|| TestEvidence::of(path.clone()));
                test.is_beside = true;
                let has_tests = has_tests || test.reach > 0.0;
                test.parts = match (has_tests, has_doc_tests) {
                    (true, true) => TestParts::Both,
                    (false, true) => TestParts::Documentation,
                    (_, false) => TestParts::Code,
                };
            }
        }
        Ok(found.into_values().collect())
    }

    /// The root file of the library that the file at `path` may be part of.
    fn library_of(&self, path: &RepoPath) -> Option<&str> {
        let package = self.package_of(path.as_str()?)?;
        let inside = inside_of(&package.directory, path.as_str()?);
        let is_program = inside == "src/main.rs" || inside.starts_with("src/bin/") || inside == "build.rs";
        package.library.as_deref().filter(|_| !is_program && !self.is_for_own_package(path))
    }

    /// Whether only the package of the file can use it: it is a test, an example or a benchmark.
    fn is_for_own_package(&self, path: &RepoPath) -> bool {
        let Some(path) = path.as_str() else { return false };
        let Some(package) = self.package_of(path) else { return false };
        let inside = inside_of(&package.directory, path);
        OWN_DIRECTORIES.iter().any(|directory| inside.starts_with(directory))
    }

    /// The package of a file: that in the nearest directory above it.
    fn package_of(&self, path: &str) -> Option<&CargoPackageEdges> {
        CargoPackageEdges::of_file(&self.packages, path)
    }

    /// Adds to each Rust test the features that it needs: its own, those of its modules that lead to the change, and
    /// those of the changed code of its package.
    pub(crate) fn add_features(&self, changed: &[&RepoPath], evidence: &mut [TestEvidence]) -> Result<(), Error> {
        let mut of_package: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for path in changed.iter().filter(|path| self.paths.contains(*path) && !icr_rank::is_test_path(path)) {
            let Some(package) = path.as_str().and_then(|path| self.package_of(path)) else { continue };
            of_package.entry(&package.directory).or_default().extend(self.features_of(path)?);
        }
        let modules = self.modules.borrow();
        for test in evidence.iter_mut().filter(|test| is_rust(&test.path)) {
            let Some(package) = test.path.as_str().and_then(|path| self.package_of(path)) else { continue };
            let mut features = self.features_of(&test.path)?;
            for module in modules.get(&test.path).into_iter().flatten() {
                features.extend(self.features_of(module)?);
            }
            features.extend(of_package.get(package.directory.as_str()).into_iter().flatten().cloned());
            test.features = features;
        }
        Ok(())
    }

    /// The features without which the file at `path` is not compiled: its own, and those of the statements that declare
    /// it and the modules around it.
    fn features_of(&self, path: &RepoPath) -> Result<BTreeSet<String>, Error> {
        let mut features = BTreeSet::new();
        let mut at = path.clone();
        for _ in 0..DEPTH {
            if let Some(text) = self.text(&at)? {
                features.extend(features_of_file(&text));
            }
            let Some((name, parents)) = at.as_str().and_then(declaring_files) else { break };
            let mut outer = None;
            for parent in parents.iter().map(|parent| RepoPath::from(parent.as_str())) {
                if parent == at || !self.paths.contains(&parent) {
                    continue;
                }
                let Some(declared) = self.text(&parent)?.and_then(|text| features_of_module(&text, &name)) else {
                    continue;
                };
                features.extend(declared);
                outer = Some(parent);
                break;
            }
            let Some(outer) = outer else { break };
            at = outer;
        }
        Ok(features)
    }

    /// Leaves out the Rust tests of packages that do not depend on a changed one, unless they changed with it often.
    /// Does nothing if a changed file is in no package, or may concern all of them.
    pub(crate) fn retain_affected(&self, changed: &[&RepoPath], evidence: &mut Vec<TestEvidence>) {
        let Some(affected) = self.affected_packages(changed) else { return };
        evidence.retain(|test| {
            let package = test.path.as_str().filter(|_| is_rust(&test.path)).and_then(|path| self.package_of(path));
            package.is_none_or(|package| affected.contains(package.directory.as_str()))
                || test.cochange_confidence >= OFTEN
        });
    }

    /// Directories of the packages that a change can affect; `None` if that may be all of them.
    fn affected_packages(&self, changed: &[&RepoPath]) -> Option<BTreeSet<&str>> {
        let mut affected: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = Vec::new();
        for path in changed.iter().filter(|path| !is_for_people(path)) {
            let package = self.package_of(path.as_str()?)?;
            if concerns_builds(inside_of(&package.directory, path.as_str()?)) && self.holds_others(package) {
                return None;
            }
            affected.insert(&package.directory);
            if !self.is_for_own_package(path) {
                open.push(&package.directory);
            }
        }
        if affected.is_empty() {
            return None;
        }
        let mut followed: BTreeSet<&str> = BTreeSet::new();
        while let Some(directory) = open.pop() {
            if followed.insert(directory) {
                let dependents = self.packages.iter().filter(|package| package.dependencies.contains(directory));
                open.extend(dependents.map(|package| package.directory.as_str()));
            }
        }
        affected.extend(followed);
        Some(affected)
    }

    /// Whether other packages lie below a package, as below the root of a workspace.
    fn holds_others(&self, package: &CargoPackageEdges) -> bool {
        let is_below = |other: &CargoPackageEdges| {
            let below = other.directory.strip_prefix(package.directory.as_str());
            below.is_some_and(|rest| !rest.is_empty() && (package.directory.is_empty() || rest.starts_with('/')))
        };
        self.packages.iter().any(is_below)
    }
}

/// Whether no test reads the file at `path`: a text at the root, such as a changelog, or a workflow.
fn is_for_people(path: &RepoPath) -> bool {
    let path = path.as_bytes();
    path.starts_with(b".github/") || !path.contains(&b'/') && path.ends_with(b".md")
}

/// Whether a file at the root of a workspace has a say in how every package is built.
fn concerns_builds(path: &str) -> bool {
    path == "Cargo.toml"
        || path == "Cargo.lock"
        || path.starts_with(".cargo/")
        || matches!(path, "rust-toolchain" | "rust-toolchain.toml")
}

/// The path of a file inside the package in `directory`.
fn inside_of<'p>(directory: &str, path: &'p str) -> &'p str {
    path.strip_prefix(directory).map_or(path, |rest| rest.trim_start_matches('/'))
}

/// Whether a doc test of the file at `path` is that of a changed definition.
fn shows_change(compared: &ChangeComparison, path: &RepoPath, text: &[u8]) -> bool {
    let tests = doc_tests(&String::from_utf8_lossy(text));
    let changed = compared.symbols.iter().filter(|symbol| !matches!(symbol.change.change, Kind::Doc | Kind::Cosmetic));
    let mut lines = changed
        .filter_map(|symbol| symbol.change.new.as_ref())
        .filter(|new| new.path == *path)
        .map(|new| new.lines.start);
    lines.any(|line| tests.iter().any(|test: &DocTest| test.lines.contains(&line)))
}

/// The name of the module in the file at `path`, and the files that may declare it.
fn declaring_files(path: &str) -> Option<(String, Vec<String>)> {
    let (directory, file) = path.rsplit_once('/')?;
    let (directory, name) = match file {
        "mod.rs" => directory.rsplit_once('/').unwrap_or(("", directory)),
        "lib.rs" | "main.rs" => return None,
        _ => (directory, file.strip_suffix(".rs")?),
    };
    let mut files: Vec<String> = if directory.is_empty() { Vec::new() } else { vec![format!("{directory}.rs")] };
    let start = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    files.extend(["mod.rs", "lib.rs", "main.rs"].map(|file| format!("{start}{file}")));
    Some((name.to_owned(), files))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_declared_in_the_file_of_their_directory() {
        let (name, files) = declaring_files("crates/a/src/engine/complete.rs").unwrap();
        assert_eq!(name, "complete");
        let directory = "crates/a/src/engine";
        let expected = [".rs", "/mod.rs", "/lib.rs", "/main.rs"].map(|end| format!("{directory}{end}"));
        assert_eq!(files, expected);
        let (name, files) = declaring_files("src/engine/mod.rs").unwrap();
        assert_eq!((name.as_str(), files[0].as_str(), files[2].as_str()), ("engine", "src.rs", "src/lib.rs"));
        assert_eq!(declaring_files("src/lib.rs"), None);
    }

    #[test]
    fn only_code_in_documentation_that_is_run_is_more_than_a_comment() {
        let text = |block: &str| format!("/// Adds.\n///\n/// ```{block}\n/// ```\npub fn add() {{}}\n").into_bytes();
        let path = RepoPath::from("src/lib.rs");
        assert!(has_other_doc_tests(&path, &text("\n/// add();"), &text("\n/// add(1);")));
        assert!(!has_other_doc_tests(&path, &text("text\n/// add();"), &text("text\n/// add(1);")));
        assert!(!has_other_doc_tests(&path, &text("\n/// add();"), &text("\n///   add();")));
        assert!(!has_other_doc_tests(&"src/lib.go".into(), &text("\n/// add();"), &text("\n/// add(1);")));
        assert!(!has_other_doc_tests(&"tests/a.rs".into(), &text("\n/// add();"), &text("\n/// add(1);")));
    }
}
