//! Turns the lines of ranked files into candidates for a pack.

use std::collections::HashMap;
use std::ops::Range;

use icr_git::Membership;
use icr_model::{BlobNo, Facts, Gap, LineIndex, LineSpan, RepoPath};
use icr_pack::{LinesEvidence, PackCandidate};
use icr_rank::{FileKind, QueryShape, is_written_by_program};

use super::pins::Pin;
use super::sources::is_of_one_file;
use crate::files::text_of;
use crate::lines::{FileText, MatchedChunk, ScoredLines, Segment, overlap, share};
use crate::search::{CHUNKS_READ, FoundFile, QuestionTerms, UnreadBlobs, path_of};
use crate::{Error, Snapshot};
use icr_view::Texts;

/// The best places of this many first files are always in the pack.
const LEADS: usize = 3;

/// Factor for the segments with the beginning of the definition that the question is about: they come before all others.
const ASKED_FOR: f64 = 1e6;

/// Most missing pins that are named in warnings.
const PINS_NAMED: usize = 3;

/// Most blank lines between two shown segments that are included to join them.
const BLANK_LINES: u32 = 3;

/// Collects line ranges with their evidence. Scores are computed after all files are read, because they are relative to
/// the best lines.
pub(super) struct CandidateReader<'s> {
    snapshot: &'s Snapshot,
    texts: Texts<'s>,
    unread: UnreadBlobs,
    words: QuestionTerms,
    shape: QueryShape,
    /// Score of the best file; 0 where there is none.
    best_file: f64,
    lines: Vec<ReadCandidate>,
    /// File and lines of the definition that the question is about.
    definition: Option<(BlobNo, LineSpan)>,
    /// Score of each file that the search found, for pinned files.
    found: HashMap<RepoPath, f64>,
}

/// A line range that was read.
struct ReadCandidate {
    candidate: PackCandidate,
    evidence: LinesEvidence,
    /// Whether it is vendored or generated, and the question does not ask for such code.
    is_foreign: bool,
    /// Whether the definition that the question is about begins in it, or right before it.
    is_asked_for: bool,
}

impl<'s> CandidateReader<'s> {
    /// For the question `query` with the terms `words`, about `definition` if it names one.
    pub(super) fn of(
        snapshot: &'s Snapshot,
        query: &str,
        words: QuestionTerms,
        definition: Option<(BlobNo, LineSpan)>,
    ) -> Self {
        Self {
            snapshot,
            texts: snapshot.view.texts(),
            unread: UnreadBlobs::default(),
            words,
            shape: QueryShape::of(query),
            best_file: 0.0,
            lines: Vec::new(),
            definition,
            found: HashMap::new(),
        }
    }

    /// Reads the segments of `files`, best first.
    pub(super) fn read_files(&mut self, files: &[FoundFile]) -> Result<(), Error> {
        self.best_file = files.iter().map(|file| file.score).fold(0.0, f64::max);
        let mut text = Vec::new();
        for (rank, file) in files.iter().enumerate() {
            self.found.insert(file.path.clone(), file.score);
            let (row, facts) = (self.snapshot.view.row(file.blob_no)?, self.snapshot.facts(file.blob_no)?);
            if !self.unread.read(&mut self.texts, &row, &mut text)? {
                continue;
            }
            self.snapshot.mask(&mut text);
            let file_text = FileText::new(&facts, &text);
            let asked = self.words.as_line_query();
            let matched = file.chunks.iter().take(CHUNKS_READ).filter_map(|chunk| {
                let ordinal = (chunk.chunk_no.0 - row.chunk_first.0) as usize;
                Some(MatchedChunk { chunk: facts.chunks.get(ordinal)?, similarity: chunk.similarity })
            });
            let places = file_text.places(&matched.collect::<Vec<_>>(), &asked);
            let segments = file_text.segments(&asked);
            let top = file.chunks.iter().map(|chunk| chunk.score).fold(0.0, f64::max);
            let definition = self.definition.filter(|(blob_no, _)| *blob_no == file.blob_no);
            let asked_for = definition.map_or(0..0, |(_, lines)| with_beginning_of(lines, &segments));
            let lead = match places.first() {
                _ if rank >= LEADS => None,
                // The one that has more of it.
                _ if !asked_for.is_empty() => asked_for
                    .clone()
                    .rev()
                    .max_by_key(|at| definition.map_or(0, |(_, lines)| common_lines(lines, segments[*at].lines))),
                Some(place) => leading(&segments, place),
                // The file was found by its path or its vector.
                None => (!segments.is_empty()).then_some(0),
            };
            let blob = row.blob_id.to_string();
            let kind = FileKind::of(&file.path);
            let is_penalised = kind.is_some_and(|kind| kind.penalty(&self.shape).is_some());
            let is_foreign = !self.shape.about_foreign_code
                && (kind == Some(FileKind::Foreign)
                    || kind != Some(FileKind::Documentation) && is_written_by_program(&text));
            for (at, segment) in segments.iter().enumerate() {
                let overlapping = places.iter().filter(|place| overlap(place.lines, segment.lines));
                let span_score = overlapping.map(|place| top * place.score).fold(0.0, f64::max);
                let evidence = LinesEvidence {
                    file_score: share(file.score, self.best_file),
                    span_score: share(span_score, self.best_file),
                    is_penalised,
                    ..evidence(segment, segments.len())
                };
                let candidate = PackCandidate {
                    score: file.score,
                    lead: (lead == Some(at)).then_some(rank as u32),
                    ..candidate(&file.path, &blob, &facts, &file_text, &segments, at)
                };
                self.lines.push(ReadCandidate {
                    candidate,
                    evidence,
                    is_foreign,
                    is_asked_for: asked_for.contains(&at),
                });
            }
        }
        Ok(())
    }

