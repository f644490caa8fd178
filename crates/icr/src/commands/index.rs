//! `icr index`

use std::time::{Duration, Instant};

use clap::Args;
use icr_engine::{BusyStorePolicy, FillOutcome, FillReport, Freshness, Gap, SyncOptions, SyncReport, ViewSelector};
use serde::Serialize;

use crate::arguments::Global;
use crate::context::{Context, refuse_read_only};
use crate::output::{Output, bytes_text, count_text};
use crate::problem;

/// Time limit when a revision is named: the user wants all of it indexed. A day is longer than any repository takes.
const TO_THE_END: Freshness = Freshness { time_box: Duration::from_secs(24 * 3_600) };

/// Value of `--fill` that lets the model embed everything.
const ALL: &str = "all";

/// Bring the index up to date with HEAD; only blobs never seen are read
#[derive(Debug, Default, Args)]
pub(crate) struct Index {
    /// Delete derived data first; what you asked icr to keep stays
    #[arg(long, visible_alias = "force")]
    rebuild: bool,
    /// When another process is indexing, leave it a request and exit with 75
    #[arg(long)]
    no_wait: bool,
    /// Time limit for embedding with the additional model: `30s`, `10m`, or `all` [default: `embedding.fill_budget`]
    #[arg(long, value_name = "DURATION", conflicts_with = "no_fill")]
    fill: Option<String>,
    /// Embed with the built-in model only
    #[arg(long)]
    no_fill: bool,
    /// Only show what is indexed
    #[arg(long, conflicts_with_all = ["rebuild", "no_wait", "fill", "no_fill"])]
    status: bool,
}

/// Result of indexing.
#[derive(Debug, Serialize)]
struct IndexReport {
    #[serde(flatten)]
    sync: SyncReport,
    /// Result of embedding with the additional model; `None` if it was not to run.
    fill: Option<FillOutcome>,
    /// Vectors that were added to vector trees.
    vectors_in_trees: u64,
}

impl Index {
    /// The command with default options; with `rebuild`, it indexes from nothing.
    pub(crate) fn new(rebuild: bool) -> Self {
        Self { rebuild, ..Self::default() }
    }

    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if self.status {
            return super::status::StatusCommand {}.run(global, output);
        }
        refuse_read_only(global, "icr index")?;
        let began = Instant::now();
        let global = &self.with_budget(global);
        let context = Context::open(global)?;
        let waiting = if self.no_wait { BusyStorePolicy::Leave } else { BusyStorePolicy::Wait };
        let options = SyncOptions { waiting, rebuild: self.rebuild, time_box: None };
        let sync = context.engine.sync_at(&context.at, &options, &context.bar())?;
        let budget = (self.fill.as_deref() != Some(ALL)).then_some(context.fill_budget);
        // The additional model embeds only the content of the worktree.
        let is_to_fill = !self.no_fill && !matches!(context.at, ViewSelector::Revision(_));
        let fill = is_to_fill.then(|| context.engine.fill(budget, &context.bar())).transpose()?;
        let report = IndexReport { sync, fill, vectors_in_trees: context.engine.index_vectors()? };
        let snapshot = match &context.at {
            ViewSelector::Revision(_) => context.engine.ask(&context.at, &TO_THE_END, &context.bar())?,
            ViewSelector::Worktree | ViewSelector::Head => context.engine.snapshot(&ViewSelector::Head)?,
        };
        let gaps: Vec<Gap> = report.fill.iter().filter_map(|fill| fill.gap.clone()).collect();
        output.answer(&report, &context.provenance_of(&snapshot)?.with_gaps(&gaps), problem::OK, |output| {
            if global.quiet {
                return Ok(());
            }
            let root = context.engine.root().display();
            let files = count_text(snapshot.files_total(), "file", "files");
            let chunks = count_text(snapshot.chunks_total(), "chunk", "chunks");
            output.line(format_args!("indexed {root}: {files}, {chunks}, in {} ms", began.elapsed().as_millis()))?;
            let store = icr_engine::repositories(&context.home).ok().into_iter().flatten();
            let bytes =
                store.filter(|entry| entry.repo_id == context.engine.repo_id()).map(|entry| entry.store_bytes).sum();
            output.line(format_args!(
                "read {}, parsed {}, {}, {}; the store has {}",
                count_text(sync.blobs_read, "blob", "blobs"),
                sync.parsed,
                count_text(sync.chunks_new, "new chunk", "new chunks"),
                count_text(sync.commits_read, "commit", "commits"),
                bytes_text(bytes)
            ))?;
            match report.fill.as_ref().and_then(fill_line) {
                Some(line) => output.line(line),
                None => Ok(()),
            }
        })
    }

    /// The options with `--fill` as the configured fill budget.
    fn with_budget(&self, global: &Global) -> Global {
        let mut global = global.clone();
        if let Some(budget) = self.fill.as_deref().filter(|budget| *budget != ALL) {
            global.set.push(format!("embedding.fill_budget={budget}"));
        }
        global
    }
}

/// One line about what the additional model embedded; `None` if no such model was chosen.
fn fill_line(fill: &FillOutcome) -> Option<String> {
    let model = fill.model.as_deref()?;
    let FillReport { embedded, copied, left, elapsed_ms } = fill.report;
    if fill.is_busy {
        return Some(format!("`{model}` is reading for another process"));
    }
    let left = match (left, fill.above_limit) {
        (0, _) => "none is left".to_owned(),
        (left, 0) => format!("{} left; `icr index` goes on with it", count_text(left, "is", "are")),
        (left, above) => format!("{left} are left, {above} of them above `storage.max_vectors_per_repo`"),
    };
    let copied = if copied == 0 { String::new() } else { format!(", took over {copied}") };
    Some(format!("`{model}` read {}{copied}, in {elapsed_ms} ms; {left}", count_text(embedded, "chunk", "chunks")))
}
