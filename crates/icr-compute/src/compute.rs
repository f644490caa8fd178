//! From blob ids to extracted facts, in parallel.

use icr_lang::{Extraction, Extractor};
use icr_lexical::ChunkDocument;
use icr_model::{BlobId, BlobNo, ChunkNo, ContentKind, Facts, FieldCounts};
use icr_store::{BlobRow, Recipes};
use rayon::prelude::*;

use crate::documents::documents;
use crate::{Error, Shape, WantedBlob};

/// Largest blob above the size limit, in bytes, that is read to verify its size; that of a larger one is believed.
const LARGEST_VERIFIED: u64 = 64 << 20;

/// Source of blobs: the object database, or memory.
pub trait BlobSource: Sync {
    /// A reader for one thread.
    fn reader(&self) -> Box<dyn ReadBlob + '_>;
}

/// Reads blobs on one thread.
pub trait ReadBlob {
    /// Reads a blob of at most `max_bytes` into `out`.
    ///
    /// # Errors
    ///
    /// Errors of the source. A missing or corrupt object is a [`BlobReadOutcome`], not an error.
    fn read(&mut self, blob_id: &BlobId, max_bytes: u64, out: &mut Vec<u8>) -> Result<BlobReadOutcome, icr_git::Error>;

    /// Size of a blob in bytes, if it is known without reading the blob.
    fn size_of(&mut self, blob_id: &BlobId) -> Option<u64>;
}

/// Result of reading a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobReadOutcome {
    /// The blob is in the buffer.
    Read,
    /// The blob is larger than the limit and was not read.
    Oversize {
        /// Its size in bytes.
        bytes_total: u64,
    },
    /// The repository does not have the blob, or it is damaged.
    Missing,
}

/// Reads from a repository's object database.
#[derive(Debug, Clone, Copy)]
pub struct ObjectSource<'a>(pub &'a icr_git::Repository);

impl BlobSource for ObjectSource<'_> {
    fn reader(&self) -> Box<dyn ReadBlob + '_> {
        Box::new(self.0.reader())
    }
}

impl ReadBlob for icr_git::BlobReader {
    fn read(&mut self, blob_id: &BlobId, max_bytes: u64, out: &mut Vec<u8>) -> Result<BlobReadOutcome, icr_git::Error> {
        let absent = |error: icr_git::Error| match error {
            icr_git::Error::MissingObject { .. } | icr_git::Error::CorruptObject { .. } => Ok(BlobReadOutcome::Missing),
            other => Err(other),
        };
        match Self::size(self, *blob_id) {
            Ok(bytes_total) if bytes_total > LARGEST_VERIFIED => return Ok(BlobReadOutcome::Oversize { bytes_total }),
            Ok(bytes_total) if bytes_total > max_bytes => {
                // That a blob is too large is shared with other clones, and its size is only what its object says.
                let verified = Self::read(self, *blob_id, out);
                out.clear();
                return verified.map_or_else(absent, |()| Ok(BlobReadOutcome::Oversize { bytes_total }));
            }
            Ok(_) => {}
            Err(error) => return absent(error),
        }
        Self::read(self, *blob_id, out).map_or_else(absent, |()| Ok(BlobReadOutcome::Read))
    }

    fn size_of(&mut self, blob_id: &BlobId) -> Option<u64> {
        Self::size(self, *blob_id).ok()
    }
}

/// A blob and the facts that were extracted from it.
#[derive(Debug)]
pub struct ComputedBlob {
    /// The blob and its language.
    pub wanted: WantedBlob,
    /// Its bytes; empty if it is not text.
    pub text: Vec<u8>,
    /// Its size in bytes.
    pub bytes_total: u64,
    /// What was extracted; `None` if the object is missing.
    pub extraction: Option<Extraction>,
}

