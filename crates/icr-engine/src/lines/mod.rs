//! Which lines of a found file to show: whole definitions that say what was asked, with their neighbours that say it too.

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

/// Most lines of a place of several units. On 127 public queries whose answers are lines, where one place is given for each
/// file and the right file is among ten, a bound of 60 lines finds 0.68 of the answers, 80 finds 0.74 and 100 finds 0.78; more
/// would no longer say which lines.
pub(crate) const LONGEST_PLACE: u32 = 100;

/// Places given for a file.
const PLACES: usize = 3;

/// What each line takes from a place, so that a neighbour is taken in only for what it says: places have 61 lines in the mean
/// with it and 68 without, and twice as much would make them 55, for 0.02 of the answers.
const PRICE_OF_A_LINE: f64 = 0.001;

/// Weight of the name of a definition against the text of the best place at 1. 0.35 to 0.7 did as well; without names a tenth
/// of the answers is lost.
const NAME: f64 = 0.4;

/// Weight of the name of what a definition lies in: of two methods that say the same, the one of the type that was asked about.
/// Together with [`OUTSIDE`] and the weights beside it, it adds 0.025 to the answers whose lines are right, and 0.01 where the
/// queries are messages of commits and the answers the lines that these changed (399 files of 16 repositories), in places of
/// the same length; 0.2 to 0.3 do alike.
const ENCLOSING: f64 = 0.3;

/// Weight of what lies in no definition: the head of a file speaks of all that it holds, and what is asked for is below.
/// 0.7 to 0.8 do alike.
const OUTSIDE: f64 = 0.8;

/// Weight of the similarity of a place's best chunk. It adds 0.02 of the answers to those of words alone, and 0.05 where the
/// queries are messages of commits and the answers the lines that these changed.
const SIMILARITY: f64 = 0.6;

/// How much of the least similarity in a file is left out of all: what every part of it has says nothing of one, and takes
/// from the difference between them.
const IN_COMMON: f64 = 0.6;

/// Weight of how rare a term is among the parts of a file, against how rare it is in the view: what a file is about stands
/// all over it. Together with [`IN_COMMON`] it adds 0.008 NDCG@10 to the answers of 127 public queries that are lines, and 0.015 of
/// the places that hold a changed line where the queries are messages of commits (130 files of 16 repositories); the numbers beside it
/// matter less than without, and 0.4 to 0.6 do alike.
const WITHIN: f64 = 0.5;

/// What names the query as written: a reader wants the definition, not its densest user.
const ASKED_FOR: f64 = 2.0;

/// Weight of tests that stand beside what they test, as in [`icr_rank::FileKind::penalty`] for whole files.
const TEST: f64 = 0.5;

/// How much the length of a place takes from its terms; below the customary 0.75, since a place may hold several definitions.
const B: f64 = 0.4;

/// Term-frequency saturation; the customary value.
const K1: f64 = 1.2;

/// Bytes of a chunk of the usual length, at which length neither adds nor takes.
const USUAL_BYTES: f64 = 1_500.0;

/// Tokens of a usual name.
const USUAL_NAME: f64 = 4.0;

/// What was asked, as far as it shows in lines.
pub(crate) struct LineQuery<'a> {
    /// Distinct tokens of the query.
    pub(crate) wanted: &'a TermMatcher,
    /// How rare each of them is among the chunks of the view, times its weight; not negative.
    pub(crate) rarity: &'a [f64],
    /// How much each of them counts.
    pub(crate) weights: &'a [f64],
    /// Identifiers of the query, as written.
    pub(crate) identifiers: &'a [String],
    /// The query speaks of tests.
    pub(crate) about_tests: bool,
}

/// A chunk to look into.
pub(crate) struct MatchedChunk<'a> {
    pub(crate) chunk: &'a Chunk,
    /// Cosine with the query; `None` without a vector.
    pub(crate) similarity: Option<f64>,
}

/// A stretch of whole definitions, or of text where there are none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScoredLines {
    /// Index in [`Facts::symbols`] of the definition in it that says most.
    pub(crate) symbol: Option<u32>,
    pub(crate) lines: LineSpan,
    /// Against the best place of the file, in `0.0..=1.0`.
    pub(crate) score: f64,
}

/// The text of a file that was found, with its lines.
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

    /// Where its lines begin.
    pub(crate) fn index(&self) -> &LineIndex {
        &self.index
    }

    /// The bytes of `lines`.
    pub(crate) fn of_lines(&self, lines: LineSpan) -> &'a [u8] {
        self.index.span_of(lines).of(self.text)
    }

    /// The best places of the file, best first; they do not overlap. `matched` are the chunks to look into; what stands in no
    /// other is not found. Empty when nothing says what was asked.
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

    /// The definition inside of `place` whose name is an identifier of the query, instead of what stands around it; `place`
    /// itself where there is none, or where it is about that definition already.
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
        // Only its first part speaks for a definition that was cut.
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

/// What a unit says of what was asked.
struct Evidence {
    unit: Unit,
    /// How often it has each term.
    frequencies: Vec<f64>,
    bytes: f64,
    /// BM25 of its name.
    name: f64,
    /// BM25 of the name of the definition that its own lies in.
    enclosing: f64,
    /// An identifier of the query is its name.
    is_asked_for: bool,
    /// Greatest cosine of the chunks that it is in; 0 without one.
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

/// How rare the terms are in the view and among the units of this file: what all of them say does not tell them apart.
fn rarity_within_file(evidence: &[Evidence], asked: &LineQuery<'_>) -> Vec<f64> {
    let with_term = |term: usize| evidence.iter().filter(|unit| unit.frequencies[term] > 0.0).count();
    let rarities = asked.rarity.iter().zip(asked.weights).enumerate();
    let mixed = rarities.map(|(term, (rarity, weight))| match *rarity > 0.0 {
        true => {
            let here = icr_lexical::inverse_document_frequency(evidence.len() as u64, with_term(term) as u64);
            (1.0 - WITHIN) * rarity + WITHIN * weight * here
        }
        // What counts nothing in the view counts nothing here.
        false => 0.0,
    });
    mixed.collect()
}

/// What a unit adds to a stretch that has it.
struct UnitContribution {
    /// By its names.
    names: f64,
    /// By its chunk.
    similarity: f64,
    /// By its own words, for choosing the unit that stands for the stretch.
    text: f64,
}

/// What each unit says, against the others.
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

/// Runs of neighbouring units that begin and end with one that says something, scored; a unit alone may be of any length.
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

/// `score` as a share of the best one; 0 where none is above 0.
pub(crate) fn share(score: f64, top: f64) -> f64 {
    if top > 0.0 { score / top } else { 0.0 }
}

/// How often each term stands in `text`.
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
