//! A fixed state of the index: segments on disk and in memory.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use icr_model::{BlobNo, LiveSet};
use tantivy::columnar::Column;
use tantivy::directory::error::OpenReadError;
use tantivy::index::{SegmentComponent, SegmentMeta};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Index, InvertedIndexReader, SegmentReader, TantivyError, Term};

use crate::error::{Error, reading};
use crate::live_chunks::{LiveChunks, Statistics};
use crate::live_paths::{LivePaths, PathStatistics};
use crate::memory::{MEMORY, MemoryIndex};
use crate::schema::{BLOB_NO, CHUNK_NO, Fields, PATH_NO};

/// Most attempts to open the index while a writer removes merged segments. A writer would have to finish this many
/// merges while a handful of files are mapped.
const OPEN_ATTEMPTS: usize = 50;

/// Number of documents of a column that are read at a time.
const COLUMN_BLOCK: usize = 1024;

/// A fixed state of the index; commits and merges do not change it. A clone is cheap and shares everything.
#[derive(Clone)]
pub struct LexicalReader {
    pub(crate) segments: Arc<[Segment]>,
    pub(crate) fields: Fields,
    /// The mapped files, with their lengths.
    mapped: Arc<[(PathBuf, u64)]>,
}

impl LexicalReader {
    pub(crate) fn open(
        path: &Path,
        index: &Index,
        fields: Fields,
        memory: Option<&MemoryIndex>,
    ) -> Result<Self, Error> {
        let mut segments = committed_segments(path, index)?;
        let mapped = mapped_files(path, &segments);
        if let Some(memory) = memory {
            segments.extend(memory_segments(memory)?);
        }
        Ok(Self { segments: segments.into(), fields, mapped })
    }

    /// A reader of the documents of `memory` alone.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] when tantivy fails; no content causes that.
    pub fn of_memory(memory: &MemoryIndex) -> Result<Self, Error> {
        Ok(Self { segments: memory_segments(memory)?.into(), fields: memory.fields, mapped: Arc::new([]) })
    }

    /// This state together with the documents of `memory`.
    ///
    /// # Errors
    ///
    /// As for [`LexicalReader::of_memory`].
    pub fn with_memory(&self, memory: &MemoryIndex) -> Result<Self, Error> {
        let segments = self.segments.iter().cloned().chain(memory_segments(memory)?).collect();
        Ok(Self { segments, fields: self.fields, mapped: Arc::clone(&self.mapped) })
    }

    /// Whether all mapped files still have their length: reading beyond the end of a mapped file kills the process. A
    /// deleted file stays mapped unchanged. Code that keeps a reader must call this before the next query.
    ///
    /// Cost: the metadata of each file, some fifty microseconds in total.
    pub fn is_whole(&self) -> bool {
        self.mapped.iter().all(|(path, bytes)| fs::metadata(path).map_or(true, |metadata| metadata.len() >= *bytes))
    }

    /// The chunks whose numbers are in `live`, for queries; `statistics` must be the totals over exactly these chunks.
    ///
    /// Reads one column: a quarter of a millisecond for 100,000 chunks. Reuse the result as long as the view is the
    /// same.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when a column is invalid.
    pub fn live_chunks(&self, live: &LiveSet, statistics: Statistics) -> Result<LiveChunks, Error> {
        let documents = self.live_documents(live, |segment| segment.chunk_no.as_ref())?;
        Ok(LiveChunks::new(self.clone(), documents, statistics))
    }

    /// The paths whose numbers are in `live`, for queries; `statistics` must be the totals over exactly these paths.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when a column is invalid.
    pub fn live_paths(&self, live: &LiveSet, statistics: PathStatistics) -> Result<LivePaths, Error> {
        let documents = self.live_documents(live, |segment| segment.path_no.as_ref())?;
        Ok(LivePaths::new(self.clone(), documents, statistics))
    }

    /// Number of segments, on disk and in memory.
    pub fn segments_total(&self) -> usize {
        self.segments.len()
    }

    /// Numbers of all blobs that have a chunk here, live or not, except deleted ones; ascending. Reads one column.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when the column cannot be read.
    pub fn blob_numbers(&self) -> Result<Vec<BlobNo>, Error> {
        let mut numbers = BTreeSet::new();
        for segment in self.segments.iter() {
            segment.reading("reading blob numbers", |reader| {
                let alive = reader.doc_ids_alive();
                numbers.extend(alive.filter_map(|document| number(segment.blob_no.as_ref(), document)).map(BlobNo));
                Ok(())
            })?;
        }
        Ok(numbers.into_iter().collect())
    }

