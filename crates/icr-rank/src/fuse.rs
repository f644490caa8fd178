//! Fusion: makes the values of channels comparable, adds them by weight, and gives each file one place.

use std::cmp::Ordering;

use crate::evidence::chunk_text;
use crate::versions::Versions;
use crate::{Channel, ChunkEvidence, FileEvidence, Fusion, Penalty, QueryShape, Weights};

/// Factors on the scores of the best chunks of a file, in order, in the sum for its words. Without vectors, the best
/// chunk alone ranks 0.009 NDCG@10 lower, and three chunks with halved factors 0.002.
const FURTHER_CHUNKS: [f64; 5] = [1.0, 0.6, 0.4, 0.3, 0.2];

/// Such factors for a single field, which fewer chunks have.
const FURTHER_OF_FIELD: [f64; 3] = [1.0, 0.5, 0.25];

/// Constant that [`Fusion::ReciprocalRank`] adds to a rank before it takes the reciprocal.
const RANK_CONSTANT: f64 = 60.0;

/// The part of the evidence that belongs to the query, not to a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryEvidence {
    /// Its shape.
    pub shape: QueryShape,
    /// Rarity of each of its terms among the live paths, as in BM25; only of the first 64 terms, in the order of the
    /// bits in [`crate::NameMatch::terms_matched`].
    pub path_rarities: Vec<f64>,
}

/// A chunk inside a ranked file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedChunk {
    /// Index in [`FileEvidence::chunks`].
    pub chunk: usize,
    /// Score of its words and its vector, relative to the best chunk of the answer, which has 1.
    pub score: f64,
}

/// The contribution of one channel to a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChannelContribution {
    /// The channel.
    pub channel: Channel,
    /// Its value, in `0.0..=1.0`.
    pub value: f64,
    /// Its share in the score; those of a file add up to 1.
    pub weight: f64,
}

/// A file with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedFile {
    /// Index in the files given.
    pub file: usize,
    /// Score in `0.0..=1.0`; comparable within one answer only.
    pub score: f64,
    /// Chunks, best first; chunks that define what was asked for come before all others.
    pub chunks: Vec<RankedChunk>,
    /// What the score is the sum of, before the penalty: channels of weight above 0, in their order.
    pub parts: Vec<ChannelContribution>,
    /// The penalty that was applied.
    pub penalty: Option<Penalty>,
    /// Change of the score by reranking, positive or negative; `None` if the file was not reranked.
    pub read_again: Option<f64>,
}

/// Ranks `files`, best first; files with equal scores are in order of their paths. Cost: linear in the chunks, and a
/// sort of the files.
///
/// BM25 scores and cosines are divided by the largest among `files`. So a further candidate can change all scores, but
/// it does not change the order of two others by itself. A file without a vector among files that have one is judged by
/// its other channels.
pub fn rank(files: &[FileEvidence], query: &QueryEvidence, weights: &Weights) -> Vec<RankedFile> {
    rank_among(files, &(0..files.len()).collect::<Vec<_>>(), query, weights)
}

/// As [`rank`], for the files with the indices `some`, which are compared only with each other.
pub fn rank_among(files: &[FileEvidence], some: &[usize], query: &QueryEvidence, weights: &Weights) -> Vec<RankedFile> {
    let best_chunk = ChunkTops::of(some.iter().map(|file| &files[*file]));
    let mut ranked: Vec<RankedFile> = scored(files, some, query, weights)
        .map(|FileScore { file, score, values, penalty }| RankedFile {
            file,
            score,
            chunks: placed(&files[file].chunks, &best_chunk, weights),
            parts: parts_of(&values, weights).collect(),
            penalty,
            read_again: None,
        })
        .collect();
    ranked.sort_by(|a, b| rank_order(files, (a.file, a.score), (b.file, b.score)));
    ranked
}

/// Indices of the first `limit` files of [`rank`], in no order. Cost: linear in the chunks.
pub fn leading(files: &[FileEvidence], query: &QueryEvidence, weights: &Weights, limit: usize) -> Vec<usize> {
    let all: Vec<usize> = (0..files.len()).collect();
    let scored = scored(files, &all, query, weights).map(|FileScore { file, score, .. }| (file, score));
    let mut scored: Vec<(usize, f64)> = scored.collect();
    if limit < scored.len() {
        scored.select_nth_unstable_by(limit, |a, b| rank_order(files, *a, *b));
        scored.truncate(limit);
    }
    scored.into_iter().map(|(file, _)| file).collect()
}

