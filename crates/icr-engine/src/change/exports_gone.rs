//! Export names that changed files no longer offer, or to fewer builds, other than those of definitions.

use std::collections::{BTreeMap, BTreeSet};

use icr_impact::contract::{Categories, ContractChangeClass};
use icr_impact::symbols::{self, FileSide, GatedExport, definition_rules};
use icr_impact::{BrokenUse, ContractChange, Effect};
use icr_model::{ExportAlias, Facts, Import, ImportKind, RepoPath};

use crate::Error;
use crate::change::callers::Callers;
use crate::change::sides::ViewChange;
use crate::change::uses::UseFinder;
use crate::test_paths::is_test;

/// Most names reported for one file: each takes a look at all importers.
const NAMES: usize = 100;

/// A row for each such name that importers took or that code outside of the repository may take, with the files that
/// still take it.
///
/// Cost: for each name that is gone, the importers of its file and the imports of each.
pub(crate) fn exports_gone(
    change: &ViewChange<'_>,
    finder: &UseFinder<'_>,
    (old, new): (&Callers<'_>, &Callers<'_>),
    categories: Categories,
) -> Result<(Vec<ContractChange>, BTreeSet<String>), Error> {
    let (mut rows, mut affected) = (Vec::new(), BTreeSet::new());
    if change.is_whole_files || !categories.has(ContractChangeClass::EXPORT_REMOVED.category()) {
        return Ok((rows, affected));
    }
    for file in &change.files {
        let (Some(path_before), Some(path), None) = (&file.old, &file.new, file.opaque) else { continue };
        // The importers of a renamed file are handled elsewhere.
        if path_before != path || finder.is_unread(path) || is_test(change.new.graph()?, path)? {
            continue;
        }
        let (Some(was), Some(is)) = (old.facts(path_before)?, new.facts(path)?) else { continue };
        let mut gone: BTreeMap<String, ExportAlias> = BTreeMap::new();
        for export in exports_without_definition(&was) {
            if gone.len() < NAMES && !change.new.graph()?.offers(path, &export.name)? {
                gone.entry(export.name.clone()).or_insert(export);
            }
        }
        for gated in gated_exports(change, (path_before, &was), (path, &is))? {
            let (takers, uses) = takers(change, finder, path, &gated.name)?;
            affected.extend(takers.iter().map(ToString::to_string));
            rows.push(gated_row(path, &gated, &takers, uses));
        }
        // CommonJS files may assign further exports in ways that are not analysed.
        let is_open = is_common_js(&was) || is_common_js(&is);
        for (name, export) in gone {
            let (takers, mut uses) = takers(change, finder, path, &name)?;
            let untouched = uses.iter().map(|broken| broken.path.as_str()).collect::<BTreeSet<_>>().len();
            if is_open {
                uses.clear();
            }
            // A name that is only re-exported belongs to its definer, unless somebody in the repository took it from
            // here.
            if export.local.is_empty() && untouched == 0 {
                continue;
            }
            affected.extend(takers.iter().map(ToString::to_string));
            rows.push(row(path, &name, &export, &is, (&takers, untouched), uses));
        }
    }
    Ok((rows, affected))
}

/// What a file offers to fewer builds than before.
fn gated_exports(
    change: &ViewChange<'_>,
    (path_before, was): (&RepoPath, &Facts),
    (path, is): (&RepoPath, &Facts),
) -> Result<Vec<GatedExport>, Error> {
    let offers = |facts: &Facts| facts.imports.iter().any(|it| it.reexport || it.kind == ImportKind::Module);
    if !offers(was) || !offers(is) {
        return Ok(Vec::new());
    }
    let (before, now) = (change.old.view.text_at(path_before)?, change.new.view.text_at(path)?);
    let (Some(before), Some(now)) = (before, now) else { return Ok(Vec::new()) };
    let side = |path, facts, text| FileSide { path, facts, text, shapes: &[], token_digest: None };
    Ok(symbols::gated_exports(side(path_before, was, &before), side(path, is, &now)))
}

