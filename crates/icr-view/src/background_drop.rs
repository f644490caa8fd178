//! Values that are freed on another thread.

use std::ops::{Deref, DerefMut};

/// A value that is freed on another thread, so that nobody waits for it: freeing millions of small pieces takes a tenth
/// of a second, as long as many a question. A process that ends does not free it at all.
pub struct BackgroundDrop<T: Send + 'static>(Option<T>);

impl<T: Send + 'static> BackgroundDrop<T> {
    /// Wraps `value`. Costs nothing until it is dropped; dropping starts a thread.
    pub fn new(value: T) -> Self {
        Self(Some(value))
    }
}

/// Message of `expect`.
const HELD: &str = "the value is there until it is dropped";

impl<T: Send + Default + 'static> Default for BackgroundDrop<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Send + 'static> Deref for BackgroundDrop<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect(HELD)
    }
}

impl<T: Send + 'static> DerefMut for BackgroundDrop<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect(HELD)
    }
}

impl<T: Send + 'static> Drop for BackgroundDrop<T> {
    fn drop(&mut self) {
        let Some(value) = self.0.take() else { return };
        // If no thread can be started, the closure is dropped here, and the value with it.
        let _ = std::thread::Builder::new().name("icr-free".to_owned()).spawn(move || drop(value));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{ThreadId, current};

    use super::*;

    struct DropReporter(Sender<ThreadId>);

    impl Drop for DropReporter {
        fn drop(&mut self) {
            self.0.send(current().id()).unwrap();
        }
    }

    #[test]
    fn it_is_freed_once_on_another_thread() {
        let (sender, freed) = channel();
        drop(BackgroundDrop::new(DropReporter(sender)));
        assert_ne!(freed.recv().unwrap(), current().id());
        assert!(freed.recv().is_err(), "nothing is freed twice");
    }
}
