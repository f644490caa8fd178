//! Modules of JavaScript and TypeScript, by the rules that Node, the compiler and bundlers share; also the paths in
//! style sheets and pages.

mod builtins;
mod configs;
mod globs;
mod keys;
mod packages;
mod probe;

use crate::graph::PathInput;
use crate::manifests::workspaces::WORKSPACE_FILES;
use crate::resolve::{ImportOutcome, Statement};
use crate::schemes::ecmascript::packages::file_or_directory;
use crate::schemes::ecmascript::probe::Flavour;
use crate::view::{GraphView, file_name, join, normalised, parent};

pub(crate) use crate::schemes::ecmascript::keys::keys;

/// What a statement leads to.
pub(crate) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let asked = ImportingFile {
        view,
        path: statement.path,
        directory: parent(statement.path),
        flavour: Flavour::of(statement.language),
        is_document: statement.language == "html",
    };
    // Loaders come before the file, each followed by `!`.
    let specifier = statement.import.specifier.as_str();
    let (is_loaded, specifier) = specifier.rsplit_once('!').map_or((false, specifier), |(_, rest)| (true, rest));
    match specifier.split_once('?') {
        // The query tells a bundler how to load the file, or makes a browser load it again.
        Some((file, _)) => asked.exact(file),
        None if is_loaded && !is_relative(specifier) => asked.package_only(specifier),
        // After a loader, dots alone cannot be looked up from the directory, so they are left out.
        None if is_loaded && specifier.split('/').all(|component| matches!(component, "" | "." | "..")) => {
            ImportOutcome::Unresolved
        }
        None => asked.any(specifier),
    }
}

/// Empty: no JavaScript file sees another one without a statement.
pub(crate) fn siblings(_: GraphView<'_>, _: &str) -> Vec<PathInput> {
    Vec::new()
}

/// Manifests that are read for the file at `path`.
pub(crate) fn manifests(view: GraphView<'_>, path: &str) -> Vec<String> {
    let names = || configs::CONFIG_NAMES.into_iter().chain([packages::PACKAGE_JSON]).chain(WORKSPACE_FILES);
    let above = GraphView::directories_above(path);
    let mut found: Vec<String> = above.flat_map(|directory| names().map(move |name| join(directory, name))).collect();
    let config = configs::CONFIG_NAMES.iter().find_map(|name| view.nearest(path, name));
    found.extend(config.into_iter().flat_map(|config| configs::chain(view, &config)));
    found
}

/// An import and where it stands.
struct ImportingFile<'a> {
    view: GraphView<'a>,
    path: &'a str,
    directory: &'a str,
    flavour: Flavour,
    /// Whether it is an HTML page, in which every path is relative.
    is_document: bool,
}

/// Whether `specifier` is a path relative to its file.
fn is_relative(specifier: &str) -> bool {
    let dots = specifier.split(['/', '\\']).next().unwrap_or_default();
    matches!(dots, "." | "..")
}

/// Whether backward look-up can find `specifier` from the path of the file. It cannot when dots follow a name.
fn ends_in_a_name(specifier: &str) -> bool {
    let last = file_name(specifier.trim_end_matches('/'));
    let only_dots = specifier.split('/').all(|component| matches!(component, "" | "." | ".."));
    match last {
        "." | ".." if only_dots => specifier.contains("..") || specifier.len() <= "./".len(),
        "." | ".." => false,
        _ => !only_dots,
    }
}

/// The scheme that an absolute address begins with.
fn address_scheme(specifier: &str) -> Option<&str> {
    let (scheme, _) = specifier.split_once(':')?;
    let is_scheme =
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    is_scheme.then_some(scheme)
}

