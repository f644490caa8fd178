//! What a file sees, and what a name means in it.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use icr_model::{ExportAlias, Import, Role, SymbolKind};

use crate::bindings::{Bindings, bindings};
use crate::common_names::is_everyday;
use crate::counterparts::{DECLARING, bodies};
use crate::exports::{ALL, Exports, ReExport, definers, exports};
use crate::graph::{Db, PathInput};
use crate::member_resolution::{CLOSED, Destination, Leads, in_place};
use crate::reach::{ImportNeighbourhood, ReachedFiles, closure};
use crate::resolve::resolved_imports;
use crate::schemes::scheme_of;
use crate::statements::{MentionGroup, definitions, statements};
use crate::view::{GraphView, LookupText};

/// Imports between a file and the definitions of members that it can have values of. In public repositories 99 of 100
/// references to other files stay within three.
const STEPS: u32 = 3;

/// How sure it is that a member is one that is so many steps away, when the text does not say of what it is one. Of files two steps
/// away that one could be meant of, half are referred to in public repositories, of those three steps away a fifth.
const SURENESS: [f64; STEPS as usize + 1] = [1.0, 1.0, 0.5, 0.2];

/// Most files that a file is taken to see.
const SEEN: usize = 4_000;

/// Most files that may share a reference to a member; above, the name says nothing.
const SHARED: usize = 4;

/// Most files looked at that define one name.
const DEFINING: usize = 400;

/// Languages whose bare names may be members: of the object at hand, or because the syntax does not tell.
pub(crate) const BARE_MEMBERS: [&str; 9] = ["cpp", "csharp", "dart", "java", "kotlin", "php", "ruby", "scala", "swift"];

/// Languages with extension functions that are imported by name.
pub(crate) const EXTENDING: [&str; 1] = ["kotlin"];

/// What an everyday name counts for beside the definitions of it.
const EVERYDAY: usize = 3;

/// What a file can see, and how. What a question does not need is not worked out.
pub(crate) struct FileScope<'db> {
    view: GraphView<'db>,
    file: PathInput,
    /// What imports bring.
    bindings: &'db Bindings,
    open: OnceCell<WildcardFiles<'db>>,
    /// Files reached by imports.
    seen: RefCell<ImportNeighbourhood>,
    /// Files that imports lead to, by the last part of a path and by all of it.
    by_last_part: OnceCell<HashMap<&'db str, Vec<PathInput>>>,
    /// Whether the language lets members be named bare.
    bare_members: bool,
    /// Whether it declares in one file what another one defines.
    declares_apart: bool,
}

/// A name of a file that is asked for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NameInFile<'db> {
    file: PathInput,
    name: &'db str,
}

/// Files that a name in a file may mean, each once, with the share that it has of the name; shares add up to at most 1.
#[derive(Debug, Default)]
pub(crate) struct NameTargets {
    pub(crate) files: Vec<(PathInput, f64)>,
}

impl<'db> FileScope<'db> {
    /// What `file` sees.
    pub(crate) fn of(view: GraphView<'db>, file: PathInput) -> Self {
        let db = view.db();
        let statements = statements(db, file);
        let bare_members =
            BARE_MEMBERS.contains(&statements.language.as_str()) || statements.imports.iter().any(takes_members);
        let declares_apart = DECLARING.contains(&statements.language.as_str());
        let seen = RefCell::new(ImportNeighbourhood::new(file, STEPS, SEEN));
        let bindings = bindings(db, file);
        Self {
            view,
            file,
            bindings,
            open: OnceCell::new(),
            seen,
            by_last_part: OnceCell::new(),
            bare_members,
            declares_apart,
        }
    }

    /// Whether an import names `name`, under this name or another. Other words of an import are parts of a path.
    pub(crate) fn imports(&self, name: &str) -> bool {
        self.bindings.origins_of(name).next().is_some()
    }

    /// Files that an import without a list of names leads to, where its path is `name` or ends in it.
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

