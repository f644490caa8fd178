//! Chooses which lines of a ranked file to show: whole definitions that match the query, together with matching
//! neighbours.

mod preview;
mod segments;
mod term_matcher;
#[cfg(test)]
mod tests;
mod units;

use icr_model::{Chunk, Facts, LineIndex, LineSpan, Symbol};

pub(crate) use preview::{preview, preview_lines};
pub(crate) use segments::Segment;
pub(crate) use term_matcher::TermMatcher;

pub(crate) use units::lines_with_doc;

use crate::lines::units::{SHOWN, Unit, units};

/// Most lines of a place that joins several units. Measured on 127 public queries whose answers are lines, with one
/// place for each file and the right file among ten: a bound of 60 lines finds 0.68 of the answers, 80 finds 0.74 and
/// 100 finds 0.78. With more, a place would no longer say which lines are meant.
pub(crate) const LONGEST_PLACE: u32 = 100;

/// Places given for a file.
const PLACES: usize = 3;

/// Deduction from the score of a place for each line, so that a neighbour is only included if it adds to the match.
/// Places have 61 lines on average with it and 68 without; twice as much would make them 55 and lose 0.02 of the
/// answers.
const PRICE_OF_A_LINE: f64 = 0.001;

/// Weight of the name of a definition, relative to 1 for the text of the best place. 0.35 to 0.7 did as well; without
/// names a tenth of the answers is lost.
const NAME: f64 = 0.4;

/// Weight of the name of the enclosing definition: of two equal methods, the one of the requested type wins. Together
/// with [`OUTSIDE`] and the weights beside it, it adds 0.025 to the share of answers with the right lines, and 0.01
/// where the queries are commit messages and the answers the lines that these commits changed (399 files of 16
/// repositories), with places of the same length; 0.2 to 0.3 do as well.
const ENCLOSING: f64 = 0.3;

/// Weight of lines outside of definitions: the head of a file mentions everything in it, but the answer is further
/// down. 0.7 to 0.8 do as well.
const OUTSIDE: f64 = 0.8;

/// Weight of the similarity of a place's best chunk. Compared to words alone, it finds 0.02 more of the answers, and
/// 0.05 more where the queries are commit messages and the answers the lines that these commits changed.
const SIMILARITY: f64 = 0.6;

/// Share of the least similarity in a file that is subtracted from all: similarity that all parts have in common does
/// not tell them apart.
const IN_COMMON: f64 = 0.6;

/// Weight of the rarity of a term among the parts of a file, against its rarity in the view: the main subject of a file
/// occurs in all its parts. Together with [`IN_COMMON`] it adds 0.008 NDCG@10 on 127 public queries whose answers are
/// lines, and 0.015 of the places with a changed line where the queries are commit messages (130 files of 16
/// repositories). With it, the other weights matter less; 0.4 to 0.6 do as well.
const WITHIN: f64 = 0.5;

/// Factor for a definition that the query names as written: a reader wants the definition, not the code that uses it
/// most.
const ASKED_FOR: f64 = 2.0;

/// Factor for tests in the same file as the code under test, as in [`icr_rank::FileKind::penalty`] for whole files.
const TEST: f64 = 0.5;

/// BM25 length normalisation; below the customary 0.75, since a place may hold several definitions.
const B: f64 = 0.4;

/// BM25 saturation of term frequency; the customary value.
const K1: f64 = 1.2;

/// Bytes of a chunk of usual length, for which the length normalisation is neutral.
const USUAL_BYTES: f64 = 1_500.0;

/// Tokens of a usual name.
const USUAL_NAME: f64 = 4.0;

/// A query, prepared for matching lines.
pub(crate) struct LineQuery<'a> {
    /// Distinct tokens of the query.
    pub(crate) wanted: &'a TermMatcher,
    /// How rare each of them is among the chunks of the view, times its weight; not negative.
    pub(crate) rarity: &'a [f64],
    /// How much each of them counts.
    pub(crate) weights: &'a [f64],
    /// Identifiers of the query, as written.
    pub(crate) identifiers: &'a [String],
    /// Whether the query is about tests.
    pub(crate) about_tests: bool,
}

