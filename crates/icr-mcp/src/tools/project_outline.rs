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

/// The most detailed outlines that fit. These are tried in order: everything; without the signatures of members;
/// without any signatures; then for a single file as many definitions as fit, and for several files no members; last,
/// only the first files.
fn fitted(found: &Outlines, depth: u32, room: u32) -> FittedOutlines {
    let mut ways = vec![
        (depth, depth, None),
        (depth, 1, Some("signatures of members do not fit; env_slice shows a member")),
        (depth, 0, Some("signatures do not fit; env_slice shows a definition")),
    ];
    if found.files.len() > 1 {
        let notice = "members do not fit; ask for one of the files, or for `Class.member` in project_symbol_search";
        ways.push((1, 1, Some(notice)));
    }
    for (depth, signed, notice) in ways {
        let files: Vec<Value> = found.files.iter().map(|file| file_outline_json(file, depth, signed)).collect();
        if tokens_of(&json!(files)) <= room {
            return FittedOutlines { files, notice: notice.map(str::to_owned) };
        }
    }
    if let [file] = &found.files[..] {
        return filled(file, depth, room);
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

/// As many definitions of a file as fit, without signatures: of each definition first all members, then theirs.
fn filled(file: &FileOutline, depth: u32, room: u32) -> FittedOutlines {
    let mut drawn = file_outline_json(&FileOutline { symbols: Vec::new(), ..file.clone() }, 1, 0);
    let (mut left, mut left_out) = (room.saturating_sub(tokens_of(&drawn)), 0);
    drawn["symbols"] = json!(nodes_within(&file.symbols, depth, &mut left, &mut left_out));
    let notice = match left_out {
        0 => "signatures do not fit; env_slice shows a definition".to_owned(),
        more => format!("{more} definitions do not fit; project_symbol_search finds `Class.member`"),
    };
    FittedOutlines { files: vec![drawn], notice: Some(notice) }
}

/// The first of the definitions `of` whose tokens fit into what is `left`, with members to `depth`. Adds the number of
/// those that do not fit to `left_out`.
fn nodes_within(of: &[OutlineNode], depth: u32, left: &mut u32, left_out: &mut usize) -> Vec<Value> {
    let mut drawn = Vec::new();
    for node in nodes(of, 1, 0) {
        let tokens = tokens_of(&node) + 1;
        if tokens > *left {
            break;
        }
        *left -= tokens;
        drawn.push(node);
    }
    *left_out += of[drawn.len()..].iter().map(|node| 1 + deeper_than(&node.children, 0)).sum::<usize>();
    if depth > 1 {
        for (node, drawn) in of.iter().zip(&mut drawn).filter(|(node, _)| !node.children.is_empty()) {
            let members = nodes_within(&node.children, depth - 1, left, left_out);
            if !members.is_empty() {
                drawn["children"] = json!(members);
            }
        }
    }
    drawn
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

#[cfg(test)]
mod tests {
    use icr_engine::SymbolKind;

    use super::*;

    fn node(name: String, children: Vec<OutlineNode>) -> OutlineNode {
        OutlineNode { name, kind: SymbolKind::Class, line_start: 1, line_end: 2, signature: String::new(), children }
    }

    #[test]
    fn what_fits_of_a_large_file_is_shown_and_the_rest_is_counted() {
        let class = |name: &str| {
            let members = (0..300).map(|number| node(format!("{name}_member_{number}"), Vec::new()));
            node(name.to_owned(), members.collect())
        };
        let nodes = [class("first"), class("second"), node("third".to_owned(), Vec::new())];
        let (mut left, mut left_out) = (2_000, 0);
        let drawn = nodes_within(&nodes, 2, &mut left, &mut left_out);
        assert_eq!(drawn.len(), 3, "all of one level come before what is inside of them");
        let shown = drawn[0]["children"].as_array().unwrap().len();
        assert!(shown > 40, "{shown}");
        assert_eq!(shown + left_out, 600);
        assert!(drawn[1]["children"].is_null());
        assert!(tokens_of(&json!(drawn)) <= 2_000 && left < 60, "{left}");
        assert_eq!(nodes_within(&nodes, 1, &mut 2_000, &mut 0).len(), 3);
    }
}
