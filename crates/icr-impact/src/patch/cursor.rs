//! The lines of a text, one after the other.

/// A place between two lines of a text.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// Number of the next line, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Bytes before the next line.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// The text between two offsets.
    pub(super) fn between(&self, start: usize, end: usize) -> &'a [u8] {
        &self.text[start..end]
    }

    /// The next line without its `\n`; `None` at the end of the text.
    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        let rest = &self.text[self.at..];
        (!rest.is_empty()).then(|| split_line(rest).0)
    }

    /// The next line without its end of either kind.
    pub(super) fn peek_header(&self) -> Option<&'a [u8]> {
        self.peek().map(without_return)
    }

    /// What follows `prefix` in the next line.
    pub(super) fn peek_after(&self, prefix: &str) -> Option<&'a [u8]> {
        self.peek_header()?.strip_prefix(prefix.as_bytes())
    }

    /// Gives the next line and goes behind it.
    pub(super) fn advance(&mut self) -> Option<&'a [u8]> {
        let line = self.peek()?;
        self.at = (self.at + line.len() + 1).min(self.text.len());
        self.line += 1;
        Some(line)
    }

    /// The place behind the next line.
    pub(super) fn ahead(&self) -> Self {
        let mut ahead = self.clone();
        ahead.advance();
        ahead
    }
}

/// The first line of `text` without its `\n`, and what follows.
pub(super) fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, &[]),
    }
}

/// `line` without the `\r` at its end, where there is one.
pub(super) fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
