//! Bats and shell scripts that are tests of their own.

use super::quote::argument;
use super::{Runner, TestTarget};

/// A Bats file needs no manifest. How a shell script is run depends on the project, so no runner here takes it.
pub(super) const ROW: Runner = Runner {
    endings: &[".bats"],
    markers: &[],
    others: &[],
    target: |_, path| Some(TestTarget::new("bats", "", &["bats"], argument(path))),
};
