//! What a file offers on of what it imports: the steps of a re-export closure.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use icr_model::{Import, ImportKind};

use crate::graph::{Db, PathInput};
use crate::resolve::resolved;
use crate::statements::statements;
use crate::view::View;

/// Name for everything a module offers.
pub(crate) const ALL: &str = "*";

/// Longest chain of re-exports followed; the longest met in public repositories has five steps.
const CHAIN: usize = 16;

/// Languages in which every name that a module imports is a name of the module.
const IMPORTS_ARE_NAMES: [&str; 1] = ["python"];

/// What a file offers that other files define.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Exports {
    /// By the name it has here: the files asked for it, and its name there.
    pub(crate) named: BTreeMap<String, BTreeSet<(String, String)>>,
    /// Files of which everything is offered.
    pub(crate) whole: BTreeSet<String>,
}

/// What the file at a path offers that other files define.
#[salsa::tracked(returns(ref))]
pub(crate) fn exports(db: &dyn Db, input: PathInput) -> Arc<Exports> {
    let statements = statements(db, input);
    let resolved = resolved(db, input);
    let all = IMPORTS_ARE_NAMES.contains(&statements.language.as_str());
    let mut exports = Exports::default();
    for (import, outcome) in statements.imports.iter().zip(&resolved.outcomes) {
        let included = matches!(import.kind, ImportKind::Include | ImportKind::SystemInclude);
        if !(all || import.reexport || included) {
            continue;
        }
        for target in outcome.targets() {
            match taken(import, target.name) {
                Taken::Whole => drop(exports.whole.insert(target.path.clone())),
                // `import a.b` in Python makes `a` a name, not what is in it.
                Taken::Module if included => drop(exports.whole.insert(target.path.clone())),
                Taken::Module => {}
                Taken::Names(names) => {
                    for (local, original) in names {
                        let offered = exports.named.entry(local.to_owned()).or_default();
                        offered.insert((target.path.clone(), original.to_owned()));
                    }
                }
            }
        }
    }
    Arc::new(exports)
}

/// What an import takes of a target.
pub(crate) enum Taken<'a> {
    /// Everything, under the names it has there.
    Whole,
    /// The module itself; what is in it is named after it.
    Module,
    /// Names: what each is called here and there.
    Names(Vec<(&'a str, &'a str)>),
}

/// What `import` takes of the target that its name number `name` leads to, or the statement as a whole.
pub(crate) fn taken(import: &Import, name: Option<u32>) -> Taken<'_> {
    let names: Vec<_> = match name.and_then(|at| import.names.get(at as usize)) {
        Some(name) => vec![name],
        None => import.names.iter().collect(),
    };
    if names.is_empty() {
        return Taken::Module;
    }
    if names.iter().any(|name| name.name == ALL && name.alias.is_none()) {
        return Taken::Whole;
    }
    let named = names.into_iter().filter(|name| name.name != ALL);
    let pairs: Vec<_> = named.map(|name| (name.alias.as_deref().unwrap_or(&name.name), name.name.as_str())).collect();
    // What is left is `* as name`: the module under another name.
    if pairs.is_empty() { Taken::Module } else { Taken::Names(pairs) }
}

/// Files that define what the file at `path` offers as `name`, with its name there, following re-exports. Empty when
/// nobody is found to define it.
pub(crate) fn definers(view: View<'_>, path: &str, name: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let mut met = HashSet::new();
    let mut level = vec![(path.to_owned(), name.to_owned())];
    for _ in 0..CHAIN {
        let mut next = Vec::new();
        for (path, name) in level {
            if !met.insert((path.clone(), name.clone())) {
                continue;
            }
            if view.definitions(&path).offers(&name) {
                found.insert((path, name));
                continue;
            }
            let exports = exports(view.db(), view.input(&path));
            match exports.named.get(&name) {
                Some(offered) => next.extend(offered.iter().cloned()),
                None => next.extend(exports.whole.iter().map(|path| (path.clone(), name.clone()))),
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    found
}

/// Everything reached from `paths` by re-exports of whole files, themselves included; at most `limit` files.
pub(crate) fn closure(view: View<'_>, paths: impl IntoIterator<Item = String>, limit: usize) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<String> = paths.into_iter().collect();
    while let Some(path) = open.pop() {
        if reached.len() == limit || reached.contains(&path) {
            continue;
        }
        open.extend(exports(view.db(), view.input(&path)).whole.iter().cloned());
        reached.insert(path);
    }
    reached
}
