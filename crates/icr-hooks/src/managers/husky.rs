//! husky: `core.hooksPath` is `.husky/_`, which husky rewrites each time packages are installed. Each hook there runs
//! the file of the same name in `.husky`, which is part of the project.

use super::{HookIntegration, HookProgram};

pub(super) const MANAGER: HookProgram = HookProgram {
    name: "husky",
    wrote: |_| false,
    rules: |_, directory| {
        let is_called = |path: Option<&std::path::Path>, name: &str| {
            path.and_then(|path| path.file_name()).is_some_and(|found| found == name)
        };
        let in_husky = is_called(Some(directory), "_") && is_called(directory.parent(), ".husky");
        // Before version 9 the configured directory was `.husky` itself.
        in_husky || (is_called(Some(directory), ".husky") && directory.join("_/husky.sh").is_file())
    },
    way: HookIntegration::Line {
        file: |event| format!(".husky/{event}"),
        line: |event| format!("icr hook git {event} \"$@\" || :"),
    },
};
