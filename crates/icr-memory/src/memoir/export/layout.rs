//! Computes the positions of the boxes and lines of a drawing.

use super::layers::{Columns, Vertex};

/// Width and height of a box, in px.
pub(super) const BOX_WIDTH: f64 = 186.0;
pub(super) const BOX_HEIGHT: f64 = 42.0;

/// Space between columns, between boxes, and around a line that passes through a column, in px.
pub(super) const COLUMN_GAP: f64 = 116.0;
const BOX_GAP: f64 = 18.0;
const LINE_HEIGHT: f64 = 10.0;
const LINE_GAP: f64 = 8.0;

/// Space between parts that are not connected, in px.
const PART_GAP: f64 = 40.0;

/// Unconnected parts are placed side by side up to this width, in px.
const ROW_WIDTH: f64 = 1400.0;

/// Number of passes that move boxes towards the ends of their lines.
const ROUNDS: usize = 24;

/// The positions in a drawing, in px.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GraphLayout {
    /// The upper left corner of each box.
    pub(super) boxes: Vec<(f64, f64)>,
    /// The points that each line passes, from its source to its target. The line is horizontal at each of them.
    pub(super) lines: Vec<Vec<(f64, f64)>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Lays out `count` boxes and the lines between them: connected parts in columns, the largest first, and single boxes
/// in rows below. No two boxes overlap. No line may lead from a box to itself.
pub(super) fn layout(count: usize, edges: &[(usize, usize)]) -> GraphLayout {
    let mut layout =
        GraphLayout { boxes: vec![(0.0, 0.0); count], lines: vec![Vec::new(); edges.len()], width: 0.0, height: 0.0 };
    let (parts, singles) = parts(count, edges);
    let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0_f64);
    for part in parts {
        let drawing = part_layout(&part, edges);
        if x > 0.0 && x + drawing.width > ROW_WIDTH {
            (x, y, row_height) = (0.0, y + row_height + PART_GAP, 0.0);
        }
        for (node, corner) in part.nodes.iter().zip(&drawing.boxes) {
            layout.boxes[*node] = (corner.0 + x, corner.1 + y);
        }
        for (edge, line) in part.edges.iter().zip(&drawing.lines) {
            layout.lines[*edge] = line.iter().map(|point| (point.0 + x, point.1 + y)).collect();
        }
        layout.width = layout.width.max(x + drawing.width);
        x += drawing.width + PART_GAP;
        row_height = row_height.max(drawing.height);
    }
    if row_height > 0.0 {
        y += row_height + PART_GAP;
    }
    let in_row = ((layout.width.max(ROW_WIDTH) + BOX_GAP) / (BOX_WIDTH + BOX_GAP)).max(1.0) as usize;
    for (at, node) in singles.iter().enumerate() {
        let (column, row) = (at % in_row, at / in_row);
        let corner = (column as f64 * (BOX_WIDTH + BOX_GAP), y + row as f64 * (BOX_HEIGHT + BOX_GAP));
        layout.boxes[*node] = corner;
        layout.width = layout.width.max(corner.0 + BOX_WIDTH);
    }
    layout.height = layout.boxes.iter().map(|corner| corner.1 + BOX_HEIGHT).fold(0.0, f64::max);
    for point in layout.lines.iter().flatten() {
        layout.height = layout.height.max(point.1);
    }
    layout
}

/// Connected nodes and the lines between them.
struct ConnectedComponent {
    nodes: Vec<usize>,
    edges: Vec<usize>,
}

/// The connected parts of a graph, the largest first, and the nodes without lines.
fn parts(count: usize, edges: &[(usize, usize)]) -> (Vec<ConnectedComponent>, Vec<usize>) {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in edges {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    let mut part_of = vec![usize::MAX; count];
    let mut parts: Vec<ConnectedComponent> = Vec::new();
    let mut singles = Vec::new();
    for first in 0..count {
        if neighbours[first].is_empty() {
            singles.push(first);
        } else if part_of[first] == usize::MAX {
            let mut open = vec![first];
            part_of[first] = parts.len();
            while let Some(node) = open.pop() {
                for &next in &neighbours[node] {
                    if part_of[next] == usize::MAX {
                        part_of[next] = parts.len();
                        open.push(next);
                    }
                }
            }
            parts.push(ConnectedComponent { nodes: Vec::new(), edges: Vec::new() });
        }
    }
    for node in (0..count).filter(|node| part_of[*node] != usize::MAX) {
        parts[part_of[node]].nodes.push(node);
    }
    for (edge, (from, _)) in edges.iter().enumerate() {
        parts[part_of[*from]].edges.push(edge);
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.nodes.len()));
    (parts, singles)
}

