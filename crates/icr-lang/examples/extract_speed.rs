//! CPU of the bare parse and of the whole extraction, over the files of folders.
//!
//! `cargo run --release -p icr-lang --example extract_speed -- <folder>…` prints a line for each language.

#![expect(clippy::print_stdout, reason = "prints its measurements")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use icr_lang::{ChunkLimits, Extractor, TEXT, language_of};
use icr_model::RepoPath;

#[derive(Default)]
struct Sum {
    files: usize,
    bytes: usize,
    parse: Duration,
    extract: Duration,
    facts_bytes: usize,
    reference_bytes: usize,
    chunks: usize,
    symbols: usize,
    imports: usize,
    errors: u64,
}

fn main() -> std::io::Result<()> {
    let mut files = Vec::new();
    for folder in std::env::args_os().skip(1) {
        collect(Path::new(&folder), &mut files)?;
    }
    files.sort();
    let mut extractor = Extractor::new(ChunkLimits::default());
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    let mut slowest = (Duration::ZERO, PathBuf::new());
    for file in files {
        let language = language_of(&RepoPath::new(file.as_os_str().as_encoded_bytes()));
        if language == TEXT {
            continue;
        }
        let blob = std::fs::read(&file)?;
        if blob.len() > 1 << 20 {
            continue;
        }
        let sum = sums.entry(language).or_default();
        // The first extraction of a language compiles its queries.
        if sum.files == 0 {
            extractor.extract(language, &blob);
        }
        let start = Instant::now();
        let parsed = extractor.parse_only(language, &blob);
        sum.parse += start.elapsed();
        let start = Instant::now();
        let extraction = extractor.extract(language, &blob);
        let took = start.elapsed();
        sum.extract += took;
        if took > slowest.0 {
            slowest = (took, file);
        }
        sum.files += 1;
        sum.bytes += blob.len();
        sum.errors += u64::from(!parsed);
        let facts = extraction.facts;
        sum.facts_bytes += facts.encode().len();
        sum.chunks += facts.chunks.len();
        sum.symbols += facts.symbols.len();
        sum.imports += facts.imports.len();
        let references = icr_model::Facts { references: facts.references, ..Default::default() };
        sum.reference_bytes += references.encode().len();
    }
    for (language, sum) in sums {
        let share = |part: usize| part as f64 / sum.bytes as f64;
        println!(
            "{language:11} {:5} files {:9} bytes  parse {:6.2} s ({:4.1} MB/s)  extract {:6.2} s  ratio {:.2}  facts {:.3} \
             (references {:.3}) of the bytes  {:.0} bytes a chunk  {} symbols {} imports  {} unparsed",
            sum.files,
            sum.bytes,
            sum.parse.as_secs_f64(),
            sum.bytes as f64 / 1e6 / sum.parse.as_secs_f64(),
            sum.extract.as_secs_f64(),
            sum.extract.as_secs_f64() / sum.parse.as_secs_f64(),
            share(sum.facts_bytes),
            share(sum.reference_bytes),
            sum.bytes as f64 / sum.chunks as f64,
            sum.symbols,
            sum.imports,
            sum.errors,
        );
    }
    println!("slowest: {:?} {}", slowest.0, slowest.1.display());
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}
