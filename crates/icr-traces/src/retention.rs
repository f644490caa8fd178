//! Deletes events that are too old, and the oldest events if the database is too large.

use rusqlite::Connection;

use crate::Error;
use crate::database::Database;

/// Rows that one transaction deletes, and pages that one transaction frees. Others wait for its lock for some
/// hundredths of a second at most.
const ROWS_AT_ONCE: i64 = 200;
const PAGES_AT_ONCE: u64 = 500;

/// When the database is too large, it is shrunk to this percentage of the bound, so that the next batch need not delete
/// again.
const PERCENT_LEFT: u64 = 90;

/// The tables, each with its column of times.
const TABLES: [(&str, &str); 3] = [("calls", "started_at"), ("drops", "at"), ("file_uses", "at")];

impl Database {
    /// Deletes everything before `moment`, in microseconds since 1970. If there is nothing to delete, this costs one
    /// look-up in each of three indexes.
    pub(crate) fn delete_before(&mut self, moment: i64) -> Result<(), Error> {
        let mut is_smaller = false;
        for (table, time) in TABLES {
            let sql =
                format!("DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE {time} < ?1 LIMIT ?2)");
            loop {
                let deleted = self.change("deleting old traces", |transaction| {
                    transaction.prepare_cached(&sql)?.execute((moment, ROWS_AT_ONCE))
                })?;
                is_smaller |= deleted > 0;
                if (deleted as i64) < ROWS_AT_ONCE {
                    break;
                }
            }
        }
        if is_smaller { self.give_pages_back() } else { Ok(()) }
    }

    /// Deletes the oldest events until the database has at most `bytes_most`. If it is small enough, this costs two
    /// pragmas.
    pub(crate) fn keep_size(&mut self, bytes_most: u64) -> Result<(), Error> {
        if self.bytes()? <= bytes_most {
            return Ok(());
        }
        while self.bytes()? > bytes_most / 100 * PERCENT_LEFT {
            let Some(moment) = self.read("looking for the oldest traces", nearly_oldest)? else { break };
            self.delete_before(moment.saturating_add(1))?;
        }
        Ok(())
    }

    /// Bytes of the database, without its write-ahead log.
    fn bytes(&self) -> Result<u64, Error> {
        self.read("asking the size of the traces", |connection| {
            let number = |sql| connection.query_row(sql, [], |row| row.get::<_, u64>(0));
            Ok(number("PRAGMA page_count")?.saturating_mul(number("PRAGMA page_size")?))
        })
    }

    /// Shrinks the file by its free pages.
    fn give_pages_back(&mut self) -> Result<(), Error> {
        let mut before = u64::MAX;
        let sql = format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})");
        loop {
            let left = self.change("making the traces smaller", |transaction| {
                // The pragma frees one page for each row that is read from it.
                let mut statement = transaction.prepare(&sql)?;
                let mut rows = statement.query([])?;
                while rows.next()?.is_some() {}
                transaction.query_row("PRAGMA freelist_count", [], |row| row.get::<_, u64>(0))
            })?;
            // A database that was created without auto-vacuum frees no page.
            if left == 0 || left >= before {
                return Ok(());
            }
            before = left;
        }
    }
}

/// The latest time of the oldest tenth of the events; `None` if there are none.
fn nearly_oldest(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let times =
        "SELECT started_at AS time FROM calls UNION ALL SELECT at FROM file_uses UNION ALL SELECT at FROM drops";
    let total: i64 = connection.query_row(&format!("SELECT count(*) FROM ({times})"), [], |row| row.get(0))?;
    let sql = format!("SELECT time FROM ({times}) ORDER BY time LIMIT 1 OFFSET ?1");
    match connection.query_row(&sql, [total / 10], |row| row.get(0)) {
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
        found => found.map(Some),
    }
}
