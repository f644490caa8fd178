//! `go test`, by package.

use super::project::{directory_of, relative};
use super::{Runner, TestTarget};

/// A package is a directory of a module; tests of one file cannot be run without those of its package.
pub(super) const ROW: Runner = Runner {
    endings: &["_test.go"],
    markers: &["go.mod"],
    others: &[],
    target: |project, path| {
        let module = project.nearest(path, &["go.mod"])?;
        let package = match directory_of(relative(module.directory, path)) {
            "" => ".".to_owned(),
            package => format!("./{package}"),
        };
        Some(TestTarget::new("go test", module.directory, &["go", "test"], package))
    },
};
