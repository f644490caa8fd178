//! Ranks files for a query, each with its best chunks: candidates, their evidence, their order.

use crate::history_search::history_scores;
use crate::meaning::embed_question;
use crate::meaning::reread;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use icr_embed::StaticEmbedder;
use icr_lexical::{DefinitionPattern, FieldScores, inverse_document_frequency};
use icr_model::{BlobNo, ChunkNo, Facts, Gap, PathNo, RepoPath};
use icr_rank::{
    AnswerEvidence, Channel, ChunkEvidence, DefinitionEvidence, FileEvidence, Intent, Penalty, QueryEvidence,
    QueryShape, RERANKED, RankedFile, RerankFeatures, RerankFile, RerankQuestion, Strength, StrengthBasis, Weights,
    chunk_text, expect_of_unread, leading, rank, rank_among, rerank,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::file_mentions::mentions;
use super::strength::QuestionEvidence;
use super::word_vectors::TableWordVectors;
use super::{RankingOptions, SearchMode, SearchRequest, SearchScope, Terms, cut, known_language};
use crate::files::PathScope;
use crate::history_search::HistoryScores;
use crate::lines::{LineQuery, TermMatcher};
use crate::meaning::{NearestChunks, QuestionEmbedding, Reread};
use crate::{Error, Snapshot};

/// ChunkEvidenceByBlob and paths taken from the postings before fusion. Files further down would have to overtake hundreds of better
/// ones by their other chunks.
const CANDIDATES: usize = 1_000;

/// Nearest chunks that join the candidates, whether or not they have a word of the query.
const NEAREST: usize = 200;

/// Best files by all other evidence whose whole text and path are compared with the query by vectors.
const COMPARED: usize = 300;

/// Files that are ranked when more than [`COMPARED`] are requested. The number is fixed, so that a shorter list is the
/// beginning of a longer one.
const LONGEST_LIST: usize = 1_000;

/// Most files that become candidates only by their history.
const BY_HISTORY: usize = 100;

/// Least cosine with which a chunk answers a question for a name that does not occur in the view: otherwise the user
/// should learn that the name does not occur. Not fitted: no public question was of this kind.
const NEAR_ENOUGH: f64 = 0.35;

/// The result of a query.
pub(crate) struct RankedFiles {
    /// Best first; at least the best 300 files.
    pub(crate) files: Vec<FoundFile>,
    /// Number of candidate files; a lower bound if there are more candidates than are taken.
    pub(crate) total: usize,
    /// The terms of the question.
    pub(crate) words: QuestionTerms,
    /// Whether the files answer the question at all.
    pub(crate) strength: Strength,
    /// The evidence for that.
    pub(crate) answer_evidence: AnswerEvidence,
    /// Gaps besides those of the view.
    pub(crate) gaps: Vec<Gap>,
}

/// The terms of a question, for finding lines.
#[derive(Debug, Default)]
pub(crate) struct QuestionTerms {
    terms: TermMatcher,
    /// Weight of each term.
    weights: Vec<f64>,
    /// Rarity of each term among the chunks of the view, times its weight.
    rarity: Vec<f64>,
    identifiers: Vec<String>,
    about_tests: bool,
}

impl QuestionTerms {
    pub(crate) fn as_line_query(&self) -> LineQuery<'_> {
        LineQuery {
            wanted: &self.terms,
            rarity: &self.rarity,
            weights: &self.weights,
            identifiers: &self.identifiers,
            about_tests: self.about_tests,
        }
    }
}

/// A ranked file.
#[derive(Debug, Clone)]
pub(crate) struct FoundFile {
    pub(crate) path: RepoPath,
    pub(crate) blob_no: BlobNo,
    /// In `0.0..=1.0`; comparable within one answer only.
    pub(crate) score: f64,
    /// Best first.
    pub(crate) chunks: Vec<FoundChunk>,
    /// As [`super::SearchHit::match_type`].
    pub(crate) match_type: &'static str,
    /// The parts of its score, for an explanation.
    pub(crate) explained: ScoreExplanation,
}

/// The parts of a file's score.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScoreExplanation {
    parts: Vec<icr_rank::ChannelContribution>,
    /// Whether the second model has not embedded the file, so that its score is an expected value.
    is_model_expected: bool,
    penalty: Option<Penalty>,
    read_again: Option<f64>,
}

