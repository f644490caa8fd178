use serde_json::json;

use super::*;

/// Each event as a line: what it is, the path and lines, `*` for a manual call.
fn told(tool: &str, input: &Value) -> Vec<String> {
    let (at, session, repo_id, root) = (SystemTime::UNIX_EPOCH, "s", "r", "/r");
    let events = ObservedToolUse { at, session, repo_id, root, tool, input }.events();
    let line = |event: &TraceEvent| match event {
        TraceEvent::Opened(opened) => {
            let lines = opened.lines.map_or(String::new(), |lines| format!(":{}-{}", lines.start, lines.end));
            let manual = if opened.manual { "*" } else { "" };
            format!("opened{manual} {}{lines}", opened.path.as_deref().unwrap_or("-"))
        }
        TraceEvent::Changed(changed) => format!("changed {}", changed.path),
        TraceEvent::SeenCall(seen) => format!("seen {}", seen.tool.as_deref().unwrap_or("-")),
        TraceEvent::Call(_) => "call".to_owned(),
    };
    events.iter().map(line).collect()
}

#[track_caller]
fn check(tool: &str, input: Value, expected: &[&str]) {
    assert_eq!(told(tool, &input), expected, "{tool} {input}");
}

#[test]
fn tools_that_show_files_open_them() {
    check("Read", json!({"file_path": "/r/src/a.rs"}), &["opened* src/a.rs"]);
    check("Read", json!({"file_path": "/r/a.rs", "offset": 10, "limit": 5}), &["opened* a.rs:10-14"]);
    check("read_file", json!({"absolute_path": "/r/a.rs", "limit": 5}), &["opened* a.rs:1-5"]);
    check("view", json!("{\"path\":\"./a.rs\",\"start_line\":3}"), &["opened* a.rs:3-4294967295"]);
    check("Read", json!({}), &["opened* -"]);
    check("Bash", json!({"command": "cat /r/a.rs b.rs"}), &["opened* a.rs", "opened b.rs"]);
}

#[test]
fn tools_that_look_count_and_open_nothing() {
    check("Grep", json!({"pattern": "x", "path": "/r/src"}), &["opened* -"]);
    check("Glob", json!({"pattern": "*.rs"}), &["opened* -"]);
    check("Bash", json!({"command": "rg -n x src | head"}), &["opened* -"]);
}

#[test]
fn tools_that_change_files_say_which() {
    check("Edit", json!({"file_path": "/r/a.rs", "old_string": "a"}), &["changed a.rs"]);
    check("MultiEdit", json!({"file_path": "a.rs"}), &["changed a.rs"]);
    let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n*** Move to: b.rs\n*** Add File: c d.rs\n*** End Patch";
    check("apply_patch", json!({ "input": patch }), &["changed a.rs", "changed b.rs", "changed c d.rs"]);
    check(
        "shell",
        json!({ "command": format!("apply_patch <<'X'\n{patch}\nX") }),
        &["changed a.rs", "changed b.rs", "changed c d.rs"],
    );
}

#[test]
fn calls_of_icr_are_told_as_such() {
    check("mcp__plugin_icr_icr__project_search", json!({"path": "a.rs"}), &["seen project_search"]);
    check("mcp__icr__project_search", json!({}), &["seen project_search"]);
    check("mcp_icr_project_search", json!({}), &["seen project_search"]);
    check("Bash", json!({"command": "icr search foo"}), &["seen -"]);
}

#[test]
fn anything_else_is_nothing() {
    check("Bash", json!({"command": "cargo test | grep x"}), &[]);
    check("Bash", json!({"command": 7}), &[]);
    check("WebFetch", json!(null), &[]);
    check("mcp__other__read", json!({"path": "a.rs"}), &[]);
}

#[test]
fn paths_are_relative_to_the_clone() {
    for (root, path, expected) in [
        ("/r", "/r/a/b.rs", "a/b.rs"),
        ("/r/", "/r/a.rs", "a.rs"),
        ("/r", "/rest/a.rs", "/rest/a.rs"),
        ("/r", "././/a.rs", "a.rs"),
        ("", "/a.rs", "/a.rs"),
        ("C:\\r", "C:\\r\\a\\b.rs", "a/b.rs"),
        ("/r", "/r", "/r"),
    ] {
        assert_eq!(relative_path(root, path), expected, "{root} {path}");
    }
}
