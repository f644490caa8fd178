//! Packages of the repository: from a package name to its directory, and from the directory to the files that it
//! exports.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::graph::{Db, PathInput};
use crate::manifests::package_json::{PackageJson, Purpose, SubpathEntry, SubpathTarget};
use crate::manifests::workspaces::WORKSPACE_FILES;
use crate::schemes::ecmascript::globs;
use crate::schemes::ecmascript::probe::{self, Flavour};
use crate::view::{GraphView, file_name, join, normalised, parent};

/// The manifest of a package.
pub(super) const PACKAGE_JSON: &str = "package.json";

/// Output directories of builds, at the front of an entry point's path.
const BUILD_DIRECTORIES: [&str; 10] =
    ["bin", "build", "dist", "lib", "out", "output", "package", "pkg", "publish", "target"];

/// Directories for the different formats of one build, anywhere in such a path. `src` is one of them, because some
/// builds keep it in the output path.
const FORMAT_DIRECTORIES: [&str; 16] = [
    "browser",
    "cjs",
    "commonjs",
    "declarations",
    "dts",
    "es",
    "es6",
    "esm",
    "esnext",
    "legacy",
    "module",
    "modules",
    "src",
    "types",
    "typings",
    "umd",
];

/// Source directories, in the order in which they are tried. The package directory itself is second.
const SOURCE_DIRECTORIES: [&str; 4] = ["src", "", "source", "lib"];

/// A root directory that lists the packages below it.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
struct Workspace {
    root: String,
    /// Patterns of directories relative to `root`.
    members: Vec<String>,
    /// Patterns of directories that are not members.
    excluded: Vec<String>,
}

#[salsa::interned(debug)]
struct PackageName<'db> {
    #[returns(deref)]
    text: String,
}

/// Splits a bare specifier: the package name, and the requested subpath, `.` or `./sub`.
pub(super) fn split(specifier: &str) -> (&str, String) {
    let slashes = if specifier.starts_with('@') { 1 } else { 0 };
    let end = specifier.match_indices('/').nth(slashes).map_or(specifier.len(), |(at, _)| at);
    let rest = specifier[end..].trim_matches('/');
    (&specifier[..end], if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") })
}

/// The `package.json` in `directory`, if it can be read.
pub(super) fn package_in(view: GraphView<'_>, directory: &str) -> Option<Arc<PackageJson>> {
    view.package_json(&join(directory, PACKAGE_JSON))?.ok()
}

/// The nearest directory with a `package.json`, from `directory` up.
pub(super) fn enclosing(view: GraphView<'_>, directory: &str) -> Option<String> {
    enclosing_package(view.db(), view.input(directory)).clone()
}

/// Directory of the package that `name` means for files in `directory`, if it is in the repository. In order: a
/// dependency by path in their manifest, their own package, an installed package, a member of a workspace around them.
pub(super) fn package_directory(view: GraphView<'_>, directory: &str, name: &str) -> Option<String> {
    package_named(view.db(), view.input(directory), PackageName::new(view.db(), name)).clone()
}

#[salsa::tracked(returns(ref))]
fn enclosing_package(db: &dyn Db, directory: PathInput) -> Option<String> {
    let view = GraphView::new(db);
    let directory = directory.path(db).as_str()?;
    upwards(directory).find(|above| view.is_file(&join(above, PACKAGE_JSON))).map(str::to_owned)
}

#[salsa::tracked(returns(ref))]
fn package_named<'db>(db: &'db dyn Db, directory: PathInput, name: PackageName<'db>) -> Option<String> {
    let view = GraphView::new(db);
    let (directory, name) = (directory.path(db).as_str()?, name.text(db));
    if let Some(local) = dependency_by_path(view, directory, name) {
        return Some(local);
    }
    let candidates = directories_of(view, name);
    if candidates.is_empty() {
        return None;
    }
    // A package may import itself by its name. The name of another package around it counts only if that package is
    // installed.
    let is_named = |above: &&str| package_in(view, above).is_some_and(|package| package.name.is_some());
    let own = upwards(directory).find(is_named);
    let installed = upwards(directory).map(|above| join(above, &format!("node_modules/{name}")));
    own.map(str::to_owned).into_iter().chain(installed).find(|place| candidates.contains(place)).or_else(|| {
        let workspaces = workspaces_above(db, view.input(directory));
        let own = enclosing(view, directory).unwrap_or_default();
        let version = package_in(view, &own).and_then(|package| package.version(name).map(str::to_owned));
        // A package that is not a workspace member and requests a version gets it from elsewhere. The same holds for a
        // dependency under another name (`npm:`).
        let is_linked = |workspace: &Workspace| match &version {
            Some(version) => !version.starts_with("npm:") && (workspace.root == own || workspace.has(&own)),
            None => true,
        };
        let linked: Vec<_> = workspaces.iter().filter(|workspace| is_linked(workspace)).collect();
        candidates.iter().find(|candidate| linked.iter().any(|workspace| workspace.has(candidate))).cloned()
    })
}

