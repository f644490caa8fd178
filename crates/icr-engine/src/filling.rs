//! Embeds chunks of HEAD's view by the second model (a transformer or a remote model), in order of importance.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use icr_compute::ObjectSource;
use icr_ingest::{FillReport, FillRequest, Observer, UnembeddedBlob, facts_of, fill, note_use, unread_blobs};
use icr_model::{BlobNo, CommitId, Gap, LiveSet, PathNo};
use icr_store::{Access, Ledger, StorePlace, ViewManifest, WriterLock, read_small_file, replace_small_file};
use icr_view::Foundation;
use serde::Serialize;

use crate::models::Models;
use crate::repository_store::RepositoryStore;
use crate::snapshot_context::SnapshotContext;
use crate::snapshot_source::SnapshotSource;
use crate::vectors::StoreVectors;
use crate::{Error, ViewSelector};

/// Most files remembered for embedding, the latest ones: those of some twenty questions.
const REMEMBERED: usize = 1_024;

/// Chunks that a transformer embeds between two commits: about 10 s of work, which is lost when the run is killed. Each
/// commit rewrites the blocks with its chunks, so that smaller batches would write more.
const CHUNKS_AT_ONCE: usize = 256;

/// What [`crate::Engine::fill`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FillOutcome {
    /// The second model; `None` when none is configured.
    pub model: Option<String>,
    /// How much was done, and how much is left.
    #[serde(flatten)]
    pub report: FillReport,
    /// Chunks without a vector that exceed the number of vectors that the store may have of this model.
    pub above_limit: u64,
    /// Whether another process is already embedding.
    pub is_busy: bool,
    /// Why the model cannot run, or its error.
    #[serde(skip)]
    pub gap: Option<Gap>,
}

/// Embeds the chunks of HEAD's view; see [`crate::Engine::fill`]. A damaged store is derived again first.
pub(crate) fn fill_head(
    source: &SnapshotSource<'_>,
    budget: Option<Duration>,
    observer: &dyn Observer,
) -> Result<FillOutcome, Error> {
    let (seen, filling) = (RepositoryStore::of(source.context).generation(), HeadFilling::of(source.context));
    match filling.fill(budget, observer) {
        Err(error) if source.may_derive_again(&error) => {
            drop(source.derive_again(&ViewSelector::Head, seen, &error, observer)?);
            filling.fill(budget, observer)
        }
        other => other,
    }
}

/// Embeds chunks of HEAD's view by the second model. Reads the ledger, and text of blobs; writes only vectors, under a
/// lock of its own.
struct HeadFilling<'a> {
    foundation: &'a Foundation,
    models: &'a Models,
    vectors: StoreVectors<'a>,
    embed_first: EmbedFirst<'a>,
}

impl<'a> HeadFilling<'a> {
    fn of(context: &'a SnapshotContext) -> Self {
        let SnapshotContext { foundation, models, .. } = context;
        Self { foundation, models, vectors: StoreVectors::of(context), embed_first: EmbedFirst::of(context) }
    }

