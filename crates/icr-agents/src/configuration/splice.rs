//! Replacing one piece of a text, and finding the piece again.

use std::ops::Range;

/// One piece of a text, and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    span: Range<usize>,
    /// What comes in.
    pub(crate) text: String,
    /// What goes out.
    pub(crate) replaced: String,
}

impl Splice {
    /// Puts `new` in the place of `span`, which lies in `text`.
    pub(crate) fn at(text: &str, span: Range<usize>, new: String) -> Self {
        let replaced = text.get(span.clone()).unwrap_or_default().to_owned();
        Self { span, text: new, replaced }
    }

    /// `text` with it.
    pub(crate) fn apply(&self, text: &str) -> String {
        let before = text.get(..self.span.start).unwrap_or_default();
        let after = text.get(self.span.end..).unwrap_or_default();
        format!("{before}{}{after}", self.text)
    }
}

/// `text` with `replaced` where `inserted` stands; nothing where that stands nowhere, or more than once.
pub(crate) fn reversed(text: &str, inserted: &str, replaced: &str) -> Option<String> {
    if inserted.is_empty() {
        return None;
    }
    let at = text.find(inserted)?;
    let next = at + inserted.chars().next().map_or(1, char::len_utf8);
    if text.get(next..)?.contains(inserted) {
        return None;
    }
    let (before, after) = (text.get(..at)?, text.get(at + inserted.len()..)?);
    Some(format!("{before}{replaced}{after}"))
}

/// The line end that a text uses: that of its first line.
pub(crate) fn line_end_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}
