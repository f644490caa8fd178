//! Moving a database from any version on to the present one.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::Error;

/// The steps from each version to the next; the first makes the tables. A step that was ever released is never changed.
pub(crate) const STEPS: &[&str] =
    &[include_str!("migrations/0001_pins.sql"), include_str!("migrations/0002_clone_ids.sql")];

/// The oldest version whose pins are read as they are, where the database cannot be moved forward: its tables are those of the
/// present one.
pub(crate) const READABLE_FROM: i64 = 1;

/// The application id that the first step sets.
const APPLICATION_ID: i64 = 0x6963_7270;

/// What a database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing is in it yet.
    Empty,
    /// It has had all of the steps.
    Present,
    /// It has had this many steps, at least one.
    Older(i64),
}

/// What the database is, for a program that knows `steps`.
///
/// # Errors
///
/// [`Error::Newer`] after more steps than are known; [`Error::Damaged`] for a database of something else.
pub(crate) fn state(connection: &Connection, path: &Path, steps: &[&str]) -> Result<State, Error> {
    let failed = |source| Error::from_sqlite("reading the version of the pins", path, source);
    // All of it at one moment: another process may be making the database.
    let moment = connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose().map_err(failed)?;
    let state = state_of_moment(connection, path, steps);
    drop(moment);
    state
}

fn state_of_moment(connection: &Connection, path: &Path, steps: &[&str]) -> Result<State, Error> {
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let failed = |source| Error::from_sqlite("reading the version of the pins", path, source);
    let (found, known) = (number("PRAGMA user_version").map_err(failed)?, steps.len() as i64);
    if number("PRAGMA application_id").map_err(failed)? != APPLICATION_ID {
        let tables = number("SELECT count(*) FROM sqlite_schema").map_err(failed)?;
        return match (found, tables) {
            (0, 0) => Ok(State::Empty),
            _ => Err(Error::Damaged { path: path.to_owned(), reason: "it is a database of something else".to_owned() }),
        };
    }
    match found {
        _ if found == known => Ok(State::Present),
        _ if found > known => Err(Error::Newer { path: path.to_owned(), found, known }),
        1.. => Ok(State::Older(found)),
        _ => Err(Error::Damaged { path: path.to_owned(), reason: format!("it has no version {found}") }),
    }
}

/// Takes the steps that the database has not had, all or none; other processes wait meanwhile.
///
/// # Errors
///
/// Those of [`state`], and of writing.
pub(crate) fn migrate(connection: &mut Connection, path: &Path, steps: &[&str]) -> Result<(), Error> {
    if state(connection, path, steps)? == State::Present {
        return Ok(());
    }
    let failed = |source| Error::from_sqlite("moving the pins to this version", path, source);
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have done it while this one waited.
    let taken = match state(&transaction, path, steps)? {
        State::Empty => 0,
        State::Older(taken) => taken,
        State::Present => return Ok(()),
    };
    for step in &steps[taken as usize..] {
        transaction.execute_batch(step).map_err(failed)?;
    }
    transaction.pragma_update(None, "user_version", steps.len() as i64).map_err(failed)?;
    transaction.commit().map_err(failed)
}
