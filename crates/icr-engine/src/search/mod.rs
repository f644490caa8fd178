//! Search by words: chunks and paths found by BM25, ranked as files, shown with their best lines.

use std::collections::{BTreeSet, HashMap, HashSet};

use icr_lexical::DefinitionPattern;
use icr_model::{BlobNo, ChunkNo, Gap, Lines, RepoPath};
use icr_rank::{ChunkEvidence, FileEvidence, QueryShape, Weights, rank};
use icr_store::BlobRow;
use serde::Serialize;

mod diffs;

use crate::best_lines::{Place, best_place, preview};
use crate::contents::Texts;
use crate::{Error, Snapshot};

/// Chunks and paths taken from the postings before fusion. Files further down would need to gain on hundreds of better
/// ones by their other chunks.
const CANDIDATES: usize = 1_000;

/// Longest query, in bytes; a longer one is cut at a character. More than a page of text adds no direction.
const LONGEST_QUERY: usize = 10_000;

/// Most distinct terms of a query that are looked up.
const TERMS: usize = 64;

/// What counts as evidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// Words, names, paths, history and vectors, fused.
    #[default]
    Hybrid,
    /// Words alone: everything but vectors.
    Lexical,
    /// Meaning alone: vectors of texts and paths.
    Semantic,
}

impl SearchMode {
    /// As it is typed and written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Lexical => "lexical",
            Self::Semantic => "semantic",
        }
    }
}

/// Where to search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchScope {
    /// Files of the view.
    #[default]
    Repo,
    /// What changed: hunks of commits, and what is not committed.
    Diffs,
    /// Definitions that others rely on: interfaces, traits, types, schemas and their kind.
    Contracts,
    /// Transcripts of conversations with agents.
    Transcript,
    /// All of these, each hit with the scope it comes from.
    All,
}

/// What to search for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchRequest {
    /// Words.
    pub query: String,
    /// Most files in the answer.
    pub limit: usize,
    /// Only files in this language of the language table.
    pub language: Option<String>,
    /// Only files below this path.
    pub path_prefix: Option<String>,
    /// What counts as evidence.
    pub mode: SearchMode,
    /// Where to search.
    pub scope: SearchScope,
    /// Paths that the asker works on: what lies below them counts a little more.
    pub focus: Vec<String>,
    /// Only what changed in the seconds before the view's commit: files for files, commits for diffs.
    pub time_window: Option<std::time::Duration>,
}

/// The answer to a [`SearchRequest`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResults {
    /// Files, best first.
    pub results: Vec<SearchHit>,
    /// Files that matched; a lower bound past the candidates taken.
    pub total_count: u64,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchHit {
    /// Id of the best chunk: first digits of the blob id, byte range, kind.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// Qualified name of the definition that the best lines belong to.
    pub symbol: Option<String>,
    /// First of the best lines, 1-based: of a chunk, or of the definition in it that says most.
    pub start_line: u32,
    /// Last of these.
    pub end_line: u32,
    /// Score; comparable within one answer only.
    pub score: f64,
    /// What found it: `lexical`, `definition` or `path`.
    pub match_type: &'static str,
    /// A few lines that say what was asked.
    pub preview: String,
    /// Language of the file.
    pub language: String,
    /// The best chunks, best first.
    pub spans: Vec<SearchSpan>,
    /// Parts of the score by channel, and the penalty applied to their sum.
    pub explanation: Vec<(String, f64)>,
    /// Id of the commit that the hunk is of; only in what changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// First line of that commit's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// A chunk inside a file that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchSpan {
    /// Qualified name of its definition.
    pub symbol: Option<String>,
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Share of the file's score.
    pub score: f64,
}

struct Candidate {
    blob_no: BlobNo,
    chunks: Vec<ChunkNo>,
}

impl Snapshot {
    /// Files that best match the words of the query.
    ///
    /// # Errors
    ///
    /// [`Error::Bounds`] for an unknown language; those of reading the store.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResults, Error> {
        let language = known_language(request.language.as_deref())?;
        let query = cut(&request.query, LONGEST_QUERY);
        let shape = QueryShape::of(query);
        let weights = Weights::default();
        let mut terms = icr_lexical::query_terms(query);
        terms.truncate(TERMS);
        let filtered = language.is_some() || request.path_prefix.is_some();
        let limit = if filtered { usize::MAX } else { CANDIDATES };

