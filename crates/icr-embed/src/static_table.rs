//! The file of a token table: pieces of words, and a row of numbers for each.
//!
//! Little-endian, nothing between the parts: magic, `u32` rows, `u32` dims, `u32` bytes of the vocabulary, SHA-256 of all that
//! follows, an `f32` scale for each row, the rows as `i8`, the pieces in the order of their bytes with a line feed after each.
//! The value of a number is its integer times the scale of its row.

use std::borrow::Cow;
use std::fmt;

use icr_model::hexadecimal;
use sha2::{Digest, Sha256};

/// First bytes of a table; the digit is the version of the layout.
const MAGIC: &[u8; 8] = b"icrtab 1";

const DIGEST_BYTES: usize = 32;

/// Bytes of the header: magic, three numbers, digest.
const HEADER_BYTES: usize = MAGIC.len() + 3 * 4 + DIGEST_BYTES;

/// Largest magnitude of an integer. The range is symmetric, so the negative of a row can be represented too.
const LARGEST: f32 = 127.0;

/// Most rows that are accepted: no word vocabulary has as many.
const MOST_ROWS: u32 = 1 << 20;

/// Valid row lengths: those that a [`crate::Descriptor`] allows. Loops also need a multiple of eight.
const DIMS: std::ops::RangeInclusive<u32> = 64..=4096;

/// A table of rows. The numbers are not copied from the bytes that they were read from.
pub struct StaticTable {
    bytes: Cow<'static, [u8]>,
    dims: usize,
    scales: Vec<f32>,
    rows_start: usize,
    vocabulary_start: usize,
}

/// Why bytes are not a valid table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// The magic is wrong.
    #[error("it does not begin with `icrtab 1`, as a table does")]
    Magic,
    /// The header has impossible sizes.
    #[error("its header says {rows} rows of {dims}; a table has 1 to 1048576 rows of 64 to 4096, in steps of 8")]
    Shape {
        /// Rows in the header.
        rows: u32,
        /// Row length in the header.
        dims: u32,
    },
    /// More or fewer bytes than the header says.
    #[error("it has {found} bytes where its header says {wanted}")]
    Length {
        /// Bytes found.
        found: u64,
        /// Bytes expected.
        wanted: u64,
    },
    /// A scale is invalid.
    #[error("the scale of row {row} is not a number from 0 up")]
    Scale {
        /// The first row with such a scale.
        row: usize,
    },
    /// The words are not as many as the rows, not text, or not in order.
    #[error("its vocabulary {0}")]
    Vocabulary(&'static str),
    /// The digest is wrong.
    #[error("its SHA-256 is {found} where its header says {wanted}")]
    Digest {
        /// Digest of the bytes, in hexadecimal.
        found: String,
        /// Digest in the header.
        wanted: String,
    },
}