impl ScoreExplanation {
    /// Parts of the score by channel, and the factors applied to it.
    pub(crate) fn in_words(&self) -> Vec<(String, f64)> {
        let name = |channel: Channel| match channel {
            Channel::ModelSimilarity | Channel::ModelNearest if self.is_model_expected => {
                format!("{} (expected)", channel.name())
            }
            _ => channel.name().to_owned(),
        };
        let parts = self.parts.iter().map(|part| (name(part.channel), part.value * part.weight));
        let penalty = self.penalty.map(|penalty| (format!("penalty: {}", penalty.reason), penalty.factor));
        let read_again = self.read_again.map(|gained| ("read again".to_owned(), gained));
        parts.chain(penalty).chain(read_again).collect()
    }
}

/// A ranked chunk of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FoundChunk {
    pub(crate) chunk_no: ChunkNo,
    /// Its score, in `0.0..=1.0` relative to the best chunk of the answer.
    pub(crate) score: f64,
    /// Cosine of its vector with the query's; `None` without one.
    pub(crate) similarity: Option<f64>,
}

/// A request with its parsed query and its bounds.
struct ParsedQuery<'r> {
    request: &'r SearchRequest,
    /// Without what is beyond [`super::LONGEST_QUERY`].
    query: &'r str,
    shape: QueryShape,
    terms: Terms,
    language: Option<&'static str>,
    part: PathScope,
    prefixes: Vec<RepoPath>,
    pinned: FxHashSet<RepoPath>,
    /// Most chunks, and most paths, taken from the postings.
    limit: usize,
    /// Most chunks taken only for their similarity.
    nearest: usize,
}

impl<'r> ParsedQuery<'r> {
    fn of(request: &'r SearchRequest) -> Result<Self, Error> {
        let language = known_language(request.language.as_deref())?;
        let query = cut(&request.query, super::LONGEST_QUERY);
        let is_filtered = language.is_some()
            || request.path_prefix.is_some()
            || request.scope == SearchScope::Contracts
            || request.time_window.is_some();
        let (limit, nearest) = if is_filtered { (usize::MAX, CANDIDATES.max(NEAREST)) } else { (CANDIDATES, NEAREST) };
        Ok(Self {
            request,
            query,
            shape: QueryShape::of(query),
            terms: Terms::of(query),
            language,
            part: PathScope::of(request.path_prefix.as_deref()),
            prefixes: request.focus.iter().map(|path| super::path_of(path)).collect(),
            pinned: request.pinned.iter().map(|path| super::path_of(path)).collect(),
            limit,
            nearest,
        })
    }

    fn is_semantic(&self) -> bool {
        self.request.mode == SearchMode::Semantic
    }

    /// Whether a file at `path`, whose recency falls to 1/e in so many days, is in the part and of the time asked for.
    fn includes(&self, path: &RepoPath, recency: f64, recency_days: f64) -> bool {
        let time_window = self.request.time_window;
        let is_recent =
            |window: Duration| recency > 0.0 && recency >= (-window.as_secs_f64() / 86_400.0 / recency_days).exp();
        self.part.holds(path) && time_window.is_none_or(is_recent)
    }
}

/// A candidate file.
struct FileCandidate {
    path_no: PathNo,
    blob_no: BlobNo,
    /// Number of the blob's first chunk, if it has any.
    first: Option<ChunkNo>,
    chunks: Vec<ChunkNo>,
}

/// The evidence for the chunks of the candidates.
type ChunkEvidenceByBlob = FxHashMap<BlobNo, BTreeMap<ChunkNo, ChunkEvidence>>;

/// The evidence for files as a whole.
#[derive(Default)]
struct FileScores {
    path_scores: FxHashMap<PathNo, f64>,
    /// How rare each term is among the live paths.
    path_rarities: Vec<f64>,
    mentioned: FxHashMap<PathNo, f64>,
    history_scores: FxHashMap<PathNo, f64>,
}

