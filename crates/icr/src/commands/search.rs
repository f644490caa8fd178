//! `icr search`

use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use icr_engine::{
    Channel, Deadline, Gap, GrepRequest, SearchHit, SearchMode, SearchRequest, SearchResults, SearchScope, Strength,
};
use icr_impact::report::visible;

use super::pin::now;
use crate::arguments::Global;
use crate::completions;
use crate::context::{Context, final_results};
use crate::output::{Output, Style, count_text, note};
use crate::problem::{self, Usage};

/// Seconds in a day.
const DAY: u64 = 86_400;

/// Find files by words and meaning, hunks of what changed, or lines by a pattern
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  icr search how are retries limited\n  icr search Server.handle --oneline\n  \
                        icr search --mode grep 'TODO(' -n 50\n  icr search --scope diffs retry limit --since 30\n  \
                        icr search --at v1.2 --path src 'retry with backoff'")]
pub(crate) struct SearchCommand {
    /// Words of the query; with `--mode grep`, a text or pattern
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// How to search
    #[arg(long, value_enum, default_value_t = SearchModeArgument::Hybrid)]
    mode: SearchModeArgument,
    /// Where to search
    #[arg(long, value_enum, default_value_t = SearchScopeArgument::Repo)]
    scope: SearchScopeArgument,
    /// Only files in this language
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<String>,
    /// Only files below this path
    #[arg(long, value_name = "PREFIX", add = ArgValueCompleter::new(completions::paths))]
    path: Option<String>,
    /// Path you work on: files below it rank a little higher; may be given again
    #[arg(long, value_name = "PREFIX")]
    focus: Vec<String>,
    /// Only changes in this many days before the view's commit
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3_650))]
    since: Option<u32>,
    /// Most results [default: `retrieval.final_results`, 10]
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: Option<u32>,
    /// Print one line for each result: its place and its name
    #[arg(long, conflicts_with_all = ["files", "explain"])]
    oneline: bool,
    /// Print only the paths, each once
    #[arg(long, conflicts_with = "explain")]
    files: bool,
    /// Show what each score consists of
    #[arg(long, long_help = explained())]
    explain: bool,
    /// With `--mode grep`: the query is a regular expression
    #[arg(short = 'e', long)]
    regex: bool,
    /// With `--mode grep`: ignore case even if the query has a capital letter
    ///
    /// Without this option, a query without capitals ignores case, and a query with a capital does not, as with `rg
    /// -S`. `-e '(?-i)todo'` finds only `todo`.
    #[arg(short = 'i', long)]
    ignore_case: bool,
}

/// Text for the help: what `--explain` shows, with every kind of evidence.
fn explained() -> String {
    let channels = Channel::all().map(|channel| format!("\n- {}: {}", channel.name(), channel.doc()));
    format!(
        "Show what each score consists of\n\nA score is the sum of what each kind of evidence adds:{}\n\nAfter that come factors \
         (`×`) and what is added, in the order in which they count:\n- penalty: a factor for tests, examples, documentation and \
         the like, unless the question asks for them\n- read again: what the first 20 files gain or lose when their names and \
         definitions are held against the question; they share out the scores that they had\n- further place: a factor for a \
         second place of a file\n- exact name: the query is the qualified name of a definition, and this is it",
        channels.collect::<String>()
    )
}

/// What is said of an answer whose strength is [`Strength::Weak`].
const WEAK: &str = "weak: no single place matches the whole query";

/// Parts of a score that are shown in words; the others are summed up.
const PARTS_SHOWN: usize = 5;

/// Explanation of a score, one line each: the largest parts in words, the sum of the others, and the factors.
fn explained_parts(explanation: &[(String, f64)]) -> Vec<String> {
    let is_factor = |name: &str| name == "further place" || name.starts_with("penalty");
    let (factors, mut parts): (Vec<_>, Vec<_>) =
        explanation.iter().filter(|(_, part)| *part != 0.0).partition(|(name, _)| is_factor(name));
    parts.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    let (shown, rest) = parts.split_at(parts.len().min(PARTS_SHOWN));
    let line = |(name, part): &&(String, f64)| format!("{part:+.3}  {}", in_words(name));
    let mut lines: Vec<String> = shown.iter().map(line).collect();
    if !rest.is_empty() {
        let sum: f64 = rest.iter().map(|(_, part)| part).sum();
        let names: Vec<&str> = rest.iter().map(|(name, _)| name.as_str()).collect();
        lines.push(format!("{sum:+.3}  the rest: {}", names.join(", ")));
    }
    lines.extend(factors.iter().map(|(name, factor)| format!("×{factor:.3}  {}", in_words(name))));
    lines
}

