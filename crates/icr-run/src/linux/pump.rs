//! Reads the output of a program until it ends, and checks the bounds meanwhile.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use super::disk::DiskWatch;
use super::report::{REPORT_BYTES, StepFailure, SupervisorReport};
use super::sys;
use super::tasks::TaskWatch;
use crate::capture::Capture;
use crate::{CapturedOutput, CommandStatus};

/// How often the caller is asked whether the run is cancelled.
const ASKED_EVERY: Duration = Duration::from_millis(20);

/// How often free space and the number of processes are looked at: a fast disk takes some hundred megabytes meanwhile.
const DISK_EVERY: Duration = Duration::from_millis(100);

/// Bytes that are read at once: the capacity of a pipe.
const BUFFER_BYTES: usize = 64 * 1024;

/// Most bytes that are read of each stream after the end: the default maximum of a pipe's capacity. After the end
/// nobody writes any more, except a process that escaped, and that is not waited for.
const LAST_BYTES: usize = 1024 * 1024;

/// How a run ended, or why it did not begin.
#[derive(Debug)]
pub(super) enum RunEnd {
    Status(CommandStatus),
    Failed(StepFailure),
}

/// The pipes of a run.
#[derive(Debug)]
pub(super) struct Pump {
    /// Standard output and standard error, each until it is closed.
    streams: [Option<OwnedFd>; 2],
    captures: [Capture; 2],
    reports: OwnedFd,
    report: Vec<u8>,
    buffer: Vec<u8>,
}

impl Pump {
    /// Keeps `most` bytes of each stream.
    ///
    /// # Errors
    ///
    /// The system's error about the pipes.
    pub(super) fn new(streams: [OwnedFd; 2], reports: OwnedFd, most: usize) -> io::Result<Self> {
        for pipe in streams.iter().chain([&reports]) {
            rustix::fs::fcntl_setfl(pipe, rustix::fs::OFlags::NONBLOCK)?;
        }
        let captures = [Capture::new(most), Capture::new(most)];
        Ok(Self { streams: streams.map(Some), captures, reports, report: Vec::new(), buffer: vec![0; BUFFER_BYTES] })
    }

    /// Reads until the program or its `supervisor` has ended, or something else ends the run.
    pub(super) fn run(
        &mut self,
        supervisor: Option<&OwnedFd>,
        deadline: Instant,
        (disk, tasks): (&DiskWatch, &TaskWatch),
        cancelled: &dyn Fn() -> bool,
    ) -> RunEnd {
        let mut ask_at = Instant::now();
        let mut look_at = ask_at + DISK_EVERY;
        loop {
            let now = Instant::now();
            if now >= deadline {
                return RunEnd::Status(CommandStatus::TimedOut);
            }
            if now >= ask_at {
                if cancelled() {
                    return RunEnd::Status(CommandStatus::Cancelled);
                }
                ask_at = now + ASKED_EVERY;
            }
            if now >= look_at {
                if disk.is_over() {
                    return RunEnd::Status(CommandStatus::TooMuchWritten);
                }
                if tasks.is_over() {
                    return RunEnd::Status(CommandStatus::TooManyProcesses);
                }
                look_at = now + DISK_EVERY;
            }
            let wait = deadline.min(ask_at).min(look_at).saturating_duration_since(now);
            let has_ended = self.wait(supervisor, wait);
            self.read_streams();
            if let Some(end) = self.read_report(has_ended) {
                return end;
            }
        }
    }

    /// Waits for news; whether the supervisor has ended.
    fn wait(&self, supervisor: Option<&OwnedFd>, wait: Duration) -> bool {
        let news = |descriptor: RawFd| libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
        let number = |descriptor: Option<&OwnedFd>| descriptor.map_or(-1, |descriptor| descriptor.as_raw_fd());
        let [output, errors] = &self.streams;
        let mut descriptors = [
            news(number(output.as_ref())),
            news(number(errors.as_ref())),
            news(self.reports.as_raw_fd()),
            news(number(supervisor)),
        ];
        let milliseconds = wait.as_micros().div_ceil(1_000).min(1_000) as i32;
        sys::poll(&mut descriptors, milliseconds).is_ok() && descriptors[3].revents != 0
    }

    /// Reads what is available of each stream, at most one buffer.
    fn read_streams(&mut self) -> usize {
        let mut taken = 0;
        for (stream, capture) in self.streams.iter_mut().zip(&mut self.captures) {
            let Some(descriptor) = stream else {
                continue;
            };
            match sys::read(descriptor.as_raw_fd(), &mut self.buffer) {
                Ok(0) => *stream = None,
                Ok(count) => {
                    capture.take(&self.buffer[..count]);
                    taken += count;
                }
                Err(libc::EAGAIN) => {}
                Err(_) => *stream = None,
            }
        }
        taken
    }

    /// What the supervisor said: that the program ended, or why it did not begin. A supervisor that ended without a
    /// word was killed.
    fn read_report(&mut self, has_ended: bool) -> Option<RunEnd> {
        let mut bytes = [0; REPORT_BYTES];
        let is_over = match sys::read(self.reports.as_raw_fd(), &mut bytes) {
            Ok(0) => true,
            Ok(count) => {
                self.report.extend_from_slice(&bytes[..count]);
                false
            }
            Err(libc::EAGAIN) => has_ended,
            Err(_) => true,
        };
        if let Some(report) = self.report.first_chunk() {
            return Some(match SupervisorReport::read(*report) {
                SupervisorReport::Failed(failure) => RunEnd::Failed(failure),
                SupervisorReport::Ended(status) => RunEnd::Status(status_of(status)),
            });
        }
        is_over.then_some(RunEnd::Status(CommandStatus::Signalled(libc::SIGKILL)))
    }

    /// The captured output of both streams, including what is still in the pipes.
    pub(super) fn finish(mut self) -> [CapturedOutput; 2] {
        let mut taken = 0;
        while taken < 2 * LAST_BYTES {
            match self.read_streams() {
                0 => break,
                more => taken += more,
            }
        }
        self.captures.map(Capture::finish)
    }
}

/// Decodes `status`, as `waitpid` gives it. A file that reaches the size limit ends the process that writes it.
fn status_of(status: i32) -> CommandStatus {
    if libc::WIFEXITED(status) {
        return CommandStatus::Exited(libc::WEXITSTATUS(status));
    }
    match libc::WTERMSIG(status) {
        libc::SIGXFSZ => CommandStatus::TooMuchWritten,
        signal => CommandStatus::Signalled(signal),
    }
}
