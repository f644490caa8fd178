//! Finds an imported model by name.

use std::path::Path;

use crate::{Error, ImportedModel, imported_models};

/// The directory of the model that `name` means: its name, the name of its directory below `models_dir`, or a path.
///
/// # Errors
///
/// [`Error::Model`] if no model has that name or several have it. It lists the models that there are.
pub fn find_imported_model(models_dir: &Path, name: &str) -> Result<ImportedModel, Error> {
    let models: Vec<ImportedModel> = imported_models(models_dir)?.into_iter().flatten().collect();
    let is_meant = |model: &&ImportedModel| {
        model.descriptor.name == name
            || model.directory.file_name().is_some_and(|directory| directory == name)
            || model.directory == Path::new(name)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_said_with_what_would_be_right() {
        let models = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir(models.path().join("no-model")).expect("a directory");
        let error = find_imported_model(models.path(), "mini").unwrap_err().to_string();
        assert!(error.contains("no model `mini` was imported (none is)"), "{error}");
        assert!(error.contains("icr model import"), "{error}");
    }
}
