//! Modules: what each module of a file declares, which files its child modules are, and which modules are its parents.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use icr_model::{CHILD_MODULE_PATH_KEY, Import, ImportKind, SymbolKind};

use super::crates::{is_root, package_in};
use crate::graph::{Db, PathInput};
use crate::statements::FileDefinition;
use crate::view::{GraphView, file_name, join, normalised, parent, stem};

/// Most nested inline modules that are looked for above a module in a file of its own.
const DEEPEST_WRITTEN_OUT: usize = 4;

/// Most parents of one file that are followed. Test helpers are part of every test, and each such parent gives the
/// same result.
const MOST_PARENTS: usize = 8;

/// What the specifier of a statement for a whole directory begins with: the macro of the crate `automod`.
const DIRECTORY_MACRO: &str = "automod::dir::";

/// A module: a whole file, or an inline module of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, salsa::SalsaValue)]
pub(crate) struct Module {
    pub(crate) file: String,
    /// Names of the inline modules around it in the file, outermost first; empty for the module of the whole file.
    pub(crate) inside: Vec<String>,
}

/// What the statements of one module bind.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Bindings {
    /// Child modules in files of their own, with the paths that `path` attributes give for them.
    pub(crate) children: BTreeMap<String, Vec<String>>,
    /// Directories whose files are all child modules, relative to the package.
    pub(crate) directories: Vec<String>,
    /// Imports by the name that they bind: index of the import, and of the name in its list, if it has one.
    pub(crate) named: BTreeMap<String, Vec<(u32, Option<u32>)>>,
    /// Glob imports.
    pub(crate) globs: Vec<u32>,
    /// Names that are imported without a path. At a crate root, these are other crates.
    pub(crate) crates: BTreeSet<String>,
}

impl Bindings {
    /// Whether the module has child modules in files of their own.
    pub(crate) fn has_children(&self) -> bool {
        !self.children.is_empty() || !self.directories.is_empty()
    }
}

impl Module {
    /// The module of a whole file.
    pub(crate) fn file(file: &str) -> Self {
        Self { file: file.to_owned(), inside: Vec::new() }
    }

