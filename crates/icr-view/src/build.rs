//! Builds a view: a published view, plus the changes to the requested tree, plus uncommitted files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use icr_compute::{NumberedPathChange, PathChange, Transient, ViewContents, WantedBlob, resolve};
use icr_git::{Membership, Overlay, OverlayState, Revision};
use icr_model::{BlobId, Gap, PathNo, Provenance, RecipeBuilder, RepoPath};
use icr_store::{BlobRow, Ledger};

use crate::texts::{LayeredContents, UncommittedContents};
use crate::view::{Lookups, listed_row};
use crate::{Error, Foundation, StoreMoment, TreeDelta, View, ViewCache, ViewId};

/// Most blobs that a view indexes in memory: about 1 ms each, so a quarter of a second.
const BLOBS_IN_MEMORY: usize = 256;

/// Most bytes that a view indexes in memory.
const BYTES_IN_MEMORY: u64 = 8 << 20;

/// The layers of a view, bottom first.
pub struct ViewLayers<'a> {
    /// The committed tree.
    pub revision: Revision,
    /// Name of the view, as shown to users.
    pub name: String,
    /// Uncommitted files of the worktree or the index, which replace those of the tree.
    pub overlay: &'a Arc<Overlay>,
    /// Contents that replace files of all layers below; `None` deletes the file.
    pub laid: &'a BTreeMap<RepoPath, Option<Arc<[u8]>>>,
}

impl View {
    /// Builds the view of `layers` in the store as it was at `moment`. `way` is the delta to their tree, if the caller
    /// has it already; `cache` must belong to the same store and generation.
    ///
    /// Cost: proportional to the difference between the layers and the nearest published view. At most 256 blobs or 8
    /// MiB that the store does not list are indexed in memory; the rest is reported as a gap.
    ///
    /// # Errors
    ///
    /// Those of the repository and the store.
    pub fn build(
        foundation: &Arc<Foundation>,
        moment: &StoreMoment,
        cache: &Arc<ViewCache>,
        layers: &ViewLayers<'_>,
        way: Option<TreeDelta>,
    ) -> Result<Self, Error> {
        let ledger = moment.ledger();
        let TreeDelta { base, changes, .. } = match way {
            Some(way) => way,
            None => TreeDelta::find(foundation, &ledger, &layers.revision)?,
        };
        let mut files = ChangedFiles::committed(changes);
        files.lay_overlay(foundation, layers.overlay);
        files.lay_contents(foundation, layers.laid)?;
        let resolved = files.index(foundation, &ledger)?;
        let contents = resolved.contents(&ledger, base)?;
        drop(ledger);
        let mut lacking = files.lacking;
        lacking.oversize_files += contents.totals.oversize_files;
        if foundation.repository.is_shallow() {
            lacking.gaps.insert(Gap::ShallowHistory);
        }
        if !resolved.in_memory.missing.is_empty() {
            lacking.gaps.insert(Gap::MissingObject { objects: resolved.in_memory.missing.len() as u64 });
        }
        let postings = match &resolved.in_memory.index {
            Some(index) => moment.postings().with_memory(index)?,
            None => moment.postings().clone(),
        };
        let ViewLayers { revision, name, overlay, .. } = layers;
        let provenance = Provenance {
            repo_id: foundation.repo_id.clone(),
            tree: Some(revision.tree.to_string()),
            commit: revision.commit.map(|commit| commit.to_string()),
            dirty: overlay.entries.len() as u64,
            gaps: lacking.into_gaps(),
        };
        Ok(Self {
            foundation: Arc::clone(foundation),
            id: ViewId {
                commit: revision.commit,
                tree: revision.tree,
                shape: foundation.shape.digest(),
                overlay: files.digest.build(),
            },
            revision: revision.clone(),
            name: name.clone(),
            moment: moment.clone(),
            postings,
            contents: Arc::new(contents),
            transient: Arc::new(resolved.in_memory),
            uncommitted: Arc::new(files.uncommitted),
            overlay: Arc::clone(overlay),
            provenance,
            cache: Arc::clone(cache),
            lookups: Lookups::default(),
        })
    }
}

