//! `icr bench-retrieval`

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use icr_engine::{
    Golden, GoldenChange, RERANK_FEATURES, RetrievalBench, RetrievalQuestion, RetrievalRequest, RetrievalScores,
    SearchMode,
};
use serde_json::json;

use crate::arguments::Global;
use crate::commands::impact::write_file;
use crate::context::Context;
use crate::output::{Output, Style, count_text};
use crate::problem::{self, Usage};

/// Ask questions with known answers: how high does search rank them
///
/// A question is a line of JSON: {"query": "…", "expected": [{"path": "…"}]}. A question may also have a `category`,
/// and an expected place a `symbol`, `start_line` with `end_line`, and a `grade` from 1 to 3. Figures are means over
/// the questions. NDCG@10 uses the grades as gains. Recall is the share of the expected files that were found, divided
/// by the largest possible share. If a question expects lines, they count as found when the place that one of the first
/// hits shows overlaps them in the same file and is smaller than half the file.
#[derive(Debug, Args)]
pub(crate) struct BenchRetrieval {
    /// Files of questions
    #[arg(required = true, value_name = "FILE")]
    questions: Vec<PathBuf>,
    /// How to search
    #[arg(long, value_enum, default_value_t = RankedSearchMode::Hybrid)]
    mode: RankedSearchMode,
    /// Number of hits that are checked for the expected lines; ranks are computed over at least ten
    #[arg(short = 'k', long = "hits", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    hits: u32,
    /// Compare with the ranks recorded in this file; exit with 1 when any differs
    #[arg(long, value_name = "FILE")]
    golden: Option<PathBuf>,
    /// Record the ranks in the file of `--golden` instead
    #[arg(long, requires = "golden")]
    update: bool,
    /// Write the features of the first files of every question to this file, one line of JSON each; used to fit the
    /// weights
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
}

/// Search modes that rank their results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RankedSearchMode {
    /// Everything that is indexed, fused.
    Hybrid,
    /// Words in texts, names, comments and paths.
    Lexical,
    /// Similarity of meaning, by vectors.
    Semantic,
}

impl From<RankedSearchMode> for SearchMode {
    fn from(mode: RankedSearchMode) -> Self {
        match mode {
            RankedSearchMode::Hybrid => Self::Hybrid,
            RankedSearchMode::Lexical => Self::Lexical,
            RankedSearchMode::Semantic => Self::Semantic,
        }
    }
}

impl BenchRetrieval {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        self.refuse_empty_dump()?;
        // Errors in the files are reported before anything is indexed.
        let questions = self.questions()?;
        let recorded = match &self.golden {
            Some(path) if !self.update => Some(read_golden(path)?),
            _ => None,
        };
        let context = Context::open(global)?;
        let (mode, hits, keep_features) = (self.mode.into(), self.hits as usize, self.dump.is_some());
        let request = RetrievalRequest { questions, mode, hits, keep_features };
        let bar = context.file_bar("asking");
        let (bench, provenance) = context.ask(|snapshot| icr_engine::bench_retrieval(snapshot, &request, &bar))?;
        drop(bar);
        if let Some(path) = &self.dump {
            dump(path, &bench, &request.questions)?;
        }
        let now = Golden::of(&bench);
        if let Some(path) = self.golden.as_ref().filter(|_| self.update) {
            write_golden(path, &now)?;
        }
        let changes = recorded.map(|recorded| recorded.changes(&now));
        let code =
            if changes.as_ref().is_some_and(|changes| !changes.is_empty()) { problem::FINDING } else { problem::OK };
        let mut answer = serde_json::to_value(&bench)?;
        if let Some(changes) = &changes {
            answer["changes"] = json!(changes);
        }
        output.answer(&answer, &provenance.with_gaps(&bench.gaps), code, |output| {
            draw(output, &bench)?;
            match (&changes, &self.golden) {
                (Some(changes), Some(path)) => draw_changes(output, changes, path),
                (None, Some(path)) => output.line(format_args!("\nrecorded in `{}`", path.display())),
                _ => Ok(()),
            }
        })
    }

    fn refuse_empty_dump(&self) -> Result<(), Usage> {
        match (&self.dump, self.mode) {
            (Some(_), RankedSearchMode::Semantic) => Err(Usage {
                message:
                    "`--dump` writes what is found where files are read again, and `--mode semantic` reads none again"
                        .to_owned(),
                hint: Some("`--mode hybrid` or `--mode lexical`".to_owned()),
            }),
            _ => Ok(()),
        }
    }

    fn questions(&self) -> anyhow::Result<Vec<RetrievalQuestion>> {
        let mut questions = Vec::new();
        for path in &self.questions {
            let hint = || Some("each line is {\"query\": \"…\", \"expected\": [{\"path\": \"…\"}]}".to_owned());
            let read = icr_engine::read_questions(&path.display().to_string(), &text_of(path, hint)?);
            questions.extend(read.map_err(|error| Usage { message: error.to_string(), hint: hint() })?);
        }
        Ok(questions)
    }
}

