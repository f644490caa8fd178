//! A look at the pages of LMDB's file before LMDB maps them.
//!
//! LMDB trusts what it maps: a page number or an offset that damage has changed would make it read outside the file, which
//! ends the process. So the upper pages are read here as a file and checked; rows themselves lie in overflow pages, of which
//! only the extent counts. The layout is that of LMDB's data version 1 (its mdb.c: `MDB_page`, `MDB_node`, `MDB_db`,
//! `MDB_meta`).

use std::fs::File;
use std::io;
use std::path::Path;

use crate::error::StorageFailure;

/// `MDB_MAGIC`.
const MAGIC: u32 = 0xBEEF_C0DE;

/// `MDB_DATA_VERSION`.
const VERSION: u32 = 1;

/// Bytes of a page's header; nodes and their offsets come after.
const PAGE_HEADER: usize = 16;

/// Bytes of a node's header; its key and its value come after.
const NODE_HEADER: usize = 8;

/// Bytes of a meta page that are read: header, magic, version, address, size, two trees, last page, transaction.
const META: usize = PAGE_HEADER + 24 + 2 * TREE + 16;

/// Bytes of the record of a tree; its root is the last 8.
const TREE: usize = 48;

/// Page number of the root of a tree that has none.
const NO_PAGE: u64 = u64::MAX;

/// Flags of pages and of nodes (`P_*`, `F_*`).
const BRANCH: u16 = 0x01;
const LEAF: u16 = 0x02;
const OVERFLOW: u16 = 0x04;
const META_PAGE: u16 = 0x08;
const BIG_VALUE: u16 = 0x01;
const SUB_TREE: u16 = 0x02;

/// Deepest tree that LMDB makes (its `CURSOR_STACK`).
const DEEPEST: u32 = 32;

/// Whether the layout of this machine's files is the one described here: page numbers of 8 bytes, low bytes first.
const IS_KNOWN: bool = cfg!(all(target_pointer_width = "64", target_endian = "little"));

/// That `file` begins like a file of LMDB, or that there is none yet.
pub(crate) fn check_header(file: &Path) -> Result<(), StorageFailure> {
    if !IS_KNOWN {
        return Ok(());
    }
    match File::open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
        Ok(file) if file.metadata()?.is_dir() => Err(damaged_pages("a directory is in the place of the file")),
        Ok(file) if file.metadata()?.len() == 0 => Ok(()),
        Ok(file) => Pages::of(&file).map(drop),
    }
}

/// That the tree of free pages, the tree of databases and those of the databases `names` lie within `file`.
///
/// The caller holds a read transaction, so that no page that is looked at is written over.
pub(crate) fn check_trees(file: &File, names: &[&str]) -> Result<(), StorageFailure> {
    if !IS_KNOWN {
        return Ok(());
    }
    let check = || -> Result<(), StorageFailure> {
        let pages = Pages::of(file)?;
        let [free, main] = pages.roots;
        pages.check(free, 0, &mut |_, _| Ok(()))?;
        let mut roots = Vec::new();
        pages.check(main, 0, &mut |key, tree| {
            if names.iter().any(|name| name.as_bytes() == key) {
                roots.push(root_of(tree));
            }
            Ok(())
        })?;
        roots.into_iter().try_for_each(|root| pages.check(root, 0, &mut |_, _| Ok(())))
    };
    // Another process may have been writing a meta page at that moment.
    check().or_else(|_| check())
}

/// The pages of a file, as its newest meta page says.
struct Pages<'a> {
    file: &'a File,
    page_bytes: usize,
    /// Pages that lie in the file.
    pages_total: u64,
    /// Roots of the tree of free pages and of the tree of databases.
    roots: [u64; 2],
}

impl<'a> Pages<'a> {
    fn of(file: &'a File) -> Result<Self, StorageFailure> {
        let first = Meta::read(file, 0)?;
        let second = Meta::read(file, first.page_bytes as u64)?;
        if first.page_bytes != second.page_bytes {
            return Err(damaged_pages("the meta pages differ in the size of a page"));
        }
        let meta = if second.transaction > first.transaction { second } else { first };
        let pages_total = file.metadata()?.len() / meta.page_bytes as u64;
        Ok(Self { file, page_bytes: meta.page_bytes, pages_total, roots: meta.roots })
    }

