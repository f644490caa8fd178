//! A map for a goal in a few hundred tokens: where to look, who imports that, what changes with it.

mod names;
mod prompt;

use std::collections::HashSet;

use icr_model::LineSpan;
use icr_rank::Strength;
use icr_tokens::model_tokens;
use serde::Serialize;

use crate::note::{FileNote, NOTES_MOST};
use crate::pack::one_line;

use names::ShortNames;
pub use prompt::{PromptMap, prompt_map};

/// Most files of a map for which importers and history are looked up.
pub const CONTEXT_FILES: usize = 8;

/// Files shown.
pub const FILES_SHOWN: usize = 5;

/// Files whose importers are shown.
const IMPACT_FILES: usize = 3;

/// Importers shown of each.
const IMPORTERS_SHOWN: usize = 4;

/// Files whose history is shown.
const HISTORY_FILES: usize = 3;

/// Partners shown of each.
const PARTNERS_SHOWN: usize = 2;

/// Names given as a reason.
const NAMES_SHOWN: usize = 4;

/// Longest excerpt of a doc comment as a reason, in characters.
const REASON_CHARACTERS: usize = 80;

/// Longest goal that is repeated whole, in characters.
const GOAL_CHARACTERS: usize = 120;

/// A goal and what is known about files that may matter for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextRequest {
    /// The user's goal, in words.
    pub goal: String,
    /// Files that may matter, best first, as a search for the goal finds them; the first [`CONTEXT_FILES`] count.
    pub files: Vec<FileFacts>,
    /// Whether these answer the goal at all.
    pub strength: Strength,
    /// Commands of the project, best first; those that do not fit are left out.
    pub scripts: Vec<Script>,
    /// What was noted about files, most important first; the first [`NOTES_MOST`] about files that are shown count.
    pub notes: Vec<FileNote>,
    /// Suggested next steps, in one line: commands, tools or paths, by whoever shows the map.
    pub next_steps: &'static str,
    /// Most model tokens of the text; 300 holds all sections of most goals.
    pub budget_tokens: u32,
}

/// What is known about a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileFacts {
    /// Path relative to the root.
    pub path: String,
    /// Score of a search for the goal, in `0.0..=1.0`.
    pub search_score: f64,
    /// Text of the doc comment that describes the file.
    pub docstring: Option<String>,
    /// Summary of the file's contents.
    pub contents: ContentSummary,
    /// Paths of files that import it, most important first.
    pub importers: Vec<String>,
    /// Commits that touched it in the 90 days before the commit of the view, without merges.
    pub recent_commits: u32,
    /// Files that change with it, most often first.
    pub partners: Vec<Partner>,
    /// Where in it the best lines are.
    pub place: Option<FilePlace>,
}

/// Lines of a file, and what they define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePlace {
    /// 1-based, both included.
    pub lines: LineSpan,
    /// Qualified name of the definition that they belong to.
    pub symbol: Option<String>,
    /// Description of that definition: its doc comment, else its signature.
    pub about: Option<String>,
    /// Differs between contents of the file; its blob id will do.
    pub version: String,
}

/// The contents of a file, used if no comment describes it: names, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentSummary {
    /// Names of definitions that other files may use.
    Exports(Vec<String>),
    /// Of definitions that are kept to the file.
    Definitions(Vec<String>),
    /// Headings of a text.
    Sections(Vec<String>),
    /// Keys of settings or data.
    Keys(Vec<String>),
    /// No names: a language, and how many lines.
    Lines(String, u32),
}

impl Default for ContentSummary {
    fn default() -> Self {
        Self::Lines("text".to_owned(), 0)
    }
}

impl ContentSummary {
    /// In words.
    fn summary_text(&self) -> String {
        let of = |what: &str, names: &[String]| {
            let shown: Vec<String> = names.iter().take(NAMES_SHOWN).map(|name| one_line(name)).collect();
            format!("{what}: {}", shown.join(", "))
        };
        match self {
            Self::Exports(names) => of("exports", names),
            Self::Definitions(names) => of("defines", names),
            Self::Sections(names) => of("sections", names),
            Self::Keys(names) => of("keys", names),
            Self::Lines(language, 1) => format!("{language}, 1 line"),
            Self::Lines(language, lines) => format!("{language}, {lines} lines"),
        }
    }
}

/// A file that changes with another.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, schemars::JsonSchema)]
pub struct Partner {
    /// Path relative to the root.
    pub path: String,
    /// Commits that touched both.
    pub count: u32,
}

/// A command of the project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// What it does: `test`, `build`, `lint`.
    pub kind: String,
    /// The command line.
    pub command: String,
}

/// The map.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ContextMap {
    /// Markdown.
    pub text: String,
    /// Whether these answer the goal at all. Where nothing does, the files are the nearest three.
    pub strength: Strength,
    /// Files that matter, best first, at most eight; the text shows five.
    pub files: Vec<ScoredFile>,
    /// Who imports them, whether or not the text had room for it.
    pub impact: Vec<ImpactRow>,
    /// How often the files change, and with which files, even if the text had no room for it.
    pub history: Vec<HistoryRow>,
    /// What was noted about the files that the text shows, whether or not it had room for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<FileNote>,
    /// Model tokens of the text.
    pub tokens_used: u32,
    /// The budget.
    pub tokens_budget: u32,
    /// Model tokens of the budget that are left.
    pub tokens_remaining: u32,
}

