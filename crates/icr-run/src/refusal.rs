//! Why nothing was run.

use std::path::PathBuf;
use std::time::Duration;

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no program.
    #[error("the command is empty: name a program, then its arguments")]
    Empty,
    /// An argument, a path or a variable has a NUL byte, which no program can be given.
    #[error("{what} has a NUL byte, which no program can be given")]
    Nul {
        /// What has it.
        what: String,
    },
    /// The program is not on the list.
    #[error("`{program}` may not be run: it is not in {source_of_list}{}", similar_names(.similar))]
    NotAllowed {
        /// The program as it was typed.
        program: String,
        /// Where the list stands.
        source_of_list: String,
        /// Entries that may have been meant, the nearest first.
        similar: Vec<String>,
    },
    /// The program is on the list, and there is none of that name in `PATH`.
    #[error("there is no program `{program}` in PATH; relative directories and those in the worktree do not count")]
    NoSuchProgram {
        /// The program as it was typed.
        program: String,
    },
    /// The program is on the list as a path of the worktree, and there is no such program.
    #[error("`{program}` is no program that can be run: {why}")]
    NoProgramFile {
        /// The program as it was typed.
        program: String,
        /// What is there instead.
        why: String,
    },
    /// The directory is none below the root.
    #[error("`{}` is no directory inside the worktree `{}`", .directory.display(), .root.display())]
    Outside {
        /// The directory that was asked for.
        directory: PathBuf,
        /// The root of the worktree.
        root: PathBuf,
    },
    /// The root cannot be used.
    #[error("`{}` cannot be the root of a command: {why}", .root.display())]
    Root {
        /// The root that was given.
        root: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The time is out of bounds.
    #[error("a timeout of {timeout:?} is out of bounds: more than zero and at most {most:?} is right")]
    Timeout {
        /// The time that was asked for.
        timeout: Duration,
        /// The longest time.
        most: Duration,
    },
    /// More output was asked for than is kept.
    #[error("{bytes} bytes of output are too many to keep: at most {most} is right")]
    OutputBytes {
        /// What was asked for.
        bytes: usize,
        /// What is kept at most.
        most: usize,
    },
    /// A command that may write nothing cannot run.
    #[error("the bytes that may be written are 0: more than that is right")]
    WrittenBytes,
    /// The arguments are too long.
    #[error("the arguments have {bytes} bytes together: at most {most} is right")]
    Arguments {
        /// Their bytes.
        bytes: usize,
        /// What they may have.
        most: usize,
    },
    /// A sandbox was required, and the kernel does not have it.
    #[error("a sandbox is required and this system cannot hold {}", .lacks.join("; nor "))]
    NoSandbox {
        /// What cannot be held, each with the means that are missing.
        lacks: Vec<String>,
    },
    /// The system refused something on the way.
    #[error("{doing}: {source}")]
    System {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The end of a message: which names may have been meant.
fn similar_names(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        names => format!("; `{}` is", names.join("`, `")),
    }
}
