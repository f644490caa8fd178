//! Limits on the size of a tree. Equal subtrees are stored once, so ten objects can stand for ten billion files.

use std::collections::HashMap;

use gix::objs::{Kind, TreeRefIter};

use crate::Error;
use crate::object::{corrupt, find};

/// Most files and directories of a tree: several times those of the largest known repositories.
const MAX_ENTRIES: u64 = 10_000_000;

/// Most nested directories: Linux allows no path of more bytes (`PATH_MAX`), and each level needs at least one.
pub(crate) const MAX_LEVELS: usize = 4_096;

/// Most bytes of all paths together: a hundred for each entry.
const MAX_PATH_BYTES: u64 = 1 << 30;

/// A tree may have this many entries however few objects it is made of, and [`REPEATED_PER_STORED`] more for each
/// stored entry. A view takes half a kilobyte of memory for each entry, and a clone's use of memory must stay in
/// proportion to its size. Copied directories repeat entries, so a factor is needed.
const MAX_REPEATED: u64 = 500_000;
const REPEATED_PER_STORED: u64 = 4;

/// The same for bytes of paths, which repeat for each place of a directory.
const MAX_REPEATED_BYTES: u64 = 64 << 20;
const PATH_BYTES_PER_STORED: u64 = 256;

/// After this many entries, or bytes of paths, the walk counts the whole tree before it goes on. Reaching them takes
/// some hundredths of a second, and the count reads each distinct tree once.
const COUNTED_AFTER: u64 = 100_000;
const COUNTED_AFTER_BYTES: u64 = 16 << 20;

/// The remaining bounds of one walk, or of several.
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

/// Sizes of trees.
#[derive(Debug, Default)]
struct Counts {
    /// Number of files and directories below each tree.
    totals: HashMap<gix::ObjectId, u64>,
    /// Number of entries in all of these trees together, each tree counted once.
    stored: u64,
}

/// One walk under [`TreeBounds`].
pub(crate) struct BoundedWalk<'a> {
    repo: &'a gix::Repository,
    /// The trees that are walked.
    trees: Vec<gix::ObjectId>,
    bounds: &'a mut TreeBounds,
    met: u64,
    met_bytes: u64,
    /// Most bytes of paths that the stored entries allow; `None` until they are counted.
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

    /// Counts one entry whose path has `path_bytes` bytes and is `levels` directories deep.
    ///
    /// # Errors
    ///
    /// [`Error::TreeTooLarge`] beyond a bound, or when the whole tree would exceed one; those of reading trees.
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

    /// Number of files and directories below `tree`. Reads each distinct tree once.
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
