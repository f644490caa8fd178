//! Ruby and Lua: files are named by their paths below the directories of a load path.
//!
//! A repository does not say what the load path is when a program runs. So the directories that tools usually add are
//! tried: for Ruby the `lib` of each gem and the test folders, for Lua the source folders.

use icr_model::ImportKind;

use crate::graph::{Db, PathInput};
use crate::resolve::{ImportOutcome, Statement};
use crate::schemes::key::{Key, KeyScope, path_keys};
use crate::schemes::script_paths::{is_path, nearest};
use crate::view::{GraphView, file_name, join, normalised, parent, stem};

/// What a statement names.
pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    match statement.language {
        "lua" => lua(view, statement),
        _ => ruby(view, statement),
    }
}

/// Keys of the imports that may name the file at `path`: its name with and without an extension; for `init.lua` the
/// name of its directory.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    // A path that begins with dots may be relative to the directory of a gem.
    let mut keys = Vec::new();
    if is_loadable(view, path) {
        keys.extend(path_keys(path, &KeyScope::Repository));
    }
    if path.ends_with(".rb") || path.ends_with(".lua") {
        keys.extend(path_keys(stem(path), &KeyScope::Repository));
    }
    if file_name(path) == "init.lua" {
        keys.extend(path_keys(parent(path), &KeyScope::Repository));
    }
    keys.sort();
    keys.dedup();
    keys
}

/// Empty: a file sees only what it loads.
pub(super) fn siblings(_: GraphView<'_>, _: &str) -> Vec<PathInput> {
    Vec::new()
}

/// Empty: no manifest is read; only the existence of a gem specification matters.
pub(super) fn manifests(_: GraphView<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

/// Whether a statement may name the file by its whole path: code, and scripts without an extension.
fn is_loadable(view: GraphView<'_>, path: &str) -> bool {
    view.language(path).is_some_and(|language| matches!(language, "ruby" | "lua") || !file_name(path).contains('.'))
}

/// Directories directly in a gem that are on the load path of the files in them: `ruby -Ilib -Itest`, rspec's
/// defaults, and Rails' `app`.
const GEM_FOLDERS: [&str; 4] = ["lib", "test", "spec", "app"];

fn ruby(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    if !is_path(specifier) {
        return ImportOutcome::External;
    }
    let is_relative = specifier.starts_with("./") || specifier.starts_with("../");
    let is_include = statement.import.kind == ImportKind::Include;
    // `load` needs the extension, `require_relative` is usually written without it.
    let is_load = is_include && file_name(specifier).contains('.') && !is_relative;
    let code = format!("{}.rb", specifier.strip_suffix(".rb").unwrap_or(specifier));
    let at = |directory: &str, path: &str| normalised(directory, path).filter(|path| is_loadable(view, path));
    let in_directory =
        |directory: &str| at(directory, &code).or_else(|| at(directory, specifier).filter(|_| is_include));
    let path = load_path(view, statement.path);
    let beside = || in_directory(parent(statement.path));
    // The working directory is mostly that of a gem.
    let at_work = || path.gems.iter().find_map(|gem| in_directory(gem));
    let on_path = || path.searched.iter().find_map(|directory| in_directory(directory));
    let found = match (is_include, is_relative) {
        (true, _) => beside().or_else(at_work).or_else(|| on_path().filter(|_| is_load)),
        (false, true) => at_work().or_else(beside),
        (false, false) => on_path()
            .or_else(|| at_work().filter(|_| specifier.contains('/')))
            .or_else(|| in_other_gem(view, statement.path, &code)),
    };
    match found {
        Some(path) => ImportOutcome::file(view, &path),
        None if is_relative || is_include && !is_load => ImportOutcome::Unresolved,
        None if !is_include && is_of_own_gem(view, path, specifier) => ImportOutcome::Unresolved,
        None => ImportOutcome::External,
    }
}

/// Where Ruby looks for the files that a directory's files require.
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
struct LoadPath {
    /// Directories on the path, best first.
    searched: Vec<String>,
    /// Directories of the enclosing gems, nearest first; the root is always one.
    gems: Vec<String>,
}

/// Most directories above a file that are looked at. Paths in hostile repositories have thousands.
const MAX_DEPTH: usize = 32;

fn load_path<'db>(view: GraphView<'db>, path: &str) -> &'db LoadPath {
    load_path_of(view.db(), LoadPathDirectory::new(view.db(), parent(path)))
}

#[salsa::interned(debug)]
struct LoadPathDirectory<'db> {
    #[returns(deref)]
    path: String,
}