/// A chunk that matched the query.
pub(crate) struct MatchedChunk<'a> {
    pub(crate) chunk: &'a Chunk,
    /// Cosine with the query; `None` without a vector.
    pub(crate) similarity: Option<f64>,
}

/// A range of whole definitions, or of text outside of definitions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScoredLines {
    /// Index in [`Facts::symbols`] of its best matching definition.
    pub(crate) symbol: Option<u32>,
    pub(crate) lines: LineSpan,
    /// Relative to the best place of the file, in `0.0..=1.0`.
    pub(crate) score: f64,
}

/// The text of a ranked file, with its line starts.
pub(crate) struct FileText<'a> {
    facts: &'a Facts,
    text: &'a [u8],
    index: LineIndex,
}

impl<'a> FileText<'a> {
    /// `facts` are those of `text`. Reads it once.
    pub(crate) fn new(facts: &'a Facts, text: &'a [u8]) -> Self {
        Self { facts, text, index: LineIndex::new(text) }
    }

    /// Offsets of the line starts.
    pub(crate) fn index(&self) -> &LineIndex {
        &self.index
    }

    /// The bytes of `lines`.
    pub(crate) fn of_lines(&self, lines: LineSpan) -> &'a [u8] {
        self.index.span_of(lines).of(self.text)
    }

    /// The best places of the file, best first; they do not overlap. Only the chunks in `matched` are searched. Empty
    /// when nothing matches the query.
    ///
    /// Cost: the bytes of the matched chunks, and a pass over the definitions.
    pub(crate) fn places(&self, matched: &[MatchedChunk<'_>], asked: &LineQuery<'_>) -> Vec<ScoredLines> {
        let evidence: Vec<Evidence> = units(self.facts, &self.index, self.text, SHOWN)
            .into_iter()
            .filter_map(|unit| {
                let mut chunks = matched.iter().filter(|matched| overlap(matched.chunk.lines, unit.lines)).peekable();
                chunks.peek()?;
                let similarity = chunks.filter_map(|matched| matched.similarity).fold(0.0, f64::max);
                Some(Evidence { similarity, ..self.evidence(unit, asked) })
            })
            .collect();
        let mut stretches = stretches(&evidence, &rarity_within_file(&evidence, asked), asked);
        stretches.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score.then(one.lines.start.cmp(&other.lines.start)).then(one.lines.end.cmp(&other.lines.end))
        });
        let top = stretches.first().map_or(0.0, |place| place.score);
        let mut best: Vec<ScoredLines> = Vec::new();
        for place in stretches {
            if best.len() == PLACES || place.score <= 0.0 {
                break;
            }
            if best.iter().all(|taken| !overlap(taken.lines, place.lines)) {
                best.push(ScoredLines { score: place.score / top, ..place });
            }
        }
        best
    }

    /// The definition inside `place` whose name is an identifier of the query, to be shown instead of its surroundings;
    /// `place` itself if there is none, or if it already is that definition.
    pub(crate) fn narrow_to_definition(&self, place: ScoredLines, identifiers: &[String]) -> ScoredLines {
        let is_named = |symbol: &Symbol| identifiers.contains(&symbol.name);
        if place.symbol.is_some_and(|symbol| is_named(&self.facts.symbols[symbol as usize])) {
            return place;
        }
        let named = self.facts.symbols.iter().enumerate().filter(|(_, symbol)| is_named(symbol));
        let inside = named.map(|(at, symbol)| (at as u32, units::lines_with_doc(symbol, &self.index)));
        let mut inside = inside.filter(|(_, lines)| place.lines.start <= lines.start && lines.end <= place.lines.end);
        match inside.next() {
            Some((symbol, lines)) => ScoredLines { symbol: Some(symbol), lines, ..place },
            None => place,
        }
    }

    fn evidence(&self, unit: Unit, asked: &LineQuery<'_>) -> Evidence {
        let text = self.of_lines(unit.lines);
        let symbols = &self.facts.symbols;
        // Of a definition that was cut into parts, only the first part has its name.
        let name = unit.symbol.filter(|_| unit.begins).map_or("", |symbol| &symbols[symbol as usize].name);
        let enclosing = unit.symbol.and_then(|symbol| symbols[symbol as usize].parent);
        let enclosing = enclosing.map_or("", |enclosing| &symbols[enclosing as usize].name);
        let is_test = !asked.about_tests && unit.symbol.is_some_and(|symbol| units::is_test(self.facts, symbol));
        Evidence {
            unit,
            frequencies: frequencies(text, asked),
            bytes: text.len() as f64,
            name: of_name(name, 0.75, asked),
            enclosing: of_name(enclosing, 0.0, asked),
            is_asked_for: asked.identifiers.iter().any(|identifier| identifier == name),
            similarity: 0.0,
            weight: match unit.symbol {
                _ if is_test => TEST,
                Some(_) => 1.0,
                None => OUTSIDE,
            },
        }
    }
}

