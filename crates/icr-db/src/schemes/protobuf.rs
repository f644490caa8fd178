//! Files of Protocol Buffers: an import is a path from one of the roots that the compiler is told, never from the file it
//! stands in. No file says what the roots are, so they are told from where the named file stands.

use std::cmp::Reverse;

use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, Statement};
use crate::schemes::key::{Key, KeyScope, path_keys};
use crate::schemes::script_paths::is_path;
use crate::view::{GraphView, file_name, join, normalised, parent};

/// Names of directories that are roots by convention: those of the language, and where Gradle and Bazel look.
const ROOT_NAMES: [&str; 4] = ["proto", "protobuf", "protos", "src"];

/// First directories of imports that come with the compiler or its usual plugins.
const STANDARD: [&str; 4] = ["buf", "gogoproto", "google", "grpc"];

/// Directories above a file that are looked at; paths of hostile repositories have thousands.
const MAX_DEPTH: usize = 32;

/// What an import names.
pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    // The compiler takes no path with dots or without a name.
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

/// None: files of one package import each other.
pub(super) fn siblings(_: GraphView<'_>, _: &str) -> Vec<PathInput> {
    Vec::new()
}

/// None.
pub(super) fn manifests(_: GraphView<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

fn is_protobuf(view: GraphView<'_>, path: &str) -> bool {
    view.language(path) == Some("protobuf")
}

/// How much a directory is trusted to be the root that is meant; of two the greater one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Trust {
    /// Whether the importing file stands below it too, as it must be found from some root itself.
    around: bool,
    /// Whether it has the name of a root.
    named: bool,
    /// Whether it is that of the repository.
    outermost: bool,
    /// Components that it has in common with the importing file's directory.
    shared: usize,
    /// Components in all.
    depth: Reverse<usize>,
}

/// What stands at a path below some root.
enum ProtoFileMatch {
    /// The file below the most trusted one.
    One(String),
    /// Files below roots that are trusted alike.
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

/// Whether the directory of an import is one of the repository's, by the roots that hold the importing file.
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