/// Paths at which a view differs from its published base view, with their contents.
struct ChangedFiles {
    /// `None` where the view has no file.
    files: BTreeMap<RepoPath, Option<WantedBlob>>,
    uncommitted: UncommittedContents,
    /// Sizes in bytes of the uncommitted blobs.
    sizes: HashMap<BlobId, u64>,
    /// Digest over the path and blob of every uncommitted file.
    digest: RecipeBuilder,
    lacking: ViewGaps,
}

/// Gaps of a view, collected while it is built.
#[derive(Default)]
struct ViewGaps {
    gaps: BTreeSet<Gap>,
    oversize_files: u64,
    unindexed_files: u64,
}

/// The files of [`ChangedFiles`] with their numbers and rows.
struct ResolvedFiles {
    changes: Vec<(PathNo, u32, Option<BlobRow>)>,
    in_memory: Transient,
}

impl ChangedFiles {
    /// The changes from the base view to the committed tree.
    fn committed(changes: Vec<PathChange>) -> Self {
        Self {
            files: changes.into_iter().map(|change| (change.path, change.wanted)).collect(),
            uncommitted: UncommittedContents::default(),
            sizes: HashMap::new(),
            digest: RecipeBuilder::default(),
            lacking: ViewGaps::default(),
        }
    }

    /// Applies the uncommitted files of the worktree or the index.
    fn lay_overlay(&mut self, foundation: &Foundation, overlay: &Overlay) {
        for gap in &overlay.gaps {
            match gap {
                Gap::Oversize { files } => self.lacking.oversize_files = *files,
                Gap::Unindexed { files } => self.lacking.unindexed_files = *files,
                other => drop(self.lacking.gaps.insert(other.clone())),
            }
        }
        for entry in &overlay.entries {
            self.digest = self.digest.with("path", entry.path.as_bytes());
            let wanted = match entry.state {
                OverlayState::Present { blob, bytes_total } => {
                    self.digest = self.digest.with("blob", blob.as_bytes());
                    self.uncommitted.worktree.insert(blob, entry.path.clone());
                    self.sizes.insert(blob, bytes_total);
                    member(foundation, &entry.path, blob)
                }
                OverlayState::Deleted => None,
            };
            self.files.insert(entry.path.clone(), wanted);
        }
    }

    /// Applies the contents that the caller laid on top.
    fn lay_contents(
        &mut self,
        foundation: &Foundation,
        laid: &BTreeMap<RepoPath, Option<Arc<[u8]>>>,
    ) -> Result<(), Error> {
        for (path, content) in laid {
            let mut wanted = None;
            self.digest = self.digest.with("laid", path.as_bytes());
            if let Some(bytes) = content {
                let blob = foundation.repository.blob_id_of(bytes)?;
                self.digest = self.digest.with("blob", blob.as_bytes());
                self.uncommitted.laid.insert(blob, Arc::clone(bytes));
                self.sizes.insert(blob, bytes.len() as u64);
                wanted = member(foundation, path, blob);
            }
            self.files.insert(path.clone(), wanted);
        }
        Ok(())
    }

