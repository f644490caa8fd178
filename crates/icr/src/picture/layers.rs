//! Places boxes so that edges go from left to right: the layered drawing of Sugiyama, Tagawa and Toda (1981).
//!
//! The page's script does the same for the content of a directory, with the same operations in the same order, so that
//! both draw the same graph in the same way.

use super::components::components;
use super::svg::Rectangle;

/// Width of a box in px, including the stacked sheets behind it.
pub(super) const WIDTH: f64 = 196.0;

/// Height of a box in px, including the stacked sheets behind it.
pub(super) const HEIGHT: f64 = 46.0;

/// Between the drawing and its border, in px.
pub(super) const MARGIN: f64 = 20.0;

/// Boxes below each other before a layer takes a second column: as many as a screen shows.
const ROWS: usize = 14;

/// Between two boxes, between a box and an edge that passes it, and between two such edges, in px.
const GAP: f64 = 14.0;
const PASSING_GAP: f64 = 10.0;
const BUNDLE_GAP: f64 = 7.0;

/// Passes over all columns that reduce crossings; more passes change little (Gansner et al. 1993 use 24).
const ORDER_PASSES: usize = 24;

/// Passes that straighten edges.
const PLACE_PASSES: usize = 8;

/// Height of the heading above the boxes without edges, in px.
pub(super) const HEADING: f64 = 36.0;

/// The drawing of a graph.
pub(super) struct Arrangement {
    /// Position of each box.
    pub(super) rectangles: Vec<Rectangle>,
    /// Column number of each box from the left; `None` for boxes without edges, which stand below the others.
    pub(super) columns: Vec<Option<usize>>,
    /// Number of the cycle that each box is part of, from 0; `None` if it is in none.
    pub(super) cycles: Vec<Option<usize>>,
    /// Route of each drawn edge.
    pub(super) routes: Vec<Route>,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Upper end of the boxes without edges, when there are some.
    pub(super) loose: Option<f64>,
}

/// The course of an edge.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Route {
    /// Points from the start to the end of the edge.
    pub(super) points: Vec<(f64, f64)>,
    /// Whether it goes from right to left, as part of a cycle.
    pub(super) back: bool,
}

/// Places `boxes_total` boxes. `edges` are (from, to, weight) between different boxes, each pair once.
///
/// Only the first `drawn` edges shape the drawing and have a route; all count for cycles.
///
/// Time grows with the cube of the boxes, for the edges that pass other boxes.
pub(super) fn arrange(boxes_total: usize, edges: &[(usize, usize, u64)], drawn: usize) -> Arrangement {
    let mut targets = vec![Vec::new(); boxes_total];
    for &(from, to, _) in edges {
        targets[from].push(to);
    }
    let (component, _) = components(&targets);
    let edges = &edges[..drawn.min(edges.len())];
    let rank = ranks(boxes_total, edges, &component);
    let is_back = |&(from, to, _): &(usize, usize, u64)| component[from] == component[to] && rank[from] > rank[to];
    let forward: Vec<(usize, usize, u64)> =
        edges.iter().map(|edge| if is_back(edge) { (edge.1, edge.0, edge.2) } else { *edge }).collect();
    let columns = columns_of(boxes_total, &forward);
    let mut grid = Grid::new(&columns, &forward);
    grid.order();
    let ys = grid.place();
    let drawn = grid.draw(&columns, &forward, &ys);
    let routes = edges.iter().zip(drawn.routes).map(|(edge, mut points)| {
        let back = is_back(edge);
        if back {
            points.reverse();
        }
        Route { points, back }
    });
    let routes = routes.collect();
    Arrangement {
        rectangles: drawn.rectangles,
        cycles: cycles(&component),
        columns,
        routes,
        width: drawn.width,
        height: drawn.height,
        loose: drawn.loose,
    }
}

