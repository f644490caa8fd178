//! Files that a change affects.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::change::comparison::ChangeComparison;
use crate::change::reach::{ReachResult, ReachedFile};
use crate::change::sides::ViewChange;
use crate::test_paths::is_test;
use crate::{Error, Snapshot};
use icr_impact::symbols::FileResidue;
use icr_impact::{Dependent, Evidence, EvidenceKind, FileStatus, GraphEdge, GraphEdgeKind, Level, TransitiveDependent};
use icr_model::{Import, RepoPath};

/// Most lines listed for one file.
const LINES: usize = 20;

/// If a file has more importers, importing it is no evidence of being affected by its top level.
const IMPORTERS: usize = 200;

/// Strength for a file that imports a file that is gone from its path.
const IMPORT_BROKEN: f64 = 0.9;

/// Strength for a file that imports a file whose top level changed.
const IMPORT_LOADED: f64 = 0.3;

/// Files that a change affects.
pub(crate) struct Dependents {
    pub(crate) direct: Vec<Dependent>,
    pub(crate) transitive: Vec<TransitiveDependent>,
    pub(crate) edges: Vec<GraphEdge>,
}

/// The files of `found`, the files that import a file that is gone, and those that import a file whose top level
/// changed.
pub(crate) fn dependents(
    change: &ViewChange<'_>,
    compared: &ChangeComparison,
    found: &ReachResult,
) -> Result<Dependents, Error> {
    let in_change: BTreeSet<&RepoPath> = change.files.iter().map(|file| file.path()).collect();
    let gone: BTreeSet<String> = compared
        .symbols
        .iter()
        .filter(|symbol| symbol.change.new.is_none())
        .map(|symbol| symbol.change.display_side().qualified_name.clone())
        .collect();
    let mut direct: BTreeMap<RepoPath, Dependent> = BTreeMap::new();
    let mut transitive = Vec::new();
    for (path, file) in &found.files {
        let is_in_change = in_change.contains(path);
        if file.distance == 1 {
            let test = is_test(change.new.graph()?, path)?;
            direct.insert(path.clone(), Dependent { test, ..referring(path, file, is_in_change, &gone) });
        } else if !is_in_change {
            transitive.push(TransitiveDependent {
                path: path.to_string(),
                depth: file.distance,
                via: file.via.iter().map(ToString::to_string).collect(),
                impact_level: Level::of(file.strength),
                probability: file.strength,
                test: is_test(change.new.graph()?, path)?,
            });
        }
    }
    let mut edges: Vec<GraphEdge> = found.edges.iter().map(reference_edge).collect();
    let mut importing: HashSet<String> = HashSet::new();
    for (importer, target, strength, text) in importers(change, &compared.residues)? {
        edges.push(GraphEdge {
            from: importer.to_string(),
            to: target.to_string(),
            kind: GraphEdgeKind::Import,
            count: 1,
            label: "imports".to_owned(),
        });
        let evidence = Evidence { kind: EvidenceKind::Import, text, weight: 0.0 };
        let test = is_test(change.new.graph()?, &importer)?;
        let new = || Dependent {
            path: importer.to_string(),
            references: 0,
            symbols: Vec::new(),
            lines: Vec::new(),
            impact_level: Level::Low,
            probability: 0.0,
            test,
            in_change: in_change.contains(&importer),
            evidence: Vec::new(),
        };
        let dependent = direct.entry(importer.clone()).or_insert_with(new);
        dependent.probability = 1.0 - (1.0 - dependent.probability) * (1.0 - strength);
        dependent.impact_level = Level::of(dependent.probability);
        dependent.evidence.push(evidence);
        importing.insert(importer.to_string());
    }
    transitive.retain(|reached| !importing.contains(&reached.path));
    Ok(Dependents { direct: direct.into_values().collect(), transitive, edges })
}

