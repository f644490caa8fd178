//! `project_map`: the tree, with sizes and languages.

use icr_engine::{MapNode, MapRequest, MapSummary, Snapshot};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::reply::Reply;
use crate::truncation::tokens_of;
use icr_serve::CallFailure;

/// Model tokens of a tree. In a larger one, readers look things up instead of reading it.
const ROOM_TOKENS: u32 = 4_000;

/// Model tokens kept for the summary and what stands around it.
const FRAME_TOKENS: u32 = 1_000;

/// Model tokens that a file or directory takes at least: a name, a type, and the signs around them.
const NODE_TOKENS: u32 = 3;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ProjectMapInput {
    #[serde(default = "depth")]
    #[schemars(range(min = 1, max = 10))]
    depth: u32,
    /// Globs
    #[serde(default)]
    #[schemars(length(max = 50))]
    include_patterns: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = 50))]
    exclude_patterns: Vec<String>,
    #[serde(default)]
    include_stats: bool,
}

fn depth() -> u32 {
    3
}

pub(crate) fn run(call: &CallContext<'_>, input: ProjectMapInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let room = ROOM_TOKENS.min(call.settings.limits.soft_tokens.saturating_sub(FRAME_TOKENS));
    let ((tree, depth, summary), provenance) =
        call.ask(&repository, |snapshot| fitting(snapshot, &input, &repository.name(), room))?;
    let cut = (depth < input.depth).then(|| {
        format!("depth {} does not fit into an answer, {depth} is shown; `include_patterns` shows a part", input.depth)
    });
    Ok(Reply::of(&json!({ "tree": tree, "summary": summary }))?.from(provenance).cutting(cut))
}

/// The tree to the depth that was asked for, or to the deepest that fits.
fn fitting(
    snapshot: &Snapshot,
    input: &ProjectMapInput,
    name: &str,
    room: u32,
) -> Result<(Value, u32, MapSummary), icr_engine::Error> {
    let mut depth = input.depth;
    loop {
        let request = MapRequest {
            depth: depth as usize,
            path_prefix: None,
            include: input.include_patterns.clone(),
            exclude: input.exclude_patterns.clone(),
        };
        let (mut tree, summary) = icr_engine::map(snapshot, &request)?;
        // Drawing is most of the work, so levels that cannot fit are not drawn. A tree with few enough nodes may still
        // be too long.
        let fits = deepest(&tree, room / NODE_TOKENS).max(1);
        if fits < depth {
            depth = fits;
            continue;
        }
        name.clone_into(&mut tree.name);
        let value = map_node_json(&tree, input.include_stats);
        if depth == 1 || tokens_of(&value) <= room {
            return Ok((value, depth, summary));
        }
        depth -= 1;
    }
}

/// Number of levels below the root that together have at most `most` nodes.
fn deepest(root: &MapNode, most: u32) -> u32 {
    let (mut level, mut nodes, mut depth) = (vec![root], 1, 0);
    loop {
        level = level.into_iter().flat_map(|node| &node.children).collect();
        nodes += level.len();
        if level.is_empty() {
            return u32::MAX;
        }
        if nodes > most as usize {
            return depth;
        }
        depth += 1;
    }
}

fn map_node_json(node: &MapNode, with_stats: bool) -> Value {
    let mut drawn = json!({ "name": node.name, "type": node.kind });
    if with_stats {
        drawn["stats"] = json!({ "size_bytes": node.size_bytes, "lines": node.lines, "language": node.language });
    }
    if node.kind == "directory" {
        if node.children.is_empty() {
            // Below the requested depth.
            drawn["files_total"] = json!(node.files);
            return drawn;
        }
        // Files without details are a list of names.
        let is_node = |child: &&MapNode| with_stats || child.kind == "directory";
        let nodes: Vec<Value> =
            node.children.iter().filter(is_node).map(|child| self::map_node_json(child, with_stats)).collect();
        let names: Vec<&str> =
            node.children.iter().filter(|child| !is_node(child)).map(|child| child.name.as_str()).collect();
        drawn["children"] = json!(nodes);
        if !names.is_empty() {
            drawn["files"] = json!(names);
        }
    }
    drawn
}
