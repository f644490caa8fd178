//! Numbers files, so that one number follows a file over its renames.

use icr_model::{FileChange, PathNo};
use rustc_hash::FxHashMap;

/// A file under all the names it had: numbered from 0 in the order in which a [`FileNumbers`] meets them.
pub type FileNo = u32;

/// Follows files over renames, from the newest commit back.
///
/// If a rename gave a file its name, older commits may use that name for another file. A file that was deleted and
/// created again stays one file, because git does not tell more.
#[derive(Debug, Default)]
pub struct FileNumbers {
    /// The file that each path names in the current commit.
    meaning: FxHashMap<PathNo, FileNo>,
    files_total: FileNo,
}

/// A file that gets the next number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewFile {
    /// One whose newest name this is.
    Named(PathNo),
    /// A placeholder for an older file, if any, that had the path which a rename later gave to this file. It has no
    /// newest path of its own.
    Displaced(FileNo),
}

impl FileNumbers {
    /// Appends the files that a commit changed to `files`, in the order of its changes, and moves on to the older
    /// commits. Call it with the newest commit first. `add` is called for each new file, in the order of the numbers.
    pub fn add_commit(&mut self, changes: &[FileChange], files: &mut Vec<FileNo>, mut add: impl FnMut(NewFile)) {
        let first = files.len();
        for change in changes {
            let file = *self.meaning.entry(change.path).or_insert_with(|| {
                add(NewFile::Named(change.path));
                self.files_total += 1;
                self.files_total - 1
            });
            files.push(file);
        }
        let renames = || changes.iter().zip(&files[first..]).filter(|(change, _)| change.old_path.is_some());
        for (change, file) in renames() {
            add(NewFile::Displaced(*file));
            self.meaning.insert(change.path, self.files_total);
            self.files_total += 1;
        }
        for (change, file) in renames() {
            self.meaning.extend(change.old_path.map(|old_path| (old_path, *file)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{commits, letter};

    /// Files of each commit, newest first, as the number and, where it is new, its name.
    #[track_caller]
    fn check(history: &[&str], expected: &[&str]) {
        let mut numbers = FileNumbers::default();
        let shown = commits(history, 0..).into_iter().map(|commit| {
            let (mut files, mut added) = (Vec::new(), String::new());
            numbers.add_commit(&commit.changes, &mut files, |file| match file {
                NewFile::Named(path) => added.push(letter(path)),
                NewFile::Displaced(_) => added.push('-'),
            });
            let files: Vec<String> = files.iter().map(FileNo::to_string).collect();
            format!("{} +{added}", files.join(" "))
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_file_keeps_its_number_under_all_its_names() {
        check(&["a b", "b", "b<o", "o a"], &["0 1 +ab", "1 +", "1 +-", "1 0 +"]);
        check(&["c<b", "b<a", "a"], &["0 +c-", "0 +-", "0 +"]);
    }

    #[test]
    fn a_name_that_was_taken_over_meant_another_file() {
        check(&["b<a", "b", "a"], &["0 +b-", "1 +", "0 +"]);
        // Two files swap their names.
        check(&["a<b b<a", "a b"], &["0 1 +ab--", "1 0 +"]);
    }
}
