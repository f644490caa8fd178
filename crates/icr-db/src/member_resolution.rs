//! Resolves access paths: from what the text says of a value to the definitions of its type and members.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use icr_model::{ExportAlias, Import, ImportKind, ImportName, SymbolKind, Visibility};

use crate::bindings::{ImportBinding, bindings};
use crate::exports::definers;
use crate::graph::{Db, PathInput};
use crate::known_bases::{may_be_given, may_provide};
use crate::language_rules::{AddedMembers, BareMembers, ResolutionRules, WrittenPaths, resolution_rules};
use crate::resolve::{ImportOutcome, Statement};
use crate::schemes::{scheme_of, unpackaged};
use crate::scope::{TypeAround, defining, in_sight};
use crate::statements::{FileDefinition, definitions, statements};
use crate::view::{GraphView, LookupText, file_name, join, parent};

/// Most nested resolutions: values of values, types of types, bases of bases.
const DEPTH: u32 = 6;

/// Most steps for one mention. Definitions with several types each could multiply the steps.
const STEPS: u32 = 4_096;

/// Most definitions that a path may lead to. A path with more results counts as unknown.
const MOST: usize = 8;

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

/// Functions that create type variables; values of such a type may have any type.
const TYPE_VARIABLES: [&str; 4] = ["NewType", "ParamSpec", "TypeVar", "TypeVarTuple"];

/// A definition, by its file and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, salsa::SalsaValue)]
pub(crate) struct DefinitionId {
    pub(crate) file: PathInput,
    pub(crate) at: u32,
}

/// The result of resolving a path.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) enum Destination {
    /// Definitions of the view, in order, each once.
    Definitions(Vec<DefinitionId>),
    /// Files as modules.
    Modules(Vec<PathInput>),
    /// Something that the view does not define: part of the language, or outside of the repository.
    Outside,
    /// Nothing: a type of the view that has no such member.
    Missing,
    /// The text does not say.
    Unknown,
}

/// Resolves paths, and caches the results of one question.
pub(crate) struct Leads<'db> {
    view: GraphView<'db>,
    known: RefCell<HashMap<(PathInput, String), Rc<Destination>>>,
    /// Steps that are left for the current mention.
    steps_left: Cell<u32>,
}

/// Members of one name in a type, or the bases of a type.
#[derive(Default)]
struct Members {
    found: Vec<DefinitionId>,
    /// Whether there may be more of them than were found.
    is_open: bool,
}

impl<'db> Leads<'db> {
    pub(crate) fn new(view: GraphView<'db>) -> Self {
        Self { view, known: RefCell::default(), steps_left: Cell::new(STEPS) }
    }

    /// What `name` is as a member of `path`, if the file says so.
    pub(crate) fn member(&self, file: PathInput, path: &str, name: &str) -> Rc<Destination> {
        self.steps_left.set(STEPS);
        if let Some(called) = path.strip_suffix("{}") {
            return Rc::new(self.of_argument(file, called, name));
        }
        self.cached_destination(file, [path, ".", name].concat(), 0)
    }