/// Files in the order of fusion, with the data for reranking the first of them.
struct FusedRanking {
    /// Best first; indices in `evidence` and `candidates`.
    ranked: Vec<RankedFile>,
    candidates: Vec<FileCandidate>,
    evidence: Vec<FileEvidence>,
    question: RerankQuestion,
    /// The built-in model; `None` if vectors are not used for the question.
    model: Option<&'static StaticEmbedder>,
    words: QuestionTerms,
    strength: Strength,
    answer_evidence: AnswerEvidence,
    gaps: Vec<Gap>,
}

/// Files that best match the query.
pub(crate) fn rank_files(snapshot: &Snapshot, request: &SearchRequest) -> Result<RankedFiles, Error> {
    let mut fused = fused(snapshot, request)?;
    if request.mode != SearchMode::Semantic && snapshot.context.options.ranking.reranks {
        fused.rerank(snapshot)?;
    }
    let FusedRanking { ranked, candidates, evidence, words, strength, answer_evidence, gaps, .. } = fused;
    let file_of = |ranked: RankedFile| {
        let at = ranked.file;
        found_file(ranked, &evidence[at], &candidates[at])
    };
    let files = ranked.into_iter().map(file_of);
    Ok(RankedFiles { files: files.collect(), total: candidates.len(), words, strength, answer_evidence, gaps })
}

/// The files that [`rank_files`] reranks, in their order before that, with their features.
pub(crate) fn rerank_features_of(
    snapshot: &Snapshot,
    request: &SearchRequest,
) -> Result<Vec<(RepoPath, RerankFeatures)>, Error> {
    let fused = fused(snapshot, request)?;
    let facts = fused.facts_of_first(snapshot)?;
    let mut vectors = TableWordVectors::of(&fused.question, fused.model);
    let read = definitions_of(&facts);
    let features = icr_rank::rerank_features(&fused.ranked, &fused.evidence, &fused.question, &read, &mut vectors);
    let path = |ranked: &RankedFile| fused.evidence[ranked.file].path.clone();
    Ok(fused.ranked.iter().map(path).zip(features).collect())
}

impl FusedRanking {
    /// Reranks the first files by comparing their names and definitions with the words of the question.
    fn rerank(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        let facts = self.facts_of_first(snapshot)?;
        let mut vectors = TableWordVectors::of(&self.question, self.model);
        rerank(&mut self.ranked, &self.evidence, &self.question, &definitions_of(&facts), &mut vectors);
        Ok(())
    }

    fn facts_of_first(&self, snapshot: &Snapshot) -> Result<Vec<Arc<Facts>>, Error> {
        let first = self.ranked.iter().take(RERANKED);
        first.map(|ranked| snapshot.facts(self.candidates[ranked.file].blob_no)).collect()
    }
}

fn definitions_of(facts: &[Arc<Facts>]) -> Vec<RerankFile<'_>> {
    let of_file = facts.iter().map(|facts| RerankFile {
        definitions: facts.symbols.iter().map(|symbol| (symbol.kind, symbol.name.as_str())).collect(),
    });
    of_file.collect()
}

