//! Imports: of one file, around one file, of the whole view.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use icr_db::{EdgeKind, QueryGraph};
use icr_model::{Gap, RepoPath};
use icr_view::BackgroundDrop;
use serde::Serialize;

use crate::test_paths::is_test;
use crate::timed_view::TimedView;
use crate::{Error, Snapshot};

/// All import edges of a view.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, schemars::JsonSchema)]
pub struct ImportGraph {
    /// Edges between files of the view, ordered by (from, to, kind).
    pub edges: Vec<GraphEdge>,
    /// Imports of modules outside of the repository.
    pub external: Vec<GraphImport>,
    /// Unresolved imports: they should lead to a file of the repository and do not.
    pub unresolved: Vec<GraphImport>,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// One import edge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct GraphEdge {
    /// The file that imports.
    pub from: String,
    /// The file that is imported.
    pub to: String,
    /// Kind of import.
    pub kind: EdgeKind,
    /// Whether it is for types only.
    pub type_only: bool,
    /// Whether the importing file is a test, by its path.
    pub test: bool,
    /// First line that names the file, 1-based.
    pub line: u32,
}

/// One import that leads to no file of the view.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct GraphImport {
    /// The file that imports.
    pub from: String,
    /// The module as written.
    pub specifier: String,
    /// Line of the statement, 1-based.
    pub line: u32,
}

/// Progress of a question about all files.
pub trait Progress: Sync {
    /// How many files there are; told once, first.
    fn total(&self, files: u64);

    /// Called after each file.
    fn count_file(&self);
}

/// Ignores all progress.
impl Progress for () {
    fn total(&self, _: u64) {}

    fn count_file(&self) {}
}

/// The query graph of a snapshot. When dropped, it releases the view first, because somebody may wait for its files;
/// the cached results are freed on another thread.
pub(crate) struct OwnGraph(BackgroundDrop<QueryGraph>);

impl OwnGraph {
    pub(crate) fn new(graph: QueryGraph) -> Self {
        Self(BackgroundDrop::new(graph))
    }
}

impl std::ops::Deref for OwnGraph {
    type Target = QueryGraph;

    fn deref(&self) -> &QueryGraph {
        &self.0
    }
}

impl Drop for OwnGraph {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

impl Snapshot {
    /// The query graph over this view.
    pub(crate) fn graph(&self) -> Result<&QueryGraph, Error> {
        Ok(self.graph.get_or_init(|| OwnGraph::new(QueryGraph::new(self.graph_source()))))
    }

    /// The query graph with the table of all paths loaded, and these paths in order.
    pub(crate) fn whole_graph(&self) -> Result<(&QueryGraph, Vec<RepoPath>), Error> {
        let paths = self.view.load_paths()?;
        Ok((self.graph()?, paths))
    }

    /// The view as source of the graph, until the deadline of the answer.
    pub(crate) fn graph_source(&self) -> Arc<TimedView> {
        Arc::new(TimedView { view: Arc::clone(&self.view), deadline: self.context.deadline.clone() })
    }
}

/// All import edges of the view. Resolves every file, on all threads.
///
/// # Errors
///
/// Those of reading the store.
pub fn import_graph(snapshot: &Snapshot, progress: &dyn Progress) -> Result<ImportGraph, Error> {
    let (graph, paths) = snapshot.whole_graph()?;
    progress.total(paths.len() as u64);
    let mut answer = ImportGraph::default();
    let mut problems = BTreeMap::new();
    for (path, imports) in paths.iter().zip(graph.all_imports(&paths, &|| progress.count_file())?) {
        let from = path.to_string();
        let test = is_test(graph, path)?;
        answer.edges.extend(imports.edges.into_iter().map(|edge| GraphEdge {
            from: from.clone(),
            to: edge.to.to_string(),
            kind: edge.kind,
            type_only: edge.type_only,
            test,
            line: edge.line,
        }));
        let unfollowed = |import: icr_db::ImportWithoutFile| GraphImport {
            from: from.clone(),
            specifier: import.specifier,
            line: import.line,
        };
        answer.external.extend(imports.external.into_iter().map(unfollowed));
        answer.unresolved.extend(imports.unresolved.into_iter().map(unfollowed));
        problems.extend(imports.problems.into_iter().map(|problem| (problem.path, problem.reason)));
    }
    answer.edges.sort();
    let problems: BTreeSet<_> = problems.into_iter().collect();
    answer.gaps = problems.into_iter().map(|(path, reason)| Gap::UnreadableManifest { path, reason }).collect();
    Ok(answer)
}

/// All reference edges between the files of a view.
#[derive(Debug, Clone, PartialEq, Default, Serialize, schemars::JsonSchema)]
pub struct ReferenceGraph {
    /// Edges ordered by (from, to).
    pub edges: Vec<GraphReference>,
}

/// One file refers to what another one defines.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct GraphReference {
    /// The file that refers.
    pub from: String,
    /// The file that defines.
    pub to: String,
    /// Occurrences.
    pub count: u32,
    /// Occurrences, where a name that several files define counts with the share that `to` has of it.
    pub weight: f64,
}

/// All reference edges of the view whose weight is at least [`LEAST_WEIGHT`]. Looks at every file, on all threads.
///
/// # Errors
///
/// Those of reading the store.
pub fn reference_graph(snapshot: &Snapshot, progress: &dyn Progress) -> Result<ReferenceGraph, Error> {
    let (graph, paths) = snapshot.whole_graph()?;
    progress.total(paths.len() as u64);
    let mut edges = Vec::new();
    for (path, referred) in paths.iter().zip(graph.all_references(&paths, &|| progress.count_file())?) {
        let from = path.to_string();
        let sure = referred.into_iter().filter(|edge| edge.weight >= LEAST_WEIGHT);
        edges.extend(sure.map(|edge| GraphReference {
            from: from.clone(),
            to: edge.to.to_string(),
            count: edge.count,
            weight: edge.weight,
        }));
    }
    edges.sort_by(|a, b| (&a.from, &a.to).cmp(&(&b.from, &b.to)));
    Ok(ReferenceGraph { edges })
}

/// Least weight of a reference edge that is shown: more than one mention of a name that may mean a definition two
/// imports away. Measured against compilers on public repositories of three languages, 90 to 98 of 100 shown edges are
/// right, and 87 to 99 of 100 true edges are shown.
pub const LEAST_WEIGHT: f64 = 0.6;
