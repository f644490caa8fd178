//! Migrates a database from any earlier version to the latest one.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// The application id of one kind of database, and the steps between its versions.
#[derive(Debug, Clone, Copy)]
pub struct Migrations<'a> {
    /// The application id that the first step sets; it tells this kind of database from others.
    pub application_id: i64,
    /// The steps from each version to the next; the first makes the tables. A step that was ever released is never
    /// changed.
    pub steps: &'a [&'a str],
}

/// The version of a database, compared with the latest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaVersion {
    /// There are no tables yet.
    Empty,
    /// All steps were applied.
    Present,
    /// Only this many steps were applied, at least one.
    Older(i64),
}

/// Why a database cannot be migrated.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// More steps were applied than this program knows.
    #[error("it is of version {found}, and versions up to {known} are known")]
    Newer {
        /// The version of the database.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// It is another kind of database, or of another program.
    #[error("{reason}")]
    Foreign {
        /// What the file holds instead.
        reason: String,
    },
    /// SQLite refused to read the version.
    #[error("reading the version")]
    Reading(#[source] rusqlite::Error),
    /// SQLite refused a step.
    #[error("migrating to the current version")]
    Moving(#[source] rusqlite::Error),
}

impl Migrations<'_> {
    /// The latest version.
    pub fn latest(&self) -> i64 {
        self.steps.len() as i64
    }

    /// The version of the database.
    ///
    /// # Errors
    ///
    /// [`MigrationError::Newer`], [`MigrationError::Foreign`], [`MigrationError::Reading`].
    pub fn version(&self, connection: &Connection) -> Result<SchemaVersion, MigrationError> {
        // Reads everything in one transaction: another process may be creating the database.
        let moment = connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose();
        let moment = moment.map_err(MigrationError::Reading)?;
        let version = self.version_of_moment(connection);
        drop(moment);
        version
    }

    /// Applies the missing steps, all or none. Other processes wait until it is done.
    ///
    /// # Errors
    ///
    /// Those of [`Migrations::version`], and [`MigrationError::Moving`].
    pub fn run(&self, connection: &mut Connection) -> Result<(), MigrationError> {
        if self.version(connection)? == SchemaVersion::Present {
            return Ok(());
        }
        let transaction = Transaction::new(connection, TransactionBehavior::Immediate);
        let transaction = transaction.map_err(MigrationError::Moving)?;
        // Another process may have applied the steps while this one waited.
        let taken = match self.version(&transaction)? {
            SchemaVersion::Empty => 0,
            SchemaVersion::Older(taken) => taken,
            SchemaVersion::Present => return Ok(()),
        };
        let moved = || -> rusqlite::Result<()> {
            for step in &self.steps[taken as usize..] {
                transaction.execute_batch(step)?;
            }
            transaction.pragma_update(None, "user_version", self.latest())?;
            transaction.commit()
        };
        moved().map_err(MigrationError::Moving)
    }

    fn version_of_moment(&self, connection: &Connection) -> Result<SchemaVersion, MigrationError> {
        let number = |sql| {
            let number = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
            number.map_err(MigrationError::Reading)
        };
        let (found, known) = (number("PRAGMA user_version")?, self.latest());
        if number("PRAGMA application_id")? != self.application_id {
            let tables = number("SELECT count(*) FROM sqlite_schema")?;
            return match (found, tables) {
                (0, 0) => Ok(SchemaVersion::Empty),
                _ => Err(MigrationError::Foreign { reason: "it is a database of something else".to_owned() }),
            };
        }
        match found {
            _ if found == known => Ok(SchemaVersion::Present),
            _ if found > known => Err(MigrationError::Newer { found, known }),
            1.. => Ok(SchemaVersion::Older(found)),
            _ => Err(MigrationError::Foreign { reason: format!("it has no version {found}") }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "PRAGMA application_id = 7; CREATE TABLE notes (text); INSERT INTO notes VALUES ('a');";
    const SECOND: &str = "ALTER TABLE notes ADD COLUMN mark TEXT; UPDATE notes SET mark = 'of ' || text;";
    const BROKEN: &str = "UPDATE notes SET mark = 'lost'; DROP TABLE absent;";

    fn migrations<'a>(steps: &'a [&'a str]) -> Migrations<'a> {
        Migrations { application_id: 7, steps }
    }

    #[test]
    fn steps_are_taken_once_in_order_and_all_or_none() {
        let mut connection = Connection::open_in_memory().unwrap();
        let marks = |connection: &Connection| -> String {
            connection.query_row("SELECT group_concat(mark) FROM notes", [], |row| row.get(0)).unwrap()
        };
        assert_eq!(migrations(&[FIRST]).version(&connection).unwrap(), SchemaVersion::Empty);
        migrations(&[FIRST]).run(&mut connection).unwrap();
        assert_eq!(migrations(&[FIRST]).version(&connection).unwrap(), SchemaVersion::Present);
        for _ in 0..2 {
            migrations(&[FIRST, SECOND]).run(&mut connection).unwrap();
            assert_eq!(marks(&connection), "of a");
        }
        let broken = migrations(&[FIRST, SECOND, BROKEN]);
        assert!(matches!(broken.run(&mut connection), Err(MigrationError::Moving(_))));
        assert_eq!(marks(&connection), "of a", "half a step is none");
        assert_eq!(broken.version(&connection).unwrap(), SchemaVersion::Older(2));
    }

    #[test]
    fn a_later_version_and_another_application_are_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrations(&[FIRST, SECOND]).run(&mut connection).unwrap();
        let newer = migrations(&[FIRST]).run(&mut connection);
        assert!(matches!(newer, Err(MigrationError::Newer { found: 2, known: 1 })), "{newer:?}");
        let foreign = Migrations { application_id: 8, steps: &[FIRST] }.run(&mut connection);
        assert!(matches!(foreign, Err(MigrationError::Foreign { .. })), "{foreign:?}");
    }
}
