//! A short report for a terminal.

mod section;

use std::collections::BTreeSet;

use section::{Section, SectionRow, shared};

use super::bulk_changes::bulks;
use super::consumers::Consumers;
use super::contracts::{Group, groups};
use super::finding::{reasons, references, untouched_dependents};
use super::visible_text::{clipped, visible};
use super::words::{
    MAX_ROWS, MAX_USES, contract_change_label, format_count, is_quiet, level, likely, percent, risk, sides,
    size_of_change, total, unknown, verdict, way,
};
use super::{About, Limit, words};
use crate::{
    BrokenUse, CodeNote, ContractChange, Dependent, Effect, ExpectedFile, Impact, RiskLevel, Severity, TestChoice,
    TestPlan, TransitiveDependent, Verdict,
};

/// A line of pieces, without a line break.
pub type StyledLine = Vec<StyledText>;

/// Text in one style.
pub type StyledText = (Style, String);

/// The role of a piece of text. The printer chooses its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Words.
    Plain,
    /// Title of a section.
    Title,
    /// A file.
    Path,
    /// A command to type.
    Command,
    /// Something is broken.
    Bad,
    /// Something to look at.
    Warn,
    /// All is well.
    Good,
    /// Less important than the rest.
    Faint,
}

/// Most commands and test files that are listed for a change that needs no review.
const MAX_TESTS_TO_RUN: usize = 5;

/// Fewest lines; with less, not every section could at least be mentioned.
const MIN_LINES: usize = 40;

/// Verdict, then contracts, directories that changed as a whole, missing files, dependents, tests, risk, notes about
/// the code, and limitations of the answer: at most `limit.lines` lines. Sections share the lines, and each one tells
/// how much it leaves out. No line begins with text of the change, because hosts read commands there.
pub fn text(impact: &Impact, about: &About<'_>, limit: &Limit) -> Vec<StyledLine> {
    let limit = Limit { lines: limit.lines.max(MIN_LINES), ..*limit };
    let mut lines = heading(impact, &limit);
    let mut sections = vec![memories(impact, &limit), incomplete(impact, &limit), lacks(impact, about, &limit)];
    if !is_quiet(impact) {
        let before = [contracts, directories, missing, dependents, transitive_section, tests, risk_parts];
        sections.splice(0..0, before.map(|section| section(impact, &limit)));
    } else {
        if impact.verdict == Verdict::Clean {
            sections.insert(0, tests_to_run(impact, &limit));
        }
        if impact.contract_impact.changes.iter().any(|change| change.accepted.is_some()) {
            sections.insert(0, contracts(impact, &limit));
        }
    }
    sections.retain(|section| section.total > 0 || !section.note.is_empty());
    let shares = shared(limit.lines - lines.len(), sections.iter().map(Section::lines));
    for (section, share) in sections.into_iter().zip(shares) {
        section.write(&mut lines, share);
    }
    lines
}

/// The lines without styles.
pub fn plain(lines: &[StyledLine]) -> String {
    let mut text = String::new();
    for line in lines {
        text.extend(line.iter().map(|(_, piece)| piece.as_str()));
        text.push('\n');
    }
    text
}

fn heading(impact: &Impact, limit: &Limit) -> Vec<StyledLine> {
    let style = match impact.verdict {
        Verdict::Empty | Verdict::Cosmetic | Verdict::Clean => Style::Good,
        Verdict::Unknown | Verdict::Review | Verdict::MayBreak => Style::Warn,
        Verdict::Breaking => Style::Bad,
    };
    let unknown = unknown(impact).map(|reason| vec![(Style::Warn, format!("Not known: {}", sentence(reason, limit)))]);
    let mut lines = vec![vec![
        (style, verdict(impact.verdict).to_owned()),
        (Style::Plain, format!(": {}", sentence(&impact.summary, limit))),
    ]];
    lines.extend(unknown.take(2));
    if impact.verdict != Verdict::Empty {
        let change = format!("{}: {}{}", sides(impact), size_of_change(impact), definitions(impact));
        lines.push(vec![(Style::Faint, format!("Compared {}", sentence(&change, limit)))]);
    }
    let reverts = impact.sides.reverts.iter().map(|commit| sentence(&format!("Reverts {commit}"), limit));
    lines.extend(reverts.map(|sentence| vec![(Style::Plain, sentence)]));
    lines
}

/// ", 5 definitions (3 body, 2 signature)".
fn definitions(impact: &Impact) -> String {
    let symbols = &impact.changed_symbols;
    let mut counts: Vec<(crate::SymbolChangeKind, u64)> = Vec::new();
    for symbol in symbols {
        match counts.iter_mut().find(|(change, _)| *change == symbol.change) {
            Some((_, count)) => *count += 1,
            None => counts.push((symbol.change, 1)),
        }
    }
    if counts.is_empty() {
        return String::new();
    }
    counts.sort();
    let counts: Vec<String> =
        counts.iter().map(|(change, count)| format!("{count} {}", words::change(*change))).collect();
    format!(", {} ({})", format_count(total(impact, "changed_symbols", symbols.len()), "definition"), counts.join(", "))
}

