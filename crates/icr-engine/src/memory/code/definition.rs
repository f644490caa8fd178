//! Finds definitions of a view by name, and tells whether they are unchanged.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use icr_compute::{ObjectSource, WantedBlob, compute};
use icr_db::ViewSource;
use icr_model::{BlobId, Digest64, Facts, Import, ImportName, RepoPath, Symbol, SymbolKind};
use icr_view::ViewFile;

use crate::memory::code::mention::MentionedName;
use crate::timed_view::TimedView;
use crate::{Error, Snapshot};

/// Most files whose facts are read for one name; a name that more files define identifies nothing.
const FILES_READ_MOST: usize = 24;

/// A file of the view with its facts.
#[derive(Debug, Clone)]
pub(super) struct CodeFile {
    pub(super) file: ViewFile,
    pub(super) facts: Arc<Facts>,
}

/// What a name may mean.
#[derive(Debug, Clone)]
pub(super) enum NameMeaning {
    /// A definition.
    Definition(NamedDefinition),
    /// A file that is imported under the name, as a whole or for something that has no name there.
    File(CodeFile),
}

/// All that a file defines under one qualified name: a definition, its overloads, and blocks that add members to it.
#[derive(Debug, Clone)]
pub(super) struct NamedDefinition {
    pub(super) code: CodeFile,
    /// Names from the outermost enclosing definition to its own, joined by dots.
    pub(super) qualified_name: String,
    /// Index in the facts of the definition itself; the first one if there are several.
    pub(super) symbol: usize,
}

impl CodeFile {
    /// The file of the view at `path`.
    pub(super) fn at(snapshot: &Snapshot, path: &RepoPath) -> Result<Option<Self>, Error> {
        let Some(file) = snapshot.view.file(path)? else { return Ok(None) };
        let facts = snapshot.facts(file.row.blob_no)?;
        Ok(Some(Self { file, facts }))
    }

    /// The file's path.
    pub(super) fn path(&self) -> &RepoPath {
        &self.file.path
    }

    /// The definitions of the name in the file, by position. If the file defines the name itself, mere members and
    /// variables of that name are left out.
    pub(super) fn definitions(&self, name: &MentionedName) -> Vec<NamedDefinition> {
        let path_names = path_names(self.path());
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        for (at, _) in self.facts.symbols.iter().enumerate().filter(|(_, symbol)| symbol.name == name.name) {
            let qualified_name = self.facts.qualified_name(at as u32);
            if !stands_in(&qualified_name, &path_names, &name.outer) {
                continue;
            }
            let known = by_name.entry(qualified_name).or_insert(at);
            let is_block = |at: usize| self.facts.symbols[at].kind == SymbolKind::Implementation;
            if is_block(*known) && !is_block(at) {
                *known = at;
            }
        }
        let definition = |(qualified_name, symbol)| NamedDefinition { code: self.clone(), qualified_name, symbol };
        let mut definitions: Vec<NamedDefinition> = by_name.into_iter().map(definition).collect();
        definitions.sort_by_key(|definition| definition.symbol);
        definitions
    }

    /// What the name may mean in the file: its definitions, and what its imports lead to instead of their own lines.
    pub(super) fn meanings(&self, snapshot: &Snapshot, name: &MentionedName) -> Result<Vec<NameMeaning>, Error> {
        let (imports, definitions): (Vec<_>, Vec<_>) =
            self.definitions(name).into_iter().partition(NamedDefinition::is_import);
        let mut meanings: Vec<NameMeaning> = definitions.into_iter().map(NameMeaning::Definition).collect();
        if !imports.is_empty() {
            for (path, there) in snapshot.graph()?.import_origins(self.path(), &name.name)? {
                let Some(file) = Self::at(snapshot, &path)? else { continue };
                meanings.push(match file.definition(&there) {
                    Some(definition) if !definition.is_import() => NameMeaning::Definition(definition),
                    _ => NameMeaning::File(file),
                });
            }
        }
        Ok(meanings)
    }

