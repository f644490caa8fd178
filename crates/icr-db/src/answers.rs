//! Questions that the graph answers, and its answers as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use icr_model::{Import, RepoPath, SymbolKind};
use rayon::prelude::*;

use crate::counterparts::counterparts;
use crate::graph::{Db, Error, PathInput, QueryGraph};
use crate::importers::{candidates, importers};
use crate::lacking_types::{TypeWithout, types_without};
use crate::member_resolution::{DefinitionId, PathResolver, has_members};
use crate::references::references;
use crate::referring::{DefinitionName, mentioning, occurrences, referring};
use crate::resolve::{EdgeKind, ImportOutcome, resolved_imports};
use crate::schemes::{cargo_packages, is_autoloaded};
use crate::statements::{definitions, statements};
use crate::view::{GraphView, SortedPaths};

/// What the imports of one file name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileImports {
    /// Files of the view that the imports name, ordered by (path, kind), each pair once. The file itself is left out.
    pub edges: Vec<ImportEdge>,
    /// Imports from outside of the repository, in order of the statements.
    pub external: Vec<ImportWithoutFile>,
    /// Unresolved imports: they should be in the repository but are not found. In order of the statements.
    pub unresolved: Vec<ImportWithoutFile>,
    /// Manifests that were needed but cannot be read.
    pub problems: Vec<ManifestProblem>,
}

/// A file that another one imports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportEdge {
    /// The imported file.
    pub to: RepoPath,
    /// How it is imported.
    pub kind: EdgeKind,
    /// Whether all statements that import it are for types only.
    pub type_only: bool,
    /// First line that imports it, 1-based.
    pub line: u32,
}

/// An import that leads to no file of the view.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportWithoutFile {
    /// The module as written.
    pub specifier: String,
    /// Line of the statement, 1-based.
    pub line: u32,
}

/// A manifest that cannot be read, so that imports which need it may stay unresolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManifestProblem {
    /// Path of the manifest.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A Cargo package of the view, with the packages of the view that it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CargoPackageEdges {
    /// Its directory; empty for the root.
    pub directory: String,
    /// Root file of its library, if it has one.
    pub library: Option<String>,
    /// Whether a registry would take it: it has a description and a license, and nothing forbids to publish it.
    pub is_publishable: bool,
    /// Directories of the packages whose libraries it depends on for any purpose, itself left out. A dependency that is
    /// not in the view is left out too.
    pub dependencies: BTreeSet<String>,
}

impl CargoPackageEdges {
    /// The package of `packages` that the file at `path` belongs to: that of the nearest directory above it.
    #[must_use]
    pub fn of_file<'p>(packages: &'p [Self], path: &str) -> Option<&'p Self> {
        let holds = |package: &&Self| {
            package.directory.is_empty()
                || path.strip_prefix(package.directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        packages.iter().filter(holds).max_by_key(|package| package.directory.len())
    }
}

impl QueryGraph {
    /// What the imports of the file at `path` name. Empty when the view has no such file.
    ///
    /// # Errors
    ///
    /// [`Error::Moved`] and [`Error::Source`], as for every question to the graph.
    pub fn imports(&self, path: &RepoPath) -> Result<FileImports, Error> {
        self.ask(|db| file_imports(db, path))
    }

    /// The edges of [`FileImports`] of the file at `path` that lead to the file at `to`. A file can import thousands of
    /// files, and none of the others is looked at.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn import_edges(&self, path: &RepoPath, to: &RepoPath) -> Result<Vec<ImportEdge>, Error> {
        self.ask(|db| import_edges(db, path, to))
    }

    /// What the imports of each of `paths` name, in the order of `paths`. Works on all threads; `done` is called after
    /// each file.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn all_imports(&self, paths: &[RepoPath], done: &(dyn Fn() + Sync)) -> Result<Vec<FileImports>, Error> {
        self.for_each(paths, done, file_imports)
    }

    /// Files with an import that names the file at `path`, in order of their paths, without the file itself.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn importers(&self, path: &RepoPath) -> Result<Vec<RepoPath>, Error> {
        self.ask(|db| importers(db, db.path_input(path)).to_vec())
    }

    /// Whether the PHP class of the file at `path` is where the PSR-4 or PSR-0 rules of a `composer.json` look for it;
    /// `None` when no rule is for its name, a manifest also lists places of classes of any name, or the file has no class
    /// of its own name.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn is_autoloaded(&self, path: &RepoPath) -> Result<Option<bool>, Error> {
        self.ask(|db| is_autoloaded(GraphView::new(db), path.as_str()?))
    }

    /// The Cargo packages of the view, by directory. Manifests that cannot be read have none. Cost: reads every
    /// `Cargo.toml` of the view once.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn cargo_packages(&self) -> Result<Vec<CargoPackageEdges>, Error> {
        self.ask(|db| cargo_packages(GraphView::new(db)))
    }

    /// Files that [`QueryGraph::importers`] has to resolve to answer for the file at `path`, in order of their paths.
    /// Their number is the cost of the answer.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn import_candidates(&self, path: &RepoPath) -> Result<Vec<RepoPath>, Error> {
        self.ask(|db| candidates(db, db.path_input(path)).to_vec())
    }
}

