//! Search: files by words and meaning, shown with their best lines; and changes.

mod diffs;
mod file_mentions;
mod qualified_name;
mod ranked_files;
mod strength;
mod terms;
#[cfg(test)]
mod tests;
mod transcripts;
mod word_vectors;

use crate::files::check_part;
use crate::search::diffs::search_diffs;
use crate::search::transcripts::search_transcripts;
use std::collections::BTreeSet;
use std::sync::Arc;

use icr_model::{BlobNo, ChunkNo, Facts, Gap, LineSpan, Moment, RepoPath};
use icr_rank::{Emphasis, Fusion, Strength};
use icr_store::BlobRow;
use serde::Serialize;

use crate::files::PathScope;
use crate::lines::{FileText, LineQuery, MatchedChunk, ScoredLines, preview_lines};
use crate::{Error, Snapshot};
use icr_view::Texts;

use qualified_name::put_first;
pub(crate) use qualified_name::{definition_asked_for, definition_lines, is_written_in};
pub(crate) use ranked_files::{
    FoundFile, QuestionTerms, RankedFiles, ScoreExplanation, rank_files, rerank_features_of,
};
pub(crate) use terms::Terms;
pub use transcripts::{TranscriptTurn, TranscriptTurns};

/// Best chunks of a file that are read to find its best lines; in most files, these are all that matched.
pub(crate) const CHUNKS_READ: usize = 12;

/// Most places of a file in an answer besides its best one.
const FURTHER_PLACES: usize = 1;

/// Factor for the score of a further place: its score is the score of its file, times its share of the file's best
/// place, times this.
///
/// On 127 public queries whose answers are one to three line ranges, 29 of them several in one file, NDCG@10 is 0.66
/// without further places, 0.70 with the factor 0.75, and 0.71 with 0.9. Where answers are whole files, further places
/// displace others and cost 0.0025 on 622 queries with 0.75, 0.007 with 0.9.
const FURTHER_PLACE: f64 = 0.75;

/// Least score of a further place, as a share of the file's best one: weaker places would only fill up short answers.
const LEAST_FURTHER: f64 = 0.5;

/// Longest query, in bytes; a longer one is cut at a character boundary. More than a page of text does not improve the
/// search.
pub const LONGEST_QUERY: usize = 10_000;

/// Which evidence a search uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchScope {
    /// Files of the view.
    #[default]
    Repo,
    /// Changes: hunks of commits, and uncommitted hunks.
    Diffs,
    /// Definitions that others rely on: interfaces, traits, types, schemas and their kind.
    Contracts,
    /// Transcripts of conversations with agents.
    Transcript,
    /// All of these, each hit with the scope it comes from.
    All,
}

impl SearchScope {
    /// As it is typed and written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Repo => "repo",
            Self::Diffs => "diffs",
            Self::Contracts => "contracts",
            Self::Transcript => "transcript",
            Self::All => "all",
        }
    }

    /// Whether it includes transcripts, which the caller reads.
    pub fn has_transcripts(self) -> bool {
        matches!(self, Self::Transcript | Self::All)
    }
}

/// What to search for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchRequest {
    /// The query text.
    pub query: String,
    /// Most places in the answer.
    pub limit: usize,
    /// Only files in this language of the language table.
    pub language: Option<String>,
    /// Only files below this path.
    pub path_prefix: Option<String>,
    /// Which evidence to use.
    pub mode: SearchMode,
    /// Where to search.
    pub scope: SearchScope,
    /// Paths that the user works on: results below them count a little more.
    pub focus: Vec<String>,
    /// Paths that count a little more because somebody pinned them; [`crate::search_with_pins`] adds those of the clone.
    pub pinned: Vec<String>,
    /// Only changes within this time before the view's commit: changed files, commits for diffs, turns for transcripts.
    pub time_window: Option<std::time::Duration>,
    /// Turns of transcripts about the repository, as the caller read them; for scopes that include transcripts.
    pub transcripts: Option<Arc<TranscriptTurns>>,
}

