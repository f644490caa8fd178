//! The clock for retries.

use std::time::{Duration, Instant};

/// Tells the time and waits. Tests use a clock that does not wait.
pub trait Clock: Send + Sync {
    /// Time since a fixed moment.
    fn now(&self) -> Duration;

    /// Returns after `length` has passed.
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
        // `park_timeout` may return early.
        while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            std::thread::park_timeout(left);
        }
    }
}
