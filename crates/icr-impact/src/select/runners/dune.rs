//! `dune test`, by directory.

use super::project::{directory_of, relative};
use super::quote::argument;
use super::{Runner, TestTarget};

/// Dune runs the tests of a directory; the root is the outermost directory with a `dune-project`.
pub(super) const ROW: Runner = Runner {
    endings: &[".ml"],
    markers: &["dune-project"],
    others: &[],
    target: |project, path| {
        let root = project.above(path, &["dune-project"]).last()?;
        let directory = match directory_of(relative(root.directory, path)) {
            "" => ".".to_owned(),
            directory => argument(directory),
        };
        Some(TestTarget {
            runs_more: true,
            ..TestTarget::new("dune test", root.directory, &["dune", "test"], directory)
        })
    },
};
