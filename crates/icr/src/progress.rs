//! A progress bar on stderr for work that takes long enough to be noticed.

use std::io::IsTerminal;
use std::sync::Mutex;

use icr_engine::{Observer, Step};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Environment variable that names a step at which the process ends as if it was killed. For tests of what a crash
/// leaves behind; honoured by debug builds only.
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
        #[cfg(debug_assertions)]
        if std::env::var(DIE_AT).is_ok_and(|name| name == step.name()) {
            std::process::abort();
        }
        tracing::debug!(step = step.name(), "reached");
    }

    fn progress(&self, done: u64, total: u64) {
        if !self.visible {
            return;
        }
        let mut slot = self.bar.lock().expect("drawing a bar does not panic");
        let bar = slot.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("indexing {bar:40} {pos}/{len} files  {per_sec}  {eta} left");
            let style = style.expect("the template is a constant");
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr()).with_style(style)
        });
        bar.set_length(total);
        bar.set_position(done);
        if done == total {
            bar.finish_and_clear();
            *slot = None;
        }
    }
}
