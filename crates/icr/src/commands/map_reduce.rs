//! `icr map-reduce`

use clap::Args;
use icr_engine::MapReduceRequest;

use crate::arguments::Global;
use crate::context::Context;
use crate::output::{Output, note};
use crate::problem;

/// Print the lines of many sources that a task is about
///
/// Every printed line is a line of a source, as `path:line: text`; no model writes anything. `--map` says what to look
/// for in each source. `--reduce` says what to keep of all results: each source's best line comes before any source's
/// second.
#[derive(Debug, Args)]
pub(crate) struct MapReduce {
    /// The task, in words
    pub(crate) task: String,
    /// What to look for in each source; `{content}` may stand for the source
    #[arg(long, value_name = "PROMPT")]
    map: String,
    /// What to keep of the results; `{results}` may stand for them
    #[arg(long, value_name = "PROMPT")]
    reduce: String,
    /// Sources: `path`, `path:10`, `path:10-40` or `path:symbol`; 1 to 100
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<String>,
    /// Most model tokens from one source
    #[arg(long, default_value_t = 400, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    map_budget: u32,
    /// Most model tokens in the output
    #[arg(long, default_value_t = 2_000, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1..=32_000))]
    budget: u32,
}

impl MapReduce {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let request = MapReduceRequest {
            task: self.task.clone(),
            map_prompt: self.map.clone(),
            reduce_prompt: self.reduce.clone(),
            sources: self.sources.clone(),
            map_tokens: self.map_budget,
            reduce_tokens: self.budget,
            time_limit: context.config.get_duration("rlm.map_reduce_timeout"),
        };
        let (answer, provenance) = context.ask(|snapshot| icr_engine::map_reduce(snapshot, &request))?;
        let reduced = &answer.reduced;
        let code = if reduced.reduce_result.is_empty() { problem::FINDING } else { problem::OK };
        let code = output.answer(&answer, &provenance, code, |output| {
            reduced.reduce_result.lines().try_for_each(|line| output.line(line))
        })?;
        let code = if reduced.failed.is_empty() { code } else { output.partial(code) };
        if !global.quiet && !output.is_json() {
            let mut stderr = std::io::stderr().lock();
            for failed in &reduced.failed {
                note(&mut stderr, &format!("`{}` is left out: {}", failed.source, failed.reason));
            }
        }
        Ok(code)
    }
}