impl ImportingFile<'_> {
    fn outcome(&self, files: Vec<String>) -> ImportOutcome {
        ImportOutcome::paths(self.view, files)
    }

    fn any(&self, specifier: &str) -> ImportOutcome {
        if specifier.is_empty() || !ends_in_a_name(specifier) {
            return ImportOutcome::Unresolved;
        }
        if is_relative(specifier) {
            return self.relative(specifier);
        }
        if specifier.starts_with("//") || address_scheme(specifier).is_some_and(builtins::is_address) {
            return ImportOutcome::External;
        }
        if let Some(absolute) = specifier.strip_prefix('/') {
            return self.below_roots(absolute);
        }
        if self.is_document {
            return self.relative(specifier);
        }
        if self.flavour == Flavour::Page {
            return self.in_style_sheet(specifier);
        }
        self.bare(specifier)
    }

    /// A path relative to the file, or to the file's place in another of its root directories.
    fn relative(&self, specifier: &str) -> ImportOutcome {
        let Some(path) = normalised(self.directory, specifier) else { return ImportOutcome::External };
        let found = self.at(&path, specifier);
        if !found.is_empty() {
            return self.outcome(found);
        }
        let found = self.in_root_directories(&path, specifier);
        match found.is_empty() && path.split('/').any(|component| component == "node_modules") {
            true => ImportOutcome::External,
            false => self.outcome(found),
        }
    }

    /// Files at `path`. A specifier that ends in `/` or in dots means a directory.
    fn at(&self, path: &str, specifier: &str) -> Vec<String> {
        let is_directory = specifier.ends_with('/') || matches!(file_name(specifier), "." | "..");
        match is_directory {
            true => packages::directory(self.view, path, self.flavour),
            false => file_or_directory(self.view, path, self.flavour),
        }
    }

    fn in_root_directories(&self, path: &str, specifier: &str) -> Vec<String> {
        let Some(config) = configs::config_for(self.view, self.path) else { return Vec::new() };
        let roots = &config.root_dirs;
        let inside = |root: &String| packages::below(root, path).filter(|inside| !inside.is_empty());
        // The file belongs to the longest root that contains it.
        let Some(inside) = roots.iter().filter_map(inside).min_by_key(|inside| inside.len()) else { return Vec::new() };
        let found = roots.iter().map(|root| self.at(&join(root, inside), specifier));
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// A path relative to the root of a server or bundler. No file tells this root, so the package and the repository
    /// are tried.
    fn below_roots(&self, path: &str) -> ImportOutcome {
        let package = packages::enclosing(self.view, self.directory).unwrap_or_default();
        let public = join(&package, "public");
        let roots = [package.as_str(), public.as_str(), ""];
        let found = roots.iter().filter_map(|root| Some(self.at(&self.inside(root, path)?, path)));
        self.outcome(found.into_iter().find(|found| !found.is_empty()).unwrap_or_default())
    }

    /// `path` below `root`; `None` when it leaves `root`.
    fn inside(&self, root: &str, path: &str) -> Option<String> {
        normalised(root, path).filter(|path| packages::below(root, path).is_some_and(|inside| !inside.is_empty()))
    }

    /// A path in a style sheet. A leading `~` marks a package name, not a path.
    fn in_style_sheet(&self, specifier: &str) -> ImportOutcome {
        let found = normalised(self.directory, specifier).map(|path| self.at(&path, specifier)).unwrap_or_default();
        if !found.is_empty() {
            return self.outcome(found);
        }
        match specifier.strip_prefix('~').filter(|rest| !rest.starts_with('/')) {
            Some(name) => self.bare(name),
            None => match self.bare(specifier) {
                ImportOutcome::External if probe::can_be_named(specifier) && !specifier.contains('/') => {
                    ImportOutcome::Unresolved
                }
                outcome => outcome,
            },
        }
    }

    /// A bare name: mapped by a configuration, known to the package, or a package.
    fn bare(&self, specifier: &str) -> ImportOutcome {
        let config = configs::config_for(self.view, self.path);
        let map = config.as_ref().and_then(|config| config.map_of(specifier));
        if let Some((_, paths)) = &map {
            let found = paths.iter().map(|path| self.at(path, specifier)).find(|found| !found.is_empty());
            if let Some(found) = found {
                return self.outcome(found);
            }
        }
        let is_claimed = map.is_some_and(|(map, _)| !map.outside && !map.pattern.starts_with('*'));
        if specifier.starts_with('#') {
            return self.internal(specifier);
        }
        let from_base = config.as_ref().and_then(|config| self.inside(config.base_url.as_deref()?, specifier));
        let found = from_base.map(|path| self.at(&path, specifier)).unwrap_or_default();
        if !found.is_empty() {
            return self.outcome(found);
        }
        // No package can have such a name. Projects use these names for their own source.
        if let Some(path) = specifier.strip_prefix("@/").or_else(|| specifier.strip_prefix("~/")) {
            return self.below_source(path);
        }
        match self.package(specifier) {
            ImportOutcome::External if is_claimed && !self.depends_on(specifier) => ImportOutcome::Unresolved,
            outcome => outcome,
        }
    }

    /// A path relative to the source directory of the package, which may be in several places.
    fn below_source(&self, path: &str) -> ImportOutcome {
        let package = packages::enclosing(self.view, self.directory).unwrap_or_default();
        let roots = ["src", "", "app"].map(|source| join(&package, source));
        let found = roots.iter().filter_map(|root| Some(self.at(&self.inside(root, path)?, path)));
        self.outcome(found.into_iter().find(|found| !found.is_empty()).unwrap_or_default())
    }

    fn internal(&self, specifier: &str) -> ImportOutcome {
        let Some(root) = packages::enclosing(self.view, self.directory) else { return ImportOutcome::Unresolved };
        match packages::internal(self.view, &root, specifier, self.flavour) {
            Some(found) if found.is_empty() => ImportOutcome::External,
            found => self.outcome(found.unwrap_or_default()),
        }
    }

    fn package(&self, specifier: &str) -> ImportOutcome {
        let (name, subpath) = packages::split(specifier);
        if builtins::is_builtin(name) && !specifier.ends_with('/') {
            return ImportOutcome::External;
        }
        match packages::package_directory(self.view, self.directory, name) {
            Some(root) => self.outcome(packages::subpath_files(self.view, &root, &subpath, self.flavour)),
            None => ImportOutcome::External,
        }
    }

    /// A package with a query or a loader. Such a name does not tell which file of the package is meant.
    fn package_only(&self, specifier: &str) -> ImportOutcome {
        let (name, _) = packages::split(specifier);
        match packages::package_directory(self.view, self.directory, name) {
            Some(_) => ImportOutcome::Unresolved,
            None => ImportOutcome::External,
        }
    }

    /// A path with a query. It must contain the full file name.
    fn exact(&self, specifier: &str) -> ImportOutcome {
        match self.any(specifier) {
            ImportOutcome::Files(targets)
                if !targets.iter().all(|target| file_name(self.view.path(target.file)) == file_name(specifier)) =>
            {
                ImportOutcome::Unresolved
            }
            outcome => outcome,
        }
    }

    fn depends_on(&self, specifier: &str) -> bool {
        let (name, _) = packages::split(specifier);
        let root = packages::enclosing(self.view, self.directory);
        let package = root.and_then(|root| packages::package_in(self.view, &root));
        package.is_some_and(|package| package.version(name).is_some())
    }
}