/// The answer to a [`SearchRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SearchResults {
    /// Places, best first; a file can have two.
    pub results: Vec<SearchHit>,
    /// Files that matched, including those not shown; a lower bound if there are more candidates than are taken.
    pub total_count: u64,
    /// How strongly the results answer the query. It decides how many are shown to people and agents:
    /// [`SearchResults::shown_hits`].
    pub strength: Strength,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

impl SearchResults {
    /// The results that people and agents are shown.
    pub fn shown_hits(&self) -> &[SearchHit] {
        &self.results[..self.strength.shown_count(self.results.len())]
    }
}

/// Weights of a search. `default()` has the values that were measured to be best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankingOptions {
    /// Weights of the kinds of evidence.
    pub emphasis: Emphasis,
    /// How their scores are combined.
    pub fusion: Fusion,
    /// Time in which recency falls to 1/e, in days; more than 0.
    pub recency_days: f64,
    /// Whether the first files are reranked, see [`icr_rank::rerank`].
    pub reranks: bool,
}

impl Default for RankingOptions {
    fn default() -> Self {
        Self { emphasis: Emphasis::default(), fusion: Fusion::default(), recency_days: 30.0, reranks: true }
    }
}

/// A place in a file: the best one, or a further one.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SearchHit {
    /// Id of the best chunk: first digits of the blob id, byte range, kind.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// Qualified name of the definition that the best lines belong to.
    pub symbol: Option<String>,
    /// First of the best lines, 1-based: of a chunk, or of the best matching definition in it.
    pub start_line: u32,
    /// Last of these.
    pub end_line: u32,
    /// Score; comparable within one answer only.
    pub score: f64,
    /// The strongest evidence: `definition` if it defines what the query names, else `lexical`, `name`, `path`,
    /// `semantic` or `history`.
    pub match_type: &'static str,
    /// A preview: a few matching lines.
    pub preview: String,
    /// Language of the file.
    pub language: String,
    /// The best places of the file, best first; for a further place, only itself.
    pub spans: Vec<SearchSpan>,
    /// Parts of the score by channel, and the penalty applied to their sum.
    pub explanation: Vec<(String, f64)>,
    /// Id of the hunk's commit; only for changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// First line of that commit's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Who said it, `user` or `assistant`; only in transcripts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<&'static str>,
    /// When it was said; only in transcripts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said_at: Option<Moment>,
    /// The scope of the hit; only when all scopes are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<SearchScope>,
}

/// A place inside a file that was found.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
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

/// What best matches the query, in its scope.
///
/// # Errors
///
/// [`Error::Bounds`] for an unknown language; [`Error::NoVectors`] for meaning alone where vectors are switched off;
/// those of reading the store.
pub fn search(snapshot: &Snapshot, request: &SearchRequest) -> Result<SearchResults, Error> {
    if request.mode == SearchMode::Semantic && snapshot.context.models.built_in_model().is_none() {
        return Err(Error::NoVectors);
    }
    match request.scope {
        SearchScope::Repo | SearchScope::Contracts => {
            let found = search_files(snapshot, request)?;
            if found.total_count == 0 {
                check_part(snapshot, &PathScope::of(request.path_prefix.as_deref()))?;
            }
            Ok(found)
        }
        SearchScope::Diffs => search_diffs(snapshot, request, since(snapshot, request)),
        SearchScope::Transcript => {
            let mut found = search_transcripts(request, since(snapshot, request))?;
            let is_empty = request.transcripts.as_ref().is_none_or(|transcripts| transcripts.turns.is_empty());
            if is_empty && found.gaps.is_empty() {
                found.gaps.push(Gap::NoTranscripts);
            }
            Ok(found)
        }
        SearchScope::All => {
            let scopes = [
                (SearchScope::Repo, search_files(snapshot, request)?),
                (SearchScope::Diffs, search_diffs(snapshot, request, since(snapshot, request))?),
                (SearchScope::Transcript, search_transcripts(request, since(snapshot, request))?),
            ];
            Ok(merged(scopes, request.limit))
        }
    }
}

