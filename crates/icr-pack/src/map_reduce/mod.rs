//! Map and reduce over sources, by extraction: each result consists of lines of the sources, with their paths and
//! numbers.

mod lines;
mod prompt_terms;
mod reduce;

use icr_tokens::model_tokens;
use serde::Serialize;

use crate::error::{Error, in_bounds};
use crate::pack::one_line;

use lines::{Passage, SourceLines};
use prompt_terms::{Phase, PromptTerms};

/// Longest task, in characters.
const TASK_CHARACTERS_MOST: usize = 5_000;

/// Longest prompt, in characters.
const PROMPT_CHARACTERS_MOST: usize = 2_000;

/// Most sources of one call.
const SOURCES_MOST: usize = 100;

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct MapReduceRequest<'a> {
    /// What it is for, 1 to 5,000 characters. Its words count half.
    pub task: &'a str,
    /// What to look for in each source, 1 to 2,000 characters. `{content}` stands for the source.
    pub map_prompt: &'a str,
    /// What to look for in what was found, 1 to 2,000 characters. `{results}` stands for it.
    pub reduce_prompt: &'a str,
    /// 1 to 100 sources.
    pub sources: &'a [SourceText],
    /// Most model tokens of one source's result; 400 is about twenty lines.
    pub map_tokens: u32,
    /// Most model tokens of the reduced result.
    pub reduce_tokens: u32,
}

/// A source of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// As the caller named it.
    pub source: String,
    /// What it holds, or why it could not be read.
    pub content: SourceContent,
}

/// Content of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceContent {
    /// Lines of a file.
    Lines {
        /// Path relative to the root.
        path: String,
        /// Number of the first line, 1-based.
        start_line: u32,
        /// The lines.
        text: String,
    },
    /// It could not be read; the reason is shown to the caller.
    Failed(String),
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MapReduced {
    /// One for each source that could be read, in the order of the sources.
    pub map_results: Vec<MapResult>,
    /// The most relevant lines of all sources as `path:line: text`, best file first.
    pub reduce_result: String,
    /// The same as passages.
    pub reduce_extracts: Vec<Extract>,
    /// Sources that could be read.
    pub sources_processed: usize,
    /// Sources that could not.
    pub sources_failed: usize,
    /// The sources that could not be read, with the reasons.
    pub failed: Vec<FailedSource>,
    /// Model tokens of `reduce_result`.
    pub tokens_used: u32,
    /// The budget of `reduce_result`.
    pub tokens_budget: u32,
    /// Model tokens of the budget of `reduce_result` that are left.
    pub tokens_remaining: u32,
}

/// The result for one source.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MapResult {
    /// As the caller named it.
    pub source: String,
    /// Its most relevant lines as `path:line: text`, in order; empty when none has a word of the prompt.
    pub result: String,
    /// The same as passages.
    pub extracts: Vec<Extract>,
}

/// Consecutive lines of a source.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Extract {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// The lines, verbatim, without the last line break.
    pub text: String,
    /// Sum of the weights of the words it has, 0 upwards; comparable within one answer.
    pub score: f64,
}

/// A source that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FailedSource {
    /// As the caller named it.
    pub source: String,
    /// Why it could not be read.
    pub reason: String,
}

/// First finds in each source the lines that have words of `map_prompt`, rare words first, with two lines around each.
/// Then finds the most relevant of these by the words of all prompts: the best passage of every source before the
/// second one of any.
///
/// A word weighs more the fewer lines of all sources have it. Results contain only whole lines of sources, and no
/// result exceeds its budget. Cost: one pass over the words of all sources.
///
/// # Errors
///
/// [`Error::Invalid`] when the task, a prompt or the sources are empty or too many.
pub fn map_reduce(request: &MapReduceRequest<'_>) -> Result<MapReduced, Error> {
    in_bounds("task", "characters", request.task.chars().count(), 1, TASK_CHARACTERS_MOST)?;
    in_bounds("map_prompt", "characters", request.map_prompt.chars().count(), 1, PROMPT_CHARACTERS_MOST)?;
    in_bounds("reduce_prompt", "characters", request.reduce_prompt.chars().count(), 1, PROMPT_CHARACTERS_MOST)?;
    in_bounds("sources", "sources", request.sources.len(), 1, SOURCES_MOST)?;
    let mut wanted = PromptTerms::of(request.task, request.map_prompt, request.reduce_prompt);
    let mut read = Vec::new();
    let mut failed = Vec::new();
    for source in request.sources {
        match &source.content {
            SourceContent::Failed(reason) => {
                failed.push(FailedSource { source: source.source.clone(), reason: reason.clone() });
            }
            SourceContent::Lines { path, start_line, text } => {
                read.push((source.source.as_str(), SourceLines::of(path, *start_line, text, &wanted)));
            }
        }
    }
    wanted.weigh(read.iter().flat_map(|(_, source)| source.masks()));
    let found: Vec<Vec<Passage>> =
        read.iter().map(|(_, source)| source.passages(&wanted, request.map_tokens)).collect();
    let shown = |((name, source), passages): (&(&str, SourceLines<'_>), &Vec<Passage>)| MapResult {
        source: (*name).to_owned(),
        result: passages.iter().map(|passage| source.text_of(passage)).collect(),
        extracts: passages
            .iter()
            .map(|passage| source.extract(passage, wanted.weight(passage.mask, Phase::Map)))
            .collect(),
    };
    let map_results: Vec<MapResult> = read.iter().zip(&found).map(shown).collect();
    let sources: Vec<&SourceLines<'_>> = read.iter().map(|(_, source)| source).collect();
    let (reduce_result, reduce_extracts) = reduce::reduce(&sources, &found, &wanted, request.reduce_tokens);
    let tokens_used = model_tokens(reduce_result.as_bytes());
    Ok(MapReduced {
        sources_processed: map_results.len(),
        map_results,
        reduce_result,
        reduce_extracts,
        sources_failed: failed.len(),
        failed,
        tokens_used,
        tokens_budget: request.reduce_tokens,
        tokens_remaining: request.reduce_tokens.saturating_sub(tokens_used),
    })
}

/// A line as a result shows it.
fn shown_line(path: &str, number: u32, text: &str) -> String {
    format!("{}:{number}: {text}\n", one_line(path))
}

#[cfg(test)]
mod tests;
