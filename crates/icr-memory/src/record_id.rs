//! Ids of records.

use std::fmt;

use icr_model::UnixMillis;
use serde::{Deserialize, Serialize};

/// The digits of Crockford's base 32, in which a ULID is written (the specification of ULID).
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Characters of a ULID: 48 bits of time and 80 random bits, five bits a character.
const ULID_CHARS: usize = 26;

/// Longest id that another program may assign, in bytes.
const LONGEST: usize = 64;

/// Id of a memory, memoir, concept or link. It is a ULID if icr assigned it, or an id from another program: 1 to 64
/// ASCII letters, digits, `-` and `_`. ULIDs of later records sort after earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct RecordId(String);

/// A text that is no id of a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id: an id has 1 to {LONGEST} letters, digits, `-` and `_`")]
pub struct NoRecordId {
    /// The text, cut if it is long.
    pub text: String,
}

impl RecordId {
    /// The ULID of a time and 80 random bits.
    pub fn ulid(at: UnixMillis, chance: u128) -> Self {
        let time = u128::from(u64::try_from(at.0).unwrap_or_default() & 0xffff_ffff_ffff);
        let bits = time << 80 | chance & (u128::MAX >> 48);
        let letter = |at: usize| {
            let shift = 5 * (ULID_CHARS - 1 - at);
            char::from(LETTERS[(bits >> shift & 31) as usize])
        };
        Self((0..ULID_CHARS).map(letter).collect())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RecordId {
    type Error = NoRecordId;

    fn try_from(text: String) -> Result<Self, NoRecordId> {
        let is_id_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if (1..=LONGEST).contains(&text.len()) && text.bytes().all(is_id_byte) {
            return Ok(Self(text));
        }
        Err(NoRecordId { text: text.chars().take(LONGEST).collect() })
    }
}

impl TryFrom<&str> for RecordId {
    type Error = NoRecordId;

    fn try_from(text: &str) -> Result<Self, NoRecordId> {
        Self::try_from(text.to_owned())
    }
}

impl From<RecordId> for String {
    fn from(id: RecordId) -> Self {
        id.0
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ulid_says_its_moment_first_and_sorts_by_it() {
        // The example of the specification of ULID.
        let id = RecordId::ulid(UnixMillis(1_469_918_176_385), 0);
        assert_eq!(id.as_str(), "01ARYZ6S410000000000000000");
        assert!(id < RecordId::ulid(UnixMillis(1_469_918_176_385), 1));
        assert!(RecordId::ulid(UnixMillis(1), u128::MAX) < RecordId::ulid(UnixMillis(2), 0));
        assert_eq!(RecordId::ulid(UnixMillis(-5), 0).as_str(), "0".repeat(26));
    }

    #[test]
    fn ids_of_other_programs_are_taken_and_other_texts_are_not() {
        for text in ["01ARYZ6S410000000000000000", "f47ac10b-58cc-4372-a567-0e02b2c3d479", "m_1"] {
            assert_eq!(RecordId::try_from(text).map(String::from).as_deref(), Ok(text));
        }
        for text in ["", "a b", "é", "a\0", "../x", &"x".repeat(65)] {
            RecordId::try_from(text).unwrap_err();
        }
    }
}
