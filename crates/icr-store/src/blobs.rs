//! Blobs that are complete: their rows and their facts.

use icr_model::{BlobId, BlobNo, ChunkNo, ContentKind, Facts, FieldCounts};
use rusqlite::{OptionalExtension, Row};

use crate::ledger::LedgerWrite;
use crate::{Error, Ledger, RecipeNo};

macro_rules! blob_columns {
    () => {
        "SELECT blob_no, blob_id, recipe_no, content, bytes_total, lines_total, chunk_first, chunk_count, tokens_body, \
         tokens_def, tokens_doc FROM blobs"
    };
}

/// A blob that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobRow {
    /// Number of the blob.
    pub blob_no: BlobNo,
    /// Object id of the blob.
    pub blob_id: BlobId,
    /// Recipe number that the blob was made with.
    pub recipe_no: RecipeNo,
    /// Whether the blob is text.
    pub content: ContentKind,
    /// Size in bytes.
    pub bytes_total: u64,
    /// Number of lines; 0 if the blob is no text.
    pub lines_total: u32,
    /// Number of its first chunk.
    pub chunk_first: ChunkNo,
    /// Number of its chunks; their numbers are consecutive.
    pub chunk_count: u32,
    /// Number of tokens in its chunks.
    pub tokens: FieldCounts,
}

/// A blob to be listed as complete, with its facts.
#[derive(Debug)]
pub struct CompleteBlob<'a> {
    /// The row.
    pub row: BlobRow,
    /// Encoded facts.
    pub facts: &'a [u8],
}

impl Ledger {
    /// The row of a blob that was made with a recipe; `None` if it is not complete.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn blob(&self, blob_id: &BlobId, recipe_no: RecipeNo) -> Result<Option<BlobRow>, Error> {
        let mut statement = self.prepare(concat!(blob_columns!(), " WHERE blob_id = ?1 AND recipe_no = ?2"))?;
        statement
            .query_row((blob_id.as_bytes(), recipe_no.0), blob_row)
            .optional()
            .map_err(self.failed("looking up a blob"))
    }

    /// The row of a blob number; `None` if it is not listed.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn blob_row(&self, blob_no: BlobNo) -> Result<Option<BlobRow>, Error> {
        let mut statement = self.prepare(concat!(blob_columns!(), " WHERE blob_no = ?1"))?;
        statement.query_row([blob_no.0], blob_row).optional().map_err(self.failed("reading a blob row"))
    }

    /// The row of the blob that contains a chunk; `None` if no listed blob does.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn blob_of_chunk(&self, chunk_no: ChunkNo) -> Result<Option<BlobRow>, Error> {
        let mut statement = self.prepare(concat!(
            blob_columns!(),
            " WHERE chunk_first <= ?1 AND chunk_count > 0 ORDER BY chunk_first DESC LIMIT 1"
        ))?;
        let row = statement.query_row([chunk_no.0], blob_row).optional();
        let row = row.map_err(self.failed("looking up the blob of a chunk"))?;
        Ok(row.filter(|row: &BlobRow| chunk_no.0 - row.chunk_first.0 < row.chunk_count))
    }

    /// Calls `sink` with every row, in order of the number.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn blob_rows(&self, mut sink: impl FnMut(BlobRow)) -> Result<(), Error> {
        let mut statement = self.prepare(concat!(blob_columns!(), " ORDER BY blob_no"))?;
        let rows = statement.query_map([], blob_row);
        rows.and_then(|mut rows| rows.try_for_each(|row| row.map(&mut sink)))
            .map_err(self.failed("reading the blob rows"))
    }

    /// The facts of a blob; `None` if it is not listed.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] also when the bytes do not decode.
    pub fn facts(&self, blob_no: BlobNo) -> Result<Option<Facts>, Error> {
        let bytes = self.encoded_facts(blob_no)?;
        bytes.map(|bytes| Facts::decode(&bytes).map_err(|error| self.damage_error(error))).transpose()
    }

    /// The encoded facts of a blob, for [`icr_model::Facts::decode`]; `None` if the blob is not listed. Decoding them
    /// elsewhere keeps the ledger in use only while it is read.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn encoded_facts(&self, blob_no: BlobNo) -> Result<Option<Vec<u8>>, Error> {
        let mut statement = self.prepare("SELECT bytes FROM facts WHERE blob_no = ?1")?;
        statement.query_row([blob_no.0], |row| row.get(0)).optional().map_err(self.failed("reading facts"))
    }
}

