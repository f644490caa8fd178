//! Markdown for comments and step summaries.

mod details;
mod escape;
mod page;

use escape::{code, fenced, prose};
use page::Page;

use super::bulk_changes::bulks;
use super::consumers::Consumers;
use super::contracts::{Group, groups};
use super::finding::{reasons, references, to_check, untouched_dependents};
use super::words::{
    NOTED, accepted, broken_uses_with, contract_change_label, format_count, is_quiet, not_looked_into, noted_code,
    percent, risk, sides, size_of_change, unknown, verdict, with_full_stop,
};
use super::{About, Limit};
use crate::{BrokenUse, CodeNote, Dependent, Effect, ExpectedFile, Impact, Incomplete, Severity, Verdict};

/// First line of every comment, hidden: a later run finds and replaces its comment by it.
pub const MARKER: &str = "<!-- icr-impact -->";

/// Definitions, and dependents, that the table at the top shows. The rest is folded.
const MAX_SHOWN: usize = 8;

/// A longer block of commands is folded, in characters.
const MAX_COMMANDS: usize = 2_000;

/// A comment: verdict, reverted commit, a short table with a reason for each row, tests to run, the rest folded. If
/// nothing needs a review, only tests to run and notes about the code follow after the reverted commit. It stays within
/// `limit`: rows and sections that do not fit are left out as a whole and counted.
///
/// Text of the change formats nothing, links to nothing and notifies nobody.
pub fn markdown(impact: &Impact, about: &About<'_>, limit: &Limit) -> String {
    let reverts = impact.sides.reverts.as_ref();
    let reverts = reverts.map_or(String::new(), |commit| format!("\n{}\n", prose(&format!("Reverts {commit}"))));
    let heading = format!("{MARKER}\n{}\n{reverts}", heading(impact, about));
    let footer = if is_quiet(impact) { String::new() } else { footer(impact, about) };
    let mut page = Page::new(limit, &footer);
    if !page.add(&heading) {
        page.add(&format!("{MARKER}\n**{}**\n", verdict(impact.verdict)));
    }
    if is_quiet(impact) {
        if impact.verdict == Verdict::Clean {
            tests(&mut page, impact);
        }
        memories(&mut page, impact, about);
        return page.finished();
    }
    findings(&mut page, impact, about);
    directories(&mut page, impact);
    incomplete(&mut page, impact, about);
    tests(&mut page, impact);
    memories(&mut page, impact, about);
    details::add(&mut page, impact, about);
    page.finished()
}

fn heading(impact: &Impact, about: &About<'_>) -> String {
    let verdict = verdict(impact.verdict);
    let summary = with_full_stop(&prose(&impact.summary));
    let unknown: Vec<String> = unknown(impact).take(3).map(prose).collect();
    let unknown = if unknown.is_empty() { String::new() } else { format!(" Not known: {}.", unknown.join("; ")) };
    if !is_quiet(impact) {
        return format!("**{verdict}**, risk {}: {summary}{unknown}", risk(impact));
    }
    let unseen: Vec<String> = not_looked_into(impact, MAX_SHOWN).iter().map(|row| prose(row)).collect();
    let unseen = if unseen.is_empty() { String::new() } else { format!(" Not analysed: {}.", unseen.join("; ")) };
    let accepted: Vec<String> = accepted(impact, MAX_SHOWN).iter().map(|change| prose(change)).collect();
    let accepted = if accepted.is_empty() { String::new() } else { format!(" Accepted: {}.", accepted.join("; ")) };
    let lacks: Vec<String> = about.gaps.iter().take(3).map(|gap| prose(gap)).collect();
    let lacks = if lacks.is_empty() { String::new() } else { format!(" Gaps: {}.", lacks.join("; ")) };
    format!("**{verdict}**: {summary}{unknown}{accepted}{unseen}{lacks}")
}

fn footer(impact: &Impact, about: &About<'_>) -> String {
    let repo = about.repo.as_deref().map_or(String::new(), |repo| format!("{}, ", code(repo)));
    format!("\n<sub>{repo}{}: {}. icr {}</sub>\n", prose(&sides(impact)), size_of_change(impact), about.version)
}

fn findings(page: &mut Page, impact: &Impact, about: &About<'_>) {
    let contracts = contracts(impact);
    let consumers = Consumers::of(impact);
    let dependents: Vec<&Dependent> = match impact.verdict {
        // The verdict is based on these, even if each of them is affected only a little.
        Verdict::Review => untouched_dependents(impact).collect(),
        _ => to_check(impact).collect(),
    };
    let total = contracts.len() + impact.missing.len() + dependents.len();
    if total == 0 {
        return;
    }
    let rows = contracts.iter().take(MAX_SHOWN).map(|group| contract(group, &consumers, about));
    let rows = rows.chain(impact.missing.iter().map(|file| missing(file, about)));
    let rows = rows.chain(dependents.iter().take(MAX_SHOWN).map(|file| dependent(file, about)));
    page.table("findings", "\n| | Where | Why |\n|---|---|---|\n", rows, total as u64);
}

/// The contracts in the table at the top: those that may break a use, and those that are at least risky.
fn contracts(impact: &Impact) -> Vec<Group<'_>> {
    let bulks = bulks(impact);
    let mut groups = groups(impact, Severity::Risky);
    groups.retain(|group| !bulks.iter().any(|bulk| bulk.covers(group)));
    groups
}

