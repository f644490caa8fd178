//! The page about a whole graph: a layered drawing of its directories, and notable files.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use super::components::components;
use super::embedded::embedded;
use super::escape::{elide_middle, html as escaped};
use super::fold::{FileEdge, GraphPart, NumberedGraph, PartEdge, PartKind, edges_between, parts};
use super::layers::{Arrangement, Route, arrange};
use super::matrix::matrix;
use super::page::{Page, count_with_noun, folded_table, legend_entry, legend_of_kinds};
use super::svg::{COLUMN_PX, Rectangle, SMALL_COLUMN_PX, curve, line, markers, opening, px};
use super::{DependencyKind, FileGraph};

/// Most boxes that people can still overview, and most edges before the drawing is all grey. If a row of this table
/// needs more than [`MAX_COLUMNS`], the next row is tried; the last row is used in any case.
///
/// The edges are the heaviest ones. That of each box is drawn in any case, so there may be as many more as boxes.
const SIZES: [(usize, usize); 4] = [(60, 160), (60, 90), (40, 60), (26, 52)];

/// Columns that a wide screen shows without scrolling.
const MAX_COLUMNS: usize = 9;

/// Rows of the lists of hubs and of cycles.
const MAX_ROWS: usize = 15;

/// Rows of the table of edges; all of them would be longer than the rest of the page.
const MAX_TABLE_ROWS: usize = 500;

/// Files of a cycle that are named.
const MAX_MEMBERS: usize = 12;

/// The whole page.
pub(super) fn html(graph: &FileGraph) -> String {
    let files = NumberedGraph::of(graph);
    let (parts, view) = readable(&files);
    let mut facts = vec![count_with_noun(files.paths.len(), "file"), count_with_noun(files.edges.len(), "edge")];
    facts.extend(languages(&files));
    let mut notes = Vec::new();
    if files.paths.len() > parts.len() {
        notes.push(format!(
            "{} stand for {}; click a stack to see what is in it.",
            count_with_noun(parts.len(), "box"),
            count_with_noun(files.paths.len(), "file")
        ));
    }
    if view.undrawn > 0 {
        notes.push(format!(
            "{} edges are drawn; {} lighter ones stand in the matrix.",
            view.arrangement.routes.len(),
            view.undrawn
        ));
    }
    // The legend also covers the content of directories.
    let mut legend = legend_of_kinds(files.edges.iter().map(|edge| edge.kind));
    if files.paths.len() > parts.len() || view.arrangement.routes.iter().any(|route| route.back) {
        legend.push(legend_entry("edge back", "against the order, closes a cycle"));
    }
    let body = [
        CONTROLS,
        "<div class=\"scroll\" id=\"stage\">\n",
        &drawing(&graph.heading.title, &parts, &view),
        "</div>\n<div class=\"lists\">\n",
        &hubs(&files),
        &cycles(&files),
        "</div>\n<details id=\"matrix\"><summary>Matrix: rows depend on columns</summary>\n<div class=\"scroll\">\n",
        &matrix(&parts, &view.names, &view.edges, &view.order),
        "</div></details>\n",
        &edge_table(&view),
    ]
    .concat();
    let script = concat!(include_str!("overview.js"), include_str!("overview_draw.js"));
    let page = Page {
        heading: &graph.heading,
        facts,
        lead: String::new(),
        notes,
        legend,
        body,
        embedded: Some(embedded(&files)),
        style: "",
        script,
    };
    page.html()
}

/// Hidden until the script shows them, as they do nothing without it.
const CONTROLS: &str = "<div class=\"controls\" hidden=\"hidden\">\
    <input type=\"search\" id=\"search\" placeholder=\"Find a file or directory\" aria-label=\"Find a file or directory\" />\
    <button type=\"button\" id=\"zoom\">Fit width</button>\
    <span class=\"crumbs\" id=\"crumbs\"></span><span id=\"said\" role=\"status\"></span></div>\n";

/// The parts with their edges and places.
struct OverviewGraph {
    names: Vec<String>,
    /// The heaviest first.
    edges: Vec<PartEdge>,
    /// Number of edges that have no route.
    undrawn: usize,
    /// Counts on edges within each part.
    inside: Vec<u64>,
    arrangement: Arrangement,
    /// Parts with edges from left to right.
    order: Vec<usize>,
}

