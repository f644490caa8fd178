//! lefthook: writes the hooks that its configuration names, and moves others that lie in their place out of the way. It leaves
//! hooks alone that it does not name.

use super::{HookIntegration, HookKeeper, has};

pub(super) const MANAGER: HookKeeper = HookKeeper {
    name: "lefthook",
    wrote: |text| has(text, "call_lefthook"),
    rules: |_, _| false,
    way: HookIntegration::Line {
        // The file that belongs to one clone; `lefthook.yml` is the project's.
        file: |_| "lefthook-local.yml".to_owned(),
        line: |event| {
            // git says on standard input what is pushed, and lefthook passes that on to those who ask for it.
            let input = if event == "pre-push" { ", use_stdin: true" } else { "" };
            format!("{event}: {{commands: {{icr: {{run: \"icr hook git {event} {{0}}\"{input}}}}}}}")
        },
    },
};
