//! Splits a file into segments, which a pack includes whole or not at all.

use icr_model::{LineIndex, LineSpan};

use super::units::{Lengths, Unit, part_of, units};
use super::{FileText, LineQuery, bm25, frequencies, of_name};

/// Lengths of the units that segments are made of: definitions that fit are taken whole, and what is longer is cut at its members.
const UNITS: Lengths = Lengths { small: 30, long: LONGEST, part: u32::MAX };

/// Lines of a usual segment: short neighbours are joined up to it, and long units are cut into parts of about it.
/// Smaller segments include more of what commits change, given their messages; larger ones include more of the answers
/// to questions. 25 and 40 for this and [`LONGEST`] are within 0.02 of either. When files are cut by indentation alone,
/// without definitions, a pack of 4,000 tokens includes 0.01 less of the former and 0.05 less of the latter.
const USUAL: u32 = 30;

/// Most lines of a definition that is one segment.
const LONGEST: u32 = 50;

/// Lines below which a segment is joined with a neighbour.
const SHORT: u32 = 12;

/// Fewest lines of a part of a unit that is cut.
const PART_LEAST: u32 = 8;

/// Bytes of a usual segment, for which the length normalisation is neutral.
const USUAL_BYTES: f64 = 1_000.0;

/// BM25 length normalisation; below the customary 0.75, since a segment may hold several definitions.
const B: f64 = 0.5;

/// Weights of the names of definitions that begin in a segment, and of the name of the enclosing one, relative to the
/// text.
const NAME: f64 = 0.6;
const ENCLOSING: f64 = 0.4;

/// Weights of the scores of neighbouring segments: those directly beside it, and the next ones.
const BESIDE: f64 = 0.5;
const BEHIND: f64 = 0.25;

/// Neighbouring lines of a file: a definition, a part of a long one, or several short ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Segment {
    pub(crate) lines: LineSpan,
    /// Index in [`icr_model::Facts::symbols`] of the best matching definition in it or around it.
    pub(crate) symbol: Option<u32>,
    /// Score of its text and the names of its definitions; 0 or more.
    pub(crate) says: f64,
    /// The same score, where a term also counts less if many segments of the file have it: the main subject of a file
    /// occurs in all its parts.
    pub(crate) says_within: f64,
    /// Score of the neighbouring segments.
    pub(crate) neighbours_say: f64,
}