/// Numbers the components that have more than one box, in the order of their first boxes.
fn cycles(component: &[usize]) -> Vec<Option<usize>> {
    let mut seen: Vec<usize> = Vec::new();
    let number = |component_no: usize, seen: &mut Vec<usize>| {
        seen.iter().position(|known| *known == component_no).unwrap_or_else(|| {
            seen.push(component_no);
            seen.len() - 1
        })
    };
    let is_cycle = |component_no: usize| component.iter().filter(|other| **other == component_no).count() > 1;
    component.iter().map(|&no| is_cycle(no).then(|| number(no, &mut seen))).collect()
}

/// An order of the boxes in which few and light edges inside components go backwards: the greedy order of Eades, Lin
/// and Smyth (1993), with weights.
fn ranks(boxes_total: usize, edges: &[(usize, usize, u64)], component: &[usize]) -> Vec<usize> {
    let inner: Vec<_> = edges.iter().filter(|(from, to, _)| component[*from] == component[*to]).collect();
    let mut rank = vec![usize::MAX; boxes_total];
    let (mut first, mut last) = (0, boxes_total);
    while first < last {
        let (mut out, mut into) = (vec![0_u64; boxes_total], vec![0_u64; boxes_total]);
        for (from, to, weight) in &inner {
            if rank[*from] == usize::MAX && rank[*to] == usize::MAX {
                out[*from] += weight;
                into[*to] += weight;
            }
        }
        let left: Vec<usize> = (0..boxes_total).filter(|no| rank[*no] == usize::MAX).collect();
        let sinks: Vec<usize> = left.iter().copied().filter(|no| out[*no] == 0).collect();
        if !sinks.is_empty() {
            for no in sinks.into_iter().rev() {
                last -= 1;
                rank[no] = last;
            }
            continue;
        }
        let source = left.iter().copied().find(|no| into[*no] == 0);
        let best = source.or_else(|| {
            // The first of those with the largest surplus.
            left.iter().copied().rev().max_by_key(|no| i128::from(out[*no]) - i128::from(into[*no]))
        });
        let Some(no) = best else { break };
        rank[no] = first;
        first += 1;
    }
    rank
}

/// The column of each box that has edges: right of all its predecessors, and as near to its successors as that allows.
fn columns_of(boxes_total: usize, forward: &[(usize, usize, u64)]) -> Vec<Option<usize>> {
    let order = topological(boxes_total, forward);
    let mut layer = vec![0_usize; boxes_total];
    for &no in &order {
        for &(from, to, _) in forward.iter().filter(|edge| edge.0 == no) {
            layer[to] = layer[to].max(layer[from] + 1);
        }
    }
    let sum = |no: usize, end: fn(&(usize, usize, u64)) -> usize| -> i128 {
        forward.iter().filter(|edge| end(edge) == no).map(|edge| i128::from(edge.2)).sum()
    };
    let surplus: Vec<i128> = (0..boxes_total).map(|no| sum(no, |edge| edge.0) - sum(no, |edge| edge.1)).collect();
    for &no in order.iter().rev() {
        let nearest = forward.iter().filter(|edge| edge.0 == no).map(|edge| layer[edge.1]).min();
        if let Some(nearest) = nearest.filter(|_| surplus[no] > 0) {
            layer[no] = nearest - 1;
        }
    }
    let has_edges = |no: usize| forward.iter().any(|edge| edge.0 == no || edge.1 == no);
    let mut columns = vec![None; boxes_total];
    let mut next = 0;
    for current in 0..=layer.iter().copied().max().unwrap_or(0) {
        let mut members: Vec<usize> = (0..boxes_total).filter(|no| layer[*no] == current && has_edges(*no)).collect();
        // Boxes with mostly incoming edges go to the left of their layer, near their predecessors.
        members.sort_by_key(|no| surplus[*no]);
        let chunks = members.len().div_ceil(ROWS);
        for chunk in members.chunks(members.len().div_ceil(chunks.max(1)).max(1)) {
            for &no in chunk {
                columns[no] = Some(next);
            }
            next += 1;
        }
    }
    columns
}

