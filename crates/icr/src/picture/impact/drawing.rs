//! The drawing of an impact.

use std::collections::{BTreeMap, HashMap};

use icr_impact::{FileStatus, GraphEdgeKind, GraphNode, GraphRole, Impact};

use super::super::escape::{columns, elide_middle, html as escaped};
use super::super::fold::PartKind;
use super::super::page::{count_with_noun, legend_entry};
use super::super::svg::{COLUMN_PX, SMALL_COLUMN_PX, course, line, markers, opening, px};
use super::layout::{BoxContent, BoxEdge, DrawingBox, ImpactLayout, SIZES, finite};
use super::words::percent;

/// Roles in the order of legends and filters: class of the style sheet, and words.
pub(super) const ROLES: [(GraphRole, &str, &str); 6] = [
    (GraphRole::Changed, "changed", "changed"),
    (GraphRole::Missing, "missing", "seems forgotten"),
    (GraphRole::Expected, "expected", "often changes too"),
    (GraphRole::Dependent, "dependent", "refers to the change"),
    (GraphRole::Transitive, "transitive", "reaches it through others"),
    (GraphRole::Test, "test", "test"),
];

/// Kinds of edges in the order of the legend: class of the style sheet, and words.
const KINDS: [(GraphEdgeKind, &str, &str); 4] = [
    (GraphEdgeKind::Reference, "use", "refers to"),
    (GraphEdgeKind::Import, "import", "imports"),
    (GraphEdgeKind::Test, "test", "tests"),
    (GraphEdgeKind::Cochange, "together", "changed together"),
];

/// The class and the words of a role.
pub(super) fn role_words(role: GraphRole) -> (&'static str, &'static str) {
    ROLES.iter().find(|row| row.0 == role).map_or(("dependent", "refers to the change"), |row| (row.1, row.2))
}

fn kind_words(kind: GraphEdgeKind) -> (&'static str, &'static str) {
    KINDS.iter().find(|row| row.0 == kind).map_or(("use", "refers to"), |row| (row.1, row.2))
}

/// Entries of the legend for what the graph has, in markup.
pub(super) fn legend(impact: &Impact) -> Vec<String> {
    let graph = &impact.graph;
    let roles =
        ROLES.iter().filter(|row| graph.nodes.iter().any(|node| node.role == row.0)).map(|(_, class, words)| {
            format!(
                "<svg width=\"34\" height=\"16\" aria-hidden=\"true\"><g class=\"box {class}\">\
             <rect class=\"frame\" x=\"1\" y=\"1\" width=\"32\" height=\"14\" rx=\"4\" />\
             <rect class=\"accent side\" x=\"1.5\" y=\"4\" width=\"3\" height=\"8\" rx=\"1.5\" /></g></svg>{words}"
            )
        });
    let has_kind = |kind| graph.edges.iter().any(|edge| edge.kind == kind);
    let kinds = KINDS
        .iter()
        .filter(|row| has_kind(row.0))
        .map(|(_, class, words)| legend_entry(&format!("edge {class}"), words));
    roles.chain(kinds).collect()
}

/// The drawing of `layout`, in the state before the script runs.
pub(super) fn drawing(impact: &Impact, title: &str, layout: &ImpactLayout) -> String {
    let files: usize = layout.sections.iter().map(|section| section.files).sum();
    let description = format!(
        "{} of the impact in columns: what was changed, and who depends on it by steps to its right. The tables after \
         the drawing list them.",
        count_with_noun(files, "file")
    );
    let mut svg = opening(layout.width, layout.height, title, &description);
    svg.push_str(&markers(KINDS.iter().filter(|row| row.0 != GraphEdgeKind::Cochange).map(|row| row.1)));
    let dense = if layout.edges.len() >= SIZES.dense { " class=\"dense\"" } else { "" };
    svg.push_str(&format!("<g id=\"edges\"{dense}>\n"));
    svg.extend(layout.edges.iter().map(|edge| edge_path(impact, layout, edge)));
    svg.push_str("</g>\n");
    for (no, placed) in layout.sections.iter().enumerate() {
        svg.push_str(&format!(
            "<g id=\"s{no}\" class=\"section\" data-column=\"{}\"><text class=\"heading\" x=\"{}\" y=\"{}\">{} \
             <tspan class=\"count\">{}</tspan></text></g>\n",
            px(placed.x),
            px(placed.x),
            px(placed.y + 13.0),
            escaped(&placed.section.heading()),
            placed.files,
        ));
    }
    let letters = letters(impact);
    let names = names(&impact.graph.nodes);
    for (no, boxed) in layout.boxes.iter().enumerate() {
        svg.push_str(&match &boxed.content {
            BoxContent::File(file) => file_box(&impact.graph.nodes[*file], &names[*file], *file, boxed, &letters),
            BoxContent::Group { form, path, label, files } => {
                let names = [label, path].map(|path| group_name(*form, path));
                group_box(no, &names, *files, boxed)
            }
        });
    }
    if files == 0 {
        let (x, y) = (px(SIZES.margin), px(SIZES.margin + 8.0));
        svg.push_str(&format!("<text class=\"none\" x=\"{x}\" y=\"{y}\">No file is affected.</text>\n"));
    }
    svg.push_str("</svg>\n");
    svg
}

