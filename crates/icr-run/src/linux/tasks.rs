//! Watches the number of processes while a command runs.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;

use super::process_tree::{ProcessState, descendants_of, processes};

/// Processes and threads of a run at once: a large build has hundreds.
pub(super) const MOST_TASKS: u64 = 4_096;

/// Watches the number of processes and threads of a run: limits of users do not hold root, and not every kernel counts
/// for each pid namespace.
#[derive(Debug)]
pub(super) struct TaskWatch {
    supervisor: i32,
    /// The run's tasks are counted only while the machine has more than this, since counting reads a file per process.
    counted_above: Cell<u64>,
}

impl TaskWatch {
    /// Allows [`MOST_TASKS`] below `supervisor`, and as many more as end on the machine meanwhile.
    pub(super) fn new(supervisor: i32) -> Self {
        Self { supervisor, counted_above: Cell::new(tasks_of_machine() + MOST_TASKS) }
    }

    /// Whether the run has more than it may. What others start does not count, unless its parent ends at that moment.
    pub(super) fn is_over(&self) -> bool {
        let machine = tasks_of_machine();
        if machine <= self.counted_above.get() {
            return false;
        }
        let run = tasks_below(self.supervisor, &processes());
        // Below this number the run cannot have too many, unless others end.
        self.counted_above.set(machine + MOST_TASKS.saturating_sub(run));
        run > MOST_TASKS
    }
}

/// Number of processes and threads below `supervisor` in `processes`. A process without a listed parent counts too,
/// with everything below it: its parent may have ended during the listing, and otherwise a run could hide processes by
/// ending their parents quickly.
fn tasks_below(supervisor: i32, processes: &BTreeMap<i32, ProcessState>) -> u64 {
    let is_orphan = |state: &ProcessState| state.parent != 0 && !processes.contains_key(&state.parent);
    let orphans: Vec<i32> =
        processes.iter().filter(|(_, state)| is_orphan(state)).map(|(process, _)| *process).collect();
    let descendants = descendants_of(&[&[supervisor][..], &orphans].concat(), processes);
    descendants.iter().chain(&orphans).map(|process| processes[process].threads).sum()
}

/// Processes and threads of the whole machine; 0 when it does not say.
pub(super) fn tasks_of_machine() -> u64 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let tasks = load.split_whitespace().nth(3).and_then(|tasks| tasks.split_once('/'));
    tasks.and_then(|(_, all)| all.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_the_supervisor_or_has_lost_its_parent_counts() {
        let rows = [
            // Process, parent, threads: the first process, the supervisor (10) and its run, somebody else (20).
            (1, 0, 1),
            (10, 1, 1),
            (11, 10, 4),
            (12, 11, 2),
            (20, 1, 1_000),
            (21, 20, 1_000),
        ];
        let state = |(process, parent, threads)| (process, ProcessState { parent, is_running: true, threads });
        let mut processes: BTreeMap<_, _> = rows.map(state).into();
        assert_eq!(tasks_below(10, &processes), 6);
        // 11 ends while the processes are listed.
        processes.remove(&11);
        processes.extend([(13, 12, 7)].map(state));
        assert_eq!(tasks_below(10, &processes), 9);
    }

    #[test]
    fn processes_of_others_end_no_run() {
        // No process has this id, and the machine has more tasks than none.
        let watch = TaskWatch { supervisor: i32::MAX, counted_above: Cell::new(0) };
        assert!(!watch.is_over());
        assert!(watch.counted_above.get() > MOST_TASKS / 2, "they are counted again and again");
    }
}