    /// What the file defines under exactly this qualified name.
    pub(super) fn definition(&self, qualified_name: &str) -> Option<NamedDefinition> {
        let symbol = main_symbol(&self.facts, qualified_name)?;
        Some(NamedDefinition { code: self.clone(), qualified_name: qualified_name.to_owned(), symbol })
    }

    /// The definition that [`enclosing_symbol`] finds.
    pub(super) fn enclosing(&self, line: u32) -> Option<NamedDefinition> {
        let symbol = enclosing_symbol(&self.facts, line)?;
        self.definition(&self.facts.qualified_name(symbol))
    }
}

/// The innermost definition that contains `line`, 1-based, as an index of [`Facts::symbols`]. Fields, variables and
/// keys count only if nothing else contains it.
pub(crate) fn enclosing_symbol(facts: &Facts, line: u32) -> Option<u32> {
    let holds = |symbol: &Symbol| (symbol.lines.start..=symbol.lines.end).contains(&line);
    let holding = facts.symbols.iter().enumerate().filter(|(_, symbol)| holds(symbol));
    // Definitions are sorted by their starts, so that the last one that contains the line is the innermost.
    let (symbol, _) = holding.max_by_key(|(at, symbol)| (!is_minor(symbol.kind), *at))?;
    u32::try_from(symbol).ok()
}

impl NameMeaning {
    /// The definition, unless a file is meant.
    pub(super) fn definition(&self) -> Option<&NamedDefinition> {
        match self {
            Self::Definition(definition) => Some(definition),
            Self::File(_) => None,
        }
    }
}

impl NamedDefinition {
    /// The definition itself.
    pub(super) fn symbol(&self) -> &Symbol {
        &self.code.facts.symbols[self.symbol]
    }

    /// Whether it is only the name of an import: `const open = require("./open")`.
    fn is_import(&self) -> bool {
        let symbol = self.symbol();
        let is_line = |import: &&Import| (symbol.lines.start..=symbol.lines.end).contains(&import.line);
        let local = |name: &ImportName| name.alias.as_ref().unwrap_or(&name.name) == &symbol.name;
        let is_value = matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable);
        is_value && self.code.facts.imports.iter().filter(is_line).any(|import| import.names.iter().any(local))
    }

    /// The digest that tells whether it is unchanged; see [`definition_digest`].
    pub(super) fn digest(&self, snapshot: &Snapshot) -> Option<String> {
        definition_digest(snapshot, self.code.path(), &self.code.facts, &self.qualified_name)
    }
}

/// The most likely meanings of the name in the view, in order of their paths. `None` if too many files define it.
pub(super) fn meanings_of(snapshot: &Snapshot, name: &MentionedName) -> Result<Option<Vec<NameMeaning>>, Error> {
    let source = snapshot.graph_source();
    let files = files_defining(&source, &name.name)?;
    if let Some(outer) = name.outer.last() {
        // A type and its members are mostly in one file, or a module is named by its path.
        let with_outer: HashSet<RepoPath> = files_defining(&source, outer)?.into_iter().collect();
        let is_near = |path: &&RepoPath| with_outer.contains(*path) || path_names(path).contains(outer);
        let near: Vec<RepoPath> = files.iter().filter(is_near).cloned().collect();
        match read_meanings(snapshot, near, name)? {
            Some(meanings) if meanings.is_empty() => {}
            found => return Ok(found),
        }
    }
    read_meanings(snapshot, files, name)
}

fn read_meanings(
    snapshot: &Snapshot,
    files: Vec<RepoPath>,
    name: &MentionedName,
) -> Result<Option<Vec<NameMeaning>>, Error> {
    if files.len() > FILES_READ_MOST {
        return Ok(None);
    }
    let mut meanings = Vec::new();
    for path in files {
        if let Some(file) = CodeFile::at(snapshot, &path)? {
            meanings.extend(file.meanings(snapshot, name)?);
        }
    }
    Ok(Some(most_likely(meanings)))
}

