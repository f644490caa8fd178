//! Exports a memoir as an HTML page with a drawing and a table. The page loads nothing, sends nothing, and is readable
//! without its script.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::layout::{BOX_HEIGHT, BOX_WIDTH, COLUMN_GAP, layout};
use super::text::{cut, html as escaped, one_line};
use crate::memoir::{Concept, Label, MemoirGraph, NamedLink, Relation};

/// Most concepts that are drawn: those with the most links. Nobody can survey more, and the table has all of them.
const DRAWN_MOST: usize = 200;

/// Most links with their relation written on them. If there are more, only the legend and the tooltips tell it.
const WRITTEN_MOST: usize = 40;

/// Width in columns of a name and of labels in a box, and of a definition in a tooltip.
const NAME_COLUMNS: usize = 22;
const LABEL_COLUMNS: usize = 26;
const TIP_COLUMNS: usize = 400;

/// Space around a drawing, in px.
const MARGIN: f64 = 20.0;

/// A drawing wider than this can be fitted to the window, in px.
const WIDE: f64 = 1200.0;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The content security policy: nothing may be loaded or sent, and only the page's own style and script are allowed.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The colour of the links of a relation, on white.
pub(super) fn colour(relation: Relation) -> &'static str {
    match relation {
        Relation::PartOf => "#0969da",
        Relation::DependsOn => "#0f766e",
        Relation::RelatedTo => "#6e7781",
        Relation::Contradicts => "#cf222e",
        Relation::Refines => "#8250df",
        Relation::AlternativeTo => "#bc4c00",
        Relation::CausedBy => "#9a6700",
        Relation::InstanceOf => "#1a7f37",
        Relation::SupersededBy => "#bf3989",
    }
}

pub(super) fn page(graph: &MemoirGraph) -> String {
    let title = escaped(&one_line(&graph.memoir.name));
    let anchors: HashMap<&str, usize> =
        graph.concepts.iter().enumerate().map(|(at, concept)| (concept.name.as_str(), at)).collect();
    [
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n",
        "<meta name=\"color-scheme\" content=\"light dark\" />\n",
        "<meta name=\"referrer\" content=\"no-referrer\" />\n",
        &format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\" />\n"),
        &format!("<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"),
        &header(graph, &title),
        "<main>\n",
        &drawing(graph, &anchors),
        &table(graph, &anchors),
        "</main>\n<footer>Written by icr. This file needs no network.</footer>\n",
        &format!("<script>\n\"use strict\";\n{SCRIPT}</script>\n</body>\n</html>\n"),
    ]
    .concat()
}

fn header(graph: &MemoirGraph, title: &str) -> String {
    let mut counts: BTreeMap<Relation, usize> = BTreeMap::new();
    for link in &graph.links {
        *counts.entry(link.relation).or_default() += 1;
    }
    let mut legend: Vec<(Relation, usize)> = counts.into_iter().collect();
    legend.sort_by_key(|(relation, count)| (Reverse(*count), *relation));
    let entries: String = legend
        .into_iter()
        .map(|(relation, count)| {
            let name = relation.name();
            format!(
                "<li><svg width=\"34\" height=\"10\" aria-hidden=\"true\"><path class=\"edge {name}\" d=\"M1 5H33\" /></svg>\
                 {name} <b>{count}</b></li>"
            )
        })
        .collect();
    let description = match graph.memoir.description.trim() {
        "" => String::new(),
        description => format!("<p class=\"description\">{}</p>\n", escaped(description)),
    };
    let legend = if entries.is_empty() { String::new() } else { format!("<ul class=\"legend\">{entries}</ul>\n") };
    let facts =
        format!("{}, {}", format_count(graph.concepts.len(), "concept"), format_count(graph.links.len(), "link"));
    format!("<header>\n<h1>{title}</h1>\n<p class=\"facts\">{facts}</p>\n{description}{legend}</header>\n")
}