/// Compares files, given by index and score: the better score first, then by path.
fn rank_order(files: &[FileEvidence], a: (usize, f64), b: (usize, f64)) -> Ordering {
    b.1.total_cmp(&a.1).then_with(|| files[a.0].path.cmp(&files[b.0].path))
}

/// A file with its score.
struct FileScore {
    file: usize,
    score: f64,
    /// Its values, comparable with those of the other files.
    values: Values,
    penalty: Option<Penalty>,
}

fn scored<'a>(
    files: &'a [FileEvidence],
    some: &'a [usize],
    query: &'a QueryEvidence,
    weights: &'a Weights,
) -> impl Iterator<Item = FileScore> + 'a {
    let mut values: Vec<Values> = some.iter().map(|file| values_of(&files[*file], query, weights)).collect();
    for channel in Channel::all() {
        match weights.fusion() {
            Fusion::ReciprocalRank if !channel.is_share() => by_place(&mut values, channel),
            _ => by_share(&mut values, channel),
        }
    }
    let versions = Versions::of(some.iter().map(|file| &files[*file].path));
    some.iter().zip(values).map(move |(file, values)| {
        let sum: f64 = parts_of(&values, weights).map(|part| part.value * part.weight).sum();
        let older = || versions.is_older(&files[*file].path, &query.shape.versions).then_some(Penalty::OLDER_VERSION);
        let penalty = files[*file].kind.and_then(|kind| kind.penalty(&query.shape)).or_else(older);
        FileScore { file: *file, score: sum * penalty.map_or(1.0, |penalty| penalty.factor), values, penalty }
    })
}

/// A value for each channel; `None` if there is no evidence for it or its weight is 0.
type Values = [Option<f64>; Channel::COUNT];

fn values_of(file: &FileEvidence, query: &QueryEvidence, weights: &Weights) -> Values {
    let chunks = &file.chunks;
    let field = |at: usize| weighted_best(chunks.iter().map(|chunk| chunk.fields[at]), &FURTHER_OF_FIELD);
    let flag = |is_set: bool| if is_set { 1.0 } else { 0.0 };
    let nearest = || chunks.iter().filter_map(|chunk| chunk.cosine).max_by(f64::total_cmp);
    std::array::from_fn(|at| {
        let channel = Channel::at(at);
        if weights.of(channel) <= 0.0 {
            return None;
        }
        let value = match channel {
            Channel::Text => weighted_best(chunks.iter().map(|chunk| chunk_text(&chunk.fields)), &FURTHER_CHUNKS),
            Channel::Names => field(1),
            Channel::Comments => field(2),
            Channel::Path => file.path_score,
            Channel::FileName => name_value(file, &query.path_rarities),
            Channel::Mentioned => file.mentioned?,
            Channel::Definition => chunks
                .iter()
                .filter_map(|chunk| chunk.defined)
                .map(crate::DefinitionEvidence::value)
                .fold(0.0, f64::max),
            Channel::Similarity => file.similarity?,
            Channel::ModelSimilarity => file.model_similarity?,
            Channel::ModelNearest => file.model_nearest?,
            Channel::NearestChunk => nearest()?,
            Channel::History => file.history_score,
            Channel::Recency => file.recency.clamp(0.0, 1.0),
            Channel::Length => f64::from(file.lines_total).ln_1p(),
            Channel::Contract => flag(chunks.iter().any(|chunk| chunk.is_contract && says_something(chunk))),
            Channel::Focus => flag(file.in_focus),
            Channel::Pinned => flag(file.is_pinned),
        };
        // NaN cannot be compared, and a negative cosine is no evidence, so both count as 0.
        Some(if value > 0.0 { value.min(f64::MAX) } else { 0.0 })
    })
}

fn says_something(chunk: &ChunkEvidence) -> bool {
    chunk_text(&chunk.fields) > 0.0 || chunk.defined.is_some()
}

