//! Fusion: normalised channels, weighted and added, one place per file.

use crate::evidence::chunk_text;
use crate::{Channel, ChunkEvidence, FileEvidence, Penalty, QueryShape, Weights, penalty_of};

/// What the second and further best chunks of a file add to the first by their words. One chunk alone ranks 0.03
/// NDCG@10 lower; equal weights rank long files of little relevance first.
const FURTHER_CHUNKS: [f64; 5] = [1.0, 0.6, 0.4, 0.3, 0.2];

/// The same for a single field, which fewer chunks have.
const FURTHER_OF_FIELD: [f64; 3] = [1.0, 0.5, 0.25];

/// What ranking must know of a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryEvidence {
    /// Its shape.
    pub shape: QueryShape,
    /// How rare each of its terms is among the live paths, by [`crate::rarity`], for the first 64 terms in the order of
    /// the bits in [`crate::NameMatch::terms_matched`].
    pub path_rarities: Vec<f64>,
}

/// A chunk inside a ranked file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// Index in [`FileEvidence::chunks`].
    pub chunk: usize,
    /// How good it is by its words and vector, in `0.0..=1.0` of the best chunk of the answer.
    pub score: f64,
}

/// One channel's part in a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// The channel.
    pub channel: Channel,
    /// Its value, in `0.0..=1.0`.
    pub value: f64,
    /// Its share in the score; those of a file add up to 1.
    pub weight: f64,
}

/// A file in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Index in the files given.
    pub file: usize,
    /// Score in `0.0..=1.0`; comparable within one answer only.
    pub score: f64,
    /// Chunks, best first; those that define what was asked for lead.
    pub chunks: Vec<Placed>,
    /// What the score is the sum of, before the penalty: channels of weight above 0, in their order.
    pub parts: Vec<Part>,
    /// The penalty that was applied.
    pub penalty: Option<Penalty>,
}

/// Puts `files` in order, best first; equal scores by path. Cost: linear in the chunks, and a sort of the files.
///
/// Text and cosines are measured against the best of `files`, so a candidate more or less shifts all scores, but no two
/// files for it alone. A file without a vector among files that have one is judged by its other channels.
pub fn rank(files: &[FileEvidence], query: &QueryEvidence, weights: &Weights) -> Vec<Ranked> {
    let mut values: Vec<Values> = files.iter().map(|file| values_of(file, query)).collect();
    let tops = Channel::all().map(|channel| top_of(&values, channel)).collect::<Vec<_>>();
    for values in &mut values {
        for (value, top) in values.iter_mut().zip(&tops) {
            *value = value.map(|value| share(value, *top));
        }
    }
    let best_chunk = ChunkTops::of(files);
    let mut ranked: Vec<Ranked> = Vec::with_capacity(files.len());
    for (at, (file, values)) in files.iter().zip(&values).enumerate() {
        let parts = parts_of(values, weights);
        let sum: f64 = parts.iter().map(|part| part.value * part.weight).sum();
        let penalty = penalty_of(&file.path, &query.shape);
        let score = sum * penalty.map_or(1.0, |penalty| penalty.factor);
        let chunks = placed(&file.chunks, &best_chunk, weights);
        ranked.push(Ranked { file: at, score, chunks, parts, penalty });
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| files[a.file].path.cmp(&files[b.file].path)));
    ranked
}

/// A value for each channel; `None` where the evidence is missing.
type Values = [Option<f64>; Channel::COUNT];

fn values_of(file: &FileEvidence, query: &QueryEvidence) -> Values {
    let chunks = &file.chunks;
    let field = |at: usize| weighted_best(chunks.iter().map(|chunk| chunk.fields[at]), &FURTHER_OF_FIELD);
    let flag = |is_set: bool| if is_set { 1.0 } else { 0.0 };
    let nearest = chunks.iter().filter_map(|chunk| chunk.cosine).max_by(f64::total_cmp);
    std::array::from_fn(|at| {
        let value = match Channel::at(at) {
            Channel::Text => weighted_best(chunks.iter().map(|chunk| chunk_text(&chunk.fields)), &FURTHER_CHUNKS),
            Channel::Names => field(1),
            Channel::Comments => field(2),
            Channel::Path => file.path_score,
            Channel::FileName => name_value(file, &query.path_rarities),
            Channel::Definition => {
                chunks.iter().filter_map(|chunk| chunk.defined).map(crate::Defined::value).fold(0.0, f64::max)
            }
            Channel::Similarity => file.similarity?,
            Channel::NearestChunk => nearest?,
            Channel::PathSimilarity => file.path_similarity?,
            Channel::History => file.history_score,
            Channel::Recency => file.recency.min(1.0),
            Channel::Length => f64::from(file.lines_total).ln_1p(),
            Channel::Contract => flag(chunks.iter().any(|chunk| chunk.is_contract && says_something(chunk))),
            Channel::Focus => flag(file.in_focus),
            Channel::Pinned => flag(file.is_pinned),
        };
        // Nothing else is comparable with what is not a number, and an opposite direction is no evidence.
        Some(if value > 0.0 { value.min(f64::MAX) } else { 0.0 })
    })
}

