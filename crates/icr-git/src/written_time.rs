//! Times as git reads them: `2026-01-31 10:00:00 +0100`, `2.hours.ago`, `yesterday noon`.
//!
//! Git takes any text with a number for a time and passes over words that it does not know. Here a text is a time only
//! if all of it is understood, and then the time is the one that git reads; any other text is refused, because the user
//! may mean another moment. Peculiarities of git stay: a day without a time of day means the present time of day, `noon`
//! in the morning is that of the day before, and a missing year is a year in which the month is not ahead.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, ToSpan, Zoned};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The smallest number that is a time, in seconds since the epoch; the bound is git's.
pub(crate) const FIRST_EPOCH_SECONDS: i64 = 100_000_000;

/// Years that git reads as such.
const YEARS: std::ops::Range<i64> = 1970..2100;

/// Days ahead that a date may lie without a time of day: git takes dates of more than ten for something else.
const DAYS_AHEAD: i64 = 9;

/// Longest text that is read, in bytes: the longest format of git has a third of it.
const TEXT_BYTES: usize = 100;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// With the plural, as in `2 sundays ago`.
const WEEKDAYS: [&str; 7] = ["sundays", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays"];

/// Numbers as words; `last` is one unit ago.
const NUMBERS: [(&str, i64); 11] = [
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("last", 1),
];

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// So many seconds.
    Seconds(i64),
    Months,
    Years,
}

const UNITS: [(&str, Unit); 7] = [
    ("second", Unit::Seconds(1)),
    ("minute", Unit::Seconds(MINUTE)),
    ("hour", Unit::Seconds(HOUR)),
    ("day", Unit::Seconds(DAY)),
    ("week", Unit::Seconds(7 * DAY)),
    ("month", Unit::Months),
    ("year", Unit::Years),
];

/// Names of hours of a day.
const HOUR_NAMES: [(&str, i8); 3] = [("midnight", 0), ("noon", 12), ("tea", 17)];

/// A part of a text that has a meaning of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Date(Date),
    Clock(Time),
    /// Seconds east of Greenwich.
    Zone(i64),
    /// Seconds since the epoch.
    Epoch(i64),
    /// A number in digits, and how many.
    Digits(i64, usize),
    /// A number as a word.
    Count(i64),
    Unit(Unit),
    /// From 1.
    Month(i8),
    /// From 0, Sunday.
    Weekday(i64),
    Hour(i8),
    /// The half of the day: whether it is the second one.
    Half(bool),
    Ago,
    Yesterday,
    Now,
    Never,
}

/// The time that git reads in `text`, in seconds since the epoch; `None` if a part of it is not understood, or if its
/// hour exists twice or not at all because clocks are changed. What says no time zone is by the clock of `now`.
pub(crate) fn seconds_of(text: &str, now: &Zoned) -> Option<i64> {
    if text.len() > TEXT_BYTES {
        return None;
    }
    let parts = parts_of(text)?;
    let is_date = |part: &Part| matches!(part, Part::Date(_) | Part::Month(_));
    let seconds = match parts[..] {
        [] => None,
        [Part::Epoch(seconds)] | [Part::Epoch(seconds), Part::Zone(_)] => Some(seconds),
        [Part::Never] => Some(0),
        _ if parts.iter().any(is_date) => of_date(&parts, now),
        _ => of_words(&parts, now),
    };
    // Before the epoch, git's times are not defined.
    seconds.filter(|seconds| *seconds >= 0)
}

