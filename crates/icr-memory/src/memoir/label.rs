//! Labels of concepts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::memory::check_length;

/// Most labels of a concept.
pub const LABELS_MOST: usize = 50;

/// Longest label, in bytes.
pub const LABEL_BYTES_MOST: usize = 100;

/// A label that concepts are filed under: `namespace:value` or a plain word; 1 to 100 bytes, without commas and control
/// characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Label(String);

impl Label {
    /// Parses a label. White space around it and around its first colon is removed.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for an empty or too long text, a comma or a control character, and for an empty namespace or
    /// value.
    pub fn parse(text: &str) -> Result<Self, Error> {
        const RIGHT: &str = "write `namespace:value` or a word";
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::invalid("labels", "holds an empty label", RIGHT));
        }
        if text.chars().any(|character| character.is_control() || character == ',') {
            return Err(Error::invalid("labels", "holds a label with a comma or a control character", RIGHT));
        }
        let label = match text.split_once(':') {
            None => text.to_owned(),
            Some((namespace, value)) => {
                let (namespace, value) = (namespace.trim_end(), value.trim_start());
                if namespace.is_empty() || value.is_empty() {
                    let wrong = format!("holds `{}`, which has nothing on one side of the colon", label_excerpt(text));
                    return Err(Error::Invalid { field: "labels", wrong, right: RIGHT.to_owned() });
                }
                format!("{namespace}:{value}")
            }
        };
        check_length("labels", &label, LABEL_BYTES_MOST)?;
        Ok(Self(label))
    }

    /// The whole label.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the first colon; `None` for a plain word.
    pub fn namespace(&self) -> Option<&str> {
        self.0.split_once(':').map(|(namespace, _)| namespace)
    }

    /// The part after the first colon; the whole label for a plain word.
    pub fn value(&self) -> &str {
        self.0.split_once(':').map_or(&self.0, |(_, value)| value)
    }
}

/// Parses a list of labels separated by commas. Each label is returned once, in order; empty parts are skipped.
///
/// # Errors
///
/// [`Error::Invalid`] as [`Label::parse`].
pub fn labels_of(list: &str) -> Result<Vec<Label>, Error> {
    let labels = list.split(',').filter(|text| !text.trim().is_empty()).map(Label::parse);
    Ok(distinct(labels.collect::<Result<_, _>>()?))
}

/// Each label once, in the order of first appearance.
pub(super) fn distinct(labels: Vec<Label>) -> Vec<Label> {
    let mut once: Vec<Label> = Vec::with_capacity(labels.len());
    for label in labels {
        if !once.contains(&label) {
            once.push(label);
        }
    }
    once
}

/// Refuses more labels than a concept may have.
pub(super) fn check_count(labels: &[Label]) -> Result<(), Error> {
    if labels.len() <= LABELS_MOST {
        return Ok(());
    }
    let wrong = format!("has {} labels", labels.len());
    Err(Error::Invalid { field: "labels", wrong, right: format!("at most {LABELS_MOST} are kept") })
}

/// The beginning of a text, short enough for an error message.
fn label_excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

impl TryFrom<String> for Label {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        Self::parse(&text)
    }
}

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.0
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_a_namespace_or_none() {
        let label = |text: &str| Label::parse(text).unwrap();
        let parts = |label: &Label| (label.namespace().map(str::to_owned), label.value().to_owned());
        assert_eq!(parts(&label("domain:auth")), (Some("domain".into()), "auth".into()));
        assert_eq!(parts(&label("wip")), (None, "wip".into()));
        assert_eq!(parts(&label("url:http://x")), (Some("url".into()), "http://x".into()));
        assert_eq!(label(" domain : auth ").to_string(), "domain:auth");
    }

    #[test]
    fn a_list_is_separated_by_commas_and_has_each_label_once() {
        let labels = labels_of(" domain:auth, wip,,wip ,domain: auth,").unwrap();
        assert_eq!(labels.iter().map(Label::as_str).collect::<Vec<_>>(), ["domain:auth", "wip"]);
        assert_eq!(labels_of("").unwrap(), []);
        assert_eq!(labels_of(" , ").unwrap(), []);
    }

    #[test]
    fn what_is_no_label_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", "`labels` holds an empty label"),
            (":auth", "`labels` holds `:auth`, which has nothing on one side of the colon"),
            ("domain: ", "`labels` holds `domain:`, which has nothing on one side of the colon"),
            ("a\nb", "`labels` holds a label with a comma or a control character"),
            ("a,b", "`labels` holds a label with a comma or a control character"),
            (&"x".repeat(101), "`labels` has 101 bytes"),
        ] {
            assert_eq!(Label::parse(text).unwrap_err().to_string(), reason);
        }
        serde_json::from_str::<Label>("\":\"").unwrap_err();
        assert_eq!(serde_json::from_str::<Label>("\"a:b\"").unwrap().as_str(), "a:b");
        assert_eq!(serde_json::to_string(&Label::parse("a:b").unwrap()).unwrap(), "\"a:b\"");
    }
}
