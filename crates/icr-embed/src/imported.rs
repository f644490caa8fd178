//! Which models were imported.

use std::path::{Path, PathBuf};

use crate::onnx::card::{CARD_FILE, Card};
use crate::{Descriptor, Error};

/// A model that [`crate::import_model`] wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedModel {
    /// Where it is.
    pub directory: PathBuf,
    /// What shapes its vectors.
    pub descriptor: Descriptor,
    /// How the weights are written: `int8`, `fp32`, `as given`.
    pub precision: String,
    /// All files together.
    pub bytes_total: u64,
}

/// The models below `models_dir`, by name and directory; none when there is no such directory. A directory whose card
/// cannot be read is passed over: [`imported`] says what is wrong with it when it is asked for by its path.
pub fn imported_models(models_dir: &Path) -> Vec<ImportedModel> {
    let entries = std::fs::read_dir(models_dir).into_iter().flatten().flatten();
    let mut models: Vec<ImportedModel> = entries.filter_map(|entry| model_in(&entry.path()).ok()).collect();
    models.sort_by(|a, b| (&a.descriptor.name, &a.directory).cmp(&(&b.descriptor.name, &b.directory)));
    models
}

/// The directory of the model that `name` means: its name, the name of its directory below `models_dir`, or a path.
///
/// # Errors
///
/// [`Error::Model`] when there is none or several are called so, with those that there are.
pub fn imported(models_dir: &Path, name: &str) -> Result<ImportedModel, Error> {
    let path = Path::new(name);
    if path.join(CARD_FILE).is_file() {
        return model_in(path);
    }
    let models = imported_models(models_dir);
    let is_meant = |model: &&ImportedModel| {
        model.descriptor.name == name || model.directory.file_name().is_some_and(|directory| directory == name)
    };
    let meant: Vec<&ImportedModel> = models.iter().filter(is_meant).collect();
    match meant.as_slice() {
        [model] => Ok((*model).clone()),
        [] => {
            let known: Vec<String> = models.iter().map(|model| format!("`{}`", model.descriptor.name)).collect();
            let known = if known.is_empty() { "none is".to_owned() } else { format!("imported: {}", known.join(", ")) };
            let right = "`icr model import DIR` or `icr model fetch` brings one";
            Err(Error::Model {
                path: models_dir.to_owned(),
                reason: format!("no model `{name}` was imported ({known}); {right}"),
            })
        }
        several => {
            let directories: Vec<String> =
                several.iter().map(|model| format!("`{}`", model.directory.display())).collect();
            let reason =
                format!("several models are called `{name}`; name one by its directory: {}", directories.join(", "));
            Err(Error::Model { path: models_dir.to_owned(), reason })
        }
    }
}

fn model_in(directory: &Path) -> Result<ImportedModel, Error> {
    let card = Card::read(directory)?;
    Ok(ImportedModel {
        directory: directory.to_owned(),
        descriptor: card.descriptor(),
        bytes_total: card.files.iter().map(|file| file.bytes).sum(),
        precision: card.precision,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_said_with_what_would_be_right() {
        let models = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir(models.path().join("no-model")).expect("a directory");
        assert_eq!(imported_models(models.path()), []);
        assert_eq!(imported_models(&models.path().join("absent")), []);
        let error = imported(models.path(), "mini").unwrap_err().to_string();
        assert!(error.contains("no model `mini` was imported (none is)"), "{error}");
        assert!(error.contains("icr model import"), "{error}");
    }
}