/// A file that matters.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ScoredFile {
    /// Path relative to the root.
    pub path: String,
    /// Of the search, in `0.0..=1.0`; comparable within one answer.
    pub score: f64,
    /// Why the file may matter: its doc comment, or a summary of its contents.
    pub reason: String,
}

/// Who imports a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ImpactRow {
    /// Path relative to the root.
    pub path: String,
    /// At most four that import it.
    pub importers: Vec<String>,
}

/// The recent history of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct HistoryRow {
    /// Path relative to the root.
    pub path: String,
    /// Commits in the 90 days before the commit of the view, without merges, however many files they touch.
    pub recent_commits: u32,
    /// At most two that change with it.
    pub cochanges: Vec<Partner>,
}

/// The map for `request`.
///
/// `paths` are all paths of the view, in any order: files are named by the shortest end of their path that no other
/// has. Without them, names are told apart among the files of the request only. Lines are added while they fit, in this
/// order: goal, best file, tools, other files, importers, notes, history, scripts; so `text` never has more than
/// `budget_tokens` model tokens, and under a tiny budget it may be empty. Cost: one pass over `paths`.
pub fn context_map<'a>(request: &ContextRequest, paths: impl IntoIterator<Item = &'a str>) -> ContextMap {
    let mut map = select_contents(request);
    map.text = text(&map, request, paths);
    map.tokens_used = tokens(&map.text);
    map.tokens_remaining = request.budget_tokens.saturating_sub(map.tokens_used);
    map
}

/// What the map for `request` is made of, without its text.
fn select_contents(request: &ContextRequest) -> ContextMap {
    let most = request.strength.shown_count(CONTEXT_FILES);
    let mut seen: HashSet<&str> = HashSet::new();
    let best: Vec<&FileFacts> = request.files.iter().filter(|file| seen.insert(&file.path)).take(most).collect();
    let scored =
        |file: &&FileFacts| ScoredFile { path: file.path.clone(), score: file.search_score, reason: reason(file) };
    let files: Vec<ScoredFile> = best.iter().map(scored).collect();
    let (impact, history) = (impact(&best), history(&best));
    let mut map = ContextMap {
        text: String::new(),
        strength: if files.is_empty() { Strength::None } else { request.strength },
        files,
        impact,
        history,
        notes: Vec::new(),
        tokens_used: 0,
        tokens_budget: request.budget_tokens,
        tokens_remaining: 0,
    };
    map.notes = notes(&map, &request.notes);
    map
}

/// The notes about files that are shown. If nothing answers the question, there are no notes.
fn notes(map: &ContextMap, notes: &[FileNote]) -> Vec<FileNote> {
    let is_shown = |note: &&FileNote| map.files.iter().take(FILES_SHOWN).any(|file| file.path == note.path);
    let most = if map.strength == Strength::None { 0 } else { NOTES_MOST };
    notes.iter().filter(is_shown).take(most).cloned().collect()
}

fn impact(best: &[&FileFacts]) -> Vec<ImpactRow> {
    let imported = best.iter().filter(|file| !file.importers.is_empty()).take(IMPACT_FILES);
    let row = |file: &&FileFacts| ImpactRow {
        path: file.path.clone(),
        importers: file.importers.iter().take(IMPORTERS_SHOWN).cloned().collect(),
    };
    imported.map(row).collect()
}

fn history(best: &[&FileFacts]) -> Vec<HistoryRow> {
    let active = best.iter().filter(|file| file.recent_commits > 0).take(HISTORY_FILES);
    let row = |file: &&FileFacts| HistoryRow {
        path: file.path.clone(),
        recent_commits: file.recent_commits,
        cochanges: file.partners.iter().take(PARTNERS_SHOWN).cloned().collect(),
    };
    active.map(row).collect()
}

fn reason(file: &FileFacts) -> String {
    let docstring = file.docstring.as_deref().map(|text| excerpt(text, REASON_CHARACTERS)).unwrap_or_default();
    if docstring.is_empty() { file.contents.summary_text() } else { docstring }
}

/// A line of the text.
struct MapLine {
    /// Its place in [`SECTIONS`].
    section: usize,
    text: String,
    /// A shorter text that is used if the line does not fit.
    shorter: Option<String>,
    /// Key of the line among all lines of a session: its subject and what it says about it.
    key: String,
}

impl MapLine {
    fn of(section: usize, text: String) -> Self {
        Self { section, key: text.clone(), text: text + "\n", shorter: None }
    }
}

/// Sections in their order; a heading is paid by the first line below it.
const SECTIONS: [&str; 6] =
    ["", "\n## Where to Look\n", "\n## Impact\n", "\n## History\n", "\n## Notes\n", "\n## Tools\n"];

/// The place of the last section among them.
const TOOLS_SECTION: usize = SECTIONS.len() - 1;

