//! `icr unpin`

use clap::Args;
use icr_engine::Error;
use serde_json::to_value;

use super::pin::now;
use crate::arguments::Global;
use crate::context::{Context, refuse_read_only};
use crate::output::Output;
use crate::problem;

/// Remove a pin
#[derive(Debug, Args)]
pub(crate) struct Unpin {
    /// Id of the pin; the path if it was pinned without an id
    id: String,
}

impl Unpin {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        refuse_read_only(global, "icr unpin")?;
        let context = Context::open(global)?;
        let mut unpinned = context.engine.pins().remove(&self.id, now())?;
        // A pin without an id is known by its path from the root, and the path may be typed from here.
        let path = context.path_of(&self.id);
        if !unpinned.unpinned && path != self.id {
            let of_path = context.engine.pins().remove(&path, now())?;
            unpinned = if of_path.unpinned { of_path } else { unpinned };
        }
        if !unpinned.unpinned {
            return Err(Error::NoSuchPin { source_id: unpinned.source_id, similar: unpinned.similar }.into());
        }
        if output.is_json() {
            output.json(&to_value(&unpinned)?)?;
        } else if !global.quiet {
            output.line(format_args!("unpinned {}", unpinned.source_id))?;
        }
        Ok(problem::OK)
    }
}
