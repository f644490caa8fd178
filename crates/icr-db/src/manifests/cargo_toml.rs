//! `Cargo.toml`: the crates of a package, and the names of other crates in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use toml::{Table, Value};

use super::{ManifestResult, text};
use crate::graph::{Db, PathInput};
use crate::view::GraphView;

/// What a `Cargo.toml` says about crates. Paths are as written, relative to its directory.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct CargoToml {
    /// Name of the package; `None` when it is a workspace only.
    pub(crate) package: Option<String>,
    /// Path of the workspace, when the package gives one.
    pub(crate) workspace_path: Option<String>,
    pub(crate) edition: Edition,
    pub(crate) publication: Publication,
    /// Name of the library, when it differs from the package's.
    pub(crate) lib_name: Option<String>,
    /// Path of the library, when it is not the default.
    pub(crate) lib_path: Option<String>,
    /// Paths of programs, tests, examples, benches and the build script that are not the default.
    pub(crate) target_paths: BTreeSet<String>,
    /// Kinds of targets (`bin`, `test`, `example`, `bench`) that the manifest names one by one.
    pub(crate) listed: BTreeSet<String>,
    /// Dependencies of all kinds by their name in the manifest.
    pub(crate) dependencies: BTreeMap<String, Dependency>,
    /// The workspace section, when this manifest is a workspace root.
    pub(crate) workspace: Option<Workspace>,
    /// Packages that are replaced by directories.
    pub(crate) patched: BTreeMap<String, String>,
}

/// What a workspace passes on to its members.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Workspace {
    pub(crate) edition: Edition,
    /// Whether members that leave it to the workspace may be published.
    pub(crate) publishes: bool,
    pub(crate) dependencies: BTreeMap<String, Dependency>,
}

/// The edition rules for paths in imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) enum Edition {
    /// Import paths begin at the root of the crate (edition 2015). This is the default when the manifest gives no
    /// edition.
    #[default]
    E2015,
    /// Import paths begin in the current module.
    Later,
    /// The edition of the workspace applies.
    OfWorkspace,
}

/// Whether a registry would take the package: it demands a description and a license, and `publish` may refuse it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) enum Publication {
    /// It would not.
    #[default]
    Refused,
    /// It would.
    Possible,
    /// It would if the workspace lets its members be published.
    OfWorkspace,
}

/// Where a dependency comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Dependency {
    /// Directory of the dependency, when it is a path dependency.
    pub(crate) path: Option<String>,
    /// Name of its package, when it is renamed here.
    pub(crate) package: Option<String>,
    /// Whether the workspace defines the source of the dependency.
    pub(crate) of_workspace: bool,
}

impl GraphView<'_> {
    /// The `Cargo.toml` at `path`, when it exists and parses.
    pub(crate) fn cargo_toml(self, path: &str) -> Option<Arc<CargoToml>> {
        cargo_toml(self.db(), self.input(path))?.ok()
    }
}

/// What is wrong with the `Cargo.toml` at `path`.
pub(super) fn problem(view: GraphView<'_>, path: &str) -> Option<String> {
    cargo_toml(view.db(), view.input(path))?.err()
}

#[salsa::tracked(returns(clone))]
fn cargo_toml(db: &dyn Db, input: PathInput) -> Option<ManifestResult<CargoToml>> {
    text(db, input).map(|text| parsed(&text).map(Arc::new))
}

fn parsed(text: &[u8]) -> Result<CargoToml, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned())?;
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        format!("line {line}: {}", error.message())
    })?;
    let empty = Table::new();
    let package = section(&table, "package").or_else(|| section(&table, "project"));
    let lib = section(&table, "lib").unwrap_or(&empty);
    let mut target_paths = BTreeSet::new();
    let mut listed = BTreeSet::new();
    for kind in ["bin", "test", "example", "bench"] {
        // Cargo's own plurals: `autobins`, `autotests`, `autoexamples`, `autobenches`.
        let switch = format!("auto{kind}{}", if kind == "bench" { "es" } else { "s" });
        if package.and_then(|package| package.get(&switch)?.as_bool()) == Some(false) {
            listed.insert(kind.to_owned());
        }
        let targets = table.get(kind).and_then(Value::as_array).into_iter().flatten();
        target_paths.extend(targets.filter_map(|target| string(target.as_table()?, "path")));
    }
    target_paths.extend(package.and_then(|package| string(package, "build")));
    let mut dependencies = dependencies_of(&table);
    let platforms = section(&table, "target").into_iter().flat_map(Table::values);
    platforms.filter_map(Value::as_table).for_each(|platform| dependencies.extend(dependencies_of(platform)));
    let workspace = section(&table, "workspace").map(|workspace| Workspace {
        edition: section(workspace, "package").map_or(Edition::E2015, edition),
        publishes: section(workspace, "package").is_none_or(|package| publishes(package.get("publish"))),
        dependencies: dependencies_of(workspace),
    });
    let patches = section(&table, "patch").into_iter().flat_map(Table::values);
    let patched = patches
        .filter_map(Value::as_table)
        .flatten()
        .filter_map(|(name, patch)| {
            let patch = patch.as_table()?;
            Some((string(patch, "package").unwrap_or_else(|| name.clone()), string(patch, "path")?))
        })
        .collect();
    Ok(CargoToml {
        package: package.and_then(|package| string(package, "name")),
        workspace_path: package.and_then(|package| string(package, "workspace")),
        edition: package.map_or(Edition::E2015, edition),
        publication: package.map_or(Publication::Refused, publication),
        lib_name: string(lib, "name"),
        lib_path: string(lib, "path"),
        target_paths,
        listed,
        dependencies,
        workspace,
        patched,
    })
}

