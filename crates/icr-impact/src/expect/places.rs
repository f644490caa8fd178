//! Names and directories of a view: which files belong together by how they are called and where they lie.

use std::collections::HashMap;

use icr_model::RepoPath;

/// The files of a view, by the words of their names and by directory.
#[derive(Debug, Clone, Default)]
pub struct Places {
    files: Vec<RepoPath>,
    by_directory: HashMap<RepoPath, Vec<u32>>,
    by_word: HashMap<String, Vec<u32>>,
}

impl Places {
    /// Reads the files of a view, in any order, none twice. Cost: linear in the bytes of the paths.
    pub fn new<'a>(files: impl IntoIterator<Item = &'a RepoPath>) -> Self {
        let mut places = Self::default();
        let mut files: Vec<&RepoPath> = files.into_iter().collect();
        files.sort_unstable();
        for file in files {
            let number = places.files.len() as u32;
            places.by_directory.entry(file.directory()).or_default().push(number);
            for word in words(file) {
                places.by_word.entry(word).or_default().push(number);
            }
            places.files.push(file.clone());
        }
        places
    }

    /// Files that belong to one of `files` by name or place, the nearest first; at most `limit`.
    pub fn neighbours(&self, files: &[&RepoPath], limit: usize) -> Vec<RepoPath> {
        let mut found: Vec<u32> = Vec::new();
        for file in files {
            for word in words(file) {
                found.extend(self.by_word.get(&word).into_iter().flatten().take(limit));
            }
            found.extend(self.by_directory.get(&file.directory()).into_iter().flatten().take(limit));
        }
        found.sort_unstable();
        found.dedup();
        let found = found.into_iter().map(|number| &self.files[number as usize]);
        found.filter(|found| !files.contains(found)).take(limit).cloned().collect()
    }
}

/// The words of a file's name without its extension, in lower case, none twice.
pub(super) fn words(path: &RepoPath) -> Vec<String> {
    let name = String::from_utf8_lossy(path.file_name()).into_owned();
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    let mut words: Vec<String> = stem
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}