/// As many boxes as fit the width of a screen; all files when they are few, however wide that is.
fn readable(files: &NumberedGraph<'_>) -> (Vec<GraphPart>, OverviewGraph) {
    let mut best = None;
    for (boxes_max, edges_max) in SIZES {
        let parts = parts(files, boxes_max);
        let (edges, inside) = edges_between(files, &parts);
        let view = OverviewGraph::of(&parts, edges, inside, edges_max);
        let is_wide = view.arrangement.columns.iter().flatten().any(|column| *column >= MAX_COLUMNS);
        best = Some((parts, view));
        if !is_wide || files.paths.len() <= SIZES[0].0 {
            break;
        }
    }
    best.expect("there is a size to try")
}

impl OverviewGraph {
    fn of(parts: &[GraphPart], mut edges: Vec<PartEdge>, inside: Vec<u64>, edges_max: usize) -> Self {
        edges.sort_by_key(|edge| (std::cmp::Reverse(edge.count()), edge.from, edge.to));
        let mut is_joined = vec![false; parts.len()];
        let (first, others): (Vec<_>, Vec<_>) = edges.into_iter().enumerate().partition(|(at, edge)| {
            let is_heaviest = !is_joined[edge.from] || !is_joined[edge.to];
            (is_joined[edge.from], is_joined[edge.to]) = (true, true);
            is_heaviest || *at < edges_max
        });
        let (drawn, undrawn) = (first.len(), others.len());
        let edges: Vec<PartEdge> = first.into_iter().chain(others).map(|(_, edge)| edge).collect();
        let ends: Vec<(usize, usize, u64)> = edges.iter().map(|edge| (edge.from, edge.to, edge.count())).collect();
        let arrangement = arrange(parts.len(), &ends, drawn);
        let mut order: Vec<usize> = (0..parts.len()).filter(|no| arrangement.columns[*no].is_some()).collect();
        order.sort_by(|a, b| {
            let y = |no: usize| arrangement.rectangles[no].y;
            arrangement.columns[*a].cmp(&arrangement.columns[*b]).then(y(*a).total_cmp(&y(*b)))
        });
        Self { names: parts.iter().map(name).collect(), undrawn, edges, inside, arrangement, order }
    }
}

/// Name of a part when it stands alone.
fn name(part: &GraphPart) -> String {
    match part.form {
        PartKind::File | PartKind::Directory => part.path.clone(),
        PartKind::FilesOf => format!("{}*", or_root(&part.path)),
        PartKind::Rest => format!("rest of {}", or_root(&part.path)),
    }
}

/// A shortened name for the tooltip of an edge; there are thousands of them.
pub(super) fn short_name(name: &str) -> String {
    escaped(&elide_middle(name, 48))
}

/// `./` for the path of the root, which is empty.
fn or_root(path: &str) -> &str {
    if path.is_empty() { "./" } else { path }
}

/// The lines in the box of each part: the shortest end of its path that distinguishes it, and what it is.
fn words(parts: &[GraphPart]) -> Vec<[String; 2]> {
    let ends =
        |part: &GraphPart| -> Vec<String> { (1..=3).map(|count| end_of(&part.path, count).to_owned()).collect() };
    let ends: Vec<Vec<String>> = parts.iter().map(ends).collect();
    let mut known: HashMap<(&str, bool), usize> = HashMap::new();
    for (part, ends) in parts.iter().zip(&ends) {
        let mut ends: Vec<&String> = ends.iter().collect();
        ends.dedup();
        ends.into_iter().for_each(|end| *known.entry((end, is_starred(part))).or_default() += 1);
    }
    let short = |part: &GraphPart, ends: &[String]| {
        let unique = ends.iter().find(|end| known[&(end.as_str(), is_starred(part))] == 1);
        unique.unwrap_or(&ends[2]).clone()
    };
    let lines = |(part, ends): (&GraphPart, &Vec<String>)| {
        let short = short(part, ends);
        let above = or_root(part.path.strip_suffix(short.as_str()).unwrap_or_default());
        let files = count_with_noun(part.len(), "file");
        match part.form {
            PartKind::File => [short, above.to_owned()],
            PartKind::Directory => [short, format!("{files} · {above}")],
            PartKind::FilesOf => [format!("{}*", or_root(&short)), format!("{files} directly in it")],
            PartKind::Rest => [format!("rest of {}", or_root(&short)), files],
        }
    };
    parts.iter().zip(&ends).map(lines).collect()
}

/// Whether its name has a `*` after the path.
fn is_starred(part: &GraphPart) -> bool {
    matches!(part.form, PartKind::FilesOf | PartKind::Rest)
}

