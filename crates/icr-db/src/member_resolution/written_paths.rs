//! Paths that say in full where a definition is, so that no import has to bring their first name.

use icr_model::{Import, ImportKind, ImportName, SymbolKind};

use super::first_names::top_level_definitions;
use super::{DefinitionId, Destination, MOST, combined_destination, has_members, rules_of};
use crate::exports::definers;
use crate::graph::{Db, PathInput};
use crate::language_rules::{ResolutionRules, WrittenPaths, resolution_rules};
use crate::resolve::{ImportOutcome, Statement};
use crate::schemes::scheme_of;
use crate::scope::defining;
use crate::statements::{FileDefinition, definitions, statements};
use crate::view::{GraphView, LookupText, file_name, parent};

/// What a fully written path leads to, resolved like an import of it.
#[salsa::tracked(returns(ref))]
pub(crate) fn in_place<'db>(db: &'db dyn Db, file: PathInput, path: LookupText<'db>) -> Destination {
    let (view, statements) = (GraphView::new(db), statements(db, file));
    let rules = resolution_rules(&statements.language);
    let may_be_alias = rules.written_paths == WrittenPaths::ModuleOrAlias;
    let Some((outer, name)) = path.text(db).rsplit_once('.').or(may_be_alias.then_some(("", path.text(db)))) else {
        return Destination::Unknown;
    };
    let Some(scheme) = scheme_of(&statements.language) else { return Destination::Unknown };
    let import = match rules.written_paths {
        WrittenPaths::ImportOfLastName => {
            let is_inside = is_around_modules(db, file, outer);
            let inside = if is_inside { top_level_definitions(db, file, name) } else { Vec::new() };
            if !inside.is_empty() {
                return Destination::Definitions(inside);
            }
            import_of(outer.replace('.', "::"), vec![ImportName { name: name.to_owned(), alias: None }])
        }
        WrittenPaths::Import | WrittenPaths::ModuleOrAlias => import_of(path.text(db).to_owned(), Vec::new()),
        WrittenPaths::Nothing => return Destination::Unknown,
    };
    let resolve = |import: &Import| {
        let statement = Statement { path: view.path(file), language: &statements.language, import, inside: &[] };
        (scheme.resolve)(view, &statement)
    };
    let mut outcome = resolve(&import);
    if may_be_alias {
        // When several aliases end in the same name, the text does not say which one is meant, so all count.
        let mut targets = outcome.targets().to_vec();
        for specifier in without_alias(&statements.imports, path.text(db)) {
            targets.extend_from_slice(resolve(&Import { specifier, ..import.clone() }).targets());
        }
        outcome = if targets.is_empty() { outcome } else { ImportOutcome::Files(targets) };
    }
    match outcome {
        ImportOutcome::Files(targets) => {
            let mut files: Vec<PathInput> = targets.iter().map(|target| target.file).collect();
            files.sort_unstable();
            files.dedup();
            named_in_files(view, rules, files, (outer, name))
        }
        ImportOutcome::External => Destination::Outside,
        ImportOutcome::Unresolved => Destination::Unknown,
    }
}

/// A statement that imports `names` from the module `specifier`.
fn import_of(specifier: String, names: Vec<ImportName>) -> Import {
    Import { specifier, names, kind: ImportKind::Import, type_only: false, reexport: false, line: 1 }
}

/// What the last name of a path, `(outer, name)`, means in the files that the path was resolved to.
fn named_in_files(
    view: GraphView<'_>,
    rules: &ResolutionRules,
    files: Vec<PathInput>,
    (outer, name): (&str, &str),
) -> Destination {
    // A function in the module may have the name of the module.
    let is_module = |file: &&PathInput| rules.files_are_modules && is_module_file(view, **file, name);
    let modules: Vec<PathInput> = files.iter().filter(is_module).copied().collect();
    if !modules.is_empty() {
        return Destination::Modules(modules);
    }
    let mut found: Vec<DefinitionId> = files
        .iter()
        .flat_map(|file| definers(view, *file, name))
        .flat_map(|(file, name)| top_level_definitions(view.db(), file, name))
        .collect();
    found.sort_unstable();
    found.dedup();
    let is_lost = |file: &PathInput| is_only_module(view, *file, last_name(outer));
    match found.is_empty() {
        // The module exists and has nothing of that name.
        true if rules.files_are_modules && files.iter().all(is_lost) => Destination::Missing,
        true => Destination::Modules(files),
        false => Destination::Definitions(found),
    }
}