impl ComputedBlob {
    /// Documents of its chunks, with the given numbers.
    pub fn documents(&self, blob_no: BlobNo, chunk_first: ChunkNo) -> impl Iterator<Item = ChunkDocument<'_>> {
        let extraction = self.extraction.as_ref();
        extraction.into_iter().flat_map(move |extraction| documents(extraction, &self.text, blob_no, chunk_first))
    }

    /// Whether the object exists.
    pub fn is_present(&self) -> bool {
        self.extraction.is_some()
    }

    /// The recipes that it was made with.
    ///
    /// # Panics
    ///
    /// When the object is missing: there are no recipes then.
    pub fn recipes<'s>(&self, shape: &'s Shape) -> &'s Recipes {
        let facts = &self.extraction.as_ref().expect("a missing object is never listed").facts;
        shape.recipes(self.wanted.language, facts.content)
    }

    /// Number of its chunks.
    pub fn chunks_total(&self) -> u32 {
        self.extraction.as_ref().map_or(0, |extraction| extraction.facts.chunks.len() as u32)
    }

    /// The ledger row with the given numbers.
    ///
    /// # Panics
    ///
    /// When the object is missing: there is nothing to list then.
    pub fn row(
        &self,
        blob_no: BlobNo,
        recipe_no: icr_store::RecipeNo,
        chunk_first: ChunkNo,
        tokens: FieldCounts,
    ) -> BlobRow {
        let facts = &self.extraction.as_ref().expect("a missing object is never listed").facts;
        BlobRow {
            blob_no,
            blob_id: self.wanted.blob_id,
            recipe_no,
            content: facts.content,
            bytes_total: self.bytes_total,
            lines_total: facts.lines_total,
            chunk_first,
            chunk_count: facts.chunks.len() as u32,
            tokens,
        }
    }
}

/// Splits `wanted` into batches for [`compute`], in order. Each has at most `most_blobs` blobs and at most `most_bytes`
/// bytes, unless a single blob is larger. Blobs of more than `max_bytes` count as 0 bytes, since they are not read.
/// Cost: looks up the size of each blob.
pub fn batches<'a>(
    wanted: &'a [WantedBlob],
    source: &'a dyn BlobSource,
    max_bytes: u64,
    (most_blobs, most_bytes): (usize, u64),
) -> impl Iterator<Item = &'a [WantedBlob]> {
    let size = move |reader: &mut Box<dyn ReadBlob + '_>, wanted: &WantedBlob| {
        reader.size_of(&wanted.blob_id).filter(|bytes| *bytes <= max_bytes).unwrap_or_default()
    };
    wanted.chunks(most_blobs.max(1)).flat_map(move |window| {
        let sizes: Vec<u64> = window.par_iter().with_min_len(64).map_init(|| source.reader(), size).collect();
        let (mut parts, mut begin, mut bytes) = (Vec::new(), 0, 0);
        for (at, size) in sizes.iter().enumerate() {
            if at > begin && bytes + size > most_bytes {
                parts.push(&window[begin..at]);
                (begin, bytes) = (at, 0);
            }
            bytes += size;
        }
        parts.push(&window[begin..]);
        parts
    })
}

/// Total size in bytes of those of `wanted` that have at most `max_bytes`; the others are not read. Cost: looks up the
/// size of each blob, on all threads.
pub fn bytes_of(wanted: &[WantedBlob], source: &dyn BlobSource, max_bytes: u64) -> u64 {
    let size = |reader: &mut Box<dyn ReadBlob + '_>, wanted: &WantedBlob| {
        reader.size_of(&wanted.blob_id).filter(|bytes| *bytes <= max_bytes).unwrap_or_default()
    };
    wanted.par_iter().with_min_len(64).map_init(|| source.reader(), size).sum()
}

/// Reads and extracts each of `wanted` on all threads; the results are in the same order. Holds all their bytes in
/// memory, so the caller must limit the slice: a sync uses [`batches`], a view limits what it reads itself.
///
/// # Errors
///
/// Errors of the source, except for a missing or corrupt object.
pub fn compute(wanted: &[WantedBlob], source: &dyn BlobSource, shape: &Shape) -> Result<Vec<ComputedBlob>, Error> {
    compute_counted(wanted, source, shape, |_| {})
}

