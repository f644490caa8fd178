//! Namespaces of C#: a `using` opens a namespace or a type, and files themselves say which namespaces they belong to,
//! wherever the files are.

use std::collections::BTreeSet;

use icr_model::{Facts, SymbolKind};

use super::key::Key;
use super::members::{Family, declaring_and_defining, declaring_any, is_declared, qualified, used_member_files};
use crate::graph::{Db, PathInput};
use crate::resolve::{ImportOutcome, Statement};
use crate::view::{GraphView, LookupText, join};

/// Most segments of a name that are looked at; no real namespace has as many.
const DEEPEST: usize = 32;

/// Languages that share namespaces.
const FAMILY: Family = &["csharp"];

/// The global namespace, and the prefix of a name that is resolved from there.
const GLOBAL: &str = Facts::GLOBAL_NAMESPACE;

/// Files in the project directory that by convention hold the `global using` statements.
const GLOBAL_USINGS: [&str; 3] = ["GlobalUsings.cs", "Properties/GlobalUsings.cs", "Usings.cs"];

pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let mut missing = false;
    for name in at_scopes(view, statement) {
        if is_declared(view, FAMILY, &name) {
            return match used_member_files(view, statement.path, &name) {
                [] => ImportOutcome::External,
                files => ImportOutcome::paths(view, files.to_vec()),
            };
        }
        // Backward look-up could find a type by its last name only through every `using` that ends in it.
        if is_one_name(statement) && name.contains('.') {
            continue;
        }
        let files = files_of_type(view, &name);
        if !files.is_empty() {
            return ImportOutcome::paths(view, files);
        }
        // The namespace of the type, or of an enclosing type.
        let mut outer = name.rmatch_indices('.').take(2).map(|(at, _)| &name[..at]);
        missing |= is_alias(statement) && outer.any(|outer| is_declared(view, FAMILY, outer));
    }
    if missing { ImportOutcome::Unresolved } else { ImportOutcome::External }
}

/// Full names of the namespaces and types, and what code inside an outer namespace may use: their suffixes of at least
/// two segments, and the last name of a namespace.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if view.language(path) != Some("csharp") {
        return Vec::new();
    }
    let definitions = view.definitions(path);
    let namespaces = &view.statements(path).provides;
    let types: BTreeSet<String> = definitions
        .list
        .iter()
        .filter(|definition| is_type(definition.kind))
        .map(|definition| qualified(definitions, definition, "."))
        .collect();
    let global: BTreeSet<&str> = namespaces.iter().filter_map(|provided| provided.strip_prefix(GLOBAL)).collect();
    let is_global = |name: &&String| name.split('.').next().is_some_and(|outermost| global.contains(outermost));
    let mut names: Vec<String> = types.iter().filter(is_global).cloned().collect();
    for namespace in namespaces.iter().filter(|provided| !provided.starts_with(GLOBAL)) {
        names.push(namespace.clone());
        names.extend(types.iter().map(|name| format!("{namespace}.{name}")));
    }
    let mut keys = BTreeSet::new();
    for name in &names {
        keys.insert(format!("{GLOBAL}{name}"));
        keys.insert(name.clone());
        let ends = name.match_indices('.').take(DEEPEST).map(|(at, _)| &name[at + 1..]);
        keys.extend(ends.filter(|end| end.contains('.')).map(str::to_owned));
    }
    let inner = |namespace: &String| namespace.rsplit_once('.').map(|(_, last)| last.to_owned());
    keys.extend(namespaces.iter().filter_map(inner));
    keys.into_iter().map(Key::from).collect()
}

/// Files of the same namespace and of enclosing ones, and of the namespaces that the project opens for all its files.
pub(super) fn siblings(view: GraphView<'_>, path: &str) -> Vec<PathInput> {
    let mut namespaces = BTreeSet::new();
    for namespace in view.statements(path).provides.iter().filter(|provided| !provided.starts_with(GLOBAL)) {
        namespaces.insert(namespace.clone());
        namespaces.extend(namespace.rmatch_indices('.').take(DEEPEST).map(|(at, _)| namespace[..at].to_owned()));
    }
    namespaces.extend(opened_everywhere(view, path));
    declaring_any(view, path, &namespaces.into_iter().collect::<Vec<_>>())
}

