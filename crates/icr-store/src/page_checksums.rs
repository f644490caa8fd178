//! A checksum at the end of every page of the ledger, so that a page with changed bytes is detected when it is read.
//!
//! SQLite does not check pages itself: one flipped bit gives another number, another name, or a row that is not found.
//! Its files are accessed here through SQLite's own VFS with two functions replaced for databases: writing a page
//! stores the checksum in bytes that SQLite leaves free, and reading one compares it. SQLite's log has its own
//! checksums.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::{LazyLock, Mutex};

use icr_model::even_after_panic;
use rusqlite::{Connection, ffi};

/// Name of SQLite's VFS with checksums, for code outside of this crate that opens a ledger.
pub const CHECKSUM_VFS: &str = "icr-sums";

/// Name of the same VFS without locks.
pub(crate) const CHECKSUM_VFS_WITHOUT_LOCKS: &str = "icr-sums-without-locks";

/// Name of the checksum scheme; part of the format.
pub(crate) const FORMAT: &str = "pages of 4096 bytes, the last 8: crc32 of the others and of the number, number";

/// Name of SQLite's own VFS without locks.
const WITHOUT_LOCKS: &str = if cfg!(windows) { "win32-none" } else { "unix-none" };

/// Size of a page in bytes.
const PAGE: usize = 4096;

/// Bytes at the end of a page that SQLite leaves free: for the checksum, and the number of the page.
const RESERVED: usize = 8;

/// Registers both VFS with SQLite.
pub(crate) fn register() {
    static REGISTERED: LazyLock<()> = LazyLock::new(|| {
        register_over(None, CHECKSUM_VFS);
        register_over(Some(WITHOUT_LOCKS), CHECKSUM_VFS_WITHOUT_LOCKS);
    });
    LazyLock::force(&REGISTERED);
}

/// Makes a new database of `connection` leave the bytes free that the checksums need.
pub(crate) fn reserve(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "page_size", PAGE as i64)?;
    let mut bytes = RESERVED as c_int;
    // SAFETY: the connection is open, `main` names its database, and the operation reads and writes one integer.
    let code = unsafe {
        let bytes = ptr::from_mut(&mut bytes).cast();
        ffi::sqlite3_file_control(connection.handle(), c"main".as_ptr(), ffi::SQLITE_FCNTL_RESERVE_BYTES, bytes)
    };
    if code == ffi::SQLITE_OK { Ok(()) } else { Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)) }
}

/// A VFS that opens files as `base` does, and adds checksums for databases.
#[repr(C)]
struct SummedFiles {
    /// The first field, so that a pointer to it is also a pointer to the whole struct.
    own: ffi::sqlite3_vfs,
    base: *mut ffi::sqlite3_vfs,
}

/// The I/O functions of an open database.
#[repr(C)]
struct SummedMethods {
    /// The first field, so that a pointer to it is also a pointer to the whole struct.
    own: ffi::sqlite3_io_methods,
    base: ffi::sqlite3_io_methods,
}

fn register_over(base: Option<&str>, name: &str) {
    let text = |text: &str| CString::new(text).expect("names of file systems have no zero byte");
    let base = base.map(text);
    // SAFETY: the name lives until the call returns; SQLite's own file systems live as long as the process.
    let base = unsafe { ffi::sqlite3_vfs_find(base.as_ref().map_or(ptr::null(), |base| base.as_ptr())) };
    assert!(!base.is_null(), "SQLite brings its file systems along");
    // SAFETY: the pointer was just found not to be null.
    let own = unsafe { *base };
    let own = ffi::sqlite3_vfs { pNext: ptr::null_mut(), zName: text(name).into_raw(), xOpen: Some(open), ..own };
    let files = Box::leak(Box::new(SummedFiles { own, base }));
    // SAFETY: a registered VFS is leaked, so it lives as long as the process, and it is not changed any more.
    let code = unsafe { ffi::sqlite3_vfs_register(ptr::from_mut(files).cast(), 0) };
    assert_eq!(code, ffi::SQLITE_OK, "registering takes no more than a lock");
}

/// Opens a file as the base does; a database gets I/O functions with checksums.
///
/// # Safety
///
/// As SQLite calls it: `vfs` is one that [`register_over`] made, and the others are those of `sqlite3_vfs.xOpen`.
unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: the file system is the first field of a `SummedFiles`, and its base lives as long as the process.
    let (base, open) = unsafe {
        let base = (*vfs.cast::<SummedFiles>()).base;
        (base, (*base).xOpen)
    };
    let Some(open) = open else { return ffi::SQLITE_CANTOPEN };
    // SAFETY: the arguments are those that SQLite gave, for the file system that the function belongs to.
    let code = unsafe { open(base, name, file, flags, out_flags) };
    if code == ffi::SQLITE_OK && flags & ffi::SQLITE_OPEN_MAIN_DB != 0 {
        // SAFETY: a file that was opened has functions, which live as long as the process.
        unsafe { (*file).pMethods = summed((*file).pMethods) };
    }
    code
}

/// The functions `base` with checksums; made once for each base.
///
/// # Safety
///
/// `base` points to functions that live as long as the process.
unsafe fn summed(base: *const ffi::sqlite3_io_methods) -> *const ffi::sqlite3_io_methods {
    /// For each table of I/O functions, by address, the table with checksums that was made of it.
    static MADE: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
    let mut made = even_after_panic(MADE.lock());
    if let Some((_, methods)) = made.iter().find(|(known, _)| *known == base.addr()) {
        return ptr::with_exposed_provenance(*methods);
    }
    // SAFETY: the caller says so.
    let base_methods = unsafe { *base };
    let own = ffi::sqlite3_io_methods { xRead: Some(read), xWrite: Some(write), ..base_methods };
    let methods = ptr::from_mut(Box::leak(Box::new(SummedMethods { own, base: base_methods }))).cast_const();
    made.push((base.addr(), methods.expose_provenance()));
    methods.cast()
}

