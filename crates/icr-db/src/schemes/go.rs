//! Go: an import names a package, which is a directory.
//!
//! Modules (`go.mod`) say which import paths are directories of the repository: the file's own module, those above it,
//! local replacements, the modules of a workspace, and every other module in the repository. `vendor` holds copies of
//! foreign packages. The name of a file only tells whether it is a test.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::graph::{Db, DirectoryInput, PathInput};
use crate::resolve::{ImportOutcome, ImportTarget, Statement};
use crate::schemes::key::{Key, KeyScope, below_parent, path_keys};
use crate::statements::statements;
use crate::view::{GraphView, LookupText, file_name, join, normalised, parent, path_of};

/// The module path of Go's own repository; its packages are imported without this path.
const STANDARD_LIBRARY: &str = "std";

/// What the import paths of one module's files may lead to.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
struct GoModuleScope {
    /// Directories by the import path of the module they hold.
    directories: BTreeMap<String, String>,
    /// Modules that the module requires.
    required: std::collections::BTreeSet<String>,
    /// Directory of the standard library, when this module is the standard library.
    standard_library: Option<String>,
}

/// All modules of a view.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
struct Modules {
    /// Directories by import path. When several modules have one path, the one nearest to the root counts.
    directories: BTreeMap<String, String>,
    /// Import paths by directory, including those that the directory replaces.
    import_paths: BTreeMap<String, Vec<String>>,
}

/// The package that an import names: its files, without its tests.
pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let import_path = statement.import.specifier.as_str();
    // These packages have no files: the compiler provides them.
    if matches!(import_path, "C" | "unsafe") {
        return ImportOutcome::External;
    }
    if !is_well_formed(import_path) {
        return ImportOutcome::Unresolved;
    }
    let module = module_of(view.db(), LookupText::new(view.db(), parent(statement.path)));
    match module {
        // An import path means the same in all files of a module.
        Some(module) if !is_relative(import_path) => {
            package_for(view.db(), module, LookupText::new(view.db(), import_path)).clone()
        }
        // Modules do not allow relative paths. Before modules, they were relative to the file's directory.
        None if is_relative(import_path) => normalised(parent(statement.path), import_path)
            .and_then(|directory| package_at(view, &directory))
            .unwrap_or(ImportOutcome::Unresolved),
        Some(_) => ImportOutcome::Unresolved,
        None => resolve_import_path(view, import_path, None, statement.path),
    }
}

/// What an import path names in the files of a module.
#[salsa::tracked(returns(ref))]
fn package_for<'db>(db: &'db dyn Db, go_mod: PathInput, import_path: LookupText<'db>) -> ImportOutcome {
    let view = GraphView::new(db);
    resolve_import_path(view, import_path.text(db), Some(go_mod), view.path(go_mod))
}

/// The `go.mod` of the module that a directory is part of.
#[salsa::tracked(returns(copy))]
fn module_of<'db>(db: &'db dyn Db, directory: LookupText<'db>) -> Option<PathInput> {
    let view = GraphView::new(db);
    GraphView::directories_above(&join(directory.text(db), "go.mod"))
        .map(|directory| view.input(&join(directory, "go.mod")))
        .find(|go_mod| go_mod.content(db).is_some())
}

/// What an import path that is not relative leads to, in a file of the module, or at `path` when there is no module.
fn resolve_import_path(view: GraphView<'_>, import_path: &str, module: Option<PathInput>, path: &str) -> ImportOutcome {
    let scope = module.map(|module| scope(view.db(), module));
    let modules = modules(view.db());
    // All packages of the standard library are in its module, and the first component of their paths has no dot.
    let is_standard = !import_path.split('/').next().is_some_and(|first| first.contains('.'));
    let mut ours = is_standard && scope.is_some_and(|scope| scope.standard_library.is_some());
    let mut elsewhere = false;
    for prefix in prefixes(import_path) {
        let own = scope.and_then(|scope| scope.directories.get(prefix));
        match own.or_else(|| modules.directories.get(prefix)) {
            Some(directory) => {
                ours = true;
                let inside = normalised(directory, import_path[prefix.len()..].trim_start_matches('/'));
                if let Some(package) = inside.and_then(|inside| package_at(view, &inside)) {
                    return package;
                }
            }
            None => elsewhere |= !ours && scope.is_some_and(|scope| scope.required.contains(prefix)),
        }
    }
    let vendored = vendor_directories(view, path, module)
        .into_iter()
        .chain(scope.and_then(|scope| scope.standard_library.clone()))
        .find_map(|directory| package_at(view, &normalised(&directory, import_path)?));
    match vendored {
        Some(package) => package,
        None if ours && !elsewhere => ImportOutcome::Unresolved,
        None => ImportOutcome::External,
    }
}

