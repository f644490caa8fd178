//! Points in time: to the second, as git and answers have them, and to the millisecond, as memories have them.

use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, SystemTime};

use jiff::SignedDuration;
use jiff::civil::DateTime;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

/// The last second whose year has four digits: 9999-12-31T23:59:59Z.
const LAST: i64 = 253_402_300_799;

/// The first second of the year 0: 0000-01-01T00:00:00Z.
const FIRST: i64 = -62_167_219_200;

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// A point in time in seconds since 1970. It is shown, in JSON too, as RFC 3339 in UTC: `2024-01-31T10:30:00Z`. A time
/// outside of the years 0 to 9999 is shown as the nearest second inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

impl Moment {
    /// A [`std::time::SystemTime`], cut to the second.
    pub fn of(time: SystemTime) -> Self {
        let seconds = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds),
        };
        Self(seconds)
    }

    /// The first second of a day in UTC that is written as `2024-01-31`; `None` for anything else.
    pub fn of_day(text: &str) -> Option<Self> {
        let date: jiff::civil::Date = text.parse().ok()?;
        // The parser also accepts other forms.
        (date.to_string() == text).then(|| Self(date.at(0, 0, 0, 0).duration_since(EPOCH).as_secs()))
    }

    /// The day in UTC, as `2024-01-31`.
    pub fn day(self) -> impl fmt::Display {
        self.in_utc().date()
    }

    /// The point in time that much later, or the last one that a value can hold. Parts of a second are dropped.
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add_unsigned(duration.as_secs()))
    }

    /// The point in time that much earlier, or the first one that a value can hold. Parts of a second are dropped.
    #[must_use]
    pub fn saturating_sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub_unsigned(duration.as_secs()))
    }

    fn in_utc(self) -> DateTime {
        EPOCH.saturating_add(SignedDuration::from_secs(self.0.clamp(FIRST, LAST)))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Z", self.in_utc())
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Moment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// A point in time in milliseconds since 1970, as the database of memories and the files of sessions have it. Answers
/// show it as a [`Moment`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// A [`std::time::SystemTime`], cut to the millisecond; 1970 if it is earlier.
    pub fn of(time: SystemTime) -> Self {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// The second that it is in.
    pub fn to_moment(self) -> Moment {
        Moment(self.0.div_euclid(1_000))
    }

    /// The point in time that much later, or the last one that a value can hold.
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add_unsigned(whole_millis(duration)))
    }

    /// The point in time that much earlier, or the first one that a value can hold.
    #[must_use]
    pub fn saturating_sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub_unsigned(whole_millis(duration)))
    }

    /// How much later it is than `earlier`, at most `i64::MAX` milliseconds; nothing if it is not later.
    pub fn duration_since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or_default())
    }

    /// How far it is from `other`, in either direction.
    pub fn abs_diff(self, other: Self) -> Duration {
        Duration::from_millis(self.0.abs_diff(other.0))
    }
}

fn whole_millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_shown_in_utc() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (951_825_599, "2000-02-29T11:59:59Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_705_314_600, "2024-01-15T10:30:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (LAST, "9999-12-31T23:59:59Z"),
            (i64::MAX, "9999-12-31T23:59:59Z"),
            (FIRST, "0000-01-01T00:00:00Z"),
            (i64::MIN, "0000-01-01T00:00:00Z"),
        ] {
            assert_eq!(Moment(seconds).to_string(), shown, "{seconds}");
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (86_399, "1970-01-01"),
            (86_400, "1970-01-02"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (4_107_542_400, "2100-03-01"),
            (LAST, "9999-12-31"),
            (i64::MIN, "0000-01-01"),
        ] {
            assert_eq!(Moment(seconds).day().to_string(), day, "{seconds}");
        }
    }

    #[test]
    fn days_are_read_as_they_are_shown() {
        for (text, seconds) in [
            ("1970-01-01", Some(0)),
            ("2000-02-29", Some(951_782_400)),
            ("1999-02-29", None),
            ("20000229", None),
            ("2000-2-9", None),
            ("2000-02-29T00:00:00", None),
            (" 2000-02-29", None),
            ("", None),
        ] {
            assert_eq!(Moment::of_day(text).map(|moment| moment.0), seconds, "{text}");
        }
    }

    #[test]
    fn times_of_this_machine_are_moments_to_the_second() {
        let second = std::time::Duration::from_secs(1);
        assert_eq!(Moment::of(SystemTime::UNIX_EPOCH + 3 * second / 2), Moment(1));
        assert_eq!(Moment::of(SystemTime::UNIX_EPOCH - second), Moment(-1));
    }

    #[test]
    fn milliseconds_are_shown_as_the_second_that_they_are_in() {
        for (millis, second) in [(0, 0), (999, 0), (1_000, 1), (-1, -1), (-1_000, -1), (-1_001, -2)] {
            assert_eq!(UnixMillis(millis).to_moment(), Moment(second), "{millis}");
        }
    }

    #[test]
    fn sums_and_differences_stop_at_the_first_and_last_value() {
        let day = Duration::from_secs(86_400);
        assert_eq!(UnixMillis(5).saturating_add(day), UnixMillis(86_400_005));
        assert_eq!(UnixMillis(5).saturating_sub(day), UnixMillis(-86_399_995));
        assert_eq!(UnixMillis(i64::MAX - 1).saturating_add(day), UnixMillis(i64::MAX));
        assert_eq!(UnixMillis(i64::MIN + 1).saturating_sub(Duration::MAX), UnixMillis(i64::MIN));
        assert_eq!(Moment(5).saturating_add(day), Moment(86_405));
        assert_eq!(Moment(5).saturating_sub(Duration::MAX), Moment(i64::MIN));
        assert_eq!(UnixMillis(1_500).duration_since(UnixMillis(1_000)), Duration::from_millis(500));
        assert_eq!(UnixMillis(1_000).duration_since(UnixMillis(1_500)), Duration::ZERO);
    }

    proptest::proptest! {
        #[test]
        fn later_is_greater_as_text_too(a in FIRST..=LAST, b in FIRST..=LAST) {
            let as_text = Moment(a).to_string().cmp(&Moment(b).to_string());
            proptest::prop_assert_eq!(as_text, a.cmp(&b));
        }
    }
}
