//! What a file re-exports: the single steps of a re-export closure.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use icr_model::{ExportAlias, Import, ImportKind};

use crate::graph::{Db, PathInput};
use crate::language_rules::resolution_rules;
use crate::resolve::{ImportTarget, resolved_imports};
use crate::statements::{definitions, statements};
use crate::view::GraphView;

/// The name that stands for everything a module offers.
pub(crate) const ALL: &str = "*";

/// Longest chain of re-exports that is followed. The longest one seen in public repositories has five steps.
const CHAIN: usize = 16;

/// What a file offers although other files define it.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Exports {
    /// By the name in this file: the files to ask for it, each once.
    pub(crate) named: BTreeMap<String, Vec<ReExport>>,
    /// Files whose names are all offered, each once, in order of their paths.
    pub(crate) whole: Vec<PathInput>,
}

/// A re-exported name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, salsa::SalsaValue)]
pub(crate) struct ReExport {
    /// The file that it comes from.
    pub(crate) file: PathInput,
    /// Its name in that file.
    pub(crate) name: String,
}

/// What the file at a path offers although other files define it.
#[salsa::tracked(returns(ref))]
pub(crate) fn exports(db: &dyn Db, input: PathInput) -> Arc<Exports> {
    let statements = statements(db, input);
    let mut exports = Exports::default();
    for export in &statements.exports {
        let offered = exports.named.entry(export.name.clone()).or_default();
        offered.push(ReExport { file: input, name: export.local.clone() });
    }
    let all = resolution_rules(&statements.language).imports_are_names;
    let is_included = |import: &Import| matches!(import.kind, ImportKind::Include | ImportKind::SystemInclude);
    let is_offered = |import: &Import| all || import.reexport || is_included(import);
    // Most files re-export nothing; then their imports need not be resolved.
    let outcomes = match statements.imports.iter().any(is_offered) {
        true => resolved_imports(db, input).outcomes.as_slice(),
        false => &[],
    };
    for (import, outcome) in statements.imports.iter().zip(outcomes).filter(|(import, _)| is_offered(import)) {
        for ImportTarget { file, name } in outcome.targets().iter().copied() {
            match import_selection(import, name) {
                ImportSelection::Whole => exports.whole.push(file),
                // `import a.b` in Python makes `a` a name of the module, but not the names inside `a`.
                ImportSelection::Module if is_included(import) => exports.whole.push(file),
                ImportSelection::Module => {}
                ImportSelection::Names(names) => {
                    for (local, original) in names {
                        let offered = exports.named.entry(local.to_owned()).or_default();
                        offered.push(ReExport { file, name: original.to_owned() });
                    }
                }
            }
        }
    }
    GraphView::new(db).in_order(&mut exports.whole);
    for offered in exports.named.values_mut().filter(|offered| offered.len() > 1) {
        offered.sort_unstable();
        offered.dedup();
    }
    Arc::new(exports)
}

/// What an import takes from its target.
pub(crate) enum ImportSelection<'a> {
    /// All names, unchanged.
    Whole,
    /// The module itself; its names are used behind the module's name.
    Module,
    /// Single names: the name here, and the name there.
    Names(Vec<(&'a str, &'a str)>),
}

/// What `import` takes from a target. `name` is the number of the imported name that leads to the target; `None` for
/// the statement as a whole.
pub(crate) fn import_selection(import: &Import, name: Option<u32>) -> ImportSelection<'_> {
    let names: Vec<_> = match name.and_then(|at| import.names.get(at as usize)) {
        Some(name) => vec![name],
        None => import.names.iter().collect(),
    };
    if names.is_empty() {
        return ImportSelection::Module;
    }
    if names.iter().any(|name| name.name == ALL && name.alias.is_none()) {
        return ImportSelection::Whole;
    }
    let named = names.into_iter().filter(|name| name.name != ALL);
    let pairs: Vec<_> = named.map(|name| (name.alias.as_deref().unwrap_or(&name.name), name.name.as_str())).collect();
    // If nothing is left, the import is `* as name`: the module under another name.
    if pairs.is_empty() { ImportSelection::Module } else { ImportSelection::Names(pairs) }
}

/// Files that define what `file` offers as `name`, each with its name there, following re-exports. Empty when no such
/// file is found.
pub(crate) fn definers<'a>(view: GraphView<'a>, file: PathInput, name: &'a str) -> Vec<(PathInput, &'a str)> {
    let db = view.db();
    if definitions(db, file).offers(name) {
        return vec![(file, name)];
    }
    let mut found = Vec::new();
    let mut met = HashSet::new();
    let mut level = vec![(file, name)];
    for _ in 0..CHAIN {
        let mut next = Vec::new();
        for (file, name) in level {
            if !met.insert((file, name)) {
                continue;
            }
            if definitions(db, file).offers(name) {
                found.push((file, name));
                continue;
            }
            let exports = exports(db, file);
            // An import of the default takes the module itself when the module is written for `require`.
            let default = (name == ExportAlias::DEFAULT).then(|| exports.named.get(ExportAlias::MODULE)).flatten();
            match exports.named.get(name).or(default) {
                Some(offered) => next.extend(offered.iter().map(|offered| (offered.file, offered.name.as_str()))),
                None => next.extend(exports.whole.iter().map(|file| (*file, name))),
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    found
}