/// The row for a name that the file at `path` offers to fewer builds. Which build a use is part of is not known.
fn gated_row(
    path: &RepoPath,
    gated: &GatedExport,
    takers: &BTreeSet<RepoPath>,
    uses: BTreeSet<BrokenUse>,
) -> ContractChange {
    let class = ContractChangeClass::VISIBILITY_REDUCED;
    let untouched = uses.iter().map(|used| used.path.as_str()).collect::<BTreeSet<_>>().len();
    let what = if gated.is_module { "the module is there" } else { "it is passed on" };
    ContractChange {
        path: path.to_string(),
        symbol: gated.name.clone(),
        class: class.name(),
        detail: format!("{what} only where `{}` now", gated.condition),
        severity: class.severity(),
        exported: true,
        line: gated.line,
        consumers: takers.len() as u32,
        consumers_untouched: untouched as u32,
        own_references: 0,
        declared_at: None,
        lacked_by: Vec::new(),
        effect: if untouched > 0 || takers.is_empty() { Effect::MayBreak } else { Effect::Holds },
        uses: Vec::new(),
        accepted: None,
    }
}

/// The row for `name`, for which the file at `path` no longer has `export`, with the files that took it, the number of
/// those that still do, and the uses that prove it.
fn row(
    path: &RepoPath,
    name: &str,
    export: &ExportAlias,
    facts: &Facts,
    (takers, untouched): (&BTreeSet<RepoPath>, usize),
    uses: BTreeSet<BrokenUse>,
) -> ContractChange {
    let class = ContractChangeClass::EXPORT_REMOVED;
    let is_passed_on = export.local.is_empty();
    let place = facts.symbols.iter().find(|symbol| symbol.name == export.local);
    let effect = match () {
        () if !uses.is_empty() => Effect::Breaks,
        // If nobody in the repository took the name, its users are elsewhere.
        () if untouched > 0 || takers.is_empty() => Effect::MayBreak,
        () => Effect::Holds,
    };
    ContractChange {
        path: path.to_string(),
        symbol: if is_passed_on { name.to_owned() } else { export.local.clone() },
        class: class.name(),
        detail: match name {
            ExportAlias::DEFAULT => "the module has no default export any more".to_owned(),
            name if is_passed_on => format!("`{name}` is no longer passed on from here"),
            name => format!("it is no longer exported as `{name}`"),
        },
        severity: class.severity(),
        exported: true,
        line: place.map_or(1, |symbol| symbol.lines.start),
        consumers: takers.len() as u32,
        consumers_untouched: untouched as u32,
        own_references: 0,
        declared_at: None,
        lacked_by: Vec::new(),
        effect,
        uses: uses.into_iter().take(BrokenUse::MOST).collect(),
        accepted: None,
    }
}

/// Exports under names that no definition of the file has. `local` is empty for re-exports.
fn exports_without_definition(facts: &Facts) -> Vec<ExportAlias> {
    let own = facts.exports.iter().filter(|export| export.name != ExportAlias::MODULE).cloned();
    let offers_imports = definition_rules(&facts.language).offers_imports;
    let is_passed = |import: &&Import| import.reexport || offers_imports;
    let taken = facts.imports.iter().filter(is_passed).flat_map(|import| &import.names);
    let named = taken.map(|name| name.alias.as_ref().unwrap_or(&name.name)).filter(|name| *name != "*");
    own.chain(named.map(|name| ExportAlias { name: name.clone(), local: String::new() })).collect()
}

/// Whether a file exports by assigning to `exports` or `module`.
fn is_common_js(facts: &Facts) -> bool {
    facts.references.iter().any(|group| matches!(group.name.as_str(), "exports" | "module"))
}

/// Files that took `name` from the file at `path` before the change, under their names after it, and the imports that
/// still take it.
fn takers(
    change: &ViewChange<'_>,
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
            uses.extend(finder.broken_use_at(&taker, line)?.map(|place| BrokenUse { reason, ..place }));
        }
    }
    Ok((takers, uses))
}
