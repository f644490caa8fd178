//! `swift test`, by class.

use super::project::{is_identifier, relative, stem};
use super::{Runner, TestTarget};

/// `Tests/<target>/…/<class>.swift`, as the package manager lays out test targets.
pub(super) const ROW: Runner = Runner {
    endings: &[".swift"],
    markers: &["Package.swift"],
    others: &[],
    target: |project, path| {
        let package = project.nearest(path, &["Package.swift"])?;
        let mut parts = relative(package.directory, path).split('/').skip_while(|part| *part != "Tests").skip(1);
        let target = parts.next().filter(|target| is_identifier(target))?;
        let class = stem(parts.last()?);
        let filter = vec!["--filter".to_owned(), format!("{target}.{class}")];
        is_identifier(class).then(|| TestTarget::with("swift test", package.directory, &["swift", "test"], filter))
    },
};
