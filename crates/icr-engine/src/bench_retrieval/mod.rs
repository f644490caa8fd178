//! Benchmark of search on questions with known answers: how high are the expected files ranked, and are the shown lines
//! right?

mod golden;
mod questions;
mod scores;

use crate::files::slice;
use crate::search::search;
use std::time::{Duration, Instant};

use icr_model::{Gap, LineSpan, RepoPath};
use icr_rank::RerankFeatures;
use serde::Serialize;

pub use golden::{Golden, GoldenAnswer, GoldenChange, GoldenError, GoldenRow};
pub use questions::{ExpectedPlace, QuestionsError, RetrievalQuestion, read_questions};
pub use scores::RetrievalScores;

use crate::search::{path_of, rerank_features_of};
use crate::{Error, Progress, SearchHit, SearchMode, SearchRequest, SliceRequest, Snapshot};
use scores::{QuestionScores, scores_of};

/// Hits that the figures "at 10" are computed from, even if fewer are asked for.
const AT_LEAST: usize = 10;

/// A good answer is among this many first hits: what is read without scrolling.
const GOOD_WITHIN: usize = 5;

/// Most hits of one question: what a search gives at most.
const HITS: usize = 1_000;

/// What to ask, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievalRequest {
    /// The questions, in the order of the answer.
    pub questions: Vec<RetrievalQuestion>,
    /// Which evidence the search uses.
    pub mode: SearchMode,
    /// Hits that are checked for the right lines, `1..=1000`. Ranks are determined among at least ten hits.
    pub hits: usize,
    /// Whether to record the features of the reranked files; costs a second search for each question.
    pub keep_features: bool,
}

/// A file that was reranked for a question, at its rank before reranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RerankCandidate {
    /// The grade of the best expected place in it; 0 when it has none.
    pub grade: u8,
    /// Its features.
    pub features: RerankFeatures,
}

/// How well the questions were answered.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RetrievalBench {
    /// Which evidence the search used.
    pub mode: SearchMode,
    /// Hits that were checked.
    pub hits: usize,
    /// Over all questions.
    pub total: RetrievalScores,
    /// Over the questions of each category, by its name.
    pub categories: Vec<CategoryScores>,
    /// Each question, in the order given.
    pub answers: Vec<QuestionAnswer>,
    /// Expected places that the view does not have. Such a file counts as not found; such lines count as not shown.
    pub absent: Vec<AbsentPlace>,
    /// The reranked files of each question, in the order given; empty unless requested.
    #[serde(skip)]
    pub candidates: Vec<Vec<RerankCandidate>>,
    /// What the answers lack besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// The scores of one category.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct CategoryScores {
    /// As the questions name it; `other` for those that name none.
    pub category: String,
    /// Over its questions.
    #[serde(flatten)]
    pub scores: RetrievalScores,
}

/// How one question was answered.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct QuestionAnswer {
    /// The question.
    pub query: String,
    /// Its category.
    pub category: Option<String>,
    /// The expected places: `path`, `path symbol` or `path:first-last`.
    pub expected: Vec<String>,
    /// Rank of the first hit in an expected file, from 1; `None` when there is none among the hits asked for.
    pub rank: Option<u32>,
    /// Whether one of the first five hits is in an expected file and, if lines are expected there, shows some of them.
    pub good: bool,
    /// Whether a hit shows expected lines, by the rule of [`RetrievalScores::right_lines`]; `None` when no lines are expected.
    pub right_lines: Option<bool>,
    /// The files of the first hits, best first, ten at most.
    pub found: Vec<String>,
}

/// An expected place that does not exist in the view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct AbsentPlace {
    /// The question.
    pub query: String,
    /// The place, as it is expected.
    pub place: String,
    /// What does not exist.
    pub reason: String,
}

/// An expected place, resolved in the view.
struct ResolvedPlace {
    /// The path as the view spells it.
    path: String,
    grade: u8,
    /// Whether certain lines of the file are expected.
    wants_lines: bool,
    /// The expected lines; `None` when none are expected, and when they do not exist.
    lines: Option<LineSpan>,
}

/// Asks every question and compares the answers with the expected places. Deterministic for the same view and
/// questions, except for [`RetrievalScores::p50_ms`]. Cost: one search for each question, two if features are recorded,
/// and a read of each file with an expected symbol.
///
/// # Errors
///
/// [`Error::Bounds`] for hits out of bounds; those of searching.
pub fn bench_retrieval(
    snapshot: &Snapshot,
    request: &RetrievalRequest,
    progress: &dyn Progress,
) -> Result<RetrievalBench, Error> {
    check_bounds(request)?;
    progress.total(request.questions.len() as u64);
    let mut absent = Vec::new();
    let mut gaps: Vec<Gap> = Vec::new();
    let mut answered = Vec::with_capacity(request.questions.len());
    let mut answers = Vec::with_capacity(request.questions.len());
    let mut candidates = Vec::new();
    for question in &request.questions {
        let targets = targets(snapshot, question, &mut absent)?;
        let (hits, lacks, took) = timed_search(snapshot, &question.query, request.mode, request.hits.max(AT_LEAST))?;
        // Each answer reports its gaps; equal gaps are kept once.
        gaps.extend(lacks.into_iter().filter(|gap| !gaps.contains(gap)).collect::<Vec<_>>());
        let (scored, answer) = score_question(question, &targets, &hits, request.hits, took);
        answered.push(scored);
        if request.keep_features {
            candidates.push(candidates_of(snapshot, &question.query, request.mode, &targets)?);
        }
        answers.push(answer);
        progress.count_file();
    }
    gaps.sort();
    Ok(RetrievalBench {
        mode: request.mode,
        hits: request.hits,
        total: scores_of(answered.iter()),
        categories: by_category(&request.questions, &answered),
        answers,
        absent,
        candidates,
        gaps,
    })
}

