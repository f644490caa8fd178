//! What a file sees, and what a name means in the file.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use icr_model::{ExportAlias, Import, Role, SymbolKind};

use crate::bindings::{Bindings, bindings};
use crate::common_names::is_everyday;
use crate::counterparts::bodies;
use crate::exports::{ALL, Exports, ReExport, definers, exports};
use crate::graph::{Db, PathInput};
use crate::language_rules::{BareMembers, ExtensionMembers, ResolutionRules, WrittenPaths, resolution_rules};
use crate::member_resolution::{DefinitionId, Destination, PathResolver, in_place};
use crate::reach::{ImportNeighbourhood, ReachedFiles, closure};
use crate::resolve::resolved_imports;
use crate::schemes::{has_extensions, may_use_values_of, scheme_of, sees_unpackaged, unpackaged};
use crate::statements::{MentionGroup, definitions, mentions, statements};
use crate::view::{GraphView, LookupText};

/// Most import steps from a file to the definition of a member whose values it can have. In public repositories, 99 of
/// 100 references to other files are within three steps.
const STEPS: u32 = 3;

/// By number of steps, how certain it is that a member of that name is meant, when the text does not give the
/// receiver's type. In public repositories, half of the candidate files two steps away are really referred to, and a
/// fifth of those three steps away.
const SURENESS: [f64; STEPS as usize + 1] = [1.0, 1.0, 0.5, 0.2];

/// Most files that are taken as visible from one file.
const SEEN: usize = 4_000;

/// Most files that may share a reference to a member. If there are more, the name says nothing.
const SHARED: usize = 4;

/// Most files that may define a name. If there are more, none is looked at.
const DEFINING: usize = 400;

/// Most certainty that a bare name is a member of a type that is not around it: something else has to bring it there,
/// such as a block that runs within that type, or a static import of all its members.
pub(crate) const BARE_SHARE: f64 = 0.5;

/// Shortest name, in bytes, that tells what is meant where only one file defines it.
const TELLING_BYTES: usize = 6;

/// How certain it is that such a name means the only definition.
const ALONE_SHARE: f64 = 0.5;

/// Definitions that are added to the count of a common member name (see [`is_everyday`]), because the language's own
/// library has such members too.
const EVERYDAY: usize = 3;

/// A bare name in a role, and the type around it.
type WithinKey<'db> = (String, Role, TypeAround<'db>);

/// What a file can see, and how. Each part is computed only when a question needs it.
pub(crate) struct FileScope<'db> {
    view: GraphView<'db>,
    file: PathInput,
    /// Rules of the language of the file.
    rules: &'static ResolutionRules,
    /// Names that the imports bring.
    bindings: &'db Bindings,
    wildcard_files: OnceCell<WildcardFiles<'db>>,
    /// Files reached by imports.
    seen: RefCell<ImportNeighbourhood>,
    /// Imported files, by the last segment of the import path and by the whole path.
    by_last_part: OnceCell<HashMap<&'db str, Vec<PathInput>>>,
    /// Whether a bare name may be a member, by the language or by an import of all members of a type.
    bare_members: bool,
    /// From which line on which type is the innermost one around.
    types_by_line: OnceCell<Vec<(u32, Option<TypeAround<'db>>)>>,
    /// What bare names are inside of a type.
    within: RefCell<HashMap<WithinKey<'db>, Rc<Destination>>>,
}

/// A name, and the file in which to look for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NameInFile<'db> {
    file: PathInput,
    name: &'db str,
}

/// The type that encloses a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TypeAround<'a> {
    /// Number of its definition in the file.
    Definition(u32),
    /// Its name, for members that are defined outside of their type.
    Named(&'a str),
}

/// Mentions that all have the same meaning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MentionsWithin<'a> {
    pub(crate) mention: MentionGroup<'a>,
    /// The innermost type around them, if the meaning may depend on it.
    pub(crate) around: Option<TypeAround<'a>>,
}

