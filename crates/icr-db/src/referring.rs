//! The files that refer to a definition: each mention of its name is held against what the name means there.

use std::cell::OnceCell;
use std::collections::HashMap;

use icr_model::{ExportAlias, RepoPath, Role, SymbolKind};

use crate::answers::{Occurrence, Referring};
use crate::counterparts::counterparts;
use crate::exports::{ReExport, exports};
use crate::graph::PathInput;
use crate::importers::importers;
use crate::language_rules::{BareMembers, ResolutionRules, resolution_rules};
use crate::member_resolution::{DefinitionId, Destination, PathResolver};
use crate::scope::{BARE_SHARE, FileScope, MentionsWithin, NameTargets, TypeAround};
use crate::statements::{Definitions, FileDefinition, MentionGroup, definitions};
use crate::view::{GraphView, SortedPaths, parent};

/// Most importers of a file that are checked for re-exports under another name. A file with more importers is skipped;
/// index files have few importers.
const IMPORTERS: usize = 256;

/// Most places that are followed as offering one definition.
const OFFERED: usize = 64;

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
    let offered = if may_rename(view, definer) { offered_as(view, view.input(definer), name) } else { Vec::new() };
    let mut files: Vec<RepoPath> = match name.chars().nth(1) {
        // The list of all definitions of the name is one in memory.
        Some(_) if offered.is_empty() => return Mentioning { files: view.mentioning(name), other_names },
        Some(_) => view.mentioning(name).to_vec(),
        None => {
            view.files_in(parent(definer)).iter().chain(importers(db, view.input(definer)).iter()).cloned().collect()
        }
    };
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
    view.language(definer).is_some_and(|language| resolution_rules(language).renames_exports)
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
pub(crate) fn referring(view: GraphView<'_>, definer: &str, name: &str, holder: Option<&str>) -> Vec<Referring> {
    let mentioning = mentioning(view, definer, name);
    let asked = DefinitionName { definer, name, holder, other_names: &mentioning.other_names };
    let candidates = mentioning.files.iter().filter_map(|path| Some((path, path.as_str()?)));
    candidates.clone().for_each(|(_, candidate)| view.take(candidate));
    let referring = candidates.filter_map(|(path, candidate)| {
        let occurrences = occurrences(view, candidate, &[asked]).pop()?;
        (!occurrences.is_empty()).then(|| Referring { path: path.clone(), occurrences })
    });
    referring.collect()
}

/// Where in a file a name stands for a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AliasScope {
    /// Everywhere.
    Anywhere,
    /// Only where it is imported from a file that offers it under that name, or used as a member of such a file.
    NamedThere,
}

/// One file in which references are looked for. What it sees, and what a name means in it, is computed once for all
/// definitions that are asked about.
struct Candidate<'db> {
    view: GraphView<'db>,
    file: PathInput,
    rules: &'static ResolutionRules,
    own: &'db Definitions,
    resolver: PathResolver<'db>,
    scope: FileScope<'db>,
    meant: HashMap<MeaningKey<'db>, NameTargets>,
}

/// What the meaning of a mention depends on: its name, role, receiver, and the type around it.
type MeaningKey<'db> = (&'db str, Role, Option<&'db str>, Option<TypeAround<'db>>);

/// Where the file `candidate` refers to each of the definitions in `asked`, in their order; empty for one that it does
/// not refer to.
pub(crate) fn occurrences(view: GraphView<'_>, candidate: &str, asked: &[DefinitionName<'_>]) -> Vec<Vec<Occurrence>> {
    let file = view.input(candidate);
    let mentions = view.mentions(candidate);
    let own = definitions(view.db(), file);
    let candidate_of = || Candidate {
        view,
        file,
        rules: resolution_rules(view.language(candidate).unwrap_or_default()),
        own,
        resolver: PathResolver::new(view),
        scope: FileScope::of(view, file),
        meant: HashMap::new(),
    };
    // Most candidates only have the name in common with the definition.
    let mut opened = OnceCell::new();
    let occurrences = asked.iter().map(|asked| {
        let is_named = mentions.mentions_of_name(asked.name).next().is_some()
            || own.definitions_of_name(asked.name).next().is_some();
        if !is_named && !may_rename(view, asked.definer) {
            return Vec::new();
        }
        opened.get_or_init(candidate_of);
        let candidate: &mut Candidate<'_> = opened.get_mut().expect("it was opened in the line above");
        let mut found = if file == view.input(asked.definer) {
            candidate.in_own_file(asked)
        } else {
            candidate.in_other_file(asked)
        };
        found.extend(candidate.counterparts(asked));
        found.sort_by(|one, other| one.line.cmp(&other.line).then(other.share.total_cmp(&one.share)));
        found
    });
    occurrences.collect()
}

impl<'db> Candidate<'db> {
    fn is_asked(&self, asked: &DefinitionName<'_>, destination: &DefinitionId) -> bool {
        destination.file == self.view.input(asked.definer)
            && asked.holder.is_none_or(|holder| self.resolver.holder(*destination) == holder)
    }

