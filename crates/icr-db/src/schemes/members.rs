//! Members of packages and namespaces: which files define a name in one, and which of them a file uses.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use icr_model::{ImportKind, Role, SymbolKind};

use super::namespaces::global_type;
use super::{UnpackagedVisibility, scheme_of, swift};
use crate::graph::{Db, PathInput};
use crate::statements::{Definitions, FileDefinition};
use crate::view::{GraphView, SortedPaths};

/// Groups of languages that share packages. A package of the same name in a language of another group is never meant.
pub(super) type Family = &'static [&'static str];

/// Files that declare `package` and define `name` outside of any type, in order. The cost is that of the smaller set:
/// the files that declare the package, or those that define the name.
pub(super) fn definers(view: GraphView<'_>, family: Family, package: &str, name: &str) -> Vec<String> {
    let mut files = declaring_and_defining(view, family, package, name);
    files.retain(|file| is_outermost(view.definitions(file), name));
    files
}

/// Files that declare `package` and define `name`, on its own or as a member, in order.
pub(super) fn declaring_and_defining(view: GraphView<'_>, family: Family, package: &str, name: &str) -> Vec<String> {
    let declaring = view.providing(package);
    if declaring.is_empty() {
        return Vec::new();
    }
    let mut files = intersection(&declaring, &view.defining(name));
    files.retain(|file| is_of(view, family, file));
    files
}

/// Whether a file of the language group declares `package`.
pub(super) fn is_declared(view: GraphView<'_>, family: Family, package: &str) -> bool {
    view.providing(package).iter().filter_map(|file| file.as_str()).any(|file| is_of(view, family, file))
}

/// Files of the same language group as `path` that declare one of `packages`, without `path` itself.
pub(super) fn declaring_any(view: GraphView<'_>, path: &str, packages: &[String]) -> Vec<PathInput> {
    let db = view.db();
    let family = family_of(view, path);
    let own = view.input(path);
    let is_other =
        |file: &PathInput| *file != own && file.content(db).is_some_and(|content| family.contains(&content.language));
    let declaring = packages.iter().flat_map(|package| declaring(db, MemberName::new(db, package.as_str())));
    declaring.copied().filter(is_other).collect()
}

/// Files without a package that define `name` outside of any type.
pub(super) fn definers_without_package(view: GraphView<'_>, family: Family, name: &str) -> Vec<String> {
    let files = packageless(view.db(), MemberName::new(view.db(), name));
    files.iter().filter(|file| is_of(view, family, file)).cloned().collect()
}

/// Of the files in `defining`, which define `name`, those that the file at `path` sees without a statement because they
/// define it outside of all packages; in the order given. Of several, those of the same C# project count, and in other
/// languages the nearest.
pub(crate) fn unpackaged(view: GraphView<'_>, path: &str, name: &str, defining: &[PathInput]) -> Vec<PathInput> {
    let Some(scheme) = view.language(path).and_then(scheme_of).filter(|_| !defining.is_empty()) else {
        return Vec::new();
    };
    let among_themselves = || view.statements(path).provides.is_empty();
    let only_values = match scheme.unpackaged_visibility {
        UnpackagedVisibility::TypesByAll => return global_type(view, path, name),
        UnpackagedVisibility::ByEachOther if among_themselves() => false,
        UnpackagedVisibility::FunctionsAndConstantsByAll => !among_themselves(),
        UnpackagedVisibility::ByModule => false,
        UnpackagedVisibility::ByEachOther | UnpackagedVisibility::ByNone => return Vec::new(),
    };
    let by_module = scheme.unpackaged_visibility == UnpackagedVisibility::ByModule;
    let is_seen = |file: &&PathInput| {
        let other = view.path(**file);
        let definitions = view.definitions(other);
        let mut outermost = definitions
            .definitions_of_name(name)
            .map(|(_, definition)| definition)
            .filter(|definition| stands_alone(definitions, definition))
            .filter(|definition| definition.kind != SymbolKind::Implementation);
        other != path
            && is_of(view, scheme.languages, other)
            && (!by_module || swift::are_of_one_module(view, path, other))
            && view.statements(other).provides.is_empty()
            && outermost.any(|it| !only_values || matches!(it.kind, SymbolKind::Function | SymbolKind::Constant))
    };
    let seen: Vec<PathInput> = defining.iter().filter(is_seen).copied().collect();
    if seen.len() < 2 {
        return seen;
    }
    let nearest = nearest(path, seen.iter().map(|file| view.path(*file).to_owned()).collect());
    nearest.iter().map(|file| view.input(file)).collect()
}