/// The drawing with a note about what it leaves out; empty if there is no concept.
fn drawing(graph: &MemoirGraph, anchors: &HashMap<&str, usize>) -> String {
    if graph.concepts.is_empty() {
        return "<p class=\"note\">This memoir has no concepts yet.</p>\n".to_owned();
    }
    let drawn = drawn_concepts(graph);
    let places: HashMap<&str, usize> =
        drawn.iter().enumerate().map(|(place, at)| (graph.concepts[*at].name.as_str(), place)).collect();
    let ends = |link: &NamedLink| Some((*places.get(link.from.as_str())?, *places.get(link.to.as_str())?));
    let links: Vec<(&NamedLink, (usize, usize))> =
        graph.links.iter().filter_map(|link| Some((link, ends(link)?))).collect();
    let edges: Vec<(usize, usize)> = links.iter().map(|(_, ends)| *ends).collect();
    let layout = layout(drawn.len(), &edges);
    let left_out = graph.concepts.len() - drawn.len();
    let note = match left_out {
        0 => String::new(),
        _ => format!(
            "<p class=\"note\">The {} concepts with the most links are drawn; {left_out} more are in the table.</p>\n",
            drawn.len()
        ),
    };
    let (width, height) = (layout.width + 2.0 * MARGIN, layout.height + 2.0 * MARGIN);
    let fit = match width > WIDE {
        true => "<input type=\"checkbox\" id=\"fit\" /><label for=\"fit\"> Fit the drawing to the window</label>\n",
        false => "",
    };
    let lines: String =
        links.iter().enumerate().map(|(at, (link, ends))| line(link, *ends, &layout.lines[at])).collect();
    let words = if links.len() <= WRITTEN_MOST {
        links.iter().enumerate().map(|(at, (link, ends))| words(link, *ends, &layout.lines[at])).collect()
    } else {
        String::new()
    };
    let boxes: String = drawn
        .iter()
        .enumerate()
        .map(|(place, at)| concept_box(&graph.concepts[*at], place, anchors, layout.boxes[place]))
        .collect();
    format!(
        "{note}{fit}<div class=\"stage\"><svg id=\"drawing\" role=\"group\" aria-labelledby=\"drawing-title\" width=\"{w}\" \
         height=\"{h}\" viewBox=\"{} {} {w} {h}\">\n<title id=\"drawing-title\">Concepts and their links</title>\n{}{lines}{words}{boxes}\
         </svg></div>\n",
        px(-MARGIN),
        px(-MARGIN),
        markers(),
        w = px(width.ceil()),
        h = px(height.ceil()),
    )
}

/// The concepts that are drawn, in their order: all of them, or those with the most links.
fn drawn_concepts(graph: &MemoirGraph) -> Vec<usize> {
    let mut drawn: Vec<usize> = (0..graph.concepts.len()).collect();
    if drawn.len() > DRAWN_MOST {
        let mut links: HashMap<&str, usize> = HashMap::new();
        for name in graph.links.iter().flat_map(|link| [&link.from, &link.to]) {
            *links.entry(name).or_default() += 1;
        }
        drawn.sort_by_key(|at| Reverse(links.get(graph.concepts[*at].name.as_str()).copied().unwrap_or_default()));
        drawn.truncate(DRAWN_MOST);
        drawn.sort_unstable();
    }
    drawn
}

fn concept_box(concept: &Concept, place: usize, anchors: &HashMap<&str, usize>, (x, y): (f64, f64)) -> String {
    let anchor = anchors.get(concept.name.as_str()).copied().unwrap_or_default();
    let tip = format!("{}: {}", one_line(&concept.name), cut(&one_line(&concept.definition), TIP_COLUMNS));
    let labels: Vec<&str> = concept.labels.iter().map(Label::as_str).collect();
    let labels = match labels.as_slice() {
        [] => format!("revision {}", concept.revision),
        labels => labels.join(" "),
    };
    format!(
        "<a class=\"box\" href=\"#c{anchor}\" data-at=\"{place}\" transform=\"translate({} {})\"><title>{}</title>\
         <rect class=\"frame\" width=\"{}\" height=\"{}\" rx=\"6\" /><rect class=\"sure\" x=\"10\" y=\"{}\" width=\"{}\" height=\"2.5\" />\
         <text class=\"name\" x=\"10\" y=\"17\">{}</text><text x=\"10\" y=\"31\">{}</text></a>\n",
        px(x),
        px(y),
        escaped(&tip),
        px(BOX_WIDTH),
        px(BOX_HEIGHT),
        px(BOX_HEIGHT - 6.0),
        px((BOX_WIDTH - 20.0) * concept.confidence.clamp(0.0, 1.0)),
        escaped(&cut(&one_line(&concept.name), NAME_COLUMNS)),
        escaped(&cut(&one_line(&labels), LABEL_COLUMNS)),
    )
}

fn line(link: &NamedLink, (from, to): (usize, usize), points: &[(f64, f64)]) -> String {
    let relation = link.relation.name();
    let tip = format!("{} {relation} {}", one_line(&link.from), one_line(&link.to));
    format!(
        "<path class=\"edge {relation}\" data-from=\"{from}\" data-to=\"{to}\" marker-end=\"url(#arrow-{relation})\" d=\"{}\">\
         <title>{}</title></path>\n",
        curve(points),
        escaped(&tip)
    )
}