/// A reference from one file to definitions in another.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceEdge {
    /// The file that has the definitions.
    pub to: RepoPath,
    /// Occurrences of names that it defines.
    pub count: u32,
    /// The same count, but a name that several files define counts only with this file's share of it.
    pub weight: f64,
}

/// A file that refers to a definition, with the lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Referring {
    /// The file.
    pub path: RepoPath,
    /// Where, ascending by line. A line is repeated for each occurrence on it.
    pub occurrences: Vec<Occurrence>,
}

/// An occurrence of a name that refers to a definition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occurrence {
    /// Its line, 1-based.
    pub line: u32,
    /// The definition's share of it, in `0.0..=1.0`; 1 when the name can mean nothing else.
    pub share: f64,
}

/// A definition that another one overrides, implements or is the body of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterpart {
    /// Its file.
    pub path: RepoPath,
    /// Its number in the facts of that file.
    pub at: u32,
    /// Whether it is a function without a body: of an interface or a header, or an abstract one.
    pub is_declaration: bool,
}

/// The members of one name that a type has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeMembers {
    /// Their files, and their numbers in the facts of these files; in order, each once.
    pub found: Vec<(RepoPath, u32)>,
    /// Whether there may be others: a base of the type is not in the view.
    pub is_open: bool,
}

/// A type that inherits a declaration without a definition of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LackingType {
    /// Its file.
    pub path: RepoPath,
    /// Its number in the facts of that file: a type, or a block that implements something for one.
    pub at: u32,
    /// Whether its base is known to be the declaring type, and no other base can have a definition.
    pub is_sure: bool,
}

/// The largest share in `occurrences`; 0 without any.
#[must_use]
pub fn largest_share(occurrences: &[Occurrence]) -> f64 {
    occurrences.iter().map(|occurrence| occurrence.share).fold(0.0, f64::max)
}

impl Referring {
    /// The largest share of the definition in an occurrence; 0 without occurrences.
    #[must_use]
    pub fn share(&self) -> f64 {
        largest_share(&self.occurrences)
    }

    /// The same on one line.
    #[must_use]
    pub fn share_at(&self, line: u32) -> f64 {
        let first = self.occurrences.partition_point(|occurrence| occurrence.line < line);
        let after = self.occurrences.partition_point(|occurrence| occurrence.line <= line);
        largest_share(&self.occurrences[first..after])
    }
}

/// The files that refer to one of many definitions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReferringFiles {
    /// Files that refer to the definition, in order of their paths, including the file that defines it.
    pub files: Vec<Referring>,
    /// Whether there may be more files that were not looked at.
    pub is_partial: bool,
}

/// A definition that references are asked about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamedDefinition {
    /// The file that has it.
    pub path: RepoPath,
    /// Its name.
    pub name: String,
    /// Name of the type that it is a member of, empty if it is no member; `None` for everything of that name in the
    /// file.
    pub holder: Option<String>,
}

/// Which files are looked at for many definitions, which are given by their numbers.
struct Examination {
    /// The definitions that are looked for in each file.
    definitions_by_file: BTreeMap<RepoPath, Vec<usize>>,
    /// Other names of each definition, by which files may mention it.
    other_names: Vec<Vec<String>>,
    /// Definitions for which files were left out.
    partial: BTreeSet<usize>,
}

/// Most files whose importers are looked up because they define a common name. Finding importers takes longer than
/// looking at some hundred files.
const COMMON_DEFINERS: usize = 2;

/// Limits on the files that a question about many definitions may look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferringLimits {
    /// A name that more files than this mention is common (`new`, `get`): a mention alone says nothing.
    pub common: usize,
    /// Most files looked at, besides the files that define what is asked about.
    pub files: usize,
}