fn part_layout(part: &ConnectedComponent, edges: &[(usize, usize)]) -> GraphLayout {
    let place = |node: usize| part.nodes.binary_search(&node).unwrap_or_default();
    let edges: Vec<(usize, usize)> =
        part.edges.iter().map(|edge| (place(edges[*edge].0), place(edges[*edge].1))).collect();
    let columns = Columns::of(part.nodes.len(), &edges);
    let middles = middles(&columns);
    let mut x = vec![0.0; columns.vertices.len()];
    for (column, vertices) in columns.columns.iter().enumerate() {
        for vertex in vertices {
            x[*vertex] = column as f64 * (BOX_WIDTH + COLUMN_GAP);
        }
    }
    let boxes = (0..part.nodes.len()).map(|node| (x[node], middles[node] - BOX_HEIGHT / 2.0)).collect();
    let ports = Ports::of(&columns, &middles, &x);
    let line = |(edge, (way, is_flipped)): (usize, &(Vec<usize>, bool))| {
        let (first, last) = (way[0], way[way.len() - 1]);
        let mut points = vec![(x[first] + BOX_WIDTH, ports.first[edge])];
        for vertex in &way[1..way.len() - 1] {
            points.extend([(x[*vertex], middles[*vertex]), (x[*vertex] + BOX_WIDTH, middles[*vertex])]);
        }
        // A line within a column leaves it and comes back on the right side.
        let side = if x[first] < x[last] { 0.0 } else { BOX_WIDTH };
        points.push((x[last] + side, ports.last[edge]));
        if *is_flipped {
            points.reverse();
        }
        points
    };
    let lines = columns.ways.iter().enumerate().map(line).collect();
    let bottom = |vertex: usize| middles[vertex] + height_of(columns.vertices[vertex]) / 2.0;
    let height = (0..columns.vertices.len()).map(bottom).fold(0.0, f64::max);
    // A line within the last column needs the gap to the right of it.
    let last = columns.columns.last().map_or(&[][..], Vec::as_slice);
    let is_within_last = |(way, _): &(Vec<usize>, bool)| way.iter().all(|vertex| last.contains(vertex));
    let gaps = if columns.ways.iter().any(is_within_last) { 0.0 } else { COLUMN_GAP };
    let width = columns.columns.len() as f64 * (BOX_WIDTH + COLUMN_GAP) - gaps;
    GraphLayout { boxes, lines, width, height }
}

/// Height of a vertex, in px: of a box, or of a line that passes.
fn height_of(vertex: Vertex) -> f64 {
    match vertex {
        Vertex::Node(_) => BOX_HEIGHT,
        Vertex::Edge(_) => LINE_HEIGHT,
    }
}

/// The vertical middle of each vertex: near its neighbours, in the order of its column, and not above 0.
fn middles(columns: &Columns) -> Vec<f64> {
    let distance = |above: usize, below: usize| {
        let (above, below) = (columns.vertices[above], columns.vertices[below]);
        let gap = match (above, below) {
            (Vertex::Node(_), Vertex::Node(_)) => BOX_GAP,
            _ => LINE_GAP,
        };
        (height_of(above) + height_of(below)) / 2.0 + gap
    };
    let mut middles = vec![0.0; columns.vertices.len()];
    for column in &columns.columns {
        let mut y = 0.0;
        for (place, vertex) in column.iter().enumerate() {
            y += if place == 0 { 0.0 } else { distance(column[place - 1], *vertex) };
            middles[*vertex] = y;
        }
        for vertex in column {
            middles[*vertex] -= y / 2.0;
        }
    }
    for round in 0..ROUNDS {
        let last = columns.columns.len().saturating_sub(1);
        for step in 0..=last {
            let (column, sides): (usize, &[&Vec<Vec<usize>>]) = match (round % 2 == 0, round + 2 >= ROUNDS) {
                (true, false) => (step, &[&columns.left]),
                (false, false) => (last - step, &[&columns.right]),
                _ => (step, &[&columns.left, &columns.right]),
            };
            let column = &columns.columns[column];
            let wish = |vertex: &usize| {
                let neighbours: Vec<usize> = sides.iter().flat_map(|side| side[*vertex].iter().copied()).collect();
                let sum: f64 = neighbours.iter().map(|other| middles[*other]).sum();
                match neighbours.len() {
                    0 => (middles[*vertex], 0.1),
                    count => (sum / count as f64, count as f64),
                }
            };
            let wishes: Vec<(f64, f64)> = column.iter().map(wish).collect();
            let distances: Vec<f64> = column.windows(2).map(|pair| distance(pair[0], pair[1])).collect();
            for (vertex, y) in column.iter().zip(spread(&wishes, &distances)) {
                middles[*vertex] = y;
            }
        }
    }
    let top = |vertex: usize| middles[vertex] - height_of(columns.vertices[vertex]) / 2.0;
    let first = (0..middles.len()).map(top).fold(f64::INFINITY, f64::min);
    middles.iter().map(|middle| middle - first).collect()
}

