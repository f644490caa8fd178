//! The files that a file refers to: each identifier that it mentions is resolved to the files that define it and that
//! this file can see.
//!
//! There is no type checker here. A name that an import brings, or that the file's package defines, is followed to its
//! definition, through re-exports. A member (a method, a field) is resolved to the definitions of that name in files
//! whose values the file can have: those within a few import steps. Several such definitions share the reference.

use std::cell::OnceCell;
use std::collections::HashMap;

use icr_model::{ExportAlias, RepoPath, Role, SymbolKind};

use crate::counterparts::counterparts;
use crate::exports::{ReExport, exports};
use crate::graph::PathInput;
use crate::importers::importers;
use crate::member_resolution::{DefinitionId, Destination, Leads};
use crate::resolve::resolved_imports;
use crate::scope::{BARE_MEMBERS, EXTENDING, FileScope, NameTargets, extends};
use crate::statements::{FileDefinition, MentionGroup, definitions};
use crate::view::{GraphView, SortedPaths, file_name, parent};

/// Most occurrences of a name that count for a file, when other files may share the name.
const GUESSES: u32 = 2;

/// Languages whose modules can export definitions under another name.
const RENAMING: [&str; 4] = ["javascript", "python", "tsx", "typescript"];

/// Most importers of a file that are checked for re-exports under another name. A file with more importers is skipped;
/// index files have few importers.
const IMPORTERS: usize = 256;

/// Most places that are followed as offering one definition.
const OFFERED: usize = 64;

/// A file that another one refers to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReferenceWeight {
    /// Occurrences that lead to it, weighted by its share of each.
    pub(crate) weight: f64,
    /// Occurrences that lead to it, shared or not.
    pub(crate) count: u32,
}

/// Files that the file at `path` refers to, in order of their paths.
pub(crate) fn references(view: GraphView<'_>, path: &str) -> Vec<(PathInput, ReferenceWeight)> {
    let file = view.input(path);
    let scope = FileScope::of(view, file);
    let leads = Leads::new(view);
    let mut referred: HashMap<PathInput, ReferenceWeight> = HashMap::new();
    let mut add = |file: PathInput, weight: f64, count: u32| {
        let entry = referred.entry(file).or_insert(ReferenceWeight { weight: 0.0, count: 0 });
        entry.weight += weight;
        entry.count += count;
    };
    // An import refers to its module, whatever names it takes.
    for outcome in &resolved_imports(view.db(), file).outcomes {
        // If it leads to several files, or to the file that stands for a package, no single file is meant.
        if let [target] = outcome.targets()
            && target.file != file
            && file_name(view.path(target.file)) != "__init__.py"
        {
            add(target.file, 1.0, 1);
        }
    }
    for mention in view.mentions(path).all() {
        if mention.role == Role::Import && !scope.imports(mention.name) {
            continue;
        }
        let meant = scope.meant_by(&leads, &mention);
        let count = mention.lines.len() as u32;
        // Many mentions of a name do not make a guess about its meaning more certain.
        let counted = |share: f64| if share < 1.0 { count.min(GUESSES) } else { count };
        meant.files.iter().for_each(|(file, share)| add(*file, share * f64::from(counted(*share)), count));
    }
    for at in 0..definitions(view.db(), file).list.len() as u32 {
        let mut files: Vec<PathInput> =
            counterparts(&leads, view, file, at, None).iter().map(|other| other.file).collect();
        files.dedup();
        files.into_iter().filter(|other| *other != file).for_each(|other| add(other, 1.0, 1));
    }
    let mut referred: Vec<(PathInput, ReferenceWeight)> = referred.into_iter().collect();
    referred.sort_by_key(|(file, _)| file.path(view.db()));
    referred
}

/// Where a file refers to a definition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReferringFile {
    pub(crate) path: String,
    /// Lines, ascending. A line is repeated for each occurrence on it.
    pub(crate) lines: Vec<u32>,
    /// The definition's share of each occurrence; 1 when the name can mean nothing else.
    pub(crate) share: f64,
}

/// A definition that is asked about, by its file and name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DefinitionName<'a> {
    /// Path of the file.
    pub(crate) definer: &'a str,
    pub(crate) name: &'a str,
    /// Name of the type that it is a member of, empty if it is no member; `None` for all definitions of this name in
    /// the file.
    pub(crate) holder: Option<&'a str>,
    /// Other names under which it can be imported; see [`mentioning`].
    pub(crate) other_names: &'a [String],
}

