//! `project_outline`: the definitions of a file.

use icr_engine::{FileOutline, OutlineNode, OutlineRequest, Outlines};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::cursor::List;
use crate::paths::relative;
use crate::reply::Reply;
use crate::truncation::tokens_of;
use icr_serve::CallFailure;

/// Model tokens of an outline. In a larger one, readers look things up instead of reading it.
const ROOM_TOKENS: u32 = 4_000;

/// Model tokens reserved for the text around the files.
const FRAME_TOKENS: u32 = 800;

/// Files of a directory that are looked at for one answer.
const FILES_MOST: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ProjectOutlineInput {
    path: String,
    #[serde(default = "depth")]
    #[schemars(range(min = 1, max = 6))]
    depth: u32,
    cursor: Option<String>,
}

fn depth() -> u32 {
    2
}

pub(crate) fn run(call: &CallContext<'_>, input: ProjectOutlineInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let path = relative(repository.root(), "path", &input.path)?;
    let list = List::of("project_outline", &input.path);
    let offset = list.offset(input.cursor.as_deref())?;
    let request = OutlineRequest { path, depth: input.depth, offset, limit: FILES_MOST };
    let (found, provenance) = call.ask(&repository, |snapshot| icr_engine::outlines(snapshot, &request))?;
    let most = call.settings.limits.soft_tokens.saturating_sub(FRAME_TOKENS);
    // If the caller names a single file, all of its definitions are wanted.
    let room = if found.total_count == 1 { most } else { ROOM_TOKENS.min(most) };
    let mut fitted = fitted(&found, input.depth, room);
    let deeper = found.files.iter().map(|file| deeper_than(&file.symbols, input.depth)).sum::<usize>();
    if deeper > 0 && fitted.notice.is_none() {
        fitted.notice = Some(format!("{deeper} definitions stand deeper than `depth` {}", input.depth));
    }
    let shown = offset + fitted.files.len();
    let has_more = (shown as u64) < found.total_count;
    let data = json!({
        "files": fitted.files,
        "total_count": found.total_count,
        "has_more": has_more,
        "next_cursor": has_more.then(|| list.cursor(shown)).flatten(),
    });
    Ok(Reply::of(&data)?.from(provenance.with_gaps(&found.gaps)).cutting(fitted.notice))
}

/// Definitions below `depth` levels.
fn deeper_than(nodes: &[OutlineNode], depth: u32) -> usize {
    let below = |node: &OutlineNode| deeper_than(&node.children, depth.saturating_sub(1));
    let here = if depth == 0 { nodes.len() } else { 0 };
    here + nodes.iter().map(below).sum::<usize>()
}

struct FittedOutlines {
    files: Vec<Value>,
    /// What was left out.
    notice: Option<String>,
}

/// The most detailed outlines that fit. Tried in order: everything; without the signatures of members; without members;
/// only the first files.
fn fitted(found: &Outlines, depth: u32, room: u32) -> FittedOutlines {
    let ways = [
        (depth, depth, None),
        (depth, 1, Some("signatures of members do not fit; env_slice shows a member")),
        (depth, 0, Some("signatures do not fit; env_slice shows a definition")),
        (1, 1, Some("members do not fit; ask for one of the files, or for `Class.member` in project_symbol_search")),
    ];
    for (depth, signed, notice) in ways {
        let files: Vec<Value> = found.files.iter().map(|file| file_outline_json(file, depth, signed)).collect();
        if tokens_of(&json!(files)) <= room {
            return FittedOutlines { files, notice: notice.map(str::to_owned) };
        }
    }
    let mut spent = 0;
    let mut files = Vec::new();
    for file in &found.files {
        let file = file_outline_json(file, 1, 1);
        spent += tokens_of(&file);
        if spent > room && !files.is_empty() {
            break;
        }
        files.push(file);
    }
    let notice = match files.len() < found.files.len() {
        true => {
            format!("{} of {} files fit, without members; `next_cursor` has the rest", files.len(), found.total_count)
        }
        false => "members do not fit; project_symbol_search finds `Class.member`".to_owned(),
    };
    FittedOutlines { files, notice: Some(notice) }
}

/// A file with definitions to `depth`, those up to the level `signed` with their signatures.
fn file_outline_json(file: &FileOutline, depth: u32, signed: u32) -> Value {
    let mut drawn = json!({
        "path": file.path,
        "language": file.language,
        "lines": file.lines,
        "symbols": nodes(&file.symbols, depth, signed),
    });
    // Where members are left out, the definitions say enough.
    if !file.contracts.is_empty() && depth > 1 {
        drawn["contracts"] = json!(file.contracts);
    }
    drawn
}

fn nodes(of: &[OutlineNode], depth: u32, signed: u32) -> Vec<Value> {
    let node = |node: &OutlineNode| {
        let mut drawn = json!({
            "name": node.name,
            "type": node.kind,
            "line_start": node.line_start,
            "line_end": node.line_end,
        });
        if signed > 0 && !node.signature.is_empty() {
            drawn["signature"] = json!(node.signature);
        }
        if depth > 1 && !node.children.is_empty() {
            drawn["children"] = json!(nodes(&node.children, depth - 1, signed.saturating_sub(1)));
        }
        drawn
    };
    of.iter().map(node).collect()
}