/// What is one change to a reader, however many files it has.
fn directories(page: &mut Page, impact: &Impact) {
    let bulks = bulks(impact);
    if !bulks.is_empty() {
        let rows = bulks.iter().map(|bulk| format!("- {}", prose(&bulk.in_words())));
        page.table(
            "files that moved or were copied together",
            "\n**Moved or copied together**\n\n",
            rows,
            bulks.len() as u64,
        );
    }
}

/// Every file that was not looked into, code first.
fn incomplete(page: &mut Page, impact: &Impact, about: &About<'_>) {
    let of = |code: bool| impact.incomplete.iter().filter(move |file| file.code == code);
    let row = |file: &Incomplete| {
        let kind = if file.code { "code" } else { "data" };
        format!("| {kind} | {} | {} |", place(&file.path, None, about), prose(&file.reason))
    };
    if !impact.incomplete.is_empty() {
        let rows = of(true).chain(of(false)).map(row);
        let head = "\n| Not analysed | Where | Why |\n|---|---|---|\n";
        page.table("what was not looked into", head, rows, impact.incomplete.len() as u64);
    }
}

/// What the user noted about the code of the change.
fn memories(page: &mut Page, impact: &Impact, about: &About<'_>) {
    let row = |memory: &CodeNote| {
        let symbol = memory.symbol.as_deref().map_or(String::new(), |symbol| format!(" {}", code(symbol)));
        let state = memory.state.map_or(String::new(), |state| format!(", {} since", noted_code(state)));
        let place = place(&memory.path, None, about);
        let (topic, day) = (prose(&memory.topic), memory.created_at.day());
        format!("- {place}{symbol}{state}: {} ({topic}, {day})", prose(&memory.summary))
    };
    if !impact.memories.is_empty() {
        let heading = format!("\n**{NOTED}**\n\n");
        page.table("what was noted", &heading, impact.memories.iter().map(row), impact.memories.len() as u64);
    }
}

fn contract(group: &Group<'_>, consumers: &Consumers<'_>, about: &About<'_>) -> String {
    let change = group.worst;
    let what = contract_change_label(change);
    let is_broken = change.effect == Effect::Breaks && change.accepted.is_none();
    let what = if is_broken { format!("**{what}**") } else { what.to_owned() };
    let place = place_of(group, about);
    let why = why(group, group.users(consumers), about);
    format!("| {what} | {} in {place} | {why} |", code(&change.symbol))
}

/// The changes of a contract, its users, and its broken uses.
fn why(group: &Group<'_>, users: Option<String>, about: &About<'_>) -> String {
    let used = |used: &BrokenUse| {
        let place = place(&used.path, Some((used.line, used.line)), about);
        if used.text.is_empty() { place } else { format!("{place} {}", code(&used.text)) }
    };
    let broken = match broken_uses_with(&group.uses, used, prose) {
        broken if broken.is_empty() => broken,
        broken => format!("; breaks {broken}"),
    };
    let users = users.map_or(String::new(), |users| format!("; {}", prose(&users)));
    format!("{}{users}{broken}", details_of(group))
}

fn missing(file: &ExpectedFile, about: &About<'_>) -> String {
    let why = prose(&reasons(file));
    let why = if why.is_empty() { why } else { format!(": {why}") };
    let (place, percent) = (place(&file.path, None, about), percent(file.probability));
    format!("| missing | {place} | may have been forgotten ({percent}){why} |")
}

fn dependent(file: &Dependent, about: &About<'_>) -> String {
    let line = file.lines.first().map(|line| (*line, *line));
    format!("| re-check | {} | {} |", place(&file.path, line, about), prose(&references(file)))
}

/// What changed in a contract, three changes at most.
fn details_of(group: &Group<'_>) -> String {
    let mut details: Vec<String> = group.details.iter().take(3).map(|detail| prose(detail)).collect();
    if group.details.len() > 3 {
        details.push(format!("{} more", group.details.len() - 3));
    }
    details.join("; ")
}

/// The current or former place of a definition.
fn place_of(group: &Group<'_>, about: &About<'_>) -> String {
    if group.is_file_gone { code(&group.worst.path) } else { place(&group.worst.path, group.lines, about) }
}

/// A path, with its first line where known, as a link where there is a host.
fn place(path: &str, lines: Option<(u32, u32)>, about: &About<'_>) -> String {
    let shown = match lines {
        Some((first, _)) => code(&format!("{path}:{first}")),
        None => code(path),
    };
    match &about.link {
        Some(link) => format!("[{shown}]({})", link.url(path, lines)),
        None => shown,
    }
}

fn tests(page: &mut Page, impact: &Impact) {
    let plan = &impact.test_plan;
    if plan.selected == 0 {
        return;
    }
    let heading = format!(
        "\n**Tests to run**: {} of {}, expected to find {} of what all of them would\n\n",
        plan.selected,
        plan.total,
        percent(plan.expected_recall)
    );
    let commands = fenced("sh", plan.commands.iter().map(String::as_str));
    if plan.commands.is_empty() {
        let selected = || impact.tests.iter().filter(|test| test.selected);
        let rows = selected().take(MAX_SHOWN).map(|test| format!("- {}", code(&test.path)));
        page.table("tests to run", &heading, rows, selected().count() as u64);
    } else if commands.chars().count() <= MAX_COMMANDS {
        page.section("tests to run", &(heading + &commands));
    } else {
        let title = format!("Commands for {} of {}", format_count(u64::from(plan.selected), "test file"), plan.total);
        page.folded("tests to run", &title, |page| page.section("tests to run", &commands));
    }
}
