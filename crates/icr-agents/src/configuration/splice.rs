//! Replaces one piece of a text, and reverts the replacement.

use std::ops::Range;

/// A replacement of one piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    span: Range<usize>,
    /// The new text.
    pub(crate) text: String,
    /// The replaced text.
    pub(crate) replaced: String,
}

impl Splice {
    /// The replacement of `span` in `text` by `new`.
    pub(crate) fn at(text: &str, span: Range<usize>, new: String) -> Self {
        let replaced = text.get(span.clone()).unwrap_or_default().to_owned();
        Self { span, text: new, replaced }
    }

    /// `text` after the replacement.
    pub(crate) fn apply(&self, text: &str) -> String {
        let before = text.get(..self.span.start).unwrap_or_default();
        let after = text.get(self.span.end..).unwrap_or_default();
        format!("{before}{}{after}", self.text)
    }
}

/// `text` with `inserted` changed back to `replaced`; `None` if `inserted` occurs not at all or more than once.
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
