//! Opens a database of ICM without changing it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use icr_sqlite::{Cause, Opening, connect};
use rusqlite::Connection;

use crate::database::ScratchDirectory;
use crate::transfer::TransferError;
use crate::transfer::source::SQLITE_MAGIC;

/// A readable database of ICM. If it is a temporary copy, the copy is deleted when this is dropped.
pub(super) struct IcmFile {
    pub(super) connection: Connection,
    _copy: Option<ScratchCopy>,
}

impl IcmFile {
    pub(super) fn open(path: &Path, scratch: Option<&Path>) -> Result<Self, TransferError> {
        let no_icm = |reason: String| TransferError::NoIcmDatabase { path: path.to_owned(), reason };
        check_magic(path).map_err(no_icm)?;
        let failed = |error: rusqlite::Error| no_icm(error.to_string());
        let connection = connect(path, Opening::Read, None).map_err(failed)?;
        match probe(&connection) {
            Ok(()) => return Ok(Self { connection, _copy: None }),
            Err(error) => match Cause::from(&error) {
                // The log cannot be read without a second file, which cannot be created; or an interrupted write has to
                // be rolled back first.
                Cause::CannotOpen | Cause::ReadOnly | Cause::CutOff => {}
                _ => return Err(failed(error)),
            },
        }
        drop(connection);
        let has_log =
            ["-wal", "-journal"].iter().any(|end| fs::metadata(beside(path, end)).is_ok_and(|log| log.len() > 0));
        if !has_log {
            let connection = connect(path, Opening::Immutable, None).map_err(failed)?;
            probe(&connection).map_err(failed)?;
            return Ok(Self { connection, _copy: None });
        }
        let Some(scratch) = scratch else {
            let reason = "its log holds changes that cannot be read in a directory that cannot be written; copy the database together with \
                 the file `-wal` beside it, and import the copy";
            return Err(no_icm(reason.to_owned()));
        };
        let copy = ScratchCopy::of(path, scratch)
            .map_err(|source| TransferError::Io { doing: "copying a database of ICM", source })?;
        let connection = connect(&copy.path, Opening::Write, None).map_err(failed)?;
        probe(&connection).map_err(failed)?;
        Ok(Self { connection, _copy: Some(copy) })
    }
}

/// Reads something, so that errors of opening appear now.
fn probe(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0)).map(drop)
}

fn check_magic(path: &Path) -> Result<(), String> {
    let mut begin = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err("it is a directory".to_owned());
    }
    file.take(SQLITE_MAGIC.len() as u64).read_to_end(&mut begin).map_err(|error| error.to_string())?;
    match begin.as_slice() {
        [] => Err("it is empty".to_owned()),
        begin if begin == SQLITE_MAGIC => Ok(()),
        _ => Err("it is no SQLite database".to_owned()),
    }
}

/// A temporary copy of a database and its logs.
struct ScratchCopy {
    path: PathBuf,
    _directory: ScratchDirectory,
}

impl ScratchCopy {
    fn of(path: &Path, scratch: &Path) -> std::io::Result<Self> {
        let directory = ScratchDirectory::create(scratch)?;
        let copy = directory.path.join("icm.db");
        fs::copy(path, &copy)?;
        for end in ["-wal", "-journal"] {
            let log = beside(path, end);
            if log.exists() {
                fs::copy(log, beside(&copy, end))?;
            }
        }
        Ok(Self { path: copy, _directory: directory })
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}
