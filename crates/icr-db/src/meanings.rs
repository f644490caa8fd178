//! What a name means where a file mentions it, and whether it can still mean anything.

use icr_model::{ExportAlias, Import, ImportName, RepoPath, Role, SymbolKind};

use crate::bindings::{ImportBinding, bindings};
use crate::exports::{ALL, ImportSelection, definers, exports, import_selection};
use crate::graph::{Error, PathInput, QueryGraph};
use crate::importers::importers;
use crate::language_rules::resolution_rules;
use crate::member_resolution::{DefinitionId, Destination, PASSING, PathResolver, submodules};
use crate::resolve::{ImportOutcome, Statement, resolved_imports};
use crate::schemes::{PassedItem, scheme_of};
use crate::scope::{FileScope, MentionsWithin};
use crate::statements::{MentionGroup, definitions, statements};
use crate::view::GraphView;

/// Names of definitions that let a module answer to any name.
const ANSWERS_TO_ALL: [&str; 3] = ["__getattr__", "__getattribute__", "method_missing"];

/// Mentions of a name in one role with one meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameUse {
    /// The role.
    pub role: Role,
    /// Lines of the mentions, ascending, 1-based. A line is repeated for each mention on it.
    pub lines: Vec<u32>,
    /// What the name means.
    pub meaning: NameMeaning,
}

/// What a name means where it is mentioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameMeaning {
    /// Something that a file of the view defines or may define.
    Known,
    /// Types of the view have a member of that name, but not the type around it and no type that it is known to reach.
    MayBeKnown,
    /// Something outside of the repository, as far as an import says.
    Outside,
    /// Nothing of the view in scope has that name, and an import takes all names of something outside of the repository.
    MayBeOutside,
    /// An import takes it from a file of the view that has nothing of that name, but that has a function for names that
    /// it does not define, such as Python's `__getattr__`.
    MayBeMadeUp,
    /// An import takes it from a file of the view, but that file has nothing of that name.
    Lost,
    /// It is used as a member of a type or a module of the view, which has no such member.
    Missing,
    /// No import brings it, and no definition that is in scope without an import has that name.
    Nothing,
}

