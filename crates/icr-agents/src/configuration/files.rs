//! Reads and writes files of hosts: symbolic links are refused, and writes are atomic.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::refusal::Refusal;

/// Largest file that is edited, in bytes. Configuration files have kilobytes; the state of an agent that has run for
/// years has some megabytes.
pub(crate) const BYTES_MOST: u64 = 5 * 1024 * 1024;

/// The text of the file at `path`; `None` if it does not exist. `project` is the root below which no directory may be a
/// symbolic link.
pub(crate) fn read(path: &Path, project: Option<&Path>) -> Result<Option<String>, Refusal> {
    if let Some(root) = project {
        refuse_links_below(root, path)?;
    }
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(system("look at", error)),
    };
    if metadata.is_symlink() {
        return Err(Refusal::Link { target: fs::read_link(path).unwrap_or_default() });
    }
    if !metadata.is_file() {
        return Err(Refusal::NotAFile { found: if metadata.is_dir() { "a directory" } else { "a device or a pipe" } });
    }
    if metadata.len() > BYTES_MOST {
        return Err(Refusal::TooLarge { bytes: metadata.len(), most: BYTES_MOST });
    }
    let bytes = fs::read(path).map_err(|error| system("read", error))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(Refusal::NotUtf8 { at: error.utf8_error().valid_up_to() }),
    }
}

/// Checks that the file at `path` can be written or created.
pub(crate) fn check_writable(path: &Path) -> Result<(), Refusal> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.permissions().readonly() => Err(Refusal::ReadOnly),
        Ok(metadata) => check_owner(&metadata),
        Err(_) => Ok(()),
    }
}

/// Refuses a file whose owner or hard links would change when it is replaced by a new file.
#[cfg(unix)]
fn check_owner(metadata: &fs::Metadata) -> Result<(), Refusal> {
    use std::os::unix::fs::MetadataExt;
    match metadata.nlink() {
        names if names > 1 => Err(Refusal::HardLinked { names }),
        _ if metadata.uid() != rustix::process::geteuid().as_raw() => Err(Refusal::OtherOwner),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_owner(_: &fs::Metadata) -> Result<(), Refusal> {
    Ok(())
}

/// Writes `text` to `path` atomically. The file mode is kept; a new file is readable by its owner only. `before` is the
/// text that was read: if the file has another text now, nothing is written.
pub(crate) fn write(path: &Path, before: Option<&str>, text: &str) -> Result<(), Refusal> {
    let (Some(directory), Some(_)) = (path.parent(), path.file_name()) else {
        return Err(Refusal::NotAFile { found: "no path of a file" });
    };
    let temporary = temporary(path);
    let mode = fs::symlink_metadata(path).ok().map(|metadata| metadata.permissions());
    step();
    remove_if_there(&temporary)?;
    step();
    let written = new_file(&temporary).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        if let Some(mode) = mode {
            file.set_permissions(mode)?;
        }
        file.sync_all()
    });
    step();
    let outcome = written.map_err(|error| system("write", error)).and_then(|()| {
        let now = fs::read(path).ok();
        if now.as_deref() != before.map(str::as_bytes) {
            return Err(Refusal::Busy);
        }
        fs::rename(&temporary, path).map_err(|error| system("replace", error))
    });
    if outcome.is_err() {
        // The temporary file is useless; an error while removing it is not a further fault.
        let _ = fs::remove_file(&temporary);
    }
    step();
    // The rename is done; the sync matters only if the machine fails right now.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    outcome
}

/// Removes a file of icr itself, whatever its content.
pub(crate) fn discard(path: &Path) -> Result<(), Refusal> {
    step();
    remove_if_there(path)?;
    step();
    Ok(())
}

/// Removes the file at `path` if it still has the text `before`.
pub(crate) fn remove(path: &Path, before: Option<&str>) -> Result<(), Refusal> {
    step();
    match fs::read(path) {
        Ok(now) if before.map(str::as_bytes) != Some(now.as_slice()) => return Err(Refusal::Busy),
        _ => remove_if_there(path)?,
    }
    step();
    Ok(())
}

/// The directories above `path` that are not there, outermost first.
pub(crate) fn missing_directories(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|path| fs::symlink_metadata(path).is_err());
    let mut missing: Vec<PathBuf> = above.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Creates `directories`, accessible only to their owner.
pub(crate) fn make_directories(directories: &[PathBuf]) -> Result<(), Refusal> {
    for directory in directories {
        step();
        match make_directory(directory) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(system("make the directory of", error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes those of `directories` that are empty, innermost first.
pub(crate) fn remove_directories(directories: &[PathBuf]) {
    for directory in directories.iter().rev() {
        step();
        // A directory that is not empty stays.
        let _ = fs::remove_dir(directory);
    }
}

/// Removes the temporary file of a killed write to `path`.
pub(crate) fn remove_temporary(path: &Path) {
    // Usually there is none.
    let _ = fs::remove_file(temporary(path));
}

/// A digest that identifies a text, as 64 hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn system(doing: &'static str, source: std::io::Error) -> Refusal {
    Refusal::System { doing, source }
}

fn refuse_links_below(root: &Path, path: &Path) -> Result<(), Refusal> {
    let below = path.ancestors().skip(1).take_while(|directory| *directory != root && directory.starts_with(root));
    for directory in below {
        if directory.is_symlink() {
            let target = fs::read_link(directory).unwrap_or_default();
            return Err(Refusal::LinkInProject { directory: directory.to_owned(), target });
        }
    }
    Ok(())
}

/// Path of the temporary file for `path`. The name is fixed, so that the file of a killed write is found again.
fn temporary(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".icr-new");
    path.with_file_name(name)
}

fn remove_if_there(path: &Path) -> Result<(), Refusal> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(system("remove", error)),
        _ => Ok(()),
    }
}

fn new_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub(crate) fn make_directory(path: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// A point at which the process may be killed. Tests kill it at each of them.
#[cfg(not(test))]
fn step() {}

#[cfg(test)]
pub(crate) use tests::step;

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    thread_local! {
        static STEPS_LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// The panic payload of a run that a test killed.
    pub(crate) struct KilledRun;

    /// Panics if the test asked for the run to be killed at this step.
    pub(crate) fn step() {
        match STEPS_LEFT.get() {
            Some(0) => std::panic::panic_any(KilledRun),
            left => STEPS_LEFT.set(left.map(|left| left - 1)),
        }
    }

    /// Runs `work` and kills it after `steps` steps. Returns whether it ended by itself before that.
    pub(crate) fn killed_after(steps: usize, work: impl FnOnce()) -> bool {
        STEPS_LEFT.set(Some(steps));
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        STEPS_LEFT.set(None);
        match outcome {
            Ok(()) => true,
            Err(payload) if payload.is::<KilledRun>() => false,
            Err(payload) => std::panic::resume_unwind(payload),
        }
    }
}