/// The parts of `text`; `None` if one is not understood.
fn parts_of(text: &str) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.bytes().next() {
        let (part, behind) = match first {
            b'0'..=b'9' => digits(rest, parts.last())?,
            _ if first.is_ascii_alphabetic() => {
                let (word, behind) = rest.split_at(rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len()));
                // Between a date and a clock, as ISO 8601 has it.
                if word == "T" && matches!(parts.last(), Some(Part::Date(_))) && begins_with_digit(behind) {
                    rest = behind;
                    continue;
                }
                // To git, letters with a digit behind them are another word.
                let part = word_part(&word.to_ascii_lowercase()).filter(|_| !begins_with_digit(behind))?;
                (part, behind)
            }
            b'@' if parts.is_empty() => {
                let (part @ Part::Epoch(_), behind) = digits(&rest[1..], None)? else { return None };
                (part, behind)
            }
            b'+' | b'-' if begins_with_digit(&rest[1..]) => {
                let may_have_zone = matches!(parts.last(), Some(Part::Clock(_) | Part::Epoch(_) | Part::Digits(_, 4)));
                match zone(rest).filter(|_| may_have_zone) {
                    Some(part) => part,
                    // A dash between words, as in `1-week-2-days-ago`.
                    None if first == b'-' && matches!(parts.last(), Some(Part::Unit(_) | Part::Yesterday)) => {
                        rest = &rest[1..];
                        continue;
                    }
                    None => return None,
                }
            }
            b' ' | b'\t' | b',' | b'.' | b'-' | b'_' => {
                rest = &rest[1..];
                continue;
            }
            _ => return None,
        };
        parts.push(part);
        rest = behind;
    }
    Some(parts)
}

fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// A number, date or clock at the beginning of `text`, and the text after it.
fn digits<'a>(text: &'a str, before: Option<&Part>) -> Option<(Part, &'a str)> {
    let run = |text: &'a str| text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    // The numbers that one sign joins, the sign, and the text after them.
    let (first, mut behind) = run(text);
    let (mut numbers, mut sign) = (vec![first], None);
    while let Some(next) = behind.chars().next().filter(|sign| ":-/.".contains(*sign)) {
        if !begins_with_digit(&behind[1..]) || sign.is_some_and(|sign| sign != next) {
            break;
        }
        let (number, rest) = run(&behind[1..]);
        numbers.push(number);
        (sign, behind) = (Some(next), rest);
    }
    let number = |text: &str, digits: std::ops::RangeInclusive<usize>| {
        digits.contains(&text.len()).then(|| text.parse::<i64>().ok()).flatten()
    };
    let part = match (sign, &numbers[..]) {
        (None, [digits]) => match number(digits, 1..=11)? {
            seconds if seconds >= FIRST_EPOCH_SECONDS && before.is_none() => {
                Part::Epoch(i32::try_from(seconds).ok()?.into())
            }
            // To git, `0002` is no number.
            value if digits.len() <= 2 || (digits.len() <= 5 && !digits.starts_with('0')) => {
                Part::Digits(value, digits.len())
            }
            _ => return None,
        },
        (Some(':'), [hour, minute, rest @ ..]) => {
            let second = match rest {
                [] => 0,
                [second] => number(second, 2..=2)?,
                _ => return None,
            };
            let (hour, minute) = (number(hour, 1..=2)?, number(minute, 2..=2)?);
            let narrow = |value: i64| i8::try_from(value).ok();
            // Parts of a second.
            if !rest.is_empty() && behind.starts_with('.') && begins_with_digit(&behind[1..]) {
                behind = run(&behind[1..]).1;
            }
            Part::Clock(Time::new(narrow(hour)?, narrow(minute)?, narrow(second)?, 0).ok()?)
        }
        (Some('-' | '/' | '.'), [year, month, day]) => {
            let year = number(year, 4..=4).filter(|year| YEARS.contains(year))?;
            let narrow = |value: i64| i8::try_from(value).ok();
            let (month, day) = (narrow(number(month, 1..=2)?)?, narrow(number(day, 1..=2)?)?);
            Part::Date(Date::new(i16::try_from(year).ok()?, month, day).ok()?)
        }
        _ => return None,
    };
    // Whatever is joined to a number belongs to it, except for the zone of a clock.
    let is_joined = [":", "/", "."].iter().any(|sign| behind.strip_prefix(sign).is_some_and(begins_with_digit));
    let is_other_date = behind.strip_prefix('-').is_some_and(begins_with_digit) && !matches!(part, Part::Clock(_));
    (!is_joined && !is_other_date).then_some((part, behind))
}

/// `+0100`, `-05:30` at the beginning of `text`, and the text after it.
fn zone(text: &str) -> Option<(Part, &str)> {
    let hours = text.get(1..3)?;
    let behind = text.get(3..)?;
    let behind = behind.strip_prefix(':').unwrap_or(behind);
    let (minutes, behind) = (behind.get(..2)?, behind.get(2..)?);
    if !(hours.bytes().chain(minutes.bytes())).all(|digit| digit.is_ascii_digit()) || begins_with_digit(behind) {
        return None;
    }
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let seconds = hours * HOUR + minutes * MINUTE;
    (hours < 24 && minutes < 60).then_some((Part::Zone(if text.starts_with('-') { -seconds } else { seconds }), behind))
}

