//! Python: modules are dotted names, looked up in the directories of the module search path.
//!
//! A repository does not say what `sys.path` will be, so every directory that is plausibly on it is tried: see
//! [`roots`]. Edges lead to the file that is named; what an `__init__.py` imports from elsewhere is not followed.

mod roots;
mod standard;

use icr_model::{ImportName, MANY_NAMES_KEY};

use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, ImportTarget, Statement};
use crate::schemes::key::{Key, KeyScope};
use crate::schemes::python::roots::{has, is_declared, may_be_root, roots};
use crate::schemes::python::standard::is_standard;
use crate::view::{GraphView, file_name, join, parent, stem};

/// Most leading dots of a relative import that are accepted. Each dot is one directory up, and one key for backward
/// look-up.
const MAX_DOTS: usize = 10;

/// Longest module name that is accepted, in bytes. No system allows longer paths (`PATH_MAX` of Linux).
const LONGEST: usize = 4096;

/// What a statement leads to.
pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    let rest = specifier.trim_start_matches('.');
    let wanted = DottedImport {
        view,
        path: statement.path,
        components: rest.split('.').filter(|_| !rest.is_empty()).collect(),
        names: &statement.import.names,
    };
    // Two dots inside, a dot at the end, or no name: Python accepts none of these.
    let is_wrong = |component: &&str| component.is_empty() || component.contains('/');
    if specifier.is_empty() || specifier.len() > LONGEST || wanted.components.iter().any(is_wrong) {
        return ImportOutcome::Unresolved;
    }
    match specifier.len() - rest.len() {
        0 => wanted.absolute(),
        dots => wanted.relative(dots),
    }
}

/// Keys of the imports that may name the module at `path`: by its own name, as a name taken from its package, or by
/// dots alone from inside the package that it stands for.
///
/// For keys with leading dots, the scope says how far below the file's directory the statement must be.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    let Some((_, extension)) = file_name(path).rsplit_once('.') else { return Vec::new() };
    if !MODULE_EXTENSIONS.contains(&extension) {
        return Vec::new();
    }
    let is_package = file_name(stem(path)) == "__init__";
    let module = if is_package { parent(path) } else { stem(path) };
    let mut keys = module_keys(view, module);
    if is_package {
        keys.extend(dotted(path, ""));
    }
    // Statements with more names than get keys are found by this key.
    keys.push(MANY_NAMES_KEY.into());
    keys
}

/// Empty: a module sees only what it imports.
pub(super) fn siblings(_: GraphView<'_>, _: &str) -> Vec<PathInput> {
    Vec::new()
}

/// Project manifests above the file.
pub(super) fn manifests(_: GraphView<'_>, path: &str) -> Vec<String> {
    roots::manifests(path)
}

/// Extensions of files that are modules.
const MODULE_EXTENSIONS: [&str; 3] = ["py", "pyi", "pyx"];

/// Keys of imports that name the module at `module`, a path without extension, or take it from its package.
fn module_keys(view: GraphView<'_>, module: &str) -> Vec<Key> {
    let (directory, name) = (parent(module), file_name(module));
    if name.is_empty() {
        return Vec::new();
    }
    let mut keys: Vec<Key> = dotted(module, name).chain(dotted(module, &format!("#{name}"))).collect();
    if may_be_root(view, directory) {
        keys.push(name.into());
    }
    if !directory.is_empty() {
        let package = file_name(directory);
        keys.extend([format!("{package}/{name}"), format!("{package}#{name}")].map(Key::from));
    }
    keys
}

/// `text` with one leading dot for statements beside `path`, with two for those in a directory below, and so on.
fn dotted(path: &str, text: &str) -> impl Iterator<Item = Key> {
    (1..=MAX_DOTS).map(move |dots| {
        Key::with_scope(format!("{}{text}", ".".repeat(dots)), KeyScope::Depth(parent(path).to_owned(), dots - 1))
    })
}

/// What a statement asks for.
struct DottedImport<'a> {
    view: GraphView<'a>,
    /// Path of the file that asks.
    path: &'a str,
    /// The module without leading dots; empty for a relative import of dots alone.
    components: Vec<&'a str>,
    names: &'a [ImportName],
}

