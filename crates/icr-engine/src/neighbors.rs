//! Around one file: what it imports, who imports it, what changes with it.

use crate::cochange::partners;
use crate::files::no_such_file;
use std::collections::{BTreeMap, BTreeSet};

use icr_db::{EdgeKind, QueryGraph};
use icr_model::{Gap, RepoPath};
use serde::Serialize;

use crate::search::path_of;
use crate::test_paths::is_test;
use crate::{Error, PartnerFile, PartnersRequest, Snapshot};

/// Most files of one level that are followed: beyond that, an answer is no longer about the file in the request.
const LEVEL: usize = 2_000;

/// Around which file, and how far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeighborsRequest {
    /// Path relative to the root.
    pub path: String,
    /// Steps to follow in both directions; 1 for direct neighbours only.
    pub depth: u32,
    /// Most files that change with it.
    pub changed_together: usize,
}

/// The answer to a [`NeighborsRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Neighbors {
    /// The file.
    pub path: String,
    /// Files that it imports, ordered by (depth, path).
    pub imports: Vec<Neighbor>,
    /// Files that import it, ordered by (depth, path).
    pub importers: Vec<Neighbor>,
    /// External modules that it imports, in order of the statements.
    pub external: Vec<NeighborImport>,
    /// Unresolved imports: they should lead to a file of the repository and do not.
    pub unresolved: Vec<NeighborImport>,
    /// Commits that changed it under any of its names, among those that count for files that change together.
    pub commits: u32,
    /// Files that change with it, best first.
    pub cochanges: Vec<PartnerFile>,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// A file near another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Neighbor {
    /// Steps from the file that was asked about.
    pub depth: u32,
    /// Path relative to the root.
    pub path: String,
    /// The file, one step nearer, through which it was found first; for direct neighbours the requested file.
    pub via: String,
    /// Kind of the edge to that file.
    pub kind: EdgeKind,
    /// Whether that edge is for types only.
    pub type_only: bool,
    /// Whether the file is a test, by its path. A file that is only called `test` or `tests` is none if a file that is no
    /// test imports it.
    pub test: bool,
    /// First line of the importing file that names the other, 1-based.
    pub line: u32,
}

/// An import that leads to no file of the view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NeighborImport {
    /// The module as written.
    pub specifier: String,
    /// Line of the statement, 1-based.
    pub line: u32,
}

/// What the file imports and who imports it, step by step, each file once, where it is nearest.
///
/// # Errors
///
/// [`Error::NoSuchFile`] for an unknown path; those of reading the store.
pub fn neighbors(snapshot: &Snapshot, request: &NeighborsRequest) -> Result<Neighbors, Error> {
    let path = path_of(&request.path);
    if snapshot.view.file(&path)?.is_none() {
        return Err(no_such_file(snapshot, &path));
    }
    let graph = snapshot.graph()?;
    let own = graph.imports(&path)?;
    let partners =
        partners(snapshot, &PartnersRequest { path: request.path.clone(), limit: request.changed_together })?;
    let mut gaps = BTreeSet::from_iter(partners.gaps);
    for problem in &own.problems {
        gaps.insert(Gap::UnreadableManifest { path: problem.path.clone(), reason: problem.reason.clone() });
    }
    let imports = walk(graph, &path, request.depth, Direction::Forward, &mut gaps)?;
    let importers = walk(graph, &path, request.depth, Direction::Backward, &mut gaps)?;
    let import =
        |import: &icr_db::ImportWithoutFile| NeighborImport { specifier: import.specifier.clone(), line: import.line };
    Ok(Neighbors {
        path: path.to_string(),
        imports,
        importers,
        external: own.external.iter().map(import).collect(),
        unresolved: own.unresolved.iter().map(import).collect(),
        commits: partners.commits_followed,
        cochanges: partners.partners,
        gaps: gaps.into_iter().collect(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// Files within `depth` steps of `path`, level by level; each is resolved once.
fn walk(
    graph: &QueryGraph,
    path: &RepoPath,
    depth: u32,
    direction: Direction,
    gaps: &mut BTreeSet<Gap>,
) -> Result<Vec<Neighbor>, Error> {
    let mut met = BTreeSet::from([path.clone()]);
    let mut found = Vec::new();
    let mut level = vec![path.clone()];
    for step in 1..=depth {
        if level.len() > LEVEL {
            let files = level.len() as u64;
            gaps.insert(Gap::StoppedWalk { level: step, followed: LEVEL as u64, files });
            level.truncate(LEVEL);
        }
        let mut next: BTreeMap<RepoPath, Neighbor> = BTreeMap::new();
        for via in &level {
            let mut add = |other: &RepoPath, edge: &icr_db::ImportEdge| {
                if met.contains(other) {
                    return;
                }
                next.entry(other.clone()).or_insert_with(|| Neighbor {
                    depth: step,
                    path: other.to_string(),
                    via: via.to_string(),
                    kind: edge.kind,
                    type_only: edge.type_only,
                    test: false,
                    line: edge.line,
                });
            };
            match direction {
                Direction::Forward => graph.imports(via)?.edges.iter().for_each(|edge| add(&edge.to, edge)),
                Direction::Backward => {
                    for importer in graph.importers(via)? {
                        graph.import_edges(&importer, via)?.iter().for_each(|edge| add(&importer, edge));
                    }
                }
            }
        }
        for (other, neighbor) in &mut next {
            neighbor.test = is_test(graph, other)?;
        }
        met.extend(next.keys().cloned());
        level = next.keys().cloned().collect();
        found.extend(next.into_values());
        if level.is_empty() {
            break;
        }
    }
    Ok(found)
}
