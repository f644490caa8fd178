//! overcommit: installs one program for all hooks. The program takes the event from its own file name, so it cannot be
//! renamed.

use super::{HookIntegration, HookProgram, camel_case, has};

pub(super) const MANAGER: HookProgram = HookProgram {
    name: "overcommit",
    wrote: |text| has(text, "OVERCOMMIT_DISABLE"),
    rules: |_, _| false,
    way: HookIntegration::Line {
        file: |_| ".overcommit.yml".to_owned(),
        line: |event| format!("{}: {{Icr: {{enabled: true, command: [icr, hook, git, {event}]}}}}", camel_case(event)),
    },
};
