//! What a search finds, by chunks, and their texts as candidates for a pack.

use crate::search::rank_files;
use std::collections::HashMap;
use std::rc::Rc;

use icr_model::{BlobNo, ChunkKind, ChunkNo, Facts, Gap, LineIndex, Lines, RepoPath};
use icr_pack::Candidate;

use crate::lines::{FileText, Matched};
use crate::search::{Unread, Words, chunk_id};
use crate::{Error, SearchRequest, Snapshot};
use icr_view::Texts;

/// Most chunks of one file: the three that its score is made of. A fourth says less than the first of the next file.
const CHUNKS_OF_A_FILE: usize = 3;

/// A chunk that was found.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    pub(super) path: RepoPath,
    pub(super) blob_no: BlobNo,
    /// Its number in the view's store.
    chunk_no: ChunkNo,
    /// Its place among the chunks of its blob.
    ordinal: usize,
    /// First line of the chunk, 1-based.
    pub(super) start_line: u32,
    /// Score of its file, less by as much as the chunk says less than the best one of the file.
    pub(super) score: f64,
    /// What found the file.
    pub(super) found_by: &'static str,
    /// Cosine of its vector with the query's; `None` without one.
    similarity: Option<f64>,
}

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct Hits {
    /// Best first, ties by path and place.
    pub(super) hits: Vec<Hit>,
    /// Scores of the files, best first.
    pub(super) file_scores: Vec<f64>,
    pub(super) words: Words,
    /// What is lacking besides what the view lacks.
    pub(super) gaps: Vec<Gap>,
}

impl Hit {
    /// The same chunk with another score.
    pub(super) fn scored(&self, score: f64) -> Self {
        Self { score, ..self.clone() }
    }

    /// What tells it from every other hit in the view, in any store.
    pub(super) fn key(&self) -> String {
        format!("{}\0{}", self.path, self.ordinal)
    }
}

/// The best `limit` chunks for a search.
///
/// A chunk counts what its file counts, times its own share of the file's best chunk: evidence for a file (its name,
/// its history) is evidence for what stands in it, and without the share every function of a good file would stand
/// before the best one of the next. A file found by its path or its history alone stands for its first chunk.
pub(super) fn gather_hits(snapshot: &Snapshot, request: &SearchRequest, limit: usize) -> Result<Hits, Error> {
    let found = rank_files(snapshot, request)?;
    let mut hits = Vec::new();
    // A file's best chunk has the file's score, so that no file after the first `limit` has a chunk among as many.
    for file in found.files.iter().take(limit) {
        let (row, facts) = (snapshot.view.row(file.blob_no)?, snapshot.facts(file.blob_no)?);
        let most = file.chunks.iter().map(|chunk| chunk.score).fold(0.0, f64::max);
        let share = |at: usize, score: f64| match at == 0 || most <= 0.0 {
            true => 1.0,
            false => (score / most).clamp(0.0, 1.0),
        };
        let by_text = file.chunks.iter().enumerate();
        let by_text = by_text.map(|(at, chunk)| (chunk.chunk_no, share(at, chunk.score), chunk.similarity));
        let otherwise = file.chunks.is_empty().then_some((row.chunk_first, 1.0, None));
        for (chunk_no, share, similarity) in by_text.chain(otherwise).take(CHUNKS_OF_A_FILE) {
            let ordinal = (chunk_no.0 - row.chunk_first.0) as usize;
            // A file without text has no chunk.
            let Some(chunk) = facts.chunks.get(ordinal) else { continue };
            hits.push(Hit {
                path: file.path.clone(),
                blob_no: file.blob_no,
                chunk_no,
                ordinal,
                start_line: chunk.lines.start,
                score: file.score * share,
                found_by: file.match_type,
                similarity,
            });
        }
    }
    hits.sort_by(|a, b| {
        let place = |hit: &Hit| (hit.path.clone(), hit.ordinal);
        b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
    });
    hits.truncate(limit);
    let file_scores = found.files.iter().map(|file| file.score).collect();
    Ok(Hits { hits, file_scores, words: found.words, gaps: found.gaps })
}

/// Adds what is not among `all` yet.
pub(super) fn add_gaps(all: &mut Vec<Gap>, more: Vec<Gap>) {
    for gap in more {
        if !all.contains(&gap) {
            all.push(gap);
        }
    }
}

