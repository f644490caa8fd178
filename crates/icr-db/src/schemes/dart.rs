//! Libraries of Dart: paths relative to the file, and `package:` addresses that lead into the `lib` of a package.

use icr_model::ImportKind;

use super::key::{Key, below_parent, path_keys};
use super::members::nearest;
use crate::graph::PathInput;
use crate::manifests::pubspec::package_at;
use crate::resolve::{ImportOutcome, Statement};
use crate::view::{GraphView, join, normalised, parent};

/// Name of the manifest.
const PUBSPEC: &str = "pubspec.yaml";

pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    if let Some(address) = specifier.strip_prefix("package:") {
        return in_package(view, statement.path, address);
    }
    if specifier.contains(':') {
        return ImportOutcome::External;
    }
    let is_path =
        specifier.ends_with(".dart") || statement.import.kind == ImportKind::Module || specifier.contains('/');
    if is_path {
        return match normalised(parent(statement.path), specifier) {
            Some(path) if is_dart(view, &path) => ImportOutcome::file(view, &path),
            Some(_) => ImportOutcome::Unresolved,
            None => ImportOutcome::External,
        };
    }
    // A part may name its library instead of the library's file.
    let files = view.providing(specifier);
    let files = files.iter().filter_map(|file| file.as_str()).filter(|file| is_dart(view, file));
    let files: Vec<String> = files.map(str::to_owned).collect();
    ImportOutcome::paths(view, nearest(statement.path, files))
}

/// Every path and address ends with the file name. A library may also have a name of its own.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if !is_dart(view, path) {
        return Vec::new();
    }
    let mut keys = path_keys(path, &below_parent(path));
    keys.extend(view.statements(path).provides.iter().cloned().map(Key::from));
    keys
}

pub(super) fn siblings(_: GraphView<'_>, _: &str) -> Vec<PathInput> {
    Vec::new()
}

pub(super) fn manifests(view: GraphView<'_>, path: &str) -> Vec<String> {
    view.nearest(path, PUBSPEC).into_iter().collect()
}

fn is_dart(view: GraphView<'_>, path: &str) -> bool {
    view.language(path) == Some("dart")
}

/// `name/path`: the file below `lib` of the package with that name. The nearest such package counts.
fn in_package(view: GraphView<'_>, from: &str, address: &str) -> ImportOutcome {
    let Some((name, path)) = address.split_once('/') else { return ImportOutcome::External };
    let Some(path) = normalised("", path).filter(|path| !path.is_empty()) else { return ImportOutcome::External };
    let ending = join("lib", &path);
    let is_named = |root: &str| package_at(view, &join(root, PUBSPEC)).is_some_and(|package| package == name);
    let files = view.files_ending(&ending);
    let named = files.iter().filter_map(|file| file.as_str()).filter(|file| {
        let root = file.strip_suffix(ending.as_str());
        is_dart(view, file) && root.is_some_and(|root| is_named(root.strip_suffix('/').unwrap_or(root)))
    });
    let named: Vec<String> = named.map(str::to_owned).collect();
    match named.is_empty() {
        false => ImportOutcome::paths(view, nearest(from, named)),
        true if GraphView::directories_above(from).any(is_named) => ImportOutcome::Unresolved,
        true => ImportOutcome::External,
    }
}
