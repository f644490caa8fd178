//! Members of types: their own, inherited ones, and those that other files add.

use std::collections::HashSet;

use icr_model::SymbolKind;

use super::first_names::meaning_of_first_name;
use super::{DEPTH, DefinitionId, Destination, MOST, PathResolver, STEPS, has_members, rules_of};
use crate::graph::{Db, PathInput};
use crate::known_bases::{may_be_given, may_provide};
use crate::language_rules::AddedMembers;
use crate::scope::defining;
use crate::statements::definitions;
use crate::view::{LookupText, parent};

/// Members that return a value like the one they are called on, when its type itself has no member of that name.
pub(crate) const PASSING: [&str; 18] = [
    "as_mut",
    "as_ref",
    "as_deref",
    "borrow",
    "borrow_mut",
    "clone",
    "cloned",
    "copy",
    "expect",
    "get",
    "lock",
    "read",
    "to_owned",
    "unwrap",
    "unwrap_or_default",
    "unwrap_or_else",
    "write",
    "await",
];

/// Most types that are examined for a base.
const SUBTYPES: usize = 64;

/// Members of one name in a type, or the bases of a type.
#[derive(Default)]
pub(super) struct Members {
    pub(super) found: Vec<DefinitionId>,
    /// Whether there may be more of them than were found.
    pub(super) is_open: bool,
}

