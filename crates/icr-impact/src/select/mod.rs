//! Which tests to run, and how.
//!
//! [`is_test_file`] says which files are tests, [`reach`](fn@reach) which of them lead to what changed and how strongly,
//! [`TestName`] what their names say; [`choose`](fn@choose) makes one ranking of it, and
//! [`commands`](fn@commands) the commands that run it.

mod names;
mod pairs;
mod reach;
mod reasons;
mod runners;
mod test_files;
mod test_ranking;

pub use pairs::{SourceName, SymbolName, TestName};
pub use reach::{Caller, MEMBER, Referrer, TestReach, reach};
pub use runners::{ProjectManifest, TestCommand, commands, manifest_names};
pub use test_files::is_test_file;
pub use test_ranking::{Choice, TestEvidence, TestSelection, choose, test_rows};
