//! Names under which changed files no longer offer what they call otherwise.

use std::collections::{BTreeMap, BTreeSet};

use icr_impact::contract::{Categories, Class};
use icr_impact::{BrokenUse, ContractChange, Effect};
use icr_model::{Export, RepoPath};

use crate::Error;
use crate::change::callers::Callers;
use crate::change::sides::Change;
use crate::change::uses::UseFinder;

/// A row for each such name that imports took, or that others than those of the repository may take; with the files that still take it.
///
/// Cost: for each name that is gone the importers of its file, and what each imports.
pub(crate) fn exports_gone(
    change: &Change<'_>,
    finder: &UseFinder<'_>,
    (old, new): (&Callers<'_>, &Callers<'_>),
    categories: Categories,
) -> Result<(Vec<ContractChange>, BTreeSet<String>), Error> {
    let (mut rows, mut affected) = (Vec::new(), BTreeSet::new());
    let class = Class::EXPORT_REMOVED;
    if change.is_whole_files || !categories.has(class.category()) {
        return Ok((rows, affected));
    }
    for file in &change.files {
        let (Some(path_before), Some(path), None) = (&file.old, &file.new, file.opaque) else { continue };
        // What is renamed has other importers.
        if path_before != path || icr_rank::is_test_path(path) {
            continue;
        }
        let (Some(was), Some(is)) = (old.facts(path_before)?, new.facts(path)?) else { continue };
        let mut gone: BTreeMap<&str, &Export> = BTreeMap::new();
        for export in was.exports.iter().filter(|export| export.name != Export::MODULE) {
            if !gone.contains_key(export.name.as_str()) && !change.new.graph()?.offers(path, &export.name)? {
                gone.insert(&export.name, export);
            }
        }
        for (name, export) in gone {
            let (takers, uses) = takers(change, finder, path, name)?;
            let untouched = uses.iter().map(|broken| broken.path.as_str()).collect::<BTreeSet<_>>().len();
            affected.extend(takers.iter().map(ToString::to_string));
            let place = is.symbols.iter().find(|symbol| symbol.name == export.local);
            let effect = match (uses.is_empty(), takers.is_empty()) {
                (false, _) => Effect::Breaks,
                // Without anybody here who took it, they are elsewhere.
                (true, true) => Effect::MayBreak,
                (true, false) => Effect::Holds,
            };
            let detail = match name {
                Export::DEFAULT => "the module has no default export any more".to_owned(),
                name => format!("it is no longer exported as `{name}`"),
            };
            rows.push(ContractChange {
                path: path.to_string(),
                symbol: export.local.clone(),
                class: class.name(),
                detail,
                severity: class.severity(),
                exported: true,
                line: place.map_or(1, |symbol| symbol.lines.start),
                consumers: takers.len() as u32,
                consumers_untouched: untouched as u32,
                effect,
                uses: uses.into_iter().take(BrokenUse::MOST).collect(),
                accepted: None,
            });
        }
    }
    Ok((rows, affected))
}

/// Files that took `name` from the file at `path` before the change, under their names after it, and the imports that still do.
fn takers(
    change: &Change<'_>,
    finder: &UseFinder<'_>,
    path: &RepoPath,
    name: &str,
) -> Result<(BTreeSet<RepoPath>, BTreeSet<BrokenUse>), Error> {
    let taken = change.old.graph()?.takers(path, name)?;
    let takers: BTreeSet<RepoPath> = taken.iter().filter_map(|(taker, _)| finder.after(taker)).collect();
    let mut uses = BTreeSet::new();
    for (taker, lines) in change.new.graph()?.takers(path, name)? {
        for line in lines {
            let reason = format!("`{name}` is gone from where this takes it");
            uses.extend(finder.shown(&taker, line)?.map(|place| BrokenUse { reason, ..place }));
        }
    }
    Ok((takers, uses))
}
