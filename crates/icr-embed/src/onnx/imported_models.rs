//! The models that were imported on this machine.

use std::path::{Path, PathBuf};

use super::card::{CARD_FILE, Card};
use crate::{Descriptor, Error};

/// A model that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedModel {
    /// What [`crate::OnnxEmbedder::open`] takes.
    pub directory: PathBuf,
    /// What shapes its vectors.
    pub descriptor: Descriptor,
    /// How the weights are written: `int8`, `fp32`, `as given`.
    pub precision: String,
    /// All files together.
    pub bytes_total: u64,
}

/// The models below `models_dir`, by name and then by directory; each whole or with what is wrong with it. None where there is no
/// such directory. What an import that was killed has left is not among them.
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