/// The earliest time that counts.
fn since(snapshot: &Snapshot, request: &SearchRequest) -> Option<Moment> {
    let newest = Moment(snapshot.view.revision().committer_time.unwrap_or_default());
    Some(newest.saturating_sub(request.time_window?))
}

/// Number of matched chunks of a file, its text, and its best matching places, best first; at least one. `text` is
/// `None` if it cannot be read.
fn best_places<'t>(
    file: &FoundFile,
    row: &BlobRow,
    facts: &'t Facts,
    text: Option<&'t [u8]>,
    asked: &LineQuery<'_>,
) -> (usize, Option<FileText<'t>>, Vec<ScoredLines>) {
    let span_of = |chunk_no: ChunkNo| &facts.chunks[(chunk_no.0 - row.chunk_first.0) as usize];
    let matched: Vec<MatchedChunk<'_>> = file
        .chunks
        .iter()
        .take(CHUNKS_READ)
        .map(|chunk| MatchedChunk { chunk: span_of(chunk.chunk_no), similarity: chunk.similarity })
        .collect();
    let file_text = text.map(|text| FileText::new(facts, text));
    let mut places = file_text.as_ref().map_or_else(Vec::new, |text| text.places(&matched, asked));
    if let Some(text) = &file_text {
        places = places.into_iter().map(|place| text.narrow_to_definition(place, asked.identifiers)).collect();
    }
    if places.is_empty() {
        // The file was found by its path or its vector, or its text cannot be read.
        let chunk = matched.first().map(|matched| matched.chunk).or(facts.chunks.first());
        let nowhere = (None, LineSpan { start: 1, end: 1 });
        let (symbol, lines) = chunk.map_or(nowhere, |chunk| (chunk.symbol, chunk.lines));
        places.push(ScoredLines { symbol, lines, score: 1.0 });
    }
    (matched.len(), file_text, places)
}

/// Restricts `places` to contracts: places inside a contract, and the first contract of places that contain one among
/// other definitions. If there are none, the first contract of the matched chunks.
fn of_contracts(places: Vec<ScoredLines>, file: &FoundFile, row: &BlobRow, facts: &Facts) -> Vec<ScoredLines> {
    let contracts = || facts.symbols.iter().zip(0_u32..).filter(|(symbol, _)| symbol.contract.is_some());
    let of_contract = |place: ScoredLines| {
        let lines = place.symbol.map_or(place.lines, |symbol| facts.symbols[symbol as usize].lines);
        let holds = |outer: LineSpan, inner: LineSpan| outer.start <= inner.start && inner.end <= outer.end;
        if contracts().any(|(symbol, _)| holds(symbol.lines, lines)) {
            return Some(place);
        }
        let (symbol, no) = contracts().find(|(symbol, _)| holds(place.lines, symbol.lines))?;
        Some(ScoredLines { symbol: Some(no), lines: symbol.lines, ..place })
    };
    let mut found: Vec<ScoredLines> = places.into_iter().filter_map(of_contract).collect();
    if found.is_empty() {
        let mut chunks =
            file.chunks.iter().map(|chunk| facts.chunks[(chunk.chunk_no.0 - row.chunk_first.0) as usize].span);
        let first =
            chunks.find_map(|span| contracts().find(|(symbol, _)| (span.start..span.end).contains(&symbol.span.start)));
        found.extend(first.map(|(symbol, no)| ScoredLines { symbol: Some(no), lines: symbol.lines, score: 1.0 }));
    }
    found.dedup_by_key(|place| place.lines);
    found
}

/// The best definition, as an index of [`Facts::symbols`], and the best lines of a file.
pub(crate) fn best_place(
    file: &FoundFile,
    row: &BlobRow,
    facts: &Facts,
    text: Option<&[u8]>,
    asked: &LineQuery<'_>,
) -> (Option<u32>, LineSpan) {
    let (_, _, places) = best_places(file, row, facts, text, asked);
    (places[0].symbol, places[0].lines)
}

