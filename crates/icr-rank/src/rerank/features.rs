//! What is known of one of the first candidates once it is read again, as numbers.

use icr_model::SymbolKind;

use crate::evidence::Defined;
use crate::rerank::forms::Word;
use crate::rerank::{RerankFile, RerankQuestion, WordVectors};
use crate::{Channel, FileEvidence, Ranked};

/// A number that is known of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Feature {
    /// Its score by fusion, as a share of the best one.
    Score,
    /// Share of the words of its name that the question says, in any form.
    NameSaid,
    /// Whether these are all.
    WholeNameSaid,
    /// What a definition says that is called as the question puts it: share of the question, rare words counting more, times
    /// share of the name, times what its kind counts.
    Definition,
    /// How near the words of the question are to the nearest words that its definitions are called by.
    NearDefinitions,
    /// How good its best chunk is.
    BestChunk,
    /// How many of its chunks say something, in logarithms.
    Chunks,
    /// Values of channels that count otherwise for messages of commits and reports than for questions.
    MessageHistory,
    MessageText,
    MessageNames,
    MessageComments,
    MessageSimilarity,
    MessageNearest,
    MessageLength,
}

/// What a feature counts.
struct Row {
    feature: Feature,
    /// With vectors.
    hybrid: f64,
    /// Without.
    lexical: f64,
}

/// How many there are.
const FEATURES: usize = 14;

/// In the order of [`Feature`].
///
/// A listwise softmax, fitted to 622 public code-search queries over 31 repositories, each repository once as its library alone and
/// once whole, 327 messages of commits over 16, 125 texts of issues over 17 and 127 queries whose answers are lines. On
/// repositories left out of the fit (8 folds, two ways of cutting them) NDCG@10 changes by 0.010 [0.004, 0.016] on libraries, 0.009
/// [0.001, 0.017] on whole repositories, 0.007 [-0.008, 0.022] on messages, 0.02 on lines and -0.006 [-0.026, 0.011] on issues;
/// without vectors by 0.008, 0.011, 0.005, 0.009 and 0.001. With the labels of each query shuffled such a fit orders the libraries at 0.26.
///
/// Left out for want of an effect: places of names, beginnings of words, initials and joined words, kinds of files by their
/// names, neighbours in the list, how often and how lately a file was changed, how many files name it, and trees instead of the
/// sum. The penalties of paths, counted once more, add 0.002 here and rank files below that a question asks for in other words: these
/// queries have no such answers, people have.
static ROWS: [Row; FEATURES] = {
    use Feature::*;
    [
        row(Score, 7.26, 6.16),
        row(NameSaid, -0.22, -0.24),
        row(WholeNameSaid, 0.83, 0.88),
        row(Definition, 1.87, 3.08),
        row(NearDefinitions, 1.31, 0.00),
        row(BestChunk, 0.90, 0.68),
        row(Chunks, -0.24, -0.28),
        row(MessageHistory, 0.89, 0.93),
        row(MessageText, 0.99, 0.24),
        row(MessageNames, -1.15, -1.22),
        row(MessageComments, -0.54, -0.27),
        row(MessageSimilarity, -1.11, 0.00),
        row(MessageNearest, -0.29, 0.00),
        row(MessageLength, -0.38, -0.11),
    ]
};

const fn row(feature: Feature, hybrid: f64, lexical: f64) -> Row {
    Row { feature, hybrid, lexical }
}

static OF_MESSAGES: [(Feature, Channel); 7] = [
    (Feature::MessageHistory, Channel::History),
    (Feature::MessageText, Channel::Text),
    (Feature::MessageNames, Channel::Names),
    (Feature::MessageComments, Channel::Comments),
    (Feature::MessageSimilarity, Channel::Similarity),
    (Feature::MessageNearest, Channel::NearestChunk),
    (Feature::MessageLength, Channel::Length),
];

/// Most definitions of a file whose names are read, of those that are types, functions and constants.
const DEFINITIONS: usize = 160;

/// Most chunks of a file that are counted.
const CHUNKS: usize = 8;

/// File names that stand for their directory.
static ROOTS: [&str; 6] = ["__init__", "index", "init", "lib", "main", "mod"];

/// A candidate with the words of its names.
pub(super) struct Candidate<'a> {
    ranked: &'a Ranked,
    /// Words of the file's name, or of its directory's for a name such as `mod`.
    name: Vec<Word>,
    definitions: Vec<(SymbolKind, Vec<Word>)>,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(ranked: &'a Ranked, evidence: &FileEvidence, file: &RerankFile<'_>) -> Self {
        use SymbolKind::*;
        let is_read = |kind: SymbolKind| {
            matches!(
                kind,
                Class | Struct | Enum | Interface | Trait | Type | Function | Macro | Module | Method | Constant
            )
        };
        let read = file.definitions.iter().filter(|(kind, _)| is_read(*kind)).take(DEFINITIONS);
        let definitions = read.map(|(kind, name)| (*kind, Word::all_of(name.as_bytes()))).collect();
        Self { ranked, name: Word::all_of(name_of(evidence.path.as_bytes())), definitions }
    }

    fn defines(&self, asked: &Word) -> bool {
        self.definitions.iter().any(|(_, name)| name.iter().any(|word| word.stem == asked.stem))
    }
}

