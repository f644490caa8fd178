//! A title and aligned rows, as many as there is room for.

use super::super::visible_text::visible;
use super::{Style, StyledLine, StyledText};

/// A part of the report.
pub(super) struct Section {
    title: &'static str,
    /// Number of all rows; `rows` may have fewer.
    pub(super) total: u64,
    rows: Vec<SectionRow>,
    /// Text beside the title, instead of the number of rows.
    pub(super) note: String,
    /// Style of the note.
    pub(super) note_style: Style,
    /// Text after the number of rows that are left out.
    pub(super) after_count: &'static str,
}

/// A row: a mark, a place, and why.
pub(super) struct SectionRow {
    mark: StyledText,
    place: StyledText,
    why: StyledText,
    /// Lines that belong to it, shown below it as far as there is room.
    below: Vec<StyledLine>,
}

/// Lines of a section besides its rows: a blank one and the title.
const AROUND: usize = 2;

/// Places are not padded beyond this, in characters.
const MAX_PADDING: usize = 40;

impl SectionRow {
    pub(super) fn new((style, mark): (Style, &str), place: &str, why: &str) -> Self {
        let place = visible(place).into_owned();
        Self::of((style, mark), (Style::Path, place), (Style::Plain, why.to_owned()))
    }

    /// A number in place of a path.
    pub(super) fn number((style, mark): (Style, &str), number: f64, why: &str) -> Self {
        let place = (Style::Plain, format!("{number:.2}"));
        Self::of((style, mark), place, (Style::Plain, why.to_owned()))
    }

    /// A command after the sign of a prompt.
    pub(super) fn command(command: &str) -> Self {
        let command = visible(command).into_owned();
        // In the last column, as places are padded to the longest one.
        Self::of((Style::Faint, "$"), (Style::Plain, String::new()), (Style::Command, command))
    }

    /// A sentence after a dash.
    pub(super) fn sentence(text: &str) -> Self {
        Self::of((Style::Faint, "-"), (Style::Plain, text.to_owned()), (Style::Plain, String::new()))
    }

    /// The row with lines below it.
    pub(super) fn with(self, below: Vec<StyledLine>) -> Self {
        Self { below, ..self }
    }

    fn of((style, mark): (Style, &str), place: StyledText, why: StyledText) -> Self {
        Self { mark: (style, mark.to_owned()), place, why, below: Vec::new() }
    }
}

impl Section {
    /// A section of `total` rows, of which the first are given.
    pub(super) fn new(title: &'static str, total: u64, rows: Vec<SectionRow>) -> Self {
        Self { title, total, rows, note: String::new(), note_style: Style::Faint, after_count: "" }
    }

    /// Lines that it takes in full.
    pub(super) fn lines(&self) -> usize {
        let rows: usize = self.rows.iter().map(|row| 1 + row.below.len()).sum();
        AROUND + rows + usize::from(self.total > self.rows.len() as u64)
    }

    /// Adds it in at most `room` lines.
    pub(super) fn write(self, lines: &mut Vec<StyledLine>, room: usize) {
        let mut left = if self.lines() <= room { usize::MAX } else { room.saturating_sub(AROUND + 1) };
        let mut title = vec![(Style::Title, format!("{}: ", self.title))];
        title.push(if self.note.is_empty() {
            (Style::Faint, self.total.to_string())
        } else {
            (self.note_style, self.note)
        });
        lines.push(StyledLine::new());
        lines.push(title);
        let mut shown: Vec<(&SectionRow, usize)> = Vec::new();
        for row in &self.rows {
            if left == 0 {
                break;
            }
            let below = row.below.len().min(left - 1);
            left -= 1 + below;
            shown.push((row, below));
        }
        let width = |piece: fn(&SectionRow) -> &StyledText| {
            shown.iter().map(|(row, _)| piece(row).1.chars().count()).max().unwrap_or(0)
        };
        let (marks, places) = (width(|row| &row.mark), width(|row| &row.place).min(MAX_PADDING));
        for (row, below) in &shown {
            lines.push(row.line(marks, places));
            lines.extend(row.below.iter().take(*below).cloned());
        }
        match self.total - shown.len() as u64 {
            0 => {}
            more if shown.is_empty() => lines.push(vec![(Style::Faint, format!("  {more} that are unlikely"))]),
            more => lines.push(vec![(Style::Faint, format!("  and {more} more{}", self.after_count))]),
        }
    }
}

impl SectionRow {
    /// The row, its columns padded to these widths, without blanks at its end.
    fn line(&self, marks: usize, places: usize) -> StyledLine {
        let mut line = vec![(Style::Plain, "  ".to_owned())];
        let columns = [(&self.mark, marks), (&self.place, places), (&self.why, 0)];
        let mut padding = String::new();
        for ((style, text), width) in columns.into_iter().filter(|((_, text), _)| !text.is_empty()) {
            if !padding.is_empty() {
                line.push((Style::Plain, std::mem::take(&mut padding)));
            }
            line.push((*style, text.clone()));
            padding = " ".repeat(2 + width.saturating_sub(text.chars().count()));
        }
        line
    }
}

/// How many of `room` lines each section gets, given how many it wants. Every section gets a few; the rest is given out
/// one by one, in turn, to the sections that want more.
pub(super) fn shared(room: usize, wanted: impl Iterator<Item = usize>) -> Vec<usize> {
    /// The title, a row, and how many there are more.
    const FEW: usize = AROUND + 2;
    let wanted: Vec<usize> = wanted.collect();
    let mut shares: Vec<usize> = wanted.iter().map(|wanted| (*wanted).min(FEW)).collect();
    let mut room = room.saturating_sub(shares.iter().sum());
    loop {
        let before = room;
        for (share, wanted) in shares.iter_mut().zip(&wanted) {
            if *share < *wanted && room > 0 {
                *share += 1;
                room -= 1;
            }
        }
        if room == before {
            return shares;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_share_the_room() {
        let check = |room, wanted: &[usize], expected: &[usize]| {
            assert_eq!(shared(room, wanted.iter().copied()), expected);
        };
        check(20, &[3, 5], &[3, 5]);
        check(20, &[30, 5, 3], &[12, 5, 3]);
        check(20, &[30, 30, 3], &[9, 8, 3]);
        check(0, &[30, 3], &[4, 3]);
        check(usize::MAX, &[30, 3], &[30, 3]);
    }
}