/// As [`compute`]; calls `count` for each blob as soon as it is extracted, on any thread.
///
/// # Errors
///
/// As [`compute`].
pub fn compute_counted(
    wanted: &[WantedBlob],
    source: &dyn BlobSource,
    shape: &Shape,
    count: impl Fn(&ComputedBlob) + Sync,
) -> Result<Vec<ComputedBlob>, Error> {
    /// Number of blobs that a thread takes at once: enough to be worth a reader and an extractor, few enough to balance
    /// the load.
    const AT_ONCE: usize = 16;
    let max_bytes = shape.policy().max_file_bytes();
    if wanted.len() < 2 * AT_ONCE {
        // A reader of uncommitted files opens git's index, which costs more than reading these few files.
        let mut reader = source.reader();
        let read: Result<Vec<_>, Error> =
            wanted.iter().map(|wanted| read_one(wanted, reader.as_mut(), max_bytes)).collect();
        let extract = |extractor: &mut Extractor, (wanted, (text, outcome))| {
            let computed = extract_one(wanted, text, outcome, extractor);
            count(&computed);
            computed
        };
        let pairs = wanted.par_iter().zip(read?);
        return Ok(pairs.map_init(|| Extractor::new(shape.limits()), extract).collect());
    }
    wanted
        .par_iter()
        .with_min_len(AT_ONCE)
        .map_init(
            || (source.reader(), Extractor::new(shape.limits())),
            |(reader, extractor), wanted| {
                let (text, outcome) = read_one(wanted, reader.as_mut(), max_bytes)?;
                let computed = extract_one(wanted, text, outcome, extractor);
                count(&computed);
                Ok(computed)
            },
        )
        .collect()
}

fn read_one(
    wanted: &WantedBlob,
    reader: &mut dyn ReadBlob,
    max_bytes: u64,
) -> Result<(Vec<u8>, BlobReadOutcome), Error> {
    let mut text = Vec::new();
    let outcome = reader.read(&wanted.blob_id, max_bytes, &mut text)?;
    Ok((text, outcome))
}

fn extract_one(
    wanted: &WantedBlob,
    text: Vec<u8>,
    outcome: BlobReadOutcome,
    extractor: &mut Extractor,
) -> ComputedBlob {
    let (bytes_total, extraction) = match outcome {
        BlobReadOutcome::Read => (text.len() as u64, Some(extractor.extract(wanted.language, &text))),
        BlobReadOutcome::Oversize { bytes_total } => {
            let facts =
                Facts { content: ContentKind::Oversize, language: wanted.language.to_owned(), ..Facts::default() };
            (bytes_total, Some(Extraction { facts, comments: Vec::new() }))
        }
        BlobReadOutcome::Missing => (0, None),
    };
    ComputedBlob { wanted: *wanted, text, bytes_total, extraction }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blobs whose size is the first byte of their id.
    struct Sizes;

    impl BlobSource for Sizes {
        fn reader(&self) -> Box<dyn ReadBlob + '_> {
            Box::new(Self)
        }
    }

    impl ReadBlob for Sizes {
        fn read(&mut self, _: &BlobId, _: u64, _: &mut Vec<u8>) -> Result<BlobReadOutcome, icr_git::Error> {
            Ok(BlobReadOutcome::Missing)
        }

        fn size_of(&mut self, blob_id: &BlobId) -> Option<u64> {
            Some(u64::from(blob_id.as_bytes()[0])).filter(|bytes| *bytes > 0)
        }
    }

    #[test]
    fn bytes_are_those_of_the_blobs_that_are_read() {
        let wanted: Vec<WantedBlob> = [10, 0, 25, 200]
            .iter()
            .map(|size| WantedBlob { blob_id: BlobId::from_bytes(&[*size; 20]).unwrap(), language: "text" })
            .collect();
        assert_eq!(bytes_of(&wanted, &Sizes, 100), 35);
        assert_eq!(bytes_of(&[], &Sizes, 100), 0);
    }

    #[test]
    fn batches_are_bounded_in_blobs_and_in_bytes() {
        let parts = |sizes: &[u8]| -> Vec<usize> {
            let wanted: Vec<WantedBlob> = sizes
                .iter()
                .map(|size| WantedBlob { blob_id: BlobId::from_bytes(&[*size; 20]).unwrap(), language: "text" })
                .collect();
            let parts: Vec<&[WantedBlob]> = batches(&wanted, &Sizes, 100, (4, 25)).collect();
            assert_eq!(parts.concat(), wanted);
            parts.iter().map(|part| part.len()).collect()
        };
        assert_eq!(parts(&[10, 10, 10, 90, 10]), [2, 1, 1, 1]);
        assert_eq!(parts(&[1, 1, 1, 1, 1, 1]), [4, 2], "so many blobs");
        assert_eq!(parts(&[200, 200, 0, 25]), [4], "what is not read counts nothing");
        assert_eq!(parts(&[]), Vec::<usize>::new());
    }
}
