//! Manifests: metadata of crates, and pinned dependencies.

use toml::{Table, Value};

use super::{TidyFinding, Tree};

/// A workspace of its own, which is not built with this one.
const FUZZ_TARGETS: &str = "fuzz/Cargo.toml";

/// A `Cargo.toml`.
#[derive(Debug)]
pub(crate) struct CargoManifest {
    /// Path of the file.
    pub(crate) path: String,
    table: Table,
}

/// An entry of a table of dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The key.
    pub(crate) name: String,
    /// The table.
    pub(crate) section: Section,
    /// Whether the version comes from the workspace.
    pub(crate) is_inherited: bool,
}

/// Tables of dependencies, for one platform or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Normal,
    Dev,
    Build,
}

const SECTIONS: [(&str, Section); 3] =
    [("build-dependencies", Section::Build), ("dependencies", Section::Normal), ("dev-dependencies", Section::Dev)];

/// Metadata that every manifest has, itself or by inheritance.
const REQUIRED: [&str; 4] = ["description", "license", "publish", "rust-version"];

impl CargoManifest {
    /// Name of the crate; `None` for the manifest of the workspace.
    pub(crate) fn package(&self) -> Option<&str> {
        self.table.get("package")?.get("name")?.as_str()
    }

    /// The crate's own description; `None` if it inherits that of the workspace.
    pub(crate) fn description(&self) -> Option<&str> {
        self.table.get("package")?.get("description")?.as_str()
    }

    /// What crates inherit; `None` for the manifest of a crate.
    pub(crate) fn workspace_description(&self) -> Option<&str> {
        self.table.get("workspace")?.get("package")?.get("description")?.as_str()
    }

    /// Dependencies of all kinds and platforms.
    pub(crate) fn dependencies(&self) -> Vec<Dependency> {
        let platforms = self.table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
        let tables = std::iter::once(&self.table).chain(platforms.filter_map(Value::as_table));
        let mut dependencies = Vec::new();
        for table in tables {
            for (key, section) in SECTIONS {
                let rows = table.get(key).and_then(Value::as_table).into_iter().flatten();
                dependencies.extend(rows.map(|(name, value)| Dependency {
                    name: name.clone(),
                    section,
                    is_inherited: is_inherited(value),
                }));
            }
        }
        dependencies
    }
}

/// All manifests.
///
/// # Errors
///
/// A finding for each that cannot be read.
pub(crate) fn manifests(tree: &Tree) -> Result<Vec<CargoManifest>, Vec<TidyFinding>> {
    let mut manifests = Vec::new();
    let mut findings = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| *path == "Cargo.toml" || path.ends_with("/Cargo.toml")) {
        match toml::from_str(text) {
            Ok(_) if path == FUZZ_TARGETS => {}
            Ok(table) => manifests.push(CargoManifest { path: path.to_owned(), table }),
            Err(error) => findings.push(TidyFinding::new(path, error.message())),
        }
    }
    if findings.is_empty() { Ok(manifests) } else { Err(findings) }
}

/// Versions are only in the table of the workspace.
pub(crate) fn pins(tree: &Tree) -> Vec<TidyFinding> {
    let manifests = match manifests(tree) {
        Ok(manifests) => manifests,
        Err(findings) => return findings,
    };
    let mut findings = Vec::new();
    for manifest in &manifests {
        for dependency in manifest.dependencies().into_iter().filter(|dependency| !dependency.is_inherited) {
            let name = dependency.name;
            let right =
                format!("write `{name}.workspace = true`, and its version into the table of the root Cargo.toml");
            findings.push(TidyFinding::new(&manifest.path, right));
        }
        let pinned = manifest.table.get("workspace").and_then(|workspace| workspace.get("dependencies"));
        for (name, value) in pinned.and_then(Value::as_table).into_iter().flatten() {
            if let Some(right) = unpinned(name, value) {
                findings.push(TidyFinding::new(&manifest.path, right));
            }
        }
    }
    findings
}