/// The files that may mention a definition.
pub(crate) struct Mentioning {
    /// In order of their paths.
    pub(crate) files: SortedPaths,
    /// Other names under which it can be imported.
    pub(crate) other_names: Vec<String>,
}

/// The files that may mention `name` as defined in the file `definer`, under this name or another. No posting list
/// holds names of one letter; for these, only importers and neighbours of the file are candidates.
pub(crate) fn mentioning(view: GraphView<'_>, definer: &str, name: &str) -> Mentioning {
    let db = view.db();
    let mut other_names = Vec::new();
    let mut files: Vec<RepoPath> = match name.chars().nth(1) {
        Some(_) => {
            let mentioning = view.mentioning(name);
            if !may_rename(view, definer) {
                return Mentioning { files: mentioning, other_names };
            }
            mentioning.to_vec()
        }
        None => {
            view.files_in(parent(definer)).iter().chain(importers(db, view.input(definer)).iter()).cloned().collect()
        }
    };
    let offered = if may_rename(view, definer) { offered_as(view, view.input(definer), name) } else { Vec::new() };
    for (file, taken) in offered {
        match taken {
            ExportAlias::DEFAULT | ExportAlias::MODULE => files.extend_from_slice(importers(db, file)),
            taken => {
                files.extend_from_slice(&view.mentioning(taken));
                other_names.push(taken.to_owned());
            }
        }
    }
    files.sort();
    files.dedup();
    other_names.sort_unstable();
    other_names.dedup();
    Mentioning { files: files.into(), other_names }
}

/// Whether other files may import a definition of the file under another name.
fn may_rename(view: GraphView<'_>, definer: &str) -> bool {
    view.language(definer).is_some_and(|language| RENAMING.contains(&language))
}

/// Other names under which a definition called `name` can be imported, each with the file that offers it.
fn offered_as<'db>(view: GraphView<'db>, definer: PathInput, name: &'db str) -> Vec<(PathInput, &'db str)> {
    let db = view.db();
    let mut offered = vec![(definer, name)];
    let mut asked = 0;
    while let Some(&(offering, known)) = offered.get(asked) {
        asked += 1;
        let around = importers(db, offering);
        let around = if around.len() > IMPORTERS { &[] } else { &**around };
        for file in std::iter::once(offering).chain(around.iter().map(|importer| db.path_input(importer))) {
            let exports = exports(db, file);
            let is_it = |offered: &ReExport| offered.file == offering && offered.name == known;
            let named = exports.named.iter().filter(|(_, offered)| offered.iter().any(is_it));
            let whole = exports.whole.contains(&offering).then_some(known);
            for taken in named.map(|(taken, _)| taken.as_str()).chain(whole) {
                if offered.len() < OFFERED && !offered.contains(&(file, taken)) {
                    offered.push((file, taken));
                }
            }
        }
    }
    offered.retain(|(_, taken)| *taken != name);
    offered
}

/// Files that refer to the definition, in order of their paths, including the file that defines it.
pub(crate) fn referring(view: GraphView<'_>, definer: &str, name: &str, holder: Option<&str>) -> Vec<ReferringFile> {
    let mentioning = mentioning(view, definer, name);
    let asked = DefinitionName { definer, name, holder, other_names: &mentioning.other_names };
    let candidates = mentioning.files.iter().filter_map(|path| path.as_str());
    candidates.clone().for_each(|candidate| view.take(candidate));
    candidates.filter_map(|candidate| places(view, candidate, &[asked]).pop()?).collect()
}

/// Where in a file a name stands for a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AliasScope {
    /// Everywhere.
    Anywhere,
    /// Only where it is imported from a file that offers it under that name, or used as a member of such a file.
    NamedThere,
}

/// Whether the receiver of a mention leads to the definition `name` in `definer`.
fn leads_to(leads: &Leads<'_>, file: PathInput, mention: &MentionGroup<'_>, definer: PathInput, name: &str) -> bool {
    let destination = mention.receiver.map(|receiver| leads.member(file, receiver, mention.name));
    let is_it = |found: &DefinitionId| found.file == definer && leads.name(*found) == name;
    matches!(destination.as_deref(), Some(Destination::Definitions(list)) if list.iter().any(is_it))
}

