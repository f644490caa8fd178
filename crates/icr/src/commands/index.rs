//! `icr index`

use std::time::Duration;

use clap::Args;
use icr_engine::{At, Freshness, SyncOptions, Waiting};

use crate::arguments::Global;
use crate::context::{Context, refuse_read_only};
use crate::output::{Output, bytes_text, counted};
use crate::problem;

/// Whoever names a revision to index wants all of it; a day is longer than any repository takes.
const TO_THE_END: Freshness = Freshness { time_box: Duration::from_secs(24 * 3_600) };

/// Bring the index up to date with HEAD; only blobs never seen are read
#[derive(Debug, Args)]
pub(crate) struct Index {
    /// Delete what is derived first; what you asked icr to keep stays
    #[arg(long)]
    rebuild: bool,
    /// When another process is indexing, leave it a request and exit with 75
    #[arg(long)]
    no_wait: bool,
    /// Only say what is indexed
    #[arg(long, conflicts_with_all = ["rebuild", "no_wait"])]
    status: bool,
}

impl Index {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if self.status {
            return super::status::Status {}.run(global, output);
        }
        refuse_read_only(global, "icr index")?;
        let context = Context::open(global)?;
        let waiting = if self.no_wait { Waiting::Leave } else { Waiting::Wait };
        let options = SyncOptions { waiting, rebuild: self.rebuild, time_box: None };
        let report = context.engine.sync(&options, &context.bar())?;
        let snapshot = match &context.at {
            At::Revision(_) => context.engine.ask(&context.at, &TO_THE_END, &context.bar())?,
            At::Worktree | At::Head => context.engine.snapshot(&At::Head)?,
        };
        output.answer(&report, snapshot.provenance(), problem::OK, |output| {
            if global.quiet {
                return Ok(());
            }
            let root = context.engine.root().display();
            let files = counted(snapshot.files_total(), "file", "files");
            let chunks = counted(snapshot.chunks_total(), "chunk", "chunks");
            output.line(format_args!("indexed {root}: {files}, {chunks}, in {} ms", report.elapsed_ms))?;
            let store = icr_engine::repositories(&context.home).ok().into_iter().flatten();
            let bytes =
                store.filter(|entry| entry.repo_id == context.engine.repo_id()).map(|entry| entry.store_bytes).sum();
            output.line(format_args!(
                "read {}, parsed {}, {}, {}; the store has {}",
                counted(report.blobs_read, "blob", "blobs"),
                report.parsed,
                counted(report.chunks_new, "new chunk", "new chunks"),
                counted(report.commits_read, "commit", "commits"),
                bytes_text(bytes)
            ))
        })
    }
}
