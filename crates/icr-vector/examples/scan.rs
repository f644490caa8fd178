//! Measures the cost of a scan and of trees: `cargo run --release -p icr-vector --example scan -- [rows] [trees]`.
//!
//! Makes `rows` vectors of 256 components in clusters (default 100,000), writes them in batches, and runs 200 queries.
//! With `trees`, it builds trees and runs the queries again. Times are CPU time of all threads of this process, or
//! elapsed time if the system does not report it.

use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use icr_model::{ChunkNo, LiveSet, Recipe};
use icr_vector::{IndexUse, Nearest, Options, Space, VectorEncoding, Vectors};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const DIMS: usize = 256;
const BATCH: usize = 10_000;
const QUESTIONS: usize = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows: usize = arguments.first().map_or(Ok(100_000), |rows| rows.parse())?;
    let directory = tempfile::tempdir()?;
    let vectors = Vectors::open(directory.path(), Options { index: IndexUse::Arroy, ..Options::default() })?;
    let space = Space { recipe: Recipe(1), dims: DIMS as u16, form: VectorEncoding::Scaled, by_content: false };
    let mut out = stdout();

    let mut clusters = Clusters::new(rows);
    let mut writing = Duration::ZERO;
    for first in (0..rows).step_by(BATCH) {
        let batch: Vec<Vec<f32>> = (first..rows.min(first + BATCH)).map(|row| clusters.vector(row)).collect();
        let began = Clock::now();
        write(&vectors, &space, first, &batch)?;
        writing += began.elapsed();
    }
    writeln!(out, "{rows} rows written: {writing:?}, {} MB", megabytes(directory.path())?)?;
    let few: Vec<Vec<f32>> = (0..10).map(|row| clusters.vector(row)).collect();
    let began = Clock::now();
    write(&vectors, &space, rows, &few)?;
    writeln!(out, "10 rows more: {:?}", began.elapsed())?;

    let questions: Vec<Vec<f32>> = (0..QUESTIONS).map(|row| clusters.vector(row * 31)).collect();
    let all = LiveSet::from_numbers(0..rows as u32);
    let half = LiveSet::from_numbers((0..rows as u32).step_by(2));
    let exact = ask(&vectors, &space, &questions, &all, "scan", &mut out)?;
    ask(&vectors, &space, &questions, &half, "scan, every other chunk live", &mut out)?;
    if arguments.iter().any(|argument| argument == "trees") {
        let began = Clock::now();
        let mut writer = vectors.writer()?;
        writer.build_index(space.recipe);
        writer.commit(0)?;
        writeln!(out, "trees built: {:?}, {} MB", began.elapsed(), megabytes(directory.path())?)?;
        let near = ask(&vectors, &space, &questions, &all, "trees", &mut out)?;
        let found = near.iter().zip(&exact).map(|(near, exact)| {
            near.chunks.iter().filter(|chunk| exact.chunks.contains(chunk)).count() as f64 / exact.chunks.len() as f64
        });
        writeln!(out, "recall@20: {:.4}", found.sum::<f64>() / QUESTIONS as f64)?;
    }
    Ok(())
}

fn write(vectors: &Vectors, space: &Space, first: usize, rows: &[Vec<f32>]) -> Result<(), icr_vector::Error> {
    let mut writer = vectors.writer()?;
    for (at, row) in rows.iter().enumerate() {
        writer.write_chunk(space, ChunkNo((first + at) as u32), 0, &[row])?;
    }
    writer.commit(0).map(drop)
}

fn ask(
    vectors: &Vectors,
    space: &Space,
    questions: &[Vec<f32>],
    live: &LiveSet,
    what: &str,
    out: &mut impl Write,
) -> Result<Vec<Nearest>, Box<dyn std::error::Error>> {
    // The first query is not measured: the file may not be in the system's cache yet.
    vectors.reader(None)?.nearest(space.recipe, &questions[0], live, 20)?;
    let (mut answers, mut elapsed) = (Vec::new(), Vec::new());
    let began = Clock::now();
    for question in questions {
        let started = Instant::now();
        answers.push(vectors.reader(None)?.nearest(space.recipe, question, live, 20)?);
        elapsed.push(started.elapsed());
    }
    let cpu = began.elapsed() / QUESTIONS as u32;
    elapsed.sort_unstable();
    let scored = answers.iter().map(|nearest| nearest.chunks_scored).sum::<u64>() / QUESTIONS as u64;
    let is_approximate = answers.iter().any(|nearest| nearest.is_approximate);
    let elapsed = elapsed[QUESTIONS / 2];
    writeln!(out, "{what}: {cpu:?} of CPU, p50 {elapsed:?} elapsed; {scored} scored; approximate: {is_approximate}")?;
    Ok(answers)
}

fn megabytes(directory: &std::path::Path) -> std::io::Result<u64> {
    Ok(std::fs::metadata(directory.join("data.mdb"))?.len() >> 20)
}

/// As many clusters as the square root of the number of vectors, which resembles embeddings.
struct Clusters {
    random: StdRng,
    centers: Vec<Vec<f32>>,
}

impl Clusters {
    fn new(rows: usize) -> Self {
        let mut clusters = Self { random: StdRng::seed_from_u64(1), centers: Vec::new() };
        clusters.centers = (0..rows.isqrt().max(1)).map(|_| clusters.noise()).collect();
        clusters
    }

    fn vector(&mut self, row: usize) -> Vec<f32> {
        let noise = self.noise();
        let center = &self.centers[row % self.centers.len()];
        noise.iter().zip(center).map(|(x, y)| x * 0.5 + y).collect()
    }

    fn noise(&mut self) -> Vec<f32> {
        (0..DIMS).map(|_| (0..4).map(|_| self.random.random_range(-1.0_f32..1.0)).sum()).collect()
    }
}

/// CPU time of this process.
struct Clock {
    began: Duration,
    started: Instant,
}

impl Clock {
    fn now() -> Self {
        Self { began: cpu().unwrap_or_default(), started: Instant::now() }
    }

    fn elapsed(&self) -> Duration {
        cpu().map_or_else(|| self.started.elapsed(), |now| now - self.began)
    }
}

/// CPU time of all threads of this process, including ended ones, in steps of 10 ms; for Linux, where fields 14 and 15
/// of this file are in hundredths of a second.
fn cpu() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The process name, in parentheses, may contain any characters.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().ok());
    ticks.sum::<Option<u64>>().map(|ticks| Duration::from_millis(ticks * 10))
}
