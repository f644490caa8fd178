//! `Package.swift`: directories of targets that are not where the package manager looks by default.

use std::sync::Arc;

use super::text;
use crate::graph::{Db, PathInput};
use crate::view::{GraphView, normalised};

/// A target with an explicit directory.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct SwiftTarget {
    /// The name of the target, which is its module.
    pub(crate) name: String,
    /// Its directory, relative to the manifest.
    pub(crate) path: String,
}

/// Targets by the manifest at `path`; `None` when it is not there.
pub(crate) fn targets_at(view: GraphView<'_>, path: &str) -> Option<Arc<[SwiftTarget]>> {
    swift_package(view.db(), view.input(path))
}

#[salsa::tracked(returns(clone))]
fn swift_package(db: &dyn Db, input: PathInput) -> Option<Arc<[SwiftTarget]>> {
    let text = text(db, input)?;
    Some(targets(&String::from_utf8_lossy(&text)).into())
}

/// The manifest is a program. Only the literals in `…arget(name: "…", … path: "…" …)` are read.
fn targets(text: &str) -> Vec<SwiftTarget> {
    /// The calls that make a target.
    const CALLS: [&str; 4] = [".target(", ".testTarget(", ".executableTarget(", ".macro("];
    let mut starts: Vec<usize> = CALLS.iter().flat_map(|call| text.match_indices(call).map(|(at, _)| at)).collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let target = |(start, end): (usize, usize)| {
        let call = &text[start..end];
        let path = normalised("", literal(call, "path:")?)?;
        Some(SwiftTarget { name: literal(call, "name:")?.to_owned(), path })
    };
    starts.iter().copied().zip(ends).filter_map(target).collect()
}

/// The string after the first `label` in a call.
fn literal<'a>(call: &'a str, label: &str) -> Option<&'a str> {
    let behind = call[call.find(label)? + label.len()..].trim_start().strip_prefix('"')?;
    behind.split_once('"').map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn targets_with_a_path_are_read() {
        let text = r#"let package = Package(name: "Net", products: [.library(name: "Net", targets: ["Net"])],
            targets: [.target(name: "Net", path: "Source", exclude: ["Info.plist"]),
                      .target(name: "Plain"),
                      .testTarget(name: "NetTests", dependencies: ["Net"], path: "./Tests/Unit"),
                      .target(name: "Out", path: "../elsewhere")])"#;
        let found: Vec<_> = targets(text).into_iter().map(|target| (target.name, target.path)).collect();
        let expected = [("Net", "Source"), ("NetTests", "Tests/Unit")];
        assert_eq!(found, expected.map(|(name, path)| (name.to_owned(), path.to_owned())));
    }
}