fn section<'a>(table: &'a Table, name: &str) -> Option<&'a Table> {
    table.get(name)?.as_table()
}

fn string(table: &Table, key: &str) -> Option<String> {
    table.get(key)?.as_str().map(str::to_owned)
}

fn edition(package: &Table) -> Edition {
    match package.get("edition") {
        Some(Value::String(year)) if year != "2015" => Edition::Later,
        Some(Value::Table(_)) => Edition::OfWorkspace,
        _ => Edition::E2015,
    }
}

fn publication(package: &Table) -> Publication {
    let is_licensed = ["license", "license-file"].iter().any(|key| package.contains_key(*key));
    match package.get("publish") {
        _ if !is_licensed || !package.contains_key("description") => Publication::Refused,
        Some(Value::Table(_)) => Publication::OfWorkspace,
        publish if publishes(publish) => Publication::Possible,
        _ => Publication::Refused,
    }
}

/// Whether a value of `publish` names a registry that takes the package; any does without one.
fn publishes(publish: Option<&Value>) -> bool {
    match publish {
        Some(Value::Boolean(publish)) => *publish,
        Some(Value::Array(registries)) => !registries.is_empty(),
        _ => true,
    }
}

/// The dependencies of all kinds in a table. Cargo still accepts both spellings of each kind.
fn dependencies_of(table: &Table) -> BTreeMap<String, Dependency> {
    let kinds = ["dependencies", "dev-dependencies", "dev_dependencies", "build-dependencies", "build_dependencies"];
    let entries = kinds.iter().filter_map(|kind| section(table, kind)).flatten();
    let mut dependencies: BTreeMap<String, Dependency> = BTreeMap::new();
    for (name, value) in entries {
        let found = value.as_table().map_or_else(Dependency::default, |table| Dependency {
            path: string(table, "path"),
            package: string(table, "package"),
            of_workspace: table.get("workspace").and_then(Value::as_bool) == Some(true),
        });
        // The same crate may be listed twice; the entry that gives its source counts.
        let known = dependencies.entry(name.clone()).or_default();
        known.path = known.path.take().or(found.path);
        known.package = known.package.take().or(found.package);
        known.of_workspace |= found.of_workspace;
    }
    dependencies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_all_kinds_and_platforms_are_read() {
        let text = "[package]\nname = 'a'\nautobenches = false\nautotests = true\nedition.workspace = true\n[dependencies]\nb = '1'\n[dev-dependencies]\nb = { path = '../b' }\n\
            [target.'cfg(unix)'.build-dependencies]\nc.workspace = true\n[patch.crates-io]\nd = { path = 'd' }\n\
            [[bin]]\nname = 'x'\npath = 'x/main.rs'\n";
        let read = parsed(text.as_bytes()).unwrap();
        assert_eq!(read.edition, Edition::OfWorkspace);
        assert_eq!(read.listed, BTreeSet::from(["bench".to_owned()]));
        assert_eq!(read.dependencies["b"].path.as_deref(), Some("../b"));
        assert!(read.dependencies["c"].of_workspace);
        assert_eq!(read.patched["d"], "d");
        assert_eq!(read.target_paths, BTreeSet::from(["x/main.rs".to_owned()]));
    }

    #[test]
    fn a_package_can_be_published_with_a_description_and_a_license() {
        let package = |rest: &str| {
            parsed(format!("[package]\nname = 'a'\n{rest}").as_bytes()).map(|read| read.publication).unwrap()
        };
        assert_eq!(package("description = 'A.'\nlicense.workspace = true\n"), Publication::Possible);
        assert_eq!(package("description = 'A.'\nlicense-file = 'L'\n"), Publication::Possible);
        assert_eq!(package("description = 'A.'\nlicense = 'MIT'\npublish = ['own']\n"), Publication::Possible);
        assert_eq!(
            package("description = 'A.'\nlicense = 'MIT'\npublish.workspace = true\n"),
            Publication::OfWorkspace
        );
        assert_eq!(package("description = 'A.'\nlicense = 'MIT'\npublish = false\n"), Publication::Refused);
        assert_eq!(package("description = 'A.'\nlicense = 'MIT'\npublish = []\n"), Publication::Refused);
        assert_eq!(package("description = 'A.'\n"), Publication::Refused);
        let workspace = parsed(b"[workspace]\n[workspace.package]\npublish = false\n").unwrap();
        assert!(!workspace.workspace.unwrap().publishes && workspace.publication == Publication::Refused);
    }

    #[test]
    fn odd_values_say_nothing_and_broken_text_says_where() {
        let odd =
            parsed(b"package = 3\nlib = []\nbin = 'x'\ndependencies = [1]\npatch = { a = 1 }\nworkspace = ''").unwrap();
        assert_eq!(odd, CargoToml::default());
        assert!(parsed(b"[package]\nname = \n").unwrap_err().starts_with("line 2: "));
        assert_eq!(parsed(b"\xff").unwrap_err(), "it is not UTF-8");
    }
}
