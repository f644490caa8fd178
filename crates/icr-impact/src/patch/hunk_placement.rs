//! Where in a content a hunk fits.

use std::cell::{Cell, OnceCell};

use super::Hunk;
use super::apply::Direction;
use super::error::format_excerpt;
use super::hunk::{HunkLine, LineKind};

/// Lines compared to find the hunks of one file that are not at their line: below a second, at about 10 ns each. Only
/// contents that repeat the same lines very often need more.
const MOST_COMPARED: u64 = 1 << 26;

/// Bytes that count as a line more when they are compared, since a long line takes longer.
const COMPARED_AT_ONCE: u64 = 256;

/// A hunk in one direction: `Removed` is what the content has, `Added` what the result has.
pub(super) struct DirectedHunk<'h> {
    /// Lines before the hunk, as it says.
    pub(super) stated: usize,
    /// All lines, in order.
    pub(super) steps: Vec<HunkLine<'h>>,
    has_context: bool,
    /// Whether it is at the beginning of the content or nowhere.
    at_start: bool,
    /// Whether it is at the end of the content or nowhere.
    at_end: bool,
}

impl<'h> DirectedHunk<'h> {
    pub(super) fn new(hunk: &'h Hunk<'_>, direction: Direction) -> Self {
        let (start, lines) = match direction {
            Direction::Forward => (hunk.old_start, hunk.old_lines),
            Direction::Reverse => (hunk.new_start, hunk.new_lines),
        };
        let steps: Vec<HunkLine<'h>> =
            hunk.lines().map(|line| HunkLine { kind: kind_in_direction(line.kind, direction), ..line }).collect();
        let has_context = steps.iter().any(|step| step.kind == LineKind::Context);
        let ends_in_change = steps.last().is_some_and(|step| step.kind != LineKind::Context);
        let makes_last_line = steps.iter().any(|step| step.kind == LineKind::Added && !step.ended);
        Self {
            // A range of no lines names the line that it follows, any other its first.
            stated: if lines == 0 { start } else { start.saturating_sub(1) } as usize,
            has_context,
            at_start: has_context && start <= 1,
            at_end: (has_context && ends_in_change) || makes_last_line,
            steps,
        }
    }

    /// What the content has to have.
    fn preimage_lines(&self) -> impl Iterator<Item = &HunkLine<'h>> {
        self.steps.iter().filter(|step| step.kind != LineKind::Added)
    }
}

/// A content as lines.
pub(super) struct ContentLines<'c> {
    bytes: &'c [u8],
    /// Where each line begins, and the end of the last one.
    starts: Vec<usize>,
    /// Whether `\r\n` ends a line like `\n`.
    any_ends: bool,
    /// Lines ordered by text, then by place; made when it is first needed.
    by_text: OnceCell<Vec<usize>>,
    compared: Cell<u64>,
}

/// Too much was compared.
pub(super) struct GivenUp;

