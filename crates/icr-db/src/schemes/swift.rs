//! Modules of Swift: an import names a target, and a target is a directory of sources. Only sources that define
//! something that the importing file mentions count.

use std::collections::BTreeSet;

use icr_model::{Role, SymbolKind};

use super::key::Key;
use super::members::stands_alone;
use crate::graph::{Db, PathInput};
use crate::manifests::swift_package::{SwiftTarget as PackageTarget, targets_at};
use crate::resolve::{ImportOutcome, Statement};
use crate::statements::{Definitions, FileDefinition, statements};
use crate::view::{GraphView, join, parent};

/// Name of the manifest.
const PACKAGE: &str = "Package.swift";

/// Directories that contain one directory per target, by the rules of the package manager.
const TARGET_DIRECTORIES: [&str; 5] = ["Source", "Sources", "Tests", "src", "srcs"];

pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    let files = match specifier.split_once('.') {
        // `import struct Module.Name` takes one thing from the module.
        Some((module, name)) => definers(view, module, name),
        None => used_module_files(view.db(), view.input(statement.path), Module::new(view.db(), specifier)).clone(),
    };
    if files.is_empty() {
        return ImportOutcome::External;
    }
    ImportOutcome::paths(view, files)
}

/// Names of the targets that the file may belong to, alone and before the names of its definitions.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if view.language(path) != Some("swift") {
        return Vec::new();
    }
    let definitions = view.definitions(path);
    let offered = definitions.list.iter().filter(|definition| is_offered(definitions, definition));
    let names: BTreeSet<&str> = offered.map(|definition| definition.name.as_str()).collect();
    let modules = modules_of(view, path);
    let single = modules.iter().flat_map(|module| names.iter().map(move |name| format!("{module}.{name}")));
    single.chain(modules.iter().cloned()).map(Key::from).collect()
}

/// Files of the same directory: those files of the target that can be found without reading all its files.
pub(super) fn siblings(view: GraphView<'_>, path: &str) -> Vec<PathInput> {
    let files = view.files_in(parent(path));
    let others = files.iter().filter_map(|file| file.as_str()).filter(|file| *file != path);
    others.filter(|file| view.language(file) == Some("swift")).map(|file| view.input(file)).collect()
}

pub(super) fn manifests(view: GraphView<'_>, path: &str) -> Vec<String> {
    view.nearest(path, PACKAGE).into_iter().collect()
}

#[salsa::interned(debug)]
struct Module<'db> {
    #[returns(deref)]
    name: String,
}

/// Files of a module that define a type or function that the file at a path mentions.
#[salsa::tracked(returns(ref))]
fn used_module_files<'db>(db: &'db dyn Db, input: PathInput, module: Module<'db>) -> Vec<String> {
    let (view, module) = (GraphView::new(db), module.name(db));
    let Some(path) = input.path(db).as_str() else { return Vec::new() };
    let own = view.definitions(path);
    let groups = view.mentions(path).all().filter(|group| group.role != Role::Import);
    // Types begin with a capital letter. There are too many members and locals to look up each of them.
    let names: BTreeSet<&str> = groups
        .map(|group| group.name)
        .filter(|name| name.starts_with(char::is_uppercase))
        .filter(|name| !own.definitions_of_name(name).any(|(_, definition)| stands_alone(own, definition)))
        .collect();
    let mut files = BTreeSet::new();
    for name in names {
        files.extend(definers(view, module, name));
    }
    files.remove(path);
    files.into_iter().collect()
}

/// Files of a module that define `name` outside of any type.
fn definers(view: GraphView<'_>, module: &str, name: &str) -> Vec<String> {
    let is_definer = |file: &&str| {
        let definitions = view.definitions(file);
        view.language(file) == Some("swift")
            && modules_of(view, file).contains(module)
            && definitions.definitions_of_name(name).any(|(_, definition)| is_offered(definitions, definition))
    };
    view.defining(name).iter().filter_map(|file| file.as_str()).filter(is_definer).map(str::to_owned).collect()
}

/// Whether the definition is a member of the module. An extension has the name of its type, which may belong to
/// another module.
fn is_offered(definitions: &Definitions, definition: &FileDefinition) -> bool {
    definition.kind != SymbolKind::Implementation && stands_alone(definitions, definition)
}

/// Whether two files may be of one target, or no target is known for either, as for those of an application that only
/// an Xcode project describes.
pub(super) fn are_of_one_module(view: GraphView<'_>, path: &str, other: &str) -> bool {
    let (one, another) = (modules_of(view, path), modules_of(view, other));
    view.language(other) == Some("swift") && (one.is_empty() && another.is_empty() || !one.is_disjoint(another))
}

/// Whether the file at `path` is of the same target as `other`, or imports a target that `other` may belong to.
pub(super) fn may_use_values_of(view: GraphView<'_>, path: &str, other: &str) -> bool {
    are_of_one_module(view, path, other)
        || view.language(other) == Some("swift")
            && !imported_modules(view.db(), view.input(path)).is_disjoint(modules_of(view, other))
}

/// Names of the modules that a file imports.
#[salsa::tracked(returns(ref))]
fn imported_modules(db: &dyn Db, file: PathInput) -> BTreeSet<String> {
    let module = |specifier: &str| specifier.split('.').next().unwrap_or_default().to_owned();
    statements(db, file).imports.iter().map(|import| module(&import.specifier)).collect()
}

/// Names of the targets that a file may belong to: from the nearest manifest that names its directory, else by
/// convention.
fn modules_of<'db>(view: GraphView<'db>, path: &str) -> &'db BTreeSet<String> {
    modules(view.db(), view.input(path))
}

#[salsa::tracked(returns(ref))]
fn modules(db: &dyn Db, file: PathInput) -> BTreeSet<String> {
    let (view, mut modules) = (GraphView::new(db), BTreeSet::new());
    let Some(path) = file.path(db).as_str() else { return modules };
    for directory in GraphView::directories_above(path) {
        let targets = targets_at(view, &join(directory, PACKAGE));
        for PackageTarget { name, path: target } in targets.iter().flat_map(|all| all.iter()) {
            let root = join(directory, target);
            if path.strip_prefix(root.as_str()).is_some_and(|rest| root.is_empty() || rest.starts_with('/')) {
                modules.insert(name.clone());
            }
        }
    }
    let components: Vec<&str> = path.split('/').collect();
    for pair in components.windows(2).take(components.len().saturating_sub(2)) {
        if TARGET_DIRECTORIES.contains(&pair[0]) {
            modules.insert(pair[1].to_owned());
        }
    }
    modules
}