    /// Checks the tree below the page `page_no` and gives each sub-tree's name and record to `sub_tree`.
    fn check(
        &self,
        page_no: u64,
        depth: u32,
        sub_tree: &mut impl FnMut(&[u8], &[u8]) -> Result<(), StorageFailure>,
    ) -> Result<(), StorageFailure> {
        if page_no == NO_PAGE && depth == 0 {
            return Ok(());
        }
        let wrong = |what: &str| Err(damaged_pages(&format!("page {page_no} {what}")));
        if depth >= DEEPEST {
            return wrong("lies too deep in its tree");
        }
        let page = self.page(page_no, self.page_bytes)?;
        let flags = u16_at(&page, 10) & (BRANCH | LEAF | OVERFLOW | META_PAGE);
        let (lower, upper) = (usize::from(u16_at(&page, 12)), usize::from(u16_at(&page, 14)));
        let is_branch = flags == BRANCH;
        if !(is_branch || flags == LEAF) || lower < PAGE_HEADER || lower > upper || upper > self.page_bytes {
            return wrong("is no page of a tree");
        }
        let offsets = page[PAGE_HEADER..lower].chunks_exact(2).map(|offset| usize::from(u16_at(offset, 0)));
        if is_branch && lower < PAGE_HEADER + 2 {
            return wrong("has no pages below it");
        }
        for offset in offsets {
            let Some(node) = page.get(offset..).filter(|node| offset >= upper && node.len() >= NODE_HEADER) else {
                return wrong("has a node outside itself");
            };
            let low = u64::from(u16_at(node, 0)) | u64::from(u16_at(node, 2)) << 16;
            let node_flags = u16_at(node, 4);
            let key_end = NODE_HEADER + usize::from(u16_at(node, 6));
            let Some(key) = node.get(NODE_HEADER..key_end) else { return wrong("has a key beyond itself") };
            let value = &node[key_end..];
            if is_branch {
                self.check(low | u64::from(node_flags) << 32, depth + 1, sub_tree)?;
            } else if node_flags & BIG_VALUE != 0 {
                let Some(first) = value.get(..8) else { return wrong("has a value beyond itself") };
                self.check_overflow(u64_at(first, 0), low)?;
            } else {
                let Some(value) = value.get(..low as usize) else { return wrong("has a value beyond itself") };
                if node_flags & SUB_TREE != 0 {
                    if value.len() != TREE {
                        return wrong("has a tree without a record");
                    }
                    sub_tree(key, value)?;
                }
            }
        }
        Ok(())
    }

    /// That a value of `bytes` bytes fits the overflow pages from `page_no` on, and those lie in the file.
    fn check_overflow(&self, page_no: u64, bytes: u64) -> Result<(), StorageFailure> {
        let header = self.page(page_no, PAGE_HEADER)?;
        let pages = u64::from(u32_at(&header, 12));
        let holds = PAGE_HEADER as u64 + bytes <= pages * self.page_bytes as u64;
        if u16_at(&header, 10) & OVERFLOW == 0 || !holds || page_no + pages > self.pages_total {
            return Err(damaged_pages(&format!("page {page_no} does not hold a value of {bytes} bytes")));
        }
        Ok(())
    }

    /// The first `bytes` bytes of a page, whose own number is right.
    fn page(&self, page_no: u64, bytes: usize) -> Result<Vec<u8>, StorageFailure> {
        if page_no >= self.pages_total {
            return Err(damaged_pages(&format!("there is no page {page_no} of {}", self.pages_total)));
        }
        let mut page = vec![0; bytes];
        read_exact_at(self.file, &mut page, page_no * self.page_bytes as u64)?;
        if u64_at(&page, 0) != page_no {
            return Err(damaged_pages(&format!("page {page_no} is another page")));
        }
        Ok(page)
    }
}

/// What a meta page says.
struct Meta {
    page_bytes: usize,
    roots: [u64; 2],
    transaction: u64,
}

impl Meta {
    fn read(file: &File, at: u64) -> Result<Self, StorageFailure> {
        let mut page = [0; META];
        match read_exact_at(file, &mut page, at) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(damaged_pages("the file is cut short"));
            }
            read => read?,
        }
        let (magic, version) = (u32_at(&page, 16), u32_at(&page, 20));
        if u16_at(&page, 10) & META_PAGE == 0 || magic != MAGIC {
            return Err(damaged_pages("the file is none of LMDB"));
        }
        if version != VERSION {
            return Err(damaged_pages(&format!("the file has LMDB's data version {version}, not {VERSION}")));
        }
        let trees = &page[PAGE_HEADER + 24..];
        let page_bytes = u32_at(trees, 0) as usize;
        // LMDB's pages are as large as those of the machine that made the file, up to its `MAX_PAGESIZE`.
        if !page_bytes.is_power_of_two() || !(512..=0x1_0000).contains(&page_bytes) {
            return Err(damaged_pages(&format!("pages of {page_bytes} bytes make no sense")));
        }
        let roots = [root_of(&trees[..TREE]), root_of(&trees[TREE..2 * TREE])];
        Ok(Self { page_bytes, roots, transaction: u64_at(trees, 2 * TREE + 8) })
    }
}

fn root_of(tree: &[u8]) -> u64 {
    u64_at(tree, TREE - 8)
}

fn damaged_pages(reason: &str) -> StorageFailure {
    StorageFailure::Damaged(reason.to_owned())
}

// LMDB's numbers are those of the machine.

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_ne_bytes(number)
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(not(unix))]
fn read_exact_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(buffer)
}
