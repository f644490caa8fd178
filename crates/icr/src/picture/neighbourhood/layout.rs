//! Positions of the boxes of a neighbourhood.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::svg::Rectangle;
use super::super::{DependencyKind, Neighbour, Neighbourhood};

/// Boxes of a list that are shown before the rest is folded away: as many as fit on a laptop screen without scrolling.
pub(super) const SHOWN: usize = 12;

/// Most boxes of a list that are drawn at all. With three columns on each of two sides and the files that change
/// together, that is at most 560.
pub(super) const DRAWN: usize = 80;

/// Columns on either side; files that are further away share the last one.
pub(super) const STEPS: u32 = 3;

/// Between the drawing and its border, in px.
pub(super) const MARGIN: f64 = 16.0;

/// Width of a box, in px: room for a name of 28 characters.
pub(super) const BOX_WIDTH: f64 = 236.0;

/// Height of a box with a name and a directory, in px.
pub(super) const BOX_HEIGHT: f64 = 42.0;

/// Height that a line of labels or a bar adds, in px.
pub(super) const LABELS_HEIGHT: f64 = 20.0;

/// Height of the heading above a column, in px.
pub(super) const HEADING_HEIGHT: f64 = 32.0;

/// Height of the line that says how many boxes are folded away, in px.
pub(super) const MORE_HEIGHT: f64 = 28.0;

const CENTRE_WIDTH: f64 = 268.0;
const CENTRE_HEIGHT: f64 = 72.0;
const GAP: f64 = 10.0;
const COLUMN_GAP: f64 = 88.0;

/// One of the lists of a neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NeighbourSide {
    Importers,
    Imports,
    Together,
}

/// A neighbour and its box.
pub(super) struct PlacedNeighbour<'a> {
    pub(super) neighbour: &'a Neighbour,
    /// Note that the file also appears elsewhere in the drawing.
    pub(super) extra: Option<&'static str>,
    pub(super) rectangle: Rectangle,
    /// Whether it is hidden until the reader asks for more.
    pub(super) folded: bool,
}

/// Boxes below each other. Files that change together also stand next to each other.
pub(super) struct Column<'a> {
    pub(super) side: NeighbourSide,
    /// Steps from the centre, at most [`STEPS`].
    pub(super) steps: u32,
    pub(super) x: f64,
    /// Upper end of its boxes.
    pub(super) y: f64,
    pub(super) placed: Vec<PlacedNeighbour<'a>>,
    /// Files of the list, drawn or not.
    pub(super) total: usize,
    /// Position of the line that says how many are hidden; `None` if none are.
    pub(super) more: Option<Rectangle>,
}

impl Column<'_> {
    /// Files that are not shown at first.
    pub(super) fn hidden(&self) -> usize {
        self.total - self.placed.iter().filter(|placed| !placed.folded).count()
    }
}

/// A whole drawing.
pub(super) struct NeighbourhoodLayout<'a> {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) centre: Rectangle,
    pub(super) columns: Vec<Column<'a>>,
}

/// Places the boxes: importers to the left, with more steps further out; imports to the right; files that change
/// together in rows below.
pub(super) fn layout(neighbourhood: &Neighbourhood) -> NeighbourhoodLayout<'_> {
    let (importers, imports) = (paths(&neighbourhood.importers), paths(&neighbourhood.imports));
    let both = |path: &str| (importers.contains(path) && imports.contains(path)).then_some("both ways");
    let above = |path: &str| (importers.contains(path) || imports.contains(path)).then_some("also drawn above");
    let lefts = columns_of(NeighbourSide::Importers, &neighbourhood.importers, both);
    let rights = columns_of(NeighbourSide::Imports, &neighbourhood.imports, both);
    let mut x = MARGIN;
    let mut columns: Vec<Column<'_>> = lefts.into_iter().rev().collect();
    for column in &mut columns {
        column.x = x;
        x += BOX_WIDTH + COLUMN_GAP;
    }
    let mut centre = Rectangle { x, y: 0.0, width: CENTRE_WIDTH, height: CENTRE_HEIGHT };
    x += CENTRE_WIDTH + COLUMN_GAP;
    for mut column in rights {
        column.x = x;
        x += BOX_WIDTH + COLUMN_GAP;
        columns.push(column);
    }
    let width = x - COLUMN_GAP + MARGIN;
    let tallest = columns.iter().map(stack_height).fold(CENTRE_HEIGHT, f64::max);
    let top = MARGIN + HEADING_HEIGHT;
    for column in &mut columns {
        column.y = top + lowered_by(tallest, stack_height(column));
        stack(column);
    }
    centre.y = top + lowered_by(tallest, CENTRE_HEIGHT);
    let mut height = top + tallest + MARGIN;
    if let Some(mut together) =
        columns_of(NeighbourSide::Together, &neighbourhood.changed_together, above).pop().filter(|c| c.total > 0)
    {
        together.y = height + HEADING_HEIGHT + GAP;
        height = rows(&mut together, width) + MARGIN;
        columns.push(together);
    }
    NeighbourhoodLayout { width, height, centre, columns }
}

