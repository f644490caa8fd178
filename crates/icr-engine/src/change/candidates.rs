//! Which files may belong to a change, and everything that speaks for them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use icr_git::Membership;
use icr_history::{Association, ChangeHistory, HistoryEvidence, Partner, explains};
use icr_impact::CochangePartner;
use icr_impact::expect::{ChangedWords, Diff, DiffCandidate, DiffFile, FileNameIndex, Import, References};
use icr_model::{PathNo, RepoPath};

use crate::change::prior_history::PriorHistory;
use crate::change::reach::ReachResult;
use crate::change::sides::FilePair;
use crate::change::words::add_words;
use crate::history::Names;
use crate::{Error, Snapshot};

/// Files that are looked at because of their names and places, for each question; as many as the model was fitted with.
pub(crate) const NEIGHBOURS: usize = 50;

/// Files that are looked at because they change often.
pub(crate) const POPULAR: usize = 20;

/// Most imports of a change that are looked at, and most files that may import a changed one: beyond, an import says nothing about
/// which file belongs to which, and it costs more to know than all else together.
const IMPORTS: usize = 20;

/// Most changed files whose imports are looked at; what they say of larger changes, references say better.
const IMPORTING: usize = 5;

/// Most changed files whose references are looked at: a sweep's say nothing.
const REFERRING: usize = 30;

/// Most partners that are shown.
const PARTNERS: usize = 20;

/// The change in the terms of the model, and the files that may belong to it. `old` is the view that the change was made on, `new` the
/// one that it made, `words` the words of the lines that differ. A history that is cut off counts as none: what it does not show is
/// not known.
pub(crate) fn candidates(
    old: &Snapshot,
    new: &Snapshot,
    files: &[FilePair],
    past: &PriorHistory,
    places: &FileNameIndex,
    reach: &ReachResult,
    words: &ChangedWords,
) -> Result<(Diff, Vec<DiffCandidate>), Error> {
    let mut names = Names::new(old, &past.history);
    // Under the name that the history knows.
    let paths: Vec<&RepoPath> = files.iter().map(|file| file.old.as_ref().unwrap_or_else(|| file.path())).collect();
    let mut own: BTreeSet<&RepoPath> = paths.iter().copied().collect();
    own.extend(files.iter().flat_map(|file| [&file.old, &file.new]).flatten());
    let mut found: BTreeMap<RepoPath, DiffCandidate> = BTreeMap::new();
    for path in places.neighbours(&paths, NEIGHBOURS) {
        found.insert(path.clone(), DiffCandidate::new(path));
    }
    let mut diff = Diff { files: paths.iter().map(|path| DiffFile::new((*path).clone())).collect(), ..Diff::default() };
    diff.files.sort_by(|one, other| one.path.cmp(&other.path));
    diff.files.dedup_by(|one, other| one.path == other.path);
    // What changes often is expected by nothing that did not change.
    if diff.files.is_empty() {
        return Ok((diff, Vec::new()));
    }
    add_imports(old, new, files, &diff, &mut found)?;
    add_references(new, files, &diff, reach, &mut found)?;
    add_words(old, words, &own, &mut found)?;
    if past.unknown().is_none() {
        let mut others = past.association.popular(POPULAR);
        for path in found.keys() {
            others.extend(names.number(path)?);
        }
        let numbers = diff.files.iter().map(|file| names.number(&file.path)).collect::<Result<Vec<_>, _>>()?;
        let histories = history_evidence_of(&past.association, &numbers, &others, past.now, &mut diff);
        for (number, history) in histories {
            let path = names.get(number)?;
            let candidate = found.entry(path.clone()).or_insert_with(|| DiffCandidate::new(path));
            candidate.history = Some(history);
        }
    }
    let mut candidates = Vec::with_capacity(found.len());
    for (path, candidate) in found {
        if !own.contains(&path) && is_there(old, &path)? {
            candidates.push(candidate);
        }
    }
    Ok((diff, candidates))
}

/// Whether a file of the view may be named: also one that is not looked into, such as an image; never a secret one.
fn is_there(view: &Snapshot, path: &RepoPath) -> Result<bool, Error> {
    if view.view.file(path)?.is_some() {
        return Ok(true);
    }
    if view.engine.foundation.shape.policy().decide(path) == Membership::Secret {
        return Ok(false);
    }
    let committed = view.engine.foundation.repository.file_at(view.view.revision().tree, path)?;
    Ok(committed.is_some_and(|(_, kind)| kind.is_file()) && view.view.overlay().entry(path).is_none())
}

/// What the history says of every file that may belong to `diff`, by number, and of `diff` itself. `numbers` are those of its files in
/// their order, `None` for one that no commit names.
pub(crate) fn history_evidence_of(
    association: &Association,
    numbers: &[Option<PathNo>],
    others: &[PathNo],
    now: i64,
    diff: &mut Diff,
) -> Vec<(PathNo, HistoryEvidence)> {
    // A file that no commit names is one of the change all the same; no path has these numbers.
    let number = |(at, number): (usize, &Option<PathNo>)| number.unwrap_or(PathNo(u32::MAX - at as u32));
    let asked: Vec<PathNo> = numbers.iter().enumerate().map(number).collect();
    let ChangeHistory { summary, asked, candidates } = association.evidence(&asked, others, now);
    diff.history = summary;
    for file in asked {
        let known = &mut diff.files[file.file];
        (known.commits, known.alone, known.focus) = (file.commits, file.alone, file.focus);
    }
    candidates
}

