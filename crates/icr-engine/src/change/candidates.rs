//! Which files may belong to a change, and everything that speaks for them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use icr_db::cochange::{HistoryEvidence, Partner, unauthored};
use icr_git::Membership;
use icr_impact::CochangePartner;
use icr_impact::expect::{self, BestFile, Candidate, Diff, DiffFile, Import, Places};
use icr_model::{PathNo, RepoPath};

use crate::change::past::Past;
use crate::change::reach::Reach;
use crate::change::sides::FilePair;
use crate::history::Names;
use crate::{Error, Snapshot};

/// Files that are looked at because of their names and places, for each question.
const NEIGHBOURS: usize = 200;

/// Most imports of a changed file that are looked at, and most files that import it: beyond, an import says nothing about which file
/// belongs to which.
const IMPORTS: usize = 200;

/// Most changed files whose imports are looked at: a sweep's say nothing.
const IMPORTING: usize = 50;

/// Most partners that are shown.
const PARTNERS: usize = 20;

/// The change in the terms of the model, and the files that may belong to it. `old` is the view that the change was made on, `new` the
/// one that it made. A history that is cut off counts as none: what it does not show is not known.
pub(crate) fn candidates(
    old: &Snapshot,
    new: &Snapshot,
    files: &[FilePair],
    past: &Past,
    places: &Places,
    reach: &Reach,
) -> Result<(Diff, Vec<Candidate>), Error> {
    let mut names = Names::new(old, &past.history);
    // Under the name that the history knows.
    let paths: Vec<&RepoPath> = files.iter().map(|file| file.old.as_ref().unwrap_or_else(|| file.path())).collect();
    let mut own: BTreeSet<&RepoPath> = paths.iter().copied().collect();
    own.extend(files.iter().flat_map(|file| [&file.old, &file.new]).flatten());
    let mut found: BTreeMap<RepoPath, Candidate> = BTreeMap::new();
    for path in places.neighbours(&paths, NEIGHBOURS) {
        found.insert(path.clone(), Candidate::new(path));
    }
    add_imports(old, new, files, &mut found)?;
    for (users, path) in reach.users.iter().flat_map(|users| users.iter().map(move |path| (users.len(), path))) {
        let candidate = found.entry(path.clone()).or_insert_with(|| Candidate::new(path.clone()));
        candidate.references += 1.0 / users as f64;
    }
    let mut diff_files: Vec<DiffFile> =
        paths.iter().map(|path| DiffFile { path: (*path).clone(), commits: 0, alone: 0 }).collect();
    diff_files.sort_by(|one, other| one.path.cmp(&other.path));
    diff_files.dedup_by(|one, other| one.path == other.path);
    let known = past.unknown().is_none();
    if known {
        let mut asked = Vec::new();
        let mut index_of: HashMap<PathNo, usize> = HashMap::new();
        for (at, file) in diff_files.iter().enumerate() {
            if let Some(number) = names.number(&file.path)? {
                asked.push(number);
                index_of.insert(number, at);
            }
        }
        let mut others = Vec::new();
        for path in found.keys() {
            others.extend(names.number(path)?);
        }
        let evidence = past.association.evidence(&asked, &others, past.now);
        for file in &evidence.asked {
            let diff_file = &mut diff_files[index_of[&file.path]];
            (diff_file.commits, diff_file.alone) = (file.commits, file.alone);
        }
        for evidence in &evidence.candidates {
            let path = names.get(evidence.path)?;
            let candidate = found.entry(path.clone()).or_insert_with(|| Candidate::new(path));
            candidate.history = Some(history_of(evidence, &index_of));
        }
    }
    let mut candidates = Vec::with_capacity(found.len());
    for (path, candidate) in found {
        if !own.contains(&path) && is_there(old, &path)? {
            candidates.push(candidate);
        }
    }
    let commits_total = if known { past.association.commits_total() } else { 0 };
    Ok((Diff { files: diff_files, commits_total, now: past.now }, candidates))
}

/// Whether a file of the view may be named: also one that is not looked into, such as an image; never a secret one.
fn is_there(view: &Snapshot, path: &RepoPath) -> Result<bool, Error> {
    if view.file(path)?.is_some() {
        return Ok(true);
    }
    if view.engine.shape.policy().decide(path) == Membership::Secret {
        return Ok(false);
    }
    let committed = view.engine.repository.file_at(view.revision.tree, path)?;
    Ok(committed.is_some_and(|(_, kind)| kind.is_file())
        && view.overlay.entries.iter().all(|entry| entry.path != *path))
}

pub(crate) fn history_of(evidence: &HistoryEvidence, index_of: &HashMap<PathNo, usize>) -> expect::History {
    let best = evidence.best.and_then(|best| {
        Some(BestFile {
            file: *index_of.get(&best.path)?,
            commits: best.commits,
            shared: best.shared,
            commits_in_year: best.commits_in_year,
            shared_in_year: best.shared_in_year,
            last_shared: best.last_shared,
        })
    });
    expect::History {
        commits: evidence.commits,
        popularity: evidence.popularity,
        recent_popularity: evidence.recent_popularity,
        touched_age: evidence.touched_age,
        shared: evidence.shared,
        shared_age: evidence.shared_age,
        last_shared: evidence.last_shared,
        files: evidence.files,
        weighted_mean: evidence.weighted_mean,
        weighted_max: evidence.weighted_max,
        confidence_mean: evidence.confidence_mean,
        confidence_max: evidence.confidence_max,
        overlap: evidence.overlap,
        overlap_shared: evidence.overlap_shared,
        overlap_commits: evidence.overlap_commits,
        best,
    }
}

/// Files that a changed file imports, and those that import it; of several imports the one that says most.
fn add_imports(
    old: &Snapshot,
    new: &Snapshot,
    files: &[FilePair],
    found: &mut BTreeMap<RepoPath, Candidate>,
) -> Result<(), Error> {
    if files.len() > IMPORTING {
        return Ok(());
    }
    let mut sorted: Vec<&FilePair> = files.iter().collect();
    sorted.sort_by(|one, other| one.old.as_ref().unwrap_or(one.path()).cmp(other.old.as_ref().unwrap_or(other.path())));
    for (at, file) in sorted.into_iter().enumerate() {
        // What a deletion leaves behind stands in the tree before it.
        let (view, path) = match &file.new {
            Some(path) => (new, path),
            None => (old, file.path()),
        };
        if view.file(path)?.is_none() {
            continue;
        }
        let graph = view.graph()?;
        let mut targets: Vec<RepoPath> = graph.imports(path)?.edges.into_iter().map(|edge| edge.to).collect();
        targets.dedup();
        for target in targets.into_iter().take(IMPORTS) {
            // As many as may import it, which is looked up and not resolved.
            let fan_in = graph.import_candidates(&target)?.len().max(1) as u32;
            let candidate = found.entry(target.clone()).or_insert_with(|| Candidate::new(target));
            nearer(&mut candidate.import_forward, Import { file: at, fan_in });
        }
        if graph.import_candidates(path)?.len() > IMPORTS {
            continue;
        }
        let importers = graph.importers(path)?;
        let fan_in = importers.len() as u32;
        for importer in importers {
            let candidate = found.entry(importer.clone()).or_insert_with(|| Candidate::new(importer));
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
pub(crate) fn partners(old: &Snapshot, files: &[FilePair], past: &Past) -> Result<Vec<CochangePartner>, Error> {
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
        if unauthored(&path).is_none() && is_there(old, &path)? {
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
