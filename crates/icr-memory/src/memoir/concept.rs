//! Memoirs, concepts and links.

use icr_model::UnixMillis;
use serde::{Serialize, Serializer};

use super::{Label, Relation};
use crate::memory::check_length;
use crate::{Error, RecordId, TEXT_BYTES_MOST};

/// Longest name of a memoir and of a concept, in bytes.
pub const NAME_BYTES_MOST: usize = 255;

/// Confidence of a new concept, the increase with each refinement, and the maximum.
pub(super) const FIRST_CONFIDENCE: f64 = 0.5;
const CONFIDENCE_STEP: f64 = 0.1;
const CONFIDENCE_MOST: f64 = 1.0;

/// A memoir: a named set of concepts and links between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Memoir {
    /// Its id.
    pub id: RecordId,
    /// Its name, 1 to 255 bytes in one line; no other memoir has it.
    pub name: String,
    /// What it is about; at most 64 KiB, may be empty.
    pub description: String,
    /// Number of concepts above which icr suggests consolidation.
    pub consolidation_threshold: u32,
    /// When it was made, in milliseconds since 1970.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub created_at: UnixMillis,
    /// When its name or description was last changed.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub updated_at: UnixMillis,
}

/// A concept: a name with a definition.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Concept {
    /// Its id.
    pub id: RecordId,
    /// Its name, 1 to 255 bytes in one line; no other concept of the memoir has it.
    pub name: String,
    /// The definition; 1 byte to 64 KiB.
    pub definition: String,
    /// The labels that it is filed under.
    pub labels: Vec<Label>,
    /// Confidence in the definition: 0.5 for a new concept, 0.1 more with each refinement, at most 1.
    pub confidence: f64,
    /// Number of definitions it has had, including the current one.
    pub revision: u32,
    /// Ids of the memories that it was made from.
    pub sources: Vec<RecordId>,
    /// When it was added, in milliseconds since 1970.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub created_at: UnixMillis,
    /// When it was last refined or renamed.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub updated_at: UnixMillis,
}

/// A link between two concepts of one memoir.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ConceptLink {
    /// Its id.
    pub id: RecordId,
    /// Id of the concept where the link starts.
    pub source_id: RecordId,
    /// Id of the concept that the link leads to.
    pub target_id: RecordId,
    /// The relation between the two concepts.
    pub relation: Relation,
    /// Strength of the link; 1 unless another program set another value.
    pub weight: f64,
    /// When it was made, in milliseconds since 1970.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub created_at: UnixMillis,
}

/// A time in the form of answers and exports: RFC 3339 in UTC, to the second.
pub(super) fn as_moment<S: Serializer>(time: &UnixMillis, serializer: S) -> Result<S::Ok, S::Error> {
    time.to_moment().serialize(serializer)
}

/// The confidence after one more refinement, rounded to a millionth so that tenths stay exact.
pub(super) fn raise_confidence(confidence: f64) -> f64 {
    (((confidence + CONFIDENCE_STEP) * 1e6).round() / 1e6).min(CONFIDENCE_MOST)
}

/// The name without white space around it; an error if it is invalid.
pub(crate) fn checked_name<'a>(field: &'static str, name: &'a str) -> Result<&'a str, Error> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Error::invalid(field, "is empty", "give it a name"));
    }
    check_length(field, name, NAME_BYTES_MOST)?;
    if name.chars().any(|character| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')) {
        let wrong = "has a line break, a NUL or another control character";
        return Err(Error::invalid(field, wrong, "write it on one line"));
    }
    Ok(name)
}

/// The definition without white space around it; an error if it is invalid.
pub(super) fn checked_definition(definition: &str) -> Result<&str, Error> {
    let definition = definition.trim();
    if definition.is_empty() {
        return Err(Error::invalid("definition", "is empty", "say what the concept is"));
    }
    check_length("definition", definition, TEXT_BYTES_MOST)?;
    Ok(definition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_grows_by_tenths_up_to_one() {
        let steps: Vec<f64> =
            std::iter::successors(Some(FIRST_CONFIDENCE), |one| Some(raise_confidence(*one))).take(8).collect();
        assert_eq!(steps, [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0]);
    }
}
