//! Scores against a naive reference, bit for bit, whatever the index went through.

use std::collections::{BTreeMap, BTreeSet};

use icr_lexical::{
    ChunkDocument, FieldScores, HighWaterMark, Lexical, LexicalReader, LiveChunks, LivePaths, MemoryIndex, Merging,
    PathDocument, PathStatistics, Statistics, TextField, WriterOptions, tokens,
};
use icr_model::{BlobNo, ChunkNo, LiveSet, PathNo, RepoPath};
use proptest::prelude::*;

const WORDS: [&str; 9] = ["open", "file", "parser", "token", "merge", "index", "search", "graph", "node"];

/// What one document says.
#[derive(Debug, Clone)]
struct Content {
    body: String,
    definitions: Vec<String>,
    docs: String,
    path: RepoPath,
}

/// What happens to the documents, one step per document.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Nothing,
    Commit,
    CommitAndMerge,
    /// Deletes the document half-way back, which may be committed or not.
    DeleteEarlier,
}

#[derive(Debug, Clone)]
struct History {
    documents: Vec<(Content, Step)>,
    /// The last so many documents are in memory.
    in_memory: usize,
    live: Vec<bool>,
    query: Vec<String>,
}

fn words(count: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS.to_vec()), count).prop_map(|words| words.join(" "))
}

fn content() -> impl Strategy<Value = Content> {
    // Lengths above 40 are rounded by the index; some documents reach it.
    let body = prop_oneof![3 => words(0..12), 1 => words(40..90)];
    let definitions = prop::collection::vec(prop::sample::select(WORDS.to_vec()).prop_map(String::from), 0..3);
    (body, definitions, words(0..6), words(1..4)).prop_map(|(body, definitions, docs, path)| Content {
        body,
        definitions,
        docs,
        path: RepoPath::from(path.replace(' ', "/").as_str()),
    })
}

fn history() -> impl Strategy<Value = History> {
    let step = prop_oneof![
        5 => Just(Step::Nothing), 3 => Just(Step::Commit), 1 => Just(Step::CommitAndMerge), 1 => Just(Step::DeleteEarlier),
    ];
    let query = prop::sample::subsequence(WORDS.to_vec(), 1..6).prop_shuffle();
    prop::collection::vec((content(), step, prop::bool::weighted(0.7)), 1..24).prop_flat_map(move |documents| {
        (Just(documents.clone()), 0..documents.len().min(6), query.clone()).prop_map(|(documents, in_memory, query)| {
            History {
                in_memory,
                live: documents.iter().map(|(_, _, live)| *live).collect(),
                documents: documents.into_iter().map(|(content, step, _)| (content, step)).collect(),
                query: query.into_iter().map(String::from).collect(),
            }
        })
    })
}

fn chunk(no: u32, content: &Content) -> ChunkDocument<'_> {
    ChunkDocument {
        body: content.body.as_bytes(),
        definitions: content.definitions.iter().map(String::as_str).collect(),
        docs: vec![content.docs.as_bytes()],
        ..ChunkDocument::new(ChunkNo(no), BlobNo(no))
    }
}

/// Numbers of the documents: those in memory have the upper half.
fn numbers(history: &History) -> Vec<u32> {
    let stored = history.documents.len() - history.in_memory;
    (0..history.documents.len() as u32)
        .map(|no| if (no as usize) < stored { no } else { ChunkNo::FIRST_IN_MEMORY + no })
        .collect()
}

fn live_set(history: &History) -> LiveSet {
    let numbers = numbers(history);
    let mut live = LiveSet::from_numbers((0..numbers.len()).filter(|at| history.live[*at]).map(|at| numbers[at]));
    // A view never lists a chunk whose blob was deleted from the store.
    let stored = history.documents.len() - history.in_memory;
    for (at, (_, step)) in history.documents[..stored].iter().enumerate() {
        if *step == Step::DeleteEarlier {
            live.remove(numbers[at / 2]);
        }
    }
    live
}