impl QueryGraph {
    /// How the file at `path` mentions `name`, with an entry for each group of mentions of one meaning. Empty when the view has no such file.
    ///
    /// Cost: that of computing what the file sees, once for all names.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn meanings(&self, path: &RepoPath, name: &str) -> Result<Vec<NameUse>, Error> {
        self.ask(|db| path.as_str().map(|path| uses(GraphView::new(db), path, name)).unwrap_or_default())
    }

    /// Whether the file at `path` has something that others can import as `name`, as far as its text says.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn offers(&self, path: &RepoPath, name: &str) -> Result<bool, Error> {
        self.ask(|db| {
            let (view, file) = (GraphView::new(db), db.path_input(path));
            let named = &exports(db, file).named;
            match name {
                ExportAlias::DEFAULT => {
                    let imports = &statements(db, file).imports;
                    [ExportAlias::DEFAULT, ExportAlias::MODULE].iter().any(|name| named.contains_key(*name))
                        || imports.iter().any(|import| import.reexport && names(import, name))
                }
                name => {
                    named.contains_key(name)
                        || exported_meaning(view, file, name) != NameMeaning::Lost
                        || submodules(view, view.path(file), name).next().is_some()
                }
            }
        })
    }

    /// Files with imports of `name` from the file at `path`, in order of their paths, with the lines of these imports.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn takers(&self, path: &RepoPath, name: &str) -> Result<Vec<(RepoPath, Vec<u32>)>, Error> {
        self.ask(|db| {
            let file = db.path_input(path);
            let lines = |importer: &RepoPath| {
                let importer = db.path_input(importer);
                let imports = statements(db, importer).imports.iter().zip(&resolved_imports(db, importer).outcomes);
                let takes = |(import, outcome): &(&Import, &ImportOutcome)| {
                    let mut targets = outcome.targets().iter().filter(|target| target.file == file);
                    targets.any(|target| match import_selection(import, target.name) {
                        ImportSelection::Names(names) => names.iter().any(|(_, there)| *there == name),
                        ImportSelection::Whole | ImportSelection::Module => false,
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

    /// What the imports of the file at `path` bring under `name`, in order: files of the view, each with the name of what
    /// it defines, or with [`ExportAlias::MODULE`] or [`ExportAlias::DEFAULT`] for what has no name there. Re-exports are
    /// followed. Empty for what is outside of the view.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn import_origins(&self, path: &RepoPath, name: &str) -> Result<Vec<(RepoPath, String)>, Error> {
        self.ask(|db| {
            let view = GraphView::new(db);
            let file = db.path_input(path);
            let mut origins = Vec::new();
            let passed = passed_items(view, file, name);
            for (rest, bound) in bindings(db, file).of(name) {
                let (file, there) = match bound {
                    ImportBinding::Name(file, there) if rest.is_empty() => (*file, there.as_str()),
                    ImportBinding::Module(file) if rest.is_empty() => (*file, ExportAlias::MODULE),
                    _ => continue,
                };
                let own = passed.iter().filter(|item| item.file == view.path(file));
                let mut found: Vec<_> = own.flat_map(|item| definers(view, file, &item.name)).collect();
                if found.is_empty() {
                    found = definers(view, file, there);
                }
                if found.is_empty() {
                    found.push((file, there));
                }
                origins
                    .extend(found.into_iter().map(|(file, name)| (RepoPath::from(view.path(file)), name.to_owned())));
            }
            origins.sort_unstable();
            origins.dedup();
            origins
        })
    }

    /// Files that define what the file at `path` offers as `name`, with its name there, in order; re-exports are followed.
    /// Empty where no file of the view is known to define it.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn definers(&self, path: &RepoPath, name: &str) -> Result<Vec<(RepoPath, String)>, Error> {
        self.ask(|db| {
            let view = GraphView::new(db);
            let found = definers(view, db.path_input(path), name).into_iter();
            let mut found: Vec<_> =
                found.map(|(file, name)| (RepoPath::from(view.path(file)), name.to_owned())).collect();
            found.sort_unstable();
            found.dedup();
            found
        })
    }

    /// For each of `names`, in their order, the files that define what it means as the bare name of a type in the file at
    /// `path` though no import names it, in order: the file itself, or those whose names it sees all of. Empty where that
    /// is not known.
    ///
    /// Cost: that of computing what the file sees, once for all names.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn type_definers(&self, path: &RepoPath, names: &[&str]) -> Result<Vec<Vec<RepoPath>>, Error> {
        self.ask(|db| {
            let Some(text) = path.as_str() else { return vec![Vec::new(); names.len()] };
            let view = GraphView::new(db);
            view.take(text);
            let file = view.input(text);
            let scope = FileScope::of(view, file);
            let definers = |name: &&str| {
                if definitions(db, file).offers(name) {
                    return vec![path.clone()];
                }
                let meant = scope.targets_of(name, Role::Type);
                let offering = meant.files.iter().filter(|(file, _)| definitions(db, *file).offers(name));
                let mut found: Vec<RepoPath> = offering.map(|(file, _)| RepoPath::from(view.path(*file))).collect();
                found.sort_unstable();
                if meant.is_guess { Vec::new() } else { found }
            };
            names.iter().map(definers).collect()
        })
    }

    /// Files with a definition called `name` that is not a block of members, in order of their paths.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn defining_itself(&self, name: &str) -> Result<Vec<RepoPath>, Error> {
        self.ask(|db| {
            let view = GraphView::new(db);
            let defines = |path: &&RepoPath| path.as_str().is_some_and(|path| defines(view, view.input(path), name));
            view.defining(name).iter().filter(defines).cloned().collect()
        })
    }
}

/// The items that the imports of `file` bring under `name`, where imports are followed to the items themselves.
fn passed_items(view: GraphView<'_>, file: PathInput, name: &str) -> Vec<PassedItem> {
    let statements = statements(view.db(), file);
    let Some(items) = scheme_of(&statements.language).and_then(|scheme| scheme.items) else { return Vec::new() };
    let is_bound = |taken: &ImportName| taken.alias.as_deref().unwrap_or(&taken.name) == name && taken.name != ALL;
    let mut found = Vec::new();
    for (import, inside) in statements.imports.iter().zip(&statements.inside) {
        if !import.names.iter().any(is_bound) {
            continue;
        }
        let statement = Statement { path: view.path(file), language: &statements.language, import, inside };
        let brought = items(view, &statement).into_iter();
        found.extend(brought.filter(|item| import.names.get(item.index as usize).is_some_and(is_bound)));
    }
    found
}

fn uses<'db>(view: GraphView<'db>, path: &str, name: &str) -> Vec<NameUse> {
    view.take(path);
    let file = view.input(path);
    let mentions = view.mentions(path);
    let mut mentioned = mentions.mentions_of_name(name).peekable();
    if mentioned.peek().is_none() {
        return Vec::new();
    }
    let is_own = defines(view, file, name);
    let scope = FileScope::of(view, file);
    let brought = imported_meaning(view, file, name);
    let resolver = PathResolver::new(view);
    let is_open = view.language(path).is_some_and(|language| resolution_rules(language).mixes_in_members);
    let used = |part: MentionsWithin<'db>| {
        let MentionGroup { role, receiver, lines, .. } = part.mention;
        let is_bound = matches!(brought, Some(NameMeaning::Lost | NameMeaning::MayBeMadeUp | NameMeaning::Outside))
            && role != Role::Member;
        let destination = scope.destination(&resolver, &part);
        let is_of_others = || {
            let modules = receiver.map(|receiver| resolver.modules_at(file, receiver)).unwrap_or_default();
            !modules.is_empty() && !modules.contains(&file)
        };
        // What the view defines of that name, as far as the mention may mean it.
        let defined = || {
            let is_guess = match is_own && !is_of_others() {
                true => !definitions(view.db(), file).offers(name),
                false => {
                    let meant = scope.targets_of(name, role);
                    meant.files.iter().any(|(file, _)| defines(view, *file, name)).then_some(meant.is_guess)?
                }
            };
            // The text says of which type a bare name is a member, and that one has none.
            Some(if is_guess && part.around.is_some() { NameMeaning::MayBeKnown } else { NameMeaning::Known })
        };
        let meaning = match brought {
            // A bare name that no type around it has as a member may come from elsewhere.
            _ if matches!(destination.as_deref(), Some(Destination::Missing)) && receiver.is_some() && !is_open => {
                NameMeaning::Missing
            }
            _ if matches!(destination.as_deref(), Some(Destination::Outside)) => NameMeaning::Outside,
            _ if matches!(destination.as_deref(), Some(Destination::Modules(_))) => NameMeaning::Known,
            _ if matches!(destination.as_deref(), Some(Destination::Definitions(list)) if !is_passed_on(&resolver, list, name)) => {
                NameMeaning::Known
            }
            Some(meaning) if is_bound => meaning,
            _ => defined().unwrap_or_else(|| match brought {
                Some(NameMeaning::Known) if role != Role::Member => NameMeaning::Known,
                _ if role == Role::Import => NameMeaning::Outside,
                // Such an import brings no members of values.
                _ if role != Role::Member && receiver.is_none() && takes_all_from_outside(view, file) => {
                    NameMeaning::MayBeOutside
                }
                _ => NameMeaning::Nothing,
            }),
        };
        // Some languages do not distinguish calls of members from other calls, but their receivers do.
        let role = if receiver.is_some() { Role::Member } else { role };
        NameUse { role, lines: lines.to_vec(), meaning }
    };
    mentioned.flat_map(|mention| scope.by_type(mention)).map(used).collect()
}

