//! Graphviz text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::escape::dot as quoted;
use super::{DependencyKind, FileGraph, Heading, Neighbour, Neighbourhood};

/// A digraph with a cluster for each list. There is one node per path, so a file that both imports the centre and is
/// imported by it appears once, in the first of its lists.
pub(super) fn neighbourhood(neighbourhood: &Neighbourhood) -> String {
    let mut lines = opening(&neighbourhood.heading);
    let centre = &neighbourhood.centre;
    lines.push(format!("  {} [style=\"rounded,filled,bold\"];", quoted(centre)));
    let mut drawn = BTreeSet::from([centre.as_str()]);
    let mut edges = BTreeSet::new();
    let lists = [
        ("importers", "Imported by", &neighbourhood.importers),
        ("imports", "Imports", &neighbourhood.imports),
        ("together", "Changed together", &neighbourhood.changed_together),
    ];
    for (id, label, list) in lists {
        lines.extend(cluster(id, label, list, &mut drawn));
        for neighbour in list {
            let near = neighbour.via.as_deref().or((neighbour.depth <= 1).then_some(centre.as_str()));
            let Some(near) = near else { continue };
            let kind = DependencyKind::of_labels(&neighbour.labels);
            edges.insert(match id {
                "importers" => (neighbour.path.as_str(), near, style(kind).to_owned()),
                "imports" => (near, neighbour.path.as_str(), style(kind).to_owned()),
                _ => (centre.as_str(), neighbour.path.as_str(), cochange_edge_attributes(neighbour)),
            });
        }
    }
    let links = neighbourhood
        .links
        .iter()
        .filter(|link| [&link.from, &link.to].into_iter().all(|path| drawn.contains(path.as_str())));
    edges.extend(links.map(|link| (link.from.as_str(), link.to.as_str(), style(link.kind).to_owned())));
    lines.extend(edges.into_iter().map(|(from, to, style)| format!("  {} -> {} [{style}];", quoted(from), quoted(to))));
    if let Some(truncated) = &neighbourhood.truncated {
        lines.push(format!("  // {}", comment(truncated)));
    }
    closed(lines)
}

/// A digraph of files with nested clusters for their directories. An edge has its count as a label if the count is at
/// least 2.
pub(super) fn graph(graph: &FileGraph) -> String {
    let mut lines = opening(&graph.heading);
    let mut directory = DirectoryTree::default();
    let named = graph.edges.iter().flat_map(|edge| [&edge.from, &edge.to]).map(|path| (path.as_str(), ""));
    let mut languages: BTreeMap<&str, &str> = named.collect();
    languages.extend(graph.nodes.iter().map(|node| (node.path.as_str(), node.language.as_str())));
    for (path, language) in &languages {
        directory.insert(path, path, language);
    }
    directory.write("", &mut lines);
    let mut counts: BTreeMap<(&str, &str, DependencyKind), u64> = BTreeMap::new();
    for edge in graph.edges.iter().filter(|edge| edge.from != edge.to) {
        *counts.entry((&edge.from, &edge.to, edge.kind)).or_default() += u64::from(edge.count);
    }
    for ((from, to, kind), count) in counts {
        let label = if count > 1 { format!(", label=\"{count}\"") } else { String::new() };
        lines.push(format!("  {} -> {} [{}{label}];", quoted(from), quoted(to), style(kind)));
    }
    closed(lines)
}

fn opening(heading: &Heading) -> Vec<String> {
    let mut lines = vec!["digraph icr {".to_owned()];
    lines.push(format!("  graph [rankdir=LR, fontname=\"Helvetica\", label={}];", quoted(&caption(heading))));
    lines.push("  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=10];".to_owned());
    lines.push("  edge [fontname=\"Helvetica\", fontsize=8];".to_owned());
    lines.extend(heading.gaps.iter().map(|gap| format!("  // {}", comment(gap))));
    lines
}

fn caption(heading: &Heading) -> String {
    let dirty = if heading.dirty { " with uncommitted changes" } else { "" };
    let commit = if heading.commit.is_empty() { String::new() } else { format!(" at {}", heading.commit) };
    format!("{} · {}{commit}{dirty}", heading.title, heading.repo)
}