    /// Name of the type that has the definition as a member; empty when it is not a member.
    pub(crate) fn holder(&self, definition: DefinitionId) -> &'db str {
        let all = definitions(self.view.db(), definition.file);
        all.holder(&all.list[definition.at as usize]).unwrap_or_default()
    }

    /// Name of the definition.
    pub(crate) fn name(&self, definition: DefinitionId) -> &'db str {
        &self.definition(definition).name
    }

    /// Members called `name` of the type that `path` leads to in the file, its own or inherited.
    pub(crate) fn members_of(&self, file: PathInput, path: &str, name: &str) -> Vec<DefinitionId> {
        self.steps_left.set(STEPS);
        let mut members = Members::default();
        if let Destination::Definitions(types) = &*self.cached_destination(file, path.to_owned(), 0) {
            let mut met = HashSet::new();
            for ty in types.iter().filter(|ty| has_members(self.definition(**ty).kind)) {
                self.members(*ty, name, 0, &mut members, &mut met);
            }
        }
        members.found
    }

    /// The types that `path` leads to in the file.
    pub(crate) fn types_of(&self, file: PathInput, path: &str) -> Rc<Destination> {
        self.steps_left.set(STEPS);
        self.cached_destination(file, path.to_owned(), 0)
    }

    /// What the bare `name` is inside of a type of the file: a member of it, its own or inherited, or of a type around
    /// it. [`Destination::Missing`] if none of them has one, [`Destination::Unknown`] if that cannot be known.
    pub(crate) fn member_within(&self, file: PathInput, around: TypeAround<'_>, name: &str) -> Destination {
        self.steps_left.set(STEPS);
        let innermost = match around {
            TypeAround::Definition(at) => Destination::Definitions(vec![DefinitionId { file, at }]),
            TypeAround::Named(ty) => Destination::clone(&self.cached_destination(file, ty.to_owned(), 0)),
        };
        let Destination::Definitions(mut types) = innermost else { return Destination::Unknown };
        types.retain(|ty| has_members(self.definition(*ty).kind));
        let mut members = Members::default();
        let is_only_inside =
            rules_of(self.view.db(), file).only_constants_reach_inwards && !name.starts_with(char::is_uppercase);
        let levels = if is_only_inside { 1 } else { DEPTH };
        for _ in 0..levels {
            let mut met = HashSet::new();
            types.iter().for_each(|ty| self.members(*ty, name, 0, &mut members, &mut met));
            types = types.iter().filter_map(|ty| self.type_around(*ty)).collect();
            if !members.found.is_empty() || types.is_empty() {
                break;
            }
        }
        let otherwise = if members.is_open { Destination::Unknown } else { Destination::Missing };
        put_together(self.without_overloads(members.found), Vec::new(), otherwise)
    }

    /// The innermost definition with members around a type, which may be inside of a function.
    fn type_around(&self, ty: DefinitionId) -> Option<DefinitionId> {
        let parent = |ty: &DefinitionId| self.definition(*ty).parent.map(|at| DefinitionId { at, ..*ty });
        let mut around = std::iter::successors(parent(&ty), parent);
        around.find(|around| has_members(self.definition(*around).kind))
    }

    /// Whether the definition has the name of its own type, as in `Color Color`.
    pub(crate) fn is_named_after_type(&self, definition: DefinitionId) -> bool {
        let definition = self.definition(definition);
        definition.path.as_deref().is_some_and(|path| path.rsplit('.').next() == Some(&definition.name))
    }

    pub(crate) fn visibility(&self, definition: DefinitionId) -> Visibility {
        self.definition(definition).visibility
    }

    fn language(&self, definition: DefinitionId) -> &'db str {
        &statements(self.view.db(), definition.file).language
    }

    pub(crate) fn has_body(&self, definition: DefinitionId) -> bool {
        self.definition(definition).has_body
    }

    pub(crate) fn is_function(&self, definition: DefinitionId) -> bool {
        matches!(self.kind(definition), SymbolKind::Function | SymbolKind::Method)
    }

    /// What the definition is.
    pub(crate) fn kind(&self, definition: DefinitionId) -> SymbolKind {
        self.definition(definition).kind
    }

    fn cached_destination(&self, file: PathInput, path: String, depth: u32) -> Rc<Destination> {
        let key = (file, path);
        if let Some(destination) = self.known.borrow().get(&key) {
            return Rc::clone(destination);
        }
        if depth > DEPTH {
            return Rc::new(Destination::Unknown);
        }
        let destination = Rc::new(self.resolve_destination(file, &key.1, depth));
        self.known.borrow_mut().insert(key, Rc::clone(&destination));
        destination
    }

    fn resolve_destination(&self, file: PathInput, path: &str, depth: u32) -> Destination {
        if let Some(outer) = path.strip_suffix("()") {
            let destination = self.cached_destination(file, outer.to_owned(), depth + 1);
            return self.call_result(&destination, depth);
        }
        if path.is_empty() {
            return Destination::Outside;
        }
        if path.ends_with("{}") {
            return Destination::Unknown;
        }
        match path.rsplit_once('.') {
            Some((outer, name)) => {
                let named = || self.written_out(file, path).or_else(|| self.constant_by_full_name(file, path));
                if let Some(module) = self.module(file, path).or_else(named) {
                    return module;
                }
                let destination = self.cached_destination(file, outer.to_owned(), depth + 1);
                match self.step(&destination, name, depth) {
                    destination @ (Destination::Outside | Destination::Unknown) if self.may_be_in_place(file, path) => {
                        match in_place(self.view.db(), file, LookupText::new(self.view.db(), path)) {
                            // A path that begins inside the crate never leads outside.
                            Destination::Unknown if is_within_crate(path) => Destination::Unknown,
                            Destination::Unknown => destination,
                            found => found.clone(),
                        }
                    }
                    destination => destination,
                }
            }
            None => self.written_out(file, path).unwrap_or_else(|| {
                match top(self.view.db(), file, LookupText::new(self.view.db(), path)) {
                    Destination::Unknown => self.constant_by_full_name(file, path).unwrap_or(Destination::Unknown),
                    found => found.clone(),
                }
            }),
        }
    }

    /// The module that `path` names, in full or by an alias, in a language where the place of the mention does not matter.
    fn written_out(&self, file: PathInput, path: &str) -> Option<Destination> {
        let db = self.view.db();
        let is_name = path.starts_with(char::is_uppercase) && !path.contains(['(', '{']);
        if !is_name || rules_of(db, file).written_paths != WrittenPaths::ModuleOrAlias {
            return None;
        }
        match in_place(db, file, LookupText::new(db, path)) {
            found @ (Destination::Modules(_) | Destination::Definitions(_)) => Some(found.clone()),
            _ => None,
        }
    }

    /// The classes or modules that `path` names, or the methods that it takes from one, if there are few: their full names
    /// end with it. Any file may open a module again, so the path is not followed from its first name.
    fn constant_by_full_name(&self, file: PathInput, path: &str) -> Option<Destination> {
        let db = self.view.db();
        let outer = path.rsplit_once('.').map_or(path, |(outer, _)| outer);
        let is_constant =
            outer.split('.').all(|name| name.starts_with(char::is_uppercase)) && !path.contains(['(', '{']);
        if !is_constant || !rules_of(db, file).finds_constants_by_full_name {
            return None;
        }
        match definitions_ending_in(db, LookupText::new(db, path)) {
            found @ Destination::Definitions(_) => Some(found.clone()),
            _ => None,
        }
    }

    /// Files that the path leads to as modules.
    pub(crate) fn modules_at(&self, file: PathInput, path: &str) -> Vec<PathInput> {
        self.steps_left.set(STEPS);
        match &*self.cached_destination(file, path.to_owned(), 0) {
            Destination::Modules(files) => files.clone(),
            _ => Vec::new(),
        }
    }

    /// The module that is imported by a dotted name, `a.b`.
    fn module(&self, file: PathInput, path: &str) -> Option<Destination> {
        let bindings = bindings(self.view.db(), file);
        let mut bound = bindings.of(path).filter(|(rest, _)| rest.is_empty());
        Some(match bound.next()?.1 {
            ImportBinding::Module(file) => Destination::Modules(vec![*file]),
            ImportBinding::Outside => Destination::Outside,
            _ => return None,
        })
    }

    /// What `name` is as a member of an object that is passed to the function `called`: a member of that name in the
    /// file that defines the function.
    fn of_argument(&self, file: PathInput, called: &str, name: &str) -> Destination {
        let Destination::Definitions(list) = &*self.cached_destination(file, called.to_owned(), 0) else {
            return Destination::Unknown;
        };
        let db = self.view.db();
        let mut files: Vec<PathInput> = list.iter().map(|definition| definition.file).collect();
        files.dedup();
        let members = |file: PathInput| {
            let all = definitions(db, file);
            let named = all.definitions_of_name(name).filter(|(_, definition)| all.is_member(definition));
            named.map(move |(at, _)| DefinitionId { file, at })
        };
        let found: Vec<DefinitionId> = files.into_iter().filter(|definer| *definer != file).flat_map(members).collect();
        if found.is_empty() || found.len() > MOST { Destination::Unknown } else { Destination::Definitions(found) }
    }

    /// Whether a path consists of names only, and no import brings the first name.
    fn may_be_in_place(&self, file: PathInput, path: &str) -> bool {
        let db = self.view.db();
        let root = path.split('.').next().unwrap_or_default();
        matches!(rules_of(db, file).written_paths, WrittenPaths::Import | WrittenPaths::ImportOfLastName)
            && !path.contains(['(', '{'])
            && bindings(db, file).of(root).next().is_none()
    }

    /// The result of calling `destination`.
    fn call_result(&self, destination: &Destination, depth: u32) -> Destination {
        let list = match destination {
            Destination::Definitions(list) => list,
            Destination::Modules(files) => match self.themselves(files) {
                itself @ Destination::Definitions(_) => return self.call_result(&itself, depth),
                _ => return Destination::Unknown,
            },
            Destination::Outside => return Destination::Outside,
            Destination::Missing | Destination::Unknown => return Destination::Unknown,
        };
        self.each(list, |definition, kind| match kind {
            SymbolKind::Function | SymbolKind::Method => self.follow(definition, depth),
            SymbolKind::Variant => self.parent(definition),
            kind if has_members(kind) => Destination::Definitions(vec![definition]),
            _ => Destination::Unknown,
        })
    }

    /// What `name` is as a member of `destination`.
    fn step(&self, destination: &Destination, name: &str, depth: u32) -> Destination {
        // Aliases may form a cycle.
        let steps_left = self.steps_left.get();
        if depth > DEPTH || steps_left == 0 {
            return Destination::Unknown;
        }
        self.steps_left.set(steps_left - 1);
        let list = match destination {
            Destination::Definitions(list) => list,
            Destination::Modules(files) => return self.of_modules(files, name, depth),
            Destination::Outside => return Destination::Outside,
            Destination::Missing | Destination::Unknown => return Destination::Unknown,
        };
        let base_name = list.first().and_then(|first| rules_of(self.view.db(), first.file).base_name);
        if base_name == Some(name) || name == "super" {
            return self.each(list, |definition, _| {
                let bases = self.bases(definition, None, depth);
                put_together(
                    bases.found,
                    Vec::new(),
                    if bases.is_open { Destination::Outside } else { Destination::Unknown },
                )
            });
        }
        self.each(list, |definition, kind| match kind {
            kind if has_members(kind) => self.of_type(definition, kind, name, depth),
            SymbolKind::Variant => self.step(&self.parent(definition), name, depth + 1),
            SymbolKind::Macro | SymbolKind::Section | SymbolKind::Key => Destination::Unknown,
            _ => self.step(&self.follow(definition, depth), name, depth + 1),
        })
    }

    /// The results of `of` for all definitions, combined.
    fn each(&self, list: &[DefinitionId], of: impl Fn(DefinitionId, SymbolKind) -> Destination) -> Destination {
        let mut found = Vec::new();
        let mut modules = Vec::new();
        let mut other = None;
        for definition in list {
            match of(*definition, self.definition(*definition).kind) {
                Destination::Definitions(list) => found.extend(list),
                Destination::Modules(files) => modules.extend(files),
                destination => {
                    other = Some(if other.is_none_or(|other| other == destination) {
                        destination
                    } else {
                        Destination::Unknown
                    })
                }
            }
        }
        put_together(found, modules, other.unwrap_or(Destination::Unknown))
    }

    /// The type of the definition, or for a function, the type of its result.
    fn follow(&self, definition: DefinitionId, depth: u32) -> Destination {
        match &self.definition(definition).path {
            Some(path)
                if TYPE_VARIABLES.iter().any(|maker| path.strip_suffix("()").is_some_and(|p| p.ends_with(maker))) =>
            {
                Destination::Unknown
            }
            Some(path) => {
                let destination = self.cached_destination(definition.file, path.clone(), depth + 1);
                // A path that leads back to itself gives no information.
                match &*destination {
                    Destination::Definitions(list) if list.contains(&definition) => Destination::Unknown,
                    destination => destination.clone(),
                }
            }
            None => Destination::Unknown,
        }
    }

    fn parent(&self, definition: DefinitionId) -> Destination {
        match self.definition(definition).parent {
            Some(at) => Destination::Definitions(vec![DefinitionId { at, ..definition }]),
            None => Destination::Unknown,
        }
    }

    fn of_modules(&self, files: &[PathInput], name: &str, depth: u32) -> Destination {
        let mut found = Vec::new();
        let mut modules = Vec::new();
        for file in files {
            for (definer, name) in definers(self.view, *file, name) {
                found.extend(tops(self.view.db(), definer, name));
            }
            let path = self.view.path(*file);
            if found.is_empty() {
                modules.extend(submodules(self.view, path, name));
            }
        }
        if found.is_empty() && modules.is_empty() {
            return self.step(&self.themselves(files), name, depth + 1);
        }
        put_together(found, modules, Destination::Unknown)
    }

    /// The definition that is the module itself, for modules that have one.
    fn themselves(&self, files: &[PathInput]) -> Destination {
        let definers = files.iter().flat_map(|file| definers(self.view, *file, ExportAlias::MODULE));
        let found = definers.flat_map(|(definer, name)| tops(self.view.db(), definer, name)).collect();
        put_together(found, Vec::new(), Destination::Unknown)
    }

    fn of_type(&self, definition: DefinitionId, kind: SymbolKind, name: &str, depth: u32) -> Destination {
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
            return match self.follow(definition, depth) {
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
    fn without_overloads(&self, mut found: Vec<DefinitionId>) -> Vec<DefinitionId> {
        found.sort_unstable();
        found.dedup();
        if found.len() > MOST {
            found.dedup_by_key(|found| (found.file, self.definition(*found).parent));
        }
        found
    }

    /// Members called `name` of the type, its own or inherited.
    fn members(
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
            self.members_apart(ty, name, &mut own);
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
    fn members_apart(&self, ty: DefinitionId, name: &str, found: &mut Vec<DefinitionId>) {
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
                let apart = apart(db, LookupText::new(db, name));
                let first = apart.partition_point(|(owner, _)| owner.as_str() < own_name);
                let of_owner = apart[first..].iter().take_while(|(owner, _)| owner == own_name);
                let is_its =
                    |member: &&DefinitionId| member.file != ty.file && self.is_name_of_type(member.file, own_name, ty);
                found.extend(of_owner.map(|(_, member)| member).filter(is_its));
            }
            AddedMembers::Nowhere => {}
        }
    }

    /// Base types of the type, from all its blocks; `is_open` when a base is not in the view and may have `member`, or
    /// any member if none is asked for.
    fn bases(&self, ty: DefinitionId, member: Option<&str>, depth: u32) -> Members {
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
        matches!(top(db, file, LookupText::new(db, name)), Destination::Definitions(list) if list.iter().any(|destination| destination.file == ty.file))
    }

    fn definition(&self, definition: DefinitionId) -> &'db FileDefinition {
        &definitions(self.view.db(), definition.file).list[definition.at as usize]
    }
}