/// The most likely ones of `meanings`, each once: types, functions and files before members and variables of that name,
/// and those before blocks that add members to a type. A file means nothing more if something in it is meant too.
pub(super) fn most_likely(meanings: Vec<NameMeaning>) -> Vec<NameMeaning> {
    let rank = |meaning: &NameMeaning| match meaning {
        NameMeaning::File(_) => 0,
        NameMeaning::Definition(definition) => match definition.symbol().kind {
            SymbolKind::Implementation => 2,
            kind if is_minor(kind) => 1,
            _ => 0,
        },
    };
    let best = meanings.iter().map(rank).min();
    let likely: Vec<_> = meanings.into_iter().filter(|meaning| Some(rank(meaning)) == best).collect();
    // A bare name means a top-level definition rather than a member; compared only within one file, since two types may
    // have such a member.
    let outermost = |one: &NamedDefinition| !one.qualified_name.contains('.');
    let definitions = || likely.iter().filter_map(NameMeaning::definition);
    let is_of_file_with_outermost = |one: &NamedDefinition| {
        definitions().any(|other| {
            outermost(other) && other.code.path() == one.code.path() && other.symbol().name == one.symbol().name
        })
    };
    let mut known = HashSet::new();
    let is_kept = |meaning: &&NameMeaning| match meaning {
        NameMeaning::Definition(one) => {
            let is_first = known.insert((one.code.path().clone(), one.qualified_name.clone()));
            is_first && (outermost(one) || !is_of_file_with_outermost(one))
        }
        NameMeaning::File(file) => {
            known.insert((file.path().clone(), String::new()))
                && definitions().all(|one| one.code.path() != file.path())
        }
    };
    likely.iter().filter(is_kept).cloned().collect()
}

/// Files of the view that define something of this name, case-sensitive.
fn files_defining(source: &TimedView, name: &str) -> Result<Vec<RepoPath>, Error> {
    source.defining(name).map_err(|error| icr_db::Error::Source(error).into())
}

/// Files of the view whose path ends with the whole components `ending`, case-sensitive.
pub(super) fn files_ending(snapshot: &Snapshot, ending: &str) -> Result<Vec<RepoPath>, Error> {
    let files = snapshot.graph_source().files_ending(ending);
    let mut files = files.map_err(|error| Error::from(icr_db::Error::Source(error)))?;
    // Only whole components match: `MyTypes.java` does not end with `Types.java`.
    files.retain(|path| {
        let rest = path.as_bytes().strip_suffix(ending.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(b"/") || ending.starts_with('/'))
    });
    Ok(files)
}

/// A digest of all that the facts of the file at `path` define under a qualified name, without comments and layout: 24
/// hexadecimal digits, the last 8 of which identify the recipe. `None` if they define nothing of that name.
pub(super) fn definition_digest(
    snapshot: &Snapshot,
    path: &RepoPath,
    facts: &Facts,
    qualified_name: &str,
) -> Option<String> {
    let main = &facts.symbols[main_symbol(facts, qualified_name)?];
    let is_block = main.kind == SymbolKind::Implementation;
    let digest = symbols_named(facts, qualified_name)
        .map(|at| &facts.symbols[at])
        .filter(|symbol| (symbol.kind == SymbolKind::Implementation) == is_block)
        .fold(Digest64::default(), |digest, symbol| {
            digest.with(&symbol.signature_hash.to_le_bytes()).with(&symbol.body_hash.to_le_bytes())
        });
    Some(format!("{:016x}{}", digest.finish(), recipe_mark(snapshot, path, facts)))
}

/// Whether two digests of definitions have the same recipe and so can be compared.
pub(super) fn are_comparable(digest: &str, other: &str) -> bool {
    digest.len() == other.len() && digest.get(16..) == other.get(16..)
}

/// Eight hexadecimal digits that identify the recipe of facts.
fn recipe_mark(snapshot: &Snapshot, path: &RepoPath, facts: &Facts) -> String {
    let recipes = snapshot.context.foundation.shape.recipes(icr_lang::language_of(path), facts.content);
    format!("{:08x}", Digest64::default().with(&recipes.facts.to_bytes()).finish() >> 32)
}