/// The boxes in topological order; among several candidates, the smallest number comes first.
fn topological(boxes_total: usize, forward: &[(usize, usize, u64)]) -> Vec<usize> {
    let mut waiting_for = vec![0; boxes_total];
    for edge in forward {
        waiting_for[edge.1] += 1;
    }
    let mut order = Vec::new();
    let mut ready: Vec<usize> = (0..boxes_total).filter(|no| waiting_for[*no] == 0).collect();
    while !ready.is_empty() {
        let mut next = Vec::new();
        for &no in &ready {
            for edge in forward.iter().filter(|edge| edge.0 == no) {
                waiting_for[edge.1] -= 1;
                if waiting_for[edge.1] == 0 {
                    next.push(edge.1);
                }
            }
        }
        order.append(&mut ready);
        ready = next;
        ready.sort_unstable();
    }
    order
}

/// Boxes and passing edges by columns. All edges of one box share one cell in each column that they pass, as a bundle.
struct Grid {
    /// Cells of each column, from top to bottom.
    columns: Vec<Vec<usize>>,
    /// Cells below this number are boxes with the same number; the others are passing edges.
    boxes_total: usize,
    /// For each cell, the connected cells to the left and to the right.
    left: Vec<Vec<usize>>,
    right: Vec<Vec<usize>>,
    /// For each edge its cells from left to right.
    chains: Vec<Vec<usize>>,
}

impl Grid {
    fn new(columns: &[Option<usize>], forward: &[(usize, usize, u64)]) -> Self {
        let boxes_total = columns.len();
        let columns_total = columns.iter().flatten().max().map_or(0, |last| last + 1);
        let mut grid = Self {
            columns: vec![Vec::new(); columns_total],
            boxes_total,
            left: vec![Vec::new(); boxes_total],
            right: vec![Vec::new(); boxes_total],
            chains: Vec::new(),
        };
        for (no, column) in columns.iter().enumerate() {
            grid.columns.iter_mut().skip(column.unwrap_or(usize::MAX)).take(1).for_each(|cells| cells.push(no));
        }
        // For each box, the cells that its edges pass, from the next column on.
        let mut passing: Vec<Vec<usize>> = vec![Vec::new(); boxes_total];
        for &(from, to, _) in forward {
            let (Some(start), Some(end)) = (columns[from], columns[to]) else { continue };
            let mut chain = vec![from];
            for column in start + 1..end {
                let known = passing[from].get(column - start - 1).copied();
                chain.push(known.unwrap_or_else(|| {
                    let cell = grid.left.len();
                    grid.left.push(Vec::new());
                    grid.right.push(Vec::new());
                    grid.columns[column].push(cell);
                    passing[from].push(cell);
                    cell
                }));
            }
            chain.push(to);
            for pair in chain.windows(2) {
                if !grid.right[pair[0]].contains(&pair[1]) {
                    grid.right[pair[0]].push(pair[1]);
                    grid.left[pair[1]].push(pair[0]);
                }
            }
            grid.chains.push(chain);
        }
        grid
    }

