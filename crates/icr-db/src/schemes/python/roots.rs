//! Directories in which Python looks for top-level modules, as far as the repository shows.

use crate::graph::{Db, PathInput};
use crate::statements::statements;
use crate::view::{GraphView, join, normalised, parent, path_of};

/// Subdirectories of a project that usually contain packages, whatever its manifest says. Packaging guides recommend
/// `src`; older and mixed projects use `lib` and `python`.
const CUSTOMARY: [&str; 3] = ["src", "lib", "python"];

/// The manifest that is read.
const PYPROJECT: &str = "pyproject.toml";

/// Files that mark a directory as a project of its own.
const PROJECT_FILES: [&str; 3] = [PYPROJECT, "setup.py", "setup.cfg"];

/// Most directories above a file that are looked at. Paths in hostile repositories have thousands.
const MAX_DEPTH: usize = 32;

/// Directories in which the file at `path` finds top-level modules, best first: the directory that contains its own
/// top-level package or, for a script, the script itself; then each directory above, and the package directories of
/// the projects there.
pub(super) fn roots<'db>(view: GraphView<'db>, path: &str) -> &'db [String] {
    let directory = parent(path);
    let roots = roots_of_directory(view.db(), ImportingDirectory::new(view.db(), directory));
    // A file with relative imports is part of a package even without an `__init__`, so it is not a script.
    let is_beside = roots.first().is_some_and(|root| root == directory);
    if is_beside && has_relative(view.db(), view.input(path)) { &roots[1..] } else { roots }
}

/// Whether modules of the directory can be imported by their bare names, because it is not a package itself.
pub(super) fn may_be_root(view: GraphView<'_>, directory: &str) -> bool {
    directory.is_empty() || !(has(view, directory, "__init__.py") || has(view, directory, "__init__.pyi"))
}

/// Whether a project has its top-level packages in `directory`.
pub(super) fn is_declared(view: GraphView<'_>, directory: &str) -> bool {
    may_be_root(view, directory) && *is_declared_directory(view.db(), ImportingDirectory::new(view.db(), directory))
}

/// Whether there is a file called `name` in `directory`.
pub(super) fn has(view: GraphView<'_>, directory: &str, name: &str) -> bool {
    view.files_in(directory).binary_search(&path_of(&join(directory, name))).is_ok()
}

/// Manifests that are read for the file at `path`.
pub(super) fn manifests(path: &str) -> Vec<String> {
    ancestors(parent(path)).map(|directory| join(directory, PYPROJECT)).collect()
}

/// `directory` and those above it, up to the root.
fn ancestors(directory: &str) -> impl Iterator<Item = &str> {
    let nearest = std::iter::successors(Some(directory), |below| (!below.is_empty()).then(|| parent(below)));
    let nearest = nearest.take(MAX_DEPTH);
    let is_deep = directory.bytes().filter(|byte| *byte == b'/').count() + 1 >= MAX_DEPTH;
    nearest.chain(is_deep.then_some(""))
}

#[salsa::interned(debug)]
struct ImportingDirectory<'db> {
    #[returns(deref)]
    path: String,
}

#[salsa::tracked(returns(deref))]
fn roots_of_directory<'db>(db: &'db dyn Db, directory: ImportingDirectory<'db>) -> Vec<String> {
    let view = GraphView::new(db);
    let mut roots: Vec<String> = Vec::new();
    let mut above = ancestors(directory.path(db)).skip_while(|directory| !may_be_root(view, directory));
    for directory in above.by_ref() {
        if !may_be_root(view, directory) {
            continue;
        }
        let sources = sources(db, ImportingDirectory::new(db, directory)).iter().flatten();
        let new = sources.filter(|source| may_be_root(view, source)).map(String::as_str);
        for root in std::iter::once(directory).chain(new) {
            if !roots.iter().any(|known| known == root) {
                roots.push(root.to_owned());
            }
        }
    }
    roots
}

/// The package directories of the project in `directory`; `None` when it is not a project. The root of the repository
/// always is one.
#[salsa::tracked(returns(ref))]
fn sources<'db>(db: &'db dyn Db, directory: ImportingDirectory<'db>) -> Option<Vec<String>> {
    let view = GraphView::new(db);
    let directory = directory.path(db);
    if !directory.is_empty() && !PROJECT_FILES.iter().any(|name| has(view, directory, name)) {
        return None;
    }
    let manifest = view.pyproject(&join(directory, PYPROJECT)).and_then(Result::ok);
    let declared = manifest.iter().flat_map(|manifest| &manifest.source_directories).map(String::as_str);
    Some(declared.chain(CUSTOMARY).filter_map(|source| normalised(directory, source)).collect())
}

#[salsa::tracked(returns(ref))]
fn is_declared_directory<'db>(db: &'db dyn Db, directory: ImportingDirectory<'db>) -> bool {
    let path = directory.path(db);
    sources(db, directory).is_some()
        || ancestors(path)
            .filter_map(|above| sources(db, ImportingDirectory::new(db, above)).as_ref())
            .any(|sources| sources.iter().any(|source| source == path))
}

/// Whether the file has an import that is relative to its package.
#[salsa::tracked(returns(copy))]
fn has_relative(db: &dyn Db, input: PathInput) -> bool {
    statements(db, input).imports.iter().any(|import| import.specifier.starts_with('.'))
}
