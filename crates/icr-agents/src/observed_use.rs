//! Turns tool uses that agents' hooks report into trace events.

use std::time::SystemTime;

use icr_traces::{AccessedLines, FileAccess, FileEdit, SeenCall, TraceEvent};
use serde_json::Value;

use crate::shell_command::{CommandUse, command_use};
use crate::tool_names::{CHANGING, PATCH_MARKS, PATH_FIELDS, READING, SEARCHING, is_icr, parsed_input};

/// Most files that are taken from one tool use.
const FILES_MOST: usize = 50;

/// An agent's use of one of its own tools, as its hook reports it afterwards (`PostToolUse`).
#[derive(Debug, Clone, Copy)]
pub struct ObservedToolUse<'a> {
    /// Time of the hook call.
    pub at: SystemTime,
    /// The agent's session.
    pub session: &'a str,
    /// Id of the repository.
    pub repo_id: &'a str,
    /// BaseDirectory of the clone; paths below it are made relative to it.
    pub root: &'a str,
    /// Name of the tool, as the host says it.
    pub tool: &'a str,
    /// Input of the tool.
    pub input: &'a Value,
}

impl ObservedToolUse<'_> {
    /// Events to record for this use; none for a tool that neither looks at files nor changes them. A use that looks
    /// counts as one manual call, however many files it opened. That includes `Read`, `Grep` and `Glob`, their
    /// equivalents in other hosts, and shell commands that begin with `grep`, `rg`, `find`, `cat`, `head`, `sed -n` and
    /// the like.
    pub fn events(&self) -> Vec<TraceEvent> {
        let name = self.tool.to_lowercase();
        if let Some(tool) = icr_tool(&name) {
            return vec![self.seen_call(Some(tool))];
        }
        let input = &parsed_input(self.input);
        let text = |field: &str| input.get(field).and_then(Value::as_str);
        let paths: Vec<&str> = PATH_FIELDS.iter().filter_map(|field| text(field)).take(1).collect();
        let command = text("command").or_else(|| text("cmd")).or_else(|| input.as_str());
        let patch = command.or_else(|| text("input")).or_else(|| text("patch"));
        let patched: Vec<&str> = patch.map(files_of_patch).unwrap_or_default();
        match name.as_str() {
            _ if !patched.is_empty() => self.changes(&patched),
            name if CHANGING.contains(&name) => self.changes(&paths),
            name if READING.contains(&name) => {
                self.looks(paths.into_iter().map(|path| (path.to_owned(), lines(input))).collect())
            }
            name if SEARCHING.contains(&name) => self.looks(Vec::new()),
            _ => match command.map_or(CommandUse::Other, command_use) {
                CommandUse::Icr => vec![self.seen_call(None)],
                CommandUse::Look(files) => self.looks(files),
                CommandUse::Other => Vec::new(),
            },
        }
    }

    fn seen_call(&self, tool: Option<&str>) -> TraceEvent {
        let (session, repo_id) = (self.session.to_owned(), self.repo_id.to_owned());
        SeenCall { at: self.at, session, repo_id, tool: tool.map(str::to_owned) }.into()
    }

    fn changes(&self, paths: &[&str]) -> Vec<TraceEvent> {
        let changed = |path: &&str| FileEdit::new(self.at, self.session, self.repo_id, relative_path(self.root, path));
        paths.iter().take(FILES_MOST).map(|path| changed(path).into()).collect()
    }

    fn looks(&self, files: Vec<(String, Option<AccessedLines>)>) -> Vec<TraceEvent> {
        let look = |path: Option<String>, lines, manual| FileAccess {
            at: self.at,
            session: self.session.to_owned(),
            repo_id: self.repo_id.to_owned(),
            path,
            lines,
            by: self.tool.to_owned(),
            manual,
        };
        if files.is_empty() {
            return vec![look(None, None, true).into()];
        }
        let opened = files
            .into_iter()
            .take(FILES_MOST)
            .enumerate()
            .map(|(at, (path, lines))| look(Some(relative_path(self.root, &path)), lines, at == 0));
        opened.map(TraceEvent::from).collect()
    }
}

/// `path` relative to `root`, with forward slashes, if it is below `root`; else unchanged.
fn relative_path(root: &str, path: &str) -> String {
    let (root, path) = (root.replace('\\', "/"), path.replace('\\', "/"));
    let root = root.trim_end_matches('/');
    let below = path.strip_prefix(root).filter(|_| !root.is_empty()).and_then(|rest| rest.strip_prefix('/'));
    let mut relative = below.unwrap_or(&path);
    while let Some(rest) = relative.strip_prefix("./") {
        relative = rest.trim_start_matches('/');
    }
    relative.to_owned()
}

/// Name of an icr tool in a host's tool name, such as `mcp__icr__project_search` or
/// `mcp__plugin_icr_icr__project_search`.
fn icr_tool(name: &str) -> Option<&str> {
    if !is_icr(name) {
        return None;
    }
    name.rsplit_once("__").or_else(|| name.split_once("_icr_")).map(|(_, tool)| tool)
}

/// The lines that a tool was asked for: `offset` and `limit` as Claude Code has them, or `start_line` and `end_line`.
fn lines(input: &Value) -> Option<AccessedLines> {
    let number = |names: &[&str]| {
        let number = names.iter().find_map(|name| input.get(*name)?.as_u64())?;
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    };
    let start = number(&["offset", "start_line", "startLine", "start_line_one_indexed"]);
    let end = number(&["end_line", "endLine", "end_line_one_indexed_inclusive"]);
    let limit = number(&["limit"]);
    if start.is_none() && end.is_none() && limit.is_none() {
        return None;
    }
    let start = start.unwrap_or(1).max(1);
    let of_limit = limit.map(|limit| start.saturating_add(limit.saturating_sub(1)));
    Some(AccessedLines { start, end: end.or(of_limit).unwrap_or(u32::MAX).max(start) })
}

fn files_of_patch(patch: &str) -> Vec<&str> {
    if !patch.contains("*** Begin Patch") {
        return Vec::new();
    }
    let named = |line| PATCH_MARKS.iter().find_map(|mark| str::strip_prefix(line, mark));
    patch.lines().filter_map(named).map(str::trim).filter(|path| !path.is_empty()).collect()
}

#[cfg(test)]
mod tests;