/// The base functions of an open database.
///
/// # Safety
///
/// `file` was opened by [`open`] as a database.
unsafe fn base_of(file: *mut ffi::sqlite3_file) -> ffi::sqlite3_io_methods {
    // SAFETY: the functions of such a file are the first field of a `SummedMethods`.
    unsafe { (*(*file).pMethods.cast::<SummedMethods>()).base }
}

/// Reads; a page with a wrong checksum is an error.
///
/// # Safety
///
/// As SQLite calls it: `buffer` takes `amount` bytes.
unsafe extern "C" fn read(file: *mut ffi::sqlite3_file, buffer: *mut c_void, amount: c_int, at: i64) -> c_int {
    // SAFETY: this is called for files that `open` opened.
    let Some(read) = (unsafe { base_of(file) }).xRead else { return ffi::SQLITE_IOERR_READ };
    // SAFETY: the arguments are those that SQLite gave.
    let code = unsafe { read(file, buffer, amount, at) };
    if let (ffi::SQLITE_OK, Some(page_no)) = (code, page_no(amount, at)) {
        // SAFETY: as many bytes as a page has were just read into the buffer.
        let page = unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), PAGE) };
        let (content, sum) = page.split_at(PAGE - RESERVED);
        if sum != sum_of(page_no, content) {
            return ffi::SQLITE_IOERR_DATA;
        }
    }
    code
}

/// Writes; a page is written with its checksum.
///
/// # Safety
///
/// As SQLite calls it: `buffer` holds `amount` bytes.
unsafe extern "C" fn write(file: *mut ffi::sqlite3_file, buffer: *const c_void, amount: c_int, at: i64) -> c_int {
    // SAFETY: this is called for files that `open` opened.
    let Some(write) = (unsafe { base_of(file) }).xWrite else { return ffi::SQLITE_IOERR_WRITE };
    let Some(page_no) = page_no(amount, at) else {
        // SAFETY: the arguments are those that SQLite gave.
        return unsafe { write(file, buffer, amount, at) };
    };
    let mut page = [0; PAGE];
    // SAFETY: the buffer holds as many bytes as a page has.
    page.copy_from_slice(unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), PAGE) });
    let sum = sum_of(page_no, &page[..PAGE - RESERVED]);
    page[PAGE - RESERVED..].copy_from_slice(&sum);
    // SAFETY: the arguments are those that SQLite gave, with as many other bytes.
    unsafe { write(file, page.as_ptr().cast(), amount, at) }
}

/// Number of the page that is read or written, from 0; `None` if it is not a whole page, as when SQLite first reads the
/// header.
fn page_no(amount: c_int, at: i64) -> Option<u32> {
    let is_page = amount == PAGE as c_int && at % PAGE as i64 == 0;
    is_page.then(|| u32::try_from(at / PAGE as i64).ok()).flatten()
}

fn sum_of(page_no: u32, content: &[u8]) -> [u8; RESERVED] {
    let number = page_no.to_le_bytes();
    let mut sum = crc32fast::Hasher::new();
    sum.update(content);
    sum.update(&number);
    let mut bytes = [0; RESERVED];
    bytes[..4].copy_from_slice(&sum.finalize().to_le_bytes());
    bytes[4..].copy_from_slice(&number);
    bytes
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::testing::store;
    use crate::{Access, Error, Ledger, Numbers};

    #[test]
    fn every_flipped_bit_of_a_page_that_is_read_is_damage() {
        let (_home, place) = store();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        ledger.reserve(Numbers { blob: 5, chunk: 6, path: 7 }, Numbers::default()).unwrap();
        drop(ledger);
        let sound = fs::read(place.ledger()).unwrap();
        assert_eq!(sound.len() % super::PAGE, 0);
        // Changes bytes of the first page, which every reader reads, at distances that reach all positions within a
        // byte.
        for bit in (0..super::PAGE * 8).step_by(331) {
            let mut flipped = sound.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(place.ledger(), flipped).unwrap();
            let read = Ledger::open(&place, Access::Read).and_then(|ledger| ledger.numbers());
            assert!(matches!(read, Err(Error::Damaged { .. })), "bit {bit}: {read:?}");
        }
        fs::write(place.ledger(), sound).unwrap();
        let numbers = Ledger::open(&place, Access::Read).unwrap().numbers().unwrap();
        assert_eq!(numbers, Numbers { blob: 5, chunk: 6, path: 7 });
    }

    #[test]
    fn a_page_in_the_place_of_another_is_damage() {
        let (_home, place) = store();
        drop(Ledger::open(&place, Access::Write).unwrap());
        let mut bytes = fs::read(place.ledger()).unwrap();
        let pages = bytes.len() / super::PAGE;
        assert!(pages > 3, "{pages}");
        let second = bytes[super::PAGE..2 * super::PAGE].to_vec();
        (2..pages).for_each(|page| bytes[page * super::PAGE..(page + 1) * super::PAGE].copy_from_slice(&second));
        fs::write(place.ledger(), bytes).unwrap();
        let checked = Ledger::open(&place, Access::Read).and_then(|ledger| ledger.check());
        assert!(matches!(checked, Err(Error::Damaged { .. })), "{checked:?}");
    }
}