fn referring(path: &RepoPath, file: &ReachedFile, in_change: bool, gone: &BTreeSet<String>) -> Dependent {
    let mut symbols: Vec<(&String, u32)> = file.symbols.iter().map(|(name, count)| (name, *count)).collect();
    symbols.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let evidence = symbols.iter().take(3).map(|(name, count)| {
        let what = if gone.contains(*name) { "which is gone" } else { "which changed" };
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
        Evidence { kind: EvidenceKind::Reference, text: format!("refers to `{name}`, {what}, {times}"), weight: 0.0 }
    });
    Dependent {
        path: path.to_string(),
        references: file.references,
        symbols: symbols.iter().map(|(name, _)| (*name).clone()).collect(),
        lines: file.lines.iter().copied().take(LINES).collect(),
        impact_level: Level::of(file.strength),
        probability: file.strength,
        test: false,
        in_change,
        evidence: evidence.collect(),
    }
}

fn reference_edge(((from, to), (count, names)): (&(RepoPath, RepoPath), &(u32, BTreeSet<String>))) -> GraphEdge {
    let named: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
    let more = if names.len() > named.len() { ", …" } else { "" };
    GraphEdge {
        from: from.to_string(),
        to: to.to_string(),
        kind: GraphEdgeKind::Reference,
        count: *count,
        label: format!("{}{more}", named.join(", ")),
    }
}

/// Files that are affected because they import a changed file: importer, imported file, strength, reason.
fn importers(
    change: &ViewChange<'_>,
    residues: &[FileResidue],
) -> Result<Vec<(RepoPath, RepoPath, f64, String)>, Error> {
    let loads: HashSet<&RepoPath> = residues
        .iter()
        .filter(|residue| residue.changed && !residue.only_imports)
        .map(|residue| &residue.path)
        .collect();
    let mut found = Vec::new();
    for file in &change.files {
        let moved =
            matches!(file.status, FileStatus::Deleted | FileStatus::Renamed).then_some(file.old.as_ref()).flatten();
        if let Some(old) = moved {
            let graph = change.old.graph()?;
            for importer in graph.importers(old)? {
                if !lost_imports(change, &importer, &importer, old)?.is_empty() {
                    let what = if file.new.is_some() { "has another path now" } else { "is gone" };
                    let text = format!("imports `{old}`, which {what}");
                    found.push((importer, file.path().clone(), IMPORT_BROKEN, text));
                }
            }
        }
        let Some(new) = &file.new else { continue };
        // An importer of the package cannot have relied on a file that did not exist.
        if file.old.is_none() {
            continue;
        }
        if !loads.contains(new) && !change.is_whole_files {
            continue;
        }
        let graph = change.new.graph()?;
        if graph.import_candidates(new)?.len() > IMPORTERS {
            continue;
        }
        let importers = graph.importers(new)?;
        let strength = IMPORT_LOADED / (1.0 + 0.25 * (importers.len().max(1) as f64).ln());
        for importer in importers {
            let text = format!("imports `{new}`, whose top level changed");
            found.push((importer, new.clone(), strength, text));
        }
    }
    Ok(found)
}

/// Imports of `importer`, called `importer_before` before the change, that led to `target_before` before and lead
/// nowhere after it. An importer that was updated to the new name does not count.
pub(crate) fn lost_imports(
    change: &ViewChange<'_>,
    importer_before: &RepoPath,
    importer: &RepoPath,
    target_before: &RepoPath,
) -> Result<Vec<Import>, Error> {
    let facts = |view: &Snapshot, path: &RepoPath| -> Result<Option<_>, Error> {
        view.view.file(path)?.map(|file| view.facts(file.row.blob_no)).transpose()
    };
    let (Some(was), Some(is)) = (facts(&change.old, importer_before)?, facts(&change.new, importer)?) else {
        return Ok(Vec::new());
    };
    let edges = change.old.graph()?.imports(importer_before)?;
    let of_old: BTreeSet<u32> =
        edges.edges.iter().filter(|edge| edge.to == *target_before).map(|edge| edge.line).collect();
    let led = was.imports.iter().filter(|import| of_old.contains(&import.line));
    let led: BTreeSet<&str> = led.map(|import| import.specifier.as_str()).collect();
    // The same import may now lead elsewhere: `./a` to `a/index.ts`, or a package to its other files.
    let now = change.new.graph()?.imports(importer)?;
    let nowhere: BTreeSet<&str> =
        now.unresolved.iter().chain(&now.external).map(|import| import.specifier.as_str()).collect();
    let is_lost = |import: &&Import| [&led, &nowhere].iter().all(|set| set.contains(import.specifier.as_str()));
    Ok(is.imports.iter().filter(is_lost).cloned().collect())
}
