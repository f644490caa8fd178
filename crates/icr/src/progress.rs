//! A progress bar on stderr for work that takes long enough to be noticed.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::output::note;
use icr_engine::{Observer, Progress, WriteStep};
use icr_model::even_after_panic;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Environment variable that names a step at which the process aborts. The value `filling` stands for the moment when a
/// model has embedded some but not all chunks. Used by tests of crashes; only in debug builds.
#[cfg(debug_assertions)]
const DIE_AT: &str = "ICR_TEST_DIE_AT";

/// Work that takes less than this shows no progress.
const SHOWN_AFTER: Duration = Duration::from_millis(100);

/// Shows the progress of a run when stderr is a terminal: from a tenth of a second on until it is dropped, first in
/// words, then as a bar, then in words again.
pub(crate) struct Bar {
    drawn: Option<VisibleBar>,
    /// Files of the run; 0 where nothing was indexed.
    files: AtomicU64,
    is_published: AtomicBool,
    /// File that records that the user was told what to try next.
    told: PathBuf,
}

/// Shown once, after the first index under a home of icr.
const TRY_NEXT: &str = "indexed; try next: `icr map`, `icr search WORDS`, `icr refs NAME`, `git diff | icr impact -`; `icr hooks install` keeps the index \
                        at HEAD, and `icr init` tells your coding agents of icr";

struct VisibleBar {
    bar: ProgressBar,
    /// What the bar counts; empty while it counts nothing.
    counting: Mutex<&'static str>,
    /// Dropped together with the bar, which stops the thread that waits to show it.
    _shown: Sender<()>,
}

impl Bar {
    pub(crate) fn new(quiet: bool, home: &Path) -> Self {
        let is_visible = !quiet && std::io::stderr().is_terminal();
        Self {
            drawn: is_visible.then(VisibleBar::new),
            files: AtomicU64::new(0),
            is_published: AtomicBool::new(false),
            told: home.join("told").join("first-index"),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let is_shown = self.drawn.take().is_some();
        let has_indexed = *self.files.get_mut() > 0 && *self.is_published.get_mut();
        if is_shown && has_indexed && !self.told.exists() {
            let directory = self.told.parent().map_or(Ok(()), std::fs::create_dir_all);
            // If this cannot be recorded, the hint is shown again, which does no harm.
            let _ = directory.and_then(|()| std::fs::write(&self.told, ""));
            note(&mut std::io::stderr().lock(), TRY_NEXT);
        }
    }
}

impl VisibleBar {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_style(style(STAGE));
        bar.set_message("looking at what changed");
        let (shown, waiting) = channel::<()>();
        let late = bar.clone();
        std::thread::spawn(move || {
            if waiting.recv_timeout(SHOWN_AFTER) == Err(RecvTimeoutError::Timeout) && !late.is_finished() {
                late.set_draw_target(ProgressDrawTarget::stderr());
                late.enable_steady_tick(SHOWN_AFTER);
            }
        });
        Self { bar, counting: Mutex::new(""), _shown: shown }
    }

    /// Shows what is being done while nothing can be counted.
    fn stage(&self, doing: &'static str) {
        let mut counting = even_after_panic(self.counting.lock());
        if !counting.is_empty() {
            *counting = "";
            self.bar.set_style(style(STAGE));
        }
        self.bar.set_message(doing);
    }

    /// Shows a count in the form of `template`.
    fn count(&self, template: &'static str, done: u64, total: u64) {
        let mut counting = even_after_panic(self.counting.lock());
        if *counting != template {
            *counting = template;
            self.bar.set_style(style(template));
            self.bar.reset_eta();
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }
}

impl Drop for VisibleBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Template while nothing is counted.
const STAGE: &str = "{spinner} {msg}  {elapsed}";

impl Observer for Bar {
    fn step(&self, step: WriteStep) {
        die_at(step.name());
        tracing::debug!(step = step.name(), "reached");
        if step == WriteStep::Published {
            self.is_published.store(true, Ordering::Relaxed);
        }
        let Some(drawn) = &self.drawn else { return };
        match step {
            WriteStep::DocumentsAdded => drawn.stage("writing the index of words"),
            WriteStep::PostingsCommitted => drawn.stage("writing vectors"),
            WriteStep::VectorsCommitted | WriteStep::BlobsListed => drawn.stage("listing what is indexed"),
            WriteStep::Published => drawn.stage("finishing"),
            WriteStep::GarbageForgotten | WriteStep::GarbageDeleted => drawn.stage("taking out what nobody needs"),
            WriteStep::RecipesRecorded | WriteStep::NumbersReserved => {}
        }
    }

    fn progress(&self, done: u64, total: u64) {
        self.files.store(total, Ordering::Relaxed);
        let Some(drawn) = &self.drawn else { return };
        match done {
            // Work that is done in one go has no progress to show.
            0 => drawn.stage("indexing"),
            _ if done == total => drawn.stage("writing the index"),
            _ => drawn.count("indexing {bar:40} {human_pos}/{human_len} files  {eta} left", done, total),
        }
    }

    fn filling(&self, done: u64, total: u64) {
        // When at least half but not all is done.
        if (total / 2..total).contains(&done) {
            die_at("filling");
        }
        let Some(drawn) = &self.drawn else { return };
        match done == total {
            true => drawn.stage("writing vectors"),
            false => drawn.count("reading {bar:40} {human_pos}/{human_len} chunks  {eta} left", done, total),
        }
    }
}

/// Aborts the process if a test asks for it at this step.
#[cfg(debug_assertions)]
fn die_at(place: &str) {
    if crate::environment::variable(DIE_AT).is_some_and(|name| name == place) {
        std::process::abort();
    }
}

#[cfg(not(debug_assertions))]
fn die_at(_place: &str) {}

/// Shows the progress of a download in bytes when stderr is a terminal.
pub(crate) struct ByteBar {
    bar: Option<ProgressBar>,
}

impl ByteBar {
    pub(crate) fn new(quiet: bool, doing: &'static str) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let template = "{msg} {bar:40} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";
        Self { bar: visible.then(|| stderr_progress_bar(template, 0).with_message(doing)) }
    }

    pub(crate) fn show(&self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
        }
    }
}

impl Drop for ByteBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn stderr_progress_bar(template: &'static str, total: u64) -> ProgressBar {
    ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr()).with_style(style(template))
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is a constant")
}

/// Files after which the bar is drawn again: drawing it for each of a hundred thousand costs more than the work.
const DRAWN_EVERY: u64 = 64;

/// Shows the files that a question is done with, when stderr is a terminal.
pub(crate) struct FileBar {
    visible: bool,
    doing: &'static str,
    done: AtomicU64,
    bar: Mutex<Option<ProgressBar>>,
}

impl FileBar {
    pub(crate) fn new(quiet: bool, doing: &'static str) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        Self { visible, doing, done: AtomicU64::new(0), bar: Mutex::new(None) }
    }
}

impl Progress for FileBar {
    fn total(&self, files: u64) {
        if !self.visible {
            return;
        }
        let bar = stderr_progress_bar("{msg} {bar:40} {pos}/{len} files  {eta} left", files);
        *self.bar.lock().expect("drawing a bar does not panic") = Some(bar.with_message(self.doing));
    }

    fn count_file(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if !done.is_multiple_of(DRAWN_EVERY) {
            return;
        }
        if let Some(bar) = &*self.bar.lock().expect("drawing a bar does not panic") {
            bar.set_position(done);
        }
    }
}

impl Drop for FileBar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get_mut().ok().and_then(Option::take) {
            bar.finish_and_clear();
        }
    }
}
