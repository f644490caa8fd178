//! Modules of Terraform: a module is a directory, and a module call names the directory relative to its own.

use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, Statement};
use crate::schemes::key::{Key, KeyScope, below_parent, path_keys};
use crate::view::{GraphView, file_name, normalised, parent};
use icr_model::specifier_keys;

/// Extensions of the files of a module, including those of OpenTofu.
const ENDINGS: [&str; 4] = [".tf", ".tf.json", ".tofu", ".tofu.json"];

/// All files of the directory that a local source names. Other sources are addresses of a registry.
pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    if !specifier.starts_with("./") && !specifier.starts_with("../") {
        return ImportOutcome::External;
    }
    let named = Some(specifier).filter(|specifier| ends_in_a_name(specifier));
    let Some(directory) = named.and_then(|named| normalised(parent(statement.path), named)) else {
        return ImportOutcome::Unresolved;
    };
    ImportOutcome::paths(view, module(view, &directory))
}

/// The name of the directory, and the key of all sources that end in dots.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if !is_part(view, path) {
        return Vec::new();
    }
    let module = parent(path);
    let mut keys = path_keys(module, &below_parent(module));
    let below = KeyScope::Directory(module.to_owned());
    let parents = specifier_keys("..").into_iter().filter(|key| key != "..");
    keys.extend(parents.map(|text| Key::with_scope(text, below.clone())));
    keys
}

/// Files of the same module.
pub(super) fn siblings(view: GraphView<'_>, path: &str) -> Vec<PathInput> {
    module(view, parent(path)).iter().filter(|file| *file != path).map(|file| view.input(file)).collect()
}

/// Empty: there are no manifests.
pub(super) fn manifests(_: GraphView<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

fn module(view: GraphView<'_>, directory: &str) -> Vec<String> {
    let files = view.files_in(directory);
    files.iter().filter_map(|file| file.as_str()).filter(|file| is_part(view, file)).map(str::to_owned).collect()
}

fn is_part(view: GraphView<'_>, path: &str) -> bool {
    ENDINGS.iter().any(|ending| path.ends_with(ending)) && view.is_file(path)
}

/// Whether the last component is the name of the directory that is meant, or all components are dots. Backward look-up
/// cannot find the directory from dots behind a name.
fn ends_in_a_name(specifier: &str) -> bool {
    let specifier = specifier.trim_end_matches('/');
    let is_name = |component: &str| !matches!(component, "" | "." | "..");
    is_name(file_name(specifier)) || !specifier.split('/').any(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_behind_a_name_lead_nowhere() {
        for (specifier, expected) in
            [("./a", true), ("../a/", true), ("../..", true), ("./a/..", false), ("./a/.", false), ("./", true)]
        {
            assert_eq!(ends_in_a_name(specifier), expected, "{specifier}");
        }
    }
}
