//! Follows paths item by item, through modules, imports and re-exports, to the file that defines the named item.

use std::collections::BTreeSet;

use icr_model::{Import, SymbolKind};

use super::crates::{Extern, package_of};
use super::modules::{Module, crate_roots, is_whole, is_within, plain};
use crate::view::GraphView;

/// Most look-ups for one name. Normal crates chain a few re-exports; hostile ones re-export each other in cycles.
const MOST_STEPS: u32 = 512;

/// Longest chain of re-exports.
pub(super) const DEEPEST: u32 = 48;

/// Most files defining a macro of one name for which the crate is determined.
const MOST_MACROS: usize = 32;

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RustPathTarget {
    /// A module.
    Module(Module),
    /// A type with variants, in a module.
    Enum(Module, String),
    /// Anything else that the file at this path defines, and its name there.
    Item(String, String),
    /// Something outside of the repository.
    Outside,
}

impl RustPathTarget {
    /// The file, when it is in the repository.
    pub(super) fn file(&self) -> Option<&str> {
        match self {
            Self::Module(module) | Self::Enum(module, _) => Some(&module.file),
            Self::Item(file, _) => Some(file),
            Self::Outside => None,
        }
    }

    /// The name that its file defines it by. A module has none there.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Enum(_, name) | Self::Item(_, name) => Some(name),
            Self::Module(_) | Self::Outside => None,
        }
    }

    /// Whether a path can continue from it.
    fn leads_on(&self) -> bool {
        !matches!(self, Self::Item(..))
    }
}

/// Resolves paths for one statement or name.
pub(super) struct RustPathResolver<'db> {
    view: GraphView<'db>,
    /// Look-ups in progress. Asking for one of them again would be a cycle.
    busy: BTreeSet<(Module, String)>,
    steps: u32,
    depth: u32,
}

impl<'db> RustPathResolver<'db> {
    pub(super) fn new(view: GraphView<'db>) -> Self {
        Self { view, busy: BTreeSet::new(), steps: 0, depth: 0 }
    }

    /// What `specifier` leads to from `module`. With `goes_on`, names are taken from the result, so that only modules,
    /// enums and crates are meant.
    pub(super) fn path(&mut self, module: &Module, specifier: &str, goes_on: bool) -> Vec<RustPathTarget> {
        let mut segments = specifier.split("::").map(str::trim);
        let first = segments.next().unwrap_or_default();
        // `::name` is always a crate, whatever is in scope.
        let (global, first) =
            if first.is_empty() { (true, segments.next().unwrap_or_default()) } else { (false, first) };
        let rest: Vec<&str> = segments.collect();
        let mut rest = rest.as_slice();
        let mut places = match first {
            "crate" | "$crate" => self.roots(module),
            "self" | "super" => {
                let mut modules = self.up(vec![module.clone()], first);
                while let Some((step @ ("self" | "super"), after)) =
                    rest.split_first().map(|(step, after)| (*step, after))
                {
                    modules = self.up(modules, step);
                    rest = after;
                }
                modules.into_iter().map(RustPathTarget::Module).collect()
            }
            name => self.start(module, name, global, rest.is_empty() && !goes_on),
        };
        for (at, segment) in rest.iter().enumerate() {
            places = self.members(module, &places, segment, at + 1 == rest.len() && !goes_on);
        }
        places
    }

    /// What `name` means, seen from `asker`, in all of `places`, because a module may have one file per platform. If
    /// none defines it and it is the last segment, a macro is taken to have made it, most likely in the module itself.
    pub(super) fn members(
        &mut self,
        asker: &Module,
        places: &[RustPathTarget],
        name: &str,
        is_last: bool,
    ) -> Vec<RustPathTarget> {
        if matches!(name, "self" | "*") {
            return places.to_vec();
        }
        let mut found = Vec::new();
        for place in places {
            match place {
                RustPathTarget::Module(module) => found.extend(self.lookup(asker, module, name)),
                RustPathTarget::Enum(module, _) if is_last => found.push(item(module, name)),
                RustPathTarget::Outside => found.push(RustPathTarget::Outside),
                RustPathTarget::Enum(..) | RustPathTarget::Item(..) => {}
            }
        }
        found.sort();
        found.dedup();
        if !is_last && found.iter().any(RustPathTarget::leads_on) {
            found.retain(RustPathTarget::leads_on);
        }
        if !found.is_empty() {
            return found;
        }
        let modules = places.iter().filter_map(|place| match place {
            RustPathTarget::Module(module) if is_last => Some(module),
            _ => None,
        });
        for module in modules.clone().filter(|module| module.inside.is_empty()) {
            let found = self.exported_macro(module, name);
            if !found.is_empty() {
                return found;
            }
        }
        modules.take(1).map(|module| item(module, name)).collect()
    }