fn closed(mut lines: Vec<String>) -> String {
    lines.push("}\n".to_owned());
    lines.join("\n")
}

/// `text` on one line.
fn comment(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// Attributes of an edge, and of a box in the colour of the edge.
fn style(kind: DependencyKind) -> &'static str {
    match kind {
        DependencyKind::Import => "color=\"#5b6b82\"",
        DependencyKind::Reexport => "color=\"#8250df:#8250df\"",
        DependencyKind::TypeOnly => "color=\"#0969da\", style=dashed",
        DependencyKind::Test => "color=\"#1a7f37\", arrowhead=empty",
        DependencyKind::Include => "color=\"#9a6700\"",
        DependencyKind::Module => "color=\"#5b6b82\", arrowhead=diamond",
        DependencyKind::Reference => "color=\"#5b6b82\", style=dotted",
    }
}

fn cochange_edge_attributes(neighbour: &Neighbour) -> String {
    let label = neighbour.labels.join(", ");
    format!("color=\"#bc4c00\", style=dotted, dir=none, constraint=false, label={}", quoted(&label))
}

/// Nodes of `list` that are not in an earlier cluster; nothing if all are.
fn cluster<'a>(id: &str, label: &str, list: &'a [Neighbour], drawn: &mut BTreeSet<&'a str>) -> Vec<String> {
    let mut sorted: Vec<&Neighbour> = list.iter().collect();
    sorted.sort_by(|a, b| (a.depth, &a.path).cmp(&(b.depth, &b.path)));
    let nodes: Vec<String> = sorted
        .into_iter()
        .filter(|neighbour| drawn.insert(&neighbour.path))
        .map(|neighbour| {
            let mut attributes = String::new();
            if !neighbour.labels.is_empty() {
                let label = format!("{} ({})", neighbour.path, neighbour.labels.join(", "));
                write!(attributes, " [label={}]", quoted(&label)).expect("a string takes any text");
            }
            format!("    {}{attributes};", quoted(&neighbour.path))
        })
        .collect();
    if nodes.is_empty() {
        return nodes;
    }
    let opening = format!("  subgraph cluster_{id} {{\n    label=\"{label}\"; style=rounded; color=\"#c8d0da\";");
    [opening].into_iter().chain(nodes).chain(["  }".to_owned()]).collect()
}

/// A directory with its files and subdirectories by name.
#[derive(Default)]
struct DirectoryTree<'a> {
    /// Whole paths, each with its language.
    files: Vec<(&'a str, &'a str)>,
    directories: BTreeMap<&'a str, DirectoryTree<'a>>,
}

impl<'a> DirectoryTree<'a> {
    fn insert(&mut self, rest: &'a str, path: &'a str, language: &'a str) {
        let mut directory = self;
        let mut rest = rest;
        for _ in 0..MAX_CLUSTERS {
            let Some((first, after)) = rest.split_once('/') else { break };
            directory = directory.directories.entry(first).or_default();
            rest = after;
        }
        directory.files.push((path, language));
    }

    fn write(&self, path: &str, lines: &mut Vec<String>) {
        let indent = "  ".repeat(path.matches('/').count() + 1);
        for (file, language) in &self.files {
            let name = file.rsplit('/').next().unwrap_or(file);
            let language = if language.is_empty() { String::new() } else { format!(", tooltip={}", quoted(language)) };
            lines.push(format!("{indent}{} [label={}{language}];", quoted(file), quoted(name)));
        }
        for (name, directory) in &self.directories {
            let path = format!("{path}{name}/");
            lines.push(format!("{indent}subgraph {} {{", quoted(&format!("cluster_{path}"))));
            lines.push(format!("{indent}  label={}; style=rounded; color=\"#c8d0da\";", quoted(&path)));
            directory.write(&path, lines);
            lines.push(format!("{indent}}}"));
        }
    }
}

/// Deepest nesting of clusters: Graphviz becomes slow with more, so deeper directories are put into the last cluster.
const MAX_CLUSTERS: usize = 24;
