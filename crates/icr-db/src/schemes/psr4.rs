//! Namespaces and inclusions of PHP.
//!
//! A PHP file itself says which namespace it declares and what it defines, so look-ups use that, for every kind of
//! autoloading. `composer.json` decides between several files that define one name, and says which names should be in
//! the repository.

use std::sync::Arc;

use icr_model::{ImportKind, RepoPath, SymbolKind};

use super::key::{Key, KeyScope, path_keys};
use super::members::{
    Family, declaring_any, definers, definers_without_package, is_declared, nearest, stands_alone, used_member_files,
};
use crate::graph::PathInput;
use crate::manifests::composer::{Composer, composer_at};
use crate::resolve::{ImportOutcome, Statement};
use crate::statements::FileDefinition;
use crate::view::{GraphView, file_name, join, normalised, parent, stem};

/// Languages that share namespaces.
const FAMILY: Family = &["php"];

/// Name of the manifest.
const COMPOSER: &str = "composer.json";

pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    match statement.import.kind {
        ImportKind::Include | ImportKind::SystemInclude => resolve_require(view, statement),
        ImportKind::Import | ImportKind::Module => resolve_use(view, statement),
    }
}

/// Full names of what the file defines, its namespaces, and, for inclusions, the end of every path to the file.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    // A path that begins with dots may be relative to the root.
    let mut keys = path_keys(path, &KeyScope::Repository);
    if view.language(path) != Some("php") {
        // Any file can be included as a template. Most such files are not named by any PHP file, so keys without a PHP
        // statement are dropped.
        let is_php = |file: &RepoPath| file.as_str().is_some_and(|file| view.language(file) == Some("php"));
        keys.retain(|key| view.requiring(&key.text).iter().any(is_php));
        return keys;
    }
    let definitions = view.definitions(path);
    let provides = &view.statements(path).provides;
    let offered = definitions.list.iter().filter(|definition| stands_alone(definitions, definition));
    let mut names: Vec<String> = provides.clone();
    for definition in offered.filter(|definition| definition.kind != SymbolKind::Module) {
        if provides.is_empty() {
            names.push(definition.name.clone());
        }
        names.extend(provides.iter().map(|namespace| format!("{namespace}\\{}", definition.name)));
    }
    // A leading separator changes nothing but belongs to the text as written.
    keys.extend(names.iter().map(|name| format!("\\{name}").into()));
    keys.extend(names.into_iter().map(Key::from));
    keys
}

pub(super) fn siblings(view: GraphView<'_>, path: &str) -> Vec<PathInput> {
    declaring_any(view, path, &view.statements(path).provides)
}

pub(super) fn manifests(view: GraphView<'_>, path: &str) -> Vec<String> {
    GraphView::directories_above(path)
        .map(|directory| join(directory, COMPOSER))
        .filter(|path| view.is_file(path))
        .collect()
}

/// `require` and `include` of a path: relative to the file, or to the root, where the program is started.
fn resolve_require(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    let here = normalised(parent(statement.path), specifier);
    let root = normalised("", specifier);
    let is_file = |path: &String| !matches!(file_name(specifier), "" | "." | "..") && view.is_file(path);
    match here.iter().chain(&root).find(|path| is_file(path)) {
        Some(path) => ImportOutcome::file(view, path),
        // Installed packages are not in the repository, and neither are paths that leave it.
        None if here.is_none() || specifier.split('/').any(|component| component == "vendor") => {
            ImportOutcome::External
        }
        None => ImportOutcome::Unresolved,
    }
}

/// `use` of a class, function or constant, or of a namespace.
fn resolve_use(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let full = statement.import.specifier.trim_start_matches('\\');
    let (namespace, name) = full.rsplit_once('\\').unwrap_or(("", full));
    let files = match namespace {
        "" => definers_without_package(view, FAMILY, name),
        _ => definers(view, FAMILY, namespace, name),
    };
    let packages = composers(view, statement.path);
    let files = if files.len() > 1 { preferred(&packages, statement.path, full, files) } else { files };
    if !files.is_empty() {
        return ImportOutcome::paths(view, files);
    }
    if is_declared(view, FAMILY, full) {
        return match used_member_files(view, statement.path, full) {
            [] => ImportOutcome::External,
            files => ImportOutcome::paths(view, files.to_vec()),
        };
    }
    let prefixes = packages.iter().flat_map(|package| &package.prefixes);
    let is_ours =
        prefixes.filter(|prefix| !prefix.namespace.is_empty()).any(|prefix| prefix.relative_name(full).is_some())
            || !namespace.is_empty() && is_declared(view, FAMILY, namespace);
    if is_ours { ImportOutcome::Unresolved } else { ImportOutcome::External }
}

/// Whether the class of the PHP file at `path` that has the name of the file is where the PSR-4 or PSR-0 rules of a
/// manifest look for it. `None` if no manifest has a rule for its name, if a manifest lists places of classes with any
/// name, or if there is no such class.
pub(crate) fn is_autoloaded(view: GraphView<'_>, path: &str) -> Option<bool> {
    if view.language(path) != Some("php") {
        return None;
    }
    let definitions = view.definitions(path);
    let class = stem(file_name(path));
    let is_class = |definition: &FileDefinition| {
        stands_alone(definitions, definition)
            && matches!(
                definition.kind,
                SymbolKind::Class | SymbolKind::Enum | SymbolKind::Interface | SymbolKind::Trait
            )
    };
    definitions.definitions_of_name(class).find(|(_, definition)| is_class(definition))?;
    let packages = composers(view, path);
    if packages.iter().any(|package| package.has_class_map) {
        return None;
    }
    let mut is_ruled = false;
    for namespace in &view.statements(path).provides {
        let full = format!("{namespace}\\{class}");
        let prefixes = packages.iter().flat_map(|package| &package.prefixes);
        for prefix in prefixes {
            let Some(place) = prefix.path_of(&full) else { continue };
            // A rule for all names may be for other classes.
            is_ruled |= !prefix.namespace.is_empty();
            if place == path {
                return Some(true);
            }
        }
    }
    is_ruled.then_some(false)
}

/// Readable manifests of the directories around a file, the nearest first.
fn composers(view: GraphView<'_>, path: &str) -> Vec<Arc<Composer>> {
    GraphView::directories_above(path).filter_map(|directory| composer_at(view, &join(directory, COMPOSER))).collect()
}

/// Of several files that define a class, the one that a manifest points to; else those nearest to the statement.
fn preferred(packages: &[Arc<Composer>], from: &str, full: &str, files: Vec<String>) -> Vec<String> {
    let mut said = packages.iter().flat_map(|package| &package.prefixes).filter_map(|prefix| prefix.path_of(full));
    match said.find(|path| files.contains(path)) {
        Some(path) => vec![path],
        None => nearest(from, files),
    }
}