fn contracts(impact: &Impact, limit: &Limit) -> Section {
    let mut groups = groups(impact, Severity::Additive);
    let bulks = bulks(impact);
    groups.retain(|group| !bulks.iter().any(|bulk| bulk.covers(group)));
    let consumers = Consumers::of(impact);
    let row = |group: &Group<'_>| {
        let change = group.worst;
        let line = group.lines.map_or(String::new(), |(first, _)| format!(":{first}"));
        let users = group.users(&consumers).map_or(String::new(), |users| format!("; {users}"));
        let why = format!("{}: {}{users}", change.symbol, group.details.join("; "));
        let row = SectionRow::new(
            (style_of(change), contract_change_label(change)),
            &format!("{}{line}", change.path),
            &sentence(&why, limit),
        );
        row.with(broken(&group.uses, limit))
    };
    Section::new("Contracts", groups.len() as u64, groups.iter().take(MAX_ROWS).map(row).collect())
}

fn style_of(change: &ContractChange) -> Style {
    match (&change.accepted, change.effect) {
        (None, Effect::Breaks) => Style::Bad,
        (None, Effect::MayBreak) => Style::Warn,
        _ => Style::Faint,
    }
}

/// A line for each of the first uses that are broken, and how many more there are.
fn broken(uses: &[&BrokenUse], limit: &Limit) -> Vec<StyledLine> {
    let line = |used: &&BrokenUse| {
        let place = visible(&format!("{}:{}", used.path, used.line)).into_owned();
        let why = if used.text.is_empty() { used.reason.clone() } else { format!("`{}`: {}", used.text, used.reason) };
        let breaks = (Style::Bad, "breaks".to_owned());
        let (indent, gap) = ((Style::Plain, "    ".to_owned()), (Style::Plain, "  ".to_owned()));
        vec![indent, breaks, gap.clone(), (Style::Path, place), gap, (Style::Plain, sentence(&why, limit))]
    };
    let mut lines: Vec<StyledLine> = uses.iter().take(MAX_USES).map(line).collect();
    if uses.len() > MAX_USES {
        let more = format_count((uses.len() - MAX_USES) as u64, "more use");
        lines.push(vec![(Style::Faint, format!("    and {more}"))]);
    }
    lines
}

/// What is one change to a reader, however many files it has.
fn directories(impact: &Impact, limit: &Limit) -> Section {
    let bulks = bulks(impact);
    let rows = bulks.iter().take(MAX_ROWS).map(|bulk| SectionRow::sentence(&sentence(&bulk.in_words(), limit)));
    Section::new("Moved or copied together", bulks.len() as u64, rows.collect())
}

fn missing(impact: &Impact, limit: &Limit) -> Section {
    let row = |file: &ExpectedFile| {
        SectionRow::new((Style::Warn, &percent(file.probability)), &file.path, &sentence(&reasons(file), limit))
    };
    Section::new("Missing", impact.missing.len() as u64, impact.missing.iter().take(MAX_ROWS).map(row).collect())
}

/// Dependents that are not in the change and are no tests; tests have their own list.
fn dependents(impact: &Impact, limit: &Limit) -> Section {
    let all = &impact.direct_dependents;
    let listed: Vec<&Dependent> = untouched_dependents(impact).collect();
    let count = listed.len() as u64 + total(impact, "direct_dependents", all.len()) - all.len() as u64;
    let row = |file: &&Dependent| {
        let style = if file.impact_level == crate::Level::High { Style::Warn } else { Style::Plain };
        let line = file.lines.first().map_or(String::new(), |line| format!(":{line}"));
        let why = sentence(&references(file), limit);
        SectionRow::new((style, level(file.impact_level)), &format!("{}{line}", file.path), &why)
    };
    let rows = likely(&listed, |file| file.probability).take(MAX_ROWS).map(row);
    let mut section = Section::new("Dependents", count, rows.collect());
    let reached = total(impact, "transitive_dependents", impact.transitive_dependents.len());
    if reached > 0 {
        let more = if count > 0 { "more file" } else { "file" };
        section.note = format!("{count}, and {} through {}", format_count(reached, more), ways(impact, count > 0));
    }
    section
}

/// What the files that do not depend on the change directly are reached through; `has_direct` says whether dependents
/// are listed that the change leaves alone.
fn ways(impact: &Impact, has_direct: bool) -> &'static str {
    let changed = impact.changed.iter().map(|file| &file.path);
    let users = impact.direct_dependents.iter().filter(|file| file.in_change).map(|file| &file.path);
    let in_change: BTreeSet<&String> = changed.chain(users).collect();
    // Without a file between, it uses something that a changed definition overrides.
    let is_near = |file: &&TransitiveDependent| file.via.iter().all(|path| in_change.contains(path));
    let near = impact.transitive_dependents.iter().filter(is_near).count();
    match (near, impact.transitive_dependents.len() - near) {
        (0, _) if has_direct => "these",
        (0, _) => "others",
        (_, 0) => "the changed files",
        (_, _) if has_direct => "these and the changed files",
        (_, _) => "the changed files and others",
    }
}

