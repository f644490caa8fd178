//! Graphviz.

use std::fmt::Write;

use super::visible_text::visible;
use super::words::not_looked_into;
use crate::{GraphEdge, GraphEdgeKind, GraphNode, GraphRole, Impact};

/// Files that were not looked into that comments list.
const MAX_LISTED: usize = 100;

/// A digraph of all nodes and edges of the answer. Node ids are paths; labels are short distinct names.
pub fn dot(impact: &Impact) -> String {
    let mut dot = "digraph impact {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, \
                   fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n"
        .to_owned();
    for node in &impact.graph.nodes {
        dot.push_str(&line_of_node(node));
    }
    for edge in &impact.graph.edges {
        dot.push_str(&line_of_edge(edge));
    }
    for cut in impact.cuts.iter().filter(|cut| cut.list.starts_with("graph")) {
        writeln!(dot, "  // `{}` shows {} of {}", cut.list, cut.shown, cut.total).expect("a string takes any text");
    }
    for row in not_looked_into(impact, MAX_LISTED) {
        writeln!(dot, "  // not looked into: {}", quoted(&row)).expect("a string takes any text");
    }
    dot.push_str("}\n");
    dot
}

fn line_of_node(node: &GraphNode) -> String {
    let style = match node.role {
        GraphRole::Changed => "fillcolor=\"#cfe2ff\", penwidth=2",
        GraphRole::Missing => "fillcolor=\"#ffd9d6\", style=\"rounded,filled,dashed\", penwidth=2",
        GraphRole::Test => "fillcolor=\"#d8f0d8\"",
        GraphRole::Dependent => "fillcolor=\"#fff1c2\"",
        GraphRole::Transitive => "fillcolor=\"#f7f7f7\"",
        GraphRole::Expected => "style=\"rounded,filled,dashed\"",
    };
    let path = quoted(&node.path);
    format!("  {path} [label={}, tooltip={path}, {style}];\n", quoted(&node.label))
}

fn line_of_edge(edge: &GraphEdge) -> String {
    let style = match edge.kind {
        GraphEdgeKind::Reference => "",
        GraphEdgeKind::Import => ", style=dashed",
        GraphEdgeKind::Cochange => ", style=dotted, dir=none",
        GraphEdgeKind::Test => ", color=\"#2e7d32\"",
    };
    let count = if edge.count > 1 { format!(", label=\"{}\"", edge.count) } else { String::new() };
    let (from, to) = (quoted(&edge.from), quoted(&edge.to));
    format!("  {from} -> {to} [tooltip={}{style}{count}];\n", quoted(&edge.label))
}

/// As a quoted id or label. Graphviz reads HTML entities in labels, and a backslash begins an escape.
fn quoted(text: &str) -> String {
    let text = visible(text).replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;");
    format!("\"{text}\"")
}
