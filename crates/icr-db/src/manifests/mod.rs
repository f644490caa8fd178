//! Manifests: files that say how names of modules map to paths. Each kind is read by a query of its own; one that does
//! not parse says nothing and is reported.

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

/// Largest manifest read, in bytes: lock files apart, which none of these is, they are written by hand.
const LARGEST: usize = 4 << 20;

/// What a manifest says, or why it cannot be read.
pub(crate) type ManifestResult<T> = Result<Arc<T>, String>;

impl GraphView<'_> {
    /// What is wrong with the manifest at `path`, when something is.
    pub(crate) fn manifest_problem(self, path: &str) -> Option<String> {
        let (_, problem) = MANIFESTS.iter().find(|(is_kind, _)| is_kind(file_name(path)))?;
        problem(self, path)
    }
}

/// Whether a file name is that of a kind of manifest, and what is wrong with one of them, when something is.
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

/// What some editors of Windows put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a manifest, without a byte order mark; `None` where no file is, or none that can be one.
pub(crate) fn text(db: &dyn Db, input: PathInput) -> Option<Arc<[u8]>> {
    let content = input.content(db)?;
    let text = sound(db, db.source().text(content)).filter(|text| text.len() <= LARGEST)?;
    Some(text.strip_prefix(BYTE_ORDER_MARK).map_or_else(|| Arc::clone(&text), Arc::from))
}
