//! `icr watch`

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use icr_engine::{BusyStorePolicy, SyncOptions, SyncReport};
use icr_serve::Repositories;
use icr_serve::socket::{Program, RepositorySocket};
use icr_watch::{IgnoreOptions, SettledBatch, Stop, WatchEnd, WatchLock, WatchMode, WatchOptions};
use serde::Serialize;

use crate::arguments::Global;
use crate::commands::mcp::{absolute, places, socket_kinds};
use crate::context::{Context, refuse_read_only};
use crate::environment;
use crate::output::{Output, count_text};
use crate::problem;

/// Most paths that are kept by name for one batch: more than people change by hand, and at most a megabyte.
const MOST_PATHS: usize = 4_096;

/// Most paths of one batch in the JSON.
const PATHS_SHOWN: usize = 100;

/// Digits of a commit that are enough for people, as git shows it.
const DIGITS: usize = 7;

/// Keep the index at HEAD while you work: prints what changed and what was indexed, until it is interrupted
///
/// Prints one line for each batch of changes, or with `--json` one object per line. Only one watcher can run per store;
/// a second one exits with 75.
#[derive(Debug, Args)]
pub(crate) struct Watch {}

/// A batch, and what was done about it.
#[derive(Debug, Default, Serialize)]
struct WatchBatchReport {
    /// Number of changed files, up to the limit.
    files_changed: u64,
    /// Whether more files changed than were counted.
    many: bool,
    /// Names of the first changed files.
    files: Vec<String>,
    /// The commit that HEAD stands at now.
    head: Option<String>,
    /// Whether HEAD pointed to another commit before.
    head_moved: bool,
    /// Result of indexing; `None` if nothing had to be indexed.
    sync: Option<SyncReport>,
    /// Why indexing failed.
    error: Option<String>,
}

impl Watch {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        refuse_read_only(global, "icr watch")?;
        let context = Context::open(global)?;
        let (root, store) = (context.engine.root().to_owned(), context.engine.store().directory());
        context.engine.store().create()?;
        let _alone = WatchLock::take(&store.join("watch.lock"), &root)?;
        // The watch starts before the first look at HEAD, so that changes in between are not missed.
        let watch = icr_watch::Watch::start(options(&context))?;
        if let WatchMode::Polling(reason) = watch.way() {
            note(
                global,
                &format!("the system tells no changes, so only HEAD is looked at, every two seconds: {reason}"),
            );
        }
        stop_on_signals(watch.stopper())?;
        let mut follower = Follower { context: &context, head: None };
        let first = follower.follow(&SettledBatch { head: true, ..SettledBatch::default() });
        let directories = count_text(watch.directories() as u64, "directory", "directories");
        first.print(global, output, &format!("watching {}: {directories}, ", root.display()))?;
        let socket = local_socket(global, &context)?;
        // The socket opens nothing before a request comes.
        socket.open();
        let (stop, mut failure) = (watch.stopper(), None);
        let ended = watch.run(|settled| {
            let told = follower.follow(settled);
            if told.says_anything()
                && let Err(error) = told.print(global, output, "")
            {
                // The reader of the output is gone.
                failure = Some(error);
                stop.stop();
            }
        });
        if ended == WatchEnd::Gone {
            note(global, &format!("`{}` is gone", root.display()));
        }
        failure.map_or(Ok(problem::OK), Err)
    }
}

/// The local socket where hooks get answers from the warm view of this process.
fn local_socket(global: &Global, context: &Context) -> anyhow::Result<Arc<RepositorySocket>> {
    let config = global.config.clone().map(absolute).transpose()?;
    let db = global.db.clone().map(absolute).transpose()?;
    let start = absolute(context.engine.root().to_owned())?;
    let repo = global.repo.as_ref().map(|_| start.clone());
    let global = &Global { repo, directory: Some(start.clone()), config, db, ..global.clone() };
    let repositories = Repositories::new(places(global, start, absolute(context.home.clone())?, Vec::new()));
    let program = Program { version: env!("CARGO_PKG_VERSION").to_owned(), since: environment::now() };
    let repo_id = Some(context.engine.repo_id().to_owned());
    Ok(RepositorySocket::new(Arc::new(repositories), &program, socket_kinds(), repo_id))
}

/// Keeps the index at HEAD.
struct Follower<'a> {
    context: &'a Context,
    /// The commit that HEAD pointed to at the last look.
    head: Option<String>,
}

