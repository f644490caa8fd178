//! Finds processes of a run whose supervisor is gone.

use std::fs;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Environment variable that marks the processes of a run.
pub(super) const VARIABLE: &str = "ICR_RUN";

/// Rounds of the search. Several are needed, since processes start others meanwhile.
const MOST_ROUNDS: usize = 50;

/// Kills all processes that have `ICR_RUN` set to `value`. Processes that hid their environment are not found.
pub(super) fn kill_all_of(value: &str) {
    let variable = format!("{VARIABLE}={value}");
    for _ in 0..MOST_ROUNDS {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        if numbers.filter(|number| kill_if_of(*number, variable.as_bytes())).count() == 0 {
            return;
        }
        std::thread::yield_now();
    }
    tracing::warn!("processes of a command start others faster than they are killed");
}

/// Whether `process` has `variable` in its environment, and so was killed.
fn kill_if_of(process: i32, variable: &[u8]) -> bool {
    // Opened before the check, so that a process that gets the same id later is not killed.
    let Some(opened) = Pid::from_raw(process).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
        return false;
    };
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let is_of = environment.split(|byte| *byte == 0).any(|text| text == variable);
    is_of && pidfd_send_signal(&opened, Signal::KILL).is_ok()
}
