//! Complete configurations of TypeScript and JavaScript projects: merged with the configurations that they extend, and
//! matched with the files that they cover.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::graph::{Db, PathInput};
use crate::manifests::tsconfig::{TsConfig, is_tsconfig};
use crate::schemes::ecmascript::packages;
use crate::schemes::ecmascript::{globs, probe};
use crate::view::{GraphView, file_name, join, normalised, parent};

/// Names of configurations that tools find by themselves, in the order in which they try them.
pub(super) const CONFIG_NAMES: [&str; 2] = ["tsconfig.json", "jsconfig.json"];

/// Most configurations that one may extend, directly or indirectly; more are ignored.
const MAX_BASES: usize = 64;

/// Most projects that a solution may reference, directly or indirectly; more are ignored.
const MAX_REFERENCES: usize = 1_000;

/// A configuration merged with those that it extends. Paths are relative to the repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(super) struct Config {
    /// Directory that bare names are looked up in.
    pub(super) base_url: Option<String>,
    /// Names that are mapped to paths, in order.
    pub(super) maps: Vec<PathMap>,
    /// Directories that are treated as one.
    pub(super) root_dirs: Vec<String>,
    /// Directory of the configuration itself.
    directory: String,
    files: Option<Vec<String>>,
    /// Patterns of included files; `None` for everything below the directory.
    include: Option<Vec<String>>,
    exclude: Vec<String>,
    /// Configurations of the projects that it references.
    references: Vec<String>,
}

/// A pattern of module names and the paths that it maps to.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub(super) struct PathMap {
    /// The pattern as written, with at most one `*`.
    pub(super) pattern: String,
    /// Paths to try in order, each with at most one `*`. Paths outside of the repository are left out.
    pub(super) targets: Vec<String>,
    /// Whether a target is outside of the repository, or in a directory of installed packages.
    pub(super) outside: bool,
}

impl PathMap {
    /// The text that the `*` of the pattern matches in `specifier`, empty for a pattern without `*`; `None` when the
    /// pattern does not match.
    fn star<'a>(&self, specifier: &'a str) -> Option<&'a str> {
        match self.pattern.split_once('*') {
            Some((before, after)) => specifier.strip_prefix(before)?.strip_suffix(after),
            None => (self.pattern == specifier).then_some(""),
        }
    }

    /// The specifier that this map sends to `path`.
    pub(super) fn specifier_of(&self, path: &str) -> Option<String> {
        self.targets.iter().find_map(|target| match target.split_once('*') {
            Some((before, after)) => {
                let star = path.strip_prefix(before)?.strip_suffix(after)?;
                Some(self.pattern.replacen('*', star, 1))
            }
            None => (target == path).then(|| self.pattern.clone()),
        })
    }
}

impl Config {
    /// The map for `specifier`, chosen like the compiler does: an exact match, else the longest part before `*`. Also
    /// the paths that it gives.
    pub(super) fn map_of(&self, specifier: &str) -> Option<(&PathMap, Vec<String>)> {
        let matching = self.maps.iter().filter_map(|map| Some((map, map.star(specifier)?)));
        let rank = |(map, _): &(&PathMap, &str)| map.pattern.find('*').map_or((1, 0), |length| (0, length));
        let (map, star) = matching.rev().max_by_key(rank)?;
        Some((map, map.targets.iter().map(|target| target.replacen('*', star, 1)).collect()))
    }

    /// Whether the file at `path` belongs to the project.
    fn covers(&self, path: &str) -> bool {
        if self.files.iter().flatten().any(|file| file == path) {
            return true;
        }
        let included = match &self.include {
            Some(patterns) => patterns.iter().any(|pattern| includes(pattern, path)),
            None => self.files.is_none() && packages::below(&self.directory, path).is_some(),
        };
        included && !self.exclude.iter().any(|pattern| globs::covers(pattern, path))
    }
}

