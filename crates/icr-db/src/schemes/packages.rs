//! Packages of Java, Kotlin and Scala: a statement names a member of a package, and files themselves say which package
//! they belong to, wherever the files are.

use std::collections::BTreeSet;

use icr_model::SymbolKind;

use super::key::Key;
use super::members::{
    Family, declaring_and_defining, declaring_any, definers, definers_without_package, is_declared, nearest, qualified,
    stands_alone, used_member_files,
};
use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, ImportTarget, Statement};
use crate::statements::{Definitions, FileDefinition};
use crate::view::{GraphView, file_name, stem};

/// Languages that share packages.
const FAMILY: Family = &["java", "kotlin", "scala"];

/// Most segments of a path that are looked at; no real package has as many.
const DEEPEST: usize = 32;

/// What a dotted path leads to.
enum DottedPathOutcome {
    Files(Vec<String>),
    /// Nothing, though the package is in the repository.
    Missing,
    /// Nothing in the repository.
    Elsewhere,
}

pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let import = statement.import;
    let mut targets = Vec::new();
    let mut missing = false;
    let mut add = |named: DottedPathOutcome, name: Option<u32>| match named {
        DottedPathOutcome::Files(files) => targets.extend(files.iter().map(|path| ImportTarget::new(view, path, name))),
        DottedPathOutcome::Missing => missing = true,
        DottedPathOutcome::Elsewhere => {}
    };
    let whole = import.names.iter().all(|name| name.name == "*" && name.alias.is_some());
    if whole {
        add(at_any_scope(view, statement, &import.specifier), None);
    }
    for (at, name) in import.names.iter().enumerate().filter(|_| !whole) {
        let at = Some(at as u32);
        if name.name == "*" {
            add(all_of(view, statement), at);
        } else if statement.language == "java" {
            // A static import: any member of that name in the class, including inherited ones.
            add(at_any_scope(view, statement, &import.specifier), at);
        } else {
            add(at_any_scope(view, statement, &format!("{}.{}", import.specifier, name.name)), at);
        }
    }
    match (targets.is_empty(), missing) {
        (true, false) => ImportOutcome::External,
        _ => ImportOutcome::files(view, targets),
    }
}

/// Full names of what the file offers. For Scala, also the last two segments of the names and packages, because its
/// statements may be relative to a package and name several members at once.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if !matches!(view.language(path), Some("java" | "kotlin" | "scala")) {
        return Vec::new();
    }
    let definitions = view.definitions(path);
    let provides = &view.statements(path).provides;
    let mut names = BTreeSet::new();
    for definition in definitions.list.iter().filter(|definition| definition.kind != SymbolKind::Module) {
        names.extend(importable_names(view, path, definitions, definition));
    }
    names.extend(file_classes(path));
    let mut keys: Vec<String> = provides.clone();
    if provides.is_empty() {
        keys.extend(names.iter().cloned());
    }
    for package in provides {
        keys.extend(names.iter().map(|name| format!("{package}.{name}")));
    }
    if view.language(path) == Some("scala") {
        let pairs: Vec<String> = keys.iter().filter_map(|name| last_two(name)).collect();
        keys.extend(pairs);
    }
    keys.into_iter().map(Key::from).collect()
}

pub(super) fn siblings(view: GraphView<'_>, path: &str) -> Vec<PathInput> {
    declaring_any(view, path, &view.statements(path).provides)
}

pub(super) fn manifests(_: GraphView<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

/// Names after the package under which other files can import a definition.
fn importable_names(
    view: GraphView<'_>,
    path: &str,
    definitions: &Definitions,
    definition: &FileDefinition,
) -> Vec<String> {
    /// Most types of a file that may have an extension as a member; a file with more types rarely has extensions.
    const OUTER_TYPES: usize = 4;
    let full = qualified(definitions, definition, ".");
    if view.language(path) != Some("kotlin") {
        return vec![full];
    }
    let name = &definition.name;
    let mut names = match full.rsplit_once('.') {
        // An extension counts as a member of its type but is imported from its package.
        Some((outer, _)) => vec![name.clone(), format!("{outer}.Companion.{name}")],
        None => Vec::new(),
    };
    if definition.receiver.is_some() {
        // An extension inside a type is imported from that type but counts for the type that it extends.
        let types = definitions.list.iter().filter(|outer| is_type(outer.kind) && stands_alone(definitions, outer));
        let outer = types.take(OUTER_TYPES).map(|outer| &outer.name);
        names.extend(outer.flat_map(|outer| [format!("{outer}.{name}"), format!("{outer}.Companion.{name}")]));
    }
    names.push(full);
    names
}

fn is_type(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Class | SymbolKind::Enum | SymbolKind::Interface)
}

/// Names of the class in which Java finds the functions and properties of a Kotlin file.
fn file_classes(path: &str) -> Vec<String> {
    let Some(name) = file_name(path).strip_suffix(".kt") else { return Vec::new() };
    let mut characters = name.chars();
    let first = characters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    let capitalised = format!("{first}{}", characters.as_str());
    vec![format!("{capitalised}Kt"), capitalised]
}

