//! Names under which changed files no longer offer what they call otherwise.

use std::collections::{BTreeMap, BTreeSet};

use icr_impact::contract::{Categories, Class};
use icr_impact::{BrokenUse, ContractChange, Effect};
use icr_model::{Export, Facts, Import, RepoPath};

use crate::Error;
use crate::change::callers::Callers;
use crate::change::sides::Change;
use crate::change::uses::UseFinder;

/// Most names that are told of one file: each asks all importers.
const NAMES: usize = 100;

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
        if path_before != path || icr_rank::is_test_path(path) || finder.is_unread(path) {
            continue;
        }
        let (Some(was), Some(is)) = (old.facts(path_before)?, new.facts(path)?) else { continue };
        let mut gone: BTreeMap<String, Export> = BTreeMap::new();
        for export in offered(&was) {
            let may_be_module = is_module_beside(change, path, &export.name)?;
            if gone.len() < NAMES && !may_be_module && !change.new.graph()?.offers(path, &export.name)? {
                gone.entry(export.name.clone()).or_insert(export);
            }
        }
        // What else these may assign to is not read.
        let is_open = is_common_js(&was) || is_common_js(&is);
        for (name, export) in gone {
            let (takers, mut uses) = takers(change, finder, path, &name)?;
            let untouched = uses.iter().map(|broken| broken.path.as_str()).collect::<BTreeSet<_>>().len();
            if is_open {
                uses.clear();
            }
            // What passes on what others define is theirs, unless somebody here took it from there.
            if export.local.is_empty() && untouched == 0 {
                continue;
            }
            affected.extend(takers.iter().map(ToString::to_string));
            let place = is.symbols.iter().find(|symbol| symbol.name == export.local);
            let effect = match (uses.is_empty(), takers.is_empty()) {
                (false, _) => Effect::Breaks,
                (true, _) if untouched > 0 => Effect::MayBreak,
                // Without anybody here who took it, they are elsewhere.
                (true, true) => Effect::MayBreak,
                (true, false) => Effect::Holds,
            };
            let detail = match name.as_str() {
                Export::DEFAULT => "the module has no default export any more".to_owned(),
                name if export.local.is_empty() => format!("`{name}` is no longer passed on from here"),
                name => format!("it is no longer exported as `{name}`"),
            };
            rows.push(ContractChange {
                path: path.to_string(),
                symbol: if export.local.is_empty() { name.clone() } else { export.local.clone() },
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

/// What the file offers under names that no definition in it has; without a name of its own for what it passes on. Every import of Python is
/// a name of its module.
fn offered(facts: &Facts) -> Vec<Export> {
    let own = facts.exports.iter().filter(|export| export.name != Export::MODULE).cloned();
    let is_passed = |import: &&Import| import.reexport || facts.language == "python";
    let taken = facts.imports.iter().filter(is_passed).flat_map(|import| &import.names);
    let named = taken.map(|name| name.alias.as_ref().unwrap_or(&name.name)).filter(|name| *name != "*");
    own.chain(named.map(|name| Export { name: name.clone(), local: String::new() })).collect()
}

/// Whether `name` is a module of the package of Python that the file at `path` stands for.
fn is_module_beside(change: &Change<'_>, path: &RepoPath, name: &str) -> Result<bool, Error> {
    let Some(directory) = path.as_str().and_then(|path| path.strip_suffix("__init__.py")) else { return Ok(false) };
    for end in [".py", "/__init__.py"] {
        let module = RepoPath::from([directory, name, end].concat().as_str());
        if change.new.view.file(&module)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a file offers what it assigns to `exports`.
fn is_common_js(facts: &Facts) -> bool {
    facts.references.iter().any(|group| matches!(group.name.as_str(), "exports" | "module"))
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