    /// Whether a member of a type is asked about, not one of a module.
    fn asks_for_member(&self, asked: &DefinitionName<'_>) -> bool {
        let Some(holder) = asked.holder.filter(|holder| !holder.is_empty()) else { return false };
        let all = definitions(self.view.db(), self.view.input(asked.definer));
        let of_module = |definition: &FileDefinition| {
            let parent = definition.parent.map(|parent| all.list[parent as usize].kind);
            definition.receiver.is_none() && parent == Some(SymbolKind::Module)
        };
        let mut named = all.definitions_of_name(asked.name).map(|(_, definition)| definition);
        !named.any(|definition| all.holder(definition) == Some(holder) && of_module(definition))
    }

    /// Whether a bare name cannot be a member of a type: the language has no such mentions, and no import brings the
    /// member.
    fn is_never_member(&self, mention: &MentionGroup<'_>) -> bool {
        let is_never = match mention.role {
            Role::Call => true,
            Role::Other => self.rules.bare_names == BareMembers::Never,
            Role::Import | Role::Member | Role::Type => false,
        };
        is_never && mention.receiver.is_none() && !self.scope.takes_bare_members() && !self.scope.imports(mention.name)
    }

    /// Occurrences in the file that has the definition.
    fn in_own_file(&mut self, asked: &DefinitionName<'_>) -> Vec<Occurrence> {
        let view = self.view;
        let path = view.path(self.file);
        let is_member_only = self.defines_only_members(asked.name);
        let asks_for_member = self.asks_for_member(asked);
        let mut found = Vec::new();
        for mention in view.mentions(path).mentions_of_name(asked.name) {
            let is_bare = mention.receiver.is_none() && mention.role != Role::Member;
            let is_of_other = asks_for_member && mention.role == Role::Import;
            if is_of_other || (is_member_only || asks_for_member) && self.is_never_member(&mention) {
                continue;
            }
            for part in self.scope.by_type(mention) {
                if let Some(share) = self.own_share(asked, &part, is_bare, is_member_only) {
                    found.extend(part.mention.lines.iter().map(|line| Occurrence { line: *line, share }));
                }
            }
        }
        found
    }

    /// The share that a definition of this file has of a mention in it; `None` if the mention means another one.
    fn own_share(
        &self,
        asked: &DefinitionName<'_>,
        part: &MentionsWithin<'db>,
        is_bare: bool,
        is_member_only: bool,
    ) -> Option<f64> {
        let destination = self.scope.destination(&self.resolver, part);
        match destination.as_deref() {
            Some(Destination::Definitions(list)) => {
                if let Some(bodies) = self.scope.distinct_bodies(&self.resolver, list) {
                    // The list may hold only its declaration, in another file.
                    let is_its =
                        |found: &DefinitionId| asked.holder.is_none_or(|holder| self.resolver.holder(*found) == holder);
                    return list.iter().any(is_its).then(|| 1.0 / bodies as f64);
                }
                let its = list.iter().filter(|found| self.is_asked(asked, found)).count();
                (its > 0).then(|| its as f64 / list.len() as f64)
            }
            Some(Destination::Modules(_)) if self.rules.files_are_modules && self.asks_for_member(asked) => None,
            Some(Destination::Modules(_)) => Some(1.0),
            Some(Destination::Outside) if part.mention.receiver.is_some() => {
                self.scope.extends(self.file, asked.name).then_some(1.0)
            }
            Some(Destination::Missing) if part.mention.receiver.is_some() && self.rules.closes_types => None,
            _ if is_bare && is_member_only && self.scope.takes_bare_members() => {
                let own = if asked.holder.is_some() { holders(self.own, asked.name) } else { 1 };
                Some(BARE_SHARE / own.max(1) as f64)
            }
            // Outside of its type, a bare name is rather that of the function of the file.
            _ if is_bare && self.own.offers(asked.name) && self.asks_for_member(asked) => None,
            _ if is_bare => Some(1.0),
            _ => {
                let own = holders(self.own, asked.name);
                let its = if asked.holder.is_some() { 1 } else { own };
                Some(self.scope.own_share(asked.name, its, own))
            }
        }
    }

    /// Whether everything that the file defines as `name` is a member of a type.
    fn defines_only_members(&self, name: &str) -> bool {
        use SymbolKind::{Class, Enum, Interface, Struct, Trait};
        let is_in_type = |(_, definition): (u32, &FileDefinition)| {
            let parent = definition.parent.map(|parent| self.own.list[parent as usize].kind);
            definition.receiver.is_some() || matches!(parent, Some(Class | Enum | Interface | Struct | Trait))
        };
        let mut named = self.own.definitions_of_name(name).peekable();
        named.peek().is_some() && named.all(is_in_type)
    }