fn last_two(name: &str) -> Option<String> {
    let mut segments = name.rsplit('.');
    let (last, second) = (segments.next()?, segments.next()?);
    Some(format!("{second}/{last}"))
}

/// All members of a package that the file mentions, or all members of a type.
fn all_of(view: GraphView<'_>, statement: &Statement<'_>) -> DottedPathOutcome {
    for package in at_scopes(view, statement, &statement.import.specifier) {
        if is_declared(view, FAMILY, &package) {
            return used_of(view, statement, &package);
        }
    }
    at_any_scope(view, statement, &statement.import.specifier)
}

fn used_of(view: GraphView<'_>, statement: &Statement<'_>, package: &str) -> DottedPathOutcome {
    match used_member_files(view, statement.path, package) {
        [] => DottedPathOutcome::Elsewhere,
        files => DottedPathOutcome::Files(files.to_vec()),
    }
}

/// What a path leads to from the outermost scope; in Scala, also from one of the packages around the file.
fn at_any_scope(view: GraphView<'_>, statement: &Statement<'_>, path: &str) -> DottedPathOutcome {
    let mut missing = false;
    for path in at_scopes(view, statement, path) {
        if statement.language == "scala" && is_declared(view, FAMILY, &path) {
            // The path is a package; the code then names its members behind it.
            return used_of(view, statement, &path);
        }
        match resolve_dotted_path(view, statement, &path) {
            DottedPathOutcome::Files(files) => return DottedPathOutcome::Files(nearest(statement.path, files)),
            DottedPathOutcome::Missing => missing = true,
            DottedPathOutcome::Elsewhere => {}
        }
    }
    if missing { DottedPathOutcome::Missing } else { DottedPathOutcome::Elsewhere }
}

/// Full paths that `path` may mean, the innermost scope first.
fn at_scopes(view: GraphView<'_>, statement: &Statement<'_>, path: &str) -> Vec<String> {
    let plain = path.strip_prefix("_root_.").unwrap_or(path).to_owned();
    // A path of one segment may be relative too, but backward look-up could find it only through every import that
    // ends in it.
    let is_relative = statement.import.specifier.contains('.') && plain.len() == path.len();
    if statement.language != "scala" || !is_relative {
        return vec![plain];
    }
    let packages = view.statements(statement.path).provides.iter().rev().take(DEEPEST);
    let mut paths: Vec<String> = packages.map(|package| format!("{package}.{plain}")).collect();
    paths.push(plain);
    paths
}

fn resolve_dotted_path(view: GraphView<'_>, statement: &Statement<'_>, path: &str) -> DottedPathOutcome {
    let mut missing = false;
    if !path.contains('.') {
        let files = definers_without_package(view, FAMILY, path);
        return if files.is_empty() { DottedPathOutcome::Elsewhere } else { DottedPathOutcome::Files(files) };
    }
    for (at, _) in path.rmatch_indices('.').take(DEEPEST) {
        let (package, member) = (&path[..at], &path[at + 1..]);
        if !is_declared(view, FAMILY, package) {
            continue;
        }
        let files = members(view, statement, package, member);
        if !files.is_empty() {
            return DottedPathOutcome::Files(files);
        }
        // A deeper package that is not in the repository is foreign, or completely generated.
        missing |= !member.contains('.') || member.starts_with(char::is_uppercase);
    }
    if missing { DottedPathOutcome::Missing } else { DottedPathOutcome::Elsewhere }
}

/// Files of a package that define a member of it, or a member of a type in it.
fn members(view: GraphView<'_>, statement: &Statement<'_>, package: &str, member: &str) -> Vec<String> {
    let last = member.rsplit('.').next().unwrap_or(member);
    let outermost = if last == member { definers(view, FAMILY, package, last) } else { Vec::new() };
    if !outermost.is_empty() {
        return outermost;
    }
    let mut files = declaring_and_defining(view, FAMILY, package, last);
    files.retain(|file| {
        let definitions = view.definitions(file);
        definitions.definitions_of_name(last).any(|(_, definition)| {
            importable_names(view, file, definitions, definition).iter().any(|name| name == member)
        })
    });
    if files.is_empty() && statement.language == "java" {
        files = classes_of_files(view, package, member);
    }
    files
}

/// Kotlin files of a package whose functions are in a class called `class` for Java.
fn classes_of_files(view: GraphView<'_>, package: &str, class: &str) -> Vec<String> {
    let name = class.strip_suffix("Kt").unwrap_or(class);
    let files = view.files_ending(&format!("{name}.kt"));
    let files = files.iter().filter_map(|file| file.as_str());
    let is_class = |path: &&str| {
        stem(path).len() < path.len()
            && file_classes(path).iter().any(|name| name == class)
            && view.statements(path).provides.iter().any(|provided| provided == package)
    };
    files.filter(is_class).map(str::to_owned).collect()
}
