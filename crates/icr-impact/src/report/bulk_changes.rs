//! Many files that changed in one way: a directory that moved, a library that was copied in anew.

use std::collections::{BTreeMap, HashSet};

use icr_model::RepoPath;
use icr_rank::FileKind;

use super::contracts::Group;
use super::words::format_count;
use crate::{ChangedFile, Effect, FileStatus, Impact};

/// Fewest files that are told in one line.
const FEWEST: usize = 3;

/// Files of one directory that changed in one way.
#[derive(Debug, PartialEq, Eq)]
pub struct Bulk<'a> {
    /// Where they are now, with a slash at its end; empty for the root.
    directory: &'a str,
    /// Where they were, for a directory that moved.
    moved_from: Option<&'a str>,
    files: Vec<&'a ChangedFile>,
    /// Their paths.
    paths: HashSet<&'a str>,
}

/// Directories that moved, and directories of vendored or generated code, with at least three changed files; those with most
/// files first, then by path.
pub fn bulks(impact: &Impact) -> Vec<Bulk<'_>> {
    let mut files: BTreeMap<(&str, Option<&str>), Vec<&ChangedFile>> = BTreeMap::new();
    for file in &impact.changed {
        let old_path = file.old_path.as_deref().filter(|_| file.status == FileStatus::Renamed);
        let moved = old_path.and_then(|old| moved_directory(old, &file.path));
        let bulk = match (moved, foreign_directory(&file.path)) {
            (Some((from, to)), _) => (to, Some(from)),
            (None, Some(directory)) => (directory, None),
            (None, None) => continue,
        };
        files.entry(bulk).or_default().push(file);
    }
    let bulks = files.into_iter().filter(|(_, files)| files.len() >= FEWEST);
    let bulks = bulks.map(|((directory, moved_from), files)| {
        let paths = files.iter().map(|file| file.path.as_str()).collect();
        Bulk { directory, moved_from, files, paths }
    });
    let mut bulks: Vec<Bulk<'_>> = bulks.collect();
    bulks.sort_by_key(|bulk| std::cmp::Reverse(bulk.files.len()));
    bulks
}

impl Bulk<'_> {
    /// The files, by path.
    pub fn files(&self) -> &[&ChangedFile] {
        &self.files
    }

    /// "`a/` → `b/` (12 files)".
    pub fn in_words(&self) -> String {
        let name = |directory: &str| if directory.is_empty() { "`./`".to_owned() } else { format!("`{directory}`") };
        let files = format_count(self.files.len() as u64, "file");
        match self.moved_from {
            Some(from) => format!("{} → {} ({files})", name(from), name(self.directory)),
            None => format!("{} ({files}, vendored or generated)", name(self.directory)),
        }
    }

    /// Whether the line about these files also covers `group`: it is about one of these files, breaks no use, and, in a
    /// moved directory, is only a move.
    pub(super) fn covers(&self, group: &Group<'_>) -> bool {
        let is_harmless = group.worst.effect == Effect::Holds && group.worst.accepted.is_none();
        let is_of_bulk = self.paths.contains(group.worst.path.as_str());
        is_harmless && is_of_bulk && (self.moved_from.is_none() || group.is_move)
    }
}

/// Of a path that is the same below another directory, the two directories with a slash at their ends, empty for the root.
fn moved_directory<'a>(old: &'a str, new: &'a str) -> Option<(&'a str, &'a str)> {
    let (mut old_end, mut new_end) = (None, None);
    for (at, (old_part, new_part)) in old.rsplit('/').zip(new.rsplit('/')).enumerate() {
        if old_part != new_part {
            break;
        }
        let slash = usize::from(at > 0);
        old_end = Some(old_end.unwrap_or(old.len()) - old_part.len() - slash);
        new_end = Some(new_end.unwrap_or(new.len()) - new_part.len() - slash);
    }
    Some((&old[..old_end?], &new[..new_end?]))
}

/// The directory of vendored or generated code that the file lies in, with the directory in it that the path leads through, which
/// is most often one library.
fn foreign_directory(path: &str) -> Option<&str> {
    let ends = || path.match_indices('/').map(|(at, _)| at + 1);
    let is_foreign = |end: usize| {
        let inside = RepoPath::from(format!("{}x", &path[..end]).as_str());
        FileKind::of(&inside) == Some(FileKind::Foreign)
    };
    let own = ends().position(is_foreign)?;
    let end = ends().nth(own + 1).or_else(|| ends().nth(own))?;
    Some(&path[..end])
}

