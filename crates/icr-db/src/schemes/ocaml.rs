//! Modules of OCaml: every file is a module named after the file. A statement names the library, then the module, and
//! perhaps modules inside it.

use icr_model::SymbolKind;

use super::key::Key;
use super::members::nearest;
use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, Statement};
use crate::view::{GraphView, file_name, parent};

/// Extensions of implementations and of interfaces.
const ENDINGS: [&str; 2] = [".ml", ".mli"];

pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    let is_name = |character: char| character.is_alphanumeric() || "_'.".contains(character);
    if !specifier.chars().all(is_name) {
        return ImportOutcome::External;
    }
    let mut segments = specifier.rsplit('.');
    let (last, outer, outermost) = (segments.next().unwrap_or(specifier), segments.next(), segments.next());
    let mut files = files_of(view, statement.path, outer, last);
    if let (true, Some(outer)) = (files.is_empty(), outer) {
        // The rest is a module inside a file.
        files = files_of(view, statement.path, outermost, outer);
        files.retain(|file| {
            view.definitions(file).definitions_of_name(last).any(|(_, inner)| inner.kind == SymbolKind::Module)
        });
    }
    if files.is_empty() {
        return ImportOutcome::External;
    }
    ImportOutcome::paths(view, files)
}

/// The name of the file's module, and the names of the modules inside it behind that name.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    let Some(module) = module_of(path).filter(|_| is_ocaml(view, path)) else { return Vec::new() };
    let definitions = view.definitions(path).list.iter();
    let inner = definitions.filter(|definition| definition.kind == SymbolKind::Module);
    let mut keys: Vec<String> = inner.map(|inner| format!("{module}/{}", inner.name)).collect();
    keys.push(module);
    keys.into_iter().map(Key::from).collect()
}

pub(super) fn siblings(view: GraphView<'_>, path: &str) -> Vec<PathInput> {
    let files = view.files_in(parent(path));
    let others = files.iter().filter_map(|file| file.as_str()).filter(|file| *file != path && is_ocaml(view, file));
    others.map(|file| view.input(file)).collect()
}

pub(super) fn manifests(_: GraphView<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

fn is_ocaml(view: GraphView<'_>, path: &str) -> bool {
    view.language(path).is_some_and(|language| language.starts_with("ocaml"))
}

/// Name of a file's module: the file name up to its extension, with a capital letter.
fn module_of(path: &str) -> Option<String> {
    let name = file_name(path);
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))?;
    let mut characters = stem.chars();
    let first = characters.next()?;
    Some(format!("{}{}", first.to_uppercase(), characters.as_str()))
}

/// Implementation and interface of the module nearest to `from`. In another directory, only when it is the only module
/// of that name, or when its directory has the name of the library before it.
fn files_of(view: GraphView<'_>, from: &str, library: Option<&str>, module: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for ending in ENDINGS {
        let found = view.files_ending(&format!("{module}{ending}"));
        let found = found.iter().filter_map(|file| file.as_str());
        files.extend(found.filter(|file| module_of(file).as_deref() == Some(module)).map(str::to_owned));
    }
    let spelled = |text: &str| text.to_lowercase().replace(['-', '.'], "_");
    if let Some(library) = library.map(spelled) {
        let in_library = |file: &&String| parent(file).split('/').any(|component| spelled(component) == library);
        let named: Vec<String> = files.iter().filter(in_library).cloned().collect();
        if !named.is_empty() {
            files = named;
        }
    }
    let here: Vec<String> = files.iter().filter(|file| parent(file) == parent(from)).cloned().collect();
    if !here.is_empty() {
        return here;
    }
    let files = nearest(from, files);
    let is_one = files.windows(2).all(|pair| parent(&pair[0]) == parent(&pair[1]));
    if is_one { files } else { Vec::new() }
}
