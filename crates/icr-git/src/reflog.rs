//! Entries of reflogs in revisions: `main@{1}`, `stash@{0}`, `@{2}`, `HEAD@{yesterday}`.
//!
//! gix does not know the two places where git looks beyond the entries: the ref itself, if its reflog is empty, and the
//! value that the ref had before the oldest entry. It looks up no entry by its time.

use jiff::Zoned;

use crate::error::internal;
use crate::git_files::check_ordinary;
use crate::written_time::{FIRST_EPOCH_SECONDS, seconds_of};
use crate::{Error, Repository, interrupt};

/// A revision that begins with an entry of a reflog.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReflogEntry<'a> {
    /// The ref as typed; empty for the current branch.
    name: &'a str,
    entry: EntryName<'a>,
    /// The text that applies to what the entry names: `~3`, `^2`.
    pub(crate) rest: &'a str,
}

/// How an entry is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryName<'a> {
    /// How many changes of the ref ago.
    Number(usize),
    /// When the ref had the value, as typed.
    Time(&'a str),
}

impl<'a> ReflogEntry<'a> {
    /// `None` if `revision` does not begin with such an entry.
    pub(crate) fn of(revision: &'a str) -> Option<Self> {
        let (name, rest) = revision.split_once("@{")?;
        let (entry, rest) = rest.split_once('}')?;
        let is_number = entry.bytes().all(|digit| digit.is_ascii_digit());
        let entry = match entry.parse() {
            Ok(number) if is_number && number < FIRST_EPOCH_SECONDS as usize => EntryName::Number(number),
            _ if is_other_name(name, entry) => return None,
            _ => EntryName::Time(entry),
        };
        (!name.contains([':', '^', '~'])).then_some(Self { name, entry, rest })
    }

    /// Whether a time names the entry.
    pub(crate) fn is_time(&self) -> bool {
        matches!(self.entry, EntryName::Time(_))
    }

    /// What the ref was so many changes ago, as in git: for 0 the newest entry, or the ref if its reflog is empty; else
    /// what the entry after it says that it replaced. For a time: the value that the newest entry up to then gave it;
    /// before all entries, what the oldest one replaced. `None` if that is not known.
    ///
    /// `now` is the present time in the user's time zone; it is asked only for an entry that a time names.
    ///
    /// Cost: the reflog read from its end to that entry.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`]; [`Error::ReflogTime`]; [`Error::GitFile`] when the reflog is not an ordinary file; [`Error::Internal`] when it
    /// cannot be read.
    pub(crate) fn object(
        &self,
        repository: &Repository,
        repo: &gix::Repository,
        now: fn() -> Zoned,
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
            let is_current = self.name.is_empty() && self.entry == EntryName::Number(0);
            return Ok(if is_current { current(reference.clone()) } else { None });
        };
        // Git, too, passes over lines that make no sense.
        let mut lines = lines.filter_map(Result::ok);
        let number = match self.entry {
            EntryName::Number(number) => number,
            EntryName::Time(text) => {
                let at = seconds_of(text, &now()).ok_or_else(|| Error::ReflogTime { time: text.to_owned() })?;
                let mut oldest = None;
                for line in lines {
                    interrupt::check()?;
                    if line.signature.time.seconds <= at {
                        return Ok(Some(line.new_oid));
                    }
                    oldest = Some(if line.previous_oid.is_null() { line.new_oid } else { line.previous_oid });
                }
                return Ok(oldest);
            }
        };
        let Some(newer) = number.checked_sub(1) else {
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

/// Whether `text` in the braces names something else than a number or a time: nothing, the branch that is fetched from or
/// pushed to, or, without a name before the braces, a branch that was left (`-1`).
fn is_other_name(name: &str, text: &str) -> bool {
    let is_left = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    text.is_empty()
        || (name.is_empty() && text.strip_prefix('-').is_some_and(is_left))
        || ["u", "upstream", "push"].iter().any(|name| text.eq_ignore_ascii_case(name))
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
        let entry = |name, entry, rest| Some(ReflogEntry { name, entry: EntryName::Number(entry), rest });
        let time = |name, time, rest| Some(ReflogEntry { name, entry: EntryName::Time(time), rest });
        for (revision, expected) in [
            ("main@{1}", entry("main", 1, "")),
            ("@{0}~3", entry("", 0, "~3")),
            ("refs/stash@{02}^2:a@{1}", entry("refs/stash", 2, "^2:a@{1}")),
            ("main", None),
            ("main@{u}", None),
            ("main@{}", None),
            ("main@{+1}", time("main", "+1", "")),
            ("@{-1}", None),
            ("main@{-1}", time("main", "-1", "")),
            ("@{-1 day}", time("", "-1 day", "")),
            ("main@{1", None),
            ("@{upstream}~1", None),
            ("main@{PUSH}", None),
            ("main@{100000000}", time("main", "100000000", "")),
            ("main@{2026-01-31 10:00:00}^2", time("main", "2026-01-31 10:00:00", "^2")),
            ("@{1.hour.ago}", time("", "1.hour.ago", "")),
            ("HEAD:a@{1}", None),
            ("HEAD^{/a@{1}}", None),
        ] {
            assert_eq!(ReflogEntry::of(revision), expected, "{revision}");
        }
    }
}