/// Files that a name in a file may mean, each once, with its share of the name. The shares add up to at most 1.
#[derive(Debug, Default)]
pub(crate) struct NameTargets {
    pub(crate) files: Vec<(PathInput, f64)>,
    /// Whether they are meant only because they define a member of that name.
    pub(crate) is_guess: bool,
}

impl<'db> FileScope<'db> {
    /// The scope of `file`.
    pub(crate) fn of(view: GraphView<'db>, file: PathInput) -> Self {
        let db = view.db();
        let statements = statements(db, file);
        let rules = resolution_rules(&statements.language);
        let bare_members = rules.bare_names == BareMembers::Possible || statements.imports.iter().any(takes_members);
        let seen = RefCell::new(ImportNeighbourhood::new(file, STEPS, SEEN));
        let bindings = bindings(db, file);
        Self {
            view,
            file,
            rules,
            bindings,
            wildcard_files: OnceCell::new(),
            seen,
            by_last_part: OnceCell::new(),
            bare_members,
            types_by_line: OnceCell::new(),
            within: RefCell::default(),
        }
    }

    /// Whether a bare name may be a member of a type.
    pub(crate) fn takes_bare_members(&self) -> bool {
        self.bare_members
    }

    /// The mentions of a group in parts, in order, so that all of one part have the same meaning: what a bare name
    /// means depends on the type around it, if it may be a member.
    pub(crate) fn by_type(&self, mention: MentionGroup<'db>) -> Vec<MentionsWithin<'db>> {
        let is_bare = mention.receiver.is_none() && matches!(mention.role, Role::Call | Role::Other);
        if !is_bare || self.rules.bare_names != BareMembers::Possible {
            return vec![MentionsWithin { mention, around: None }];
        }
        let parts = mention.lines.chunk_by(|one, other| self.type_around(*one) == self.type_around(*other));
        let part = |lines: &'db [u32]| MentionsWithin {
            mention: MentionGroup { lines, ..mention },
            around: lines.first().and_then(|line| self.type_around(*line)),
        };
        parts.map(part).collect()
    }

