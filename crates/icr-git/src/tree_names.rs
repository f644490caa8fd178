//! Names of the entries of one tree. Git writes each name once, in its order, but any bytes can be stored as a tree: a
//! name may occur twice, or be the path of a file in a directory below.

use std::collections::HashSet;

use gix::objs::TreeRefIter;
use gix::objs::tree::{EntryRef, name_order};

/// Numbers, from 0, of the entries that do not count in the tree with the bytes `data`. Of entries with the same name
/// the first counts, whether they are files or directories. An entry whose name contains `/` does not count. So all
/// paths of a tree differ. Entries after one that cannot be decoded are left to the code that reads it.
///
/// Cost for a tree that git wrote: one pass over its entries, without allocation, unless a file and a directory have
/// names such as `net.rs` and `net`.
pub(crate) fn uncounted_entries(data: &[u8], hash: gix::hash::Kind) -> HashSet<usize> {
    let entries = || TreeRefIter::from_bytes(data, hash).map_while(Result::ok);
    let mut previous: Option<EntryRef<'_>> = None;
    let is_plain = entries().all(|entry| {
        let before = previous.replace(entry);
        !is_path(&entry) && before.is_none_or(|before| is_new_after(&before, &entry))
    });
    if is_plain {
        return HashSet::new();
    }
    let mut names = HashSet::new();
    let uncounted = entries().enumerate().filter(|(_, entry)| is_path(entry) || !names.insert(entry.filename));
    uncounted.map(|(number, _)| number).collect()
}

fn is_path(entry: &EntryRef<'_>) -> bool {
    entry.filename.contains(&b'/')
}

/// Whether the order of entries proves that none before `entry`, which follows `before`, has its name. In git's order,
/// only a file and a directory can have the same name, and every entry between those two begins with that name.
fn is_new_after(before: &EntryRef<'_>, entry: &EntryRef<'_>) -> bool {
    let order = name_order(before.filename, before.mode.is_tree(), entry.filename, entry.mode.is_tree());
    order.is_lt() && !(entry.mode.is_tree() && before.filename.starts_with(entry.filename))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which of the entries `names` do not count. A name with `/` at its end is a directory.
    #[track_caller]
    fn check(names: &[&str], expected: &[usize]) {
        let mut data = Vec::new();
        for name in names {
            let (mode, name) = match name.strip_suffix('/') {
                Some(name) => ("40000", name),
                None => ("100644", *name),
            };
            data.extend([mode.as_bytes(), b" ", name.as_bytes(), b"\0", &[1; 20]].concat());
        }
        let mut uncounted: Vec<usize> = uncounted_entries(&data, gix::hash::Kind::Sha1).into_iter().collect();
        uncounted.sort_unstable();
        assert_eq!(uncounted, expected, "{names:?}");
    }

    #[test]
    fn all_entries_of_trees_that_git_writes_count() {
        check(&[], &[]);
        check(&["a"], &[]);
        check(&["a", "a-b", "a.rs", "ab", "b/"], &[]);
        check(&["a-b", "a.rs", "a/", "ab.rs", "ab/"], &[]);
        check(&["net.rs", "net/", "net_test.rs"], &[]);
    }

    #[test]
    fn of_one_name_the_first_entry_counts() {
        check(&["a", "a"], &[1]);
        check(&["a/", "a/", "b"], &[1]);
        check(&["a", "a/"], &[1]);
        check(&["a/", "a"], &[1]);
        check(&["a", "a-b", "a.rs", "a/", "b"], &[3]);
        check(&["a", "a-b/", "a.rs", "a/", "b"], &[3]);
        check(&["b", "a", "b", "c", "a"], &[2, 4]);
    }

    #[test]
    fn entries_out_of_order_count_as_others_do() {
        check(&["c", "b/", "a"], &[]);
    }

    #[test]
    fn a_name_that_is_a_path_does_not_count() {
        check(&["a/b", "a/"], &[0]);
        check(&["a", "b/c", "d"], &[1]);
    }

    #[test]
    fn bytes_that_are_no_entry_end_the_tree() {
        assert!(uncounted_entries(b"no tree", gix::hash::Kind::Sha1).is_empty());
    }
}
