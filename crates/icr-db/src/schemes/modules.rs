//! Modules of Elixir and Haskell: a statement names a module by its full name, and files themselves say which modules
//! they contain, wherever the files are.

use super::key::Key;
use super::members::{declaring_any, nearest};
use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, Statement};
use crate::view::GraphView;

/// What Elixir calls the module around a statement.
const THIS_MODULE: &str = "__MODULE__";

/// The prefix of every module name in Elixir, which scripts sometimes write out.
const ALL_MODULES: &str = "Elixir.";

/// Extension of Haskell interface stubs (for modules that are not compiled yet). Such a file is beside its module.
const BOOT: &str = "-boot";

pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    let files = match specifier.strip_prefix(THIS_MODULE) {
        Some(rest) => {
            let outer = &view.statements(statement.path).provides;
            outer
                .iter()
                .map(|outer| modules(view, statement.language, &format!("{outer}{rest}")))
                .find(|files| !files.is_empty())
        }
        None => {
            let name = specifier.strip_prefix(ALL_MODULES).unwrap_or(specifier);
            Some(modules(view, statement.language, name)).filter(|files| !files.is_empty())
        }
    };
    match files {
        Some(files) => ImportOutcome::paths(view, nearest(statement.path, files)),
        None if specifier.starts_with(THIS_MODULE) || is_ours(view, statement.language, specifier) => {
            ImportOutcome::Unresolved
        }
        None => ImportOutcome::External,
    }
}

/// Full names of the modules, each with the name that the file itself may use for it.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if !matches!(view.language(path), Some("elixir" | "haskell")) {
        return Vec::new();
    }
    let mut keys = view.statements(path).provides.clone();
    if view.language(path) == Some("elixir") {
        let within = |name: &String| {
            let ends = name.match_indices('.').map(|(at, _)| format!("{THIS_MODULE}{}", &name[at..]));
            ends.collect::<Vec<_>>()
        };
        let ends: Vec<String> = keys.iter().flat_map(within).collect();
        let whole: Vec<String> = keys.iter().map(|name| format!("{ALL_MODULES}{name}")).collect();
        keys.extend(ends);
        keys.extend(whole);
    }
    keys.into_iter().map(Key::from).collect()
}

/// Other files with a part of the same module, which only tests and platform variants have.
pub(super) fn siblings(view: GraphView<'_>, path: &str) -> Vec<PathInput> {
    // Every program has a module `Main`.
    let names: Vec<String> = view.statements(path).provides.iter().filter(|name| *name != "Main").cloned().collect();
    declaring_any(view, path, &names)
}

pub(super) fn manifests(_: GraphView<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

/// Files of the language that contain a part of the module.
fn modules(view: GraphView<'_>, language: &str, name: &str) -> Vec<String> {
    let files = view.providing(name);
    let files = files.iter().filter_map(|file| file.as_str()).filter(|file| view.language(file) == Some(language));
    let (boots, whole): (Vec<String>, Vec<String>) = files.map(str::to_owned).partition(|file| file.ends_with(BOOT));
    if whole.is_empty() { boots } else { whole }
}

/// Whether the enclosing module is in the repository. A single segment is no evidence, because packages share it.
fn is_ours(view: GraphView<'_>, language: &str, name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(outer, _)| outer.contains('.') && !modules(view, language, outer).is_empty())
}
