//! Ending walks over history when nobody waits for them any more.
//!
//! A walk is many calls below whoever knows until when its result is wanted, and stays on the thread that began it. So the thread knows: what
//! walks asks it before each commit.

use std::cell::RefCell;
use std::rc::Rc;

use crate::Error;

/// Says whether the work is given up.
type IsOver = Rc<dyn Fn() -> bool>;

thread_local! {
    static IS_OVER: RefCell<Option<IsOver>> = const { RefCell::new(None) };
}

/// Does `work`, in which every walk over history on this thread ends with [`Error::Interrupted`] once `is_over` says so. Threads that the work
/// begins know nothing of it.
pub fn interruptible<T>(is_over: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> T {
    let _before = InterruptGuard(IS_OVER.replace(Some(Rc::new(is_over))));
    work()
}

/// What held before, and holds again when this is dropped.
struct InterruptGuard(Option<IsOver>);

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        IS_OVER.set(self.0.take());
    }
}

/// Whether the work of this thread goes on.
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
