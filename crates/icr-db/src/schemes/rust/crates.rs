//! Crates: which files are crate roots, and which names other crates have in a package.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::answers::CargoPackageEdges;
use crate::graph::{Db, PathInput};
use crate::manifests::cargo_toml::{CargoToml, Dependency, Edition, Publication};
use crate::view::{GraphView, file_name, join, normalised, parent};

/// Crates that come with the compiler.
const SYSROOT: [&str; 5] = ["alloc", "core", "proc_macro", "std", "test"];

/// Directories of a package in which each file is a crate of its own by Cargo's defaults, with the kind of crate.
const TARGET_DIRECTORIES: [(&str, &str); 4] =
    [("bin", "src/bin"), ("test", "tests"), ("example", "examples"), ("bench", "benches")];

/// The crates of a package.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct CargoPackage {
    /// Its directory.
    pub(crate) directory: String,
    /// Whether import paths begin at the root of the crate (edition 2015).
    pub(crate) is_2015: bool,
    /// Root file and name of its library, if it has one.
    pub(crate) library: Option<(String, String)>,
    /// Whether a registry would take it.
    is_publishable: bool,
    /// Roots that the manifest names.
    roots: BTreeSet<String>,
    /// Kinds of targets for which the manifest lists all files.
    listed: BTreeSet<String>,
    /// Other crates by their name in the package: the root file of a library in the repository, or `None` for a
    /// foreign crate.
    externs: BTreeMap<String, Option<String>>,
}

/// What the name of a crate means.
pub(crate) enum Extern<'a> {
    /// The root file of a library in the repository.
    Root(&'a str),
    /// A foreign crate.
    Outside,
    /// Not a crate that the package may name.
    Unknown,
}

impl CargoPackage {
    /// What `name` means as the name of a crate.
    pub(crate) fn extern_crate(&self, name: &str) -> Extern<'_> {
        match self.externs.get(name) {
            Some(Some(root)) => Extern::Root(root),
            Some(None) => Extern::Outside,
            None if is_sysroot(name) => Extern::Outside,
            None => Extern::Unknown,
        }
    }

    /// Whether the file at `path`, which belongs to the package, is a crate root.
    fn is_root(&self, path: &str) -> bool {
        if self.roots.contains(path) || self.library.as_ref().is_some_and(|(root, _)| root == path) {
            return true;
        }
        let Some(inside) = path.strip_prefix(&self.directory).map(|rest| rest.trim_start_matches('/')) else {
            return false;
        };
        let directory = parent(inside);
        matches!(inside, "src/lib.rs" | "src/main.rs" | "build.rs")
            || self.holds_targets(directory)
            || (file_name(inside) == "main.rs" && self.holds_targets(parent(directory)))
    }

    /// Whether every file of `directory`, relative to the package, is a crate root.
    fn holds_targets(&self, directory: &str) -> bool {
        TARGET_DIRECTORIES.iter().any(|(kind, target)| *target == directory && !self.listed.contains(*kind))
    }

    /// The package as it is seen from outside of the graph.
    fn edges(&self, view: GraphView<'_>) -> CargoPackageEdges {
        let own = self.library.as_ref().map(|(root, _)| root);
        let roots = self.externs.values().flatten().filter(|root| Some(*root) != own);
        let dependencies = roots.filter_map(|root| Some(package_of(view, root)?.directory.clone()));
        CargoPackageEdges {
            directory: self.directory.clone(),
            library: own.cloned(),
            is_publishable: self.is_publishable,
            dependencies: dependencies.filter(|directory| *directory != self.directory).collect(),
        }
    }

    /// Crate roots directly in `directory`.
    pub(crate) fn roots_in(&self, view: GraphView<'_>, directory: &str) -> Vec<String> {
        let library = self.library.iter().map(|(root, _)| root);
        let mut roots: Vec<String> =
            library.chain(&self.roots).filter(|root| parent(root) == directory).cloned().collect();
        let inside = directory.strip_prefix(&self.directory).map(|rest| rest.trim_start_matches('/'));
        if inside.is_some_and(|inside| self.holds_targets(inside)) {
            let files = view.files_in(directory);
            roots.extend(
                files.iter().filter_map(|file| file.as_str()).filter(|file| file.ends_with(".rs")).map(str::to_owned),
            );
        } else if directory == self.directory {
            roots.extend(Some(join(directory, "build.rs")).filter(|script| view.is_file(script)));
        }
        roots
    }
}

/// The packages of the view, by directory. Costs a look at every `Cargo.toml`.
pub(crate) fn packages(view: GraphView<'_>) -> Vec<CargoPackageEdges> {
    let manifests = view.files_ending("Cargo.toml");
    let manifests = manifests.iter().filter_map(|path| path.as_str()).filter(|path| file_name(path) == "Cargo.toml");
    let packages = manifests.filter_map(|manifest| package(view.db(), view.input(manifest)).as_deref());
    let mut packages: Vec<CargoPackageEdges> = packages.map(|package| package.edges(view)).collect();
    packages.sort_by(|one, other| one.directory.cmp(&other.directory));
    packages
}

/// Whether a crate comes with the compiler.
pub(crate) fn is_sysroot(name: &str) -> bool {
    SYSROOT.contains(&name)
}

/// The package that the file at `path` belongs to: that of the nearest manifest.
pub(crate) fn package_of<'db>(view: GraphView<'db>, path: &str) -> Option<&'db CargoPackage> {
    package_in(view, parent(path))
}

/// The package that files of `directory` are part of.
pub(crate) fn package_in<'db>(view: GraphView<'db>, directory: &str) -> Option<&'db CargoPackage> {
    package(view.db(), nearest_manifest(view.db(), view.input(directory))?).as_deref()
}

