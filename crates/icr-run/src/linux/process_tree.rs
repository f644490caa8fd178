//! All processes of this machine, with their parents.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// State of a process, from `/proc`.
#[derive(Debug)]
pub(super) struct ProcessState {
    pub(super) parent: i32,
    pub(super) is_running: bool,
    pub(super) threads: u64,
}

/// All processes of this machine, by id.
pub(super) fn processes() -> BTreeMap<i32, ProcessState> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(|process| Some((process, state_of(process)?))).collect()
}

/// State of `process`; `None` when it has ended.
pub(super) fn state_of(process: i32) -> Option<ProcessState> {
    let line = fs::read(format!("/proc/{process}/stat")).ok()?;
    let line = String::from_utf8_lossy(&line);
    // The name is in brackets and may contain any byte.
    let mut fields = line.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // `num_threads` is field 20 of proc_pid_stat(5), `ppid` field 4.
    let threads = fields.nth(15)?.parse().ok()?;
    Some(ProcessState { parent, is_running: !matches!(state, "T" | "t" | "Z" | "X"), threads })
}

/// All descendants of `ancestors` in `processes`.
pub(super) fn descendants_of(ancestors: &[i32], processes: &BTreeMap<i32, ProcessState>) -> BTreeSet<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (process, state) in processes {
        children.entry(state.parent).or_default().push(*process);
    }
    let mut descendants = BTreeSet::new();
    let mut next = ancestors.to_vec();
    while let Some(process) = next.pop() {
        for child in children.get(&process).into_iter().flatten() {
            if descendants.insert(*child) {
                next.push(*child);
            }
        }
    }
    descendants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_any_bytes_hides_no_process() {
        fs::write("/proc/thread-self/comm", b"a) R 1 \xff").expect("a thread may have any name");
        let thread = fs::read_link("/proc/thread-self").expect("it is a link");
        let thread = thread.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
        let state = state_of(thread.expect("a number")).expect("it runs");
        assert!(state.is_running && state.threads > 0, "{state:?}");
        assert_eq!(state.parent.cast_unsigned(), std::os::unix::process::parent_id());
    }
}
