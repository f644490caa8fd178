//! `graph_neighbors`: what a file imports, who imports it, and what changes with it.

use std::collections::BTreeSet;

use icr_engine::{Neighbor, NeighborsRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::paths::relative;
use crate::reply::{Reply, word};
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct GraphNeighborsInput {
    path: String,
    #[serde(default = "depth")]
    #[schemars(range(min = 1, max = 16))]
    depth: u32,
    /// Files that change with it
    #[serde(default = "limit")]
    #[schemars(range(min = 0, max = 100))]
    limit: u32,
}

fn depth() -> u32 {
    1
}

fn limit() -> u32 {
    10
}

pub(crate) fn run(call: &CallContext<'_>, input: GraphNeighborsInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let path = relative(repository.root(), "path", &input.path)?;
    let request = NeighborsRequest { path, depth: input.depth, changed_together: input.limit as usize };
    let (found, provenance) = call.ask(&repository, |snapshot| icr_engine::neighbors(snapshot, &request))?;
    let near = |neighbors: &[Neighbor]| -> Vec<Value> { neighbors.iter().map(neighbor).collect() };
    // A file may name the same thing on many lines.
    let names = |imports: &[icr_engine::NeighborImport]| -> BTreeSet<String> {
        imports.iter().map(|import| import.specifier.clone()).collect()
    };
    let cochanges: Vec<Value> = found
        .cochanges
        .iter()
        .map(|file| json!({ "path": file.path, "count": file.count, "confidence": file.confidence }))
        .collect();
    let data = json!({
        "path": found.path,
        "importers": near(&found.importers),
        "imports": near(&found.imports),
        "external": names(&found.external),
        "unresolved": names(&found.unresolved),
        "commits": found.commits,
        "cochanges": cochanges,
    });
    Ok(Reply::of(&data)?.from(provenance.with_gaps(&found.gaps)))
}

/// Fields with their usual value are omitted.
fn neighbor(neighbor: &Neighbor) -> Value {
    let mut shown = json!({ "path": neighbor.path });
    let kind = word(&neighbor.kind);
    if kind != "import" {
        shown["kind"] = json!(kind);
    }
    if neighbor.depth == 1 {
        shown["line"] = json!(neighbor.line);
    } else {
        shown["depth"] = json!(neighbor.depth);
        shown["via"] = json!(neighbor.via);
    }
    for (name, is_so) in [("type_only", neighbor.type_only), ("test", neighbor.test)] {
        if is_so {
            shown[name] = json!(true);
        }
    }
    shown
}
