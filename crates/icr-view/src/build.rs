//! Builds a view: a published view, plus the changes to the requested tree, plus uncommitted files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use icr_compute::{NumberedPathChange, PathChange, Transient, ViewContents, WantedBlob, resolve};
use icr_git::{Membership, Overlay, OverlayState, Revision, UnreadReason};
use icr_model::{BlobId, Gap, PathNo, Provenance, RecipeBuilder, RepoPath};
use icr_store::{BlobRow, Ledger};

use crate::texts::{LayeredContents, UncommittedContents};
use crate::view::{Lookups, listed_row};
use crate::{Error, Foundation, StoreMoment, TreeDelta, View, ViewCache, ViewId};

/// How much a view may index in memory. What does not fit is a gap of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryBudget {
    /// Number of blobs.
    pub blobs: usize,
    /// Bytes of their texts. The index takes about ten times as much.
    pub bytes: u64,
}

impl Default for MemoryBudget {
    /// What every question may index: less than a second of work.
    fn default() -> Self {
        Self { blobs: 256, bytes: 8 << 20 }
    }
}

impl MemoryBudget {
    /// With an index of ten times the texts, a third of a gigabyte.
    const MOST: Self = Self { blobs: 4_096, bytes: 32 << 20 };

    /// What two cores index within `time`: 400 files of Rust with nine kilobytes each took a second. At least the
    /// default, at most 4,096 blobs and 32 MiB.
    pub fn of_time(time: Duration) -> Self {
        let Self { blobs, bytes } = Self::default();
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).min(60_000);
        Self {
            blobs: blobs.max((ms * 400 / 1_000) as usize).min(Self::MOST.blobs),
            bytes: bytes.max(ms * 3 * 1_024).min(Self::MOST.bytes),
        }
    }
}

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
    /// Cost: proportional to the difference between the layers and the nearest published view. Blobs that the store
    /// does not list are indexed in memory as far as `budget` goes, uncommitted ones first; the rest is reported as a
    /// gap.
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
        budget: MemoryBudget,
    ) -> Result<Self, Error> {
        let ledger = moment.ledger();
        let TreeDelta { base, changes, .. } = match way {
            Some(way) => way,
            None => TreeDelta::find(foundation, &ledger, &layers.revision)?,
        };
        let mut files = ChangedFiles::committed(changes);
        files.lay_overlay(foundation, layers.overlay);
        files.lay_contents(foundation, layers.laid)?;
        let resolved = files.index(foundation, &ledger, budget)?;
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
            dirty: files_changed(overlay),
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
            budget,
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
    uncommitted_left_out: u64,
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
                Gap::UncommittedLeftOut { files } => self.lacking.uncommitted_left_out = *files,
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
    fn index(
        &mut self,
        foundation: &Foundation,
        ledger: &Ledger,
        budget: MemoryBudget,
    ) -> Result<ResolvedFiles, Error> {
        let wanted = self.files.values().filter_map(|wanted| *wanted);
        let (mut rows, missing) = resolve(ledger, &foundation.shape, wanted)?;
        let (in_memory, left) = share_for_memory(foundation, missing, &self.sizes, budget);
        if !left.is_empty() {
            let left: HashSet<WantedBlob> = left.into_iter().collect();
            for wanted in self.files.values().flatten().filter(|wanted| left.contains(*wanted)) {
                match self.sizes.contains_key(&wanted.blob_id) {
                    true => self.lacking.uncommitted_left_out += 1,
                    false => self.lacking.unindexed_files += 1,
                }
            }
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
        if self.uncommitted_left_out > 0 {
            self.gaps.insert(Gap::UncommittedLeftOut { files: self.uncommitted_left_out });
        }
        self.gaps.into_iter().collect()
    }
}

/// Number of files in which the worktree differs from the tree. Those above the size limit count too, although the
/// overlay has no entry for them unless their version in the tree is indexed.
fn files_changed(overlay: &Overlay) -> u64 {
    let large = overlay.unread.iter().filter(|file| file.reason == UnreadReason::Oversize);
    let large = large.filter(|file| overlay.entry(&file.path).is_none());
    (overlay.entries.len() + large.count()) as u64
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
    budget: MemoryBudget,
) -> (Vec<WantedBlob>, Vec<WantedBlob>) {
    let reader = foundation.repository.reader();
    let (first, then): (Vec<_>, Vec<_>) = missing.into_iter().partition(|wanted| sizes.contains_key(&wanted.blob_id));
    let max_bytes = foundation.shape.policy().max_file_bytes();
    let (mut taken, mut left) = (Vec::new(), Vec::new());
    let mut bytes_total = 0;
    for wanted in first.into_iter().chain(then) {
        if taken.len() == budget.blobs || bytes_total >= budget.bytes {
            left.push(wanted);
            continue;
        }
        let size = sizes.get(&wanted.blob_id).copied().or_else(|| reader.size(wanted.blob_id).ok()).unwrap_or_default();
        bytes_total += if size > max_bytes { 0 } else { size };
        taken.push(wanted);
    }
    (taken, left)
}
