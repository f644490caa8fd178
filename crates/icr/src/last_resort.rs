//! Going on when a grammar ends the process.
//!
//! Grammars are C, and reading a text takes bounded work as far as work can be counted. What remains is a crash in a scanner, an assertion, an endless
//! loop. A process of its own for reading would cost each honest text a copy there and back. So this process begins again in its own place when that
//! happens, and costs a pass over each text until then: a signal handler sees that the thread was reading a text and executes the program anew, with the same
//! arguments, directory and input, and with a variable that says which text it was. A text that did it twice is read without a grammar, and is stored
//! so, for its blob and recipe. What was written to a store meanwhile is what any killed process leaves; slots of LMDB's readers stay taken until the process ends, since its number
//! stays.
//!
//! Linux only; elsewhere the process ends as it would without this.

use std::sync::{Arc, OnceLock};

use icr_mcp::KeptInput;

/// Input of the process that it has read, for reading it again.
pub(crate) enum ReplayableInput {
    /// All of it.
    Whole(Arc<[u8]>),
    /// What a server has not answered yet; the rest is still to be read.
    Served(Arc<KeptInput>),
}

/// What the process has read of its input.
static INPUT: OnceLock<ReplayableInput> = OnceLock::new();

/// Says what the process has read of its input: what begins again has to read it too.
pub(crate) fn keep(input: ReplayableInput) {
    // Whoever reads twice has read all the first time.
    let _ = INPUT.set(input);
}

/// Has the process begin again where reading a text ends it or never ends.
pub(crate) fn install() {
    #[cfg(target_os = "linux")]
    linux::install();
}

/// Says that the process began again, where it did.
pub(crate) fn report_restart() {
    #[cfg(target_os = "linux")]
    linux::report_restart();
}

/// What a server has to read before its input: what the process before this one in its place had not answered.
pub(crate) fn unanswered_input() -> Vec<u8> {
    #[cfg(target_os = "linux")]
    return linux::unanswered_input();
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

#[cfg(target_os = "linux")]
mod linux;
