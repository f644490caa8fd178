//! Which lines of a found file to show: whole definitions that say what was asked, with their neighbours that say it too.

mod preview;
#[cfg(test)]
mod tests;
mod units;

use icr_model::{Chunk, Facts, LineIndex, Lines, Span, Symbol};

pub(crate) use preview::preview;

use crate::lines::units::{Unit, units};

/// Most lines of a place of several units. On 127 public queries whose answers are lines, where one place is given for each
/// file and the right file is among ten, a bound of 60 lines finds 0.68 of the answers, 80 finds 0.74 and 100 finds 0.78; more
/// would no longer say which lines.
const LONGEST_PLACE: u32 = 100;

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
pub(crate) struct Asked<'a> {
    /// Distinct tokens of the query.
    pub(crate) terms: &'a [String],
    /// How rare each of them is among the chunks of the view; not negative.
    pub(crate) rarity: &'a [f64],
    /// Identifiers of the query, as written.
    pub(crate) identifiers: &'a [String],
    /// The query speaks of tests.
    pub(crate) about_tests: bool,
}

/// A chunk to look into.
pub(crate) struct Matched<'a> {
    pub(crate) chunk: &'a Chunk,
    /// Cosine with the query; `None` without a vector.
    pub(crate) similarity: Option<f64>,
}

/// A stretch of whole definitions, or of text where there are none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    /// Index in [`Facts::symbols`] of the definition in it that says most.
    pub(crate) symbol: Option<u32>,
    pub(crate) lines: Lines,
    /// Against the best place of the file, in `0.0..=1.0`.
    pub(crate) score: f64,
}

/// The best places of a file, best first; they do not overlap. `matched` are the chunks to look into; what stands in no other
/// is not found. Empty when nothing says what was asked.
///
/// Cost: the tokens of the matched chunks, and a pass over the definitions.
pub(crate) fn places(facts: &Facts, text: &[u8], matched: &[Matched<'_>], asked: &Asked<'_>) -> Vec<Place> {
    let index = LineIndex::new(text);
    let evidence: Vec<Evidence> = units(facts, &index, text)
        .into_iter()
        .filter_map(|unit| {
            let mut chunks = matched.iter().filter(|matched| overlap(matched.chunk.lines, unit.lines)).peekable();
            chunks.peek()?;
            let similarity = chunks.filter_map(|matched| matched.similarity).fold(0.0, f64::max);
            Some(Evidence { similarity, ..Evidence::of(unit, facts, &index, text, asked) })
        })
        .collect();
    let mut stretches = stretches(&evidence, asked);
    let mut best: Vec<Place> = Vec::new();
    stretches.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(one.lines.start.cmp(&other.lines.start)).then(one.lines.end.cmp(&other.lines.end))
    });
    let top = stretches.first().map_or(0.0, |place| place.score);
    for place in stretches {
        if best.len() == PLACES || place.score <= 0.0 {
            break;
        }
        if best.iter().all(|taken| !overlap(taken.lines, place.lines)) {
            best.push(Place { score: place.score / top, ..place });
        }
    }
    best
}