    /// Reads pinned files as they are in this view. Returns a sentence for each of the first pins whose file is
    /// missing, and one for all others.
    pub(super) fn read_pins(&mut self, pins: &[Pin]) -> Result<Vec<String>, Error> {
        let mut warnings = Vec::new();
        let mut left_out = 0_usize;
        for pin in pins {
            match self.read_pin(pin) {
                Ok(()) => {}
                Err(error) if is_of_one_file(&error) => {
                    left_out += 1;
                    if left_out <= PINS_NAMED {
                        warnings.push(format!("a pin is left out: {error}"));
                    }
                }
                Err(error) => return Err(error),
            }
        }
        if left_out > PINS_NAMED {
            warnings.push(format!("{} more pins are left out, which this view does not have", left_out - PINS_NAMED));
        }
        Ok(warnings)
    }

    fn read_pin(&mut self, pin: &Pin) -> Result<(), Error> {
        let snapshot = self.snapshot;
        let path = path_of(&pin.path);
        // Similar paths are not suggested, because the question is not about the pin.
        if snapshot.context.foundation.shape.policy().decide(&path) != Membership::Secret
            && snapshot.view.file(&path)?.is_none()
        {
            let (path, view) = (path.to_string(), snapshot.name().to_owned());
            return Err(Error::NoSuchFile { path, view, similar: Vec::new() });
        }
        let (file, mut text) = text_of(snapshot, &pin.path)?;
        snapshot.mask(&mut text);
        let facts = snapshot.facts(file.row.blob_no)?;
        let lines_total = LineIndex::new(&text).lines_total();
        if lines_total == 0 {
            return Err(Error::NotText { path: file.path.to_string(), why: "it is empty".to_owned() });
        }
        let pinned = LineSpan { start: pin.start_line, end: pin.end_line.min(lines_total) };
        if pinned.start == 0 || pinned.start > pinned.end {
            let (path, end) = (file.path.to_string(), pin.end_line);
            return Err(Error::NoSuchLines { path, start: pin.start_line, end, lines_total });
        }
        let file_text = FileText::new(&facts, &text);
        let within = |segment: Segment| {
            let start = segment.lines.start.max(pinned.start);
            let end = segment.lines.end.min(pinned.end);
            (start <= end).then_some(Segment { lines: LineSpan { start, end }, ..segment })
        };
        let segments: Vec<Segment> =
            file_text.segments(&self.words.as_line_query()).into_iter().filter_map(within).collect();
        let score = self.found.get(&file.path).copied().unwrap_or_default();
        let blob = file.row.blob_id.to_string();
        for at in 0..segments.len() {
            let evidence =
                LinesEvidence { file_score: share(score, self.best_file), ..evidence(&segments[at], segments.len()) };
            let candidate = candidate(&file.path, &blob, &facts, &file_text, &segments, at);
            let candidate = PackCandidate { score, pin: Some(pin.rank), ..candidate };
            self.lines.push(ReadCandidate { candidate, evidence, is_foreign: false, is_asked_for: false });
        }
        Ok(())
    }

