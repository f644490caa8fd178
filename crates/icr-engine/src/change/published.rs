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
            let Some(text) = nearest(callers.view, path, "go.mod")? else { return Ok(false) };
            let module = text.lines().find_map(|line| line.trim().strip_prefix("module "));
            // Only an address has a dot in its first part.
            Ok(module.is_some_and(|module| module.trim().split('/').next().is_some_and(|host| host.contains('.'))))
        }
        Publication::CargoManifest => {
            let package = callers.cargo_package_of(path)?.filter(|package| package.is_publishable);
            let Some(root) = package.and_then(|package| package.library.as_deref()) else { return Ok(false) };
            let crate_root = CrateRoot { callers, root: RepoPath::from(root) };
            let name = definition.qualified_name.split('.').next().unwrap_or_default();
            crate_root.offers(&definition.path, name, &mut BTreeSet::new())
        }
        Publication::Untold => Ok(false),
    }
}

/// The text of the nearest file called `name` in the directory of `path` or above.
fn nearest(view: &Snapshot, path: &str, name: &str) -> Result<Option<String>, Error> {
    let mut directory = path;
    while !directory.is_empty() {
        directory = directory.rsplit_once('/').map_or("", |(above, _)| above);
        let file = if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
        if let Some(text) = view.view.text_at(&RepoPath::from(file.as_str()))? {
            return Ok(Some(String::from_utf8_lossy(&text).into_owned()));
        }
    }
    Ok(None)
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
    fn a_file_is_a_module_of_its_name_or_of_its_directory() {
        assert_eq!(module_of(&RepoPath::from("src/a/b.rs")), Some("b"));
        assert_eq!(module_of(&RepoPath::from("src/a/mod.rs")), Some("a"));
        assert_eq!(module_of(&RepoPath::from("src/a.py")), None);
    }
}
