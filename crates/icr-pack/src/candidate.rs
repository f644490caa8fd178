//! What can be put into a pack.

use std::cmp::Ordering;

/// Lines of one file that a search found or a user pinned.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidate {
    /// Stable id, shown to callers.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// Qualified name of the definition around the lines.
    pub symbol: Option<String>,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Language, the tag of the fenced block; empty when not known.
    pub language: String,
    /// The lines themselves, verbatim.
    pub text: String,
    /// First lines of definitions inside the text, 1-based lines of the file. A cut prefers to stand before one of
    /// them; may be empty.
    pub symbol_starts: Vec<u32>,
    /// Fused score, best highest, in `0.0..=1.0` from one search and somewhat more after an expansion. A score that is
    /// not finite, or negative, counts as 0.
    pub score: f64,
    /// The lines declare a contract: interface, trait, type, schema.
    pub is_contract: bool,
    /// When the user pinned it, in seconds since the Unix epoch; `None` when it is not pinned.
    pub pinned_at: Option<i64>,
}

impl Candidate {
    /// Whether a user pinned it.
    pub fn is_pinned(&self) -> bool {
        self.pinned_at.is_some()
    }

    /// The score as it counts: finite and not negative.
    pub(crate) fn relevance(&self) -> f64 {
        if self.score.is_finite() { self.score.max(0.0) } else { 0.0 }
    }

    /// Best first: by score, then path and place. Candidates that are equal here are equal in all that is shown.
    pub(crate) fn by_score(&self, other: &Self) -> Ordering {
        let score = other.relevance().total_cmp(&self.relevance());
        score.then_with(|| self.place().cmp(&other.place())).then_with(|| self.rest().cmp(&other.rest()))
    }

    /// Newest pin first, then by path and place.
    pub(crate) fn by_pin(&self, other: &Self) -> Ordering {
        other.pinned_at.cmp(&self.pinned_at).then_with(|| self.by_score(other))
    }

    /// Where it is.
    pub(crate) fn place(&self) -> (&str, u32, u32) {
        (&self.path, self.start_line, self.end_line)
    }

    fn rest(&self) -> impl Ord {
        (&self.id, &self.symbol, &self.text, &self.language, self.is_contract, self.pinned_at, &self.symbol_starts)
    }
}

/// Cosine of two candidates' vectors in `-1.0..=1.0`, `None` when one has no vector. Must not depend on the order in
/// which candidates are given to this crate.
pub type Cosine<'a> = dyn Fn(&Candidate, &Candidate) -> Option<f64> + 'a;

/// For those without vectors: similarity is then that of the words.
pub fn no_cosine(_: &Candidate, _: &Candidate) -> Option<f64> {
    None
}