/// Directories whose `package.json` has this name.
fn directories_of(view: GraphView<'_>, name: &str) -> Vec<String> {
    let manifests = view.providing(name);
    let manifests = manifests.iter().filter_map(|path| path.as_str()).filter(|path| file_name(path) == PACKAGE_JSON);
    let found: Vec<String> = manifests.map(|path| parent(path).to_owned()).collect();
    if found.is_empty() { packages_by_name(view.db()).get(name).cloned().unwrap_or_default() } else { found }
}

/// All packages of the view, for names that the index of provided names does not know.
#[salsa::tracked(returns(ref))]
fn packages_by_name(db: &dyn Db) -> BTreeMap<String, Vec<String>> {
    let view = GraphView::new(db);
    let mut packages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in view.files_ending(PACKAGE_JSON).iter().filter_map(|path| path.as_str()) {
        let name = package_in(view, parent(path)).and_then(|package| package.name.clone());
        if let Some(name) = name {
            packages.entry(name).or_default().push(parent(path).to_owned());
        }
    }
    packages
}

/// The package that the manifest around `directory` gives by path: `file:../a`, `link:`, `portal:`, `workspace:`.
fn dependency_by_path(view: GraphView<'_>, directory: &str, name: &str) -> Option<String> {
    let root = enclosing(view, directory)?;
    let package = package_in(view, &root)?;
    let version = package.version(name)?;
    let path = ["file:", "link:", "portal:", "workspace:"].iter().find_map(|scheme| version.strip_prefix(scheme))?;
    let target = path.starts_with('.').then(|| normalised(&root, path))??;
    // If the name is neither that of the package nor that of its directory, backward look-up could not find it.
    let goes_by_it = package_in(view, &target)?.name.as_deref() == Some(name) || file_name(&target) == file_name(name);
    goes_by_it.then_some(target)
}

#[salsa::tracked(returns(ref))]
fn workspaces_above(db: &dyn Db, directory: PathInput) -> Vec<Workspace> {
    let view = GraphView::new(db);
    let Some(directory) = directory.path(db).as_str() else { return Vec::new() };
    upwards(directory).filter_map(|root| workspace_at(view, root)).collect()
}

fn workspace_at(view: GraphView<'_>, root: &str) -> Option<Workspace> {
    let listed = |name: &&str| view.workspace_members(&join(root, name)).and_then(Result::ok);
    let mut patterns = package_in(view, root).map(|package| package.workspaces.clone()).unwrap_or_default();
    patterns.extend(WORKSPACE_FILES.iter().filter_map(listed).flat_map(|members| members.to_vec()));
    let (excluded, members): (Vec<_>, Vec<_>) =
        patterns.iter().flat_map(|pattern| globs::alternatives(pattern)).partition(|pattern| pattern.starts_with('!'));
    let excluded = excluded.into_iter().map(|pattern| pattern[1..].to_owned()).collect();
    (!members.is_empty()).then(|| Workspace { root: root.to_owned(), members, excluded })
}

