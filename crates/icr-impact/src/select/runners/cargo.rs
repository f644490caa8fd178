//! `cargo test` and `cargo nextest`, by package, target and module, with the features that these need.

use std::collections::BTreeSet;

use super::project::{FoundManifest, Project, is_identifier, relative};
use super::scan::{list_at, string_at, toml_list, toml_string, toml_tables, value_at};
use super::{Runner, TestTarget};

const MANIFEST: &[&str] = &["Cargo.toml"];

const NEXTEST: &str = ".config/nextest.toml";

/// The nearest `Cargo.toml` is the package; nextest runs what has a configuration for it.
pub(super) const ROW: Runner = Runner { endings: &[".rs"], markers: MANIFEST, others: &[NEXTEST], target };

fn target(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let package = CargoPackage::of(project, path)?;
    let is_nextest = project.nearest(path, &[NEXTEST]).is_some();
    let (runner, program): (_, &[&str]) =
        if is_nextest { ("cargo nextest", &["cargo", "nextest", "run"]) } else { ("cargo test", &["cargo", "test"]) };
    let head = |kind: &str, name: &str| {
        let required = required_features(package.manifest.text, kind, name);
        package.head(program, required.into_iter().chain(project.features(path)))
    };
    let with = |head: &[String], arguments: &[&str]| {
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        TestTarget::with(runner, package.cwd, &head, arguments)
    };

    let path = relative(package.manifest.directory, path);
    if let Some(name) = declared_test(package.manifest.text, path) {
        return Some(with(&head("test", name), &["--test", name]));
    }
    if let Some(rest) = path.strip_prefix("tests/") {
        // A file of a directory is a module of the target that the directory, or the file beside it, is.
        let name = rest.split('/').next().map(|first| first.strip_suffix(".rs").unwrap_or(first))?;
        return is_name(name).then(|| with(&head("test", name), &["--test", name]));
    }
    let inside = path.strip_prefix("src/")?;
    if let Some(rest) = inside.strip_prefix("bin/") {
        let name = rest.split('/').next().map(|first| first.strip_suffix(".rs").unwrap_or(first))?;
        return is_name(name).then(|| with(&head("bin", name), &["--bin", name]));
    }
    let head = head("lib", "");
    match inside {
        "lib.rs" => Some(with(&head, &["--lib"])),
        "main.rs" => Some(with(&head, &["--bins"])),
        _ => {
            let module = module_of(inside)?;
            // A filter applies to all targets of a command, so that modules have one of their own.
            Some(with(&[head, vec!["--".to_owned()]].concat(), &[module.as_str()]))
        }
    }
}

/// What runs the doc tests of the library that the file at `path` belongs to. Nextest runs none.
pub(super) fn doc_tests(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let package = CargoPackage::of(project, path)?;
    let head = package.head(&["cargo", "test"], project.features(path));
    let head: Vec<&str> = head.iter().map(String::as_str).chain(["--doc"]).collect();
    Some(TestTarget::for_whole_project("cargo test", package.cwd, &head))
}

/// The package of a file, and how to select it.
struct CargoPackage<'a> {
    manifest: FoundManifest<'a>,
    /// Where Cargo is started.
    cwd: &'a str,
    /// The arguments that select the package.
    selected: Vec<&'a str>,
}

impl<'a> CargoPackage<'a> {
    fn of(project: &Project<'a>, path: &'a str) -> Option<Self> {
        let mut manifests = project.above(path, MANIFEST);
        let manifest = manifests.find(|found| toml_string(found.text, "package", "name").is_some())?;
        let name = toml_string(manifest.text, "package", "name").filter(|name| name.split('-').all(is_identifier))?;
        let root = project.above(path, MANIFEST).find(|root| is_workspace_of(root, manifest.directory));
        // Outside of a workspace, or if the manifest does not plainly say so, Cargo runs beside the package's manifest.
        let (cwd, selected) = match root {
            Some(root) if root.directory == manifest.directory && !has_members(&root) => (root.directory, Vec::new()),
            Some(root) => (root.directory, vec!["-p", name]),
            None => (manifest.directory, Vec::new()),
        };
        Some(Self { manifest, cwd, selected })
    }

    /// `program` with the arguments that select the package and those of `features` that it has and that are not on by
    /// default.
    fn head<'f>(&self, program: &[&str], features: impl Iterator<Item = &'f str>) -> Vec<String> {
        let on = default_features(self.manifest.text);
        let needed: BTreeSet<&str> =
            features.filter(|feature| !on.contains(feature) && declares_feature(self.manifest.text, feature)).collect();
        let needed: Vec<&str> = needed.into_iter().collect();
        let mut head: Vec<String> = program.iter().chain(&self.selected).map(|part| (*part).to_owned()).collect();
        if !needed.is_empty() {
            head.extend(["--features".to_owned(), needed.join(",")]);
        }
        head
    }
}

/// The features that the target called `name`, a `test` or `bin`, is only built with.
fn required_features<'a>(manifest: &'a str, kind: &str, name: &str) -> Vec<&'a str> {
    let declared = toml_tables(manifest, kind).find(|body| string_at(body, "name") == Some(name));
    declared.map(|body| list_at(body, "required-features")).unwrap_or_default()
}

/// The features that are on if nothing is said, with those that they turn on.
fn default_features(manifest: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut open = vec!["default"];
    while let Some(feature) = open.pop() {
        open.extend(toml_list(manifest, "features", feature).into_iter().filter(|other| found.insert(*other)));
    }
    found
}

/// Whether the package has a feature, or the dependency of `dependency/feature`: an unknown one is an error to Cargo.
fn declares_feature(manifest: &str, feature: &str) -> bool {
    let name = feature.split('/').next().unwrap_or_default().trim_end_matches('?');
    let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+./?".contains(&byte));
    let is_listed = || toml_tables(manifest, "features").any(|body| value_at(body, name).is_some());
    let depends = || {
        toml_tables(manifest, "dependencies")
            .any(|body| value_at(body, name).is_some_and(|value| value.contains("optional") || feature.contains('/')))
    };
    !name.is_empty() && is_plain(feature) && (is_listed() || depends())
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