    /// Sorts each column by the median position of the connected cells, in both directions, and keeps the best order
    /// seen.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.columns.clone());
        for pass in 0..ORDER_PASSES {
            let rightwards = pass % 2 == 0;
            let total = self.columns.len();
            for step in 1..total {
                let (column, joined) = if rightwards { (step, &self.left) } else { (total - 1 - step, &self.right) };
                let beside = if rightwards { column - 1 } else { column + 1 };
                let mut position = vec![0.0; self.left.len()];
                for (at, cell) in self.columns[beside].iter().enumerate() {
                    position[*cell] = at as f64;
                }
                let scale = self.columns[beside].len() as f64 / self.columns[column].len().max(1) as f64;
                let key = |at: usize, cell: usize| match joined[cell].len() {
                    0 => at as f64 * scale,
                    count => joined[cell].iter().map(|other| position[*other]).sum::<f64>() / count as f64,
                };
                let mut keyed: Vec<(f64, usize)> =
                    self.columns[column].iter().enumerate().map(|(at, cell)| (key(at, *cell), *cell)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.columns[column] = keyed.into_iter().map(|(_, cell)| cell).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.columns.clone());
            }
        }
        self.columns = best.1;
    }

    /// Number of crossing pairs of edges between neighbouring columns.
    fn crossings(&self) -> usize {
        let mut position = vec![0; self.left.len()];
        for column in &self.columns {
            for (at, cell) in column.iter().enumerate() {
                position[*cell] = at;
            }
        }
        let mut total = 0;
        for column in &self.columns {
            // Number of edges so far that end at each place of the next column.
            let mut ends: Vec<usize> = Vec::new();
            for cell in column {
                let mut own: Vec<usize> = self.right[*cell].iter().map(|other| position[*other]).collect();
                own.sort_unstable();
                for end in &own {
                    total += ends.iter().skip(end + 1).sum::<usize>();
                }
                for end in own {
                    if ends.len() <= end {
                        ends.resize(end + 1, 0);
                    }
                    ends[end] += 1;
                }
            }
        }
        total
    }

    fn is_box(&self, cell: usize) -> bool {
        cell < self.boxes_total
    }

    /// Least distance between the middles of two cells, one below the other, in px.
    fn distance(&self, above: usize, below: usize) -> f64 {
        match (self.is_box(above), self.is_box(below)) {
            (true, true) => HEIGHT + GAP,
            (false, false) => BUNDLE_GAP,
            _ => HEIGHT / 2.0 + PASSING_GAP,
        }
    }

    /// The middle of each cell, so that edges are as level as the order allows.
    fn place(&self) -> Vec<f64> {
        let mut ys = vec![0.0; self.left.len()];
        for column in &self.columns {
            let offsets = self.offsets(column);
            let height = offsets.last().copied().unwrap_or(0.0);
            for (cell, offset) in column.iter().zip(offsets) {
                ys[*cell] = offset - height / 2.0;
            }
        }
        let total = self.columns.len();
        for pass in 0..PLACE_PASSES {
            for step in 0..total {
                let column = &self.columns[if pass % 2 == 0 { step } else { total - 1 - step }];
                let offsets = self.offsets(column);
                let wanted = column.iter().zip(&offsets).map(|(cell, offset)| {
                    let (mut sum, mut weights) = (0.0, 0.0);
                    for other in self.left[*cell].iter().chain(&self.right[*cell]) {
                        // Passing edges weigh more, because a bend is most visible there.
                        let weight = if self.is_box(*cell) || self.is_box(*other) { 1.0 } else { 4.0 };
                        sum += ys[*other] * weight;
                        weights += weight;
                    }
                    if weights > 0.0 { sum / weights - offset } else { ys[*cell] - offset }
                });
                let placed = ascending(&wanted.collect::<Vec<f64>>());
                for ((cell, offset), y) in column.iter().zip(offsets).zip(placed) {
                    ys[*cell] = y + offset;
                }
            }
        }
        ys
    }

    /// Positions of the cells of a column when they are packed as closely as possible.
    fn offsets(&self, column: &[usize]) -> Vec<f64> {
        let mut offset = 0.0;
        let mut offsets = Vec::with_capacity(column.len());
        for (at, cell) in column.iter().enumerate() {
            if at > 0 {
                offset += self.distance(column[at - 1], *cell);
            }
            offsets.push(offset);
        }
        offsets
    }
}

/// The ascending values that are nearest to `wanted` in least squares: neighbours in the wrong order share their mean.
fn ascending(wanted: &[f64]) -> Vec<f64> {
    // Sums and counts of runs of equal values.
    let mut runs: Vec<(f64, f64)> = Vec::new();
    for &value in wanted {
        let mut run = (value, 1.0);
        while let Some(&before) = runs.last().filter(|before| before.0 / before.1 >= run.0 / run.1) {
            run = (before.0 + run.0, before.1 + run.1);
            runs.pop();
        }
        runs.push(run);
    }
    runs.into_iter().flat_map(|(sum, count)| std::iter::repeat_n(sum / count, count as usize)).collect()
}

