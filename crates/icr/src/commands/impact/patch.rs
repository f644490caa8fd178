//! Diffs on standard input.

use std::io::{IsTerminal, Read};
use std::sync::Arc;

use crate::crash_restart;
use crate::problem::Usage;

/// Largest diff, in bytes. A larger one consists of generated files, and the whole diff is kept in memory.
const MAX_BYTES: u64 = 256 << 20;

/// All of standard input.
///
/// # Errors
///
/// [`Usage`] if standard input is a terminal, because then both the user and icr would wait, or if it has more than 256
/// MiB.
pub(super) fn from_stdin() -> anyhow::Result<Arc<[u8]>> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(nothing_piped().into());
    }
    let patch: Arc<[u8]> = read(stdin.lock(), MAX_BYTES)?.into();
    crash_restart::keep(crash_restart::ReplayableInput::Whole(Arc::clone(&patch)));
    Ok(patch)
}

fn read(input: impl Read, max_bytes: u64) -> anyhow::Result<Vec<u8>> {
    let mut patch = Vec::new();
    input.take(max_bytes + 1).read_to_end(&mut patch)?;
    if patch.len() as u64 > max_bytes {
        return Err(Usage {
            message: format!("the diff on standard input has more than {max_bytes} bytes"),
            hint: Some("name the commits instead: `icr impact BASE..HEAD`".to_owned()),
        }
        .into());
    }
    Ok(patch)
}

fn nothing_piped() -> Usage {
    Usage {
        message: "`-` reads a diff from standard input, and that is a terminal".to_owned(),
        hint: Some("pipe one: `git diff main | icr impact -`, or `icr impact - < change.patch`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_read_up_to_its_bound() {
        assert_eq!(read(&b"diff"[..], 4).unwrap(), b"diff");
        assert_eq!(read(&b""[..], 4).unwrap(), b"");
        let error = read(std::io::repeat(b'+'), 4).unwrap_err();
        assert_eq!(error.to_string(), "the diff on standard input has more than 4 bytes");
        assert!(error.is::<Usage>());
    }

    #[test]
    fn a_terminal_is_told_what_to_pipe() {
        let Usage { message, hint } = nothing_piped();
        assert!(message.contains("terminal") && hint.unwrap().contains("git diff main | icr impact -"));
    }
}
