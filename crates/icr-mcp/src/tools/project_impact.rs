//! `project_impact`: what changes of given files would touch.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use icr_engine::{SearchRequest, Snapshot};
use icr_impact::{Impact, Level};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::paths::all_relative;
use crate::reply::{Reply, word};
use icr_serve::CallFailure;

/// Files that a focus query is looked for in, best first.
const FOCUS_FILES: usize = 300;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ProjectImpactInput {
    #[schemars(length(min = 1, max = 200))]
    changed_paths: Vec<String>,
    /// Files that match come first
    #[schemars(length(max = 1000))]
    query: Option<String>,
    #[schemars(range(min = 10, max = 500))]
    max_nodes: Option<u32>,
    #[schemars(range(min = 10, max = 2000))]
    max_edges: Option<u32>,
}

pub(crate) fn run(call: &CallContext<'_>, input: ProjectImpactInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let paths = all_relative(repository.root(), "changed_paths", &input.changed_paths)?;
    let rules = repository.configuration().impact.with_requested_limits(None, input.max_nodes, input.max_edges);
    let query = input.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    let (impact, provenance) = call.impact_of_paths(&repository, paths, rules)?;
    let ranks = match query {
        Some(query) => call.ask(&repository, |snapshot| ranks(snapshot, query))?.0,
        None => HashMap::new(),
    };
    Ok(Reply::of(&project_impact_json(impact, &ranks))?.from(provenance))
}

/// Rank of each file for the query, 0 for the best.
fn ranks(snapshot: &Snapshot, query: &str) -> Result<HashMap<String, usize>, icr_engine::Error> {
    let request = SearchRequest { query: query.to_owned(), limit: FOCUS_FILES, ..SearchRequest::default() };
    let found = icr_engine::search(snapshot, &request)?;
    // A file may have several hits. The iteration is reversed, so that its best hit overwrites the others.
    Ok(found.results.into_iter().enumerate().rev().map(|(rank, hit)| (hit.path, rank)).collect())
}

/// The impact. Within a level, files that match the query come first; no file is left out because of it.
fn project_impact_json(mut impact: Impact, ranks: &HashMap<String, usize>) -> Value {
    let rank = |path: &str| ranks.get(path).copied().unwrap_or(usize::MAX);
    let by_focus = |level: Level, path: &str| (Reverse(level), rank(path));
    if !ranks.is_empty() {
        impact.direct_dependents.sort_by_key(|file| by_focus(file.impact_level, &file.path));
        impact.transitive_dependents.sort_by_key(|file| by_focus(file.impact_level, &file.path));
        impact.suggested_review.sort_by_key(|review| by_focus(Level::of(review.probability), &review.path));
    }
    let direct = impact.direct_dependents.iter().map(|file| {
        json!({
            "path": file.path,
            "references": file.references,
            "impact_level": file.impact_level,
            "symbols": file.symbols,
        })
    });
    let transitive = impact
        .transitive_dependents
        .iter()
        .map(|file| json!({ "path": file.path, "depth": file.depth, "impact_level": file.impact_level }));
    let tests: Vec<&str> = impact.tests.iter().filter(|test| test.selected).map(|test| test.path.as_str()).collect();
    let mut answer = json!({
        "impact_score": impact.impact_score,
        "incomplete": impact.incomplete,
        "direct_dependents": direct.collect::<Vec<_>>(),
        "transitive_dependents": transitive.collect::<Vec<_>>(),
        "contract_impact": {
            "modified_contracts": impact.contract_impact.modified_contracts,
            "affected_files": impact.contract_impact.affected_files.len(),
            "breaking_change_risk": impact.contract_impact.breaking_change_risk,
        },
        "suggested_review": impact.suggested_review.iter().map(|review| review.path.as_str()).collect::<Vec<_>>(),
        "tests": tests,
        "test_commands": impact.test_plan.commands,
        "graph": graph(&impact),
    });
    if !impact.memories.is_empty() {
        answer["memories"] = json!(impact.memories);
    }
    answer
}

/// The graph with each path once: edges are pairs of positions among the nodes, by kind.
fn graph(impact: &Impact) -> Value {
    let nodes: Vec<&str> = impact.graph.nodes.iter().map(|node| node.path.as_str()).collect();
    let positions: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, path)| (*path, at)).collect();
    let mut edges: BTreeMap<String, Vec<[usize; 2]>> = BTreeMap::new();
    for edge in &impact.graph.edges {
        if let (Some(from), Some(to)) = (positions.get(edge.from.as_str()), positions.get(edge.to.as_str())) {
            edges.entry(word(&edge.kind)).or_default().push([*from, *to]);
        }
    }
    json!({ "nodes": nodes, "edges": edges })
}
