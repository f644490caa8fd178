//! What the imports of a file bring, by the name that it has there.

use std::sync::Arc;

use icr_model::{ExportAlias, Import};

use crate::exports::{ALL, ImportSelection, exports, import_selection};
use crate::graph::{Db, PathInput};
use crate::resolve::{ImportOutcome, resolved_imports};
use crate::statements::statements;

/// Languages whose modules can be one definition (`module.exports =`).
const REQUIRING: [&str; 3] = ["javascript", "tsx", "typescript"];

/// What a name stands for that an import brings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, salsa::SalsaValue)]
pub(crate) enum ImportBinding {
    /// What the file offers under that name.
    Name(PathInput, String),
    /// The file.
    Module(PathInput),
    /// Something from outside of the repository.
    Outside,
    /// Something that should be in the repository and is not.
    Unresolved,
}

/// The names that imports bring.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Bindings {
    /// In order, each once. A name has dots where a module is named with those around it.
    list: Vec<(String, ImportBinding)>,
    /// Files of which all names are brought.
    pub(crate) whole: Vec<PathInput>,
}

impl Bindings {
    /// What names of files of the view are called here: this name, the file, its name there; in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, PathInput, &str)> {
        self.list.iter().filter_map(|(local, bound)| match bound {
            ImportBinding::Name(file, name) => Some((local.as_str(), *file, name.as_str())),
            _ => None,
        })
    }

    /// Files that are asked for what is called `name` here, with its name there.
    pub(crate) fn origins_of<'a>(&'a self, name: &str) -> impl Iterator<Item = (PathInput, &'a str)> {
        self.of(name).filter(|(rest, _)| rest.is_empty()).filter_map(|(_, bound)| match bound {
            ImportBinding::Name(file, name) => Some((*file, name.as_str())),
            _ => None,
        })
    }

    /// What is bound as `name`, and behind it, for names with dots, the rest of the name.
    pub(crate) fn of<'a>(&'a self, name: &str) -> impl Iterator<Item = (&'a str, &'a ImportBinding)> {
        let first = self.list.partition_point(|(local, _)| local.as_str() < name);
        let name = name.to_owned();
        self.list[first..]
            .iter()
            .map_while(move |(local, bound)| Some((local.strip_prefix(name.as_str())?, bound)))
            .filter(|(rest, _)| rest.is_empty() || rest.starts_with('.'))
    }
}

/// What the imports of the file at a path bring.
#[salsa::tracked(returns(ref))]
pub(crate) fn bindings(db: &dyn Db, input: PathInput) -> Arc<Bindings> {
    let statements = statements(db, input);
    let mut bindings = Bindings::default();
    for (import, outcome) in statements.imports.iter().zip(&resolved_imports(db, input).outcomes) {
        let by = match outcome {
            ImportOutcome::Files(targets) => {
                for target in targets {
                    match import_selection(import, target.name) {
                        ImportSelection::Whole => bindings.whole.push(target.file),
                        ImportSelection::Module => {
                            bindings.whole.push(target.file);
                            // Of other languages no module is asked what it offers.
                            if REQUIRING.contains(&statements.language.as_str())
                                && exports(db, target.file).named.contains_key(ExportAlias::MODULE)
                            {
                                let itself = ImportBinding::Name(target.file, ExportAlias::MODULE.to_owned());
                                bindings.list.push((module_name(import, &statements.language), itself));
                            }
                            bindings
                                .list
                                .push((module_name(import, &statements.language), ImportBinding::Module(target.file)));
                        }
                        ImportSelection::Names(names) => {
                            bindings.list.extend(names.into_iter().map(|(local, name)| {
                                (local.to_owned(), ImportBinding::Name(target.file, name.to_owned()))
                            }))
                        }
                    }
                }
                continue;
            }
            ImportOutcome::External => ImportBinding::Outside,
            ImportOutcome::Unresolved => ImportBinding::Unresolved,
        };
        if import.names.is_empty() {
            bindings.list.push((module_name(import, &statements.language), by));
            continue;
        }
        for name in &import.names {
            match name.alias.as_deref().unwrap_or(&name.name) {
                ALL => {}
                local => bindings.list.push((local.to_owned(), by.clone())),
            }
        }
    }
    bindings.list.sort_unstable();
    bindings.list.dedup();
    Arc::new(bindings)
}

/// What an import calls the module that it takes as a whole.
fn module_name(import: &Import, language: &str) -> String {
    if let Some(alias) = import.names.iter().find_map(|name| name.alias.as_deref()) {
        return alias.to_owned();
    }
    let specifier = import.specifier.as_str();
    match language {
        "python" => specifier.trim_start_matches('.').to_owned(),
        "go" => {
            // The last part is the version of a package: `/v2`, `.v3`.
            let is_version =
                |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
            let name = specifier.rsplit('/').find(|part| !is_version(part)).unwrap_or(specifier);
            let name = name.rsplit_once('.').filter(|(_, end)| is_version(end)).map_or(name, |(name, _)| name);
            name.strip_prefix("go-").unwrap_or(name).to_owned()
        }
        _ => {
            let name = specifier.rsplit(['.', ':', '/', '\\']).next().unwrap_or_default();
            name.to_owned()
        }
    }
}
