//! Numeric features of the first candidates for reranking.

use std::rc::Rc;

use icr_model::{RepoPath, SymbolKind};

use crate::evidence::DefinitionEvidence;
use crate::rerank::forms::{MetWords, WordForms};
use crate::rerank::{QuestionKind, RerankFile, RerankQuestion, WordVectors};
use crate::{Channel, FileEvidence, RankedFile, telling_name};

/// One feature of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Feature {
    /// Its score by fusion, as a share of the best one.
    Score,
    /// Share of the words of its name that the question contains, apart from their endings.
    NameSaid,
    /// Whether the question contains all words of its name.
    WholeNameSaid,
    /// Share of the words of its name that the question contains in another form, derived or shortened. Fusion does not
    /// match these.
    FormSaid,
    /// The best match between a definition's name and the question: the share of the question's words in the name,
    /// weighted by rarity, times the share of the name's words in the question, times the weight of the definition's
    /// kind.
    Definition,
    /// How near in meaning the words of the question are to the nearest words in the names of its definitions.
    NearDefinitions,
    /// Score of its best chunk.
    BestChunk,
    /// Logarithm of the number of its chunks that match the question.
    Chunks,
    /// The value of a channel. It counts again here, with a weight of its own for the order of the first files.
    ChannelValue(Channel),
}

/// A feature by which the first files are reordered.
#[derive(Debug, Clone, Copy)]
pub struct RerankFeature {
    /// Its name in tables of weights and in dumps.
    pub name: &'static str,
    feature: Feature,
    questions: bool,
    messages: bool,
}

impl RerankFeature {
    /// Whether the feature counts for questions of this kind; a feature that does not count has weight 0.
    ///
    /// The features for messages were chosen one after the other, each the one that improved the order most in
    /// histories left out of the fit. The features for questions were chosen in the same way on judged queries.
    pub fn counts_for(&self, kind: QuestionKind) -> bool {
        match kind {
            QuestionKind::Question => self.questions,
            QuestionKind::Message => self.messages,
        }
    }
}

/// Number of features.
pub const RERANK_FEATURES_TOTAL: usize = 13;

/// The values of a candidate, in the order of [`RERANK_FEATURES`].
pub type RerankFeatures = [f64; RERANK_FEATURES_TOTAL];

/// The features of a reranked file, one row each.
///
/// Features that were tried and had no effect: positions of names, beginnings of words, initials and joined words,
/// kinds of files by their names, neighbours in the list, the number of lines, how often and how recently a file was
/// changed, how many files name it, and decision trees instead of a sum. Counting the penalties of paths again ranks
/// files lower that a question asks for in other words.
pub static RERANK_FEATURES: [RerankFeature; RERANK_FEATURES_TOTAL] = {
    use Feature::*;
    const BOTH: [bool; 2] = [true, true];
    const QUESTIONS: [bool; 2] = [true, false];
    const MESSAGES: [bool; 2] = [false, true];
    [
        row("score", Score, BOTH),
        row("name_said", NameSaid, QUESTIONS),
        row("whole_name_said", WholeNameSaid, QUESTIONS),
        row("form_said", FormSaid, QUESTIONS),
        row("definition", Definition, BOTH),
        row("near_definitions", NearDefinitions, QUESTIONS),
        row("best_chunk", BestChunk, BOTH),
        row("chunks", Chunks, QUESTIONS),
        row("text", ChannelValue(Channel::Text), MESSAGES),
        row("names", ChannelValue(Channel::Names), MESSAGES),
        row("comments", ChannelValue(Channel::Comments), MESSAGES),
        row("history", ChannelValue(Channel::History), MESSAGES),
        row("similarity", ChannelValue(Channel::Similarity), MESSAGES),
    ]
};

const fn row(name: &'static str, feature: Feature, [questions, messages]: [bool; 2]) -> RerankFeature {
    RerankFeature { name, feature, questions, messages }
}

/// Most words of a name that are read; nobody writes a longer name in a question.
const MOST_WORDS: usize = 16;

/// Most definitions of a file whose names are read; only types, functions and constants count.
const MOST_DEFINITIONS: usize = 160;

/// Most chunks of a file that are counted.
const MOST_CHUNKS: usize = 8;

/// A candidate, with the words of its names.
pub(super) struct CandidateWords<'a> {
    ranked: &'a RankedFile,
    /// Words of the file's [`telling_name`].
    name: Vec<Rc<WordForms>>,
    definitions: Vec<(SymbolKind, Vec<Rc<WordForms>>)>,
}

impl<'a> CandidateWords<'a> {
    pub(super) fn new(
        ranked: &'a RankedFile,
        evidence: &FileEvidence,
        file: &RerankFile<'_>,
        met: &mut MetWords,
    ) -> Self {
        use SymbolKind::*;
        let is_read = |kind: SymbolKind| {
            matches!(
                kind,
                Class | Struct | Enum | Interface | Trait | Type | Function | Macro | Module | Method | Constant
            )
        };
        let read = file.definitions.iter().filter(|(kind, _)| is_read(*kind)).take(MOST_DEFINITIONS);
        let definitions = read.map(|(kind, name)| (*kind, met.first_of(name.as_bytes(), MOST_WORDS))).collect();
        Self { ranked, name: name_of(&evidence.path, met), definitions }
    }

