//! Micro-benchmarks of hot loops, in CPU time of one thread.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use icr_lang::{ChunkLimits, Extractor, LanguageRow, language_row};
use icr_lexical::{
    ChunkDocument, HighWaterMark, Lexical, LiveChunks, Merging, Statistics, WriterOptions, query_terms, tokens,
};
use icr_model::{BlobNo, ChunkNo, Facts, LiveSet};
use tempfile::TempDir;

use crate::arguments::Micro;
use crate::budget;
use crate::clock::{self, median, milliseconds, quantile};
use crate::corpus::{Corpus, Member};
use crate::error::{Error, io};
use crate::report::{BenchReport, Measurement, grouped};

/// Runs of each loop, for their median.
const RUNS: usize = 7;

/// Most bytes of sources of one language: more would take longer and give the same result.
const LANGUAGE_BYTES: usize = 8 << 20;

/// Numbers of a live set: chunks of a repository of a few million lines.
const LIVE_NUMBERS: u32 = 1_000_000;

/// Chunks of one blob in a live set made of runs.
const RUN: u32 = 8;

/// Chunks that are scored.
const SCORED_CHUNKS: u32 = 100_000;

/// Words of a generated chunk: 700 bytes, as chunks of real code have.
const CHUNK_WORDS: u64 = 90;

/// Distinct words of generated chunks.
const VOCABULARY: u64 = 20_000;

/// Queries that are scored.
const QUERIES: u64 = 40;

/// Chunks that a search keeps.
const KEPT: usize = 200;

/// Measures all loops.
///
/// # Errors
///
/// [`Error::Repository`] when sources cannot be read; [`Error::Postings`] when generated chunks cannot be indexed.
pub(crate) fn run(request: &Micro) -> Result<(), Error> {
    let here = [PathBuf::from(".")];
    let paths = if request.repositories.is_empty() { here.as_slice() } else { request.repositories.as_slice() };
    let sources = Sources::read(paths)?;
    let mut report = BenchReport::new("micro");
    report.facts =
        vec![("MB of sources", format!("{:.1}", sources.megabytes())), ("runs, of which the median", RUNS.to_string())];
    report.rows.push(tokenise(&sources));
    report.rows.extend(extract(&sources));
    report.rows.extend(facts(&sources));
    report.rows.extend(live_sets());
    report.rows.extend(scorer()?);
    report.publish(request.out.as_deref())
}

/// Sources by language.
struct Sources {
    blobs: BTreeMap<&'static str, Vec<Vec<u8>>>,
}

impl Sources {
    fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut blobs: BTreeMap<&'static str, Vec<Vec<u8>>> = BTreeMap::new();
        let mut bytes: BTreeMap<&'static str, usize> = BTreeMap::new();
        for path in paths {
            let corpus = Corpus::open(path)?;
            let is_source = |member: &&Member| language_row(member.language).is_some_and(LanguageRow::is_code);
            let members = corpus.members.iter().filter(is_source);
            corpus.read(members, |member, blob| {
                let taken = bytes.entry(member.language).or_default();
                if *taken < LANGUAGE_BYTES {
                    *taken += blob.len();
                    blobs.entry(member.language).or_default().push(blob.to_vec());
                }
            })?;
        }
        Ok(Self { blobs })
    }

    fn all(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        self.blobs.iter().flat_map(|(language, blobs)| blobs.iter().map(|blob| (*language, blob.as_slice())))
    }

    fn megabytes(&self) -> f64 {
        self.all().map(|(_, blob)| blob.len()).sum::<usize>() as f64 / 1e6
    }
}

fn tokenise(sources: &Sources) -> Measurement {
    let mut count = 0_u64;
    let seconds = seconds_of(|| {
        count = 0;
        sources.all().for_each(|(_, blob)| tokens(blob, &mut |token| count += u64::from(!black_box(token).is_empty())));
    });
    rate("tokenise", sources.megabytes(), seconds).note(format!("{} tokens", grouped(count)))
}