/// Builds what `history` says on disk and in memory.
fn build(directory: &std::path::Path, history: &History) -> LexicalReader {
    let numbers = numbers(history);
    let stored = history.documents.len() - history.in_memory;
    let index = Lexical::create(directory).unwrap();
    let options = WriterOptions { memory_bytes: 0, threads: 1, merging: Merging::Never };
    let mut writer = index.writer(options).unwrap();
    for (no, (content, step)) in history.documents[..stored].iter().enumerate() {
        writer.add_chunk(&chunk(numbers[no], content)).unwrap();
        writer.add_path(&PathDocument { path_no: PathNo(numbers[no]), path: &content.path }).unwrap();
        if *step == Step::DeleteEarlier {
            writer.delete_blobs(&[BlobNo(numbers[no / 2])]);
        }
        if matches!(step, Step::Commit | Step::CommitAndMerge) {
            writer.commit(HighWaterMark::default()).unwrap();
        }
        if *step == Step::CommitAndMerge {
            writer.merge_all().unwrap();
        }
    }
    writer.commit(HighWaterMark::default()).unwrap();
    writer.finish().unwrap();
    let memory: Vec<_> = (stored..numbers.len()).map(|at| chunk(numbers[at], &history.documents[at].0)).collect();
    let paths: Vec<_> = (stored..numbers.len())
        .map(|at| PathDocument { path_no: PathNo(numbers[at]), path: &history.documents[at].0.path })
        .collect();
    index.reader(Some(&MemoryIndex::build(&memory, &paths).unwrap())).unwrap()
}

/// Token counts of one document in one field.
fn counts(texts: &[&[u8]]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for text in texts {
        tokens(text, &mut |token| *counts.entry(token.to_owned()).or_default() += 1);
    }
    counts
}

fn chunk_fields(content: &Content) -> [BTreeMap<String, u32>; 3] {
    let definitions: Vec<&[u8]> = content.definitions.iter().map(String::as_bytes).collect();
    [counts(&[content.body.as_bytes()]), counts(&definitions), counts(&[content.docs.as_bytes()])]
}

/// BM25 over `documents` by the book: number of document, token counts of its fields -> sums per field.
fn reference<const FIELDS: usize>(
    documents: &[(u32, [BTreeMap<String, u32>; FIELDS])],
    query: &[String],
) -> BTreeMap<u32, [f64; FIELDS]> {
    let total = documents.len() as f64;
    let mut scores = BTreeMap::new();
    for (no, fields) in documents {
        let mut sums = [0.0; FIELDS];
        for (at, sum) in sums.iter_mut().enumerate() {
            let length = |fields: &[BTreeMap<String, u32>; FIELDS]| fields[at].values().sum::<u32>();
            let average = documents.iter().map(|(_, fields)| u64::from(length(fields))).sum::<u64>() as f64 / total;
            for term in query {
                let Some(frequency) = fields[at].get(term) else { continue };
                let with = documents.iter().filter(|(_, fields)| fields[at].contains_key(term)).count() as f64;
                let idf = (1.0 + (total - with + 0.5) / (with + 0.5)).ln();
                let norm = 1.2 * (1.0 - 0.75 + 0.75 * f64::from(rounded(length(fields))) / average);
                *sum += idf * (f64::from(*frequency) * (1.2 + 1.0)) / (f64::from(*frequency) + norm);
            }
        }
        if query.iter().any(|term| fields.iter().any(|field| field.contains_key(term))) {
            scores.insert(*no, sums);
        }
    }
    scores
}

/// Lengths that an index tells apart: every length up to 40, then steps of 2, 4, 8 … eight of each.
fn rounded(length: u32) -> u32 {
    let mut at = 40;
    let mut step = 2;
    if length <= at {
        return length;
    }
    loop {
        for _ in 0..8 {
            if length < at + step {
                return at;
            }
            at += step;
        }
        step *= 2;
    }
}

fn sum(scores: &FieldScores) -> f64 {
    scores.fields.iter().sum()
}