#[cfg(test)]
mod tests {
    use super::super::contracts::groups;
    use super::super::tests::sample;
    use super::*;
    use crate::{ContractChange, Severity};

    /// A change of these files, each with its path before where it was renamed.
    fn change_of(files: &[(&str, Option<&str>)]) -> Impact {
        let mut impact = sample::clean();
        let changed = impact.changed.remove(0);
        let file = |(path, old): &(&str, Option<&str>)| ChangedFile {
            path: (*path).to_owned(),
            old_path: old.map(str::to_owned),
            status: if old.is_some() { FileStatus::Renamed } else { FileStatus::Modified },
            ..changed.clone()
        };
        impact.changed = files.iter().map(file).collect();
        impact
    }

    #[track_caller]
    fn check(files: &[(&str, Option<&str>)], expected: &[&str]) {
        let impact = change_of(files);
        assert_eq!(bulks(&impact).iter().map(Bulk::in_words).collect::<Vec<_>>(), expected);
    }

    /// The files of those definitions that moved, each with what that does to its users, which no line about `files` covers.
    #[track_caller]
    fn check_uncovered(files: &[(&str, Option<&str>)], moved: &[(&str, Effect)], expected: &[&str]) {
        let mut impact = change_of(files);
        let model = sample::breaking().contract_impact.changes.remove(0);
        let change = |(path, effect): &(&str, Effect)| ContractChange {
            path: (*path).to_owned(),
            class: "moved",
            effect: *effect,
            uses: Vec::new(),
            ..model.clone()
        };
        impact.contract_impact.changes = moved.iter().map(change).collect();
        let (bulks, groups) = (bulks(&impact), groups(&impact, Severity::None));
        let uncovered = groups.iter().filter(|group| !bulks.iter().any(|bulk| bulk.covers(group)));
        assert_eq!(uncovered.map(|group| group.worst.path.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_directory_that_moved_is_one_line() {
        let files = [
            ("b/x/one.rs", Some("a/x/one.rs")),
            ("b/three.rs", Some("a/three.rs")),
            ("b/two.rs", Some("a/two.rs")),
            ("c/new.rs", Some("c/old.rs")),
        ];
        check(&files, &["`a/` → `b/` (3 files)"]);
        check(&files[1..], &[]);
    }

    #[test]
    fn an_upgrade_of_a_library_is_one_line() {
        let paths = ["a.c", "vendor/zlib/a.c", "vendor/zlib/b/c.c", "vendor/zlib/d.c"];
        let files = paths.map(|path| (path, None::<&str>));
        check(&files, &["`vendor/zlib/` (3 files, vendored or generated)"]);
    }

    #[test]
    fn what_may_break_users_is_not_covered() {
        let files = [("b/1.py", Some("a/1.py")), ("b/2.py", Some("a/2.py")), ("b/3.py", Some("a/3.py"))];
        let moved = [("b/1.py", Effect::Holds), ("b/2.py", Effect::MayBreak), ("b/3.py", Effect::Breaks)];
        check_uncovered(&files, &moved, &["b/3.py", "b/2.py"]);
    }

    #[test]
    fn a_move_to_the_root_covers_its_own_files_alone() {
        let files = [("1.py", Some("a/1.py")), ("2.py", Some("a/2.py")), ("3.py", Some("a/3.py")), ("c/4.py", None)];
        check_uncovered(&files, &[("1.py", Effect::Holds), ("c/4.py", Effect::Holds)], &["c/4.py"]);
    }

    #[test]
    fn a_move_covers_no_file_that_came_from_elsewhere() {
        let files = [
            ("b/1.py", Some("a/1.py")),
            ("b/2.py", Some("a/2.py")),
            ("b/3.py", Some("a/3.py")),
            ("b/4.py", Some("c/4.py")),
        ];
        check_uncovered(&files, &[("b/1.py", Effect::Holds), ("b/4.py", Effect::Holds)], &["b/4.py"]);
    }

    #[test]
    fn directories_are_what_differs_before_equal_ends() {
        assert_eq!(moved_directory("a/x/b.rs", "c/d/x/b.rs"), Some(("a/", "c/d/")));
        assert_eq!(moved_directory("b.rs", "a/b.rs"), Some(("", "a/")));
        assert_eq!(moved_directory("a/b.rs", "a/c.rs"), None);
    }
}
