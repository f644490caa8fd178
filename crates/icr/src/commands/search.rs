//! `icr search`

use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use icr_engine::{Channel, Deadline, Gap, GrepRequest, SearchMode, SearchRequest, SearchScope, Strength};
use icr_impact::report::visible;

use super::pin::now;
use crate::arguments::Global;
use crate::context::Context;
use crate::output::{Output, Style};
use crate::problem::{self, Usage};

/// Seconds in a day.
const DAY: u64 = 86_400;

/// Find files by words and meaning, hunks of what changed, or lines by a pattern
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words; with `--mode grep`, a text or pattern
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// How to search
    #[arg(long, value_enum, default_value_t = Mode::Hybrid)]
    mode: Mode,
    /// Where to search
    #[arg(long, value_enum, default_value_t = Scope::Repo)]
    scope: Scope,
    /// Only files in this language
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<String>,
    /// Only files below this path
    #[arg(long, value_name = "PREFIX")]
    path: Option<String>,
    /// What you work on: files below this path count a little more; may be given again
    #[arg(long, value_name = "PREFIX")]
    focus: Vec<String>,
    /// Only what changed in so many days before the view's commit
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3_650))]
    since: Option<u32>,
    /// Most results [default: `retrieval.final_results`, 20]
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: Option<u32>,
    /// Show how each score came about
    #[arg(long, long_help = explained())]
    explain: bool,
    /// With `--mode grep`: the query is a regular expression
    #[arg(short = 'e', long)]
    regex: bool,
    /// With `--mode grep`: ignore case also where the query has a capital
    ///
    /// Without it, a query without a capital ignores case, and one with a capital does not: as `rg -S`. `-e '(?-i)todo'` finds `todo`
    /// alone.
    #[arg(short = 'i', long)]
    ignore_case: bool,
}

/// What `--explain` shows, with every kind of evidence that there is.
fn explained() -> String {
    let channels = Channel::all().map(|channel| format!("\n- {}: {}", channel.name(), channel.doc()));
    format!(
        "Show how each score came about\n\nA score is the sum of what each kind of evidence adds:{}\n\nAfter that come factors \
         (`×`) and what is added, in the order in which they count:\n- penalty: a factor for tests, examples, documentation and \
         the like, unless the question asks for them\n- read again: what the first 20 files gain or lose when their names and \
         definitions are held against the question; they share out the scores that they had\n- further place: a factor for a \
         second place of a file\n- exact name: the query is the qualified name of a definition, and this is it",
        channels.collect::<String>()
    )
}

/// A part of a score, as it counts: added, or multiplied with what stands before it.
fn explained_part(name: &str, part: f64) -> String {
    match name {
        "read again" => format!("{name} {part:+.3}"),
        "further place" => format!("{name} ×{part:.3}"),
        _ if name.starts_with("penalty") => format!("{name} ×{part:.3}"),
        _ => format!("{name} {part:.3}"),
    }
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
    /// Lines that hold the text; case counts where the query has a capital.
    Grep,
}

/// Places to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// Files of the view.
    Repo,
    /// Hunks of commits, and of what is not committed.
    Diffs,
    /// Interfaces, traits, types, schemas and their kind.
    Contracts,
    /// Transcripts of conversations with agents.
    Transcript,
    /// All of these.
    All,
}

