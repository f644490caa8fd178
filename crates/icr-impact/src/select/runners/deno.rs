//! `deno test`.

use super::project::relative;
use super::quote::argument;
use super::{Runner, TestTarget};

/// Nearer than a `package.json`, its configuration says that Deno runs the tests.
pub(super) const ROW: Runner = Runner {
    endings: &[".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"],
    markers: &["deno.json", "deno.jsonc"],
    others: &[],
    target: |project, path| {
        let found = project.nearest(path, &["deno.json", "deno.jsonc"])?;
        Some(TestTarget::new(
            "deno test",
            found.directory,
            &["deno", "test"],
            argument(relative(found.directory, path)),
        ))
    },
};
