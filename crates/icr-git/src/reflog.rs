//! Entries of reflogs in revisions: `main@{1}`, `stash@{0}`, `@{2}`, `HEAD@{yesterday}`.
//!
//! gix does not know the two places where git looks beyond the entries: the ref itself, if its reflog is empty, and the
//! value that the ref had before the oldest entry. It looks up no entry by its time.

use gix::date::Time;

use crate::error::internal;
use crate::git_files::check_ordinary;
use crate::{Error, Repository, interrupt};

/// A number as large as this is a time, in seconds since the epoch; the bound is git's.
const FIRST_TIME: usize = 100_000_000;

/// Seconds of a day without a leap second.
const DAY: i64 = 24 * 60 * 60;

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
            Ok(number) if is_number && number < FIRST_TIME => EntryName::Number(number),
            _ if is_other_name(entry) => return None,
            _ => EntryName::Time(entry),
        };
        (!name.contains([':', '^', '~'])).then_some(Self { name, entry, rest })
    }

    /// What the ref was so many changes ago, as in git: for 0 the newest entry, or the ref if its reflog is empty; else
    /// what the entry after it says that it replaced. For a time: the value that the newest entry up to then gave it;
    /// before all entries, what the oldest one replaced. `None` if that is not known.
    ///
    /// `now` is the present time with the offset of the user's clock; it is asked only for an entry that a time names.
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
        now: fn() -> Time,
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
                let at = time_of(text, now()).ok_or_else(|| Error::ReflogTime { time: text.to_owned() })?;
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

/// Whether `text` in the braces names something else than a number or a time: nothing, a branch that was left (`-1`), or
/// the branch that is fetched from or pushed to.
fn is_other_name(text: &str) -> bool {
    text.is_empty()
        || text.starts_with(['-', '+'])
        || ["u", "upstream", "push"].iter().any(|name| text.eq_ignore_ascii_case(name))
}

/// The time that `text` names, in seconds since the epoch; `None` for what is no time. As in git, a day alone stands for
/// the present time of day on it, and `noon` for the last one. What says no time zone is by the clock of `now`.
fn time_of(text: &str, now: Time) -> Option<i64> {
    let offset = i64::from(now.offset);
    let (today, second_of_day) = ((now.seconds + offset).div_euclid(DAY), (now.seconds + offset).rem_euclid(DAY));
    let midnight = today * DAY - offset;
    let text = text.trim();
    match text.to_ascii_lowercase().as_str() {
        "midnight" => return Some(midnight),
        "noon" if second_of_day < DAY / 2 => return Some(midnight - DAY / 2),
        "noon" => return Some(midnight + DAY / 2),
        "today" => return None,
        words if words.contains("ago") && !is_span_ago(words) => return None,
        _ => {}
    }
    let parsed = gix::date::parse(text, now.to_zoned().ok()).ok()?;
    let is_day = text.split('-').count() == 3 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let clock = text.get(10..).filter(|_| text.get(..10).is_some_and(|day| day.split('-').count() == 3));
    let has_zone = clock.is_none_or(|clock| clock.contains(['Z', 'z', '+', '-']));
    Some(match () {
        () if is_day => parsed.seconds + second_of_day - offset,
        () if has_zone => parsed.seconds,
        () => parsed.seconds - offset,
    })
}

/// Whether `words` are a number, a unit of time and `ago`. gix takes a unit that it does not know for no time at all.
fn is_span_ago(words: &str) -> bool {
    const UNITS: [&str; 7] = ["second", "minute", "hour", "day", "week", "month", "year"];
    let words: Vec<&str> = words.split([' ', '.']).filter(|word| !word.is_empty()).collect();
    let [number, unit, "ago"] = words[..] else { return false };
    number.bytes().all(|byte| byte.is_ascii_digit()) && UNITS.contains(&unit.strip_suffix('s').unwrap_or(unit))
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
            ("main@{+1}", None),
            ("@{-1}", None),
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

    #[test]
    fn a_time_is_a_date_or_lies_before_the_present() {
        // 2026-01-31 10:00:00 +0200.
        let now = Time::new(1_769_846_400, 2 * 60 * 60);
        let hours = |hours: i64| Some(now.seconds + hours * 60 * 60);
        for (text, expected) in [
            ("now", hours(0)),
            ("yesterday", hours(-24)),
            ("midnight", hours(-10)),
            ("noon", hours(-22)),
            ("1.hour.ago", hours(-1)),
            ("2 days ago", hours(-48)),
            ("3.weeks.ago", hours(-21 * 24)),
            ("1769846399", Some(1_769_846_399)),
            ("2026-01-30", hours(-24)),
            ("2026-01-30 10:00:00", hours(-24)),
            ("2026-01-30T10:00:00", hours(-24)),
            ("2026-01-30 10:00:00 +0000", hours(-22)),
            ("2026-01-30T10:00:00Z", hours(-22)),
            ("the other day", None),
            ("u2", None),
        ] {
            assert_eq!(time_of(text, now), expected, "{text}");
        }
        let evening = Time::new(1_769_882_400, 2 * 60 * 60);
        assert_eq!(time_of("noon", evening), hours(2));
    }

    #[test]
    fn only_known_units_are_spans_of_time() {
        for words in ["1 second ago", "5.hours.ago", "2 weeks ago", "3 days ago"] {
            assert!(is_span_ago(words), "{words}");
        }
        for words in [
            "5 hrs ago",
            "2.fortnights.ago",
            "3 foo ago",
            "1.5 hours ago",
            "-1 days ago",
            "ago",
            "2 hours ago yesterday",
        ] {
            assert!(!is_span_ago(words), "{words}");
        }
    }
}