/// Whether the file at `path` may use values of the one at `other`: the language has modules of files, and both files
/// are in one module or the module is imported.
pub(crate) fn may_use_values_of(view: GraphView<'_>, path: &str, other: &str) -> bool {
    let by_module = |language| {
        scheme_of(language).is_some_and(|scheme| scheme.unpackaged_visibility == UnpackagedVisibility::ByModule)
    };
    view.language(path).is_some_and(by_module) && swift::may_use_values_of(view, path, other)
}

/// The languages that share packages with the language of the file at `path`.
fn family_of(view: GraphView<'_>, path: &str) -> Family {
    view.language(path).and_then(scheme_of).map_or(&[], |scheme| scheme.languages)
}

fn is_of(view: GraphView<'_>, family: Family, file: &str) -> bool {
    view.language(file).is_some_and(|language| family.contains(&language))
}

/// Of `files`, those with the longest common path with `from`. Several builds of one repository may each define a
/// name, and so may several variants of one build.
pub(super) fn nearest(from: &str, mut files: Vec<String>) -> Vec<String> {
    let shared = |file: &String| from.split('/').zip(file.split('/')).take_while(|(a, b)| a == b).count();
    let most = files.iter().map(shared).max();
    files.retain(|file| Some(shared(file)) == most);
    files
}

/// Files of `package` that define something that the file at `path` mentions, in order, without the file itself. A
/// name that the file defines, imports by itself or finds in its own package is not looked for.
pub(super) fn used_member_files<'db>(view: GraphView<'db>, path: &str, package: &str) -> &'db [String] {
    used_members(view.db(), view.input(path), MemberName::new(view.db(), package))
}

/// Names from the outermost type to the definition, joined by `separator`, without modules.
pub(super) fn qualified(definitions: &Definitions, definition: &FileDefinition, separator: &str) -> String {
    /// Most nested types; written code has fewer. The limit bounds the cost of damaged facts.
    const DEEPEST: usize = 16;
    let parent = |definition: &&FileDefinition| definition.parent.map(|parent| &definitions.list[parent as usize]);
    let around = std::iter::successors(Some(definition), parent).take(DEEPEST);
    let mut names: Vec<&str> =
        around.filter(|around| around.kind != SymbolKind::Module).map(|around| around.name.as_str()).collect();
    names.reverse();
    names.join(separator)
}

/// Whether the definition is outside of any type.
pub(super) fn stands_alone(definitions: &Definitions, definition: &FileDefinition) -> bool {
    definition.parent.is_none_or(|parent| definitions.list[parent as usize].kind == SymbolKind::Module)
        && definition.kind != SymbolKind::Module
}

fn is_outermost(definitions: &Definitions, name: &str) -> bool {
    definitions.definitions_of_name(name).any(|(_, definition)| stands_alone(definitions, definition))
}

/// The elements of both lists. Each element of the shorter list is looked up in the longer one.
fn intersection(a: &SortedPaths, b: &SortedPaths) -> Vec<String> {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let both = few.iter().filter(|file| many.binary_search(file).is_ok());
    both.filter_map(|file| file.as_str()).map(str::to_owned).collect()
}

#[salsa::interned(debug)]
struct MemberName<'db> {
    #[returns(deref)]
    text: String,
}

/// Files that declare a package, in order.
#[salsa::tracked(returns(deref))]
fn declaring<'db>(db: &'db dyn Db, package: MemberName<'db>) -> Box<[PathInput]> {
    GraphView::new(db).providing(package.text(db)).iter().map(|file| db.path_input(file)).collect()
}