/// Whether a definition declares a contract.
pub(super) fn is_contract(facts: &Facts, symbol: Option<u32>) -> bool {
    symbol.is_some_and(|symbol| facts.symbols[symbol as usize].contract.is_some())
}

/// The first line of each definition that begins inside `lines`, its doc comment included.
pub(crate) fn symbol_starts(facts: &Facts, index: &LineIndex, lines: Lines) -> Vec<u32> {
    let starts =
        facts.symbols.iter().map(|symbol| symbol.doc.map_or(symbol.span.start, |doc| doc.start.min(symbol.span.start)));
    let mut starts: Vec<u32> =
        starts.map(|start| index.line_of(start)).filter(|line| (lines.start..=lines.end).contains(line)).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// Reads hits as candidates; the text of each blob once.
pub(super) struct Reading<'s> {
    snapshot: &'s Snapshot,
    texts: Texts<'s>,
    read: HashMap<BlobNo, Rc<Vec<u8>>>,
    unread: Unread,
    words: Words,
    vectors: HashMap<String, Vec<Vec<f32>>>,
}

impl<'s> Reading<'s> {
    /// For a question that says `words`: they decide what part of a chunk of small neighbours is meant.
    pub(super) fn of(snapshot: &'s Snapshot, words: Words) -> Self {
        Self {
            snapshot,
            texts: snapshot.view.texts(),
            read: HashMap::new(),
            unread: Unread::default(),
            words,
            vectors: HashMap::new(),
        }
    }

    /// The lines of a hit: of the whole chunk, or where that is several small neighbours, of those that say what was asked.
    /// `None` for what cannot be read any more, which is then a gap.
    pub(super) fn candidate(&mut self, hit: &Hit) -> Result<Option<Candidate>, Error> {
        let (row, facts) = (self.snapshot.view.row(hit.blob_no)?, self.snapshot.facts(hit.blob_no)?);
        let text = match self.read.get(&hit.blob_no) {
            Some(text) => Rc::clone(text),
            None => {
                let mut text = Vec::new();
                if !self.unread.read(&mut self.texts, &row, &mut text)? {
                    return Ok(None);
                }
                Rc::clone(self.read.entry(hit.blob_no).or_insert_with(|| Rc::new(text)))
            }
        };
        let chunk = &facts.chunks[hit.ordinal];
        let whole = (chunk.symbol, chunk.lines);
        let (symbol, lines) = match chunk.kind {
            ChunkKind::Merged => {
                let matched = [Matched { chunk, similarity: hit.similarity }];
                let best = FileText::new(&facts, &text).places(&matched, &self.words.asked()).into_iter().next();
                best.map_or(whole, |place| (place.symbol, place.lines))
            }
            _ => whole,
        };
        let index = LineIndex::new(&text);
        let id = chunk_id(&row.blob_id.to_string(), Some(chunk));
        if !self.vectors.contains_key(&id) {
            self.vectors.insert(id.clone(), self.windows(hit.chunk_no)?);
        }
        Ok(Some(Candidate {
            id,
            path: hit.path.to_string(),
            symbol: symbol.map(|symbol| facts.qualified_name(symbol)),
            start_line: lines.start,
            end_line: lines.end,
            language: facts.language.clone(),
            text: String::from_utf8_lossy(index.span_of(lines).of(&text)).into_owned(),
            symbol_starts: symbol_starts(&facts, &index, lines),
            score: hit.score,
            is_contract: is_contract(&facts, symbol),
            pinned_at: None,
        }))
    }

    /// Cosine of the chunks of two candidates in the eyes of the built-in model, the greatest of any two of their windows;
    /// `None` where one has no vector.
    pub(super) fn cosine(&self, one: &Candidate, other: &Candidate) -> Option<f64> {
        let (one, other) = (self.vectors.get(&one.id)?, self.vectors.get(&other.id)?);
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        let pairs = one.iter().flat_map(|a| other.iter().map(move |b| dot(a, b)));
        pairs.reduce(f64::max)
    }

    /// What could not be read.
    pub(super) fn gaps(self) -> Vec<Gap> {
        self.unread.gaps()
    }

    fn windows(&self, chunk_no: ChunkNo) -> Result<Vec<Vec<f32>>, Error> {
        match self.snapshot.engine.models.quick_spaces() {
            Some(spaces) => Ok(self.snapshot.view.vectors()?.windows(spaces.chunks.recipe, chunk_no)?),
            None => Ok(Vec::new()),
        }
    }
}
