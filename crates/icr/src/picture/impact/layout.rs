//! Positions of the files of an impact, in columns: files that should have changed too, changed files, and dependents
//! by steps.
//!
//! Boxes of a section stand below each other in the order of the answer. When a directory is opened or a filter hides
//! boxes, the page's script places them again by the same rules; it reads the sizes from the page.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use icr_impact::{GraphEdgeKind, GraphNode, GraphRole, ImpactGraph};
use serde::Serialize;

use super::super::DependencyKind;
use super::super::fold::{FileEdge, NumberedGraph, PartKind, parts};
use super::super::overview::end_of;
use super::super::page::count_with_noun;
use super::super::svg::{Rectangle, directory_and_name};

/// Sizes in px, for the script too.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Sizes {
    /// Between the drawing and its border.
    pub(super) margin: f64,
    /// Width of a box.
    pub(super) width: f64,
    /// Height of a box.
    pub(super) height: f64,
    /// Between two boxes.
    pub(super) gap: f64,
    /// Between two columns, where edges run.
    pub(super) column_gap: f64,
    /// Height of the heading above the boxes of a section.
    pub(super) heading: f64,
    /// Between two sections of a column.
    pub(super) section_gap: f64,
    /// Indentation of the boxes of an open directory.
    pub(super) indent: f64,
    /// How far edges within a column swing out to the left of it.
    pub(super) swing: f64,
    /// Number of edges from which each is drawn fainter.
    pub(super) dense: usize,
}

/// Four columns fit beside the panel on a screen that is 1280 px wide.
pub(super) const SIZES: Sizes = Sizes {
    margin: 16.0,
    width: 180.0,
    height: 28.0,
    gap: 6.0,
    column_gap: 52.0,
    heading: 24.0,
    section_gap: 18.0,
    indent: 8.0,
    swing: 38.0,
    dense: 90,
};

/// Most boxes that people can still overview; with more files, boxes stand for directories. With many sections there
/// may be more boxes, because each section may have [`LEAST_BOXES`].
const MAX_BOXES: usize = 60;

/// Most boxes in an opened directory: more than fit on a screen, but few enough to find one without a search.
const MAX_INSIDE: usize = 40;

/// Boxes that every section may have at least; with fewer, all smaller directories would be in one box. It must be well
/// above two, so that opening directories always comes to an end.
const LEAST_BOXES: usize = 12;

/// Last column: files at least this many steps from the change share it.
pub(super) const STEPS: u32 = 3;

/// A section of the drawing: files of one kind, below each other. Sorted by column, and within a column from top to
/// bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Section {
    /// Files that seem forgotten.
    Missing,
    /// Files that are expected to change too.
    Expected,
    /// Files of the change.
    Changed,
    /// Files that depend on the change, by steps from it, at most [`STEPS`].
    Dependents(u32),
    /// Tests of the change, by steps from it; at most [`STEPS`].
    Tests(u32),
}

impl Section {
    fn of(node: &GraphNode) -> Self {
        let steps = node.depth.clamp(1, STEPS);
        match node.role {
            GraphRole::Missing => Self::Missing,
            GraphRole::Expected => Self::Expected,
            GraphRole::Changed => Self::Changed,
            GraphRole::Test => Self::Tests(steps),
            GraphRole::Dependent | GraphRole::Transitive => Self::Dependents(steps),
        }
    }

    /// Number of its column from left to right, when all columns are there, and its place within the column.
    fn place(self) -> (u32, u32) {
        match self {
            Self::Missing => (0, 0),
            Self::Expected => (0, 1),
            Self::Changed => (1, 0),
            Self::Dependents(steps) => (1 + steps, 0),
            Self::Tests(steps) => (1 + steps, 1),
        }
    }

    /// Heading above its boxes.
    pub(super) fn heading(self) -> String {
        match self {
            Self::Missing => "Seem forgotten".to_owned(),
            Self::Expected => "Often change too".to_owned(),
            Self::Changed => "Changed".to_owned(),
            Self::Dependents(1) => "Refer to the change".to_owned(),
            Self::Dependents(STEPS) => format!("{STEPS}+ steps away"),
            Self::Dependents(steps) => format!("{steps} steps away"),
            Self::Tests(STEPS) => format!("Tests, {STEPS}+ steps"),
            Self::Tests(steps) => format!("Tests, {}", count_with_noun(steps as usize, "step")),
        }
    }
}

/// What a box stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BoxContent {
    /// A file, by its number in the graph.
    File(usize),
    /// Several files.
    Group {
        /// What kind of group it is.
        form: PartKind,
        /// Path of the directory, with a slash at its end, empty for the root.
        path: String,
        /// Shortest ending of the path that no other directory of the section has; empty for the root.
        label: String,
        /// Number of files in the group.
        files: usize,
    },
}

/// A box of the drawing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DrawingBox {
    pub(super) content: BoxContent,
    /// Index of its section in [`ImpactLayout::sections`].
    pub(super) section: usize,
    /// Index of the box that contains it. The box is shown only while that one is open; at first all are closed.
    pub(super) parent: Option<usize>,
    /// Its position at first; inside a directory, the position of the outermost directory.
    pub(super) rectangle: Rectangle,
}

