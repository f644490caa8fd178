//! Checks that a model gives the expected vectors, once for each runtime.

use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::card::{Card, json};
use crate::Error;

/// Name of the file that records a passed check: with which runtime, and how well the vectors agreed.
const CHECKED_FILE: &str = "checked.json";

/// Texts whose vectors are compared: prose, code, a question, another script, one word, and several lines. Together
/// they cover every path through the tokeniser and several lengths. Written for this purpose.
pub(crate) const TEXTS: &[&str] = &[
    "That is a happy person",
    "That is a very happy person",
    "Today is a sunny day",
    "retry",
    "how does the cache decide which entries to evict?",
    "fn read_header(reader: &mut impl Read) -> Result<Header, Error> {",
    "def parse_config(path: str) -> dict:\n    \"\"\"Reads a configuration file and checks every key.\"\"\"\n",
    "SELECT name, COUNT(*) FROM commits WHERE author = ? GROUP BY name ORDER BY 2 DESC",
    "Größe der Übertragung in Bytes, höchstens 4096",
    "公平锁的实现与普通锁不同",
    "for (const [key, value] of Object.entries(headers)) { response.setHeader(key.toLowerCase(), value); }",
    "The writer appends to the log first and publishes the new root last, so that a reader never sees half of a change, \
     and a crash in between loses at most what was not yet published. Readers hold the root they began with.",
];

/// Expected vectors of some texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reference {
    /// The least cosine that counts as agreement.
    pub(crate) least_cosine: f32,
    pub(crate) texts: Vec<ReferenceText>,
}

/// A text and its expected vector, computed from the weights in plain 32-bit arithmetic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReferenceText {
    pub(crate) text: String,
    pub(crate) vector: Vec<f32>,
}

/// How well a model agreed with its reference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agreement {
    /// Lowest cosine between a vector and the expected one.
    pub(crate) lowest_cosine: f32,
    pub(crate) mean_cosine: f32,
}

impl Reference {
    /// Reads a reference file for vectors of `dims`.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if it is missing or invalid.
    pub(crate) fn read(path: &Path, dims: usize) -> Result<Self, Error> {
        let wrong = |reason: String| Error::model(path, reason);
        let text = std::fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let reference: Self = serde_json::from_slice(&text)
            .map_err(|error| wrong(format!("holds no reference vectors: {error}; import the model again")))?;
        if let Some(text) = reference.texts.iter().find(|text| text.vector.len() != dims) {
            let found = text.vector.len();
            return Err(wrong(format!("a vector has {found} numbers, should have {dims}; import the model again")));
        }
        match reference.texts.is_empty() {
            true => Err(wrong("holds no reference vectors; import the model again".to_owned())),
            false => Ok(reference),
        }
    }

    /// The reference as JSON text.
    pub(crate) fn to_json(&self) -> String {
        json(self)
    }

    /// Compares the vectors that `embed` gives with the expected ones.
    ///
    /// # Errors
    ///
    /// That of `embed`; [`Error::Answer`] with the numbers when a cosine is less than [`Reference::least_cosine`].
    pub(crate) fn compare(
        &self,
        name: &str,
        mut embed: impl FnMut(&str) -> Result<Vec<f32>, Error>,
    ) -> Result<Agreement, Error> {
        let mut lowest = (f32::INFINITY, "");
        let mut sum = 0.0;
        for ReferenceText { text, vector } in &self.texts {
            let cosine = embed(text)?.iter().zip(vector).map(|(found, right)| found * right).sum::<f32>();
            sum += cosine;
            // NaN counts as the worst cosine.
            if cosine.is_nan() || cosine < lowest.0 {
                lowest = (cosine, text);
            }
        }
        let (lowest_cosine, text) = lowest;
        if lowest_cosine.is_nan() || lowest_cosine < self.least_cosine {
            let least = self.least_cosine;
            let reason = format!(
                "gives a vector for `{text}` whose cosine with that of its weights is {lowest_cosine:.4}; \
                 it should be at least {least}"
            );
            return Err(Error::Answer { name: name.to_owned(), reason });
        }
        Ok(Agreement { lowest_cosine, mean_cosine: sum / self.texts.len() as f32 })
    }
}

/// Record of a passed check. With another runtime, or with files changed since, the check is made again.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct ModelCheckRecord {
    runtime: String,
    /// For each file: name, length in bytes, time of the last change in nanoseconds since 1970.
    files: Vec<(String, u64, u64)>,
    agreement: Option<Agreement>,
}

/// Whether the present files of `directory` were checked with this runtime. The inner value is the agreement; `None` if
/// there was no reference.
pub(crate) fn was_checked(directory: &Path, card: &Card, runtime: &str) -> Option<Option<Agreement>> {
    let text = std::fs::read(directory.join(CHECKED_FILE)).ok()?;
    let checked: ModelCheckRecord = serde_json::from_slice(&text).ok()?;
    let is_current = checked.runtime == runtime && Some(&checked.files) == state_of(directory, card).as_ref();
    is_current.then_some(checked.agreement)
}

/// Records that the files were checked. In a read-only directory this fails, and every start checks again, which takes
/// a tenth of a second.
pub(crate) fn keep_checked(directory: &Path, card: &Card, runtime: &str, agreement: Option<Agreement>) {
    let Some(files) = state_of(directory, card) else { return };
    let checked = ModelCheckRecord { runtime: runtime.to_owned(), files, agreement };
    let write = || -> std::io::Result<()> {
        // Written through a temporary file, so that a reader never sees half of it, even if two processes write.
        let file = tempfile::NamedTempFile::new_in(directory)?;
        std::fs::write(file.path(), json(&checked))?;
        file.persist(directory.join(CHECKED_FILE))?;
        Ok(())
    };
    // A failure only costs time: the next start checks again.
    drop(write());
}

fn state_of(directory: &Path, card: &Card) -> Option<Vec<(String, u64, u64)>> {
    let state = |name: &str| {
        let metadata = std::fs::metadata(directory.join(name)).ok()?;
        let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((name.to_owned(), metadata.len(), u64::try_from(changed.as_nanos()).ok()?))
    };
    card.files.iter().map(|file| state(&file.name)).collect()
}