impl Search {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if self.mode != Mode::Grep && (self.regex || self.ignore_case) {
            let option = if self.regex { "-e" } else { "-i" };
            return Err(Usage {
                message: format!("`{option}` is about lines, and words are searched"),
                hint: Some("add `--mode grep`, or leave it out".to_owned()),
            }
            .into());
        }
        match self.mode {
            Mode::Hybrid => self.words(SearchMode::Hybrid, global, output),
            Mode::Lexical => self.words(SearchMode::Lexical, global, output),
            Mode::Semantic => self.words(SearchMode::Semantic, global, output),
            Mode::Grep if self.scope != Scope::Repo => Err(Usage {
                message: "`--mode grep` searches files, not another `--scope`".to_owned(),
                hint: Some("leave out one of the two".to_owned()),
            }
            .into()),
            Mode::Grep => self.lines(global, output),
        }
    }

    /// Most results: what was typed, or what is configured.
    fn limit(&self, context: &Context) -> usize {
        let configured =
            || usize::try_from(context.config.get_integer("retrieval.final_results")).unwrap_or(usize::MAX);
        self.limit.map_or_else(configured, |limit| limit as usize)
    }

    fn words(&self, mode: SearchMode, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let scope = match self.scope {
            Scope::Repo => SearchScope::Repo,
            Scope::Diffs => SearchScope::Diffs,
            Scope::Contracts => SearchScope::Contracts,
            Scope::Transcript => SearchScope::Transcript,
            Scope::All => SearchScope::All,
        };
        let request = SearchRequest {
            query: self.query.join(" "),
            limit: self.limit(&context),
            language: self.lang.clone(),
            path_prefix: self.path.clone(),
            mode,
            scope,
            focus: self.focus.clone(),
            pinned: Vec::new(),
            time_window: self.since.map(|days| Duration::from_secs(u64::from(days) * DAY)),
            transcripts: scope.has_transcripts().then(|| Arc::new(context.transcripts(&Deadline::never()))),
        };
        let (mut found, provenance) =
            context.ask(|snapshot| icr_engine::search_with_pins(snapshot, &request, now()))?;
        if !self.explain {
            found.results.iter_mut().for_each(|hit| hit.explanation.clear());
        }
        let code = if found.strength == Strength::None { problem::FINDING } else { problem::OK };
        let code = output.answer(&found, &provenance.lacking(&found.gaps), code, |output| {
            if found.strength == Strength::None && !found.results.is_empty() {
                output.line("Nothing found that says this. Nearest:")?;
            }
            for hit in found.shown() {
                let place = output.styled(Style::Name, &hit.path);
                let lines = output.styled(Style::Number, format_args!("{}-{}", hit.start_line, hit.end_line));
                let symbol = hit.symbol.as_deref().map(|symbol| format!("  {symbol}")).unwrap_or_default();
                let score = output.styled(Style::Faint, format_args!("{:.3}", hit.score));
                let scope = hit.scope.map(|scope| format!("  {}", scope.name())).unwrap_or_default();
                let scope = output.styled(Style::Faint, scope);
                output.line(format_args!("{place}:{lines}{symbol}  {score}{scope}"))?;
                if let (Some(commit), Some(subject)) = (&hit.commit, &hit.subject) {
                    let commit = output.styled(Style::Number, &commit[..8]);
                    output.line(format_args!("    {commit} {}", visible(subject)))?;
                }
                if let Some(speaker) = hit.speaker {
                    let time = hit.said_at.map(|time| format!(", {time}")).unwrap_or_default();
                    output.line(format_args!("    {speaker}{time}"))?;
                }
                if !hit.explanation.is_empty() {
                    let parts: Vec<String> =
                        hit.explanation.iter().map(|(name, part)| explained_part(name, *part)).collect();
                    output.line(format_args!("    {} = {:.3}", parts.join(", "), hit.score))?;
                }
                for line in hit.preview.lines() {
                    let line = output.styled(Style::Faint, line);
                    output.line(format_args!("    {line}"))?;
                }
            }
            if found.strength == Strength::Weak {
                output.line(output.styled(Style::Faint, "weak: only a part of this is said in any one place"))?;
            }
            Ok(())
        })?;
        // A question without a word to look for has a note of its own.
        let is_said = found.gaps.iter().any(|gap| matches!(gap, Gap::NoWords | Gap::OnlyStopWords));
        if found.results.is_empty() && !is_said {
            output.nothing_found();
        }
        Ok(code)
    }

    fn lines(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let request = GrepRequest {
            pattern: self.query.join(" "),
            regex: self.regex,
            case_sensitive: self.ignore_case.then_some(false),
            limit: self.limit(&context),
            language: self.lang.clone(),
            path_prefix: self.path.clone(),
        };
        let (found, provenance) = context.ask(|snapshot| icr_engine::grep(snapshot, &request))?;
        let code = if found.results.is_empty() { problem::FINDING } else { problem::OK };
        let code = output.answer(&found, &provenance.lacking(&found.gaps), code, |output| {
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
        })?;
        if found.results.is_empty() {
            output.nothing_found();
        }
        Ok(code)
    }
}
