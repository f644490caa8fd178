//! Fusion: normalised channels, weighted and added, one place per file.

use std::cmp::Ordering;

use crate::evidence::chunk_text;
use crate::versions::Versions;
use crate::{Channel, ChunkEvidence, FileEvidence, Penalty, QueryShape, Weights};

/// What the second and further best chunks of a file add to the first by their words. Without vectors the first alone
/// ranks 0.009 NDCG@10 lower, three with halved weights 0.002.
const FURTHER_CHUNKS: [f64; 5] = [1.0, 0.6, 0.4, 0.3, 0.2];

/// The same for a single field, which fewer chunks have.
const FURTHER_OF_FIELD: [f64; 3] = [1.0, 0.5, 0.25];

/// What ranking must know of a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryEvidence {
    /// Its shape.
    pub shape: QueryShape,
    /// How rare each of its terms is among the live paths, as in BM25, for the first 64 terms in the order of
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
    rank_among(files, &(0..files.len()).collect::<Vec<_>>(), query, weights)
}

/// As [`rank`], of those of `files` whose indices are `some`, which are measured against each other alone.
pub fn rank_among(files: &[FileEvidence], some: &[usize], query: &QueryEvidence, weights: &Weights) -> Vec<Ranked> {
    let best_chunk = ChunkTops::of(some.iter().map(|file| &files[*file]));
    let mut ranked: Vec<Ranked> = scored(files, some, query, weights)
        .map(|Scored { file, score, values, penalty }| Ranked {
            file,
            score,
            chunks: placed(&files[file].chunks, &best_chunk, weights),
            parts: parts_of(&values, weights).collect(),
            penalty,
        })
        .collect();
    ranked.sort_by(|a, b| better(files, (a.file, a.score), (b.file, b.score)));
    ranked
}

/// Indices of the first `limit` files of [`rank`], in no order. Cost: linear in the chunks.
pub fn leading(files: &[FileEvidence], query: &QueryEvidence, weights: &Weights, limit: usize) -> Vec<usize> {
    let all: Vec<usize> = (0..files.len()).collect();
    let scored = scored(files, &all, query, weights).map(|Scored { file, score, .. }| (file, score));
    let mut scored: Vec<(usize, f64)> = scored.collect();
    if limit < scored.len() {
        scored.select_nth_unstable_by(limit, |a, b| better(files, *a, *b));
        scored.truncate(limit);
    }
    scored.into_iter().map(|(file, _)| file).collect()
}

/// The order of files by index and score.
fn better(files: &[FileEvidence], a: (usize, f64), b: (usize, f64)) -> Ordering {
    b.1.total_cmp(&a.1).then_with(|| files[a.0].path.cmp(&files[b.0].path))
}

/// A file with its score.
struct Scored {
    file: usize,
    score: f64,
    /// Each measured against the greatest there is.
    values: Values,
    penalty: Option<Penalty>,
}

fn scored<'a>(
    files: &'a [FileEvidence],
    some: &'a [usize],
    query: &'a QueryEvidence,
    weights: &'a Weights,
) -> impl Iterator<Item = Scored> + 'a {
    let values: Vec<Values> = some.iter().map(|file| values_of(&files[*file], query, weights)).collect();
    let tops: Vec<f64> = Channel::all().map(|channel| top_of(&values, channel)).collect();
    let versions = Versions::of(some.iter().map(|file| &files[*file].path));
    some.iter().zip(values).map(move |(file, mut values)| {
        for (value, top) in values.iter_mut().zip(&tops) {
            *value = value.map(|value| share(value, *top));
        }
        let sum: f64 = parts_of(&values, weights).map(|part| part.value * part.weight).sum();
        let older = || versions.is_older(&files[*file].path, &query.shape.versions).then_some(Penalty::OLDER_VERSION);
        let penalty = files[*file].kind.and_then(|kind| kind.penalty(&query.shape)).or_else(older);
        Scored { file: *file, score: sum * penalty.map_or(1.0, |penalty| penalty.factor), values, penalty }
    })
}

