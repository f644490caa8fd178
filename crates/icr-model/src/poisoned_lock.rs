//! Locks whose holder panicked.

use std::sync::{LockResult, PoisonError};

/// The value behind a lock, even if a thread panicked while it held the lock: `even_after_panic(mutex.lock())`.
///
/// Only for values that no holder leaves half changed. For other values, the caller handles the poisoned lock itself.
pub fn even_after_panic<T>(locked: LockResult<T>) -> T {
    locked.unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_lock_is_taken_after_its_holder_panicked() {
        let count = Mutex::new(1);
        let holder = AssertUnwindSafe(|| {
            *even_after_panic(count.lock()) += 1;
            let _held = count.lock();
            panic!("with the lock in hand");
        });
        assert!(catch_unwind(holder).is_err() && count.is_poisoned());
        *even_after_panic(count.lock()) += 1;
        assert_eq!(even_after_panic(count.into_inner()), 3);
    }
}