    /// The innermost type around a line.
    fn type_around(&self, line: u32) -> Option<TypeAround<'db>> {
        let types = self.types_by_line.get_or_init(|| self.all_types_by_line());
        let after = types.partition_point(|(first, _)| *first <= line);
        types[..after].last()?.1
    }

    fn all_types_by_line(&self) -> Vec<(u32, Option<TypeAround<'db>>)> {
        let db = self.view.db();
        // A namespace is open to all files, so that its own members are not all that a bare name may mean.
        let is_type = |kind: SymbolKind| {
            use SymbolKind::{Class, Enum, Interface, Module, Struct, Trait};
            matches!(kind, Class | Enum | Interface | Struct | Trait) || kind == Module && self.rules.modules_are_types
        };
        let mut by_line = Vec::new();
        // Ends of the types that are open, the innermost last.
        let mut open: Vec<(u32, TypeAround<'db>)> = Vec::new();
        let close = |open: &mut Vec<(u32, TypeAround<'db>)>, by_line: &mut Vec<_>, before: u32| {
            while let Some((end, _)) = open.pop_if(|(end, _)| *end < before) {
                by_line.push((end + 1, open.last().map(|(_, around)| *around)));
            }
        };
        let list = &definitions(db, self.file).list;
        let all_lines = mentions(db, self.file).definition_lines();
        for (at, (definition, lines)) in list.iter().zip(all_lines).enumerate() {
            // Members of C++ are also defined after their type.
            let is_apart =
                |parent: u32| is_type(list[parent as usize].kind) && all_lines[parent as usize].end < lines.start;
            let around = match &definition.receiver {
                _ if is_type(definition.kind) => TypeAround::Definition(at as u32),
                Some(receiver) => TypeAround::Named(receiver),
                None if definition.kind == SymbolKind::Implementation => TypeAround::Named(&definition.name),
                None => match definition.parent.filter(|parent| is_apart(*parent)) {
                    Some(parent) => TypeAround::Definition(parent),
                    None => continue,
                },
            };
            close(&mut open, &mut by_line, lines.start);
            // A type that ends on the line on which this one begins is not around it.
            while open.pop_if(|(end, _)| *end < lines.end).is_some() {}
            open.push((lines.end, around));
            by_line.push((lines.start, Some(around)));
        }
        close(&mut open, &mut by_line, u32::MAX);
        by_line
    }

    /// What the text says that mentions are: by their receiver, or by the type around them. `None` if it says nothing.
    pub(crate) fn destination(
        &self,
        resolver: &PathResolver<'db>,
        part: &MentionsWithin<'db>,
    ) -> Option<Rc<Destination>> {
        let MentionGroup { name, role, receiver, .. } = part.mention;
        if let Some(receiver) = receiver {
            return Some(resolver.member(self.file, receiver, name));
        }
        let around = part.around?;
        let key = (name.to_owned(), role, around);
        if let Some(known) = self.within.borrow().get(&key) {
            return Some(Rc::clone(known));
        }
        let mut found = resolver.member_within(self.file, around, name);
        if let Destination::Definitions(list) = &mut found {
            // A value is not called, but a type that has its name is; and `Color` in `Color.Red` may be both.
            let is_value = |kind| matches!(kind, SymbolKind::Field | SymbolKind::Variable | SymbolKind::Constant);
            let is_doubtful = |found: &DefinitionId| {
                is_value(resolver.kind(*found)) && role == Role::Call && !self.rules.fields_are_called
                    || resolver.is_named_after_type(*found)
            };
            list.retain(|found| !is_doubtful(found));
            if list.is_empty() {
                found = Destination::Unknown;
            }
        }
        let found = Rc::new(found);
        self.within.borrow_mut().insert(key, Rc::clone(&found));
        Some(found)
    }

    /// Whether extensions of this language are in scope as members of other types, and `file` has one called `name`.
    pub(crate) fn extends(&self, file: PathInput, name: &str) -> bool {
        self.rules.extensions != ExtensionMembers::Absent && extends(self.view, file, name)
    }

    /// How certain it is that a mention of the member `name` means one of `meant` types, where the text does not say
    /// what the receiver is. The file has `own` types with such a member, those among them.
    pub(crate) fn own_share(&self, name: &str, meant: usize, own: usize) -> f64 {
        let db = self.view.db();
        let others = self.in_reach(defining(db, LookupText::new(db, name))).len();
        let everyday = if is_everyday(name) { EVERYDAY } else { 0 };
        meant as f64 / (own + others + everyday).max(1) as f64
    }

    /// Whether an import names `name`, as original name or alias. Other words of an import are parts of its path.
    pub(crate) fn imports(&self, name: &str) -> bool {
        self.bindings.origins_of(name).next().is_some()
    }

    /// Files of imports without a list of names whose path is `name` or ends in it.
    pub(crate) fn imported_as(&self, name: &str) -> &[PathInput] {
        self.by_last_part.get_or_init(|| self.all_by_last_part()).get(name).map_or(&[], Vec::as_slice)
    }

    fn all_by_last_part(&self) -> HashMap<&'db str, Vec<PathInput>> {
        let db = self.view.db();
        let mut by_last_part: HashMap<&str, Vec<PathInput>> = HashMap::new();
        for (import, outcome) in statements(db, self.file).imports.iter().zip(&resolved_imports(db, self.file).outcomes)
        {
            if !import.names.iter().all(|name| name.name == ALL && name.alias.is_some()) {
                continue;
            }
            let whole = import.specifier.as_str();
            let last = whole.rsplit(['.', ':', '\\']).next().unwrap_or(whole);
            for name in std::iter::once(whole).chain((last != whole).then_some(last)) {
                by_last_part.entry(name).or_default().extend(outcome.targets().iter().map(|target| target.file));
            }
        }
        for files in by_last_part.values_mut() {
            files.sort_unstable();
            files.dedup();
        }
        by_last_part
    }

    /// The names that the file uses for the definition `name` of `definer`, which can also be imported under
    /// `other_names`.
    pub(crate) fn names_for<'a>(&self, definer: PathInput, name: &'a str, other_names: &[String]) -> Vec<&'a str>
    where
        'db: 'a,
    {
        let is_it = |(local, file, there): &(&'db str, PathInput, &'db str)| {
            // Most imports can be ruled out by their name alone.
            let is_other_name = || {
                matches!(*there, ExportAlias::DEFAULT | ExportAlias::MODULE)
                    || other_names.iter().any(|other| other == there)
            };
            let leads_to_it = || definers(self.view, *file, there).contains(&(definer, name));
            *local != name && (*there == name || is_other_name() && leads_to_it())
        };
        let renamed = self.bindings.names().filter(is_it);
        let mut names: Vec<&str> = std::iter::once(name).chain(renamed.map(|(local, ..)| local)).collect();
        names.dedup();
        names
    }

    /// Whether an import takes the definition `name` of `definer` under the name `there`.
    pub(crate) fn takes(&self, there: &str, definer: PathInput, name: &str) -> bool {
        let mut taken = self.bindings.names().filter(|(.., other)| *other == there);
        taken.any(|(_, file, there)| definers(self.view, file, there).contains(&(definer, name)))
    }

    /// Files that a mention means, other than the file itself. If the file says what the receiver is, these are the
    /// files that the receiver leads to.
    pub(crate) fn meant_by(&self, resolver: &PathResolver<'db>, part: &MentionsWithin<'db>) -> NameTargets {
        let mention = &part.mention;
        let destination = self.destination(resolver, part);
        if mention.receiver.is_none() {
            return match destination.as_deref() {
                Some(Destination::Definitions(list)) => self.with_bodies(self.files_of(resolver, list), mention.name),
                _ => self.targets_of(mention.name, mention.role),
            };
        }
        let destination = destination.as_deref().unwrap_or(&Destination::Unknown);
        if self.rules.extensions != ExtensionMembers::Absent && !matches!(destination, Destination::Definitions(_)) {
            let extends = |file: &&PathInput| **file != self.file && extends(self.view, **file, mention.name);
            let mut files: Vec<PathInput> = self.imported_as(mention.name).iter().filter(extends).copied().collect();
            // If the type is known to have no such member, an extension that is in scope provides it.
            if files.is_empty() && matches!(destination, Destination::Outside | Destination::Missing) {
                let db = self.view.db();
                let in_reach = &self.wildcard_files().reached.set;
                let defining = defining(db, LookupText::new(db, mention.name)).iter();
                files = defining.filter(|file| in_reach.contains(**file)).filter(extends).copied().collect();
            }
            if !files.is_empty() {
                return NameTargets::with_equal_shares(files, 0);
            }
        }
        match destination {
            Destination::Definitions(list) => self.files_of(resolver, list),
            Destination::Modules(files) => {
                NameTargets::with_equal_shares(files.iter().copied().filter(|file| *file != self.file).collect(), 0)
            }
            Destination::Outside => NameTargets::default(),
            Destination::Missing if self.rules.closes_types => NameTargets::default(),
            Destination::Missing | Destination::Unknown => self.targets_of(mention.name, Role::Member),
        }
    }

    /// The files of definitions, each with an equal share. The file itself is left out, and its share is not given to
    /// the others.
    fn files_of(&self, resolver: &PathResolver<'db>, list: &[DefinitionId]) -> NameTargets {
        let mut files: Vec<PathInput> = list.iter().map(|definition| definition.file).collect();
        files.dedup();
        let all = self.distinct_bodies(resolver, list).unwrap_or(files.len());
        files.retain(|file| *file != self.file);
        let share = 1.0 / all.max(1) as f64;
        NameTargets { files: files.into_iter().map(|file| (file, share)).collect(), is_guess: false }
    }

    /// Number of different definitions in `list`, in a language that declares functions in one file and defines them in
    /// another; `None` in other languages. Counted are the files with a body, and at least one for each type.
    pub(crate) fn distinct_bodies(&self, resolver: &PathResolver<'db>, list: &[DefinitionId]) -> Option<usize> {
        let mut bodies: HashMap<&str, HashSet<PathInput>> = HashMap::new();
        for definition in list.iter().filter(|_| self.rules.declares_apart) {
            let of_type = bodies.entry(resolver.holder(*definition)).or_default();
            of_type.extend(resolver.has_body(*definition).then_some(definition.file));
        }
        self.rules.declares_apart.then(|| bodies.values().map(|files| files.len().max(1)).sum())
    }

    /// Files that `name` means when the file mentions it in `role`, other than the file itself. For declarations,
    /// files with the body count too.
    pub(crate) fn targets_of(&self, name: &str, role: Role) -> NameTargets {
        self.with_bodies(self.direct_targets(name, role), name)
    }

    fn with_bodies(&self, mut meant: NameTargets, name: &str) -> NameTargets {
        if self.rules.declares_apart && !meant.files.is_empty() {
            let declaring: Vec<PathInput> = meant.files.iter().map(|(file, _)| *file).collect();
            let share = meant.files[0].1;
            let bodies = bodies(self.view, &declaring, name).into_iter();
            let others = bodies.filter(|file| *file != self.file && !declaring.contains(file));
            meant.files.extend(others.map(|file| (file, share)).collect::<Vec<_>>());
        }
        meant
    }

    fn direct_targets(&self, name: &str, role: Role) -> NameTargets {
        let db = self.view.db();
        let is_member = role == Role::Member;
        if !is_member {
            if self.imports(name) {
                let bound = self.bindings.origins_of(name).map(|(file, name)| NameInFile { file, name });
                return NameTargets::with_equal_shares(self.definers_of(bound), 0);
            }
            if definitions(db, self.file).offers(name) {
                return NameTargets::default();
            }
        }
        if role == Role::Type {
            let modules = self.modules(name);
            if !modules.is_empty() {
                return NameTargets::with_equal_shares(modules, 0);
            }
        }
        let open = self.wildcard_files();
        let followed = self.definers_of(open.reexports_of(name));
        if !followed.is_empty() {
            return NameTargets::with_equal_shares(followed, 0);
        }
        if role == Role::Call {
            let macros = self.macros(name);
            if !macros.is_empty() {
                return NameTargets::with_equal_shares(macros, 0);
            }
        }
        let may_be_member = is_member || self.bare_members;
        if !may_be_member && open.reached.files.is_empty() && !sees_unpackaged(&statements(db, self.file).language) {
            return NameTargets::default();
        }
        let defining = defining(db, LookupText::new(db, name));
        let is_top = |file: &PathInput| open.reached.set.contains(*file) && definitions(db, *file).offers(name);
        let top: Vec<PathInput> = defining.iter().copied().filter(is_top).collect();
        if !top.is_empty() {
            return NameTargets::with_equal_shares(top, 0);
        }
        if !is_member {
            let unpackaged = unpackaged(self.view, self.view.path(self.file), name, defining);
            if !unpackaged.is_empty() {
                return NameTargets::with_equal_shares(unpackaged, 0);
            }
        }
        if !may_be_member {
            return NameTargets::default();
        }
        let mut meant = NameTargets { is_guess: true, ..self.member_targets(name, defining) };
        // Nothing around the name has such a member.
        if matches!(role, Role::Call | Role::Other) && self.rules.bare_names == BareMembers::Possible {
            meant.files.iter_mut().for_each(|(_, share)| *share *= BARE_SHARE);
        }
        meant
    }

    /// Other files that define the module `name`, where a name means a module wherever it stands.
    fn modules(&self, name: &str) -> Vec<PathInput> {
        let db = self.view.db();
        if self.rules.written_paths != WrittenPaths::ModuleOrAlias {
            return Vec::new();
        }
        let mut files = match in_place(db, self.file, LookupText::new(db, name)) {
            Destination::Modules(files) => files.clone(),
            Destination::Definitions(list) => list.iter().map(|definition| definition.file).collect(),
            _ => Vec::new(),
        };
        files.dedup();
        files.retain(|file| *file != self.file);
        files
    }

    /// Files of the same crate that define a Rust macro called `name`. Such a macro can be in scope by its place in
    /// the text, without an import.
    fn macros(&self, name: &str) -> Vec<PathInput> {
        let (db, view) = (self.view.db(), self.view);
        if !self.rules.scopes_macros_by_place {
            return Vec::new();
        }
        let crate_of = |file: PathInput| view.nearest(view.path(file), "Cargo.toml");
        let is_macro = |file: PathInput| {
            let mut named = definitions(db, file).definitions_of_name(name);
            named.any(|(_, definition)| definition.kind == SymbolKind::Macro)
        };
        let macros = defining(db, LookupText::new(db, name)).iter().copied().filter(|file| is_macro(*file));
        macros.filter(|file| *file != self.file && crate_of(*file) == crate_of(self.file)).collect()
    }

    /// Of the files that define `name`, those whose values the file can have.
    fn member_targets(&self, name: &str, defining: &[PathInput]) -> NameTargets {
        let own = defining.iter().filter(|file| **file == self.file).count();
        let seen = self.in_reach(defining);
        if let ([], [only]) = (seen.as_slice(), defining)
            && *only != self.file
            && self.rules.passes_values_without_import
            && name.len() >= TELLING_BYTES
            && !is_everyday(name)
        {
            return NameTargets { files: vec![(*only, ALONE_SHARE)], ..NameTargets::default() };
        }
        let others = if !seen.is_empty() && is_everyday(name) { EVERYDAY + own } else { own };
        let all = seen.len() + others;
        if all > SHARED {
            return NameTargets::default();
        }
        let share = |step: u32| SURENESS[step as usize] / all as f64;
        let files = seen.into_iter().map(|(file, step)| (file, share(step))).collect();
        NameTargets { files, ..NameTargets::default() }
    }

    /// Of the files that define `name`, the others whose values the file can have, with the number of import steps to
    /// each. At most one more than [`SHARED`]: then it is known that there are too many.
    fn in_reach(&self, defining: &[PathInput]) -> Vec<(PathInput, u32)> {
        let open = &self.wildcard_files().reached.files;
        let own = defining.iter().filter(|file| **file == self.file).count();
        let mut around = self.seen.borrow_mut();
        loop {
            let of_module = |file: PathInput| {
                let path = |file| self.view.path(file);
                may_use_values_of(self.view, path(self.file), path(file)).then_some(1)
            };
            let step_of = |file: &PathInput| {
                let step = around.step_of(*file).or_else(|| of_module(*file))?;
                Some((*file, step)).filter(|_| *file != self.file)
            };
            let seen: Vec<(PathInput, u32)> = defining.iter().filter_map(step_of).take(SHARED + 1).collect();
            let is_all = seen.len() > SHARED || seen.len() + own == defining.len();
            // Take more steps while another defining file may still be reached.
            if is_all || !around.go_on(self.view, open) {
                return seen;
            }
        }
    }

    /// Files all of whose names are in scope: files of the package, included files, and files imported as a whole.
    fn wildcard_files(&self) -> &WildcardFiles<'db> {
        self.wildcard_files
            .get_or_init(|| WildcardFiles::new(self.view, Arc::clone(in_sight(self.view.db(), self.file))))
    }

    /// The files that define the names, found through re-exports. A file where no definition is found stands for
    /// itself.
    fn definers_of(&self, names: impl Iterator<Item = NameInFile<'db>>) -> Vec<PathInput> {
        let mut files = Vec::new();
        for NameInFile { file, name } in names {
            let found = definers(self.view, file, name);
            if found.is_empty() {
                files.push(file);
            }
            files.extend(found.into_iter().map(|(file, _)| file));
        }
        files.sort_unstable();
        files.dedup();
        files.retain(|file| *file != self.file);
        files
    }
}

