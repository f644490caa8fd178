//! `cargo test` and `cargo nextest`, by package, target and module.

use super::project::{FoundManifest, Project, is_identifier, relative};
use super::scan::{string_at, toml_list, toml_string, toml_tables};
use super::{Runner, TestTarget};

const MANIFEST: &[&str] = &["Cargo.toml"];

const NEXTEST: &str = ".config/nextest.toml";

/// The nearest `Cargo.toml` is the package; nextest runs what has a configuration for it.
pub(super) const ROW: Runner = Runner { endings: &[".rs"], markers: MANIFEST, others: &[NEXTEST], target };

fn target(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let package = project.above(path, MANIFEST).find(|found| toml_string(found.text, "package", "name").is_some())?;
    let name = toml_string(package.text, "package", "name").filter(|name| name.split('-').all(is_identifier))?;
    let root = project.above(path, MANIFEST).find(|root| is_workspace_of(root, package.directory));
    // Outside of a workspace, or if the manifest does not plainly say so, Cargo runs beside the package's manifest.
    let (cwd, selected) = match root {
        Some(root) if root.directory == package.directory && !has_members(&root) => (root.directory, Vec::new()),
        Some(root) => (root.directory, vec!["-p", name]),
        None => (package.directory, Vec::new()),
    };
    let is_nextest = project.nearest(path, &[NEXTEST]).is_some();
    let (runner, head): (_, &[&str]) =
        if is_nextest { ("cargo nextest", &["cargo", "nextest", "run"]) } else { ("cargo test", &["cargo", "test"]) };
    let head = [head, &selected].concat();
    let with = |arguments: &[&str]| {
        TestTarget::with(runner, cwd, &head, arguments.iter().map(|argument| (*argument).to_owned()).collect())
    };

    let path = relative(package.directory, path);
    if let Some(name) = declared_test(package.text, path) {
        return Some(with(&["--test", name]));
    }
    if let Some(rest) = path.strip_prefix("tests/") {
        // A file of a directory is a module of the target that the directory, or the file beside it, is.
        let name = rest.split('/').next().map(|first| first.strip_suffix(".rs").unwrap_or(first))?;
        return is_name(name).then(|| with(&["--test", name]));
    }
    let inside = path.strip_prefix("src/")?;
    if let Some(rest) = inside.strip_prefix("bin/") {
        let name = rest.split('/').next().map(|first| first.strip_suffix(".rs").unwrap_or(first))?;
        return is_name(name).then(|| with(&["--bin", name]));
    }
    match inside {
        "lib.rs" => Some(with(&["--lib"])),
        "main.rs" => Some(with(&["--bins"])),
        _ => {
            let module = module_of(inside)?;
            // A filter applies to all targets of a command, so that modules have one of their own.
            let head = [head.as_slice(), &["--"]].concat();
            Some(TestTarget::new(runner, cwd, &head, module))
        }
    }
}

/// The name of the target whose `path` the manifest gives as `path`.
fn declared_test<'a>(manifest: &'a str, path: &str) -> Option<&'a str> {
    let mut declared = toml_tables(manifest, "test");
    declared
        .find(|body| string_at(body, "path") == Some(path))
        .and_then(|body| string_at(body, "name"))
        .filter(|name| is_name(name))
}

/// The path of the module in `src/`, with `::` at its end: a filter for the tests inside.
fn module_of(inside: &str) -> Option<String> {
    let path = inside.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').all(is_identifier).then(|| format!("{}::", path.replace('/', "::")))
}

fn is_name(name: &str) -> bool {
    name.split('-').all(is_identifier)
}

fn has_members(root: &FoundManifest<'_>) -> bool {
    !toml_list(root.text, "workspace", "members").is_empty()
}

/// Whether `root` is the manifest of a workspace that lists the package in `directory`, or of that package itself.
fn is_workspace_of(root: &FoundManifest<'_>, directory: &str) -> bool {
    if toml_tables(root.text, "workspace").next().is_none() {
        return false;
    }
    let below = relative(root.directory, directory);
    let lists = |key: &str| {
        let patterns = toml_list(root.text, "workspace", key);
        patterns.iter().any(|pattern| fits(pattern, below))
    };
    root.directory == directory || lists("members") && !lists("exclude")
}

/// Whether a path fits a pattern in which `*` stands for text inside one component.
fn fits(pattern: &str, path: &str) -> bool {
    let mut parts = path.split('/');
    let fits_part = |pattern: &str| {
        parts.next().is_some_and(|part| match pattern.split_once('*') {
            Some((start, end)) => {
                part.len() >= start.len() + end.len() && part.starts_with(start) && part.ends_with(end)
            }
            None => part == pattern,
        })
    };
    pattern.trim_start_matches("./").trim_end_matches('/').split('/').all(fits_part) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_patterns_of_whole_components() {
        for (pattern, path, expected) in [
            ("crates/*", "crates/a", true),
            ("crates/*", "crates/a/b", false),
            ("./tools/x/", "tools/x", true),
            ("crates/icr-*", "crates/icr-db", true),
            ("crates/icr-*", "crates/db", false),
            ("a", "a/b", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn modules_are_named_as_rust_names_them() {
        for (inside, expected) in
            [("a.rs", Some("a::")), ("a/b.rs", Some("a::b::")), ("a/mod.rs", Some("a::")), ("a-b.rs", None)]
        {
            assert_eq!(module_of(inside).as_deref(), expected);
        }
    }
}