/// The name of a score's part, in words.
fn in_words(name: &str) -> String {
    match name {
        "read again" => "its name and definitions against those of the others".to_owned(),
        "further place" => "a further place of the file".to_owned(),
        "exact name" => "the query is its qualified name".to_owned(),
        _ => match (name.strip_prefix("penalty: "), Channel::from_name(name.trim_end_matches(" (expected)"))) {
            (Some(reason), _) => format!("it is {reason}, which was not asked for"),
            (None, Some(channel)) => channel.doc().to_owned(),
            (None, None) => name.to_owned(),
        },
    }
}

/// The words of a query that are shown in previews, in lower case.
fn query_words(query: &str) -> Vec<String> {
    let words = query.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    // Shorter words occur inside too many others.
    words.filter(|word| word.chars().count() >= SHORTEST_WORD).map(str::to_lowercase).collect()
}

/// Shortest word that is highlighted, in letters.
const SHORTEST_WORD: usize = 3;

/// Ways of searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SearchModeArgument {
    /// Everything that is indexed, fused.
    Hybrid,
    /// Words in texts, names, comments and paths.
    Lexical,
    /// Similarity of meaning, by vectors.
    Semantic,
    /// Lines that contain the text; case matters if the query has a capital letter.
    Grep,
}

/// Places to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SearchScopeArgument {
    /// Files of the view.
    Repo,
    /// Hunks of commits, and of what is not committed.
    Diffs,
    /// Declarations of interfaces, traits, types, schemas and the like.
    Contracts,
    /// Transcripts of conversations with agents.
    Transcript,
    /// All of these.
    All,
}

