//! Import statements, put together from what the patterns of `imports.scm` capture.

use std::collections::HashMap;

use icr_model::{Import, ImportKind, ImportName, Span};

/// Captured parts of one match, as text.
#[derive(Debug, Default)]
pub(crate) struct ImportMatch {
    pub(crate) statement: bool,
    pub(crate) scope: Option<String>,
    pub(crate) specifier: Option<String>,
    /// Bytes of the specifier, from its first captured part to the last.
    pub(crate) path: Option<Span>,
    pub(crate) name: Option<String>,
    pub(crate) alias: Option<String>,
    pub(crate) type_only: bool,
    pub(crate) reexport: bool,
    pub(crate) kind: Option<ImportKind>,
    /// First byte of the first capture; the names of a statement are sorted by it.
    pub(crate) at: Option<u32>,
    /// Ends of the specifier, the name and the alias.
    pub(crate) ends: [Option<u32>; 3],
}

/// The statements of one blob.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    statements: Vec<Statement>,
    /// Prefixes of the open import trees, by their number.
    scopes: Vec<String>,
}

/// One statement while it is being read.
#[derive(Debug)]
struct Statement {
    start: u32,
    line: u32,
    kind: ImportKind,
    type_only: bool,
    reexport: bool,
    /// Module for names whose own match gives no module.
    specifier: String,
    entries: Vec<ImportEntry>,
}

#[derive(Debug, PartialEq)]
struct ImportEntry {
    at: u32,
    specifier: String,
    name: Option<ImportName>,
}

/// The name that stands for everything a module offers.
const ALL: &str = "*";

impl Imports {
    /// Clears everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.statements.clear();
        self.scopes.clear();
    }

    /// Opens a statement and returns its number.
    pub(crate) fn open(&mut self, start: u32, line: u32) -> u32 {
        self.statements.push(Statement {
            start,
            line,
            kind: ImportKind::Import,
            type_only: false,
            reexport: false,
            specifier: String::new(),
            entries: Vec::new(),
        });
        self.statements.len() as u32 - 1
    }

    /// Number of the prefix `scope` nested in prefix number `outer`.
    pub(crate) fn open_scope(&mut self, outer: Option<u32>, scope: &str, separator: &str) -> u32 {
        let scope = self.join(outer, scope, separator);
        self.scopes.push(scope);
        self.scopes.len() as u32 - 1
    }

    /// Adds the result of a match to statement number `statement`, under prefix number `scope`.
    pub(crate) fn add(&mut self, statement: u32, scope: Option<u32>, found: ImportMatch, separator: &str) {
        let own = found.specifier.is_some();
        let specifier = match &found.specifier {
            Some(specifier) => self.join(scope, specifier, separator),
            None => self.join(scope, "", separator),
        };
        let Some(statement) = self.statements.get_mut(statement as usize) else {
            return;
        };
        statement.type_only |= found.type_only;
        statement.reexport |= found.reexport;
        statement.kind = found.kind.unwrap_or(statement.kind);
        if found.statement && own && found.name.is_none() {
            statement.specifier.clone_from(&specifier);
        }
        let specifier = if specifier.is_empty() { statement.specifier.clone() } else { specifier };
        let at = found.at.unwrap_or(statement.start);
        let alias = |name: &str| found.alias.clone().filter(|alias| alias != name);
        match found.name {
            // A name without a module is itself a module.
            Some(name) if specifier.is_empty() => {
                let all = alias(&name).map(|alias| ImportName { name: ALL.to_owned(), alias: Some(alias) });
                statement.entries.push(ImportEntry { at, specifier: name, name: all });
            }
            Some(name) => {
                let alias = alias(&name);
                statement.entries.push(ImportEntry { at, specifier, name: Some(ImportName { name, alias }) });
            }
            None if own => statement.entries.push(ImportEntry { at, specifier, name: None }),
            None => {}
        }
    }

    /// All imports in the order of their statements: one for each module that a statement names, with the names taken
    /// from it. Statements without a module are left out.
    pub(crate) fn finish(&mut self, is_type_only: impl Fn(u32) -> bool) -> Vec<Import> {
        self.statements.sort_by_key(|statement| statement.start);
        let mut imports: Vec<Import> = Vec::new();
        for mut statement in self.statements.drain(..) {
            statement.entries.sort_by_key(|entry| entry.at);
            statement.entries.dedup();
            let type_only = statement.type_only || is_type_only(statement.start);
            let mut by_specifier = HashMap::new();
            for entry in statement.entries {
                let index = *by_specifier.entry(entry.specifier).or_insert_with_key(|specifier| {
                    imports.push(Import {
                        specifier: specifier.clone(),
                        names: Vec::new(),
                        kind: statement.kind,
                        type_only,
                        reexport: statement.reexport,
                        line: statement.line,
                    });
                    imports.len() - 1
                });
                imports[index].names.extend(entry.name);
            }
        }
        imports
    }

    fn join(&self, scope: Option<u32>, specifier: &str, separator: &str) -> String {
        match scope.and_then(|scope| self.scopes.get(scope as usize)) {
            Some(scope) if specifier.is_empty() => scope.clone(),
            Some(scope) if !scope.is_empty() => format!("{scope}{separator}{specifier}"),
            _ => specifier.to_owned(),
        }
    }
}

/// The specifier in its final form: without white space, quotes or the brackets of a system header.
pub(crate) fn specifier_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    let bare = [('<', '>'), ('"', '"'), ('\'', '\''), ('`', '`')]
        .iter()
        .find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close))
        .unwrap_or(text);
    // White space inside a path, as in `from . import` over two lines, is not part of the path. A quoted path may
    // contain spaces.
    if bare.contains(['\n', '\r']) || !std::ptr::eq(bare, text) {
        return bare.split(['\n', '\r']).map(str::trim).collect();
    }
    bare.to_owned()
}

/// The name for everything, bound to `alias`.
pub(crate) fn wildcard_name() -> String {
    ALL.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specifier_loses_quotes_and_layout() {
        for (text, specifier) in [
            ("a.b", "a.b"),
            (" \"./a b\" ", "./a b"),
            ("<sys/types.h>", "sys/types.h"),
            ("crate::{\n", "crate::{"),
            ("..\n  pkg", "..pkg"),
            ("\"", "\""),
            ("", ""),
        ] {
            assert_eq!(specifier_text(text.as_bytes()), specifier, "{text:?}");
        }
    }

    #[test]
    fn a_name_without_a_module_is_a_module() {
        let mut imports = Imports::default();
        let statement = imports.open(0, 1);
        let found = ImportMatch { name: Some("a".to_owned()), alias: Some("b".to_owned()), ..Default::default() };
        imports.add(statement, None, found, "::");
        let import = &imports.finish(|_| false)[0];
        assert_eq!(import.specifier, "a");
        assert_eq!(import.names, [ImportName { name: "*".to_owned(), alias: Some("b".to_owned()) }]);
    }

    #[test]
    fn a_statement_that_names_nothing_is_no_import() {
        let mut imports = Imports::default();
        imports.open(0, 1);
        assert!(imports.finish(|_| false).is_empty());
    }
}
