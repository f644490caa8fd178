//! Reading and writing files of others: links are refused, writes are whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::refusal::Refusal;

/// Largest file that is edited, in bytes; configuration files have kilobytes, and the state of an agent that runs for years some megabytes.
pub(crate) const BYTES_MOST: u64 = 5 * 1024 * 1024;

/// The text of the file at `path`; nothing where there is none. `project` is the root below which no directory may be a link.
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

/// Whether the file at `path` may be written, or may be made.
pub(crate) fn check_writable(path: &Path) -> Result<(), Refusal> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.permissions().readonly() => Err(Refusal::ReadOnly),
        Ok(metadata) => check_owner(&metadata),
        Err(_) => Ok(()),
    }
}

/// Refuses a file that would not be the same for others once another one is put in its place.
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

/// Puts `text` at `path`, whole or not at all; the mode stays, a new file is for its owner alone. `before` is what was read there: where
/// something else stands there now, nothing is written.
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
        // What is left of it is of no use; that it cannot be removed is no further fault.
        let _ = fs::remove_file(&temporary);
    }
    step();
    // The rename is done; that it is not on the disk yet matters only when the machine fails now.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    outcome
}

/// Removes a file of icr's own, whatever stands there.
pub(crate) fn discard(path: &Path) -> Result<(), Refusal> {
    step();
    remove_if_there(path)?;
    step();
    Ok(())
}

/// Removes the file at `path`, where `before` stands, or nothing.
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

/// Makes `directories`, each for its owner alone.
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
        // Where something is in it, it stays.
        let _ = fs::remove_dir(directory);
    }
}

/// Removes what a killed write left beside `path`.
pub(crate) fn remove_temporary(path: &Path) {
    // There is none, as a rule.
    let _ = fs::remove_file(temporary(path));
}

/// Sixty-four hexadecimal digits by which a text is known.
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

/// Where a file is written before it takes its place. One name a file: what a killed write left is found again.
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

/// A moment at which the process may be killed. Tests kill it at each.
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

    /// What a killed run panics with.
    pub(crate) struct KilledRun;

    /// Ends the run where it was told to end.
    pub(crate) fn step() {
        match STEPS_LEFT.get() {
            Some(0) => std::panic::panic_any(KilledRun),
            left => STEPS_LEFT.set(left.map(|left| left - 1)),
        }
    }

    /// Runs `work` and kills it after `steps` of the steps it takes. Whether it ended by itself before.
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
