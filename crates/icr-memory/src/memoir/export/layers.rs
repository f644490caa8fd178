//! Arranges the nodes of a graph in columns, so that edges are short and few cross.
//!
//! Edges lead to the right if that takes few columns. Otherwise each column holds the nodes of equal distance from the
//! middle of the graph, because nobody can read a drawing that is many screens wide.

use std::collections::VecDeque;

/// If a column has more nodes than this, some move to the next column where no edge prevents it. This is how many a
/// screen shows.
const COLUMN_NODES_MOST: usize = 14;

/// Edges lead to the right if this many columns suffice: as many as two screens show.
const DIRECTED_COLUMNS_MOST: usize = 8;

/// Number of passes that improve the order within columns. More passes change little (Gansner, Koutsofios, North and
/// Vo, 1993, use at most 24).
const SWEEPS: usize = 16;

/// A vertex of a column: a node, or a point where an edge passes through the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vertex {
    /// The node with this number.
    Node(usize),
    /// A point of the edge with this number.
    Edge(usize),
}

/// A graph arranged in columns.
#[derive(Debug)]
pub(super) struct Columns {
    /// The vertices of each column, from top to bottom.
    pub(super) columns: Vec<Vec<usize>>,
    /// All vertices.
    pub(super) vertices: Vec<Vertex>,
    /// For each vertex, its neighbours in the column to the left.
    pub(super) left: Vec<Vec<usize>>,
    /// For each vertex, its neighbours in the column to the right.
    pub(super) right: Vec<Vec<usize>>,
    /// For each edge, the vertices that it passes from left to right, both ends included, and whether it leads to the
    /// left. An edge within a column has only its two ends.
    pub(super) ways: Vec<(Vec<usize>, bool)>,
}

impl Columns {
    /// Arranges a graph of `count` nodes. No edge may lead from a node to itself.
    pub(super) fn of(count: usize, edges: &[(usize, usize)]) -> Self {
        let column = columns_of_nodes(count, edges);
        let width = column.iter().max().map_or(0, |last| last + 1);
        let mut columns = Self {
            columns: vec![Vec::new(); width],
            vertices: (0..count).map(Vertex::Node).collect(),
            left: vec![Vec::new(); count],
            right: vec![Vec::new(); count],
            ways: Vec::with_capacity(edges.len()),
        };
        for (node, column) in column.iter().enumerate() {
            columns.columns[*column].push(node);
        }
        for (edge, &(from, to)) in edges.iter().enumerate() {
            let is_flipped = column[from] > column[to];
            let (from, to) = if is_flipped { (to, from) } else { (from, to) };
            if column[from] == column[to] {
                columns.ways.push((vec![from, to], false));
                continue;
            }
            let mut way = vec![from];
            for column in column[from] + 1..column[to] {
                way.push(columns.add(Vertex::Edge(edge), column));
            }
            way.push(to);
            for pair in way.windows(2) {
                columns.right[pair[0]].push(pair[1]);
                columns.left[pair[1]].push(pair[0]);
            }
            columns.ways.push((way, is_flipped));
        }
        columns.untangle();
        columns
    }

    fn add(&mut self, vertex: Vertex, column: usize) -> usize {
        let at = self.vertices.len();
        self.vertices.push(vertex);
        self.left.push(Vec::new());
        self.right.push(Vec::new());
        self.columns[column].push(at);
        at
    }

    /// Orders each column by the places of its neighbours, in passes to the right and to the left, and keeps the order
    /// with the fewest crossings.
    fn untangle(&mut self) {
        let mut best = (self.crossings(), self.columns.clone());
        for sweep in 0..SWEEPS {
            let to_right = sweep % 2 == 0;
            for step in 1..self.columns.len() {
                let column = if to_right { step } else { self.columns.len() - 1 - step };
                self.order_column(column, to_right);
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.columns.clone());
            }
            if best.0 == 0 {
                break;
            }
        }
        self.columns = best.1;
    }

    fn order_column(&mut self, column: usize, by_left: bool) {
        let place = self.places();
        let neighbours = if by_left { &self.left } else { &self.right };
        let wish = |vertex: usize| match neighbours[vertex].as_slice() {
            [] => place[vertex] as f64,
            all => all.iter().map(|other| place[*other] as f64).sum::<f64>() / all.len() as f64,
        };
        let mut wishes: Vec<(f64, usize, usize)> =
            self.columns[column].iter().map(|vertex| (wish(*vertex), place[*vertex], *vertex)).collect();
        wishes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.columns[column] = wishes.into_iter().map(|(_, _, vertex)| vertex).collect();
    }

    /// The index of each vertex in its column.
    fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.vertices.len()];
        for column in &self.columns {
            for (place, vertex) in column.iter().enumerate() {
                places[*vertex] = place;
            }
        }
        places
    }

    /// Number of crossing pairs of edges. Time grows with the number of edges times the logarithm of the column's size.
    fn crossings(&self) -> u64 {
        let places = self.places();
        let mut crossings = 0;
        for pair in self.columns.windows(2) {
            // A Fenwick tree: how many edges end at each place of the right column or above it.
            let mut ended = vec![0_u64; pair[1].len() + 1];
            let mut total = 0;
            for vertex in &pair[0] {
                let mut ends: Vec<usize> = self.right[*vertex].iter().map(|end| places[*end]).collect();
                ends.sort_unstable();
                for end in &ends {
                    let mut at = end + 1;
                    let mut not_below = 0;
                    while at > 0 {
                        not_below += ended[at];
                        at &= at - 1;
                    }
                    crossings += total - not_below;
                }
                for end in ends {
                    let mut at = end + 1;
                    while at < ended.len() {
                        ended[at] += 1;
                        at += at & at.wrapping_neg();
                    }
                    total += 1;
                }
            }
        }
        crossings
    }
}