/// The import paths of the file's package: one for each module above it, and for each module it replaces.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if !path.ends_with(".go") || !package(view.db(), directory(view, parent(path))).contains(&view.input(path)) {
        return Vec::new();
    }
    let modules = modules(view.db());
    let own = parent(path);
    let mut keys = Vec::new();
    for above in GraphView::directories_above(path) {
        let rest = own[above.len()..].trim_start_matches('/');
        keys.extend(
            modules.import_paths.get(above).into_iter().flatten().map(|import_path| join(import_path, rest).into()),
        );
        if modules.import_paths.get(above).is_some_and(|paths| paths.iter().any(|path| path == STANDARD_LIBRARY))
            || file_name(above) == "vendor"
        {
            keys.push(rest.into());
        }
    }
    if view.nearest(path, "go.mod").is_none() {
        let here = KeyScope::Directory(own.to_owned());
        keys.extend(path_keys(own, &below_parent(own)));
        keys.extend(["relative-parent", "."].map(|text| Key::with_scope(text, here.clone())));
    }
    keys.retain(|key| !key.text.is_empty());
    keys
}

/// The other files of the file's package. A test sees all of them; other files do not see tests.
pub(super) fn siblings(view: GraphView<'_>, path: &str) -> Vec<PathInput> {
    let own = view.statements(path).provides.first();
    let sees = |other: &PathInput| {
        let other_path = view.path(*other);
        other_path != path
            && (is_test(path) || !is_test(other_path))
            && statements(view.db(), *other).provides.first() == own
    };
    sources(view.db(), directory(view, parent(path))).iter().copied().filter(sees).collect()
}

/// `go.mod` and `go.work` of every directory above the file.
pub(super) fn manifests(_: GraphView<'_>, path: &str) -> Vec<String> {
    let both = |directory| [join(directory, "go.mod"), join(directory, "go.work")];
    GraphView::directories_above(path).flat_map(both).collect()
}

fn is_relative(import_path: &str) -> bool {
    matches!(import_path, "." | "..") || import_path.starts_with("./") || import_path.starts_with("../")
}

/// Whether Go accepts it as an import path: no empty components, and dots only at the beginning.
fn is_well_formed(import_path: &str) -> bool {
    let mut components = import_path.split('/').skip_while(|component| matches!(*component, "." | ".."));
    components.all(|component| !matches!(component, "" | "." | ".."))
}

/// Import paths of the modules that may hold the package, the longest first.
fn prefixes(import_path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(import_path), |prefix| prefix.rfind('/').map(|end| &prefix[..end]))
}

fn directory(view: GraphView<'_>, directory: &str) -> DirectoryInput {
    view.db().directory_input(&path_of(directory))
}

/// The files of the package in a directory; `None` when there is none.
fn package_at(view: GraphView<'_>, path: &str) -> Option<ImportOutcome> {
    let files = package(view.db(), directory(view, path));
    (!files.is_empty())
        .then(|| ImportOutcome::Files(files.iter().map(|file| ImportTarget { file: *file, name: None }).collect()))
}

/// Whether the Go tools read the file. They ignore names that begin with `_` or `.`.
fn is_source(path: &str) -> bool {
    path.ends_with(".go") && !file_name(path).starts_with(['_', '.'])
}

fn is_test(path: &str) -> bool {
    path.ends_with("_test.go")
}

/// Go files of a directory, including tests, in order.
#[salsa::tracked(returns(deref))]
fn sources(db: &dyn Db, directory: DirectoryInput) -> Box<[PathInput]> {
    let files = directory.files(db).iter().filter(|file| file.as_str().is_some_and(is_source));
    files.map(|file| db.path_input(file)).collect()
}

