//! Paths that views have or had, by number, by name and by directory.

use icr_model::{PathNo, RepoPath};
use rusqlite::OptionalExtension;

use crate::ledger::LedgerWrite;
use crate::{Error, Ledger};

impl Ledger {
    /// The number of a path; `None` if no view ever contained it.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn path_no(&self, path: &RepoPath) -> Result<Option<PathNo>, Error> {
        let mut statement = self.prepare("SELECT path_no FROM paths WHERE path = ?1")?;
        let number = statement.query_row([path.as_bytes()], |row| row.get(0)).optional();
        number.map(|number| number.map(PathNo)).map_err(self.failed("looking up a path"))
    }

    /// A path and its number of tokens; `None` if the number was never listed.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn path(&self, path_no: PathNo) -> Result<Option<(RepoPath, u32)>, Error> {
        let mut statement = self.prepare("SELECT path, tokens FROM paths WHERE path_no = ?1")?;
        statement
            .query_row([path_no.0], |row| Ok((RepoPath::new(row.get::<_, Vec<u8>>(0)?), row.get(1)?)))
            .optional()
            .map_err(self.failed("reading a path"))
    }

    /// Calls `sink` with every path ever seen, in order of the number.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn paths(&self, mut sink: impl FnMut(PathNo, RepoPath)) -> Result<(), Error> {
        let mut statement = self.prepare("SELECT path_no, path FROM paths ORDER BY path_no")?;
        let rows = statement.query_map([], |row| Ok((PathNo(row.get(0)?), RepoPath::new(row.get::<_, Vec<u8>>(1)?))));
        rows.and_then(|mut rows| rows.try_for_each(|row| row.map(|(number, path)| sink(number, path))))
            .map_err(self.failed("reading the paths"))
    }

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
}

impl LedgerWrite<'_> {
    /// Lists a path under a reserved number.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn add_path(&self, path_no: PathNo, path: &RepoPath, tokens: u32) -> Result<(), Error> {
        let sql = "INSERT INTO paths (path_no, path, tokens) VALUES (?1, ?2, ?3)";
        self.execute(sql, (path_no.0, path.as_bytes(), tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;
    use crate::testing::store;

    #[test]
    fn paths_are_found_by_their_directories() {
        let (_home, place) = store();
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