#[salsa::tracked(returns(ref))]
fn load_path_of<'db>(db: &'db dyn Db, directory: LoadPathDirectory<'db>) -> LoadPath {
    let view = GraphView::new(db);
    let directory = directory.path(db);
    let within = join(directory, "_");
    let mut gems: Vec<String> = GraphView::directories_above(&within)
        .take(MAX_DEPTH)
        .filter(|directory| directory.is_empty() || is_gem(view, directory))
        .map(str::to_owned)
        .collect();
    if gems.last().is_none_or(|gem| !gem.is_empty()) {
        gems.push(String::new());
    }
    let mut searched = Vec::new();
    for gem in &gems {
        let below = within.strip_prefix(gem.as_str()).map_or("", |below| below.trim_start_matches('/'));
        let standing = below.split('/').next().filter(|first| *first != "lib" && GEM_FOLDERS.contains(first));
        searched.extend(standing.into_iter().chain(["lib"]).map(|folder| join(gem, folder)));
    }
    // Folders of applications that are not gems have a `lib` too.
    searched.extend(
        GraphView::directories_above(&within)
            .take(MAX_DEPTH)
            .filter(|above| file_name(above) == "lib")
            .map(str::to_owned),
    );
    LoadPath { searched, gems }
}

/// Whether a directory holds a gem or an application with gems of its own.
fn is_gem(view: GraphView<'_>, directory: &str) -> bool {
    let marks = |path: &str| path.ends_with(".gemspec") || file_name(path) == "Gemfile";
    view.files_in(directory).iter().filter_map(|path| path.as_str()).any(marks)
}

/// The file in the `lib` of another gem of the repository, because bundler puts all of them on the load path.
fn in_other_gem(view: GraphView<'_>, from: &str, code: &str) -> Option<String> {
    let suffix = join("lib", code);
    let files = view.files_ending(&suffix);
    let of_gem = |path: &&str| {
        let gem = path.strip_suffix(suffix.as_str()).map(|gem| gem.trim_end_matches('/'));
        gem.is_some_and(|gem| is_gem(view, gem))
    };
    nearest(from, files.iter().filter_map(|path| path.as_str()).filter(of_gem))
}

/// Whether the required path begins with the name of an enclosing gem.
fn is_of_own_gem(view: GraphView<'_>, path: &LoadPath, specifier: &str) -> bool {
    let first = specifier.split('/').next().unwrap_or_default();
    path.gems.iter().any(|gem| view.is_file(&join(gem, &format!("lib/{first}.rb"))))
}

/// Subdirectories with a project's Lua files, besides the project directory itself. Editor plugins use `lua`.
const LUA_FOLDERS: [&str; 4] = ["", "lua", "src", "lib"];

/// Libraries that come with Lua and LuaJIT. A file of that name in the same directory is not what a `require` means.
const LUA_STANDARD: [&str; 14] = [
    "bit",
    "bit32",
    "coroutine",
    "debug",
    "ffi",
    "io",
    "jit",
    "math",
    "os",
    "package",
    "string",
    "table",
    "utf8",
    "vim",
];

fn lua(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    let is_include = statement.import.kind == ImportKind::Include;
    if !is_path(specifier) {
        return if specifier.starts_with('/') { ImportOutcome::External } else { ImportOutcome::Unresolved };
    }
    let at =
        |directory: &str, path: &str| normalised(directory, path).filter(|path| view.language(path) == Some("lua"));
    // Outermost first, because most programs run in the directory of the project.
    let mut above: Vec<&str> = GraphView::directories_above(statement.path).take(MAX_DEPTH).collect();
    above.reverse();
    if is_include {
        let found = at(parent(statement.path), specifier)
            .or_else(|| above.iter().find_map(|directory| at(directory, specifier)));
        return found.map_or(ImportOutcome::Unresolved, |path| ImportOutcome::file(view, &path));
    }
    let is_relative = specifier.starts_with('.');
    let module = specifier.replace('.', "/");
    let module = module.trim_matches('/');
    let first = module.split('/').next().unwrap_or_default();
    if module.is_empty() || LUA_STANDARD.contains(&first) {
        return ImportOutcome::External;
    }
    let [code, package] = [format!("{module}.lua"), format!("{module}/init.lua")];
    let in_directory = |directory: &str| at(directory, &code).or_else(|| at(directory, &package));
    let folders = || above.iter().flat_map(|directory| LUA_FOLDERS.iter().map(|folder| join(directory, folder)));
    let elsewhere = || {
        let files = [view.files_ending(&code), view.files_ending(&package)];
        let files = files.iter().flat_map(|files| files.iter()).filter_map(|path| path.as_str());
        nearest(statement.path, files.filter(|path| path.ends_with(&code) || path.ends_with(&package)))
    };
    let found = folders().find_map(|directory| in_directory(&directory));
    match found.or_else(|| module.contains('/').then(elsewhere).flatten()) {
        Some(path) => ImportOutcome::file(view, &path),
        None if is_relative => ImportOutcome::Unresolved,
        None if folders().any(|directory| !view.files_in(&join(&directory, first)).is_empty()) => {
            ImportOutcome::Unresolved
        }
        None => ImportOutcome::External,
    }
}
