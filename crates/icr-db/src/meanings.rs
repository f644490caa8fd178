//! What a name means where a file mentions it, and whether anything is left that it can mean.

use icr_model::{Export, Import, RepoPath, Role, SymbolKind};

use crate::exports::{Taken, definers, exports, taken};
use crate::graph::{Error, Graph, PathInput};
use crate::importers::importers;
use crate::leads::{Destination, Leads, submodules};
use crate::resolve::{Outcome, resolved};
use crate::scope::Scope;
use crate::statements::{Mention, definitions, statements};
use crate::view::View;

/// Names whose definition lets a module answer to any name.
const ANSWERS_TO_ALL: [&str; 3] = ["__getattr__", "__getattribute__", "method_missing"];

/// Mentions of a name in one role, and what it means there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameUse {
    /// The role.
    pub role: Role,
    /// Lines, ascending, 1-based; one stands as often as the name does on it.
    pub lines: Vec<u32>,
    /// What the name means.
    pub meaning: Meaning,
}

/// What a name means where it is mentioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// Something that a file of the view defines, or may define.
    Known,
    /// Something from outside of the repository, as far as an import says.
    Outside,
    /// An import takes it from a file of the view that has nothing of that name.
    Lost,
    /// It is named as a member of a type of the view that has nothing of that name.
    Missing,
    /// No import brings it, and nothing that is in reach without one is called so.
    Nothing,
}

impl Graph {
    /// How the file at `path` mentions `name`, one entry for each role; nothing where no file is.
    ///
    /// Cost: that of what the file sees, once for all names.
    ///
    /// # Errors
    ///
    /// As for [`Graph::imports`].
    pub fn meanings(&self, path: &RepoPath, name: &str) -> Result<Vec<NameUse>, Error> {
        self.ask(|db| path.as_str().map(|path| uses(View::new(db), path, name)).unwrap_or_default())
    }

    /// Whether the file at `path` has something that others can take as `name`, as far as its text says.
    ///
    /// # Errors
    ///
    /// As for [`Graph::imports`].
    pub fn offers(&self, path: &RepoPath, name: &str) -> Result<bool, Error> {
        self.ask(|db| {
            let (view, file) = (View::new(db), db.path_input(path));
            let named = &exports(db, file).named;
            match name {
                Export::DEFAULT => {
                    let imports = &statements(db, file).imports;
                    [Export::DEFAULT, Export::MODULE].iter().any(|name| named.contains_key(*name))
                        || imports.iter().any(|import| import.reexport && names(import, name))
                }
                name => {
                    named.contains_key(name)
                        || offered(view, file, name) != Meaning::Lost
                        || submodules(view, view.path(file), name).next().is_some()
                }
            }
        })
    }

    /// Files whose imports take `name` from the file at `path`, in order of their paths, with the lines of these imports.
    ///
    /// # Errors
    ///
    /// As for [`Graph::imports`].
    pub fn takers(&self, path: &RepoPath, name: &str) -> Result<Vec<(RepoPath, Vec<u32>)>, Error> {
        self.ask(|db| {
            let file = db.path_input(path);
            let lines = |importer: &RepoPath| {
                let importer = db.path_input(importer);
                let imports = statements(db, importer).imports.iter().zip(&resolved(db, importer).outcomes);
                let takes = |(import, outcome): &(&Import, &Outcome)| {
                    let mut targets = outcome.targets().iter().filter(|target| target.file == file);
                    targets.any(|target| match taken(import, target.name) {
                        Taken::Names(names) => names.iter().any(|(_, there)| *there == name),
                        Taken::Whole | Taken::Module => false,
                    })
                };
                let mut lines: Vec<u32> = imports.filter(takes).map(|(import, _)| import.line).collect();
                lines.dedup();
                lines
            };
            let takers = importers(db, file).iter().map(|importer| (importer.clone(), lines(importer)));
            takers.filter(|(_, lines)| !lines.is_empty()).collect()
        })
    }

    /// Files that define something called `name` that is no block of members, in order of their paths.
    ///
    /// # Errors
    ///
    /// As for [`Graph::imports`].
    pub fn defining_itself(&self, name: &str) -> Result<Vec<RepoPath>, Error> {
        self.ask(|db| {
            let view = View::new(db);
            let defines = |path: &&RepoPath| path.as_str().is_some_and(|path| defines(view, view.input(path), name));
            view.defining(name).iter().filter(defines).cloned().collect()
        })
    }
}