/// A value for each channel; `None` where the evidence is missing, or counts nothing.
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
            Channel::Definition => {
                chunks.iter().filter_map(|chunk| chunk.defined).map(crate::Defined::value).fold(0.0, f64::max)
            }
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
fn weighted_best<const N: usize>(scores: impl Iterator<Item = f64>, weights: &[f64; N]) -> f64 {
    let mut best = [0.0; N];
    for score in scores {
        // What is smaller than all that are kept falls off the end; so does what is not a number.
        let mut carried = score;
        for kept in &mut best {
            if carried > *kept {
                std::mem::swap(kept, &mut carried);
            }
        }
    }
    best.iter().zip(weights).map(|(score, weight)| score * weight).sum()
}

/// What the values of `channel` are measured against: the greatest there is; for what is a share by itself, 1.
fn top_of(values: &[Values], channel: Channel) -> f64 {
    match channel {
        Channel::Definition
        | Channel::Mentioned
        | Channel::Recency
        | Channel::Contract
        | Channel::Focus
        | Channel::Pinned => 1.0,
        _ => values.iter().filter_map(|values| values[channel as usize]).fold(0.0, f64::max),
    }
}

/// The channels that the file has, their weights made to add up to 1.
fn parts_of<'a>(values: &'a Values, weights: &'a Weights) -> impl Iterator<Item = Part> + 'a {
    let present = move || {
        Channel::all().filter_map(|channel| values[channel as usize].map(|value| (channel, value, weights.of(channel))))
    };
    let sum: f64 = present().map(|(_, _, weight)| weight).sum();
    present().map(move |(channel, value, weight)| Part { channel, value, weight: weight / sum })
}

/// The best of all chunks by words and by vector.
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

#[cfg(test)]
mod tests {
    use icr_model::SymbolKind;
    use proptest::prelude::*;

    use super::*;
    use crate::{Defined, FileKind, NameMatch};

    fn of_path(path: &str) -> FileEvidence {
        FileEvidence::new(path.into(), FileKind::of(&path.into()))
    }

    /// A file of 100 lines whose chunks have these BM25 sums in their bodies.
    fn file(path: &str, bodies: &[f64]) -> FileEvidence {
        let chunks = bodies.iter().zip(0..);
        let chunks = chunks.map(|(body, at)| ChunkEvidence { fields: [*body, 0.0, 0.0], ..ChunkEvidence::new(at) });
        FileEvidence { chunks: chunks.collect(), lines_total: 100, ..of_path(path) }
    }

    fn with(mut file: FileEvidence, change: impl FnOnce(&mut FileEvidence)) -> FileEvidence {
        change(&mut file);
        file
    }

    fn query(text: &str) -> QueryEvidence {
        QueryEvidence { shape: QueryShape::of(text), path_rarities: vec![1.0, 3.0] }
    }

    #[track_caller]
    fn check_with(weights: &Weights, files: &[FileEvidence], text: &str, expected: &[&str]) {
        let ranked = rank(files, &query(text), weights);
        let paths: Vec<String> = ranked.iter().map(|ranked| files[ranked.file].path.to_string()).collect();
        assert_eq!(paths, expected);
    }

    #[track_caller]
    fn check(files: &[FileEvidence], text: &str, expected: &[&str]) {
        check_with(&Weights::lexical(), files, text, expected);
    }

    #[test]
    fn several_good_chunks_beat_one_slightly_better() {
        check(&[file("a.rs", &[10.0]), file("b.rs", &[9.0, 8.0])], "q", &["b.rs", "a.rs"]);
        check(&[file("a.rs", &[10.0]), file("b.rs", &[5.0, 5.0])], "q", &["a.rs", "b.rs"]);
    }

    #[test]
    fn equal_scores_are_ordered_by_path() {
        check(&[file("b.rs", &[1.0]), file("a.rs", &[1.0])], "q", &["a.rs", "b.rs"]);
        check(&[], "q", &[]);
    }

    #[test]
    fn tests_come_after_what_they_test_unless_asked_for() {
        let files = [file("src/a.rs", &[8.0]), file("tests/a.rs", &[10.0])];
        check(&files, "open socket", &["src/a.rs", "tests/a.rs"]);
        check(&files, "test open socket", &["tests/a.rs", "src/a.rs"]);
    }

