//! `icr bench-pack`

use std::io::IsTerminal;

use clap::Args;
use icr_engine::{PackBench, PackBenchBudget, PackBenchRequest, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::arguments::Global;
use crate::commands::pack::{budgets, rules};
use crate::config::ResolvedConfig;
use crate::context::{Context, refuse_read_only};
use crate::output::{Output, Style, count_text};
use crate::problem::{self, Usage};

/// Default budgets, in model tokens; those above `pack.max_budget_tokens` are left out.
const USUAL_BUDGETS: [u32; 3] = [2_000, 4_000, 8_000];

/// Explanation below the tables, at most 80 columns wide.
const LEGEND: [&str; 6] = [
    "hunks   share of a file's changed hunks of which a line is in the pack",
    "files   share of the changed files of which a line is in the pack",
    "bm25    the chunks that BM25 of their text puts first",
    "random  source code in any order: what chance gives",
    "[ , ]   95 % interval of the difference in hunks, over the commits;",
    "        where it holds 0, no difference is shown",
];

/// Replay past commits: measure how much of their changes was in the pack for their message
///
/// For each commit, the pack is made at its parent, from what was known before the commit. A hunk counts as found when
/// one of its lines is in the pack. Figures are means over the commits. The pack is compared with the best chunks by
/// BM25 of their text, and with source code chunks in arbitrary order. With `--at`, the history of that revision is
/// replayed. The trees before the commits are added to the store; `icr gc` removes them once no ref, worktree, stash or
/// reflog entry reaches them.
#[derive(Debug, Args)]
pub(crate) struct BenchPack {
    /// Commits to replay, newest first: without merges, with 1 to 20 files, at least one of them source code that is
    /// not a test
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=2000))]
    commits: u32,
    /// Budgets in model tokens, separated by commas or spaces; at most `pack.max_budget_tokens` [default:
    /// 2000,4000,8000]
    #[arg(long, value_name = "TOKENS", num_args = 1.., value_delimiter = ',')]
    budgets: Vec<u32>,
}

impl BenchPack {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        refuse_read_only(global, "icr bench-pack")?;
        let context = Context::open(global)?;
        let request = PackBenchRequest {
            at: context.at.clone(),
            commits: self.commits as usize,
            budgets: self.allowed_budgets(&context.config)?,
            rules: rules(&context.config),
        };
        let bar = CommitBar::new(global.quiet);
        let (bench, provenance) = icr_engine::bench_packs(&context.engine, &request, &context.bar(), &bar)?;
        drop(bar);
        let code = if bench.commits == 0 { problem::FINDING } else { problem::OK };
        output.answer(&bench, &provenance, code, |output| draw(output, &bench))
    }

    /// The budgets to measure. An error if one that was asked for is above the configured limit.
    fn allowed_budgets(&self, config: &ResolvedConfig) -> Result<Vec<u32>, Usage> {
        let allowed = budgets(config);
        if self.budgets.is_empty() {
            return Ok(USUAL_BUDGETS.into_iter().filter(|budget| allowed.choose(Some(*budget)).is_ok()).collect());
        }
        let refused = |error: icr_engine::Error| Usage {
            message: format!("`--budgets`: {error}"),
            hint: Some("`pack.max_budget_tokens` is the upper bound".to_owned()),
        };
        self.budgets.iter().map(|budget| allowed.choose(Some(*budget)).map_err(refused)).collect()
    }
}

fn draw(output: &mut Output, bench: &PackBench) -> std::io::Result<()> {
    if bench.commits_read == 0 {
        return output.line("no commit to replay: there is none yet");
    }
    if bench.commits == 0 {
        return output.line(format_args!("no commit to replay: {}", left_out(bench)));
    }
    let commits = count_text(bench.commits as u64, "commit", "commits");
    let files = count_text(bench.files as u64, "changed file", "changed files");
    output.line(format_args!("{commits}, {files}; the search finds nothing for {}", bench.unanswered))?;
    output.line(output.styled(Style::Faint, left_out(bench)))?;
    for budget in &bench.budgets {
        output.line("")?;
        draw_budget(output, budget)?;
    }
    output.line("")?;
    LEGEND.iter().try_for_each(|line| output.line(output.styled(Style::Faint, line)))
}

/// Text with the number of commits that were read but not replayed, by reason.
fn left_out(bench: &PackBench) -> String {
    let left_out = &bench.left_out;
    let reasons = [
        (left_out.without_one_parent, "is a merge or has no parent", "are merges or have no parent"),
        (left_out.with_unknown_changes, "has changes that are not known here", "have changes that are not known here"),
        (left_out.with_many_files, "changes more than 20 files", "change more than 20 files"),
        (left_out.without_words, "has a message without words", "have messages without words"),
        (
            left_out.without_source_code,
            "changes no source code (tests aside) that was there before",
            "change no source code (tests aside) that was there before",
        ),
        (left_out.without_indexed_lines, "changes no line that is indexed", "change no line that is indexed"),
    ];
    let counts = reasons.iter().filter(|(count, ..)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, one, many)| count_text(*count as u64, one, many)).collect();
    let counts = if counts.is_empty() { "none is left out".to_owned() } else { counts.join(", ") };
    format!("of {} read, {counts}", count_text(bench.commits_read as u64, "commit", "commits"))
}

fn draw_budget(output: &mut Output, budget: &PackBenchBudget) -> std::io::Result<()> {
    let tokens = format!("{} tokens", budget.budget_tokens);
    let head = format!("{tokens:<20}  {:>6}  {:>6}  {:>7}", "hunks", "files", "tokens");
    output.line(output.styled(Style::Faint, head))?;
    for method in &budget.methods {
        let (hunks, files) = (method.hunks, method.files);
        output.line(format_args!("{:<20}  {hunks:>6.3}  {files:>6.3}  {:>7.0}", method.method, method.tokens))?;
    }
    let [low, high] = budget.gain_interval;
    let verdict = if (low..=high).contains(&0.0) { "  no difference shown" } else { "" };
    output.line(format_args!("{:<20}  {:>+6.3}  [{low:+.3}, {high:+.3}]{verdict}", "pack over bm25", budget.gain))
}

/// A progress bar over the replayed commits, shown when stderr is a terminal.
struct CommitBar {
    bar: ProgressBar,
}

impl CommitBar {
    fn new(quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let template = "replaying {bar:40} {pos}/{len} commits  {eta} left";
        let style = ProgressStyle::with_template(template).expect("the template is a constant");
        Self { bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style) }
    }
}

impl Progress for CommitBar {
    fn total(&self, commits: u64) {
        // The time so far includes indexing the revision before, so the estimate starts anew.
        self.bar.reset_eta();
        self.bar.set_length(commits);
    }

    fn count_file(&self) {
        self.bar.inc(1);
    }
}

impl Drop for CommitBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