fn uses(view: View<'_>, path: &str, name: &str) -> Vec<NameUse> {
    view.take(path);
    let file = view.input(path);
    let mentions = view.mentions(path);
    let mut mentioned = mentions.named(name).peekable();
    if mentioned.peek().is_none() {
        return Vec::new();
    }
    let is_own = defines(view, file, name);
    let scope = Scope::of(view, file);
    let brought = brought(view, file, name);
    let leads = Leads::new(view);
    let used = |Mention { role, receiver, lines, .. }: Mention<'_>| {
        let is_bound = matches!(brought, Some(Meaning::Lost | Meaning::Outside)) && role != Role::Member;
        let destination = receiver.map(|receiver| leads.member(file, receiver, name));
        let is_of_others = || {
            let modules = receiver.map(|receiver| leads.modules_at(file, receiver)).unwrap_or_default();
            !modules.is_empty() && !modules.contains(&file)
        };
        let meaning = match brought {
            _ if matches!(destination.as_deref(), Some(Destination::Missing)) => Meaning::Missing,
            _ if matches!(destination.as_deref(), Some(Destination::Outside)) => Meaning::Outside,
            _ if matches!(destination.as_deref(), Some(Destination::Definitions(_) | Destination::Modules(_))) => {
                Meaning::Known
            }
            Some(meaning) if is_bound => meaning,
            _ if is_own && !is_of_others()
                || scope.meant(name, role).files.iter().any(|(file, _)| defines(view, *file, name)) =>
            {
                Meaning::Known
            }
            Some(Meaning::Known) if role != Role::Member => Meaning::Known,
            _ if role == Role::Import => Meaning::Outside,
            _ if role != Role::Member && takes_all_from_outside(view, file) => Meaning::Outside,
            _ => Meaning::Nothing,
        };
        // Some languages do not tell calls of members from others; what they are members of does.
        let role = if receiver.is_some() { Role::Member } else { role };
        NameUse { role, lines: lines.to_vec(), meaning }
    };
    mentioned.map(used).collect()
}

/// What the imports of `file` bring as `name`; `None` when none of them names it.
fn brought(view: View<'_>, file: PathInput, name: &str) -> Option<Meaning> {
    let db = view.db();
    let mut worst = None;
    for (import, outcome) in statements(db, file).imports.iter().zip(&resolved(db, file).outcomes) {
        let meanings: Vec<Meaning> = match outcome {
            Outcome::External | Outcome::Unresolved => {
                let is_named = names(import, name);
                is_named.then_some(Meaning::Outside).into_iter().collect()
            }
            Outcome::Files(targets) => {
                let meaning = |target: &crate::resolve::Target| match taken(import, target.name) {
                    Taken::Whole | Taken::Module => None,
                    Taken::Names(taken) => taken
                        .iter()
                        .find(|(local, there)| *local == name || *there == name)
                        .map(|(_, there)| offered(view, target.file, there)),
                };
                targets.iter().filter_map(meaning).collect()
            }
        };
        // A name that any of its imports can still bring is there.
        worst = meanings.into_iter().chain(worst).min();
    }
    worst
}

/// Whether `file` has something that others may take as `name`.
fn offered(view: View<'_>, file: PathInput, name: &str) -> Meaning {
    let db = view.db();
    if definers(view, file, name).iter().any(|(definer, name)| defines(view, *definer, name))
        || defines(view, file, name)
    {
        return Meaning::Known;
    }
    // It may be a value without a name.
    if name == Export::DEFAULT {
        return Meaning::Outside;
    }
    let from_outside =
        |(import, outcome): (&Import, &Outcome)| !matches!(outcome, Outcome::Files(_)) && names(import, name);
    let is_brought = statements(db, file).imports.iter().zip(&resolved(db, file).outcomes).any(from_outside);
    let answers_to_all = ANSWERS_TO_ALL.iter().any(|all| definitions(db, file).offers(all));
    match is_brought || answers_to_all || takes_all_from_outside(view, file) {
        true => Meaning::Outside,
        false => Meaning::Lost,
    }
}

/// Whether `file` defines something called `name`; a block of members is named after its type and defines none.
fn defines(view: View<'_>, file: PathInput, name: &str) -> bool {
    let definitions = definitions(view.db(), file);
    definitions.named(name).any(|(_, definition)| definition.kind != SymbolKind::Implementation)
}

/// Whether `import` takes `name`, under this name or for it.
fn names(import: &Import, name: &str) -> bool {
    let is_it = |taken: &icr_model::ImportName| taken.name == name || taken.alias.as_deref() == Some(name);
    let last = import.specifier.rsplit(['.', ':', '/', '\\']).next().unwrap_or_default();
    import.names.iter().any(is_it) || import.names.is_empty() && last == name
}

/// Whether the file takes all names of something outside of the repository.
fn takes_all_from_outside(view: View<'_>, file: PathInput) -> bool {
    let db = view.db();
    let imports = statements(db, file).imports.iter().zip(&resolved(db, file).outcomes);
    let mut outside = imports.filter(|(_, outcome)| !matches!(outcome, Outcome::Files(_))).map(|(import, _)| import);
    outside.any(|import| {
        matches!(taken(import, None), Taken::Whole)
            || import.specifier.ends_with(".*")
            || import.specifier.ends_with("::*")
    })
}
