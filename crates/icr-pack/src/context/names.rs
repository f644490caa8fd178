//! Short names that still distinguish the files.

use std::collections::{HashMap, HashSet};

use crate::pack::one_line;

/// The shortest end of each path that no other path has.
pub(super) struct ShortNames {
    by_name: HashMap<String, Vec<String>>,
}

impl ShortNames {
    /// For the paths `named`, among them and `paths`.
    pub(super) fn of<'a>(named: Vec<&str>, paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut by_name: HashMap<String, HashSet<String>> = HashMap::new();
        for path in named {
            by_name.entry(file_name(path).to_owned()).or_default().insert(path.to_owned());
        }
        for path in paths {
            // Only a path with the same file name can be confused with a shown one.
            if let Some(same) = by_name.get_mut(file_name(path)) {
                same.insert(path.to_owned());
            }
        }
        Self { by_name: by_name.into_iter().map(|(name, paths)| (name, paths.into_iter().collect())).collect() }
    }

    /// Whole components, from the end; the whole path where another one ends with it.
    pub(super) fn of_path(&self, path: &str) -> String {
        let same = self.by_name.get(file_name(path)).map(Vec::as_slice).unwrap_or_default();
        let starts = path.rmatch_indices('/').map(|(at, _)| at + 1);
        let is_shared = |end: &str| same.iter().any(|other| other != path && ends_with(other, end));
        let end = starts.map(|start| &path[start..]).find(|end| !is_shared(end)).unwrap_or(path);
        one_line(end)
    }
}

fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(paths: &[&str], expected: &[&str]) {
        let short = ShortNames::of(vec![paths[0]], paths.iter().copied());
        let shown: Vec<String> = paths.iter().map(|path| short.of_path(path)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn files_of_one_name_are_told_apart() {
        check(
            &["src/api/index.ts", "src/ui/index.ts", "lib/api/index.ts", "index.ts", "src/ui/xindex.ts"],
            &["src/api/index.ts", "ui/index.ts", "lib/api/index.ts", "index.ts", "xindex.ts"],
        );
        check(&["a.rs", "b.rs"], &["a.rs", "b.rs"]);
    }
}
