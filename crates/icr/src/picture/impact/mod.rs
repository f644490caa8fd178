//! The page about a change: what it touches, what it forgot, and what to test.

mod drawing;
mod layout;
mod tables;
mod words;

use icr_impact::{Effect, Impact, Review, Risk, RiskPart, TruncatedList, Verdict};
use serde_json::json;

use super::Heading;
use super::escape::html as escaped;
use super::page::{Page, count_with_noun, table};
use drawing::{ROLES, drawing, legend};
use layout::{BoxContent, ImpactLayout, SIZES, finite, layout};
use words::{bar, code, gauge, percent, sentence, word};

/// The impact as one HTML file: verdict and risk, a drawing of its graph in which a chosen file shows why it is there,
/// and the whole answer as tables.
///
/// The file loads and sends nothing and is readable without its script. It contains the answer as JSON, with texts
/// unchanged. With more than 60 files, the drawing first shows directories instead, about 60 boxes; tables have at most
/// 500 rows. 500 files and 2,000 edges with paths of 60 bytes take at most 2 MiB.
///
/// The part of the address after `#` may say what is shown, percent-encoded and joined by `&`: `node=<path>` the chosen
/// file, `hide=<role>,<role>` hidden roles, `least=<percent>` the least probability, `find=<words>` the search words,
/// `open=all` all directories open. An error of the page's script is recorded in the attribute `data-error` of the root
/// element.
pub(crate) fn html(impact: &Impact, heading: &Heading) -> String {
    let layout = layout(&impact.graph);
    let body = [
        WATCH,
        "<div class=\"acts\">\n",
        &tables::tables_to_act_on(impact),
        "</div>\n",
        &controls(&layout, impact),
        "<div class=\"view\">\n<div class=\"scroll\" id=\"stage\">\n",
        &drawing(impact, &heading.title, &layout),
        "</div>\n",
        &panel(impact),
        "</div>\n",
        &tables::tables(impact),
    ]
    .concat();
    let page = Page {
        heading,
        facts: facts(impact),
        lead: verdict_summary(impact),
        notes: notes(impact, &layout),
        legend: legend(impact),
        body,
        embedded: Some(json!({ "sizes": SIZES, "impact": impact }).to_string()),
        style: include_str!("page.css"),
        script: concat!(include_str!("view.js"), include_str!("panel.js"), include_str!("start.js")),
    };
    page.html()
}

/// Records later errors of the script, which would otherwise be hidden when the address was pasted into a report.
const WATCH: &str = "<script>\n{\n  const note = (text) => { document.documentElement.dataset.error ??= text; };\n  \
    addEventListener(\"error\", (event) => note(event.message ?? \"error\"));\n  \
    addEventListener(\"unhandledrejection\", (event) => note(String(event.reason)));\n  \
    addEventListener(\"securitypolicyviolation\", (event) => note(event.violatedDirective));\n}\n</script>\n";

/// Facts about the page: what was compared, and how much is affected.
fn facts(impact: &Impact) -> Vec<String> {
    /// Digits of a commit id that people read, as git abbreviates them in a large repository.
    const DIGITS: usize = 12;
    let side = |words: &str, commit: &Option<String>| match commit {
        Some(commit) if !commit.starts_with(words) => {
            format!("{words} ({})", commit.chars().take(DIGITS).collect::<String>())
        }
        Some(commit) if words == commit => commit.chars().take(DIGITS).collect(),
        _ => words.to_owned(),
    };
    let sides = &impact.sides;
    vec![format!("from {} to {}", side(&sides.base, &sides.base_commit), side(&sides.head, &sides.head_commit))]
}

/// Verdict, risk and the numbers that a reviewer asks for first.
fn verdict_summary(impact: &Impact) -> String {
    let verdict = match impact.verdict {
        Verdict::Empty => "Nothing changed",
        Verdict::Cosmetic => "Cosmetic",
        Verdict::Clean => "Clean",
        Verdict::Unknown => "Not known",
        Verdict::Review => "To review",
        Verdict::MayBreak => "May break",
        Verdict::Breaking => "Breaking",
    };
    let contract = &impact.contract_impact;
    let of = |effect: Effect| {
        contract.changes.iter().filter(move |change| change.effect == effect && change.accepted.is_none())
    };
    let judged_by = impact.warning.as_ref();
    let judged_by = judged_by.map_or("not judged".to_owned(), |rule| format!("from {} on", percent(rule.threshold)));
    let (direct, further) = (impact.direct_dependents.len(), impact.transitive_dependents.len());
    let plan = &impact.test_plan;
    let numbers = [
        number("Risk", &word(impact.risk.level), &measure(impact.risk.score)),
        number("Impact", &format!("{:.2}", finite(impact.impact_score)), &bar(impact.impact_score)),
        number(
            "Changed",
            &count_with_noun(impact.changed.len(), "file"),
            &count_with_noun(impact.changed_symbols.len(), "definition"),
        ),
        number(
            "Contracts",
            &format!("{} changed", contract.changes.len()),
            &format!("{} break, {} may", of(Effect::Breaks).count(), of(Effect::MayBreak).count()),
        ),
        number("Forgotten", &count_with_noun(impact.missing.len(), "file"), &judged_by),
        number("Dependents", &format!("{direct} direct"), &format!("{further} further")),
        number(
            "Tests",
            &format!("{} of {}", plan.selected, plan.total),
            &format!("expected to find {}", percent(plan.expected_recall)),
        ),
    ];
    format!(
        "<section class=\"lead {}\" aria-label=\"Verdict\">\n<p class=\"verdict\"><strong>{verdict}</strong> {}</p>\n\
         <dl class=\"numbers level-{}\">{}</dl>\n{}</section>\n",
        word(impact.verdict).replace(' ', "-"),
        sentence(&impact.summary),
        word(impact.risk.level),
        numbers.concat(),
        risk(&impact.risk),
    )
}