fn fused(snapshot: &Snapshot, request: &SearchRequest) -> Result<FusedRanking, Error> {
    let looked = ParsedQuery::of(request)?;
    let mut gaps = Vec::new();
    if looked.query.len() < request.query.len() {
        gaps.push(Gap::CutQuestion { bytes: looked.query.len() as u64 });
    }
    let mut meaning = match request.mode {
        SearchMode::Lexical => None,
        // A query of only punctuation has neighbours in vector space, but asks nothing.
        _ if !looked.query.contains(char::is_alphanumeric) => None,
        SearchMode::Hybrid | SearchMode::Semantic => embed_question(snapshot, looked.query),
    };
    if snapshot.context.models.built_in_model().is_none() && request.mode != SearchMode::Lexical {
        gaps.push(Gap::NoVectors);
    }
    if looked.terms.terms.is_empty() && meaning.is_none() {
        gaps.push(Gap::NoWords);
    }
    let mut chunks = ChunkEvidenceByBlob::default();
    let (rarity, mut of_files, history) = match &meaning {
        None => look_up(snapshot, &looked, &mut chunks)?,
        Some(meaning) => {
            let look_up = || look_up(snapshot, &looked, &mut chunks);
            let (near, looked_up) = meaning.nearest_beside(looked.nearest, look_up)?;
            gaps.extend(near.is_approximate.then_some(Gap::Approximate));
            add_near(snapshot, meaning, &near, &mut chunks)?;
            looked_up
        }
    };
    if request.scope == SearchScope::Contracts {
        keep_contracts(snapshot, &mut chunks)?;
    }
    gaps.extend(history.gaps.iter().cloned());
    let is_defined = |chunk: &ChunkEvidence| chunk.defined.is_some();
    let is_only_grammar =
        looked.terms.are_stop_words() && !chunks.values().any(|of_blob| of_blob.values().any(is_defined));
    gaps.extend(is_only_grammar.then_some(Gap::OnlyStopWords));
    let is_said = |chunk: &ChunkEvidence| chunk.matched != 0 || chunk.defined.is_some();
    let any_word = !of_files.path_scores.is_empty()
        || !of_files.history_scores.is_empty()
        || chunks.values().any(|of_blob| of_blob.values().any(is_said));
    if request.mode == SearchMode::Hybrid && !any_word && !looked.shape.identifiers.is_empty() {
        let is_near = |chunk: &ChunkEvidence| chunk.cosine.is_some_and(|cosine| cosine >= NEAR_ENOUGH);
        chunks.values_mut().for_each(|of_blob| of_blob.retain(|_, chunk| is_near(chunk)));
        chunks.retain(|_, of_blob| !of_blob.is_empty());
        of_files.mentioned.clear();
    }
    let (candidates, mut evidence) = candidates(snapshot, &looked, &chunks, &of_files, &history)?;
    let answer_evidence = QuestionEvidence {
        question: looked.query,
        terms: &looked.terms.terms,
        rarity: &rarity,
        identifiers: &looked.shape.identifiers,
        basis: match (request.mode, &meaning) {
            (SearchMode::Semantic, _) => StrengthBasis::Vectors,
            (_, Some(_)) => StrengthBasis::Both,
            (_, None) => StrengthBasis::Words,
        },
        chunks: &chunks,
        files: &evidence,
        chunks_total: snapshot.view.contents().live_chunks.len(),
    }
    .evidence();
    // Such words occur everywhere.
    let strength = if is_only_grammar { Strength::None } else { answer_evidence.strength() };

    let weights = match (request.mode, &meaning) {
        (SearchMode::Semantic, _) => Weights::semantic(),
        (_, Some(_)) => Weights::hybrid(),
        (_, None) => Weights::lexical(),
    };
    let RankingOptions { emphasis, fusion, .. } = &snapshot.context.options.ranking;
    let weights = weights.for_intent(Intent::of(looked.query)).with_emphasis(emphasis).with_fusion(*fusion);
    let ParsedQuery { shape, terms, query, .. } = looked;
    let query_evidence = QueryEvidence { shape, path_rarities: of_files.path_rarities };
    let ranked = match &mut meaning {
        None => rank(&evidence, &query_evidence, &weights),
        Some(meaning) => {
            let compared = leading(&evidence, &query_evidence, &weights, COMPARED);
            let mut behind = Vec::new();
            if request.limit > COMPARED {
                behind = leading(&evidence, &query_evidence, &weights, LONGEST_LIST.max(request.limit));
                let first: FxHashSet<usize> = compared.iter().copied().collect();
                behind.retain(|file| !first.contains(file));
            }
            for file in compared.iter().chain(&behind) {
                let (file, candidate) = (&mut evidence[*file], &candidates[*file]);
                file.similarity = meaning.of_file(candidate.path_no, &file.path, candidate.first)?;
            }
            // Files are scored relative to each other; those further down must not influence the first ones.
            let mut ranked = rank_among(&evidence, &compared, &query_evidence, &weights);
            put_behind(&mut ranked, rank_among(&evidence, &behind, &query_evidence, &weights));
            let again = ranked.len().min(snapshot.context.models.options().rescored);
            let blobs: Vec<BlobNo> = ranked[..again].iter().map(|ranked| candidates[ranked.file].blob_no).collect();
            let (reread, gap) = reread(snapshot, query, &blobs)?;
            if matches!(gap, Some(Gap::NotEmbedded { .. })) {
                snapshot.asked_about.borrow_mut().push(blobs);
            }
            gaps.extend(gap);
            ranked_again(ranked, &reread, &mut evidence, &query_evidence, &weights)
        }
    };
    let rarity_of = |word: &str| terms.terms.iter().position(|term| term == word).map_or(0.0, |term| rarity[term]);
    let question = RerankQuestion::of(query, rarity_of);
    let model = meaning.is_some().then(|| snapshot.context.models.built_in_model()).flatten();
    let QueryShape { identifiers, about_tests, .. } = query_evidence.shape;
    let Terms { terms, weights } = terms;
    let words = QuestionTerms { terms: TermMatcher::of(terms), weights, rarity, identifiers, about_tests };
    Ok(FusedRanking { ranked, candidates, evidence, question, model, words, strength, answer_evidence, gaps })
}

