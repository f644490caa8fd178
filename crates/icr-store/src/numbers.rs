//! Numbers of blobs, chunks and paths: reserved once, never given out again.

use icr_model::{BlobNo, ChunkNo, PathNo};
use rusqlite::OptionalExtension;

use crate::{Error, Ledger};

/// The next free numbers, in the ledger or in another store that hands out numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Next blob number.
    pub blob: u32,
    /// Next chunk number.
    pub chunk: u32,
    /// Next path number.
    pub path: u32,
}

impl Numbers {
    /// The maximum of both, for each kind.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { blob: self.blob.max(other.blob), chunk: self.chunk.max(other.chunk), path: self.path.max(other.path) }
    }
}

/// Numbers from [`Ledger::reserve`]: for each kind the first one; as many as requested follow from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservedNumbers {
    /// First blob number.
    pub blob: BlobNo,
    /// First chunk number.
    pub chunk: ChunkNo,
    /// First path number.
    pub path: PathNo,
}

impl Ledger {
    /// Reserves numbers. A number is never reserved twice, even after a crash: the new marks are on disk before this
    /// returns. `floor` holds the marks of the postings, which may be newer than a ledger that was restored from a
    /// copy.
    ///
    /// # Errors
    ///
    /// [`Error::NumbersExhausted`] past 2^31 numbers of a kind.
    pub fn reserve(&mut self, wanted: Numbers, floor: Numbers) -> Result<ReservedNumbers, Error> {
        let mut first = [0; 3];
        let rows = [
            ("next_blob", wanted.blob, floor.blob),
            ("next_chunk", wanted.chunk, floor.chunk),
            ("next_path", wanted.path, floor.path),
        ];
        self.write(|write| {
            for (at, (name, count, floor)) in rows.into_iter().enumerate() {
                let next = write.number(name)?.max(floor);
                let end = next.checked_add(count).filter(|end| *end <= BlobNo::FIRST_IN_MEMORY);
                write.set_number(name, end.ok_or(Error::NumbersExhausted)?)?;
                first[at] = next;
            }
            Ok(())
        })?;
        Ok(ReservedNumbers { blob: BlobNo(first[0]), chunk: ChunkNo(first[1]), path: PathNo(first[2]) })
    }

    /// The marks below which all numbers are reserved.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn numbers(&self) -> Result<Numbers, Error> {
        Ok(Numbers {
            blob: self.number("next_blob")?,
            chunk: self.number("next_chunk")?,
            path: self.number("next_path")?,
        })
    }

    /// One past the greatest number listed, for each kind. Postings must have been committed up to those of chunks and
    /// paths; a blob without chunks has no postings.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn listed_numbers(&self) -> Result<Numbers, Error> {
        let next = |sql: &str| {
            self.connection
                .query_row(sql, [], |row| row.get::<_, Option<u32>>(0))
                .optional()
                .map(|number| number.flatten().unwrap_or_default())
                .map_err(self.failed("reading the greatest numbers"))
        };
        Ok(Numbers {
            blob: next("SELECT max(blob_no) + 1 FROM blobs")?,
            chunk: next(
                "SELECT chunk_first + chunk_count FROM blobs WHERE chunk_count > 0 ORDER BY chunk_first DESC LIMIT 1",
            )?,
            path: next("SELECT max(path_no) + 1 FROM paths")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;
    use crate::testing::store;

    #[test]
    fn numbers_are_never_given_out_twice() {
        let (_home, place) = store();
        let wanted = Numbers { blob: 2, chunk: 10, path: 1 };
        let first = Ledger::open(&place, Access::Write).unwrap().reserve(wanted, Numbers::default()).unwrap();
        assert_eq!((first.blob, first.chunk, first.path), (BlobNo(0), ChunkNo(0), PathNo(0)));
        let floor = Numbers { blob: 1, chunk: 500, path: 0 };
        let second = Ledger::open(&place, Access::Write).unwrap().reserve(wanted, floor).unwrap();
        assert_eq!((second.blob, second.chunk, second.path), (BlobNo(2), ChunkNo(500), PathNo(1)));
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let too_many = Numbers { chunk: u32::MAX - 600, ..Numbers::default() };
        assert!(matches!(ledger.reserve(too_many, Numbers::default()), Err(Error::NumbersExhausted)));
        assert_eq!(
            ledger.numbers().unwrap(),
            Numbers { blob: 4, chunk: 510, path: 2 },
            "a refused reservation takes none"
        );
    }
}