impl QueryGraph {
    /// For each of `paths`, in their order, the files that it refers to, ordered by path. Works on all threads; `done`
    /// is called after each file.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn all_references(
        &self,
        paths: &[RepoPath],
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<Vec<ReferenceEdge>>, Error> {
        self.for_each(paths, &|| (), |db, path| path.as_str().map(|path| GraphView::new(db).take(path)))?;
        self.for_each(paths, done, |db, path| {
            let Some(path) = path.as_str() else { return Vec::new() };
            let referred = references(GraphView::new(db), path).into_iter();
            let edge = |(to, found): (PathInput, crate::references::ReferenceWeight)| ReferenceEdge {
                to: to.path(db).clone(),
                count: found.count,
                weight: found.weight,
            };
            referred.map(edge).collect()
        })
    }

    /// Files that define something called `name`, in order of their paths.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn defining(&self, name: &str) -> Result<Vec<RepoPath>, Error> {
        self.ask(|db| GraphView::new(db).defining(name).to_vec())
    }

    /// Files that may mention `name`, in order of their paths; only the facts of a file tell whether it does. Empty
    /// for a name of one letter, because no posting list holds such names.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn mentioning(&self, name: &str) -> Result<Vec<RepoPath>, Error> {
        self.ask(|db| GraphView::new(db).mentioning(name).to_vec())
    }

    /// Files that refer to what the file at `definer` defines as `name`, in order of their paths, including the file
    /// itself. With a `holder`, only references to a member of that type count; an empty `holder` stands for
    /// definitions that are members of nothing.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn referring(&self, definer: &RepoPath, name: &str, holder: Option<&str>) -> Result<Vec<Referring>, Error> {
        self.ask(|db| {
            let Some(definer) = definer.as_str() else { return Vec::new() };
            referring(GraphView::new(db), definer, name, holder)
        })
    }

    /// The definitions that definition number `at` of the file at `path` overrides or implements, and the declaration
    /// that it is the body of.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn overridden(&self, path: &RepoPath, at: u32) -> Result<Vec<Counterpart>, Error> {
        self.ask(|db| {
            let (view, file) = (GraphView::new(db), db.path_input(path));
            if at as usize >= definitions(db, file).list.len() {
                return Vec::new();
            }
            let counterpart = |DefinitionId { file, at }: DefinitionId| {
                let definition = &definitions(db, file).list[at as usize];
                let is_function = matches!(definition.kind, SymbolKind::Function | SymbolKind::Method);
                Counterpart { path: file.path(db).clone(), at, is_declaration: is_function && !definition.has_body }
            };
            counterparts(&PathResolver::new(view), view, file, at, None).into_iter().map(counterpart).collect()
        })
    }

    /// The members called `name` of the type that is definition number `at` of the file at `path`: its own, or if it has
    /// none, those that it inherits. Empty if the definition is no type.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn members_of_type(&self, path: &RepoPath, at: u32, name: &str) -> Result<TypeMembers, Error> {
        self.ask(|db| {
            let file = db.path_input(path);
            let is_type = definitions(db, file).list.get(at as usize).is_some_and(|ty| has_members(ty.kind));
            if !is_type {
                return TypeMembers::default();
            }
            let (found, is_open) =
                PathResolver::new(GraphView::new(db)).members_of_type(DefinitionId { file, at }, name);
            let found = found.into_iter().map(|DefinitionId { file, at }| (file.path(db).clone(), at)).collect();
            TypeMembers { found, is_open }
        })
    }

    /// The types that inherit definition number `at` of the file at `path`, a declaration, and neither define nor inherit
    /// a body for it, by path and place. In Go, these are types that have all the other methods of the interface, if it
    /// has several. Abstract types are among them.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn lacking(&self, path: &RepoPath, at: u32) -> Result<Vec<LackingType>, Error> {
        self.ask(|db| {
            let (view, file) = (GraphView::new(db), db.path_input(path));
            if at as usize >= definitions(db, file).list.len() {
                return Vec::new();
            }
            let lacking =
                |TypeWithout { ty, is_sure }| LackingType { path: ty.file.path(db).clone(), at: ty.at, is_sure };
            let mut found: Vec<LackingType> = types_without(view, file, at).into_iter().map(lacking).collect();
            found.sort_unstable();
            found
        })
    }

    /// As [`QueryGraph::referring`] for many definitions at once, in their order. Works on all threads. Each file is
    /// looked at only once, even if it mentions several of the names.
    ///
    /// Names that few files mention come first. After `limits.files` files, the other names are only looked for among
    /// the files that were already taken. The same holds for a name that more than `limits.common` files mention; for
    /// the first few files that define such names, the files that import them are looked at too.
    /// [`ReferringFiles::is_partial`] tells when files were left out.
    ///
    /// # Errors
    ///
    /// As for [`QueryGraph::imports`].
    pub fn referring_to_all(
        &self,
        definitions: &[NamedDefinition],
        limits: ReferringLimits,
    ) -> Result<Vec<ReferringFiles>, Error> {
        let examination = self.examination(definitions, limits)?;
        let candidates: Vec<RepoPath> = examination.definitions_by_file.keys().cloned().collect();
        self.for_each(&candidates, &|| (), |db, candidate| {
            candidate.as_str().map(|path| GraphView::new(db).take(path))
        })?;
        let found = self.for_each(&candidates, &|| {}, |db, candidate| {
            let asked = &examination.definitions_by_file[candidate];
            let Some(candidate) = candidate.as_str() else { return Vec::new() };
            let wanted = asked.iter().filter_map(|at| {
                let NamedDefinition { path, name, holder } = &definitions[*at];
                let (holder, other_names) = (holder.as_deref(), examination.other_names[*at].as_slice());
                Some((*at, DefinitionName { definer: path.as_str()?, name, holder, other_names }))
            });
            let (numbers, wanted): (Vec<usize>, Vec<_>) = wanted.unzip();
            numbers.into_iter().zip(occurrences(GraphView::new(db), candidate, &wanted)).collect::<Vec<_>>()
        })?;
        let is_partial = |at: usize| examination.partial.contains(&at);
        let mut answer: Vec<ReferringFiles> = (0..definitions.len())
            .map(|at| ReferringFiles { is_partial: is_partial(at), ..ReferringFiles::default() })
            .collect();
        // The candidates are in order of their paths, so the files of each definition are too.
        for (candidate, found) in candidates.into_iter().zip(found) {
            for (at, occurrences) in found.into_iter().filter(|(_, occurrences)| !occurrences.is_empty()) {
                answer[at].files.push(Referring { path: candidate.clone(), occurrences });
            }
        }
        Ok(answer)
    }

    /// Which files [`QueryGraph::referring_to_all`] looks at, and for which of the definitions.
    fn examination(&self, definitions: &[NamedDefinition], limits: ReferringLimits) -> Result<Examination, Error> {
        // Number of the definition, number of files, and these files if they are few. Thousands of definitions can have
        // many files each, which would fill the memory.
        let mut wanted: Vec<(usize, usize, Option<SortedPaths>)> = Vec::with_capacity(definitions.len());
        let mut other_names: Vec<Vec<String>> = Vec::with_capacity(definitions.len());
        for (at, NamedDefinition { path, name, .. }) in definitions.iter().enumerate() {
            let definer = path.as_str().unwrap_or_default();
            let mentioning = self.ask(|db| mentioning(GraphView::new(db), definer, name))?;
            let files_total = mentioning.files.len();
            wanted.push((at, files_total, (files_total <= limits.common).then_some(mentioning.files)));
            other_names.push(mentioning.other_names);
        }
        wanted.sort_by_key(|(at, files_total, _)| (*files_total, *at));
        let mut definitions_by_file: BTreeMap<RepoPath, Vec<usize>> = BTreeMap::new();
        let mut importers_of: BTreeMap<&RepoPath, SortedPaths> = BTreeMap::new();
        let definers: BTreeSet<&RepoPath> = definitions.iter().map(|definition| &definition.path).collect();
        let (mut others, mut partial) = (0, BTreeSet::new());
        for (at, _, files) in &wanted {
            let NamedDefinition { path: definer, name, .. } = &definitions[*at];
            let is_common = files.is_none();
            let mentioning = match files {
                Some(files) => Arc::clone(files),
                None => {
                    let definer = definer.as_str().unwrap_or_default();
                    self.ask(|db| mentioning(GraphView::new(db), definer, name))?.files
                }
            };
            if is_common && importers_of.len() < COMMON_DEFINERS && !importers_of.contains_key(definer) {
                importers_of.insert(definer, self.ask(|db| Arc::clone(importers(db, db.path_input(definer))))?);
            }
            let near = importers_of.get(definer).filter(|_| is_common);
            if is_common {
                partial.insert(*at);
            }
            // When very many files mention a name, only these can be looked at, so the loop skips the others.
            let candidates: Vec<&RepoPath> = match is_common {
                true => {
                    let importers = near.into_iter().flat_map(|near| near.iter());
                    let few = definitions_by_file.keys().chain(importers).chain([definer]);
                    let places: BTreeSet<usize> = few.filter_map(|file| mentioning.binary_search(file).ok()).collect();
                    places.into_iter().map(|place| &mentioning[place]).collect()
                }
                false => mentioning.iter().collect(),
            };
            for candidate in candidates {
                let is_far = is_common && near.is_none_or(|near| near.binary_search(candidate).is_err());
                let is_left_out = candidate != definer && (is_far || others >= limits.files);
                match definitions_by_file.get_mut(candidate) {
                    Some(numbers) => numbers.push(*at),
                    None if is_left_out => {
                        partial.insert(*at);
                    }
                    None => {
                        others += usize::from(!definers.contains(candidate));
                        definitions_by_file.insert(candidate.clone(), vec![*at]);
                    }
                }
            }
        }
        Ok(Examination { definitions_by_file, other_names, partial })
    }

    /// Calls `answer` for each of `paths` on all threads; the results are in the order of `paths`.
    fn for_each<T: Send>(
        &self,
        paths: &[RepoPath],
        done: &(dyn Fn() + Sync),
        answer: impl Fn(&dyn Db, &RepoPath) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        /// Most files that a thread takes at once: enough that the cost of the graph handle does not matter.
        const AT_ONCE: usize = 64;
        /// Shares per thread. Several, because one file may lead to thousands of others, and it is not known which
        /// file does.
        const SHARES: usize = 4;
        let at_once = paths.len().div_ceil(rayon::current_num_threads() * SHARES).clamp(1, AT_ONCE);
        let answer = &answer;
        let chunks: Result<Vec<Vec<T>>, Error> = paths
            .par_chunks(at_once)
            .map_with(self.clone(), |graph, paths| {
                graph.ask(|db| {
                    let told = |path| {
                        let told = answer(db, path);
                        done();
                        told
                    };
                    paths.iter().map(told).collect()
                })
            })
            .collect();
        Ok(chunks?.into_iter().flatten().collect())
    }
}

