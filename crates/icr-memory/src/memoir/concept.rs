//! What a memoir, a concept and a link are.

use serde::{Serialize, Serializer};

use super::{Label, Relation};
use crate::memory::{check_length, moment};
use crate::{Error, RecordId, TEXT_BYTES_MOST};

/// Longest name of a memoir and of a concept, in bytes.
pub const NAME_BYTES_MOST: usize = 255;

/// Confidence of a new concept; what each refinement adds; and the most.
pub(super) const FIRST_CONFIDENCE: f64 = 0.5;
const CONFIDENCE_STEP: f64 = 0.1;
const CONFIDENCE_MOST: f64 = 1.0;

/// A memoir: a name for concepts and their links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Memoir {
    /// Its id.
    pub id: RecordId,
    /// Its name, 1 to 255 bytes in one line; no other memoir has it.
    pub name: String,
    /// What it is about; at most 64 KiB, may be empty.
    pub description: String,
    /// Concepts above which it is said to need consolidation.
    pub consolidation_threshold: u32,
    /// When it was made, in milliseconds since 1970.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub created_at: i64,
    /// When its name or description was last changed.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub updated_at: i64,
}

/// A concept: a name with a definition.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Concept {
    /// Its id.
    pub id: RecordId,
    /// Its name, 1 to 255 bytes in one line; no other concept of the memoir has it.
    pub name: String,
    /// What it is; 1 byte to 64 KiB.
    pub definition: String,
    /// What it is filed under.
    pub labels: Vec<Label>,
    /// How sure the definition is: 0.5 of a new one, 0.1 more with each refinement, at most 1.
    pub confidence: f64,
    /// How many definitions it has had, this one included.
    pub revision: u32,
    /// The memories that it was made from.
    pub sources: Vec<RecordId>,
    /// When it was added, in milliseconds since 1970.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub created_at: i64,
    /// When it was last refined or renamed.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub updated_at: i64,
}

/// A link between two concepts of one memoir.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ConceptLink {
    /// Its id.
    pub id: RecordId,
    /// The concept that it starts at.
    pub source_id: RecordId,
    /// The concept that it leads to.
    pub target_id: RecordId,
    /// How they belong together.
    pub relation: Relation,
    /// How strong it is; 1 unless another program said something else.
    pub weight: f64,
    /// When it was made, in milliseconds since 1970.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub created_at: i64,
}

/// A time in milliseconds since 1970 as answers and exports show it: RFC 3339 in UTC, to the second.
pub(super) fn as_moment<S: Serializer>(ms: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    moment(*ms).serialize(serializer)
}

/// The confidence after one more refinement, exact to a millionth so that tenths stay tenths.
pub(super) fn raise_confidence(confidence: f64) -> f64 {
    (((confidence + CONFIDENCE_STEP) * 1e6).round() / 1e6).min(CONFIDENCE_MOST)
}

/// A name without white space around it, if it may be one.
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

/// A definition without white space around it, if it may be one.
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
