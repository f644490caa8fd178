//! `rlm_map_reduce`: the lines of many files that a task is about.

use std::collections::HashSet;

use icr_engine::MapReduceRequest;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::paths::all_relative;
use crate::reply::Reply;
use icr_serve::CallFailure;

/// Most model tokens from one source: about twenty lines.
const MAP_TOKENS: u32 = 400;

/// Least model tokens from one source: a line or two.
const MAP_TOKENS_LEAST: u32 = 40;

/// Most model tokens in the end.
const REDUCE_TOKENS: u32 = 2_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct RlmMapReduceInput {
    #[schemars(length(min = 1, max = 5000))]
    task: String,
    /// `path`, `path:10-40` or `path:symbol`
    #[schemars(length(min = 1, max = 100), inner(length(max = 5000)))]
    sources: Vec<String>,
    #[schemars(length(min = 1, max = 2000))]
    map_prompt: String,
    #[schemars(length(min = 1, max = 2000))]
    reduce_prompt: String,
    #[serde(default = "max_parallel")]
    #[schemars(range(min = 1, max = 20))]
    #[expect(dead_code, reason = "clients may say how parallel a model may be asked, and none is asked")]
    max_parallel: u32,
}

fn max_parallel() -> u32 {
    5
}

/// The finding of a source. Lines that are in `merged` too are replaced by their ranges of line numbers.
fn without_merged_lines(result: &str, merged: &HashSet<&str>) -> String {
    let number = |line: &str| line.split(':').nth(1).and_then(|number| number.parse::<u32>().ok());
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut others = Vec::new();
    for line in result.lines() {
        match number(line).filter(|_| merged.contains(line)) {
            Some(number) => match ranges.last_mut() {
                Some((_, end)) if *end + 1 == number => *end = number,
                _ => ranges.push((number, number)),
            },
            None => others.push(line),
        }
    }
    let range = |(start, end): &(u32, u32)| if start == end { start.to_string() } else { format!("{start}-{end}") };
    let mut said = Vec::new();
    if !ranges.is_empty() {
        let ranges: Vec<String> = ranges.iter().map(range).collect();
        said.push(format!("lines {} of reduce_result", ranges.join(", ")));
    }
    said.extend(others.into_iter().map(str::to_owned));
    said.join("\n")
}

pub(crate) fn run(call: &CallContext<'_>, input: RlmMapReduceInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let sources = all_relative(repository.root(), "sources", &input.sources)?;
    // The findings of all sources must fit beside the merged result.
    let room = call.settings.limits.soft_tokens.saturating_sub(REDUCE_TOKENS * 2);
    let share = room / u32::try_from(sources.len()).unwrap_or(u32::MAX).max(1) / 2;
    let request = MapReduceRequest {
        task: input.task,
        map_prompt: input.map_prompt,
        reduce_prompt: input.reduce_prompt,
        sources,
        map_tokens: share.clamp(MAP_TOKENS_LEAST, MAP_TOKENS),
        reduce_tokens: REDUCE_TOKENS,
        time_limit: call.remaining(),
    };
    let (answer, provenance) = call.ask(&repository, |snapshot| icr_engine::map_reduce(snapshot, &request))?;
    let reduced = &answer.reduced;
    let merged: HashSet<&str> = reduced.reduce_result.lines().collect();
    let results: Vec<Value> = reduced
        .map_results
        .iter()
        .map(|result| json!({ "source": result.source, "result": without_merged_lines(&result.result, &merged) }))
        .collect();
    let mut data = json!({
        "map_results": results,
        "reduce_result": reduced.reduce_result,
        "sources_processed": reduced.sources_processed,
        "sources_failed": reduced.sources_failed,
    });
    if !reduced.failed.is_empty() {
        data["failed"] = json!(reduced.failed);
    }
    let metadata = &answer.metadata;
    Ok(Reply::of(&data)?
        .from(provenance)
        .with("map_duration_ms", metadata.read_duration_ms)
        .with("reduce_duration_ms", metadata.duration_ms.saturating_sub(metadata.read_duration_ms))
        .with("generative", metadata.generative))
}
