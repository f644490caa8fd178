//! What the first name of a path means in a file: an import, a definition of the file, or one that is visible from it.

use icr_model::{ExportAlias, SymbolKind};

use super::{DefinitionId, Destination, combined_destination, has_members, rules_of};
use crate::bindings::{ImportBinding, bindings};
use crate::exports::definers;
use crate::graph::{Db, PathInput};
use crate::language_rules::BareMembers;
use crate::schemes::unpackaged;
use crate::scope::{defining, in_sight};
use crate::statements::{FileDefinition, definitions};
use crate::view::{GraphView, LookupText, file_name, join, parent};

/// What a name means as the first name of a path in the file.
#[salsa::tracked(returns(ref))]
pub(super) fn meaning_of_first_name<'db>(db: &'db dyn Db, file: PathInput, name: LookupText<'db>) -> Destination {
    let text = name.text(db);
    let bare_members = rules_of(db, file).bare_names == BareMembers::Possible;
    let mut targets = imported_targets(GraphView::new(db), file, text);
    if targets.is_empty() {
        targets.definitions = top_level_definitions(db, file, text);
    }
    if bare_members && targets.is_empty() {
        targets.definitions = all_definitions(db, file, text);
    }
    // A block of members has the name of its type but does not define it.
    let is_block = |found: &DefinitionId| is_block(db, found);
    let blocks = targets.definitions.clone();
    if targets.definitions.iter().all(is_block) && targets.modules.is_empty() && targets.otherwise.is_none() {
        let candidates = if bare_members { defining(db, name) } else { top_level_definers(db, name) };
        if !candidates.is_empty() {
            targets.definitions.extend(definitions_in_sight(db, file, text, candidates, bare_members));
            if targets.definitions.is_empty() {
                // Some file defines the name, but it is not known how it could be visible from here.
                targets.otherwise = Some(Destination::Unknown);
            }
        }
    }
    let all = targets.definitions.clone();
    targets.definitions.retain(|found| !is_constructor_beside_type(db, found, &all));
    match targets.definitions.iter().all(is_block) {
        true if !blocks.is_empty() => targets.definitions = blocks,
        true => {}
        false => targets.definitions.retain(|found| !is_block(found)),
    }
    combined_destination(targets.definitions, targets.modules, targets.otherwise.unwrap_or(Destination::Outside))
}

/// What a first name may lead to.
#[derive(Default)]
struct FirstNameTargets {
    definitions: Vec<DefinitionId>,
    modules: Vec<PathInput>,
    /// Where the name leads if there are neither definitions nor modules.
    otherwise: Option<Destination>,
}

impl FirstNameTargets {
    fn is_empty(&self) -> bool {
        self.definitions.is_empty() && self.modules.is_empty() && self.otherwise.is_none()
    }
}

/// What the imports of the file bind `name` to.
fn imported_targets(view: GraphView<'_>, file: PathInput, name: &str) -> FirstNameTargets {
    let db = view.db();
    let mut targets = FirstNameTargets::default();
    for (rest, bound) in bindings(db, file).of(name) {
        match bound {
            // Skipped, because the binding of the module itself, which is beside it, leads there.
            ImportBinding::Name(_, name) if name == ExportAlias::MODULE => {}
            ImportBinding::Name(file, name) => {
                let definers = definers(view, *file, name);
                if definers.is_empty() {
                    targets.modules.push(*file);
                }
                let defined = definers.into_iter().flat_map(|(definer, name)| top_level_definitions(db, definer, name));
                targets.definitions.extend(defined);
            }
            ImportBinding::Module(file) if rest.is_empty() => match top_level_definitions(db, *file, name) {
                defined if defined.is_empty() => targets.modules.push(*file),
                defined => targets.definitions.extend(defined),
            },
            ImportBinding::Module(file) => targets.modules.extend(package_around(view, *file, rest)),
            ImportBinding::Outside => targets.otherwise = targets.otherwise.or(Some(Destination::Outside)),
            ImportBinding::Unresolved => targets.otherwise = Some(Destination::Unknown),
        }
    }
    targets
}

