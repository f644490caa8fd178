//! Manifests of the view, for whoever reads commands from them.

use crate::{Error, Snapshot};

/// Manifests further down belong to parts that the outer ones speak for, or to fixtures.
const DEEPEST: usize = 3;

/// Most manifests read; a monorepo's first ones say how it is built.
const MOST: usize = 200;

/// A file of the view by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestFile {
    /// Path relative to the root.
    pub path: String,
    /// Its content.
    pub content: Vec<u8>,
}

impl Snapshot {
    /// Files that have one of `names` (`name`, `directory/name`, `*.extension`) in the root or a few directories below,
    /// outer ones first, then in order of their paths.
    ///
    /// # Errors
    ///
    /// Those of reading the store and the contents.
    pub fn manifests(&self, names: &[&str]) -> Result<Vec<ManifestFile>, Error> {
        let depth = |path: &str| path.matches('/').count();
        let mut named: Vec<_> = Vec::new();
        for file in self.files()? {
            let path = file.path.as_str().filter(|path| depth(path) <= DEEPEST && is_named(path, names));
            if let Some(path) = path.map(str::to_owned) {
                named.push((depth(&path), path, file));
            }
        }
        named.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let mut texts = self.texts();
        let mut found = Vec::new();
        for (_, path, file) in named.into_iter().take(MOST) {
            let mut content = Vec::new();
            texts.read(&file.row, &mut content)?;
            found.push(ManifestFile { path, content });
        }
        Ok(found)
    }
}

fn is_named(path: &str, names: &[&str]) -> bool {
    names.iter().any(|name| match name.strip_prefix('*') {
        Some(end) => path.ends_with(end),
        None => path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/')),
    })
}
