//! `icr gc`

use clap::Args;
use serde_json::to_value;

use crate::arguments::Global;
use crate::context::{Context, refuse_read_only};
use crate::output::{Output, bytes_text};
use crate::problem;

/// Remove blobs from the store that no ref, worktree, stash or reflog entry of any clone reaches
#[derive(Debug, Args)]
pub(crate) struct Gc {}

impl Gc {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        refuse_read_only(global, "icr gc")?;
        let context = Context::open(global)?;
        let report = context.engine.collect_garbage(context.keep_unused, &context.bar())?;
        if output.is_json() {
            output.json(&to_value(report)?)?;
        } else if !global.quiet {
            let (forgotten, total) = (report.blobs_forgotten, report.blobs_total);
            let (before, after) = (bytes_text(report.bytes_before), bytes_text(report.bytes_after));
            output
                .line(format_args!("forgot {forgotten} of {total} blobs; the store went from {before} to {after}"))?;
        }
        Ok(problem::OK)
    }
}
