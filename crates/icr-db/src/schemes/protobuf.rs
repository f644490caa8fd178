//! Files of Protocol Buffers: an import is a path below one of the compiler's import roots, never relative to the
//! importing file. No file gives the roots, so they are guessed from the place of the imported file.

use std::cmp::Reverse;

use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, Statement};
use crate::schemes::key::{Key, KeyScope, path_keys};
use crate::schemes::script_paths::is_path;
use crate::view::{GraphView, file_name, join, normalised, parent};

/// Usual names of root directories: those of the language, and those of Gradle and Bazel.
const ROOT_NAMES: [&str; 4] = ["proto", "protobuf", "protos", "src"];

/// First directories of imports that come with the compiler or its usual plugins.
const STANDARD: [&str; 4] = ["buf", "gogoproto", "google", "grpc"];

/// Most directories above a file that are looked at. Paths in hostile repositories have thousands.
const MAX_DEPTH: usize = 32;

/// What an import names.
pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    // The compiler accepts no path with dots or without a name.
    let is_plain = is_path(specifier) && normalised("", specifier).is_some_and(|plain| plain == specifier);
    if !is_plain {
        return ImportOutcome::Unresolved;
    }
    match find_proto_file(view, statement.path, specifier) {
        ProtoFileMatch::One(path) => ImportOutcome::file(view, &path),
        ProtoFileMatch::None if !is_ours(view, statement.path, specifier) => ImportOutcome::External,
        ProtoFileMatch::None | ProtoFileMatch::Several => ImportOutcome::Unresolved,
    }
}

/// Every import ends with the name of the file.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if !is_protobuf(view, path) {
        return Vec::new();
    }
    path_keys(path, &KeyScope::Repository)
}

/// Empty: files of one package must import each other.
pub(super) fn siblings(_: GraphView<'_>, _: &str) -> Vec<PathInput> {
    Vec::new()
}

/// Empty: there are no manifests.
pub(super) fn manifests(_: GraphView<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

fn is_protobuf(view: GraphView<'_>, path: &str) -> bool {
    view.language(path) == Some("protobuf")
}

/// How likely a directory is the root that is meant; greater is more likely.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Trust {
    /// Whether the importing file is below it too, because that file must itself be found from some root.
    around: bool,
    /// Whether it has a usual name of a root.
    named: bool,
    /// Whether it is the root of the repository.
    outermost: bool,
    /// Leading components that it shares with the importing file's directory.
    shared: usize,
    /// Number of its components.
    depth: Reverse<usize>,
}

/// The file at a path below some root.
enum ProtoFileMatch {
    /// The file below the most trusted root.
    One(String),
    /// Files below equally trusted roots.
    Several,
    None,
}

fn find_proto_file(view: GraphView<'_>, from: &str, specifier: &str) -> ProtoFileMatch {
    let files = view.files_ending(specifier);
    let of_root =
        |path: &str| Some((trust(from, path.strip_suffix(specifier)?.trim_end_matches('/')), path.to_owned()));
    let files = files.iter().filter_map(|file| file.as_str()).filter(|file| is_protobuf(view, file));
    let mut candidates: Vec<(Trust, String)> = files.filter_map(of_root).collect();
    candidates.sort_unstable();
    match candidates.pop() {
        Some((most, _)) if candidates.last().is_some_and(|(next, _)| *next == most) => ProtoFileMatch::Several,
        Some((_, path)) => ProtoFileMatch::One(path),
        None => ProtoFileMatch::None,
    }
}

fn trust(from: &str, root: &str) -> Trust {
    let components = |path| str::split(path, '/').filter(|component: &&str| !component.is_empty());
    let depth = components(root).count();
    let shared = components(parent(from)).zip(components(root)).take_while(|(a, b)| a == b).count();
    Trust {
        around: shared == depth,
        named: ROOT_NAMES.contains(&file_name(root)),
        outermost: depth == 0,
        shared,
        depth: Reverse(depth),
    }
}

/// Whether the directory of an import is in the repository, below a root that contains the importing file.
fn is_ours(view: GraphView<'_>, from: &str, specifier: &str) -> bool {
    let directory = parent(specifier);
    let has = |root: &str| !view.files_in(&join(root, directory)).is_empty();
    let is_standard = specifier.split_once('/').is_some_and(|(first, _)| STANDARD.contains(&first));
    !is_standard && (directory.is_empty() || GraphView::directories_above(from).take(MAX_DEPTH).any(has))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_that_hold_both_files_are_trusted_most() {
        let from = "api/proto/shop/v1/order.proto";
        let mut roots = ["api/proto/shop/v1", "other", "api/proto", "", "third/proto", "api/proto/shop", "api/x"];
        roots.sort_by_key(|root| Reverse(trust(from, root)));
        assert_eq!(roots, ["api/proto", "", "api/proto/shop/v1", "api/proto/shop", "third/proto", "api/x", "other"]);
    }
}
