//! Letting the model behind the built-in one read chunks, the most important first.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use icr_ingest::{FillReport, FillRequest, ObjectSource, Observer, Unread, fill};
use icr_model::{BlobNo, ChunkNo, PathNo};
use icr_store::{Access, Ledger, ViewKey, WriterLock};

use crate::{Engine, Error};

/// Chunks that answers returned which are remembered, the last ones.
const REMEMBERED: usize = 4_096;

impl Engine {
    /// Lets the model behind the built-in one read the chunks of HEAD's view that it has not read, until all are read or
    /// `budget` is used up: first what answers returned, then what changed last, then the rest by path. Nothing, when no
    /// such model was chosen, when it cannot run, or while another process does it.
    ///
    /// Cost: a transformer takes some 15 to 70 ms of one core for a chunk.
    ///
    /// # Errors
    ///
    /// Those of the model, the repository and the store; what was read before one stays read.
    pub fn fill(&self, budget: Duration, observer: &dyn Observer) -> Result<FillReport, Error> {
        let Ok(Some(tier)) = self.models.tier() else { return Ok(FillReport::default()) };
        let deadline = Instant::now().checked_add(budget);
        let directory = self.place.directory().join("filling");
        fs::create_dir_all(&directory).map_err(|source| Error::Io {
            doing: "making the directory",
            path: directory.clone(),
            source,
        })?;
        let _alone = match WriterLock::try_acquire(&directory) {
            Err(icr_store::Error::Busy) => return Ok(FillReport::default()),
            other => other?,
        };
        let Some(vectors) = self.vectors_to_write()? else { return Ok(FillReport::default()) };
        let ledger = Ledger::open(&self.place, Access::Read)?;
        let head = self.repository.head()?;
        let Some(view) = ledger.view(&ViewKey { tree: head.tree, shape: self.shape.digest() })? else {
            return Ok(FillReport::default());
        };
        let lacking = vectors.reader(None)?.missing(tier.space.recipe, &view.live_chunks)?;
        let asked: HashSet<u32> = self.returned().into_iter().collect();
        let changed = self.last_changes(&ledger, head.commit)?;
        let mut blobs: HashMap<BlobNo, (u32, Vec<PathNo>)> = HashMap::new();
        for entry in view.manifest.entries() {
            let age = changed.get(&entry.path_no).copied().unwrap_or(u32::MAX);
            let blob = blobs.entry(entry.blob_no).or_insert((age, Vec::new()));
            blob.0 = blob.0.min(age);
            blob.1.push(entry.path_no);
        }
        let (mut first, mut then) = (Vec::new(), Vec::new());
        for (blob_no, (age, paths)) in blobs {
            let Some(row) = ledger.blob_row(blob_no)? else { continue };
            let numbers = (0..row.chunk_count).map(|ordinal| (ordinal, row.chunk_first.0 + ordinal));
            let (wanted, rest): (Vec<_>, Vec<_>) =
                numbers.filter(|(_, chunk)| lacking.contains(*chunk)).partition(|(_, chunk)| asked.contains(chunk));
            let path = paths.first().map(|path_no| ledger.path(*path_no)).transpose()?.flatten();
            let key = (age, path.map(|(path, _)| path));
            for (list, chunks) in [(&mut first, wanted), (&mut then, rest)] {
                let chunks: Vec<u32> = chunks.into_iter().map(|(ordinal, _)| ordinal).collect();
                if !chunks.is_empty() {
                    list.push((key.clone(), Unread { row: row.clone(), chunks }));
                }
            }
        }
        first.sort_by(|a, b| a.0.cmp(&b.0));
        then.sort_by(|a, b| a.0.cmp(&b.0));
        let unread: Vec<Unread> = first.into_iter().chain(then).map(|(_, unread)| unread).collect();
        let facts = |blob_no| {
            let missing = || icr_ingest::Error::from(self.place.damaged("a listed blob has no facts"));
            ledger.facts(blob_no)?.ok_or_else(missing)
        };
        let request = FillRequest {
            vectors: &vectors,
            space: tier.space,
            model: tier.model.as_ref(),
            facts: &facts,
            source: &ObjectSource(&self.repository),
            max_bytes: self.shape.policy().max_file_bytes(),
            deadline,
            observer,
        };
        Ok(fill(&request, &unread)?)
    }

    /// How long ago each path changed, in commits of the newest history: 0 is the newest.
    fn last_changes(&self, ledger: &Ledger, head: Option<icr_model::CommitId>) -> Result<HashMap<PathNo, u32>, Error> {
        let mut ages = HashMap::new();
        let Some(head) = head else { return Ok(ages) };
        for (age, commit) in self.repository.first_parents(head, icr_ingest::COMMITS_READ)?.commits.iter().enumerate() {
            for change in ledger.commit(commit)?.into_iter().flat_map(|row| row.changes) {
                ages.entry(change.path).or_insert(age as u32);
            }
        }
        Ok(ages)
    }

    /// Remembers which chunks an answer returned, so that [`Engine::fill`] comes to them first. A store that cannot be
    /// written remembers nothing.
    pub fn remember_returned(&self, chunks: &[ChunkNo]) {
        if self.options.read_only || !matches!(self.models.tier(), Ok(Some(_))) {
            return;
        }
        let chunks = chunks.iter().filter(|chunk| !chunk.is_in_memory()).map(|chunk| chunk.0);
        let mut all = self.returned();
        all.extend(chunks);
        let last = all.len().saturating_sub(REMEMBERED);
        let bytes: Vec<u8> = all[last..].iter().copied().flat_map(u32::to_le_bytes).collect();
        // A file beside it takes its place whole, so that nobody reads half of it.
        let (path, beside) = (self.returned_file(), self.place.directory().join("returned.new"));
        let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, &path));
        if let Err(error) = written {
            tracing::debug!(%error, "what was returned is not remembered");
        }
    }

    fn returned(&self) -> Vec<u32> {
        let bytes = fs::read(self.returned_file()).unwrap_or_default();
        bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    fn returned_file(&self) -> PathBuf {
        self.place.directory().join("returned")
    }
}