impl<'c> ContentLines<'c> {
    pub(super) fn new(bytes: &'c [u8], any_ends: bool) -> Self {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let ends = lines.scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        });
        let starts = std::iter::once(0).chain(ends).collect();
        Self { bytes, starts, any_ends, by_text: OnceCell::new(), compared: Cell::new(0) }
    }

    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A line with its end.
    pub(super) fn line(&self, line: usize) -> &'c [u8] {
        self.lines(line, line + 1)
    }

    /// The lines from `start` up to and without `end`.
    pub(super) fn lines(&self, start: usize, end: usize) -> &'c [u8] {
        &self.bytes[self.starts[start]..self.starts[end]]
    }

    /// Lines before the place of `piece`, which is not above line `done`; `None` when it fits nowhere.
    pub(super) fn place(&self, piece: &DirectedHunk<'_>, done: usize) -> Result<Option<usize>, GivenUp> {
        let is_place = |at: usize| at >= done && self.fits(piece, at);
        if is_place(piece.stated) {
            return Ok(Some(piece.stated));
        }
        if !piece.has_context {
            return Ok(None);
        }
        if piece.at_start || piece.at_end {
            let at = if piece.at_start { Some(0) } else { self.len().checked_sub(piece.preimage_lines().count()) };
            return Ok(at.filter(|at| is_place(*at)));
        }
        self.nearest_place(piece, done)
    }

    /// Adds a new line of the patch, which comes before line `at` of the content.
    pub(super) fn push_line(&self, step: &HunkLine<'_>, at: usize, result: &mut Vec<u8>) {
        let has_end = |line: &&[u8]| line.ends_with(b"\n");
        let neighbours = [at.checked_sub(1), Some(at), Some(0)].into_iter().flatten().filter(|line| *line < self.len());
        let like = neighbours.map(|line| self.line(line)).find(has_end).filter(|_| self.any_ends && step.ended);
        let Some(like) = like else {
            result.extend_from_slice(step.text);
            result.extend_from_slice(if step.ended { b"\n" } else { b"" });
            return;
        };
        result.extend_from_slice(step.text.strip_suffix(b"\r").unwrap_or(step.text));
        result.extend_from_slice(if like.ends_with(b"\r\n") { b"\r\n" } else { b"\n" });
    }

    /// The place that a message names for `piece`, which matches nowhere.
    pub(super) fn likely_place(&self, piece: &DirectedHunk<'_>, moved: isize) -> usize {
        match piece {
            DirectedHunk { at_start: true, .. } => 0,
            DirectedHunk { has_context: false, stated, .. } => *stated,
            _ => piece.stated.saturating_add_signed(moved),
        }
    }

    /// Why `piece` does not fit behind `at` lines: a line from 1, what the patch expects there and what the content
    /// has.
    pub(super) fn difference(&self, piece: &DirectedHunk<'_>, at: usize) -> (usize, String, String) {
        let found = |line: usize| match line < self.len() {
            true => self.format_line(line),
            false => format!("only {} lines", self.len()),
        };
        let mut line = at.min(self.len());
        for step in piece.preimage_lines() {
            if line >= self.len() || !self.is_equal(step, line) {
                return (line + 1, format_line_text(step.text, step.ended), found(line));
            }
            line += 1;
        }
        if at > self.len() {
            return (self.len() + 1, format!("at least {at} lines before the new ones"), found(at));
        }
        if line < self.len() {
            return (line + 1, "no more lines".to_owned(), found(line));
        }
        (line.max(1), "a line end before the new lines".to_owned(), found(line.saturating_sub(1)))
    }

    fn fits(&self, piece: &DirectedHunk<'_>, at: usize) -> bool {
        if piece.at_start && at != 0 || at > self.len() {
            return false;
        }
        let mut line = at;
        for step in piece.preimage_lines() {
            if line >= self.len() || !self.is_equal(step, line) {
                return false;
            }
            line += 1;
        }
        // After a line without a line break there can be no new lines.
        let is_behind_end = line > at || at == 0 || self.line(at - 1).ends_with(b"\n");
        is_behind_end && (!piece.at_end || line == self.len())
    }

    /// Looks at the places where the rarest line of the piece is, the nearest first.
    fn nearest_place(&self, piece: &DirectedHunk<'_>, done: usize) -> Result<Option<usize>, GivenUp> {
        let candidates =
            piece.preimage_lines().enumerate().map(|(offset, step)| (self.lines_of(self.key(step.text)), offset));
        let Some((lines, offset)) = candidates.min_by_key(|(lines, _)| lines.len()) else { return Ok(None) };
        let target = piece.stated + offset;
        let middle = lines.partition_point(|line| *line < target);
        let (mut above, mut below) = (lines[..middle].iter().rev().peekable(), lines[middle..].iter().peekable());
        loop {
            let line = match (above.peek(), below.peek()) {
                (Some(up), Some(down)) if target - **up < **down - target => above.next(),
                (_, Some(_)) => below.next(),
                (Some(_), None) => above.next(),
                (None, None) => return Ok(None),
            };
            let Some(at) = line.and_then(|line| line.checked_sub(offset)).filter(|at| *at >= done) else { continue };
            if self.fits(piece, at) {
                return Ok(Some(at));
            }
            if self.compared.get() > MOST_COMPARED {
                return Err(GivenUp);
            }
        }
    }

    /// Lines whose text is `key`, ascending.
    fn lines_of(&self, key: &[u8]) -> &[usize] {
        let key_of = |line: &usize| self.key(self.text(*line));
        let by_text = self.by_text.get_or_init(|| {
            let mut lines: Vec<usize> = (0..self.len()).collect();
            // Stable, so that equal lines stay in the order of the content.
            lines.sort_by(|first, second| key_of(first).cmp(key_of(second)));
            lines
        });
        let start = by_text.partition_point(|line| key_of(line) < key);
        let length = by_text[start..].partition_point(|line| key_of(line) == key);
        &by_text[start..start + length]
    }

    fn is_equal(&self, step: &HunkLine<'_>, line: usize) -> bool {
        self.compared.set(self.compared.get() + 1 + step.text.len() as u64 / COMPARED_AT_ONCE);
        let text = self.text(line);
        let is_ended = text.len() < self.line(line).len();
        if is_ended != step.ended {
            return false;
        }
        if is_ended { self.key(text) == self.key(step.text) } else { text == step.text }
    }

    /// A line without its `\n`.
    fn text(&self, line: usize) -> &'c [u8] {
        let line = self.line(line);
        line.strip_suffix(b"\n").unwrap_or(line)
    }

    /// What of a line's text has to be equal.
    fn key<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        if self.any_ends { text.strip_suffix(b"\r").unwrap_or(text) } else { text }
    }

    fn format_line(&self, line: usize) -> String {
        format_line_text(self.text(line), self.line(line).ends_with(b"\n"))
    }
}

fn format_line_text(text: &[u8], ended: bool) -> String {
    format!("`{}`{}", format_excerpt(text), if ended { "" } else { " without a line end" })
}

fn kind_in_direction(kind: LineKind, direction: Direction) -> LineKind {
    match (kind, direction) {
        (LineKind::Added, Direction::Reverse) => LineKind::Removed,
        (LineKind::Removed, Direction::Reverse) => LineKind::Added,
        _ => kind,
    }
}