fn transitive_section(impact: &Impact, limit: &Limit) -> Section {
    let all = &impact.transitive_dependents;
    let rows = likely(all, |file| file.probability).take(MAX_ROWS);
    let rows = rows.map(|file| {
        SectionRow::new((Style::Plain, level(file.impact_level)), &file.path, &sentence(&way(file), limit))
    });
    Section::new("Through others", total(impact, "transitive_dependents", all.len()), rows.collect())
}

/// Commands that run what is enough, then the test files.
fn tests(impact: &Impact, limit: &Limit) -> Section {
    let plan = &impact.test_plan;
    let commands = plan.commands.iter().map(|command| SectionRow::command(command));
    let files = likely(&impact.tests, |test| test.probability).map(|test| test_row(test, limit));
    let count = plan.commands.len() as u64 + total(impact, "tests", impact.tests.len());
    let mut section = Section::new("Tests", count, commands.chain(files).take(MAX_ROWS).collect());
    section.note = note_of_plan(plan);
    section
}

/// For a change that needs no review: the commands that run its tests, then the first of the test files that they run.
fn tests_to_run(impact: &Impact, limit: &Limit) -> Section {
    let plan = &impact.test_plan;
    let selected: Vec<&TestChoice> = impact.tests.iter().filter(|test| test.selected).collect();
    let commands = plan.commands.iter().map(|command| SectionRow::command(command));
    let files = selected.iter().map(|test| test_row(test, limit));
    let count = plan.commands.len() as u64 + u64::from(plan.selected).max(selected.len() as u64);
    let mut section = Section::new("Tests", count, commands.chain(files).take(MAX_TESTS_TO_RUN).collect());
    section.note = note_of_plan(plan);
    section.after_count = "; `icr impact --tests` lists all";
    section
}

fn test_row(test: &TestChoice, limit: &Limit) -> SectionRow {
    let style = if test.selected { Style::Plain } else { Style::Faint };
    SectionRow::new((style, &percent(test.probability)), &test.path, &sentence(&test.reason, limit))
}

/// How many of the test files are selected, and what share of failures they find; empty if none is selected.
fn note_of_plan(plan: &TestPlan) -> String {
    if plan.selected == 0 {
        return String::new();
    }
    let recall = percent(plan.expected_recall);
    format!("{} of {} files, expected to find {recall} of what all would", plan.selected, plan.total)
}

fn risk_parts(impact: &Impact, limit: &Limit) -> Section {
    let parts = &impact.risk.parts;
    let rows = parts.iter().take(MAX_ROWS).map(|part| {
        SectionRow::number((Style::Plain, part.name), part.value * part.weight, &sentence(&part.reason, limit))
    });
    let mut section = Section::new("Risk", parts.len() as u64, rows.collect());
    section.note = risk(impact);
    section.note_style = match impact.risk.level {
        RiskLevel::None | RiskLevel::Low => Style::Good,
        RiskLevel::Medium | RiskLevel::Unknown => Style::Warn,
        RiskLevel::High => Style::Bad,
    };
    section
}

/// What the user noted about the code of the change.
fn memories(impact: &Impact, limit: &Limit) -> Section {
    let row = |memory: &CodeNote| {
        let state = memory.state.map_or("-", words::noted_code);
        let why = format!("{}: {} ({})", memory.topic, memory.summary, memory.created_at.day());
        SectionRow::new((Style::Faint, state), &words::noted_place(memory), &sentence(&why, limit))
    };
    Section::new(words::NOTED, impact.memories.len() as u64, impact.memories.iter().map(row).collect())
}

/// Every file that was not analysed, even if nothing else needs a review.
fn incomplete(impact: &Impact, limit: &Limit) -> Section {
    let of = |code: bool| impact.incomplete.iter().filter(move |file| file.code == code);
    let rows = of(true).chain(of(false)).take(MAX_ROWS).map(|file| {
        let mark = if file.code { (Style::Warn, "code") } else { (Style::Faint, "data") };
        SectionRow::new(mark, &file.path, &sentence(&file.reason, limit))
    });
    Section::new("Not analysed", impact.incomplete.len() as u64, rows.collect())
}

fn lacks(impact: &Impact, about: &About<'_>, limit: &Limit) -> Section {
    let notes: Vec<&String> = about.gaps.iter().chain(&impact.sides.notes).collect();
    let count = notes.len() + impact.cuts.len();
    let texts = notes.into_iter().map(|text| sentence(text, limit));
    let cuts = impact.cuts.iter().map(|cut| format!("{} shows {} of {}", cut.list, cut.shown, cut.total));
    let rows = texts.chain(cuts).take(MAX_ROWS).map(|text| SectionRow::sentence(&text));
    Section::new("To know of this answer", count as u64, rows.collect())
}

fn sentence(text: &str, limit: &Limit) -> String {
    clipped(&visible(text), limit.sentence).into_owned()
}