/// The facts of a blob, which may be in no view any more, in the language of a path: from the store, else computed from
/// the repository. `None` if neither has the blob.
pub(super) fn facts_of_blob(
    snapshot: &Snapshot,
    blob_id: BlobId,
    path: &RepoPath,
) -> Result<Option<Arc<Facts>>, Error> {
    snapshot.context.deadline.check()?;
    let foundation = &snapshot.context.foundation;
    let wanted = WantedBlob { blob_id, language: icr_lang::language_of(path) };
    if let Some(row) = snapshot.view.transient().rows.get(&wanted) {
        return snapshot.facts(row.blob_no).map(Some);
    }
    let listed = snapshot.view.look_ups().row_of(wanted)?;
    if let Some(row) = listed {
        return snapshot.facts(row.blob_no).map(Some);
    }
    let computed = compute(&[wanted], &ObjectSource(&foundation.repository), &foundation.shape)?;
    let extraction = computed.into_iter().next().and_then(|computed| computed.extraction);
    Ok(extraction.map(|extraction| Arc::new(extraction.facts)))
}

/// Whether facts define something under a qualified name.
pub(super) fn defines(facts: &Facts, qualified_name: &str) -> bool {
    symbols_named(facts, qualified_name).next().is_some()
}

/// The definition itself among all of a qualified name: the first one that is not a block of added members.
pub(super) fn main_symbol(facts: &Facts, qualified_name: &str) -> Option<usize> {
    symbols_named(facts, qualified_name).min_by_key(|at| (facts.symbols[*at].kind == SymbolKind::Implementation, *at))
}

fn symbols_named<'a>(facts: &'a Facts, qualified_name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let may_be = |symbol: &Symbol| qualified_name.ends_with(&symbol.name);
    let indices = facts.symbols.iter().enumerate().filter(move |(_, symbol)| may_be(symbol)).map(|(at, _)| at);
    indices.filter(move |at| facts.qualified_name(*at as u32) == qualified_name)
}

/// Kinds whose names identify little: parts of something else.
fn is_minor(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Field | SymbolKind::Variant | SymbolKind::Variable | SymbolKind::Key)
}

/// Whether each of `outer` is a definition around the one of a qualified name, or a directory or file on its path.
fn stands_in(qualified_name: &str, path_names: &[String], outer: &[String]) -> bool {
    let around = qualified_name.rsplit_once('.').map_or("", |(around, _)| around);
    outer
        .iter()
        .all(|outer| around.split('.').any(|name| name.eq_ignore_ascii_case(outer)) || path_names.contains(outer))
}

/// The components of a path as module names: without the extension, and with `_` for `-`.
fn path_names(path: &RepoPath) -> Vec<String> {
    let path = String::from_utf8_lossy(path.as_bytes()).replace('-', "_");
    let stem = |name: &str| name.split_once('.').map_or(name, |(stem, _)| stem).to_owned();
    path.split('/').map(stem).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_around_a_definition_is_a_definition_or_stands_on_its_path() {
        let check = |qualified: &str, outer: &str| {
            let outer: Vec<String> = outer.split('.').map(str::to_owned).collect();
            stands_in(qualified, &path_names(&"crates/sea-gate/lock.rs".into()), &outer)
        };
        assert!(check("Store.open", "Store"));
        assert!(check("Store.open", "store"));
        assert!(check("open", "sea_gate.lock"));
        assert!(check("Store.open", "lock.Store"));
        assert!(!check("open", "Store"));
        assert!(!check("open", "Lock"));
        assert!(!check("open", "open"));
    }

    #[test]
    fn digests_of_other_recipes_are_not_compared() {
        assert!(are_comparable("0123456789abcdef00000001", "ffffffffffffffff00000001"));
        assert!(!are_comparable("0123456789abcdef00000001", "0123456789abcdef00000002"));
        assert!(!are_comparable("", "0123456789abcdef00000002"));
        assert!(!are_comparable("äöü", "ü"));
    }
}
