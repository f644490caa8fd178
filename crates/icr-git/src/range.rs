//! Parses what a user types into the two sides of a comparison.

use std::fmt;

use crate::{Error, Repository, Revision};

/// The parsed comparison that a user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevisionOrRange {
    /// `A`.
    Revision(Revision),
    /// `A..B` or `A...B`.
    Range(RevisionRange),
}

/// Two revisions, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRange {
    /// The revision before the dots.
    pub base: Revision,
    /// The revision after the dots.
    pub head: Revision,
    /// How the two are compared.
    pub dots: Dots,
}

/// How the sides of a range are to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dots {
    /// `A..B`: `A` with `B`.
    Two,
    /// `A...B`: the merge base of both with `B`; both are commits.
    Three,
}

/// Which side of a range is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeSide {
    /// Before the dots.
    Base,
    /// After the dots.
    Head,
}

/// What is wrong with a revision or a range.
#[derive(Debug)]
pub struct RangeError {
    /// The range as given.
    pub range: String,
    /// Which side is wrong; `None` if the text is no range.
    pub side: Option<RangeSide>,
    /// What is wrong with it.
    pub source: Error,
}

impl Repository {
    /// Parses `text`: `A..B`, `A...B` or a revision as [`Repository::resolve`] takes it. An empty side is HEAD.
    ///
    /// As in git, the first two dots in a row separate the sides. If one of the sides is then unknown but `text` as a
    /// whole is a revision, it is taken as a whole: `:/a..b` finds a message that contains `a..b`.
    ///
    /// # Errors
    ///
    /// Those of [`Repository::resolve`], with the side that is wrong; also for HEAD on an unborn branch.
    pub fn resolve_range(&self, text: &str) -> Result<RevisionOrRange, RangeError> {
        let failed = |side| move |source| RangeError { range: text.to_owned(), side, source };
        let Some((base, dots, head)) = parts(text) else {
            return self.resolve(text).map(RevisionOrRange::Revision).map_err(failed(None));
        };
        let base = self.side(base).map_err(failed(Some(RangeSide::Base)));
        let range = base.and_then(|base| {
            let head = self.side(head).map_err(failed(Some(RangeSide::Head)))?;
            Ok(RevisionRange { base, head, dots })
        });
        match range {
            Ok(range) => Ok(RevisionOrRange::Range(range)),
            Err(error) => match self.resolve(text) {
                Ok(revision) => Ok(RevisionOrRange::Revision(revision)),
                // `HEAD:a..b` is the name of a directory.
                Err(whole @ Error::NotACommit { .. }) => Err(failed(None)(whole)),
                Err(_) => Err(error),
            },
        }
    }

    fn side(&self, text: &str) -> Result<Revision, Error> {
        self.resolve(if text.is_empty() { "HEAD" } else { text })
    }
}

/// The parts before and after the dots. Branch names contain no two dots in a row and do not begin or end with a dot,
/// so a third dot belongs to the range.
fn parts(text: &str) -> Option<(&str, Dots, &str)> {
    let (base, rest) = text.split_once("..")?;
    Some(match rest.strip_prefix('.') {
        Some(head) => (base, Dots::Three, head),
        None => (base, Dots::Two, rest),
    })
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            None => return self.source.fmt(f),
            Some(RangeSide::Base) => "left",
            Some(RangeSide::Head) => "right",
        };
        write!(f, "the {side} side of `{}` is wrong: {}", self.range, self.source)
    }
}

impl std::error::Error for RangeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The message already includes that of the cause.
        self.source.source()
    }
}

impl From<RangeError> for Error {
    fn from(error: RangeError) -> Self {
        error.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, Dots, &str)>) {
        assert_eq!(parts(text), expected);
    }

    #[test]
    fn the_first_two_dots_in_a_row_part_the_sides() {
        check("main", None);
        check("v1.2", None);
        check("v1.2..v1.3", Some(("v1.2", Dots::Two, "v1.3")));
        check("v1.2...v1.3", Some(("v1.2", Dots::Three, "v1.3")));
        check("main..", Some(("main", Dots::Two, "")));
        check("...main", Some(("", Dots::Three, "main")));
        check("a..b..c", Some(("a", Dots::Two, "b..c")));
        check("a....b", Some(("a", Dots::Three, ".b")));
    }
}
