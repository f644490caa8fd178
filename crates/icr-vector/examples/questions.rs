//! Measures the cost of the queries of a search: `cargo run --release -p icr-vector --example questions -- DIRECTORY`.
//!
//! DIRECTORY contains the vectors of a store. The example queries its largest space for the 200 nearest chunks and for
//! a thousand cosines, and its smallest space for 800 single vectors, as a search does. Each query vector is a mix of
//! two stored vectors. Times are CPU time of this thread as the scheduler counts it, or elapsed time if the system does
//! not report it.

use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use icr_model::{ChunkNo, LiveSet};
use icr_vector::{Options, Vectors};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const QUESTIONS: usize = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("the directory of the vectors is missing")?;
    let vectors = Vectors::open_read_only(directory, Options::default())?;
    let reader = vectors.reader(None)?;
    let mut spaces = reader.spaces()?;
    spaces.sort_by_key(|status| status.rows);
    let (few, many) = spaces.first().zip(spaces.last()).ok_or("there is no space")?;
    let all = LiveSet::from_numbers(0..vectors.mark()?);
    let chunks = |recipe| -> Result<Vec<u32>, icr_vector::Error> {
        let missing = reader.missing(recipe, &all)?;
        Ok(all.iter().filter(|chunk| !missing.contains(*chunk)).collect())
    };
    let (chunks, files) = (chunks(many.space.recipe)?, chunks(few.space.recipe)?);
    let live = LiveSet::from_numbers(chunks.iter().copied());
    let mut out = stdout();
    writeln!(out, "{} rows of {} components, {} of {}", many.rows, many.space.dims, few.rows, few.space.dims)?;

    let mut random = StdRng::seed_from_u64(1);
    let mut times = [const { Vec::new() }; 4];
    let mut digest = 0_u64;
    let mut scored = 0;
    for _ in 0..QUESTIONS {
        let mut vector = |numbers: &[u32]| {
            let chunk = numbers[random.random_range(0..numbers.len())];
            reader.windows(many.space.recipe, ChunkNo(chunk)).map(|mut windows| windows.swap_remove(0))
        };
        let (a, b) = (vector(&chunks)?, vector(&chunks)?);
        let question: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        let mut some = |numbers: &[u32], count: usize| -> Vec<ChunkNo> {
            (0..count).map(|_| ChunkNo(numbers[random.random_range(0..numbers.len())])).collect()
        };
        let (others, some_files) = (some(&chunks, 800), some(&files, 800));
        let reader = vectors.reader(None)?;
        let began = now();
        let nearest = reader.nearest(many.space.recipe, &question, &live, 200)?;
        let found = now();
        let given: Vec<ChunkNo> = nearest.chunks.iter().map(|(chunk, _)| *chunk).chain(others).collect();
        let compared = now();
        let cosines = reader.similarities(many.space.recipe, &question, &given)?;
        let looked_up = now();
        let mut of_files = Vec::with_capacity(some_files.len());
        for chunk in &some_files {
            of_files.push(reader.windows(few.space.recipe, *chunk)?);
        }
        let ended = now();
        let mut sum = 0.0;
        for windows in of_files {
            sum += windows.iter().flatten().sum::<f32>();
        }
        scored += nearest.chunks_scored;
        for (chunk, cosine) in &nearest.chunks {
            digest = digest.rotate_left(5) ^ u64::from(chunk.0) ^ u64::from(cosine.to_bits()) << 32;
        }
        for cosine in cosines {
            digest = digest.rotate_left(5) ^ u64::from(cosine.map_or(0, f32::to_bits));
        }
        digest = digest.rotate_left(5) ^ u64::from(sum.to_bits());
        let parts = [found - began, looked_up - compared, ended - looked_up];
        times.iter_mut().zip(parts).for_each(|(times, part)| times.push(part));
        times[3].push(parts.iter().sum());
    }
    for (what, times) in ["nearest", "similarities", "windows", "together"].into_iter().zip(&mut times) {
        times.sort_unstable();
        writeln!(
            out,
            "{what}: p10 {:?}, p50 {:?}, p90 {:?}",
            times[QUESTIONS / 10],
            times[QUESTIONS / 2],
            times[QUESTIONS * 9 / 10]
        )?;
    }
    writeln!(out, "{} scored a question; digest {digest:016x}", scored / QUESTIONS as u64)?;
    Ok(())
}

/// CPU time of this thread so far; for Linux, where the first field of this file is in nanoseconds.
fn now() -> Duration {
    static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    // The scheduler updates a thread's time at ticks and when it switches threads; this makes it switch.
    std::thread::yield_now();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = stat.and_then(|stat| stat.split_whitespace().next()?.parse().ok());
    ran.map_or_else(|| BEGAN.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}
