//! The folded parts of a comment.

use super::super::About;
use super::super::consumers::Consumers;
use super::super::contracts::groups;
use super::super::finding::{references, to_check};
use super::super::mermaid::mermaid;
use super::super::words::{contract_change_label, format_count, level, likely, percent, total, way};
use super::page::Page;
use super::{MAX_SHOWN, code, fenced, place, place_of, prose, why};
use crate::{CochangePartner, Dependent, Evidence, Impact, RiskLevel, Severity, TestChoice, TransitiveDependent};

/// Adds every list of the answer that the top of the page does not show in full, most important first.
pub(super) fn add(page: &mut Page, impact: &Impact, about: &About<'_>) {
    contracts(page, impact, about);
    dependents(page, impact, about);
    expected(page, impact, about);
    tests(page, impact);
    write_transitive_dependents(page, impact);
    cochange(page, impact);
    review(page, impact, about);
    risk(page, impact);
    graph(page, impact);
    lacks(page, impact, about);
}

/// A folded table of `rows` out of `total`. If there are no rows to show, only the total; nothing if the total is 0.
fn table(
    page: &mut Page,
    title: &'static str,
    heading: &str,
    head: &str,
    rows: impl Iterator<Item = String>,
    total: u64,
) {
    let mut rows = rows.peekable();
    let has_rows = rows.peek().is_some();
    if has_rows {
        page.folded(title, heading, |page| page.table(title, head, rows, total));
    } else if total > 0 {
        page.section(title, &format!("\n{heading}; each of them is unlikely\n"));
    }
}

fn contracts(page: &mut Page, impact: &Impact, about: &About<'_>) {
    let all = groups(impact, Severity::None);
    if super::contracts(impact).len().min(MAX_SHOWN) == all.len() {
        return;
    }
    let consumers = Consumers::of(impact);
    let rows = all.iter().map(|group| {
        let (change, place) = (group.worst, place_of(group, about));
        let why = why(group, group.users(&consumers), about);
        format!("| {} | {} in {place} | {why} |", contract_change_label(change), code(&change.symbol))
    });
    let count = all.len() as u64;
    let heading = format!("{} changed", format_count(count, "contract"));
    table(page, "contracts", &heading, "| | Definition | Change |\n|---|---|---|\n", rows, count);
}

fn dependents(page: &mut Page, impact: &Impact, about: &About<'_>) {
    let all = &impact.direct_dependents;
    let count = total(impact, "direct_dependents", all.len());
    if to_check(impact).count() as u64 == count && all.len() <= MAX_SHOWN {
        return;
    }
    let row = |file: &Dependent| {
        let line = file.lines.first().map(|line| (*line, *line));
        let notes = [(file.test, "test"), (file.in_change, "in the change")];
        let notes: String = notes.iter().filter(|note| note.0).map(|note| format!(", {}", note.1)).collect();
        let (level, place) = (level(file.impact_level), place(&file.path, line, about));
        format!("| {level}, {} | {place} | {}{notes} |", percent(file.probability), prose(&references(file)))
    };
    let rows = likely(all, |file| file.probability).map(row);
    let refers = if count == 1 { "refers" } else { "refer" };
    let heading = format!("{} {refers} to what changed", format_count(count, "file"));
    table(page, "dependents", &heading, "| Affected | File | Why |\n|---|---|---|\n", rows, count);
}

fn expected(page: &mut Page, impact: &Impact, about: &About<'_>) {
    let count = total(impact, "expected", impact.expected.len());
    let rows = likely(&impact.expected, |file| file.probability).map(|file| {
        let place = place(&file.path, None, about);
        format!("| {} | {place} | {} |", percent(file.probability), evidence(&file.evidence))
    });
    let heading = format!("{} often changed with changes like this one", format_count(count, "file"));
    table(page, "expected files", &heading, "| Likely | File | Why |\n|---|---|---|\n", rows, count);
}

/// The three heaviest reasons.
fn evidence(evidence: &[Evidence]) -> String {
    evidence.iter().take(3).map(|evidence| prose(&evidence.text)).collect::<Vec<_>>().join("; ")
}