/// The id of a box: for a file its number in the graph, for a group its number among the boxes.
fn id(no: usize, boxed: &DrawingBox) -> String {
    match boxed.content {
        BoxContent::File(file) => format!("n{file}"),
        BoxContent::Group { .. } => format!("g{no}"),
    }
}

fn edge_path(impact: &Impact, layout: &ImpactLayout, edge: &BoxEdge) -> String {
    let [from, to] = [edge.from, edge.to].map(|no| &layout.boxes[no]);
    let (class, words) = kind_words(edge.kind);
    let name = |boxed: &DrawingBox| match &boxed.content {
        BoxContent::File(file) => impact.graph.nodes[*file].label.clone(),
        BoxContent::Group { form, path, .. } => group_name(*form, path),
    };
    let end = if edge.kind == GraphEdgeKind::Cochange {
        String::new()
    } else {
        format!(" marker-end=\"url(#arrow-{class})\"")
    };
    format!(
        "<path class=\"edge {class}\" data-from=\"{}\" data-to=\"{}\" stroke-width=\"{}\" d=\"{}\"{end}><title>{}</title></path>\n",
        id(edge.from, from),
        id(edge.to, to),
        px(thickness(edge.edges)),
        course(&from.rectangle, &to.rectangle, SIZES.swing),
        escaped(&format!("{} {words} {}", elide_middle(&name(from), 60), elide_middle(&name(to), 60))),
    )
}

/// Width of an edge that stands for `edges` edges, in px.
fn thickness(edges: usize) -> f64 {
    (1.3 + 0.5 * (edges.max(1) as f64).log2()).min(4.0)
}

/// Letters at the right end of a box: the status of a changed file, as in `git status`.
fn letters(impact: &Impact) -> HashMap<&str, &'static str> {
    let letter = |status: FileStatus| match status {
        FileStatus::Added => "A",
        FileStatus::Modified | FileStatus::ModeChanged => "M",
        FileStatus::Deleted => "D",
        FileStatus::Renamed => "R",
        FileStatus::Copied => "C",
        FileStatus::TypeChanged => "T",
    };
    impact.changed.iter().map(|file| (file.path.as_str(), letter(file.status))).collect()
}

/// Labels of the boxes of `nodes`. A label that is too long is shortened to the distinguishing directory and the file
/// name, if no other box has the same two.
fn names(nodes: &[GraphNode]) -> Vec<String> {
    /// Columns for the label, next to the status letter.
    const COLUMNS: usize = 19;
    let short = |label: &str| {
        let (directory, rest) = label.split_once('/')?;
        let (between, name) = rest.rsplit_once('/')?;
        let short = format!("{directory}/…/{name}");
        let is_better = columns(label) > COLUMNS && columns(between) > 1 && columns(&short) <= COLUMNS;
        is_better.then_some(short)
    };
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for short in nodes.iter().filter_map(|node| short(&node.label)) {
        *times.entry(short).or_default() += 1;
    }
    let is_unique = |short: &String| times.get(short) == Some(&1);
    nodes.iter().map(|node| short(&node.label).filter(is_unique).unwrap_or_else(|| node.label.clone())).collect()
}

