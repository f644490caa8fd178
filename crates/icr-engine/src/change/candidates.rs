//! Candidates for files that belong to a change, with the evidence for each.

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

/// Candidates by name and place for each question; as many as when the model was fitted.
pub(crate) const NEIGHBOURS: usize = 50;

/// Candidates because they change often.
pub(crate) const POPULAR: usize = 20;

/// Most imports of a change that are examined, and most files that may import a changed one. With more, an import says
/// little about which files belong together, and costs more than everything else.
const IMPORTS: usize = 20;

/// Most changed files whose imports are examined; for larger changes, references are better evidence.
const IMPORTING: usize = 5;

/// Most changed files whose references are examined: those of a sweep say nothing.
const REFERRING: usize = 30;

/// Most partners that are shown.
const PARTNERS: usize = 20;

/// The change as input of the model, and the candidate files. `old` is the view before the change, `new` the view after
/// it, `words` the words of the lines that differ. A truncated history counts as no history, because it does not show
/// which files did not change together.
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
    // The history knows a renamed file under its old name.
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
    // An empty change has no candidates, not even files that change often.
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

/// Whether a file of the view may be named: also a file that is not parsed, such as an image, but never a secret one.
fn is_there(view: &Snapshot, path: &RepoPath) -> Result<bool, Error> {
    if view.view.file(path)?.is_some() {
        return Ok(true);
    }
    if view.context.foundation.shape.policy().decide(path) == Membership::Secret {
        return Ok(false);
    }
    let committed = view.context.foundation.repository.file_at(view.view.revision().tree, path)?;
    Ok(committed.is_some_and(|(_, kind)| kind.is_file()) && view.view.overlay().entry(path).is_none())
}

/// Sets the history evidence of `diff`, and returns that of every candidate by path number. `numbers` are those of the
/// files of `diff`, in order; `None` for a file that no commit names.
pub(crate) fn history_evidence_of(
    association: &Association,
    numbers: &[Option<PathNo>],
    others: &[PathNo],
    now: i64,
    diff: &mut Diff,
) -> Vec<(PathNo, HistoryEvidence)> {
    // A file that no commit names still counts as a file of the change, under a number that no path has.
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

/// Adds files that refer to what changed, each with its share of the references, and files that the changed ones refer
/// to.
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

/// Adds files that a changed file imports, and files that import one; of several imports, the one with the most
/// evidence.
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
        // The imports of a deleted file are those of the tree before the change.
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
            // Counts the files that may import it, which needs only a look-up and no resolution.
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

/// Files that changed together with those of the change in the past, best first.
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
