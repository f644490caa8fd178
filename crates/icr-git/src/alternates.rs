//! Object directories that a repository reads in addition to its own (`objects/info/alternates`).

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use crate::Error;
use crate::git_files::{LIST_BYTES, check_packs, read_ordinary};

/// Most object directories that alternates lists may name, all lists together. Some tools add one for each repository
/// that objects were borrowed from. Each look-up of a missing object searches all of them.
const MOST_DIRECTORIES: usize = 256;

/// Longest chain of alternates lists that git follows (`link_alt_odb_entries` of its object-file.c).
const DEEPEST: usize = 5;

/// The object directories of a repository.
pub(crate) struct ObjectDirectories {
    /// The repository's own object directory, then its alternates, each once.
    directories: Vec<PathBuf>,
    /// Whether a directory names itself, or a directory whose lists led to it. gix refuses such a loop; git ignores it.
    is_loop: bool,
}

/// A directory that the search has found or still has to visit.
struct AlternateDirectory {
    path: PathBuf,
    by: Option<usize>,
    depth: usize,
}

impl ObjectDirectories {
    /// The object directories of the repository whose own one is `objects`.
    ///
    /// Cost: one look at each directory and at the names of its packs; each list is read once.
    ///
    /// # Errors
    ///
    /// [`Error::GitFile`] when the lists name too many directories, or a list or a pack is not an ordinary file.
    pub(crate) fn of(objects: &Path) -> Result<Self, Error> {
        let mut all: Vec<AlternateDirectory> = Vec::new();
        let (mut numbers, mut named_total, mut is_loop) = (HashMap::new(), 0, false);
        let mut pending = vec![AlternateDirectory { path: objects.to_owned(), by: None, depth: 0 }];
        while let Some(named) = pending.pop() {
            let Ok(canonical) = std::fs::canonicalize(&named.path) else { continue };
            if let Some(number) = numbers.get(&canonical) {
                let mut ancestors = std::iter::successors(named.by, |number| all[*number].by);
                is_loop |= ancestors.any(|ancestor| ancestor == *number);
                continue;
            }
            check_packs(&canonical)?;
            let (list, number, depth) = (named.path.join("info/alternates"), all.len(), named.depth);
            numbers.insert(canonical.clone(), number);
            all.push(AlternateDirectory { path: canonical, ..named });
            let text = read_ordinary(&list, LIST_BYTES)?.unwrap_or_default();
            // gix reports a list that it cannot parse when it opens the repository.
            let paths = gix::odb::alternate::parse(&text).unwrap_or_default();
            named_total += paths.len();
            if named_total > MOST_DIRECTORIES {
                let reason = "names more than 256 directories, with those that these name".into();
                return Err(Error::GitFile { path: objects.join("info/alternates"), reason });
            }
            // In gix's order: a directory and all that it leads to come before the next directory of its list.
            let paths = paths.into_iter().rev().map(|path| objects.join(path));
            pending.extend(paths.map(|path| AlternateDirectory { path, by: Some(number), depth: depth + 1 }));
        }
        let within = all.into_iter().filter(|named| named.depth <= DEEPEST && named.path.is_dir());
        Ok(Self { directories: within.map(|named| named.path).collect(), is_loop })
    }

    /// Whether gix would refuse these directories; read them through [`ObjectDirectories::without_loop`] then.
    pub(crate) fn is_loop(&self) -> bool {
        self.is_loop
    }

    /// An object store of the same directories, without the lists that name each other. It makes a temporary directory
    /// for each object directory and links its packs and loose objects there, so that objects which git adds are
    /// visible at once. The first temporary directory lists the others.
    ///
    /// # Errors
    ///
    /// Errors of the file system.
    pub(crate) fn without_loop(&self, hash: gix::hash::Kind) -> io::Result<(TempDir, Arc<gix::odb::Store>)> {
        let place = tempfile::tempdir()?;
        let views: Vec<PathBuf> =
            (0..self.directories.len()).map(|number| place.path().join(number.to_string())).collect();
        for (view, directory) in views.iter().zip(&self.directories) {
            std::fs::create_dir(view)?;
            let loose = (0..=u8::MAX).map(|first| format!("{first:02x}"));
            for name in loose.chain(["pack".to_owned()]) {
                link(&directory.join(&name), &view.join(&name))?;
            }
        }
        let (own, others) = views.split_first().expect("a repository has a directory of its own");
        std::fs::create_dir(own.join("info"))?;
        let names = others.iter().filter_map(|view| view.file_name()?.to_str());
        let list: String = names.map(|name| format!("../{name}\n")).collect();
        std::fs::write(own.join("info/alternates"), list)?;
        let options = gix::odb::store::init::Options::default();
        let store = gix::odb::Store::at_opts(own.clone(), hash, &mut std::iter::empty(), options)?;
        Ok((place, Arc::new(store)))
    }
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "lists of directories of objects that name each other"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks directories `0`, `1` and so on, of which each names what `lists` says of it, beginning with the first
    /// one.
    #[track_caller]
    fn check(lists: &[&str], expected: Result<(&[usize], bool), &str>) {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let root = std::fs::canonicalize(directory.path()).expect("it exists");
        for (number, list) in lists.iter().enumerate() {
            let info = root.join(number.to_string()).join("info");
            std::fs::create_dir_all(&info).unwrap();
            std::fs::write(info.join("alternates"), list.replace("$ROOT", root.to_str().unwrap())).unwrap();
        }
        let found = ObjectDirectories::of(&root.join("0")).map_err(|error| error.to_string());
        let found = found.map_err(|error| error.replace(root.to_str().unwrap(), "$ROOT"));
        let found = found.as_ref().map(|found| {
            let names = found.directories.iter().map(|path| path.file_name().unwrap().to_str().unwrap());
            (names.map(|name| name.parse().unwrap()).collect::<Vec<usize>>(), found.is_loop)
        });
        assert_eq!(found.map_err(String::as_str), expected.map(|(all, is_loop)| (all.to_vec(), is_loop)));
    }

    #[test]
    fn each_directory_that_is_there_is_found_once() {
        check(&[""], Ok((&[0], false)));
        check(&["# none\n../absent\n../1\n$ROOT/2\n", "../2\n", ""], Ok((&[0, 1, 2], false)));
        check(&["../1\n../2\n", "../3\n", "../3\n", ""], Ok((&[0, 1, 3, 2], false)));
    }

    #[test]
    fn those_that_name_themselves_or_each_other_are_loops() {
        check(&["../0\n"], Ok((&[0], true)));
        check(&["../1\n", "../0\n"], Ok((&[0, 1], true)));
        check(&["../1\n../2\n", "", "../0/../2\n"], Ok((&[0, 1, 2], true)));
    }

    #[test]
    fn the_sixth_in_a_row_is_read_no_more() {
        let lists = ["../1\n", "../2\n", "../3\n", "../4\n", "../5\n", "../6\n", "../7\n", ""];
        check(&lists, Ok((&[0, 1, 2, 3, 4, 5], false)));
    }

    #[test]
    fn many_are_refused_by_the_list_that_begins_them() {
        let refused = Err("`$ROOT/0/info/alternates` names more than 256 directories, with those that these name");
        check(&[&"../absent\n".repeat(256)], Ok((&[0], false)));
        check(&[&"../absent\n".repeat(257)], refused);
        check(&["../1\n", &"../absent\n".repeat(256)], refused);
    }
}
