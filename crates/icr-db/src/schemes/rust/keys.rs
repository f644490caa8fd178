//! Backward look-up: the keys of statements that may lead to a file.
//!
//! A path goes through modules and ends in a module or an enum, followed by the names that are taken. The file's own
//! modules may offer any name, because a name that nothing defines is taken to be made by a macro in them. Modules of
//! other files offer some names of this file: parents offer it as a child module, and other modules re-export what
//! they import from it. So each key consists of the name of such a module and a name that it offers: `module#name`
//! when the name is taken, `module/name` when the path continues through it. A name without a module before it is
//! something that the importing file itself declares or imports, and is found by that statement.

use std::collections::{BTreeMap, BTreeSet};

use icr_model::{CHILD_MODULE_KEY, Import, ImportKind, MANY_NAMES_KEY, RepoPath, SymbolKind};

use super::crates::{is_root, names_of_root, package_of};
use super::follow::DEEPEST;
use super::modules::{
    Bindings, Module, attribute_key, crate_roots, directory_keys, displaced_files, is_whole, module_directory, plain,
};
use crate::resolve::{ImportTarget, resolved_imports};
use crate::schemes::key::{Key, KeyScope};
use crate::view::{GraphView, file_name, parent, stem};

/// What paths can take from a module besides single names: the module itself, everything, and everything as a
/// re-export.
const WHOLE: [&str; 3] = ["self", "*", "*+"];

/// First segments of paths from the root of a crate.
const ROOTS: [&str; 2] = ["crate", "$crate"];

/// Import keys of statements that may name the file at `path`.
///
/// To find re-exports, the files with these keys must be resolved, which backward look-up needs anyway.
pub(crate) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if !path.ends_with(".rs") {
        return Vec::new();
    }
    let mut search = KeySearch::new(view, path);
    search.begin();
    let mut asked = BTreeSet::new();
    let mut candidates = BTreeSet::from([path.to_owned()]);
    // Each round finds re-exports one step farther away, until there is nothing new.
    for _ in 0..=DEEPEST {
        let fresh: Vec<Key> = search.keys.difference(&asked).cloned().collect();
        for key in &fresh {
            let files = view.files_with_key(key);
            let files = files.iter().filter_map(|file| file.as_str()).filter(|file| file.ends_with(".rs"));
            candidates.extend(files.map(str::to_owned));
        }
        asked.extend(fresh);
        let known = search.discovery_counts();
        candidates.iter().for_each(|candidate| search.examine(candidate));
        if search.discovery_counts() == known {
            break;
        }
    }
    search.keys.into_iter().collect()
}

struct KeySearch<'db, 'a> {
    view: GraphView<'db>,
    path: &'a str,
    keys: BTreeSet<Key>,
    /// Names of the file's own module.
    own_names: BTreeSet<String>,
    /// Items of the file that a path can continue through: inline modules, enums, and aliases of these.
    passages: BTreeSet<String>,
    /// Names that a glob import from a module of the file may bring.
    visible: BTreeSet<String>,
    /// Names of the other files that offer something of this file, by file.
    names: BTreeMap<String, BTreeSet<String>>,
    /// Names of this file that modules of other files offer.
    offers: BTreeMap<Module, BTreeSet<String>>,
    /// By file, the places of the modules that are in the file or below it.
    territories: BTreeMap<String, Vec<KeyScope>>,
}

impl<'db, 'a> KeySearch<'db, 'a> {
    fn new(view: GraphView<'db>, path: &'a str) -> Self {
        Self {
            view,
            path,
            keys: BTreeSet::new(),
            own_names: BTreeSet::new(),
            passages: BTreeSet::new(),
            visible: BTreeSet::new(),
            names: BTreeMap::new(),
            offers: BTreeMap::new(),
            territories: BTreeMap::new(),
        }
    }

    /// Sizes of what was found; they only grow.
    fn discovery_counts(&self) -> [usize; 3] {
        [self.keys.len(), self.visible.len(), self.offers.values().map(BTreeSet::len).sum()]
    }

    /// Adds the file's own modules and enums, its parent modules, and the crate roots that have its macros.
    fn begin(&mut self) {
        let view = self.view;
        self.keys.extend([MANY_NAMES_KEY.into(), attribute_key(self.path).into()]);
        self.keys.extend(directory_keys(self.path).into_iter().map(Key::from));
        let own = Module::file(self.path);
        for name in own.names(view) {
            // The parent that declares the module is in a directory above, or names it by its path.
            let above =
                GraphView::directories_above(self.path).map(|directory| KeyScope::Depth(directory.to_owned(), 0));
            self.keys.extend(above.map(|place| Key::with_scope(plain(&name), place)));
            self.own_name(plain(&name));
            own.parents(view).iter().for_each(|parent| self.offer(parent, &name));
        }
        let is_crate = crate_roots(view, self.path).iter().any(|root| root == self.path);
        for place in self.territory(self.path) {
            self.keys.insert(Key::with_scope("super", place.clone()));
            self.keys.extend(ROOTS.into_iter().filter(|_| is_crate).map(|root| Key::with_scope(root, place.clone())));
        }
        if is_root(view, self.path) {
            for name in names_of_root(view, self.path) {
                self.keys.insert(name.into());
                self.own_name(name);
            }
        }
        let definitions = view.definitions(self.path);
        for definition in &definitions.list {
            let name = plain(&definition.name);
            match definition.kind {
                SymbolKind::Implementation => continue,
                SymbolKind::Variant => {}
                _ if definitions.is_member(definition) => continue,
                SymbolKind::Module | SymbolKind::Enum => {
                    self.passage(name);
                    let outer = definition.parent.map(|outer| plain(&definitions.list[outer as usize].name));
                    self.keys.extend(outer.map(|outer| format!("{outer}/{name}").into()));
                }
                // An exported macro is at the root of its crate.
                SymbolKind::Macro => {
                    crate_roots(view, self.path).iter().for_each(|root| self.offer(&Module::file(root), name));
                }
                _ => {}
            }
            self.visible.insert(name.to_owned());
        }
    }

