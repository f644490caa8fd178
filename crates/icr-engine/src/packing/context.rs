//! The map for a goal: where to look, who imports these files, what changes together with them.

use std::collections::HashSet;

use crate::history::cochange_history;
use crate::search::{FoundFile, LONGEST_QUERY, RankedFiles, ScoreExplanation, best_place, cut, rank_files};
use icr_history::{Counting, FEWEST_SHARED, Partner as Associated, explains, file_statistics};
use icr_memory::CodePlace;
use icr_model::{Facts, Gap, LineSpan, RepoPath};
use icr_pack::{
    CONTEXT_FILES, ContextMap, FILES_SHOWN, FileFacts, FilePlace, Partner, PromptMap, Script, context_map, prompt_map,
};
use icr_rank::{PromptEvidence, Strength, is_name, question_of_prompt, without_urls};
use icr_store::BlobRow;
use icr_view::ViewFile;
use serde::{Deserialize, Serialize};

use super::describe::{about_definition, contents, docstring};
use super::named_lines::{NamedLine, named_lines};
use crate::history::Names;
use crate::memory::{BindRequest, bind_code, enclosing_symbol, file_called, file_notes};
use crate::search::UnreadBlobs;
use crate::{Error, SearchRequest, Snapshot};

/// Partners told of each file; the map shows two.
const PARTNERS: usize = 4;

/// Longest goal, in characters.
const GOAL_CHARACTERS_MOST: usize = 10_000;

/// A goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextRequest {
    /// What somebody wants to do, in words; 1 to 10,000 characters.
    pub goal: String,
    /// Commands of the project, best first.
    pub scripts: Vec<Script>,
    /// Suggested next steps, in one line, in the words of whoever shows the map.
    pub next_steps: &'static str,
    /// Most model tokens of the text; 300 holds all sections of most goals.
    pub budget_tokens: u32,
}

/// The answer to a [`ContextRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ContextAnswer {
    /// The map.
    #[serde(flatten)]
    pub map: ContextMap,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// Where to look for a goal: the first files that a search finds, in its order, with their importers and the files that
/// change together with them. Only the built-in model is used.
///
/// Cost: a search, the texts, facts and importers of eight files, and one walk over the newest history.
///
/// # Errors
///
/// [`Error::Bounds`] for a goal out of bounds; those of reading the store and the repository.
pub fn context(snapshot: &Snapshot, request: &ContextRequest) -> Result<ContextAnswer, Error> {
    let characters = request.goal.chars().count();
    if !(1..=GOAL_CHARACTERS_MOST).contains(&characters) {
        return Err(Error::Bounds {
            field: "the goal",
            allowed: format!("1 to {GOAL_CHARACTERS_MOST} characters"),
            value: format!("{characters} characters"),
        });
    }
    let search = SearchRequest { query: request.goal.clone(), limit: CONTEXT_FILES, ..SearchRequest::default() };
    let found = rank_files(snapshot, &search)?;
    let (files, mut gaps) = described_files(snapshot, &found, |_, _, _, _| None)?;
    let named: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let notes = file_notes(snapshot, &named, &[]);
    gaps.extend(found.gaps);
    let request = icr_pack::ContextRequest {
        goal: request.goal.clone(),
        files,
        strength: found.strength,
        scripts: request.scripts.clone(),
        notes,
        next_steps: request.next_steps,
        budget_tokens: request.budget_tokens,
    };
    let paths = all_paths(snapshot)?;
    let map = context_map(&request, paths.iter().map(String::as_str));
    Ok(ContextAnswer { map, gaps })
}

/// A prompt to an agent, which did not ask icr itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PromptRequest {
    /// The prompt; of a long one the first 10,000 bytes count.
    pub prompt: String,
    /// Most model tokens of the text.
    pub budget_tokens: u32,
    /// [`PromptMap::keys`] of what the session has already read.
    pub shown: HashSet<String>,
    /// Addition to [`PromptEvidence::LEAST_LOGIT`], 0 or more: how much stronger the evidence must be.
    pub added_logit: f64,
}