    #[test]
    fn an_older_version_comes_after_the_newer_one_unless_asked_for() {
        let files = [file("v3/a.ts", &[9.0]), file("v4/a.ts", &[8.0])];
        check(&files, "parse", &["v4/a.ts", "v3/a.ts"]);
        check(&files, "parse in v3", &["v3/a.ts", "v4/a.ts"]);
    }

    #[test]
    fn each_evidence_by_itself_puts_a_file_first() {
        let changes: [fn(&mut FileEvidence); 11] = [
            |file| file.chunks[0].fields[0] = 2.0,
            |file| file.chunks[0].fields[1] = 2.0,
            |file| file.chunks[0].fields[2] = 2.0,
            |file| file.chunks[0].defined = Some(Defined { kind: SymbolKind::Struct, as_written: true }),
            |file| file.chunks[0].is_contract = true,
            |file| file.path_score = 1.0,
            |file| file.name = NameMatch { words: 1, words_matched: 1, terms_matched: 1 },
            |file| file.history_score = 1.0,
            |file| file.recency = 0.5,
            |file| file.in_focus = true,
            |file| file.is_pinned = true,
        ];
        for change in changes {
            check(&[file("a.rs", &[1.0]), with(file("b.rs", &[1.0]), change)], "q", &["b.rs", "a.rs"]);
        }
        let lengthened = with(file("b.rs", &[1.0]), |file| file.lines_total = 101);
        check(&[file("a.rs", &[1.0]), lengthened], "q", &["b.rs", "a.rs"]);
    }

    #[test]
    fn a_rare_word_of_the_name_says_more_than_a_common_one() {
        let named = |path: &str, terms_matched| {
            with(file(path, &[1.0]), |file| file.name = NameMatch { words: 1, words_matched: 1, terms_matched })
        };
        check(&[named("a.rs", 0b01), named("b.rs", 0b10)], "q", &["b.rs", "a.rs"]);
        let partly = with(named("b.rs", 0b10), |file| file.name.words = 4);
        check(&[named("a.rs", 0b01), partly], "q", &["a.rs", "b.rs"]);
    }

    #[test]
    fn a_file_that_the_query_names_leads() {
        let files = |values: [Option<f64>; 2]| {
            let files = [file("a.rs", &[1.0]), file("b.rs", &[0.9])];
            let mentioned = files.into_iter().zip(values);
            mentioned.map(|(file, value)| with(file, |file| file.mentioned = value)).collect::<Vec<_>>()
        };
        check(&files([Some(0.0), Some(1.0)]), "q", &["b.rs", "a.rs"]);
        check(&files([Some(0.0), Some(0.0)]), "q", &["a.rs", "b.rs"]);
        let score_of = |files: &[FileEvidence]| rank(files, &query("q"), &Weights::hybrid())[0].score;
        assert!(score_of(&files([Some(0.0), Some(0.0)])) < score_of(&files([None, None])));
    }

    #[test]
    fn vectors_count_where_they_are() {
        let similar = |path: &str, similarity, cosine| {
            with(file(path, &[1.0]), |file| {
                file.similarity = Some(similarity);
                file.chunks[0].cosine = Some(cosine);
            })
        };
        let hybrid = Weights::hybrid();
        check_with(&hybrid, &[similar("a.rs", 0.2, 0.5), similar("b.rs", 0.6, 0.5)], "q", &["b.rs", "a.rs"]);
        check_with(&hybrid, &[similar("a.rs", 0.5, 0.2), similar("b.rs", 0.5, 0.6)], "q", &["b.rs", "a.rs"]);
        check_with(
            &hybrid,
            &[similar("a.rs", 0.1, 0.1), file("b.rs", &[1.0]), similar("c.rs", 0.9, 0.9)],
            "q",
            &["c.rs", "b.rs", "a.rs"],
        );
        check_with(&Weights::lexical(), &[file("a.rs", &[1.0]), similar("b.rs", 0.9, 0.9)], "q", &["a.rs", "b.rs"]);
        check_with(&hybrid, &[similar("b.rs", -0.5, -0.5), similar("a.rs", f64::NAN, 0.0)], "q", &["a.rs", "b.rs"]);
    }