fn text<'a>(map: &ContextMap, request: &ContextRequest, paths: impl IntoIterator<Item = &'a str>) -> String {
    laid_out(lines(map, request, &ShortNames::of(abbreviated_paths(map), paths)), request.budget_tokens, |_| ())
}

/// As many of `lines` as fit. `placed` is called with the key of each.
fn laid_out(lines: Vec<MapLine>, budget_tokens: u32, mut placed: impl FnMut(String)) -> String {
    let mut left = budget_tokens;
    let mut sections: [String; SECTIONS.len()] = Default::default();
    let mut is_full = [false; SECTIONS.len()];
    for MapLine { section, text, shorter, key } in lines {
        let heading = if sections[section].is_empty() { SECTIONS[section] } else { "" };
        // Every line ends with a line break, so that what lines cost adds up.
        let cost = |text: &str| tokens(heading) + tokens(text);
        match [Some(text), shorter].into_iter().flatten().find(|text| cost(text) <= left) {
            Some(text) if !is_full[section] => {
                left -= cost(&text);
                sections[section] += heading;
                sections[section] += &text;
                placed(key);
            }
            // A worse line must not stand where a better one had no room.
            _ => is_full[section] = true,
        }
    }
    sections.concat()
}

/// All lines, what matters most first.
fn lines(map: &ContextMap, request: &ContextRequest, short: &ShortNames) -> Vec<MapLine> {
    let goal = MapLine::of(0, format!("# {}", excerpt(&request.goal, GOAL_CHARACTERS)));
    let mut files = (1..).zip(map.files.iter().take(FILES_SHOWN)).map(|(number, file)| {
        let place = format!("{number}. {}", one_line(&file.path));
        MapLine { shorter: Some(format!("{place}\n")), ..MapLine::of(1, format!("{place} — {}", file.reason)) }
    });
    let nothing = match map.strength {
        Strength::None if map.files.is_empty() => Some("Nothing found that answers this."),
        Strength::None => Some("Nothing found that answers this. Nearest:"),
        Strength::Weak | Strength::Strong => None,
    };
    let nothing = nothing.map(|text| MapLine::of(1, text.to_owned()));
    let best = files.next();
    let tools = MapLine::of(TOOLS_SECTION, request.next_steps.to_owned());
    let impact = impact_lines(map, short);
    let history = history_lines(map, short, |_| true);
    let script = |script: &Script| format!("{}: {}", one_line(&script.kind), one_line(&script.command));
    let scripts: Vec<String> = request.scripts.iter().map(script).collect();
    let scripts = (!scripts.is_empty()).then(|| MapLine::of(TOOLS_SECTION, scripts.join(" | ")));
    let notes = map.notes.iter().map(|note| MapLine::of(4, note.line().trim_end().to_owned()));
    let first = [Some(goal), nothing, best, Some(tools)];
    first.into_iter().flatten().chain(files).chain(impact).chain(notes).chain(history).chain(scripts).collect()
}

fn impact_lines(map: &ContextMap, short: &ShortNames) -> Vec<MapLine> {
    let line = |row: &ImpactRow| {
        let importers: Vec<String> = row.importers.iter().map(|importer| short.of_path(importer)).collect();
        MapLine::of(2, format!("{} <- {}", short.of_path(&row.path), importers.join(", ")))
    };
    map.impact.iter().map(line).collect()
}

fn history_lines(map: &ContextMap, short: &ShortNames, is_worth: impl Fn(&HistoryRow) -> bool) -> Vec<MapLine> {
    let line = |row: &HistoryRow| {
        let partner = |partner: &Partner| format!("{} ({}x)", short.of_path(&partner.path), partner.count);
        let partners: Vec<String> = row.cochanges.iter().map(partner).collect();
        let cochanges =
            if partners.is_empty() { String::new() } else { format!(", co-changes: {}", partners.join(", ")) };
        let commits = if row.recent_commits == 1 { "commit" } else { "commits" };
        let path = short.of_path(&row.path);
        MapLine::of(3, format!("{path}: {} {commits}/90d{cochanges}", row.recent_commits))
    };
    map.history.iter().filter(|row| is_worth(row)).map(line).collect()
}

/// Paths that are shown by a short name.
fn abbreviated_paths(map: &ContextMap) -> Vec<&str> {
    let impact = map.impact.iter().flat_map(|row| row.importers.iter().chain([&row.path]));
    let history =
        map.history.iter().flat_map(|row| row.cochanges.iter().map(|partner| &partner.path).chain([&row.path]));
    impact.chain(history).map(String::as_str).collect()
}

/// The first `characters` of `text` on one line, white space as single spaces; `…` stands for what was cut.
fn excerpt(text: &str, characters: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = one_line(&words.join(" "));
    let mut cut: String = line.chars().take(characters).collect();
    if cut.len() < line.len() {
        cut.truncate(cut.trim_end().len());
        cut.push('…');
    }
    cut
}

fn tokens(text: &str) -> u32 {
    model_tokens(text.as_bytes())
}

#[cfg(test)]
mod tests;