    /// Adds what a file re-exports, and the aliases that it gives to offered items.
    fn examine(&mut self, file: &str) {
        let statements = self.view.statements(file);
        let resolved = resolved_imports(self.view.db(), self.view.input(file));
        for ((import, inside), outcome) in statements.imports.iter().zip(&statements.inside).zip(&resolved.outcomes) {
            for target in outcome.targets() {
                let path = self.view.path(target.file);
                if path == self.path || self.names.contains_key(path) {
                    self.take(&Module { file: file.to_owned(), inside: inside.clone() }, import, target);
                }
            }
        }
    }

    /// Adds the effect of one import of `module`.
    fn take(&mut self, module: &Module, import: &Import, target: &ImportTarget) {
        // The modules of a directory are offered by their parents, whose statement does not name them.
        if import.kind == ImportKind::Module && module_directory(&import.specifier).is_some() {
            return;
        }
        let path = self.view.path(target.file);
        let is_own = path == self.path;
        let taken = target.name.and_then(|at| import.names.get(at as usize));
        let last = import.specifier.rsplit("::").next().unwrap_or_default();
        let alias = taken.and_then(|name| name.alias.as_deref());
        let bound = match taken.map(|name| name.name.as_str()) {
            _ if alias.is_some() => alias,
            Some("*") => None,
            Some("self") | None => Some(last),
            name => name,
        };
        // Paths may continue through the alias.
        match alias.map(plain) {
            Some(alias) if is_own && module.file == self.path => self.passage(alias),
            Some(alias) if is_own => self.own_name(alias),
            Some(alias) => self.other_name(path, alias),
            None => {}
        }
        if module.file == self.path {
            self.visible.extend(bound.map(|bound| plain(bound).to_owned()));
            return;
        }
        if import.kind == ImportKind::Import && is_whole(import) && !import.specifier.contains("::") {
            self.known_everywhere(module, bound.unwrap_or(last));
        }
        // A private import is visible to child modules. Children in the same file are found together with it.
        let has_children = || module.bindings(self.view).is_some_and(Bindings::has_children);
        if import.kind != ImportKind::Module && !import.reexport && !has_children() {
            return;
        }
        let names: Vec<String> = match bound {
            Some(bound) => vec![bound.to_owned()],
            None if is_own => self.visible.iter().cloned().collect(),
            None => {
                let offers = self.offers.iter().filter(|(other, _)| other.file == path);
                offers.flat_map(|(_, names)| names).cloned().collect()
            }
        };
        names.iter().for_each(|name| self.offer(module, name));
    }

    /// Adds the name that a crate has in all files of another crate, when `module` is the root that declares it.
    fn known_everywhere(&mut self, module: &Module, name: &str) {
        if crate_roots(self.view, &module.file).contains(&module.file) {
            for place in self.territory(&module.file) {
                self.keys.insert(Key::with_scope(plain(name), place));
            }
        }
    }

    /// Adds a name of the file's own module.
    fn own_name(&mut self, name: &str) {
        if self.own_names.insert(name.to_owned()) {
            self.keys.extend(self.passages.iter().map(|passage| format!("{name}/{passage}").into()));
        }
    }

    /// Adds an item of the file that paths can continue through.
    fn passage(&mut self, name: &str) {
        if self.passages.insert(name.to_owned()) {
            self.keys.extend(self.own_names.iter().map(|own| format!("{own}/{name}").into()));
            for place in self.territory(self.path) {
                let steps = ROOTS.into_iter().chain(["super"]);
                self.keys.extend(steps.map(|step| Key::with_scope(format!("{step}/{name}"), place.clone())));
                // In the edition of 2015 paths begin at the root.
                self.keys.extend(self.is_2015().then(|| Key::with_scope(name, place.clone())));
            }
        }
    }

    fn is_2015(&self) -> bool {
        package_of(self.view, self.path).is_some_and(|package| package.is_2015)
    }

