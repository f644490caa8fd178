//! Modules of Elixir and Haskell: a statement names a module by its full name, and files say of themselves which modules
//! they hold, wherever they stand.

use super::members::{declaring_any, nearest};
use crate::resolve::{Outcome, Statement, Target};
use crate::view::View;

/// What Elixir calls the module around a statement.
const THIS_MODULE: &str = "__MODULE__";

pub(super) fn resolve(view: View<'_>, statement: &Statement<'_>) -> Outcome {
    let specifier = statement.import.specifier.as_str();
    let files = match specifier.strip_prefix(THIS_MODULE) {
        Some(rest) => {
            let outer = &view.statements(statement.path).provides;
            outer.iter().map(|outer| modules(view, &format!("{outer}{rest}"))).find(|files| !files.is_empty())
        }
        None => Some(modules(view, specifier)).filter(|files| !files.is_empty()),
    };
    match files {
        Some(files) => {
            Outcome::files(nearest(statement.path, files).into_iter().map(|path| Target { path, name: None }).collect())
        }
        None if specifier.starts_with(THIS_MODULE) || is_ours(view, specifier) => Outcome::Unresolved,
        None => Outcome::External,
    }
}

/// Full names of the modules, and of each the one under which the file itself may name it.
pub(super) fn keys(view: View<'_>, path: &str) -> Vec<String> {
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
        keys.extend(ends);
    }
    keys
}

/// Files with a part of the same module, which only tests and variants of a platform have.
pub(super) fn siblings(view: View<'_>, path: &str) -> Vec<String> {
    // `Main` is the name of every program.
    let names: Vec<String> = view.statements(path).provides.iter().filter(|name| *name != "Main").cloned().collect();
    declaring_any(view, path, &names)
}

pub(super) fn manifests(_: View<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

fn modules(view: View<'_>, name: &str) -> Vec<String> {
    view.providing(name).iter().filter_map(|file| file.as_str()).map(str::to_owned).collect()
}

/// Whether the module right above is one of the repository's. One segment is no sign: packages share them.
fn is_ours(view: View<'_>, name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(outer, _)| outer.contains('.') && !view.providing(outer).is_empty())
}
