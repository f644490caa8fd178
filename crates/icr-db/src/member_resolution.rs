//! Resolves access paths: from what the text says of a value to the definitions of its type and members.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use icr_model::{ExportAlias, SymbolKind, Visibility};

use self::first_names::{meaning_of_first_name, top_level_definitions};
use self::members::Members;
use self::written_paths::definitions_ending_in;
use crate::bindings::{ImportBinding, bindings};
use crate::exports::definers;
use crate::graph::{Db, PathInput};
use crate::language_rules::{ResolutionRules, WrittenPaths, resolution_rules};
use crate::scope::TypeAround;
use crate::statements::{FileDefinition, definitions, statements};
use crate::view::{GraphView, LookupText};

mod first_names;
mod members;
mod written_paths;

pub(crate) use self::first_names::submodules;
pub(crate) use self::members::PASSING;
pub(crate) use self::written_paths::in_place;

/// Most nested resolutions: values of values, types of types, bases of bases.
const DEPTH: u32 = 6;

/// Most steps for one mention. Definitions with several types each could multiply the steps.
const STEPS: u32 = 4_096;

/// Most definitions that a path may lead to. A path with more results counts as unknown.
const MOST: usize = 8;

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
pub(crate) struct PathResolver<'db> {
    view: GraphView<'db>,
    /// Where paths lead, by the file that they stand in.
    destinations: RefCell<HashMap<(PathInput, String), Rc<Destination>>>,
    /// Steps that are left for the current mention.
    steps_left: Cell<u32>,
}

impl<'db> PathResolver<'db> {
    pub(crate) fn new(view: GraphView<'db>) -> Self {
        Self { view, destinations: RefCell::default(), steps_left: Cell::new(STEPS) }
    }

    /// What `name` is as a member of `path`, if the file says so.
    pub(crate) fn member(&self, file: PathInput, path: &str, name: &str) -> Rc<Destination> {
        self.steps_left.set(STEPS);
        if let Some(called) = path.strip_suffix("{}") {
            return Rc::new(self.member_of_argument(file, called, name));
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

    /// Members called `name` of a type, its own or else those that it inherits; of an alias, those of the type that it
    /// stands for. With whether there may be others, because a base or that type is not in the view.
    pub(crate) fn members_of_type(&self, ty: DefinitionId, name: &str) -> (Vec<DefinitionId>, bool) {
        self.steps_left.set(STEPS);
        let (mut members, mut met) = (Members::default(), HashSet::new());
        self.members(ty, name, 0, &mut members, &mut met);
        if members.found.is_empty() && self.kind(ty) == SymbolKind::Type && self.definition(ty).path.is_some() {
            match self.type_of_value(ty, 0) {
                Destination::Definitions(types) => {
                    let types = types.into_iter().filter(|ty| has_members(self.kind(*ty)));
                    types.for_each(|ty| self.members(ty, name, 1, &mut members, &mut met));
                }
                _ => members.is_open = true,
            }
        }
        (self.without_overloads(members.found), members.is_open)
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
        combined_destination(self.without_overloads(members.found), Vec::new(), otherwise)
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
        if let Some(destination) = self.destinations.borrow().get(&key) {
            return Rc::clone(destination);
        }
        if depth > DEPTH {
            return Rc::new(Destination::Unknown);
        }
        let destination = Rc::new(self.resolve_destination(file, &key.1, depth));
        self.destinations.borrow_mut().insert(key, Rc::clone(&destination));
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
                match meaning_of_first_name(self.view.db(), file, LookupText::new(self.view.db(), path)) {
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
    fn member_of_argument(&self, file: PathInput, called: &str, name: &str) -> Destination {
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
            Destination::Modules(files) => match self.definitions_of_modules(files) {
                itself @ Destination::Definitions(_) => return self.call_result(&itself, depth),
                _ => return Destination::Unknown,
            },
            Destination::Outside => return Destination::Outside,
            Destination::Missing | Destination::Unknown => return Destination::Unknown,
        };
        self.combine(list, |definition, kind| match kind {
            SymbolKind::Function | SymbolKind::Method => self.type_of_value(definition, depth),
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
            Destination::Modules(files) => return self.member_of_modules(files, name, depth),
            Destination::Outside => return Destination::Outside,
            Destination::Missing | Destination::Unknown => return Destination::Unknown,
        };
        let base_name = list.first().and_then(|first| rules_of(self.view.db(), first.file).base_name);
        if base_name == Some(name) || name == "super" {
            return self.combine(list, |definition, _| {
                let bases = self.bases(definition, None, depth);
                combined_destination(
                    bases.found,
                    Vec::new(),
                    if bases.is_open { Destination::Outside } else { Destination::Unknown },
                )
            });
        }
        self.combine(list, |definition, kind| match kind {
            kind if has_members(kind) => self.member_of_type(definition, kind, name, depth),
            SymbolKind::Variant => self.step(&self.parent(definition), name, depth + 1),
            SymbolKind::Macro | SymbolKind::Section | SymbolKind::Key => Destination::Unknown,
            _ => self.step(&self.type_of_value(definition, depth), name, depth + 1),
        })
    }

    /// The results of `of` for all definitions, combined.
    fn combine(&self, list: &[DefinitionId], of: impl Fn(DefinitionId, SymbolKind) -> Destination) -> Destination {
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
        combined_destination(found, modules, other.unwrap_or(Destination::Unknown))
    }

    /// The type of the definition, or for a function, the type of its result.
    fn type_of_value(&self, definition: DefinitionId, depth: u32) -> Destination {
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

    fn member_of_modules(&self, files: &[PathInput], name: &str, depth: u32) -> Destination {
        let mut found = Vec::new();
        let mut modules = Vec::new();
        for file in files {
            for (definer, name) in definers(self.view, *file, name) {
                found.extend(top_level_definitions(self.view.db(), definer, name));
            }
            let path = self.view.path(*file);
            if found.is_empty() {
                modules.extend(submodules(self.view, path, name));
            }
        }
        if found.is_empty() && modules.is_empty() {
            return self.step(&self.definitions_of_modules(files), name, depth + 1);
        }
        combined_destination(found, modules, Destination::Unknown)
    }

    /// The definition that is the module itself, for modules that have one.
    fn definitions_of_modules(&self, files: &[PathInput]) -> Destination {
        let definers = files.iter().flat_map(|file| definers(self.view, *file, ExportAlias::MODULE));
        let found = definers.flat_map(|(definer, name)| top_level_definitions(self.view.db(), definer, name)).collect();
        combined_destination(found, Vec::new(), Destination::Unknown)
    }

    fn definition(&self, definition: DefinitionId) -> &'db FileDefinition {
        &definitions(self.view.db(), definition.file).list[definition.at as usize]
    }
}

/// The definitions, if there are few; else the modules; `otherwise` when there is neither.
fn combined_destination(mut found: Vec<DefinitionId>, modules: Vec<PathInput>, otherwise: Destination) -> Destination {
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
pub fn has_members(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Implementation, Interface, Module, Struct, Trait, Type};
    matches!(kind, Class | Enum | Implementation | Interface | Module | Struct | Trait | Type)
}

/// The rules of the language of a file.
fn rules_of(db: &dyn Db, file: PathInput) -> &'static ResolutionRules {
    resolution_rules(&statements(db, file).language)
}

/// Whether a Rust path begins inside its crate.
fn is_within_crate(path: &str) -> bool {
    matches!(path.split('.').next(), Some("crate" | "self" | "super"))
}
