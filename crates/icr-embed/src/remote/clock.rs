//! Time as retries see it.

use std::time::{Duration, Instant};

/// What tells the time and lets it pass. Tests have one that does not wait.
pub trait Clock: Send + Sync {
    /// Time since some moment, which stays the same.
    fn now(&self) -> Duration;

    /// Comes back when `length` has passed.
    fn pause(&self, length: Duration);
}

/// The clock of this machine.
#[derive(Debug)]
pub struct SystemClock {
    begin: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { begin: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    fn pause(&self, length: Duration) {
        let end = Instant::now() + length;
        // A thread may be woken early.
        while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            std::thread::park_timeout(left);
        }
    }
}
