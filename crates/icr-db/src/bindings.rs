//! The names that the imports of a file bring into it, and what each name stands for.

use std::sync::Arc;

use icr_model::{ExportAlias, Import};

use crate::exports::{ALL, ImportSelection, definers, import_selection};
use crate::graph::{Db, PathInput};
use crate::language_rules::{ModuleNames, resolution_rules};
use crate::resolve::{ImportOutcome, resolved_imports};
use crate::statements::statements;
use crate::view::GraphView;

/// What an imported name stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, salsa::SalsaValue)]
pub(crate) enum ImportBinding {
    /// What the file offers under this name.
    Name(PathInput, String),
    /// The file as a module.
    Module(PathInput),
    /// Something outside of the repository.
    Outside,
    /// An unresolved import: it should be in the repository but is not found.
    Unresolved,
}

/// The names that the imports of a file bring.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Bindings {
    /// Ordered, each pair once. A name has dots when a module is named together with the packages around it (`a.b`).
    list: Vec<(String, ImportBinding)>,
    /// Files from which all names are imported.
    pub(crate) whole: Vec<PathInput>,
}

impl Bindings {
    /// Names imported from files of the view, in order: the name here, the file, and the name there.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, PathInput, &str)> {
        self.list.iter().filter_map(|(local, bound)| match bound {
            ImportBinding::Name(file, name) => Some((local.as_str(), *file, name.as_str())),
            _ => None,
        })
    }

    /// The files that `name` is imported from, each with its name there.
    pub(crate) fn origins_of<'a>(&'a self, name: &str) -> impl Iterator<Item = (PathInput, &'a str)> {
        self.of(name).filter(|(rest, _)| rest.is_empty()).filter_map(|(_, bound)| match bound {
            ImportBinding::Name(file, name) => Some((*file, name.as_str())),
            _ => None,
        })
    }

    /// What `name` is bound to. For names with dots, also the part of the name after the bound prefix.
    pub(crate) fn of<'a>(&'a self, name: &str) -> impl Iterator<Item = (&'a str, &'a ImportBinding)> {
        let first = self.list.partition_point(|(local, _)| local.as_str() < name);
        let name = name.to_owned();
        self.list[first..]
            .iter()
            .map_while(move |(local, bound)| Some((local.strip_prefix(name.as_str())?, bound)))
            .filter(|(rest, _)| rest.is_empty() || rest.starts_with('.'))
    }
}

/// The names that the imports of the file at a path bring.
#[salsa::tracked(returns(ref))]
pub(crate) fn bindings(db: &dyn Db, input: PathInput) -> Arc<Bindings> {
    let statements = statements(db, input);
    let rules = resolution_rules(&statements.language);
    let mut bindings = Bindings::default();
    for (import, outcome) in statements.imports.iter().zip(&resolved_imports(db, input).outcomes) {
        let by = match outcome {
            ImportOutcome::Files(targets) => {
                for target in targets {
                    match import_selection(import, target.name) {
                        ImportSelection::Whole => bindings.whole.push(target.file),
                        ImportSelection::Module => {
                            bindings.whole.push(target.file);
                            // In other languages, exports of the imported module are not needed.
                            if rules.exports_one_as_module
                                && !definers(GraphView::new(db), target.file, ExportAlias::MODULE).is_empty()
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

/// The local name for a module that is imported as a whole, in the language by the table of languages.
pub fn module_name(import: &Import, language: &str) -> String {
    let names = resolution_rules(language).module_names;
    if let Some(alias) = import.names.iter().find_map(|name| name.alias.as_deref()) {
        return alias.to_owned();
    }
    let specifier = import.specifier.as_str();
    match names {
        ModuleNames::WholePath => specifier.trim_start_matches('.').to_owned(),
        ModuleNames::LastPartWithoutVersion => {
            // The last part is the version of a package: `/v2`, `.v3`.
            let is_version =
                |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
            let name = specifier.rsplit('/').find(|part| !is_version(part)).unwrap_or(specifier);
            let name = name.rsplit_once('.').filter(|(_, end)| is_version(end)).map_or(name, |(name, _)| name);
            name.strip_prefix("go-").unwrap_or(name).to_owned()
        }
        ModuleNames::LastPart => {
            let name = specifier.rsplit(['.', ':', '/', '\\']).next().unwrap_or_default();
            name.to_owned()
        }
    }
}
