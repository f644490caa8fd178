//! Whether code outside of the repository can have used a definition, as manifests and modules say.

use std::collections::BTreeSet;

use icr_impact::symbols::{DefinitionSide, Publication, definition_rules};
use icr_model::{Import, ImportKind, RepoPath};

use crate::change::callers::Callers;
use crate::{Error, Snapshot};

/// Directories of code that shows or tests a library and is no part of it.
const BESIDES: [&str; 7] = ["_examples", "benches", "example", "examples", "fuzz", "testdata", "tests"];

/// Most modules that are looked at for a way from the root of a crate to a definition.
const MODULES: usize = 32;

/// Whether a library that others can fetch offers `definition` to them, in the view of `callers`. A library is a crate
/// with what the registry demands, or a module of Go whose path is an address. Of other languages nothing tells a library
/// from a program.
///
/// Cost: the manifest of the library and, for Rust, the modules between its root and the definition.
pub(crate) fn is_published(callers: &Callers<'_>, definition: &DefinitionSide) -> Result<bool, Error> {
    let Some(path) = definition.path.as_str() else { return Ok(false) };
    if path.split('/').any(|part| BESIDES.contains(&part)) {
        return Ok(false);
    }
    match definition_rules(&definition.language).publication {
        Publication::GoModule => {
            let Some((_, text)) = nearest(callers.view, path, "go.mod")? else { return Ok(false) };
            let module = text.lines().find_map(|line| line.trim().strip_prefix("module "));
            // Only an address has a dot in its first part.
            Ok(module.is_some_and(|module| module.trim().split('/').next().is_some_and(|host| host.contains('.'))))
        }
        Publication::CargoManifest => {
            let Some((directory, text)) = nearest(callers.view, path, "Cargo.toml")? else { return Ok(false) };
            let Some(root) = library_root(&text) else { return Ok(false) };
            let crate_root = CrateRoot { callers, root: RepoPath::from(path_in(&directory, &root).as_str()) };
            let name = definition.qualified_name.split('.').next().unwrap_or_default();
            crate_root.offers(&definition.path, name, &mut BTreeSet::new())
        }
        Publication::Untold => Ok(false),
    }
}

/// The directory and the text of the nearest file called `name` in the directory of `path` or above.
fn nearest(view: &Snapshot, path: &str, name: &str) -> Result<Option<(String, String)>, Error> {
    let mut directory = path;
    while !directory.is_empty() {
        directory = directory.rsplit_once('/').map_or("", |(above, _)| above);
        if let Some(text) = view.view.text_at(&RepoPath::from(path_in(directory, name).as_str()))? {
            return Ok(Some((directory.to_owned(), String::from_utf8_lossy(&text).into_owned())));
        }
    }
    Ok(None)
}

fn path_in(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// The path of the root of a library that its `Cargo.toml` lets be published: the registry demands a description and a
/// license.
fn library_root(manifest: &str) -> Option<String> {
    let table: toml::Table = manifest.parse().ok()?;
    let package = table.get("package")?.as_table()?;
    let is_described = package.contains_key("description");
    let is_licensed = ["license", "license-file"].iter().any(|key| package.contains_key(*key));
    let is_kept = match package.get("publish") {
        Some(toml::Value::Boolean(publish)) => !publish,
        Some(toml::Value::Array(registries)) => registries.is_empty(),
        _ => false,
    };
    let path = table.get("lib").and_then(|lib| lib.get("path")).and_then(toml::Value::as_str);
    (is_described && is_licensed && !is_kept).then(|| path.unwrap_or("src/lib.rs").to_owned())
}

/// The root of a library of Rust.
struct CrateRoot<'a> {
    callers: &'a Callers<'a>,
    root: RepoPath,
}

impl CrateRoot<'_> {
    /// Whether others can name `name` of the file at `path`: all modules around it are public, or a public one passes it
    /// on.
    fn offers(&self, path: &RepoPath, name: &str, met: &mut BTreeSet<(RepoPath, String)>) -> Result<bool, Error> {
        if *path == self.root {
            return Ok(true);
        }
        if met.len() >= MODULES || !met.insert((path.clone(), name.to_owned())) {
            return Ok(false);
        }
        let view = self.callers.view;
        let Some(module) = module_of(path) else { return Ok(false) };
        for importer in view.graph()?.importers(path)? {
            let (Some(facts), Some(text)) = (self.callers.facts(&importer)?, view.view.text_at(&importer)?) else {
                continue;
            };
            let text = String::from_utf8_lossy(&text);
            let line = |import: &Import| text.lines().nth(import.line.saturating_sub(1) as usize).unwrap_or_default();
            // Attributes may stand before a declaration on its line, restrictions behind `pub`.
            let is_public = |import: &Import| line(import).contains("pub ");
            for import in facts.imports.iter().filter(|import| is_public(import)) {
                let last = import.specifier.rsplit("::").next().unwrap_or_default();
                if import.kind == ImportKind::Module {
                    if last == module && self.offers(&importer, module, met)? {
                        return Ok(true);
                    }
                    continue;
                }
                for taken in import.names.iter().filter(|_| import.reexport && last == module) {
                    let local = taken.alias.as_deref().unwrap_or(&taken.name);
                    let passed_on = match taken.name.as_str() {
                        "*" => name,
                        taken if taken == name => local,
                        _ => continue,
                    };
                    if self.offers(&importer, passed_on, met)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }
}

/// The name of the module that a file of Rust is.
fn module_of(path: &RepoPath) -> Option<&str> {
    let path = path.as_str()?.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.rsplit('/').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_published_with_a_description_and_a_license() {
        let package = |rest: &str| library_root(&format!("[package]\nname = 'a'\n{rest}"));
        assert_eq!(package("description = 'A.'\nlicense.workspace = true\n").as_deref(), Some("src/lib.rs"));
        assert_eq!(package("description = 'A.'\nlicense-file = 'L'\n[lib]\npath = 'a.rs'\n").as_deref(), Some("a.rs"));
        assert_eq!(package("description = 'A.'\nlicense = 'MIT'\npublish = false\n"), None);
        assert_eq!(package("description = 'A.'\nlicense = 'MIT'\npublish = []\n"), None);
        assert_eq!(package("description = 'A.'\n"), None);
        assert_eq!(library_root("[workspace]\n"), None);
        assert_eq!(library_root("[package"), None);
    }

    #[test]
    fn a_file_is_a_module_of_its_name_or_of_its_directory() {
        assert_eq!(module_of(&RepoPath::from("src/a/b.rs")), Some("b"));
        assert_eq!(module_of(&RepoPath::from("src/a/mod.rs")), Some("a"));
        assert_eq!(module_of(&RepoPath::from("src/a.py")), None);
    }
}