    /// What the file calls what `definer` calls `name`, and others can take under `other_names` too.
    pub(crate) fn names_for<'a>(&self, definer: PathInput, name: &'a str, other_names: &[String]) -> Vec<&'a str>
    where
        'db: 'a,
    {
        let is_it = |(local, file, there): &(&'db str, PathInput, &'db str)| {
            // Of most imports the name alone says that they take something else.
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

    /// Whether an import takes as `there` what `definer` calls `name`.
    pub(crate) fn takes(&self, there: &str, definer: PathInput, name: &str) -> bool {
        let mut taken = self.bindings.names().filter(|(.., other)| *other == there);
        taken.any(|(_, file, there)| definers(self.view, file, there).contains(&(definer, name)))
    }

    /// Files that a mention means, besides the file itself: those that its receiver leads to where the file says one.
    pub(crate) fn meant_by(&self, leads: &Leads<'db>, mention: &MentionGroup<'_>) -> NameTargets {
        let Some(receiver) = mention.receiver else { return self.targets_of(mention.name, mention.role) };
        let language = statements(self.view.db(), self.file).language.as_str();
        let destination = leads.member(self.file, receiver, mention.name);
        if EXTENDING.contains(&language) && !matches!(&*destination, Destination::Definitions(_)) {
            let extends = |file: &&PathInput| **file != self.file && extends(self.view, **file, mention.name);
            let mut files: Vec<PathInput> = self.imported_as(mention.name).iter().filter(extends).copied().collect();
            // What is known to have no such member has it from an extension, where one is in reach.
            if files.is_empty() && matches!(&*destination, Destination::Outside | Destination::Missing) {
                let db = self.view.db();
                let in_reach = &self.open().reached.set;
                let defining = defining(db, LookupText::new(db, mention.name)).iter();
                files = defining.filter(|file| in_reach.contains(**file)).filter(extends).copied().collect();
            }
            if !files.is_empty() {
                return NameTargets::shared(files, 0);
            }
        }
        match &*destination {
            Destination::Definitions(list) => {
                let mut files: Vec<PathInput> = list.iter().map(|definition| definition.file).collect();
                files.dedup();
                let all = files.len();
                files.retain(|file| *file != self.file);
                let others = all - files.len();
                NameTargets::shared(files, others)
            }
            Destination::Modules(files) => {
                NameTargets::shared(files.iter().copied().filter(|file| *file != self.file).collect(), 0)
            }
            Destination::Outside => NameTargets::default(),
            Destination::Missing if CLOSED.contains(&language) => NameTargets::default(),
            Destination::Missing | Destination::Unknown => self.targets_of(mention.name, Role::Member),
        }
    }

    /// Files that `name` means where the file mentions it in `role`, besides itself. What they declare others may define.
    pub(crate) fn targets_of(&self, name: &str, role: Role) -> NameTargets {
        let mut meant = self.direct_targets(name, role);
        if self.declares_apart && !meant.files.is_empty() {
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
                return NameTargets::shared(self.followed(bound), 0);
            }
            if definitions(db, self.file).offers(name) {
                return NameTargets::default();
            }
        }
        if role == Role::Type {
            let modules = self.modules(name);
            if !modules.is_empty() {
                return NameTargets::shared(modules, 0);
            }
        }
        let open = self.open();
        let followed = self.followed(open.reexports_of(name));
        if !followed.is_empty() {
            return NameTargets::shared(followed, 0);
        }
        if role == Role::Call {
            let macros = self.macros(name);
            if !macros.is_empty() {
                return NameTargets::shared(macros, 0);
            }
        }
        let may_be_member = is_member || self.bare_members;
        if !may_be_member && open.reached.files.is_empty() {
            return NameTargets::default();
        }
        let defining = defining(db, LookupText::new(db, name));
        let is_top = |file: &PathInput| open.reached.set.contains(*file) && definitions(db, *file).offers(name);
        let top: Vec<PathInput> = defining.iter().copied().filter(is_top).collect();
        if !top.is_empty() {
            return NameTargets::shared(top, 0);
        }
        if may_be_member { self.member(name, defining) } else { NameTargets::default() }
    }

    /// Other files that define the module `name` of Elixir.
    fn modules(&self, name: &str) -> Vec<PathInput> {
        let db = self.view.db();
        if statements(db, self.file).language != "elixir" {
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

    /// Files of the crate that define a macro of Rust called `name`: no import brings it where it is in scope by its place in the text.
    fn macros(&self, name: &str) -> Vec<PathInput> {
        let (db, view) = (self.view.db(), self.view);
        if statements(db, self.file).language != "rust" {
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

    /// Those of the files that define `name` that the file can have values from.
    fn member(&self, name: &str, defining: &[PathInput]) -> NameTargets {
        let open = &self.open().reached.files;
        let own = defining.iter().filter(|file| **file == self.file).count();
        let mut around = self.seen.borrow_mut();
        loop {
            let step_of = |file: &PathInput| Some((*file, around.step_of(*file)?)).filter(|_| *file != self.file);
            // One more than may share the name is as good as all.
            let seen: Vec<(PathInput, u32)> = defining.iter().filter_map(step_of).take(SHARED + 1).collect();
            let is_all = seen.len() > SHARED || seen.len() + own == defining.len();
            // Steps are gone while they can reach somebody else.
            if !is_all && around.go_on(self.view, open) {
                continue;
            }
            let others = if !seen.is_empty() && is_everyday(name) { EVERYDAY + own } else { own };
            let all = seen.len() + others;
            if all > SHARED {
                return NameTargets::default();
            }
            let share = |step: u32| SURENESS[step as usize] / all as f64;
            return NameTargets { files: seen.into_iter().map(|(file, step)| (file, share(step))).collect() };
        }
    }

    /// Files all of whose names are in reach: of its package, included, imported as a whole.
    fn open(&self) -> &WildcardFiles<'db> {
        self.open.get_or_init(|| WildcardFiles::new(self.view, Arc::clone(in_sight(self.view.db(), self.file))))
    }

    /// The files that define what was asked for, through re-exports; the files asked where nobody is found to.
    fn followed(&self, asked: impl Iterator<Item = NameInFile<'db>>) -> Vec<PathInput> {
        let mut files = Vec::new();
        for NameInFile { file, name } in asked {
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
    /// An equal share for each, and for each of `others`.
    fn shared(files: Vec<PathInput>, others: usize) -> Self {
        let share = 1.0 / (files.len() + others).max(1) as f64;
        Self { files: files.into_iter().map(|file| (file, share)).collect() }
    }

    /// Share that a file has of the name.
    pub(crate) fn share_of(&self, file: PathInput) -> Option<f64> {
        self.files.iter().find(|(meant, _)| *meant == file).map(|(_, share)| *share)
    }
}

/// Whether the file defines something called `name` that is a member of a type which it extends.
pub(crate) fn extends(view: GraphView<'_>, file: PathInput, name: &str) -> bool {
    definitions(view.db(), file).definitions_of_name(name).any(|(_, definition)| definition.receiver.is_some())
}

/// Whether an import takes all members of a type, by whose name its path then ends: `use Kind::*`.
fn takes_members(import: &Import) -> bool {
    let last = import.specifier.rsplit("::").next().unwrap_or_default();
    last.starts_with(char::is_uppercase) && import.names.iter().any(|name| name.name == ALL && name.alias.is_none())
}

/// Files all of whose names are in reach, and what they offer that others define.
struct WildcardFiles<'db> {
    reached: Arc<ReachedFiles>,
    /// What those of them offer that offer anything.
    exports: Vec<&'db Exports>,
    /// Names that these offer, one counting for each file.
    names_total: usize,
    /// The same by name, once so many names were asked for that it costs no more to make than was spent on asking.
    by_name: OnceCell<HashMap<&'db str, Vec<&'db ReExport>>>,
    asked: Cell<usize>,
}

impl<'db> WildcardFiles<'db> {
    fn new(view: GraphView<'db>, reached: Arc<ReachedFiles>) -> Self {
        let exports = reached.files.iter().map(|file| &**exports(view.db(), *file));
        let exports: Vec<&Exports> = exports.filter(|exports| !exports.named.is_empty()).collect();
        let names_total = exports.iter().map(|exports| exports.named.len()).sum();
        Self { reached, exports, names_total, by_name: OnceCell::new(), asked: Cell::new(0) }
    }

    /// Who is asked for a name that they offer.
    fn reexports_of(&self, name: &str) -> impl Iterator<Item = NameInFile<'db>> {
        let mut found: Vec<&'db ReExport> = Vec::new();
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() * self.exports.len() <= self.names_total {
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

/// Files all of whose names the file sees: of its package, included, imported as a whole. Only those asked about last are kept, as every
/// file of a package has the same.
#[salsa::tracked(returns(ref), lru = 64)]
pub(crate) fn in_sight(db: &dyn Db, file: PathInput) -> Arc<ReachedFiles> {
    let view = GraphView::new(db);
    let mut whole = bindings(db, file).whole.clone();
    if let Some(scheme) = scheme_of(&statements(db, file).language) {
        whole.extend((scheme.siblings)(view, view.path(file)));
    }
    Arc::new(closure(view, whole, SEEN))
}

/// Files that define something called `name`; none where so many do that the name says nothing.
#[salsa::tracked(returns(deref))]
pub(crate) fn defining<'db>(db: &'db dyn Db, name: LookupText<'db>) -> Box<[PathInput]> {
    let files = GraphView::new(db).defining(name.text(db));
    if files.len() > DEFINING { Box::default() } else { files.iter().map(|file| db.path_input(file)).collect() }
}
