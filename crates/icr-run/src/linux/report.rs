//! What a supervisor tells the process that started it: messages of eight bytes in a pipe.

use super::sys::{self, Errno};

/// Steps of building a sandbox. A report names the refused step, so that the sandbox can be built without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum SandboxStep {
    /// Making ready: descriptors, signals, the session.
    Start,
    /// Building the view of the file system.
    View,
    /// Mounting a `/proc` of the run's own.
    Proc,
    /// Adding rules of Landlock, or being restricted by them.
    Landlock,
    /// Installing filters of calls.
    Seccomp,
    /// Giving up capabilities.
    Capabilities,
    /// Setting limits.
    Limits,
    /// Entering the directory.
    Directory,
    /// Executing the program.
    Execute,
}

const STEPS: [SandboxStep; 9] = [
    SandboxStep::Start,
    SandboxStep::View,
    SandboxStep::Proc,
    SandboxStep::Landlock,
    SandboxStep::Seccomp,
    SandboxStep::Capabilities,
    SandboxStep::Limits,
    SandboxStep::Directory,
    SandboxStep::Execute,
];

/// A step that the system refused: which step, which part of it, and the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepFailure {
    pub(super) step: SandboxStep,
    pub(super) part: u16,
    pub(super) errno: Errno,
}

impl StepFailure {
    /// For `map_err` of a step that has one part.
    pub(super) fn of(step: SandboxStep) -> impl Fn(Errno) -> Self {
        move |errno| Self { step, part: 0, errno }
    }
}

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SupervisorReport {
    /// Nothing was executed.
    Failed(StepFailure),
    /// The program ended, with this status as `waitpid` gives it.
    Ended(i32),
}

/// Bytes of a message: fewer than `PIPE_BUF`, so that a write is atomic.
pub(super) const REPORT_BYTES: usize = 8;

impl SupervisorReport {
    /// Writes the message. A missing reader is ignored.
    pub(super) fn send(self, descriptor: i32) {
        let (kind, step, part, value) = match self {
            Self::Failed(failure) => (0, failure.step as u8, failure.part, failure.errno),
            Self::Ended(status) => (1, 0, 0, status),
        };
        let [part_low, part_high] = part.to_le_bytes();
        let [a, b, c, d] = value.to_le_bytes();
        let _ = sys::write(descriptor, &[kind, step, part_low, part_high, a, b, c, d]);
    }

    /// Decodes a message.
    pub(super) fn read(bytes: [u8; REPORT_BYTES]) -> Self {
        let [kind, step, part_low, part_high, a, b, c, d] = bytes;
        let value = i32::from_le_bytes([a, b, c, d]);
        if kind == 1 {
            return Self::Ended(value);
        }
        let step = STEPS.get(usize::from(step)).copied().unwrap_or(SandboxStep::Start);
        Self::Failed(StepFailure { step, part: u16::from_le_bytes([part_low, part_high]), errno: value })
    }
}

#[cfg(test)]
mod tests {
    use super::{STEPS, StepFailure, SupervisorReport};
    use crate::system::sys;

    #[test]
    fn messages_are_read_as_they_were_sent() {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let failed =
            STEPS.iter().map(|step| SupervisorReport::Failed(StepFailure { step: *step, part: 300, errno: -7 }));
        for report in failed.chain([SupervisorReport::Ended(0x8b), SupervisorReport::Ended(-1)]) {
            report.send(std::os::fd::AsRawFd::as_raw_fd(&writer));
            let mut bytes = [0; 8];
            sys::read(std::os::fd::AsRawFd::as_raw_fd(&reader), &mut bytes).expect("a message");
            assert_eq!(SupervisorReport::read(bytes), report);
        }
    }
}
