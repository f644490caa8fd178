//! What the ledger says of a number, and what follows from that alone, which stands until garbage is collected.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use icr_model::{BlobId, BlobNo, ChunkNo, Facts, PathNo, RepoPath, even_after_panic};
use icr_rank::FileKind;
use icr_store::BlobRow;
use rustc_hash::FxHashMap;

use crate::{Error, FreedAside, NameWords};

/// Most rows, and most paths, that are kept: some megabytes, and more than the candidates of many questions.
const KEPT: usize = 65_536;

/// Most vectors of paths that are kept, a kilobyte each.
const VECTORS_KEPT: usize = 8_192;

/// Most bytes of texts that are kept: those shown for some hundred questions, in a process that has as much in memory anyhow.
const TEXT_BYTES_KEPT: usize = 16 << 20;

/// Most encoded bytes of facts that are kept decoded, where they take some four times as much: those of the candidates of some
/// questions.
const FACT_BYTES_KEPT: usize = 8 << 20;

/// What views of one store looked up, for all views of it: rows, paths, facts and texts, and what was made of paths. A
/// question has candidates by the thousand, and the next one has many of them again; one look-up costs some microseconds.
///
/// Keys are numbers that the store published, for as long as its generation is the same, and blob ids. A number in memory is
/// none: it means another blob in the next view.
#[derive(Default)]
pub struct ViewCache {
    rows: BoundedCache<BlobNo, BlobRow>,
    places: BoundedCache<PathNo, Arc<PathFacts>>,
    path_vectors: BoundedCache<PathNo, Arc<[f32]>>,
    /// Blobs by their first chunk, with the number of their chunks.
    runs: Mutex<BTreeMap<ChunkNo, (u32, BlobNo)>>,
    texts: Mutex<KeptWithin<BlobId, Box<[u8]>>>,
    facts: FreedAside<Mutex<KeptWithin<BlobNo, Arc<Facts>>>>,
}

/// What the path of a file says, whoever asks.
#[derive(Debug)]
pub struct PathFacts {
    /// The path itself.
    pub path: RepoPath,
    read: OnceLock<(Option<FileKind>, NameWords)>,
}

impl PathFacts {
    /// Of `path`. What it says is read when it is first asked.
    pub fn new(path: RepoPath) -> Self {
        Self { path, read: OnceLock::new() }
    }

    /// What it says the file is.
    pub fn kind(&self) -> Option<FileKind> {
        self.read().0
    }

    /// The words of its name.
    pub fn name(&self) -> &NameWords {
        &self.read().1
    }

    fn read(&self) -> &(Option<FileKind>, NameWords) {
        self.read.get_or_init(|| (FileKind::of(&self.path), NameWords::of(&self.path)))
    }
}

impl std::fmt::Debug for ViewCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ViewCache").finish_non_exhaustive()
    }
}

impl ViewCache {
    /// The row of a blob; `look_up` finds one that is not known yet.
    pub(crate) fn row(
        &self,
        blob_no: BlobNo,
        look_up: impl FnOnce() -> Result<BlobRow, Error>,
    ) -> Result<BlobRow, Error> {
        self.rows.get(blob_no, KEPT, look_up)
    }

    /// The path of a number; `look_up` finds one that is not known yet.
    pub(crate) fn place(
        &self,
        path_no: PathNo,
        look_up: impl FnOnce() -> Result<RepoPath, Error>,
    ) -> Result<Arc<PathFacts>, Error> {
        self.places.get(path_no, KEPT, || Ok(Arc::new(PathFacts::new(look_up()?))))
    }

    /// What the built-in model makes of a path.
    pub fn path_vector(&self, path_no: PathNo, embed: impl FnOnce() -> Arc<[f32]>) -> Arc<[f32]> {
        let embedded = self.path_vectors.get(path_no, VECTORS_KEPT, || Ok(embed()));
        embedded.expect("making a vector in memory does not fail")
    }

    /// The blob that has a chunk; `look_up` finds its row when none of its chunks is known yet.
    pub(crate) fn blob_of_chunk(
        &self,
        chunk_no: ChunkNo,
        look_up: impl FnOnce() -> Result<BlobRow, Error>,
    ) -> Result<BlobNo, Error> {
        let mut runs = locked(&self.runs);
        if let Some((first, (count, blob_no))) = runs.range(..=chunk_no).next_back()
            && chunk_no.0 - first.0 < *count
        {
            return Ok(*blob_no);
        }
        let row = look_up()?;
        if runs.len() >= KEPT {
            runs.clear();
        }
        runs.insert(row.chunk_first, (row.chunk_count, row.blob_no));
        Ok(row.blob_no)
    }

    /// Puts the text of a blob into `out`; `read` gets one that is not known yet. Keyed by what the text is, since a number in
    /// memory means another blob in the next view.
    pub(crate) fn text(
        &self,
        blob_id: BlobId,
        out: &mut Vec<u8>,
        read: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(text) = locked(&self.texts).get(&blob_id) {
            out.clear();
            out.extend_from_slice(text);
            return Ok(());
        }
        read(out)?;
        locked(&self.texts).keep(blob_id, out.as_slice().into(), out.len(), TEXT_BYTES_KEPT);
        Ok(())
    }

