//! `stack test` and `cabal test`, by package.

use super::project::is_identifier;
use super::{Runner, TestTarget};

/// A Haskell test suite is one program, and its filters depend on its libraries. If there is a `stack.yaml`, the
/// project uses Stack.
pub(super) const ROW: Runner = Runner {
    endings: &[".hs"],
    markers: &["*.cabal", "package.yaml"],
    others: &["cabal.project", "stack.yaml"],
    target: |project, path| {
        let package = project.nearest(path, &["*.cabal", "package.yaml"])?;
        let is_stack = project.nearest(path, &["stack.yaml"]);
        let root = is_stack
            .or_else(|| project.nearest(path, &["cabal.project"]))
            .map_or(package.directory, |root| root.directory);
        let name = match package.name.strip_suffix(".cabal") {
            Some(name) => name,
            None => package.text.lines().find_map(|line| line.strip_prefix("name:"))?.trim(),
        };
        let (runner, program) = if is_stack.is_some() { ("stack test", "stack") } else { ("cabal test", "cabal") };
        let is_plain = name.split('-').all(is_identifier);
        is_plain.then(|| TestTarget { runs_more: true, ..TestTarget::new(runner, root, &[program, "test"], name) })
    },
};