/// The definitions, if there are few; else the modules; `otherwise` when there is neither.
fn put_together(mut found: Vec<DefinitionId>, modules: Vec<PathInput>, otherwise: Destination) -> Destination {
    found.sort_unstable();
    found.dedup();
    match (found.len(), modules.is_empty()) {
        (0, true) => otherwise,
        (0, false) => Destination::Modules(modules),
        (1..=MOST, _) => Destination::Definitions(found),
        _ => Destination::Unknown,
    }
}

/// Whether definitions of this kind have members.
pub(crate) fn has_members(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Implementation, Interface, Module, Struct, Trait, Type};
    matches!(kind, Class | Enum | Implementation | Interface | Module | Struct | Trait | Type)
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
fn apart<'db>(db: &'db dyn Db, name: LookupText<'db>) -> Box<[(String, DefinitionId)]> {
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

/// Files that define `name` outside of any type, or as a type.
#[salsa::tracked(returns(deref))]
fn top_definers<'db>(db: &'db dyn Db, name: LookupText<'db>) -> Box<[PathInput]> {
    defining(db, name).iter().copied().filter(|file| !tops(db, *file, name.text(db)).is_empty()).collect()
}

/// Definitions called `name` in the file that are outside of any type; types count wherever they are.
fn tops(db: &dyn Db, file: PathInput, name: &str) -> Vec<DefinitionId> {
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

/// What a fully written path leads to, resolved like an import of it.
#[salsa::tracked(returns(ref))]
pub(crate) fn in_place<'db>(db: &'db dyn Db, file: PathInput, path: LookupText<'db>) -> Destination {
    let (view, statements) = (GraphView::new(db), statements(db, file));
    let rules = resolution_rules(&statements.language);
    let may_be_alias = rules.written_paths == WrittenPaths::ModuleOrAlias;
    let Some((outer, name)) = path.text(db).rsplit_once('.').or(may_be_alias.then_some(("", path.text(db)))) else {
        return Destination::Unknown;
    };
    let Some(scheme) = scheme_of(&statements.language) else { return Destination::Unknown };
    let import = |specifier: String, names: Vec<ImportName>| Import {
        specifier,
        names,
        kind: ImportKind::Import,
        type_only: false,
        reexport: false,
        line: 1,
    };
    let import = match rules.written_paths {
        WrittenPaths::ImportOfLastName if is_around_modules(db, file, outer) && !tops(db, file, name).is_empty() => {
            return Destination::Definitions(tops(db, file, name));
        }
        WrittenPaths::ImportOfLastName => {
            import(outer.replace('.', "::"), vec![ImportName { name: name.to_owned(), alias: None }])
        }
        WrittenPaths::Import | WrittenPaths::ModuleOrAlias => import(path.text(db).to_owned(), Vec::new()),
        WrittenPaths::Nothing => return Destination::Unknown,
    };
    let resolve = |import: &Import| {
        let statement = Statement { path: view.path(file), language: &statements.language, import, inside: &[] };
        (scheme.resolve)(view, &statement)
    };
    let mut outcome = resolve(&import);
    if may_be_alias {
        // When several aliases end in the same name, the text does not say which one is meant, so all count.
        let mut targets = outcome.targets().to_vec();
        for specifier in without_alias(&statements.imports, path.text(db)) {
            targets.extend_from_slice(resolve(&Import { specifier, ..import.clone() }).targets());
        }
        outcome = if targets.is_empty() { outcome } else { ImportOutcome::Files(targets) };
    }
    match outcome {
        ImportOutcome::Files(targets) => {
            let mut files: Vec<PathInput> = targets.iter().map(|target| target.file).collect();
            files.sort_unstable();
            files.dedup();
            // A function in the module may have the name of the module.
            let is_module = |file: &&PathInput| rules.files_are_modules && is_module_file(view, **file, name);
            let modules: Vec<PathInput> = files.iter().filter(is_module).copied().collect();
            if !modules.is_empty() {
                return Destination::Modules(modules);
            }
            let mut found: Vec<DefinitionId> = files
                .iter()
                .flat_map(|file| definers(view, *file, name))
                .flat_map(|(file, name)| tops(db, file, name))
                .collect();
            found.sort_unstable();
            found.dedup();
            let is_lost = |file: &PathInput| is_only_module(view, *file, last_name(outer));
            match found.is_empty() {
                // The module exists and has nothing of that name.
                true if rules.files_are_modules && files.iter().all(is_lost) => Destination::Missing,
                true => Destination::Modules(files),
                false => Destination::Definitions(found),
            }
        }
        ImportOutcome::External => Destination::Outside,
        ImportOutcome::Unresolved => Destination::Unknown,
    }
}

