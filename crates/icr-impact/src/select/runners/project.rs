//! The manifests of a view, by directory.

use std::collections::{BTreeMap, BTreeSet};

use super::{ProjectManifest, TestFile};

/// The manifests of a view, by directory, and what its tests need.
pub(super) struct Project<'a> {
    directories: BTreeMap<&'a str, BTreeMap<&'a str, &'a str>>,
    /// By path, for the tests that need any.
    features: BTreeMap<&'a str, &'a BTreeSet<String>>,
}

/// A manifest found by its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundManifest<'a> {
    /// Directory that was looked in; empty for the root.
    pub(super) directory: &'a str,
    /// Name relative to it.
    pub(super) name: &'a str,
    /// Content.
    pub(super) text: &'a str,
}

impl<'a> Project<'a> {
    /// The `manifests` whose paths are UTF-8. If several have the same path, which does not happen in a view, the one
    /// with the smallest text counts.
    pub(super) fn of(manifests: &'a [ProjectManifest]) -> Self {
        let mut directories: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
        for manifest in manifests {
            let Some(path) = manifest.path.as_str() else { continue };
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            let text = directories.entry(directory).or_default().entry(name).or_insert(&manifest.text);
            *text = (*text).min(&manifest.text);
        }
        Self { directories, features: BTreeMap::new() }
    }

    /// The same with the features that `tests` need.
    pub(super) fn with_tests(mut self, tests: impl Iterator<Item = &'a TestFile>) -> Self {
        let needy = tests.filter(|test| !test.features.is_empty());
        self.features = needy.filter_map(|test| Some((test.path.as_str()?, &test.features))).collect();
        self
    }

    /// The features that the test at `path` needs.
    pub(super) fn features(&self, path: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let features: Option<&'a BTreeSet<String>> = self.features.get(path).copied();
        features.into_iter().flatten().map(String::as_str)
    }

    /// The manifest of one of `names` (in this order, `*.` and an extension for any) in exactly that directory.
    pub(super) fn find(&self, directory: &'a str, names: &[&str]) -> Option<FoundManifest<'a>> {
        names.iter().find_map(|name| {
            // A name with a directory of its own: `.config/nextest.toml`.
            if let Some((below, last)) = name.rsplit_once('/') {
                let path = join(directory, below);
                let (name, text) = self.directories.get(path.as_str())?.get_key_value(last)?;
                return Some(FoundManifest { directory, name, text });
            }
            let files = self.directories.get(directory)?;
            let (name, text) = match name.strip_prefix('*') {
                Some(ending) => files.iter().find(|(file, _)| file.ends_with(ending))?,
                None => files.get_key_value(*name)?,
            };
            Some(FoundManifest { directory, name, text })
        })
    }

    /// Manifests of `names` in the directories from that of `path` outwards, the nearest first, one for each directory.
    pub(super) fn above<'s>(
        &'s self,
        path: &'a str,
        names: &'s [&'s str],
    ) -> impl Iterator<Item = FoundManifest<'a>> + 's {
        outwards(directory_of(path)).filter_map(|directory| self.find(directory, names))
    }

    /// The first of [`Project::above`].
    pub(super) fn nearest(&self, path: &'a str, names: &[&str]) -> Option<FoundManifest<'a>> {
        outwards(directory_of(path)).find_map(|directory| self.find(directory, names))
    }

    /// Every file of `names` from the directory of `path` outwards, the nearest first.
    pub(super) fn all_above<'s>(
        &'s self,
        path: &'a str,
        names: &'s [&'s str],
    ) -> impl Iterator<Item = FoundManifest<'a>> + 's {
        outwards(directory_of(path))
            .flat_map(move |directory| names.iter().filter_map(move |name| self.find(directory, &[name])))
    }
}

/// Directory of a path; empty for the root.
pub(super) fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// `path` relative to `directory`, which holds it.
pub(super) fn relative<'a>(directory: &str, path: &'a str) -> &'a str {
    match directory {
        "" => path,
        _ => path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path),
    }
}

/// A path below a directory.
pub(super) fn join(directory: &str, path: &str) -> String {
    if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") }
}

/// Number of components of a directory.
pub(super) fn depth(directory: &str) -> usize {
    directory.split('/').filter(|part| !part.is_empty()).count()
}

/// The name of a file without directory and ending.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// Whether a word is an identifier of the usual kind, so that it means itself in patterns and filters.
pub(super) fn is_identifier(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn outwards(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |directory| (!directory.is_empty()).then(|| directory_of(directory)))
}
