//! Looking back: under which keys statements lie that may lead to a file.
//!
//! A path ends in a module, or in an enum, before the names that are taken. So the keys of a file are the names of all
//! modules that offer anything of it: itself, those that have it as a child, and those that offer on what they import
//! from it.

use std::collections::BTreeSet;

use icr_model::SymbolKind;

use super::crates::{is_root, names_of_root};
use super::modules::{Module, attribute_key, crate_roots};
use crate::resolve::resolved;
use crate::view::View;

/// Re-exports behind each other that are looked for.
const MOST_ROUNDS: usize = 8;

/// Import keys of statements that may name the file at `path`.
///
/// Finding those that offer it on costs resolving the files that lie under the keys, which looking back needs anyway.
pub(crate) fn keys(view: View<'_>, path: &str) -> Vec<String> {
    if !path.ends_with(".rs") {
        return Vec::new();
    }
    let mut search = Search { view, path, keys: BTreeSet::new(), offering: BTreeSet::new() };
    search.begin();
    let mut asked = BTreeSet::new();
    let mut candidates = BTreeSet::from([path.to_owned()]);
    for _ in 0..MOST_ROUNDS {
        let fresh: Vec<String> = search.keys.difference(&asked).cloned().collect();
        let offering_total = search.offering.len();
        for key in &fresh {
            candidates.extend(view.requiring(key).iter().filter_map(|file| file.as_str()).map(str::to_owned));
        }
        asked.extend(fresh.iter().cloned());
        candidates.iter().for_each(|candidate| search.examine(candidate));
        if search.keys.len() == asked.len() && search.offering.len() == offering_total {
            break;
        }
    }
    search.keys.into_iter().collect()
}

struct Search<'db, 'a> {
    view: View<'db>,
    path: &'a str,
    keys: BTreeSet<String>,
    /// Files with a module that offers something of the file.
    offering: BTreeSet<String>,
}

impl Search<'_, '_> {
    /// The file's own modules, its enums, and the modules it is a child of.
    fn begin(&mut self) {
        // Paths may begin and end here in any module.
        self.keys.extend(["self", "super"].map(str::to_owned));
        self.keys.insert(attribute_key(self.path));
        self.offer(&Module::file(self.path));
        let definitions = self.view.definitions(self.path);
        for definition in definitions.list.iter().filter(|definition| !definitions.is_member(definition)) {
            match definition.kind {
                SymbolKind::Module | SymbolKind::Enum => self.name(&definition.name),
                // An exported macro is at the root of its crate.
                SymbolKind::Macro => {
                    for root in crate_roots(self.view, self.path) {
                        self.offer(&Module::file(root));
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds what a candidate offers on, and the other names it gives to what is offered.
    fn examine(&mut self, candidate: &str) {
        let statements = self.view.statements(candidate);
        let resolved = resolved(self.view.db(), self.view.input(candidate));
        let imports = statements.imports.iter().zip(&statements.inside).zip(&resolved.outcomes);
        for ((import, inside), outcome) in imports {
            let targets = outcome.targets();
            if targets.iter().any(|target| self.offering.contains(&target.path)) {
                let aliases = import.names.iter().filter_map(|name| name.alias.clone());
                self.keys.extend(aliases);
            }
            if targets.iter().any(|target| target.path == self.path) {
                let module = Module { file: candidate.to_owned(), inside: inside.clone() };
                // What is imported for oneself is open to children, of which those in the same file need no key.
                let has_children = || module.bindings(self.view).is_some_and(|bindings| !bindings.children.is_empty());
                if import.reexport || has_children() {
                    self.offer(&module);
                }
            }
        }
    }

    /// Adds the names of a module that offers something, and those of its parents, which offer the module.
    fn offer(&mut self, module: &Module) {
        self.offering.insert(module.file.clone());
        self.names_of(module);
        for parent in module.parents(self.view) {
            self.names_of(&parent);
        }
    }

    fn names_of(&mut self, module: &Module) {
        module.names(self.view).iter().for_each(|name| self.name(name));
        if module.inside.is_empty() && is_root(self.view, &module.file) {
            self.keys.extend(names_of_root(self.view, &module.file).map(str::to_owned));
        }
        if module.inside.is_empty() && crate_roots(self.view, &module.file).contains(&module.file) {
            self.keys.insert("crate".to_owned());
        }
    }

    /// Adds a name as it is and as one that a keyword would need.
    fn name(&mut self, name: &str) {
        self.keys.insert(name.to_owned());
        self.keys.insert(format!("r#{name}"));
    }
}
