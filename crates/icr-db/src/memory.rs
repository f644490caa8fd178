//! A view in memory, for tests and for inspecting what the imports of a folder name.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use icr_model::{Facts, RepoPath, import_keys};

use crate::source::{SourceError, ViewBlob, ViewSource};

/// A file of a [`MemorySource`].
#[derive(Debug, Clone)]
pub struct MemoryFile {
    /// Identifies its bytes: equal contents have equal bytes and facts.
    pub content: ViewBlob,
    /// Its bytes.
    pub text: Arc<[u8]>,
    /// Facts of the bytes.
    pub facts: Arc<Facts>,
}

/// Files, and tables for each look-up by name.
#[derive(Debug, Default)]
pub struct MemorySource {
    files: BTreeMap<RepoPath, MemoryFile>,
    contents: HashMap<ViewBlob, RepoPath>,
    directories: HashMap<RepoPath, Vec<RepoPath>>,
    /// By last component, in lower case.
    names: HashMap<String, Vec<RepoPath>>,
    provides: HashMap<String, Vec<RepoPath>>,
    requires: HashMap<String, Vec<RepoPath>>,
    defines: HashMap<String, Vec<RepoPath>>,
    mentions: HashMap<String, Vec<RepoPath>>,
}

impl MemorySource {
    /// The view of `files`.
    pub fn new(files: impl IntoIterator<Item = (RepoPath, MemoryFile)>) -> Self {
        let mut source = Self { files: files.into_iter().collect(), ..Self::default() };
        let add = |map: &mut HashMap<String, Vec<RepoPath>>, name: String, path: &RepoPath| {
            let paths = map.entry(name).or_default();
            if paths.last() != Some(path) {
                paths.push(path.clone());
            }
        };
        for (path, file) in &source.files {
            source.contents.insert(file.content, path.clone());
            source.directories.entry(path.directory()).or_default().push(path.clone());
            let name = String::from_utf8_lossy(path.file_name()).to_lowercase();
            add(&mut source.names, name, path);
            let facts = &file.facts;
            facts.provides.iter().for_each(|name| add(&mut source.provides, name.clone(), path));
            let keys = facts.imports.iter().flat_map(import_keys);
            keys.for_each(|key| add(&mut source.requires, key, path));
            for symbol in &facts.symbols {
                add(&mut source.defines, symbol.name.clone(), path);
                add(&mut source.mentions, symbol.name.clone(), path);
            }
            facts.references.iter().for_each(|group| add(&mut source.mentions, group.name.clone(), path));
        }
        source
    }

    /// All its paths, in order.
    pub fn paths(&self) -> Vec<RepoPath> {
        self.files.keys().cloned().collect()
    }

    fn file(&self, content: ViewBlob) -> Result<&MemoryFile, SourceError> {
        let path = self.contents.get(&content).ok_or("no file has this content")?;
        Ok(&self.files[path])
    }
}

fn is_below(path: &RepoPath, directory: &RepoPath) -> bool {
    let inside = path.as_bytes().strip_prefix(directory.as_bytes());
    directory.as_bytes().is_empty() || inside.is_some_and(|inside| inside.starts_with(b"/"))
}

fn lookup_paths(map: &HashMap<String, Vec<RepoPath>>, name: &str) -> Result<Vec<RepoPath>, SourceError> {
    Ok(map.get(name).cloned().unwrap_or_default())
}

impl ViewSource for MemorySource {
    fn content(&self, path: &RepoPath) -> Result<Option<ViewBlob>, SourceError> {
        Ok(self.files.get(path).map(|file| file.content))
    }

    fn facts(&self, content: ViewBlob) -> Result<Arc<Facts>, SourceError> {
        Ok(Arc::clone(&self.file(content)?.facts))
    }

    fn text(&self, content: ViewBlob) -> Result<Option<Arc<[u8]>>, SourceError> {
        Ok(Some(Arc::clone(&self.file(content)?.text)))
    }

    fn files_in(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        Ok(self.directories.get(directory).cloned().unwrap_or_default())
    }

    fn files_ending(&self, suffix: &str) -> Result<Vec<RepoPath>, SourceError> {
        let suffix = suffix.to_lowercase();
        let name = suffix.rsplit('/').next().unwrap_or_default();
        let ends = |path: &RepoPath| {
            let path = String::from_utf8_lossy(path.as_bytes()).to_lowercase();
            path.strip_suffix(&suffix).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        Ok(self.names.get(name).into_iter().flatten().filter(|path| ends(path)).cloned().collect())
    }

    fn providing(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        lookup_paths(&self.provides, name)
    }

    fn requiring(&self, key: &str) -> Result<Vec<RepoPath>, SourceError> {
        lookup_paths(&self.requires, key)
    }

    fn requiring_below(&self, key: &str, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        let files = self.requires.get(key).into_iter().flatten();
        Ok(files.filter(|path| is_below(path, directory)).cloned().collect())
    }

    fn defining(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        lookup_paths(&self.defines, name)
    }

    fn mentioning(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        lookup_paths(&self.mentions, name)
    }
}
