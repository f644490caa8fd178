//! Which tests to run, and how.
//!
//! [`is_test_file`] tells which files are tests, [`reach`](fn@reach) which of them lead to changed definitions and how
//! strongly, and [`TestName`] what their names tell. [`choose`](fn@choose) combines this into one ranking, and
//! [`commands`](fn@commands) gives the commands that run it.

mod names;
mod pairs;
mod reach;
mod reasons;
mod runners;
mod rust_source;
mod test_files;
mod test_ranking;

pub use pairs::{SourceName, SymbolName, TestName};
pub use reach::{Caller, MEMBER, Referrer, TestReach, reach};
pub use runners::{ProjectManifest, TestCommand, TestFile, TestParts, commands, manifest_names};
pub use rust_source::{DocTest, doc_tests, features_of_file, features_of_module, inline_tests};
pub use test_files::{is_test_file, may_be_code};
pub use test_ranking::{Choice, TestEvidence, TestSelection, choose, test_rows};
