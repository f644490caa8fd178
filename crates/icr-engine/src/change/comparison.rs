//! What a change changed: definitions, contracts, and the seeds from which affected code is searched.

use std::collections::{BTreeMap, BTreeSet};

use icr_impact::contract::{self, Categories, ContractFinding, TypeNames};
use icr_impact::symbols::{
    DefinitionSide, FileResidue, FileSide, SymbolChange, changes, changes_with_types, definition_rules, residues,
};
use icr_impact::{ChangedSymbol, ContractChange, Effect, FileStatus, Severity, SymbolChangeKind as Kind};
use icr_model::{RepoPath, SymbolKind};

use crate::change::callers::Callers;
use crate::change::derived_traits::DerivedTraits;
use crate::change::exports_gone::exports_gone;
use crate::change::imports_gone::imports_gone;
use crate::change::reach::{ReachResult, ReachedFile, Seed, TraversalOptions, reach};
use crate::change::sides::ViewChange;
use crate::change::testing::{constructs_type, used_name};
use crate::change::texts::Texts;
use crate::change::type_names::type_names;
use crate::change::uses::{Consequence, UseFinder, Users, is_private};
use crate::test_paths::is_test;
use crate::{Error, Snapshot};

/// Most definitions whose users are searched, the most severe changes first: a change of more is a rewrite.
const SEEDS: usize = 300;

/// Most files that are looked at for another one that opens a module.
const OPENING: usize = 64;

/// What a change changed.
pub(crate) struct ChangeComparison {
    pub(crate) texts: Texts,
    pub(crate) symbols: Vec<ComparedSymbol>,
    /// For each file that still exists: what changed outside of definitions.
    pub(crate) residues: Vec<FileResidue>,
    pub(crate) seeds: Seeds,
    /// Changed files that are tests, by their paths before and after the change.
    tests: BTreeSet<RepoPath>,
}

/// A definition that changed, and which contracts that changes.
pub(crate) struct ComparedSymbol {
    pub(crate) change: SymbolChange,
    pub(crate) severity: Severity,
    pub(crate) findings: Vec<ContractFinding>,
}

/// Definitions from which the search for affected code starts, in the views before and after the change.
#[derive(Debug, Default)]
pub(crate) struct Seeds {
    old: Vec<(Seed, usize)>,
    new: Vec<(Seed, usize)>,
    /// Whether there were more definitions than are followed.
    pub(crate) is_cut: bool,
}

impl ChangeComparison {
    pub(crate) fn of(change: &ViewChange<'_>) -> Result<Self, Error> {
        let texts = Texts::read(change)?;
        let names;
        let (symbols, residues) = {
            let sides = texts.sides();
            let mut symbols = changes(&sides);
            names = type_names(change, &sides, &symbols)?;
            if names.iter().flatten().any(|names| !names.swapped.is_empty()) {
                symbols = changes_with_types(&sides, &|file, old, new| {
                    let sides = (sides[file].old.as_ref()?, sides[file].new.as_ref()?);
                    unseen_change(names[file].as_ref()?, sides, (old, new))
                });
            }
            let residues = residues(&sides, &symbols);
            (symbols, residues)
        };
        let shape = |side: &DefinitionSide, is_old: bool| texts.shape(side.file, is_old, side.symbol);
        let traits = DerivedTraits::of(&symbols, &shape);
        let sides = texts.sides();
        let symbols: Vec<ComparedSymbol> = symbols
            .into_iter()
            .map(|change| {
                let names = match (&change.old, &change.new) {
                    (Some(was), Some(is)) if was.file == is.file => names[is.file].as_ref(),
                    _ => None,
                };
                let mut old = change.old.as_ref().map(|side| shape(side, true)).unwrap_or_default();
                let mut new = change.new.as_ref().map(|side| shape(side, false)).unwrap_or_default();
                traits.remove_from(&change, [&mut old, &mut new]);
                let findings = match traits.replaces(&change, &sides) {
                    true => Vec::new(),
                    false => contract::contract_changes(&change, &old, &new, names),
                };
                let severity = contract::severity(&change, &findings);
                ComparedSymbol { change, severity, findings }
            })
            .collect();
        drop(sides);
        let seeds = if change.is_whole_files { Seeds::whole_files(change)? } else { Seeds::of(&symbols) };
        Ok(Self { texts, symbols, residues, seeds, tests: changed_tests(change)? })
    }

