//! A graph that fits into Markdown.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::visible_text::{elide_middle, visible};
use super::words::{format_count, not_looked_into};
use crate::{GraphEdge, GraphEdgeKind, GraphNode, GraphRole, Impact};

/// More nodes than this cannot be read in a comment. One of them says what was left out.
const MAX_NODES: usize = 40;

/// More edges than this cross too often to be followed.
const MAX_EDGES: usize = 60;

/// Files of the change that are drawn while there are others to draw.
const MAX_CHANGED: usize = 20;

/// Longest label, in characters.
const MAX_LABEL: usize = 60;

/// A left-to-right flowchart of at most 40 nodes and 60 edges: missing files first, then files of the change that are
/// connected to others, then the others by strength. Empty when there is nothing to draw.
pub fn mermaid(impact: &Impact) -> String {
    let graph = &impact.graph;
    if graph.nodes.is_empty() && impact.incomplete.is_empty() {
        return String::new();
    }
    let nodes = select_nodes(impact);
    let ids: HashMap<&str, usize> = (1..).zip(&nodes).map(|(id, node)| (node.path.as_str(), id)).collect();
    let drawable = graph.edges.iter().filter(is_drawable);
    let edges = drawable.filter_map(|edge| Some((*ids.get(edge.from.as_str())?, *ids.get(edge.to.as_str())?, edge)));
    let mut text = "flowchart LR\n".to_owned();
    for (id, node) in (1..).zip(&nodes) {
        writeln!(text, "  n{id}[\"{}\"]:::{}", escaped(&node.label), class(node.role))
            .expect("a string takes any text");
    }
    let mut edges_drawn = 0;
    for (from, to, edge) in edges.take(MAX_EDGES) {
        writeln!(text, "  n{from} {} n{to}", arrow(edge)).expect("a string takes any text");
        edges_drawn += 1;
    }
    let nodes_left_out = graph.nodes.len() - nodes.len();
    let edges_left_out = graph.edges.iter().filter(is_drawable).count() - edges_drawn;
    if nodes_left_out > 0 || edges_left_out > 0 {
        let files = format_count(nodes_left_out as u64, "more file");
        let words = format!("{files} and {}", format_count(edges_left_out as u64, "more connection"));
        writeln!(text, "  note[\"{words}\"]:::note").expect("a string takes any text");
    }
    for row in not_looked_into(impact, MAX_NODES) {
        writeln!(text, "  %% not looked into: {}", escaped(&row)).expect("a string takes any text");
    }
    text.push_str(CLASSES);
    text
}

/// Borders only: fills would have to suit both the dark and the light theme.
const CLASSES: &str = "  classDef changed stroke:#1f6feb,stroke-width:3px
  classDef missing stroke:#d1242f,stroke-width:3px,stroke-dasharray:6 3
  classDef test stroke:#1a7f37
  classDef dependent stroke:#bf8700
  classDef transitive stroke:#818b98
  classDef expected stroke:#818b98,stroke-dasharray:3 3
  classDef note stroke-width:0px
";

fn class(role: GraphRole) -> &'static str {
    match role {
        GraphRole::Changed => "changed",
        GraphRole::Missing => "missing",
        GraphRole::Test => "test",
        GraphRole::Dependent => "dependent",
        GraphRole::Transitive => "transitive",
        GraphRole::Expected => "expected",
    }
}

/// The nodes to draw, in the order of the answer.
fn select_nodes(impact: &Impact) -> Vec<&GraphNode> {
    let graph = &impact.graph;
    let is_cut = graph.nodes.len() > MAX_NODES || graph.edges.iter().filter(is_drawable).count() > MAX_EDGES;
    let room = if is_cut { MAX_NODES - 1 } else { MAX_NODES };
    let connected: HashSet<&str> =
        graph.edges.iter().filter(is_drawable).flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]).collect();
    let mut order: Vec<usize> = (0..graph.nodes.len()).collect();
    let mut changed = 0;
    let ranks: Vec<u8> = graph
        .nodes
        .iter()
        .map(|node| match node.role {
            GraphRole::Missing => 0,
            GraphRole::Changed if connected.contains(node.path.as_str()) => {
                changed += 1;
                if changed <= MAX_CHANGED { 1 } else { 3 }
            }
            GraphRole::Changed => 3,
            _ => 2,
        })
        .collect();
    order.sort_by_key(|at| (ranks[*at], *at));
    order.truncate(room);
    order.sort_unstable();
    order.into_iter().map(|at| &graph.nodes[at]).collect()
}

fn is_drawable(edge: &&GraphEdge) -> bool {
    edge.from != edge.to
}

fn arrow(edge: &GraphEdge) -> String {
    let count = if edge.count > 1 { format!("|\"{}\"|", edge.count) } else { String::new() };
    match edge.kind {
        GraphEdgeKind::Reference => format!("-->{count}"),
        GraphEdgeKind::Import => "-.->".to_owned(),
        GraphEdgeKind::Cochange => format!("-.-{count}"),
        GraphEdgeKind::Test => format!("==>{count}"),
    }
}

/// As a label in quotes, where Mermaid reads HTML, Markdown, and entities of the form `#35;`. Underscores inside words
/// stay, as they emphasise at the border of words only.
fn escaped(label: &str) -> String {
    let label: Vec<char> = elide_middle(&visible(label), MAX_LABEL).chars().collect();
    let is_letter = |at: usize| label.get(at).is_some_and(|character| character.is_alphanumeric());
    let mut escaped = String::new();
    for (at, character) in label.iter().enumerate() {
        let is_plain = match character {
            '/' => true,
            '_' => at > 0 && is_letter(at - 1) && is_letter(at + 1),
            // At the start of a label and before a blank these make a list.
            '-' | '.' => label.get(at + 1).is_some_and(|next| *next != ' '),
            ' ' => at > 0 && at + 1 < label.len(),
            character => !character.is_ascii() || character.is_ascii_alphanumeric(),
        };
        match character {
            _ if is_plain => escaped.push(*character),
            '"' => escaped.push_str("#quot;"),
            character => write!(escaped, "#{};", u32::from(*character)).expect("a string takes any text"),
        }
    }
    // A label of nothing at all is no label to the parser.
    if escaped.is_empty() { "#32;".to_owned() } else { escaped }
}