/// The meaning of a word in lower case.
fn word_part(word: &str) -> Option<Part> {
    // As in git, three letters suffice for a name.
    let name = |names: &[&str]| names.iter().position(|name| word.len() >= 3 && name.starts_with(word));
    if let Some(month) = name(&MONTHS) {
        return Some(Part::Month(month as i8 + 1));
    }
    if let Some(weekday) = name(&WEEKDAYS) {
        return Some(Part::Weekday(weekday as i64));
    }
    if let Some((_, count)) = NUMBERS.iter().find(|(number, _)| *number == word) {
        return Some(Part::Count(*count));
    }
    if let Some((_, hour)) = HOUR_NAMES.iter().find(|(hour, _)| *hour == word) {
        return Some(Part::Hour(*hour));
    }
    if let Some((_, unit)) = UNITS.iter().find(|(unit, _)| *unit == word.strip_suffix('s').unwrap_or(word)) {
        return Some(Part::Unit(*unit));
    }
    match word {
        "am" => Some(Part::Half(false)),
        "pm" => Some(Part::Half(true)),
        "ago" => Some(Part::Ago),
        "yesterday" => Some(Part::Yesterday),
        "now" => Some(Part::Now),
        "never" => Some(Part::Never),
        "z" | "utc" | "gmt" => Some(Part::Zone(0)),
        _ => None,
    }
}

/// The time of a date with a time of day, with a named hour, or alone.
fn of_date(parts: &[Part], now: &Zoned) -> Option<i64> {
    let (mut date, mut clock, mut hour, mut zone) = (None, None, None, None);
    let (mut month, mut day, mut year) = (None, None, None);
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        let next = parts.get(at + 1);
        let is_new = match (*part, next) {
            (Part::Date(value), _) => date.replace(value).is_none(),
            (Part::Month(value), _) => month.replace(value).is_none(),
            (Part::Clock(value), Some(Part::Half(is_second))) => {
                at += 1;
                clock.replace(in_half(value, *is_second)).is_none()
            }
            (Part::Clock(value), _) => clock.replace(value).is_none(),
            (Part::Digits(value, _), Some(Part::Half(is_second))) => {
                at += 1;
                hour.replace(full_hour(value, *is_second)?).is_none()
            }
            // A day of the week says nothing more, but a number before it would count such days.
            (Part::Digits(..), Some(Part::Weekday(_))) => false,
            (Part::Weekday(_), _) => true,
            (Part::Digits(value, 4), _) if YEARS.contains(&value) => year.replace(value as i16).is_none(),
            (Part::Digits(value, 1 | 2), _) if (1..32).contains(&value) => day.replace(value as i8).is_none(),
            (Part::Zone(value), _) => zone.replace(value).is_none(),
            // Git reads the hour before or after the day, and both may differ.
            (Part::Hour(value), None) => {
                let mut reading = ClockReading::of(now);
                reading.day_of(date.filter(|_| month.is_none() && clock.is_none() && hour.is_none())?, now)?;
                return zone.is_none().then(|| reading.name_hour(value)).flatten().and_then(|()| reading.seconds());
            }
            _ => false,
        };
        if !is_new {
            return None;
        }
        at += 1;
    }
    let date = match (date, month, day) {
        (Some(date), None, None) if year.is_none() => date,
        (None, Some(month), Some(day)) => {
            let present = now.year() - i16::from(month > now.month());
            Date::new(year.unwrap_or(present), month, day).ok()?
        }
        _ => return None,
    };
    let has_year = month.is_none() || year.is_some();
    match (clock, hour) {
        (Some(clock), None) if has_year => {
            let there = date.to_datetime(clock);
            match zone {
                Some(zone) => Some(there.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second() - zone),
                None => {
                    let local = now.time_zone().to_ambiguous_timestamp(there);
                    (!local.is_ambiguous()).then(|| local.compatible().ok()).flatten().map(Timestamp::as_second)
                }
            }
        }
        (clock, hour) if zone.is_none() && (clock.is_none() || hour.is_none()) => {
            let mut reading = ClockReading::of(now);
            reading.day_of(date, now)?;
            if let Some(time) = clock.or(hour) {
                reading.at = reading.at.with().time(time).build().ok()?;
            }
            reading.seconds()
        }
        _ => None,
    }
}

