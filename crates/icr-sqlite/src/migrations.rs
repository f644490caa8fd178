//! Moving a database from any version on to the present one.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// How one kind of database is told from others, and how each version of it becomes the next.
#[derive(Debug, Clone, Copy)]
pub struct Migrations<'a> {
    /// The application id that the first step sets.
    pub application_id: i64,
    /// The steps from each version to the next; the first makes the tables. A step that was ever released is never changed.
    pub steps: &'a [&'a str],
}

/// How far a database has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaVersion {
    /// Nothing is in it yet.
    Empty,
    /// It has had all of the steps.
    Present,
    /// It has had this many steps, at least one.
    Older(i64),
}

/// Why a database cannot be moved forward.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// It has had more steps than are known.
    #[error("it is of version {found}, and versions up to {known} are known")]
    Newer {
        /// Its version.
        found: i64,
        /// The latest version that is known here.
        known: i64,
    },
    /// It is a database of something else.
    #[error("{reason}")]
    Foreign {
        /// What was found.
        reason: String,
    },
    /// SQLite refused to read the version.
    #[error("reading the version")]
    Reading(#[source] rusqlite::Error),
    /// SQLite refused a step.
    #[error("moving to the present version")]
    Moving(#[source] rusqlite::Error),
}

impl Migrations<'_> {
    /// The present version.
    pub fn latest(&self) -> i64 {
        self.steps.len() as i64
    }

    /// How far the database has come.
    ///
    /// # Errors
    ///
    /// [`MigrationError::Newer`], [`MigrationError::Foreign`], [`MigrationError::Reading`].
    pub fn version(&self, connection: &Connection) -> Result<SchemaVersion, MigrationError> {
        // All of it at one moment: another process may be making the database.
        let moment = connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose();
        let moment = moment.map_err(MigrationError::Reading)?;
        let version = self.version_of_moment(connection);
        drop(moment);
        version
    }

    /// Takes the steps that the database has not had, all or none; other processes wait meanwhile.
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
        // Another process may have done it while this one waited.
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