    /// The changed definitions as rows of the answer.
    pub(crate) fn rows(&self) -> Vec<ChangedSymbol> {
        self.symbols.iter().map(|symbol| symbol.change.row(symbol.severity)).collect()
    }

    /// Qualified names, before the change, of exported definitions whose contract changed or that are gone. A change to
    /// a field that is more than additive counts as a change of its type.
    pub(crate) fn modified_contracts(&self) -> BTreeSet<String> {
        let modified = self.symbols.iter().filter(|symbol| symbol.change.modifies_contract(&symbol.findings));
        let name = |symbol: &ComparedSymbol| {
            let old = symbol.change.old.as_ref().filter(|old| !self.tests.contains(&old.path))?;
            match old.kind {
                SymbolKind::Field | SymbolKind::Variant if symbol.severity <= Severity::Behaviour => None,
                SymbolKind::Field | SymbolKind::Variant => {
                    Some(old.qualified_name.rsplit_once('.').map_or(old.name.as_str(), |(holder, _)| holder).to_owned())
                }
                _ => Some(old.qualified_name.clone()),
            }
        };
        modified.filter_map(name).collect()
    }

    /// All contract changes with the users of each definition, and the files that they affect.
    pub(crate) fn contracts(
        &self,
        change: &ViewChange<'_>,
        found: &ReachResult,
        (old, new): (&Callers<'_>, &Callers<'_>),
        categories: Categories,
    ) -> Result<(Vec<ContractChange>, BTreeSet<String>), Error> {
        let finder = UseFinder::new(change, self, old, new);
        let in_change: BTreeSet<&RepoPath> = change.files.iter().filter_map(|file| file.new.as_ref()).collect();
        let mut affected = BTreeSet::new();
        let mut rows = Vec::new();
        let mut modules = OpenModules { change, known: BTreeMap::new() };
        for (at, symbol) in self.symbols.iter().enumerate().filter(|(_, symbol)| !symbol.findings.is_empty()) {
            let mut users = match is_private_constructor(&symbol.change) {
                // Others use the type, not this constructor.
                true => BTreeSet::new(),
                false => self.seeds.users_of(at, found),
            };
            users.retain(|user| may_see(&symbol.change, user));
            let untouched = match &symbol.change.old {
                // A file that still uses the old name was not updated, even if the change altered something else in it.
                Some(old) if !symbol.change.same_address || symbol.change.new.is_none() => {
                    let mut untouched = 0;
                    for path in &users {
                        untouched += usize::from(still_mentions(&change.new, path, used_name(old))?);
                    }
                    untouched
                }
                _ => users.iter().filter(|path| !in_change.contains(*path)).count(),
            };
            let own_references = match &symbol.change.old {
                // Its references may be gone with it.
                Some(old) if !symbol.change.same_address || symbol.change.new.is_none() => {
                    let own = finder.after(&old.path);
                    match own.map(|own| still_mentions(&change.new, &own, &old.name)).transpose()? {
                        Some(true) => self.seeds.own_references_of(at, found),
                        _ => 0,
                    }
                }
                _ => self.seeds.own_references_of(at, found),
            };
            let row = symbol.change.row(symbol.severity);
            // Definitions in tests are no contract for anybody.
            let is_exported = symbol.change.exported() && !self.tests.contains(&symbol.change.display_side().path);
            let known = Users { files: &users, untouched, is_public: is_exported };
            let symbol_uses = finder.of(symbol, known);
            for finding in &symbol.findings {
                if finding.class.takes_the_name() && modules.has(symbol)? {
                    continue;
                }
                let severity = finding.class.severity();
                // A request for whole files has no old side to compare with, and contract changes of other categories
                // were not requested.
                let counts = !change.is_whole_files && categories.has(finding.class.category());
                let Consequence { effect, uses, uses_here, has_grounds, declared_at, lacked_by } = match counts {
                    false => Consequence::none(),
                    true => symbol_uses.consequence(finding)?,
                };
                // A change that only the file itself can notice is reported only if it breaks or may break something.
                if !is_exported && users.is_empty() && !has_grounds {
                    continue;
                }
                // A definition that is no contract may still have users, which the change breaks.
                if (is_exported || effect == Effect::Breaks) && severity > Severity::Additive {
                    affected.extend(users.iter().map(ToString::to_string));
                }
                rows.push(ContractChange {
                    path: row.path.clone(),
                    symbol: row.qualified_name.clone(),
                    class: finding.class.name(),
                    detail: finding.detail.clone(),
                    severity,
                    exported: is_exported,
                    line: row.line,
                    consumers: users.len() as u32,
                    consumers_untouched: untouched as u32,
                    own_references: own_references.max(uses_here),
                    declared_at,
                    lacked_by,
                    effect,
                    uses,
                    accepted: None,
                });
            }
        }
        let (gone, takers) = exports_gone(change, &finder, (old, new), categories)?;
        rows.extend(gone);
        affected.extend(takers);
        let shown = rows.iter().flat_map(|row| &row.uses);
        let shown: BTreeSet<(String, u32)> = shown.map(|broken| (broken.path.clone(), broken.line)).collect();
        let (gone, importers) = imports_gone(change, &finder, categories, &shown)?;
        rows.extend(gone);
        affected.extend(importers);
        Ok((rows, affected))
    }
}