/// Files that refer to what changed, with their share of all that do; and files that the changed ones refer to.
fn add_references(
    new: &Snapshot,
    files: &[FilePair],
    diff: &Diff,
    reach: &ReachResult,
    found: &mut BTreeMap<RepoPath, DiffCandidate>,
) -> Result<(), Error> {
    let index_by_path: HashMap<&RepoPath, usize> = (0..).zip(&diff.files).map(|(at, file)| (&file.path, at)).collect();
    let stronger = |known: &Option<References>, new: &References| known.is_none_or(|known| known.share < new.share);
    let mut into: BTreeMap<&RepoPath, f64> = BTreeMap::new();
    for ((_, to), (count, _)) in &reach.edges {
        *into.entry(to).or_default() += f64::from(*count);
    }
    for ((from, to), (count, _)) in &reach.edges {
        let Some(&file) = index_by_path.get(to) else { continue };
        let references = References { file, count: *count, share: f64::from(*count) / into[to] };
        let candidate = found.entry(from.clone()).or_insert_with(|| DiffCandidate::new(from.clone()));
        if stronger(&candidate.refers, &references) {
            candidate.refers = Some(references);
        }
    }
    if files.len() > REFERRING {
        return Ok(());
    }
    let changed: Vec<RepoPath> = files.iter().filter_map(|file| file.new.clone()).collect();
    let out = new.graph()?.all_references(&changed, &|| {})?;
    for (from, edges) in changed.iter().zip(out) {
        let pair = files.iter().find(|file| file.new.as_ref() == Some(from));
        let old = pair.and_then(|pair| pair.old.as_ref()).unwrap_or(from);
        let Some(&file) = index_by_path.get(old) else { continue };
        let total: f64 = edges.iter().map(|edge| edge.weight).sum();
        for edge in edges.into_iter().filter(|edge| edge.weight >= crate::LEAST_WEIGHT) {
            let references = References { file, count: edge.count, share: edge.weight / total };
            let candidate = found.entry(edge.to.clone()).or_insert_with(|| DiffCandidate::new(edge.to.clone()));
            if stronger(&candidate.referred, &references) {
                candidate.referred = Some(references);
            }
        }
    }
    Ok(())
}

/// Files that a changed file imports, and those that import it; of several imports the one that says most.
fn add_imports(
    old: &Snapshot,
    new: &Snapshot,
    files: &[FilePair],
    diff: &Diff,
    found: &mut BTreeMap<RepoPath, DiffCandidate>,
) -> Result<(), Error> {
    if files.len() > IMPORTING {
        return Ok(());
    }
    let mut looked_at = 0;
    for file in files {
        let known_as = file.old.as_ref().unwrap_or_else(|| file.path());
        let Some(at) = diff.files.iter().position(|file| file.path == *known_as) else { continue };
        // What a deletion leaves behind stands in the tree before it.
        let (view, path) = match &file.new {
            Some(path) => (new, path),
            None => (old, file.path()),
        };
        if view.view.file(path)?.is_none() {
            continue;
        }
        let graph = view.graph()?;
        let mut targets: Vec<RepoPath> = graph.imports(path)?.edges.into_iter().map(|edge| edge.to).collect();
        targets.dedup();
        for target in targets {
            if looked_at == IMPORTS {
                break;
            }
            looked_at += 1;
            // As many as may import it, which is looked up and not resolved.
            let fan_in = graph.import_candidates(&target)?.len().max(1) as u32;
            let candidate = found.entry(target.clone()).or_insert_with(|| DiffCandidate::new(target));
            nearer(&mut candidate.import_forward, Import { file: at, fan_in });
        }
        if graph.import_candidates(path)?.len() > IMPORTS {
            continue;
        }
        let importers = graph.importers(path)?;
        let fan_in = importers.len() as u32;
        for importer in importers {
            let candidate = found.entry(importer.clone()).or_insert_with(|| DiffCandidate::new(importer));
            nearer(&mut candidate.import_backward, Import { file: at, fan_in });
        }
    }
    Ok(())
}

fn nearer(known: &mut Option<Import>, new: Import) {
    if known.is_none_or(|known| new.fan_in < known.fan_in) {
        *known = Some(new);
    }
}

/// The files that changed with those of the change before, best first.
pub(crate) fn partners(old: &Snapshot, files: &[FilePair], past: &PriorHistory) -> Result<Vec<CochangePartner>, Error> {
    if past.unknown().is_some() {
        return Ok(Vec::new());
    }
    let mut names = Names::new(old, &past.history);
    let mut asked = Vec::new();
    for file in files {
        asked.extend(names.number(file.old.as_ref().unwrap_or_else(|| file.path()))?);
    }
    let mut found: Vec<(Partner, RepoPath)> = Vec::new();
    for partner in past.association.partners(&asked, |_| false) {
        found.push((partner, names.get(partner.path)?));
    }
    found.sort_by(|(one, path), (other, other_path)| one.better_first(other).then_with(|| path.cmp(other_path)));
    let mut partners = Vec::new();
    for (partner, path) in found {
        if partners.len() == PARTNERS {
            break;
        }
        if explains(&path) && is_there(old, &path)? {
            partners.push(CochangePartner {
                path: path.to_string(),
                confidence: partner.confidence,
                lift: partner.lift,
                commits: partner.count,
                last_commit: partner.last_commit,
            });
        }
    }
    Ok(partners)
}
