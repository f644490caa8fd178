//! Exports a memoir as a directed graph for Graphviz.

use std::collections::HashMap;

use super::page::colour;
use super::text::{cut, dot as quoted, one_line};
use crate::memoir::MemoirGraph;

/// Longest definition in a tooltip, in columns.
const TOOLTIP_COLUMNS: usize = 240;

pub(super) fn dot(graph: &MemoirGraph) -> String {
    let mut file = format!("digraph {} {{\n", quoted(&graph.memoir.name));
    file.push_str("  rankdir=LR;\n  node [shape=box, style=rounded];\n");
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (number, concept) in graph.concepts.iter().enumerate() {
        numbers.insert(&concept.name, number);
        let tooltip = cut(&one_line(&concept.definition), TOOLTIP_COLUMNS);
        file.push_str(&format!("  n{number} [label={}, tooltip={}];\n", quoted(&concept.name), quoted(&tooltip)));
    }
    for link in &graph.links {
        let (Some(from), Some(to)) = (numbers.get(link.from.as_str()), numbers.get(link.to.as_str())) else { continue };
        let (relation, colour) = (link.relation.name(), colour(link.relation));
        file.push_str(&format!("  n{from} -> n{to} [label=\"{relation}\", color=\"{colour}\"];\n"));
    }
    file.push_str("}\n");
    file
}
