//! Lists the imported models of this machine.

use std::path::{Path, PathBuf};

use super::card::{CARD_FILE, Card};
use crate::{Descriptor, Error};

/// An imported model that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedModel {
    /// Directory of the model, for [`crate::OnnxEmbedder::open`].
    pub directory: PathBuf,
    /// The properties of the model that shape its vectors.
    pub descriptor: Descriptor,
    /// Precision of the weights: `int8`, `fp32`, `as given`.
    pub precision: String,
    /// Length of all files in bytes.
    pub bytes_total: u64,
}

/// The models below `models_dir`, sorted by name and then by directory. Each is complete or has a description of what
/// is wrong with it. Empty if there is no such directory. Leftovers of an import that was killed are not listed.
///
/// # Errors
///
/// [`Error::Model`] when `models_dir` cannot be read.
pub fn imported_models(models_dir: &Path) -> Result<Vec<Result<ImportedModel, Error>>, Error> {
    let cannot = |error: std::io::Error| Error::model(models_dir, format!("cannot be read: {error}"));
    let entries = match std::fs::read_dir(models_dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(cannot(error)),
    };
    let mut directories = Vec::new();
    for entry in entries {
        let entry = entry.map_err(cannot)?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !is_hidden && entry.path().join(CARD_FILE).exists() {
            directories.push(entry.path());
        }
    }
    directories.sort();
    let mut models: Vec<_> = directories.into_iter().map(read).collect();
    models.sort_by_key(|model| model.as_ref().ok().map(|model| model.descriptor.name.clone()));
    Ok(models)
}

fn read(directory: PathBuf) -> Result<ImportedModel, Error> {
    let card = Card::read(&directory)?;
    Ok(ImportedModel {
        descriptor: card.descriptor(),
        bytes_total: card.bytes_total(),
        precision: card.precision,
        directory,
    })
}