/// Classes and modules whose full names end with `path`, in languages that find them so; also methods, if its last name
/// is none of a constant.
#[salsa::tracked(returns(ref))]
fn definitions_ending_in<'db>(db: &'db dyn Db, path: LookupText<'db>) -> Destination {
    let path = path.text(db);
    let last = last_name(path);
    let mut found = Vec::new();
    for file in defining(db, LookupText::new(db, last)).iter().copied() {
        if !rules_of(db, file).finds_constants_by_full_name {
            continue;
        }
        let all = definitions(db, file);
        let is_constant = last.starts_with(char::is_uppercase);
        let named = all.definitions_of_name(last);
        let named = named.filter(|(_, definition)| has_members(definition.kind) == is_constant);
        let is_it = |(_, definition): &(u32, &FileDefinition)| {
            let full = name_with_modules(&all.list, definition);
            full.strip_suffix(path).is_some_and(|outer| outer.is_empty() || outer.ends_with('.'))
        };
        found.extend(named.filter(is_it).map(|(at, _)| DefinitionId { file, at }));
    }
    put_together(found, Vec::new(), Destination::Unknown)
}

/// The names of the definition and of all around it, the outermost first, joined by `.`.
fn name_with_modules(all: &[FileDefinition], definition: &FileDefinition) -> String {
    /// Most nested definitions; written code has fewer. The limit bounds the cost of damaged facts.
    const DEEPEST: usize = 32;
    let parent = |definition: &&FileDefinition| definition.parent.map(|parent| &all[parent as usize]);
    let around = std::iter::successors(Some(definition), parent).take(DEEPEST);
    let mut names: Vec<&str> =
        around.flat_map(|around| [Some(around.name.as_str()), around.receiver.as_deref()]).flatten().collect();
    names.reverse();
    names.join(".")
}