    fn fill(&self, budget: Option<Duration>, observer: &dyn Observer) -> Result<FillOutcome, Error> {
        let deadline = budget.and_then(|budget| Instant::now().checked_add(budget));
        let mut filled = FillOutcome::default();
        if !self.models.has_tier() {
            return Ok(filled);
        }
        filled.model = Some(self.models.options().model.clone());
        let tier = match self.models.tier() {
            Ok(Some(tier)) => tier,
            Ok(None) => return Ok(filled),
            Err(gap) => return Ok(FillOutcome { gap: Some(gap), ..filled }),
        };
        let directory = self.foundation.place.directory().join("filling");
        let failed = |source| Error::Io { doing: "making the directory", path: directory.clone(), source };
        self.foundation.place.create()?;
        fs::create_dir_all(&directory).map_err(failed)?;
        let _alone = match WriterLock::try_acquire(&directory) {
            Err(icr_store::Error::Busy) => return Ok(FillOutcome { is_busy: true, ..filled }),
            other => other?,
        };
        let Some(vectors) = self.vectors.writable()? else { return Ok(filled) };
        let ledger = Ledger::open(&self.foundation.place, Access::Read)?;
        let head = self.foundation.repository.head()?;
        let Some(view) = ledger.view(&self.foundation.view_key(head.tree))? else {
            return Ok(filled);
        };
        let reader = vectors.reader(None)?;
        let lacking = reader.missing(tier.space.recipe, &view.live_chunks)?;
        let stored = reader.spaces()?.into_iter().find(|status| status.space.recipe == tier.space.recipe);
        drop(reader);
        let mut unread = self.by_importance(&ledger, &view.manifest, &lacking, head.commit)?;
        let room = self.models.options().most_vectors.saturating_sub(stored.map_or(0, |status| status.chunks));
        filled.above_limit = cut_to(&mut unread, room);
        let request = FillRequest {
            vectors: &vectors,
            space: tier.space,
            model: tier.model.as_ref(),
            facts: &|blob_no| facts_of(&ledger, blob_no),
            source: &ObjectSource(&self.foundation.repository),
            max_bytes: self.foundation.shape.policy().max_file_bytes(),
            chunks_at_once: CHUNKS_AT_ONCE,
            deadline,
            observer,
        };
        match fill(&request, &unread, &mut filled.report) {
            // The vectors written so far are kept, and the built-in model covers the rest.
            Err(icr_ingest::Error::Embed(error)) => {
                let model = tier.model.descriptor().name.clone();
                filled.gap = Some(Gap::NoModel { model, reason: error.to_string() });
            }
            other => other?,
        }
        filled.report.left += filled.above_limit;
        note_use(&vectors, &[tier.space.recipe])?;
        Ok(filled)
    }

    /// The blobs of a view that have chunks in `lacking`, the most important first.
    fn by_importance(
        &self,
        ledger: &Ledger,
        manifest: &ViewManifest,
        lacking: &LiveSet,
        head: Option<CommitId>,
    ) -> Result<Vec<UnembeddedBlob>, Error> {
        if lacking.is_empty() {
            return Ok(Vec::new());
        }
        let asked = self.embed_first.files(ledger.generation()?);
        let asked: HashMap<u32, usize> = asked.into_iter().enumerate().map(|(at, no)| (no, at)).collect();
        let changed = self.last_changes(ledger, head)?;
        let mut unread = Vec::new();
        for (blob, paths) in unread_blobs(ledger, manifest, lacking)? {
            let asked = asked.get(&blob.row.blob_no.0);
            let age = paths.iter().filter_map(|path_no| changed.get(path_no)).min().copied().unwrap_or(u32::MAX);
            let path = paths.first().map(|path_no| ledger.path(*path_no)).transpose()?.flatten().map(|(path, _)| path);
            // Files that no question asked about come after all that one did.
            unread.push((Reverse(asked.copied()), age, path, blob));
        }
        unread.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
        Ok(unread.into_iter().map(|(_, _, _, blob)| blob).collect())
    }

    /// How long ago each path changed, in commits of the newest history; 0 is the newest commit.
    fn last_changes(&self, ledger: &Ledger, head: Option<CommitId>) -> Result<HashMap<PathNo, u32>, Error> {
        let mut ages = HashMap::new();
        let Some(head) = head else { return Ok(ages) };
        let commits = self.foundation.repository.first_parents(head, icr_ingest::COMMITS_READ)?.commits;
        for (age, commit) in (0..).zip(&commits) {
            for change in ledger.commit(commit)?.into_iter().flat_map(|row| row.changes) {
                ages.entry(change.path).or_insert(age);
            }
        }
        Ok(ages)
    }
}

/// The files that the second model embeds first, because questions wanted it to score them: a small file of the store.
pub(crate) struct EmbedFirst<'a> {
    place: &'a StorePlace,
    is_read_only: bool,
}

