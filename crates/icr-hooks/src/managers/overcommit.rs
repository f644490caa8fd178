//! overcommit: one program in the place of all hooks, which looks at its own name to know the event, so that it cannot be moved aside.

use super::{HookIntegration, HookKeeper, camel_case, has};

pub(super) const MANAGER: HookKeeper = HookKeeper {
    name: "overcommit",
    wrote: |text| has(text, "OVERCOMMIT_DISABLE"),
    rules: |_, _| false,
    way: HookIntegration::Line {
        file: |_| ".overcommit.yml".to_owned(),
        line: |event| format!("{}: {{Icr: {{enabled: true, command: [icr, hook, git, {event}]}}}}", camel_case(event)),
    },
};
