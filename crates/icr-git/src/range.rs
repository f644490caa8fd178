//! From what a person types to the two sides of a comparison.

use std::fmt;

use crate::{Error, Repository, Revision};

/// What a person asks to be compared.
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
    /// The one before the dots.
    pub base: Revision,
    /// The one after the dots.
    pub head: Revision,
    /// What is to be compared.
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

/// Where a range is wrong.
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
    /// As given.
    pub range: String,
    /// Which side is wrong; `None` for what is no range.
    pub side: Option<RangeSide>,
    /// What is wrong with it.
    pub source: Error,
}

impl Repository {
    /// What `text` names: `A..B`, `A...B` or a revision as [`Repository::resolve`] takes it. A side that is left out is HEAD.
    ///
    /// As in git, the first two dots in a row part the sides, unless one of the sides then names nothing and all of `text`
    /// names something, as `:/a..b` does where a message holds that.
    ///
    /// # Errors
    ///
    /// Those of [`Repository::resolve`] with the side they are about, also for HEAD on an unborn branch.
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

/// What stands before and after the dots. Names of branches have no two dots in a row, nor one at an end, so that a third
/// dot belongs to the range.
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
        // The message has that of the cause in it.
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
