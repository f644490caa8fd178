//! Stops walks over history when the caller no longer waits for the result.
//!
//! The code that knows the deadline is many calls above the walk, on the same thread. So the deadline is kept per
//! thread, and a walk checks it before each commit.

use std::cell::RefCell;
use std::rc::Rc;

use crate::Error;

/// Returns whether to stop the work.
type IsOver = Rc<dyn Fn() -> bool>;

thread_local! {
    static IS_OVER: RefCell<Option<IsOver>> = const { RefCell::new(None) };
}

/// Runs `work`. Once `is_over` returns true, each walk over history on this thread ends with [`Error::Interrupted`].
/// Threads that `work` starts are not affected.
pub fn interruptible<T>(is_over: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> T {
    let _before = InterruptGuard(IS_OVER.replace(Some(Rc::new(is_over))));
    work()
}

/// The previous check, which is restored on drop.
struct InterruptGuard(Option<IsOver>);

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        IS_OVER.set(self.0.take());
    }
}

/// Checks that the work of this thread may go on.
///
/// # Errors
///
/// [`Error::Interrupted`].
pub(crate) fn check() -> Result<(), Error> {
    let is_over = IS_OVER.with_borrow(Clone::clone);
    match is_over.is_some_and(|is_over| is_over()) {
        true => Err(Error::Interrupted),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_within_work_has_its_own_end_and_gives_the_other_back() {
        check().unwrap();
        interruptible(
            || true,
            || {
                check().unwrap_err();
                interruptible(|| false, || check().unwrap());
                check().unwrap_err();
            },
        );
        check().unwrap();
        let panicked = std::panic::catch_unwind(|| interruptible(|| true, || panic!("as tools may")));
        panicked.unwrap_err();
        check().unwrap();
    }
}