impl LedgerWrite<'_> {
    /// Lists a blob as complete. A row with the same blob and recipe is replaced, since it lists the same content.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn complete(&self, blob: &CompleteBlob<'_>) -> Result<(), Error> {
        let row = &blob.row;
        let content = match row.content {
            ContentKind::Text => 0,
            ContentKind::Binary => 1,
            ContentKind::Oversize => 2,
        };
        let sql = "INSERT OR REPLACE INTO blobs (blob_no, blob_id, recipe_no, content, bytes_total, lines_total,
                   chunk_first, chunk_count, tokens_body, tokens_def, tokens_doc)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        self.execute(
            sql,
            (
                row.blob_no.0,
                row.blob_id.as_bytes(),
                row.recipe_no.0,
                content,
                row.bytes_total,
                row.lines_total,
                row.chunk_first.0,
                row.chunk_count,
                row.tokens.body,
                row.tokens.definitions,
                row.tokens.comments,
            ),
        )?;
        self.execute("INSERT OR REPLACE INTO facts (blob_no, bytes) VALUES (?1, ?2)", (row.blob_no.0, blob.facts))
    }
}

fn blob_row(row: &Row<'_>) -> rusqlite::Result<BlobRow> {
    let id: Vec<u8> = row.get(1)?;
    let blob_id = BlobId::from_bytes(&id).ok_or(rusqlite::Error::IntegralValueOutOfRange(1, id.len() as i64))?;
    Ok(BlobRow {
        blob_no: BlobNo(row.get(0)?),
        blob_id,
        recipe_no: RecipeNo(row.get(2)?),
        content: match row.get::<_, i64>(3)? {
            0 => ContentKind::Text,
            1 => ContentKind::Binary,
            _ => ContentKind::Oversize,
        },
        bytes_total: row.get(4)?,
        lines_total: row.get(5)?,
        chunk_first: ChunkNo(row.get(6)?),
        chunk_count: row.get(7)?,
        tokens: FieldCounts { body: row.get(8)?, definitions: row.get(9)?, comments: row.get(10)? },
    })
}

#[cfg(test)]
mod tests {
    use icr_model::Recipe;

    use super::*;
    use crate::testing::store;
    use crate::{Access, Numbers, Recipes};

    fn recipes() -> Recipes {
        Recipes { language: "rust".to_owned(), facts: Recipe(1), postings: Recipe(2) }
    }

    fn blob_id(text: char) -> BlobId {
        text.to_string().repeat(40).parse().unwrap()
    }

    fn row(blob_no: u32, recipe_no: RecipeNo) -> BlobRow {
        BlobRow {
            blob_no: BlobNo(blob_no),
            blob_id: blob_id('a'),
            recipe_no,
            content: ContentKind::Text,
            bytes_total: 12,
            lines_total: 2,
            chunk_first: ChunkNo(5),
            chunk_count: 3,
            tokens: FieldCounts { body: 7, definitions: 1, comments: 0 },
        }
    }

    #[test]
    fn a_listed_blob_is_found_by_id_and_recipe_and_by_number() {
        let (_home, place) = store();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let facts = Facts { language: "rust".to_owned(), ..Facts::default() };
        let recipe_no = ledger
            .write(|write| {
                let recipe_no = write.recipe(&recipes())?;
                write.complete(&CompleteBlob { row: row(4, recipe_no), facts: &facts.encode() })?;
                Ok(recipe_no)
            })
            .unwrap();
        let reader = Ledger::open(&place, Access::Read).unwrap();
        assert_eq!(reader.recipe_no(&recipes()).unwrap(), Some(recipe_no));
        assert_eq!(reader.blob(&blob_id('a'), recipe_no).unwrap(), Some(row(4, recipe_no)));
        assert_eq!(reader.blob(&blob_id('b'), recipe_no).unwrap(), None);
        assert_eq!(reader.blob_row(BlobNo(4)).unwrap(), Some(row(4, recipe_no)));
        assert_eq!(reader.facts(BlobNo(4)).unwrap(), Some(facts));
        assert_eq!(reader.listed_numbers().unwrap(), Numbers { blob: 5, chunk: 8, path: 0 });
    }

    #[test]
    fn facts_that_do_not_decode_are_damage() {
        let (_home, place) = store();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let blob = CompleteBlob { row: row(4, RecipeNo(1)), facts: b"\xff\xff\xff\xffrest" };
        ledger.write(|write| write.complete(&blob)).unwrap();
        assert!(matches!(ledger.facts(BlobNo(4)), Err(Error::Damaged { .. })));
    }
}
