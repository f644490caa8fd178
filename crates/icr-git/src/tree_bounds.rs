//! How large a tree may be. Equal subtrees are stored once, so that ten objects can stand for ten billion files.

use std::collections::HashMap;

use gix::objs::{Kind, TreeRefIter};

use crate::Error;
use crate::object::{corrupt, find};

/// Most files and directories of a tree: several times those of the largest repositories that are known.
const MAX_ENTRIES: u64 = 10_000_000;

/// Most directories in one another. Linux takes no path of more bytes (`PATH_MAX`), and each level needs one.
pub(crate) const MAX_LEVELS: usize = 4_096;

/// Most bytes of all paths: a hundred for each entry.
const MAX_PATH_BYTES: u64 = 1 << 30;

/// After so many entries the whole is counted before going on: they are met in some hundredths of a second, and each tree is read once to
/// count them, however often it is there.
const COUNTED_AFTER: u64 = 100_000;

/// What is left of the bounds for a walk, or for several.
#[derive(Debug, Clone)]
pub(crate) struct TreeBounds {
    entries: u64,
    path_bytes: u64,
}

impl Default for TreeBounds {
    fn default() -> Self {
        Self { entries: MAX_ENTRIES, path_bytes: MAX_PATH_BYTES }
    }
}

/// One walk under [`TreeBounds`].
pub(crate) struct BoundedWalk<'a> {
    repo: &'a gix::Repository,
    /// What is walked.
    trees: Vec<gix::ObjectId>,
    bounds: &'a mut TreeBounds,
    met: u64,
}

impl<'a> BoundedWalk<'a> {
    pub(crate) fn new(
        repo: &'a gix::Repository,
        trees: impl IntoIterator<Item = gix::ObjectId>,
        bounds: &'a mut TreeBounds,
    ) -> Self {
        Self { repo, trees: trees.into_iter().collect(), bounds, met: 0 }
    }

    /// Counts one entry, whose path has `path_bytes` bytes and lies in `levels` directories.
    ///
    /// # Errors
    ///
    /// [`Error::TreeTooLarge`] beyond a bound, or when all of it would be; those of reading trees.
    pub(crate) fn meet(&mut self, path_bytes: usize, levels: usize) -> Result<(), Error> {
        self.met += 1;
        let TreeBounds { entries, path_bytes: bytes } = &mut *self.bounds;
        match (entries.checked_sub(1), bytes.checked_sub(path_bytes as u64)) {
            _ if levels > MAX_LEVELS => return Err(self.too_large(LEVELS)),
            (None, _) => return Err(self.too_large(ENTRIES)),
            (_, None) => return Err(self.too_large(PATHS)),
            (Some(entries_left), Some(bytes_left)) => (*entries, *bytes) = (entries_left, bytes_left),
        }
        if self.met == COUNTED_AFTER {
            let mut totals = HashMap::new();
            for tree in self.trees.clone() {
                if self.entries_total(tree, &mut totals)? > MAX_ENTRIES {
                    return Err(self.too_large(ENTRIES));
                }
            }
        }
        Ok(())
    }

    /// Files and directories below `tree`. Reads each distinct tree once.
    fn entries_total(&self, tree: gix::ObjectId, totals: &mut HashMap<gix::ObjectId, u64>) -> Result<u64, Error> {
        struct Level {
            tree: gix::ObjectId,
            below: Vec<gix::ObjectId>,
            total: u64,
        }
        let mut buffer = Vec::new();
        let mut open = |tree: gix::ObjectId| -> Result<Level, Error> {
            let data = find(self.repo, tree, Kind::Tree, &mut buffer)?.data;
            let mut level = Level { tree, below: Vec::new(), total: 0 };
            for entry in TreeRefIter::from_bytes(data, self.repo.object_hash()) {
                let entry = entry.map_err(|error| corrupt(tree, error))?;
                level.total += 1;
                level.below.extend(entry.mode.is_tree().then(|| entry.oid.to_owned()));
            }
            Ok(level)
        };
        let mut levels = vec![open(tree)?];
        loop {
            if levels.len() > MAX_LEVELS {
                return Err(self.too_large(LEVELS));
            }
            let level = levels.last_mut().expect("the loop ends with the last level");
            if let Some(next) = level.below.pop() {
                match totals.get(&next) {
                    Some(total) => level.total = level.total.saturating_add(*total),
                    None => levels.push(open(next)?),
                }
                continue;
            }
            let Level { tree, total, .. } = levels.pop().expect("it was just looked at");
            totals.insert(tree, total);
            match levels.last_mut() {
                Some(above) => above.total = above.total.saturating_add(total),
                None => return Ok(total),
            }
        }
    }

    fn too_large(&self, bound: &'static str) -> Error {
        let id = self.trees.last().map(ToString::to_string).unwrap_or_default();
        Error::TreeTooLarge { id, bound }
    }
}

const ENTRIES: &str = "10,000,000 entries";
const LEVELS: &str = "4,096 levels of directories";
const PATHS: &str = "1 GiB of paths";
