//! CPU of the bare parse and of the whole extraction, over the files of folders.
//!
//! `cargo run --release -p icr-lang --example extract_speed -- <folder>…` prints a line for each language.

#![expect(clippy::print_stdout, reason = "prints its measurements")]

use std::collections::BTreeMap;
use std::path::Path;

use icr_lang::{ChunkLimits, Extractor, TEXT, language_of};
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
    // The first extraction of a language compiles its queries.
    extractor.extract(language, b"");
    let start = cpu()?;
    let parsed = blobs.iter().filter(|blob| extractor.parse_only(language, blob)).count();
    let parse = cpu()? - start;
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