/// The label with the relation of a link, in the gap next to its target.
fn words(link: &NamedLink, (from, to): (usize, usize), points: &[(f64, f64)]) -> String {
    let [.., before, last] = points else { return String::new() };
    // The middle of a curve that comes back is at three quarters of the distance of its control points.
    let out = if before.0 == last.0 { 0.75 * bulge(*before, *last) } else { 0.0 };
    let (x, y) = ((before.0 + last.0) / 2.0 + out, (before.1 + last.1) / 2.0 + 3.0);
    let relation = link.relation.name();
    format!(
        "<text class=\"word {relation}\" data-from=\"{from}\" data-to=\"{to}\" x=\"{}\" y=\"{}\">{relation}</text>\n",
        px(x),
        px(y)
    )
}

/// A curve through the points that is horizontal at each of them.
fn curve(points: &[(f64, f64)]) -> String {
    let Some((first, rest)) = points.split_first() else { return String::new() };
    let mut path = format!("M{} {}", px(first.0), px(first.1));
    let mut before = first;
    for point in rest {
        let out = if before.0 == point.0 { bulge(*before, *point) } else { 0.0 };
        let handle = px((before.0 + point.0) / 2.0 + out);
        path.push_str(&format!("C{handle} {} {handle} {} {} {}", px(before.1), px(point.1), px(point.0), px(point.1)));
        before = point;
    }
    path
}

/// How far to the right the control points of a curve between two points above each other are; the curve stays in the
/// gap between two columns.
fn bulge(one: (f64, f64), other: (f64, f64)) -> f64 {
    (24.0 + 0.15 * (one.1 - other.1).abs()).min(COLUMN_GAP)
}

/// Arrow heads, one for each relation, because not every browser can colour a head like its line.
fn markers() -> String {
    let markers: String = Relation::ALL
        .iter()
        .map(|relation| {
            let name = relation.name();
            format!(
                "<marker id=\"arrow-{name}\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
                 markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"head {name}\" d=\"M0.5 0.8L7.5 4L0.5 7.2Z\" /></marker>"
            )
        })
        .collect();
    format!("<defs>{markers}</defs>\n")
}

fn table(graph: &MemoirGraph, anchors: &HashMap<&str, usize>) -> String {
    if graph.concepts.is_empty() {
        return String::new();
    }
    let mut out: HashMap<&str, Vec<&NamedLink>> = HashMap::new();
    let mut back: HashMap<&str, Vec<&NamedLink>> = HashMap::new();
    for link in &graph.links {
        out.entry(&link.from).or_default().push(link);
        back.entry(&link.to).or_default().push(link);
    }
    let name = |name: &str| {
        let anchor = anchors.get(name).copied().unwrap_or_default();
        format!("<a href=\"#c{anchor}\">{}</a>", escaped(&one_line(name)))
    };
    let mut rows = String::new();
    for (at, concept) in graph.concepts.iter().enumerate() {
        let labels: String = concept
            .labels
            .iter()
            .map(|label| format!("<span class=\"label\">{}</span> ", escaped(label.as_str())))
            .collect();
        let own = out.get(concept.name.as_str()).map_or(&[][..], Vec::as_slice);
        let others = back.get(concept.name.as_str()).map_or(&[][..], Vec::as_slice);
        let mut links: Vec<String> =
            own.iter().map(|link| format!("<li>{} → {}</li>", link.relation.name(), name(&link.to))).collect();
        links.extend(others.iter().map(|link| format!("<li>{} {} ←</li>", name(&link.from), link.relation.name())));
        let links = if links.is_empty() { String::new() } else { format!("<ul>{}</ul>", links.concat()) };
        rows.push_str(&format!(
            "<tr id=\"c{at}\"><th scope=\"row\">{}</th><td class=\"definition\">{}</td><td>{labels}</td><td>{links}</td>\
             <td class=\"number\">{:.2}</td><td class=\"number\">{}</td></tr>\n",
            escaped(&one_line(&concept.name)),
            lines(&concept.definition),
            concept.confidence,
            concept.revision,
        ));
    }
    let heads = ["Concept", "Definition", "Labels", "Links", "Confidence", "Revision"];
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    format!("<div class=\"scroll\"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n")
}

/// A text as HTML with its line breaks.
fn lines(text: &str) -> String {
    text.lines().map(|line| escaped(line.trim_end())).collect::<Vec<_>>().join("<br />")
}

/// `1 concept`, `2 concepts`.
fn format_count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A number with at most one decimal, for SVG.
fn px(number: f64) -> String {
    let text = format!("{number:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
