//! Bats and shell scripts that are tests of their own.

use super::quote::argument;
use super::{Runner, TestTarget};

/// A Bats file needs no manifest; a script of the shell is run by whatever the project has made for it, so by none of these.
pub(super) const ROW: Runner = Runner {
    endings: &[".bats"],
    markers: &[],
    others: &[],
    target: |_, path| Some(TestTarget::new("bats", "", &["bats"], argument(path))),
};
