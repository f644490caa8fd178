//! Measures on a real repository what it costs to ask which files refer to a definition.
//!
//! `cargo run --release -p icr-db --example referring -- <folder> [<definitions>]` reads the files that git lists
//! there. It asks about definitions taken at even distances. Then it asks about the definitions right behind these,
//! now that everything that questions share is known. At last it asks for the references of all files. Digests tell
//! whether two versions give the same answers.

#![expect(clippy::print_stdout, reason = "prints what it finds")]

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use icr_db::{MemoryFile, MemorySource, NamedDefinition, QueryGraph, ReferringLimits, ViewBlob, ViewSource};
use icr_lang::{ChunkLimits, Extractor, language_of};
use icr_model::{BlobId, RepoPath};

/// Larger files are left out, as the default limits of icr do.
const MAX_FILE_BYTES: usize = 512_000;

/// Definitions to ask about, if the command line gives no number.
const DEFINITIONS: usize = 200;

/// Large enough that nearly all files that mention a name are looked at.
const LIMITS: ReferringLimits = ReferringLimits { common: 400, files: 100_000 };

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder")?;
    let definitions: usize = arguments.next().map_or(Ok(DEFINITIONS), |text| text.parse())?;
    let MemoryRepository { source, defined } = read(Path::new(&folder))?;
    let source = Arc::new(source);
    let step = defined.len().div_ceil(definitions.max(1)).max(2);
    let graph = QueryGraph::new(source.clone());
    println!(
        "{:<8} {:>11} {:>10} {:>9} {:>13}  digest",
        "question", "definitions", "candidates", "CPU ms", "per candidate"
    );
    for (name, first) in [("first", 0), ("second", 1), ("again", 1)] {
        let named = |(path, name): &(RepoPath, String)| NamedDefinition {
            path: path.clone(),
            name: name.clone(),
            holder: None,
        };
        let asked: Vec<NamedDefinition> = defined.iter().skip(first).step_by(step).map(named).collect();
        let mut candidates = BTreeSet::new();
        for NamedDefinition { name, .. } in &asked {
            let mentioning = source.mentioning(name).map_err(|error| error.to_string())?;
            candidates.extend(Some(mentioning).filter(|files| files.len() <= LIMITS.common).into_iter().flatten());
        }
        let before = cpu_ms()?;
        let found = graph.referring_to_all(&asked, LIMITS)?;
        let spent = cpu_ms()? - before;
        let mut digest = DefaultHasher::new();
        for referring in found.iter().flat_map(|found| &found.files) {
            let occurrences = referring.occurrences.iter();
            let occurrences: Vec<_> = occurrences.map(|found| (found.line, found.share.to_bits())).collect();
            (referring.path.as_bytes(), occurrences).hash(&mut digest);
        }
        println!(
            "{name:<8} {:>11} {:>10} {spent:>9.1} {:>13.4}  {:016x}",
            asked.len(),
            candidates.len(),
            spent / candidates.len().max(1) as f64,
            digest.finish(),
        );
    }
    let paths = source.paths();
    for (name, graph) in [("all", QueryGraph::new(source.clone())), ("all warm", graph)] {
        let before = cpu_ms()?;
        let found = graph.all_references(&paths, &|| ())?;
        let spent = cpu_ms()? - before;
        let mut digest = DefaultHasher::new();
        for edge in found.iter().flatten() {
            (edge.to.as_bytes(), edge.count, edge.weight.to_bits()).hash(&mut digest);
        }
        println!(
            "{name:<8} {:>11} {:>10} {spent:>9.1} {:>13.4}  {:016x}",
            "",
            paths.len(),
            spent / paths.len().max(1) as f64,
            digest.finish(),
        );
    }
    println!(
        "{}",
        std::fs::read_to_string("/proc/self/status")?.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("")
    );
    Ok(())
}

/// CPU time of all threads of the process in milliseconds, as Linux counts it.
fn cpu_ms() -> Result<f64, Box<dyn std::error::Error>> {
    let mut nanoseconds = 0_u64;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let spent = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        nanoseconds += spent.split(' ').next().unwrap_or_default().parse::<u64>()?;
    }
    Ok(nanoseconds as f64 / 1e6)
}

struct MemoryRepository {
    source: MemorySource,
    /// Definitions of files that have imports, in order of the files' paths.
    defined: Vec<(RepoPath, String)>,
}

fn read(folder: &Path) -> Result<MemoryRepository, Box<dyn std::error::Error>> {
    #[expect(clippy::disallowed_methods, reason = "git lists the files")]
    let listed = Command::new("git").arg("-C").arg(folder).args(["ls-files", "-s", "-z"]).output()?;
    let mut extractor = Extractor::new(ChunkLimits::default());
    let mut files = Vec::new();
    let mut defined = Vec::new();
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
        if !facts.imports.is_empty() {
            defined.extend(facts.symbols.iter().map(|symbol| (path.clone(), symbol.name.clone())));
        }
        files.push((path, MemoryFile { content, text: text.into(), facts }));
    }
    Ok(MemoryRepository { source: MemorySource::new(files), defined })
}