    /// What its statements bind.
    pub(crate) fn bindings<'db>(&self, view: GraphView<'db>) -> Option<&'db Bindings> {
        bindings(view.db(), view.input(&self.file)).get(&self.inside)
    }

    /// Child modules called `name`: inline in the same file, or files of their own.
    pub(crate) fn children(&self, view: GraphView<'_>, name: &str) -> Vec<Self> {
        let mut children = Vec::new();
        if self.definitions(view, name).any(|definition| definition.kind == SymbolKind::Module) {
            let inside = self.inside.iter().cloned().chain(Some(name.to_owned())).collect();
            children.push(Self { file: self.file.clone(), inside });
        }
        if self.declares(view, name) {
            children.extend(self.child_files(view, name).iter().map(|file| Self::file(file)));
        }
        children
    }

    /// Whether its statements declare a child module `name` in a file of its own.
    fn declares(&self, view: GraphView<'_>, name: &str) -> bool {
        self.bindings(view).is_some_and(|bindings| {
            bindings.children.contains_key(name)
                || bindings.directories.iter().any(|directory| self.file_in(view, directory, name).is_some())
        })
    }

    /// The files of `directory`, relative to the package, that a statement for the whole directory makes child modules.
    /// The macro leaves out files with the names of crate roots and of the module itself (automod's
    /// `source_file_names`).
    pub(crate) fn directory_files(&self, view: GraphView<'_>, directory: &str) -> Vec<String> {
        let package = package_in(view, parent(&self.file)).map_or("", |package| package.directory.as_str());
        let Some(directory) = normalised(package, directory) else { return Vec::new() };
        let is_module = |file: &&str| {
            file.ends_with(".rs") && *file != self.file && !matches!(file_name(file), "lib.rs" | "main.rs" | "mod.rs")
        };
        view.files_in(&directory).iter().filter_map(|file| file.as_str()).filter(is_module).map(str::to_owned).collect()
    }

    /// The file of the child module `name` among those of [`Self::directory_files`].
    fn file_in(&self, view: GraphView<'_>, directory: &str, name: &str) -> Option<String> {
        self.directory_files(view, directory).into_iter().find(|file| module_name(file) == plain(name))
    }

    /// Files of its child module `name`: where its `path` attributes say, where a statement for a directory says, and
    /// where its name says. Several when there is one per platform.
    pub(crate) fn child_files(&self, view: GraphView<'_>, name: &str) -> Vec<String> {
        let bindings = self.bindings(view);
        let attributes = bindings.and_then(|bindings| bindings.children.get(name));
        let mut files: Vec<String> =
            attributes.into_iter().flatten().filter_map(|path| self.attribute_file(view, path)).collect();
        let directories = bindings.iter().flat_map(|bindings| &bindings.directories);
        files.extend(directories.filter_map(|directory| self.file_in(view, directory, name)));
        let [first, second] = self.directories(view);
        files.extend([first, second].iter().find_map(|directory| {
            // `mod.rs` is the module with the name of its directory, seen from any file.
            let own = (plain(name) != "mod").then(|| join(directory, &format!("{}.rs", plain(name))));
            let folder = join(directory, &format!("{}/mod.rs", plain(name)));
            // A file cannot be its own child module.
            own.into_iter().chain([folder]).find(|file| *file != self.file && view.is_file(file))
        }));
        files.sort();
        files.dedup();
        files
    }

    /// The file that the `path` attribute of a child names: relative to the directory of the file, or, for an inline
    /// module, to the directory of the module.
    pub(crate) fn attribute_file(&self, view: GraphView<'_>, path: &str) -> Option<String> {
        let [own, _] = self.directories(view);
        let directory = if self.inside.is_empty() { parent(&self.file) } else { &own };
        normalised(directory, path).filter(|file| *file != self.file && view.is_file(file))
    }

    /// The directories of its child modules: beside a crate root or `mod.rs`, else below a directory with the module's
    /// name. Crate roots that no manifest names cannot be recognised, so the other place comes second.
    fn directories(&self, view: GraphView<'_>) -> [String; 2] {
        let beside = parent(&self.file);
        let below = stem(&self.file);
        let is_owner = file_name(&self.file) == "mod.rs" || is_root(view, &self.file);
        let places = if is_owner { [beside, below] } else { [below, beside] };
        places.map(|place| self.inside.iter().fold(place.to_owned(), |place, name| join(&place, plain(name))))
    }

    /// Names that it has in its parent modules.
    pub(crate) fn names(&self, view: GraphView<'_>) -> Vec<String> {
        if let Some(name) = self.inside.last() {
            return vec![name.clone()];
        }
        let mut names = vec![module_name(&self.file).to_owned()];
        for parent in self.parents(view) {
            let children = parent.bindings(view).map(|bindings| &bindings.children);
            let given = children.into_iter().flatten().filter(|(_, paths)| {
                paths.iter().any(|path| parent.attribute_file(view, path).as_ref() == Some(&self.file))
            });
            names.extend(given.map(|(name, _)| name.clone()));
        }
        names
    }

    /// What it defines as `name`, including modules, without members of types.
    pub(crate) fn definitions<'db>(
        &self,
        view: GraphView<'db>,
        name: &'db str,
    ) -> impl Iterator<Item = &'db FileDefinition> {
        let definitions = view.definitions(&self.file);
        definitions.definitions_of_name(name).map(|(_, definition)| definition).filter(move |definition| {
            let mut around = definition.parent;
            let mut names = self.inside.iter().rev();
            while let Some(at) = around {
                let outer = &definitions.list[at as usize];
                if outer.kind != SymbolKind::Module || names.next() != Some(&outer.name) {
                    return false;
                }
                around = outer.parent;
            }
            names.next().is_none()
        })
    }

    /// Its parent modules: several when several crates contain it.
    pub(crate) fn parents(&self, view: GraphView<'_>) -> Vec<Self> {
        match self.inside.split_last() {
            Some((_, inside)) => vec![Self { file: self.file.clone(), inside: inside.to_vec() }],
            None => parents(view.db(), view.input(&self.file)).to_vec(),
        }
    }
}

/// A name without the `r#` of a raw identifier.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// The name that the file at `path` has as a module.
pub(crate) fn module_name(path: &str) -> &str {
    match file_name(path) {
        "mod.rs" => file_name(parent(path)),
        _ => file_name(stem(path)),
    }
}

/// Whether an import takes the item that its specifier names, with or without an alias, and not names inside it.
pub(crate) fn is_whole(import: &Import) -> bool {
    import.names.iter().all(|name| name.name == "*" && name.alias.is_some())
}

/// Whether the specifier of a `mod` statement is a path, taken from the `path` attribute before it.
pub(crate) fn is_attribute(specifier: &str) -> bool {
    specifier.ends_with(".rs")
}