fn says_something(chunk: &ChunkEvidence) -> bool {
    chunk_text(&chunk.fields) > 0.0 || chunk.defined.is_some()
}

/// Share of the name that the query says, times the rarity of what it says.
fn name_value(file: &FileEvidence, rarities: &[f64]) -> f64 {
    if file.name.words == 0 {
        return 0.0;
    }
    let said = f64::from(file.name.words_matched.min(file.name.words)) / f64::from(file.name.words);
    let terms = rarities.iter().take(64).enumerate();
    let matched = terms.filter(|(term, _)| file.name.terms_matched & (1 << term) != 0);
    said * matched.map(|(_, rarity)| rarity).sum::<f64>()
}

/// The greatest of `scores`, best first, each times its weight, added.
fn weighted_best(scores: impl Iterator<Item = f64>, weights: &[f64]) -> f64 {
    let mut best: Vec<f64> = scores.filter(|score| *score > 0.0).collect();
    best.sort_by(|a, b| b.total_cmp(a));
    best.iter().zip(weights).map(|(score, weight)| score * weight).sum()
}

/// What the values of `channel` are measured against: the greatest there is; for what is a share by itself, 1.
fn top_of(values: &[Values], channel: Channel) -> f64 {
    match channel {
        Channel::Definition | Channel::Recency | Channel::Contract | Channel::Focus | Channel::Pinned => 1.0,
        _ => values.iter().filter_map(|values| values[channel as usize]).fold(0.0, f64::max),
    }
}

/// The channels that the file has, their weights made to add up to 1.
fn parts_of(values: &Values, weights: &Weights) -> Vec<Part> {
    let present = || {
        Channel::all().filter_map(|channel| {
            let weight = weights.of(channel);
            values[channel as usize].filter(|_| weight > 0.0).map(|value| (channel, value, weight))
        })
    };
    let sum: f64 = present().map(|(_, _, weight)| weight).sum();
    present().map(|(channel, value, weight)| Part { channel, value, weight: weight / sum }).collect()
}

/// The best of all chunks by words and by vector.
struct ChunkTops {
    text: f64,
    cosine: f64,
}

impl ChunkTops {
    fn of(files: &[FileEvidence]) -> Self {
        let chunks = || files.iter().flat_map(|file| &file.chunks);
        Self {
            text: chunks().map(|chunk| chunk_text(&chunk.fields)).fold(0.0, f64::max),
            cosine: chunks().filter_map(|chunk| chunk.cosine).fold(0.0, f64::max),
        }
    }
}

fn placed(chunks: &[ChunkEvidence], tops: &ChunkTops, weights: &Weights) -> Vec<Placed> {
    let (text, vector) = (weights.of(Channel::Text), weights.of(Channel::NearestChunk));
    let score = |chunk: &ChunkEvidence| {
        let said = share(chunk_text(&chunk.fields), tops.text);
        match chunk.cosine {
            Some(cosine) if text + vector > 0.0 => {
                (text * said + vector * share(cosine.max(0.0), tops.cosine)) / (text + vector)
            }
            _ => said,
        }
    };
    let mut placed: Vec<Placed> =
        chunks.iter().enumerate().map(|(at, chunk)| Placed { chunk: at, score: score(chunk) }).collect();
    // A chunk that defines what was asked for leads its file: the reader wants the definition, not its densest user.
    let defined = |placed: &Placed| chunks[placed.chunk].defined.map_or(0.0, crate::Defined::value);
    placed.sort_by(|a, b| {
        let by_place = || chunks[a.chunk].ordinal.cmp(&chunks[b.chunk].ordinal);
        defined(b).total_cmp(&defined(a)).then(b.score.total_cmp(&a.score)).then_with(by_place)
    });
    placed
}

fn share(score: f64, top: f64) -> f64 {
    if top > 0.0 { score / top } else { 0.0 }
}