/// The time that words name from the present, one after the other.
fn of_words(parts: &[Part], now: &Zoned) -> Option<i64> {
    let mut reading = ClockReading::of(now);
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        let next = parts.get(at + 1).copied();
        at += 1;
        match (*part, next) {
            (Part::Digits(count, _) | Part::Count(count), Some(Part::Unit(unit))) => {
                at += 1;
                reading.back(count, unit)?;
            }
            (Part::Digits(count, _) | Part::Count(count), Some(Part::Weekday(weekday))) => {
                at += 1;
                reading.back_to_weekday(count, weekday)?;
            }
            (Part::Digits(hour, _), Some(Part::Half(is_second))) => {
                at += 1;
                reading.at = reading.at.with().time(full_hour(hour, is_second)?).build().ok()?;
            }
            (Part::Clock(clock), next) => {
                let clock = match next {
                    Some(Part::Half(is_second)) => {
                        at += 1;
                        in_half(clock, is_second)
                    }
                    _ => clock,
                };
                reading.at = reading.at.with().time(clock).build().ok()?;
            }
            (Part::Hour(hour), _) => reading.name_hour(hour)?,
            (Part::Yesterday, _) => reading.back(1, Unit::Seconds(DAY))?,
            (Part::Now, _) => {}
            (Part::Ago, _) if at >= 2 && matches!(parts[at - 2], Part::Unit(_) | Part::Weekday(_)) => {}
            _ => return None,
        }
    }
    reading.seconds()
}

/// The clock time in a half of the day: `10:30 pm`.
fn in_half(clock: Time, is_second: bool) -> Time {
    let hour = clock.hour() % 12 + if is_second { 12 } else { 0 };
    Time::constant(hour, clock.minute(), clock.second(), 0)
}

/// The hour of a half of the day: `10 pm`.
fn full_hour(hour: i64, is_second: bool) -> Option<Time> {
    let hour = i8::try_from(hour).ok().filter(|hour| (1..=12).contains(hour))?;
    Some(in_half(Time::constant(hour, 0, 0, 0), is_second))
}

/// A time while the words about it are read.
struct ClockReading {
    /// By the clock of the time zone. The day of the month may be missing in the month, as on a 31st of September.
    at: DateTime,
    /// Days that [`Self::at`] lies before the time, because its month has fewer.
    days_over: i64,
    /// As C's `tm_wday`: the day of the week when the clock was last set back, from 0, Sunday.
    weekday: i64,
    /// Whether summer time counted when the clock was last set back. Git goes on reading the clock by it.
    is_summer: bool,
    zone: TimeZone,
}

impl ClockReading {
    fn of(now: &Zoned) -> Self {
        let zone = now.time_zone().clone();
        let is_summer = zone.to_offset_info(now.timestamp()).dst().is_dst();
        let whole = now.datetime().with().subsec_nanosecond(0).build();
        let at = whole.expect("no second is not whole");
        Self { at, days_over: 0, weekday: now.weekday().to_sunday_zero_offset().into(), is_summer, zone }
    }

    /// Sets the day; the time of day stays. `None` for a day so far ahead that git does not read it as one.
    fn day_of(&mut self, date: Date, now: &Zoned) -> Option<()> {
        let ahead = (date - now.date()).get_days();
        if i64::from(ahead) > DAYS_AHEAD {
            return None;
        }
        self.at = date.to_datetime(self.at.time());
        Some(())
    }