/// The directory, relative to the package, whose files the specifier of a statement makes child modules.
pub(crate) fn module_directory(specifier: &str) -> Option<&str> {
    specifier.strip_prefix(DIRECTORY_MACRO)
}

/// Import keys of statements that may make the file at `path` a child module by naming its directory: the last two
/// segments of the specifier.
pub(crate) fn directory_keys(path: &str) -> Vec<String> {
    let mut segments = parent(path).rsplit(['/', '.']).filter(|segment| !segment.is_empty());
    let Some(last) = segments.next() else { return Vec::new() };
    let second = segments.next().map(|second| format!("{second}/{last}"));
    second.into_iter().chain([format!("dir/{last}")]).collect()
}

/// Roots of the crates that contain the file at `path`; the file itself when it is one. Never empty.
pub(crate) fn crate_roots<'db>(view: GraphView<'db>, path: &str) -> &'db [String] {
    roots(view.db(), view.input(path))
}

/// Whether `module` is `outer` or below it; the private imports of a module are visible to these.
pub(crate) fn is_within(view: GraphView<'_>, module: &Module, outer: &Module) -> bool {
    let mut seen = BTreeSet::new();
    let mut next = vec![module.clone()];
    while let Some(module) = next.pop() {
        if module.file == outer.file && module.inside.starts_with(&outer.inside) {
            return true;
        }
        if seen.insert(module.file.clone()) {
            next.extend(Module::file(&module.file).parents(view));
        }
    }
    false
}

/// What the statements of a file bind, by the inline modules around them.
#[salsa::tracked(returns(ref))]
fn bindings(db: &dyn Db, input: PathInput) -> Arc<BTreeMap<Vec<String>, Bindings>> {
    let view = GraphView::new(db);
    let Some(path) = input.path(db).as_str() else { return Arc::default() };
    let statements = view.statements(path);
    let mut modules: BTreeMap<Vec<String>, Bindings> = BTreeMap::new();
    let mut attributes = Vec::new();
    for (at, (import, inside)) in (0_u32..).zip(statements.imports.iter().zip(&statements.inside)) {
        if !modules.contains_key(inside) {
            modules.insert(inside.clone(), Bindings::default());
        }
        let Some(module) = modules.get_mut(inside) else { continue };
        if import.kind == ImportKind::Module && is_attribute(&import.specifier) {
            attributes.push(import.specifier.clone());
            continue;
        }
        let attributes = std::mem::take(&mut attributes);
        if let Some(directory) = module_directory(&import.specifier).filter(|_| import.kind == ImportKind::Module) {
            module.directories.push(directory.to_owned());
            continue;
        }
        if import.kind == ImportKind::Module {
            module.children.entry(import.specifier.clone()).or_default().extend(attributes);
            continue;
        }
        if is_whole(import) && !import.specifier.contains("::") {
            module.crates.insert(import.specifier.clone());
        }
        let last = import.specifier.rsplit("::").next().unwrap_or_default();
        if import.names.is_empty() {
            module.named.entry(last.to_owned()).or_default().push((at, None));
        }
        for (index, name) in (0_u32..).zip(&import.names) {
            let bound = match (name.alias.as_deref(), name.name.as_str()) {
                (Some(alias), _) => alias,
                (None, "*") => {
                    module.globs.push(at);
                    continue;
                }
                (None, "self") => last,
                (None, name) => name,
            };
            module.named.entry(bound.to_owned()).or_default().push((at, Some(index)));
        }
    }
    Arc::new(modules)
}

/// Modules that declare a file as their child, most likely first.
#[salsa::tracked(returns(ref))]
fn parents(db: &dyn Db, input: PathInput) -> Arc<[Module]> {
    let view = GraphView::new(db);
    let Some(path) = input.path(db).as_str() else { return Arc::default() };
    let name = module_name(path);
    let own = parent(path);
    let mut directory = if file_name(path) == "mod.rs" { parent(own) } else { own };
    let mut inside: Vec<String> = Vec::new();
    let mut found = Vec::new();
    while found.is_empty() && inside.len() <= DEEPEST_WRITTEN_OUT {
        for owner in owners(view, directory) {
            let raw = format!("r#{name}");
            let module = Module { file: owner, inside: inside.clone() };
            let declares =
                |name| module.declares(view, name) && module.child_files(view, name).iter().any(|file| file == path);
            if declares(name) || declares(&raw) {
                found.push(module);
            }
        }
        if directory.is_empty() {
            break;
        }
        inside.insert(0, file_name(directory).to_owned());
        directory = parent(directory);
    }
    if found.is_empty() {
        found = parents_by_attribute(view, path);
    }
    found.truncate(MOST_PARENTS);
    found.into()
}