impl PathResolver<'_> {
    pub(super) fn member_of_type(
        &self,
        definition: DefinitionId,
        kind: SymbolKind,
        name: &str,
        depth: u32,
    ) -> Destination {
        let mut members = Members::default();
        self.members(definition, name, depth, &mut members, &mut HashSet::new());
        if !members.found.is_empty() {
            return Destination::Definitions(self.without_overloads(members.found));
        }
        let rules = rules_of(self.view.db(), definition.file);
        if PASSING.contains(&name) || rules.constructing_member == Some(name) {
            return Destination::Definitions(vec![definition]);
        }
        if kind == SymbolKind::Type {
            return match self.type_of_value(definition, depth) {
                Destination::Unknown => Destination::Unknown,
                Destination::Outside if rules.composites_are_bare && self.is_composite(definition) => {
                    Destination::Missing
                }
                destination => self.step(&destination, name, depth + 1),
            };
        }
        // Whether the code tests for a subtype is not examined.
        let is_open = members.is_open
            || may_be_given(self.language(definition), name)
            || rules.narrows_types && self.is_member_of_subtype(definition, name, depth);
        if is_open { Destination::Unknown } else { Destination::Missing }
    }

    /// Whether a type that inherits from `ty` has a member called `name`, or too many types have one.
    fn is_member_of_subtype(&self, ty: DefinitionId, name: &str, depth: u32) -> bool {
        let db = self.view.db();
        let holders = defining(db, LookupText::new(db, name)).iter().flat_map(|file| {
            let named = definitions(db, *file).definitions_of_name(name);
            named.filter_map(|(_, definition)| Some(DefinitionId { file: *file, at: definition.parent? }))
        });
        let holders = holders.filter(|holder| has_members(self.kind(*holder)));
        let mut types: Vec<DefinitionId> = holders.take(SUBTYPES).collect();
        let mut asked = 0;
        while let Some(subtype) = types.get(asked).copied() {
            if types.len() >= SUBTYPES {
                return true;
            }
            asked += 1;
            for base in self.bases(subtype, None, depth + 1).found {
                if base == ty {
                    return true;
                }
                if !types.contains(&base) {
                    types.push(base);
                }
            }
        }
        false
    }

    /// Whether a type is given in place, not by the name of another package's type.
    fn is_composite(&self, ty: DefinitionId) -> bool {
        self.definition(ty).path.as_deref().is_none_or(|path| !path.contains('.'))
    }

    /// The definitions, in order and each once; of one type only the first, if they are more than a path may lead to.
    pub(super) fn without_overloads(&self, mut found: Vec<DefinitionId>) -> Vec<DefinitionId> {
        found.sort_unstable();
        found.dedup();
        if found.len() > MOST {
            found.dedup_by_key(|found| (found.file, self.definition(*found).parent));
        }
        found
    }

    /// Members called `name` of the type, its own or inherited.
    pub(super) fn members(
        &self,
        ty: DefinitionId,
        name: &str,
        depth: u32,
        members: &mut Members,
        met: &mut HashSet<DefinitionId>,
    ) {
        if depth > DEPTH || !met.insert(ty) {
            return;
        }
        let own = self.own_members(ty, name);
        if !own.is_empty() {
            members.found.extend(own);
            return;
        }
        let bases = self.bases(ty, Some(name), depth);
        members.is_open |= bases.is_open;
        for base in bases.found {
            if has_members(self.definition(base).kind) {
                self.members(base, name, depth + 1, members, met);
            } else {
                members.is_open = true;
            }
        }
    }

    /// Members called `name` of the type itself, in its own file or added by others.
    pub(crate) fn own_members(&self, ty: DefinitionId, name: &str) -> Vec<DefinitionId> {
        let own_name = self.definition(ty).name.as_str();
        let mut own = members_in(self.view.db(), ty.file, own_name, name);
        // The file may have several types of that name.
        let is_inside = |member: &DefinitionId| self.definition(*member).parent == Some(ty.at);
        if own.iter().any(is_inside) {
            own.retain(|member| is_inside(member) || self.definition(*member).receiver.is_some());
        }
        if own.is_empty() {
            self.members_from_other_files(ty, name, &mut own);
        }
        own
    }

    /// Whether a base of the type has a member called `name` that is `wanted`; `None` if that cannot be known.
    pub(crate) fn inherits(&self, ty: DefinitionId, name: &str, wanted: impl Fn(DefinitionId) -> bool) -> Option<bool> {
        self.steps_left.set(STEPS);
        let mut members = Members::default();
        let mut met = HashSet::from([ty]);
        let bases = self.bases(ty, Some(name), 0);
        for base in bases.found.iter().filter(|base| has_members(self.kind(**base))) {
            self.members(*base, name, 1, &mut members, &mut met);
        }
        match members.found.into_iter().any(wanted) {
            true => Some(true),
            false => (!bases.is_open && !members.is_open).then_some(false),
        }
    }

    /// Members called `name` that other files add to the type.
    fn members_from_other_files(&self, ty: DefinitionId, name: &str, found: &mut Vec<DefinitionId>) {
        let db = self.view.db();
        let own_name = self.definition(ty).name.as_str();
        match rules_of(db, ty.file).added_members {
            // No other file is read.
            AddedMembers::InDirectory => {
                let directory = parent(self.view.path(ty.file));
                let is_beside = |file: &&PathInput| **file != ty.file && parent(self.view.path(**file)) == directory;
                let beside = defining(db, LookupText::new(db, name)).iter().filter(is_beside);
                found.extend(beside.flat_map(|file| members_in(db, *file, own_name, name)));
            }
            AddedMembers::Anywhere => {
                let added = added_members(db, LookupText::new(db, name));
                let first = added.partition_point(|(owner, _)| owner.as_str() < own_name);
                let of_owner = added[first..].iter().take_while(|(owner, _)| owner == own_name);
                let is_its =
                    |member: &&DefinitionId| member.file != ty.file && self.is_name_of_type(member.file, own_name, ty);
                found.extend(of_owner.map(|(_, member)| member).filter(is_its));
            }
            AddedMembers::Nowhere => {}
        }
    }

    /// Base types of the type, from all its blocks; `is_open` when a base is not in the view and may have `member`, or
    /// any member if none is asked for.
    pub(super) fn bases(&self, ty: DefinitionId, member: Option<&str>, depth: u32) -> Members {
        let own_name = self.definition(ty).name.as_str();
        let mut bases = Members::default();
        for (_, block) in definitions(self.view.db(), ty.file).definitions_of_name(own_name) {
            for base in &block.bases {
                match &*self.cached_destination(ty.file, base.clone(), depth + 1) {
                    Destination::Definitions(found) => bases.found.extend(found),
                    Destination::Outside => {
                        bases.is_open |= member.is_none_or(|member| may_provide(self.language(ty), base, member));
                    }
                    _ => bases.is_open = true,
                }
            }
        }
        bases
    }

    /// Whether `name` means the type in the file.
    fn is_name_of_type(&self, file: PathInput, name: &str, ty: DefinitionId) -> bool {
        let db = self.view.db();
        matches!(meaning_of_first_name(db, file, LookupText::new(db, name)), Destination::Definitions(list) if list.iter().any(|destination| destination.file == ty.file))
    }
}

/// Definitions called `name` in the file that are members of something called `owner`.
fn members_in(db: &dyn Db, file: PathInput, owner: &str, name: &str) -> Vec<DefinitionId> {
    let all = definitions(db, file);
    let named = all.definitions_of_name(name).filter(|(_, definition)| all.holder(definition) == Some(owner));
    named.map(|(at, _)| DefinitionId { file, at }).collect()
}

/// Definitions of the name that are outside of their type: in a block of members, or with a receiver. Each with the
/// name of the type, ordered by it.
#[salsa::tracked(returns(deref))]
fn added_members<'db>(db: &'db dyn Db, name: LookupText<'db>) -> Box<[(String, DefinitionId)]> {
    let mut found = Vec::new();
    for file in defining(db, name).iter().copied() {
        let all = definitions(db, file);
        for (at, definition) in all.definitions_of_name(name.text(db)) {
            let parent = definition.parent.map(|parent| &all.list[parent as usize]);
            let block = parent.filter(|parent| matches!(parent.kind, SymbolKind::Implementation | SymbolKind::Module));
            if let Some(owner) = definition.receiver.as_ref().or(block.map(|block| &block.name)) {
                found.push((owner.clone(), DefinitionId { file, at }));
            }
        }
    }
    found.sort_unstable();
    found.into()
}
