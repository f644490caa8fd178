//! Import keys for looking statements up, and the places where the statements must be.

use icr_model::specifier_keys;

use crate::view::{file_name, parent};

/// Finds the statements that may name a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// One of the keys that [`icr_model::import_keys`] gives to statements.
    pub(crate) text: String,
    /// Where the statements must be.
    pub(crate) within: KeyScope,
}

/// Limits the place of the importing files. Files elsewhere need not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyScope {
    /// In any directory.
    Repository,
    /// In the directory or below.
    Directory(String),
    /// Exactly this number of directories below this one.
    Depth(String, usize),
    /// The file at this path alone.
    File(String),
}

impl Key {
    /// The key for statements inside `within`.
    pub(crate) fn with_scope(text: impl Into<String>, within: KeyScope) -> Self {
        Self { text: text.into(), within }
    }
}

impl From<String> for Key {
    fn from(text: String) -> Self {
        Self { text, within: KeyScope::Repository }
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl KeyScope {
    /// Whether the file at `path` is inside.
    pub(crate) fn holds(&self, path: &str) -> bool {
        match self {
            Self::Repository => true,
            Self::Directory(directory) => below(directory, path).is_some(),
            Self::Depth(directory, depth) => {
                below(directory, path).is_some_and(|inside| inside.matches('/').count() == *depth)
            }
            Self::File(file) => file == path,
        }
    }
}

/// Keys of statements whose specifier is a path with the same end as `path`. Specifiers that are only dots and the
/// last component must be within `relative`.
///
/// None when the last component has nothing but dots.
pub(crate) fn path_keys(path: &str, relative: &KeyScope) -> Vec<Key> {
    let name = file_name(path);
    if name.bytes().all(|byte| byte == b'.') {
        return Vec::new();
    }
    let mut keys = Vec::new();
    for own in specifier_keys(&format!("./{name}")) {
        // Two segments in the file name are the last two segments of every path to the file.
        let Some(last) = own.strip_prefix("./") else {
            keys.push(own.into());
            continue;
        };
        keys.push(last.into());
        keys.push(Key::with_scope(own.as_str(), relative.clone()));
        keys.extend(
            specifier_keys(&format!("./{path}")).into_iter().filter(|key| !key.starts_with("./")).map(Key::from),
        );
    }
    keys
}

/// Where statements must be that name `path` by dots and its last component, relative to themselves.
pub(crate) fn below_parent(path: &str) -> KeyScope {
    KeyScope::Directory(parent(path).to_owned())
}

/// `path` relative to `directory`; `None` when it is not inside it.
fn below<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
    if directory.is_empty() { Some(path) } else { path.strip_prefix(directory)?.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_by_whole_components() {
        let place = |directory: &str| KeyScope::Directory(directory.to_owned());
        let depth = |directory: &str, depth| KeyScope::Depth(directory.to_owned(), depth);
        for (within, path, expected) in [
            (KeyScope::Repository, "a/b.py", true),
            (place("a"), "a/b/c.py", true),
            (place("a"), "ab/c.py", false),
            (place("a"), "a", false),
            (place(""), "a", true),
            (depth("a", 0), "a/b.py", true),
            (depth("a", 0), "a/b/c.py", false),
            (depth("", 1), "a/b.py", true),
            (KeyScope::File("a".to_owned()), "a", true),
            (KeyScope::File("a".to_owned()), "a/b", false),
        ] {
            assert_eq!(within.holds(path), expected, "{within:?} {path}");
        }
    }

    #[test]
    fn a_path_has_keys_for_each_way_to_spell_its_end() {
        for (path, keys) in [
            ("src/lib/open", "open ./open lib/open"),
            ("open", "open ./open"),
            ("src/open.test", "open/test"),
            (".bashrc", "bashrc ./bashrc"),
            ("a/...", ""),
            ("", ""),
        ] {
            let found: Vec<String> = path_keys(path, &below_parent(path)).into_iter().map(|key| key.text).collect();
            assert_eq!(found.join(" "), keys, "{path}");
        }
    }
}