fn bits<const FIELDS: usize>(scores: [f64; FIELDS]) -> [u64; FIELDS] {
    scores.map(f64::to_bits)
}

fn chunk_scores(chunks: &LiveChunks, query: &[String]) -> BTreeMap<u32, [u64; 3]> {
    let hits = chunks.search(query, usize::MAX, sum).unwrap();
    assert_eq!(hits.matched_total, hits.chunks.len() as u64);
    hits.chunks.iter().map(|hit| (hit.chunk_no.0, bits(hit.scores.fields))).collect()
}

fn path_scores(paths: &LivePaths, query: &[String]) -> BTreeMap<u32, [u64; 1]> {
    let hits = paths.search(query, usize::MAX).unwrap();
    hits.paths.iter().map(|hit| (hit.path_no.0, bits([hit.score]))).collect()
}

/// The live documents of `history` alone, in one segment.
fn fresh(history: &History, live: &LiveSet) -> MemoryIndex {
    let numbers = numbers(history);
    let live: Vec<usize> = (0..numbers.len()).filter(|at| live.contains(numbers[*at])).collect();
    let chunks: Vec<_> = live.iter().map(|at| chunk(numbers[*at], &history.documents[*at].0)).collect();
    let paths: Vec<_> = live
        .iter()
        .map(|at| PathDocument { path_no: PathNo(numbers[*at]), path: &history.documents[*at].0.path })
        .collect();
    MemoryIndex::build(&chunks, &paths).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn scores_depend_on_the_live_documents_alone(history in history()) {
        let directory = tempfile::tempdir().unwrap();
        let reader = build(directory.path(), &history);
        let live = live_set(&history);
        let alone = fresh(&history, &live);
        let statistics = alone.chunk_tokens().iter().fold(Statistics::default(), |sum, tokens| sum.with(*tokens));
        let path_statistics =
            PathStatistics { documents: live.len(), tokens: alone.path_tokens().iter().map(|count| u64::from(*count)).sum() };
        let chunks = reader.live_chunks(&live, statistics).unwrap();
        let paths = reader.live_paths(&live, path_statistics).unwrap();
        prop_assert_eq!(reader.live_chunks(&live, statistics).unwrap().documents_total(), live.len());
        prop_assert_eq!(paths.documents_total(), live.len());

        let numbers = numbers(&history);
        let contents = || history.documents.iter().zip(&numbers).filter(|(_, no)| live.contains(**no));
        let naive: Vec<_> = contents().map(|((content, _), no)| (*no, chunk_fields(content))).collect();
        let expected: BTreeMap<_, _> =
            reference(&naive, &history.query).into_iter().map(|(no, scores)| (no, bits(scores))).collect();
        prop_assert_eq!(&chunk_scores(&chunks, &history.query), &expected);
        let alone_chunks = LexicalReader::of_memory(&alone).unwrap().live_chunks(&live, statistics).unwrap();
        prop_assert_eq!(&chunk_scores(&alone_chunks, &history.query), &expected);

        let naive_paths: Vec<_> = contents().map(|((content, _), no)| (*no, [counts(&[content.path.as_bytes()])])).collect();
        let expected_paths: BTreeMap<_, _> =
            reference(&naive_paths, &history.query).into_iter().map(|(no, scores)| (no, bits(scores))).collect();
        prop_assert_eq!(&path_scores(&paths, &history.query), &expected_paths);
        let alone_paths = LexicalReader::of_memory(&alone).unwrap().live_paths(&live, path_statistics).unwrap();
        prop_assert_eq!(&path_scores(&alone_paths, &history.query), &expected_paths);

        for (term, count) in history.query.iter().zip(chunks.search(&history.query, 1, sum).unwrap().terms) {
            let with = |at: usize| naive.iter().filter(|(_, fields)| fields[at].contains_key(term)).count() as u64;
            prop_assert_eq!(count.fields, [with(0), with(1), with(2)]);
            let any = naive.iter().filter(|(_, fields)| fields.iter().any(|field| field.contains_key(term))).count();
            prop_assert_eq!(count.any, any as u64);
            for (at, field) in [TextField::Body, TextField::Definitions, TextField::Docs].into_iter().enumerate() {
                prop_assert_eq!(chunks.document_frequency(field, term).unwrap(), with(at));
            }
        }
    }

    #[test]
    fn a_limit_keeps_the_best_and_their_ties(history in history(), limit in 0..8_usize) {
        let directory = tempfile::tempdir().unwrap();
        let reader = build(directory.path(), &history);
        let live = live_set(&history);
        let statistics = fresh(&history, &live).chunk_tokens().iter().fold(Statistics::default(), |sum, t| sum.with(*t));
        let chunks = reader.live_chunks(&live, statistics).unwrap();
        let all = chunks.search(&history.query, usize::MAX, sum).unwrap();
        let some = chunks.search(&history.query, limit, sum).unwrap();
        let threshold = limit.checked_sub(1).map(|last| all.chunks.get(last).map_or(0.0, |hit| hit.rank));
        let expected: BTreeSet<u32> = all
            .chunks
            .iter()
            .filter(|hit| threshold.is_some_and(|threshold| hit.rank >= threshold))
            .map(|hit| hit.chunk_no.0)
            .collect();
        prop_assert_eq!(some.chunks.iter().map(|hit| hit.chunk_no.0).collect::<BTreeSet<_>>(), expected);
        prop_assert!(some.chunks.is_sorted_by(|left, right| left.rank >= right.rank));
        prop_assert_eq!(some.matched_total, all.matched_total);
    }

    #[test]
    fn definitions_and_identifiers_depend_on_the_live_documents_alone(history in history(), letters in "[a-z]{1,3}") {
        use icr_lexical::DefinitionPattern::{Exact, Prefix, Subsequence, Substring};

        let directory = tempfile::tempdir().unwrap();
        let reader = build(directory.path(), &history);
        let live = live_set(&history);
        let chunks = reader.live_chunks(&live, Statistics::default()).unwrap();
        let numbers = numbers(&history);
        let with = |holds: &dyn Fn(&Content) -> bool| -> Vec<u32> {
            let both = history.documents.iter().zip(&numbers);
            both.filter(|((content, _), no)| live.contains(**no) && holds(content)).map(|(_, no)| *no).collect()
        };
        for word in WORDS {
            let found: Vec<u32> = chunks.with_identifier(word).unwrap().iter().map(|chunk| chunk.chunk_no.0).collect();
            prop_assert_eq!(found, with(&|content| content.body.split(' ').any(|part| part == word)));
        }
        type Accepts<'a> = Box<dyn Fn(&str) -> bool + 'a>;
        let subsequence = |name: &str| {
            let mut rest = name.chars();
            letters.chars().all(|letter| rest.any(|character| character == letter))
        };
        let patterns: [(_, Accepts<'_>); 4] = [
            (Exact("TOKEN"), Box::new(|name: &str| name == "token")),
            (Prefix(&letters), Box::new(|name: &str| name.starts_with(&letters))),
            (Substring(&letters), Box::new(|name: &str| name.contains(&letters))),
            (Subsequence(&letters), Box::new(subsequence)),
        ];
        for (pattern, accepts) in &patterns {
            let mut expected: Vec<(String, Vec<u32>)> = WORDS
                .iter()
                .filter(|word| accepts(word))
                .map(|word| (word.to_string(), with(&|content| content.definitions.iter().any(|name| name == word))))
                .filter(|(_, chunks)| !chunks.is_empty())
                .collect();
            expected.sort_by_key(|(name, _)| (name.len(), name.clone()));
            for limit in [usize::MAX, 2] {
                let found: Vec<(String, Vec<u32>)> = chunks
                    .definitions(pattern, limit)
                    .unwrap()
                    .into_iter()
                    .map(|found| (found.name, found.chunks.iter().map(|chunk| chunk.chunk_no.0).collect()))
                    .collect();
                prop_assert_eq!(&found[..], &expected[..expected.len().min(limit)], "{:?}", pattern);
            }
        }
    }
}