        let live_chunks = self.live_chunks()?;
        let hits = live_chunks.search(&terms, limit, |scores| {
            weights.body * scores.fields[0] + weights.definitions * scores.fields[1] + weights.docs * scores.fields[2]
        })?;
        let path_hits = self.live_paths()?.search(&terms, limit)?;
        let mut chunks: HashMap<BlobNo, HashMap<ChunkNo, ChunkEvidence>> = HashMap::new();
        for hit in &hits.chunks {
            let evidence = ChunkEvidence { ordinal: hit.chunk_no.0, fields: hit.scores.fields, defines: false };
            chunks.entry(hit.blob_no).or_default().insert(hit.chunk_no, evidence);
        }
        for identifier in &shape.identifiers {
            for definition in live_chunks.definitions(&DefinitionPattern::Exact(identifier), CANDIDATES)? {
                for chunk in definition.chunks {
                    let empty = || ChunkEvidence { ordinal: chunk.chunk_no.0, fields: [0.0; 3], defines: false };
                    let blob = chunks.entry(chunk.blob_no).or_default();
                    blob.entry(chunk.chunk_no).or_insert_with(empty).defines = true;
                }
            }
        }

        let mut path_scores = HashMap::new();
        let mut blobs: HashSet<BlobNo> = chunks.keys().copied().collect();
        for hit in &path_hits.paths {
            path_scores.insert(hit.path_no, hit.score);
            blobs.extend(self.blob_at(hit.path_no));
        }
        let mut evidence = Vec::new();
        let mut candidates = Vec::new();
        for (blob_no, paths) in self.paths_of(&blobs)? {
            let mut of_blob: Vec<(ChunkNo, ChunkEvidence)> =
                chunks.remove(&blob_no).unwrap_or_default().into_iter().collect();
            of_blob.sort_by_key(|(chunk_no, _)| *chunk_no);
            for (path_no, path) in paths {
                let path_score = path_scores.get(&path_no).copied().unwrap_or_default();
                let below = request.path_prefix.as_ref().is_none_or(|prefix| path.is_below(prefix.as_bytes()));
                let spoken = language.is_none_or(|language| icr_lang::language_of(&path) == language);
                if !(below && spoken) || (of_blob.is_empty() && path_score == 0.0) {
                    continue;
                }
                candidates.push(Candidate { blob_no, chunks: of_blob.iter().map(|(chunk_no, _)| *chunk_no).collect() });
                let chunks = of_blob.iter().map(|(_, evidence)| evidence.clone()).collect();
                evidence.push(FileEvidence { path, chunks, path_score });
            }
        }
        let ranked = rank(&evidence, &shape, &weights);
        let mut texts = self.texts();
        let mut text = Vec::new();
        let mut unread = Unread::default();
        let mut results = Vec::new();
        for ranked in ranked.iter().take(request.limit) {
            let candidate = &candidates[ranked.file];
            let row = self.row(candidate.blob_no)?;
            let facts = self.facts(candidate.blob_no)?;
            let span_of = |chunk_no: ChunkNo| &facts.chunks[(chunk_no.0 - row.chunk_first.0) as usize];
            let readable = unread.read(&mut texts, &row, &mut text)?;
            let place_of = |chunk: &icr_model::Chunk| best_place(&facts, chunk, &text, &terms);
            let name_of = |place: &Place| place.symbol.map(|symbol| facts.qualified_name(symbol));
            let spans: Vec<SearchSpan> = ranked
                .chunks
                .iter()
                .take(3)
                .map(|placed| {
                    let place = place_of(span_of(candidate.chunks[placed.chunk]));
                    let Lines { start: start_line, end: end_line } = place.lines;
                    SearchSpan { symbol: name_of(&place), start_line, end_line, score: placed.score }
                })
                .collect();
            let best =
                ranked.chunks.first().map(|placed| span_of(candidate.chunks[placed.chunk])).or(facts.chunks.first());
            let nowhere = Place { symbol: None, lines: Lines { start: 1, end: 1 } };
            let place = best.map_or(nowhere, place_of);
            let preview = if readable { preview(&text, place.lines, &terms) } else { String::new() };
            let defines =
                ranked.chunks.first().is_some_and(|placed| evidence[ranked.file].chunks[placed.chunk].defines);
            let mut explanation: Vec<(String, f64)> =
                ranked.parts.iter().map(|(name, part)| ((*name).to_owned(), *part)).collect();
            explanation.extend(ranked.penalty.map(|penalty| (format!("penalty: {}", penalty.reason), penalty.factor)));
            results.push(SearchHit {
                id: chunk_id(&row.blob_id.to_string(), best),
                path: evidence[ranked.file].path.to_string(),
                symbol: name_of(&place),
                start_line: place.lines.start,
                end_line: place.lines.end,
                score: ranked.score,
                match_type: match (defines, ranked.chunks.is_empty()) {
                    (true, _) => "definition",
                    (false, true) => "path",
                    (false, false) => "lexical",
                },
                preview,
                language: facts.language.clone(),
                spans,
                explanation,
                commit: None,
                subject: None,
            });
        }
        Ok(SearchResults { results, total_count: ranked.len() as u64, gaps: unread.gaps() })
    }
}

