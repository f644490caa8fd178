//! `zig build test`.

use super::{Runner, TestTarget};

/// The test step of a build script tells what it runs; a single file lacks the modules that the script gives it.
pub(super) const ROW: Runner = Runner {
    endings: &[".zig"],
    markers: &["build.zig"],
    others: &[],
    target: |project, path| {
        let found = project.nearest(path, &["build.zig"])?;
        let has_step = found.text.contains("step(\"test\"");
        has_step.then(|| TestTarget::for_whole_project("zig build test", found.directory, &["zig", "build", "test"]))
    },
};