/// The column of each node.
fn columns_of_nodes(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let width = |column: &[usize]| column.iter().max().map_or(0, |last| last + 1);
    let is_flipped = flipped(count, edges);
    let forward: Vec<(usize, usize)> =
        edges.iter().zip(&is_flipped).map(|(&(from, to), flip)| if *flip { (to, from) } else { (from, to) }).collect();
    let directed = shorten_columns(column_of(count, &forward), &forward);
    if width(&directed) <= DIRECTED_COLUMNS_MOST {
        return directed;
    }
    let distance = distances_from_middle(count, edges);
    let outward: Vec<(usize, usize)> = edges
        .iter()
        .filter(|(from, to)| distance[*from] != distance[*to])
        .map(|&(from, to)| if distance[from] < distance[to] { (from, to) } else { (to, from) })
        .collect();
    let around = shorten_columns(distance, &outward);
    if width(&around) < width(&directed) { around } else { directed }
}

/// The distance of each node from the middle, in edges. The middle is the node whose farthest node is nearest; among
/// equal ones, the one with the most edges. Time grows with nodes times edges.
fn distances_from_middle(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in edges {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    let from = |start: usize| {
        let mut distance = vec![usize::MAX; count];
        distance[start] = 0;
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &next in &neighbours[node] {
                if distance[next] == usize::MAX {
                    distance[next] = distance[node] + 1;
                    queue.push_back(next);
                }
            }
        }
        // All nodes are connected here; an unconnected node would be placed with the middle.
        distance.into_iter().map(|far| if far == usize::MAX { 0 } else { far }).collect::<Vec<_>>()
    };
    let middle = (0..count).min_by_key(|node| {
        let farthest = from(*node).into_iter().max().unwrap_or_default();
        (farthest, std::cmp::Reverse(neighbours[*node].len()))
    });
    middle.map(from).unwrap_or_default()
}

/// Which edges must lead to the left because they close a cycle: those back to a node on the current path of a
/// depth-first search.
fn flipped(count: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut from: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut balance = vec![0_i64; count];
    for (edge, &(source, target)) in edges.iter().enumerate() {
        from[source].push(edge);
        balance[source] += 1;
        balance[target] -= 1;
    }
    let mut is_target = vec![false; count];
    for &(_, target) in edges {
        is_target[target] = true;
    }
    let mut starts: Vec<usize> = (0..count).collect();
    starts.sort_by_key(|node| (is_target[*node], -balance[*node]));
    let mut is_flipped = vec![false; edges.len()];
    let (mut is_seen, mut is_open) = (vec![false; count], vec![false; count]);
    for start in starts {
        if std::mem::replace(&mut is_seen[start], true) {
            continue;
        }
        is_open[start] = true;
        let mut way = vec![(start, 0)];
        while let Some((node, followed)) = way.last_mut() {
            let node = *node;
            let Some(&edge) = from[node].get(*followed) else {
                is_open[node] = false;
                way.pop();
                continue;
            };
            *followed += 1;
            let target = edges[edge].1;
            if is_open[target] {
                is_flipped[edge] = true;
            } else if !std::mem::replace(&mut is_seen[target], true) {
                is_open[target] = true;
                way.push((target, 0));
            }
        }
    }
    is_flipped
}

/// The column of each node if every edge leads to the right. A node is placed as far to the left as its edges allow; a
/// node without incoming edges is placed directly before its first target.
fn column_of(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut waits = vec![0_usize; count];
    for &(from, to) in edges {
        targets[from].push(to);
        waits[to] += 1;
    }
    let is_start: Vec<bool> = waits.iter().map(|edges| *edges == 0).collect();
    let mut column = vec![0_usize; count];
    let mut queue: VecDeque<usize> = (0..count).filter(|node| waits[*node] == 0).collect();
    while let Some(node) = queue.pop_front() {
        for &target in &targets[node] {
            column[target] = column[target].max(column[node] + 1);
            waits[target] -= 1;
            if waits[target] == 0 {
                queue.push_back(target);
            }
        }
    }
    for node in (0..count).filter(|node| is_start[*node]) {
        if let Some(first) = targets[node].iter().map(|target| column[*target]).min() {
            column[node] = first.saturating_sub(1);
        }
    }
    column
}