impl SearchCommand {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if self.mode != SearchModeArgument::Grep && (self.regex || self.ignore_case) {
            let option = if self.regex { "-e" } else { "-i" };
            return Err(Usage {
                message: format!("`{option}` is about lines, and words are searched"),
                hint: Some("add `--mode grep`, or leave it out".to_owned()),
            }
            .into());
        }
        match self.mode {
            SearchModeArgument::Hybrid => self.words(SearchMode::Hybrid, global, output),
            SearchModeArgument::Lexical => self.words(SearchMode::Lexical, global, output),
            SearchModeArgument::Semantic => self.words(SearchMode::Semantic, global, output),
            SearchModeArgument::Grep if self.scope != SearchScopeArgument::Repo => Err(Usage {
                message: "`--mode grep` searches files, not another `--scope`".to_owned(),
                hint: Some("leave out one of the two".to_owned()),
            }
            .into()),
            SearchModeArgument::Grep => self.lines(global, output),
        }
    }

    /// Most results: as typed, else as configured.
    fn limit(&self, context: &Context) -> usize {
        self.limit.map_or_else(|| final_results(&context.config), |limit| limit as usize)
    }

    fn words(&self, mode: SearchMode, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let request = self.request(mode, &context);
        let ((mut found, unknown), provenance) = context.ask(|snapshot| {
            let unknown = icr_engine::unknown_focus(snapshot, &request.focus)?;
            Ok((icr_engine::search_with_pins(snapshot, &request, now())?, unknown))
        })?;
        if !global.quiet {
            unknown.iter().for_each(|warning| tracing::warn!("{warning}"));
        }
        if !self.explain {
            found.results.iter_mut().for_each(|hit| hit.explanation.clear());
        }
        let code = if found.strength == Strength::None { problem::FINDING } else { problem::OK };
        let code = output.answer(&found, &provenance.with_gaps(&found.gaps), code, |output| match self.files {
            true => write_paths(output, &found),
            false => self.write_results(output, &request, &found),
        })?;
        // A question without searchable words gets its own note.
        let is_said = found.gaps.iter().any(|gap| matches!(gap, Gap::NoWords | Gap::OnlyStopWords));
        if found.results.is_empty() && !is_said {
            output.nothing_found();
        } else if self.is_list() && !global.quiet && !output.is_json() {
            let strength = match found.strength {
                Strength::None => Some("no match; these are the nearest files"),
                Strength::Weak => Some(WEAK),
                Strength::Strong => None,
            };
            strength.into_iter().for_each(|text| note(&mut std::io::stderr().lock(), text));
        }
        Ok(code)
    }

    /// Whether the output is a list that a program may read, so that it must contain nothing else.
    fn is_list(&self) -> bool {
        self.files || self.oneline
    }

    fn request(&self, mode: SearchMode, context: &Context) -> SearchRequest {
        let scope = match self.scope {
            SearchScopeArgument::Repo => SearchScope::Repo,
            SearchScopeArgument::Diffs => SearchScope::Diffs,
            SearchScopeArgument::Contracts => SearchScope::Contracts,
            SearchScopeArgument::Transcript => SearchScope::Transcript,
            SearchScopeArgument::All => SearchScope::All,
        };
        SearchRequest {
            query: self.query.join(" "),
            limit: self.limit(context),
            language: self.lang.clone(),
            path_prefix: context.path(self.path.as_deref()),
            mode,
            scope,
            focus: self.focus.iter().map(|path| context.path_of(path)).collect(),
            pinned: Vec::new(),
            time_window: self.since.map(|days| Duration::from_secs(u64::from(days) * DAY)),
            transcripts: scope.has_transcripts().then(|| Arc::new(context.transcripts(&Deadline::never()))),
        }
    }

    fn write_results(
        &self,
        output: &mut Output,
        request: &SearchRequest,
        found: &SearchResults,
    ) -> std::io::Result<()> {
        if found.strength == Strength::None && !found.results.is_empty() && !self.is_list() {
            output.line("Nothing found that answers this. Nearest:")?;
        }
        let words = query_words(&request.query);
        for hit in found.shown_hits() {
            self.write_hit(output, hit, &words)?;
        }
        let shown = found.shown_hits().len();
        if shown == request.limit && found.total_count > shown as u64 && !self.oneline {
            let places = count_text(shown as u64, "place", "places");
            let more = format!("{places} of {} files; `-n` shows more", found.total_count);
            output.line(output.styled(Style::Faint, more))?;
        }
        if found.strength == Strength::Weak && !self.oneline {
            output.line(output.styled(Style::Faint, WEAK))?;
        }
        Ok(())
    }

    /// Writes the place of a hit, and what is shown of it; `words` are marked.
    fn write_hit(&self, output: &mut Output, hit: &SearchHit, words: &[String]) -> std::io::Result<()> {
        let place = output.styled(Style::Name, &hit.path);
        let lines = output.styled(Style::Number, format_args!("{}-{}", hit.start_line, hit.end_line));
        let symbol = hit.symbol.as_deref().map(|symbol| format!("  {symbol}")).unwrap_or_default();
        if self.oneline {
            return output.line(format_args!("{place}:{lines}{symbol}"));
        }
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
        for part in explained_parts(&hit.explanation) {
            output.line(format_args!("    {part}"))?;
        }
        for line in hit.preview.lines() {
            let line = output.marked(line, words);
            output.line(format_args!("    {line}"))?;
        }
        Ok(())
    }

    fn lines(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let request = GrepRequest {
            pattern: self.query.join(" "),
            regex: self.regex,
            case_sensitive: self.ignore_case.then_some(false),
            // With `--files`, the limit cannot apply to lines: each file may have any number of them.
            limit: if self.files { usize::MAX } else { self.limit(&context) },
            language: self.lang.clone(),
            path_prefix: context.path(self.path.as_deref()),
        };
        let (found, provenance) = context.ask(|snapshot| icr_engine::grep(snapshot, &request))?;
        let code = if found.results.is_empty() { problem::FINDING } else { problem::OK };
        let code = output.answer(&found, &provenance.with_gaps(&found.gaps), code, |output| {
            let words = if self.regex { Vec::new() } else { vec![request.pattern.to_lowercase()] };
            if self.files {
                let mut paths: Vec<&str> = found.results.iter().map(|hit| hit.path.as_str()).collect();
                paths.dedup();
                if let Some(limit) = self.limit {
                    paths.truncate(limit as usize);
                }
                return paths.into_iter().try_for_each(|path| output.line(output.styled(Style::Name, path)));
            }
            for hit in &found.results {
                let place = output.styled(Style::Name, &hit.path);
                let line = output.styled(Style::Number, hit.start_line);
                output.line(format_args!("{place}:{line}: {}", output.marked(&hit.preview, &words)))?;
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

/// Writes the path of each file with a hit, once.
fn write_paths(output: &mut Output, found: &SearchResults) -> std::io::Result<()> {
    let mut paths: Vec<&str> = Vec::new();
    for hit in found.shown_hits() {
        if !paths.contains(&hit.path.as_str()) {
            paths.push(&hit.path);
        }
    }
    paths.into_iter().try_for_each(|path| output.line(output.styled(Style::Name, path)))
}
