//! Formats numbers, dates and names of an answer for the page.

use serde::Serialize;

use super::super::escape::html as escaped;
pub(super) use super::super::escape::sentence;
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

/// A bar that is `share` of the full width, as markup. The value is also written beside it.
pub(super) fn bar(share: f64) -> String {
    /// Full width, in px.
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

/// At most `limit` of `texts` as code, separated by commas, and the number of the others, as markup.
pub(super) fn codes(texts: &[String], limit: usize) -> String {
    let shown: Vec<String> = texts.iter().take(limit).map(|text| code(text)).collect();
    let rest = texts.len() - shown.len();
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(word(icr_impact::FileStatus::TypeChanged), "type changed");
        assert_eq!(
            codes(&["a".to_owned(), "<b>".to_owned(), "c".to_owned()], 2),
            "<code>a</code>, <code>&lt;b&gt;</code> and 1 more"
        );
    }
}
