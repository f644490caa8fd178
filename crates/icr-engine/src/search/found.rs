//! From a query to files in order, each with its best chunks: candidates and their evidence, ranked.

use std::collections::{BTreeMap, HashMap, HashSet};

use icr_lexical::{DefinitionPattern, FieldScores, inverse_document_frequency};
use icr_model::{BlobNo, ChunkNo, Gap, PathNo, RepoPath};
use icr_rank::{
    ChunkEvidence, Defined, FileEvidence, Intent, QueryEvidence, QueryShape, Ranked, Weights, chunk_text, rank,
};

use super::mentioned::mentions;
use super::name_match::name_match;
use super::{SearchMode, SearchRequest, SearchScope, Terms, cut, known_language};
use crate::history_search::HistoryScores;
use crate::{Error, Snapshot};

/// Chunks and paths taken from the postings before fusion. Files further down would need to gain on hundreds of better
/// ones by their other chunks.
const CANDIDATES: usize = 1_000;

/// Nearest chunks that join the candidates, whether or not they have a word of the query.
const NEAREST: usize = 200;

/// Files, best first by all else, whose whole text and path are compared with the query by their vectors.
const COMPARED: usize = 300;

/// Files that only their history speaks for which join the candidates.
const BY_HISTORY: usize = 100;

/// Cosine from which a chunk answers a question for a name that stands nowhere in the view: whoever looks for one wants to hear
/// so. Not fitted: no public question was of this kind.
const NEAR_ENOUGH: f64 = 0.35;

/// Time in which recency falls to 1/e, in days.
const RECENCY_DAYS: f64 = 30.0;

/// What a query found.
pub(crate) struct Found {
    /// Best first; at least the best 300.
    pub(crate) files: Vec<FoundFile>,
    /// Files that were candidates; a lower bound past the candidates taken.
    pub(crate) total: usize,
    /// What was looked for.
    pub(crate) shape: QueryShape,
    /// The terms that say something.
    pub(crate) terms: Vec<String>,
    /// How rare each of them is among the chunks of the view, times how much it counts.
    pub(crate) rarity: Vec<f64>,
    /// What is lacking besides what the view lacks.
    pub(crate) gaps: Vec<Gap>,
}

/// A file in its place.
pub(crate) struct FoundFile {
    pub(crate) path: RepoPath,
    pub(crate) blob_no: BlobNo,
    /// In `0.0..=1.0`; comparable within one answer only.
    pub(crate) score: f64,
    /// Best first.
    pub(crate) chunks: Vec<FoundChunk>,
    /// What found it: `definition`, `lexical`, `semantic`, `history` or `path`.
    pub(crate) match_type: &'static str,
    /// Parts of the score by channel, and the penalty applied to their sum.
    pub(crate) explanation: Vec<(String, f64)>,
}

/// A chunk in its place inside a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FoundChunk {
    pub(crate) chunk_no: ChunkNo,
    /// How good it is, in `0.0..=1.0` of the best chunk of the answer.
    pub(crate) score: f64,
    /// Cosine of its vector with the query's; `None` without one.
    pub(crate) similarity: Option<f64>,
}

/// A file that may be the answer.
struct Candidate {
    path_no: PathNo,
    blob_no: BlobNo,
    /// Number of the blob's first chunk, if it has any.
    first: Option<ChunkNo>,
    chunks: Vec<ChunkNo>,
}

/// What is known of the chunks of the candidates.
type Chunks = HashMap<BlobNo, BTreeMap<ChunkNo, ChunkEvidence>>;