/// Full names of the modules that a file may mean by `path`, when its first name may be an alias from
/// `imports`.
fn without_alias(imports: &[Import], path: &str) -> Vec<String> {
    let (root, rest) = path.split_at(path.find('.').unwrap_or(path.len()));
    let is_it = |import: &&Import| match import.names.iter().find_map(|name| name.alias.as_deref()) {
        Some(alias) => alias == root,
        None => import.specifier.rsplit_once('.').is_some_and(|(_, last)| last == root),
    };
    let mut names: Vec<String> =
        imports.iter().filter(is_it).map(|import| [&import.specifier, rest].concat()).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MOST);
    names
}

/// The rules of the language of a file.
fn rules_of(db: &dyn Db, file: PathInput) -> &'static ResolutionRules {
    resolution_rules(&statements(db, file).language)
}

/// The last name of a path.
fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Whether the file is the Rust module `name`.
fn is_module_file(view: GraphView<'_>, file: PathInput, name: &str) -> bool {
    let path = view.path(file);
    let stem = file_name(path).strip_suffix(".rs").unwrap_or_default();
    name == if stem == "mod" { file_name(parent(path)) } else { stem }
}

/// Whether the file is the Rust module `name` and defines no type of that name, which a path may mean as well.
fn is_only_module(view: GraphView<'_>, file: PathInput, name: &str) -> bool {
    let is_type = |(_, definition): (u32, &FileDefinition)| has_members(definition.kind);
    is_module_file(view, file, name) && !definitions(view.db(), file).definitions_of_name(name).any(is_type)
}

