//! Trains the table of the built-in embedder on documented definitions.
//!
//! A text is a bag of word pieces. Training moves the rows of the table so that a sentence is nearer to its own
//! definition than to the others of a batch. Quality is measured on held-out packages: the sentences of a language's
//! definitions are asked among those definitions.

mod evaluation;
mod kernels;
mod model;
mod pairs;
mod prose;
mod schedule;
mod seed;
mod sources;
mod vocabulary;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use icr_embed::{Splitting, StaticEmbedder, StaticTable, WordCache, WordPiece};

use evaluation::HeldOut;
use model::{Bag, DIMS, Model};
use pairs::Pair;
use schedule::{Batches, rate_at};

pub(crate) use pairs::{PASSED_OVER, language_of, without_name};
pub(crate) use prose::Prose;
pub(crate) use seed::{Seed, digest};
pub(crate) use sources::fetch;

/// Directory of the table, and of the list of packages that it is trained on.
const ASSETS: &str = "crates/icr-embed/assets";

/// Passes over all pairs.
const EPOCHS: usize = 3;

/// Share of a definition's tokens that each pass drops, so that no single token dominates.
const DROPPED: f32 = 0.1;

/// Probability that the tokens of the path are added to a definition, and that the whole doc comment replaces its first
/// sentence.
const WITH_PATH: f32 = 0.6;
const WHOLE_DOC: f32 = 0.2;

/// Threads of training; the table does not depend on it.
const THREADS: usize = 2;

/// What cannot be trained, or measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{doing} `{}`: {source}", .path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
    #[error("`{}` has no packages with documented code; `cargo run -p xtask -- fetch-sources DIRECTORY` gets them", .0.display())]
    NothingToLearn(PathBuf),
    #[error("`{}` does not hold pairs as this version keeps them; remove it", .0.display())]
    Kept(PathBuf),
    #[error("`{}` is no table: {reason}", .path.display())]
    Table { path: PathBuf, reason: icr_embed::TableError },
    #[error("the list of sources, line {line}: {reason}")]
    Sources { line: usize, reason: String },
    #[error("`{command}` failed; {right}")]
    Command { command: String, right: &'static str },
}

/// Trains on the packages below `sources`, one directory each; writes the table into the crate that ships it and
/// reports its quality on held-out packages. Takes some minutes for 200,000 pairs.
pub(crate) fn train(sources: &Path, say: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let pairs = pairs::of_sources(sources, THREADS)?;
    if pairs.is_empty() {
        return Err(Error::NothingToLearn(sources.to_owned()));
    }
    let (held_out, pairs) = evaluation::split(pairs);
    say(&format!(
        "{} pairs, {} of them held out\n{}",
        pairs.len() + held_out.len(),
        held_out.len(),
        by_language(&pairs)
    ));
    let mut packages: HashMap<&str, usize> = HashMap::new();
    for pair in &pairs {
        let next = packages.len();
        packages.entry(&pair.package).or_insert(next);
    }
    let texts =
        pairs.iter().flat_map(|pair| [&pair.code, &pair.doc].map(|text| (packages[&*pair.package], text.as_str())));
    let pieces = vocabulary::vocabulary(texts);
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let examples = Examples::new(&pieces, &pairs);
    let mut seed = Seed::new(1);
    let mut model = Model::new(&examples.frequencies(pieces.len()), THREADS, &mut seed);
    let held_out = HeldOut::new(held_out);
    let mut best: Option<(f32, Vec<u8>)> = None;
    let steps = Batches::of(&pairs, &mut seed).len() * EPOCHS;
    let mut step = 0;
    for epoch in 0..EPOCHS {
        let (mut loss, mut right, mut asked) = (0.0, 0, 0);
        let batches = Batches::of(&pairs, &mut seed);
        for batch in &batches {
            let (queries, codes) = examples.batch(batch, &mut seed);
            let (loss_of_batch, right_of_batch) = model.step(&queries, &codes, rate_at(step, steps));
            (loss, right, asked, step) = (loss + loss_of_batch, right + right_of_batch, asked + batch.len(), step + 1);
        }
        let bytes = StaticTable::encode(&pieces, DIMS, &model.values()).map_err(table_error)?;
        let found = held_out.measure(&embedder(bytes.clone())?);
        let mean = found.mean();
        let (loss, right) = (loss / batches.len() as f32, right as f32 / asked as f32);
        say(&format!("pass {}: loss {loss:.3}, right {right:.3}, held out {mean:.4}\n", epoch + 1));
        if best.as_ref().is_none_or(|(before, _)| mean > *before) {
            best = Some((mean, bytes));
        }
    }
    let (_, bytes) = best.expect("there is a pass");
    say(&held_out.measure(&embedder(bytes.clone())?).to_string());
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).join(ASSETS).join("static.table");
    fs::write(&path, bytes).map_err(|source| Error::Io { doing: "writing", path, source })
}