/// Every crate has its metadata and uses the lints of the workspace.
pub(crate) fn packages(tree: &Tree) -> Vec<TidyFinding> {
    let manifests = match manifests(tree) {
        Ok(manifests) => manifests,
        Err(findings) => return findings,
    };
    let mut findings = Vec::new();
    for manifest in manifests.iter().filter(|manifest| manifest.package().is_some()) {
        let package = manifest.table.get("package");
        for key in REQUIRED.iter().filter(|key| package.and_then(|package| package.get(key)).is_none()) {
            findings.push(TidyFinding::new(
                &manifest.path,
                format!("`[package]` needs `{key}`, or `{key}.workspace = true`"),
            ));
        }
        if !manifest.table.get("lints").is_some_and(is_inherited) {
            findings.push(TidyFinding::new(&manifest.path, "`[lints]` needs `workspace = true`"));
        }
    }
    findings
}

fn is_inherited(value: &Value) -> bool {
    value.get("workspace").and_then(Value::as_bool) == Some(true)
}

/// What is wrong with a row of the workspace's table.
fn unpinned(name: &str, value: &Value) -> Option<String> {
    if value.get("git").is_some() {
        return Some(format!("`{name}` must come from a registry, so that every machine gets the same"));
    }
    let version = value.as_str().or_else(|| value.get("version")?.as_str());
    match version {
        Some(version) if version.contains('*') => Some(format!("`{name}` needs a version, not `{version}`")),
        None if value.get("path").is_none() => Some(format!("`{name}` needs a version or a path")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(run: fn(&Tree) -> Vec<TidyFinding>, manifest: &str, expected: &[&str]) {
        let findings = run(&Tree::of_texts(&[("a/Cargo.toml", manifest)]));
        assert_eq!(findings.iter().map(TidyFinding::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn versions_of_a_crate_are_found() {
        check(pins, "[dependencies]\na.workspace = true\nb = { workspace = true, features = ['x'] }\n", &[]);
        for text in [
            "dependencies]\nc = '1'",
            "dev-dependencies]\nc = { version = '1' }",
            "target.x.dependencies]\nc = { path = 'c' }",
        ] {
            let right =
                "a/Cargo.toml: write `c.workspace = true`, and its version into the table of the root Cargo.toml";
            check(pins, &format!("[{text}\n"), &[right]);
        }
    }

    #[test]
    fn rows_that_pin_nothing_are_found() {
        check(
            pins,
            "[workspace.dependencies]\na = '1'\nb = { path = 'b' }\nc = '*'\nd = { git = 'g' }\ne = { features = [] }\n",
            &[
                "a/Cargo.toml: `c` needs a version, not `*`",
                "a/Cargo.toml: `d` must come from a registry, so that every machine gets the same",
                "a/Cargo.toml: `e` needs a version or a path",
            ],
        );
    }

    #[test]
    fn what_a_crate_does_not_say_is_found() {
        let rest = "description = 'd'\nlicense.workspace = true\npublish = false\nrust-version = '1'\n";
        check(packages, &format!("[package]\nname = 'a'\n{rest}[lints]\nworkspace = true\n"), &[]);
        check(
            packages,
            "[package]\nname = 'a'\ndescription = 'd'\nrust-version = '1'\n[lints.rust]\nmissing_docs = 'warn'\n",
            &[
                "a/Cargo.toml: `[package]` needs `license`, or `license.workspace = true`",
                "a/Cargo.toml: `[package]` needs `publish`, or `publish.workspace = true`",
                "a/Cargo.toml: `[lints]` needs `workspace = true`",
            ],
        );
    }

    #[test]
    fn a_manifest_that_does_not_parse_is_a_finding() {
        let findings = pins(&Tree::of_texts(&[("a/Cargo.toml", "[package\n")]));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].to_string().starts_with("a/Cargo.toml: "), "{}", findings[0]);
    }
}
