//! What can be put into a pack.

use std::cmp::Ordering;

use icr_model::Moment;

/// Lines of one file that a search found or a user pinned. Candidates of one file that follow each other without
/// overlap form one block of a pack.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackCandidate {
    /// Path relative to the root.
    pub path: String,
    /// First digits of the id of the file's content, which lines are named by.
    pub blob: String,
    /// Qualified name of the definition that the lines are of.
    pub symbol: Option<String>,
    /// Line in which that definition begins, which may be before these lines.
    pub symbol_line: u32,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Language, the tag of the fenced block; empty when not known.
    pub language: String,
    /// The lines themselves, verbatim.
    pub text: String,
    /// Worth of the lines, see [`crate::LinesEvidence::worth`]. Lines whose worth is not finite, or not above 0, are
    /// never in a pack.
    pub worth: f64,
    /// Score of the file in the search, which is shown.
    pub score: f64,
    /// Rank, from 0, if these lines match one of the first spans of the search best; room in the pack is kept for them.
    pub lead: Option<u32>,
    /// The lines declare a contract: interface, trait, type, schema.
    pub is_contract: bool,
    /// Order among pinned files; `None` if the lines are not pinned.
    pub pin: Option<PinRank>,
}

/// Order of pinned files; the greatest is placed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PinRank {
    /// Priority, which counts before the time.
    pub priority: u8,
    /// When the user pinned it. Of pins with one priority, the newest comes first.
    pub pinned_at: Moment,
}

impl PackCandidate {
    /// Whether a user pinned it.
    pub fn is_pinned(&self) -> bool {
        self.pin.is_some()
    }

    /// Stable id, shown to callers: it names content, not a place in one store.
    pub(crate) fn id(&self, end_line: u32) -> String {
        format!("{}:{}-{end_line}", self.blob, self.start_line)
    }

    /// The worth that counts: finite and not negative.
    pub(crate) fn counted_worth(&self) -> f64 {
        if self.worth.is_finite() { self.worth.max(0.0) } else { 0.0 }
    }

    /// Best first: by worth, then by path and lines. Candidates that are equal by this order look the same in a pack.
    pub(crate) fn by_worth(&self, other: &Self) -> Ordering {
        let worth = other.counted_worth().total_cmp(&self.counted_worth());
        worth
            .then_with(|| self.place().cmp(&other.place()))
            .then_with(|| self.tie_break_key().cmp(&other.tie_break_key()))
    }

    /// Where it is.
    pub(crate) fn place(&self) -> (&str, u32, u32) {
        (&self.path, self.start_line, self.end_line)
    }

    /// Whether the definition that the lines are named after begins in them.
    pub(crate) fn begins_symbol(&self) -> bool {
        (self.start_line..=self.end_line).contains(&self.symbol_line)
    }

    /// Whether any line is in both.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.start_line <= other.end_line && other.start_line <= self.end_line
    }

    fn tie_break_key(&self) -> impl Ord {
        let score = self.score.to_bits();
        (
            &self.blob,
            &self.symbol,
            self.symbol_line,
            &self.text,
            &self.language,
            self.is_contract,
            self.pin,
            self.lead,
            score,
        )
    }
}
