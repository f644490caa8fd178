//! Child processes to kill: this test binary itself, controlled by environment variables.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use icr_engine::{BusyStorePolicy, Observer, SilentObserver, SyncOptions, WriteStep};
use icr_tests::engine;

const WORK: &str = "ICR_TESTS_WORK";
const START: &str = "ICR_TESTS_START";
const HOME: &str = "ICR_TESTS_HOME";
const ABORT_AT: &str = "ICR_TESTS_ABORT_AT";

/// How long a view counts after its last use, as configured by default: a month.
pub(crate) const KEEP_UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Time box of [`Work::PartOfSync`]. One batch takes far less; it is over before the second begins.
const TIME_BOX: Duration = Duration::from_secs(2);

/// The work of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Syncs HEAD.
    Sync,
    /// Syncs until the first batch is done.
    PartOfSync,
    /// Collects garbage.
    Collect,
}

/// Starts a child that works on the store of `start` below `home`, and aborts at `step` if there is one.
pub(crate) fn spawn(work: Work, start: &Path, home: &Path, step: Option<WriteStep>) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("a test has an executable"));
    command.args(["--exact", "child", "--nocapture"]).env(WORK, format!("{work:?}")).env(START, start).env(HOME, home);
    if let Some(step) = step {
        command.env(ABORT_AT, step.name());
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a test can start itself")
}

/// Does the work if this binary was started as a child; otherwise nothing.
pub(crate) fn entry() {
    let Ok(work) = std::env::var(WORK) else { return };
    let path = |name| std::env::var_os(name).expect("a child is told where to work");
    let engine = engine(Path::new(&path(START)), Path::new(&path(HOME)));
    let step = std::env::var(ABORT_AT).ok();
    let step = step.and_then(|name| WriteStep::ALL.into_iter().find(|step| step.name() == name));
    let observer = AbortAt { step, linger: work == "PartOfSync" };
    match work.as_str() {
        "Sync" => {
            engine.sync(&SyncOptions::default(), &observer).expect("a sync that is not killed succeeds");
        }
        "PartOfSync" => {
            let options = SyncOptions { waiting: BusyStorePolicy::Wait, rebuild: false, time_box: Some(TIME_BOX) };
            engine.sync(&options, &observer).expect("a sync that is not killed succeeds");
        }
        _ => {
            engine.collect_garbage(KEEP_UNUSED, &observer).expect("nobody else writes");
        }
    }
}

/// Ends the process at a step without any cleanup, as a power cut would.
struct AbortAt {
    step: Option<WriteStep>,
    linger: bool,
}

impl Observer for AbortAt {
    fn step(&self, step: WriteStep) {
        if Some(step) == self.step {
            std::process::abort();
        }
        SilentObserver.step(step);
    }

    fn progress(&self, done: u64, total: u64) {
        // The time box is set to have begun earlier, so that it ends between the first batch and the second on any
        // machine.
        let reached = Instant::now();
        while self.linger && (1..total).contains(&done) && reached.elapsed() <= TIME_BOX {
            std::thread::yield_now();
        }
    }
}
