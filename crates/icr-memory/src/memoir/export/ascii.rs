//! A memoir for terminals: a tree of its links, then its definitions.

use std::collections::{HashMap, HashSet, VecDeque};

use super::text::{columns, cut, one_line, wrapped};
use crate::memoir::{Concept, Label, MemoirGraph, NamedLink};

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// Links from a root of the tree down to its deepest leaf; deeper concepts are roots of their own, so that lines stay short.
const DEPTH_MOST: usize = 8;

/// Fewest columns of a name that says something.
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

/// Concepts below those that link to them. Each is opened once; elsewhere a mark says where it is.
struct Tree<'a> {
    links: HashMap<&'a str, Vec<&'a NamedLink>>,
    roots: VecDeque<&'a str>,
    /// Concepts that have a place already.
    placed: HashSet<&'a str>,
    lines: Vec<String>,
}

impl<'a> Tree<'a> {
    /// Roots are the concepts that nothing links to, then one of each cycle. Concepts without any link are left to the definitions.
    fn of(graph: &'a MemoirGraph) -> Self {
        let mut links: HashMap<&str, Vec<&NamedLink>> = HashMap::new();
        for link in &graph.links {
            links.entry(&link.from).or_default().push(link);
        }
        let targets: HashSet<&str> = graph.links.iter().map(|link| link.to.as_str()).collect();
        let sources =
            graph.concepts.iter().map(|concept| concept.name.as_str()).filter(|name| links.contains_key(name));
        let (low, roots): (Vec<&str>, Vec<&str>) = sources.partition(|name| targets.contains(name));
        let roots = roots.into_iter().chain(low).collect();
        Self { links, roots, placed: HashSet::new(), lines: Vec::new() }
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
        let links = self.links.get(name).cloned().unwrap_or_default();
        let last = links.len().saturating_sub(1);
        for (at, link) in links.into_iter().enumerate() {
            let has_links = self.links.contains_key(link.to.as_str());
            let is_placed = has_links && self.placed.contains(link.to.as_str());
            let is_too_deep = has_links && !is_placed && depth + 1 >= DEPTH_MOST;
            let mark = match (is_placed, is_too_deep) {
                (true, _) => " (above)",
                (_, true) => " (below)",
                _ => "",
            };
            let (branch, bar) = if at == last { ("`-", "   ") } else { ("|-", "|  ") };
            let start = format!("{indent}{branch} {} -> ", link.relation.name());
            let room = COLUMNS.saturating_sub(columns(&start) + mark.len()).max(NAME_COLUMNS_LEAST);
            self.lines.push(format!("{start}{}{mark}", cut(&one_line(&link.to), room)));
            if is_too_deep {
                self.roots.push_front(&link.to);
            } else if has_links && !is_placed {
                self.placed.insert(&link.to);
                self.open(&link.to, &format!("{indent}{bar}"), depth + 1);
            }
        }
    }
}