impl FileText<'_> {
    /// The segments of the file, in order. Together they cover every line that is not blank, without overlap.
    ///
    /// Cost: a pass over its bytes and its definitions.
    pub(crate) fn segments(&self, asked: &LineQuery<'_>) -> Vec<Segment> {
        let units = units(self.facts, &self.index, self.text, UNITS);
        // An empty file has no line.
        let units = units.into_iter().filter(|unit| unit.lines.start <= unit.lines.end);
        let runs = merge_short_units(units.flat_map(|unit| self.parts(unit)));
        let words: Vec<Vec<f64>> = runs.iter().map(|run| frequencies(self.of_lines(lines_of(run)), asked)).collect();
        let rarity_within = asked.rarity.iter().enumerate().map(|(term, rarity)| {
            let with_term = words.iter().filter(|words| words[term] > 0.0).count() as u64;
            rarity * icr_lexical::inverse_document_frequency(words.len() as u64, with_term)
        });
        let rarity_within: Vec<f64> = rarity_within.collect();
        let of_run = |(run, words): (&Vec<Unit>, &Vec<f64>)| self.segment(run, words, &rarity_within, asked);
        let mut segments: Vec<Segment> = runs.iter().zip(&words).map(of_run).collect();
        let says: Vec<f64> = segments.iter().map(|segment| segment.says).collect();
        let at = |place: usize, away: isize| place.checked_add_signed(away).and_then(|at| says.get(at)).unwrap_or(&0.0);
        for (place, segment) in segments.iter_mut().enumerate() {
            let (beside, behind) = (at(place, -1) + at(place, 1), at(place, -2) + at(place, 2));
            segment.neighbours_say = BESIDE * beside + BEHIND * behind;
        }
        segments
    }

    fn segment(&self, units: &[Unit], words: &[f64], rarity_within: &[f64], asked: &LineQuery<'_>) -> Segment {
        let lines = lines_of(units);
        let (mut name, mut enclosing) = (0.0_f64, 0.0_f64);
        let mut leader: Option<(f64, u32)> = None;
        for unit in units {
            let Some(symbol) = unit.symbol else { continue };
            let (own, around) = self.names(symbol, asked);
            if unit.begins {
                name = name.max(own);
                enclosing = enclosing.max(around);
            } else {
                enclosing = enclosing.max(own).max(around);
            }
            let says = if units.len() == 1 { own } else { own + self.words(unit.lines, asked) };
            if leader.is_none_or(|(most, _)| says > most) {
                leader = Some((says, symbol));
            }
        }
        let length = self.of_lines(lines).len() as f64 / USUAL_BYTES;
        Segment {
            lines,
            symbol: leader.map(|(_, symbol)| symbol),
            says: bm25(words, B, length, asked.rarity) + NAME * name + ENCLOSING * enclosing,
            says_within: bm25(words, B, length, rarity_within),
            neighbours_say: 0.0,
        }
    }

    fn words(&self, lines: LineSpan, asked: &LineQuery<'_>) -> f64 {
        let text = self.of_lines(lines);
        bm25(&frequencies(text, asked), B, text.len() as f64 / USUAL_BYTES, asked.rarity)
    }

    /// Scores of the name of a definition and of the enclosing one.
    fn names(&self, symbol: u32, asked: &LineQuery<'_>) -> (f64, f64) {
        let symbols = &self.facts.symbols;
        let symbol = &symbols[symbol as usize];
        let around = symbol.parent.map_or("", |parent| &symbols[parent as usize].name);
        (of_name(&symbol.name, 0.75, asked), of_name(around, 0.75, asked))
    }

    /// A unit that is not too long, or its parts, cut at the lines with the least cost.
    fn parts(&self, unit: Unit) -> Vec<Unit> {
        let LineSpan { start, end } = unit.lines;
        let length = end + 1 - start;
        if length <= LONGEST {
            return vec![unit];
        }
        let count = ((length + USUAL / 2) / USUAL).max(2);
        let mut begins = vec![start];
        for part in 1..count {
            let (wanted, last) = (start + part_of(length, part, count), begins[begins.len() - 1]);
            let from = (last + PART_LEAST).max(wanted - USUAL / 3);
            let to = (wanted + USUAL / 3).min((end + 1).saturating_sub(PART_LEAST));
            let tears =
                |line: &u32| (tearing(&self.index, self.text, *line) + 7 * u64::from(line.abs_diff(wanted)), *line);
            begins.extend((from..=to).min_by_key(tears));
        }
        let ends = begins[1..].iter().map(|begin| begin - 1).chain([end]);
        let part = |(begin, end): (u32, u32)| {
            let lines = trimmed(&self.index, self.text, LineSpan { start: begin, end })?;
            Some(Unit { lines, begins: unit.begins && begin == start, ..unit })
        };
        begins.iter().copied().zip(ends).filter_map(part).collect()
    }
}

/// Cost of starting a part at `line`: least after a blank line and at the least indentation. In twentieths of a line of
/// distance from the ideal position.
fn tearing(index: &LineIndex, text: &[u8], line: u32) -> u64 {
    let of_line = |line: u32| index.span_of(LineSpan { start: line, end: line }).of(text);
    let is_blank = |line: u32| of_line(line).iter().all(u8::is_ascii_whitespace);
    let after_blank = if line > 1 && is_blank(line - 1) { 0 } else { 160 };
    let indentation = match is_blank(line) {
        true => 50,
        false => {
            let columns = of_line(line).iter().take_while(|byte| byte.is_ascii_whitespace());
            columns.map(|byte| if *byte == b'\t' { 4 } else { 1 }).sum::<u64>().min(40)
        }
    };
    after_blank + 14 * indentation
}

/// `lines` less the blank ones around them; `None` where all are.
fn trimmed(index: &LineIndex, text: &[u8], lines: LineSpan) -> Option<LineSpan> {
    let says = |line: &u32| {
        let of_line = index.span_of(LineSpan { start: *line, end: *line }).of(text);
        !of_line.iter().all(u8::is_ascii_whitespace)
    };
    let start = (lines.start..=lines.end).find(says)?;
    let end = (lines.start..=lines.end).rev().find(says)?;
    Some(LineSpan { start, end })
}

/// Joins short neighbours.
fn merge_short_units(units: impl Iterator<Item = Unit>) -> Vec<Vec<Unit>> {
    let length = |units: &[Unit]| {
        let LineSpan { start, end } = lines_of(units);
        end + 1 - start
    };
    let mut all: Vec<Vec<Unit>> = Vec::new();
    for unit in units {
        match all.last_mut() {
            Some(before)
                if (length(before) < SHORT || length(&[unit]) < SHORT)
                    && unit.lines.end + 1 - before[0].lines.start <= USUAL =>
            {
                before.push(unit);
            }
            _ => all.push(vec![unit]),
        }
    }
    all
}

/// The lines of neighbouring units, one or more.
fn lines_of(units: &[Unit]) -> LineSpan {
    LineSpan { start: units[0].lines.start, end: units[units.len() - 1].lines.end }
}