impl Snapshot {
    /// Files that best match the query.
    pub(crate) fn found(&self, request: &SearchRequest) -> Result<Found, Error> {
        let language = known_language(request.language.as_deref())?;
        let query = cut(&request.query, super::LONGEST_QUERY);
        let shape = QueryShape::of(query);
        let terms = Terms::of(query);
        let is_semantic = request.mode == SearchMode::Semantic;
        let contracts_only = request.scope == SearchScope::Contracts;
        let filtered =
            language.is_some() || request.path_prefix.is_some() || contracts_only || request.time_window.is_some();
        let limit = if filtered { usize::MAX } else { CANDIDATES };
        let mut gaps = Vec::new();

        let mut chunks = Chunks::new();
        let mut term_rarity = vec![0.0; terms.terms.len()];
        if !is_semantic {
            term_rarity = self.chunks_with_words(&terms, limit, &mut chunks)?;
            self.chunks_that_define(&shape.identifiers, &mut chunks)?;
        }
        let mut meaning = match request.mode {
            SearchMode::Lexical => None,
            SearchMode::Hybrid | SearchMode::Semantic => self.meaning(query),
        };
        if self.engine.models.quick().is_none() && request.mode != SearchMode::Lexical {
            gaps.push(Gap::NoVectors);
        }
        if let Some(meaning) = &meaning {
            let near = meaning.nearest(if filtered { CANDIDATES.max(NEAREST) } else { NEAREST })?;
            let blobs = self.blobs_of_chunks(near.chunks.iter().map(|(chunk_no, _)| *chunk_no).collect())?;
            for (chunk_no, _) in &near.chunks {
                chunk_in(&mut chunks, blobs[chunk_no], *chunk_no);
            }
            if near.is_approximate {
                gaps.push(Gap::Approximate);
            }
            let all: Vec<ChunkNo> = chunks.values().flat_map(|chunks| chunks.keys().copied()).collect();
            let cosines = meaning.of_chunks(&all)?;
            for (chunk_no, evidence) in chunks.values_mut().flatten() {
                evidence.cosine = cosines.get(chunk_no).copied();
            }
        }
        if contracts_only {
            self.keep_contracts(&mut chunks)?;
        }

        let mut blobs: HashSet<BlobNo> = chunks.keys().copied().collect();
        let (mut path_scores, mut path_rarities) = (HashMap::new(), Vec::new());
        let (mut mentioned, nothing) = (HashMap::new(), Terms::default());
        if !is_semantic {
            let paths = self.live_paths()?;
            let hits = paths.search_weighted(&terms.terms, &terms.weights, limit)?;
            let documents = paths.documents_total();
            let rarities = hits.terms.iter().map(|term| inverse_document_frequency(documents, term.any));
            path_rarities = terms.weighed(&rarities.collect::<Vec<_>>());
            path_scores.extend(hits.paths.iter().map(|hit| (hit.path_no, hit.score)));
            mentioned = self.mentioned(query)?;
        }
        let history = self.history_scores(if is_semantic { &nothing } else { &terms })?;
        let history_scores = of_history(&history);
        if !contracts_only {
            let found = path_scores.keys().chain(history_scores.keys()).chain(mentioned.keys());
            blobs.extend(found.filter_map(|path_no| self.blob_at(*path_no)));
        }
        gaps.extend(history.gaps.iter().cloned());
        let is_said = |chunk: &ChunkEvidence| chunk.matched != 0 || chunk.defined.is_some();
        let any_word = !path_scores.is_empty()
            || !history_scores.is_empty()
            || chunks.values().any(|of_blob| of_blob.values().any(is_said));
        if request.mode == SearchMode::Hybrid && !any_word && !shape.identifiers.is_empty() {
            let is_near = |chunk: &ChunkEvidence| chunk.cosine.is_some_and(|cosine| cosine >= NEAR_ENOUGH);
            chunks.values_mut().for_each(|of_blob| of_blob.retain(|_, chunk| is_near(chunk)));
            chunks.retain(|_, of_blob| !of_blob.is_empty());
            blobs = chunks.keys().copied().collect();
        }

        let prefixes: Vec<RepoPath> = request.focus.iter().map(|path| super::path_of(path)).collect();
        let (mut evidence, mut candidates) = (Vec::new(), Vec::new());
        for (blob_no, paths) in self.paths_of(&blobs)? {
            let of_blob = chunks.remove(&blob_no).unwrap_or_default();
            for (path_no, path) in paths {
                let path_score = path_scores.get(&path_no).copied().unwrap_or_default();
                let history_score = history_scores.get(&path_no).copied().unwrap_or_default();
                let below = request.path_prefix.as_ref().is_none_or(|prefix| path.is_below(prefix.as_bytes()));
                let spoken = language.is_none_or(|language| icr_lang::language_of(&path) == language);
                let recency = history.recency(path_no, &path, RECENCY_DAYS);
                let in_time = request.time_window.is_none_or(|window| changed_within(recency, window));
                let is_mentioned = mentioned.contains_key(&path_no);
                let is_found = !of_blob.is_empty() || path_score > 0.0 || history_score > 0.0 || is_mentioned;
                if !(below && spoken && in_time && is_found) {
                    continue;
                }
                let row = self.row(blob_no)?;
                let first = (row.chunk_count > 0).then_some(row.chunk_first);
                candidates.push(Candidate { path_no, blob_no, first, chunks: of_blob.keys().copied().collect() });
                evidence.push(FileEvidence {
                    chunks: of_blob.values().copied().collect(),
                    lines_total: row.lines_total,
                    path_score,
                    name: name_match(&path, &terms.terms),
                    mentioned: (!mentioned.is_empty()).then(|| mentioned.get(&path_no).copied().unwrap_or_default()),
                    history_score,
                    recency,
                    in_focus: prefixes.iter().any(|prefix| path.is_below(prefix.as_bytes())),
                    ..FileEvidence::new(path)
                });
            }
        }
        let weights = match (request.mode, &meaning) {
            (SearchMode::Semantic, _) => Weights::semantic(),
            (_, Some(_)) => Weights::hybrid(),
            (_, None) => Weights::lexical(),
        };
        let weights = weights.for_intent(Intent::of(query));
        let query_evidence = QueryEvidence { shape, path_rarities };
        let mut ranked = rank(&evidence, &query_evidence, &weights);
        if let Some(meaning) = &mut meaning {
            ranked.truncate(COMPARED.max(request.limit));
            for ranked in &ranked {
                let (file, candidate) = (&mut evidence[ranked.file], &candidates[ranked.file]);
                file.similarity = meaning.of_file(candidate.path_no, &file.path, candidate.first)?;
            }
            let compared: Vec<usize> = ranked.iter().map(|ranked| ranked.file).collect();
            ranked = rank_some(&compared, &evidence, &query_evidence, &weights);
            let again = ranked.len().min(self.engine.models.options().rescored);
            let blobs: Vec<BlobNo> = ranked[..again].iter().map(|ranked| candidates[ranked.file].blob_no).collect();
            let (reread, gap) = self.reread(query, &blobs)?;
            gaps.extend(gap);
            if reread.iter().any(Option::is_some) {
                let behind = ranked.split_off(again);
                for (ranked, reread) in ranked.iter().zip(reread) {
                    let file = &mut evidence[ranked.file];
                    file.model_nearest = reread.as_ref().map(|reread| reread.nearest);
                    file.model_similarity = reread.as_ref().and_then(|reread| reread.whole);
                }
                let first: Vec<usize> = ranked.iter().map(|ranked| ranked.file).collect();
                ranked = rank_some(&first, &evidence, &query_evidence, &weights);
                // Those that were not read again stay behind, whatever scale their scores have.
                let last = ranked.last().map_or(0.0, |ranked| ranked.score);
                ranked.extend(behind.into_iter().map(|ranked| Ranked { score: ranked.score.min(last), ..ranked }));
            }
        }
        let files = ranked.iter().map(|ranked| found_file(ranked, &evidence[ranked.file], &candidates[ranked.file]));
        let files = files.collect();
        let QueryEvidence { shape, .. } = query_evidence;
        Ok(Found { files, total: candidates.len(), shape, terms: terms.terms, rarity: term_rarity, gaps })
    }

