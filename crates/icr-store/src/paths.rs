//! Paths by directory.

use icr_model::{BlobNo, PathNo, RepoPath};
use rusqlite::OptionalExtension;

use crate::{Error, Ledger};

impl Ledger {
    /// All recorded paths directly in `directory` (the root is the empty path), in order, with their numbers. Costs one
    /// look-up for each subdirectory; the paths in a subdirectory are not read.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn paths_in(&self, directory: &RepoPath) -> Result<Vec<(PathNo, RepoPath)>, Error> {
        let mut prefix = directory.as_bytes().to_vec();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let mut found = Vec::new();
        let mut statement = self.prepare("SELECT path_no, path FROM paths WHERE path >= ?1 ORDER BY path")?;
        let mut from = Some(prefix.clone());
        while let Some(start) = from.take() {
            let mut rows = statement.query([start]).map_err(self.failed("reading the paths of a directory"))?;
            while let Some(row) = rows.next().map_err(self.failed("reading the paths of a directory"))? {
                let path: Vec<u8> = row.get(1).map_err(self.failed("reading the paths of a directory"))?;
                let Some(rest) = path.strip_prefix(prefix.as_slice()) else { break };
                if let Some(end) = rest.iter().position(|byte| *byte == b'/') {
                    // Skip the rest of this subdirectory: `0` is the byte after `/`.
                    let mut beyond = path[..prefix.len() + end].to_vec();
                    beyond.push(b'0');
                    from = Some(beyond);
                    break;
                }
                let number = row.get(0).map_err(self.failed("reading the paths of a directory"))?;
                found.push((PathNo(number), RepoPath::new(path)));
            }
        }
        Ok(found)
    }

    /// All recorded paths in `directory` or below (the root is the empty path), in order, with their numbers; `None` if
    /// there are more than `limit`. No more than these are read.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn paths_below(&self, directory: &RepoPath, limit: usize) -> Result<Option<Vec<(PathNo, RepoPath)>>, Error> {
        let mut prefix = directory.as_bytes().to_vec();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let mut found = Vec::new();
        let mut statement = self.prepare("SELECT path_no, path FROM paths WHERE path >= ?1 ORDER BY path")?;
        let doing = "reading the paths below a directory";
        let mut rows = statement.query([&prefix]).map_err(self.failed(doing))?;
        while let Some(row) = rows.next().map_err(self.failed(doing))? {
            let path: Vec<u8> = row.get(1).map_err(self.failed(doing))?;
            if !path.starts_with(&prefix) {
                break;
            }
            if found.len() == limit {
                return Ok(None);
            }
            found.push((PathNo(row.get(0).map_err(self.failed(doing))?), RepoPath::new(path)));
        }
        Ok(Some(found))
    }

    /// The encoded facts of a blob, for [`icr_model::Facts::decode`]; `None` if the blob is not listed. Decoding them
    /// elsewhere keeps the ledger in use only while it is read.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn encoded_facts(&self, blob_no: BlobNo) -> Result<Option<Vec<u8>>, Error> {
        let mut statement = self.prepare("SELECT bytes FROM facts WHERE blob_no = ?1")?;
        statement.query_row([blob_no.0], |row| row.get(0)).optional().map_err(self.failed("reading facts"))
    }
}

#[cfg(test)]
mod tests {
    use icr_model::Recipe;

    use super::*;
    use crate::{Access, RepositoryPlace};

    #[test]
    fn paths_are_found_by_their_directories() {
        let home = tempfile::tempdir().unwrap();
        let place = RepositoryPlace::new(home.path(), "0123456789abcdef").store(Recipe(7));
        place.create().unwrap();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let paths = ["a/b/c", "a/b.c", "a/d", "a!", "ab/c", "e"];
        ledger
            .write(|write| {
                (0..).zip(paths).try_for_each(|(number, path)| write.add_path(PathNo(number), &path.into(), 1))
            })
            .unwrap();
        let shown = |found: Vec<(PathNo, RepoPath)>| {
            found.iter().map(|(number, path)| format!("{} {path}", number.0)).collect::<Vec<_>>().join(", ")
        };
        let below = |directory: &str, limit| ledger.paths_below(&directory.into(), limit).unwrap().map(shown);
        assert_eq!(below("a", 3).as_deref(), Some("1 a/b.c, 0 a/b/c, 2 a/d"));
        assert_eq!(below("a", 2), None);
        assert_eq!(below("absent", 0).as_deref(), Some(""));
        assert_eq!(below("", 6).map(|all| all.matches(',').count()), Some(5));
        assert_eq!(shown(ledger.paths_in(&"a".into()).unwrap()), "1 a/b.c, 2 a/d");
        assert_eq!(shown(ledger.paths_in(&"".into()).unwrap()), "3 a!, 5 e");
    }
}