impl<'a> EmbedFirst<'a> {
    pub(crate) fn of(context: &'a SnapshotContext) -> Self {
        Self { place: &context.foundation.place, is_read_only: context.options.read_only }
    }

    /// Remembers files, best first, that the second model should have scored and has not embedded in full. Does nothing
    /// if the store cannot be written.
    pub(crate) fn remember(&self, files: &[BlobNo], generation: u32) {
        if self.is_read_only {
            return;
        }
        let new: Vec<u32> = files.iter().filter(|blob_no| !blob_no.is_in_memory()).map(|blob_no| blob_no.0).collect();
        if new.is_empty() {
            return;
        }
        let again: HashSet<u32> = new.iter().copied().collect();
        let mut all: Vec<u32> = self.files(generation).into_iter().filter(|blob| !again.contains(blob)).collect();
        // The best file of an answer goes last, because the end of the list is embedded first.
        all.extend(new.into_iter().rev());
        let oldest = all.len().saturating_sub(REMEMBERED);
        let numbers = std::iter::once(generation).chain(all[oldest..].iter().copied());
        let bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
        if let Err(error) = replace_small_file(&self.path(), &bytes) {
            tracing::debug!(%error, "what was asked about is not remembered");
        }
    }

    /// The remembered files, latest last. Those of another generation are dropped, because their numbers mean other
    /// files.
    fn files(&self, generation: u32) -> Vec<u32> {
        let most_bytes = (1 + REMEMBERED) * size_of::<u32>();
        let bytes = read_small_file(&self.path(), most_bytes as u64).unwrap_or_default();
        let mut numbers = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        if numbers.next() == Some(generation) { numbers.collect() } else { Vec::new() }
    }

    fn path(&self) -> PathBuf {
        self.place.directory().join("embed-first")
    }
}

/// Keeps the first `room` chunks of `unread`; returns how many were removed.
fn cut_to(unread: &mut Vec<UnembeddedBlob>, room: u64) -> u64 {
    let mut room = usize::try_from(room).unwrap_or(usize::MAX);
    let mut cut = 0;
    for blob in unread.iter_mut() {
        let kept = room.min(blob.chunks.len());
        cut += (blob.chunks.len() - kept) as u64;
        blob.chunks.truncate(kept);
        room -= kept;
    }
    unread.retain(|blob| !blob.chunks.is_empty());
    cut
}

#[cfg(test)]
mod tests {
    use icr_model::{BlobId, ChunkNo, ContentKind, FieldCounts};
    use icr_store::{BlobRow, RecipeNo};

    use super::*;

    fn blob(chunks: &[u32]) -> UnembeddedBlob {
        let row = BlobRow {
            blob_no: BlobNo(0),
            blob_id: BlobId::from_bytes(&[1; 20]).expect("an id"),
            recipe_no: RecipeNo(0),
            content: ContentKind::Text,
            bytes_total: 0,
            lines_total: 0,
            chunk_first: ChunkNo(0),
            chunk_count: 9,
            tokens: FieldCounts::default(),
        };
        UnembeddedBlob { row, chunks: chunks.to_vec() }
    }

    #[track_caller]
    fn check(room: u64, kept: &[&[u32]], cut: u64) {
        let mut unread = vec![blob(&[0, 1]), blob(&[4, 5, 6])];
        assert_eq!(cut_to(&mut unread, room), cut);
        assert_eq!(unread.iter().map(|blob| blob.chunks.as_slice()).collect::<Vec<_>>(), kept);
    }

    #[test]
    fn the_first_chunks_that_there_is_room_for_stay() {
        check(9, &[&[0, 1], &[4, 5, 6]], 0);
        check(5, &[&[0, 1], &[4, 5, 6]], 0);
        check(3, &[&[0, 1], &[4]], 2);
        check(2, &[&[0, 1]], 3);
        check(0, &[], 5);
    }
}
