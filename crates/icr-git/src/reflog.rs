//! Entries of reflogs in revisions: `main@{1}`, `stash@{0}`, `@{2}`.
//!
//! gix does not know the two places where git looks beyond the entries: the ref itself, if its reflog is empty, and the
//! value that the ref had before the oldest entry.

use crate::error::internal;
use crate::git_files::check_ordinary;
use crate::{Error, Repository, interrupt};

/// A number as large as this is a time, in seconds since the epoch; the bound is git's.
const FIRST_TIME: usize = 100_000_000;

/// A revision that begins with an entry of a reflog.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReflogEntry<'a> {
    /// The ref as typed; empty for the current branch.
    name: &'a str,
    /// How many changes of the ref ago.
    entry: usize,
    /// The text that applies to what the entry names: `~3`, `^2`.
    pub(crate) rest: &'a str,
}

impl<'a> ReflogEntry<'a> {
    /// `None` if `revision` does not begin with such an entry.
    pub(crate) fn of(revision: &'a str) -> Option<Self> {
        let (name, rest) = revision.split_once("@{")?;
        let (number, rest) = rest.split_once('}')?;
        let is_number = number.bytes().all(|digit| digit.is_ascii_digit());
        let entry = number.parse().ok().filter(|entry| is_number && *entry < FIRST_TIME)?;
        (!name.contains([':', '^', '~'])).then_some(Self { name, entry, rest })
    }

    /// What the ref was so many changes ago, as in git: for 0 the newest entry, or the ref if its reflog is empty; else
    /// what the entry after it says that it replaced. `None` if that is not known.
    ///
    /// Cost: the reflog read from its end to that entry.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`]; [`Error::GitFile`] when the reflog is not an ordinary file; [`Error::Internal`] when it
    /// cannot be read.
    pub(crate) fn object(
        &self,
        repository: &Repository,
        repo: &gix::Repository,
    ) -> Result<Option<gix::ObjectId>, Error> {
        let found = match self.name {
            "" => repo.head().ok().and_then(gix::Head::try_into_referent).or_else(|| repo.find_reference("HEAD").ok()),
            name => repo.find_reference(name).ok(),
        };
        let Some(mut reference) = found else { return Ok(None) };
        // The reflog of a symbolic ref without its own is that of its target.
        if !reference.log_exists().unwrap_or(false) && reference.follow_to_object().is_err() {
            return Ok(None);
        }
        for directory in [repository.git_dir(), repository.common_dir()] {
            let log = directory.join("logs").join(reference.name().as_bstr().to_string());
            // The log of a ref that is gone may have left a directory.
            if !log.is_dir() {
                check_ordinary(&log)?;
            }
        }
        let mut log = reference.log_iter();
        let Some(lines) = log.rev().map_err(internal("reading a reflog"))? else {
            let is_current = self.name.is_empty() && self.entry == 0;
            return Ok(if is_current { current(reference.clone()) } else { None });
        };
        // Git, too, passes over lines that make no sense.
        let mut lines = lines.filter_map(Result::ok);
        let Some(newer) = self.entry.checked_sub(1) else {
            return Ok(lines.next().map_or_else(|| current(reference.clone()), |newest| Some(newest.new_oid)));
        };
        for (number, line) in lines.enumerate() {
            interrupt::check()?;
            // The null id stands for a ref that did not exist.
            if number >= newer && !line.previous_oid.is_null() {
                return Ok(Some(line.previous_oid));
            }
        }
        Ok(None)
    }
}

/// The object that `reference` names now.
fn current(mut reference: gix::Reference<'_>) -> Option<gix::ObjectId> {
    reference.follow_to_object().ok().map(gix::Id::detach)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_number_in_braces_after_the_name() {
        let entry = |name, entry, rest| Some(ReflogEntry { name, entry, rest });
        for (revision, expected) in [
            ("main@{1}", entry("main", 1, "")),
            ("@{0}~3", entry("", 0, "~3")),
            ("refs/stash@{02}^2:a@{1}", entry("refs/stash", 2, "^2:a@{1}")),
            ("main", None),
            ("main@{u}", None),
            ("main@{}", None),
            ("main@{+1}", None),
            ("@{-1}", None),
            ("main@{1", None),
            ("main@{100000000}", None),
            ("main@{2026-01-31}", None),
            ("HEAD:a@{1}", None),
            ("HEAD^{/a@{1}}", None),
        ] {
            assert_eq!(ReflogEntry::of(revision), expected, "{revision}");
        }
    }
}