/// Moves nodes of long columns to the next column if they have no edge to the right, and then to the previous column if
/// they have no edge from the left.
fn shorten_columns(column: Vec<usize>, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut is_end = vec![true; column.len()];
    let mut is_start = vec![true; column.len()];
    for &(from, to) in edges {
        is_end[from] = false;
        is_start[to] = false;
    }
    // Moving start nodes can create columns to the left of the first one, so all columns are shifted to the right
    // before.
    let shift = column.len();
    let mut column: Vec<usize> = column.into_iter().map(|column| column + shift).collect();
    let mut at = shift;
    while at <= column.iter().copied().max().unwrap_or_default() {
        let members: Vec<usize> = (0..column.len()).filter(|node| column[*node] == at).collect();
        let too_many = members.len().saturating_sub(COLUMN_NODES_MOST);
        for node in members.iter().filter(|node| is_end[**node]).rev().take(too_many) {
            column[*node] += 1;
        }
        at += 1;
    }
    while at > 0 && at >= column.iter().copied().min().unwrap_or_default() {
        let members: Vec<usize> = (0..column.len()).filter(|node| column[*node] == at).collect();
        let too_many = members.len().saturating_sub(COLUMN_NODES_MOST);
        for node in members.iter().filter(|node| is_start[**node]).rev().take(too_many) {
            column[*node] -= 1;
        }
        at -= 1;
    }
    let first = column.iter().copied().min().unwrap_or_default();
    column.into_iter().map(|column| column - first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns_of(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let columns = Columns::of(count, edges);
        let is_node = |vertex: &usize| matches!(columns.vertices[*vertex], Vertex::Node(_));
        columns.columns.iter().map(|column| column.iter().copied().filter(is_node).collect()).collect()
    }

    #[test]
    fn edges_lead_to_the_right_and_cycles_back_once() {
        assert_eq!(columns_of(3, &[(0, 1), (1, 2)]), [[0], [1], [2]]);
        assert_eq!(columns_of(3, &[(0, 1), (1, 2), (2, 0)]), [[0], [1], [2]]);
        let columns = Columns::of(3, &[(0, 1), (1, 2), (2, 0)]);
        assert_eq!(columns.ways.iter().map(|way| way.1).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(columns.ways[2].0.len(), 3, "the edge back passes a column");
    }

    #[test]
    fn what_nothing_leads_to_stands_before_what_it_leads_to() {
        assert_eq!(columns_of(4, &[(0, 1), (1, 2), (3, 2)]), [vec![0], vec![1, 3], vec![2]]);
    }

    #[test]
    fn crossings_are_taken_out() {
        let columns = Columns::of(4, &[(0, 3), (1, 2)]);
        assert_eq!(columns.crossings(), 0);
        let complete = Columns::of(4, &[(0, 2), (0, 3), (1, 2), (1, 3)]);
        assert_eq!(complete.crossings(), 1);
    }

    #[test]
    fn a_star_does_not_make_one_long_column() {
        let to: Vec<(usize, usize)> = (1..41).map(|leaf| (0, leaf)).collect();
        let lengths: Vec<usize> = columns_of(41, &to).iter().map(Vec::len).collect();
        assert_eq!(lengths, [1, 14, 14, 12]);
        let from: Vec<(usize, usize)> = (1..41).map(|leaf| (leaf, 0)).collect();
        let lengths: Vec<usize> = columns_of(41, &from).iter().map(Vec::len).collect();
        assert_eq!(lengths, [12, 14, 14, 1]);
    }

    #[test]
    fn a_long_graph_is_drawn_around_its_middle() {
        let chain: Vec<(usize, usize)> = (1..15).map(|at| (at - 1, at)).collect();
        let columns = columns_of(15, &chain);
        assert_eq!((columns.len(), columns[0].as_slice(), columns[7].len()), (8, &[7][..], 2));
        let ring: Vec<(usize, usize)> = (0..15).map(|at| (at, (at + 1) % 15)).collect();
        let columns = Columns::of(15, &ring);
        let within = columns.ways.iter().filter(|(way, _)| way.len() == 2 && columns.right[way[0]].is_empty());
        assert_eq!((columns.columns.len(), within.count()), (8, 1), "the farthest two are in one column");
    }

    proptest::proptest! {
        #[test]
        fn any_graph_has_columns(edges in proptest::collection::vec((0_usize..12, 0_usize..12), 0..40)) {
            let edges: Vec<_> = edges.into_iter().filter(|(from, to)| from != to).collect();
            let columns = Columns::of(12, &edges);
            let mut nodes: Vec<usize> = columns.columns.concat();
            nodes.sort_unstable();
            proptest::prop_assert_eq!(nodes, (0..columns.vertices.len()).collect::<Vec<_>>());
            let column_of = |vertex: usize| columns.columns.iter().position(|column| column.contains(&vertex)).unwrap();
            for ((way, is_flipped), (from, to)) in columns.ways.iter().zip(edges) {
                let ends = if *is_flipped { (to, from) } else { (from, to) };
                proptest::prop_assert_eq!((way[0], way[way.len() - 1]), ends);
                let is_within = way.len() == 2 && column_of(way[0]) == column_of(way[1]);
                for pair in way.windows(2) {
                    proptest::prop_assert!(is_within || column_of(pair[0]) + 1 == column_of(pair[1]));
                }
            }
        }
    }
}
