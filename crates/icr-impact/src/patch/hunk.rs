//! Hunks and their lines.

use std::borrow::Cow;

use super::Error;
use super::cursor::{Cursor, split_line, without_return};
use super::error::format_excerpt;

/// One hunk: lines that follow each other in both contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// First line of it before the change, from 1; the line that it follows where `old_lines` is 0, and then 0 for the
    /// beginning of the file.
    pub old_start: u32,
    /// Lines of it before the change.
    pub old_lines: u32,
    /// First line of it after the change, as `old_start`.
    pub new_start: u32,
    /// Lines of it after the change.
    pub new_lines: u32,
    /// The text after `@@`: the line of the surrounding definition, as git guesses it; often empty.
    pub section: Cow<'a, [u8]>,
    /// The lines as the diff has them; checked to be `old_lines` and `new_lines`.
    body: Cow<'a, [u8]>,
    added: u32,
    removed: u32,
    /// Whether the whole diff has `\r\n` line ends, so that the line ends of the content are unknown.
    pub(super) ends_are_lost: bool,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HunkLine<'h> {
    /// On which side it is.
    pub kind: LineKind,
    /// The line without its `\n`; a `\r` before that is part of it.
    pub text: &'h [u8],
    /// Whether it ends in `\n`; only the last line of a content does not.
    pub ended: bool,
}

/// On which sides a line of a hunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineKind {
    /// On both.
    Context,
    /// After the change only.
    Added,
    /// Before the change only.
    Removed,
}

impl Hunk<'_> {
    /// The lines, in the order of the diff.
    pub fn lines(&self) -> HunkLineIterator<'_> {
        HunkLineIterator { rest: &self.body, ends_are_lost: self.ends_are_lost }
    }

    /// Lines that are only after the change.
    pub fn lines_added(&self) -> u32 {
        self.added
    }

    /// Lines that are only before the change.
    pub fn lines_removed(&self) -> u32 {
        self.removed
    }

    /// The same hunk with lines of its own.
    pub(super) fn into_owned(self) -> Hunk<'static> {
        Hunk { section: Cow::Owned(self.section.into_owned()), body: Cow::Owned(self.body.into_owned()), ..self }
    }

    /// Merges two hunks into one for the same file: it removes the lines of `self` and adds those of `next`. Git writes
    /// a change of type as two files, one that is deleted and one that is new.
    pub(super) fn followed_by(self, next: Self) -> Hunk<'static> {
        let mut body = self.body.into_owned();
        if body.last().is_some_and(|byte| *byte != b'\n') {
            body.push(b'\n');
        }
        body.extend_from_slice(&next.body);
        Hunk {
            new_start: next.new_start,
            new_lines: next.new_lines,
            section: Cow::Owned(Vec::new()),
            body: Cow::Owned(body),
            added: next.added,
            ..self
        }
    }
}

/// Lines of a [`Hunk`], in the order of the diff.
#[derive(Debug, Clone)]
pub struct HunkLineIterator<'h> {
    rest: &'h [u8],
    ends_are_lost: bool,
}

impl<'h> Iterator for HunkLineIterator<'h> {
    type Item = HunkLine<'h>;

    fn next(&mut self) -> Option<HunkLine<'h>> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = split_line(self.rest);
        let ended = rest.first() != Some(&b'\\');
        self.rest = if ended { rest } else { split_line(rest).1 };
        let line = if self.ends_are_lost { without_return(line) } else { line };
        let (kind, text) = match line.split_first() {
            Some((b'+', text)) => (LineKind::Added, text),
            Some((b'-', text)) => (LineKind::Removed, text),
            Some((b' ', text)) => (LineKind::Context, text),
            // Mail programs and `diff --suppress-blank-empty` take away the blank of an empty line.
            _ => (LineKind::Context, line),
        };
        Some(HunkLine { kind, text, ended })
    }
}

/// All hunks that follow each other at `cursor`, which goes behind them.
pub(super) fn hunks<'a>(cursor: &mut Cursor<'a>, ends_are_lost: bool) -> Result<Vec<Hunk<'a>>, Error> {
    let mut hunks = Vec::new();
    while is_hunk(cursor) {
        hunks.push(hunk(cursor, ends_are_lost)?);
    }
    Ok(hunks)
}

/// Whether the next line begins a hunk.
pub(super) fn is_hunk(cursor: &Cursor<'_>) -> bool {
    cursor.peek().is_some_and(|line| line.starts_with(b"@@ -"))
}

fn hunk<'a>(cursor: &mut Cursor<'a>, ends_are_lost: bool) -> Result<Hunk<'a>, Error> {
    let (line, text) = (cursor.line(), cursor.peek_header().unwrap_or_default());
    let ranges = ranges(text).ok_or_else(|| Error::Header {
        line,
        text: format_excerpt(text),
        expected: "of the form `@@ -1,2 +1,2 @@`",
    })?;
    cursor.advance();
    let start = cursor.offset();
    let mut count = Count { header: text, old: ranges.old.1, new: ranges.new.1, ..Count::default() };
    while count.old > 0 || count.new > 0 {
        count.line(cursor.line(), cursor.peek())?;
        cursor.advance();
    }
    if let Some(marker @ [b'\\', ..]) = cursor.peek() {
        count.line(cursor.line(), Some(marker))?;
        cursor.advance();
    }
    let body = cursor.between(start, cursor.offset());
    count.end(cursor)?;
    Ok(Hunk {
        old_start: ranges.old.0,
        old_lines: ranges.old.1,
        new_start: ranges.new.0,
        new_lines: ranges.new.1,
        section: Cow::Borrowed(ranges.section),
        body: Cow::Borrowed(body),
        added: count.added,
        removed: count.removed,
        ends_are_lost,
    })
}