    fn live_documents(
        &self,
        live: &LiveSet,
        column: impl Fn(&Segment) -> Option<&Column<u64>>,
    ) -> Result<Vec<LiveDocuments>, Error> {
        self.segments
            .iter()
            .map(|segment| {
                segment
                    .reading("reading document numbers", |reader| Ok(LiveDocuments::new(reader, column(segment), live)))
            })
            .collect()
    }
}

/// A segment: a range of documents with its own postings.
#[derive(Clone)]
pub(crate) struct Segment {
    path: Arc<PathBuf>,
    reader: SegmentReader,
    chunk_no: Option<Column<u64>>,
    blob_no: Option<Column<u64>>,
    path_no: Option<Column<u64>>,
}

impl Segment {
    fn open(path: &Arc<PathBuf>, index: &Index, meta: SegmentMeta) -> Result<Self, TantivyError> {
        let reader = SegmentReader::open(&index.segment(meta))?;
        let column = |name| reader.fast_fields().column_opt::<u64>(name);
        let (chunk_no, blob_no, path_no) = (column(CHUNK_NO)?, column(BLOB_NO)?, column(PATH_NO)?);
        // The list of segments contains each segment's number of documents, without a checksum.
        let documents = [&chunk_no, &blob_no, &path_no].into_iter().flatten().map(Column::num_docs);
        if documents.into_iter().any(|documents| documents != reader.max_doc()) {
            let reason = "a segment has another number of documents than the list says".to_owned();
            return Err(TantivyError::SchemaError(reason));
        }
        Ok(Self { path: Arc::clone(path), reader, chunk_no, blob_no, path_no })
    }

    /// Runs `read` on the segment; a failure counts as damage of this index.
    pub(crate) fn reading<T>(
        &self,
        doing: &'static str,
        read: impl FnOnce(&SegmentReader) -> Result<T, TantivyError>,
    ) -> Result<T, Error> {
        reading(&self.path, doing, || read(&self.reader))
    }

    /// Number of documents of the segment, including deleted ones.
    pub(crate) fn documents_total(&self) -> usize {
        self.reader.max_doc() as usize
    }

    /// Chunk and blob number of a chunk document.
    pub(crate) fn chunk(&self, document: u32) -> Result<(u32, u32), Error> {
        let numbers = self.reading("reading chunk numbers", |_| {
            Ok((number(self.chunk_no.as_ref(), document), number(self.blob_no.as_ref(), document)))
        })?;
        match numbers {
            (Some(chunk), Some(blob)) => Ok((chunk, blob)),
            _ => Err(self.damage_error("a chunk has no number")),
        }
    }

    /// Path number of a path document.
    pub(crate) fn path_no(&self, document: u32) -> Result<u32, Error> {
        self.reading("reading path numbers", |_| Ok(number(self.path_no.as_ref(), document)))?
            .ok_or_else(|| self.damage_error("a path has no number"))
    }

    pub(crate) fn damage_error(&self, reason: &str) -> Error {
        Error::Damaged { path: self.path.to_path_buf(), reason: reason.into() }
    }
}

/// Calls `visit` for each `live` document of `term`, in order, with the number of occurrences of the term in it; 1 in
/// fields that store no frequencies.
pub(crate) fn live_postings(
    reader: &SegmentReader,
    field: Field,
    term: &str,
    live: &LiveDocuments,
    visit: impl FnMut(u32, u32),
) -> Result<(), TantivyError> {
    let inverted = reader.inverted_index(field)?;
    match inverted.get_term_info(&Term::from_field_text(field, term))? {
        Some(info) => live_postings_at(&inverted, &info, live, visit),
        None => Ok(()),
    }
}

/// [`live_postings`] for a term that was already found in the dictionary.
pub(crate) fn live_postings_at(
    inverted: &InvertedIndexReader,
    info: &tantivy::postings::TermInfo,
    live: &LiveDocuments,
    mut visit: impl FnMut(u32, u32),
) -> Result<(), TantivyError> {
    let mut postings = inverted.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
    while !postings.docs().is_empty() {
        for (at, document) in postings.docs().iter().enumerate() {
            if live.contains(*document) {
                visit(*document, postings.freq(at));
            }
        }
        postings.advance();
    }
    Ok(())
}

/// The live documents of one segment, one bit each.
#[derive(Debug, Clone)]
pub(crate) struct LiveDocuments {
    words: Vec<u64>,
    count: u64,
}