fn extract(sources: &Sources) -> Vec<Measurement> {
    let mut extractor = Extractor::new(ChunkLimits::default());
    let mut rows = Vec::new();
    for (language, blobs) in &sources.blobs {
        let megabytes = blobs.iter().map(Vec::len).sum::<usize>() as f64 / 1e6;
        // The first time, a language compiles its queries.
        extractor.extract(language, b"\n");
        let parse = seconds_of(|| blobs.iter().for_each(|blob| _ = black_box(icr_lang::parse_work(language, blob))));
        let extract = seconds_of(|| blobs.iter().for_each(|blob| drop(black_box(extractor.extract(language, blob)))));
        let note = format!("{:.2} x its parse, {megabytes:.1} MB", extract / parse.max(f64::MIN_POSITIVE));
        rows.push(rate(&format!("extract {language}"), megabytes, extract).note(note));
    }
    rows
}

fn facts(sources: &Sources) -> Vec<Measurement> {
    let mut extractor = Extractor::new(ChunkLimits::default());
    let facts: Vec<Facts> = sources.all().map(|(language, blob)| extractor.extract(language, blob).facts).collect();
    let mut encoded = Vec::new();
    let encode = seconds_of(|| encoded = facts.iter().map(Facts::encode).collect::<Vec<_>>());
    let decode = seconds_of(|| {
        for bytes in &encoded {
            black_box(Facts::decode(bytes).expect("facts decode from what they were encoded to"));
        }
    });
    let share = encoded.iter().map(Vec::len).sum::<usize>() as f64 / 1e6 / sources.megabytes().max(f64::MIN_POSITIVE);
    let blobs = facts.len().max(1) as f64;
    let note = |seconds: f64| format!("{:.1} us a blob", seconds * 1e6 / blobs);
    vec![
        rate("encode facts, of sources", sources.megabytes(), encode).note(note(encode)),
        rate("decode facts, of sources", sources.megabytes(), decode).note(note(decode)),
        Measurement::new("encoded facts").figure(share, "x sources"),
    ]
}

fn live_sets() -> Vec<Measurement> {
    let row = |name: &str, seconds: f64| {
        let note = format!("{} numbers", grouped(u64::from(LIVE_NUMBERS)));
        Measurement::new(name).figure(seconds * 1e3, "ms").note(note)
    };
    let numbers = seconds_of(|| drop(black_box(LiveSet::from_numbers(0..LIVE_NUMBERS))));
    let runs = seconds_of(|| {
        let mut live = LiveSet::default();
        (0..LIVE_NUMBERS).step_by(RUN as usize).for_each(|first| live.insert_run(first, RUN));
        black_box(live);
    });
    vec![row("live set from numbers", numbers), row("live set from runs of 8", runs)]
}

fn scorer() -> Result<Vec<Measurement>, Error> {
    let directory = TempDir::with_prefix("icr-bench-").map_err(io("making a directory in", &std::env::temp_dir()))?;
    let (chunks, index_time) = generated_chunks(directory.path())?;
    let queries: Vec<Vec<String>> = (0..QUERIES).map(generated_query).collect();
    let mut matched = 0;
    let mut times = Vec::new();
    for terms in &queries {
        let mut search = || {
            let (hits, cpu) =
                clock::of_thread(|| chunks.search(terms, KEPT, |scores| scores.fields.iter().sum::<f64>()));
            matched += hits?.matched_total;
            Ok::<_, Error>(milliseconds(cpu))
        };
        let runs = (0..RUNS).map(|_| search()).collect::<Result<Vec<_>, _>>()?;
        times.push(median(&runs));
    }
    let name = |part: &str| format!("score {} chunks, {part}", grouped(u64::from(SCORED_CHUNKS)));
    let note = format!("{} queries, {} chunks match on average", QUERIES, grouped(matched / QUERIES / RUNS as u64));
    let index_rate = f64::from(SCORED_CHUNKS) / index_time.as_secs_f64().max(f64::MIN_POSITIVE);
    Ok(vec![
        Measurement::new("tokenise and post generated chunks")
            .figure(index_rate, "chunks a second")
            .note("without the writer's own thread"),
        Measurement::new(name("p50")).figure(median(&times), "ms").budget(budget::WARM_SEARCH_MS).note(note),
        Measurement::new(name("p99")).figure(quantile(&times, 0.99), "ms"),
    ])
}