/// Classes and modules whose full names end with `path`, in languages that find them so; also methods, if its last name
/// is none of a constant.
#[salsa::tracked(returns(ref))]
pub(super) fn definitions_ending_in<'db>(db: &'db dyn Db, path: LookupText<'db>) -> Destination {
    let path = path.text(db);
    let last = last_name(path);
    let mut found = Vec::new();
    for file in defining(db, LookupText::new(db, last)).iter().copied() {
        if !rules_of(db, file).finds_constants_by_full_name {
            continue;
        }
        let all = definitions(db, file);
        let is_constant = last.starts_with(char::is_uppercase);
        let named = all.definitions_of_name(last);
        let named = named.filter(|(_, definition)| has_members(definition.kind) == is_constant);
        let is_it = |(_, definition): &(u32, &FileDefinition)| {
            let full = name_with_modules(&all.list, definition);
            full.strip_suffix(path).is_some_and(|outer| outer.is_empty() || outer.ends_with('.'))
        };
        found.extend(named.filter(is_it).map(|(at, _)| DefinitionId { file, at }));
    }
    combined_destination(found, Vec::new(), Destination::Unknown)
}

/// The names of the definition and of all around it, the outermost first, joined by `.`.
fn name_with_modules(all: &[FileDefinition], definition: &FileDefinition) -> String {
    /// Most nested definitions; written code has fewer. The limit bounds the cost of damaged facts.
    const DEEPEST: usize = 32;
    let parent = |definition: &&FileDefinition| definition.parent.map(|parent| &all[parent as usize]);
    let around = std::iter::successors(Some(definition), parent).take(DEEPEST);
    let mut names: Vec<&str> =
        around.flat_map(|around| [Some(around.name.as_str()), around.receiver.as_deref()]).flatten().collect();
    names.reverse();
    names.join(".")
}

/// Full names of the modules that a file may mean by `path`, when its first name may be an alias from
/// `imports`.
fn without_alias(imports: &[Import], path: &str) -> Vec<String> {
    let (root, rest) = path.split_at(path.find('.').unwrap_or(path.len()));
    let is_it = |import: &&Import| match import.names.iter().find_map(|name| name.alias.as_deref()) {
        Some(alias) => alias == root,
        None => import.specifier.rsplit_once('.').is_some_and(|(_, last)| last == root),
    };
    let mut names: Vec<String> =
        imports.iter().filter(is_it).map(|import| [&import.specifier, rest].concat()).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MOST);
    names
}

/// The last name of a path.
fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Whether the file is the Rust module `name`.
fn is_module_file(view: GraphView<'_>, file: PathInput, name: &str) -> bool {
    let path = view.path(file);
    let stem = file_name(path).strip_suffix(".rs").unwrap_or_default();
    name == if stem == "mod" { file_name(parent(path)) } else { stem }
}

/// Whether the file is the Rust module `name` and defines no type of that name, which a path may mean as well.
fn is_only_module(view: GraphView<'_>, file: PathInput, name: &str) -> bool {
    let is_type = |(_, definition): (u32, &FileDefinition)| has_members(definition.kind);
    is_module_file(view, file, name) && !definitions(view.db(), file).definitions_of_name(name).any(is_type)
}

/// Whether a path of `super` steps may begin in an inline module of the file, so that it leads to the file itself.
fn is_around_modules(db: &dyn Db, file: PathInput, outer: &str) -> bool {
    let mut all = definitions(db, file).list.iter();
    outer.split('.').all(|step| step == "super")
        && all.any(|definition| definition.kind == SymbolKind::Module && definition.has_body)
}
