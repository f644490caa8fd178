//! simple-git-hooks: writes the hooks that `package.json` names, and deletes all others.

use std::path::Path;

use super::{HookIntegration, HookProgram, has};

pub(super) const MANAGER: HookProgram = HookProgram {
    name: "simple-git-hooks",
    wrote: |text| has(text, "SKIP_SIMPLE_GIT_HOOKS"),
    rules: |_, directory| any_hook_has(directory, "SKIP_SIMPLE_GIT_HOOKS"),
    way: HookIntegration::Line {
        file: |_| "package.json".to_owned(),
        line: |event| format!("\"simple-git-hooks\": {{\"{event}\": \"icr hook git {event} \\\"$@\\\" || :\"}}"),
    },
};

/// Whether simple-git-hooks wrote one of the files in `directory`. Its files are small; only the start of a large file
/// is read.
fn any_hook_has(directory: &Path, words: &str) -> bool {
    const MOST_BYTES: u64 = 4096;
    let read = |path: &Path| {
        let mut text = Vec::new();
        let file = std::fs::File::open(path).ok()?;
        std::io::Read::read_to_end(&mut std::io::Read::take(file, MOST_BYTES), &mut text).ok()?;
        Some(text)
    };
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.filter_map(|entry| read(&entry.path())).any(|text| has(&text, words))
}
