//! Stopping processes that start others faster than they can be killed one by one.
//!
//! Killing a process makes room for another one; stopping it does not. So all are stopped until none runs, and the
//! supervisor then kills them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Rounds of looking at all processes. Each round finds fewer that run.
const MOST_ROUNDS: usize = 500;

/// Stops all descendants of `supervisor`. The supervisor is stopped meanwhile too, since it would make room for new
/// processes.
pub(super) fn stop_descendants(supervisor: i32) {
    signal(supervisor, Signal::STOP, |_| true);
    for _ in 0..MOST_ROUNDS {
        let processes = processes();
        let descendants = descendants_of(supervisor, &processes);
        let is_running = |process: &&i32| processes.get(process).is_some_and(|stat| stat.is_running);
        let running: Vec<_> = descendants.iter().filter(is_running).collect();
        for process in &running {
            // The process id may have been reused by now.
            let parent = processes[*process].parent;
            let is_same = |stat: &Stat| stat.parent == parent || stat.parent == supervisor;
            signal(**process, Signal::STOP, is_same);
        }
        if running.is_empty() {
            break;
        }
    }
    signal(supervisor, Signal::CONT, |_| true);
}

/// State of a process, from `/proc`.
struct Stat {
    parent: i32,
    is_running: bool,
}

/// All processes of this machine.
fn processes() -> BTreeMap<i32, Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(|process| Some((process, stat(process)?))).collect()
}

fn stat(process: i32) -> Option<Stat> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name is in brackets and may contain any character.
    let mut fields = line.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    Some(Stat { parent: fields.next()?.parse().ok()?, is_running: !matches!(state, "T" | "t" | "Z" | "X") })
}

/// All descendants of `ancestor`.
fn descendants_of(ancestor: i32, processes: &BTreeMap<i32, Stat>) -> BTreeSet<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (process, stat) in processes {
        children.entry(stat.parent).or_default().push(*process);
    }
    let mut descendants = BTreeSet::new();
    let mut next = vec![ancestor];
    while let Some(process) = next.pop() {
        for child in children.get(&process).into_iter().flatten() {
            if descendants.insert(*child) {
                next.push(*child);
            }
        }
    }
    descendants
}

/// Sends `signal` to `process` if `is` confirms that it is still the same process.
fn signal(process: i32, signal: Signal, is: impl Fn(&Stat) -> bool) {
    let opened = Pid::from_raw(process).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    if let Some(opened) = opened
        && stat(process).is_some_and(|stat| is(&stat))
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
        let descendants = descendants_of(ancestor, &now);
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
