//! Which files a file refers to: identifiers it mentions, led to the files that define them and that it can see.
//!
//! There is no type checker here. A name that an import brings, or that the file's package defines, is led where the
//! import leads, through re-exports. A member (a method, a field) is led to the definitions of that name in files that
//! the file can have values from: those it reaches by a few imports. Several such definitions share the reference.

use std::cell::OnceCell;
use std::collections::HashMap;

use icr_model::{RepoPath, Role};

use crate::counterparts::counterparts;
use crate::graph::PathInput;
use crate::importers::importers;
use crate::leads::{DefinitionId, Destination, Leads};
use crate::resolve::resolved;
use crate::scope::{Meant, Scope};
use crate::statements::{Mention, definitions};
use crate::view::{Files, View, file_name, parent};

/// Most occurrences of a name that count for a file that may share it with others.
const GUESSES: u32 = 2;

/// A file that another one refers to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Referred {
    /// Occurrences led to it, with the shares of those that several files share.
    pub(crate) weight: f64,
    /// Occurrences led to it, shared or not.
    pub(crate) count: u32,
}

/// Files that the file at `path` refers to, in order of their paths.
pub(crate) fn references(view: View<'_>, path: &str) -> Vec<(PathInput, Referred)> {
    let file = view.input(path);
    let scope = Scope::of(view, file);
    let leads = Leads::new(view);
    let mut referred: HashMap<PathInput, Referred> = HashMap::new();
    let mut add = |file: PathInput, weight: f64, count: u32| {
        let entry = referred.entry(file).or_insert(Referred { weight: 0.0, count: 0 });
        entry.weight += weight;
        entry.count += count;
    };
    // An import refers to the module that it names, whatever it takes from it.
    for outcome in &resolved(view.db(), file).outcomes {
        // Where it names several files, or the file that stands for a package, it names none of them.
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
        // That a name stands there often makes a guess what it means no surer.
        let counted = |share: f64| if share < 1.0 { count.min(GUESSES) } else { count };
        meant.files.iter().for_each(|(file, share)| add(*file, share * f64::from(counted(*share)), count));
    }
    for at in 0..definitions(view.db(), file).list.len() as u32 {
        let mut files: Vec<PathInput> =
            counterparts(&leads, view, file, at, None).iter().map(|other| other.file).collect();
        files.dedup();
        files.into_iter().filter(|other| *other != file).for_each(|other| add(other, 1.0, 1));
    }
    let mut referred: Vec<(PathInput, Referred)> = referred.into_iter().collect();
    referred.sort_by_key(|(file, _)| file.path(view.db()));
    referred
}

/// Where a file refers to a definition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) path: String,
    /// Lines, ascending; one stands as often as the name does on it.
    pub(crate) lines: Vec<u32>,
    /// Share that the definition has of each; 1 when nothing else can be meant.
    pub(crate) share: f64,
}

/// What is asked about: what a file defines under a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DefinitionName<'a> {
    /// Path of the file.
    pub(crate) definer: &'a str,
    pub(crate) name: &'a str,
    /// Name of what it is a member of, empty for nothing; `None` for all that the file calls so.
    pub(crate) holder: Option<&'a str>,
}

/// Files that may mention what the file `definer` defines as `name`. No posting holds a name of one letter, which few but its importers
/// and neighbours can mean.
pub(crate) fn mentioning(view: View<'_>, definer: &str, name: &str) -> Files {
    if name.chars().nth(1).is_some() {
        return view.mentioning(name);
    }
    let near = view.files_in(parent(definer));
    let mut files: Vec<RepoPath> =
        near.iter().chain(importers(view.db(), view.input(definer)).iter()).cloned().collect();
    files.sort();
    files.dedup();
    files.into()
}

/// Files that refer to what is asked about, in order of their paths, the one that defines it included.
pub(crate) fn referring(view: View<'_>, asked: DefinitionName<'_>) -> Vec<Place> {
    let mentioning = mentioning(view, asked.definer, asked.name);
    let candidates = mentioning.iter().filter_map(|path| path.as_str());
    candidates.clone().for_each(|candidate| view.take(candidate));
    candidates.filter_map(|candidate| places(view, candidate, &[asked]).pop()?).collect()
}

/// Where the file `candidate` refers to each of what is `asked` about, in their order. What the file sees, and what a name
/// means in it, is worked out once for all of them.
pub(crate) fn places(view: View<'_>, candidate: &str, asked: &[DefinitionName<'_>]) -> Vec<Option<Place>> {
    let file = view.input(candidate);
    let mentions = view.mentions(candidate);
    let scope = OnceCell::new();
    let leads = Leads::new(view);
    let mut meant: HashMap<(&str, Role, Option<&str>), Meant> = HashMap::new();
    let own = definitions(view.db(), file);
    let places = asked.iter().map(|&DefinitionName { definer, name, holder }| {
        if mentions.named(name).next().is_none() && own.named(name).next().is_none() {
            return None;
        }
        let mut place = Place { path: candidate.to_owned(), lines: Vec::new(), share: 0.0 };
        let definer = view.input(definer);
        let is_asked = |destination: &DefinitionId| {
            destination.file == definer && holder.is_none_or(|holder| leads.holder(*destination) == holder)
        };
        // What the text says of a receiver, a name cannot say otherwise.
        let is_other = |mention: &Mention<'_>| {
            let destination = mention.receiver.map(|receiver| leads.member(file, receiver, mention.name));
            match destination.as_deref() {
                Some(Destination::Definitions(list)) => !list.iter().any(is_asked),
                Some(Destination::Outside) => true,
                _ => false,
            }
        };
        if file == definer {
            place.share = 1.0;
            let its = mentions.named(name).filter(|mention| !is_other(mention));
            place.lines.extend(its.flat_map(|mention| mention.lines));
        } else {
            let scope = scope.get_or_init(|| Scope::of(view, file));
            for local in scope.names_for(name) {
                for mention in mentions.named(local) {
                    let Mention { name, role, receiver, lines } = mention;
                    if role == Role::Import && !scope.imports(name) {
                        continue;
                    }
                    let key = (name, role, receiver);
                    let meant = meant.entry(key).or_insert_with(|| scope.meant_by(&leads, &mention));
                    let Some(share) = meant.share_of(definer) else { continue };
                    if holder.is_some() && is_other(&mention) {
                        continue;
                    }
                    place.share = place.share.max(share);
                    place.lines.extend(lines);
                }
            }
        }
        for (at, _) in own.named(name) {
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
