//! A short report for a terminal.

mod section;

use section::{Row, Section, shared};

use super::consumers::Consumers;
use super::contracts::{Group, groups};
use super::finding::{reasons, references};
use super::visible::{clipped, visible};
use super::words::{counted, is_quiet, level, percent, risk, severity, sides, size_of_change, total, verdict};
use super::{About, Limit, words};
use crate::{Dependent, Expected, Impact, RiskLevel, Severity, Verdict};

/// A line of pieces, without a line break.
pub type Line = Vec<Piece>;

/// Text in one style.
pub type Piece = (Style, String);

/// What a piece of text is. Which colours that gets is for whoever prints it.
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

/// Longest sentence, in characters: two lines of most terminals.
const MAX_SENTENCE: usize = 160;

/// Below this not every section has room to say that it exists.
const MIN_LINES: usize = 32;

/// Verdict, then contracts, missing files, dependents, tests, risk, and what the answer lacks: at most `limit.lines`
/// lines. Sections share the lines, and each says how much it leaves out. No line begins with text of the change, as
/// hosts read commands there.
pub fn text(impact: &Impact, about: &About<'_>, limit: &Limit) -> Vec<Line> {
    let limit = limit.lines.max(MIN_LINES);
    let mut lines = heading(impact);
    let mut sections = vec![incomplete(impact, limit), lacks(impact, about, limit)];
    if !is_quiet(impact) {
        let before = [contracts, missing, dependents, tests, risk_parts];
        sections.splice(0..0, before.map(|section| section(impact, limit)));
    }
    sections.retain(|section| section.total > 0 || !section.note.is_empty());
    let shares = shared(limit - lines.len(), sections.iter().map(Section::lines));
    for (section, share) in sections.into_iter().zip(shares) {
        section.write(&mut lines, share);
    }
    lines
}

/// The lines without styles.
pub fn plain(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        text.extend(line.iter().map(|(_, piece)| piece.as_str()));
        text.push('\n');
    }
    text
}

fn heading(impact: &Impact) -> Vec<Line> {
    let style = match impact.verdict {
        Verdict::Empty | Verdict::Cosmetic | Verdict::Clean => Style::Good,
        Verdict::Unknown | Verdict::Review => Style::Warn,
        Verdict::Breaking => Style::Bad,
    };
    let unknown =
        impact.risk.unknown.iter().map(|reason| vec![(Style::Warn, format!("Not known: {}", sentence(reason)))]);
    let mut lines = vec![vec![
        (style, verdict(impact.verdict).to_owned()),
        (Style::Plain, format!(": {}", sentence(&impact.summary))),
    ]];
    lines.extend(unknown.take(2));
    if impact.verdict != Verdict::Empty {
        let change = format!("{}: {}{}", sides(impact), size_of_change(impact), definitions(impact));
        lines.push(vec![(Style::Faint, format!("Compared {}", sentence(&change)))]);
    }
    lines
}

/// ", 5 definitions (3 body, 2 signature)".
fn definitions(impact: &Impact) -> String {
    let symbols = &impact.changed_symbols;
    let mut counts: Vec<(crate::Change, u64)> = Vec::new();
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
    format!(", {} ({})", counted(total(impact, "changed_symbols", symbols.len()), "definition"), counts.join(", "))
}

fn contracts(impact: &Impact, limit: usize) -> Section {
    let groups = groups(impact, Severity::Additive);
    let consumers = Consumers::of(impact);
    let row = |group: &Group<'_>| {
        let change = group.worst;
        let style = match change.severity {
            Severity::Breaking => Style::Bad,
            Severity::Risky => Style::Warn,
            _ => Style::Faint,
        };
        let line = group.lines.map_or(String::new(), |(first, _)| format!(":{first}"));
        let why = format!("{}: {}; {}", change.symbol, group.details.join("; "), consumers.in_words(change));
        Row::new((style, severity(change.severity)), &format!("{}{line}", change.path), &sentence(&why))
    };
    Section::new("Contracts", groups.len() as u64, groups.iter().take(limit).map(row).collect())
}

