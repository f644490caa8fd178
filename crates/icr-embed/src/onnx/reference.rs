//! Whether a model gives the vectors that its weights should: compared once for each runtime.

use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::card::{Card, json};
use crate::Error;

/// Says that the model was checked, with what, and how well it agreed.
const CHECKED_FILE: &str = "checked.json";

/// Texts whose vectors are compared: prose, code, a question, another script, one word, and several lines, so that every
/// path through a tokeniser and a few lengths occur. Made for this purpose.
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

/// What the vectors of some texts should be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reference {
    /// The least cosine that counts as agreement.
    pub(crate) least_cosine: f32,
    pub(crate) texts: Vec<ReferenceText>,
}

/// A text and the vector that the weights give for it in plain 32-bit arithmetic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReferenceText {
    pub(crate) text: String,
    pub(crate) vector: Vec<f32>,
}

/// How well a model agreed with its reference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agreement {
    /// The least cosine between a vector and what it should be.
    pub(crate) lowest_cosine: f32,
    pub(crate) mean_cosine: f32,
}

impl Reference {
    /// Reads a reference file for vectors of `dims`.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] when it is absent or not what it should be.
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

    /// The file's text.
    pub(crate) fn to_json(&self) -> String {
        json(self)
    }

    /// Compares what `embed` gives for each text with what it should.
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
            // Not a number is the worst.
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

/// What was checked: with another runtime, or with files that were touched since, a model is checked again.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct ModelCheckRecord {
    runtime: String,
    /// Name, bytes, time of the last change in nanoseconds.
    files: Vec<(String, u64, u64)>,
    agreement: Option<Agreement>,
}

/// Whether the files of `directory`, as they are now, were checked with this runtime; how well they agreed, where there was
/// a reference to agree with.
pub(crate) fn was_checked(directory: &Path, card: &Card, runtime: &str) -> Option<Option<Agreement>> {
    let text = std::fs::read(directory.join(CHECKED_FILE)).ok()?;
    let checked: ModelCheckRecord = serde_json::from_slice(&text).ok()?;
    let is_current = checked.runtime == runtime && Some(&checked.files) == state_of(directory, card).as_ref();
    is_current.then_some(checked.agreement)
}

/// Keeps that the files were checked. In a directory that cannot be written they are checked at each start, which takes a
/// tenth of a second.
pub(crate) fn keep_checked(directory: &Path, card: &Card, runtime: &str, agreement: Option<Agreement>) {
    let Some(files) = state_of(directory, card) else { return };
    let checked = ModelCheckRecord { runtime: runtime.to_owned(), files, agreement };
    let write = || -> std::io::Result<()> {
        // Never half a file under that name, also when two processes write.
        let file = tempfile::NamedTempFile::new_in(directory)?;
        std::fs::write(file.path(), json(&checked))?;
        file.persist(directory.join(CHECKED_FILE))?;
        Ok(())
    };
    // Without it only time is lost.
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
