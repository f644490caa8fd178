//! lefthook: writes the hooks that its configuration names, and renames other hooks in their place. It leaves hooks
//! alone that its configuration does not name.

use super::{HookIntegration, HookProgram, has};

pub(super) const MANAGER: HookProgram = HookProgram {
    name: "lefthook",
    wrote: |text| has(text, "call_lefthook"),
    rules: |_, _| false,
    way: HookIntegration::Line {
        // `lefthook-local.yml` belongs to one clone; `lefthook.yml` belongs to the project.
        file: |_| "lefthook-local.yml".to_owned(),
        line: |event| {
            // git passes the pushed refs on standard input; lefthook passes them on if `use_stdin` is set.
            let input = if event == "pre-push" { ", use_stdin: true" } else { "" };
            format!("{event}: {{commands: {{icr: {{run: \"icr hook git {event} {{0}}\"{input}}}}}}}")
        },
    },
};