/// Share of the words of the name that the query has, times the rarity of these words.
fn name_value(file: &FileEvidence, rarities: &[f64]) -> f64 {
    if file.name.words == 0 {
        return 0.0;
    }
    let said = f64::from(file.name.words_matched.min(file.name.words)) / f64::from(file.name.words);
    let terms = rarities.iter().take(64).enumerate();
    let matched = terms.filter(|(term, _)| file.name.terms_matched & (1 << term) != 0);
    said * matched.map(|(_, rarity)| rarity).sum::<f64>()
}

/// Sum of the largest of `scores`, each times the weight of its rank.
fn weighted_best<const N: usize>(scores: impl Iterator<Item = f64>, weights: &[f64; N]) -> f64 {
    let mut best = [0.0; N];
    for score in scores {
        // A score below all kept ones drops out, and so does NaN.
        let mut carried = score;
        for kept in &mut best {
            if carried > *kept {
                std::mem::swap(kept, &mut carried);
            }
        }
    }
    best.iter().zip(weights).map(|(score, weight)| score * weight).sum()
}

/// Divides the values of `channel` by the largest one, unless they are shares already.
fn by_share(values: &mut [Values], channel: Channel) {
    let greatest = || values.iter().filter_map(|values| values[channel as usize]).fold(0.0, f64::max);
    let top = if channel.is_share() { 1.0 } else { greatest() };
    for values in values {
        values[channel as usize] = values[channel as usize].map(|value| share(value, top));
    }
}

/// Replaces the values of `channel` by a function of their ranks; equal values share a rank, and a value of 0 stays 0.
fn by_place(values: &mut [Values], channel: Channel) {
    let mut order: Vec<f64> = values.iter().filter_map(|values| values[channel as usize]).collect();
    order.sort_by(|a, b| b.total_cmp(a));
    let of = |value: f64| {
        let place = 1 + order.partition_point(|other| *other > value);
        if value > 0.0 { (RANK_CONSTANT + 1.0) / (RANK_CONSTANT + place as f64) } else { 0.0 }
    };
    for values in values {
        values[channel as usize] = values[channel as usize].map(of);
    }
}

/// The channels for which the file has evidence, with their weights scaled so that they add up to 1.
fn parts_of<'a>(values: &'a Values, weights: &'a Weights) -> impl Iterator<Item = ChannelContribution> + 'a {
    let present = move || {
        Channel::all().filter_map(|channel| values[channel as usize].map(|value| (channel, value, weights.of(channel))))
    };
    let sum: f64 = present().map(|(_, _, weight)| weight).sum();
    present().map(move |(channel, value, weight)| ChannelContribution { channel, value, weight: weight / sum })
}

/// The largest scores of all chunks, by words and by vector.
struct ChunkTops {
    text: f64,
    cosine: f64,
}

impl ChunkTops {
    fn of<'a>(files: impl Iterator<Item = &'a FileEvidence>) -> Self {
        files.flat_map(|file| &file.chunks).fold(Self { text: 0.0, cosine: 0.0 }, |tops, chunk| Self {
            text: tops.text.max(chunk_text(&chunk.fields)),
            cosine: tops.cosine.max(chunk.cosine.unwrap_or(0.0)),
        })
    }
}

fn placed(chunks: &[ChunkEvidence], tops: &ChunkTops, weights: &Weights) -> Vec<RankedChunk> {
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
    let mut placed: Vec<RankedChunk> =
        chunks.iter().enumerate().map(|(at, chunk)| RankedChunk { chunk: at, score: score(chunk) }).collect();
    // A chunk that defines what was asked for leads its file: the reader wants the definition, not its densest user.
    let defined = |placed: &RankedChunk| chunks[placed.chunk].defined.map_or(0.0, crate::DefinitionEvidence::value);
    placed.sort_by(|a, b| {
        let by_place = || chunks[a.chunk].ordinal.cmp(&chunks[b.chunk].ordinal);
        defined(b).total_cmp(&defined(a)).then(b.score.total_cmp(&a.score)).then_with(by_place)
    });
    placed
}

fn share(score: f64, top: f64) -> f64 {
    if top > 0.0 { score / top } else { 0.0 }
}

#[cfg(test)]
mod tests;