/// Blobs of an answer whose text is not there to be read. What the store knows of them still counts, and the answer says
/// what it lacks.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    /// Missing from the object database, or damaged there: another clone of the store has or had them.
    objects: BTreeSet<BlobNo>,
    /// Edited or deleted in the worktree since the snapshot was taken.
    files: BTreeSet<BlobNo>,
    /// Missing or damaged objects that are no blobs of the view.
    further_objects: u64,
}

impl Unread {
    /// Puts the text of `row` into `out`; says whether it could, and remembers when not.
    ///
    /// # Errors
    ///
    /// What no other file would fare better with: those of the store and of the repository as a whole.
    pub(crate) fn read(&mut self, texts: &mut Texts<'_>, row: &BlobRow, out: &mut Vec<u8>) -> Result<bool, Error> {
        use icr_git::Error as Git;
        match texts.read(row, out) {
            Ok(()) => return Ok(true),
            Err(Error::Git(Git::MissingObject { .. } | Git::CorruptObject { .. })) => self.objects.insert(row.blob_no),
            Err(
                Error::Changed { .. } | Error::Git(Git::Io { .. } | Git::Refused { .. } | Git::ExternalFilter { .. }),
            ) => self.files.insert(row.blob_no),
            Err(error) => return Err(error),
        };
        out.clear();
        Ok(false)
    }

    /// Counts an object that is not there or damaged.
    pub(crate) fn count_object(&mut self) {
        self.further_objects += 1;
    }

    /// Adds what another thread could not read.
    pub(crate) fn extend(&mut self, other: Self) {
        self.objects.extend(other.objects);
        self.files.extend(other.files);
        self.further_objects += other.further_objects;
    }

    /// The gaps of the answer.
    pub(crate) fn gaps(self) -> Vec<Gap> {
        let missing = self.objects.len() as u64 + self.further_objects;
        let objects = Gap::MissingObject { objects: missing };
        let files = Gap::Unreadable { files: self.files.len() as u64 };
        let gaps = [(objects, missing == 0), (files, self.files.is_empty())];
        gaps.into_iter().filter(|(_, none)| !none).map(|(gap, _)| gap).collect()
    }
}

/// The terms of a query that are looked up.
pub(crate) fn terms_of(query: &str) -> Vec<String> {
    let mut terms = icr_lexical::query_terms(cut(query, LONGEST_QUERY));
    terms.truncate(TERMS);
    terms
}

pub(crate) fn known_language(name: Option<&str>) -> Result<Option<&'static str>, Error> {
    let Some(name) = name else { return Ok(None) };
    let lower = name.to_lowercase();
    let known = icr_lang::languages().chain([icr_lang::TEXT]).find(|language| *language == lower);
    known.map(Some).ok_or_else(|| Error::Bounds {
        field: "the language",
        allowed: format!("one of {}", icr_lang::languages().collect::<Vec<_>>().join(", ")),
        value: name.to_owned(),
    })
}

/// The longest beginning of `text` of at most `bytes` bytes that ends at a character.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// The public id of a chunk: it names content, not a place in one store.
pub(crate) fn chunk_id(blob_id: &str, chunk: Option<&icr_model::Chunk>) -> String {
    let blob = &blob_id[..8.min(blob_id.len())];
    match chunk {
        Some(chunk) => {
            let kind = format!("{:?}", chunk.kind).to_lowercase();
            format!("{blob}:{}-{}:{kind}", chunk.span.start, chunk.span.end)
        }
        None => format!("{blob}:0-0:empty"),
    }
}

/// The path that a user's text means: without `./`, and with `\` and three digits read back as a byte.
pub(crate) fn path_of(text: &str) -> RepoPath {
    let text = text.strip_prefix("./").unwrap_or(text);
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let octal = || {
            let digits = tail.get(..3).filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)))?;
            u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
        };
        match (first, octal()) {
            (b'\\', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    RepoPath::new(bytes)
}
