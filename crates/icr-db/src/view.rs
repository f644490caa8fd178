//! A view as the schemes see it, with look-ups by path and name. Everything read here is recorded as a dependency.

use std::sync::Arc;

use icr_model::{RepoPath, Statements};

use crate::graph::{Db, PathInput, ViewInput, sound};
use crate::schemes::{Key, KeyScope};
use crate::statements::{Definitions, Mentions, definitions, mentions, statements};

/// Files, each once, in order of their paths.
pub(crate) type SortedPaths = Arc<[RepoPath]>;

/// A view for look-ups. Paths are relative to the root, with `/` between components and none at either end.
#[derive(Clone, Copy)]
pub(crate) struct GraphView<'db> {
    db: &'db dyn Db,
}

impl<'db> GraphView<'db> {
    pub(crate) fn new(db: &'db dyn Db) -> Self {
        Self { db }
    }

    pub(crate) fn db(self) -> &'db dyn Db {
        self.db
    }

    /// Whether there is a file at `path`.
    pub(crate) fn is_file(self, path: &str) -> bool {
        self.input(path).content(self.db).is_some()
    }

    /// Language of the file at `path`, by its path.
    pub(crate) fn language(self, path: &str) -> Option<&'static str> {
        self.input(path).content(self.db).map(|content| content.language)
    }

    /// Files directly in `directory`, which is empty for the root.
    pub(crate) fn files_in(self, directory: &str) -> SortedPaths {
        Arc::clone(self.db.directory_input(&path_of(directory)).files(self.db))
    }

    /// Files whose last components are those of `suffix`, compared without case.
    pub(crate) fn files_ending(self, suffix: &str) -> SortedPaths {
        Arc::clone(files_ending(self.db, LookupText::new(self.db, suffix)))
    }

    /// Files that declare the package, namespace or module `name`.
    pub(crate) fn providing(self, name: &str) -> SortedPaths {
        Arc::clone(providing(self.db, LookupText::new(self.db, name)))
    }

    /// Files with an import that has `key`.
    pub(crate) fn requiring(self, key: &str) -> SortedPaths {
        Arc::clone(requiring(self.db, LookupText::new(self.db, key)))
    }

    /// Files with an import that has the key, within the scope of the key.
    pub(crate) fn files_with_key(self, key: &Key) -> Vec<RepoPath> {
        let directory = match &key.within {
            KeyScope::Repository => None,
            KeyScope::Directory(directory) | KeyScope::Depth(directory, _) => Some(directory.as_str()),
            KeyScope::File(file) => Some(parent(file)),
        };
        let files = match directory {
            None | Some("") => self.requiring(&key.text),
            Some(directory) => {
                let (key, directory) =
                    (LookupText::new(self.db, key.text.as_str()), LookupText::new(self.db, directory));
                Arc::clone(requiring_below(self.db, key, directory))
            }
        };
        files.iter().filter(|file| file.as_str().is_some_and(|path| key.within.holds(path))).cloned().collect()
    }

    /// Files with a definition called `name`.
    pub(crate) fn defining(self, name: &str) -> SortedPaths {
        Arc::clone(defining(self.db, LookupText::new(self.db, name)))
    }

    /// Files that may mention `name`.
    pub(crate) fn mentioning(self, name: &str) -> SortedPaths {
        Arc::clone(mentioning(self.db, LookupText::new(self.db, name)))
    }

    /// Imports of the file at `path`, and what it declares itself to be.
    pub(crate) fn statements(self, path: &str) -> &'db Statements {
        statements(self.db, self.input(path))
    }

    /// What the file at `path` defines.
    pub(crate) fn definitions(self, path: &str) -> &'db Definitions {
        definitions(self.db, self.input(path))
    }

    /// Identifiers that the file at `path` mentions.
    pub(crate) fn mentions(self, path: &str) -> &'db Mentions {
        mentions(self.db, self.input(path))
    }

    /// Loads everything that questions need from the file at `path`. A caller that will need all of it should load it
    /// at once, because a source caches the facts of few files, and decoding them costs more than the rest.
    pub(crate) fn take(self, path: &str) {
        self.statements(path);
        self.definitions(path);
        self.mentions(path);
    }

    pub(crate) fn input(self, path: &str) -> PathInput {
        self.db.input_at(path.as_bytes())
    }

    /// The path of a file that was found by its path or by a name in it; empty when the path is not UTF-8, and for the
    /// root.
    pub(crate) fn path(self, file: PathInput) -> &'db str {
        file.path(self.db).as_str().unwrap_or_default()
    }

    /// Sorts files by path and removes duplicates.
    pub(crate) fn in_order(self, files: &mut Vec<PathInput>) {
        files.sort_by(|a, b| a.path(self.db).cmp(b.path(self.db)));
        files.dedup();
    }

    /// Directories from the one that holds `path` up to the root, which is empty.
    pub(crate) fn directories_above(path: &str) -> impl Iterator<Item = &str> {
        std::iter::successors(Some(parent(path)), |directory| (!directory.is_empty()).then(|| parent(directory)))
    }

    /// The nearest file called `name` in the directory of `path` or above.
    pub(crate) fn nearest(self, path: &str, name: &str) -> Option<String> {
        Self::directories_above(path).map(|directory| join(directory, name)).find(|path| self.is_file(path))
    }
}

