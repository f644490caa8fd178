//! The files of an answer and what connects them, cut to what can be drawn.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::AnswerLimits;
use crate::answer::{
    ChangedFile, Dependent, ExpectedFile, GraphEdge, GraphNode, GraphRole, ImpactGraph, TestChoice,
    TransitiveDependent, TruncatedList,
};

/// Most files that are only expected to change, none of whose edges is of the code.
const EXPECTED: usize = 10;

/// The graph of an answer: nodes by (role, strength, path), edges between these, each list cut with a word in `cuts`.
#[expect(clippy::too_many_arguments, reason = "each is another list of the answer that is being made")]
pub(crate) fn network(
    changed: &[ChangedFile],
    direct: &[Dependent],
    transitive: &[TransitiveDependent],
    expected: &[ExpectedFile],
    missing: &[ExpectedFile],
    tests: &[TestChoice],
    edges: Vec<GraphEdge>,
    most: &AnswerLimits,
    cuts: &mut Vec<TruncatedList>,
) -> ImpactGraph {
    let mut nodes: Vec<(String, GraphRole, u32, f64)> = Vec::new();
    let mut add = |path: &str, role, depth, strength| nodes.push((path.to_owned(), role, depth, strength));
    changed.iter().for_each(|file| add(&file.path, GraphRole::Changed, 0, 1.0));
    missing.iter().for_each(|file| add(&file.path, GraphRole::Missing, 1, file.probability));
    for file in direct {
        let role = if file.test { GraphRole::Test } else { GraphRole::Dependent };
        add(&file.path, role, 1, file.probability);
    }
    tests.iter().filter(|test| test.selected).for_each(|test| add(&test.path, GraphRole::Test, 1, test.probability));
    for file in transitive {
        let role = if file.test { GraphRole::Test } else { GraphRole::Transitive };
        add(&file.path, role, file.depth, file.probability);
    }
    expected.iter().take(EXPECTED).for_each(|file| add(&file.path, GraphRole::Expected, 1, file.probability));
    // Of a file with several roles the first holds.
    let mut first: BTreeMap<String, (GraphRole, u32, f64)> = BTreeMap::new();
    for (path, role, depth, strength) in nodes {
        let entry = first.entry(path).or_insert((role, depth, strength));
        *entry = (entry.0.min(role), entry.1.min(depth), entry.2.max(strength));
    }
    let mut nodes: Vec<(String, (GraphRole, u32, f64))> = first.into_iter().collect();
    let is_changed = |role: GraphRole| role == GraphRole::Changed || role == GraphRole::Missing;
    let tied: HashSet<&str> = edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]).collect();
    nodes.sort_by(|(path, one), (other_path, other)| {
        let changed_first = is_changed(other.0).cmp(&is_changed(one.0)).then(other.2.total_cmp(&one.2));
        let tied_first = || tied.contains(other_path.as_str()).cmp(&tied.contains(path.as_str()));
        changed_first.then(one.0.cmp(&other.0)).then_with(tied_first).then_with(|| path.cmp(other_path))
    });
    // A large change is cut to the changed files that have connections, so that there is room for the connected files
    // too.
    let changed = nodes.partition_point(|(_, node)| is_changed(node.0));
    let others = nodes.len() - changed;
    let room = most.nodes.saturating_sub(others).max(most.nodes / 2);
    if changed > room && nodes.len() > most.nodes {
        nodes[room..].rotate_left(changed - room);
    }
    if nodes.len() > most.nodes {
        cuts.push(TruncatedList { list: "graph.nodes", shown: most.nodes as u64, total: nodes.len() as u64 });
        nodes.truncate(most.nodes);
    }
    let labels = labels(nodes.iter().map(|(path, _)| path.as_str()));
    let known: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, (path, _))| (path.as_str(), at)).collect();
    let mut edges: Vec<GraphEdge> = edges
        .into_iter()
        .filter(|edge| known.contains_key(edge.from.as_str()) && known.contains_key(edge.to.as_str()))
        .collect();
    edges.sort_by(|one, other| {
        let near = |edge: &GraphEdge| known[edge.from.as_str()].max(known[edge.to.as_str()]);
        (near(one), one.kind, &one.from, &one.to).cmp(&(near(other), other.kind, &other.from, &other.to))
    });
    edges.dedup_by(|one, other| (&one.from, &one.to, one.kind) == (&other.from, &other.to, other.kind));
    if edges.len() > most.edges {
        cuts.push(TruncatedList { list: "graph.edges", shown: most.edges as u64, total: edges.len() as u64 });
        edges.truncate(most.edges);
    }
    let nodes = nodes.into_iter().zip(labels).map(|((path, (role, depth, strength)), label)| GraphNode {
        path,
        label,
        role,
        depth,
        strength,
    });
    ImpactGraph { nodes: nodes.collect(), edges }
}

/// For each path the shortest ending, in whole components, that no other has.
pub(crate) fn labels<'a>(paths: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let mut ends: HashMap<&str, u32> = HashMap::new();
    for path in paths.clone() {
        endings(path).for_each(|end| *ends.entry(end).or_default() += 1);
    }
    paths.map(|path| endings(path).find(|end| ends[end] == 1).unwrap_or(path).to_owned()).collect()
}

/// Endings of a path in whole components, shortest first, the path itself last.
fn endings(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').map(|(at, _)| &path[at + 1..]).chain([path])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_the_shortest_ending_that_no_other_path_has() {
        let paths = ["a/index.ts", "b/index.ts", "x/a/index.ts", "index.ts", "src/main.rs"];
        assert_eq!(labels(paths.into_iter()), ["a/index.ts", "b/index.ts", "x/a/index.ts", "index.ts", "main.rs"]);
        let five = ["p/q/index.ts", "q/index.ts", "r/index.ts", "p/r/index.ts", "p/q/x/index.ts"];
        assert_eq!(
            labels(five.into_iter()),
            ["p/q/index.ts", "q/index.ts", "r/index.ts", "p/r/index.ts", "x/index.ts"]
        );
    }
}