    /// What a blob says, if it is kept.
    pub(crate) fn kept_facts(&self, blob_no: BlobNo) -> Option<Arc<Facts>> {
        locked(&self.facts).get(&blob_no).cloned()
    }

    /// What a blob says; `read` gets what is not known yet, with the bytes that it was encoded in.
    pub(crate) fn facts(
        &self,
        blob_no: BlobNo,
        read: impl FnOnce() -> Result<(Facts, usize), Error>,
    ) -> Result<Arc<Facts>, Error> {
        if let Some(facts) = self.kept_facts(blob_no) {
            return Ok(facts);
        }
        let (facts, bytes) = read()?;
        let facts = Arc::new(facts);
        locked(&self.facts).keep(blob_no, Arc::clone(&facts), bytes, FACT_BYTES_KEPT);
        Ok(facts)
    }
}

/// Values within a number of bytes; the one that is too many makes room for itself by forgetting all others.
struct KeptWithin<K, V> {
    /// With the bytes that each counts for.
    values: FxHashMap<K, (V, usize)>,
    bytes: usize,
}

impl<K, V> Default for KeptWithin<K, V> {
    fn default() -> Self {
        Self { values: FxHashMap::default(), bytes: 0 }
    }
}

impl<K: Eq + Hash, V> KeptWithin<K, V> {
    fn get(&self, key: &K) -> Option<&V> {
        self.values.get(key).map(|(value, _)| value)
    }

    /// Keeps a value of `bytes`, if it is at most a sixteenth of `most`: one of that size is not worth many others.
    fn keep(&mut self, key: K, value: V, bytes: usize, most: usize) {
        if bytes > most / 16 {
            return;
        }
        if self.bytes + bytes > most {
            *self = Self::default();
        }
        self.bytes += bytes;
        let replaced = self.values.insert(key, (value, bytes));
        self.bytes -= replaced.map_or(0, |(_, bytes)| bytes);
    }
}

struct BoundedCache<K, V>(Mutex<FxHashMap<K, V>>);

impl<K, V> Default for BoundedCache<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Copy + Eq + Hash, V: Clone> BoundedCache<K, V> {
    fn get(&self, key: K, most: usize, make: impl FnOnce() -> Result<V, Error>) -> Result<V, Error> {
        let mut kept = locked(&self.0);
        if let Some(value) = kept.get(&key) {
            return Ok(value.clone());
        }
        let value = make()?;
        if kept.len() >= most {
            kept.clear();
        }
        kept.insert(key, value.clone());
        Ok(value)
    }
}

/// What a thread that panicked leaves behind is as whole as before: values are made before they are put in.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    even_after_panic(mutex.lock())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use icr_model::ContentKind;
    use icr_store::RecipeNo;

    use super::*;

    fn row(blob_no: u32, chunk_first: u32, chunk_count: u32) -> BlobRow {
        BlobRow {
            blob_no: BlobNo(blob_no),
            blob_id: BlobId::from_bytes(&[1; 20]).unwrap(),
            recipe_no: RecipeNo(1),
            content: ContentKind::Text,
            bytes_total: 0,
            lines_total: 0,
            chunk_first: ChunkNo(chunk_first),
            chunk_count,
            tokens: icr_model::FieldCounts::default(),
        }
    }

    #[test]
    fn one_look_up_answers_for_all_chunks_of_a_blob() {
        let (known, looked_up) = (ViewCache::default(), Cell::new(0));
        let rows = [row(7, 10, 3), row(8, 20, 1)];
        let blob_of = |chunk_no: u32| {
            let look_up = || {
                looked_up.set(looked_up.get() + 1);
                let holds =
                    |row: &&BlobRow| (row.chunk_first.0..row.chunk_first.0 + row.chunk_count).contains(&chunk_no);
                Ok(rows.iter().find(holds).unwrap().clone())
            };
            known.blob_of_chunk(ChunkNo(chunk_no), look_up).unwrap().0
        };
        assert_eq!([12, 10, 11, 20, 12].map(blob_of), [7, 7, 7, 8, 7]);
        assert_eq!(looked_up.get(), 2);
    }

    #[test]
    fn texts_are_kept_within_their_bytes() {
        let known = ViewCache::default();
        let longest = TEXT_BYTES_KEPT / 16;
        let read = |blob: u8, bytes: usize| {
            let (mut out, mut was_read) = (b"of another blob".to_vec(), false);
            let text = vec![blob; bytes];
            let read = |out: &mut Vec<u8>| {
                was_read = true;
                *out = text.clone();
                Ok(())
            };
            known.text(BlobId::from_bytes(&[blob; 20]).unwrap(), &mut out, read).unwrap();
            assert_eq!(out, text);
            assert!(locked(&known.texts).bytes <= TEXT_BYTES_KEPT);
            was_read
        };
        assert_eq!(
            [(1, 100), (1, 100), (2, longest + 1), (2, longest + 1)].map(|(at, bytes)| read(at, bytes)),
            [true, false, true, true]
        );
        assert!((10..26).all(|at| read(at, longest)));
        assert!(!read(25, longest));
        assert!(read(1, 100), "what was read first makes room");
    }
}