    /// Adds the chunks that have words of the query. Returns how rare each term is, times how much it counts.
    fn chunks_with_words(&self, terms: &Terms, limit: usize, chunks: &mut Chunks) -> Result<Vec<f64>, Error> {
        let text = |scores: &FieldScores| chunk_text(&scores.fields);
        let hits = self.live_chunks()?.search_weighted(&terms.terms, &terms.weights, limit, text)?;
        for hit in &hits.chunks {
            let evidence = chunk_in(chunks, hit.blob_no, hit.chunk_no);
            (evidence.fields, evidence.matched) = (hit.scores.fields, hit.scores.matched);
        }
        let documents = self.contents.live_chunks.len();
        let with_term = hits.terms.iter().map(|term| term.fields[0]);
        let rarities = with_term.map(|with_term| inverse_document_frequency(documents, with_term));
        Ok(terms.weighed(&rarities.collect::<Vec<_>>()))
    }

    /// Files that the query names by their paths, and how surely: 1 for one alone, less where more of the view may be meant.
    fn mentioned(&self, query: &str) -> Result<HashMap<PathNo, f64>, Error> {
        let mut surely: HashMap<PathNo, f64> = HashMap::new();
        for mention in mentions(query) {
            let (mut meant, mut longest) = (Vec::new(), 1);
            for path_no in self.live_paths()?.with_name(mention.name())? {
                let common = mention.parts_in_common(&self.path(path_no)?);
                if common > longest {
                    (meant, longest) = (Vec::new(), common);
                }
                meant.extend((common == longest).then_some(path_no));
            }
            for path_no in &meant {
                let share = surely.entry(*path_no).or_default();
                *share = share.max(1.0 / meant.len() as f64);
            }
        }
        Ok(surely)
    }