/// Adds the evidence of words, names, paths and messages, and the chunks that have words of the question. Returns the
/// rarity of each term times its weight.
fn look_up(
    snapshot: &Snapshot,
    looked: &ParsedQuery<'_>,
    chunks: &mut ChunkEvidenceByBlob,
) -> Result<(Vec<f64>, FileScores, HistoryScores), Error> {
    if looked.is_semantic() {
        let unsaid = vec![0.0; looked.terms.terms.len()];
        return Ok((unsaid, FileScores::default(), history_scores(snapshot, &Terms::default())?));
    }
    let rarity = chunks_with_words(snapshot, &looked.terms, looked.limit, chunks)?;
    chunks_that_define(snapshot, &looked.shape.identifiers, chunks)?;
    let history = history_scores(snapshot, &looked.terms)?;
    let mut of_files = FileScores { history_scores: of_history(&history), ..FileScores::default() };
    add_path_scores(snapshot, looked, &mut of_files)?;
    Ok((rarity, of_files, history))
}

/// The files of the view with any evidence that the request does not exclude, with this evidence.
fn candidates(
    snapshot: &Snapshot,
    looked: &ParsedQuery<'_>,
    chunks: &ChunkEvidenceByBlob,
    of_files: &FileScores,
    history: &HistoryScores,
) -> Result<(Vec<FileCandidate>, Vec<FileEvidence>), Error> {
    let FileScores { path_scores, mentioned, history_scores, .. } = of_files;
    let recency_days = snapshot.context.options.ranking.recency_days;
    let mut blobs: FxHashSet<BlobNo> = chunks.keys().copied().collect();
    if looked.request.scope != SearchScope::Contracts {
        let found = path_scores.keys().chain(history_scores.keys()).chain(mentioned.keys());
        blobs.extend(found.filter_map(|path_no| snapshot.view.blob_at(*path_no)));
    }
    let (mut candidates, mut evidence) = (Vec::new(), Vec::new());
    let of = |scores: &FxHashMap<PathNo, f64>, path_no: PathNo| scores.get(&path_no).copied().unwrap_or_default();
    for (blob_no, path_no, place) in snapshot.view.paths_of(&blobs)? {
        let (path, of_blob) = (&place.path, chunks.get(&blob_no));
        let (path_score, history_score) = (of(path_scores, path_no), of(history_scores, path_no));
        let is_found = of_blob.is_some() || path_score > 0.0 || history_score > 0.0 || mentioned.contains_key(&path_no);
        let recency = history.recency(path_no, path, recency_days);
        if !is_found || !looked.includes(path, recency, recency_days) {
            continue;
        }
        if let Some(language) = looked.language
            && !snapshot.is_in(language, path, blob_no)?
        {
            continue;
        }
        let row = snapshot.view.row(blob_no)?;
        let of_blob = || of_blob.into_iter().flatten();
        candidates.push(FileCandidate {
            path_no,
            blob_no,
            first: (row.chunk_count > 0).then_some(row.chunk_first),
            chunks: of_blob().map(|(chunk_no, _)| *chunk_no).collect(),
        });
        evidence.push(FileEvidence {
            chunks: of_blob().map(|(_, evidence)| *evidence).collect(),
            lines_total: row.lines_total,
            path_score,
            name: place.name().matched(&looked.terms.terms),
            mentioned: (!mentioned.is_empty()).then(|| of(mentioned, path_no)),
            history_score,
            recency,
            in_focus: looked.prefixes.iter().any(|prefix| path.is_below(prefix.as_bytes())),
            is_pinned: looked.pinned.contains(path),
            ..FileEvidence::new(path.clone(), place.kind())
        });
    }
    Ok((candidates, evidence))
}

