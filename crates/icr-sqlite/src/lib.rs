//! What every SQLite database of icr needs: how it is opened, who may read it, how long it waits, what its errors mean, and
//! numbered migrations.
//!
//! What is in a database is the business of the crate that keeps it, which writes its queries with rusqlite itself.

mod cause;
mod connection;
mod migrations;
mod private_files;

pub use cause::Cause;
pub use connection::{BUSY_TIMEOUT, Opening, connect};
pub use migrations::{MigrationError, Migrations, SchemaVersion};
pub use private_files::{check_ordinary_file, create_private_directory, create_private_file};
