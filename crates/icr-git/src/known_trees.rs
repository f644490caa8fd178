//! A cache of directories of commits. A caller that looks up each file of a change needs the same directories again and
//! again, and reading one with a hundred thousand entries takes thirty milliseconds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gix::objs::tree::EntryRef;
use gix::objs::{Kind, TreeRefIter};

use crate::Error;
use crate::object::{corrupt, find};

/// Bytes of trees that are kept in addition to the last one: enough for the directories of most repositories.
const KEPT_BYTES: usize = 8 << 20;

/// Trees of one repository, ordered by last use, the most recent last.
#[derive(Default)]
pub(crate) struct KnownTrees(Mutex<Vec<Arc<KnownTree>>>);

/// One tree with an index, so that a name is found without going through all entries.
pub(crate) struct KnownTree {
    id: gix::ObjectId,
    hash: gix::hash::Kind,
    data: Vec<u8>,
    /// Offsets in `data` of the entries, ordered by name.
    starts: Vec<u32>,
}

impl KnownTrees {
    /// The tree `id`, from the cache or read with `repo`.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`], [`Error::CorruptObject`].
    pub(crate) fn get(&self, id: gix::ObjectId, repo: impl Fn() -> gix::Repository) -> Result<Arc<KnownTree>, Error> {
        let known = {
            let mut trees = self.lock();
            let at = trees.iter().rposition(|tree| tree.id == id);
            at.map(|at| {
                let tree = trees.remove(at);
                trees.push(Arc::clone(&tree));
                tree
            })
        };
        if let Some(tree) = known {
            return Ok(tree);
        }
        let tree = Arc::new(KnownTree::read(&repo(), id)?);
        let mut trees = self.lock();
        trees.push(Arc::clone(&tree));
        let mut bytes: usize = trees.iter().rev().skip(1).map(|tree| tree.data.len()).sum();
        while bytes > KEPT_BYTES {
            bytes -= trees.remove(0).data.len();
        }
        Ok(tree)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<KnownTree>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownTree {
    fn read(repo: &gix::Repository, id: gix::ObjectId) -> Result<Self, Error> {
        let mut data = Vec::new();
        find(repo, id, Kind::Tree, &mut data)?;
        tracing::trace!(%id, "read a tree");
        let mut tree = Self { id, hash: repo.object_hash(), data, starts: Vec::new() };
        let mut starts = Vec::new();
        let mut at = 0;
        while at < tree.data.len() {
            let rest = &tree.data[at..];
            let mut entries = TreeRefIter::from_bytes(rest, tree.hash);
            match entries.next() {
                None => break,
                Some(entry) => entry.map_err(|error| corrupt(id, error))?,
            };
            starts.push(u32::try_from(at).map_err(|error| corrupt(id, error))?);
            at += entries.offset_to_next_entry(rest);
        }
        // If two entries have the same name, the first one counts, so the sort must keep their order.
        starts.sort_by(|a, b| tree.entry_at(*a).filename.cmp(tree.entry_at(*b).filename));
        tree.starts = starts;
        Ok(tree)
    }

    /// The entry with that name.
    pub(crate) fn entry(&self, name: &[u8]) -> Option<EntryRef<'_>> {
        let at = self.starts.partition_point(|start| *self.entry_at(*start).filename < *name);
        let entry = self.entry_at(*self.starts.get(at)?);
        (*entry.filename == *name).then_some(entry)
    }

    fn entry_at(&self, start: u32) -> EntryRef<'_> {
        let entry = TreeRefIter::from_bytes(&self.data[start as usize..], self.hash).next();
        entry.and_then(Result::ok).expect("an entry that was read begins there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(names: &[&str]) -> KnownTree {
        let id = gix::ObjectId::null(gix::hash::Kind::Sha1);
        let mut tree = KnownTree { id, hash: gix::hash::Kind::Sha1, data: Vec::new(), starts: Vec::new() };
        for (number, name) in (0..).zip(names) {
            tree.starts.push(tree.data.len() as u32);
            tree.data.extend([b"100644 ", name.as_bytes(), b"\0", &[number; 20]].concat());
        }
        let mut starts = std::mem::take(&mut tree.starts);
        starts.sort_by(|a, b| tree.entry_at(*a).filename.cmp(tree.entry_at(*b).filename));
        tree.starts = starts;
        tree
    }

    #[track_caller]
    fn check(names: &[&str], name: &str, expected: Option<u8>) {
        let tree = tree(names);
        assert_eq!(tree.entry(name.as_bytes()).map(|entry| entry.oid.as_bytes()[0]), expected, "{name} in {names:?}");
    }

    #[test]
    fn names_are_found_in_any_order_and_the_first_of_two_counts() {
        check(&[], "a", None);
        check(&["a", "b", "c"], "b", Some(1));
        check(&["c", "b", "a"], "c", Some(0));
        check(&["a", "c"], "b", None);
        check(&["b", "a", "b"], "b", Some(0));
        check(&["a.b", "a", "a-b"], "a", Some(1));
    }
}