/// Adds the evidence of matched paths.
fn add_path_scores(snapshot: &Snapshot, looked: &ParsedQuery<'_>, of_files: &mut FileScores) -> Result<(), Error> {
    let paths = snapshot.view.live_paths()?;
    let hits = paths.search_weighted(&looked.terms.terms, &looked.terms.weights, looked.limit)?;
    let documents = paths.documents_total();
    let rarities = hits.terms.iter().map(|term| inverse_document_frequency(documents, term.any));
    of_files.path_rarities = looked.terms.weighed(&rarities.collect::<Vec<_>>());
    of_files.path_scores = hits.paths.iter().map(|hit| (hit.path_no, hit.score)).collect();
    of_files.mentioned = mentioned_paths(snapshot, looked.query)?;
    Ok(())
}

/// Adds the nearest chunks, and the similarity of all chunks.
fn add_near(
    snapshot: &Snapshot,
    meaning: &QuestionEmbedding<'_>,
    near: &NearestChunks,
    chunks: &mut ChunkEvidenceByBlob,
) -> Result<(), Error> {
    for (chunk_no, _) in &near.chunks {
        chunk_in(chunks, snapshot.view.blob_of_chunk(*chunk_no)?, *chunk_no);
    }
    let all: Vec<ChunkNo> = chunks.values().flat_map(|chunks| chunks.keys().copied()).collect();
    let cosines = meaning.of_chunks(&all)?;
    for (evidence, cosine) in chunks.values_mut().flat_map(BTreeMap::values_mut).zip(cosines) {
        evidence.cosine = cosine;
    }
    Ok(())
}

/// Adds the chunks that have words of the query. Returns the rarity of each term times its weight.
fn chunks_with_words(
    snapshot: &Snapshot,
    terms: &Terms,
    limit: usize,
    chunks: &mut ChunkEvidenceByBlob,
) -> Result<Vec<f64>, Error> {
    let text = |scores: &FieldScores| chunk_text(&scores.fields);
    let hits = snapshot.view.live_chunks()?.search_weighted(&terms.terms, &terms.weights, limit, text)?;
    for hit in &hits.chunks {
        let evidence = chunk_in(chunks, hit.blob_no, hit.chunk_no);
        (evidence.fields, evidence.matched) = (hit.scores.fields, hit.scores.matched);
    }
    let documents = snapshot.view.contents().live_chunks.len();
    let with_term = hits.terms.iter().map(|term| term.fields[0]);
    let rarities = with_term.map(|with_term| inverse_document_frequency(documents, with_term));
    Ok(terms.weighed(&rarities.collect::<Vec<_>>()))
}