    /// Goes back so many units.
    fn back(&mut self, count: i64, unit: Unit) -> Option<()> {
        match unit {
            Unit::Seconds(seconds) => {
                // Git counts them in 32 bits.
                let seconds = i32::try_from(count.checked_mul(seconds)?).ok()?;
                let to = Timestamp::from_second(self.seconds()?.checked_sub(seconds.into())?).ok()?;
                let there = to.to_zoned(self.zone.clone());
                (self.at, self.days_over) = (there.datetime(), 0);
                self.weekday = there.weekday().to_sunday_zero_offset().into();
                self.is_summer = self.zone.to_offset_info(to).dst().is_dst();
            }
            Unit::Months | Unit::Years => {
                // The day in the month as it is, however many days it had too many.
                self.back(0, Unit::Seconds(1))?;
                let months = if unit == Unit::Years { count.checked_mul(12)? } else { count };
                let months = i64::from(self.at.year()) * 12 + i64::from(self.at.month()) - 1 - months;
                let year = i16::try_from(months.div_euclid(12)).ok()?;
                let first = Date::new(year, i8::try_from(months.rem_euclid(12)).ok()? + 1, 1).ok()?;
                let day = self.at.day().min(first.days_in_month());
                self.days_over = i64::from(self.at.day() - day);
                self.at = first.with().day(day).build().ok()?.to_datetime(self.at.time());
            }
        }
        Some(())
    }

    /// Goes back to the last such day of the week, or the `count`th last one.
    fn back_to_weekday(&mut self, count: i64, weekday: i64) -> Option<()> {
        if count == 0 {
            return None;
        }
        let days = self.weekday - weekday;
        let weeks = if days <= 0 { count } else { count - 1 };
        self.back(days + 7 * weeks, Unit::Seconds(DAY))
    }

    /// Goes back to the last such hour.
    fn name_hour(&mut self, hour: i8) -> Option<()> {
        if self.at.hour() < hour {
            self.back(1, Unit::Seconds(DAY))?;
        }
        self.at = self.at.with().time(Time::constant(hour, 0, 0, 0)).build().ok()?;
        Some(())
    }

