//! `icr search`

use clap::{Args, ValueEnum};
use icr_engine::{GrepRequest, SearchRequest};

use crate::arguments::Global;
use crate::context::Context;
use crate::output::{Output, Style, lacking};
use crate::problem::{self, Usage};

/// Find files by words, or lines by a pattern
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words; with `--mode grep`, a text or pattern
    #[arg(required = true)]
    query: Vec<String>,
    /// How to search
    #[arg(long, value_enum, default_value_t = Mode::Hybrid)]
    mode: Mode,
    /// Only files in this language
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<String>,
    /// Only files below this path
    #[arg(long, value_name = "PREFIX")]
    path: Option<String>,
    /// Most results
    #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Show how each score came about
    #[arg(long)]
    explain: bool,
    /// With `--mode grep`: the query is a regular expression
    #[arg(short = 'e', long)]
    regex: bool,
    /// With `--mode grep`: ignore case [default: unless the query has a capital]
    #[arg(short = 'i', long)]
    ignore_case: bool,
}

/// Ways of searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Everything that is indexed, fused.
    Hybrid,
    /// Words in texts, names, comments and paths.
    Lexical,
    /// Meaning.
    Semantic,
    /// Lines that hold the text.
    Grep,
}

impl Search {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        match self.mode {
            Mode::Hybrid | Mode::Lexical => self.words(global, output),
            Mode::Grep => self.lines(global, output),
            Mode::Semantic => Err(Usage {
                message: "`--mode semantic` needs vectors, and this version of icr makes none".to_owned(),
                hint: Some("`--mode lexical` searches words, `--mode grep` lines".to_owned()),
            }
            .into()),
        }
    }

    fn words(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let request = SearchRequest {
            query: self.query.join(" "),
            limit: self.limit as usize,
            language: self.lang.clone(),
            path_prefix: self.path.clone(),
            ..SearchRequest::default()
        };
        let (mut found, provenance) = Context::open(global)?.ask(|snapshot| snapshot.search(&request))?;
        if !self.explain {
            found.results.iter_mut().for_each(|hit| hit.explanation.clear());
        }
        let code = if found.results.is_empty() { problem::FINDING } else { problem::OK };
        output.answer(&found, &lacking(&provenance, &found.gaps), code, |output| {
            for hit in &found.results {
                let place = output.styled(Style::Name, &hit.path);
                let lines = output.styled(Style::Number, format_args!("{}-{}", hit.start_line, hit.end_line));
                let symbol = hit.symbol.as_deref().map(|symbol| format!("  {symbol}")).unwrap_or_default();
                let score = output.styled(Style::Faint, format_args!("{:.3}", hit.score));
                output.line(format_args!("{place}:{lines}{symbol}  {score}"))?;
                if !hit.explanation.is_empty() {
                    let parts: Vec<String> =
                        hit.explanation.iter().map(|(name, part)| format!("{name} {part:.3}")).collect();
                    output.line(format_args!("    {} = {:.3}", parts.join(", "), hit.score))?;
                }
                for line in hit.preview.lines() {
                    let line = output.styled(Style::Faint, line);
                    output.line(format_args!("    {line}"))?;
                }
            }
            Ok(())
        })
    }

    fn lines(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let request = GrepRequest {
            pattern: self.query.join(" "),
            regex: self.regex,
            case_sensitive: self.ignore_case.then_some(false),
            limit: self.limit as usize,
            language: self.lang.clone(),
            path_prefix: self.path.clone(),
        };
        let (found, provenance) = Context::open(global)?.ask(|snapshot| snapshot.grep(&request))?;
        let code = if found.results.is_empty() { problem::FINDING } else { problem::OK };
        output.answer(&found, &lacking(&provenance, &found.gaps), code, |output| {
            for hit in &found.results {
                let place = output.styled(Style::Name, &hit.path);
                let line = output.styled(Style::Number, hit.start_line);
                output.line(format_args!("{place}:{line}: {}", hit.preview))?;
            }
            let shown = found.results.len() as u64;
            if shown < found.total_count {
                let more =
                    format!("{shown} of {} lines in {} files; `-n` shows more", found.total_count, found.files_total);
                output.line(output.styled(Style::Faint, more))?;
            }
            Ok(())
        })
    }
}