/// Whether an `include` pattern covers the file: it matches the file or, without a star in its last component, a
/// directory above it.
fn includes(pattern: &str, path: &str) -> bool {
    let last = file_name(pattern);
    if last.contains(['*', '?']) && last != "**" { globs::matches(pattern, path) } else { globs::covers(pattern, path) }
}

/// The configuration that covers the file at `path`: the nearest one that covers it, or a project that this one
/// references, or a variant in the same directory. If none covers it, the nearest configuration, because tests and
/// scripts that it leaves out mostly still run under it.
pub(super) fn config_for(view: GraphView<'_>, path: &str) -> Option<Arc<Config>> {
    config_of_file(view.db(), view.input(path)).clone()
}

#[salsa::tracked(returns(ref))]
fn config_of_file(db: &dyn Db, file: PathInput) -> Option<Arc<Config>> {
    let view = GraphView::new(db);
    let path = file.path(db).as_str()?;
    let mut nearest = None;
    for directory in GraphView::directories_above(path) {
        let Some(name) = CONFIG_NAMES.iter().find(|name| view.is_file(&join(directory, name))) else { continue };
        let own = join(directory, name);
        let projects = projects(view, &own);
        let telling = |config: &&Arc<Config>| !config.maps.is_empty() || config.base_url.is_some();
        let configs = || projects.iter().map(|(_, config)| config);
        if let Some(covering) = configs().find(|config| config.covers(path)) {
            return Some(Arc::clone(covering));
        }
        nearest = nearest.or_else(|| configs().find(telling).or_else(|| configs().next()).cloned());
    }
    nearest
}

/// The configuration at `path`, those it consists of, and the variants beside it.
fn projects(view: GraphView<'_>, path: &str) -> Vec<(String, Arc<Config>)> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([path.to_owned()]);
    let mut left = std::collections::VecDeque::from([path.to_owned()]);
    while let Some(path) = left.pop_front() {
        let Some(config) = config_at(view, &path) else { continue };
        let new = config
            .references
            .iter()
            .filter(|reference| seen.len() < MAX_REFERENCES && seen.insert((*reference).clone()));
        left.extend(new.cloned());
        found.push((path, config));
    }
    let beside = view.files_in(parent(path));
    let variants = beside.iter().filter_map(|file| file.as_str()).filter(|file| is_tsconfig(file_name(file)));
    let variants = variants.filter(|variant| !CONFIG_NAMES.contains(&file_name(variant)) && !seen.contains(*variant));
    found.extend(variants.filter_map(|variant| Some((variant.to_owned(), config_at(view, variant)?))));
    found
}

/// The configuration at `path`, merged with all that it extends; `None` when it does not exist or cannot be read.
pub(super) fn config_at(view: GraphView<'_>, path: &str) -> Option<Arc<Config>> {
    whole_config(view.db(), view.input(path)).clone()
}

#[salsa::tracked(returns(ref))]
fn whole_config(db: &dyn Db, input: PathInput) -> Option<Arc<Config>> {
    let view = GraphView::new(db);
    let path = input.path(db).as_str()?;
    let layer = ConfigLayers { view, done: BTreeMap::new() }.of(path)?;
    Some(Arc::new(layer.config(view, path)))
}

/// All configurations that tools would choose for some file, merged with what they extend. Used to find names that
/// lead to a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
struct CombinedConfigs {
    maps: Vec<PathMap>,
    /// For each configuration that has such directories: the directories that are treated as one.
    root_dirs: BTreeSet<Vec<String>>,
}

#[salsa::tracked(returns(ref))]
fn combined_configs(db: &dyn Db) -> Arc<CombinedConfigs> {
    let view = GraphView::new(db);
    let mut all = CombinedConfigs::default();
    let mut seen = BTreeSet::new();
    for name in CONFIG_NAMES {
        for own in view.files_ending(name).iter().filter_map(|path| path.as_str()) {
            for (path, config) in projects(view, own) {
                if seen.insert(path) {
                    all.maps.extend(config.maps.iter().cloned());
                    all.root_dirs.insert(config.root_dirs.clone());
                }
            }
        }
    }
    all.maps.sort_by(|one, other| (&one.pattern, &one.targets).cmp(&(&other.pattern, &other.targets)));
    all.maps.dedup();
    Arc::new(all)
}

