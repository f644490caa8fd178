//! Where the files of an impact stand: what should have changed too, what changed, and who depends on it by steps.
//!
//! Boxes stand below each other in the order of the answer. The script of the page places them again, by the same rules,
//! when a directory is opened or a filter hides some; it takes sizes from the page.

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
    /// How far the boxes of an open directory stand to the right of it.
    pub(super) indent: f64,
    /// How far edges within a column swing out to the left of it.
    pub(super) swing: f64,
    /// Edges from which on each of them is drawn fainter.
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

/// Boxes that people can still find their way among; with more files, directories stand for what is in them. Many
/// sections may have more together, as each has [`LEAST_BOXES`].
const MAX_BOXES: usize = 60;

/// Boxes that an opened directory shows; more than a screen takes, fewer than need another search.
const MAX_INSIDE: usize = 40;

/// Boxes that every section may have, as with fewer of them the smaller directories would all be in one box. Much more
/// than two, so that opening directories always comes to an end.
const LEAST_BOXES: usize = 12;

/// Files this many steps from the change and farther stand in one column.
pub(super) const STEPS: u32 = 3;

/// Where files of one kind stand below each other. In the order of columns, and within a column from top to bottom.
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
    /// Tests of what changed, likewise.
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

    /// What stands above its boxes.
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
        /// How they hang together.
        form: PartKind,
        /// Path of the directory, with a slash at its end, empty for the root.
        path: String,
        /// Shortest ending of the path that no other directory of the section has; empty for the root.
        label: String,
        /// How many there are.
        files: usize,
    },
}

/// A box of the drawing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DrawingBox {
    pub(super) content: BoxContent,
    /// Number of its section in [`Layout::sections`].
    pub(super) section: usize,
    /// Number of the box that it is in; it is seen when that is open, and at first none is.
    pub(super) parent: Option<usize>,
    /// Where it stands at first; where its outermost directory stands, when it is in one.
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
    /// The strongest of what connects them.
    pub(super) kind: GraphEdgeKind,
    /// Edges of files that it stands for.
    pub(super) edges: usize,
}

/// The drawing as it is at first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ImpactLayout {
    pub(super) sections: Vec<PlacedSection>,
    /// Section by section; what is in a box stands behind it, before the next box of its kind.
    pub(super) boxes: Vec<DrawingBox>,
    pub(super) edges: Vec<BoxEdge>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Places the files of `graph`; of files that stand there twice the first counts.
///
/// At most [`MAX_BOXES`] boxes are seen, and at most [`LEAST_BOXES`] in each section when these are more.
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

/// How many boxes each section may have, so that all together are few: smaller sections leave what they do not need.
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
    let mut sorted = files.to_vec();
    sorted.sort_unstable_by(|a, b| graph.nodes[*a].path.cmp(&graph.nodes[*b].path));
    let paths: Vec<&str> = sorted.iter().map(|no| graph.nodes[*no].path.as_str()).collect();
    // What weighs most stays in sight longest; the edges are there for their weight alone.
    let weight = |no: usize| 1 + (finite(graph.nodes[sorted[no]].strength) * 8.0) as usize;
    let edge = |no: usize| FileEdge { from: no, to: no, kind: DependencyKind::Reference, count: 1 };
    let edges = (0..sorted.len()).flat_map(|no| std::iter::repeat_n(edge(no), weight(no))).collect();
    let parts = parts(&NumberedGraph { languages: vec![""; paths.len()], paths, edges }, limit);
    if parts.len() < 2 {
        boxes.extend(flat());
        return;
    }
    let mut inner: Vec<(PartKind, String, Vec<usize>)> = Vec::new();
    for part in parts {
        let mut files: Vec<usize> = part.files.into_iter().flatten().map(|no| sorted[no]).collect();
        files.sort_unstable();
        inner.push((part.form, part.path, files));
    }
    // The order of the answer is the best first, which the first file of a directory tells. Files whose directory gave way
    // to them stay together, so that it can still be seen.
    let mut first_in: HashMap<&str, usize> = HashMap::new();
    for (_, path, files) in inner.iter().filter(|part| part.0 == PartKind::File) {
        let first = first_in.entry(directory_and_name(path).0).or_insert(files[0]);
        *first = files[0].min(*first);
    }
    let rank = |(form, path, files): &(PartKind, String, Vec<usize>)| {
        let of_directory = first_in.get(directory_and_name(path).0).filter(|_| *form == PartKind::File);
        (*form == PartKind::Rest, of_directory.copied().unwrap_or(files[0]), files[0])
    };
    let mut ranked: Vec<_> = inner.iter().map(|part| (rank(part), part)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    for (_, (form, path, files)) in ranked {
        if *form == PartKind::File {
            boxes.extend(files.iter().map(|no| boxed(BoxContent::File(*no))));
            continue;
        }
        let own = boxes.len();
        boxes.push(boxed(BoxContent::Group {
            form: *form,
            path: path.clone(),
            label: String::new(),
            files: files.len(),
        }));
        grow(graph, files, MAX_INSIDE, section, Some(own), boxes);
    }
}

/// Gives groups their labels.
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

/// Edges between the outermost boxes, those of equal ends together; heaviest last, so that they lie above the others.
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

/// `share` within `0.0..=1.0`; 0 for what is no number.
pub(super) fn finite(share: f64) -> f64 {
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}
