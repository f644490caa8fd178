//! `icr sync`

use std::path::PathBuf;

use clap::Args;

use super::index::Index;
use crate::arguments::Global;
use crate::context::refuse_read_only;
use crate::output::Output;
use crate::problem::Usage;

/// Bring the index up to date with HEAD: same as `icr index`, under the name that agents use for `/ic`
#[derive(Debug, Args)]
pub(crate) struct Sync {
    /// Delete derived data first, as with `icr index --rebuild`
    #[arg(long)]
    full: bool,
    /// Repository, or a directory in it, as with `--repo`
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

impl Sync {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        refuse_read_only(global, "icr sync")?;
        if self.path.is_some() && global.repo.is_some() {
            let message = "`--path` and `--repo` both name the repository".to_owned();
            return Err(Usage { message, hint: Some("leave out one of them".to_owned()) }.into());
        }
        let repo = self.path.as_ref().or(global.repo.as_ref()).cloned();
        Index::new(self.full).run(&Global { repo, ..global.clone() }, output)
    }
}
