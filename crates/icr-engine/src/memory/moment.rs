//! Moments as answers show them.

use std::fmt;

use serde::{Serialize, Serializer};

/// The last second that four digits of a year can say: 9999-12-31T23:59:59Z.
const LAST: i64 = 253_402_300_799;

/// The first one, of the year 0: 0000-01-01T00:00:00Z.
const FIRST: i64 = -62_167_219_200;

/// A moment in seconds since 1970; shown, in JSON too, as RFC 3339 in UTC: `2024-01-31T10:30:00Z`. What lies outside of
/// the years 0 to 9999 is shown as the nearest second inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SECONDS_OF_DAY: i64 = 24 * 60 * 60;
        let seconds = self.0.clamp(FIRST, LAST);
        let (year, month, day) = date(seconds.div_euclid(SECONDS_OF_DAY));
        let second = seconds.rem_euclid(SECONDS_OF_DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Year, month and day of a day since 1970: Howard Hinnant's `civil_from_days`, which counts in eras of 400 years that
/// begin in March.
fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_FROM_YEAR_0: i64 = 719_468;
    const DAYS_OF_ERA: i64 = 146_097;
    let days = days + DAYS_FROM_YEAR_0;
    let (era, day) = (days.div_euclid(DAYS_OF_ERA), days.rem_euclid(DAYS_OF_ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + next, month, day)
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

    proptest::proptest! {
        #[test]
        fn later_is_greater_as_text_too(a in FIRST..=LAST, b in FIRST..=LAST) {
            let as_text = Moment(a).to_string().cmp(&Moment(b).to_string());
            proptest::prop_assert_eq!(as_text, a.cmp(&b));
        }
    }
}