fn missing(impact: &Impact, limit: usize) -> Section {
    let row =
        |file: &Expected| Row::new((Style::Warn, &percent(file.probability)), &file.path, &sentence(&reasons(file)));
    Section::new("Missing", impact.missing.len() as u64, impact.missing.iter().take(limit).map(row).collect())
}

/// Those that the change leaves alone and that are no tests, which are listed for themselves.
fn dependents(impact: &Impact, limit: usize) -> Section {
    let all = &impact.direct_dependents;
    let listed: Vec<&Dependent> = all.iter().filter(|file| !file.in_change && !file.test).collect();
    let count = listed.len() as u64 + total(impact, "direct_dependents", all.len()) - all.len() as u64;
    let row = |file: &&Dependent| {
        let style = if file.impact_level == crate::Level::High { Style::Warn } else { Style::Plain };
        let line = file.lines.first().map_or(String::new(), |line| format!(":{line}"));
        Row::new((style, level(file.impact_level)), &format!("{}{line}", file.path), &sentence(&references(file)))
    };
    let reached = total(impact, "transitive_dependents", impact.transitive_dependents.len());
    let mut section = Section::new("Dependents", count, listed.iter().take(limit).map(row).collect());
    if reached > 0 {
        section.note = format!("{count}, and {} through these", counted(reached, "more file"));
    }
    section
}

fn tests(impact: &Impact, limit: usize) -> Section {
    let plan = &impact.test_plan;
    let mut section = if plan.commands.is_empty() {
        let selected = || impact.tests.iter().filter(|test| test.selected);
        let rows = selected()
            .take(limit)
            .map(|test| Row::new((Style::Plain, &percent(test.probability)), &test.path, &sentence(&test.reason)));
        Section::new("Tests", selected().count() as u64, rows.collect())
    } else {
        let rows = plan.commands.iter().take(limit).map(|command| Row::command(command));
        Section::new("Tests", plan.commands.len() as u64, rows.collect())
    };
    if plan.selected > 0 {
        section.note = format!(
            "{} of {} files, expected to find {} of what all would",
            plan.selected,
            plan.total,
            percent(plan.expected_recall)
        );
    }
    section
}

fn risk_parts(impact: &Impact, limit: usize) -> Section {
    let parts = &impact.risk.parts;
    let rows = parts
        .iter()
        .take(limit)
        .map(|part| Row::number((Style::Plain, part.name), part.value * part.weight, &sentence(&part.reason)));
    let mut section = Section::new("Risk", parts.len() as u64, rows.collect());
    section.note = risk(impact);
    section.note_style = match impact.risk.level {
        RiskLevel::None | RiskLevel::Low => Style::Good,
        RiskLevel::Medium | RiskLevel::Unknown => Style::Warn,
        RiskLevel::High => Style::Bad,
    };
    section
}

/// Every file that was not looked into, also where nobody has to look at anything else.
fn incomplete(impact: &Impact, limit: usize) -> Section {
    let of = |code: bool| impact.incomplete.iter().filter(move |file| file.code == code);
    let rows = of(true).chain(of(false)).take(limit).map(|file| {
        let mark = if file.code { (Style::Warn, "code") } else { (Style::Faint, "data") };
        Row::new(mark, &file.path, &sentence(&file.reason))
    });
    Section::new("Not looked into", impact.incomplete.len() as u64, rows.collect())
}

fn lacks(impact: &Impact, about: &About<'_>, limit: usize) -> Section {
    let texts = about.gaps.iter().chain(&impact.sides.notes).map(|text| sentence(text));
    let cuts = impact.cuts.iter().map(|cut| format!("{} shows {} of {}", cut.list, cut.shown, cut.total));
    let count = about.gaps.len() + impact.sides.notes.len() + impact.cuts.len();
    let rows = texts.chain(cuts).take(limit).map(|text| Row::sentence(&text));
    Section::new("To know of this answer", count as u64, rows.collect())
}

fn sentence(text: &str) -> String {
    clipped(&visible(text), MAX_SENTENCE).into_owned()
}