/// Files of a change that are tests on one of its sides.
fn changed_tests(change: &ViewChange<'_>) -> Result<BTreeSet<RepoPath>, Error> {
    let mut tests = BTreeSet::new();
    for file in &change.files {
        for (side, path) in [(&change.old, &file.old), (&change.new, &file.new)] {
            if let Some(path) = path.as_ref().filter(|path| icr_rank::is_test_path(path))
                && is_test(side.graph()?, path)?
            {
                tests.insert(path.clone());
            }
        }
    }
    Ok(tests)
}

/// What changed in a definition whose file names other types than before, by the numbers of the definition on both sides:
/// its signature, or what a type is made of.
fn unseen_change(names: &TypeNames, sides: (&FileSide<'_>, &FileSide<'_>), (old, new): (u32, u32)) -> Option<Kind> {
    let retypes = |side: &FileSide<'_>, at: u32| {
        side.shapes.get(at as usize).is_some_and(|shape| names.retypes(&side.facts.language, shape))
    };
    if retypes(sides.0, old) && retypes(sides.1, new) {
        return Some(Kind::Signature);
    }
    let is_part = |kind| matches!(kind, SymbolKind::Field | SymbolKind::Variant);
    let is_function = |kind| matches!(kind, SymbolKind::Function | SymbolKind::Method);
    if names.swapped.is_empty() || sides.1.facts.symbols.get(new as usize).is_none_or(|it| is_function(it.kind)) {
        return None;
    }
    let mut parts = (0..).zip(&sides.1.facts.symbols).filter(|(_, symbol)| symbol.parent == Some(new));
    parts.any(|(at, symbol)| is_part(symbol.kind) && retypes(sides.1, at)).then_some(Kind::Body)
}

/// Modules that any number of files may open, such as namespaces of C++, and that files which are no tests open after a
/// change.
struct OpenModules<'a> {
    change: &'a ViewChange<'a>,
    /// By language and qualified name: the first two files.
    known: BTreeMap<(String, String), Vec<RepoPath>>,
}

