//! The deadline of an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Error;

/// The deadline of an answer, which can also be cancelled. Clones share the state.
///
/// Checked between files and between steps. If a partial answer is useful (lines of the files that were read, a ranking
/// by words alone), it is returned with a gap; otherwise the answer is [`Error::TimedOut`]. A cancelled answer is
/// always [`Error::Cancelled`].
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    until: Option<Instant>,
    cancelled: Arc<AtomicBool>,
}

impl Deadline {
    /// No deadline.
    pub fn never() -> Self {
        Self::default()
    }

    /// A deadline after this time from now.
    pub fn after(time: Duration) -> Self {
        Self { until: Instant::now().checked_add(time), ..Self::default() }
    }

    /// Cancels the answer.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The time left; `None` without a deadline, zero after a cancellation.
    pub fn remaining_time(&self) -> Option<Duration> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Duration::ZERO);
        }
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// Whether the deadline has passed or the answer was cancelled.
    pub fn is_over(&self) -> bool {
        self.remaining_time().is_some_and(|left| left.is_zero())
    }

    /// Runs `work` on this thread for the answer: walks over history also end at the deadline or a cancellation.
    pub fn run_interruptible<T>(&self, work: impl FnOnce() -> T) -> T {
        let deadline = self.clone();
        icr_git::interruptible(move || deadline.is_over(), work)
    }

    /// Returns an error after the deadline or a cancellation, for work without a useful partial result.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.is_over() {
            false => Ok(()),
            true if self.cancelled.load(Ordering::Relaxed) => Err(Error::Cancelled),
            true => Err(Error::TimedOut),
        }
    }

    /// `time`, or the time left if that is shorter.
    pub(crate) fn at_most(&self, time: Duration) -> Duration {
        self.remaining_time().map_or(time, |left| left.min(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_over_when_its_time_is_or_when_it_was_given_up() {
        assert!(!Deadline::never().is_over());
        assert!(!Deadline::after(Duration::from_secs(3_600)).is_over());
        assert!(matches!(Deadline::after(Duration::ZERO).check(), Err(Error::TimedOut)));
        let deadline = Deadline::never();
        deadline.clone().cancel();
        assert!(matches!(deadline.check(), Err(Error::Cancelled)));
        assert_eq!(deadline.at_most(Duration::from_secs(1)), Duration::ZERO);
    }
}