    /// Looks the files up in the ledger, and indexes in memory those that it does not list.
    fn index(&mut self, foundation: &Foundation, ledger: &Ledger) -> Result<ResolvedFiles, Error> {
        let wanted = self.files.values().filter_map(|wanted| *wanted);
        let (mut rows, missing) = resolve(ledger, &foundation.shape, wanted)?;
        let (in_memory, left) = share_for_memory(foundation, missing, &self.sizes);
        if !left.is_empty() {
            let left: HashSet<WantedBlob> = left.into_iter().collect();
            let is_left = |wanted: &&WantedBlob| left.contains(*wanted);
            self.lacking.unindexed_files += self.files.values().flatten().filter(is_left).count() as u64;
        }
        let mut numbers = HashMap::new();
        let mut new_paths = Vec::new();
        for (path, wanted) in &self.files {
            match ledger.path_no(path)? {
                Some(path_no) => {
                    let tokens = ledger.path(path_no)?.map_or(0, |(_, tokens)| tokens);
                    numbers.insert(path, (path_no, tokens));
                }
                None if wanted.is_some_and(|wanted| rows.contains_key(&wanted) || in_memory.contains(&wanted)) => {
                    new_paths.push(path.clone());
                }
                None => {}
            }
        }
        let source = LayeredContents { repository: &foundation.repository, uncommitted: &self.uncommitted };
        let in_memory = Transient::build(&in_memory, &source, &foundation.shape, &new_paths)?;
        rows.extend(in_memory.rows.iter().map(|(wanted, row)| (*wanted, row.clone())));
        for (at, (path, tokens)) in in_memory.paths.iter().enumerate() {
            numbers.insert(path, (PathNo(PathNo::FIRST_IN_MEMORY + at as u32), *tokens));
        }
        let numbered = self.files.iter().filter_map(|(path, wanted)| {
            let (path_no, tokens) = *numbers.get(path)?;
            Some((path_no, tokens, wanted.and_then(|wanted| rows.get(&wanted)).cloned()))
        });
        let changes = numbered.collect();
        Ok(ResolvedFiles { changes, in_memory })
    }
}

impl ResolvedFiles {
    /// Files and statistics of the view, computed from those of its base view.
    fn contents(&self, ledger: &Ledger, base: Option<icr_store::PublishedView>) -> Result<ViewContents, Error> {
        let base = base.map(ViewContents::from).unwrap_or_default();
        let changes = self.changes.iter().filter(|(path_no, _, row)| {
            // A path that is in neither view is no change.
            row.is_some() || base.manifest.blob_at(*path_no).is_some()
        });
        let changes = changes.map(|(path_no, path_tokens, row)| NumberedPathChange {
            path_no: *path_no,
            path_tokens: *path_tokens,
            row: row.clone(),
        });
        let changes: Vec<NumberedPathChange> = changes.collect();
        base.with_changes(changes, |blob_no| listed_row(ledger, blob_no))
    }
}

impl ViewGaps {
    fn into_gaps(mut self) -> Vec<Gap> {
        if self.oversize_files > 0 {
            self.gaps.insert(Gap::Oversize { files: self.oversize_files });
        }
        if self.unindexed_files > 0 {
            self.gaps.insert(Gap::Unindexed { files: self.unindexed_files });
        }
        self.gaps.into_iter().collect()
    }
}

/// The blob to index, if the membership rules allow a file at `path`.
fn member(foundation: &Foundation, path: &RepoPath, blob_id: BlobId) -> Option<WantedBlob> {
    let is_member = foundation.shape.policy().decide(path) == Membership::Member;
    is_member.then(|| WantedBlob { blob_id, language: icr_lang::language_of(path) })
}

/// Splits `missing` into blobs to index in memory (uncommitted ones first) and blobs to leave out.
fn share_for_memory(
    foundation: &Foundation,
    missing: Vec<WantedBlob>,
    sizes: &HashMap<BlobId, u64>,
) -> (Vec<WantedBlob>, Vec<WantedBlob>) {
    let reader = foundation.repository.reader();
    let (first, then): (Vec<_>, Vec<_>) = missing.into_iter().partition(|wanted| sizes.contains_key(&wanted.blob_id));
    let max_bytes = foundation.shape.policy().max_file_bytes();
    let (mut taken, mut left) = (Vec::new(), Vec::new());
    let mut bytes_total = 0;
    for wanted in first.into_iter().chain(then) {
        if taken.len() == BLOBS_IN_MEMORY || bytes_total >= BYTES_IN_MEMORY {
            left.push(wanted);
            continue;
        }
        let size = sizes.get(&wanted.blob_id).copied().or_else(|| reader.size(wanted.blob_id).ok()).unwrap_or_default();
        bytes_total += if size > max_bytes { 0 } else { size };
        taken.push(wanted);
    }
    (taken, left)
}
