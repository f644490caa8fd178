//! Why a command was not run.

use std::path::PathBuf;
use std::time::Duration;

/// Why a command was not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no program.
    #[error("the command is empty: name a program, then its arguments")]
    Empty,
    /// An argument, a path or a variable has a NUL byte, which no program can be given.
    #[error("{what} has a NUL byte, which no program can be given")]
    Nul {
        /// The thing that has it.
        what: String,
    },
    /// The program is not on the list.
    #[error("`{program}` may not be run: it is not in {source_of_list}{}", similar_names(.similar))]
    NotAllowed {
        /// The program as it was typed.
        program: String,
        /// The place of the list.
        source_of_list: String,
        /// Similar entries, the nearest first.
        similar: Vec<String>,
    },
    /// The program is on the list, but `PATH` has none of that name.
    #[error("there is no program `{program}` in PATH; relative directories and those in the worktree do not count")]
    NoSuchProgram {
        /// The program as it was typed.
        program: String,
    },
    /// The program is on the list as a path of the worktree, and there is no such program.
    #[error("`{program}` is not a program that can be run: {why}")]
    NoProgramFile {
        /// The program as it was typed.
        program: String,
        /// What is at that path instead.
        why: String,
    },
    /// The directory is none below the root.
    #[error("`{}` is not a directory inside the worktree `{}`", .directory.display(), .root.display())]
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
    #[error("a timeout of {timeout:?} is out of bounds: it must be above zero and at most {most:?}")]
    Timeout {
        /// The time that was asked for.
        timeout: Duration,
        /// The longest time.
        most: Duration,
    },
    /// The requested output limit is too large.
    #[error("{bytes} bytes of output are too many to keep; the limit is {most}")]
    OutputBytes {
        /// The requested limit in bytes.
        bytes: usize,
        /// The largest limit in bytes.
        most: usize,
    },
    /// The limit of written bytes is zero; such a command cannot run.
    #[error("the limit of written bytes is 0; it must be larger")]
    WrittenBytes,
    /// The arguments are too long.
    #[error("the arguments have {bytes} bytes together; the limit is {most}")]
    Arguments {
        /// Their length in bytes.
        bytes: usize,
        /// The largest length in bytes.
        most: usize,
    },
    /// A sandbox was required, and the kernel does not have it.
    #[error("a sandbox is required and this system cannot hold {}", .lacks.join("; nor "))]
    NoSandbox {
        /// The protections that are missing, each with the means that are missing.
        lacks: Vec<String>,
    },
    /// The system refused a step.
    #[error("{doing}: {source}")]
    System {
        /// The step.
        doing: String,
        /// The error of the system.
        source: std::io::Error,
    },
}

/// The end of a message: similar names.
fn similar_names(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        names => format!("; `{}` is", names.join("`, `")),
    }
}