/// Whether a Rust path begins inside its crate.
fn is_within_crate(path: &str) -> bool {
    matches!(path.split('.').next(), Some("crate" | "self" | "super"))
}

/// Whether a path of `super` steps may begin in an inline module of the file, so that it leads to the file itself.
fn is_around_modules(db: &dyn Db, file: PathInput, outer: &str) -> bool {
    let mut all = definitions(db, file).list.iter();
    outer.split('.').all(|step| step == "super")
        && all.any(|definition| definition.kind == SymbolKind::Module && definition.has_body)
}

/// What a name means as the first name of a path in the file.
#[salsa::tracked(returns(ref))]
fn top<'db>(db: &'db dyn Db, file: PathInput, name: LookupText<'db>) -> Destination {
    let view = GraphView::new(db);
    let text = name.text(db);
    let bindings = bindings(db, file);
    let (mut found, mut modules, mut other) = (Vec::new(), Vec::new(), None);
    for (rest, bound) in bindings.of(text) {
        match bound {
            // Skipped, because the binding of the module itself, which is beside it, leads there.
            ImportBinding::Name(_, name) if name == ExportAlias::MODULE => {}
            ImportBinding::Name(file, name) => {
                let definers = definers(view, *file, name);
                if definers.is_empty() {
                    modules.push(*file);
                }
                definers.into_iter().for_each(|(definer, name)| found.extend(tops(db, definer, name)));
            }
            ImportBinding::Module(file) if rest.is_empty() => match tops(db, *file, text) {
                defined if defined.is_empty() => modules.push(*file),
                defined => found.extend(defined),
            },
            ImportBinding::Module(file) => modules.extend(package_around(view, *file, rest)),
            ImportBinding::Outside => other = other.or(Some(Destination::Outside)),
            ImportBinding::Unresolved => other = Some(Destination::Unknown),
        }
    }
    if found.is_empty() && modules.is_empty() && other.is_none() {
        found = tops(db, file, text);
    }
    let bare_members = rules_of(db, file).bare_names == BareMembers::Possible;
    let named = |file: PathInput| match bare_members {
        true => definitions(db, file).definitions_of_name(text).map(|(at, _)| DefinitionId { file, at }).collect(),
        false => tops(db, file, text),
    };
    if bare_members && found.is_empty() && modules.is_empty() && other.is_none() {
        found = named(file);
    }
    // A block of members has the name of its type but does not define it.
    let is_block =
        |found: &DefinitionId| definitions(db, found.file).list[found.at as usize].kind == SymbolKind::Implementation;
    let blocks = found.clone();
    if found.iter().all(is_block) && modules.is_empty() && other.is_none() {
        let candidates = if bare_members { defining(db, name) } else { top_definers(db, name) };
        if !candidates.is_empty() {
            let in_sight = in_sight(db, file);
            let in_reach = candidates.iter().copied().filter(|file| in_sight.set.contains(*file));
            in_reach.for_each(|file| found.extend(named(file)));
            if found.iter().all(is_block) {
                let unpackaged = unpackaged(view, view.path(file), text, candidates);
                found.extend(unpackaged.into_iter().flat_map(|file| tops(db, file, text)));
            }
            if found.is_empty() {
                // Some file defines the name, but it is not known how it could be visible from here.
                other = Some(Destination::Unknown);
            }
        }
    }
    match found.iter().all(is_block) {
        true if !blocks.is_empty() => found = blocks,
        true => {}
        false => found.retain(|found| !is_block(found)),
    }
    put_together(found, modules, other.unwrap_or(Destination::Outside))
}