    #[test]
    fn meaning_alone_does_not_look_at_words() {
        let near = with(file("b.rs", &[0.0]), |file| file.similarity = Some(0.5));
        let said = with(file("a.rs", &[9.0]), |file| file.similarity = Some(0.4));
        check_with(&Weights::semantic(), &[said, near], "q", &["b.rs", "a.rs"]);
    }

    #[test]
    fn the_best_by_everything_has_score_one() {
        let best = with(file("a.rs", &[10.0]), |file| {
            file.chunks[0] = ChunkEvidence {
                fields: [9.0, 3.0, 3.0],
                cosine: Some(0.8),
                defined: Some(Defined { kind: SymbolKind::Class, as_written: true }),
                is_contract: true,
                ..file.chunks[0]
            };
            file.path_score = 2.0;
            file.name = NameMatch { words: 1, words_matched: 1, terms_matched: 1 };
            file.similarity = Some(0.7);
            file.history_score = 4.0;
            file.recency = 1.0;
            file.in_focus = true;
            file.is_pinned = true;
        });
        for weights in [Weights::hybrid(), Weights::lexical()] {
            let ranked = rank(std::slice::from_ref(&best), &query("q"), &weights);
            assert!((ranked[0].score - 1.0).abs() < 1e-12, "{}", ranked[0].score);
            assert!((ranked[0].chunks[0].score - 1.0).abs() < 1e-12);
            assert!(ranked[0].parts.iter().all(|part| part.value == 1.0 && part.weight > 0.0));
        }
    }

    #[test]
    fn the_definition_leads_its_file_and_the_most_telling_of_two_the_other() {
        let mut files = [file("a.rs", &[10.0, 3.0, 5.0])];
        files[0].chunks[1].defined = Some(Defined { kind: SymbolKind::Field, as_written: true });
        files[0].chunks[2].defined = Some(Defined { kind: SymbolKind::Function, as_written: true });
        let ranked = rank(&files, &query("open"), &Weights::lexical());
        let order: Vec<usize> = ranked[0].chunks.iter().map(|placed| placed.chunk).collect();
        assert_eq!(order, [2, 1, 0]);
    }

    #[test]
    fn no_weight_and_no_evidence_is_no_score() {
        let none = Channel::all().fold(Weights::lexical(), |weights, channel| weights.with(channel, 0.0));
        let ranked = rank(&[file("a.rs", &[1.0])], &query("q"), &none);
        assert_eq!((ranked[0].score, ranked[0].parts.len()), (0.0, 0));
        let empty = rank(&[of_path("a.rs")], &QueryEvidence::default(), &Weights::hybrid());
        assert_eq!(empty[0].score, 0.0);
    }

