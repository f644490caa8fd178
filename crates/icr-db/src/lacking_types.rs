//! Types that inherit a declaration without a definition of it.

use std::collections::BTreeSet;

use icr_model::SymbolKind;

use crate::counterparts::go_types_with_all_but;
use crate::graph::PathInput;
use crate::language_rules::resolution_rules;
use crate::member_resolution::{DefinitionId, Destination, PathResolver, has_members};
use crate::scope::defining;
use crate::statements::{definitions, statements};
use crate::view::{GraphView, LookupText};

/// Most types whose subtypes are searched.
const TYPES: usize = 64;

/// Most files that are searched for subtypes of one type.
const FILES: usize = 300;

/// A type, or a block that implements something for one, that inherits a declaration without a definition of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TypeWithout {
    pub(crate) ty: DefinitionId,
    /// Whether its base is known to be the declaring type, and no other base can have a definition.
    pub(crate) is_sure: bool,
}

/// The types that inherit definition number `at` of the file, a declaration, and neither define nor inherit a body for
/// it; in Go, types that have all other methods of the interface. Interfaces and traits are left out. In order, each
/// once. Empty if the type of the declaration itself gets a body elsewhere, as by an extension in Swift.
///
/// Cost: at most [`FILES`] files are examined for each of at most [`TYPES`] types.
pub(crate) fn types_without(view: GraphView<'_>, file: PathInput, at: u32) -> Vec<TypeWithout> {
    let db = view.db();
    let all = definitions(db, file);
    let declaration = &all.list[at as usize];
    let name = declaration.name.as_str();
    let Some(holder) = declaration.parent.filter(|at| has_members(all.list[*at as usize].kind)) else {
        return Vec::new();
    };
    let language = statements(db, file).language.as_str();
    let rules = resolution_rules(language);
    if rules.implements_unnamed {
        let found = go_types_with_all_but(view, DefinitionId { file, at });
        return found.into_iter().map(|ty| TypeWithout { ty, is_sure: false }).collect();
    }
    let (holder, declared) = (DefinitionId { file, at: holder }, DefinitionId { file, at });
    if has_body_elsewhere(view, holder, declared) {
        return Vec::new();
    }
    let resolver = PathResolver::new(view);
    // In Python, what is abstract has a body too. A value needs none.
    let is_definition =
        |member: DefinitionId| member != declared && (resolver.has_body(member) || !resolver.is_function(member));
    let mut found = BTreeSet::new();
    let mut types = vec![TypeWithout { ty: holder, is_sure: true }];
    let mut asked = 0;
    while let Some(base) = types.get(asked).copied().filter(|_| asked < TYPES) {
        asked += 1;
        for subtype in subtypes(view, &resolver, base.ty, language) {
            if types.iter().any(|known| known.ty == subtype.ty) {
                continue;
            }
            let definition = &definitions(db, subtype.ty.file).list[subtype.ty.at as usize];
            let is_complete_block = rules.blocks_are_complete && definition.kind == SymbolKind::Implementation;
            let own = match is_complete_block {
                // What the type has apart from this block is no part of the trait.
                true => members_inside(view, subtype.ty, name),
                false => resolver.own_members(subtype.ty, name),
            };
            if own.iter().copied().any(is_definition) {
                continue;
            }
            let inherited = match is_complete_block {
                true => Some(false),
                false => resolver.inherits(subtype.ty, name, is_definition),
            };
            if inherited == Some(true) {
                continue;
            }
            let lacking =
                TypeWithout { ty: subtype.ty, is_sure: subtype.is_sure && base.is_sure && inherited.is_some() };
            types.push(lacking);
            if own.is_empty() && !matches!(definition.kind, SymbolKind::Interface | SymbolKind::Trait) {
                found.insert(lacking);
            }
        }
    }
    found.into_iter().collect()
}

/// Members called `name` that are written inside of the type or block `outer`.
fn members_inside(view: GraphView<'_>, outer: DefinitionId, name: &str) -> Vec<DefinitionId> {
    let named = definitions(view.db(), outer.file).definitions_of_name(name);
    let inside = named.filter(|(_, member)| member.parent == Some(outer.at));
    inside.map(|(at, _)| DefinitionId { file: outer.file, at }).collect()
}

/// Whether something apart from the declaration gives its type a body for it.
fn has_body_elsewhere(view: GraphView<'_>, holder: DefinitionId, declaration: DefinitionId) -> bool {
    let db = view.db();
    let named = |at: DefinitionId| definitions(db, at.file).list[at.at as usize].name.as_str();
    let (owner, name) = (named(holder), named(declaration));
    defining(db, LookupText::new(db, name)).iter().any(|file| {
        let all = definitions(db, *file);
        let mut members = all.definitions_of_name(name);
        members.any(|(at, member)| {
            member.has_body
                && all.holder(member) == Some(owner)
                && DefinitionId { file: *file, at } != declaration
                // An overload in the same type is no body of this one.
                && !(*file == holder.file && member.parent == Some(holder.at))
        })
    })
}

/// The types and blocks whose bases lead to `base`, or may.
fn subtypes(view: GraphView<'_>, resolver: &PathResolver<'_>, base: DefinitionId, language: &str) -> Vec<TypeWithout> {
    let db = view.db();
    let name = resolver.name(base);
    let is_only_one = defining(db, LookupText::new(db, name)).len() == 1;
    let mut found = Vec::new();
    for path in view.mentioning(name).iter().take(FILES) {
        let file = db.path_input(path);
        if statements(db, file).language != language {
            continue;
        }
        for (at, definition) in (0..).zip(&definitions(db, file).list) {
            let named = |path: &&String| path.rsplit('.').next() == Some(name);
            let mut bases = definition.bases.iter().filter(named).map(|path| resolver.types_of(file, path));
            let is_sure = bases.find_map(|destination| match &*destination {
                Destination::Definitions(types) if types.contains(&base) => Some(types.len() == 1),
                Destination::Unknown if is_only_one => Some(false),
                _ => None,
            });
            let ty = DefinitionId { file, at };
            found.extend(is_sure.filter(|_| ty != base).map(|is_sure| TypeWithout { ty, is_sure }));
        }
    }
    found
}
