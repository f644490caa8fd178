//! The graph in the form that the page's script reads.

use serde_json::{Value, json};

use super::DependencyKind;
use super::fold::NumberedGraph;

/// All files and edges, as small as is quickly read:
///
/// - `paths`: for each file, the number of UTF-16 units that it shares with the previous path, and the rest;
/// - `edges`: for each file with edges its number less that of the one before, how many edges it has, and for each of them
///   the number of the other file times the number of kinds plus the kind, and the count;
/// - `kinds`: classes and names.
pub(super) fn embedded(files: &NumberedGraph<'_>) -> String {
    let mut paths: Vec<Value> = Vec::with_capacity(files.paths.len() * 2);
    let mut before = "";
    for path in &files.paths {
        let shared: usize =
            path.chars().zip(before.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        paths.push(path[..shared].encode_utf16().count().into());
        paths.push(path[shared..].into());
        before = path;
    }
    let mut edges: Vec<u64> = Vec::with_capacity(files.edges.len() * 2);
    let mut last = 0;
    for run in files.edges.chunk_by(|a, b| a.from == b.from) {
        let from = run[0].from;
        edges.extend([from - last, run.len()].map(|number| number as u64));
        last = from;
        for edge in run {
            let kind = DependencyKind::ALL.iter().position(|kind| *kind == edge.kind).expect("all kinds are listed");
            edges.extend([(edge.to * DependencyKind::ALL.len() + kind) as u64, edge.count]);
        }
    }
    let kinds: Vec<[&str; 2]> = DependencyKind::ALL.iter().map(|kind| [kind.class(), kind.name()]).collect();
    json!({ "kinds": kinds, "paths": paths, "edges": edges }).to_string()
}
