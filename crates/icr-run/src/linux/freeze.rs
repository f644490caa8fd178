//! Stopping processes that start others faster than they can be killed one by one.
//!
//! Killing a process makes room for another one; stopping it does not. So all are stopped until none runs, and the
//! supervisor then kills them.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::process_tree::{ProcessState, descendants_of, processes, state_of};

/// Rounds of looking at all processes. Each round finds fewer that run.
const MOST_ROUNDS: usize = 500;

/// Stops all descendants of `supervisor`. The supervisor is stopped meanwhile too, since it would make room for new
/// processes.
pub(super) fn stop_descendants(supervisor: i32) {
    signal(supervisor, Signal::STOP, |_| true);
    for _ in 0..MOST_ROUNDS {
        let processes = processes();
        let descendants = descendants_of(&[supervisor], &processes);
        let is_running = |process: &&i32| processes.get(process).is_some_and(|state| state.is_running);
        let running: Vec<_> = descendants.iter().filter(is_running).collect();
        for process in &running {
            // The process id may have been reused by now.
            let parent = processes[*process].parent;
            let is_same = |state: &ProcessState| state.parent == parent || state.parent == supervisor;
            signal(**process, Signal::STOP, is_same);
        }
        if running.is_empty() {
            break;
        }
    }
    signal(supervisor, Signal::CONT, |_| true);
}

/// Sends `signal` to `process` if `is` confirms that it is still the same process.
fn signal(process: i32, signal: Signal, is: impl Fn(&ProcessState) -> bool) {
    let opened = Pid::from_raw(process).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    if let Some(opened) = opened
        && state_of(process).is_some_and(|state| is(&state))
    {
        let _ = pidfd_send_signal(&opened, signal);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::Stdio;

    use super::{descendants_of, processes, stop_descendants};

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test starts what is to be stopped")]
    fn all_descendants_are_stopped_and_nobody_else() {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "(sleep 1000 & sleep 1000 & echo ready; wait) & wait"]).stdout(Stdio::piped());
        let mut shell = command.spawn().expect("it starts");
        shell.stdout.as_mut().expect("a pipe").read_exact(&mut [0; 6]).expect("it is ready");
        let ancestor = shell.id().cast_signed();
        stop_descendants(ancestor);
        let now = processes();
        let descendants = descendants_of(&[ancestor], &now);
        assert_eq!(descendants.len(), 3);
        assert!(descendants.iter().all(|process| !now[process].is_running));
        assert!(now[&std::process::id().cast_signed()].is_running);
        for process in descendants {
            crate::system::sys::kill(process);
        }
        shell.kill().expect("it is there");
        shell.wait().expect("it ended");
    }
}
