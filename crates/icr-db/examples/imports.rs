//! Shows what the imports of a folder name, in the form of `icr graph --json`, without any store.
//!
//! `cargo run --release -p icr-db --example imports -- <folder>` reads the files that git lists there.

#![expect(clippy::print_stdout, reason = "prints what it finds")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use icr_db::{MemoryFile, MemorySource, QueryGraph, ViewBlob};
use icr_lang::{ChunkLimits, Extractor, language_of};
use icr_model::{BlobId, RepoPath};
use serde_json::json;

/// Larger files are left out, as the default limits of icr do.
const MAX_FILE_BYTES: usize = 512_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name a folder")?;
    #[expect(clippy::disallowed_methods, reason = "git lists the files")]
    let listed = Command::new("git").arg("-C").arg(&folder).args(["ls-files", "-s", "-z"]).output()?;
    let mut extractor = Extractor::new(ChunkLimits::default());
    let mut files = Vec::new();
    for line in listed.stdout.split(|byte| *byte == 0).filter(|line| line.starts_with(b"100")) {
        let line = std::str::from_utf8(line)?;
        let (head, path) = line.split_once('\t').ok_or("git lists a path after a tab")?;
        let id = head.split(' ').nth(1).ok_or("git lists an object id")?;
        let Ok(text) = std::fs::read(Path::new(&folder).join(path)) else { continue };
        if text.len() > MAX_FILE_BYTES {
            continue;
        }
        let path = RepoPath::new(path.as_bytes());
        let content = ViewBlob { blob_id: id.parse::<BlobId>()?, language: language_of(&path) };
        let facts = Arc::new(extractor.extract(content.language, &text).facts);
        files.push((path, MemoryFile { content, text: text.into(), facts }));
    }
    let source = MemorySource::new(files);
    let paths = source.paths();
    let graph = QueryGraph::new(Arc::new(source));
    let [mut edges, mut external, mut unresolved, mut problems] = [const { Vec::new() }; 4];
    for (path, imports) in paths.iter().zip(graph.all_imports(&paths, &|| ())?) {
        let from = path.to_string();
        edges.extend(imports.edges.iter().map(|edge| {
            json!({"from": from, "to": edge.to.to_string(), "kind": edge.kind, "line": edge.line, "type_only": edge.type_only})
        }));
        let left = |import: &icr_db::ImportWithoutFile| json!({"from": from, "specifier": import.specifier, "line": import.line});
        external.extend(imports.external.iter().map(left));
        unresolved.extend(imports.unresolved.iter().map(left));
        problems.extend(imports.problems.iter().map(|problem| json!({"path": problem.path, "reason": problem.reason})));
    }
    println!("{}", json!({"edges": edges, "external": external, "unresolved": unresolved, "problems": problems}));
    Ok(())
}