impl Workspace {
    /// Whether the package in `directory` is a member of the workspace.
    fn has(&self, directory: &str) -> bool {
        let Some(inside) = below(&self.root, directory) else { return false };
        let matches = |pattern: &String| globs::matches(pattern, inside);
        self.members.iter().any(matches) && !self.excluded.iter().any(matches)
    }
}

impl PackageJson {
    /// The requested version of a dependency.
    pub(super) fn version(&self, name: &str) -> Option<&str> {
        let at = self.dependencies.partition_point(|(dependency, _)| dependency.as_str() < name);
        let (dependency, version) = self.dependencies.get(at)?;
        (dependency == name).then_some(version.as_str())
    }
}

/// Files that `subpath` (`.` or `./sub`) of the package in `root` leads to; empty when the package does not export it.
pub(super) fn subpath_files(view: GraphView<'_>, root: &str, subpath: &str, flavour: Flavour) -> Vec<String> {
    let package = package_in(view, root).unwrap_or_default();
    if let Some(exports) = &package.exports {
        match entry_of(exports, subpath) {
            Some((_, export, _)) if export.targets.is_empty() => return Vec::new(),
            Some((_, export, star)) => {
                let found = first_target(view, root, &export.targets, star.as_deref(), flavour);
                if !found.is_empty() {
                    return found;
                }
            }
            None => {}
        }
    }
    if subpath == "." {
        return main_file(view, root, &package, flavour).unwrap_or_else(|| guessed_main(view, root, flavour));
    }
    // A package without `exports` exports every file. With `exports`, the source of an entry is often at the same path
    // as the entry.
    let sub = &subpath[2..];
    let direct = normalised(root, sub).filter(|path| below(root, path).is_some());
    let found = direct.map(|path| file_or_directory(view, &path, flavour)).unwrap_or_default();
    if found.is_empty() { sources(view, root, sub, Renaming::Compiled, flavour) } else { found }
}

/// Files that `specifier`, a name that begins with `#`, leads to in the package in `root`; empty when it means another
/// package. `None` when the package does not know the name.
pub(super) fn internal(view: GraphView<'_>, root: &str, specifier: &str, flavour: Flavour) -> Option<Vec<String>> {
    let package = package_in(view, root)?;
    let (_, export, star) = entry_of(&package.imports, specifier)?;
    let found = first_target(view, root, &export.targets, star.as_deref(), flavour);
    // A target that does not begin with a dot is another package, so it is outside.
    let elsewhere = export.targets.iter().any(|target| !target.path.starts_with('.'));
    (!found.is_empty() || elsewhere).then_some(found)
}

/// The file or directory at `path`, in the order of bundlers: the file, then a package there, then its index file.
pub(super) fn file_or_directory(view: GraphView<'_>, path: &str, flavour: Flavour) -> Vec<String> {
    let found = probe::files(view, path, flavour);
    if found.is_empty() { directory(view, path, flavour) } else { found }
}

/// Files that stand for `directory`.
pub(super) fn directory(view: GraphView<'_>, directory: &str, flavour: Flavour) -> Vec<String> {
    let package = package_in(view, directory);
    let main = package.as_ref().and_then(|package| main_file(view, directory, package, flavour));
    let found = main.unwrap_or_else(|| probe::index(view, directory, flavour));
    match package {
        Some(_) if found.is_empty() => subpath_files(view, directory, ".", flavour),
        _ => found,
    }
}

