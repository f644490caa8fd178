//! Until when an answer is wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Error;

/// Until when an answer is wanted, and whether it still is. Clones speak of the same answer.
///
/// Work looks at it between files and between steps. Where a part of an answer is worth something (lines of the files that
/// were read, a ranking by words alone), that part is given and a gap says what is lacking; elsewhere the answer is
/// [`Error::TimedOut`]. Who gave the answer up gets [`Error::Cancelled`] in any case.
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    until: Option<Instant>,
    cancelled: Arc<AtomicBool>,
}

impl Deadline {
    /// Whenever it is done.
    pub fn never() -> Self {
        Self::default()
    }

    /// So long from now.
    pub fn after(time: Duration) -> Self {
        Self { until: Instant::now().checked_add(time), ..Self::default() }
    }

    /// Gives the answer up.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// What is left; `None` when there is no end. Zero when it was given up.
    pub fn remaining_time(&self) -> Option<Duration> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Duration::ZERO);
        }
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// Whether nobody waits any more.
    pub fn is_over(&self) -> bool {
        self.remaining_time().is_some_and(|left| left.is_zero())
    }

    /// Does `work` on this thread for the answer: walks over history end too when nobody waits for it any more.
    pub fn run_interruptible<T>(&self, work: impl FnOnce() -> T) -> T {
        let deadline = self.clone();
        icr_git::interruptible(move || deadline.is_over(), work)
    }

    /// Ends work that has nothing to show before it is whole.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.is_over() {
            false => Ok(()),
            true if self.cancelled.load(Ordering::Relaxed) => Err(Error::Cancelled),
            true => Err(Error::TimedOut),
        }
    }

    /// `time`, or what is left if that is less.
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