fn measure(score: f64) -> String {
    format!("<span class=\"measure\">{}{:.2}</span>", bar(score), finite(score))
}

/// A term, its value, and a second line in markup.
fn number(term: &str, value: &str, second: &str) -> String {
    format!("<div><dt>{term}</dt><dd>{}</dd><dd class=\"second\">{second}</dd></div>", escaped(value))
}

fn risk(risk: &Risk) -> String {
    let unknown: String = risk.unknown.iter().map(|reason| format!("<li>{}</li>", sentence(reason))).collect();
    let unknown = if unknown.is_empty() { unknown } else { format!("<ul class=\"gaps\">{unknown}</ul>\n") };
    if risk.parts.is_empty() {
        return unknown;
    }
    let row = |part: &RiskPart| {
        let share = finite(part.value) * finite(part.weight);
        let of = format!("{:.2} × {:.2}", finite(part.value), finite(part.weight));
        vec![escaped(part.name), measure(share), of, sentence(&part.reason)]
    };
    let rows: Vec<Vec<String>> = risk.parts.iter().map(row).collect();
    let caption = format!("What the risk is made of (rule {})", risk.version);
    format!("{unknown}{}", table(&caption, false, &["Part", "Adds", "Value × weight", "Why"], &rows))
}

/// Notes for the reader: what is reverted, how the sides were chosen, which lists were cut, what boxes stand for.
fn notes(impact: &Impact, layout: &ImpactLayout) -> Vec<String> {
    let mut notes: Vec<String> = impact.sides.reverts.iter().map(|commit| format!("Reverts {commit}")).collect();
    notes.extend(impact.sides.notes.iter().cloned());
    let list = |name: &str| match name.strip_prefix("graph.") {
        Some("nodes") => "files of the graph are drawn".to_owned(),
        Some(_) => "connections of the graph are drawn".to_owned(),
        None => format!("{} are listed", name.replace('_', " ")),
    };
    let cut = |cut: &TruncatedList| format!("{} of {} {}.", cut.shown, cut.total, list(cut.list));
    notes.extend(impact.cuts.iter().map(cut));
    let shown = layout.boxes.iter().filter(|boxed| boxed.parent.is_none()).count();
    let files: usize = layout.sections.iter().map(|section| section.files).sum();
    if shown < files {
        notes.push(format!("{} stand for {files} files of the graph.", count_with_noun(shown, "box")));
    }
    notes
}

/// Hidden until the script shows them, as they do nothing without it.
fn controls(layout: &ImpactLayout, impact: &Impact) -> String {
    let count = |role| {
        let is_of =
            |content: &BoxContent| matches!(content, BoxContent::File(no) if impact.graph.nodes[*no].role == role);
        layout.boxes.iter().filter(|boxed| is_of(&boxed.content)).count()
    };
    let role = |(role, class, words): &(_, &str, &str)| match count(*role) {
        0 => String::new(),
        count => format!(
            "<label class=\"role\"><input type=\"checkbox\" name=\"role\" value=\"{class}\" data-words=\"{words}\" checked=\"checked\" />{words} \
             <output id=\"count-{class}\">{count}</output></label>"
        ),
    };
    let roles: String = ROLES.iter().map(role).collect();
    let groups = layout.boxes.iter().any(|boxed| boxed.parent.is_some());
    let unfold =
        if groups { "<button type=\"button\" id=\"unfold\" aria-pressed=\"false\">Unfold all</button>" } else { "" };
    format!(
        "<div class=\"controls\" hidden=\"hidden\">\
         <input type=\"search\" id=\"search\" placeholder=\"Find files or definitions\" aria-label=\"Find files or definitions\" />\
         <label class=\"least\">Probability from <input type=\"range\" id=\"least\" min=\"0\" max=\"100\" value=\"0\" \
         aria-label=\"Least probability in percent\" /> <output id=\"least-said\">0 %</output></label>\
         {unfold}<button type=\"button\" id=\"zoom\">Fit width</button><button type=\"button\" id=\"reset\">Reset</button>\
         <span id=\"said\" role=\"status\"></span></div>\n\
         <div class=\"controls roles\" id=\"roles\" role=\"group\" aria-label=\"Roles that are shown\" hidden=\"hidden\">{roles}</div>\n"
    )
}

/// The panel beside the drawing: what to read first. It is replaced by the file that the user chooses.
fn panel(impact: &Impact) -> String {
    /// Most reasons shown for each file.
    const MAX_REASONS: usize = 2;
    let row = |review: &Review| {
        let reasons: Vec<String> = review.reasons.iter().take(MAX_REASONS).map(|reason| sentence(reason)).collect();
        format!(
            "<li><span class=\"row\">{}{}</span><p>{}</p></li>",
            code(&review.path),
            gauge(review.probability),
            reasons.join("; "),
        )
    };
    let rows: String = impact.suggested_review.iter().map(row).collect();
    let list = if rows.is_empty() {
        "<p>Nothing besides the change itself.</p>".to_owned()
    } else {
        format!("<ol>{rows}</ol>")
    };
    let heading = match impact.verdict {
        Verdict::Empty | Verdict::Cosmetic | Verdict::Clean if !rows.is_empty() => "Run these tests",
        _ => "Read besides the change",
    };
    format!(
        "<aside id=\"panel\" aria-label=\"Evidence\">\n<section id=\"chosen\" aria-live=\"polite\" hidden=\"hidden\"></section>\n\
         <section id=\"first\"><h2>{heading}</h2>{list}\
         <p class=\"hint\" hidden=\"hidden\">Choose a file of the drawing to see why it is there.</p></section>\n</aside>\n"
    )
}
