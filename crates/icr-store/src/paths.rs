//! Paths by where they lie.

use icr_model::{BlobNo, PathNo, RepoPath};
use rusqlite::OptionalExtension;

use crate::{Error, Ledger};

impl Ledger {
    /// Paths ever seen right inside of `directory` (the root is the empty path), in order, with their numbers. Costs a
    /// look-up for each of its subdirectories and nothing for what lies in them.
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
                    // On behind everything in this subdirectory: `0` is the byte after `/`.
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

    /// The encoded facts of a blob, for [`icr_model::Facts::decode`]; `None` when the ledger does not list it. Who decodes
    /// them elsewhere keeps the ledger for as long as it takes to read them.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn encoded_facts(&self, blob_no: BlobNo) -> Result<Option<Vec<u8>>, Error> {
        let mut statement = self.prepare("SELECT bytes FROM facts WHERE blob_no = ?1")?;
        statement.query_row([blob_no.0], |row| row.get(0)).optional().map_err(self.failed("reading facts"))
    }
}