    fn chunks_that_define(&self, identifiers: &[String], chunks: &mut Chunks) -> Result<(), Error> {
        let live_chunks = self.live_chunks()?;
        for identifier in identifiers {
            for definition in live_chunks.definitions(&DefinitionPattern::Exact(identifier), CANDIDATES)? {
                for chunk in definition.chunks {
                    let (row, facts) = (self.row(chunk.blob_no)?, self.facts(chunk.blob_no)?);
                    let of_chunk = &facts.chunks[(chunk.chunk_no.0 - row.chunk_first.0) as usize];
                    let as_written = definition.name == *identifier;
                    let named = facts.symbols_of(of_chunk).filter(|symbol| symbol.name == definition.name);
                    let defined = named.map(|symbol| Defined { kind: symbol.kind, as_written });
                    let evidence = chunk_in(chunks, chunk.blob_no, chunk.chunk_no);
                    evidence.defined =
                        evidence.defined.into_iter().chain(defined).max_by(|a, b| a.value().total_cmp(&b.value()));
                }
            }
        }
        Ok(())
    }

    /// Leaves the chunks that define what other code is written against.
    fn keep_contracts(&self, chunks: &mut Chunks) -> Result<(), Error> {
        let mut kept = Chunks::new();
        for (blob_no, mut of_blob) in std::mem::take(chunks) {
            let (row, facts) = (self.row(blob_no)?, self.facts(blob_no)?);
            of_blob.retain(|chunk_no, evidence| {
                let chunk = &facts.chunks[(chunk_no.0 - row.chunk_first.0) as usize];
                evidence.is_contract = facts.symbols_of(chunk).any(|symbol| symbol.contract.is_some());
                evidence.is_contract
            });
            if !of_blob.is_empty() {
                kept.insert(blob_no, of_blob);
            }
        }
        *chunks = kept;
        Ok(())
    }
}

/// `some` of `files` in order.
fn rank_some(some: &[usize], files: &[FileEvidence], query: &QueryEvidence, weights: &Weights) -> Vec<Ranked> {
    let chosen: Vec<FileEvidence> = some.iter().map(|file| files[*file].clone()).collect();
    let ranked = rank(&chosen, query, weights).into_iter();
    ranked.map(|ranked| Ranked { file: some[ranked.file], ..ranked }).collect()
}

fn chunk_in(chunks: &mut Chunks, blob_no: BlobNo, chunk_no: ChunkNo) -> &mut ChunkEvidence {
    chunks.entry(blob_no).or_default().entry(chunk_no).or_insert_with(|| ChunkEvidence::new(chunk_no.0))
}

/// The files that past messages say most of.
fn of_history(history: &HistoryScores) -> HashMap<PathNo, f64> {
    let mut scores = history.scores.clone();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    // All that tie with the last one, so that numbers do not decide.
    let last = scores.get(BY_HISTORY - 1).map_or(0.0, |(_, score)| *score);
    scores.into_iter().take_while(|(_, score)| *score >= last).collect()
}

/// Whether a file of this recency was changed within `window` before the view's commit.
fn changed_within(recency: f64, window: std::time::Duration) -> bool {
    recency > 0.0 && recency >= (-window.as_secs_f64() / 86_400.0 / RECENCY_DAYS).exp()
}

fn found_file(ranked: &Ranked, file: &FileEvidence, candidate: &Candidate) -> FoundFile {
    let mut explanation: Vec<(String, f64)> =
        ranked.parts.iter().map(|part| (part.channel.name().to_owned(), part.value * part.weight)).collect();
    explanation.extend(ranked.penalty.map(|penalty| (format!("penalty: {}", penalty.reason), penalty.factor)));
    let best = ranked.chunks.first().map(|placed| &file.chunks[placed.chunk]);
    let match_type = match best {
        Some(chunk) if chunk.defined.is_some() => "definition",
        Some(chunk) if chunk.matched != 0 => "lexical",
        Some(_) => "semantic",
        None if file.path_score > 0.0 => "path",
        None => "history",
    };
    let found = |placed: &icr_rank::Placed| FoundChunk {
        chunk_no: candidate.chunks[placed.chunk],
        score: placed.score,
        similarity: file.chunks[placed.chunk].cosine,
    };
    FoundFile {
        path: file.path.clone(),
        blob_no: candidate.blob_no,
        score: ranked.score,
        chunks: ranked.chunks.iter().map(found).collect(),
        match_type,
        explanation,
    }
}
