//! Bounds of a run, and what they are where nobody says otherwise.

use std::time::Duration;

use crate::{Refusal, SandboxedCommand};

/// Time of a run where nobody says otherwise: the test suites of most projects take less.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

/// The longest run. What takes more belongs into a service of its own.
pub const MOST_TIME: Duration = Duration::from_secs(60 * 60);

/// Bytes of each stream that are kept where nobody says otherwise: about 16,000 tokens, more than an agent reads.
pub const DEFAULT_OUTPUT_BYTES: usize = 64 * 1024;

/// Bytes of each stream that are kept at most: they are held in memory.
pub const MOST_OUTPUT_BYTES: usize = 16 * 1024 * 1024;

/// Bytes that a run may take of the disk where nobody says otherwise: a debug build of a large project takes less.
pub const DEFAULT_WRITTEN_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Arguments of a command together, in bytes. Linux takes two mebibytes of arguments and environment.
const MOST_ARGUMENT_BYTES: usize = 1024 * 1024;

/// Whether the numbers of `command` are within bounds.
///
/// # Errors
///
/// [`Refusal::Timeout`], [`Refusal::OutputBytes`], [`Refusal::WrittenBytes`], [`Refusal::Arguments`].
pub(crate) fn check(command: &SandboxedCommand<'_>) -> Result<(), Refusal> {
    if command.timeout.is_zero() || command.timeout > MOST_TIME {
        return Err(Refusal::Timeout { timeout: command.timeout, most: MOST_TIME });
    }
    if command.output_bytes > MOST_OUTPUT_BYTES {
        return Err(Refusal::OutputBytes { bytes: command.output_bytes, most: MOST_OUTPUT_BYTES });
    }
    if command.written_bytes_most == 0 {
        return Err(Refusal::WrittenBytes);
    }
    let bytes = command.argv.iter().map(|argument| argument.len() + 1).sum();
    if bytes > MOST_ARGUMENT_BYTES {
        return Err(Refusal::Arguments { bytes, most: MOST_ARGUMENT_BYTES });
    }
    Ok(())
}
