//! Who refers to the definitions of a view, with a cache.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use icr_db::{CargoPackageEdges, NamedDefinition, Occurrence, ReferringFiles, ReferringLimits};
use icr_impact::calls::constructs;
use icr_model::{Facts, RepoPath, Symbol, SymbolKind};

use crate::change::bases::last_name;
use crate::change::uses::once;
use crate::references::holder_of;
use crate::{Error, Snapshot};

/// If more files mention a name (`new`, `get`), the name alone says nothing: then only files that import the defining
/// file are examined.
const COMMON: usize = 300;

/// Most files that are examined for references to what changed.
pub(crate) const FILES: usize = 300;

/// Most files that are examined for references to the definitions of a further step, which matter less.
pub(crate) const FURTHER_FILES: usize = 100;

/// Lines of a file that use the constructors of a type; `None` where any mention of the type may.
type ConstructingLines = Option<Rc<BTreeSet<u32>>>;

/// Finds who refers to the definitions of one view.
pub(crate) struct Callers<'a> {
    pub(crate) view: &'a Snapshot,
    known: RefCell<HashMap<NamedDefinition, Rc<ReferringFiles>>>,
    /// By file and type: as [`Self::constructing_lines`].
    constructing: RefCell<HashMap<(RepoPath, String), ConstructingLines>>,
    /// Names that were not followed to all files that mention them.
    partial: RefCell<BTreeSet<String>>,
    packages: OnceCell<Vec<CargoPackageEdges>>,
}

impl<'a> Callers<'a> {
    pub(crate) fn new(view: &'a Snapshot) -> Self {
        Self {
            view,
            known: RefCell::default(),
            constructing: RefCell::default(),
            partial: RefCell::default(),
            packages: OnceCell::new(),
        }
    }

    /// The definition called `name` that begins on `line` of the file at `path`, for [`Self::referring`]; everything of
    /// that name in the file if none does.
    pub(crate) fn definition_at(&self, path: &RepoPath, name: &str, line: u32) -> Result<NamedDefinition, Error> {
        let holder = self.facts(path)?.and_then(|facts| {
            let at = symbol_at(&facts, name, line)?;
            Some(holder_of(&facts, &facts.symbols[at]).to_owned())
        });
        Ok(NamedDefinition { path: path.clone(), name: name.to_owned(), holder })
    }

    /// The files that refer to each of `definitions`, in their order. At most `files` files
    /// are examined for definitions that are not cached.
    pub(crate) fn referring(
        &self,
        definitions: &[NamedDefinition],
        files: usize,
    ) -> Result<Vec<Rc<ReferringFiles>>, Error> {
        let mut unknown: Vec<NamedDefinition> =
            definitions.iter().filter(|definition| !self.known.borrow().contains_key(*definition)).cloned().collect();
        unknown.sort();
        unknown.dedup();
        let found = self.view.graph()?.referring_to_all(&unknown, ReferringLimits { common: COMMON, files })?;
        let partial = unknown.iter().zip(&found).filter(|(_, found)| found.is_partial);
        self.partial.borrow_mut().extend(partial.map(|(definition, _)| definition.name.clone()));
        let mut known = self.known.borrow_mut();
        known.extend(unknown.into_iter().zip(found.into_iter().map(Rc::new)));
        Ok(definitions.iter().map(|definition| Rc::clone(&known[definition])).collect())
    }

    /// The lines of the file at `path` that use the constructors of the type `name`: they make a value of it, or begin a
    /// type that inherits from it. `None` if the language does not tell these from other mentions.
    ///
    /// Cost: reads the text of the file, once for each type.
    pub(crate) fn constructing_lines(&self, path: &RepoPath, name: &str) -> Result<ConstructingLines, Error> {
        let key = (path.clone(), name.to_owned());
        if let Some(known) = self.constructing.borrow().get(&key) {
            return Ok(known.clone());
        }
        let text = self.view.view.text_at(path)?;
        let lines = match (text, self.facts(path)?) {
            (Some(text), Some(facts)) => constructing_lines(&facts, &text, name).map(Rc::new),
            _ => None,
        };
        self.constructing.borrow_mut().insert(key, lines.clone());
        Ok(lines)
    }

    /// The Cargo package of the view that the file at `path` belongs to.
    ///
    /// Cost: once for all files, a look at every manifest.
    pub(crate) fn cargo_package_of(&self, path: &str) -> Result<Option<&CargoPackageEdges>, Error> {
        let packages = once(&self.packages, || Ok(self.view.graph()?.cargo_packages()?))?;
        Ok(CargoPackageEdges::of_file(packages, path))
    }

    /// Names whose definitions may have more references than were found.
    pub(crate) fn partial(&self) -> BTreeSet<String> {
        self.partial.borrow().clone()
    }

    /// The facts of the file at `path`; `None` where the view has none.
    pub(crate) fn facts(&self, path: &RepoPath) -> Result<Option<Arc<Facts>>, Error> {
        let Some(file) = self.view.view.file(path)? else { return Ok(None) };
        Ok(Some(self.view.facts(file.row.blob_no)?))
    }
}

/// As [`Callers::constructing_lines`], of a text with its facts.
fn constructing_lines(facts: &Facts, text: &[u8], name: &str) -> Option<BTreeSet<u32>> {
    let text = String::from_utf8_lossy(text);
    let mut found = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        if constructs(&facts.language, line, name)? {
            found.insert(number);
        }
    }
    let heirs = facts.symbols.iter().filter(|symbol| symbol.bases.iter().any(|base| last_name(base) == name));
    let mentions = facts.references.iter().filter(|group| group.name == name).flat_map(|group| &group.lines);
    let mentions: BTreeSet<u32> = mentions.copied().collect();
    // The base is the first mention of the type in its heir.
    let base_line = |heir: &Symbol| mentions.range(heir.lines.start..).next().filter(|line| **line <= heir.lines.end);
    found.extend(heirs.filter_map(base_line));
    Some(found)
}

/// Index of the definition called `name` that begins on `line`.
pub(crate) fn symbol_at(facts: &Facts, name: &str, line: u32) -> Option<usize> {
    facts.symbols.iter().position(|symbol| symbol.name == name && symbol.lines.start == line)
}

/// The definitions around `occurrences` that can be run or used (functions, types), each once and with those in it.
pub(crate) fn enclosing<'f>(facts: &'f Facts, occurrences: &[Occurrence]) -> Vec<(&'f Symbol, Vec<Occurrence>)> {
    let mut around: BTreeMap<u32, Vec<Occurrence>> = BTreeMap::new();
    for occurrence in occurrences {
        if let Some(at) = innermost(facts, occurrence.line) {
            around.entry(at).or_default().push(*occurrence);
        }
    }
    around.into_iter().map(|(at, occurrences)| (&facts.symbols[at as usize], occurrences)).collect()
}

/// Index of the innermost definition around `line` that can be run or used; a local variable counts as the function
/// around it.
fn innermost(facts: &Facts, line: u32) -> Option<u32> {
    let holds = |symbol: &Symbol| (symbol.lines.start..=symbol.lines.end).contains(&line);
    let followed = |kind: SymbolKind| {
        !matches!(kind, SymbolKind::Section | SymbolKind::Key | SymbolKind::Module | SymbolKind::Implementation)
    };
    // Parents come before their members, so that the last match is the innermost.
    let is_around = |at: &u32| {
        let symbol = &facts.symbols[*at as usize];
        // A field that is assigned in a method does not count as the code around a line.
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
