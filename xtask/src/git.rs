//! Runs git in a clone.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A git command that could not be run, or failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("running git in `{}`: {source}", .path.display())]
    Run { path: PathBuf, source: std::io::Error },
    #[error("`git {arguments}` failed in `{}`: {said}", .path.display())]
    Failed { path: PathBuf, arguments: String, said: String },
}

/// A clone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Git<'a> {
    directory: &'a Path,
    /// The index to use instead of the clone's own.
    index: Option<&'a Path>,
}

/// Fixed author and date of commits, so that the same input gives the same commit.
const IDENTITY: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "icr"),
    ("GIT_AUTHOR_EMAIL", "icr@localhost"),
    ("GIT_AUTHOR_DATE", "2000-01-01T00:00:00Z"),
    ("GIT_COMMITTER_NAME", "icr"),
    ("GIT_COMMITTER_EMAIL", "icr@localhost"),
    ("GIT_COMMITTER_DATE", "2000-01-01T00:00:00Z"),
];

impl<'a> Git<'a> {
    pub(crate) fn at(directory: &'a Path) -> Self {
        Self { directory, index: None }
    }

    pub(crate) fn with_index(self, index: &'a Path) -> Self {
        Self { index: Some(index), ..self }
    }

    /// What git prints.
    pub(crate) fn output(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        self.output_with_input(arguments, &[])
    }

    /// Output of git as text, without the last line end.
    pub(crate) fn line(&self, arguments: &[&str], input: &[u8]) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.output_with_input(arguments, input)?).trim_end().to_owned())
    }

    /// Output of git with `input` on its standard input.
    pub(crate) fn output_with_input(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        let run = |source| GitError::Run { path: self.directory.to_owned(), source };
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.directory).envs(IDENTITY);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Inside a git hook these would name another repository.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(name);
        }
        if let Some(index) = self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        let mut child = command.spawn().map_err(run)?;
        let stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            // On another thread: git may fill its output pipe before it has read all of its input, and both would wait.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
            child.wait_with_output()
        });
        let output = output.map_err(run)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(GitError::Failed { path: self.directory.to_owned(), arguments: arguments.join(" "), said })
    }
}
