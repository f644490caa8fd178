//! Exports a memoir as JSON.

use serde::Serialize;

use crate::memoir::{Concept, Memoir, MemoirGraph, NamedLink};

/// Version of the JSON format.
const VERSION: u32 = 1;

#[derive(Serialize, schemars::JsonSchema)]
struct MemoirExport<'a> {
    format: &'static str,
    version: u32,
    memoir: &'a Memoir,
    concepts: &'a [Concept],
    links: &'a [NamedLink],
}

pub(super) fn json(graph: &MemoirGraph) -> String {
    let export = MemoirExport {
        format: "icr-memoir",
        version: VERSION,
        memoir: &graph.memoir,
        concepts: &graph.concepts,
        links: &graph.links,
    };
    // Texts, numbers and lists can always be written as JSON.
    let mut json = serde_json::to_string_pretty(&export).unwrap_or_default();
    json.push('\n');
    json
}