/// The last `count` components of `path`; a directory keeps its slash.
pub(super) fn end_of(path: &str, count: usize) -> &str {
    let names = path.trim_end_matches('/');
    let start = names.rmatch_indices('/').nth(count - 1).map_or(0, |(slash, _)| slash + 1);
    &path[start..]
}

/// The languages with most files, with their shares.
fn languages(files: &NumberedGraph<'_>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for language in files.languages.iter().filter(|language| !language.is_empty()) {
        *counts.entry(language).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(language, count)| (std::cmp::Reverse(*count), *language));
    let named = counts.iter().take(4).map(|(language, count)| format!("{language} {count}")).collect::<Vec<_>>();
    (!named.is_empty()).then(|| named.join(", "))
}

fn drawing(title: &str, parts: &[GraphPart], view: &OverviewGraph) -> String {
    let Arrangement { rectangles, cycles, routes, width, height, loose, .. } = &view.arrangement;
    let description = format!(
        "{} and {} between them, from those that depend at the left to those depended upon at the right.",
        count_with_noun(parts.len(), "box"),
        count_with_noun(view.edges.len(), "edge"),
    );
    let mut svg = opening(*width, *height, title, &description);
    svg.push_str(&markers(DependencyKind::ALL.into_iter().map(DependencyKind::class).chain(["back"])));
    svg.push_str("<g id=\"edges\">\n");
    // The heaviest last, so that it is drawn on top.
    for (edge, route) in view.edges.iter().zip(routes).rev() {
        svg.push_str(&edge_path(view, edge, route));
    }
    svg.push_str("</g>\n");
    if let Some(top) = loose {
        let y = px(top - 14.0);
        let words = if view.edges.is_empty() { "No edges between these" } else { "Without edges to the others" };
        writeln!(svg, "<text class=\"heading\" x=\"20\" y=\"{y}\">{words}</text>").expect("a string takes any text");
    }
    for (no, (part, words)) in parts.iter().zip(words(parts)).enumerate() {
        svg.push_str(&boxed(no, part, &words, &rectangles[no], cycles[no], view.inside[no]));
    }
    svg.push_str("</svg>\n");
    svg
}

fn edge_path(view: &OverviewGraph, edge: &PartEdge, route: &Route) -> String {
    let class = if route.back { "back" } else { edge.kind().class() };
    let counts: Vec<String> = edge.counts.iter().map(|(kind, count)| format!("{} {count}", kind.name())).collect();
    format!(
        "<path class=\"edge {class}\" data-from=\"b{}\" data-to=\"b{}\" stroke-width=\"{}\" d=\"{}\" marker-end=\"url(#arrow-{class})\">\
         <title>{} → {}: {}</title></path>\n",
        edge.from,
        edge.to,
        stroke_width(edge.count(), view.edges.first().map_or(1, PartEdge::count)),
        curve(&route.points),
        short_name(&view.names[edge.from]),
        short_name(&view.names[edge.to]),
        counts.join(", "),
    )
}

/// Width from 0.8 px to 4 px, by the square root of the count: a few heavy edges stand out, and light ones can still be
/// followed.
fn stroke_width(count: u64, largest: u64) -> String {
    px(0.8 + 3.2 * (count as f64 / largest.max(1) as f64).sqrt())
}

fn boxed(
    no: usize,
    part: &GraphPart,
    [name, second]: &[String; 2],
    place: &Rectangle,
    cycle: Option<usize>,
    inside: u64,
) -> String {
    // The space to the right of and below the frame belongs to the sheet behind it.
    const SHEET: f64 = 4.0;
    let (width, height) = (place.width - SHEET, place.height - SHEET);
    let form = if part.form == PartKind::File { "file" } else { "files" };
    let cycle_class = if cycle.is_some() { " cycle" } else { "" };
    let mut title = escaped(&self::name(part));
    if part.form != PartKind::File {
        write!(title, "\n{}, {inside} counted on edges inside", count_with_noun(part.len(), "file"))
            .expect("a string takes any text");
    }
    if let Some(cycle) = cycle {
        write!(title, "\npart of cycle {}", cycle + 1).expect("a string takes any text");
    }
    let (x, y) = (px(place.x), px(place.y));
    let frame = format!("width=\"{}\" height=\"{}\" rx=\"6\"", px(width), px(height));
    let mut parts = vec![format!(
        "<g id=\"b{no}\" class=\"box {form}{cycle_class}\" transform=\"translate({x} {y})\"><title>{title}</title>"
    )];
    if part.form != PartKind::File {
        parts.push(format!("<rect class=\"second\" x=\"{SHEET}\" y=\"{SHEET}\" {frame} />"));
    }
    parts.push(format!("<rect class=\"frame\" {frame} />"));
    let inner_width = width - 20.0 - if cycle.is_some() { 20.0 } else { 0.0 };
    parts.push(line("name", 10.0, 18.0, name, inner_width, COLUMN_PX));
    parts.push(line("faint", 10.0, 33.0, second, width - 20.0, SMALL_COLUMN_PX));
    if let Some(cycle) = cycle {
        let x = px(width - 14.0);
        parts.push(format!(
            "<circle class=\"badge\" cx=\"{x}\" cy=\"14\" r=\"8\" /><text class=\"badge-text\" x=\"{x}\" y=\"17.5\">{}</text>",
            cycle + 1
        ));
    }
    parts.push("</g>\n".to_owned());
    parts.concat()
}

