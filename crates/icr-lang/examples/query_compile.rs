//! Measures the cost of the first blob of each language, when its queries are compiled. Prints milliseconds by
//! language, sorted by cost.
//! `cargo run --release -p icr-lang --example query_compile`

#![expect(clippy::print_stdout, reason = "prints what it measures")]

use std::time::Instant;

use icr_lang::{ChunkLimits, Extractor, languages};

fn main() {
    let mut extractor = Extractor::new(ChunkLimits::default());
    let mut costs: Vec<(f64, &str)> = languages()
        .map(|language| {
            let started = Instant::now();
            extractor.extract(language, b"\n");
            (started.elapsed().as_secs_f64() * 1e3, language)
        })
        .collect();
    costs.sort_by(|one, other| other.0.total_cmp(&one.0));
    let total: f64 = costs.iter().map(|(cost, _)| cost).sum();
    for (cost, language) in costs {
        println!("{cost:8.2} ms  {language}");
    }
    println!("{total:8.2} ms  in all");
}
