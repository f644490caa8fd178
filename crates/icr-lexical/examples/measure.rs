//! Measures tokenizing, indexing, disk and search on real source files.
//!
//! `cargo run --release -p icr-lexical --example measure -- DIRECTORY [CHUNKS]` reads the `.rs`, `.py`, `.c` and `.h`
//! files below DIRECTORY, cuts them into at most CHUNKS (100,000) chunks of 30 lines, and prints one line for each
//! figure.

#![allow(clippy::print_stdout, reason = "the figures are the output")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use icr_lexical::{
    ChunkDocument, DefinitionPattern, HighWaterMark, Lexical, MemoryIndex, Merging, PreparedChunk, Statistics,
    WriterOptions, query_terms, tokens,
};
use icr_model::{BlobNo, ChunkNo, LiveSet};

const CHUNK_LINES: usize = 30;
const QUERIES: usize = 400;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().ok_or("which directory?")?);
    let limit = arguments.next().map_or(Ok(100_000), |text| text.parse())?;
    let corpus = read_chunks(&root, limit)?;
    let bytes: usize = corpus.iter().map(|chunk| chunk.text.len()).sum();
    println!("corpus: {} chunks, {:.1} MB", corpus.len(), mb(bytes));

    let start = Instant::now();
    let mut count = 0_u64;
    corpus.iter().for_each(|chunk| tokens(chunk.text.as_bytes(), &mut |_| count += 1));
    let elapsed = start.elapsed();
    println!("tokens: {:.0} MB/s, {:.0} a KB", mb(bytes) / elapsed.as_secs_f64(), count as f64 / bytes as f64 * 1000.0);

    let start = Instant::now();
    let prepared: u64 =
        corpus.iter().enumerate().map(|(no, chunk)| PreparedChunk::new(&chunk.document(no as u32)).tokens().body).sum();
    println!("prepare, all fields: {:.0} MB/s ({prepared} tokens)", mb(bytes) / start.elapsed().as_secs_f64());

    let directory = tempfile::tempdir()?;
    let index = Lexical::create(directory.path())?;
    let mut statistics = Statistics::default();
    let cpu = cpu_time()?;
    let start = Instant::now();
    let mut writer = index.writer(WriterOptions { merging: Merging::Never, ..WriterOptions::default() })?;
    for (no, chunk) in corpus.iter().enumerate() {
        statistics = statistics.with(writer.add_chunk(&chunk.document(no as u32))?);
    }
    writer.commit(HighWaterMark { next_chunk: corpus.len() as u32, ..HighWaterMark::default() })?;
    let used = cpu_time()? - cpu;
    println!(
        "index: {:.1} MB per CPU second, {:.1} s wall",
        mb(bytes) / used.as_secs_f64(),
        start.elapsed().as_secs_f64()
    );
    report_disk(directory.path(), bytes)?;
    println!("segments: {}", index.reader(None)?.segments_total());
    report_search(&index, &corpus, statistics)?;

    let start = Instant::now();
    writer.merge_all()?;
    println!("merge all: {:.1} s", start.elapsed().as_secs_f64());
    report_disk(directory.path(), bytes)?;
    report_search(&index, &corpus, statistics)?;

    let start = Instant::now();
    let cpu = cpu_time()?;
    for no in 0..10 {
        writer.delete_blobs(&[BlobNo(no)]);
        writer.add_chunk(&corpus[no as usize].document(corpus.len() as u32 + no))?;
    }
    writer.commit(HighWaterMark::default())?;
    println!("commit of 10 chunks: {:?} CPU, {:?} wall", cpu_time()? - cpu, start.elapsed());

    for chunks in [1, 10, 100] {
        let documents: Vec<_> = (0..chunks).map(|no| corpus[no * 7 % corpus.len()].document(no as u32)).collect();
        let times = sorted((0..50).map(|_| time(|| MemoryIndex::build(&documents, &[]))).collect::<Result<_, _>>()?);
        println!("memory index of {chunks} chunks: p50 {:?}", times[25]);
    }
    Ok(())
}

struct SourceChunk {
    blob: u32,
    text: String,
    names: Vec<String>,
    docs: String,
}

impl SourceChunk {
    fn new(blob: u32, text: String) -> Self {
        let names = text.lines().filter_map(defined_name).map(String::from).collect();
        let docs: Vec<&str> = text.lines().map(str::trim_start).filter(|line| line.starts_with("//")).collect();
        Self { blob, names, docs: docs.join("\n"), text }
    }

    fn document(&self, no: u32) -> ChunkDocument<'_> {
        ChunkDocument {
            body: self.text.as_bytes(),
            definitions: self.names.iter().map(String::as_str).collect(),
            docs: vec![self.docs.as_bytes()],
            ..ChunkDocument::new(ChunkNo(no), BlobNo(self.blob))
        }
    }
}