/// Where to look for the subject of a prompt; `None` if the prompt is probably not about the repository, and if the
/// session has read everything already, or all definitions that the prompt names. [`PromptEvidence::logit`] decides the
/// first; a strong search result alone is not enough. A file of which the prompt names a line comes first, whatever else
/// is found.
///
/// Cost: a search, also for a prompt that gets nothing; otherwise the cost of [`context`] without memories, which are
/// not read.
///
/// # Errors
///
/// Those of reading the store and the repository.
pub fn prompt_context(snapshot: &Snapshot, request: &PromptRequest) -> Result<Option<PromptMap>, Error> {
    let prompt = cut(&request.prompt, LONGEST_QUERY);
    if request.budget_tokens == 0 {
        return Ok(None);
    }
    let lines = lines_in_view(snapshot, prompt)?;
    let question = match question_of_prompt(prompt) {
        // A URL that names a line of a file is about that file: of a page with the code, or in a stack trace.
        empty if empty.is_empty() && !lines.is_empty() => prompt.to_owned(),
        empty if empty.is_empty() => return Ok(None),
        question => question,
    };
    let search = SearchRequest { query: question.clone(), limit: CONTEXT_FILES, ..SearchRequest::default() };
    let mut found = rank_files(snapshot, &search)?;
    if !is_about_repository(&found, &question, request.added_logit) {
        if lines.is_empty() {
            return Ok(None);
        }
        // A prompt that names a line of a file is about that file, and not about other results.
        found.strength = Strength::Strong;
        found.files.retain(|file| lines.iter().any(|(named, _)| named.path == file.path));
    }
    let definitions = named_definitions(snapshot, without_urls(prompt))?;
    for path in definitions.iter().rev().map(|definition| &definition.path) {
        if let Some(known) = found.files.iter().position(|known| known.path.as_str() == Some(path.as_str())) {
            let first = found.files.remove(known);
            found.files.insert(0, first);
        }
    }
    for (file, _) in lines.iter().rev() {
        let known = found.files.iter().position(|known| known.path == file.path);
        let first = known.map_or_else(|| named_file(file), |known| found.files.remove(known));
        found.files.insert(0, first);
    }
    // Files that will not be shown are not read.
    found.files.truncate(FILES_SHOWN);
    let asked = found.words.as_line_query();
    let (files, _) = described_files(snapshot, &found, |file, row, facts, text| {
        let line = lines.iter().find(|(named, _)| named.path == file.path);
        let place_of_line = line.and_then(|(_, line)| place_at(facts, *line));
        let named = definitions.iter().find(|definition| file.path.as_str() == Some(definition.path.as_str()));
        let place_of_name = || place_of(facts, named?.symbol.as_deref()?);
        let place = place_of_line.or_else(place_of_name);
        let (symbol, lines) = place.unwrap_or_else(|| best_place(file, row, facts, text, &asked));
        let about = symbol.and_then(|symbol| about_definition(&facts.symbols[symbol as usize], text?));
        let (symbol, version) = (symbol.map(|symbol| facts.qualified_name(symbol)), row.blob_id.to_string());
        Some(FilePlace { lines, symbol, about, version })
    })?;
    let map_request = icr_pack::ContextRequest {
        goal: question,
        files,
        strength: found.strength,
        scripts: Vec::new(),
        notes: Vec::new(),
        // The map of a prompt has no section for them.
        next_steps: "",
        budget_tokens: request.budget_tokens,
    };
    let paths = all_paths(snapshot)?;
    let map = prompt_map(&map_request, paths.iter().map(String::as_str), &request.shown);
    // Who reads about a definition that it knows already is not helped by others.
    let is_known = |named: &CodePlace| {
        let is_ranked = map_request.files.iter().any(|file| file.path == named.path);
        is_ranked && !map.files.contains(&named.path)
    };
    let knows_all_named = lines.is_empty() && !definitions.is_empty() && definitions.iter().all(is_known);
    Ok((!map.text.is_empty() && !knows_all_named).then_some(map))
}

