//! From import statements to files of the view, forward.

use std::sync::Arc;

use icr_model::{Import, ImportKind};

use crate::graph::{Db, PathInput};
use crate::schemes::scheme_of;
use crate::statements::statements;
use crate::view::GraphView;

/// An import statement and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Statement<'a> {
    /// Path of the file.
    pub(crate) path: &'a str,
    /// Its language.
    pub(crate) language: &'a str,
    pub(crate) import: &'a Import,
    /// Modules written out around the statement in the file, outermost first.
    pub(crate) inside: &'a [String],
}

/// What an import names.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) enum ImportOutcome {
    /// Files of the view; at least one.
    Files(Vec<ImportTarget>),
    /// Something outside of the repository: a package, the standard library, a system header.
    External,
    /// Something that should be in the repository and is not.
    Unresolved,
}

/// A file that an import names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct ImportTarget {
    pub(crate) file: PathInput,
    /// Index in [`Import::names`] of the name that leads to it; `None` when the statement as a whole does.
    pub(crate) name: Option<u32>,
}

/// What each import of a file names.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct ResolvedImports {
    /// For each of the file's imports, in order.
    pub(crate) outcomes: Vec<ImportOutcome>,
    /// Manifests that were asked and cannot be read, with what is wrong with them.
    pub(crate) problems: Vec<(String, String)>,
}

/// How an edge came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// An import of a module or of names from it.
    Import,
    /// An inclusion of the file's text.
    Include,
    /// An import whose names are offered on.
    Reexport,
    /// The declaration of a child module.
    Module,
}

impl EdgeKind {
    /// The name used in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Include => "include",
            Self::Reexport => "reexport",
            Self::Module => "module",
        }
    }

    pub(crate) fn of(import: &Import) -> Self {
        match import.kind {
            ImportKind::Include | ImportKind::SystemInclude => Self::Include,
            ImportKind::Module => Self::Module,
            ImportKind::Import if import.reexport => Self::Reexport,
            ImportKind::Import => Self::Import,
        }
    }
}

impl ImportTarget {
    pub(crate) fn new(view: GraphView<'_>, path: &str, name: Option<u32>) -> Self {
        Self { file: view.input(path), name }
    }
}

impl ImportOutcome {
    /// These files, each once, in order of their paths; [`Outcome::Unresolved`] when there is none.
    pub(crate) fn files(view: GraphView<'_>, mut targets: Vec<ImportTarget>) -> Self {
        targets.sort_by(|a, b| view.path(a.file).cmp(view.path(b.file)).then(a.name.cmp(&b.name)));
        targets.dedup();
        if targets.is_empty() { Self::Unresolved } else { Self::Files(targets) }
    }

    /// The files at these paths, that the statement as a whole names.
    pub(crate) fn paths(view: GraphView<'_>, paths: Vec<String>) -> Self {
        Self::files(view, paths.iter().map(|path| ImportTarget::new(view, path, None)).collect())
    }

    /// The file that the statement as a whole names.
    pub(crate) fn file(view: GraphView<'_>, path: &str) -> Self {
        Self::Files(vec![ImportTarget::new(view, path, None)])
    }

    /// The targets, if any.
    pub(crate) fn targets(&self) -> &[ImportTarget] {
        match self {
            Self::Files(targets) => targets,
            Self::External | Self::Unresolved => &[],
        }
    }
}

/// Files that the imports of a file name, each once, in order of their paths.
#[salsa::tracked(returns(deref))]
pub(crate) fn imported_files(db: &dyn Db, input: PathInput) -> Box<[PathInput]> {
    let outcomes = &resolved_imports(db, input).outcomes;
    let mut files: Vec<PathInput> =
        outcomes.iter().flat_map(ImportOutcome::targets).map(|target| target.file).collect();
    GraphView::new(db).in_order(&mut files);
    files.into()
}

/// What the imports of the file at a path name. Empty where no file is, and in languages without a scheme.
#[salsa::tracked(returns(ref))]
pub(crate) fn resolved_imports(db: &dyn Db, input: PathInput) -> Arc<ResolvedImports> {
    let Some(path) = input.path(db).as_str() else { return Arc::default() };
    let statements = statements(db, input);
    if statements.imports.is_empty() {
        return Arc::default();
    }
    let Some(scheme) = scheme_of(&statements.language) else { return Arc::default() };
    let view = GraphView::new(db);
    let outcome = |(import, inside)| {
        let statement = Statement { path, language: &statements.language, import, inside };
        (scheme.resolve)(view, &statement)
    };
    let outcomes = statements.imports.iter().zip(statements.inside.iter().map(Vec::as_slice)).map(outcome).collect();
    let mut problems: Vec<(String, String)> = (scheme.manifests)(view, path)
        .into_iter()
        .filter_map(|manifest| view.manifest_problem(&manifest).map(|problem| (manifest, problem)))
        .collect();
    problems.sort();
    problems.dedup();
    Arc::new(ResolvedImports { outcomes, problems })
}