struct Ranges<'a> {
    old: (u32, u32),
    new: (u32, u32),
    section: &'a [u8],
}

/// The ranges of `@@ -1,2 +1,2 @@ section`.
fn ranges(text: &[u8]) -> Option<Ranges<'_>> {
    let (old, rest) = range(text.strip_prefix(b"@@ -")?)?;
    let (new, rest) = range(rest.strip_prefix(b" +")?)?;
    let section = rest.strip_prefix(b" @@")?;
    Some(Ranges { old, new, section: section.strip_prefix(b" ").unwrap_or(section) })
}

/// `12,3`, or `12` for one line, and what follows.
fn range(text: &[u8]) -> Option<((u32, u32), &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => number(rest).map(|(lines, rest)| ((start, lines), rest)),
        None => Some(((start, 1), rest)),
    }
}

fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let number = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    Some((number, &text[end..]))
}

/// Lines of a hunk that are still to come, and those that came.
#[derive(Default)]
struct Count<'a> {
    header: &'a [u8],
    old: u32,
    new: u32,
    added: u32,
    removed: u32,
    /// What a marker for a missing line end speaks about: whether the line before it is on the old and on the new side.
    last: Option<(bool, bool)>,
    /// Whether the old and the new side had that marker, after which nothing can come.
    closed: (bool, bool),
}

impl Count<'_> {
    fn line(&mut self, line: usize, text: Option<&[u8]>) -> Result<(), Error> {
        let Some(text) = text else {
            let reason =
                format!("the diff ends inside the hunk `{}`; {} missing", format_excerpt(self.header), self.missing());
            return Err(Error::Hunk { line, reason });
        };
        let (on_old, on_new) = match text.first() {
            _ if text == b"\r" => (true, true),
            Some(b' ') | None => (true, true),
            Some(b'-') => (true, false),
            Some(b'+') => (false, true),
            Some(b'\\') => return self.marker(line),
            Some(_) => {
                let (text, header, missing) = (format_excerpt(text), format_excerpt(self.header), self.missing());
                let reason =
                    format!("`{text}` begins with none of ` `, `+`, `-`, but in the hunk `{header}` {missing} missing");
                return Err(Error::Hunk { line, reason });
            }
        };
        if (on_old && self.old == 0) || (on_new && self.new == 0) {
            return Err(self.too_long(line));
        }
        if (on_old && self.closed.0) || (on_new && self.closed.1) {
            let reason = "a line follows one without a line end, which only the last line of a file can be".to_owned();
            return Err(Error::Hunk { line, reason });
        }
        self.old -= u32::from(on_old);
        self.new -= u32::from(on_new);
        self.added += u32::from(!on_old);
        self.removed += u32::from(!on_new);
        self.last = Some((on_old, on_new));
        Ok(())
    }

    fn marker(&mut self, line: usize) -> Result<(), Error> {
        let Some((on_old, on_new)) = self.last.take() else {
            let reason = "`\\` has to follow a line of the hunk, which has no line end then".to_owned();
            return Err(Error::Hunk { line, reason });
        };
        self.closed = (self.closed.0 || on_old, self.closed.1 || on_new);
        if (self.closed.0 && self.old > 0) || (self.closed.1 && self.new > 0) {
            let reason = format!("only the last line can have no line end, but {} missing", self.missing());
            return Err(Error::Hunk { line, reason });
        }
        Ok(())
    }

    /// After the counted lines there must be no more lines, or changes would be lost silently.
    fn end(&self, cursor: &Cursor<'_>) -> Result<(), Error> {
        let goes_on = cursor.peek_header().is_some_and(|line| match line {
            // The end of a mail, and the beginning of the next file.
            b"-- " | b"--" | b"---" => false,
            _ if line.starts_with(b"--- ") => cursor.ahead().peek_after("+++ ").is_none(),
            _ => line.starts_with(b"+") || line.starts_with(b"-"),
        });
        if goes_on { Err(self.too_long(cursor.line())) } else { Ok(()) }
    }

    fn too_long(&self, line: usize) -> Error {
        let reason = format!("the hunk `{}` has more lines than it says", format_excerpt(self.header));
        Error::Hunk { line, reason }
    }

    fn missing(&self) -> String {
        let lines = |count, side| match count {
            0 => None,
            1 => Some(format!("1 {side} line")),
            _ => Some(format!("{count} {side} lines")),
        };
        let parts: Vec<String> = [lines(self.old, "old"), lines(self.new, "new")].into_iter().flatten().collect();
        let verb = if self.old.max(self.new) == 1 && parts.len() == 1 { "is" } else { "are" };
        format!("{} {verb}", parts.join(" and "))
    }
}