impl DottedImport<'_> {
    fn relative(&self, dots: usize) -> ImportOutcome {
        if dots > MAX_DOTS {
            return ImportOutcome::Unresolved;
        }
        let mut directory = parent(self.path);
        for _ in 1..dots {
            if directory.is_empty() {
                return ImportOutcome::Unresolved;
            }
            directory = parent(directory);
        }
        ImportOutcome::files(self.view, self.beneath(directory))
    }

    fn absolute(&self) -> ImportOutcome {
        let first = self.components[0];
        let roots = roots(self.view, self.path);
        let mut is_own = false;
        for root in roots {
            // If a directory lacks the first component, Python goes on to the next directory.
            if self.module(root, first).is_none() {
                continue;
            }
            is_own = true;
            let targets = self.beneath(root);
            if !targets.is_empty() {
                return ImportOutcome::files(self.view, targets);
            }
        }
        if is_standard(first) {
            return ImportOutcome::External;
        }
        let targets = self.elsewhere(roots);
        if targets.is_empty() && !is_own { ImportOutcome::External } else { ImportOutcome::files(self.view, targets) }
    }

    /// What the statement leads to when the module is looked up in `directory`.
    fn beneath(&self, directory: &str) -> Vec<ImportTarget> {
        let Some((last, before)) = self.components.split_last() else {
            return self.package(directory, self.initial(directory));
        };
        let directory = join(directory, &before.join("/"));
        match self.module(&directory, last) {
            Some(path) if is_initial(&path) => self.package(&join(&directory, last), Some(path)),
            Some(path) => vec![ImportTarget::new(self.view, &path, None)],
            None => self.package(&join(&directory, last), None),
        }
    }

    /// What the statement leads to when the module is the package in `directory`, with its `__init__` if it has one.
    /// Names of modules lead to those modules, all other names to the `__init__`.
    fn package(&self, directory: &str, initial: Option<String>) -> Vec<ImportTarget> {
        let mut targets = Vec::new();
        let mut is_whole = self.names.is_empty();
        for (at, name) in (0..).zip(self.names) {
            let module = if is_name(&name.name) { self.module(directory, &name.name) } else { None };
            match module {
                Some(path) => targets.push(ImportTarget::new(self.view, &path, Some(at))),
                None => is_whole = true,
            }
        }
        targets.extend(initial.filter(|_| is_whole).map(|path| ImportTarget::new(self.view, &path, None)));
        targets
    }

    /// The file of the module called `name` in `directory`. Packages come before modules, as in Python's finder. Stubs
    /// come last, unless a stub imports. A module compiled from Cython is at the path of its source.
    fn module(&self, directory: &str, name: &str) -> Option<String> {
        let package = join(directory, name);
        let of = |extension: &str| {
            let module = || file(self.view, directory, &format!("{name}.{extension}"));
            file(self.view, &package, &format!("__init__.{extension}")).or_else(module)
        };
        let [first, second] = if self.is_stub() { ["pyi", "py"] } else { ["py", "pyi"] };
        of(first).or_else(|| of(second)).or_else(|| file(self.view, directory, &format!("{name}.pyx")))
    }

    /// The `__init__` of the package in `directory`.
    fn initial(&self, directory: &str) -> Option<String> {
        let names = if self.is_stub() { ["__init__.pyi", "__init__.py"] } else { ["__init__.py", "__init__.pyi"] };
        names.into_iter().find_map(|name| file(self.view, directory, name))
    }

    fn is_stub(&self) -> bool {
        self.path.ends_with(".pyi")
    }

    /// What the statement leads to outside of the regular packages of `roots`: in packages without an `__init__`, and
    /// in other projects of the repository.
    fn elsewhere(&self, roots: &[String]) -> Vec<ImportTarget> {
        let module = self.components.join("/");
        let package = format!("{module}/__init__.py");
        // A single file with the name of an installed package is more often something else.
        let plain = (self.components.len() > 1).then(|| format!("{module}.py"));
        for suffix in [Some(package), plain].into_iter().flatten() {
            if let Some(path) = self.find_in_roots(roots, &suffix) {
                let directory = parent(&path).to_owned();
                return match is_initial(&path) {
                    true => self.package(&directory, Some(path)),
                    false => vec![ImportTarget::new(self.view, &path, None)],
                };
            }
        }
        let submodule = |(at, name): (u32, &ImportName)| {
            if !is_name(&name.name) {
                return None;
            }
            let path = self
                .find_in_roots(roots, &format!("{module}/{}.py", name.name))
                .or_else(|| self.find_in_roots(roots, &format!("{module}/{}/__init__.py", name.name)))?;
            Some(ImportTarget::new(self.view, &path, Some(at)))
        };
        (0..).zip(self.names).filter_map(submodule).collect()
    }

    /// The file that ends in `suffix` and is in a directory that Python searches: one of `roots`, else one of the
    /// project nearest to the importing file. `None` when several are equally near.
    fn find_in_roots(&self, roots: &[String], suffix: &str) -> Option<String> {
        let files = self.view.files_ending(suffix);
        let rank = |path: &str| {
            let root = path.strip_suffix(suffix)?;
            let root = root.strip_suffix('/').unwrap_or(root);
            let known = roots.iter().position(|known| known == root);
            let known = known.or_else(|| is_declared(self.view, root).then_some(roots.len()))?;
            Some((known, usize::MAX - shared_components(root, self.path)))
        };
        let ranked = files.iter().filter_map(|path| path.as_str()).filter_map(|path| Some((rank(path)?, path)));
        let mut best: Option<((usize, usize), &str)> = None;
        let mut is_tied = false;
        for (rank, path) in ranked {
            match &best {
                Some((known, _)) if *known < rank => {}
                Some((known, _)) if *known == rank => is_tied = true,
                _ => (best, is_tied) = (Some((rank, path)), false),
            }
        }
        best.filter(|_| !is_tied).map(|(_, path)| path.to_owned())
    }
}

/// The file `name` in `directory`, when it is there.
fn file(view: GraphView<'_>, directory: &str, name: &str) -> Option<String> {
    has(view, directory, name).then(|| join(directory, name))
}

/// Whether the file at `path` stands for its package (an `__init__`).
fn is_initial(path: &str) -> bool {
    file_name(stem(path)) == "__init__"
}

/// Whether `text` can name a module: `*` does not.
fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(['*', '/', '.'])
}

/// Number of leading components that two paths share.
fn shared_components(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}
