//! The versions of the pins database.

use icr_sqlite::Migrations;

/// All migration steps of the pins database.
pub(crate) const MIGRATIONS: Migrations<'static> = Migrations {
    application_id: 0x6963_7270,
    steps: &[
        include_str!("migrations/0001_pins.sql"),
        include_str!("migrations/0002_clone_ids.sql"),
        include_str!("migrations/0003_log.sql"),
        include_str!("migrations/0004_priority.sql"),
    ],
};

/// The oldest version that is read without a migration, if the database cannot be written. Its table lacks only the
/// priority, and its pins get the default one.
pub(crate) const READABLE_FROM: i64 = 1;