/// How well a unit matches the query.
struct Evidence {
    unit: Unit,
    /// The frequency of each term.
    frequencies: Vec<f64>,
    bytes: f64,
    /// BM25 score of its name.
    name: f64,
    /// BM25 score of the name of the enclosing definition.
    enclosing: f64,
    /// Whether an identifier of the query is its name.
    is_asked_for: bool,
    /// Greatest cosine similarity of its chunks; 0 without a vector.
    similarity: f64,
    /// [`TEST`], [`OUTSIDE`] or 1.
    weight: f64,
}

impl Evidence {
    fn says_something(&self) -> bool {
        self.name > 0.0
            || self.is_asked_for
            || self.similarity > 0.0
            || self.frequencies.iter().any(|frequency| *frequency > 0.0)
    }
}

/// Rarity of the terms in the view, mixed with their rarity among the units of this file: a term in all units does not
/// tell them apart.
fn rarity_within_file(evidence: &[Evidence], asked: &LineQuery<'_>) -> Vec<f64> {
    let with_term = |term: usize| evidence.iter().filter(|unit| unit.frequencies[term] > 0.0).count();
    let rarities = asked.rarity.iter().zip(asked.weights).enumerate();
    let mixed = rarities.map(|(term, (rarity, weight))| match *rarity > 0.0 {
        true => {
            let here = icr_lexical::inverse_document_frequency(evidence.len() as u64, with_term(term) as u64);
            (1.0 - WITHIN) * rarity + WITHIN * weight * here
        }
        // A term without rarity in the view has none here.
        false => 0.0,
    });
    mixed.collect()
}

/// What a unit adds to the score of a place.
struct UnitContribution {
    /// Score of its names.
    names: f64,
    /// Score of its chunk's similarity.
    similarity: f64,
    /// Score of its text, for choosing the unit that represents the place.
    text: f64,
}

/// The scores of each unit, relative to the others.
fn unit_contributions(evidence: &[Evidence], rarity: &[f64]) -> Vec<UnitContribution> {
    let best = |of: fn(&Evidence) -> f64| evidence.iter().map(of).fold(0.0, f64::max);
    let (best_name, best_enclosing) = (best(|unit| unit.name), best(|unit| unit.enclosing));
    let best_similarity = best(|unit| unit.similarity);
    let least_similarity = evidence.iter().map(|unit| unit.similarity).fold(best_similarity, f64::min);
    let in_common = IN_COMMON * least_similarity;
    let of_unit = |unit: &Evidence| {
        let asked_for = if unit.is_asked_for { ASKED_FOR } else { 0.0 };
        let names = NAME * share(unit.name, best_name) + ENCLOSING * share(unit.enclosing, best_enclosing);
        let similarity = SIMILARITY * share(unit.similarity - in_common, best_similarity - in_common);
        UnitContribution {
            names: unit.weight * (names + asked_for),
            similarity: unit.weight * similarity,
            text: unit.weight * bm25(&unit.frequencies, B, unit.bytes / USUAL_BYTES, rarity),
        }
    };
    evidence.iter().map(of_unit).collect()
}

