//! Attaches a monitor of the worktree to an engine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use icr_engine::{Engine, Names, Pass};
use icr_watch::Changes;

/// How often the worktree is scanned although it is monitored, while questions come. The system reports no writes
/// through a memory map or through another name of a file.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// The engine with a monitor, if the system has one. Watching begins with the first question.
pub(crate) fn attach_monitor(engine: Engine) -> Engine {
    match icr_watch::Monitor::start() {
        Ok(monitor) => engine.with_monitor(Arc::new(Directories(monitor)), LOOK_EVERY),
        Err(reason) => {
            tracing::debug!(%reason, "every question looks at the worktree");
            engine
        }
    }
}

/// Directories of a worktree and its git directories.
#[derive(Debug)]
struct Directories(icr_watch::Monitor);

impl icr_engine::Monitor for Directories {
    fn begin(&self) -> Option<Pass> {
        let pass = self.0.begin();
        if pass.is_none() {
            tracing::debug!(reason = self.0.refusal_reason(), "every question looks at the worktree");
        }
        pass.map(|icr_watch::Pass { number, clock }| Pass { number, clock })
    }

    fn watch(&self, Pass { number, clock }: Pass, directory: &Path, names: Names) -> bool {
        let names = match names {
            Names::All => icr_watch::Names::All,
            Names::Only(names) => icr_watch::Names::Only(names),
        };
        self.0.watch(icr_watch::Pass { number, clock }, directory, names)
    }

    fn end(&self, Pass { number, clock }: Pass) {
        self.0.end(icr_watch::Pass { number, clock });
    }

    fn is_unchanged_since(&self, clock: u64) -> bool {
        self.0.since(clock) == Changes::Nothing
    }

    fn is_new(&self) -> bool {
        self.0.directories() == 0
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