/// Number of files whose scores show how far ahead the first one is.
const FILES_COMPARED: usize = 5;

/// All paths of the view, for telling files apart by short names.
fn all_paths(snapshot: &Snapshot) -> Result<Vec<String>, Error> {
    Ok(snapshot.view.paths()?.iter().map(ToString::to_string).collect())
}

/// The map entries of the first files, each with the place that `place` finds in its text if that can be read; and the
/// gaps.
fn described_files(
    snapshot: &Snapshot,
    found: &RankedFiles,
    place: impl Fn(&FoundFile, &BlobRow, &Facts, Option<&[u8]>) -> Option<FilePlace>,
) -> Result<(Vec<FileFacts>, Vec<Gap>), Error> {
    let mut texts = snapshot.view.texts();
    let (mut text, mut unread) = (Vec::new(), UnreadBlobs::default());
    let mut paths: Vec<RepoPath> = Vec::new();
    let mut files: Vec<FileFacts> = Vec::new();
    for file in found.files.iter().take(CONTEXT_FILES) {
        let (row, facts) = (snapshot.view.row(file.blob_no)?, snapshot.facts(file.blob_no)?);
        let readable = unread.read(&mut texts, &row, &mut text)?;
        snapshot.mask(&mut text);
        paths.push(file.path.clone());
        files.push(FileFacts {
            path: file.path.to_string(),
            search_score: file.score,
            docstring: docstring(&file.path, &facts, &text),
            contents: contents(&facts),
            importers: importers_of(snapshot, &file.path)?,
            place: place(file, &row, &facts, readable.then_some(&text[..])),
            ..FileFacts::default()
        });
    }
    let mut gaps: Vec<Gap> = unread.gaps().into_iter().collect();
    gaps.extend(add_history(snapshot, &paths, &mut files)?);
    Ok((files, gaps))
}

/// Lines shown around a named line whose definition is longer than this.
const LINES_AROUND: u32 = 20;

/// The definition that contains `line`, and the lines to show of it or around the line; `None` if the file has no such
/// line.
fn place_at(facts: &Facts, line: u32) -> Option<(Option<u32>, LineSpan)> {
    if !(1..=facts.lines_total).contains(&line) {
        return None;
    }
    let symbol = enclosing_symbol(facts, line);
    let around = LineSpan {
        start: line.saturating_sub(LINES_AROUND / 2).max(1),
        end: line.saturating_add(LINES_AROUND / 2).min(facts.lines_total),
    };
    let whole = symbol.map(|symbol| facts.symbols[symbol as usize].lines);
    let lines = whole.filter(|lines| lines.end - lines.start <= LINES_AROUND).unwrap_or(around);
    Some((symbol, lines))
}

/// Longest definition that is shown whole where it is named.
const DEFINITION_LINES_MOST: u32 = 80;

/// The definition of that qualified name, with its lines, or the first of these.
fn place_of(facts: &Facts, qualified_name: &str) -> Option<(Option<u32>, LineSpan)> {
    let symbols = 0..u32::try_from(facts.symbols.len()).ok()?;
    let symbol = symbols.into_iter().find(|symbol| facts.qualified_name(*symbol) == qualified_name)?;
    let LineSpan { start, end } = facts.symbols[symbol as usize].lines;
    Some((Some(symbol), LineSpan { start, end: end.min(start + DEFINITION_LINES_MOST) }))
}

/// Most definitions that are shown because the prompt names them.
const NAMED_DEFINITIONS_MOST: usize = 2;

/// The first definitions of the view that a prompt names, at most one for each file.
fn named_definitions(snapshot: &Snapshot, prompt: String) -> Result<Vec<CodePlace>, Error> {
    let request = BindRequest { text: prompt, ..BindRequest::default() };
    let mut places = bind_code(snapshot, &request)?.places;
    places.retain(|place| place.symbol.is_some());
    let mut paths = HashSet::new();
    places.retain(|place| paths.insert(place.path.clone()));
    places.truncate(NAMED_DEFINITIONS_MOST);
    Ok(places)
}

