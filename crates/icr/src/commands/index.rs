//! `icr index`

use clap::Args;
use icr_engine::{SyncOptions, Waiting};

use crate::arguments::Global;
use crate::context::Context;
use crate::output::{Output, bytes_text};
use crate::problem;

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
        let context = Context::open(global)?;
        let waiting = if self.no_wait { Waiting::Leave } else { Waiting::Wait };
        let options = SyncOptions { waiting, rebuild: self.rebuild, time_box: None };
        let report = context.engine.sync(&options, &context.bar())?;
        let snapshot = context.engine.snapshot(&context.at)?;
        output.answer(&report, snapshot.provenance(), problem::OK, |output| {
            if global.quiet {
                return Ok(());
            }
            let root = context.engine.root().display();
            let (files, chunks) = (snapshot.files_total(), snapshot.chunks_total());
            output.line(format_args!("indexed {root}: {files} files, {chunks} chunks, in {} ms", report.elapsed_ms))?;
            let store = icr_engine::repositories(&context.home).ok().into_iter().flatten();
            let bytes =
                store.filter(|entry| entry.repo_id == context.engine.repo_id()).map(|entry| entry.store_bytes).sum();
            output.line(format_args!(
                "read {} blobs, parsed {}, {} new chunks, {} commits; the store has {}",
                report.blobs_read,
                report.parsed,
                report.chunks_new,
                report.commits_read,
                bytes_text(bytes)
            ))
        })
    }
}
