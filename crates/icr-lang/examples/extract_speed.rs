//! Measures the CPU time of the parse alone and of the whole extraction, for the files of folders.
//!
//! `cargo run --release -p icr-lang --example extract_speed -- <folder>…` prints a line for each language.

#![expect(clippy::print_stdout, reason = "prints its measurements")]

use std::collections::BTreeMap;
use std::path::Path;

use icr_lang::{ChunkLimits, Extractor, TEXT, Work, language_of, parse_work};
use icr_model::{Facts, RepoPath};

#[derive(Default)]
struct Sum {
    facts_bytes: usize,
    reference_bytes: usize,
    chunks: usize,
    symbols: usize,
    imports: usize,
}

/// Larger files are left out, as the default limits of icr do.
const MAX_FILE_BYTES: u64 = 1 << 20;

fn main() -> std::io::Result<()> {
    let mut files = BTreeMap::new();
    for folder in std::env::args_os().skip(1) {
        collect(Path::new(&folder), &mut files)?;
    }
    for (language, blobs) in files {
        measure(language, &blobs)?;
    }
    Ok(())
}

fn measure(language: &str, blobs: &[Vec<u8>]) -> std::io::Result<()> {
    let mut extractor = Extractor::new(ChunkLimits::default());
    // The first extraction of a language compiles its queries, so it is not measured.
    extractor.extract(language, b"");
    let start = cpu()?;
    let works: Vec<_> = blobs.iter().map(|blob| parse_work(language, blob)).collect();
    let parse = cpu()? - start;
    let parsed = works.iter().flatten().count();
    println!("{language:11} most work for a byte: {}", format_peak_work(blobs, &works));
    let start = cpu()?;
    let facts: Vec<_> = blobs.iter().map(|blob| extractor.extract(language, blob).facts).collect();
    let extract = cpu()? - start;

    let mut sum = Sum::default();
    for facts in facts {
        sum.facts_bytes += facts.encode().len();
        sum.chunks += facts.chunks.len();
        sum.symbols += facts.symbols.len();
        sum.imports += facts.imports.len();
        let references = Facts { references: facts.references, ..Facts::default() };
        sum.reference_bytes += references.encode().len();
    }
    let bytes = blobs.iter().map(Vec::len).sum::<usize>();
    let share = |part: usize| part as f64 / bytes as f64;
    println!(
        "{language:11} {} files, {:.1} MB, {} unparsed: parse {parse:.2} s ({:.1} MB/s), extract {extract:.2} s, ratio {:.2}; \
         facts {:.3} of the bytes (references {:.3}); {:.0} bytes a chunk, {} symbols, {} imports",
        blobs.len(),
        bytes as f64 / 1e6,
        blobs.len() - parsed,
        bytes as f64 / 1e6 / parse,
        extract / parse,
        share(sum.facts_bytes),
        share(sum.reference_bytes),
        bytes as f64 / sum.chunks as f64,
        sum.symbols,
        sum.imports,
    );
    Ok(())
}

/// For each kind of work, the most that a file of 10,000 bytes or more took per byte.
fn format_peak_work(blobs: &[Vec<u8>], works: &[Option<Work>]) -> String {
    let mut most = [0.0_f64; 6];
    for (blob, work) in blobs.iter().zip(works) {
        let Some(work) = work.as_ref().filter(|_| blob.len() >= 10_000) else { continue };
        let kinds = [
            work.callbacks as f64 * 100.0,
            work.chunks as f64 * 1024.0,
            work.requests as f64,
            work.requested as f64,
            work.held as f64,
            work.stack_nodes as f64,
        ];
        for (most, kind) in most.iter_mut().zip(kinds) {
            *most = most.max(kind / blob.len() as f64);
        }
    }
    let [operations, read, requests, requested, held, nodes] = most;
    format!(
        "{operations:.1} operations, {read:.1} bytes read, {requests:.1} requests of {requested:.0} bytes, {held:.0} bytes held and {nodes:.1} nodes of the stack"
    )
}

/// Seconds that this thread has run, as Linux counts them (proc(5), `schedstat`).
fn cpu() -> std::io::Result<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.map(|nanoseconds| nanoseconds / 1e9).ok_or_else(|| std::io::Error::other("schedstat holds no number"))
}

fn collect(folder: &Path, files: &mut BTreeMap<&'static str, Vec<Vec<u8>>>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), files)?;
            continue;
        }
        let path = entry.path();
        let language = language_of(&RepoPath::new(path.as_os_str().as_encoded_bytes()));
        if kind.is_file() && language != TEXT && entry.metadata()?.len() <= MAX_FILE_BYTES {
            files.entry(language).or_default().push(std::fs::read(path)?);
        }
    }
    Ok(())
}