/// Definitions called `name` in those of the `candidates` that are visible from the file without an import. Members
/// count if `bare_members`, which says that a bare name may mean one.
fn definitions_in_sight(
    db: &dyn Db,
    file: PathInput,
    name: &str,
    candidates: &[PathInput],
    bare_members: bool,
) -> Vec<DefinitionId> {
    let view = GraphView::new(db);
    let in_sight = in_sight(db, file);
    let in_reach = candidates.iter().copied().filter(|candidate| in_sight.set.contains(*candidate));
    let mut found: Vec<DefinitionId> = in_reach
        .flat_map(|candidate| match bare_members {
            true => all_definitions(db, candidate, name),
            false => top_level_definitions(db, candidate, name),
        })
        .collect();
    if found.iter().all(|found| is_block(db, found)) {
        let unpackaged = unpackaged(view, view.path(file), name, candidates);
        found.extend(unpackaged.into_iter().flat_map(|candidate| top_level_definitions(db, candidate, name)));
    }
    found
}

/// Whether the definition is a constructor that has the name of its type, and the type is among `all`. What is said of
/// instances by the name is said of the type; the constructor has no members.
fn is_constructor_beside_type(db: &dyn Db, definition: &DefinitionId, all: &[DefinitionId]) -> bool {
    let in_file = definitions(db, definition.file);
    let outer = in_file.list[definition.at as usize].parent;
    outer.is_some_and(|at| {
        has_members(in_file.list[at as usize].kind) && all.contains(&DefinitionId { file: definition.file, at })
    })
}

/// Whether the definition is a block of members.
fn is_block(db: &dyn Db, definition: &DefinitionId) -> bool {
    definitions(db, definition.file).list[definition.at as usize].kind == SymbolKind::Implementation
}

/// Files that define `name` outside of any type, or as a type.
#[salsa::tracked(returns(deref))]
fn top_level_definers<'db>(db: &'db dyn Db, name: LookupText<'db>) -> Box<[PathInput]> {
    defining(db, name)
        .iter()
        .copied()
        .filter(|file| !top_level_definitions(db, *file, name.text(db)).is_empty())
        .collect()
}

/// Definitions called `name` in the file, members among them.
fn all_definitions(db: &dyn Db, file: PathInput, name: &str) -> Vec<DefinitionId> {
    definitions(db, file).definitions_of_name(name).map(|(at, _)| DefinitionId { file, at }).collect()
}

/// Definitions called `name` in the file that are outside of any type; types count wherever they are.
pub(super) fn top_level_definitions(db: &dyn Db, file: PathInput, name: &str) -> Vec<DefinitionId> {
    let all = definitions(db, file);
    let is_top = |definition: &FileDefinition| !all.is_member(definition) || has_members(definition.kind);
    all.definitions_of_name(name)
        .filter(|(_, definition)| is_top(definition))
        .map(|(at, _)| DefinitionId { file, at })
        .collect()
}

/// Files of the module `name` in the Python package whose `__init__.py` is at `path`.
pub(crate) fn submodules<'db>(view: GraphView<'db>, path: &str, name: &str) -> impl Iterator<Item = PathInput> + 'db {
    let inside = (file_name(path) == "__init__.py").then(|| join(parent(path), name));
    let files = inside.into_iter().flat_map(|inside| [".py", "/__init__.py"].map(|end| [&inside, end].concat()));
    files.filter(move |path| view.is_file(path)).map(move |path| view.input(&path))
}

/// The package that `import a.b` binds as `a`; `file` is that of `a.b`, and `rest` is `.b`.
fn package_around(view: GraphView<'_>, file: PathInput, rest: &str) -> Option<PathInput> {
    let path = view.path(file);
    let inside = if file_name(path) == "__init__.py" { parent(path) } else { path };
    let levels = rest.matches('.').count();
    let directory = (0..levels).fold(inside, |directory, _| parent(directory));
    let package = join(directory, "__init__.py");
    view.is_file(&package).then(|| view.input(&package))
}