/// The name after a defining keyword: exact enough for a measurement.
fn defined_name(line: &str) -> Option<&str> {
    let (_, rest) =
        ["fn ", "struct ", "enum ", "trait ", "class ", "def "].iter().find_map(|word| line.split_once(word))?;
    let end = rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

fn read_chunks(root: &Path, limit: usize) -> Result<Vec<SourceChunk>, Box<dyn Error>> {
    let mut chunks = Vec::new();
    let mut directories = vec![root.to_path_buf()];
    let mut blob = 0;
    while let Some(directory) = directories.pop() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
        entries.sort_unstable();
        for path in entries {
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let known =
                path.extension().is_some_and(|extension| ["rs", "py", "c", "h"].iter().any(|one| extension == *one));
            // Generated tables and parsers are larger than what people write.
            if !known || path.metadata()?.len() > 200_000 {
                continue;
            }
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            for lines in lines.chunks(CHUNK_LINES) {
                chunks.push(SourceChunk::new(blob, lines.concat()));
            }
            blob += 1;
            if chunks.len() >= limit {
                chunks.truncate(limit);
                return Ok(chunks);
            }
        }
    }
    Ok(chunks)
}

fn report_disk(directory: &Path, source_bytes: usize) -> Result<(), Box<dyn Error>> {
    let mut by_kind = std::collections::BTreeMap::<String, u64>::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.path().extension().unwrap_or_default().to_string_lossy().into_owned();
        *by_kind.entry(kind).or_default() += entry.metadata()?.len();
    }
    let total: u64 = by_kind.values().sum();
    println!("disk: {:.1} MB, {:.3} of the source", mb(total as usize), total as f64 / source_bytes as f64);
    by_kind.retain(|_, bytes| *bytes > total / 100);
    println!("  {by_kind:?}");
    Ok(())
}

fn report_search(index: &Lexical, corpus: &[SourceChunk], statistics: Statistics) -> Result<(), Box<dyn Error>> {
    let live = LiveSet::from_numbers(0..corpus.len() as u32);
    let opening = sorted((0..20).map(|_| time(|| index.reader(None))).collect::<Result<_, _>>()?);
    println!("open a reader: p50 {:?}", opening[10]);
    let reader = index.reader(None)?;
    let preparing = sorted((0..20).map(|_| time(|| reader.live_chunks(&live, statistics))).collect::<Result<_, _>>()?);
    println!("live documents: p50 {:?}", preparing[10]);
    let chunks = reader.live_chunks(&live, statistics)?;

    let queries: Vec<Vec<String>> = (0..QUERIES).map(|no| query(corpus, no)).collect();
    let mut matched = 0;
    let times = queries
        .iter()
        .map(|terms| {
            time(|| {
                let hits =
                    chunks.search(terms, 200, |scores| scores.fields[0] + 2.0 * scores.fields[1] + scores.fields[2])?;
                matched += hits.matched_total;
                Ok(())
            })
        })
        .collect::<Result<Vec<_>, icr_lexical::Error>>()?;
    let times = sorted(times);
    println!(
        "search, 3 to 8 terms: p50 {:?} p90 {:?} p99 {:?}, {} chunks match on average",
        times[QUERIES / 2],
        times[QUERIES * 9 / 10],
        times[QUERIES * 99 / 100],
        matched / QUERIES as u64
    );
    for pattern in [
        DefinitionPattern::Exact("new"),
        DefinitionPattern::Prefix("parse"),
        DefinitionPattern::Substring("token"),
        DefinitionPattern::Subsequence("ptk"),
    ] {
        let times = sorted((0..20).map(|_| time(|| chunks.definitions(&pattern, 50))).collect::<Result<_, _>>()?);
        println!("definitions {pattern:?}: p50 {:?}", times[10]);
    }
    let times = sorted((0..20).map(|_| time(|| chunks.with_identifier("HashMap"))).collect::<Result<_, _>>()?);
    println!("with_identifier HashMap: p50 {:?}", times[10]);
    Ok(())
}

/// Words of one chunk at regular distances, until there are 3 to 8 terms, rare and common ones mixed.
fn query(corpus: &[SourceChunk], no: usize) -> Vec<String> {
    let chunk = &corpus[no * 7919 % corpus.len()];
    let mut terms = query_terms(&chunk.text);
    let wanted = 3 + no % 6;
    let step = (terms.len() / wanted).max(1);
    terms = terms.into_iter().step_by(step).take(wanted).collect();
    terms
}

fn time<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<Duration, E> {
    let start = Instant::now();
    let kept = work()?;
    let elapsed = start.elapsed();
    drop(kept);
    Ok(elapsed)
}

fn sorted(mut times: Vec<Duration>) -> Vec<Duration> {
    times.sort_unstable();
    times
}

fn mb(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// CPU time of all threads of this process: user and system ticks of `/proc/self/stat`, 100 a second.
fn cpu_time() -> Result<Duration, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit_once(')').ok_or("no process name")?.1.split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    Ok(Duration::from_millis(ticks * 10))
}
