//! What every SQLite database of icr needs: opening, file permissions, how long to wait for locks, the meaning of
//! errors, and numbered migrations.
//!
//! The crate that keeps a database decides what is in it, and writes its own queries with rusqlite.

mod cause;
mod connection;
mod migrations;
mod private_files;

pub use cause::Cause;
pub use connection::{BUSY_TIMEOUT, Opening, connect};
pub use migrations::{MigrationError, Migrations, SchemaVersion};
pub use private_files::{check_ordinary_file, create_private_directory, create_private_file};