/// Modules with a `path` attribute that makes the file at `path` their child.
fn parents_by_attribute(view: GraphView<'_>, path: &str) -> Vec<Module> {
    let mut found = Vec::new();
    for file in view.requiring(&attribute_key(path)).iter().filter_map(|file| file.as_str()) {
        let statements = view.statements(file);
        for (import, inside) in statements.imports.iter().zip(&statements.inside) {
            if import.kind != ImportKind::Module || !is_attribute(&import.specifier) {
                continue;
            }
            let module = Module { file: file.to_owned(), inside: inside.clone() };
            if module.attribute_file(view, &import.specifier).as_deref() == Some(path) && !found.contains(&module) {
                found.push(module);
            }
        }
    }
    found
}

/// Files that `path` attributes make child modules, in any directory, and that are below the file at `path` in the
/// module tree, at any depth.
pub(crate) fn displaced_files(view: GraphView<'_>, path: &str) -> Vec<String> {
    let is_below = |file: &&String| above(view.db(), view.input(file)).contains(path);
    all_displaced(view.db()).iter().filter(is_below).cloned().collect()
}

#[salsa::tracked(returns(ref))]
fn all_displaced(db: &dyn Db) -> Arc<BTreeSet<String>> {
    let view = GraphView::new(db);
    let mut files = BTreeSet::new();
    for file in view.requiring(CHILD_MODULE_PATH_KEY).iter().filter_map(|file| file.as_str()) {
        let statements = view.statements(file);
        for (import, inside) in statements.imports.iter().zip(&statements.inside) {
            if import.kind == ImportKind::Module && is_attribute(&import.specifier) {
                let module = Module { file: file.to_owned(), inside: inside.clone() };
                files.extend(module.attribute_file(view, &import.specifier));
            }
        }
    }
    Arc::new(files)
}

/// Files of the modules above that of a file.
#[salsa::tracked(returns(ref))]
fn above(db: &dyn Db, input: PathInput) -> Arc<BTreeSet<String>> {
    let view = GraphView::new(db);
    let mut seen = BTreeSet::new();
    let mut next: Vec<Module> = parents(db, input).to_vec();
    while let Some(module) = next.pop() {
        if seen.insert(module.file.clone()) {
            next.extend(Module::file(&module.file).parents(view));
        }
    }
    Arc::new(seen)
}

/// Import key of `path` attributes that may name the file at `path`: its last two segments, of which one is the
/// extension.
pub(crate) fn attribute_key(path: &str) -> String {
    format!("{}/rs", file_name(stem(path)).rsplit('.').next().unwrap_or_default())
}

/// Files whose children are files of `directory`.
fn owners(view: GraphView<'_>, directory: &str) -> Vec<String> {
    let mut owners = vec![join(directory, "mod.rs")];
    if !directory.is_empty() {
        owners.push(format!("{directory}.rs"));
    }
    owners.extend(["lib.rs", "main.rs"].map(|name| join(directory, name)));
    owners.retain(|owner| view.is_file(owner));
    if let Some(package) = package_in(view, directory) {
        for root in package.roots_in(view, directory) {
            if !owners.contains(&root) {
                owners.push(root);
            }
        }
    }
    owners
}

#[salsa::tracked(returns(ref))]
fn roots(db: &dyn Db, input: PathInput) -> Arc<[String]> {
    let view = GraphView::new(db);
    let Some(path) = input.path(db).as_str() else { return Arc::default() };
    let mut seen = BTreeSet::from([path.to_owned()]);
    let mut next = vec![path.to_owned()];
    let mut roots = Vec::new();
    while !next.is_empty() {
        let mut above = Vec::new();
        for file in next {
            // A file that is a crate root by its place may be part of another crate too: helpers beside tests.
            let parents = Module::file(&file).parents(view);
            if parents.is_empty() || is_root(view, &file) {
                roots.push(file);
            }
            above.extend(parents.into_iter().map(|parent| parent.file).filter(|file| seen.insert(file.clone())));
        }
        next = above;
    }
    // Files that declare each other in a cycle have no root; the file itself is then taken as the root.
    if roots.is_empty() {
        roots.push(path.to_owned());
    }
    roots.into()
}