/// Whether the search results for a prompt show that it is about the repository.
fn is_about_repository(found: &RankedFiles, question: &str, added_logit: f64) -> bool {
    let scores = found.files.iter().take(FILES_COMPARED).map(|file| file.score);
    let (Some(first), Some(last)) = (found.files.first(), scores.min_by(f64::total_cmp)) else { return false };
    let (answer, lead) = (found.answer_evidence, first.score - last);
    let names_identifier = answer.is_named && question.split_whitespace().any(is_name);
    let evidence = PromptEvidence { answer, lead, names_identifier };
    found.strength == Strength::Strong && evidence.logit() >= PromptEvidence::LEAST_LOGIT + added_logit
}

/// Most files that are shown because the prompt names a line of them: a prompt with more is a log.
const NAMED_FILES_MOST: usize = 3;

/// The first files of the view that a prompt names a line of, each once, with the line.
fn lines_in_view(snapshot: &Snapshot, prompt: &str) -> Result<Vec<(ViewFile, u32)>, Error> {
    let mut lines: Vec<(ViewFile, u32)> = Vec::new();
    for NamedLine { path, line } in named_lines(prompt) {
        if lines.len() == NAMED_FILES_MOST {
            break;
        }
        let file = file_called(snapshot, &path)?;
        lines.extend(
            file.filter(|file| lines.iter().all(|(known, _)| known.path != file.path)).map(|file| (file, line)),
        );
    }
    Ok(lines)
}

/// A file that the prompt itself found.
fn named_file(file: &ViewFile) -> FoundFile {
    FoundFile {
        path: file.path.clone(),
        blob_no: file.row.blob_no,
        score: 1.0,
        chunks: Vec::new(),
        match_type: "path",
        explained: ScoreExplanation::default(),
    }
}

/// Importers of the file, tests last, then by path.
fn importers_of(snapshot: &Snapshot, path: &RepoPath) -> Result<Vec<String>, Error> {
    let mut importers = snapshot.graph()?.importers(path)?;
    importers.sort_by(|a, b| (icr_rank::is_test_path(a), a).cmp(&(icr_rank::is_test_path(b), b)));
    Ok(importers.iter().map(ToString::to_string).collect())
}

/// Adds how often each file changed lately, and what changed together with it twice or more; returns the gaps of the
/// history.
fn add_history(snapshot: &Snapshot, paths: &[RepoPath], files: &mut [FileFacts]) -> Result<Vec<Gap>, Error> {
    let history = cochange_history(snapshot)?;
    let now = snapshot.view.revision().committer_time.unwrap_or_default();
    let rules = &snapshot.context.options.history;
    // The text of the map says 90 days, and how often one file changed: a large commit counts like any other.
    let counting = Counting { files_most: usize::MAX, ..Counting::default() };
    let counts = file_statistics(&history.commits, now, &counting);
    let association = history.association(rules);
    let mut names = Names::new(snapshot, &history);
    for (path, file) in paths.iter().zip(files) {
        let Some(path_no) = names.number(path)? else { continue };
        let own = counts.binary_search_by_key(&path_no, |count| count.path).ok();
        file.recent_commits = own.map_or(0, |at| counts[at].recent_count);
        let mut partners: Vec<(Associated, RepoPath)> = Vec::new();
        for partner in association.partners(&[path_no], |_| false) {
            if partner.count >= FEWEST_SHARED {
                let name = names.get(partner.path)?;
                partners.push((partner, name));
            }
        }
        partners.sort_by(|(one, path), (other, other_path)| one.better_first(other).then_with(|| path.cmp(other_path)));
        for (partner, name) in partners {
            if file.partners.len() < PARTNERS && explains(&name) && snapshot.view.file(&name)?.is_some() {
                file.partners.push(Partner { path: name.to_string(), count: partner.count });
            }
        }
    }
    Ok(history.gaps.clone())
}
