//! Names of things: git object ids, and the dense numbers that a store gives out.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{from_hexadecimal, hexadecimal};

/// The error for a text that is not an object id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an object id: expected 40 (SHA-1) or 64 (SHA-256) hexadecimal digits")]
pub struct IdError {
    text: String,
}

/// Longest object id in bytes (SHA-256).
const LONGEST: usize = 32;

/// The bytes of an object id; `len` is 20 (SHA-1) or 32 (SHA-256), the rest is zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Raw {
    bytes: [u8; LONGEST],
    len: u8,
}

impl Raw {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != 20 && bytes.len() != LONGEST {
            return None;
        }
        let mut raw = Self { bytes: [0; LONGEST], len: bytes.len() as u8 };
        raw.bytes[..bytes.len()].copy_from_slice(bytes);
        Some(raw)
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    fn from_hex(text: &str) -> Result<Self, IdError> {
        let id = from_hexadecimal(text).and_then(|bytes| Self::from_bytes(&bytes));
        id.ok_or_else(|| IdError { text: text.chars().take(80).collect() })
    }
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hexadecimal(self.as_bytes()))
    }
}

macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Raw);

        impl $name {
            /// The id held by `bytes`; `None` unless there are 20 (SHA-1) or 32 (SHA-256) of them.
            pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
                Raw::from_bytes(bytes).map(Self)
            }

            /// The 20 or 32 bytes of the id.
            pub fn as_bytes(&self) -> &[u8] {
                self.0.as_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Raw::from_hex(text).map(Self)
            }
        }
    };
}

object_id! {
    /// Git object id of the content of a file. Equal contents have equal ids.
    BlobId
}
object_id! {
    /// Git object id of a directory. Equal trees have equal ids.
    TreeId
}
object_id! {
    /// Git object id of a commit.
    CommitId
}

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// First of the numbers that are reserved for indexes in memory. Numbers from here on are never written to
            /// a store, so an index of uncommitted or new content can be used beside the one on disk with one live
            /// set.
            pub const FIRST_IN_MEMORY: u32 = 1 << 31;

            /// Whether an index in memory gave out the number.
            pub fn is_in_memory(self) -> bool {
                self.0 >= Self::FIRST_IN_MEMORY
            }
        }
    };
}

number! {
    /// Dense number of one (blob, language) in one store; never reused.
    BlobNo
}
number! {
    /// Dense number of one chunk in one store; the chunks of a blob are one contiguous run. Never reused.
    ChunkNo
}
number! {
    /// Dense number of one distinct path string in one store; never reused.
    PathNo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_for_both_hash_kinds() {
        for digits in [40, 64] {
            let text: String = "0123456789abcdef".chars().cycle().take(digits).collect();
            assert_eq!(text.parse::<BlobId>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_lengths_and_digits_are_named() {
        for text in ["", "abc", &"g".repeat(40), &"é".repeat(20), &"0".repeat(41)] {
            assert!(text.parse::<TreeId>().is_err(), "{text}");
        }
        assert_eq!(
            "xyz".parse::<CommitId>().unwrap_err().to_string(),
            "`xyz` is not an object id: expected 40 (SHA-1) or 64 (SHA-256) hexadecimal digits"
        );
    }
}