    /// The modules themselves for `self`, or their parents for `super`.
    fn up(&self, modules: Vec<Module>, step: &str) -> Vec<Module> {
        if step == "self" {
            return modules;
        }
        modules.iter().flat_map(|module| module.parents(self.view)).collect()
    }

    fn roots(&self, module: &Module) -> Vec<RustPathTarget> {
        crate_roots(self.view, &module.file).iter().map(|root| RustPathTarget::Module(Module::file(root))).collect()
    }

    /// What the first segment of a path means: something in scope, or a crate.
    fn start(&mut self, module: &Module, name: &str, global: bool, is_last: bool) -> Vec<RustPathTarget> {
        let package = package_of(self.view, &module.file);
        let is_2015 = package.is_some_and(|package| package.is_2015);
        let origins: Vec<Module> = match (is_2015, global) {
            (true, _) => crate_roots(self.view, &module.file).iter().map(|root| Module::file(root)).collect(),
            (false, true) => Vec::new(),
            (false, false) => vec![module.clone()],
        };
        // If the path continues, the name is a module or a crate, and functions of that name are not meant.
        let fits = |places: &[RustPathTarget]| places.iter().any(|place| is_last || place.leads_on());
        for origin in &origins {
            let found = self.declared(origin, origin, name);
            if fits(&found) {
                return found;
            }
        }
        match package.map_or(Extern::Outside, |package| package.extern_crate(plain(name))) {
            Extern::Root(root) => return vec![RustPathTarget::Module(Module::file(root))],
            Extern::Outside if package.is_some() => return vec![RustPathTarget::Outside],
            Extern::Outside | Extern::Unknown => {}
        }
        let scopes = origins.iter().chain((is_2015 && !global).then_some(module));
        for origin in scopes {
            let found = self.lookup(origin, origin, name);
            if fits(&found) {
                return found;
            }
        }
        if package.is_none() { vec![RustPathTarget::Outside] } else { self.declared_crate(module, name) }
    }

