//! Checks on a real repository whether looking up importers backward finds the same edges as resolving imports
//! forward, and counts the candidates that it has to resolve.
//!
//! `cargo run --release -p icr-db --example backward -- <folder> [<files per language>]` resolves every import of the
//! files that git lists there and turns the edges around. It compares them with the importers that are found for a
//! sample of files, taken at even distances.

#![expect(clippy::print_stdout, reason = "prints what it finds")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use icr_db::{MemoryFile, MemorySource, QueryGraph, ViewBlob};
use icr_lang::{ChunkLimits, Extractor, language_of};
use icr_model::{BlobId, RepoPath};

/// Larger files are left out, as the default limits of icr do.
const MAX_FILE_BYTES: usize = 512_000;

/// Files of each language to ask about, if the command line gives no number.
const SAMPLE: usize = 1_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder")?;
    let sample: usize = arguments.next().map_or(Ok(SAMPLE), |text| text.parse())?;
    let source = Arc::new(read(Path::new(&folder))?);
    let paths = source.paths();
    let forward = QueryGraph::new(source.clone());
    let mut expected: HashMap<RepoPath, BTreeSet<RepoPath>> = HashMap::new();
    for (from, imports) in paths.iter().zip(forward.all_imports(&paths, &|| ())?) {
        for edge in imports.edges.into_iter().filter(|edge| edge.to != *from) {
            expected.entry(edge.to).or_default().insert(from.clone());
        }
    }
    let mut by_language: BTreeMap<&str, Vec<&RepoPath>> = BTreeMap::new();
    for path in &paths {
        by_language.entry(language_of(path)).or_default().push(path);
    }
    let backward = QueryGraph::new(source);
    println!(
        "{:<14} {:>6} {:>7} {:>7} {:>5}  candidates p50 p90 max, importers p50 p90 max",
        "language", "files", "edges", "missing", "extra"
    );
    for (language, paths) in by_language {
        let step = paths.len().div_ceil(sample).max(1);
        let [mut candidates, mut importers] = [const { Vec::new() }; 2];
        let [mut missing, mut extra] = [0, 0];
        for path in paths.iter().step_by(step) {
            let found: BTreeSet<RepoPath> = backward.importers(path)?.into_iter().collect();
            let none = BTreeSet::new();
            let wanted = expected.get(*path).unwrap_or(&none);
            for from in wanted.difference(&found) {
                println!("missing: {from} -> {path}");
                missing += 1;
            }
            for from in found.difference(wanted) {
                println!("extra: {from} -> {path}");
                extra += 1;
            }
            candidates.push(backward.import_candidates(path)?.len());
            importers.push(wanted.len());
        }
        let edges: usize = importers.iter().sum();
        let files = candidates.len();
        if edges + missing + extra + candidates.iter().sum::<usize>() > 0 {
            let [candidates, importers] = [spread(candidates), spread(importers)];
            println!("{language:<14} {files:>6} {edges:>7} {missing:>7} {extra:>5}  {candidates}, {importers}");
        }
    }
    Ok(())
}

/// The median, the 90th percentile and the maximum.
fn spread(mut numbers: Vec<usize>) -> String {
    numbers.sort_unstable();
    let at = |tenths: usize| numbers[(numbers.len() - 1) * tenths / 10];
    format!("{} {} {}", at(5), at(9), at(10))
}

fn read(folder: &Path) -> Result<MemorySource, Box<dyn std::error::Error>> {
    #[expect(clippy::disallowed_methods, reason = "git lists the files")]
    let listed = Command::new("git").arg("-C").arg(folder).args(["ls-files", "-s", "-z"]).output()?;
    let mut extractor = Extractor::new(ChunkLimits::default());
    let mut files = Vec::new();
    for line in listed.stdout.split(|byte| *byte == 0).filter(|line| line.starts_with(b"100")) {
        let line = std::str::from_utf8(line)?;
        let (head, path) = line.split_once('\t').ok_or("git lists a path after a tab")?;
        let id = head.split(' ').nth(1).ok_or("git lists an object id")?;
        let Ok(text) = std::fs::read(folder.join(path)) else { continue };
        if text.len() > MAX_FILE_BYTES {
            continue;
        }
        let path = RepoPath::new(path.as_bytes());
        let content = ViewBlob { blob_id: id.parse::<BlobId>()?, language: language_of(&path) };
        let facts = Arc::new(extractor.extract(content.language, &text).facts);
        files.push((path, MemoryFile { content, text: text.into(), facts }));
    }
    Ok(MemorySource::new(files))
}