/// Positions as near to the wishes as the minimum distances between neighbours allow. Solves the least-squares problem
/// of `(place, weight)` by pooling neighbours that want to be too close ("pool adjacent violators").
fn spread(wishes: &[(f64, f64)], distances: &[f64]) -> Vec<f64> {
    let mut offset = 0.0;
    let mut offsets = vec![0.0; wishes.len()];
    for (at, distance) in distances.iter().enumerate() {
        offset += distance;
        offsets[at + 1] = offset;
    }
    // Each pool: sum of weighted wishes, sum of weights, number of members.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for ((wish, weight), offset) in wishes.iter().zip(&offsets) {
        let mut pool = ((wish - offset) * weight, *weight, 1);
        while let Some(above) = pools.last().filter(|above| above.0 / above.1 > pool.0 / pool.1) {
            pool = (pool.0 + above.0, pool.1 + above.1, pool.2 + above.2);
            pools.pop();
        }
        pools.push(pool);
    }
    let places = pools.iter().flat_map(|(sum, weight, count)| std::iter::repeat_n(sum / weight, *count));
    places.zip(offsets).map(|(place, offset)| place + offset).collect()
}

/// Where lines touch the sides of boxes: distributed over the side in the order of their other ends, so that they do
/// not cross there.
struct Ports {
    /// Vertical position of the left end of each line.
    first: Vec<f64>,
    /// Vertical position of the right end of each line.
    last: Vec<f64>,
}

impl Ports {
    fn of(columns: &Columns, middles: &[f64], x: &[f64]) -> Self {
        // For each side of a box: the height at the other end of the line, the line, and whether this is its left end.
        let mut right: Vec<Vec<(f64, usize, bool)>> = vec![Vec::new(); columns.vertices.len()];
        let mut left: Vec<Vec<(f64, usize, bool)>> = vec![Vec::new(); columns.vertices.len()];
        for (edge, (way, _)) in columns.ways.iter().enumerate() {
            let (first, last) = (way[0], way[way.len() - 1]);
            right[first].push((middles[way[1]], edge, true));
            let side = if x[first] < x[last] { &mut left } else { &mut right };
            side[last].push((middles[way[way.len() - 2]], edge, false));
        }
        let mut ports = Self { first: vec![0.0; columns.ways.len()], last: vec![0.0; columns.ways.len()] };
        for sides in [&mut left, &mut right] {
            for (vertex, side) in sides.iter_mut().enumerate() {
                side.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let step = BOX_HEIGHT / (side.len() + 1) as f64;
                for (at, (_, edge, is_first)) in side.iter().enumerate() {
                    let ends = if *is_first { &mut ports.first } else { &mut ports.last };
                    ends[*edge] = middles[vertex] - BOX_HEIGHT / 2.0 + step * (at + 1) as f64;
                }
            }
        }
        ports
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlaps(a: (f64, f64), b: (f64, f64)) -> bool {
        a.0 < b.0 + BOX_WIDTH && b.0 < a.0 + BOX_WIDTH && a.1 < b.1 + BOX_HEIGHT && b.1 < a.1 + BOX_HEIGHT
    }

    #[test]
    fn a_chain_is_a_straight_row() {
        let drawing = layout(3, &[(0, 1), (1, 2)]);
        let step = BOX_WIDTH + COLUMN_GAP;
        assert_eq!(drawing.boxes, [(0.0, 0.0), (step, 0.0), (2.0 * step, 0.0)]);
        assert_eq!(drawing.lines[0], [(BOX_WIDTH, BOX_HEIGHT / 2.0), (step, BOX_HEIGHT / 2.0)]);
    }

    #[test]
    fn nothing_is_a_drawing_too() {
        assert_eq!((layout(0, &[]).width, layout(0, &[]).height), (0.0, 0.0));
        assert_eq!(layout(1, &[]).height, BOX_HEIGHT);
    }

    #[test]
    fn a_hub_stands_in_the_middle_of_its_leaves() {
        let drawing = layout(4, &[(0, 1), (0, 2), (0, 3)]);
        assert_eq!(drawing.boxes[0].1, drawing.boxes[2].1);
    }

    #[test]
    fn places_are_spread_by_distances() {
        assert_eq!(spread(&[(0.0, 1.0), (0.0, 1.0)], &[10.0]), [-5.0, 5.0]);
        assert_eq!(spread(&[(0.0, 1.0), (50.0, 1.0)], &[10.0]), [0.0, 50.0]);
        assert_eq!(spread(&[(0.0, 3.0), (0.0, 1.0)], &[8.0]), [-2.0, 6.0]);
    }

    proptest::proptest! {
        #[test]
        fn boxes_never_overlap_and_equal_graphs_are_drawn_alike(
            edges in proptest::collection::vec((0_usize..16, 0_usize..16), 0..40)
        ) {
            let edges: Vec<_> = edges.into_iter().filter(|(from, to)| from != to).collect();
            let drawing = layout(16, &edges);
            for (at, one) in drawing.boxes.iter().enumerate() {
                proptest::prop_assert!(one.0 >= 0.0 && one.1 >= -1e-6);
                proptest::prop_assert!(one.0 + BOX_WIDTH <= drawing.width + 1e-6);
                proptest::prop_assert!(one.1 + BOX_HEIGHT <= drawing.height + 1e-6);
                for other in &drawing.boxes[..at] {
                    let other = (other.0 + 1e-6, other.1 + 1e-6);
                    proptest::prop_assert!(!overlaps((one.0, one.1), other) || !overlaps(*one, (other.0 - 2e-6, other.1 - 2e-6)));
                }
            }
            proptest::prop_assert_eq!(drawing, layout(16, &edges));
        }
    }
}