/// The definition inside of `place` whose name is an identifier of the query, instead of what stands around it; `place` itself
/// where there is none, or where it is about that definition already.
pub(crate) fn narrowed(place: Place, facts: &Facts, text: &[u8], identifiers: &[String]) -> Place {
    let is_named = |symbol: &Symbol| identifiers.contains(&symbol.name);
    if place.symbol.is_some_and(|symbol| is_named(&facts.symbols[symbol as usize])) {
        return place;
    }
    let index = LineIndex::new(text);
    let inside = facts.symbols.iter().enumerate().filter(|(_, symbol)| is_named(symbol)).find_map(|(at, symbol)| {
        let start = symbol.doc.map_or(symbol.span.start, |doc| doc.start.min(symbol.span.start));
        let lines = index.lines_of(Span::new(start, symbol.span.end));
        (place.lines.start <= lines.start && lines.end <= place.lines.end).then_some((at as u32, lines))
    });
    match inside {
        Some((symbol, lines)) => Place { symbol: Some(symbol), lines, ..place },
        None => place,
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
    fn of(unit: Unit, facts: &Facts, index: &LineIndex, text: &[u8], asked: &Asked<'_>) -> Self {
        let span = index.span_of(unit.lines);
        let mut frequencies = vec![0.0; asked.terms.len()];
        count(span.of(text), asked, &mut frequencies);
        // Only its first part speaks for a definition that was cut.
        let name = unit.symbol.filter(|_| unit.begins).map_or("", |symbol| &facts.symbols[symbol as usize].name);
        let mut in_name = vec![0.0; asked.terms.len()];
        let tokens = count(name.as_bytes(), asked, &mut in_name);
        let enclosing = unit.symbol.and_then(|symbol| facts.symbols[symbol as usize].parent);
        let mut in_enclosing = vec![0.0; asked.terms.len()];
        if let Some(enclosing) = enclosing {
            count(facts.symbols[enclosing as usize].name.as_bytes(), asked, &mut in_enclosing);
        }
        let is_test = !asked.about_tests && unit.symbol.is_some_and(|symbol| units::is_test(facts, symbol));
        Self {
            unit,
            frequencies,
            bytes: f64::from(span.len()),
            name: bm25(&in_name, 0.75, tokens / USUAL_NAME, asked),
            enclosing: bm25(&in_enclosing, 0.0, 1.0, asked),
            is_asked_for: asked.identifiers.iter().any(|identifier| identifier == name),
            similarity: 0.0,
            weight: match unit.symbol {
                _ if is_test => TEST,
                Some(_) => 1.0,
                None => OUTSIDE,
            },
        }
    }

    fn says_something(&self) -> bool {
        self.name > 0.0
            || self.is_asked_for
            || self.similarity > 0.0
            || self.frequencies.iter().any(|frequency| *frequency > 0.0)
    }
}

/// Runs of neighbouring units that begin and end with one that says something, scored; a unit alone may be of any length.
fn stretches(evidence: &[Evidence], asked: &Asked<'_>) -> Vec<Place> {
    let best = |of: fn(&Evidence) -> f64| evidence.iter().map(of).fold(0.0, f64::max);
    let (best_name, best_similarity) = (best(|unit| unit.name), best(|unit| unit.similarity));
    let best_enclosing = best(|unit| unit.enclosing);
    let named = |unit: &Evidence| {
        let asked_for = if unit.is_asked_for { ASKED_FOR } else { 0.0 };
        let names = NAME * share(unit.name, best_name) + ENCLOSING * share(unit.enclosing, best_enclosing);
        unit.weight * (names + asked_for)
    };
    let similar = |unit: &Evidence| unit.weight * SIMILARITY * share(unit.similarity, best_similarity);
    let mut stretches = Vec::new();
    let mut texts: Vec<f64> = Vec::new();
    for (first, from) in evidence.iter().enumerate().filter(|(_, unit)| unit.says_something()) {
        let mut frequencies = vec![0.0; asked.terms.len()];
        let mut bytes = 0.0;
        let (mut names, mut similarities) = (0.0_f64, 0.0_f64);
        let mut leader: Option<(f64, f64, u32)> = None;
        for to in &evidence[first..] {
            let lines = Lines { start: from.unit.lines.start, end: to.unit.lines.end };
            let length = lines.end + 1 - lines.start;
            if length > LONGEST_PLACE && !std::ptr::eq(from, to) {
                break;
            }
            for (sum, frequency) in frequencies.iter_mut().zip(&to.frequencies) {
                *sum += to.weight * frequency;
            }
            bytes += to.bytes;
            names = names.max(named(to));
            similarities = similarities.max(similar(to));
            if let Some(symbol) = to.unit.symbol {
                let text = to.weight * bm25(&to.frequencies, B, to.bytes / USUAL_BYTES, asked);
                let name = named(to);
                if leader.is_none_or(|(best_name, best_text, _)| (name, text) > (best_name, best_text)) {
                    leader = Some((name, text, symbol));
                }
            }
            if to.says_something() {
                texts.push(bm25(&frequencies, B, bytes / USUAL_BYTES, asked));
                let score = names + similarities - PRICE_OF_A_LINE * f64::from(length);
                stretches.push(Place { symbol: leader.map(|(_, _, symbol)| symbol), lines, score });
            }
        }
    }
    let top = texts.iter().copied().fold(0.0, f64::max);
    stretches.iter_mut().zip(&texts).for_each(|(place, text)| place.score += share(*text, top));
    stretches
}

fn share(score: f64, top: f64) -> f64 {
    if top > 0.0 { score / top } else { 0.0 }
}

/// Adds up how often each term stands in `text`; returns its tokens.
fn count(text: &[u8], asked: &Asked<'_>, frequencies: &mut [f64]) -> f64 {
    let mut tokens = 0.0;
    icr_lexical::tokens(text, &mut |token| {
        tokens += 1.0;
        if let Some(at) = asked.terms.iter().position(|term| term == token) {
            frequencies[at] += 1.0;
        }
    });
    tokens
}

/// BM25 with `length` as a multiple of the usual length.
fn bm25(frequencies: &[f64], b: f64, length: f64, asked: &Asked<'_>) -> f64 {
    let norm = K1 * (1.0 - b + b * length);
    let parts = frequencies.iter().zip(asked.rarity).filter(|(frequency, _)| **frequency > 0.0);
    parts.map(|(frequency, rarity)| rarity * frequency * (K1 + 1.0) / (frequency + norm)).sum()
}

fn overlap(one: Lines, other: Lines) -> bool {
    one.start <= other.end && other.start <= one.end
}