/// Specifiers that some configuration of the view maps to one of `paths`.
pub(super) fn specifiers_of(view: GraphView<'_>, paths: &[String]) -> Vec<String> {
    let maps = &combined_configs(view.db()).maps;
    maps.iter().flat_map(|map| paths.iter().filter_map(|path| map.specifier_of(path))).collect()
}

/// The paths that a file at `path` also seems to have, according to configurations that treat several directories as
/// one.
pub(super) fn seen_as(view: GraphView<'_>, path: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    for roots in &combined_configs(view.db()).root_dirs {
        for inside in roots.iter().filter_map(|root| packages::below(root, path)).filter(|inside| !inside.is_empty()) {
            seen.extend(roots.iter().map(|root| join(root, inside)));
        }
    }
    seen.remove(path);
    seen.into_iter().collect()
}

/// Paths of the configurations that the one at `path` extends, beginning with itself.
pub(super) fn chain(view: GraphView<'_>, path: &str) -> Vec<String> {
    let mut layers = ConfigLayers { view, done: BTreeMap::new() };
    layers.of(path);
    layers.done.into_keys().collect()
}

/// The content of a configuration, with the directory that its paths are relative to.
type ConfigSetting<T> = Option<(String, T)>;

/// Settings of several configurations, merged.
#[derive(Debug, Clone, Default)]
struct ConfigLayer {
    base_url: ConfigSetting<String>,
    paths: ConfigSetting<Vec<(String, Vec<String>)>>,
    root_dirs: ConfigSetting<Vec<String>>,
    out_dir: ConfigSetting<String>,
    files: ConfigSetting<Vec<String>>,
    include: ConfigSetting<Vec<String>>,
    exclude: ConfigSetting<Vec<String>>,
    references: Vec<String>,
}

/// Merged layers by path; `None` for one that does not exist or that is being merged.
struct ConfigLayers<'db> {
    view: GraphView<'db>,
    done: BTreeMap<String, Option<ConfigLayer>>,
}

impl ConfigLayers<'_> {
    /// The layer of the configuration at `path`. A configuration that extends itself is merged only once.
    fn of(&mut self, path: &str) -> Option<ConfigLayer> {
        if let Some(done) = self.done.get(path) {
            return done.clone();
        }
        if self.done.len() >= MAX_BASES {
            return None;
        }
        self.done.insert(path.to_owned(), None);
        let config = self.view.tsconfig(path)?.ok()?;
        let mut layer = ConfigLayer::default();
        for base in &config.extends {
            let base = base_path(self.view, parent(path), base).and_then(|base| self.of(&base));
            layer.override_with(base.unwrap_or_default());
        }
        layer.override_with(ConfigLayer::of(parent(path), &config));
        layer.references.clone_from(&config.references);
        self.done.insert(path.to_owned(), Some(layer.clone()));
        Some(layer)
    }
}

impl ConfigLayer {
    fn of(directory: &str, config: &TsConfig) -> Self {
        fn at<T: Clone>(directory: &str, value: &Option<T>) -> ConfigSetting<T> {
            value.clone().map(|value| (directory.to_owned(), value))
        }
        Self {
            base_url: at(directory, &config.base_url),
            paths: at(directory, &config.paths),
            root_dirs: at(directory, &config.root_dirs),
            out_dir: at(directory, &config.out_dir),
            files: at(directory, &config.files),
            include: at(directory, &config.include),
            exclude: at(directory, &config.exclude),
            references: Vec::new(),
        }
    }