fn search_files(snapshot: &Snapshot, request: &SearchRequest) -> Result<SearchResults, Error> {
    let found = rank_files(snapshot, request)?;
    let asked = found.words.as_line_query();
    let mut texts = snapshot.view.texts();
    let mut text = Vec::new();
    let mut unread = UnreadBlobs::default();
    let mut results: Vec<SearchHit> = Vec::new();
    // Files after this rank cannot be shown, whatever further places the files before them have.
    let least = request.limit.checked_sub(1).and_then(|last| found.files.get(last)).map_or(0.0, |file| file.score);
    for file in found.files.iter().take(request.limit) {
        if results.iter().filter(|hit| hit.score > file.score).count() >= request.limit {
            break;
        }
        let row = snapshot.view.row(file.blob_no)?;
        let facts = snapshot.facts(file.blob_no)?;
        let readable = unread.read(&mut texts, &row, &mut text)?;
        snapshot.mask(&mut text);
        let (matched, file_text, mut places) = best_places(file, &row, &facts, readable.then_some(&text[..]), &asked);
        if request.scope == SearchScope::Contracts {
            places = of_contracts(places, file, &row, &facts);
        }
        let top = file.chunks.iter().map(|chunk| chunk.score).fold(0.0, f64::max);
        let span_of = |place: &ScoredLines| SearchSpan {
            symbol: place.symbol.map(|symbol| facts.qualified_name(symbol)),
            start_line: place.lines.start,
            end_line: place.lines.end,
            score: top * place.score,
        };
        let spans: Vec<SearchSpan> = places.iter().filter(|_| matched > 0).map(span_of).collect();
        for (at, place) in places.iter().enumerate().take(1 + FURTHER_PLACES) {
            let share = if at == 0 { 1.0 } else { FURTHER_PLACE * place.score };
            let score = file.score * share;
            if at > 0 && (score <= least || place.score < LEAST_FURTHER) {
                break;
            }
            let best = facts.chunks.iter().find(|chunk| chunk.lines.end >= place.lines.start);
            let rank = results.iter().filter(|hit| hit.score >= score).count();
            let shown = file_text.as_ref().map(|text| text.preview(place, &asked, preview_lines(rank)));
            let mut explanation = file.explained.in_words();
            explanation.extend((at > 0).then(|| ("further place".to_owned(), share)));
            results.push(SearchHit {
                id: chunk_id(&row.blob_id.to_string(), best),
                path: file.path.to_string(),
                symbol: place.symbol.map(|symbol| facts.qualified_name(symbol)),
                start_line: place.lines.start,
                end_line: place.lines.end,
                score,
                match_type: file.match_type,
                preview: shown.unwrap_or_default(),
                language: facts.language.clone(),
                spans: if at == 0 { spans.clone() } else { vec![span_of(place)] },
                explanation,
                commit: None,
                subject: None,
                speaker: None,
                said_at: None,
                scope: None,
            });
        }
    }
    // The sort is stable: on ties, a file comes before the further places of another.
    results.sort_by(|one, other| other.score.total_cmp(&one.score));
    results.truncate(request.limit);
    let mut gaps = found.gaps;
    gaps.extend(unread.gaps());
    // The words may occur, but outside of the requested part.
    let mut strength = if results.is_empty() { Strength::None } else { found.strength };
    let asked_for = if can_be_named(request) { definition_asked_for(&request.query) } else { Vec::new() };
    let mut is_found = false;
    for names in &asked_for {
        is_found = is_found || put_first(snapshot, request, names, &asked, &mut results)?;
    }
    if is_found {
        strength = Strength::Strong;
    } else if strength == Strength::Strong && !asked_for.is_empty() {
        let mut paths: Vec<RepoPath> = results.iter().map(|hit| path_of(&hit.path)).collect();
        paths.dedup();
        if !is_written_in(snapshot, &request.query, &paths)? {
            strength = Strength::Weak;
        }
    }
    let total_count = (found.total as u64).max(u64::from(!results.is_empty()));
    Ok(SearchResults { results, total_count, strength, gaps })
}