/// Where the file `candidate` refers to each of the definitions in `asked`, in their order. What the file sees, and
/// what a name means in it, is computed once for all of them.
pub(crate) fn places(view: GraphView<'_>, candidate: &str, asked: &[DefinitionName<'_>]) -> Vec<Option<ReferringFile>> {
    let file = view.input(candidate);
    let mentions = view.mentions(candidate);
    let scope = OnceCell::new();
    let leads = Leads::new(view);
    let mut meant: HashMap<(&str, Role, Option<&str>), NameTargets> = HashMap::new();
    let own = definitions(view.db(), file);
    let takes_bare_members = view.language(candidate).is_some_and(|language| BARE_MEMBERS.contains(&language));
    let places = asked.iter().map(|&DefinitionName { definer, name, holder, other_names }| {
        let is_named =
            mentions.mentions_of_name(name).next().is_some() || own.definitions_of_name(name).next().is_some();
        if !is_named && !may_rename(view, definer) {
            return None;
        }
        let mut named = own.definitions_of_name(name).map(|(_, definition)| definition).peekable();
        let is_in_type = |definition: &FileDefinition| {
            let parent = definition.parent.map(|parent| own.list[parent as usize].kind);
            parent.is_some_and(|kind| {
                matches!(
                    kind,
                    SymbolKind::Class
                        | SymbolKind::Enum
                        | SymbolKind::Interface
                        | SymbolKind::Struct
                        | SymbolKind::Trait
                )
            })
        };
        let is_member_only = named.peek().is_some() && named.all(is_in_type);
        let mut place = ReferringFile { path: candidate.to_owned(), lines: Vec::new(), share: 0.0 };
        let definer = view.input(definer);
        let is_asked = |destination: &DefinitionId| {
            destination.file == definer && holder.is_none_or(|holder| leads.holder(*destination) == holder)
        };
        let is_extension = view.language(candidate).is_some_and(|language| EXTENDING.contains(&language))
            && extends(view, definer, name);
        // If the receiver of a mention leads to another definition, the equal name does not mean this one.
        let is_other = |mention: &MentionGroup<'_>| {
            let destination = mention.receiver.map(|receiver| leads.member(file, receiver, mention.name));
            match destination.as_deref() {
                Some(Destination::Definitions(list)) => !list.iter().any(is_asked),
                Some(Destination::Outside) => !is_extension,
                _ => false,
            }
        };
        if file == definer {
            place.share = 1.0;
            // In most languages, a member is never called by its bare name.
            let is_function = |mention: &MentionGroup<'_>| {
                mention.role == Role::Call && mention.receiver.is_none() && !takes_bare_members && is_member_only
            };
            let its = mentions.mentions_of_name(name).filter(|mention| !is_other(mention) && !is_function(mention));
            place.lines.extend(its.flat_map(|mention| mention.lines));
        } else {
            let scope = scope.get_or_init(|| FileScope::of(view, file));
            let own_names =
                scope.names_for(definer, name, other_names).into_iter().map(|local| (local, AliasScope::Anywhere));
            let other_names = other_names.iter().map(|other| (other.as_str(), AliasScope::NamedThere));
            for (local, standing) in own_names.chain(other_names) {
                for mention in mentions.mentions_of_name(local) {
                    let MentionGroup { name: local, role, receiver, lines } = mention;
                    let share = match (standing, role) {
                        // The path of an import may end in the name.
                        (AliasScope::Anywhere, Role::Import) if !scope.imports(local) => {
                            let files = scope.imported_as(local);
                            files.contains(&definer).then(|| 1.0 / files.len() as f64)
                        }
                        (AliasScope::Anywhere, _) => {
                            let key = (local, role, receiver);
                            meant.entry(key).or_insert_with(|| scope.meant_by(&leads, &mention)).share_of(definer)
                        }
                        (AliasScope::NamedThere, Role::Import) => scope.takes(local, definer, name).then_some(1.0),
                        (AliasScope::NamedThere, _) => leads_to(&leads, file, &mention, definer, name).then_some(1.0),
                    };
                    let Some(share) = share else { continue };
                    if holder.is_some() && is_other(&mention) {
                        continue;
                    }
                    place.share = place.share.max(share);
                    // An import that renames it counts as one mention.
                    let is_told = |line: &&u32| standing == AliasScope::NamedThere && place.lines.contains(line);
                    let lines: Vec<u32> = lines.iter().filter(|line| !is_told(line)).copied().collect();
                    place.lines.extend(lines);
                }
            }
        }
        for (at, _) in own.definitions_of_name(name) {
            if counterparts(&leads, view, file, at, Some(definer)).iter().any(is_asked) {
                place.share = 1.0;
                place.lines.extend(mentions.line_of(at));
            }
        }
        place.lines.sort_unstable();
        (!place.lines.is_empty()).then_some(place)
    });
    places.collect()
}
