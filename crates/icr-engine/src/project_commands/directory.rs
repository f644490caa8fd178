//! The manifests of one directory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Findings, is_foreign, manifests};

/// Contents by name.
type ManifestContents<'a> = BTreeMap<&'a str, &'a [u8]>;

/// The manifests of one directory, by name.
pub(super) struct ManifestDirectory<'a> {
    path: &'a str,
    files: ManifestContents<'a>,
    /// The manifests of all directories, by path.
    by_path: Rc<BTreeMap<&'a str, ManifestContents<'a>>>,
}

/// The manifests by directory, outer directories first, then by path; none of foreign code.
pub(super) fn directories(files: &[(String, Vec<u8>)]) -> Vec<ManifestDirectory<'_>> {
    let mut by_path: BTreeMap<&str, ManifestContents<'_>> = BTreeMap::new();
    for (path, content) in files.iter().filter(|(path, _)| !is_foreign(path)) {
        if let Some((directory, name)) = split(path.strip_prefix("./").unwrap_or(path)) {
            by_path.entry(directory).or_default().insert(name, content);
        }
    }
    let by_path = Rc::new(by_path);
    let mut all: Vec<ManifestDirectory<'_>> = by_path
        .iter()
        .map(|(path, files)| ManifestDirectory { path, files: files.clone(), by_path: Rc::clone(&by_path) })
        .collect();
    all.sort_by_key(|directory| (depth(directory.path), directory.path));
    all
}

impl<'a> ManifestDirectory<'a> {
    /// The path relative to the root; empty for the root.
    pub(super) fn path(&self) -> &str {
        self.path
    }

    /// Path of the file `name`, relative to the root.
    pub(super) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}/{name}", self.path) }
    }

    /// The name of the first file that `pattern`, a name or `*.` and an extension, fits.
    pub(super) fn file(&self, pattern: &str) -> Option<&'a str> {
        self.files.keys().copied().find(|name| fits(name, pattern))
    }

    /// The name of the first file that one of `patterns` fits, in their order.
    pub(super) fn first(&self, patterns: &[&str]) -> Option<&'a str> {
        patterns.iter().find_map(|pattern| self.file(pattern))
    }

    /// The names of all files that one of `patterns` fits, sorted.
    pub(super) fn all(&self, patterns: &[&str]) -> impl Iterator<Item = &'a str> {
        self.files.keys().copied().filter(|name| patterns.iter().any(|pattern| fits(name, pattern)))
    }

    /// Whether this directory or one around it has the file `name`.
    pub(super) fn has_here_or_above(&self, name: &str) -> bool {
        let has = |path: &str| self.by_path.get(path).is_some_and(|files| files.contains_key(name));
        has(self.path) || directories_around(self.path).any(has)
    }

    /// The text of the file `name`, with `�` for what is not UTF-8; empty without the file.
    pub(super) fn text(&self, name: &str) -> Cow<'a, str> {
        self.files.get(name).map_or(Cow::Borrowed(""), |content| text_of(content))
    }

    /// The text of the first of `names` that the directory `path` below this one has; `None` without one.
    pub(super) fn text_below(&self, path: &str, names: &[&str]) -> Option<Cow<'a, str>> {
        let files = self.by_path.get(self.path_of(path).as_str())?;
        names.iter().find_map(|name| files.get(*name)).map(|content| text_of(content))
    }

    /// The file `name` as TOML; an empty table and a warning when it is none.
    pub(super) fn toml(&self, name: &str, findings: &mut Findings) -> toml::Table {
        toml::from_str(&self.text(name)).unwrap_or_else(|_| {
            findings.warnings.push(format!("`{}` is not TOML", self.path_of(name)));
            toml::Table::new()
        })
    }

    /// The file `name` as JSON, which may have comments and commas before brackets; `null` and a warning when it is
    /// none.
    pub(super) fn json(&self, name: &str, findings: &mut Findings) -> serde_json::Value {
        serde_json::from_str(&plain_json(&self.text(name))).unwrap_or_else(|_| {
            findings.warnings.push(format!("`{}` is not JSON", self.path_of(name)));
            serde_json::Value::Null
        })
    }
}

fn text_of(content: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(content);
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Cow::Owned(rest.to_owned()),
        None => text,
    }
}

/// Components of a path; 0 for the root.
pub(super) fn depth(path: &str) -> usize {
    path.split('/').filter(|part| !part.is_empty()).count()
}

/// The directories that hold `path`, innermost first; the last is the root.
pub(super) fn directories_around(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| match path.rsplit_once('/') {
        Some((around, _)) => Some(around),
        None => (!path.is_empty()).then_some(""),
    })
    .skip(1)
}

/// Directory and name of a manifest, the longest name that fits; `None` for other files.
fn split(path: &str) -> Option<(&str, &str)> {
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    let start = starts.into_iter().find(|start| manifests().iter().any(|pattern| fits(&path[*start..], pattern)))?;
    Some((path[..start].trim_end_matches('/'), &path[start..]))
}

fn fits(name: &str, pattern: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(suffix) => name.len() > suffix.len() && name.ends_with(suffix) && !name.contains('/'),
        None => name == pattern,
    }
}

/// JSON without the comments and trailing commas that editors allow in it.
fn plain_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut in_string = false;
    while let Some(character) = rest.next() {
        match character {
            '\\' if in_string => {
                out.push(character);
                out.extend(rest.next());
                continue;
            }
            '"' => in_string = !in_string,
            '/' if !in_string && rest.peek() == Some(&'/') => {
                rest.by_ref().find(|next| *next == '\n');
                out.push('\n');
                continue;
            }
            '/' if !in_string && rest.peek() == Some(&'*') => {
                rest.next();
                let mut star = false;
                rest.by_ref().find(|next| std::mem::replace(&mut star, *next == '*') && *next == '/');
                continue;
            }
            ']' | '}' if !in_string && out.trim_end().ends_with(',') => {
                out.truncate(out.trim_end().len() - 1);
            }
            _ => {}
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_left_out_of_json() {
        let text = "{ // a\n \"u\": \"http://x/*y*/,]\\\"//\", /* b\n**/ \"l\": [1, 2 , ],\n}";
        let json: serde_json::Value = serde_json::from_str(&plain_json(text)).expect("plain JSON is JSON");
        assert_eq!(json.to_string(), r#"{"u":"http://x/*y*/,]\"//","l":[1,2]}"#);
    }

    #[test]
    fn the_longest_name_is_that_of_the_manifest() {
        assert_eq!(split("src/main.rs"), Some(("", "src/main.rs")));
        assert_eq!(split("tool/src/main.rs"), Some(("tool", "src/main.rs")));
        assert_eq!(split("a/b/App.csproj"), Some(("a/b", "App.csproj")));
        assert_eq!(split("README.md"), None);
        assert_eq!(split(".csproj"), None);
    }
}
