//! The files that a file refers to: each identifier that it mentions is resolved to the files that define it and that
//! this file can see.
//!
//! There is no type checker here. A name that an import brings, or that the file's package defines, is followed to its
//! definition, through re-exports. A member (a method, a field) is resolved to the definitions of that name in files
//! whose values the file can have: those within a few import steps. Several such definitions share the reference.

use std::collections::HashMap;

use icr_model::Role;

use crate::counterparts::counterparts;
use crate::graph::PathInput;
use crate::member_resolution::PathResolver;
use crate::resolve::resolved_imports;
use crate::scope::FileScope;
use crate::statements::definitions;
use crate::view::{GraphView, file_name};

/// Most occurrences of a name that count for a file, when other files may share the name.
const GUESSES: u32 = 2;

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
    let resolver = PathResolver::new(view);
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
        for part in scope.by_type(mention) {
            let meant = scope.meant_by(&resolver, &part);
            let count = part.mention.lines.len() as u32;
            // Many mentions of a name do not make a guess about its meaning more certain.
            let counted = |share: f64| if share < 1.0 { count.min(GUESSES) } else { count };
            meant.files.iter().for_each(|(file, share)| add(*file, share * f64::from(counted(*share)), count));
        }
    }
    for at in 0..definitions(view.db(), file).list.len() as u32 {
        let mut files: Vec<PathInput> =
            counterparts(&resolver, view, file, at, None).iter().map(|other| other.file).collect();
        files.dedup();
        files.into_iter().filter(|other| *other != file).for_each(|other| add(other, 1.0, 1));
    }
    let mut referred: Vec<(PathInput, ReferenceWeight)> = referred.into_iter().collect();
    referred.sort_by_key(|(file, _)| file.path(view.db()));
    referred
}
