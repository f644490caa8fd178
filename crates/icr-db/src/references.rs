//! Which files a file refers to: identifiers it mentions, led to the files that define them and that it can see.
//!
//! There is no type checker here. A name that an import brings, or that the file's package defines, is led where the
//! import leads, through re-exports. A member (a method, a field) is led to the definitions of that name in files that
//! the file can have values from: those it reaches by a few imports. Several such definitions share the reference.

use std::cell::OnceCell;
use std::collections::HashMap;

use icr_model::Role;

use crate::graph::PathInput;
use crate::resolve::resolved;
use crate::scope::{Meant, Scope};
use crate::statements::Mention;
use crate::view::{View, file_name};

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
        let meant = scope.meant(mention.name, mention.role);
        let count = mention.lines.len() as u32;
        meant.files.iter().for_each(|file| add(*file, meant.share * f64::from(count), count));
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

/// Files that refer to what the file `definer` defines as `name`, in order of their paths, itself included.
pub(crate) fn referring(view: View<'_>, definer: &str, name: &str) -> Vec<Place> {
    let mentioning = view.mentioning(name);
    let candidates = mentioning.iter().filter_map(|path| path.as_str());
    candidates.clone().for_each(|candidate| view.take(candidate));
    candidates.filter_map(|candidate| places(view, candidate, &[(definer, name)]).pop()?).collect()
}

/// Where the file `candidate` refers to each of `definitions`, given as the file that defines and the name, in their order.
/// What the file sees, and what a name means in it, is worked out once for all of them.
pub(crate) fn places(view: View<'_>, candidate: &str, definitions: &[(&str, &str)]) -> Vec<Option<Place>> {
    let file = view.input(candidate);
    let mentions = view.mentions(candidate);
    let scope = OnceCell::new();
    let mut meant: HashMap<(&str, Role), Meant> = HashMap::new();
    let places = definitions.iter().map(|&(definer, name)| {
        mentions.named(name).next()?;
        let mut place = Place { path: candidate.to_owned(), lines: Vec::new(), share: 0.0 };
        if candidate == definer {
            place.share = 1.0;
            place.lines.extend(mentions.named(name).flat_map(|mention| mention.lines));
        } else {
            let definer = view.input(definer);
            let scope = scope.get_or_init(|| Scope::of(view, file));
            for local in scope.names_for(name) {
                for Mention { name, role, lines } in mentions.named(local) {
                    if role == Role::Import && !scope.imports(name) {
                        continue;
                    }
                    let meant = meant.entry((name, role)).or_insert_with(|| scope.meant(name, role));
                    let Some(share) = meant.share_of(definer) else { continue };
                    place.share = place.share.max(share);
                    place.lines.extend(lines);
                }
            }
        }
        place.lines.sort_unstable();
        (!place.lines.is_empty()).then_some(place)
    });
    places.collect()
}
