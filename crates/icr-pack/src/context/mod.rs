//! A map for a goal in a few hundred tokens: where to look, who imports that, what changes with it.

mod names;
mod score;

use std::collections::HashSet;

use icr_model::model_tokens;
use serde::Serialize;

use crate::pack::one_line;

use names::ShortNames;
use score::Goal;

/// Files that are looked into for importers and history.
const FILES_SCORED: usize = 8;

/// Files shown.
const FILES_SHOWN: usize = 5;

/// Files whose importers are shown.
const IMPACT_FILES: usize = 3;

/// Importers shown of each.
const IMPORTERS_SHOWN: usize = 4;

/// Files whose history is shown.
const HISTORY_FILES: usize = 3;

/// Partners shown of each.
const PARTNERS_SHOWN: usize = 2;

/// Exports named as a reason.
const EXPORTS_SHOWN: usize = 4;

/// Longest excerpt of a doc comment as a reason, in characters.
const REASON_CHARACTERS: usize = 80;

/// Longest goal that is repeated whole, in characters.
const GOAL_CHARACTERS: usize = 120;

/// What can be done next, in one line.
const TOOLS: &str = "icr search \"<query>\" | icr read <path> | icr pack \"<question>\" | icr impact";

/// A goal and what is known about files that may matter for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextRequest {
    /// What somebody wants to do, in words.
    pub goal: String,
    /// Files that may matter, in any order. Facts beyond scores are read of the best eight only.
    pub files: Vec<FileFacts>,
    /// Commands of the project, best first; those that do not fit are left out.
    pub scripts: Vec<Script>,
    /// Most model tokens of the text; 300 holds all sections of most goals.
    pub budget_tokens: u32,
}

/// What is known about a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileFacts {
    /// Path relative to the root.
    pub path: String,
    /// Score of a search for the goal in `0.0..=1.0`, 0 when it was not found. It counts as much as a word of the goal
    /// in all of path, exports and doc comment, so that words decide where no search was done.
    pub search_score: f64,
    /// Text of the doc comment that describes the file.
    pub docstring: Option<String>,
    /// Names of what it exports, in the order of the file.
    pub exports: Vec<String>,
    /// Paths of files that import it, most important first.
    pub importers: Vec<String>,
    /// How many import it, when `importers` has not all of them.
    pub importers_total: usize,
    /// Commits that touched it in the 90 days before HEAD.
    pub recent_commits: u32,
    /// Files that change with it, most often first.
    pub partners: Vec<Partner>,
    /// It is source code, and neither documentation nor settings nor a lock file.
    pub is_code: bool,
    /// It only passes on what other files define.
    pub is_barrel: bool,
}

/// A file that changes with another.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextMap {
    /// Markdown.
    pub text: String,
    /// Files that matter, best first, at most eight; the text shows five.
    pub files: Vec<ScoredFile>,
    /// Who imports them, whether or not the text had room for it.
    pub impact: Vec<ImpactRow>,
    /// How often they change, and with what, whether or not the text had room for it.
    pub history: Vec<HistoryRow>,
    /// Model tokens of the text.
    pub tokens_used: u32,
    /// The budget.
    pub tokens_budget: u32,
    /// What is left of it.
    pub tokens_remaining: u32,
}

/// A file that matters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoredFile {
    /// Path relative to the root.
    pub path: String,
    /// Above 0; comparable within one answer.
    pub score: f64,
    /// Why: its doc comment, what it exports, or that its path matches.
    pub reason: String,
}

/// Who imports a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImpactRow {
    /// Path relative to the root.
    pub path: String,
    /// At most four that import it.
    pub importers: Vec<String>,
}

/// How a file changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HistoryRow {
    /// Path relative to the root.
    pub path: String,
    /// Commits in the 90 days before HEAD.
    pub recent_commits: u32,
    /// At most two that change with it.
    pub cochanges: Vec<Partner>,
}

