//! Watches the number of processes while a command runs.

use std::fs;

/// Processes and threads of a run at once: a large build has hundreds.
pub(super) const MOST_TASKS: u64 = 4_096;

/// Watches the number of processes and threads of the machine: limits of users do not hold root, and not every kernel
/// counts for each pid namespace.
#[derive(Debug)]
pub(super) struct TaskWatch {
    most: u64,
}

impl TaskWatch {
    /// Allows [`MOST_TASKS`] more than there are now.
    pub(super) fn new() -> Self {
        Self { most: tasks_of_machine() + MOST_TASKS }
    }

    /// Whether more were started than may be, whoever started them.
    pub(super) fn is_over(&self) -> bool {
        tasks_of_machine() > self.most
    }
}

/// Processes and threads of the whole machine; 0 when it does not say.
pub(super) fn tasks_of_machine() -> u64 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let tasks = load.split_whitespace().nth(3).and_then(|tasks| tasks.split_once('/'));
    tasks.and_then(|(_, all)| all.parse().ok()).unwrap_or(0)
}
