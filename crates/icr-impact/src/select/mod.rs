//! Which tests to run, and how.
//!
//! [`is_test_file`] says which files are tests, [`reach`](fn@reach) which of them lead to what changed and how strongly,
//! [`TestName`] what their names say; [`choose`](fn@choose) makes one ranking of it, and
//! [`commands`](fn@commands) the commands that run it.

mod choose;
mod names;
mod pairs;
mod reach;
mod reasons;
mod runners;
mod test_files;

pub use choose::{Choice, Plan, TestEvidence, choose, test_rows};
pub use pairs::{SourceName, SymbolName, TestName};
pub use reach::{By, Caller, MEMBER, Reach, reach};
pub use runners::{Command, Manifest, commands, manifest_names};
pub use test_files::is_test_file;