    /// The candidates with their scores, and the gap for unreadable files. Lines of vendored or generated files are
    /// candidates only if they are the best place of one of the first files.
    pub(super) fn candidates(mut self) -> (Vec<PackCandidate>, Vec<Gap>) {
        if self.lines.iter().any(|lines| !lines.is_foreign && !lines.candidate.is_pinned()) {
            self.lines.retain(|lines| !lines.is_foreign || lines.candidate.lead.is_some());
        }
        let best =
            |of: fn(&LinesEvidence) -> f64| self.lines.iter().map(|lines| of(&lines.evidence)).fold(0.0, f64::max);
        let (best_says, best_within) = (best(|lines| lines.says), best(|lines| lines.says_within));
        let worth = |ReadCandidate { candidate, evidence, is_asked_for, .. }: ReadCandidate| {
            let evidence = LinesEvidence {
                says: share(evidence.says, best_says),
                says_within: share(evidence.says_within, best_within),
                neighbours_say: share(evidence.neighbours_say, best_says),
                ..evidence
            };
            let factor = if is_asked_for { ASKED_FOR } else { 1.0 };
            PackCandidate { worth: evidence.worth() * factor, ..candidate }
        };
        (self.lines.into_iter().map(worth).collect(), self.unread.gaps())
    }
}

/// The evidence in a segment itself, not normalised yet.
fn evidence(segment: &Segment, of_file: usize) -> LinesEvidence {
    LinesEvidence {
        file_score: 0.0,
        says: segment.says,
        says_within: segment.says_within,
        neighbours_say: segment.neighbours_say,
        span_score: 0.0,
        of_file,
        is_penalised: false,
    }
}

/// The segment in which a definition begins; also the next one, if the first has less than half of the lines that the
/// next one has.
fn with_beginning_of(definition: LineSpan, segments: &[Segment]) -> Range<usize> {
    let begins = |segment: &Segment| (segment.lines.start..=segment.lines.end).contains(&definition.start);
    let Some(first) = segments.iter().position(begins) else { return 0..0 };
    let of = |at: usize| segments.get(at).map_or(0, |segment| common_lines(definition, segment.lines));
    first..first + 1 + usize::from(2 * of(first) < of(first + 1))
}

/// Number of lines that two spans have in common.
fn common_lines(one: LineSpan, other: LineSpan) -> u32 {
    (one.end.min(other.end) + 1).saturating_sub(one.start.max(other.start))
}

/// The segment that represents a place best.
fn leading(segments: &[Segment], place: &ScoredLines) -> Option<usize> {
    let overlapping = segments.iter().enumerate().filter(|(_, segment)| overlap(place.lines, segment.lines));
    overlapping
        .max_by(|(at, one), (there, other)| one.says.total_cmp(&other.says).then(there.cmp(at)))
        .map(|(at, _)| at)
}

/// The lines of a segment, extended to the start of the next one if that is near.
fn candidate(
    path: &RepoPath,
    blob: &str,
    facts: &Facts,
    text: &FileText<'_>,
    segments: &[Segment],
    at: usize,
) -> PackCandidate {
    let Segment { lines, symbol, .. } = &segments[at];
    let next = segments.get(at + 1).map_or(lines.end, |next| next.lines.start.saturating_sub(1));
    let end = if next.saturating_sub(lines.end) <= BLANK_LINES { next.max(lines.end) } else { lines.end };
    let lines = LineSpan { start: lines.start, end };
    PackCandidate {
        path: path.to_string(),
        blob: blob[..8.min(blob.len())].to_owned(),
        symbol: symbol.map(|symbol| facts.qualified_name(symbol)),
        symbol_line: symbol.map_or(0, |symbol| facts.symbols[symbol as usize].lines.start),
        start_line: lines.start,
        end_line: lines.end,
        language: facts.language.clone(),
        text: String::from_utf8_lossy(text.of_lines(lines)).into_owned(),
        is_contract: symbol.is_some_and(|symbol| facts.symbols[symbol as usize].contract.is_some()),
        ..PackCandidate::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_that_begins_at_the_end_of_a_segment_has_the_next_one_too() {
        let segment = |start, end| Segment {
            lines: LineSpan { start, end },
            symbol: None,
            says: 0.0,
            says_within: 0.0,
            neighbours_say: 0.0,
        };
        let segments = [segment(1, 20), segment(21, 40), segment(41, 60)];
        let of = |start, end| with_beginning_of(LineSpan { start, end }, &segments);
        assert_eq!(of(20, 45), 0..2);
        assert_eq!(of(5, 45), 0..1);
        assert_eq!(of(60, 60), 2..3);
        assert_eq!(of(70, 80), 0..0);
    }
}