#[salsa::tracked(returns(ref))]
fn packageless<'db>(db: &'db dyn Db, name: MemberName<'db>) -> Arc<[String]> {
    let (view, name) = (GraphView::new(db), name.text(db));
    let files = view.defining(name);
    let files = files.iter().filter_map(|file| file.as_str());
    let alone = |file: &&str| view.statements(file).provides.is_empty() && is_outermost(view.definitions(file), name);
    files.filter(alone).map(str::to_owned).collect()
}

#[salsa::tracked(returns(ref))]
fn used_members<'db>(db: &'db dyn Db, input: PathInput, package: MemberName<'db>) -> Vec<String> {
    let view = GraphView::new(db);
    let (Some(path), package) = (input.path(db).as_str(), package.text(db)) else { return Vec::new() };
    let declaring = view.providing(package);
    if declaring.is_empty() {
        return Vec::new();
    }
    let names = free_names(view, path);
    let family = family_of(view, path);
    let mut used = BTreeSet::new();
    if declaring.len() < names.len() {
        let mut by_name: Vec<(&str, &str)> = Vec::new();
        for file in declaring.iter().filter_map(|file| file.as_str()).filter(|file| is_of(view, family, file)) {
            let definitions = view.definitions(file);
            let offered = definitions.list.iter().filter(|definition| is_offered(view, file, definitions, definition));
            by_name.extend(offered.filter_map(|offered| Some((*names.get(offered.name.as_str())?, file))));
        }
        by_name.sort_unstable();
        by_name.dedup();
        for group in by_name.chunk_by(|a, b| a.0 == b.0) {
            add(view, path, package, group[0].0, group.iter().map(|(_, file)| (*file).to_owned()).collect(), &mut used);
        }
    } else {
        for name in names {
            let mut files = declaring_and_defining(view, family, package, name);
            files.retain(|file| {
                let definitions = view.definitions(file);
                definitions
                    .definitions_of_name(name)
                    .any(|(_, definition)| is_offered(view, file, definitions, definition))
            });
            add(view, path, package, name, files, &mut used);
        }
    }
    used.remove(path);
    used.into_iter().collect()
}

/// Adds `files` of the package that define `name`, unless the file's own package has the name.
fn add(view: GraphView<'_>, path: &str, package: &str, name: &str, files: Vec<String>, used: &mut BTreeSet<String>) {
    let own = &view.statements(path).provides;
    let is_own = |own: &String| own != package && !definers(view, family_of(view, path), own, name).is_empty();
    if !files.is_empty() && !own.iter().any(is_own) {
        used.extend(nearest_of_parts(view, path, files));
    }
}

/// As [`nearest`], but all files count when a type may be written in several parts, each in its own file.
fn nearest_of_parts(view: GraphView<'_>, path: &str, files: Vec<String>) -> Vec<String> {
    if view.language(path) == Some("csharp") { files } else { nearest(path, files) }
}

/// Whether the methods of a C# class extend other types, which by convention its name says.
pub(crate) fn has_extensions(class: &str) -> bool {
    class.ends_with("Extensions")
}

/// Whether an import of the package brings the definition. C# extension methods come with their namespace; by
/// convention, the name of their class tells that they are extension methods.
fn is_offered(view: GraphView<'_>, file: &str, definitions: &Definitions, definition: &FileDefinition) -> bool {
    stands_alone(definitions, definition)
        || definition.kind == SymbolKind::Method
            && view.language(file) == Some("csharp")
            && definition.parent.is_some_and(|parent| has_extensions(&definitions.list[parent as usize].name))
}

/// Names that the file mentions but neither defines outside of any type nor imports by name.
fn free_names<'db>(view: GraphView<'db>, path: &str) -> HashSet<&'db str> {
    let groups = view.mentions(path).all();
    let mut names: HashSet<&str> = groups.filter(|group| group.role != Role::Import).map(|group| group.name).collect();
    let definitions = view.definitions(path);
    for definition in definitions.list.iter().filter(|definition| stands_alone(definitions, definition)) {
        names.remove(definition.name.as_str());
    }
    for import in view.statements(path).imports.iter().filter(|import| import.kind == ImportKind::Import) {
        if import.names.is_empty() {
            names.remove(import.specifier.rsplit(['.', '\\']).next().unwrap_or_default());
        }
        for name in &import.names {
            names.remove(name.alias.as_deref().unwrap_or(&name.name));
        }
    }
    names
}
