//! The pager for long answers, as in git: `$PAGER`, else `less`. The configuration of a repository is not used.

use std::io::Write;
use std::process::{Child, ChildStdin};

use crate::environment;

/// Options for `less` if `LESS` is not set: exit if everything fits on the screen, show colours, leave the text on the
/// screen.
const LESS: &str = "FRX";

/// A running pager.
pub(crate) struct Pager {
    process: Child,
    input: Option<ChildStdin>,
}

impl Pager {
    /// Starts the pager. `None` if there is none or none is wanted: `PAGER` is empty or `cat`, or the terminal is dumb.
    pub(crate) fn start() -> Option<Self> {
        let text = |name: &str| environment::variable(name).and_then(|value| value.into_string().ok());
        if text("TERM").is_none_or(|terminal| terminal == "dumb") {
            return None;
        }
        let command = text("PAGER").unwrap_or_else(|| "less".to_owned());
        if command.trim().is_empty() || command.trim() == "cat" {
            return None;
        }
        let less = environment::variable("LESS").is_none().then_some(("LESS", LESS));
        let mut process = environment::start_reader(&command, less).ok()?;
        // Ctrl-C is meant for the pager; icr ends when the user leaves the pager.
        #[cfg(unix)]
        let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::default());
        let input = process.stdin.take();
        Some(Self { process, input })
    }

    /// Waits until the user leaves the pager.
    pub(crate) fn finish(&mut self) {
        drop(self.input.take());
        let _ = self.process.wait();
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.input {
            Some(input) => input.write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.input.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        self.finish();
    }
}
