//! Busted, for Lua.

use super::quote::argument;
use super::{Runner, TestTarget};

/// `.busted` where a project configures it; its specs end in `_spec.lua` unless configured otherwise.
pub(super) const ROW: Runner = Runner {
    endings: &[".lua"],
    markers: &[".busted", "*.rockspec"],
    others: &[],
    target: |project, path| {
        let found = project.nearest(path, &[".busted", "*.rockspec"])?;
        let is_spec = path.ends_with("_spec.lua") || found.name == ".busted" || found.text.contains("busted");
        is_spec.then(|| {
            TestTarget::new(
                "busted",
                found.directory,
                &["busted"],
                argument(super::project::relative(found.directory, path)),
            )
        })
    },
};