/// The files with the most dependents.
fn hubs(files: &NumberedGraph<'_>) -> String {
    let mut importers = vec![0_usize; files.paths.len()];
    for same_ends in files.edges.chunk_by(|a: &FileEdge, b| (a.from, a.to) == (b.from, b.to)) {
        importers[same_ends[0].to] += 1;
    }
    let mut hubs: Vec<usize> = (0..importers.len()).filter(|no| importers[*no] > 0).collect();
    hubs.sort_by_key(|no| (std::cmp::Reverse(importers[*no]), *no));
    let rows: Vec<String> = hubs
        .iter()
        .take(MAX_ROWS)
        .map(|no| {
            let path = escaped(files.paths[*no]);
            format!(
                "<li><code>{path}</code> <span class=\"faint\">from {}</span></li>",
                count_with_noun(importers[*no], "file")
            )
        })
        .collect();
    section("Most depended upon", &rows, "No file depends on another one.", "")
}

/// The largest groups of files that all reach each other.
fn cycles(files: &NumberedGraph<'_>) -> String {
    let mut targets = vec![Vec::new(); files.paths.len()];
    for edge in &files.edges {
        targets[edge.from].push(edge.to);
    }
    let (component, total) = components(&targets);
    let mut members = vec![Vec::new(); total];
    for (no, component) in component.into_iter().enumerate() {
        members[component].push(no);
    }
    members.retain(|members| members.len() > 1);
    members.sort_by_key(|members| (std::cmp::Reverse(members.len()), members[0]));
    let row = |members: &Vec<usize>| {
        let named: Vec<String> =
            members.iter().take(MAX_MEMBERS).map(|no| format!("<code>{}</code>", escaped(files.paths[*no]))).collect();
        let rest = members.len().saturating_sub(MAX_MEMBERS);
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let count = count_with_noun(members.len(), "file");
        format!("<li>{}{rest} <span class=\"faint\">{count}</span></li>", named.join(", "))
    };
    let rows: Vec<String> = members.iter().take(MAX_ROWS).map(row).collect();
    let rest = members.len().saturating_sub(MAX_ROWS);
    let rest = if rest > 0 {
        format!("{} more, all of them smaller or as small", count_with_noun(rest, "cycle"))
    } else {
        String::new()
    };
    section("Cycles among files", &rows, "No files depend on each other in a cycle.", &rest)
}

fn section(heading: &str, rows: &[String], none: &str, rest: &str) -> String {
    let list = if rows.is_empty() { format!("<p>{none}</p>") } else { format!("<ol>{}</ol>", rows.concat()) };
    let rest = if rest.is_empty() { String::new() } else { format!("<p>{rest}</p>") };
    format!("<section><h2>{heading}</h2>{list}{rest}</section>\n")
}

fn edge_table(view: &OverviewGraph) -> String {
    let code = |no: usize| format!("<code>{}</code>", escaped(&view.names[no]));
    let total = view.edges.len();
    let caption = match total {
        ..=MAX_TABLE_ROWS => format!("All {} between the boxes", count_with_noun(total, "edge")),
        _ => format!("The {MAX_TABLE_ROWS} heaviest of {total} edges between the boxes"),
    };
    let row = |edge: &PartEdge| {
        let kinds: Vec<&str> = edge.counts.keys().map(|kind| kind.name()).collect();
        vec![code(edge.from), code(edge.to), edge.count().to_string(), kinds.join(", ")]
    };
    let rows: Vec<Vec<String>> = view.edges.iter().take(MAX_TABLE_ROWS).map(row).collect();
    folded_table(&caption, &["From", "To", "Count", "Kinds"], &rows)
}
