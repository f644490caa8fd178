//! The counterparts of a definition: what it overrides or implements, and the declaration that it is the body of.

use icr_model::{SymbolKind, Visibility};

use crate::graph::{Db, PathInput};
use crate::language_rules::resolution_rules;
use crate::member_resolution::{DefinitionId, PathResolver};
use crate::resolve::imported_files;
use crate::scope::defining;
use crate::statements::{Definitions, FileDefinition, definitions, statements};
use crate::view::{GraphView, LookupText, parent};

/// Most definitions that are followed along a chain of overrides.
const FOLLOWED: usize = 32;

/// Fewest methods that tell that a type of Go is meant to implement an interface.
const TELLING: usize = 2;

/// The counterparts of definition number `at` of the file, in other files or its own, ordered, each once, with those of
/// what it overrides. Interfaces that the type does not name count too (Go); with `only`, just those in that file.
pub(crate) fn counterparts(
    resolver: &PathResolver<'_>,
    view: GraphView<'_>,
    file: PathInput,
    at: u32,
    only: Option<PathInput>,
) -> Vec<DefinitionId> {
    let own = DefinitionId { file, at };
    let mut found = nearest_counterparts(resolver, view, own, only);
    let mut asked = 0;
    while asked < found.len().min(FOLLOWED) {
        let further = nearest_counterparts(resolver, view, found[asked], only);
        asked += 1;
        let new: Vec<DefinitionId> =
            further.into_iter().filter(|further| *further != own && !found.contains(further)).collect();
        found.extend(new);
    }
    found.sort_unstable();
    found
}

fn nearest_counterparts(
    resolver: &PathResolver<'_>,
    view: GraphView<'_>,
    definition: DefinitionId,
    only: Option<PathInput>,
) -> Vec<DefinitionId> {
    let (db, DefinitionId { file, at }) = (view.db(), definition);
    let all = definitions(db, file);
    let own = &all.list[at as usize];
    if !matches!(own.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Field | SymbolKind::Variable) {
        return Vec::new();
    }
    let rules = resolution_rules(&statements(db, file).language);
    let mut found = Vec::new();
    let declares = rules.declares_apart;
    // What a namespace holds is declared as what no type holds.
    let around = own.parent.map(|at| &all.list[at as usize]);
    let around = around.filter(|around| !(declares && around.kind == SymbolKind::Module));
    match (around, &own.receiver) {
        (None, Some(receiver)) if declares => found.extend(resolver.members_of(file, receiver, &own.name)),
        (None, None) if declares && own.has_body => found.extend(declarations(view, file, own)),
        (None, _) => {}
        (Some(around), _) => {
            for base in &around.bases {
                found.extend(resolver.members_of(file, base, &own.name));
            }
        }
    }
    if rules.implements_unnamed {
        found.extend(interfaces(view, file, own, all, only));
    }
    found.sort_unstable();
    found.dedup();
    found.retain(|found| *found != definition);
    if rules.hides_private_members {
        found.retain(|definition| resolver.visibility(*definition) != Visibility::Private);
    }
    found
}

/// Declarations of the function in files that its own file includes.
fn declarations(view: GraphView<'_>, file: PathInput, own: &FileDefinition) -> Vec<DefinitionId> {
    let db = view.db();
    let included = imported_files(db, file);
    let declare = |file: PathInput| {
        let named = definitions(db, file).definitions_of_name(&own.name);
        named
            .filter(|(_, other)| !other.has_body && other.kind == own.kind)
            .map(move |(at, _)| DefinitionId { file, at })
    };
    defining(db, LookupText::new(db, own.name.as_str()))
        .iter()
        .filter(|definer| included.contains(definer))
        .flat_map(|definer| declare(*definer).collect::<Vec<_>>())
        .collect()
}

/// Files with a body of a function that `declaring` files declare as `name`, if they include such a file.
pub(crate) fn bodies(view: GraphView<'_>, declaring: &[PathInput], name: &str) -> Vec<PathInput> {
    let db = view.db();
    let declares =
        |file: &PathInput| definitions(db, *file).definitions_of_name(name).any(|(_, definition)| !definition.has_body);
    let declaring: Vec<PathInput> = declaring.iter().copied().filter(declares).collect();
    if declaring.is_empty() {
        return Vec::new();
    }
    let is_body = |file: &&PathInput| {
        definitions(db, **file).definitions_of_name(name).any(|(_, definition)| definition.has_body)
            && imported_files(db, **file).iter().any(|included| declaring.contains(included))
    };
    defining(db, LookupText::new(db, name)).iter().filter(is_body).copied().collect()
}