    /// Seconds since the epoch, as C's `mktime` counts them: a clock that was set in the other half of the year is
    /// changed.
    fn seconds(&self) -> Option<i64> {
        let at = self.at.checked_add(self.days_over.days()).ok()?;
        let (zone, is_summer) = (&self.zone, self.is_summer);
        let summer = |timestamp: Timestamp| zone.to_offset_info(timestamp).dst().is_dst();
        let local = zone.to_ambiguous_timestamp(at);
        let offset = match local.offset() {
            AmbiguousOffset::Unambiguous { offset } => {
                let there = offset.to_timestamp(at).ok()?;
                if summer(there) == is_summer {
                    offset
                } else {
                    // The nearest time that has the other clock.
                    let before = zone.preceding(there).take(2).last();
                    let before = before.filter(|change| change.dst().is_dst() == is_summer);
                    let after = zone.following(there).next().filter(|change| change.dst().is_dst() == is_summer);
                    let began = zone.preceding(there).next().map(|change| there.duration_since(change.timestamp()));
                    match (before, after) {
                        (Some(before), Some(after)) => {
                            let ahead = after.timestamp().duration_since(there);
                            if began.is_some_and(|began| began <= ahead) { before.offset() } else { after.offset() }
                        }
                        (Some(change), None) | (None, Some(change)) => change.offset(),
                        (None, None) => offset,
                    }
                }
            }
            // In the hour that is skipped or said twice, the one that counted before.
            AmbiguousOffset::Gap { before, after } | AmbiguousOffset::Fold { before, after } => {
                let of_before = before.to_timestamp(at).ok()?;
                if summer(of_before.checked_sub(2.hours()).ok()?) == is_summer { before } else { after }
            }
        };
        offset.to_timestamp(at).ok().map(Timestamp::as_second)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Texts that icr reads.
    const TIMES: [&str; 106] = [
        "now",
        "never",
        "yesterday",
        "Yesterday",
        "midnight",
        "noon",
        "tea",
        "TEA",
        "yesterday noon",
        "yesterday.noon",
        "yesterday-noon",
        "noon yesterday",
        "yesterday midnight",
        "tea yesterday",
        "10:00",
        "9:05",
        "23:59:59",
        "10:00 yesterday",
        "yesterday 10:00",
        "yesterday,10:00",
        "6pm",
        "6 am",
        "12am",
        "12pm",
        "6pm yesterday",
        "yesterday 6pm",
        "10:30pm",
        "12:30am",
        "10:30 pm yesterday",
        "1 second ago",
        "5.seconds.ago",
        "1-hour-ago",
        "1.hour.ago",
        "1hour",
        "2 hours",
        "3 HOURS AGO",
        "90.minutes.ago",
        "36.hours.ago",
        "2 days ago",
        "2.days.ago",
        "2.days",
        "45 days ago",
        "200.days.ago",
        "0 days ago",
        "1.week.2.days.ago",
        "1 week, 2 days ago",
        "1-week-2-days-ago",
        "3 weeks 1 day 4 hours ago",
        "two weeks ago",
        "ten days ago",
        "one.year.ago",
        "1 month ago",
        "2.months.ago",
        "6 months ago",
        "11 months ago",
        "13 months ago",
        "25.months.ago",
        "1 year ago",
        "3.years.ago",
        "1 year 2 months 3 days ago",
        "3 days ago 1 month ago",
        "last week",
        "last month",
        "last year",
        "last day",
        "last hour",
        "last.friday",
        "last monday",
        "last Tues",
        "last sat",
        "2 sundays ago",
        "2 sunday",
        "3.wednesday.ago",
        "last friday 10:00",
        "last friday noon",
        "10:00 last friday",
        "2 days ago 10:00",
        "2 days ago noon",
        "2 hours ago yesterday",
        "yesterday 3 hours ago",
        "02 days ago",
        "2026-01-30",
        "2026-1-3",
        "2026/01/30",
        "2026.01.30",
        "2020-02-29",
        "2026-01-30 10:00",
        "2026-01-30 10:00:00",
        "2026-01-30T10:00:00",
        "2026-01-30T10:00:00Z",
        "2026-01-30T10:00:00.250Z",
        "2026-01-30 10:00:00 +0530",
        "2026-01-30 10:00:00 -0800",
        "2026-01-30T10:00:00-05:00",
        "2026-01-30T10:00:00+02:00",
        "2026-01-30 10:00 UTC",
        "2026-01-30 10pm",
        "2026-01-30 10:30 pm",
        "2026-01-30 noon",
        "2026-01-30 midnight",
        "10:00 2026-01-30",
        "Fri, 30 Jan 2026 10:00:00 +0100",
        "Fri Jan 30 10:00:00 2026 +0100",
        "Jan 30 2026",
        "1769846399",
        "@1769846399 +0100",
    ];

    /// The same, where the month and the day are not in the same order or the year is missing.
    const DAYS_OF_MONTHS: [&str; 14] = [
        "30 Jan 2026",
        "30 January, 2026",
        "Jan 30",
        "30 jan",
        "sept 5",
        "Dec 2",
        "02 Dec",
        "Jan 30 10:00",
        "30 Jan 10:00",
        "10:00 30 Jan",
        "Jan 30 6pm",
        "Jan 30 2026 10:00",
        "30 Jan 2026 10:00:00",
        "Jan 30 10:00 2026",
    ];

    /// Texts that git may take for a time, and that mean another one or none.
    const OTHERS: [&str; 61] = [
        "2026-11-28 10",
        "2026-11-28 1",
        "10 2026-11-28",
        "@0",
        "0",
        "@{0",
        "10",
        "2 10",
        "today",
        "tomorrow",
        "friday",
        "friday 10:00",
        "next friday",
        "the other day",
        "an hour ago",
        "a week ago",
        "half an hour ago",
        "5 hrs ago",
        "2.fortnights.ago",
        "3 foo ago",
        "1.5 hours ago",
        "-1 days ago",
        "-1.day",
        "+1",
        "+1 day",
        "ago",
        "hours ago",
        "ago 2 hours",
        "2 ago hours",
        "last",
        "last 2 weeks",
        "last noon",
        "yesterday foo",
        "foo yesterday",
        "2026-02-30",
        "2026-13-01",
        "2026-01",
        "2026",
        "20260130",
        "01/30/2026",
        "30.01.2026",
        "30-01-2026",
        "26-01-30",
        "2030-01-01",
        "1969-01-01 10:00",
        "2026-01-30 25:00",
        "2026-01-30 10:60",
        "2026-01-30 10:00 yesterday",
        "2026-01-30 yesterday",
        "2026-01-30 10:00 EST",
        "10:00 +0100",
        "yesterday +0100",
        "Jan",
        "Jan 2026",
        "30 Feb 2026",
        "13pm",
        "pm",
        "0002 days ago",
        "Jan10",
        "10 fri Jan",
        "yesterday10fri",
    ];

    /// Times of a present: a winter morning, a summer evening, the last day of a month with 31 days, a Sunday of a leap
    /// year, and soon after a change of clocks.
    const PRESENTS: [i64; 5] = [1_795_863_600, 1_784_923_200, 1_774_990_000, 1_709_168_400, 1_792_976_400];

    /// Time zones as both git and jiff read them, so that the test needs no database of them.
    const ZONES: [&str; 4] = ["UTC0", "IST-5:30", "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0"];

    /// What git reads in `texts`.
    #[expect(clippy::disallowed_methods, reason = "git itself says what is right")]
    fn of_git(texts: &[&str], zone: &str, present: i64) -> Vec<i64> {
        let place = tempfile::tempdir().unwrap();
        let git = |arguments: &[String]| {
            let mut command = Command::new("git");
            command.current_dir(place.path()).env("TZ", zone).env("GIT_TEST_DATE_NOW", present.to_string());
            let output = command.args(arguments).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        git(&["init".to_owned(), "-q".to_owned()]);
        let mut arguments = vec!["rev-parse".to_owned()];
        arguments.extend(texts.iter().map(|text| format!("--since={text}")));
        let read = git(&arguments);
        // Times before the epoch are printed as large numbers.
        let number = |line: &str| line.strip_prefix("--max-age=").unwrap().parse::<u64>().unwrap() as i64;
        read.lines().map(number).collect()
    }

    fn present_in(zone: &str, present: i64) -> Zoned {
        Timestamp::from_second(present).unwrap().to_zoned(TimeZone::posix(zone).unwrap())
    }

    #[test]
    fn a_time_is_the_one_that_git_reads() {
        let texts: Vec<&str> = TIMES.iter().chain(&DAYS_OF_MONTHS).copied().collect();
        let mut wrong = Vec::new();
        for zone in ZONES {
            for present in PRESENTS {
                let now = present_in(zone, present);
                for (text, expected) in texts.iter().zip(of_git(&texts, zone, present)) {
                    // A date that lies ahead of the present, and one in an hour that exists twice, may be refused.
                    let read = seconds_of(text, &now);
                    let is_ahead = expected > present && text.contains("20");
                    if read != Some(expected) && !(read.is_none() && is_ahead) {
                        wrong.push(format!("{text} in {zone} at {present}: {read:?}, git {expected}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_text_that_is_not_understood_to_its_end_is_no_time() {
        for zone in ZONES {
            for text in OTHERS {
                assert_eq!(seconds_of(text, &present_in(zone, PRESENTS[0])), None, "{text}");
            }
        }
    }

    #[test]
    fn no_combination_of_parts_is_another_time_than_in_git() {
        const PARTS: [&str; 26] = [
            "2",
            "10",
            "2026",
            "10:00",
            "+0100",
            "2026-07-01",
            "Jan",
            "30",
            "fri",
            "last",
            "two",
            "hours",
            "days",
            "weeks",
            "month",
            "year",
            "ago",
            "yesterday",
            "noon",
            "tea",
            "pm",
            "am",
            "now",
            "-",
            "T",
            "foo",
        ];
        // A linear congruential generator with the constants of Knuth's MMIX: the same texts in every run.
        let mut state = 1_u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let texts: Vec<String> = (0..6_000)
            .map(|_| {
                let parts: Vec<&str> = (0..1 + draw(5)).map(|_| PARTS[draw(PARTS.len())]).collect();
                parts.join([" ", ".", "", ","][draw(4)])
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (mut wrong, mut read_count) = (Vec::new(), 0);
        for (zone, present) in ZONES.into_iter().zip(PRESENTS) {
            let now = present_in(zone, present);
            for (text, expected) in texts.iter().zip(of_git(&texts, zone, present)) {
                let Some(read) = seconds_of(text, &now) else { continue };
                read_count += 1;
                if read != expected {
                    wrong.push(format!("{text} in {zone} at {present}: {read}, git {expected}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(read_count > 500, "{read_count}");
    }
}