fn file_imports(db: &dyn Db, path: &RepoPath) -> FileImports {
    let input = db.path_input(path);
    let resolved = resolved_imports(db, input);
    let statements = statements(db, input);
    let mut answer = FileImports::default();
    let mut edges = Vec::new();
    for (import, outcome) in statements.imports.iter().zip(&resolved.outcomes) {
        let unfollowed = || ImportWithoutFile { specifier: import.specifier.clone(), line: import.line };
        match outcome {
            ImportOutcome::External => answer.external.push(unfollowed()),
            ImportOutcome::Unresolved => answer.unresolved.push(unfollowed()),
            ImportOutcome::Files(targets) => {
                let named: BTreeSet<&RepoPath> = targets.iter().map(|target| target.file.path(db)).collect();
                edges.extend(named.into_iter().filter(|to| *to != path).map(|to| edge(import, to)));
            }
        }
    }
    answer.edges = join_edges(edges);
    let problem = |(path, reason): &(String, String)| ManifestProblem { path: path.clone(), reason: reason.clone() };
    answer.problems = resolved.problems.iter().map(problem).collect();
    answer
}

fn import_edges(db: &dyn Db, path: &RepoPath, to: &RepoPath) -> Vec<ImportEdge> {
    let (input, target) = (db.path_input(path), db.path_input(to));
    if input == target {
        return Vec::new();
    }
    let outcomes = &resolved_imports(db, input).outcomes;
    let imports = statements(db, input).imports.iter().zip(outcomes);
    let leads = |outcome: &ImportOutcome| outcome.targets().iter().any(|file| file.file == target);
    join_edges(imports.filter(|(_, outcome)| leads(outcome)).map(|(import, _)| edge(import, to)).collect())
}

fn edge(import: &Import, to: &RepoPath) -> ImportEdge {
    ImportEdge { to: to.clone(), kind: EdgeKind::of(import), type_only: import.type_only, line: import.line }
}

/// The edges in order, each pair of path and kind once.
fn join_edges(mut edges: Vec<ImportEdge>) -> Vec<ImportEdge> {
    edges.sort_by(|a, b| (&a.to, a.kind, a.line).cmp(&(&b.to, b.kind, b.line)));
    let mut joined: Vec<ImportEdge> = Vec::with_capacity(edges.len());
    for edge in edges {
        match joined.last_mut() {
            Some(last) if last.to == edge.to && last.kind == edge.kind => last.type_only &= edge.type_only,
            _ => joined.push(edge),
        }
    }
    joined
}