/// Methods of the same name in Go interfaces whose other methods the type has too, because Go code does not say which
/// interfaces a type implements.
fn interfaces(
    view: GraphView<'_>,
    file: PathInput,
    own: &FileDefinition,
    all: &Definitions,
    only: Option<PathInput>,
) -> Vec<DefinitionId> {
    let db = view.db();
    let Some(owner) = all.holder(own).filter(|_| own.kind == SymbolKind::Method) else {
        return Vec::new();
    };
    let name = LookupText::new(db, own.name.as_str());
    let asked: Vec<DefinitionId> = match only {
        // Many files may define a method of a common name; only this one is read.
        Some(only) if defining(db, name).contains(&only) => interface_methods_in(db, only, &own.name).collect(),
        Some(_) => Vec::new(),
        None => interface_methods(db, name).to_vec(),
    };
    if asked.is_empty() {
        return Vec::new();
    }
    let methods = methods_in(db, LookupText::new(db, [parent(view.path(file)), ":", owner].concat()));
    let is_implemented = |method: &DefinitionId| {
        let all = definitions(db, method.file);
        let interface = all.list[method.at as usize].parent;
        let mut asked = all.list.iter().filter(|other| other.parent == interface);
        asked.all(|other| methods.binary_search(&other.name).is_ok())
    };
    asked.into_iter().filter(is_implemented).collect()
}

/// Types of Go that have all methods of the interface that declares `method`, but not that one: they may have
/// implemented it before it asked for the method. None for an interface of fewer than [`TELLING`] other methods.
pub(crate) fn go_types_with_all_but(view: GraphView<'_>, method: DefinitionId) -> Vec<DefinitionId> {
    let db = view.db();
    let all = definitions(db, method.file);
    let declared = &all.list[method.at as usize];
    let others: Vec<&FileDefinition> = (0..)
        .zip(&all.list)
        .filter(|(at, other)| other.parent == declared.parent && *at != method.at && other.kind == SymbolKind::Method)
        .map(|(_, other)| other)
        .collect();
    let definers = |other: &&&FileDefinition| defining(db, LookupText::new(db, other.name.as_str())).len();
    let Some(rarest) = others.iter().min_by_key(definers).filter(|_| others.len() >= TELLING) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for file in defining(db, LookupText::new(db, rarest.name.as_str())).iter().copied() {
        let directory = parent(view.path(file));
        let in_file = definitions(db, file);
        let owners = in_file.definitions_of_name(&rarest.name).filter_map(|(_, definition)| in_file.holder(definition));
        for owner in owners {
            let methods = methods_in(db, LookupText::new(db, [directory, ":", owner].concat()));
            let has = |name: &String| methods.binary_search(name).is_ok();
            if has(&declared.name) || !others.iter().all(|other| has(&other.name)) {
                continue;
            }
            for path in view.files_in(directory).iter() {
                let file = db.path_input(path);
                let named = definitions(db, file).definitions_of_name(owner);
                let types = named.filter(|(_, ty)| matches!(ty.kind, SymbolKind::Struct | SymbolKind::Type));
                found.extend(types.map(|(at, _)| DefinitionId { file, at }));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// All methods called `name` in interfaces.
#[salsa::tracked(returns(deref))]
fn interface_methods<'db>(db: &'db dyn Db, name: LookupText<'db>) -> Box<[DefinitionId]> {
    defining(db, name).iter().flat_map(|file| interface_methods_in(db, *file, name.text(db))).collect()
}

/// Methods called `name` in interfaces of the file.
fn interface_methods_in<'db>(
    db: &'db dyn Db,
    file: PathInput,
    name: &'db str,
) -> impl Iterator<Item = DefinitionId> + 'db {
    let all = definitions(db, file);
    let is_interface = |at: u32| all.list[at as usize].kind == SymbolKind::Interface;
    let named =
        all.definitions_of_name(name).filter(move |(_, definition)| definition.parent.is_some_and(is_interface));
    named.map(move |(at, _)| DefinitionId { file, at })
}

/// Names of the methods that the files of a directory give a type, in order. The key is `directory:Type`.
#[salsa::tracked(returns(deref))]
fn methods_in<'db>(db: &'db dyn Db, asked: LookupText<'db>) -> Box<[String]> {
    let view = GraphView::new(db);
    let (directory, owner) = asked.text(db).rsplit_once(':').unwrap_or_default();
    let mut found = Vec::new();
    for path in view.files_in(directory).iter().filter_map(|path| path.as_str()) {
        let all = view.definitions(path);
        let is_its = |definition: &&FileDefinition| {
            let is_of = |at: u32| all.list[at as usize].kind == SymbolKind::Interface;
            all.holder(definition) == Some(owner) && !definition.parent.is_some_and(is_of)
        };
        found.extend(all.list.iter().filter(is_its).map(|definition| definition.name.clone()));
    }
    found.sort_unstable();
    found.dedup();
    found.into()
}
