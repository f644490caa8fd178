//! Opens a damaged database, so that what can be read of it can be saved.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use icr_sqlite::{Opening, SchemaVersion};
use rusqlite::config::DbConfig;

use super::{MemoryDatabase, MemoryOptions, Unreadable, check_kind, from_io, from_sqlite, log_of};
use crate::{Access, DatabaseKind, Error};

/// Bytes of the header of a database, which precedes the content of its first page (SQLite, "Database File Format", 1.3).
const HEADER_BYTES: usize = 100;

/// Where the header has the size of a page, and the number of pages.
const PAGE_SIZE_AT: usize = 16;
const PAGE_COUNT_AT: u64 = 28;

/// Type of a page that only points at other pages of its table, and the bytes before its pointers to cells.
const INTERIOR: u8 = 5;
const INTERIOR_HEADER_BYTES: usize = 12;

impl MemoryDatabase {
    /// Opens a damaged database, or one that was cut short, so that what can be read of it can be exported. Nothing is
    /// changed. If the definitions of its tables are lost, they are taken from a new database, in a copy below `scratch`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if nothing can be read; those of reading, and of copying.
    pub fn open_damaged(path: &Path, scratch: &Path, options: MemoryOptions) -> Result<Self, Error> {
        check_kind(path)?;
        let has_log = fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0);
        let opened = match open_damaged_as(path, Opening::Read, &options)? {
            Err(Unreadable::NoSharedMemory) if !has_log => open_damaged_as(path, Opening::Immutable, &options)?,
            opened => opened,
        };
        let database = opened.map_err(|unreadable| unreadable.error(path))?;
        match find_memories(&database) {
            Err(Error::Damaged { .. }) => {}
            Ok(()) => return Ok(database),
            Err(error) => return Err(error),
        }
        drop(database);
        let failed = |source| from_io("copying a damaged database", path, source);
        let directory = ScratchDirectory::create(scratch).map_err(failed)?;
        let copy = directory.path.join("copy.db");
        let sound = directory.path.join("sound.db");
        drop(Self::create(&sound, MemoryOptions::default())?);
        fs::copy(path, &copy).and_then(|_| put_definitions(&fs::read(&sound)?, &copy)).map_err(failed)?;
        let opened = open_damaged_as(&copy, Opening::Immutable, &options)?;
        let database = opened.map_err(|unreadable| unreadable.error(path))?;
        find_memories(&database)?;
        Ok(Self { path: path.to_owned(), _scratch: Some(directory), ..database })
    }
}

fn open_damaged_as(
    path: &Path,
    opening: Opening,
    options: &MemoryOptions,
) -> Result<Result<MemoryDatabase, Unreadable>, Error> {
    let database = MemoryDatabase::connect(path, opening, Access::Read, options.clone())?;
    // SQLite refuses a file that has fewer pages than its header says, and one whose tables cannot all be read, unless
    // their definitions may be written. This connection only reads.
    let set = database.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true);
    set.map_err(|source| from_sqlite("opening the memory database", path, source))?;
    match database.version() {
        Ok(SchemaVersion::Present) => Ok(Ok(database)),
        Ok(_) => {
            let reason = "its tables are not those of this version".to_owned();
            Err(Error::Damaged { kind: DatabaseKind::Memory, path: path.to_owned(), reason })
        }
        Err(unreadable) => Ok(Err(unreadable)),
    }
}

fn find_memories(database: &MemoryDatabase) -> Result<(), Error> {
    database.read("looking for memories", |connection| connection.prepare("SELECT no FROM memories").map(drop))
}

/// Writes the pages of the database `sound` that define its tables over those of the file at `copy`. The tables of all
/// databases are made in the same order, so they begin at the same pages.
fn put_definitions(sound: &[u8], copy: &Path) -> io::Result<()> {
    let page_bytes = usize::from(u16_at(sound, PAGE_SIZE_AT)).max(512);
    let pages = definition_pages(sound);
    let mut file = OpenOptions::new().write(true).open(copy)?;
    for page in &pages {
        let start = (page - 1) * page_bytes;
        let content = sound.get(start..start + page_bytes).unwrap_or_default();
        file.seek(SeekFrom::Start(start as u64))?;
        file.write_all(content)?;
    }
    let count = file.metadata()?.len() / page_bytes as u64;
    write_page_count(&mut file, u32::try_from(count).unwrap_or(u32::MAX))
}

fn write_page_count(file: &mut File, count: u32) -> io::Result<()> {
    file.seek(SeekFrom::Start(PAGE_COUNT_AT))?;
    file.write_all(&count.to_be_bytes())
}

/// Numbers of the pages that hold the definitions of tables: the first page, and those that it points at.
fn definition_pages(sound: &[u8]) -> BTreeSet<usize> {
    let mut pages = BTreeSet::from([1]);
    if sound.get(HEADER_BYTES) == Some(&INTERIOR) {
        let cells = usize::from(u16_at(sound, HEADER_BYTES + 3));
        let pointers = (0..cells).map(|cell| u16_at(sound, HEADER_BYTES + INTERIOR_HEADER_BYTES + 2 * cell));
        let children = pointers.map(|at| u32_at(sound, usize::from(at)));
        pages.extend(
            children.chain([u32_at(sound, HEADER_BYTES + 8)]).map(|page| page as usize).filter(|page| *page > 0),
        );
    }
    pages
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// A directory that only its owner may read. It is deleted when this is dropped.
#[derive(Debug)]
pub(crate) struct ScratchDirectory {
    pub(crate) path: PathBuf,
}

impl ScratchDirectory {
    /// Creates a new directory below `scratch`. An existing link with this name is not followed.
    pub(crate) fn create(scratch: &Path) -> io::Result<Self> {
        fs::create_dir_all(scratch)?;
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let process = std::process::id();
        for number in 0_u64.. {
            let path = scratch.join(format!("icr-import-{process}-{number}"));
            match builder.create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|()| Self { path }),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        // If deleting fails, only a copy is left behind.
        let _ = fs::remove_dir_all(&self.path);
    }
}