/// The manifest in a directory or the nearest one above.
#[salsa::tracked(returns(copy))]
fn nearest_manifest(db: &dyn Db, directory: PathInput) -> Option<PathInput> {
    let view = GraphView::new(db);
    view.nearest(&join(view.path(directory), "Cargo.toml"), "Cargo.toml").map(|manifest| view.input(&manifest))
}

/// Whether the file at `path` is a crate root. Outside of packages, its name decides.
pub(crate) fn is_root(view: GraphView<'_>, path: &str) -> bool {
    match package_of(view, path) {
        Some(package) => package.is_root(path),
        None => matches!(file_name(path), "lib.rs" | "main.rs"),
    }
}

/// The package of a manifest; `None` when it does not parse or is a workspace only.
#[salsa::tracked(returns(ref))]
fn package(db: &dyn Db, manifest: PathInput) -> Option<Arc<CargoPackage>> {
    let view = GraphView::new(db);
    let path = manifest.path(db).as_str()?;
    let directory = parent(path);
    let read = view.cargo_toml(path)?;
    read.package.as_ref()?;
    let root = workspace_of(view, directory, &read);
    let edition = match (&read.edition, &root) {
        (Edition::OfWorkspace, Some((_, root))) => {
            root.workspace.as_ref().map_or(Edition::Later, |found| found.edition)
        }
        (edition, _) => *edition,
    };
    let is_publishable = match (read.publication, &root) {
        (Publication::OfWorkspace, Some((_, root))) => {
            root.workspace.as_ref().is_none_or(|workspace| workspace.publishes)
        }
        (publication, _) => publication != Publication::Refused,
    };
    let library = library(view, directory, &read);
    let mut externs = BTreeMap::new();
    for (name, dependency) in &read.dependencies {
        externs.extend(extern_crate(view, directory, name, dependency, root.as_ref()));
    }
    if let Some((root, name)) = &library {
        externs.insert(name.clone(), Some(root.clone()));
    }
    let roots = read.target_paths.iter().filter_map(|path| normalised(directory, path)).collect();
    let is_2015 = edition == Edition::E2015;
    let listed = read.listed.clone();
    let directory = directory.to_owned();
    Some(Arc::new(CargoPackage { directory, is_2015, library, is_publishable, roots, listed, externs }))
}

/// The workspace manifest of the package in `directory`, with its directory.
fn workspace_of(view: GraphView<'_>, directory: &str, read: &CargoToml) -> Option<(String, Arc<CargoToml>)> {
    let named = read.workspace_path.as_ref().map(|path| normalised(directory, path));
    let above = GraphView::directories_above(directory).map(str::to_owned);
    let directories: Vec<String> = match named {
        Some(named) => named.into_iter().collect(),
        None => Some(directory.to_owned()).into_iter().chain(above).collect(),
    };
    directories.into_iter().find_map(|directory| {
        let manifest = view.cargo_toml(&join(&directory, "Cargo.toml"))?;
        manifest.workspace.is_some().then_some((directory, manifest))
    })
}

/// Root and name of the library in `directory`.
fn library(view: GraphView<'_>, directory: &str, read: &CargoToml) -> Option<(String, String)> {
    let name = read.lib_name.as_ref().or(read.package.as_ref())?.replace('-', "_");
    let root = normalised(directory, read.lib_path.as_deref().unwrap_or("src/lib.rs"))?;
    view.is_file(&root).then_some((root, name))
}

/// The name that a dependency has in code, and the root of its library when that is in the repository. `None` when it
/// should be in the repository but is not found.
fn extern_crate(
    view: GraphView<'_>,
    directory: &str,
    name: &str,
    dependency: &Dependency,
    workspace: Option<&(String, Arc<CargoToml>)>,
) -> Option<(String, Option<String>)> {
    let inherited = workspace
        .filter(|_| dependency.of_workspace)
        .and_then(|(directory, root)| Some((directory.as_str(), root.workspace.as_ref()?.dependencies.get(name)?)));
    let (directory, dependency) = inherited.unwrap_or((directory, dependency));
    let package = dependency.package.as_deref().unwrap_or(name);
    let patched = || {
        let (directory, root) = workspace?;
        normalised(directory, root.patched.get(package)?)
    };
    let found = match &dependency.path {
        Some(path) => normalised(directory, path),
        None => patched(),
    };
    let in_code = name.replace('-', "_");
    let Some(found) = found else { return Some((in_code, None)) };
    let read = view.cargo_toml(&join(&found, "Cargo.toml"))?;
    let (root, own) = library(view, &found, &read)?;
    // A renamed dependency has that new name; other dependencies have the name of their library.
    Some((if dependency.package.is_some() { in_code } else { own }, Some(root)))
}

/// Names by which packages of the view know the library with this root. Costs one look-up by name and what the
/// manifests say.
pub(crate) fn names_of_root<'db>(view: GraphView<'db>, root: &str) -> impl Iterator<Item = &'db str> {
    names_of_roots(view.db()).get(root).into_iter().flatten().map(String::as_str)
}

#[salsa::tracked(returns(ref))]
fn names_of_roots(db: &dyn Db) -> Arc<BTreeMap<String, BTreeSet<String>>> {
    let view = GraphView::new(db);
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let manifests = view.files_ending("Cargo.toml");
    for manifest in manifests.iter().filter_map(|path| path.as_str()).filter(|path| file_name(path) == "Cargo.toml") {
        for (name, root) in package(db, view.input(manifest)).iter().flat_map(|package| &package.externs) {
            if let Some(root) = root {
                names.entry(root.clone()).or_default().insert(name.clone());
            }
        }
    }
    Arc::new(names)
}