/// Whether a definition that the query names is added whatever its score: not if the request excludes it.
fn can_be_named(request: &SearchRequest) -> bool {
    request.mode != SearchMode::Semantic && request.scope != SearchScope::Contracts && request.time_window.is_none()
}

/// Merges the answers of several scopes by taking their best hits in turn, because scores of different scopes cannot be
/// compared. Each hit is labelled with its scope.
fn merged<const N: usize>(scopes: [(SearchScope, SearchResults); N], limit: usize) -> SearchResults {
    let mut all = SearchResults { results: Vec::new(), total_count: 0, strength: Strength::None, gaps: Vec::new() };
    let lists = scopes.map(|(scope, found)| {
        all.total_count += found.total_count;
        all.strength = all.strength.max(found.strength);
        let new: Vec<Gap> = found.gaps.into_iter().filter(|gap| !all.gaps.contains(gap)).collect();
        all.gaps.extend(new);
        found.results.into_iter().map(move |hit| SearchHit { scope: Some(scope), ..hit })
    });
    all.results = interleaved(lists, limit);
    all
}

/// The first of each list, then the second of each, and so on; at most `limit`.
fn interleaved<const N: usize>(mut lists: [impl Iterator<Item = SearchHit>; N], limit: usize) -> Vec<SearchHit> {
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before || all.len() >= limit {
            all.truncate(limit);
            return all;
        }
    }
}

/// Blobs of an answer whose text cannot be read. Their stored data still counts, and the answer gets a gap.
#[derive(Debug, Default)]
pub(crate) struct UnreadBlobs {
    /// Missing from the object database, or damaged there. Another clone of the store has or had them.
    objects: BTreeSet<BlobNo>,
    /// Edited or deleted in the worktree since the snapshot was taken.
    files: BTreeSet<BlobNo>,
    /// Missing or damaged objects that are no blobs of the view.
    further_objects: u64,
}

impl UnreadBlobs {
    /// Puts the text of `row` into `out`; returns whether that worked, and records it if not.
    ///
    /// # Errors
    ///
    /// Errors that would occur for any file: those of the store and of the repository as a whole.
    pub(crate) fn read(&mut self, texts: &mut Texts<'_>, row: &BlobRow, out: &mut Vec<u8>) -> Result<bool, Error> {
        use icr_git::Error as Git;
        match texts.read(row, out).map_err(Error::from) {
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

    /// Records a missing or damaged object.
    pub(crate) fn count_object(&mut self) {
        self.further_objects += 1;
    }

    /// Adds what another thread recorded.
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

pub(crate) fn known_language(name: Option<&str>) -> Result<Option<&'static str>, Error> {
    let Some(name) = name else { return Ok(None) };
    let lower = name.to_lowercase();
    let known = icr_lang::languages().chain([icr_lang::TEXT]).find(|language| *language == lower);
    known.map(Some).ok_or_else(|| Error::Bounds {
        field: "the language",
        allowed: {
            let suggestion = suggested_language(&lower).map(|text| format!("{text}; or ")).unwrap_or_default();
            format!("{suggestion}one of {}", icr_lang::languages().collect::<Vec<_>>().join(", "))
        },
        value: name.to_owned(),
    })
}

/// The language that an unknown name may mean: that of the file extension, else the one with a similar name.
fn suggested_language(name: &str) -> Option<String> {
    let extension = name.trim_start_matches('.');
    let language = icr_lang::language_of(&RepoPath::from(format!("a.{extension}").as_str()));
    if let Some(row) = icr_lang::language_row(language).filter(|row| row.extensions.contains(&extension)) {
        return Some(format!("`{}`, whose files end in `.{extension}`", row.name));
    }
    let near = icr_model::similar_names(name, icr_lang::languages(), 1).pop()?;
    Some(format!("`{near}`, which may be meant"))
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

/// The path that a user typed, as icr shows it or with `./` in front.
pub(crate) fn path_of(text: &str) -> RepoPath {
    RepoPath::from_display(text.strip_prefix("./").unwrap_or(text))
}