/// Generated chunks, posted and all live, and the CPU that posting took on this thread.
fn generated_chunks(directory: &Path) -> Result<(LiveChunks, Duration), Error> {
    let lexical = Lexical::create(directory)?;
    let mut writer = lexical.writer(WriterOptions { merging: Merging::Never, ..WriterOptions::default() })?;
    let mut statistics = Statistics::default();
    let (posted, cpu) = clock::of_thread(|| -> Result<(), Error> {
        for number in 0..SCORED_CHUNKS {
            let body = generated_body(u64::from(number));
            let name = word(u64::from(number) % VOCABULARY);
            let document = ChunkDocument {
                body: body.as_bytes(),
                definitions: vec![&name],
                ..ChunkDocument::new(ChunkNo(number), BlobNo(number / RUN))
            };
            statistics = statistics.with(writer.add_chunk(&document)?);
        }
        Ok(())
    });
    posted?;
    let mark =
        HighWaterMark { next_chunk: SCORED_CHUNKS, next_blob: SCORED_CHUNKS.div_ceil(RUN), ..HighWaterMark::default() };
    writer.commit(mark)?;
    let live = LiveSet::from_numbers(0..SCORED_CHUNKS);
    Ok((lexical.reader(None)?.live_chunks(&live, statistics)?, cpu))
}

/// Words as code has them: some in camel case, common ones much more often than rare ones.
fn generated_body(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut body = String::new();
    for at in 0..CHUNK_WORDS {
        body.push_str(&word(random.rank()));
        if random.next().is_multiple_of(4) {
            body.push_str(&capitalised(&word(random.rank())));
        }
        body.push(if at % 9 == 8 { '\n' } else { ' ' });
    }
    body
}

/// Two to five words, from common to rare.
fn generated_query(number: u64) -> Vec<String> {
    let mut random = Random(number.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1);
    let words: Vec<String> = (0..2 + number % 4).map(|_| word(random.rank())).collect();
    query_terms(&words.join(" "))
}

/// The word of a rank: syllables, so that it is a word to the tokenizer and its stemmer.
fn word(rank: u64) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "co", "di", "fu", "ga", "ho", "ki", "lu", "ma", "no", "pe", "ra", "si", "to", "vu", "ze"];
    let mut rest = rank + 16;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(SYLLABLES[(rest % 16) as usize]);
        rest /= 16;
    }
    word
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// Marsaglia's xorshift64: the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A rank of the vocabulary. The fourth power of a uniform number puts a tenth of all words on the first two ranks,
    /// about as the commonest words of code do.
    fn rank(&mut self) -> u64 {
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (uniform.powi(4) * VOCABULARY as f64) as u64
    }
}

/// Median CPU seconds of a few runs of `work`.
fn seconds_of(mut work: impl FnMut()) -> f64 {
    let runs: Vec<f64> = (0..RUNS).map(|_| clock::of_thread(&mut work).1.as_secs_f64()).collect();
    median(&runs)
}

fn rate(name: &str, megabytes: f64, seconds: f64) -> Measurement {
    Measurement::new(name).figure(megabytes / seconds.max(f64::MIN_POSITIVE), "MB a second")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn generated_words_differ_and_are_whole_tokens() {
        let words: HashSet<String> = (0..VOCABULARY).map(word).collect();
        assert_eq!(words.len() as u64, VOCABULARY);
        for rank in [0, 17, VOCABULARY - 1] {
            assert_eq!(query_terms(&word(rank))[0], word(rank));
        }
    }

    #[test]
    fn generated_chunks_are_the_same_in_every_run_and_differ_from_each_other() {
        assert_eq!(generated_body(7), generated_body(7));
        assert_ne!(generated_body(7), generated_body(8));
        assert!((400..1200).contains(&generated_body(7).len()), "{}", generated_body(7).len());
    }

    #[test]
    fn common_words_are_common() {
        let mut random = Random(1);
        let ranks: Vec<u64> = (0..10_000).map(|_| random.rank()).collect();
        assert!(ranks.iter().all(|rank| *rank < VOCABULARY));
        let common = ranks.iter().filter(|rank| **rank < 2).count();
        assert!((700..1300).contains(&common), "{common}");
    }

    #[test]
    fn sources_are_read_by_language() {
        let fixture = icr_fixture::Fixture::new("//- a.rs\nfn a() {}\n//- b.py\nb = 1\n//- c.txt\ntext\n");
        let sources = Sources::read(&[fixture.root().to_owned()]).unwrap();
        assert_eq!(sources.blobs.keys().copied().collect::<Vec<_>>(), ["python", "rust"]);
        assert_eq!(sources.all().map(|(_, blob)| blob.len()).sum::<usize>(), 16);
    }
}
