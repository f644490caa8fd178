//! A progress bar on stderr for work that takes long enough to be noticed.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use icr_engine::{Observer, Progress, Step};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Environment variable that names a step at which the process ends as if it was killed, or says `filling` for the moment
/// when a model has read some chunks and not all. For tests of what a crash leaves behind; honoured by debug builds only.
#[cfg(debug_assertions)]
const DIE_AT: &str = "ICR_TEST_DIE_AT";

/// Shows the blobs of a run as a bar, when stderr is a terminal.
pub(crate) struct Bar {
    visible: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl Bar {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { visible: !quiet && std::io::stderr().is_terminal(), bar: Mutex::new(None) }
    }
}

impl Observer for Bar {
    fn step(&self, step: Step) {
        die_at(step.name());
        tracing::debug!(step = step.name(), "reached");
    }

    fn progress(&self, done: u64, total: u64) {
        self.show("indexing {bar:40} {pos}/{len} files  {per_sec}  {eta} left", done, total);
    }

    fn filling(&self, done: u64, total: u64) {
        // Half of it is done, and not all.
        if (total / 2..total).contains(&done) {
            die_at("filling");
        }
        self.show("reading {bar:40} {pos}/{len} chunks  {per_sec}  {eta} left", done, total);
    }
}

impl Bar {
    /// Draws the bar, by `template` where none is drawn yet; a bar that is full is taken away.
    fn show(&self, template: &'static str, done: u64, total: u64) {
        if !self.visible {
            return;
        }
        let mut slot = self.bar.lock().expect("drawing a bar does not panic");
        let bar = slot.get_or_insert_with(|| drawn(template, total));
        bar.set_length(total);
        bar.set_position(done);
        if done == total {
            bar.finish_and_clear();
            *slot = None;
        }
    }
}

/// Ends the process where a test asks for it.
#[cfg(debug_assertions)]
fn die_at(place: &str) {
    if crate::environment::variable(DIE_AT).is_some_and(|name| name == place) {
        std::process::abort();
    }
}

#[cfg(not(debug_assertions))]
fn die_at(_place: &str) {}

/// Shows the bytes of what is fetched, when stderr is a terminal.
pub(crate) struct ByteBar {
    bar: Option<ProgressBar>,
}

impl ByteBar {
    pub(crate) fn new(quiet: bool, doing: &'static str) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let template = "{msg} {bar:40} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";
        Self { bar: visible.then(|| drawn(template, 0).with_message(doing)) }
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

fn drawn(template: &'static str, total: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is a constant");
    ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr()).with_style(style)
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
        let bar = drawn("{msg} {bar:40} {pos}/{len} files  {eta} left", files);
        *self.bar.lock().expect("drawing a bar does not panic") = Some(bar.with_message(self.doing));
    }

    fn done(&self) {
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