fn paths(list: &[Neighbour]) -> HashSet<&str> {
    list.iter().map(|neighbour| neighbour.path.as_str()).collect()
}

/// Distance between the top and the start of a column: the column is centred, unless that is off the screen.
fn lowered_by(tallest: f64, height: f64) -> f64 {
    /// Half of the height of a laptop screen, in px.
    const MAX: f64 = 400.0;
    ((tallest - height) / 2.0).floor().min(MAX)
}

/// Height of a box with its labels, in px.
fn box_height(side: NeighbourSide, neighbour: &Neighbour, extra: Option<&str>) -> f64 {
    let has_line = side == NeighbourSide::Together || !neighbour.labels.is_empty() || extra.is_some();
    BOX_HEIGHT + if has_line { LABELS_HEIGHT } else { 0.0 }
}

/// The files of one list by steps. There is at least one column, so that an empty list is visible as empty.
fn columns_of(
    side: NeighbourSide,
    list: &[Neighbour],
    extra_of: impl Fn(&str) -> Option<&'static str>,
) -> Vec<Column<'_>> {
    let mut by_steps: BTreeMap<u32, Vec<&Neighbour>> = BTreeMap::from([(1, Vec::new())]);
    for neighbour in list {
        let steps = if side == NeighbourSide::Together { 1 } else { neighbour.depth.clamp(1, STEPS) };
        by_steps.entry(steps).or_default().push(neighbour);
    }
    let mut order_before: HashMap<&str, usize> = HashMap::new();
    let mut columns = Vec::new();
    for (steps, mut neighbours) in by_steps {
        let total = neighbours.len();
        neighbours.sort_by(|a, b| {
            let by_weight = finite(b.weight).total_cmp(&finite(a.weight));
            by_weight.then_with(|| (&a.path, &a.via, &a.labels).cmp(&(&b.path, &b.via, &b.labels)))
        });
        // If only one box would be hidden, it is shown: the line that says so would take the same space.
        let shown = if total <= SHOWN + 1 { total } else { SHOWN };
        neighbours.truncate(DRAWN);
        let mut placed: Vec<PlacedNeighbour<'_>> = neighbours
            .into_iter()
            .enumerate()
            .map(|(no, neighbour)| {
                let extra = extra_of(&neighbour.path);
                let height = box_height(side, neighbour, extra);
                let rectangle = Rectangle { x: 0.0, y: 0.0, width: BOX_WIDTH, height };
                PlacedNeighbour { neighbour, extra, rectangle, folded: no >= shown }
            })
            .collect();
        // Sorted next to the box that leads here, so that fewer edges cross.
        let near = |placed: &PlacedNeighbour<'_>| {
            placed.neighbour.via.as_deref().and_then(|via| order_before.get(via)).copied().unwrap_or(usize::MAX)
        };
        placed.sort_by_key(|placed| (placed.folded, near(placed)));
        let order = placed.iter().enumerate().map(|(no, placed)| (placed.neighbour.path.as_str(), no)).collect();
        order_before = order;
        columns.push(Column { side, steps, x: MARGIN, y: 0.0, placed, total, more: None });
    }
    columns
}

fn stack_height(column: &Column<'_>) -> f64 {
    let boxes = column.placed.iter().filter(|placed| !placed.folded).map(|placed| placed.rectangle.height + GAP);
    let more = if column.hidden() > 0 { MORE_HEIGHT + GAP } else { 0.0 };
    (boxes.sum::<f64>() + more - GAP).max(BOX_HEIGHT)
}

