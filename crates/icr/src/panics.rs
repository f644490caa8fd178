//! Turns panics into errors: a bug of icr ends with a message and an exit code, like any error.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

use crate::environment;

/// Messages of panics so far; the code that catches a panic decides whether it matters.
static HELD_BACK: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Most messages that are kept: the first is the cause, the others are consequences.
const MESSAGES: usize = 4;

/// Keeps panic messages off stderr until it is clear whether they matter. Reading damaged postings may panic in their
/// library; that is caught and repaired there. `RUST_BACKTRACE` shows all panics at once.
pub(crate) fn hold_back() {
    if environment::variable("RUST_BACKTRACE").is_some_and(|value| !value.is_empty() && value != "0") {
        return;
    }
    panic::set_hook(Box::new(|panic| {
        if let Ok(mut held_back) = HELD_BACK.lock()
            && held_back.len() < MESSAGES
        {
            held_back.push(panic.to_string());
        }
    }));
}

/// Parts of the panic messages of rayon and the standard library when the system refuses to start a thread.
const NO_THREAD: [&str; 2] = ["ThreadPoolBuildError", "failed to spawn thread"];

/// Runs `run`; a panic that nobody caught is returned as an error.
pub(crate) fn as_errors<T>(run: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    // What `run` leaves half done is dropped or only printed.
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let held_back = HELD_BACK.lock().map(|held_back| held_back.join("; ")).unwrap_or_default();
        Err(of_panic(&held_back))
    })
}

/// The error for a panic with these messages.
fn of_panic(messages: &str) -> anyhow::Error {
    match NO_THREAD.iter().any(|words| messages.contains(words)) {
        true => NoThread.into(),
        false => Bug { messages: messages.replace('\n', " ") }.into(),
    }
}

/// The system refuses to start more threads.
#[derive(Debug, thiserror::Error)]
#[error("the system lets this process start no more threads")]
pub(crate) struct NoThread;

/// A bug: an invariant of icr does not hold.
#[derive(Debug, thiserror::Error)]
#[error("this is a bug in icr: {messages}")]
pub(crate) struct Bug {
    messages: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_is_not_started_is_no_bug() {
        let message = "panicked at registry.rs: The global thread pool has not been initialized.: ThreadPoolBuildError { kind: 1 }";
        assert!(of_panic(message).is::<NoThread>());
        assert!(of_panic("failed to spawn thread: Os { code: 11 }").is::<NoThread>());
        assert!(of_panic("").is::<Bug>());
    }

    #[test]
    fn a_panic_is_an_error() {
        let error = as_errors(|| -> anyhow::Result<()> { panic!("on purpose") }).expect_err("it panics");
        assert!(error.is::<Bug>() && error.to_string().starts_with("this is a bug in icr"));
        assert_eq!(as_errors(|| Ok(7)).expect("nothing is wrong"), 7);
    }
}