/// Largest file of questions or ranks, in bytes: room for some hundred thousand of them.
const BYTES_MOST: u64 = 64 << 20;

fn text_of(path: &Path, hint: impl Fn() -> Option<String>) -> Result<String, Usage> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(BYTES_MOST + 1).read_to_string(&mut text));
    let refused =
        |reason: String| Usage { message: format!("`{}` cannot be read: {reason}", path.display()), hint: hint() };
    match read {
        Ok(_) if text.len() as u64 > BYTES_MOST => Err(refused(format!("it has more than {} MiB", BYTES_MOST >> 20))),
        Ok(_) => Ok(text),
        Err(error) => Err(refused(error.to_string())),
    }
}

/// Overwrites a file only if `is_ours` accepts its text or it is empty.
fn write_over(path: &Path, text: &str, what: &str, is_ours: impl Fn(&str) -> bool) -> anyhow::Result<()> {
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0) {
        let hint = || Some("name a new file, or delete this one first".to_owned());
        let before = text_of(path, hint)?;
        if !is_ours(&before) {
            let message = format!("`{}` is not overwritten: it holds no {what}", path.display());
            return Err(Usage { message, hint: hint() }.into());
        }
    }
    write_file(path, text.as_bytes())
}

fn read_golden(path: &Path) -> Result<Golden, Usage> {
    let hint = || Some("`--update` records the present ranks there".to_owned());
    let text = text_of(path, hint)?;
    Golden::parse(&text).map_err(|error| Usage { message: format!("`{}`, {error}", path.display()), hint: hint() })
}

fn write_golden(path: &Path, golden: &Golden) -> anyhow::Result<()> {
    write_over(path, &golden.to_string(), "recorded ranks", |text| Golden::parse(text).is_ok())
}

/// Writes a line with the names of the features, then one line per question: the files that were reranked, in their
/// order before, each with its grade and features, and the number of expected files.
fn dump(path: &Path, bench: &RetrievalBench, questions: &[RetrievalQuestion]) -> anyhow::Result<()> {
    let mut text = String::new();
    let names: Vec<&str> = RERANK_FEATURES.iter().map(|feature| feature.name).collect();
    text.push_str(&format!("{}\n", json!({ "features": names })));
    for (question, candidates) in questions.iter().zip(&bench.candidates) {
        let grades: Vec<u8> = candidates.iter().map(|candidate| candidate.grade).collect();
        let values: Vec<&[f64]> = candidates.iter().map(|candidate| candidate.features.as_slice()).collect();
        let expected: BTreeSet<&str> = question.expected.iter().map(|place| place.path.as_str()).collect();
        let expected = expected.len();
        let line = json!({"category": question.category, "expected": expected, "grades": grades, "values": values});
        text.push_str(&format!("{line}\n"));
    }
    write_over(path, &text, "features", |text| text.starts_with("{\"features\":"))
}

fn draw(output: &mut Output, bench: &RetrievalBench) -> std::io::Result<()> {
    let head = format!(
        "{:<16}  {:>7}  {:>7}  {:>5}  {:>5}  {:>5}  {:>5}  {:>5}  {:>7}",
        bench.mode.name(),
        "queries",
        "NDCG@10",
        "MRR",
        "R@1",
        "R@5",
        "R@10",
        "lines",
        "p50 ms"
    );
    output.line(output.styled(Style::Faint, head))?;
    for row in &bench.categories {
        output.line(figures(&row.category, &row.scores))?;
    }
    output.line(figures("all", &bench.total))?;
    if !bench.absent.is_empty() {
        let places = count_text(bench.absent.len() as u64, "expected place is", "expected places are");
        output.line(format_args!("\n{places} not there, and counted as never found:"))?;
    }
    for absent in &bench.absent {
        let place = output.styled(Style::Name, &absent.place);
        output.line(format_args!("    {place}  {}  ({})", absent.reason, absent.query))?;
    }
    Ok(())
}

fn figures(name: &str, scores: &RetrievalScores) -> String {
    let lines = scores.right_lines.map_or_else(|| "-".to_owned(), |right| format!("{right:.3}"));
    format!(
        "{name:<16}  {:>7}  {:>7.3}  {:>5.3}  {:>5.3}  {:>5.3}  {:>5.3}  {lines:>5}  {:>7.2}",
        scores.queries,
        scores.ndcg_at_10,
        scores.mrr,
        scores.recall_at_1,
        scores.recall_at_5,
        scores.recall_at_10,
        scores.p50_ms,
    )
}

fn draw_changes(output: &mut Output, changes: &[GoldenChange], path: &Path) -> std::io::Result<()> {
    if changes.is_empty() {
        return output.line(format_args!("\nas recorded in `{}`", path.display()));
    }
    let count = count_text(changes.len() as u64, "difference", "differences");
    output.line(format_args!("\n{count} from `{}`; `--update` accepts:", path.display()))?;
    changes.iter().try_for_each(|change| output.line(format_args!("    {change}")))
}