/// Places the shown boxes of a column below each other.
fn stack(column: &mut Column<'_>) {
    let mut y = column.y;
    for placed in &mut column.placed {
        (placed.rectangle.x, placed.rectangle.y) = (column.x, y);
        if !placed.folded {
            y += placed.rectangle.height + GAP;
        }
    }
    column.more = (column.hidden() > 0).then_some(Rectangle { x: column.x, y, width: BOX_WIDTH, height: MORE_HEIGHT });
}

/// Places the shown boxes in rows as wide as the drawing. Returns the lower end.
fn rows(column: &mut Column<'_>, width: f64) -> f64 {
    let height = BOX_HEIGHT + LABELS_HEIGHT;
    let (mut x, mut y) = (column.x, column.y);
    for placed in &mut column.placed {
        if x > MARGIN && x + BOX_WIDTH > width - MARGIN {
            (x, y) = (MARGIN, y + height + GAP);
        }
        (placed.rectangle.x, placed.rectangle.y) = (x, y);
        if !placed.folded {
            x += BOX_WIDTH + GAP;
        }
    }
    let mut bottom = if x > MARGIN { y + height } else { y };
    if column.hidden() > 0 {
        column.more = Some(Rectangle { x: MARGIN, y: bottom + GAP, width: BOX_WIDTH, height: MORE_HEIGHT });
        bottom += GAP + MORE_HEIGHT;
    }
    bottom
}

/// An end of an edge: the centre, or a column and the number of a box in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum EdgeEnd {
    Centre,
    Box(usize, usize),
}

/// An edge between boxes that are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DrawnEdge {
    pub(super) from: EdgeEnd,
    pub(super) to: EdgeEnd,
    pub(super) kind: DependencyKind,
}

/// The edges, each once: from and to the centre, from each file to the one that leads to it, and the links.
pub(super) fn edges(neighbourhood: &Neighbourhood, layout: &NeighbourhoodLayout<'_>) -> Vec<DrawnEdge> {
    let mut ends: HashMap<(NeighbourSide, &str), EdgeEnd> = HashMap::new();
    for (column_no, column) in layout.columns.iter().enumerate() {
        for (no, placed) in column.placed.iter().enumerate() {
            ends.entry((column.side, placed.neighbour.path.as_str())).or_insert(EdgeEnd::Box(column_no, no));
        }
    }
    for side in [NeighbourSide::Importers, NeighbourSide::Imports] {
        ends.insert((side, neighbourhood.centre.as_str()), EdgeEnd::Centre);
    }
    let mut edges = Vec::new();
    for (column_no, column) in
        layout.columns.iter().enumerate().filter(|(_, column)| column.side != NeighbourSide::Together)
    {
        for (no, PlacedNeighbour { neighbour, .. }) in column.placed.iter().enumerate() {
            let near = match &neighbour.via {
                Some(via) => ends.get(&(column.side, via.as_str())).copied(),
                None if neighbour.depth <= 1 => Some(EdgeEnd::Centre),
                None => None,
            };
            let (Some(near), far) = (near, EdgeEnd::Box(column_no, no)) else { continue };
            let (from, to) = if column.side == NeighbourSide::Importers { (far, near) } else { (near, far) };
            edges.push(DrawnEdge { from, to, kind: DependencyKind::of_labels(&neighbour.labels) });
        }
    }
    let sides = [NeighbourSide::Importers, NeighbourSide::Imports];
    for link in &neighbourhood.links {
        let on = |from: NeighbourSide, to: NeighbourSide| {
            Some((*ends.get(&(from, link.from.as_str()))?, *ends.get(&(to, link.to.as_str()))?))
        };
        // A file may be on both sides; two boxes on the same side are preferred, because they are nearer.
        let same_side = sides.into_iter().find_map(|side| on(side, side));
        let found = same_side.or_else(|| on(sides[0], sides[1])).or_else(|| on(sides[1], sides[0]));
        edges.extend(found.map(|(from, to)| DrawnEdge { from, to, kind: link.kind }));
    }
    edges.retain(|edge| edge.from != edge.to);
    edges.sort_unstable();
    // An edge that is given twice is drawn once, as in the list of neighbours: its kind sorts first, or is the only
    // one.
    edges.dedup_by_key(|edge| (edge.from, edge.to));
    edges
}

/// `weight`, or 0 if it is not a finite number.
pub(super) fn finite(weight: f64) -> f64 {
    // Adding 0 turns -0 into 0, so that equal values sort as equal.
    if weight.is_finite() { weight + 0.0 } else { 0.0 }
}