/// The directory of `path`; empty for the root's files and for the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..end])
}

/// The last component of `path`.
pub(crate) fn file_name(path: &str) -> &str {
    path.rfind('/').map_or(path, |end| &path[end + 1..])
}

/// `path` without the extension of its last component.
pub(crate) fn stem(path: &str) -> &str {
    let name = file_name(path);
    match name.rfind('.') {
        Some(dot) if dot > 0 => &path[..path.len() - name.len() + dot],
        _ => path,
    }
}

/// `relative` resolved from `directory`, without `.` and `..`; `None` when it leaves the repository. A leading `/` is
/// ignored, because no path outside is meant.
pub(crate) fn normalised(directory: &str, relative: &str) -> Option<String> {
    let mut components: Vec<&str> = Vec::new();
    for component in directory.split('/').chain(relative.split('/')) {
        match component {
            "" | "." => {}
            ".." => drop(components.pop()?),
            name => components.push(name),
        }
    }
    Some(components.join("/"))
}

/// `name` inside `directory`, which is empty for the root.
pub(crate) fn join(directory: &str, name: &str) -> String {
    match (directory.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (false, true) => directory.to_owned(),
        (false, false) => [directory, "/", name].concat(),
    }
}

/// The path with this text.
pub(crate) fn path_of(text: &str) -> RepoPath {
    RepoPath::new(text.as_bytes())
}

/// A text used as a key of look-ups.
#[salsa::interned(debug)]
pub(crate) struct LookupText<'db> {
    #[returns(deref)]
    pub(crate) text: String,
}

#[salsa::tracked(returns(ref))]
fn files_ending<'db>(db: &'db dyn Db, suffix: LookupText<'db>) -> SortedPaths {
    ViewInput::get(db).paths_revision(db);
    sound(db, db.source().files_ending(suffix.text(db))).into()
}

#[salsa::tracked(returns(ref))]
fn providing<'db>(db: &'db dyn Db, name: LookupText<'db>) -> SortedPaths {
    ViewInput::get(db).contents_revision(db);
    sound(db, db.source().providing(name.text(db))).into()
}

#[salsa::tracked(returns(ref))]
fn requiring<'db>(db: &'db dyn Db, name: LookupText<'db>) -> SortedPaths {
    ViewInput::get(db).contents_revision(db);
    sound(db, db.source().requiring(name.text(db))).into()
}

#[salsa::tracked(returns(ref))]
fn requiring_below<'db>(db: &'db dyn Db, key: LookupText<'db>, directory: LookupText<'db>) -> SortedPaths {
    ViewInput::get(db).contents_revision(db);
    sound(db, db.source().requiring_below(key.text(db), &path_of(directory.text(db)))).into()
}

#[salsa::tracked(returns(ref))]
fn defining<'db>(db: &'db dyn Db, name: LookupText<'db>) -> SortedPaths {
    ViewInput::get(db).contents_revision(db);
    sound(db, db.source().defining(name.text(db))).into()
}

#[salsa::tracked(returns(ref))]
fn mentioning<'db>(db: &'db dyn Db, name: LookupText<'db>) -> SortedPaths {
    ViewInput::get(db).contents_revision(db);
    sound(db, db.source().mentioning(name.text(db))).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_are_made_plain_and_stay_inside() {
        for (directory, relative, expected) in [
            ("a/b", "./c", Some("a/b/c")),
            ("a/b", "../c.js", Some("a/c.js")),
            ("a", "..", Some("")),
            ("", "x//y/", Some("x/y")),
            ("a", "../../b", None),
            ("a/b", "", Some("a/b")),
        ] {
            assert_eq!(normalised(directory, relative).as_deref(), expected, "{directory} {relative}");
        }
    }

    #[test]
    fn a_stem_keeps_directories_and_hidden_names() {
        for (path, expected) in [("a/b.d.ts", "a/b.d"), ("a.b/c", "a.b/c"), (".env", ".env"), ("x", "x")] {
            assert_eq!(stem(path), expected);
        }
    }

    #[test]
    fn directories_above_end_at_the_root() {
        assert_eq!(GraphView::directories_above("a/b/c.rs").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(GraphView::directories_above("c.rs").collect::<Vec<_>>(), [""]);
    }
}
