//! Caches of ledger look-ups and of values derived from them. They stay valid until the next garbage collection.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use icr_model::{BlobId, BlobNo, ChunkNo, Facts, PathNo, RepoPath, even_after_panic};
use icr_rank::FileKind;
use icr_store::BlobRow;
use rustc_hash::FxHashMap;

use crate::{BackgroundDrop, Error, NameWords};

/// Most rows, and most paths, that are cached: a few megabytes, and more than the candidates of many questions.
const KEPT: usize = 65_536;

/// Most path vectors that are cached, 1 KB each.
const VECTORS_KEPT: usize = 8_192;

/// Most bytes of texts that are cached: the texts shown for some hundred questions. The process needs as much memory
/// anyhow.
const TEXT_BYTES_KEPT: usize = 16 << 20;

/// Most encoded bytes of facts whose decoded form is cached: the candidates of a few questions. Decoded facts take
/// about four times as much memory.
const FACT_BYTES_KEPT: usize = 8 << 20;

/// Cache shared by all views of one store: rows, paths, facts, texts, and values computed from paths. A question has
/// thousands of candidates, many of which the next question has again; one look-up in the store costs a few
/// microseconds.
///
/// The keys are blob ids and numbers that the store published, which are valid as long as the generation is the same. A
/// number in memory is never a key: it means another blob in the next view.
#[derive(Default)]
pub struct ViewCache {
    rows: BoundedCache<BlobNo, BlobRow>,
    places: BoundedCache<PathNo, Arc<PathFacts>>,
    path_vectors: BoundedCache<PathNo, Arc<[f32]>>,
    /// Blobs by the number of their first chunk, with their number of chunks.
    runs: Mutex<BTreeMap<ChunkNo, (u32, BlobNo)>>,
    texts: Mutex<KeptWithin<BlobId, Box<[u8]>>>,
    facts: BackgroundDrop<Mutex<KeptWithin<BlobNo, Arc<Facts>>>>,
}

/// What can be told from a path alone, for any question.
#[derive(Debug)]
pub struct PathFacts {
    /// The path itself.
    pub path: RepoPath,
    read: OnceLock<(Option<FileKind>, NameWords)>,
}

impl PathFacts {
    /// The facts of `path`. Kind and name words are computed on first use.
    pub fn new(path: RepoPath) -> Self {
        Self { path, read: OnceLock::new() }
    }

    /// The kind of file that the path suggests.
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

    /// The vector that the built-in model computes for a path.
    pub fn path_vector(&self, path_no: PathNo, embed: impl FnOnce() -> Arc<[f32]>) -> Arc<[f32]> {
        let embedded = self.path_vectors.get(path_no, VECTORS_KEPT, || Ok(embed()));
        embedded.expect("making a vector in memory does not fail")
    }

    /// The blob that contains a chunk; `look_up` loads its row when none of its chunks is cached.
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

    /// Puts the text of a blob into `out`; `read` loads it when it is not cached. The key is the blob id, since a
    /// number in memory means another blob in the next view.
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

    /// The facts of a blob, if they are cached.
    pub(crate) fn kept_facts(&self, blob_no: BlobNo) -> Option<Arc<Facts>> {
        locked(&self.facts).get(&blob_no).cloned()
    }

    /// The facts of a blob; `read` loads those that are not cached, with the size of their encoding in bytes.
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

/// A cache bounded in bytes. When a new value does not fit, all others are dropped.
struct KeptWithin<K, V> {
    /// Values, each with the bytes that it counts for.
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

    /// Caches a value of `bytes`, unless it is larger than a sixteenth of `most`: a value of that size would displace
    /// too many others.
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

/// A lock poisoned by a panic is safe to use: values are complete before they are inserted.
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
