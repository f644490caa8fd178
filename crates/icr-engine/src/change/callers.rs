//! Who refers to the definitions of a view, each asked about once.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use icr_db::{ReferringFiles, ReferringLimits};
use icr_model::{Facts, RepoPath, Symbol, SymbolKind};

use crate::{Error, Snapshot};

/// Files that mention a name from which the name says nothing by itself (`new`, `get`): then only those are looked at that
/// import the file that defines it.
const COMMON: usize = 300;

/// Most files that are looked at for what changed.
pub(crate) const FILES: usize = 300;

/// Most files that are looked at for the definitions of one further step, which say less.
pub(crate) const FURTHER_FILES: usize = 100;

/// Who refers to the definitions of one view.
pub(crate) struct Callers<'a> {
    pub(crate) view: &'a Snapshot,
    known: RefCell<HashMap<(RepoPath, String), Rc<ReferringFiles>>>,
    /// Names that were not followed to all that mention them.
    partial: RefCell<BTreeSet<String>>,
}

impl<'a> Callers<'a> {
    pub(crate) fn new(view: &'a Snapshot) -> Self {
        Self { view, known: RefCell::default(), partial: RefCell::default() }
    }

    /// The files that refer to each of `definitions`, given as a file and a name in it, in their order; at most so many `files` are
    /// looked at for those that were not asked about before.
    pub(crate) fn referring(
        &self,
        definitions: &[(RepoPath, String)],
        files: usize,
    ) -> Result<Vec<Rc<ReferringFiles>>, Error> {
        let mut unknown: Vec<(RepoPath, String)> =
            definitions.iter().filter(|definition| !self.known.borrow().contains_key(*definition)).cloned().collect();
        unknown.sort();
        unknown.dedup();
        let found = self.view.graph()?.referring_to_all(&unknown, ReferringLimits { common: COMMON, files })?;
        let partial = unknown.iter().zip(&found).filter(|(_, found)| found.is_partial);
        self.partial.borrow_mut().extend(partial.map(|((_, name), _)| name.clone()));
        let mut known = self.known.borrow_mut();
        known.extend(unknown.into_iter().zip(found.into_iter().map(Rc::new)));
        Ok(definitions.iter().map(|definition| Rc::clone(&known[definition])).collect())
    }

    /// Names of which more files may refer to the definition than were found.
    pub(crate) fn partial(&self) -> BTreeSet<String> {
        self.partial.borrow().clone()
    }

    /// The facts of the file at `path`; `None` where the view has none.
    pub(crate) fn facts(&self, path: &RepoPath) -> Result<Option<Arc<Facts>>, Error> {
        let Some(file) = self.view.view.file(path)? else { return Ok(None) };
        Ok(Some(self.view.facts(file.row.blob_no)?))
    }
}

/// The definitions around each of `lines` that run or stand for something, each once.
pub(crate) fn enclosing<'f>(facts: &'f Facts, lines: &[u32]) -> Vec<&'f Symbol> {
    let mut around: Vec<u32> = lines.iter().filter_map(|line| innermost(facts, *line)).collect();
    around.sort_unstable();
    around.dedup();
    around.into_iter().map(|at| &facts.symbols[at as usize]).collect()
}

/// Index of the innermost definition around `line` that runs or stands for something; a local stands for the function
/// around it.
fn innermost(facts: &Facts, line: u32) -> Option<u32> {
    let holds = |symbol: &Symbol| (symbol.lines.start..=symbol.lines.end).contains(&line);
    let followed = |kind: SymbolKind| {
        !matches!(kind, SymbolKind::Section | SymbolKind::Key | SymbolKind::Module | SymbolKind::Implementation)
    };
    // A parent precedes its members, so the last that holds is the innermost.
    let is_around = |at: &u32| {
        let symbol = &facts.symbols[*at as usize];
        // A field that a method gives its value is no part of what runs.
        holds(symbol) && followed(symbol.kind) && !facts.is_assigned_field(*at)
    };
    let mut at = (0..facts.symbols.len() as u32).rev().find(is_around)?;
    for _ in 0..facts.symbols.len() {
        let Some(parent) = facts.symbols[at as usize].parent else { break };
        if !matches!(facts.symbols[parent as usize].kind, SymbolKind::Function | SymbolKind::Method) {
            break;
        }
        at = parent;
    }
    Some(at)
}