/// Whether `name` leads to a value like the one it is taken from, and not to a member of that name.
fn is_passed_on(resolver: &PathResolver<'_>, list: &[DefinitionId], name: &str) -> bool {
    PASSING.contains(&name) && list.iter().all(|definition| resolver.name(*definition) != name)
}

/// What the imports of `file` bring as `name`; `None` when no import names it.
fn imported_meaning(view: GraphView<'_>, file: PathInput, name: &str) -> Option<NameMeaning> {
    let db = view.db();
    let mut worst = None;
    for (import, outcome) in statements(db, file).imports.iter().zip(&resolved_imports(db, file).outcomes) {
        let meanings: Vec<NameMeaning> = match outcome {
            ImportOutcome::External | ImportOutcome::Unresolved => {
                let is_named = names(import, name);
                is_named.then_some(NameMeaning::Outside).into_iter().collect()
            }
            ImportOutcome::Files(targets) => {
                let meaning = |target: &crate::resolve::ImportTarget| match import_selection(import, target.name) {
                    ImportSelection::Whole | ImportSelection::Module => None,
                    ImportSelection::Names(taken) => taken
                        .iter()
                        .find(|(local, there)| *local == name || *there == name)
                        .map(|(_, there)| exported_meaning(view, target.file, there)),
                };
                targets.iter().filter_map(meaning).collect()
            }
        };
        // The name counts as present while any import can still bring it.
        worst = meanings.into_iter().chain(worst).min();
    }
    worst
}