/// Files that an import of the directory leads to, in order. Programs cannot be imported: `package main` files beside
/// those of another package are scripts that the build leaves out. If the whole directory is a program, only its tests
/// import it, and they mean all its files.
#[salsa::tracked(returns(deref))]
fn package(db: &dyn Db, directory: DirectoryInput) -> Box<[PathInput]> {
    let view = GraphView::new(db);
    let sources = sources(db, directory).iter().copied().filter(|file| !is_test(view.path(*file)));
    // One look-up answers for all directories; otherwise each file would have to be decoded.
    let all_programs = view.providing("main");
    let is_program = |file: &PathInput| all_programs.binary_search(file.path(db)).is_ok();
    let (programs, library): (Vec<PathInput>, Vec<PathInput>) = sources.partition(is_program);
    if library.is_empty() { programs.into() } else { library.into() }
}

/// Directories of foreign packages (`vendor`) for a file: beside its `go.mod`, and, before modules, in any directory
/// above it.
fn vendor_directories(view: GraphView<'_>, path: &str, module: Option<PathInput>) -> Vec<String> {
    match module {
        Some(module) => {
            let vendor = join(parent(view.path(module)), "vendor");
            if view.is_file(&join(&vendor, "modules.txt")) { vec![vendor] } else { Vec::new() }
        }
        None => GraphView::directories_above(path).map(|directory| join(directory, "vendor")).collect(),
    }
}

/// What import paths in a module's files may lead to, in addition to the other modules of the view.
#[salsa::tracked(returns(ref))]
fn scope(db: &dyn Db, go_mod: PathInput) -> Arc<GoModuleScope> {
    let view = GraphView::new(db);
    let path = go_mod.path(db).as_str().unwrap_or_default();
    let mut scope = GoModuleScope::default();
    let mut above: Vec<&str> = GraphView::directories_above(path).collect();
    // Nearer modules win over farther ones.
    above.reverse();
    for directory in above {
        // The `go.work` alone decides what is in a workspace, not the modules in it.
        let workspace = view.go_work(&join(directory, "go.work"));
        for used in workspace.iter().flat_map(|workspace| &workspace.used) {
            let Some(used) = normalised(directory, used) else { continue };
            if let Some(module) = view.go_mod(&join(&used, "go.mod")) {
                scope.directories.insert(module.module.clone(), used);
            }
        }
        let module = view.go_mod(&join(directory, "go.mod"));
        for manifest in module.iter().chain(&workspace) {
            for (import_path, target) in &manifest.replaced {
                if let Some(target) = normalised(directory, target) {
                    scope.directories.insert(import_path.clone(), target);
                }
            }
        }
        if let Some(module) = module {
            scope.directories.insert(module.module.clone(), directory.to_owned());
        }
    }
    if let Some(own) = view.go_mod(path) {
        scope.required.clone_from(&own.required);
        scope.standard_library = (own.module == STANDARD_LIBRARY).then(|| parent(path).to_owned());
    }
    Arc::new(scope)
}

/// The modules of the view. Costs one look-up by name and what the `go.mod` files say.
#[salsa::tracked(returns(ref))]
fn modules(db: &dyn Db) -> Arc<Modules> {
    let view = GraphView::new(db);
    let mut modules = Modules::default();
    let manifests = view.files_ending("go.mod");
    let workspaces = view.files_ending("go.work");
    let mut paths: Vec<&str> = manifests.iter().chain(workspaces.iter()).filter_map(|path| path.as_str()).collect();
    paths.sort_by_key(|path| (path.matches('/').count(), *path));
    for path in paths {
        let directory = parent(path);
        let read = match file_name(path) {
            "go.mod" => view.go_mod(path),
            "go.work" => view.go_work(path),
            _ => None,
        };
        let Some(read) = read else { continue };
        if !read.module.is_empty() {
            modules.directories.entry(read.module.clone()).or_insert_with(|| directory.to_owned());
            modules.import_paths.entry(directory.to_owned()).or_default().push(read.module.clone());
        }
        for (import_path, target) in &read.replaced {
            if let Some(target) = normalised(directory, target) {
                modules.import_paths.entry(target).or_default().push(import_path.clone());
            }
        }
    }
    Arc::new(modules)
}
