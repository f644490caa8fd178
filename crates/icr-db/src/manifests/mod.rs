//! Manifests: files that say how module names map to paths. Each kind is read by its own query. A manifest that does
//! not parse is ignored and reported.

pub(crate) mod cargo_toml;
pub(crate) mod compile_commands;
pub(crate) mod composer;
pub(crate) mod go_mod;
mod jsonc;
pub(crate) mod package_json;
pub(crate) mod pubspec;
mod pyproject;
pub(crate) mod swift_package;
pub(crate) mod tsconfig;
pub(crate) mod workspaces;

use std::sync::Arc;

use crate::graph::{Db, PathInput, sound};
use crate::view::{GraphView, file_name};

/// Largest manifest that is read, in bytes. Manifests are written by hand, except lock files, and none of these is a
/// lock file.
const LARGEST: usize = 4 << 20;

/// The content of a manifest, or the reason why it cannot be read.
pub(crate) type ManifestResult<T> = Result<Arc<T>, String>;

impl GraphView<'_> {
    /// What is wrong with the manifest at `path`, when something is.
    pub(crate) fn manifest_problem(self, path: &str) -> Option<String> {
        let (_, problem) = MANIFESTS.iter().find(|(is_kind, _)| is_kind(file_name(path)))?;
        problem(self, path)
    }
}

/// A kind of manifest: a test for its file names, and a function that gives the problem of one such file, if any.
type ManifestKind = (fn(&str) -> bool, fn(GraphView<'_>, &str) -> Option<String>);

/// The kinds of manifests.
static MANIFESTS: &[ManifestKind] = &[
    (tsconfig::is_tsconfig, tsconfig::problem),
    (|name| name == "package.json", package_json::problem),
    (|name| workspaces::WORKSPACE_FILES.contains(&name), workspaces::problem),
    (|name| name == "pyproject.toml", pyproject::problem),
    (|name| name == "Cargo.toml", cargo_toml::problem),
    (|name| name == "compile_commands.json", compile_commands::problem),
    (|name| name == "composer.json", composer::problem),
    (|name| name == "pubspec.yaml", pubspec::problem),
    (|name| name == "go.mod", go_mod::module_problem),
    (|name| name == "go.work", go_mod::workspace_problem),
];

/// The byte order mark that some editors on Windows put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a manifest, without a byte order mark; `None` when there is no such file or it cannot be a manifest.
pub(crate) fn text(db: &dyn Db, input: PathInput) -> Option<Arc<[u8]>> {
    let content = input.content(db)?;
    let text = sound(db, db.source().text(content)).filter(|text| text.len() <= LARGEST)?;
    Some(text.strip_prefix(BYTE_ORDER_MARK).map_or_else(|| Arc::clone(&text), Arc::from))
}
