//! From a file back to the names that imports may have for it.

use icr_model::import_keys;

use crate::schemes::ecmascript::packages::{self, package_in};
use crate::schemes::ecmascript::probe;
use crate::schemes::ecmascript::{QUERIES, configs};
use crate::view::{View, file_name};

/// The key of `..`, `../..` and so on: the only one of two dots that is not the specifier itself.
fn parents_key() -> Option<String> {
    import_keys("..").into_iter().find(|key| key != "..")
}

/// Keys of statements that may name the file at `path`.
///
/// Whatever leads to a file ends in one of its spellings, except where a manifest renames: an entry point of a package
/// goes by the name of the package, and maps of paths go by what they map. Those maps are turned around.
pub(crate) fn keys(view: View<'_>, path: &str) -> Vec<String> {
    if !probe::can_be_named(file_name(path)) {
        return Vec::new();
    }
    let mut files = vec![path.to_owned()];
    let mut directories = Vec::new();
    for (spelling, is_directory) in probe::spellings(path) {
        if is_directory { directories.push(spelling) } else { files.push(spelling) }
    }
    let mut keys = Vec::new();
    for root in View::directories_above(path).filter(|root| package_in(view, root).is_some()) {
        let names = packages::names_of(view, root, path);
        if names.iter().any(|name| name == ".") {
            directories.push(root.to_owned());
        }
        keys.extend(names);
        if let Some(inside) = packages::below(root, path) {
            keys.extend(packages::renamed(view, root, inside).iter().filter_map(|name| last_key(name)));
        }
    }
    if !directories.is_empty() {
        keys.extend([".", "./"].map(str::to_owned));
        keys.extend(parents_key());
    }
    keys.extend(QUERIES.iter().map(|query| format!("{}?{query}", last_key(file_name(path)).unwrap_or_default())));
    files.extend(directories);
    keys.extend(files.iter().filter_map(|spelling| last_key(file_name(spelling))));
    keys.extend(configs::specifiers_of(view, &files));
    keys.sort();
    keys.dedup();
    keys
}

/// The rarest key that every specifier has which ends in `/name`: of its last two segments when both stand in the name.
fn last_key(name: &str) -> Option<String> {
    let keys = import_keys(&format!("./{name}"));
    let joined = keys.iter().find(|key| key.contains('/') && !key.starts_with("./"));
    joined.or_else(|| keys.iter().find(|key| !key.starts_with("./"))).cloned()
}
