//! Paths that are not watched: those that git ignores, and those that icr leaves out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Directories that are never watched, wherever they lie.
const NEVER: [&str; 8] = [".DS_Store", ".git", ".hg", ".icr", ".jj", ".svn", "__pycache__", "node_modules"];

/// Which ignore rules are used.
#[derive(Debug, Clone)]
pub struct IgnoreOptions {
    /// Patterns in the syntax of `.gitignore`, relative to the root.
    pub patterns: Vec<String>,
    /// Whether `.gitignore`, `info/exclude` and the user's excludes file are used.
    pub respect_gitignore: bool,
    /// Whether `.icrignore` and `.icr/ignore` at the root are used.
    pub respect_icrignore: bool,
    /// Reads a rule file, given a directory of the clone and a path below it. Returns `None` for a link, which may lead
    /// anywhere, and for a file without an end.
    pub read: fn(&Path, &str) -> Option<Vec<u8>>,
}

/// Ignore rules of a worktree; those of a directory are included once it was read. A tracked file that matches a git
/// rule is not watched either; the index follows commits in any case.
#[derive(Debug)]
pub(crate) struct WatchIgnoreRules {
    root: PathBuf,
    options: IgnoreOptions,
    /// Rules of icr; no file of git can include again what they ignore.
    of_icr: Gitignore,
    /// Rules of git with a lower priority than those of directories.
    of_git: Vec<Gitignore>,
    of_directories: BTreeMap<PathBuf, Gitignore>,
}

impl WatchIgnoreRules {
    /// The rules at `root`, whose repository has the common git directory `common_dir`. A rule file that cannot be read
    /// counts as empty.
    pub(crate) fn at(root: &Path, common_dir: &Path, options: &IgnoreOptions) -> Self {
        let mut of_icr = GitignoreBuilder::new(root);
        for pattern in &options.patterns {
            // An invalid pattern matches nothing, as in a file.
            let _ = of_icr.add_line(None, pattern);
        }
        if options.respect_icrignore {
            for name in [".icrignore", ".icr/ignore"] {
                add_lines(&mut of_icr, (options.read)(root, name));
            }
        }
        let mut of_git = Vec::new();
        if options.respect_gitignore {
            let mut exclude = GitignoreBuilder::new(root);
            let _ = exclude.add(common_dir.join("info/exclude"));
            of_git.extend(exclude.build().ok());
            of_git.push(GitignoreBuilder::new(root).build_global().0);
        }
        let of_icr = of_icr.build().unwrap_or_else(|_| Gitignore::empty());
        Self { root: root.to_owned(), options: options.clone(), of_icr, of_git, of_directories: BTreeMap::new() }
    }

    /// Reads the rule files in `directory`.
    pub(crate) fn read(&mut self, directory: &Path) {
        if !self.options.respect_gitignore {
            return;
        }
        if let Some(text) = (self.options.read)(directory, ".gitignore") {
            let mut rules = GitignoreBuilder::new(directory);
            add_lines(&mut rules, Some(text));
            if let Ok(rules) = rules.build() {
                self.of_directories.insert(directory.to_owned(), rules);
            }
        }
    }

    /// Whether `path`, which is below the root, or a directory above it, is ignored.
    pub(crate) fn leaves_out(&self, path: &Path, is_directory: bool) -> bool {
        let Ok(relative) = path.strip_prefix(&self.root) else { return true };
        let mut here = self.root.clone();
        let parts: Vec<_> = relative.components().collect();
        parts.iter().enumerate().any(|(no, part)| {
            here.push(part);
            self.leaves_out_itself(&here, is_directory || no + 1 < parts.len())
        })
    }

    fn leaves_out_itself(&self, path: &Path, is_directory: bool) -> bool {
        if path.file_name().is_some_and(|name| NEVER.iter().any(|never| name == *never)) {
            return true;
        }
        if self.of_icr.matched(path, is_directory).is_ignore() {
            return true;
        }
        // The nearest rule file with a match decides, then those further up.
        let above = path.ancestors().skip(1).take_while(|above| above.starts_with(&self.root));
        let near = above.filter_map(|above| self.of_directories.get(above));
        let mut matches = near.chain(&self.of_git).map(|rules| rules.matched(path, is_directory));
        matches!(matches.find(|found| !found.is_none()), Some(Match::Ignore(_)))
    }
}

/// Adds the lines of a rule file; an invalid pattern matches nothing.
fn add_lines(rules: &mut GitignoreBuilder, text: Option<Vec<u8>>) {
    for line in String::from_utf8_lossy(&text.unwrap_or_default()).lines() {
        let _ = rules.add_line(None, line);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], path: &str, is_directory: bool, expected: bool) {
        let root = tempfile::tempdir().unwrap();
        let options = IgnoreOptions {
            patterns: vec!["/generated/".to_owned()],
            respect_gitignore: true,
            respect_icrignore: true,
            read: |directory, name| fs::read(directory.join(name)).ok(),
        };
        for (name, text) in files {
            let file = root.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let mut ignored = WatchIgnoreRules::at(root.path(), &root.path().join(".git"), &options);
        for directory in ["", "a", "a/b"] {
            ignored.read(&root.path().join(directory));
        }
        assert_eq!(ignored.leaves_out(&root.path().join(path), is_directory), expected, "{path}");
    }

    #[test]
    fn rules_of_git_count_as_git_reads_them() {
        let files =
            [(".gitignore", "*.log\n/build/\n"), ("a/.gitignore", "!keep.log\n"), (".git/info/exclude", "private\n")];
        check(&files, "x.log", false, true);
        check(&files, "a/x.log", false, true);
        check(&files, "a/keep.log", false, false);
        check(&files, "build", true, true);
        check(&files, "build/deep/file", false, true);
        check(&files, "a/build", true, false);
        check(&files, "private", false, true);
        check(&files, "src/lib.rs", false, false);
    }

    #[test]
    fn what_icr_leaves_out_no_file_of_git_takes_back() {
        let files = [(".icrignore", "vendor/\n"), (".gitignore", "!vendor/\n!node_modules/\n!generated/\n")];
        for path in ["vendor", "node_modules", "a/node_modules/x", "generated", ".git", ".git/HEAD"] {
            check(&files, path, !path.contains('.'), true);
        }
    }

    #[test]
    fn what_lies_elsewhere_is_left_out() {
        check(&[], "/elsewhere/file", false, true);
    }
}