/// Reports how well the file `table` finds the packages of `sources` that [`train`] holds out.
pub(crate) fn measure(sources: &Path, table: &Path, say: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let bytes = fs::read(table).map_err(|source| Error::Io { doing: "reading", path: table.to_owned(), source })?;
    let wrong = |reason| Error::Table { path: table.to_owned(), reason };
    let embedder = StaticTable::parse(bytes).and_then(StaticEmbedder::new).map_err(wrong)?;
    let (held_out, _) = evaluation::split(pairs::of_sources(sources, THREADS)?);
    if held_out.is_empty() {
        return Err(Error::NothingToLearn(sources.to_owned()));
    }
    say(&HeldOut::new(held_out).measure(&embedder).to_string());
    Ok(())
}

fn embedder(bytes: Vec<u8>) -> Result<StaticEmbedder, Error> {
    StaticTable::parse(bytes).and_then(StaticEmbedder::new).map_err(table_error)
}

fn table_error(reason: icr_embed::TableError) -> Error {
    Error::Table { path: Path::new(ASSETS).join("static.table"), reason }
}

fn by_language(pairs: &[Pair]) -> String {
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    pairs.iter().for_each(|pair| *counts.entry(pair.language).or_default() += 1);
    counts.into_iter().map(|(language, count)| format!("  {language} {count}\n")).collect()
}

/// The pairs as tokens.
struct Examples {
    pairs: Vec<Example>,
}

struct Example {
    sentence: Vec<u32>,
    doc: Vec<u32>,
    code: Vec<u32>,
    path: Vec<u32>,
}

impl Examples {
    fn new(pieces: &[&str], pairs: &[Pair]) -> Self {
        let vocabulary =
            WordPiece::from_vocabulary(pieces.iter().copied()).expect("pieces of a set, which is not empty");
        let mut cache = WordCache::default();
        let mut ids = |text: &str| {
            let mut ids = Vec::new();
            vocabulary.encode_into(text, Splitting::Code, &mut cache, &mut ids);
            ids.shrink_to_fit();
            ids
        };
        let example = |pair: &Pair| Example {
            sentence: ids(&pair.sentence),
            doc: ids(&pair.doc),
            code: ids(&pair.code),
            path: ids(&pair.path),
        };
        Self { pairs: pairs.iter().map(example).collect() }
    }

    /// The share of each token of all tokens of definitions.
    fn frequencies(&self, pieces: usize) -> Vec<f32> {
        let mut counts = vec![0_u32; pieces];
        self.pairs.iter().flat_map(|pair| &pair.code).for_each(|&id| counts[id as usize] += 1);
        let total: f64 = counts.iter().map(|count| f64::from(*count)).sum();
        counts.into_iter().map(|count| (f64::from(count) / total.max(1.0)) as f32).collect()
    }

    /// Queries and definitions of a batch, with this pass's random changes.
    fn batch(&self, batch: &[u32], seed: &mut Seed) -> (Vec<Bag>, Vec<Bag>) {
        let mut queries = Vec::with_capacity(batch.len());
        let mut codes = Vec::with_capacity(batch.len());
        for &at in batch {
            let example = &self.pairs[at as usize];
            let query = if seed.unit() < WHOLE_DOC { &example.doc } else { &example.sentence };
            queries.push(bag(query.iter().copied()));
            let path: &[u32] = if seed.unit() < WITH_PATH { &example.path } else { &[] };
            let kept = bag(example.code.iter().chain(path).copied());
            codes.push(kept.into_iter().filter(|_| seed.unit() >= DROPPED).collect());
        }
        (queries, codes)
    }
}

/// Distinct tokens with the square root of their counts, sorted by token.
fn bag(ids: impl Iterator<Item = u32>) -> Bag {
    let mut ids: Vec<u32> = ids.collect();
    ids.sort_unstable();
    ids.chunk_by(|a, b| a == b).map(|same| (same[0], (same.len() as f32).sqrt())).collect()
}