    /// Occurrences in a file that has to see the definition to refer to it.
    fn in_other_file(&mut self, asked: &DefinitionName<'_>) -> Vec<Occurrence> {
        let (view, definer) = (self.view, self.view.input(asked.definer));
        let mentions = view.mentions(view.path(self.file));
        let asks_for_member = self.asks_for_member(asked);
        let own_names = self.scope.names_for(definer, asked.name, asked.other_names);
        let own_names = own_names.into_iter().map(|local| (local, AliasScope::Anywhere));
        let other_names = asked.other_names.iter().map(|other| (other.as_str(), AliasScope::NamedThere));
        let mut found: Vec<Occurrence> = Vec::new();
        for (local, standing) in own_names.chain(other_names) {
            for part in mentions.mentions_of_name(local).flat_map(|mention| self.scope.by_type(mention)) {
                if asks_for_member && local == asked.name && self.is_never_member(&part.mention) {
                    continue;
                }
                let (local, role) = (part.mention.name, part.mention.role);
                let share = match (standing, role) {
                    // The path of an import may end in the name.
                    (AliasScope::Anywhere, Role::Import) if !self.scope.imports(local) => {
                        let files = self.scope.imported_as(local);
                        files.contains(&definer).then(|| 1.0 / files.len() as f64)
                    }
                    (AliasScope::Anywhere, _) => {
                        let key = (local, role, part.mention.receiver, part.around);
                        let (scope, resolver) = (&self.scope, &self.resolver);
                        self.meant.entry(key).or_insert_with(|| scope.meant_by(resolver, &part)).share_of(definer)
                    }
                    (AliasScope::NamedThere, Role::Import) => {
                        self.scope.takes(local, definer, asked.name).then_some(1.0)
                    }
                    (AliasScope::NamedThere, _) => self.leads_to(&part, definer, asked.name).then_some(1.0),
                };
                let Some(share) = share.and_then(|share| self.share_of_holder(asked, &part, share)) else { continue };
                // An import that renames it counts as one mention.
                let is_told = |line: &u32| {
                    standing == AliasScope::NamedThere && found.iter().any(|occurrence| occurrence.line == *line)
                };
                let lines = part.mention.lines.iter().filter(|line| !is_told(line));
                let lines: Vec<Occurrence> = lines.map(|line| Occurrence { line: *line, share }).collect();
                found.extend(lines);
            }
        }
        found
    }

    /// The part of a file's `share` of a mention that the holder has that is asked about; `None` if the mention means
    /// another definition of the file.
    fn share_of_holder(&self, asked: &DefinitionName<'_>, part: &MentionsWithin<'db>, share: f64) -> Option<f64> {
        if asked.holder.is_none() {
            return Some(share);
        }
        let definer = self.view.input(asked.definer);
        match self.scope.destination(&self.resolver, part).as_deref() {
            Some(Destination::Definitions(list)) => {
                let its = list.iter().filter(|found| self.is_asked(asked, found)).count();
                let of_file = list.iter().filter(|found| found.file == definer).count();
                (its > 0).then(|| share * its as f64 / of_file as f64)
            }
            // Where files are no modules, these may have a part of the type.
            Some(Destination::Modules(_)) if self.rules.files_are_modules && self.asks_for_member(asked) => None,
            Some(Destination::Outside) if part.mention.receiver.is_some() => {
                self.scope.extends(definer, asked.name).then_some(share)
            }
            _ if matches!(part.mention.role, Role::Call | Role::Member | Role::Other) && asked.holder != Some("") => {
                let all = definitions(self.view.db(), definer);
                Some(share / holders(all, asked.name).max(1) as f64)
            }
            _ => Some(share),
        }
    }

    /// Whether the receiver of a mention leads to the definition `name` in `definer`.
    fn leads_to(&self, part: &MentionsWithin<'db>, definer: PathInput, name: &str) -> bool {
        let destination = self.scope.destination(&self.resolver, part);
        let is_it = |found: &DefinitionId| found.file == definer && self.resolver.name(*found) == name;
        matches!(destination.as_deref(), Some(Destination::Definitions(list)) if list.iter().any(is_it))
    }

    /// Definitions of the file that override or implement the one that is asked about.
    fn counterparts(&self, asked: &DefinitionName<'_>) -> Vec<Occurrence> {
        let definer = self.view.input(asked.definer);
        let mentions = self.view.mentions(self.view.path(self.file));
        let is_counterpart = |at: u32| {
            let others = counterparts(&self.resolver, self.view, self.file, at, Some(definer));
            others.iter().any(|other| self.is_asked(asked, other))
        };
        let named = self.own.definitions_of_name(asked.name).filter(|(at, _)| is_counterpart(*at));
        named.filter_map(|(at, _)| Some(Occurrence { line: mentions.line_of(at)?, share: 1.0 })).collect()
    }
}

/// Number of types, or other places, in which a file defines `name`.
fn holders(all: &Definitions, name: &str) -> usize {
    let mut holders: Vec<&str> =
        all.definitions_of_name(name).map(|(_, definition)| all.holder(definition).unwrap_or_default()).collect();
    holders.sort_unstable();
    holders.dedup();
    holders.len()
}