fn timed_search(
    snapshot: &Snapshot,
    query: &str,
    mode: SearchMode,
    limit: usize,
) -> Result<(Vec<SearchHit>, Vec<Gap>, Duration), Error> {
    let request = SearchRequest { query: query.to_owned(), limit, mode, ..SearchRequest::default() };
    let begun = Instant::now();
    let found = search(snapshot, &request)?;
    Ok((found.results, found.gaps, begun.elapsed()))
}

/// The reranked files of a question.
fn candidates_of(
    snapshot: &Snapshot,
    query: &str,
    mode: SearchMode,
    targets: &[ResolvedPlace],
) -> Result<Vec<RerankCandidate>, Error> {
    let request = SearchRequest { query: query.to_owned(), mode, ..SearchRequest::default() };
    let candidate = |(path, features): (RepoPath, RerankFeatures)| {
        let path = path.to_string();
        let here = targets.iter().filter(|target| target.path == path);
        RerankCandidate { grade: here.map(|target| target.grade).max().unwrap_or(0), features }
    };
    Ok(rerank_features_of(snapshot, &request)?.into_iter().map(candidate).collect())
}

/// The expected places of a question in this view; those that it does not have are added to `absent`.
fn targets(
    snapshot: &Snapshot,
    question: &RetrievalQuestion,
    absent: &mut Vec<AbsentPlace>,
) -> Result<Vec<ResolvedPlace>, Error> {
    let mut targets = Vec::new();
    for place in &question.expected {
        let path = path_of(&place.path);
        let found = match snapshot.view.file(&path)? {
            Some(_) => lines_of(snapshot, place).map_err(|error| error.to_string()),
            None => Err(format!("`{path}` is not in the view of {}", snapshot.name())),
        };
        let lines = found.as_ref().ok().copied().flatten();
        let wants_lines = place.lines.is_some() || place.symbol.is_some();
        targets.push(ResolvedPlace { path: path.to_string(), grade: place.grade, wants_lines, lines });
        if let Err(reason) = found {
            absent.push(AbsentPlace { query: question.query.clone(), place: place.to_string(), reason });
        }
    }
    Ok(targets)
}

/// The expected lines: those given, else those of the symbol including its doc comment.
fn lines_of(snapshot: &Snapshot, place: &ExpectedPlace) -> Result<Option<LineSpan>, Error> {
    let (None, Some(symbol)) = (place.lines, &place.symbol) else { return Ok(place.lines) };
    let request = SliceRequest { path: place.path.clone(), symbol: symbol.clone(), context_lines: 0 };
    let slice = slice(snapshot, &request)?;
    Ok(Some(LineSpan { start: slice.start_line, end: slice.end_line }))
}

fn check_bounds(request: &RetrievalRequest) -> Result<(), Error> {
    if !(1..=HITS).contains(&request.hits) {
        let value = request.hits.to_string();
        return Err(Error::Bounds { field: "the number of hits", allowed: format!("1 to {HITS}"), value });
    }
    Ok(())
}

/// The scores of the hits of one question.
fn score_question(
    question: &RetrievalQuestion,
    targets: &[ResolvedPlace],
    hits: &[SearchHit],
    shown: usize,
    took: Duration,
) -> (QuestionScores, QuestionAnswer) {
    let answered = QuestionScores::of(targets, hits, shown, took);
    let good = hits.iter().take(GOOD_WITHIN).any(|hit| {
        let mut here = targets.iter().filter(|target| target.path == hit.path);
        here.any(|target| !target.wants_lines || target.lines.is_some_and(|lines| shows(hit, lines)))
    });
    let answer = QuestionAnswer {
        query: question.query.clone(),
        category: question.category.clone(),
        expected: question.expected.iter().map(ExpectedPlace::to_string).collect(),
        rank: answered.rank,
        good,
        right_lines: answered.right_lines,
        found: hits.iter().take(AT_LEAST).map(|hit| hit.path.clone()).collect(),
    };
    (answered, answer)
}

/// Whether the lines of a hit answer `expected`: they overlap, and the hit is not simply half of the file. A place
/// counts as half the file when it has more than 120 lines and more than three times as many as expected.
fn shows(hit: &SearchHit, expected: LineSpan) -> bool {
    const LONG: u32 = 120;
    let length = (hit.end_line + 1).saturating_sub(hit.start_line);
    let wanted = (expected.end + 1).saturating_sub(expected.start);
    let is_too_long = length > LONG.max(wanted.saturating_mul(3));
    hit.start_line <= expected.end && expected.start <= hit.end_line && !is_too_long
}

fn by_category(questions: &[RetrievalQuestion], answered: &[QuestionScores]) -> Vec<CategoryScores> {
    let name_of = |question: &RetrievalQuestion| question.category.clone().unwrap_or_else(|| "other".to_owned());
    let names: std::collections::BTreeSet<String> = questions.iter().map(name_of).collect();
    let of = |name: &String| {
        let inside = questions.iter().zip(answered).filter(|(question, _)| name_of(question) == *name);
        scores_of(inside.map(|(_, answered)| answered))
    };
    names.iter().map(|name| CategoryScores { category: name.clone(), scores: of(name) }).collect()
}