impl NameTargets {
    /// An equal share for each file, with `others` counted as further files.
    fn with_equal_shares(files: Vec<PathInput>, others: usize) -> Self {
        let share = 1.0 / (files.len() + others).max(1) as f64;
        Self { files: files.into_iter().map(|file| (file, share)).collect(), is_guess: false }
    }

    /// The file's share of the name.
    pub(crate) fn share_of(&self, file: PathInput) -> Option<f64> {
        self.files.iter().find(|(meant, _)| *meant == file).map(|(_, share)| *share)
    }
}

/// Whether the file defines an extension member called `name` of some type.
pub(crate) fn extends(view: GraphView<'_>, file: PathInput, name: &str) -> bool {
    let db = view.db();
    let (all, rules) = (definitions(db, file), resolution_rules(&statements(db, file).language));
    all.definitions_of_name(name).any(|(_, definition)| match rules.extensions {
        ExtensionMembers::ByNameOfClass => {
            definition.kind == SymbolKind::Method && all.holder(definition).is_some_and(has_extensions)
        }
        ExtensionMembers::ByReceiver | ExtensionMembers::Absent => definition.receiver.is_some(),
    })
}

/// Whether an import takes all members of a type, so that its path ends with the name of the type: `use Kind::*`.
fn takes_members(import: &Import) -> bool {
    let last = import.specifier.rsplit("::").next().unwrap_or_default();
    last.starts_with(char::is_uppercase) && import.names.iter().any(|name| name.name == ALL && name.alias.is_none())
}

