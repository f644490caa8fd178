//! Checks the pages of LMDB's file before LMDB maps them.
//!
//! LMDB does not check what it maps: a damaged page number or offset would make it read outside of the file, which
//! kills the process. So the upper pages are read here with file calls and checked. Rows are stored in overflow pages,
//! of which only the extent is checked. The layout is that of LMDB's data version 1 (its mdb.c: `MDB_page`, `MDB_node`,
//! `MDB_db`, `MDB_meta`).

use std::fs::File;
use std::io;
use std::path::Path;

use crate::error::StorageFailure;

/// `MDB_MAGIC`.
const MAGIC: u32 = 0xBEEF_C0DE;

/// `MDB_DATA_VERSION`.
const VERSION: u32 = 1;

/// Size of a page's header in bytes; nodes and their offsets follow.
const PAGE_HEADER: usize = 16;

/// Size of a node's header in bytes; its key and its value follow.
const NODE_HEADER: usize = 8;

/// Bytes of a meta page that are read: header, magic, version, address, size, two trees, last page, transaction.
const META: usize = PAGE_HEADER + 24 + 2 * TREE + 16;

/// Size of the record of a tree in bytes; its last 8 bytes are the root.
const TREE: usize = 48;

/// Page number that stands for no root, in an empty tree.
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

/// Whether this machine uses the layout described here: page numbers of 8 bytes, little-endian.
const IS_KNOWN: bool = cfg!(all(target_pointer_width = "64", target_endian = "little"));

/// Checks that `file` begins like a file of LMDB, or does not exist yet.
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

/// Checks that the tree of free pages, the tree of databases and the trees of the databases `names` lie within `file`.
///
/// The caller must hold a read transaction, so that no page is overwritten during the check.
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

/// The pages of a file, according to its newest meta page.
struct Pages<'a> {
    file: &'a File,
    page_bytes: usize,
    /// Number of pages in the file.
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

    /// Checks the tree below the page `page_no` and calls `sub_tree` with the name and the record of each sub-tree.
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

    /// Checks that a value of `bytes` bytes fits the overflow pages from `page_no` on, and that these pages are in the
    /// file.
    fn check_overflow(&self, page_no: u64, bytes: u64) -> Result<(), StorageFailure> {
        let header = self.page(page_no, PAGE_HEADER)?;
        let pages = u64::from(u32_at(&header, 12));
        let holds = PAGE_HEADER as u64 + bytes <= pages * self.page_bytes as u64;
        if u16_at(&header, 10) & OVERFLOW == 0 || !holds || page_no + pages > self.pages_total {
            return Err(damaged_pages(&format!("page {page_no} does not hold a value of {bytes} bytes")));
        }
        Ok(())
    }

    /// The first `bytes` bytes of a page, after checking the page number that it contains.
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

/// The content of a meta page.
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
        // LMDB's page size is that of the machine that created the file, up to its `MAX_PAGESIZE`.
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

// LMDB's numbers have the byte order of the machine.

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
