//! Ids of calls.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU64;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Id of a call: 64 random bits, not all zero, so that it is also a valid span id. Shown as 16 lower-case hexadecimal
/// digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(NonZeroU64);

impl CallId {
    /// A new random id. The probability that two of a million ids are equal is 3 in 100 million.
    pub fn random() -> Self {
        // The hasher's keys come from the operating system once a thread, and every new hasher has other keys.
        let bits = RandomState::new().hash_one("call");
        Self(NonZeroU64::new(bits).unwrap_or(NonZeroU64::MIN))
    }

    /// The id with these bits; `None` for zero.
    pub fn from_bits(bits: u64) -> Option<Self> {
        NonZeroU64::new(bits).map(Self)
    }

    /// The 64 bits of the id.
    pub fn bits(self) -> u64 {
        self.0.get()
    }
}

/// A text that is no id of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the id of a call, which has 16 hexadecimal digits, not all of them 0")]
pub struct CallIdError {
    /// The beginning of that text.
    pub text: String,
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for CallId {
    type Err = CallIdError;

    fn from_str(text: &str) -> Result<Self, CallIdError> {
        let is_id = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bits = is_id.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        bits.and_then(Self::from_bits).ok_or_else(|| CallIdError { text: text.chars().take(40).collect() })
    }
}

impl Serialize for CallId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CallId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written() {
        let id = CallId::from_bits(0xab).unwrap();
        assert_eq!(id.to_string(), "00000000000000ab");
        assert_eq!("00000000000000AB".parse(), Ok(id));
        assert_eq!(CallId::from_bits(0), None);
    }

    #[test]
    fn other_texts_are_no_ids() {
        for text in [
            "",
            "ab",
            "0000000000000000",
            "+00000000000000a",
            "00000000000000abc",
            "0x000000000000ab",
            "é000000000000ab",
        ] {
            assert!(text.parse::<CallId>().unwrap_err().to_string().contains("16 hexadecimal digits"), "{text}");
        }
    }

    #[test]
    fn ids_of_several_threads_differ() {
        let threads: Vec<_> =
            (0..4).map(|_| std::thread::spawn(|| (0..1_000).map(|_| CallId::random()).collect::<Vec<_>>())).collect();
        let ids: HashSet<CallId> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        assert_eq!(ids.len(), 4_000);
    }
}