/// Files all of whose names are in scope, and the names that they re-export.
struct WildcardFiles<'db> {
    reached: Arc<ReachedFiles>,
    /// The exports of those files that re-export single names.
    exports: Vec<&'db Exports>,
    /// Number of re-exported names, counted once per file.
    names_total: usize,
    /// The same exports by name. Built only after so many look-ups that building it costs no more than they did.
    by_name: OnceCell<HashMap<&'db str, Vec<&'db ReExport>>>,
    /// Number of look-ups so far.
    lookups: Cell<usize>,
}

impl<'db> WildcardFiles<'db> {
    fn new(view: GraphView<'db>, reached: Arc<ReachedFiles>) -> Self {
        let exports = reached.files.iter().map(|file| &**exports(view.db(), *file));
        let exports: Vec<&Exports> = exports.filter(|exports| !exports.named.is_empty()).collect();
        let names_total = exports.iter().map(|exports| exports.named.len()).sum();
        Self { reached, exports, names_total, by_name: OnceCell::new(), lookups: Cell::new(0) }
    }

    /// The places where a re-exported name comes from.
    fn reexports_of(&self, name: &str) -> impl Iterator<Item = NameInFile<'db>> {
        let mut found: Vec<&'db ReExport> = Vec::new();
        self.lookups.set(self.lookups.get() + 1);
        if self.lookups.get() * self.exports.len() <= self.names_total {
            found.extend(self.exports.iter().filter_map(|exports| exports.named.get(name)).flatten());
        } else if let Some(offered) = self.by_name.get_or_init(|| self.all_by_name()).get(name) {
            found.extend(offered);
        }
        found.into_iter().map(|offered| NameInFile { file: offered.file, name: &offered.name })
    }

    fn all_by_name(&self) -> HashMap<&'db str, Vec<&'db ReExport>> {
        let mut by_name: HashMap<&str, Vec<&ReExport>> = HashMap::new();
        for (name, offered) in self.exports.iter().flat_map(|exports| &exports.named) {
            by_name.entry(name).or_default().extend(offered);
        }
        by_name
    }
}

/// Files all of whose names the file sees: files of its package, included files, and files imported as a whole. Only
/// the last results are kept, because every file of a package has the same.
#[salsa::tracked(returns(ref), lru = 64)]
pub(crate) fn in_sight(db: &dyn Db, file: PathInput) -> Arc<ReachedFiles> {
    let view = GraphView::new(db);
    let mut whole = bindings(db, file).whole.clone();
    if let Some(scheme) = scheme_of(&statements(db, file).language) {
        whole.extend((scheme.siblings)(view, view.path(file)));
    }
    Arc::new(closure(view, whole, SEEN))
}

/// Files that define `name`; empty when there are so many that the name says nothing.
#[salsa::tracked(returns(deref))]
pub(crate) fn defining<'db>(db: &'db dyn Db, name: LookupText<'db>) -> Box<[PathInput]> {
    let files = GraphView::new(db).defining(name.text(db));
    if files.len() > DEFINING { Box::default() } else { files.iter().map(|file| db.path_input(file)).collect() }
}