    /// Puts `upper` on top: its values win.
    fn override_with(&mut self, upper: Self) {
        fn override_value<T>(below: &mut Option<T>, upper: Option<T>) {
            if upper.is_some() {
                *below = upper;
            }
        }
        override_value(&mut self.base_url, upper.base_url);
        override_value(&mut self.paths, upper.paths);
        override_value(&mut self.root_dirs, upper.root_dirs);
        override_value(&mut self.out_dir, upper.out_dir);
        override_value(&mut self.files, upper.files);
        override_value(&mut self.include, upper.include);
        override_value(&mut self.exclude, upper.exclude);
    }

    /// The merged values of all layers, for the configuration at `path`.
    fn config(self, view: GraphView<'_>, path: &str) -> Config {
        let own = parent(path);
        let place = |directory: &str, relative: &str| match relative.strip_prefix("${configDir}") {
            Some(rest) => normalised(own, rest.trim_start_matches('/')),
            None if relative.starts_with('/') => None,
            None => normalised(directory, relative),
        };
        let places = |(directory, list): &(String, Vec<String>)| {
            list.iter().filter_map(|relative| place(directory, relative)).collect::<Vec<_>>()
        };
        let base_url = self.base_url.as_ref().and_then(|(directory, relative)| place(directory, relative));
        let maps = self.paths.iter().flat_map(|(directory, maps)| {
            let directory = base_url.as_deref().unwrap_or(directory);
            maps.iter().map(|(pattern, targets)| PathMap {
                pattern: pattern.clone(),
                targets: targets
                    .iter()
                    .filter_map(|target| place(directory, target))
                    .filter(|target| !is_installed(target))
                    .collect(),
                outside: targets
                    .iter()
                    .any(|target| place(directory, target).is_none_or(|target| is_installed(&target))),
            })
        });
        let maps = maps.collect();
        let mut exclude = match &self.exclude {
            Some(exclude) => places(exclude),
            None => ["node_modules", "bower_components", "jspm_packages"].map(|name| join(own, name)).to_vec(),
        };
        let out_dir = self.out_dir.as_ref().and_then(|(directory, relative)| place(directory, relative));
        exclude.extend(out_dir.filter(|out_dir| self.exclude.is_none() && packages::below(out_dir, own).is_none()));
        Config {
            maps,
            root_dirs: self.root_dirs.as_ref().map(places).unwrap_or_default(),
            files: self.files.as_ref().map(places),
            include: self.include.as_ref().map(places),
            exclude,
            references: self.references.iter().filter_map(|reference| reference_path(view, own, reference)).collect(),
            directory: own.to_owned(),
            base_url,
        }
    }
}

/// Whether `path` is in a directory of installed packages.
fn is_installed(path: &str) -> bool {
    path.split('/').any(|component| component == "node_modules")
}

/// The configuration that `extends` names in a configuration of `directory`.
fn base_path(view: GraphView<'_>, directory: &str, base: &str) -> Option<String> {
    let file_at = |path: &str| {
        let candidates = [path.to_owned(), format!("{path}.json"), join(path, CONFIG_NAMES[0])];
        candidates.into_iter().find(|candidate| view.is_file(candidate))
    };
    if base.starts_with('.') {
        return file_at(&normalised(directory, base)?);
    }
    let (name, subpath) = packages::split(base);
    let root = packages::package_directory(view, directory, name)?;
    if subpath != "." {
        return file_at(&normalised(&root, &subpath)?);
    }
    let named = packages::package_in(view, &root).and_then(|package| package.tsconfig.clone());
    file_at(&normalised(&root, named.as_deref().unwrap_or(CONFIG_NAMES[0]))?)
}

/// The configuration of a project that a configuration in `directory` references, by file or by directory.
fn reference_path(view: GraphView<'_>, directory: &str, reference: &str) -> Option<String> {
    let path = normalised(directory, reference)?;
    let candidates = [join(&path, CONFIG_NAMES[0]), path];
    candidates.into_iter().find(|candidate| probe::can_be_named(candidate) && view.is_file(candidate))
}