impl Follower<'_> {
    /// Brings the index up to date after a batch and reports the result. A failure is reported but does not end the
    /// watch, because the next batch may succeed.
    fn follow(&mut self, settled: &SettledBatch) -> WatchBatchReport {
        let files = settled.paths.iter().take(PATHS_SHOWN).map(|path| path.display().to_string());
        let mut told = WatchBatchReport {
            files_changed: settled.paths.len() as u64,
            many: settled.many,
            files: files.collect(),
            ..WatchBatchReport::default()
        };
        if settled.head
            && let Err(error) = self.follow_head(&mut told)
        {
            told.error = Some(format!("{:#}", anyhow::Error::from(error)));
        }
        told.head.clone_from(&self.head);
        told
    }

    fn follow_head(&mut self, told: &mut WatchBatchReport) -> Result<(), icr_engine::Error> {
        let engine = &self.context.engine;
        let head = engine.git().head_commit()?;
        told.head_moved = head != self.head;
        self.head = head;
        if engine.store().follows_head()? {
            return Ok(());
        }
        // Another process that writes the store has received the request as well.
        let options = SyncOptions { waiting: BusyStorePolicy::Leave, ..SyncOptions::default() };
        told.sync = Some(engine.sync(&options, &self.context.bar())?);
        Ok(())
    }
}

impl WatchBatchReport {
    fn says_anything(&self) -> bool {
        self.files_changed > 0 || self.many || self.head_moved || self.sync.is_some() || self.error.is_some()
    }

    fn print(&self, global: &Global, output: &mut Output, before: &str) -> anyhow::Result<()> {
        match output.is_json() {
            true => output.line(serde_json::to_string(self)?)?,
            false if global.quiet => return Ok(()),
            false => output.line(format_args!("{before}{}", self.words()))?,
        }
        Ok(output.flush()?)
    }

    /// `3 files changed, HEAD moved to abc1234: 2 blobs read, 35 ms`
    fn words(&self) -> String {
        let mut parts = Vec::new();
        match (self.files_changed, self.many) {
            (0, false) => {}
            (_, true) => parts.push("many files changed".to_owned()),
            (files, false) => parts.push(format!("{} changed", count_text(files, "file", "files"))),
        }
        match &self.head {
            Some(head) if self.head_moved => parts.push(format!("HEAD moved to {}", &head[..DIGITS.min(head.len())])),
            None if self.head_moved => parts.push("HEAD has no commit".to_owned()),
            _ => {}
        }
        let done = match (&self.sync, &self.error) {
            (_, Some(error)) => format!(": not indexed: {error}"),
            (Some(sync), None) => {
                format!(": {} read, {} ms", count_text(sync.blobs_read, "blob", "blobs"), sync.elapsed_ms)
            }
            (None, None) => String::new(),
        };
        let parts = if parts.is_empty() { "nothing changed".to_owned() } else { parts.join(", ") };
        format!("{parts}{done}")
    }
}

fn options(context: &Context) -> WatchOptions {
    let config = &context.config;
    let engine = &context.engine;
    WatchOptions {
        root: engine.root().to_owned(),
        git_dir: engine.git().git_dir().to_owned(),
        common_dir: engine.git().common_dir().to_owned(),
        debounce: Duration::from_millis(config.get_integer("watcher.debounce_ms").unsigned_abs()),
        most_paths: MOST_PATHS,
        ignore: IgnoreOptions {
            patterns: config.get_list("watcher.ignore_patterns").to_vec(),
            respect_gitignore: config.get_bool("watcher.respect_gitignore"),
            respect_icrignore: config.get_bool("watcher.respect_icrignore"),
            read: |directory, name| icr_engine::read_clone_file(directory, name).ok().flatten(),
        },
    }
}

/// Longest time for the batch in progress when a signal comes. A commit of some hundred files takes less. A read from a
/// pipe or a lost disk never ends.
#[cfg(unix)]
const BATCH_ENDS_WITHIN: Duration = Duration::from_secs(5);

/// Stops the watch at the first signal. The process ends as if there was no handler at the second signal, or if the
/// watch has not stopped within the time limit.
#[cfg(unix)]
fn stop_on_signals(stop: Stop) -> anyhow::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let (heard, coming) = std::sync::mpsc::channel();
    std::thread::spawn(move || signals.forever().try_for_each(|signal| heard.send(signal)));
    std::thread::spawn(move || {
        let Ok(first) = coming.recv() else { return };
        stop.stop();
        let last = coming.recv_timeout(BATCH_ENDS_WITHIN).unwrap_or(first);
        // The store is consistent at every moment, even while it is written.
        let _ = signal_hook::low_level::emulate_default_handler(last);
    });
    Ok(())
}

#[cfg(not(unix))]
fn stop_on_signals(_stop: Stop) -> anyhow::Result<()> {
    Ok(())
}

fn note(global: &Global, message: &str) {
    if !global.quiet {
        crate::output::note(&mut std::io::stderr(), message);
    }
}
