//! Checksums of values. One flipped bit turns a vector into another one, and nothing else would detect that.

use std::collections::HashSet;
use std::sync::Mutex;

use icr_model::even_after_panic;

use crate::error::StorageFailure;

/// The checksum scheme, for [`crate::format`].
pub(crate) const FORMAT: &str = "crc32 of key and value behind each block and space";

/// Size of a checksum in bytes.
pub(crate) const SUM: usize = 4;

/// Key of a block.
type Key = [u8; 7];

/// Values whose checksums were verified, by key and checksum. Each value is verified once per process, and again after
/// it was rewritten.
#[derive(Debug, Default)]
pub(crate) struct CheckedValues(Mutex<HashSet<(Key, u32)>>);

/// Most verified values that are remembered, at some 20 bytes each: enough for the blocks of 130 million chunks.
const MOST_CHECKED: usize = 1 << 18;

/// A value and its expected checksum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SummedValue<'a> {
    bytes: &'a [u8],
    sum: Option<(Key, u32, &'a CheckedValues)>,
}

impl<'a> SummedValue<'a> {
    /// The value that is `stored` under `key`, followed by its checksum. Reads only the checksum.
    ///
    /// # Errors
    ///
    /// [`StorageFailure::Damaged`] when it is too short to contain a checksum.
    pub(crate) fn of(key: Key, stored: &'a [u8], checked: &'a CheckedValues) -> Result<Self, StorageFailure> {
        let Some((bytes, sum)) = stored.split_last_chunk::<SUM>() else {
            return Err(StorageFailure::Damaged(format!("a value of {} bytes has no sum", stored.len())));
        };
        Ok(Self { bytes, sum: Some((key, u32::from_le_bytes(*sum), checked)) })
    }

    /// A value in memory, which has no checksum.
    pub(crate) fn in_memory(bytes: &'a [u8]) -> Self {
        Self { bytes, sum: None }
    }

    /// This value, marked as verified by the caller.
    #[must_use]
    pub(crate) fn sound(self) -> Self {
        Self { sum: None, ..self }
    }

    /// Size of the value in bytes, without its checksum.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of the value. The first call in a process verifies them, at some 10 GB a second.
    ///
    /// # Errors
    ///
    /// [`StorageFailure::Damaged`] when the checksum does not match.
    pub(crate) fn bytes(&self) -> Result<&'a [u8], StorageFailure> {
        let Some((key, sum, checked)) = self.sum else { return Ok(self.bytes) };
        if even_after_panic(checked.0.lock()).contains(&(key, sum)) {
            return Ok(self.bytes);
        }
        if sum_of(&key, self.bytes) != sum {
            let bytes = self.bytes.len();
            return Err(StorageFailure::Damaged(format!("a block of {bytes} bytes has other bytes than were written")));
        }
        let mut checked = even_after_panic(checked.0.lock());
        if checked.len() >= MOST_CHECKED {
            checked.clear();
        }
        checked.insert((key, sum));
        Ok(self.bytes)
    }
}

/// The value that is `stored` under `key`, followed by its checksum; verified on every call.
///
/// # Errors
///
/// [`StorageFailure::Damaged`] when the checksum does not match.
pub(crate) fn without_sum<'a>(key: &[u8], stored: &'a [u8]) -> Result<&'a [u8], StorageFailure> {
    let summed = stored.split_last_chunk::<SUM>();
    let sound = summed.filter(|(bytes, sum)| sum_of(key, bytes).to_le_bytes() == **sum);
    let (bytes, _) =
        sound.ok_or_else(|| StorageFailure::Damaged("a value has other bytes than were written".to_owned()))?;
    Ok(bytes)
}

/// `value` followed by its checksum, as it is stored under `key`.
pub(crate) fn with_sum(key: &[u8], value: &[u8]) -> Vec<u8> {
    [value, &sum_of(key, value).to_le_bytes()].concat()
}

fn sum_of(key: &[u8], value: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(key);
    sum.update(value);
    sum.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_with_a_flipped_bit_or_under_another_key_is_damage() {
        let key = [2, 0, 0, 0, 0, 0, 1];
        let stored = with_sum(&key, b"a block of vectors");
        let read = |key: Key, stored: &[u8]| {
            let checked = CheckedValues::default();
            SummedValue::of(key, stored, &checked)?.bytes().map(<[u8]>::to_vec)
        };
        assert_eq!(read(key, &stored).unwrap(), b"a block of vectors");
        for bit in 0..stored.len() * 8 {
            let mut flipped = stored.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(read(key, &flipped), Err(StorageFailure::Damaged(_))), "bit {bit}");
        }
        assert!(matches!(read([2, 0, 0, 0, 0, 0, 2], &stored), Err(StorageFailure::Damaged(_))));
        assert!(matches!(read(key, &stored[..3]), Err(StorageFailure::Damaged(_))));
    }

    #[test]
    fn a_value_is_looked_through_once_and_again_when_it_was_written_again() {
        let (key, checked) = ([2, 0, 0, 0, 0, 0, 1], CheckedValues::default());
        let mut stored = with_sum(&key, b"first");
        SummedValue::of(key, &stored, &checked).unwrap().bytes().unwrap();
        stored[0] ^= 1;
        assert!(SummedValue::of(key, &stored, &checked).unwrap().bytes().is_ok(), "it was found right before");
        let mut stored = with_sum(&key, b"second");
        stored[0] ^= 1;
        assert!(SummedValue::of(key, &stored, &checked).unwrap().bytes().is_err());
    }
}