/// Runs of neighbouring units that begin and end with a matching one, with scores. A single unit may have any length.
fn stretches(evidence: &[Evidence], rarity: &[f64], asked: &LineQuery<'_>) -> Vec<ScoredLines> {
    let said = unit_contributions(evidence, rarity);
    let mut stretches = Vec::new();
    let mut texts: Vec<f64> = Vec::new();
    let mut frequencies = vec![0.0; asked.wanted.len()];
    for (first, from) in evidence.iter().enumerate().filter(|(_, unit)| unit.says_something()) {
        frequencies.fill(0.0);
        let mut bytes = 0.0;
        let (mut names, mut similarity) = (0.0_f64, 0.0_f64);
        let mut leader: Option<(f64, f64, u32)> = None;
        for (to, says) in evidence[first..].iter().zip(&said[first..]) {
            let lines = LineSpan { start: from.unit.lines.start, end: to.unit.lines.end };
            let length = lines.end + 1 - lines.start;
            if length > LONGEST_PLACE && !std::ptr::eq(from, to) {
                break;
            }
            for (sum, frequency) in frequencies.iter_mut().zip(&to.frequencies) {
                *sum += to.weight * frequency;
            }
            bytes += to.bytes;
            names = names.max(says.names);
            similarity = similarity.max(says.similarity);
            if let Some(symbol) = to.unit.symbol
                && leader.is_none_or(|(best_name, best_text, _)| (says.names, says.text) > (best_name, best_text))
            {
                leader = Some((says.names, says.text, symbol));
            }
            if to.says_something() {
                texts.push(bm25(&frequencies, B, bytes / USUAL_BYTES, rarity));
                let score = names + similarity - PRICE_OF_A_LINE * f64::from(length);
                stretches.push(ScoredLines { symbol: leader.map(|(_, _, symbol)| symbol), lines, score });
            }
        }
    }
    let top = texts.iter().copied().fold(0.0, f64::max);
    stretches.iter_mut().zip(&texts).for_each(|(place, text)| place.score += share(*text, top));
    stretches
}

/// `score` as a share of the best one; 0 if none is above 0.
pub(crate) fn share(score: f64, top: f64) -> f64 {
    if top > 0.0 { score / top } else { 0.0 }
}

/// Frequency of each term in `text`.
fn frequencies(text: &[u8], asked: &LineQuery<'_>) -> Vec<f64> {
    let mut frequencies = vec![0.0; asked.wanted.len()];
    asked.wanted.each(text, &mut |term| frequencies[term] += 1.0);
    frequencies
}

/// BM25 of a name; 0 for none.
fn of_name(name: &str, b: f64, asked: &LineQuery<'_>) -> f64 {
    let frequencies = frequencies(name.as_bytes(), asked);
    if frequencies.iter().all(|frequency| *frequency == 0.0) {
        return 0.0;
    }
    let mut tokens = 0.0;
    icr_lexical::tokens(name.as_bytes(), &mut |_| tokens += 1.0);
    bm25(&frequencies, b, tokens / USUAL_NAME, asked.rarity)
}

/// BM25 with `length` as a multiple of the usual length.
fn bm25(frequencies: &[f64], b: f64, length: f64, rarity: &[f64]) -> f64 {
    let norm = K1 * (1.0 - b + b * length);
    let parts = frequencies.iter().zip(rarity).filter(|(frequency, _)| **frequency > 0.0);
    parts.map(|(frequency, rarity)| rarity * frequency * (K1 + 1.0) / (frequency + norm)).sum()
}

/// Whether any line is in both.
pub(crate) fn overlap(one: LineSpan, other: LineSpan) -> bool {
    one.start <= other.end && other.start <= one.end
}