/// The part of a path that says what the file is about: its name up to the first dot, or the directory's where that stands for it.
fn name_of(path: &[u8]) -> &[u8] {
    let mut parts = path.rsplit(|byte| *byte == b'/');
    let file = parts.next().unwrap_or_default();
    let stem = file.split(|byte| *byte == b'.').find(|part| !part.is_empty()).unwrap_or_default();
    match parts.next() {
        Some(directory) if ROOTS.iter().any(|root| stem.eq_ignore_ascii_case(root.as_bytes())) => directory,
        _ => stem,
    }
}

/// How rare each word of the question is among the candidates, by how many define a name with it.
pub(super) fn rarity_in_definitions(candidates: &[Candidate<'_>], question: &RerankQuestion) -> Vec<f64> {
    let rarity = |asked: &Word| {
        let with = candidates.iter().filter(|candidate| candidate.defines(asked)).count();
        (1.0 + candidates.len() as f64 / (0.5 + with as f64)).ln()
    };
    question.words.iter().map(rarity).collect()
}

/// How good a candidate is, comparable within one answer only, where the best had the score `top`.
pub(super) fn value(
    candidate: &Candidate<'_>,
    top: f64,
    question: &RerankQuestion,
    rarity: &[f64],
    vectors: &mut dyn WordVectors,
) -> f64 {
    let mut features = [0.0; FEATURES];
    let mut set = |feature: Feature, value: f64| features[feature as usize] = value;
    let Candidate { ranked, name, definitions } = candidate;
    let flag = |is_set: bool| if is_set { 1.0 } else { 0.0 };

    set(Feature::Score, ratio(ranked.score, top));
    let said = name.iter().filter(|word| question.words.iter().any(|asked| asked.is_akin(word))).count();
    set(Feature::NameSaid, ratio(said as f64, name.len() as f64));
    set(Feature::WholeNameSaid, flag(said > 0 && said == name.len()));
    let best = definitions.iter().map(|(kind, name)| of_definition(*kind, name, question, rarity));
    set(Feature::Definition, best.fold(0.0, f64::max));
    let mut nearest = vec![0.0_f64; question.words.len()];
    for word in definitions.iter().flat_map(|(_, name)| name) {
        let near = vectors.nearness(&word.written);
        nearest.iter_mut().zip(near).for_each(|(nearest, near)| *nearest = nearest.max(*near));
    }
    let near: f64 = nearest.iter().zip(&question.rarity).map(|(near, rarity)| near * rarity).sum();
    set(Feature::NearDefinitions, ratio(near, question.rarity.iter().sum()));
    set(Feature::BestChunk, ranked.chunks.first().map_or(0.0, |placed| placed.score));
    set(Feature::Chunks, (ranked.chunks.len().min(CHUNKS) as f64).ln_1p());
    if question.is_message {
        for (feature, channel) in OF_MESSAGES {
            let part = ranked.parts.iter().find(|part| part.channel == channel);
            set(feature, part.map_or(0.0, |part| part.value));
        }
    }
    let has_vectors = vectors.are_there();
    let weight = |row: &Row| if has_vectors { row.hybrid } else { row.lexical };
    ROWS.iter().map(|row| weight(row) * features[row.feature as usize]).sum()
}

/// What a definition of that kind and name says of the question.
fn of_definition(kind: SymbolKind, name: &[Word], question: &RerankQuestion, rarity: &[f64]) -> f64 {
    let is_in_name = |asked: &Word| name.iter().any(|word| word.stem == asked.stem);
    let said: f64 =
        question.words.iter().zip(rarity).filter(|(asked, _)| is_in_name(asked)).map(|(_, rare)| rare).sum();
    let matched = name.iter().filter(|word| question.words.iter().any(|asked| asked.stem == word.stem)).count();
    let weight = Defined { kind, as_written: true }.value();
    weight * ratio(said, rarity.iter().sum()) * ratio(matched as f64, name.len() as f64)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_type() {
        assert!(ROWS.iter().enumerate().all(|(at, row)| row.feature as usize == at));
        assert_eq!(Feature::MessageLength as usize + 1, FEATURES);
    }

    #[test]
    fn a_name_that_stands_for_its_directory_gives_way_to_it() {
        for (path, name) in [
            ("a/mod.rs", "a"),
            ("a/b.test.ts", "b"),
            ("mod.rs", "mod"),
            (".github/x", "x"),
            ("a/.env", "env"),
            ("", ""),
        ] {
            assert_eq!(name_of(path.as_bytes()), name.as_bytes(), "{path}");
        }
    }
}