fn tests(page: &mut Page, impact: &Impact) {
    let count = total(impact, "tests", impact.tests.len());
    let row = |test: &TestChoice| {
        let run = if test.selected { "run" } else { "" };
        format!("| {run} | {} | {} | {} |", percent(test.probability), code(&test.path), prose(&test.reason))
    };
    let heading = format!("{} by how likely they run what changed", format_count(count, "test file"));
    let head = "| | Likely | Test | Why |\n|---|---|---|---|\n";
    table(page, "tests", &heading, head, likely(&impact.tests, |test| test.probability).map(row), count);
}

fn write_transitive_dependents(page: &mut Page, impact: &Impact) {
    let count = total(impact, "transitive_dependents", impact.transitive_dependents.len());
    let row = |file: &TransitiveDependent| {
        let (level, path) = (level(file.impact_level), code(&file.path));
        format!("| {level}, {} | {path} | {} |", percent(file.probability), prose(&way(file)))
    };
    let heading = format!("{} reached through others", format_count(count, "file"));
    let head = "| Affected | File | How |\n|---|---|---|\n";
    let rows = likely(&impact.transitive_dependents, |file| file.probability).map(row);
    table(page, "files reached through others", &heading, head, rows, count);
}

fn cochange(page: &mut Page, impact: &Impact) {
    let count = total(impact, "cochange", impact.cochange.len());
    let row = |file: &CochangePartner| {
        format!(
            "| {} | {} | {} |",
            percent(file.confidence),
            code(&file.path),
            format_count(u64::from(file.commits), "commit")
        )
    };
    let heading = format!("{} changed together with these before", format_count(count, "file"));
    let head = "| Share | File | In common |\n|---|---|---|\n";
    table(page, "history", &heading, head, likely(&impact.cochange, |file| file.confidence).map(row), count);
}

fn review(page: &mut Page, impact: &Impact, about: &About<'_>) {
    let count = total(impact, "suggested_review", impact.suggested_review.len());
    let rows = likely(&impact.suggested_review, |file| file.probability).map(|file| {
        let reasons: Vec<String> = file.reasons.iter().take(3).map(|reason| prose(reason)).collect();
        format!("| {} | {} | {} |", percent(file.probability), place(&file.path, None, about), reasons.join("; "))
    });
    let heading = format!("{} to read besides the change", format_count(count, "file"));
    table(page, "files to read", &heading, "| Likely | File | Why |\n|---|---|---|\n", rows, count);
}

fn risk(page: &mut Page, impact: &Impact) {
    let parts = &impact.risk.parts;
    let rows = parts.iter().map(|part| {
        let name = prose(part.name);
        format!("| {name} | {:.2} | {:.2} | {} |", part.value, part.weight, prose(&part.reason))
    });
    let heading = match impact.risk.level {
        RiskLevel::Unknown => "What is known of the risk".to_owned(),
        _ => format!("Risk {:.2} and its parts", impact.risk.score),
    };
    let head = "| Part | Value | Weight | Why |\n|---|---|---|---|\n";
    table(page, "risk", &heading, head, rows, parts.len() as u64);
}

fn graph(page: &mut Page, impact: &Impact) {
    if !impact.graph.edges.is_empty() {
        let drawing = mermaid(impact);
        page.folded("graph", "Graph", |page| page.section("graph", &fenced("mermaid", drawing.lines())));
    }
}

fn lacks(page: &mut Page, impact: &Impact, about: &About<'_>) {
    let texts: Vec<&str> = impact.sides.notes.iter().chain(about.gaps).map(String::as_str).collect();
    let count = (texts.len() + impact.cuts.len()) as u64;
    let cuts = impact.cuts.iter().map(|cut| format!("{} shows {} of {}", code(cut.list), cut.shown, cut.total));
    let rows = texts.into_iter().map(prose).chain(cuts).map(|text| format!("- {text}"));
    let heading = format!("What to know of this answer ({count})");
    table(page, "notes", &heading, "", rows, count);
}