pub(super) fn manifests(_: GraphView<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

/// Namespaces of the `global using` statements in the project of a file.
fn opened_everywhere(view: GraphView<'_>, path: &str) -> Vec<String> {
    let Some(project) = project_of(view, path) else { return Vec::new() };
    let files = GLOBAL_USINGS.map(|name| join(project, name));
    let imports = files.iter().flat_map(|file| &view.statements(file).imports);
    imports.map(|import| import.specifier.trim_start_matches(GLOBAL).to_owned()).collect()
}

/// Files with a part of the type of that name outside of all namespaces.
fn providing_type(view: GraphView<'_>, name: &str) -> Vec<String> {
    let files = view.providing(&format!("{GLOBAL}{name}"));
    files.iter().filter_map(|file| file.as_str()).map(str::to_owned).collect()
}

/// Files other than that at `path` with a part of the type `name` outside of all namespaces, which every file sees. If
/// some are in the same project as the file, only these.
pub(super) fn global_type(view: GraphView<'_>, path: &str, name: &str) -> Vec<PathInput> {
    let mut files = providing_type(view, name);
    files.retain(|file| file != path);
    if files.len() > 1 {
        let project = project_of(view, path);
        let is_own = |file: &&String| project_of(view, file) == project;
        let own: Vec<String> = files.iter().filter(is_own).cloned().collect();
        files = if own.is_empty() { files } else { own };
    }
    files.iter().map(|file| view.input(file)).collect()
}

/// The directory of the project that a file belongs to: the nearest one around it that has a project file.
fn project_of<'a>(view: GraphView<'_>, path: &'a str) -> Option<&'a str> {
    let is_project = |directory: &&str| *has_project_file(view.db(), LookupText::new(view.db(), *directory));
    GraphView::directories_above(path).find(is_project)
}

#[salsa::tracked]
fn has_project_file<'db>(db: &'db dyn Db, directory: LookupText<'db>) -> bool {
    let files = GraphView::new(db).files_in(directory.text(db));
    files.iter().any(|file| file.extension().is_some_and(|extension| extension == b"csproj"))
}

/// Whether the statement gives an alias, which nearly always stands for a type. `using static` is not distinguished
/// from a plain `using`.
fn is_alias(statement: &Statement<'_>) -> bool {
    statement.import.names.iter().any(|name| name.alias.is_some())
}

/// Whether a statement names a namespace or a type without those around it.
fn is_one_name(statement: &Statement<'_>) -> bool {
    !statement.import.specifier.contains(['.', ':'])
}

/// Full names that a statement may mean: as written, then relative to the namespaces of the file, innermost first.
fn at_scopes(view: GraphView<'_>, statement: &Statement<'_>) -> Vec<String> {
    let written = statement.import.specifier.as_str();
    let plain = written.strip_prefix(GLOBAL).unwrap_or(written);
    let mut names = vec![plain.to_owned()];
    if plain.len() < written.len() {
        return names;
    }
    let scopes = view.statements(statement.path).provides.iter().filter(|scope| !scope.starts_with(GLOBAL));
    for scope in scopes.rev().take(DEEPEST) {
        let outer = scope.rmatch_indices('.').take(DEEPEST).map(|(at, _)| &scope[..at]);
        names.extend(std::iter::once(scope.as_str()).chain(outer).map(|scope| format!("{scope}.{plain}")));
    }
    names
}

/// All files with a part of the type that has this full name.
fn files_of_type(view: GraphView<'_>, name: &str) -> Vec<String> {
    let outermost = name.split('.').next().unwrap_or(name);
    let global = providing_type(view, outermost);
    if !global.is_empty() {
        return global;
    }
    for (at, _) in name.rmatch_indices('.').take(DEEPEST) {
        let (namespace, path) = (&name[..at], &name[at + 1..]);
        let last = path.rsplit('.').next().unwrap_or(path);
        let mut files = declaring_and_defining(view, FAMILY, namespace, last);
        files.retain(|file| {
            let definitions = view.definitions(file);
            definitions
                .definitions_of_name(last)
                .any(|(_, named)| is_type(named.kind) && qualified(definitions, named, ".") == path)
        });
        if !files.is_empty() {
            return files;
        }
    }
    Vec::new()
}

fn is_type(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Class | SymbolKind::Enum | SymbolKind::Interface | SymbolKind::Struct | SymbolKind::Type)
}