    /// What `name` means by an `extern crate` at the crate root. Crates of the compiler come in this way, because no
    /// manifest names them.
    fn declared_crate(&mut self, module: &Module, name: &str) -> Vec<RustPathTarget> {
        for root in crate_roots(self.view, &module.file) {
            let root = Module::file(root);
            let Some(bindings) = root.bindings(self.view) else { continue };
            if bindings.crates.contains(name) {
                return vec![RustPathTarget::Outside];
            }
            for (at, index) in bindings.named.get(name).into_iter().flatten() {
                let Some(import) = self.import(&root, *at) else { continue };
                if is_whole(import) && bindings.crates.contains(&import.specifier) {
                    let found = self.resolve_binding(&root, name, import, *index);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
        }
        Vec::new()
    }

    /// What `name` means in `module`: something that it declares, else something from a glob import.
    fn lookup(&mut self, asker: &Module, module: &Module, name: &str) -> Vec<RustPathTarget> {
        let found = self.declared(asker, module, name);
        if found.is_empty() { self.globbed(asker, module, name) } else { found }
    }

    /// Children, definitions and imports of that name. One name may stand for several things: a module and a function.
    fn declared(&mut self, asker: &Module, module: &Module, name: &str) -> Vec<RustPathTarget> {
        let mut found: Vec<RustPathTarget> =
            module.children(self.view, name).into_iter().map(RustPathTarget::Module).collect();
        for definition in module.definitions(self.view, plain(name)) {
            match definition.kind {
                SymbolKind::Module | SymbolKind::Implementation => {}
                SymbolKind::Enum => found.push(RustPathTarget::Enum(module.clone(), definition.name.clone())),
                _ => found.push(item(module, &definition.name)),
            }
        }
        let imports = module.bindings(self.view).and_then(|bindings| bindings.named.get(name));
        for (at, index) in imports.into_iter().flatten() {
            let Some(import) = self.import(module, *at) else { continue };
            if import.reexport || is_within(self.view, asker, module) {
                found.extend(self.resolve_binding(module, name, import, *index));
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// What an import of `module` binds to `name`.
    fn resolve_binding(
        &mut self,
        module: &Module,
        name: &str,
        import: &Import,
        index: Option<u32>,
    ) -> Vec<RustPathTarget> {
        let taken = index.and_then(|index| import.names.get(index as usize));
        self.guarded(module, name, |walk| {
            let places = walk.path(module, &import.specifier, !is_whole(import));
            walk.members(module, &places, taken.map_or("self", |name| &name.name), true)
        })
    }

    /// What `name` means in the modules that `module` glob-imports.
    fn globbed(&mut self, asker: &Module, module: &Module, name: &str) -> Vec<RustPathTarget> {
        let Some(bindings) = module.bindings(self.view) else { return Vec::new() };
        let marked = format!("{name}::*");
        let mut outside = false;
        let mut within = None;
        for import in &bindings.globs {
            let Some(import) = self.import(module, *import) else { continue };
            if !import.reexport && !*within.get_or_insert_with(|| is_within(self.view, asker, module)) {
                continue;
            }
            let found = self.guarded(module, &marked, |walk| {
                // If the path of the glob import begins with the name itself, resolving it would need the result of
                // this look-up.
                walk.path(module, &import.specifier, true)
                    .iter()
                    .flat_map(|place| walk.lookup_in_glob(module, place, name))
                    .collect()
            });
            if found.iter().any(|place| *place != RustPathTarget::Outside) {
                return found;
            }
            outside |= import.reexport && !found.is_empty();
        }
        if outside { vec![RustPathTarget::Outside] } else { Vec::new() }
    }

    /// What `name` means in the target of a glob import.
    fn lookup_in_glob(&mut self, asker: &Module, place: &RustPathTarget, name: &str) -> Vec<RustPathTarget> {
        match place {
            RustPathTarget::Module(module) => self.lookup(asker, module, name),
            RustPathTarget::Enum(module, of) => {
                let definitions = self.view.definitions(&module.file);
                let is_variant = definitions.definitions_of_name(name).any(|(_, definition)| {
                    let outer = definition.parent.map(|parent| &definitions.list[parent as usize]);
                    definition.kind == SymbolKind::Variant && outer.is_some_and(|outer| outer.name == *of)
                });
                if is_variant { vec![item(module, name)] } else { Vec::new() }
            }
            RustPathTarget::Outside => vec![RustPathTarget::Outside],
            RustPathTarget::Item(..) => Vec::new(),
        }
    }

    /// Exported macros are at the root of their crate, wherever they are defined.
    fn exported_macro(&mut self, root: &Module, name: &str) -> Vec<RustPathTarget> {
        if !crate_roots(self.view, &root.file).contains(&root.file) {
            return Vec::new();
        }
        let files = self.view.defining(name);
        let defines = |file: &&str| {
            let definitions = self.view.definitions(file);
            definitions.definitions_of_name(name).any(|(_, definition)| definition.kind == SymbolKind::Macro)
                && crate_roots(self.view, file).contains(&root.file)
        };
        let files = files.iter().take(MOST_MACROS).filter_map(|file| file.as_str());
        files
            .filter(|file| file.ends_with(".rs"))
            .filter(defines)
            .map(|file| RustPathTarget::Item(file.to_owned(), name.to_owned()))
            .collect()
    }

    fn import(&self, module: &Module, index: u32) -> Option<&'db Import> {
        self.view.statements(&module.file).imports.get(index as usize)
    }

    /// Runs `work`, unless it waits for its own result or the limit of look-ups is reached.
    fn guarded(
        &mut self,
        module: &Module,
        name: &str,
        work: impl FnOnce(&mut Self) -> Vec<RustPathTarget>,
    ) -> Vec<RustPathTarget> {
        let key = (module.clone(), name.to_owned());
        if self.steps >= MOST_STEPS || self.depth >= DEEPEST || !self.busy.insert(key.clone()) {
            return Vec::new();
        }
        self.steps += 1;
        self.depth += 1;
        let found = work(self);
        self.depth -= 1;
        self.busy.remove(&key);
        found
    }
}

/// Something that the file of `module` defines as `name`.
fn item(module: &Module, name: &str) -> RustPathTarget {
    RustPathTarget::Item(module.file.clone(), name.to_owned())
}