/// A section that has files.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedSection {
    pub(super) section: Section,
    /// Files in it.
    pub(super) files: usize,
    /// Upper left corner of its heading.
    pub(super) x: f64,
    pub(super) y: f64,
}

/// An edge between two boxes that are seen at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BoxEdge {
    /// Number of the box that depends.
    pub(super) from: usize,
    pub(super) to: usize,
    /// The strongest kind among the combined edges.
    pub(super) kind: GraphEdgeKind,
    /// Number of file edges that it stands for.
    pub(super) edges: usize,
}

/// The drawing in its initial state.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ImpactLayout {
    pub(super) sections: Vec<PlacedSection>,
    /// Boxes section by section; the content of a box follows directly after it.
    pub(super) boxes: Vec<DrawingBox>,
    pub(super) edges: Vec<BoxEdge>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Places the files of `graph`. If a file is there twice, the first one counts.
///
/// At first, at most [`MAX_BOXES`] boxes are shown, or at most [`LEAST_BOXES`] per section if that is more.
///
/// Time grows with the edges and with sorting the files.
pub(super) fn layout(graph: &ImpactGraph) -> ImpactLayout {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut members: BTreeMap<(u32, u32), (Section, Vec<usize>)> = BTreeMap::new();
    for (no, node) in graph.nodes.iter().enumerate() {
        if known.contains_key(node.path.as_str()) {
            continue;
        }
        known.insert(&node.path, no);
        let section = Section::of(node);
        members.entry(section.place()).or_insert_with(|| (section, Vec::new())).1.push(no);
    }
    let sizes: Vec<usize> = members.values().map(|(_, files)| files.len()).collect();
    let limit = boxes_each(&sizes);
    let mut layout =
        ImpactLayout { sections: Vec::new(), boxes: Vec::new(), edges: Vec::new(), width: 0.0, height: 0.0 };
    for (section, files) in members.values() {
        let no = layout.sections.len();
        layout.sections.push(PlacedSection { section: *section, files: files.len(), x: 0.0, y: 0.0 });
        grow(graph, files, limit, no, None, &mut layout.boxes);
    }
    label(&mut layout.boxes);
    place(&mut layout);
    layout.edges = box_edges(graph, &known, &layout.boxes);
    layout
}

/// Boxes that each section may have, so that the total stays small. Larger sections get what smaller ones do not need.
fn boxes_each(sizes: &[usize]) -> usize {
    if sizes.iter().sum::<usize>() <= MAX_BOXES {
        return MAX_BOXES;
    }
    let needed = |limit: usize| sizes.iter().map(|size| (*size).min(limit)).sum::<usize>();
    (LEAST_BOXES..=MAX_BOXES).take_while(|limit| needed(*limit) <= MAX_BOXES).last().unwrap_or(LEAST_BOXES)
}

/// Adds boxes for `files`, numbers in the order of the answer: at most `limit`, and what is in them.
fn grow(
    graph: &ImpactGraph,
    files: &[usize],
    limit: usize,
    section: usize,
    parent: Option<usize>,
    boxes: &mut Vec<DrawingBox>,
) {
    let start = Rectangle { x: 0.0, y: 0.0, width: SIZES.width, height: SIZES.height };
    let boxed = |content: BoxContent| DrawingBox { content, section, parent, rectangle: start };
    let flat = || files.iter().map(|no| boxed(BoxContent::File(*no)));
    if files.len() <= limit {
        boxes.extend(flat());
        return;
    }
    let parts = ranked_parts(graph, files, limit);
    if parts.len() < 2 {
        boxes.extend(flat());
        return;
    }
    for RankedPart { form, path, files } in parts {
        if form == PartKind::File {
            boxes.extend(files.iter().map(|no| boxed(BoxContent::File(*no))));
            continue;
        }
        let own = boxes.len();
        boxes.push(boxed(BoxContent::Group { form, path, label: String::new(), files: files.len() }));
        grow(graph, &files, MAX_INSIDE, section, Some(own), boxes);
    }
}

/// A part of the files of a section.
struct RankedPart {
    form: PartKind,
    path: String,
    /// Numbers of its files, in the order of the answer.
    files: Vec<usize>,
}