/// A drawing before the direction of its edges is known.
struct Coordinates {
    rectangles: Vec<Rectangle>,
    routes: Vec<Vec<(f64, f64)>>,
    width: f64,
    height: f64,
    loose: Option<f64>,
}

impl Grid {
    fn draw(&self, columns: &[Option<usize>], forward: &[(usize, usize, u64)], ys: &[f64]) -> Coordinates {
        let used = || self.columns.iter().flatten();
        let top = used().map(|cell| ys[*cell]).fold(f64::INFINITY, f64::min);
        let shift = MARGIN + HEIGHT / 2.0 - if top.is_finite() { top } else { 0.0 };
        let ys: Vec<f64> = ys.iter().map(|y| y + shift).collect();
        let mut bottom = used().map(|cell| ys[*cell] + HEIGHT / 2.0).fold(MARGIN, f64::max);
        let xs = self.xs();
        let column_right = xs.last().map_or(0.0, |x| x + WIDTH);
        let mut rectangles = vec![Rectangle { x: MARGIN, y: 0.0, width: WIDTH, height: HEIGHT }; columns.len()];
        for (no, column) in columns.iter().enumerate() {
            if let Some(column) = column {
                (rectangles[no].x, rectangles[no].y) = (xs[*column], ys[no] - HEIGHT / 2.0);
            }
        }
        let loose: Vec<usize> = (0..columns.len()).filter(|no| columns[*no].is_none()).collect();
        let per_row = LOOSE_PER_ROW.max((column_right / (WIDTH + GAP)) as usize).min(loose.len().max(1));
        let loose_top = if bottom > MARGIN { bottom + HEADING + GAP } else { MARGIN + HEADING };
        for (at, no) in loose.iter().enumerate() {
            rectangles[*no].x = MARGIN + (at % per_row) as f64 * (WIDTH + GAP);
            rectangles[*no].y = loose_top + (at / per_row) as f64 * (HEIGHT + GAP);
            bottom = rectangles[*no].y + HEIGHT;
        }
        let loose_right = if loose.is_empty() { 0.0 } else { MARGIN + per_row as f64 * (WIDTH + GAP) - GAP };
        let routes = forward.iter().zip(&self.chains).map(|(_, chain)| self.route(chain, columns, &xs, &ys));
        Coordinates {
            routes: routes.collect(),
            rectangles,
            width: column_right.max(loose_right).max(MARGIN + WIDTH) + MARGIN,
            height: bottom + MARGIN,
            loose: (!loose.is_empty()).then_some(loose_top),
        }
    }

    /// Left side of each column. The more edges run between two columns, the wider the gap.
    fn xs(&self) -> Vec<f64> {
        let mut x = MARGIN;
        let mut xs = Vec::new();
        for column in &self.columns {
            xs.push(x);
            let edges: usize = column.iter().map(|cell| self.right[*cell].len()).sum();
            x += WIDTH + (48.0 + edges as f64 * 2.0).min(132.0);
        }
        xs
    }

    fn route(&self, chain: &[usize], columns: &[Option<usize>], xs: &[f64], ys: &[f64]) -> Vec<(f64, f64)> {
        let mut points = Vec::new();
        let start = columns[chain[0]].unwrap_or(0);
        for (step, cell) in chain.iter().enumerate() {
            let x = xs[start + step];
            if step == 0 {
                points.push((x + WIDTH, port(*cell, &self.right[*cell], chain[1], ys)));
            } else if step + 1 == chain.len() {
                points.push((x, port(*cell, &self.left[*cell], chain[step - 1], ys)));
            } else {
                points.push((x, ys[*cell]));
                points.push((x + WIDTH, ys[*cell]));
            }
        }
        points
    }
}

