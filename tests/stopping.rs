//! Runs that stop before their end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use icr_engine::{Observer, WriteStep};

/// Panics when `step` is reached, which leaves the same state as an error right after it.
#[derive(Debug, Clone, Copy)]
pub struct StopAt(pub WriteStep);

impl Observer for StopAt {
    fn step(&self, step: WriteStep) {
        assert!(step != self.0, "stopped at {}", step.name());
    }
}

/// Runs `work` with an observer that stops it at `step`. Returns whether it got there.
pub fn stopped_at<T>(step: WriteStep, work: impl FnOnce(&dyn Observer) -> T) -> bool {
    catch_unwind(AssertUnwindSafe(|| work(&StopAt(step)))).is_err()
}
