//! `icr bench-impact`

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use icr_engine::{MethodScores, Replay, ReplayRequest, Task};
use icr_impact::expect::FEATURES;
use serde_json::json;

use crate::arguments::Global;
use crate::commands::impact::open_file;
use crate::context::Context;
use crate::output::{Output, Style};
use crate::problem::{self, Usage};

/// Replay past commits: measure whether impact would have predicted the files that they changed
///
/// For each commit, only what was known before it is used. The ranking of `icr impact` is compared with simple
/// rankings: files of the same directory, neighbours by import, and two published rules over history (ROSE, TARMAQ).
#[derive(Debug, Args)]
pub(crate) struct BenchImpact {
    /// Commits to replay, newest first: without merges, with 2 to 20 files, at least one of them source code
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=2000))]
    commits: u32,
    /// Write every candidate of every question to this file, one line of JSON each; used to fit the weights
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
}

impl BenchImpact {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        refuse_view(global)?;
        let context = Context::open(global)?;
        let request = ReplayRequest { commits: self.commits as usize, keep_rows: self.dump.is_some() };
        let replay = icr_engine::replay(&context.engine, &request, &context.bar(), &context.file_bar("replaying"))?;
        if let Some(path) = &self.dump {
            dump(path, &replay)?;
        }
        let code = if replay.commits == 0 { problem::FINDING } else { problem::OK };
        if output.is_json() {
            output.json(&serde_json::to_value(&replay)?)?;
            return Ok(code);
        }
        draw(output, &replay)?;
        Ok(code)
    }
}

fn refuse_view(global: &Global) -> Result<(), Usage> {
    match &global.at {
        Some(_) => Err(Usage {
            message: "`--at` names one view, and `icr bench-impact` replays the commits before HEAD".to_owned(),
            hint: Some("leave out `--at`; `--commits` says how many commits are replayed".to_owned()),
        }),
        None => Ok(()),
    }
}

fn dump(path: &Path, replay: &Replay) -> anyhow::Result<()> {
    let file = open_file(path, std::fs::File::options().create(true).truncate(true))?;
    let mut file = std::io::BufWriter::new(file);
    let names: Vec<&str> = FEATURES.iter().map(|feature| feature.name).collect();
    writeln!(file, "{}", json!({ "features": names }))?;
    for row in &replay.rows {
        let task = match row.task {
            Task::OneKnown => "one_known",
            Task::OneMissing => "one_missing",
            Task::Complete => "complete",
        };
        let line = json!({"question": row.question, "task": task, "label": row.label, "short": row.short, "values": row.features.as_slice()});
        writeln!(file, "{line}")?;
    }
    Ok(file.flush()?)
}

fn draw(output: &mut Output, replay: &Replay) -> std::io::Result<()> {
    if replay.commits == 0 {
        return output.line("no commit to replay: none changed 2 to 20 files that were there before");
    }
    output.line(format_args!("{} commits, {} questions", replay.commits, replay.questions))?;
    output.line("")?;
    let head =
        format!("{:<18}  {:^31}  {:^31}  {:>24}", "", "one file known", "one file missing", "warnings at 5 % / 10 %");
    output.line(output.styled(Style::Faint, head))?;
    let scores = "R@5   R@10    MRR    MAP";
    let head = format!("{:<18}  {scores:>31}  {scores:>31}  {:>24}", "method", "recall (precision)");
    output.line(output.styled(Style::Faint, head))?;
    for method in &replay.methods {
        output.line(row(method))?;
    }
    output.line("")?;
    output.line(format_args!("impact miss rate at 10: {:.3}", replay.impact_miss_rate))?;
    let Some(calibration) = &replay.calibration else { return Ok(()) };
    output.line("")?;
    output.line(output.styled(Style::Faint, "probability       cases   said   came"))?;
    for bin in &calibration.bins {
        let range = format!("{:.1} to {:.1}", bin.from, bin.from + 0.1);
        output.line(format_args!("{range}  {:>12}  {:.3}  {:.3}", bin.cases, bin.predicted, bin.observed))?;
    }
    output.line(format_args!("expected calibration error: {:.4}", calibration.expected_calibration_error))
}

fn row(method: &MethodScores) -> String {
    let task = |task: &icr_engine::TaskScores| {
        format!("{:>7.3}{:>8.3}{:>8.3}{:>8.3}", task.recall_at_5, task.recall_at_10, task.mrr, task.map)
    };
    let warnings = method.warnings.iter().take(2).map(|warning| {
        let precision = warning.precision.map_or("-".to_owned(), |precision| format!("{precision:.2}"));
        format!("{:.3} ({precision})", warning.recall)
    });
    let warnings: Vec<String> = warnings.collect();
    format!(
        "{:<18}  {}  {}  {:>24}",
        method.method,
        task(&method.one_known),
        task(&method.one_missing),
        warnings.join("  ")
    )
}
