//! Numbers, dates and names of an answer as a reader of the page meets them.

use serde::Serialize;

use super::super::escape::html as escaped;
use super::super::svg::px;
use super::layout::finite;

/// The name that a value has in answers, with spaces: `type changed`.
pub(super) fn word(value: impl Serialize) -> String {
    let name = serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned));
    name.unwrap_or_default().replace('_', " ")
}

/// `83 %`.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", finite(share) * 100.0)
}

/// A bar as wide as `share` of its whole, in markup. What it says stands beside it in words.
pub(super) fn bar(share: f64) -> String {
    /// Its whole, in px.
    const WIDTH: f64 = 56.0;
    format!(
        "<svg class=\"gauge\" width=\"{}\" height=\"8\" aria-hidden=\"true\"><rect class=\"bar\" width=\"{}\" height=\"8\" \
         rx=\"2\" /><rect class=\"filled\" width=\"{}\" height=\"8\" rx=\"2\" /></svg>",
        px(WIDTH),
        px(WIDTH),
        px(WIDTH * finite(share))
    )
}

/// A bar and its percentage, in markup.
pub(super) fn gauge(share: f64) -> String {
    format!("<span class=\"measure\">{}{}</span>", bar(share), percent(share))
}

/// `text` as code, in markup.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// A sentence of the answer, in which names stand between backticks, in markup.
pub(super) fn sentence(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len() - 1;
    let part = |(at, part): (usize, &&str)| match at % 2 {
        1 if at < last => code(part),
        // A backtick without a second one stands for itself.
        1 => format!("`{}", escaped(part)),
        _ => escaped(part),
    };
    parts.iter().enumerate().map(part).collect()
}

/// At most `limit` of `texts` as code with commas between them, and how many more there are, in markup.
pub(super) fn codes(texts: &[String], limit: usize) -> String {
    let shown: Vec<String> = texts.iter().take(limit).map(|text| code(text)).collect();
    let rest = texts.len() - shown.len();
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

/// The day of a time in seconds since 1970, in UTC, as in `2026-01-31`; empty for times that no commit has.
///
/// Days to dates as in Howard Hinnant's "chrono-compatible low-level date algorithms" (`civil_from_days`).
pub(super) fn day(seconds: i64) -> String {
    /// The year 10000, from which years have more digits.
    const END: i64 = 253_402_300_800;
    if !(0..END).contains(&seconds) {
        return String::new();
    }
    // Days since 0000-03-01, as leap days then stand at the end of years.
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (86_400, "1970-01-02"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_767_139_200, "2025-12-31"),
            (4_107_542_400, "2100-03-01"),
            (253_402_300_799, "9999-12-31"),
            (253_402_300_800, ""),
            (-1, ""),
            (i64::MIN, ""),
        ] {
            assert_eq!(day(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn shares_that_are_no_numbers_are_none() {
        assert_eq!([f64::NAN, f64::NEG_INFINITY, f64::INFINITY, 0.826].map(percent), ["0 %", "0 %", "100 %", "83 %"]);
        assert!(bar(f64::NAN).ends_with("<rect class=\"filled\" width=\"0\" height=\"8\" rx=\"2\" /></svg>"));
    }

    #[test]
    fn names_in_sentences_are_code() {
        assert_eq!(sentence("`a` calls `b<c>`"), "<code>a</code> calls <code>b&lt;c&gt;</code>");
        assert_eq!(sentence("it's `a"), "it&#39;s `a");
        assert_eq!(sentence("``"), "<code></code>");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn names_are_words() {
        assert_eq!(word(icr_engine::impact::Status::TypeChanged), "type changed");
        assert_eq!(
            codes(&["a".to_owned(), "<b>".to_owned(), "c".to_owned()], 2),
            "<code>a</code>, <code>&lt;b&gt;</code> and 1 more"
        );
    }
}
