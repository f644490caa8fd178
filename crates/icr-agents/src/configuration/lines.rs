//! Files of lines: appending to them, and taking out again what was appended.

use super::splice::{Splice, line_end_of};

/// A line of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextLine<'a> {
    /// Start of the line, in bytes.
    pub(crate) start: usize,
    /// End of the line, after its line end, in bytes.
    pub(crate) end: usize,
    /// What it says, without its line end.
    pub(crate) text: &'a str,
}

impl TextLine<'_> {
    /// Count of spaces that it begins with.
    pub(crate) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches(' ').len()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether a parser of TOML or YAML ignores the line: it is blank or a comment.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_blank() || self.text.trim_start().starts_with('#')
    }
}

/// The lines of `text`.
pub(crate) fn lines(text: &str) -> Vec<TextLine<'_>> {
    let mut start = 0;
    let mut all = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let said = line.strip_suffix('\n').unwrap_or(line);
        let said = said.strip_suffix('\r').unwrap_or(said);
        all.push(TextLine { start, end, text: if start == 0 { said.trim_start_matches('\u{feff}') } else { said } });
        start = end;
    }
    all
}

/// Adds `addition`, whole lines, to the end of `text` after an empty line.
pub(crate) fn appended(text: &str, addition: &str) -> Splice {
    let end = line_end_of(text);
    let is_empty = text.trim_start_matches('\u{feff}').is_empty();
    let last_is_blank = lines(text).last().is_some_and(TextLine::is_blank);
    let gap = match text.ends_with('\n') {
        _ if is_empty => String::new(),
        true if last_is_blank => String::new(),
        true => end.to_owned(),
        false => format!("{end}{end}"),
    };
    Splice::at(text, text.len()..text.len(), format!("{gap}{}", with_line_ends(addition, end)))
}

/// Inserts `addition`, whole lines, after the line that ends at `at`.
pub(crate) fn insert_after_line(text: &str, at: usize, addition: &str) -> Splice {
    let end = line_end_of(text);
    let begins_line = text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
    let gap = if begins_line { "" } else { end };
    Splice::at(text, at..at, format!("{gap}{}", with_line_ends(addition, end)))
}

/// `text` with its line ends as `line_end`.
pub(crate) fn with_line_ends(text: &str, line_end: &str) -> String {
    if line_end == "\n" { text.to_owned() } else { text.replace('\n', line_end) }
}

/// `text` with the lines `inserted` changed back to `replaced`; separate lines are never joined. `None` if `inserted`
/// occurs not at all or more than once.
pub(crate) fn reversed(text: &str, inserted: &str, replaced: &str) -> Option<String> {
    let whole = super::splice::reversed(text, inserted, replaced)?;
    if !replaced.is_empty() {
        return Some(whole);
    }
    let at = text.find(inserted)?;
    let (before, after) = (whole.get(..at)?, whole.get(at..)?);
    let is_torn = before.is_empty() || before.ends_with('\n') || after.is_empty();
    Some(if is_torn { whole } else { format!("{before}{}{after}", line_end_of(text)) })
}

/// `text` without the lines from `start` to `end`. One empty line before them is removed too if another empty line or
/// nothing follows.
pub(crate) fn without(text: &str, start: usize, end: usize) -> String {
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let follows_blank = after.is_empty() || lines(after).first().is_some_and(TextLine::is_blank);
    let before = match lines(before).last() {
        Some(last) if last.is_blank() && follows_blank => before.get(..last.start).unwrap_or_default(),
        _ => before,
    };
    format!("{before}{after}")
}
