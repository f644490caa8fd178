//! Exports a memoir for terminals: a tree of its links, then its definitions.

use std::collections::{HashMap, HashSet, VecDeque};

use super::text::{columns, cut, one_line, wrapped};
use crate::memoir::{Concept, Label, MemoirGraph, Relation};

/// Width of a terminal, in columns.
const COLUMNS: usize = 80;

/// Most links between a root of the tree and a leaf. Deeper concepts become roots of their own, so that lines stay
/// short.
const DEPTH_MOST: usize = 8;

/// Fewest columns of a name that is still readable.
const NAME_COLUMNS_LEAST: usize = 16;

pub(super) fn ascii(graph: &MemoirGraph) -> String {
    let counted = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let numbers = format!(": {}, {}", counted(graph.concepts.len(), "concept"), counted(graph.links.len(), "link"));
    let mut lines = vec![format!("{}{numbers}", cut(&one_line(&graph.memoir.name), COLUMNS - numbers.len()))];
    if !graph.memoir.description.trim().is_empty() {
        lines.extend(wrapped(&graph.memoir.description, COLUMNS));
    }
    if !graph.links.is_empty() {
        lines.push(String::new());
        lines.extend(Tree::of(graph).lines());
    }
    for concept in &graph.concepts {
        lines.push(String::new());
        lines.extend(definition(concept));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// `name (0.60, revision 2) [labels]`, and the definition below it.
fn definition(concept: &Concept) -> Vec<String> {
    let labels: Vec<&str> = concept.labels.iter().map(Label::as_str).collect();
    let labels = if labels.is_empty() { String::new() } else { format!(" [{}]", labels.join(", ")) };
    let facts = format!(" ({:.2}, revision {})", concept.confidence, concept.revision);
    let name = cut(&one_line(&concept.name), COLUMNS - facts.len());
    let mut lines = vec![cut(&one_line(&format!("{name}{facts}{labels}")), COLUMNS)];
    for paragraph in concept.definition.lines().filter(|line| !line.trim().is_empty()) {
        lines.extend(wrapped(paragraph, COLUMNS - 4).into_iter().map(|line| format!("    {line}")));
    }
    lines
}

/// A line of the tree: a link and the concept below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Branch<'a> {
    /// Whether the concept above is the source of the link. Parts and examples are placed below the concept that they
    /// belong to.
    is_source: bool,
    name: &'a str,
    relation: Relation,
    /// Whether this is the place of the concept, so that its own branches follow.
    is_place: bool,
}

/// The tree. Parts are placed below their whole; concepts without such links are placed below the source of another
/// link. Each concept is expanded once; at other places a mark tells where.
struct Tree<'a> {
    branches: HashMap<&'a str, Vec<Branch<'a>>>,
    roots: VecDeque<&'a str>,
    /// Concepts that already have a place.
    placed: HashSet<&'a str>,
    lines: Vec<String>,
}

impl<'a> Tree<'a> {
    /// Roots are first the concepts that are below no other, then one concept of each cycle. Concepts without a link
    /// are listed only with the definitions.
    fn of(graph: &'a MemoirGraph) -> Self {
        let hierarchical = graph.links.iter().filter(|link| link.relation.is_hierarchical());
        let in_hierarchy: HashSet<&str> =
            hierarchical.flat_map(|link| [link.from.as_str(), link.to.as_str()]).collect();
        let mut branches: HashMap<&str, Vec<Branch<'_>>> = HashMap::new();
        let mut low: HashSet<&str> = HashSet::new();
        for link in &graph.links {
            let is_source = !link.relation.is_hierarchical();
            let (above, name) = if is_source { (&link.from, &link.to) } else { (&link.to, &link.from) };
            let is_place = !is_source || !in_hierarchy.contains(name.as_str());
            branches.entry(above).or_default().push(Branch { is_source, name, relation: link.relation, is_place });
            if is_place {
                low.insert(name);
            }
        }
        branches.values_mut().for_each(|branches| branches.sort_unstable());
        let above =
            graph.concepts.iter().map(|concept| concept.name.as_str()).filter(|name| branches.contains_key(name));
        let (low, roots): (Vec<&str>, Vec<&str>) = above.partition(|name| low.contains(name));
        let roots = roots.into_iter().chain(low).collect();
        Self { branches, roots, placed: HashSet::new(), lines: Vec::new() }
    }

    fn lines(mut self) -> Vec<String> {
        while let Some(root) = self.roots.pop_front() {
            if self.placed.insert(root) {
                self.lines.push(cut(&one_line(root), COLUMNS));
                self.open(root, "", 0);
            }
        }
        self.lines
    }

    fn open(&mut self, name: &'a str, indent: &str, depth: usize) {
        let branches = self.branches.get(name).cloned().unwrap_or_default();
        let last = branches.len().saturating_sub(1);
        for (at, branch) in branches.into_iter().enumerate() {
            let has_branches = self.branches.contains_key(branch.name);
            let is_placed = has_branches && self.placed.contains(branch.name);
            let is_too_deep = has_branches && !is_placed && branch.is_place && depth + 1 >= DEPTH_MOST;
            let mark = match (is_placed, is_too_deep || !branch.is_place) {
                (true, _) => " (above)",
                (_, true) if has_branches => " (below)",
                _ => "",
            };
            let (corner, bar) = if at == last { ("`-", "   ") } else { ("|-", "|  ") };
            let arrow = if branch.is_source { "->" } else { "<-" };
            let start = format!("{indent}{corner} {} {arrow} ", branch.relation.name());
            let room = COLUMNS.saturating_sub(columns(&start) + mark.len()).max(NAME_COLUMNS_LEAST);
            self.lines.push(format!("{start}{}{mark}", cut(&one_line(branch.name), room)));
            if is_too_deep {
                self.roots.push_front(branch.name);
            } else if has_branches && !is_placed && branch.is_place {
                self.placed.insert(branch.name);
                self.open(branch.name, &format!("{indent}{bar}"), depth + 1);
            }
        }
    }
}