    /// Adds a name of another file.
    fn other_name(&mut self, file: &str, name: &str) {
        if self.names.entry(file.to_owned()).or_default().insert(name.to_owned()) {
            let offers = self.offers.iter().filter(|(module, _)| module.file == file);
            let items: BTreeSet<String> = offers.flat_map(|(_, items)| items).cloned().collect();
            items.iter().for_each(|item| self.keys.extend(behind(name, item)));
        }
    }

    /// Adds that `module` offers something of the file as `name`, and that the modules around it offer `module`.
    fn offer(&mut self, module: &Module, name: &str) {
        let mut next = vec![(module.clone(), plain(name).to_owned())];
        while let Some((module, name)) = next.pop() {
            if module.file == self.path {
                continue;
            }
            if !self.offers.contains_key(&module) {
                self.offers.insert(module.clone(), BTreeSet::new());
                for own in module.names(self.view) {
                    self.other_name(&module.file, plain(&own));
                    next.extend(module.parents(self.view).into_iter().map(|parent| (parent, plain(&own).to_owned())));
                }
                if module.inside.is_empty() && is_root(self.view, &module.file) {
                    names_of_root(self.view, &module.file).for_each(|own| self.other_name(&module.file, own));
                }
                WHOLE.iter().for_each(|whole| self.offer_one(&module, whole));
            }
            self.offer_one(&module, &name);
        }
    }

    fn offer_one(&mut self, module: &Module, name: &str) {
        if !self.offers.get_mut(module).is_some_and(|names| names.insert(name.to_owned())) {
            return;
        }
        for outer in self.names.get(&module.file).into_iter().flatten() {
            self.keys.extend(behind(outer, name));
        }
        let file = &module.file;
        self.keys.extend(behind("self", name).map(|key| Key { within: KeyScope::File(file.clone()), ..key }));
        let is_crate = crate_roots(self.view, file).contains(file);
        for place in self.territory(file) {
            let mut keys: Vec<Key> = behind("super", name).into();
            keys.extend(ROOTS.into_iter().filter(|_| is_crate).flat_map(|root| behind(root, name)));
            keys.extend((is_crate && self.is_2015()).then(|| name.into()));
            // Nearly every file has an inline test module with `use super::*`, so this key says nothing.
            keys.retain(|key| key.text != "super#*");
            self.keys.extend(keys.into_iter().map(|key| Key { within: place.clone(), ..key }));
        }
        self.taking_all(file, name);
    }

    /// Adds the files below that glob-import the module around them, and `name` with it. Only files that visibly use
    /// it count: in a path that begins with it, or by having child modules.
    fn taking_all(&mut self, file: &str, name: &str) {
        let and = match name {
            "*" => CHILD_MODULE_KEY,
            "self" | "*+" => return,
            name => name,
        };
        let view = self.view;
        for place in self.territory(file) {
            let using = view.files_with_key(&Key::with_scope(and, place.clone()));
            if using.is_empty() {
                continue;
            }
            let [all, all_again] =
                ["super#*", "super#*+"].map(|text| view.files_with_key(&Key::with_scope(text, place.clone())));
            let takes_all = |file: &RepoPath| all.binary_search(file).is_ok() || all_again.binary_search(file).is_ok();
            let files = using.iter().filter(|file| takes_all(file)).filter_map(|file| file.as_str());
            self.keys.extend(files.map(|file| Key::with_scope(and, KeyScope::File(file.to_owned()))));
        }
    }

    fn territory(&mut self, file: &str) -> Vec<KeyScope> {
        if let Some(known) = self.territories.get(file) {
            return known.clone();
        }
        let places = territory(self.view, file);
        self.territories.insert(file.to_owned(), places.clone());
        places
    }
}

/// Keys of statements that take `name` from a module called `outer`, or continue through it.
fn behind(outer: &str, name: &str) -> [Key; 2] {
    [format!("{outer}#{name}").into(), format!("{outer}/{name}").into()]
}

/// Places of the modules that are in the file or below it.
fn territory(view: GraphView<'_>, file: &str) -> Vec<KeyScope> {
    let below = |file: &str, is_owner: bool| {
        let beside = is_owner.then(|| KeyScope::Directory(parent(file).to_owned()));
        [KeyScope::File(file.to_owned()), KeyScope::Directory(stem(file).to_owned())].into_iter().chain(beside)
    };
    let is_owner = matches!(file_name(file), "lib.rs" | "main.rs" | "mod.rs") || is_root(view, file);
    // A file that a `path` attribute names has its child modules beside it or below.
    let displaced = displaced_files(view, file);
    let mut places: Vec<KeyScope> = below(file, is_owner).collect();
    places.extend(displaced.iter().flat_map(|file| below(file, true)));
    // A directory inside another one adds nothing.
    let directories: BTreeSet<String> = places
        .iter()
        .filter_map(|place| if let KeyScope::Directory(directory) = place { Some(directory.clone()) } else { None })
        .collect();
    let is_covered = |place: &KeyScope| match place {
        KeyScope::Directory(path) | KeyScope::File(path) => {
            GraphView::directories_above(path).any(|above| directories.contains(above) && above != path)
        }
        _ => false,
    };
    places.retain(|place| !is_covered(place));
    places.sort();
    places.dedup();
    places
}
