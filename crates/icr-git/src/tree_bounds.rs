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

/// Entries that a tree may have however few objects it is made of, and for each entry that is stored so many more: a view takes half a kilobyte
/// of memory for each, and what a clone makes icr hold is to be in proportion to what it has itself. Copies of directories make two of one.
const MAX_REPEATED: u64 = 500_000;
const REPEATED_PER_STORED: u64 = 4;

/// The same for bytes of paths, which each place in a deep directory has anew.
const MAX_REPEATED_BYTES: u64 = 64 << 20;
const PATH_BYTES_PER_STORED: u64 = 256;

/// After so many entries, or bytes of paths, the whole is counted before going on: they are met in some hundredths of a second, and each tree is
/// read once to count them, however often it is there.
const COUNTED_AFTER: u64 = 100_000;
const COUNTED_AFTER_BYTES: u64 = 16 << 20;

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

/// What trees hold.
#[derive(Debug, Default)]
struct Counts {
    /// Files and directories below each tree.
    totals: HashMap<gix::ObjectId, u64>,
    /// Entries of all of these trees, each counted once.
    stored: u64,
}

/// One walk under [`TreeBounds`].
pub(crate) struct BoundedWalk<'a> {
    repo: &'a gix::Repository,
    /// What is walked.
    trees: Vec<gix::ObjectId>,
    bounds: &'a mut TreeBounds,
    met: u64,
    met_bytes: u64,
    /// Bytes of paths that what is stored stands for, once it was counted.
    most_bytes: Option<u64>,
}

impl<'a> BoundedWalk<'a> {
    pub(crate) fn new(
        repo: &'a gix::Repository,
        trees: impl IntoIterator<Item = gix::ObjectId>,
        bounds: &'a mut TreeBounds,
    ) -> Self {
        Self { repo, trees: trees.into_iter().collect(), bounds, met: 0, met_bytes: 0, most_bytes: None }
    }

    /// Counts one entry, whose path has `path_bytes` bytes and lies in `levels` directories.
    ///
    /// # Errors
    ///
    /// [`Error::TreeTooLarge`] beyond a bound, or when all of it would be; those of reading trees.
    pub(crate) fn meet(&mut self, path_bytes: usize, levels: usize) -> Result<(), Error> {
        self.met += 1;
        self.met_bytes += path_bytes as u64;
        let TreeBounds { entries, path_bytes: bytes } = &mut *self.bounds;
        match (entries.checked_sub(1), bytes.checked_sub(path_bytes as u64)) {
            _ if levels > MAX_LEVELS => return Err(self.too_large(LEVELS)),
            (None, _) => return Err(self.too_large(ENTRIES)),
            (_, None) => return Err(self.too_large(PATHS)),
            (Some(entries_left), Some(bytes_left)) => (*entries, *bytes) = (entries_left, bytes_left),
        }
        if self.most_bytes.is_none() && (self.met >= COUNTED_AFTER || self.met_bytes >= COUNTED_AFTER_BYTES) {
            let mut counts = Counts::default();
            for tree in self.trees.clone() {
                let total = self.entries_total(tree, &mut counts)?;
                if total > MAX_ENTRIES {
                    return Err(self.too_large(ENTRIES));
                }
                if total > MAX_REPEATED + REPEATED_PER_STORED * counts.stored {
                    return Err(self.too_large(REPEATED));
                }
            }
            self.most_bytes = Some(MAX_REPEATED_BYTES + PATH_BYTES_PER_STORED * counts.stored);
        }
        match self.most_bytes {
            Some(most) if self.met_bytes > most => Err(self.too_large(REPEATED_PATHS)),
            _ => Ok(()),
        }
    }

    /// Files and directories below `tree`. Reads each distinct tree once.
    fn entries_total(&self, tree: gix::ObjectId, counts: &mut Counts) -> Result<u64, Error> {
        struct Level {
            tree: gix::ObjectId,
            below: Vec<gix::ObjectId>,
            total: u64,
        }
        let mut buffer = Vec::new();
        let Counts { totals, stored } = counts;
        if let Some(total) = totals.get(&tree) {
            return Ok(*total);
        }
        let mut open = |tree: gix::ObjectId| -> Result<Level, Error> {
            let data = find(self.repo, tree, Kind::Tree, &mut buffer)?.data;
            let mut level = Level { tree, below: Vec::new(), total: 0 };
            for entry in TreeRefIter::from_bytes(data, self.repo.object_hash()) {
                let entry = entry.map_err(|error| corrupt(tree, error))?;
                level.total += 1;
                level.below.extend(entry.mode.is_tree().then(|| entry.oid.to_owned()));
            }
            *stored += level.total;
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
const REPEATED: &str = "500,000 entries that a few objects stand for";
const REPEATED_PATHS: &str = "64 MiB of paths that a few objects stand for";
const LEVELS: &str = "4,096 levels of directories";
const PATHS: &str = "1 GiB of paths";
