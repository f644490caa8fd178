//! The files to check: those that git tracks or would track, read once.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Largest file in the repository, in bytes. Hand-written files are far smaller; larger ones are data, which should be
/// downloaded or generated.
pub(crate) const MAX_FILE_BYTES: u64 = 512 << 10;

/// The files of the workspace.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    /// Sorted by path.
    pub(crate) files: Vec<WorkspaceFile>,
}

/// One file.
#[derive(Debug)]
pub(crate) struct WorkspaceFile {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    pub(crate) bytes_total: u64,
    /// `None` for symbolic links, for what is not UTF-8 and for what is larger than [`MAX_FILE_BYTES`].
    pub(crate) text: Option<String>,
}

/// Why there is nothing to check.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{program}` cannot be run: {source}")]
    Run { program: String, source: io::Error },
    #[error("`{command}` failed: {message}")]
    Failed { command: String, message: String },
    #[error("`{}` cannot be read: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
}

impl Tree {
    /// The workspace that this program was built in.
    ///
    /// # Errors
    ///
    /// [`Error::Run`] and [`Error::Failed`] when git does not list the files; [`Error::Read`] when one cannot be read.
    pub(crate) fn of_workspace() -> Result<Self, Error> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the directory of a crate has a parent");
        let mut command = Command::new("git");
        command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root);
        // Inside a git hook these would name another repository.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(name);
        }
        let listed = output_of(&mut command)?;
        let mut paths: Vec<String> =
            listed.split(|byte| *byte == 0).map(|path| String::from_utf8_lossy(path).into_owned()).collect();
        paths.sort();
        // A path in conflict is listed once for each side.
        paths.dedup();
        let mut files = Vec::new();
        for path in paths.into_iter().filter(|path| !path.is_empty()) {
            files.extend(read(root, path)?);
        }
        Ok(Self { root: root.to_owned(), files })
    }

    /// A tree of texts, for tests of checks.
    #[cfg(test)]
    pub(crate) fn of_texts(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| WorkspaceFile {
            path: (*path).to_owned(),
            bytes_total: text.len() as u64,
            text: Some((*text).to_owned()),
        });
        Self { root: PathBuf::new(), files: files.collect() }
    }

    /// The text of the file at `path`; `None` when there is none.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path)?.text.as_deref()
    }

    /// All files with text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|file| Some((file.path.as_str(), file.text.as_deref()?)))
    }
}

/// What a command writes to its output.
///
/// # Errors
///
/// [`Error::Run`] when it cannot be started; [`Error::Failed`] with its own message when it fails.
pub(crate) fn output_of(command: &mut Command) -> Result<Vec<u8>, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|source| Error::Run { program: program.clone(), source })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    let message = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    Err(Error::Failed { command: format!("{program} {}", arguments.join(" ")), message })
}

fn read(root: &Path, path: String) -> Result<Option<WorkspaceFile>, Error> {
    let place = root.join(&path);
    let failed = |source| Error::Read { path: place.clone(), source };
    let metadata = match place.symlink_metadata() {
        Ok(metadata) => metadata,
        // The file was deleted, but the deletion is not staged.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let bytes_total = metadata.len();
    let text = match metadata.is_file() && bytes_total <= MAX_FILE_BYTES {
        true => String::from_utf8(std::fs::read(&place).map_err(failed)?).ok(),
        false => None,
    };
    Ok(Some(WorkspaceFile { path, bytes_total, text }))
}