/// The entry for `asked` with its number: an exact match, else the pattern with the longest part before `*`, together
/// with the text for `*`.
fn entry_of<'a>(entries: &'a [SubpathEntry], asked: &str) -> Option<(usize, &'a SubpathEntry, Option<String>)> {
    if let Some((at, exact)) = entries.iter().enumerate().find(|(_, entry)| entry.pattern == asked) {
        return Some((at, exact, None));
    }
    let matching = entries.iter().enumerate().filter_map(|(at, entry)| {
        let (before, after) = star_pattern(&entry.pattern)?;
        let star = asked.strip_prefix(before)?.strip_suffix(after).filter(|star| !star.is_empty())?;
        Some((before.len(), after.len(), at, entry, star))
    });
    let (_, _, at, entry, star) = matching.max_by_key(|(before, after, ..)| (*before, *after))?;
    Some((at, entry, Some(star.to_owned())))
}

/// The parts of a pattern before and after `*`. A pattern that ends in `/` matches everything below.
pub(super) fn star_pattern(pattern: &str) -> Option<(&str, &str)> {
    pattern.split_once('*').or_else(|| pattern.ends_with('/').then_some((pattern, "")))
}

/// How the name of a built file may differ from the name of its source.
#[derive(Debug, Clone, Copy)]
enum Renaming<'a> {
    /// Only by the extension that a compiler changes, because the importer wrote the rest of the name.
    Compiled,
    /// By the extension, and by this tag before it, if any: the text that a pattern has after its star.
    Tail(&'a str),
    /// By the extension and any tag before it: `index.cjs.prod.js` is made of `index.ts`.
    Any,
}