impl LiveDocuments {
    fn new(reader: &SegmentReader, column: Option<&Column<u64>>, live: &LiveSet) -> Self {
        let documents = reader.max_doc();
        let mut set = Self { words: vec![0; (documents as usize).div_ceil(64)], count: 0 };
        let Some(column) = column else { return set };
        let mut block = [0_u32; COLUMN_BLOCK];
        let mut numbers = [None; COLUMN_BLOCK];
        for start in (0..documents).step_by(COLUMN_BLOCK) {
            let length = COLUMN_BLOCK.min((documents - start) as usize);
            block.iter_mut().zip(start..).for_each(|(slot, document)| *slot = document);
            numbers[..length].fill(None);
            column.first_vals(&block[..length], &mut numbers[..length]);
            for (document, number) in block[..length].iter().zip(&numbers[..length]) {
                let number = number.and_then(|number| u32::try_from(number).ok());
                if number.is_some_and(|number| live.contains(number)) {
                    set.words[*document as usize / 64] |= 1 << (document % 64);
                }
            }
        }
        if let Some(alive) = reader.alive_bitset() {
            (0..documents).filter(|document| alive.is_deleted(*document)).for_each(|document| {
                set.words[document as usize / 64] &= !(1 << (document % 64));
            });
        }
        set.count = set.words.iter().map(|word| u64::from(word.count_ones())).sum();
        set
    }

    #[inline]
    pub(crate) fn contains(&self, document: u32) -> bool {
        self.words.get(document as usize / 64).is_some_and(|word| word >> (document % 64) & 1 == 1)
    }

    /// Number of live documents.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

fn number(column: Option<&Column<u64>>, document: u32) -> Option<u32> {
    column?.first(document).and_then(|number| u32::try_from(number).ok())
}

/// Segments of the last commit.
///
/// A writer may remove merged segments after their list was read and before they are opened. tantivy prevents that with
/// a lock file, which cannot be created in a read-only directory. Reading the list again needs no lock.
fn committed_segments(path: &Path, index: &Index) -> Result<Vec<Segment>, Error> {
    let shared = Arc::new(path.to_path_buf());
    let open = || -> Result<Result<Vec<Segment>, TantivyError>, TantivyError> {
        let metas = index.searchable_segment_metas()?;
        let positions: Vec<PathBuf> =
            metas.iter().map(|meta| meta.relative_path(SegmentComponent::Positions)).collect();
        let opened: Result<Vec<_>, _> = metas.into_iter().map(|meta| Segment::open(&shared, index, meta)).collect();
        Ok(opened.and_then(|segments| missing_file_error(path, positions).map_or(Ok(segments), Err)))
    };
    let mut tried: Option<String> = None;
    for _ in 0..OPEN_ATTEMPTS {
        let before = reading(path, "listing segments", || index.load_metas())?;
        match reading(path, "opening segments", open)? {
            Ok(segments) => return Ok(segments),
            Err(error @ TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_))) => {
                let list = format!("{before:?}");
                if tried.as_ref() == Some(&list) {
                    return Err(Error::from_tantivy(error, path, "opening segments"));
                }
                tried = Some(list);
            }
            Err(error) => return Err(Error::from_tantivy(error, path, "opening segments")),
        }
    }
    Err(Error::Internal { doing: "opening segments while they are being merged", source: "too many merges".into() })
}

/// The error if one of `files` is missing. tantivy opens a segment without its positions file if that is missing; the
/// segment that was just being removed would then look damaged when it is read.
fn missing_file_error(path: &Path, files: Vec<PathBuf>) -> Option<TantivyError> {
    let file = files.into_iter().find(|file| !path.join(file).exists())?;
    Some(TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(file)))
}

/// The files of `segments` in the directory `path`, with their lengths.
fn mapped_files(path: &Path, segments: &[Segment]) -> Arc<[(PathBuf, u64)]> {
    let names = segments.iter().flat_map(|segment| {
        let stem = segment.reader.segment_id().uuid_string();
        ["idx", "pos", "fast", "fieldnorm", "term", "store"].map(|extension| format!("{stem}.{extension}"))
    });
    let files = names.map(|name| path.join(name));
    files.filter_map(|file| fs::metadata(&file).ok().map(|metadata| (file, metadata.len()))).collect()
}

fn memory_segments(memory: &MemoryIndex) -> Result<Vec<Segment>, Error> {
    let shared = Arc::new(PathBuf::from(MEMORY));
    reading(&shared, "opening postings in memory", || {
        let metas = memory.index.searchable_segment_metas()?;
        metas.into_iter().map(|meta| Segment::open(&shared, &memory.index, meta)).collect()
    })
}