    /// Numbers that evidence may be, and some that it must not be.
    fn any_score() -> impl Strategy<Value = f64> {
        prop_oneof![8 => 0.0..9.0_f64, 1 => Just(0.0), 1 => Just(-1.0), 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)]
    }

    fn any_file() -> impl Strategy<Value = FileEvidence> {
        let chunk =
            (prop::array::uniform3(0.0..9.0_f64), prop::option::of(-1.0..1.0_f64), any::<bool>(), any::<bool>());
        let chunk = chunk.prop_map(|(fields, cosine, is_defined, is_contract)| {
            let defined = is_defined.then_some(Defined { kind: SymbolKind::Method, as_written: true });
            ChunkEvidence { fields, cosine, defined, is_contract, ..ChunkEvidence::new(0) }
        });
        let scores = (0.0..9.0_f64, 0.0..9.0_f64, 0.0..1.0_f64, prop::option::of(-1.0..1.0_f64));
        let flags = (any::<bool>(), any::<bool>(), 0..3_u32, 0..9_u32);
        (prop::collection::vec(chunk, 0..6), scores, flags).prop_map(|(mut chunks, scores, flags)| {
            chunks.iter_mut().zip(0..).for_each(|(chunk, at)| chunk.ordinal = at);
            FileEvidence {
                chunks,
                lines_total: flags.3,
                path_score: scores.0,
                name: NameMatch { words: 2, words_matched: flags.2.min(2), terms_matched: u64::from(flags.2) },
                similarity: scores.3,
                history_score: scores.1,
                recency: scores.2,
                in_focus: flags.0,
                is_pinned: flags.1,
                ..of_path("")
            }
        })
    }

    /// Files of distinct paths, some of them penalised.
    fn any_files() -> impl Strategy<Value = Vec<FileEvidence>> {
        prop::collection::vec((any_file(), any::<bool>()), 1..8).prop_map(|files| {
            let named = files.into_iter().enumerate().map(|(at, (file, is_test))| {
                let path = format!("{}/{at}.rs", if is_test { "tests" } else { "src" });
                let FileEvidence { path, kind, .. } = of_path(&path);
                FileEvidence { path, kind, ..file }
            });
            named.collect()
        })
    }

    fn order(files: &[FileEvidence], weights: &Weights) -> Vec<String> {
        let ranked = rank(files, &query("a query"), weights);
        ranked.iter().map(|ranked| files[ranked.file].path.to_string()).collect()
    }

    /// Makes one piece of evidence say more; a missing vector stays missing.
    fn raise(file: &mut FileEvidence, which: usize, by: f64) {
        match which {
            0..=2 => file.chunks.iter_mut().take(1).for_each(|chunk| chunk.fields[which] += by),
            3 => file.chunks.iter_mut().for_each(|chunk| chunk.cosine = chunk.cosine.map(|cosine| cosine + by)),
            4 => file.chunks.iter_mut().take(1).for_each(|chunk| {
                chunk.defined = Some(Defined { kind: SymbolKind::Class, as_written: true });
            }),
            5 => file.chunks.iter_mut().for_each(|chunk| chunk.is_contract = true),
            6 => file.path_score += by,
            7 => file.name.words_matched = 2,
            8 => file.similarity = file.similarity.map(|similarity| similarity + by),
            9 => file.history_score += by,
            10 => file.recency = 1.0,
            11 => file.in_focus = true,
            12 => file.is_pinned = true,
            _ => file.lines_total += 5,
        }
    }

    proptest! {
        #[test]
        fn input_order_does_not_matter(files in any_files(), turn in 0..8_usize) {
            let mut turned = files.clone();
            turned.reverse();
            let by = turn % turned.len();
            turned.rotate_left(by);
            turned.iter_mut().for_each(|file| file.chunks.reverse());
            for weights in [Weights::hybrid(), Weights::lexical(), Weights::semantic()] {
                prop_assert_eq!(order(&files, &weights), order(&turned, &weights));
            }
        }

        #[test]
        fn more_evidence_never_lowers_a_rank(
            files in any_files(), raised in 0..8_usize, which in 0..14_usize, by in 0.1..5.0_f64,
        ) {
            let at = raised % files.len();
            let path = files[at].path.to_string();
            let mut better = files.clone();
            raise(&mut better[at], which, by);
            for weights in [Weights::hybrid(), Weights::lexical(), Weights::semantic()] {
                let place = |files: &[FileEvidence]| order(files, &weights).iter().position(|other| *other == path);
                prop_assert!(place(&better) <= place(&files), "{which} of {path}");
            }
        }

        #[test]
        fn those_that_lead_are_the_first_of_the_order(files in any_files(), limit in 0..9_usize) {
            let weights = Weights::hybrid();
            let mut leading = leading(&files, &query("q"), &weights, limit);
            let mut first: Vec<usize> = rank(&files, &query("q"), &weights).iter().map(|ranked| ranked.file).collect();
            first.truncate(limit);
            leading.sort_unstable();
            first.sort_unstable();
            prop_assert_eq!(leading, first);
        }

        #[test]
        fn scores_stay_in_bounds_whatever_the_evidence(
            files in any_files(), score in any_score(), similarity in any_score(), history in any_score(),
        ) {
            let mut files = files;
            files[0].path_score = score;
            files[0].similarity = Some(similarity);
            files[0].history_score = history;
            files[0].recency = score;
            for ranked in rank(&files, &query("q"), &Weights::hybrid()) {
                prop_assert!((0.0..=1.0 + 1e-9).contains(&ranked.score), "{}", ranked.score);
                let weights: f64 = ranked.parts.iter().map(|part| part.weight).sum();
                prop_assert!((weights - 1.0).abs() < 1e-9);
                prop_assert!(ranked.parts.iter().all(|part| (0.0..=1.0).contains(&part.value)));
            }
        }
    }
}
