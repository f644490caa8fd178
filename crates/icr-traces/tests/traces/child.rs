//! Processes beside this one: this test binary again, told by its environment what to do.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{recorder, search};

const WORK: &str = "ICR_TRACES_TESTS_WORK";
const DIRECTORY: &str = "ICR_TRACES_TESTS_DIRECTORY";

/// Calls that a child records between two flushes.
pub(crate) const BATCH: usize = 10;

/// Batches of [`Work::Some`].
pub(crate) const BATCHES: usize = 20;

/// What a child does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// Records batch after batch, and writes a line after each that was flushed, until it is killed.
    Forever,
    /// Records [`BATCHES`] batches and ends.
    Some,
    /// As that, where files may have 64 KiB: a disk that is full.
    FullDisk,
}

#[expect(clippy::disallowed_methods, reason = "a test is run again as another process")]
pub(crate) fn spawn(work: Work, directory: &Path) -> Child {
    let itself = std::env::current_exe().expect("a test has an executable");
    let mut command = match work {
        Work::FullDisk => {
            // A write that is too large fails instead of ending the process; 128 blocks are 64 KiB in every shell, or
            // 128 KiB.
            let mut shell = Command::new("sh");
            shell.args(["-c", "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\""]).arg(itself);
            shell
        }
        Work::Forever | Work::Some => Command::new(itself),
    };
    command.args(["--exact", "child::child", "--nocapture"]);
    command.env(WORK, format!("{work:?}")).env(DIRECTORY, directory);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a test can start itself")
}

/// What a child does when this binary is started as one; nothing otherwise.
#[test]
#[expect(clippy::disallowed_methods, reason = "a child is told by its environment what to do")]
fn child() {
    let Ok(work) = std::env::var(WORK) else { return };
    let directory = std::env::var_os(DIRECTORY).expect("a child is told where to work");
    let recorder = recorder(Path::new(&directory));
    let batches = if work == format!("{:?}", Work::Forever) { usize::MAX } else { BATCHES };
    for _ in 0..batches {
        for _ in 0..BATCH {
            let mut call = search(1);
            // More bytes than a disk has that is full.
            call.task = Some("word ".repeat(100));
            recorder.record(call);
        }
        super::flush(&recorder);
        if writeln!(std::io::stdout(), "\nflushed {}", recorder.dropped_events()).is_err() {
            return;
        }
    }
}
