//! `icr bench-pack`

use clap::Args;
use icr_engine::{PackBench, PackBenchRequest, PackBudgets};

use crate::arguments::Global;
use crate::commands::pack::rules;
use crate::context::Context;
use crate::output::{Output, Style, counted};
use crate::problem::{self, Usage};

/// Replay past commits: how much of what they changed was in the pack for their message
///
/// For each commit, the pack is made at its parent, with what was known before it. A hunk is held when a line of it is in the pack;
/// figures are means over the commits. Beside the pack stand the chunks that BM25 of their text puts first, and chunks of source
/// code in any order.
#[derive(Debug, Args)]
pub(crate) struct BenchPack {
    /// Commits to replay, newest first: no merges, 1 to 20 files, source code that is no test among them
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=2000))]
    commits: u32,
    /// Budgets, in model tokens
    #[arg(long, value_name = "TOKENS", value_delimiter = ',', default_values_t = [2_000, 4_000, 8_000])]
    budgets: Vec<u32>,
}

impl BenchPack {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        for budget in &self.budgets {
            PackBudgets::default().choose(Some(*budget)).map_err(|error| Usage {
                message: format!("`--budgets`: {error}"),
                hint: Some("budgets are separated by commas: `--budgets 2000,8000`".to_owned()),
            })?;
        }
        let context = Context::open(global)?;
        let request = PackBenchRequest {
            commits: self.commits as usize,
            budgets: self.budgets.clone(),
            rules: rules(&context.config),
        };
        let bench = context.engine.bench_packs(&request, &context.bar(), &context.file_bar("replaying"))?;
        let code = if bench.commits == 0 { problem::FINDING } else { problem::OK };
        if output.is_json() {
            output.json(&serde_json::to_value(&bench)?)?;
            return Ok(code);
        }
        draw(output, &bench)?;
        Ok(code)
    }
}

fn draw(output: &mut Output, bench: &PackBench) -> std::io::Result<()> {
    if bench.commits == 0 {
        return output.line("no commit to replay: none changed source code that was there before");
    }
    let commits = counted(bench.commits as u64, "commit", "commits");
    let files = counted(bench.files as u64, "changed file", "changed files");
    output.line(format_args!("{commits}, {files}; the search finds nothing for {}", bench.unanswered))?;
    for budget in &bench.budgets {
        output.line("")?;
        let head = format!(
            "{:<20}  {:>6}  {:>6}  {:>7}",
            format!("{} tokens", budget.budget_tokens),
            "hunks",
            "files",
            "tokens"
        );
        output.line(output.styled(Style::Faint, head))?;
        for method in &budget.methods {
            let (hunks, files) = (method.hunks, method.files);
            output.line(format_args!("{:<20}  {hunks:>6.3}  {files:>6.3}  {:>7.0}", method.method, method.tokens))?;
        }
        let [low, high] = budget.gain_interval;
        output.line(format_args!("{:<20}  {:>+6.3}  [{low:+.3}, {high:+.3}]", "pack over bm25", budget.gain))?;
    }
    Ok(())
}
