//! Names of hosts' tools, and the format of their input.

use std::borrow::Cow;

use serde_json::Value;

/// Names of tools that change files, as hosts have them, in lower case.
pub(crate) const CHANGING: [&str; 13] = [
    // tidy: sorted
    "apply_patch",
    "applypatch",
    "create",
    "create_file",
    "edit",
    "edit_file",
    "multiedit",
    "notebookedit",
    "replace",
    "search_replace",
    "str_replace",
    "write",
    "write_file",
    // tidy: end
];

/// Names of tools that show files, in lower case.
pub(crate) const READING: [&str; 4] = [
    // tidy: sorted
    "read",
    "read_file",
    "read_many_files",
    "view",
    // tidy: end
];

/// Names of tools that look for files or text, in lower case.
pub(crate) const SEARCHING: [&str; 11] = [
    // tidy: sorted
    "codebase_search",
    "file_search",
    "glob",
    "grep",
    "grep_search",
    "list_dir",
    "list_directory",
    "ls",
    "ripgrep",
    "search",
    "search_file_content",
    // tidy: end
];

/// Names of input fields that contain a path.
pub(crate) const PATH_FIELDS: [&str; 6] =
    ["file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file"];

/// Line starts in a patch in Codex's format that name a changed file.
pub(crate) const PATCH_MARKS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// Whether a tool, by its name in lower case, is one of icr's: `mcp__icr__env_search`,
/// `mcp__plugin_icr_icr__env_search`.
pub(crate) fn is_icr(name: &str) -> bool {
    name.starts_with("mcp_") && (name.contains("_icr_") || name.contains("icr__"))
}

/// The input of a tool. Copilot passes it as JSON inside a string.
pub(crate) fn parsed_input(input: &Value) -> Cow<'_, Value> {
    let parsed = input.as_str().and_then(|text| serde_json::from_str(text).ok());
    parsed.map_or(Cow::Borrowed(input), Cow::Owned)
}
