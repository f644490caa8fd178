//! The versions of the pins.

use icr_sqlite::Migrations;

/// Every version of the pins, from nothing to the present one.
pub(crate) const MIGRATIONS: Migrations<'static> = Migrations {
    application_id: 0x6963_7270,
    steps: &[
        include_str!("migrations/0001_pins.sql"),
        include_str!("migrations/0002_clone_ids.sql"),
        include_str!("migrations/0003_log.sql"),
        include_str!("migrations/0004_priority.sql"),
    ],
};

/// The oldest version whose pins are read as they are, where the database cannot be moved forward: all that its table lacks is a priority,
/// and its pins have the usual one.
pub(crate) const READABLE_FROM: i64 = 1;