/// At most `limit` parts of `files`, best first.
fn ranked_parts(graph: &ImpactGraph, files: &[usize], limit: usize) -> Vec<RankedPart> {
    let mut sorted = files.to_vec();
    sorted.sort_unstable_by(|a, b| graph.nodes[*a].path.cmp(&graph.nodes[*b].path));
    let paths: Vec<&str> = sorted.iter().map(|no| graph.nodes[*no].path.as_str()).collect();
    // The strongest files should stay visible longest. The edges exist only to give files weight.
    let weight = |no: usize| 1 + (finite(graph.nodes[sorted[no]].strength) * 8.0) as usize;
    let edge = |no: usize| FileEdge { from: no, to: no, kind: DependencyKind::Reference, count: 1 };
    let edges = (0..sorted.len()).flat_map(|no| std::iter::repeat_n(edge(no), weight(no))).collect();
    let parts = parts(&NumberedGraph { languages: vec![""; paths.len()], paths, edges }, limit);
    let mut inner: Vec<RankedPart> = Vec::new();
    for part in parts {
        let mut files: Vec<usize> = part.files.into_iter().flatten().map(|no| sorted[no]).collect();
        files.sort_unstable();
        inner.push(RankedPart { form: part.form, path: part.path, files });
    }
    // The order is that of the answer, best first; a directory is placed by its first file. Files whose directory was
    // opened stay together, so that the directory is still recognisable.
    let mut first_in: HashMap<String, usize> = HashMap::new();
    for RankedPart { path, files, .. } in inner.iter().filter(|part| part.form == PartKind::File) {
        let first = first_in.entry(directory_and_name(path).0.to_owned()).or_insert(files[0]);
        *first = files[0].min(*first);
    }
    inner.sort_by_key(|RankedPart { form, path, files }| {
        let of_directory = first_in.get(directory_and_name(path).0).filter(|_| *form == PartKind::File);
        (*form == PartKind::Rest, of_directory.copied().unwrap_or(files[0]), files[0])
    });
    inner
}

/// Sets the labels of groups.
fn label(boxes: &mut [DrawingBox]) {
    let ends = |path: &str| -> Vec<String> {
        let names = path.trim_end_matches('/').split('/').count();
        (1..=names).map(|count| end_of(path, count).to_owned()).collect()
    };
    let mut known: BTreeMap<(usize, String), BTreeSet<String>> = BTreeMap::new();
    for boxed in boxes.iter() {
        if let BoxContent::Group { path, .. } = &boxed.content {
            for end in ends(path) {
                known.entry((boxed.section, end)).or_default().insert(path.clone());
            }
        }
    }
    for boxed in boxes {
        if let BoxContent::Group { path, label, .. } = &mut boxed.content {
            let is_unique =
                |end: &String| known.get(&(boxed.section, end.clone())).is_some_and(|paths| paths.len() == 1);
            *label = ends(path).into_iter().find(is_unique).unwrap_or_else(|| path.clone());
        }
    }
}

/// Gives sections and boxes their places, with all directories closed.
fn place(layout: &mut ImpactLayout) {
    let mut x = SIZES.margin;
    let mut y = SIZES.margin;
    let mut column = None;
    let mut bottom = SIZES.margin;
    for no in 0..layout.sections.len() {
        let this = layout.sections[no].section.place().0;
        if column.is_some_and(|column| column != this) {
            x += SIZES.width + SIZES.column_gap;
            y = SIZES.margin;
        }
        column = Some(this);
        (layout.sections[no].x, layout.sections[no].y) = (x, y);
        y += SIZES.heading;
        for at in 0..layout.boxes.len() {
            if layout.boxes[at].section != no {
                continue;
            }
            if let Some(parent) = layout.boxes[at].parent {
                layout.boxes[at].rectangle = layout.boxes[parent].rectangle;
                continue;
            }
            (layout.boxes[at].rectangle.x, layout.boxes[at].rectangle.y) = (x, y);
            y += SIZES.height + SIZES.gap;
        }
        bottom = bottom.max(y - SIZES.gap);
        y += SIZES.section_gap - SIZES.gap;
    }
    layout.width = x + SIZES.width + SIZES.margin;
    layout.height = bottom + SIZES.margin;
}

/// Edges between the outermost boxes; edges with equal ends are combined. The heaviest come last, so that they are
/// drawn on top.
fn box_edges(graph: &ImpactGraph, known: &HashMap<&str, usize>, boxes: &[DrawingBox]) -> Vec<BoxEdge> {
    let mut box_of: HashMap<usize, usize> = HashMap::new();
    for (no, boxed) in boxes.iter().enumerate() {
        let mut outermost = no;
        while let Some(parent) = boxes[outermost].parent {
            outermost = parent;
        }
        if let BoxContent::File(file) = boxed.content {
            box_of.insert(file, outermost);
        }
    }
    let end = |path: &str| known.get(path).and_then(|file| box_of.get(file)).copied();
    let mut joined: BTreeMap<(usize, usize), (GraphEdgeKind, usize)> = BTreeMap::new();
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (end(&edge.from), end(&edge.to)) else { continue };
        if from == to {
            continue;
        }
        let (kind, edges) = joined.entry((from, to)).or_insert((edge.kind, 0));
        *kind = (*kind).min(edge.kind);
        *edges += 1;
    }
    let mut joined: Vec<BoxEdge> =
        joined.into_iter().map(|((from, to), (kind, edges))| BoxEdge { from, to, kind, edges }).collect();
    joined.sort_by_key(|joined| (joined.edges, std::cmp::Reverse(joined.kind), joined.from, joined.to));
    joined
}

/// `share` limited to `0.0..=1.0`; 0 if it is not a number.
pub(super) fn finite(share: f64) -> f64 {
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}