/// Files of the first target that leads to a file, in the order of preference for `flavour`.
fn first_target(
    view: GraphView<'_>,
    root: &str,
    targets: &[SubpathTarget],
    star: Option<&str>,
    flavour: Flavour,
) -> Vec<String> {
    let rank = |purpose| match (purpose, flavour) {
        (Purpose::Source, _) => 0,
        (Purpose::Types, Flavour::Typed) | (Purpose::Program, Flavour::Script | Flavour::Page) => 1,
        _ => 2,
    };
    let of_rank = |wanted| targets.iter().filter(move |target| rank(target.purpose) == wanted);
    (0..=2)
        .flat_map(of_rank)
        .map(|target| target.path.as_str())
        .filter(|path| path.starts_with('.'))
        .map(|path| match (star, star_pattern(path)) {
            (Some(star), Some((before, ""))) => {
                target_files(view, root, &format!("{before}{star}"), Renaming::Compiled, flavour)
            }
            (Some(star), Some((_, after))) => {
                let renaming = Renaming::Tail(stem_of_tail(after));
                target_files(view, root, &path.replace('*', star), renaming, flavour)
            }
            _ => target_files(view, root, path, Renaming::Any, flavour),
        })
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// The file that the fields of `package` name; `None` when they name no existing file.
fn main_file(view: GraphView<'_>, root: &str, package: &PackageJson, flavour: Flavour) -> Option<Vec<String>> {
    let found = first_target_of_fields(view, root, &package.entries, flavour);
    (!found.is_empty()).then_some(found)
}

/// As [`first_target`], for fields, which need no dot in front of a path.
fn first_target_of_fields(view: GraphView<'_>, root: &str, entries: &[SubpathTarget], flavour: Flavour) -> Vec<String> {
    let dotted = |target: &SubpathTarget| SubpathTarget { purpose: target.purpose, path: format!("./{}", target.path) };
    first_target(view, root, &entries.iter().map(dotted).collect::<Vec<_>>(), None, flavour)
}

/// Files that an entry point's path means: the file itself, or the source that a build would compile to it.
fn target_files(
    view: GraphView<'_>,
    root: &str,
    target: &str,
    renaming: Renaming<'_>,
    flavour: Flavour,
) -> Vec<String> {
    let Some(path) = normalised(root, target) else { return Vec::new() };
    let Some(inside) = below(root, &path) else { return Vec::new() };
    let mut found = probe::files(view, &path, flavour);
    if found.is_empty() && probe::without_extension(inside).is_none() {
        found = probe::index(view, &path, flavour);
    }
    if found.is_empty() { sources(view, root, inside, renaming, flavour) } else { found }
}

/// Source files of the build output `built`, a path inside the package in `root`. They are looked for below a source
/// directory in place of the output directory.
fn sources(view: GraphView<'_>, root: &str, built: &str, renaming: Renaming<'_>, flavour: Flavour) -> Vec<String> {
    let flavour = if probe::is_style_sheet(built) { Flavour::Page } else { source_flavour(flavour) };
    let name = file_name(built);
    let stem = probe::without_extension(name).unwrap_or(name);
    let untagged = match renaming {
        Renaming::Compiled | Renaming::Tail("") => None,
        Renaming::Tail(tail) => stem.strip_suffix(file_name(tail)),
        Renaming::Any => stem.find('.').map(|at| &stem[..at]),
    };
    let names = match renaming {
        Renaming::Compiled => [Some(name), None],
        Renaming::Tail(_) | Renaming::Any => [Some(stem), untagged.filter(|untagged| !untagged.is_empty())],
    };
    let directory = source_directory(parent(built));
    for name in names.into_iter().flatten() {
        for source in SOURCE_DIRECTORIES {
            let path = join(&join(&join(root, source), &directory), name);
            let mut found = probe::files(view, &path, flavour);
            if found.is_empty() {
                found = probe::index(view, &path, flavour);
            }
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

/// The path of a build directory without the components that only builds have.
fn source_directory(built: &str) -> String {
    let is_built = |component: &&str| {
        BUILD_DIRECTORIES.contains(component) || component.starts_with("dist") || component.starts_with('.')
    };
    let components = built.split('/').filter(|component| !component.is_empty());
    let kept = components.skip_while(is_built).filter(|component| !FORMAT_DIRECTORIES.contains(component));
    kept.collect::<Vec<_>>().join("/")
}

/// The guessed main file of a package whose manifest names no existing file.
fn guessed_main(view: GraphView<'_>, root: &str, flavour: Flavour) -> Vec<String> {
    let directories = SOURCE_DIRECTORIES.iter().map(|source| join(root, source));
    let index = |directory: String| probe::index(view, &directory, source_flavour(flavour));
    let main = || probe::files(view, &join(root, "src/main"), source_flavour(flavour));
    directories.map(index).find(|found| !found.is_empty()).unwrap_or_else(main)
}

/// Sources are looked up as TypeScript first, whatever kind of file imports them.
fn source_flavour(flavour: Flavour) -> Flavour {
    if flavour == Flavour::Page { Flavour::Page } else { Flavour::Typed }
}

/// Exact names under which the package in `root` exports the file at `path` or uses it itself: `name`, `name/sub`,
/// `#x`; and `.` when the file stands for the directory.
pub(super) fn names_of(view: GraphView<'_>, root: &str, path: &str) -> Vec<String> {
    let exact = exact_entries(view.db(), view.input(&join(root, PACKAGE_JSON)));
    exact.get(path).cloned().unwrap_or_default()
}

/// Names without `*` that a package gives to its files, by file.
#[salsa::tracked(returns(ref))]
fn exact_entries(db: &dyn Db, manifest: PathInput) -> BTreeMap<String, Vec<String>> {
    let view = GraphView::new(db);
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let Some(manifest) = manifest.path(db).as_str() else { return names };
    let root = parent(manifest);
    let Some(package) = package_in(view, root) else { return names };
    for flavour in [Flavour::Typed, Flavour::Script, Flavour::Page] {
        let mut add = |name: String, files: Vec<String>| {
            for file in files {
                let names = names.entry(file).or_default();
                if !names.contains(&name) {
                    names.push(name.clone());
                }
            }
        };
        if let Some(name) = &package.name {
            let exports = package.exports.iter().flatten().map(|export| export.pattern.as_str());
            let asked = exports.filter(|pattern| *pattern == "." || is_exact(pattern)).chain(["."]);
            for subpath in asked {
                let files = subpath_files(view, root, subpath, flavour);
                add(join(name, subpath.trim_start_matches("./").trim_start_matches('.')), files);
            }
        }
        add(".".to_owned(), directory(view, root, flavour));
        for import in package.imports.iter().filter(|import| star_pattern(&import.pattern).is_none()) {
            add(import.pattern.clone(), internal(view, root, &import.pattern, flavour).unwrap_or_default());
        }
    }
    names
}

fn is_exact(pattern: &str) -> bool {
    pattern.starts_with("./") && star_pattern(pattern).is_none()
}

/// Last components of names that reach a file through a pattern that changes the last component: `./*` for
/// `./src/*/main.js`. `inside` is the path of the file inside the package in `root`. Some of the names may lead
/// elsewhere.
pub(super) fn renamed(view: GraphView<'_>, root: &str, inside: &str) -> Vec<String> {
    let Some(package) = package_in(view, root) else { return Vec::new() };
    let entries = package.exports.iter().flatten().chain(&package.imports);
    let mut names = Vec::new();
    for entry in entries {
        let Some((before, after)) = star_pattern(&entry.pattern) else { continue };
        for target in &entry.targets {
            let Some((target_before, target_after)) = target.path.split_once('*') else { continue };
            names.extend(last_component(before, after, target_before, target_after, inside));
        }
    }
    names
}

/// The last component of names that match the pattern `before*after` and whose target leads to `inside`.
fn last_component(before: &str, after: &str, target_before: &str, target_after: &str, inside: &str) -> Vec<String> {
    let [asked_head, target_head] = [file_name(before), file_name(target_before)];
    // The part after the star. Its first component is the end of the component that contains the star.
    let tail = source_components(stem_of_tail(target_after));
    let (tail_head, tail_rest) = tail.split_first().map_or(("", &[][..]), |(head, rest)| (*head, rest));
    let untagged = |component: &&str| component.split('.').next().unwrap_or_default().to_owned();
    let file = source_components(probe::without_extension(inside).unwrap_or(inside));
    let directory = file.strip_suffix(&["index"]);
    let mut found = Vec::new();
    for file in std::iter::once(&file[..]).chain(directory) {
        let Some(at) = file.len().checked_sub(tail_rest.len() + 1) else { continue };
        if !file[at + 1..].iter().map(untagged).eq(tail_rest.iter().map(untagged)) {
            continue;
        }
        let star = file[at].strip_prefix(target_head).unwrap_or(file[at]);
        // The name of the source file does not have the tag that a build adds.
        let built = star.strip_suffix(tail_head);
        for star in built.into_iter().chain(tail_head.starts_with('.').then_some(star)) {
            match after.rsplit_once('/') {
                Some((_, last)) => found.push(last.to_owned()),
                // If the star matches several components, the text before it is not part of the last component.
                None => found.extend([format!("{asked_head}{star}{after}"), format!("{star}{after}")]),
            }
        }
    }
    found
}

/// `tail`, the text after a star, without the extension at its end.
fn stem_of_tail(tail: &str) -> &str {
    let whole = format!("*{tail}");
    let length = probe::without_extension(&whole).map_or(whole.len(), str::len);
    &tail[..length - 1]
}

/// Components of a path, without the directories that only stand for a build format.
fn source_components(path: &str) -> Vec<&str> {
    path.split('/').filter(|component| !FORMAT_DIRECTORIES.contains(component)).collect()
}

/// `path` relative to `directory`; `None` when it is not inside it.
pub(super) fn below<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
    if directory.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// `directory` and those above it, up to the root, which is empty.
pub(super) fn upwards(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |directory| (!directory.is_empty()).then(|| parent(directory)))
}