impl StaticTable {
    /// Reads the table in `bytes`. Of `'static` bytes only the scales are copied.
    ///
    /// Checks everything that a look-up relies on, but not the digest: a process that answers one question need not
    /// read all rows. [`StaticTable::verify`] checks the digest.
    ///
    /// # Errors
    ///
    /// Any [`TableError`] except [`TableError::Digest`].
    pub fn parse(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, TableError> {
        let bytes = bytes.into();
        let body = bytes.strip_prefix(MAGIC).ok_or(TableError::Magic)?;
        let number =
            |at: usize| body.get(at..at + 4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        let short = TableError::Length { found: bytes.len() as u64, wanted: HEADER_BYTES as u64 };
        let (Some(rows), Some(dims), Some(vocabulary)) = (number(0), number(4), number(8)) else { return Err(short) };
        if rows == 0 || rows > MOST_ROWS || !DIMS.contains(&dims) || dims % 8 != 0 {
            return Err(TableError::Shape { rows, dims });
        }
        let wanted = HEADER_BYTES as u64 + u64::from(rows) * (4 + u64::from(dims)) + u64::from(vocabulary);
        if wanted != bytes.len() as u64 {
            return Err(TableError::Length { found: bytes.len() as u64, wanted });
        }
        let (rows, dims) = (rows as usize, dims as usize);
        let rows_start = HEADER_BYTES + rows * 4;
        let scales: Vec<f32> = bytes[HEADER_BYTES..rows_start]
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect();
        if let Some(row) = scales.iter().position(|scale| !(scale.is_finite() && *scale >= 0.0)) {
            return Err(TableError::Scale { row });
        }
        let table = Self { dims, scales, rows_start, vocabulary_start: rows_start + rows * dims, bytes };
        table.check_vocabulary()?;
        Ok(table)
    }

    /// Reads all of the bytes and compares them with the digest.
    ///
    /// # Errors
    ///
    /// [`TableError::Digest`] if they differ from it.
    pub fn verify(&self) -> Result<(), TableError> {
        let found = hexadecimal(&Sha256::digest(&self.bytes[HEADER_BYTES..]));
        let wanted = self.digest();
        if found == wanted { Ok(()) } else { Err(TableError::Digest { found, wanted }) }
    }

    /// SHA-256 of everything after the header, in hexadecimal, as the header has it.
    pub fn digest(&self) -> String {
        hexadecimal(&self.bytes[HEADER_BYTES - DIGEST_BYTES..HEADER_BYTES])
    }

    /// Length of the rows.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Number of rows, and of pieces.
    pub fn rows_total(&self) -> usize {
        self.scales.len()
    }

    /// The scale of row `row` and its integers, to be read as `i8`.
    ///
    /// # Panics
    ///
    /// When `row` is not below [`StaticTable::rows_total`].
    pub fn row(&self, row: usize) -> (f32, &[u8]) {
        let start = self.rows_start + row * self.dims;
        (self.scales[row], &self.bytes[start..start + self.dims])
    }

    #[cfg(test)]
    pub(crate) fn bytes_are_borrowed(&self) -> bool {
        matches!(self.bytes, Cow::Borrowed(_))
    }

    /// The pieces, in the order of their rows.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        let text = std::str::from_utf8(&self.bytes[self.vocabulary_start..]).expect("it was read as text before");
        text.split_terminator('\n')
    }

    fn check_vocabulary(&self) -> Result<(), TableError> {
        let text = std::str::from_utf8(&self.bytes[self.vocabulary_start..])
            .map_err(|_| TableError::Vocabulary("is not UTF-8"))?;
        let Some(text) = text.strip_suffix('\n') else {
            return Err(TableError::Vocabulary("does not end with a line feed"));
        };
        let (mut lines_total, mut before, mut is_ordered) = (0, "", true);
        for piece in text.split('\n') {
            is_ordered &= before < piece;
            before = piece;
            lines_total += 1;
        }
        match (lines_total == self.rows_total(), is_ordered) {
            (true, true) => Ok(()),
            (false, _) => Err(TableError::Vocabulary("has not one line for each row")),
            (true, false) => Err(TableError::Vocabulary("is not in the order of its bytes, each piece once")),
        }
    }

    /// The bytes of a table of `pieces` and their rows, which lie one after the other in `values`: each rounded to 255 steps
    /// of its largest magnitude.
    ///
    /// # Errors
    ///
    /// [`TableError`] if the result would not parse: another number of pieces than rows, pieces out of order, invalid
    /// dims, or values that are not finite.
    pub fn encode(pieces: &[&str], dims: usize, values: &[f32]) -> Result<Vec<u8>, TableError> {
        let shape = TableError::Shape { rows: pieces.len() as u32, dims: dims as u32 };
        if pieces.is_empty() || pieces.len().checked_mul(dims) != Some(values.len()) {
            return Err(shape);
        }
        let mut scales = Vec::new();
        let mut rows = Vec::with_capacity(values.len());
        for row in values.chunks_exact(dims) {
            // A sum, because `max` ignores NaN.
            let is_finite = row.iter().map(|value| value.abs()).sum::<f32>().is_finite();
            let largest = row.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
            let scale = if is_finite { largest / LARGEST } else { f32::NAN };
            scales.extend(scale.to_le_bytes());
            let steps = if scale > 0.0 { scale.recip() } else { 0.0 };
            rows.extend(row.iter().map(|value| (value * steps).round().clamp(-LARGEST, LARGEST) as i8 as u8));
        }
        let vocabulary: String = pieces.iter().flat_map(|piece| [*piece, "\n"]).collect();
        let body = [scales, rows, vocabulary.clone().into_bytes()].concat();
        let mut bytes = MAGIC.to_vec();
        for number in [pieces.len(), dims, vocabulary.len()] {
            bytes.extend((number as u32).to_le_bytes());
        }
        bytes.extend(&Sha256::digest(&body)[..]);
        bytes.extend(body);
        Self::parse(bytes).map(|table| table.bytes.into_owned())
    }
}

impl fmt::Debug for StaticTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "StaticTable({} x {}, {})", self.rows_total(), self.dims, self.digest())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table() -> Vec<u8> {
        let values: Vec<f32> = (0..2 * 64).map(|at| (at as f32 - 100.0) / 50.0).collect();
        StaticTable::encode(&["a", "b"], 64, &values).unwrap()
    }

    #[track_caller]
    fn check(damage: impl FnOnce(&mut Vec<u8>), expected: &str) {
        let mut bytes = table();
        damage(&mut bytes);
        let found = StaticTable::parse(bytes).and_then(|table| table.verify());
        assert_eq!(found.expect_err("damaged").to_string(), expected);
    }

    #[test]
    fn rows_come_back_to_half_a_step() {
        let table = StaticTable::parse(table()).unwrap();
        assert_eq!(table.pieces().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(table.verify(), Ok(()));
        let (scale, row) = table.row(0);
        assert_eq!(scale, 2.0 / 127.0);
        for (at, byte) in row.iter().enumerate() {
            let (value, wanted) = (f32::from(*byte as i8) * scale, (at as f32 - 100.0) / 50.0);
            assert!((value - wanted).abs() <= scale / 2.0 + 1e-6, "{value} for {wanted}");
        }
    }

    #[test]
    fn damage_is_named() {
        check(|bytes| bytes.clear(), "it does not begin with `icrtab 1`, as a table does");
        check(|bytes| bytes.truncate(11), "it has 11 bytes where its header says 52");
        check(|bytes| bytes.truncate(30), "it has 30 bytes where its header says 192");
        check(
            |bytes| bytes[8..12].fill(0),
            "its header says 0 rows of 64; a table has 1 to 1048576 rows of 64 to 4096, in steps of 8",
        );
        check(
            |bytes| bytes[12] = 65,
            "its header says 2 rows of 65; a table has 1 to 1048576 rows of 64 to 4096, in steps of 8",
        );
        check(|bytes| bytes.push(0), "it has 193 bytes where its header says 192");
        check(|bytes| bytes[56..60].fill(0xff), "the scale of row 1 is not a number from 0 up");
        check(|bytes| *bytes.last_mut().unwrap() = b'c', "its vocabulary does not end with a line feed");
        check(|bytes| bytes[189] = b'c', "its vocabulary has not one line for each row");
        check(|bytes| bytes[188] = b'c', "its vocabulary is not in the order of its bytes, each piece once");
        check(|bytes| bytes[188] = 0xff, "its vocabulary is not UTF-8");
        let [found, wanted] = ["a", "b"];
        let error = TableError::Digest { found: found.to_owned(), wanted: wanted.to_owned() };
        assert_eq!(error.to_string(), "its SHA-256 is a where its header says b");
        let mut bytes = table();
        bytes[70] ^= 1;
        assert!(matches!(StaticTable::parse(bytes).unwrap().verify(), Err(TableError::Digest { .. })));
    }

    #[test]
    fn what_makes_no_table_is_not_encoded() {
        let zeros = [0.0; 128];
        assert!(StaticTable::encode(&["a", "b"], 64, &zeros).is_ok());
        assert!(StaticTable::encode(&["b", "a"], 64, &zeros).is_err());
        assert!(StaticTable::encode(&["a\nb", "c"], 64, &zeros).is_err());
        assert!(StaticTable::encode(&["a"], 64, &zeros).is_err());
        assert!(StaticTable::encode(&[], 64, &[]).is_err());
        let mut values = zeros;
        values[64] = f32::NAN;
        assert_eq!(StaticTable::encode(&["a", "b"], 64, &values), Err(TableError::Scale { row: 1 }));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_table_or_an_error(start in 0..192_usize, damage in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut bytes = table();
            let end = (start + damage.len()).min(bytes.len());
            bytes.splice(start..end, damage);
            if let Ok(table) = StaticTable::parse(bytes) {
                prop_assert_eq!(table.pieces().count(), table.rows_total());
                prop_assert_eq!(table.row(table.rows_total() - 1).1.len(), table.dims());
            }
        }
    }
}
