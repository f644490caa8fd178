//! Resolves import statements to files of the view (the forward direction).

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
    /// Names of the inline modules around the statement in the file, outermost first.
    pub(crate) inside: &'a [String],
}

/// What an import leads to.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) enum ImportOutcome {
    /// Files of the view; at least one.
    Files(Vec<ImportTarget>),
    /// Something outside of the repository: a package, the standard library, a system header.
    External,
    /// Unresolved: it should be in the repository but is not found.
    Unresolved,
}

/// A file that an import leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct ImportTarget {
    pub(crate) file: PathInput,
    /// Index in [`Import::names`] of the name that leads to the file; `None` when the statement as a whole does.
    pub(crate) name: Option<u32>,
}

/// What the imports of a file lead to.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct ResolvedImports {
    /// For each of the file's imports, in order.
    pub(crate) outcomes: Vec<ImportOutcome>,
    /// Manifests that were needed but cannot be read, with the reason.
    pub(crate) problems: Vec<(String, String)>,
}

/// Kind of statement that an edge comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// An import of a module or of names from it.
    Import,
    /// An inclusion of the file's text.
    Include,
    /// An import whose names are re-exported.
    Reexport,
    /// The declaration of a child module.
    Module,
}

impl EdgeKind {
    /// The name as shown in answers.
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
    /// An outcome of these files, each once, in order of their paths; [`ImportOutcome::Unresolved`] when there are
    /// none.
    pub(crate) fn files(view: GraphView<'_>, mut targets: Vec<ImportTarget>) -> Self {
        targets.sort_by(|a, b| view.path(a.file).cmp(view.path(b.file)).then(a.name.cmp(&b.name)));
        targets.dedup();
        if targets.is_empty() { Self::Unresolved } else { Self::Files(targets) }
    }

    /// An outcome of the files at these paths, named by the statement as a whole.
    pub(crate) fn paths(view: GraphView<'_>, paths: Vec<String>) -> Self {
        Self::files(view, paths.iter().map(|path| ImportTarget::new(view, path, None)).collect())
    }

    /// An outcome of one file, named by the statement as a whole.
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

/// Files that the imports of a file lead to, each once, in order of their paths.
#[salsa::tracked(returns(deref))]
pub(crate) fn imported_files(db: &dyn Db, input: PathInput) -> Box<[PathInput]> {
    let outcomes = &resolved_imports(db, input).outcomes;
    let mut files: Vec<PathInput> =
        outcomes.iter().flat_map(ImportOutcome::targets).map(|target| target.file).collect();
    GraphView::new(db).in_order(&mut files);
    files.into()
}

/// What the imports of the file at a path lead to. Empty when there is no such file, and for languages without a
/// scheme.
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
