//! Finding processes of a run that has no supervisor any more.

use std::fs;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The variable by which processes of a run are known.
pub(super) const VARIABLE: &str = "ICR_RUN";

/// Rounds in which processes that start others are looked for.
const MOST_ROUNDS: usize = 50;

/// Kills what has `ICR_RUN` set to `value`, until nothing has. What hid its environment is not found.
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
    // Opened first: whoever gets the same number later is not meant.
    let Some(opened) = Pid::from_raw(process).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
        return false;
    };
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let is_of = environment.split(|byte| *byte == 0).any(|text| text == variable);
    is_of && pidfd_send_signal(&opened, Signal::KILL).is_ok()
}
