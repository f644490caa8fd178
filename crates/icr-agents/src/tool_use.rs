//! What an agent's tool call does: its purpose, by the tool's name, and the paths that it touches.

use icr_tokens::model_tokens;
use serde_json::Value;

use crate::payload::{ToolCall, beginning};
use crate::session::{ToolPurpose, ToolUse};
use crate::shell_command::{CommandUse, command_use};
use crate::tool_names::{CHANGING, PATCH_MARKS, PATH_FIELDS, READING, SEARCHING, is_icr, parsed_input};

/// Further tools that search, but not in files of the worktree; in lower case.
const LOOKING_ELSEWHERE: [&str; 2] = ["task", "webfetch"];

/// Most paths that are kept of one call.
const PATHS_MOST: usize = 20;

/// Bytes of an answer whose tokens are counted; the rest is estimated.
const COUNTED_BYTES: usize = 32 << 10;

/// Longest path or name that is kept, in bytes; a longer text is not a file or definition.
const NAME_BYTES_MOST: usize = 1_000;

/// Name, purpose and paths of `call`.
pub fn tool_use(call: &ToolCall) -> ToolUse {
    let name = call.name.to_lowercase();
    let input = parsed_input(&call.input);
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let mut paths: Vec<String> = PATH_FIELDS.iter().filter_map(|field| text(field)).map(str::to_owned).collect();
    let command = text("command").or_else(|| text("cmd")).or_else(|| input.as_str());
    if let Some(patch) = command.or_else(|| text("input")).or_else(|| text("patch")) {
        paths.extend(patched(patch));
    }
    paths.retain(|path| path.len() <= NAME_BYTES_MOST);
    paths.truncate(PATHS_MOST);
    let symbol = text("symbol").filter(|symbol| symbol.len() <= NAME_BYTES_MOST);
    let command_use = command.map_or(CommandUse::Other, command_use);
    let is_patch = command.is_some_and(|command| command.contains("*** Begin Patch"));
    let purpose = match () {
        () if is_icr(&name) || command_use == CommandUse::Icr => ToolPurpose::AskIcr,
        () if CHANGING.contains(&name.as_str()) || is_patch => ToolPurpose::Change,
        () if explores(&name) || matches!(command_use, CommandUse::Look(_)) => ToolPurpose::Explore,
        () => ToolPurpose::Other,
    };
    ToolUse {
        tool: call.name.chars().take(200).collect(),
        purpose,
        paths,
        symbols: symbol.map(str::to_owned).into_iter().collect(),
        tokens: tokens_of(&call.output),
    }
}

/// Model tokens of an answer. Tokens after the counted beginning are estimated by proportion, because the host's model
/// waits for the hook.
fn tokens_of(output: &str) -> u32 {
    let counted = beginning(output, COUNTED_BYTES);
    let tokens = u64::from(model_tokens(counted.as_bytes()));
    let all = tokens * output.len() as u64 / counted.len().max(1) as u64;
    u32::try_from(all).unwrap_or(u32::MAX)
}

/// Whether a tool finds or reads something.
fn explores(name: &str) -> bool {
    [&READING[..], &SEARCHING, &LOOKING_ELSEWHERE].iter().any(|names| names.contains(&name))
}

/// Files that a patch names.
fn patched(patch: &str) -> impl Iterator<Item = String> + '_ {
    let named = move |line: &str| {
        PATCH_MARKS.iter().find_map(|head| line.strip_prefix(head)).map(|path| path.trim().to_owned())
    };
    patch.lines().filter_map(named)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(name: &str, input: Value, purpose: ToolPurpose, paths: &[&str]) {
        let used = tool_use(&ToolCall { name: name.to_owned(), input, output: "four words of text".to_owned() });
        assert_eq!(
            (used.purpose, used.paths.iter().map(String::as_str).collect::<Vec<_>>()),
            (purpose, paths.to_vec()),
            "{name}"
        );
        assert!(used.tokens > 0);
    }

    #[test]
    fn tools_of_each_host_are_told_apart() {
        check("Read", json!({"file_path": "/r/a.rs"}), ToolPurpose::Explore, &["/r/a.rs"]);
        check("read_file", json!({"absolute_path": "/r/a.rs"}), ToolPurpose::Explore, &["/r/a.rs"]);
        check("MultiEdit", json!({"file_path": "a.rs"}), ToolPurpose::Change, &["a.rs"]);
        check(
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Update File: a.rs\n@@"}),
            ToolPurpose::Change,
            &["a.rs"],
        );
        check("Bash", json!({"command": "rg -n foo src"}), ToolPurpose::Explore, &[]);
        check("Bash", json!({"command": "cd src && tail -20 a.rs"}), ToolPurpose::Explore, &[]);
        check("Bash", json!({"command": "cat > a.rs <<'E'\nE"}), ToolPurpose::Other, &[]);
        check("Bash", json!({"command": "/usr/bin/icr search foo"}), ToolPurpose::AskIcr, &[]);
        check("Bash", json!({"command": "cargo test"}), ToolPurpose::Other, &[]);
        check("mcp__plugin_icr_icr__env_slice", json!({"path": "a.rs", "symbol": "f"}), ToolPurpose::AskIcr, &["a.rs"]);
        check("mcp__icr__env_search", json!({}), ToolPurpose::AskIcr, &[]);
        check("view", json!("{\"path\":\"a.rs\"}"), ToolPurpose::Explore, &["a.rs"]);
        check("anything", json!(null), ToolPurpose::Other, &[]);
    }
}