/// Files whose paths the query names, each with a weight: 1 if no other file is meant, less if several may be.
fn mentioned_paths(snapshot: &Snapshot, query: &str) -> Result<FxHashMap<PathNo, f64>, Error> {
    let mut surely: FxHashMap<PathNo, f64> = FxHashMap::default();
    for mention in mentions(query) {
        let (mut meant, mut longest) = (Vec::new(), 1);
        for path_no in snapshot.view.live_paths()?.with_name(mention.name())? {
            let common = mention.parts_in_common(&snapshot.view.path(path_no)?);
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

fn chunks_that_define(
    snapshot: &Snapshot,
    identifiers: &[String],
    chunks: &mut ChunkEvidenceByBlob,
) -> Result<(), Error> {
    let live_chunks = snapshot.view.live_chunks()?;
    for identifier in identifiers {
        for definition in live_chunks.definitions(&DefinitionPattern::Exact(identifier), CANDIDATES)? {
            for chunk in definition.chunks {
                let (row, facts) = (snapshot.view.row(chunk.blob_no)?, snapshot.facts(chunk.blob_no)?);
                let of_chunk = &facts.chunks[(chunk.chunk_no.0 - row.chunk_first.0) as usize];
                let as_written = definition.name == *identifier;
                let named = facts.symbols_of(of_chunk).filter(|symbol| symbol.name == definition.name);
                let defined = named.map(|symbol| DefinitionEvidence { kind: symbol.kind, as_written });
                let evidence = chunk_in(chunks, chunk.blob_no, chunk.chunk_no);
                evidence.defined =
                    evidence.defined.into_iter().chain(defined).max_by(|a, b| a.value().total_cmp(&b.value()));
            }
        }
    }
    Ok(())
}

/// Keeps only the chunks that define contracts.
fn keep_contracts(snapshot: &Snapshot, chunks: &mut ChunkEvidenceByBlob) -> Result<(), Error> {
    let mut kept = ChunkEvidenceByBlob::default();
    for (blob_no, mut of_blob) in std::mem::take(chunks) {
        let (row, facts) = (snapshot.view.row(blob_no)?, snapshot.facts(blob_no)?);
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

/// The order after the second model has scored the first files.
fn ranked_again(
    mut ranked: Vec<RankedFile>,
    reread: &[Option<Reread>],
    files: &mut [FileEvidence],
    query: &QueryEvidence,
    weights: &Weights,
) -> Vec<RankedFile> {
    if reread.iter().all(Option::is_none) {
        return ranked;
    }
    let behind = ranked.split_off(reread.len());
    let first: Vec<usize> = ranked.iter().map(|ranked| ranked.file).collect();
    for (file, reread) in first.iter().zip(reread) {
        files[*file].model_nearest = reread.as_ref().map(|reread| reread.nearest);
        files[*file].model_similarity = reread.as_ref().map(|reread| reread.whole);
    }
    expect_of_unread(files, &ranked);
    let mut ranked = rank_among(files, &first, query, weights);
    put_behind(&mut ranked, behind);
    ranked
}

/// Appends files that were ranked separately. Their scores may be on another scale, and are capped.
fn put_behind(ranked: &mut Vec<RankedFile>, behind: Vec<RankedFile>) {
    let last = ranked.last().map_or(f64::INFINITY, |ranked| ranked.score);
    ranked.extend(behind.into_iter().map(|ranked| RankedFile { score: ranked.score.min(last), ..ranked }));
}

fn chunk_in(chunks: &mut ChunkEvidenceByBlob, blob_no: BlobNo, chunk_no: ChunkNo) -> &mut ChunkEvidence {
    chunks.entry(blob_no).or_default().entry(chunk_no).or_insert_with(|| ChunkEvidence::new(chunk_no.0))
}

/// The files with the best scores by past messages.
fn of_history(history: &HistoryScores) -> FxHashMap<PathNo, f64> {
    let mut scores = history.scores.clone();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    // All files that tie with the last one are kept, so that blob and path numbers do not decide.
    let last = scores.get(BY_HISTORY - 1).map_or(0.0, |(_, score)| *score);
    scores.into_iter().take_while(|(_, score)| *score >= last).collect()
}

/// The kind of evidence with the largest part of a score.
fn dominant_evidence(parts: &[icr_rank::ChannelContribution]) -> &'static str {
    const KINDS: [(&str, &[Channel]); 5] = [
        ("lexical", &[Channel::Text, Channel::Comments]),
        ("name", &[Channel::Names]),
        ("path", &[Channel::Path, Channel::FileName, Channel::Mentioned]),
        ("semantic", &[Channel::Similarity, Channel::NearestChunk, Channel::ModelSimilarity, Channel::ModelNearest]),
        ("history", &[Channel::History]),
    ];
    let sum = |channels: &[Channel]| -> f64 {
        parts.iter().filter(|part| channels.contains(&part.channel)).map(|part| part.value * part.weight).sum()
    };
    let kinds = KINDS.iter().map(|(name, channels)| (*name, sum(channels)));
    // The first of equal ones.
    kinds.rev().max_by(|one, other| one.1.total_cmp(&other.1)).map_or("lexical", |(name, _)| name)
}

fn found_file(ranked: RankedFile, file: &FileEvidence, candidate: &FileCandidate) -> FoundFile {
    let best = ranked.chunks.first().map(|placed| &file.chunks[placed.chunk]);
    let match_type = match best {
        Some(chunk) if chunk.defined.is_some() => "definition",
        _ => dominant_evidence(&ranked.parts),
    };
    let found = |placed: &icr_rank::RankedChunk| FoundChunk {
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
        explained: ScoreExplanation {
            parts: ranked.parts,
            is_model_expected: file.is_model_expected,
            penalty: ranked.penalty,
            read_again: ranked.read_again.filter(|gained| *gained != 0.0),
        },
    }
}