impl OpenModules<'_> {
    /// Whether `symbol` was such a module, and another file than the one it is in now opens it too.
    ///
    /// Cost: once for each qualified name, the facts of at most [`OPENING`] files that define the name.
    fn has(&mut self, symbol: &ComparedSymbol) -> Result<bool, Error> {
        let is_open =
            |old: &&DefinitionSide| old.kind == SymbolKind::Module && definition_rules(&old.language).modules_are_open;
        let Some(old) = symbol.change.old.as_ref().filter(is_open) else { return Ok(false) };
        let key = (old.language.clone(), old.qualified_name.clone());
        if !self.known.contains_key(&key) {
            let files = self.opening(old)?;
            self.known.insert(key.clone(), files);
        }
        let now = symbol.change.new.as_ref().map(|new| &new.path);
        Ok(self.known[&key].iter().any(|path| Some(path) != now))
    }

    fn opening(&self, module: &DefinitionSide) -> Result<Vec<RepoPath>, Error> {
        let mut found = Vec::new();
        let defining = self.change.new.graph()?.defining(&module.name)?;
        let mut code = Vec::new();
        for path in &defining {
            if code.len() < OPENING && !is_test(self.change.new.graph()?, path)? {
                code.push(path);
            }
        }
        for path in code {
            let Some(file) = self.change.new.view.file(path)? else { continue };
            let facts = self.change.new.facts(file.row.blob_no)?;
            let is_same = |at: u32| {
                let other = &facts.symbols[at as usize];
                other.name == module.name
                    && other.kind == SymbolKind::Module
                    && facts.qualified_name(at) == module.qualified_name
            };
            if facts.language == module.language && (0..facts.symbols.len() as u32).any(is_same) {
                found.push(path.clone());
            }
            if found.len() == 2 {
                break;
            }
        }
        Ok(found)
    }
}

/// Whether the language keeps a constructor from other files, before the change and after it.
fn is_private_constructor(change: &SymbolChange) -> bool {
    let is_of_file =
        |side: &DefinitionSide| definition_rules(&side.language).hides_private_constructors && is_private(side);
    change.old.iter().chain(&change.new).all(|side| is_of_file(side) && constructs_type(side))
}

/// Whether the file at `user` may use a definition, before the change or after it: what is private may be kept for its
/// module and the modules in it.
fn may_see(change: &SymbolChange, user: &RepoPath) -> bool {
    let is_open = |side: &DefinitionSide| {
        let is_of_module = is_private(side) && !side.exported && definition_rules(&side.language).private_is_of_module;
        !is_of_module || is_in_module(user, &side.path)
    };
    change.old.iter().chain(&change.new).any(is_open)
}