fn file_box(
    node: &GraphNode,
    name: &str,
    no: usize,
    boxed: &DrawingBox,
    letters: &HashMap<&str, &'static str>,
) -> String {
    let (class, words) = role_words(node.role);
    let mut title = format!("{}\n{}", escaped(&node.path), words);
    if node.role != GraphRole::Changed {
        title.push_str(&format!(", {}", percent(node.strength)));
    }
    let sign = match node.role {
        GraphRole::Changed => letters.get(node.path.as_str()).copied().unwrap_or_default(),
        GraphRole::Missing => "!",
        _ => "",
    };
    let inner_width = SIZES.width - 20.0 - if sign.is_empty() { 0.0 } else { 16.0 };
    let mut parts = box_opening(&format!("n{no}"), class, boxed, &title, 0.0);
    parts.push(line("name", 12.0, 17.5, name, inner_width, COLUMN_PX));
    if !sign.is_empty() {
        parts.push(format!("<text class=\"sign\" x=\"{}\" y=\"17.5\">{sign}</text>", px(SIZES.width - 14.0)));
    }
    if node.role != GraphRole::Changed {
        let full = SIZES.width - 20.0;
        let y = px(SIZES.height - 5.0);
        parts.push(format!("<rect class=\"bar\" x=\"12\" y=\"{y}\" width=\"{}\" height=\"2\" />", px(full)));
        parts.push(format!(
            "<rect class=\"accent\" x=\"12\" y=\"{y}\" width=\"{}\" height=\"2\" />",
            px(full * finite(node.strength))
        ));
    }
    parts.push("</g>\n".to_owned());
    parts.concat()
}

/// `names` are the label of the box and the full name.
fn group_box(no: usize, names: &[String; 2], files: usize, boxed: &DrawingBox) -> String {
    let title = format!("{}\n{}", escaped(&names[1]), count_with_noun(files, "file"));
    // The sheet behind the frame stands out to the right and below.
    const SHEET: f64 = 3.0;
    let mut parts = box_opening(&format!("g{no}"), "group", boxed, &title, SHEET);
    let count = files.to_string();
    let counted_px = (count.len() as f64 + 1.0) * SMALL_COLUMN_PX;
    parts.push("<path class=\"fold\" d=\"M9 10L14 14L9 18\" />".to_owned());
    parts.push(line("name", 20.0, 17.5, &names[0], SIZES.width - SHEET - 28.0 - counted_px, COLUMN_PX));
    parts.push(format!("<text class=\"held\" x=\"{}\" y=\"17.5\">{count}</text>", px(SIZES.width - SHEET - 8.0)));
    parts.push("</g>\n".to_owned());
    parts.concat()
}

/// What a group of files is called.
fn group_name(form: PartKind, path: &str) -> String {
    let path = if path.is_empty() { "./" } else { path };
    match form {
        PartKind::File | PartKind::Directory => path.to_owned(),
        PartKind::FilesOf => format!("{path}*"),
        PartKind::Rest => format!("rest of {path}"),
    }
}

/// The start of a box: its element, title and frame. The frame leaves `sheet` px for the sheet behind it.
fn box_opening(id: &str, class: &str, boxed: &DrawingBox, title: &str, sheet: f64) -> Vec<String> {
    let folded = if boxed.parent.is_some() { " folded" } else { "" };
    let parent = boxed.parent.map_or(String::new(), |parent| format!(" data-parent=\"g{parent}\""));
    let frame = format!("width=\"{}\" height=\"{}\" rx=\"5\"", px(SIZES.width - sheet), px(SIZES.height - sheet));
    let behind = if sheet > 0.0 {
        format!("<rect class=\"second\" x=\"{}\" y=\"{}\" {frame} />", px(sheet), px(sheet))
    } else {
        format!(
            "<rect class=\"accent side\" x=\"0.5\" y=\"6\" width=\"4\" height=\"{}\" rx=\"2\" />",
            px(SIZES.height - 12.0)
        )
    };
    let frame = format!("<rect class=\"frame\" {frame} />");
    let (first, second) = if sheet > 0.0 { (behind, frame) } else { (frame, behind) };
    vec![
        format!(
            "<g id=\"{id}\" class=\"box {class}{folded}\" data-section=\"s{}\"{parent} transform=\"translate({} {})\">",
            boxed.section,
            px(boxed.rectangle.x),
            px(boxed.rectangle.y)
        ),
        format!("<title>{title}</title>{first}{second}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_keep_the_directory_that_tells_them_apart() {
        let node = |label: &&str| GraphNode {
            path: (*label).to_owned(),
            label: (*label).to_owned(),
            role: GraphRole::Changed,
            depth: 0,
            strength: 1.0,
        };
        let labels = ["mod.rs", "engine/src/change/mod.rs", "impact/src/change/mod.rs", "a/b/mod.rs"];
        let nodes: Vec<GraphNode> = labels.iter().map(node).collect();
        assert_eq!(names(&nodes), ["mod.rs", "engine/…/mod.rs", "impact/…/mod.rs", "a/b/mod.rs"]);
        let same = ["engine/src/change/mod.rs", "engine/src/search/mod.rs"];
        let nodes: Vec<GraphNode> = same.iter().map(node).collect();
        assert_eq!(names(&nodes), same);
    }
}