/// Least number of boxes per row among the boxes without edges.
const LOOSE_PER_ROW: usize = 4;

/// Vertical position on the side of `cell` where the edge to `other` ends. All ends on that side are spread in the
/// order of their other ends.
fn port(cell: usize, joined: &[usize], other: usize, ys: &[f64]) -> f64 {
    /// Distance between two ends if there is room for it, in px.
    const STEP: f64 = 7.0;
    let above = |a: usize, b: usize| ys[a].total_cmp(&ys[b]).then(a.cmp(&b)).is_lt();
    let before = joined.iter().filter(|no| above(**no, other)).count() as f64;
    let last = joined.len() as f64 - 1.0;
    let step = if last > 0.0 { STEP.min((HEIGHT - 16.0) / last) } else { 0.0 };
    ys[cell] + (before - last / 2.0) * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_go_from_left_to_right_but_for_the_lightest_of_a_cycle() {
        let arranged = arrange(5, &[(0, 1, 5), (1, 2, 5), (2, 0, 1), (2, 3, 1)], 9);
        assert_eq!(arranged.columns, [Some(0), Some(1), Some(2), Some(3), None]);
        assert_eq!(arranged.cycles, [Some(0), Some(0), Some(0), None, None]);
        assert_eq!(arranged.routes.iter().map(|route| route.back).collect::<Vec<_>>(), [false, false, true, false]);
    }

    #[test]
    fn values_in_the_wrong_order_share_their_mean() {
        assert_eq!(ascending(&[1.0, 5.0, 3.0, 4.0, 9.0]), [1.0, 4.0, 4.0, 4.0, 9.0]);
        assert_eq!(ascending(&[]), [0.0; 0]);
    }

    #[test]
    fn nothing_has_a_drawing_too() {
        assert_eq!(arrange(0, &[], 0).rectangles, []);
    }

    proptest::proptest! {
        #[test]
        fn no_two_boxes_overlap_and_edges_pass_none(
            total in 1usize..40, pairs in proptest::collection::btree_map((0usize..40, 0usize..40), 1u64..50, 0..160), drawn in 0usize..200,
        ) {
            let edges: Vec<(usize, usize, u64)> = pairs
                .into_iter()
                .map(|((from, to), weight)| (from, to, weight))
                .filter(|(from, to, _)| from != to && *from < total && *to < total)
                .collect();
            let arranged = arrange(total, &edges, drawn);
            for (no, rectangle) in arranged.rectangles.iter().enumerate() {
                // Tolerance for rounding when numbers are written.
                proptest::prop_assert!(rectangle.x >= MARGIN && rectangle.y >= MARGIN - 0.01);
                proptest::prop_assert!(rectangle.x + rectangle.width <= arranged.width - MARGIN + 0.01);
                proptest::prop_assert!(rectangle.y + rectangle.height <= arranged.height - MARGIN + 0.01);
                for other in &arranged.rectangles[..no] {
                    proptest::prop_assert!(!rectangle.overlaps(other), "{:?} {:?}", rectangle, other);
                }
            }
            for ((from, to, _), route) in edges.iter().zip(&arranged.routes) {
                let columns = (arranged.columns[*from], arranged.columns[*to]);
                proptest::prop_assert_eq!(columns.0 > columns.1, route.back);
                proptest::prop_assert!(columns.0 != columns.1);
                for pair in route.points.windows(2) {
                    // A level part, which goes through a column of boxes.
                    let (a, b) = if route.back { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
                    if b.0 - a.0 != WIDTH { continue; }
                    let passes = Rectangle { x: a.0, y: a.1 - 1.0, width: WIDTH, height: 2.0 };
                    proptest::prop_assert!(arranged.rectangles.iter().all(|rectangle| !rectangle.overlaps(&passes)));
                }
            }
        }
    }
}