/// Whether the file at `path` may be in the module of Rust that the file at `module` is: it lies in the directory of its
/// name, or in its own directory if that has the name.
fn is_in_module(path: &RepoPath, module: &RepoPath) -> bool {
    let (Some(path), Some(module)) = (path.as_str(), module.as_str()) else { return true };
    let (directory, file) = module.rsplit_once('/').unwrap_or(("", module));
    let directory = match file {
        "lib.rs" | "main.rs" | "mod.rs" => directory,
        _ => module.strip_suffix(".rs").unwrap_or(module),
    };
    directory.is_empty() || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether the file at `path` still mentions `name` after the change.
fn still_mentions(view: &Snapshot, path: &RepoPath, name: &str) -> Result<bool, Error> {
    let Some(file) = view.view.file(path)? else { return Ok(false) };
    let facts = view.facts(file.row.blob_no)?;
    Ok(facts.references.iter().any(|group| group.name == name))
}

impl Seeds {
    fn of(symbols: &[ComparedSymbol]) -> Self {
        let mut seeds = Self::default();
        let mut order: Vec<usize> = (0..symbols.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse((symbols[*at].severity, symbols[*at].change.exported())));
        for at in order {
            let ComparedSymbol { change, severity, .. } = &symbols[at];
            let is_outline = |kind| matches!(kind, SymbolKind::Section | SymbolKind::Key | SymbolKind::Module);
            if is_outline(change.display_side().kind)
                || matches!(change.change, Kind::Added | Kind::Doc | Kind::Cosmetic)
            {
                continue;
            }
            // A definition whose qualified name changed only because its container was renamed is covered by that
            // container. A block of members that only moved changes nothing for who uses its type.
            let is_moved_block = change.same_address && change.display_side().kind == SymbolKind::Implementation;
            if (change.follows || is_moved_block)
                && change.facets.iter().all(|facet| matches!(facet, Kind::Renamed | Kind::Moved))
            {
                continue;
            }
            if seeds.old.len() + seeds.new.len() >= SEEDS {
                seeds.is_cut = true;
                break;
            }
            let seed = |side: &DefinitionSide, breaks: bool| Seed {
                path: side.path.clone(),
                name: used_name(side).to_owned(),
                qualified_name: side.qualified_name.clone(),
                lines: (side.lines.start, side.lines.end),
                breaks,
                constructs: constructs_type(side),
            };
            let breaks = *severity == Severity::Breaking;
            match (&change.old, &change.new) {
                (Some(old), None) => seeds.old.push((seed(old, true), at)),
                (Some(old), Some(new)) if !change.same_address => {
                    seeds.old.push((seed(old, true), at));
                    seeds.new.push((seed(new, false), at));
                }
                (_, Some(new)) => seeds.new.push((seed(new, breaks), at)),
                (None, None) => {}
            }
        }
        seeds
    }

    /// All definitions of the files that other files could refer to. Members are left out, because a user of a member
    /// names its type.
    fn whole_files(change: &ViewChange<'_>) -> Result<Self, Error> {
        let mut seeds = Self::default();
        for path in change.files.iter().filter_map(|file| file.new.as_ref()) {
            let Some(file) = change.new.view.file(path)? else { continue };
            let facts = change.new.facts(file.row.blob_no)?;
            for (at, symbol) in facts.symbols.iter().enumerate() {
                let outer = symbol.parent.map(|parent| facts.symbols[parent as usize].kind);
                let is_outer = outer.is_none_or(|kind| matches!(kind, SymbolKind::Module | SymbolKind::Implementation));
                if !is_outer || matches!(symbol.kind, SymbolKind::Section | SymbolKind::Key) {
                    continue;
                }
                seeds.is_cut |= seeds.new.len() >= SEEDS;
                if seeds.new.len() < SEEDS {
                    let seed = Seed {
                        path: path.clone(),
                        name: symbol.name.clone(),
                        qualified_name: facts.qualified_name(at as u32),
                        lines: (symbol.lines.start, symbol.lines.end),
                        breaks: false,
                        constructs: false,
                    };
                    seeds.new.push((seed, usize::MAX));
                }
            }
        }
        Ok(seeds)
    }

    /// What is reached from the seeds. Seeds of the old view are followed there, and one step only: they no longer
    /// exist, so that only files that named them are affected. The users are those of the old seeds, then those of the
    /// new ones.
    pub(crate) fn reach(
        &self,
        change: &ViewChange<'_>,
        old: &Callers<'_>,
        new: &Callers<'_>,
        following: TraversalOptions,
    ) -> Result<ReachResult, Error> {
        let list = |seeds: &[(Seed, usize)]| seeds.iter().map(|(seed, _)| seed.clone()).collect::<Vec<_>>();
        let mut found = match self.old.is_empty() {
            true => ReachResult::default(),
            false => reach(old, &list(&self.old), TraversalOptions::one_step())?,
        };
        let new = match self.new.is_empty() {
            true => ReachResult::default(),
            false => reach(new, &list(&self.new), following)?,
        };
        found.users.resize(self.old.len(), BTreeSet::new());
        found.users.extend(new.users);
        found.own_references.resize(self.old.len(), 0);
        found.own_references.extend(new.own_references);
        for (path, file) in new.files {
            match found.files.remove(&path) {
                Some(known) => drop(found.files.insert(path, merge_reached_files(known, file))),
                None => drop(found.files.insert(path, file)),
            }
        }
        for (key, (count, names)) in new.edges {
            let edge = found.edges.entry(key).or_default();
            edge.0 = edge.0.max(count);
            edge.1.extend(names);
        }
        found.is_cut |= new.is_cut;
        Ok(after(change, found))
    }

    /// Files that use the definition of `symbol`, under its old or its new name.
    fn users_of(&self, symbol: usize, found: &ReachResult) -> BTreeSet<RepoPath> {
        self.numbers_of(symbol).flat_map(|seed| found.users[seed].iter().cloned()).collect()
    }

    /// References to the definition of `symbol` in its own file, under the name that has more of them.
    fn own_references_of(&self, symbol: usize, found: &ReachResult) -> u32 {
        self.numbers_of(symbol).map(|seed| found.own_references[seed]).max().unwrap_or_default()
    }

    /// Numbers of the seeds of `symbol`, those of the old view first.
    fn numbers_of(&self, symbol: usize) -> impl Iterator<Item = usize> {
        let seeds = self.old.iter().chain(&self.new).enumerate();
        seeds.filter(move |(_, (_, of))| *of == symbol).map(|(seed, _)| seed)
    }
}

/// The files reached in the old view, under their names after the change, without those that no longer exist.
fn after(change: &ViewChange<'_>, found: ReachResult) -> ReachResult {
    let moved: BTreeMap<&RepoPath, Option<&RepoPath>> = change
        .files
        .iter()
        .filter(|file| file.old != file.new && file.status != FileStatus::Copied)
        .filter_map(|file| Some((file.old.as_ref()?, file.new.as_ref())))
        .collect();
    if moved.is_empty() {
        return found;
    }
    let name = |path: RepoPath| match moved.get(&path) {
        Some(new) => new.cloned(),
        None => Some(path),
    };
    let mut files: BTreeMap<RepoPath, ReachedFile> = BTreeMap::new();
    for (path, mut file) in found.files {
        file.via = file.via.into_iter().filter_map(name).collect();
        let Some(path) = name(path) else { continue };
        match files.remove(&path) {
            Some(known) => drop(files.insert(path, merge_reached_files(known, file))),
            None => drop(files.insert(path, file)),
        }
    }
    let users = found.users.into_iter().map(|users| users.into_iter().filter_map(name).collect());
    let mut edges: BTreeMap<(RepoPath, RepoPath), (u32, BTreeSet<String>)> = BTreeMap::new();
    for ((from, to), (count, names)) in found.edges {
        // The target of an edge may be gone; the edge is kept all the same.
        let (Some(from), to) = (name(from), name(to.clone()).unwrap_or(to)) else { continue };
        let edge = edges.entry((from, to)).or_default();
        edge.0 = edge.0.max(count);
        edge.1.extend(names);
    }
    ReachResult { files, users: users.collect(), edges, ..found }
}

/// Each count of both, the greater one of a key that both have.
fn greater<K: Ord>(mut one: BTreeMap<K, u32>, other: BTreeMap<K, u32>) -> BTreeMap<K, u32> {
    for (key, count) in other {
        let known = one.entry(key).or_default();
        *known = count.max(*known);
    }
    one
}

/// Merges the results for a file that was reached in both views.
fn merge_reached_files(one: ReachedFile, other: ReachedFile) -> ReachedFile {
    let by_name = |file: &ReachedFile| {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for ((name, _), count) in &file.counted {
            *counts.entry(name.clone()).or_default() += count;
        }
        counts
    };
    // Lines of the two views differ.
    let references = greater(by_name(&one), by_name(&other)).values().sum();
    let (symbols, counted) = (greater(one.symbols, other.symbols), greater(one.counted, other.counted));
    let counted_by_symbol = greater(one.counted_by_symbol, other.counted_by_symbol);
    let nearer = if other.distance < one.distance { other.via } else { one.via };
    ReachedFile {
        distance: one.distance.min(other.distance),
        references,
        symbols,
        counted,
        counted_by_symbol,
        // Lines are those of the view after the change, if there are any.
        lines: if other.lines.is_empty() { one.lines } else { other.lines },
        strength: 1.0 - (1.0 - one.strength) * (1.0 - other.strength),
        via: nearer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_lie_in_the_directory_of_their_name() {
        let is_in = |path: &str, module: &str| is_in_module(&RepoPath::from(path), &RepoPath::from(module));
        assert!(
            is_in("src/a/b.rs", "src/a.rs") && is_in("src/a/b/c.rs", "src/a/mod.rs") && is_in("src/a.rs", "src/lib.rs")
        );
        assert!(is_in("b.rs", "lib.rs"));
        assert!(
            !is_in("src/b.rs", "src/a.rs") && !is_in("src/ab.rs", "src/a.rs") && !is_in("src/b.rs", "src/a/mod.rs")
        );
    }
}