    fn defines(&self, asked: &WordForms) -> bool {
        self.definitions.iter().any(|(_, name)| name.iter().any(|word| word.stem == asked.stem))
    }
}

/// The words of the [`telling_name`] of a file. If that is the file's own name, only the part up to its first dot
/// counts, because the rest tells the kind of the file.
fn name_of(path: &RepoPath, met: &mut MetWords) -> Vec<Rc<WordForms>> {
    let name = telling_name(path);
    let is_own = path.file_name().starts_with(name);
    let first = name.split(|byte| is_own && *byte == b'.').find(|part| !part.is_empty());
    met.first_of(first.unwrap_or_default(), MOST_WORDS)
}

/// Rarity of each word of the question, by how many candidates define a name with it.
pub(super) fn rarity_in_definitions(candidates: &[CandidateWords<'_>], question: &RerankQuestion) -> Vec<f64> {
    let rarity = |asked: &WordForms| {
        let with = candidates.iter().filter(|candidate| candidate.defines(asked)).count();
        (1.0 + candidates.len() as f64 / (0.5 + with as f64)).ln()
    };
    question.words.iter().map(rarity).collect()
}

/// The features of a candidate; those that are not `wanted` are 0. `top` is the best score of all candidates.
pub(super) fn features(
    candidate: &CandidateWords<'_>,
    top: f64,
    wanted: impl Fn(&RerankFeature) -> bool,
    question: &RerankQuestion,
    rarity: &[f64],
    vectors: &mut dyn WordVectors,
) -> RerankFeatures {
    let CandidateWords { ranked, name, definitions } = candidate;
    let said_as = |is_same: &dyn Fn(&WordForms, &WordForms) -> bool| {
        name.iter().filter(|word| question.words.iter().any(|asked| is_same(asked, word))).count()
    };
    let said = said_as(&|asked, word| asked.stem == word.stem);
    let mut value = |feature: Feature| match feature {
        Feature::Score => ratio(ranked.score, top),
        Feature::NameSaid => ratio(said as f64, name.len() as f64),
        Feature::WholeNameSaid if said > 0 && said == name.len() => 1.0,
        Feature::WholeNameSaid => 0.0,
        Feature::FormSaid => ratio((said_as(&WordForms::is_akin) - said) as f64, name.len() as f64),
        Feature::Definition => {
            let said = definitions.iter().map(|(kind, name)| of_definition(*kind, name, question, rarity));
            said.fold(0.0, f64::max)
        }
        Feature::NearDefinitions => near_definitions(definitions, question, vectors),
        Feature::BestChunk => ranked.chunks.first().map_or(0.0, |placed| placed.score),
        Feature::Chunks => (ranked.chunks.len().min(MOST_CHUNKS) as f64).ln_1p(),
        Feature::ChannelValue(channel) => {
            let part = ranked.parts.iter().find(|part| part.channel == channel);
            part.map_or(0.0, |part| part.value)
        }
    };
    std::array::from_fn(|at| {
        let row = &RERANK_FEATURES[at];
        if wanted(row) { value(row.feature) } else { 0.0 }
    })
}

/// How near in meaning the words of the question are to the nearest words of `definitions`; rare words count more.
fn near_definitions(
    definitions: &[(SymbolKind, Vec<Rc<WordForms>>)],
    question: &RerankQuestion,
    vectors: &mut dyn WordVectors,
) -> f64 {
    let mut nearest = vec![0.0_f64; question.words.len()];
    for word in definitions.iter().flat_map(|(_, name)| name) {
        let near = vectors.nearness(&word.written);
        nearest.iter_mut().zip(near).for_each(|(nearest, near)| *nearest = nearest.max(*near));
    }
    let near: f64 = nearest.iter().zip(&question.rarity).map(|(near, rarity)| near * rarity).sum();
    ratio(near, question.rarity.iter().sum())
}

/// The match between the question and a definition with this kind and name.
fn of_definition(kind: SymbolKind, name: &[Rc<WordForms>], question: &RerankQuestion, rarity: &[f64]) -> f64 {
    let is_in_name = |asked: &WordForms| name.iter().any(|word| word.stem == asked.stem);
    let said: f64 =
        question.words.iter().zip(rarity).filter(|(asked, _)| is_in_name(asked)).map(|(_, rare)| rare).sum();
    let matched = name.iter().filter(|word| question.words.iter().any(|asked| asked.stem == word.stem)).count();
    let weight = DefinitionEvidence { kind, as_written: true }.value();
    weight * ratio(said, rarity.iter().sum()) * ratio(matched as f64, name.len() as f64)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_name_are_those_before_its_kind() {
        for (path, words) in [
            ("a/serve.test.ts", "serve"),
            ("widgets/index.d.ts", "widgets"),
            ("socket.io/index.js", "socket io"),
            ("a/.env", "env"),
            ("HttpServer.kt", "http server"),
            ("", ""),
        ] {
            let found: Vec<String> =
                name_of(&path.into(), &mut MetWords::default()).iter().map(|word| word.written.clone()).collect();
            assert_eq!(found.join(" "), words, "{path}");
        }
    }

    #[test]
    fn names_without_end_are_read_in_part() {
        assert_eq!(
            name_of(&format!("{}.rs", "Ab".repeat(10_000)).as_str().into(), &mut MetWords::default()).len(),
            MOST_WORDS
        );
    }
}
