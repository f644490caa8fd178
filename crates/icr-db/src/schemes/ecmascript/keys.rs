//! The backward direction: from a file to the names that imports may use for it.

use icr_model::specifier_keys;

use crate::schemes::ecmascript::configs;
use crate::schemes::ecmascript::packages::{self, package_in};
use crate::schemes::ecmascript::probe;
use crate::schemes::key::{Key, KeyScope, below_parent, path_keys};
use crate::view::{GraphView, file_name};

/// The key of `..`, `../..` and so on. It is the only key for specifiers of dots that differs from the specifier
/// itself.
fn parents_key() -> Option<String> {
    specifier_keys("..").into_iter().find(|key| key != "..")
}

/// Keys of statements that may import the file at `path`.
///
/// An import usually ends in one of the spellings of the file. The exceptions come from manifests: the entry point of
/// a package is imported by the package name, and path maps change names. These maps are applied in reverse. Dots lead
/// upwards only, so a statement that names the file by dots is below the file's directory.
pub(crate) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if !probe::can_be_named(file_name(path)) {
        return Vec::new();
    }
    let mut files = vec![path.to_owned()];
    let mut directories = Vec::new();
    for (spelling, is_directory) in probe::spellings(path) {
        if is_directory { directories.push(spelling) } else { files.push(spelling) }
    }
    let mut keys: Vec<Key> = Vec::new();
    for root in GraphView::directories_above(path).filter(|root| package_in(view, root).is_some()) {
        for name in packages::names_of(view, root, path) {
            // The name of the package itself.
            if name == "." { directories.push(root.to_owned()) } else { keys.push(name.into()) }
        }
        if let Some(inside) = packages::below(root, path) {
            keys.extend(packages::renamed(view, root, inside).iter().flat_map(|name| last_keys(name)));
        }
    }
    keys.extend(configs::specifiers_of(view, &[&files[..], &directories[..]].concat()).into_iter().map(Key::from));
    // Directories that are treated as one: the file seems to be in each of them.
    let seen = |paths: Vec<String>| -> Vec<String> {
        let others: Vec<String> = paths.iter().flat_map(|path| configs::seen_as(view, path)).collect();
        paths.into_iter().chain(others).collect()
    };
    for directory in seen(directories) {
        let below = KeyScope::Directory(directory.clone());
        let dots = [".", "./"].map(str::to_owned).into_iter().chain(parents_key());
        keys.extend(dots.map(|text| Key::with_scope(text, below.clone())));
        keys.extend(path_keys(&directory, &below_parent(&directory)));
    }
    for file in seen(files) {
        keys.extend(path_keys(&file, &below_parent(&file)));
    }
    keys.sort();
    keys.dedup();
    keys
}

/// Keys such that every specifier that ends in `/name` has one of them.
fn last_keys(name: &str) -> Vec<Key> {
    path_keys(name, &KeyScope::Repository)
}
