//! Classifies errors of SQLite and of the operating system by what they mean to a crate that keeps data in a database.

use std::io::{self, ErrorKind};

use rusqlite::{ErrorCode, ffi};

/// Why an access to the database failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Another connection holds a lock for longer than [`crate::BUSY_TIMEOUT`].
    Busy,
    /// No space is left, or a quota is used up.
    Full,
    /// The file or its directory cannot be written.
    ReadOnly,
    /// A writer was stopped in the middle of a transaction, and this connection may not roll it back.
    CutOff,
    /// A page holds other bytes than were written: a file system with checksums reports this.
    Checksum,
    /// The file is damaged, is not a database, or lacks a table or column: it is half of a database or of another
    /// program.
    Damaged,
    /// A row holds a value of another type than its column expects.
    UnexpectedValue,
    /// A directory lies where a file should.
    Directory,
    /// The file cannot be opened: it is absent, or something is in its place.
    CannotOpen,
    /// Anything else.
    Other,
}

/// The errors of SQLite when the file system takes no more bytes: a refused write, and shared memory that could not
/// grow (`SQLITE_IOERR_WRITE`, `SQLITE_IOERR_SHMSIZE` of sqlite3.h).
const NO_MORE_BYTES: [i32; 2] = [778, 4874];

/// The error when there is a journal that a reader may not play back (`SQLITE_READONLY_ROLLBACK` of sqlite3.h).
const CUT_OFF: i32 = 776;

impl From<&rusqlite::Error> for Cause {
    fn from(error: &rusqlite::Error) -> Self {
        if let rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) = error {
            return Self::UnexpectedValue;
        }
        match error.sqlite_error().map(|error| error.extended_code) {
            Some(CUT_OFF) => return Self::CutOff,
            Some(ffi::SQLITE_IOERR_DATA) => return Self::Checksum,
            Some(code) if NO_MORE_BYTES.contains(&code) => return Self::Full,
            _ => {}
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly,
            // SQLite reports a missing table or column as `Unknown`.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown) => Self::Damaged,
            Some(ErrorCode::CannotOpen) => Self::CannotOpen,
            _ => Self::Other,
        }
    }
}

impl From<&io::Error> for Cause {
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Self::Full,
            ErrorKind::IsADirectory => Self::Directory,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use rusqlite::types::Type;

    use super::*;

    #[track_caller]
    fn check(error: rusqlite::Error, expected: Cause) {
        assert_eq!(Cause::from(&error), expected, "{error:?}");
    }

    fn of_code(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    }

    #[test]
    fn codes_of_sqlite_have_a_cause() {
        check(of_code(ffi::SQLITE_BUSY), Cause::Busy);
        check(of_code(ffi::SQLITE_LOCKED), Cause::Busy);
        check(of_code(ffi::SQLITE_FULL), Cause::Full);
        check(of_code(ffi::SQLITE_IOERR_WRITE), Cause::Full);
        check(of_code(ffi::SQLITE_IOERR_SHMSIZE), Cause::Full);
        check(of_code(ffi::SQLITE_READONLY), Cause::ReadOnly);
        check(of_code(ffi::SQLITE_PERM), Cause::ReadOnly);
        check(of_code(ffi::SQLITE_READONLY_ROLLBACK), Cause::CutOff);
        check(of_code(ffi::SQLITE_IOERR_DATA), Cause::Checksum);
        check(of_code(ffi::SQLITE_CORRUPT), Cause::Damaged);
        check(of_code(ffi::SQLITE_NOTADB), Cause::Damaged);
        check(of_code(ffi::SQLITE_CANTOPEN), Cause::CannotOpen);
        check(of_code(ffi::SQLITE_IOERR_READ), Cause::Other);
        check(rusqlite::Error::QueryReturnedNoRows, Cause::Other);
    }

    #[test]
    fn a_missing_table_is_damage_and_a_wrong_type_is_an_unexpected_value() {
        let connection = Connection::open_in_memory().unwrap();
        check(connection.execute("DELETE FROM absent", []).unwrap_err(), Cause::Damaged);
        check(connection.query_row("SELECT 'a'", [], |row| row.get::<_, i64>(0)).unwrap_err(), Cause::UnexpectedValue);
        check(rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, "no id".into()), Cause::UnexpectedValue);
    }

    #[test]
    fn errors_of_the_operating_system_have_a_cause() {
        for (kind, expected) in [
            (ErrorKind::PermissionDenied, Cause::ReadOnly),
            (ErrorKind::ReadOnlyFilesystem, Cause::ReadOnly),
            (ErrorKind::QuotaExceeded, Cause::Full),
            (ErrorKind::IsADirectory, Cause::Directory),
            (ErrorKind::NotFound, Cause::Other),
        ] {
            assert_eq!(Cause::from(&io::Error::from(kind)), expected, "{kind}");
        }
    }
}