/// Whether `file` has something that others may import as `name`.
fn exported_meaning(view: GraphView<'_>, file: PathInput, name: &str) -> NameMeaning {
    let db = view.db();
    if definers(view, file, name).iter().any(|(definer, name)| defines(view, *definer, name))
        || defines(view, file, name)
    {
        return NameMeaning::Known;
    }
    // A default export may be a value without a name.
    if name == ExportAlias::DEFAULT {
        return NameMeaning::Outside;
    }
    let from_outside = |(import, outcome): (&Import, &ImportOutcome)| {
        !matches!(outcome, ImportOutcome::Files(_)) && names(import, name)
    };
    let is_brought = statements(db, file).imports.iter().zip(&resolved_imports(db, file).outcomes).any(from_outside);
    let answers_to_all = ANSWERS_TO_ALL.iter().any(|all| definitions(db, file).offers(all));
    match () {
        () if is_brought || takes_all_from_outside(view, file) => NameMeaning::Outside,
        () if answers_to_all => NameMeaning::MayBeMadeUp,
        () => NameMeaning::Lost,
    }
}

/// Whether `file` has a definition called `name`. A block of members (`impl`) has the name of its type but does not
/// define it.
fn defines(view: GraphView<'_>, file: PathInput, name: &str) -> bool {
    let definitions = definitions(view.db(), file);
    definitions.definitions_of_name(name).any(|(_, definition)| definition.kind != SymbolKind::Implementation)
}

/// Whether `import` takes `name`, as the original name or as the alias.
fn names(import: &Import, name: &str) -> bool {
    let is_it = |taken: &icr_model::ImportName| taken.name == name || taken.alias.as_deref() == Some(name);
    let last = import.specifier.rsplit(['.', ':', '/', '\\']).next().unwrap_or_default();
    import.names.iter().any(is_it) || import.names.is_empty() && last == name
}

/// Whether the file imports all names of something outside of the repository.
fn takes_all_from_outside(view: GraphView<'_>, file: PathInput) -> bool {
    let db = view.db();
    let imports = statements(db, file).imports.iter().zip(&resolved_imports(db, file).outcomes);
    let mut outside =
        imports.filter(|(_, outcome)| !matches!(outcome, ImportOutcome::Files(_))).map(|(import, _)| import);
    outside.any(|import| {
        matches!(import_selection(import, None), ImportSelection::Whole)
            || import.specifier.ends_with(".*")
            || import.specifier.ends_with("::*")
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::testing::view_of;
    use crate::view::path_of;
    use crate::{NameMeaning, QueryGraph};

    #[test]
    fn an_import_leads_to_an_item_by_the_name_that_its_file_has_for_it() {
        let text = "//- Cargo.toml\n[package]\nname = 'kit'\nedition = '2021'\n//- src/lib.rs\npub mod a;\npub mod b;\npub mod c;\n\
            //- src/a.rs\npub struct X;\npub struct Y;\n//- src/b.rs\npub use crate::a::X as Y;\npub use crate::a::Y as Z;\n\
            //- src/c.rs\nuse crate::a::X;\nuse crate::b::Y as One;\nuse crate::b::{Y, Z as Two};\n";
        let graph = QueryGraph::new(Arc::new(view_of(text)));
        let origins = |name: &str| -> Vec<String> {
            let found = graph.import_origins(&path_of("src/c.rs"), name).unwrap().into_iter();
            found.map(|(path, name)| format!("{path} {name}")).collect()
        };
        assert_eq!(origins("X"), ["src/a.rs X"]);
        assert_eq!(origins("One"), ["src/a.rs X"]);
        assert_eq!(origins("Y"), ["src/a.rs X"]);
        assert_eq!(origins("Two"), ["src/a.rs Y"]);
    }

    #[test]
    fn a_constructor_does_not_hide_that_its_type_has_no_such_member() {
        for (path, class) in [("p/Box", "public class Box"), ("p/Bin", "class Box")] {
            let text = format!(
                "//- {path}.java\npackage p;\n{class} {{\n  Box(int n) {{}}\n  public int other() {{ return 1; }}\n}}\n\
                //- p/Call.java\npackage p;\nclass Call {{\n  int go(Box b) {{ return b.take() + b.other(); }}\n}}\n"
            );
            let graph = QueryGraph::new(Arc::new(view_of(&text)));
            let meaning = |name: &str| graph.meanings(&path_of("p/Call.java"), name).unwrap()[0].meaning;
            assert_eq!((meaning("take"), meaning("other")), (NameMeaning::Missing, NameMeaning::Known), "{class}");
        }
    }
}
