//! `mix test`, for Elixir.

use super::project::relative;
use super::quote::argument;
use super::{Runner, TestTarget};

/// In an umbrella each application has a `mix.exs` of its own, and its tests run there.
pub(super) const ROW: Runner = Runner {
    endings: &[".exs"],
    markers: &["mix.exs"],
    others: &[],
    target: |project, path| {
        let found = project.nearest(path, &["mix.exs"])?;
        Some(TestTarget::new("mix test", found.directory, &["mix", "test"], argument(relative(found.directory, path))))
    },
};