/// The map for `request`.
///
/// `paths` are all paths of the view, in any order: files are named by the shortest end of their path that no other has.
/// Without them, names are told apart among the files of the request only. Lines are added while they fit, in this order:
/// goal, best file, tools, other files, importers, history, scripts; so `text` never has more than `budget_tokens` model
/// tokens, and under a tiny budget it may be empty. Cost: one pass over `paths`, one over the words of all files.
pub fn context_map<'a>(request: &ContextRequest, paths: impl IntoIterator<Item = &'a str>) -> ContextMap {
    let goal = Goal::of(&request.goal, &request.files);
    let mut scored: Vec<(&FileFacts, f64)> = request.files.iter().map(|file| (file, goal.score(file))).collect();
    scored.retain(|(_, score)| *score > 0.0);
    scored.sort_by(|(a, a_score), (b, b_score)| b_score.total_cmp(a_score).then_with(|| a.path.cmp(&b.path)));
    let mut seen: HashSet<&str> = HashSet::new();
    scored.retain(|(file, _)| seen.insert(&file.path));
    scored.truncate(FILES_SCORED);
    let best: Vec<&FileFacts> = scored.iter().map(|(file, _)| *file).collect();
    let files = scored
        .iter()
        .map(|(file, score)| ScoredFile { path: file.path.clone(), score: *score, reason: reason(file) })
        .collect();
    let (impact, history) = (impact(&best), history(&best));
    let mut map = ContextMap {
        text: String::new(),
        files,
        impact,
        history,
        tokens_used: 0,
        tokens_budget: request.budget_tokens,
        tokens_remaining: 0,
    };
    map.text = text(&map, request, paths);
    map.tokens_used = tokens(&map.text);
    map.tokens_remaining = request.budget_tokens.saturating_sub(map.tokens_used);
    map
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
    if !docstring.is_empty() {
        docstring
    } else if !file.exports.is_empty() {
        let names: Vec<String> = file.exports.iter().take(EXPORTS_SHOWN).map(|name| one_line(name)).collect();
        format!("exports: {}", names.join(", "))
    } else {
        "path match".to_owned()
    }
}

/// A line of the text.
struct Line {
    /// Its place in [`SECTIONS`].
    section: usize,
    text: String,
    /// What stands instead where it does not fit.
    shorter: Option<String>,
}

impl Line {
    fn of(section: usize, text: String) -> Self {
        Self { section, text: text + "\n", shorter: None }
    }
}

/// Sections in their order; a heading is paid by the first line below it.
const SECTIONS: [&str; 5] = ["", "\n## Where to Look\n", "\n## Impact\n", "\n## History\n", "\n## Tools\n"];

fn text<'a>(map: &ContextMap, request: &ContextRequest, paths: impl IntoIterator<Item = &'a str>) -> String {
    let lines = lines(map, request, &ShortNames::of(named(map), paths));
    let mut left = request.budget_tokens;
    let mut sections: [String; SECTIONS.len()] = Default::default();
    let mut is_full = [false; SECTIONS.len()];
    for Line { section, text, shorter } in lines {
        let heading = if sections[section].is_empty() { SECTIONS[section] } else { "" };
        // Every line ends with a line break, so that what lines cost adds up.
        let cost = |text: &str| tokens(heading) + tokens(text);
        match [Some(text), shorter].into_iter().flatten().find(|text| cost(text) <= left) {
            Some(text) if !is_full[section] => {
                left -= cost(&text);
                sections[section] += heading;
                sections[section] += &text;
            }
            // A worse line must not stand where a better one had no room.
            _ => is_full[section] = true,
        }
    }
    sections.concat()
}

/// All lines, what matters most first.
fn lines(map: &ContextMap, request: &ContextRequest, short: &ShortNames) -> Vec<Line> {
    let goal = Line::of(0, format!("# {}", excerpt(&request.goal, GOAL_CHARACTERS)));
    let mut files = (1..).zip(map.files.iter().take(FILES_SHOWN)).map(|(number, file)| {
        let place = format!("{number}. {}", one_line(&file.path));
        Line { shorter: Some(format!("{place}\n")), ..Line::of(1, format!("{place} — {}", file.reason)) }
    });
    let best = files.next().unwrap_or_else(|| Line::of(1, "Nothing matches these words.".to_owned()));
    let tools = Line::of(4, TOOLS.to_owned());
    let impact = map.impact.iter().map(|row| {
        let importers: Vec<String> = row.importers.iter().map(|importer| short.of_path(importer)).collect();
        Line::of(2, format!("{} <- {}", short.of_path(&row.path), importers.join(", ")))
    });
    let history = map.history.iter().map(|row| {
        let partner = |partner: &Partner| format!("{} ({}x)", short.of_path(&partner.path), partner.count);
        let partners: Vec<String> = row.cochanges.iter().map(partner).collect();
        let cochanges =
            if partners.is_empty() { String::new() } else { format!(", co-changes: {}", partners.join(", ")) };
        Line::of(3, format!("{}: {} commits/90d{cochanges}", short.of_path(&row.path), row.recent_commits))
    });
    let script = |script: &Script| format!("{}: {}", one_line(&script.kind), one_line(&script.command));
    let scripts: Vec<String> = request.scripts.iter().map(script).collect();
    let scripts = (!scripts.is_empty()).then(|| Line::of(4, scripts.join(" | ")));
    [goal, best, tools].into_iter().chain(files).chain(impact).chain(history).chain(scripts).collect()
}

/// Paths that are shown by a short name.
fn named(map: &ContextMap) -> Vec<&str> {
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
