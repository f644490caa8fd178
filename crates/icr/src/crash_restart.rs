//! Restarts the process when a grammar crashes or never ends.
//!
//! Grammars are C code. icr bounds the work of reading a text as far as it can count the work, but a scanner may still
//! crash, fail an assertion or loop for ever. Reading in a separate process would cost a copy to and from it for every
//! text. Instead, this process restarts in place when that happens, and until then the only cost is one pass over each
//! text: a signal handler sees that the thread was reading a text and executes the program again, with the same
//! arguments, directory and input, and with a variable that names the text. A text that caused this twice is read
//! without a grammar, and is stored that way for its blob and recipe. The store is left as by any killed process,
//! except that slots of LMDB's readers stay taken until the process ends, because its process id stays the same.
//!
//! Linux only; on other systems a crash ends the process.

use std::sync::{Arc, OnceLock};

use icr_mcp::KeptInput;

/// Input that the process has read, kept to be read again after a restart.
pub(crate) enum ReplayableInput {
    /// The whole input.
    Whole(Arc<[u8]>),
    /// Requests that a server has not answered yet; the rest of the input is still unread.
    Served(Arc<KeptInput>),
}

/// Input that the process has read.
static INPUT: OnceLock<ReplayableInput> = OnceLock::new();

/// Registers the input that the process has read, so that it can be read again after a restart.
pub(crate) fn keep(input: ReplayableInput) {
    // Ignored the second time: the first call has the whole input already.
    let _ = INPUT.set(input);
}

/// Makes the process restart when reading a text crashes it or never ends.
pub(crate) fn install() {
    #[cfg(target_os = "linux")]
    linux::install();
}

/// Logs that the process restarted, if it did.
pub(crate) fn report_restart() {
    #[cfg(target_os = "linux")]
    linux::report_restart();
}

/// Requests that the process before the restart had not answered; a server reads them before its input.
pub(crate) fn unanswered_input() -> Vec<u8> {
    #[cfg(target_os = "linux")]
    return linux::unanswered_input();
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

#[cfg(target_os = "linux")]
mod linux;
