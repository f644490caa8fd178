//! The place of one hook: its state, and renaming an existing hook and restoring it.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::managers::{HookIntegration, HookProgram, writer_of};
use crate::pause::PAUSED;
use crate::script::{HookFileKind, recognise, render};
use crate::{Error, HookEvent, HookState, HooksPlace};

/// Suffix of the hook that existed before icr's script, which runs it first.
pub(crate) const BEFORE: &str = ".before-icr";

/// Most bytes of a file that are read to recognise it: a whole script, or the start of a program.
const MOST_BYTES: u64 = 64 << 10;

/// The place of one hook.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) event: &'static HookEvent,
    /// Path of icr's script, whether or not it exists.
    pub(crate) file: PathBuf,
    /// Path of the hook that existed before.
    pub(crate) before: PathBuf,
    /// The hook manager that writes hooks here, or runs those of icr.
    pub(crate) manager: Option<&'static HookProgram>,
    /// Kind of the file at this place; `None` if there is none.
    pub(crate) found: Option<HookFileKind>,
    before_exists: bool,
}

impl Slot {
    /// The place for `event` where git looks, or where the hook manager that owns it looks.
    pub(crate) fn of(place: &HooksPlace, event: &'static HookEvent) -> Result<Self, Error> {
        let file = place.directory.join(event.name);
        let writer = read(&file)?.filter(|_| !is_link(&file)).and_then(|text| writer_of(&text));
        let manager = writer.or(place.manager);
        match manager.map(|manager| &manager.way) {
            Some(HookIntegration::Beside(ending)) => Self::at(event, with_ending(&file, ending), manager),
            _ => Self::at(event, file, manager),
        }
    }

    /// The place at `file`.
    pub(crate) fn at(
        event: &'static HookEvent,
        file: PathBuf,
        manager: Option<&'static HookProgram>,
    ) -> Result<Self, Error> {
        // During a rebase, the hook has another name.
        let paused = with_ending(&file, PAUSED);
        let text = read(&file)?.map_or_else(|| read(&paused), |text| Ok(Some(text)))?;
        // icr does not make links, so a link is not its script.
        let whose = |text: Vec<u8>| if is_link(&file) { HookFileKind::Foreign } else { recognise(event, &text) };
        let found = text.map(whose);
        let before = with_ending(&file, BEFORE);
        let before_exists = fs::symlink_metadata(&before).is_ok();
        Ok(Self { event, file, before, manager, found, before_exists })
    }

    pub(crate) fn state(&self) -> HookState {
        let is_managed = self.manager.is_some_and(|manager| matches!(manager.way, HookIntegration::Line { .. }));
        match &self.found {
            Some(HookFileKind::Ours { is_current: false, .. }) => HookState::Outdated,
            Some(HookFileKind::Ours { .. }) if self.before_exists => HookState::Chained,
            Some(HookFileKind::Ours { .. }) => HookState::Installed,
            Some(HookFileKind::Edited) => HookState::Changed,
            _ if is_managed => HookState::Managed,
            Some(HookFileKind::Foreign) if self.before_exists => HookState::Replaced,
            Some(HookFileKind::Foreign) => HookState::Foreign,
            None if self.before_exists => HookState::Orphaned,
            None => HookState::Absent,
        }
    }

    /// Whether an install would write here; `icr` is the binary that the script falls back to.
    pub(crate) fn takes(&self, icr: &Path) -> bool {
        match &self.found {
            Some(HookFileKind::Ours { icr: known, is_current }) => known != icr || !is_current,
            _ => matches!(self.state(), HookState::Absent | HookState::Foreign | HookState::Orphaned),
        }
    }

    /// Writes icr's script; an existing hook is first kept beside it. At every moment git finds one of the two.
    pub(crate) fn fill(&self, icr: &Path) -> Result<(), Error> {
        let directory = self.file.parent().unwrap_or(Path::new("."));
        let failed = |doing| Error::io(doing, &self.file);
        fs::create_dir_all(directory).map_err(Error::io("making the directory", directory))?;
        let mut script =
            tempfile::Builder::new().prefix(".icr-hook-").tempfile_in(directory).map_err(failed("writing"))?;
        script.write_all(&render(self.event, icr)).map_err(failed("writing"))?;
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            script.as_file().set_permissions(mode).map_err(failed("making executable"))?;
        }
        if self.state() == HookState::Foreign {
            // A hard link first, so that the hook exists at every moment; a rename if links are not possible.
            match fs::hard_link(&self.file, &self.before) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => fs::rename(&self.file, &self.before),
                other => other,
            }
            .map_err(Error::io("keeping the hook as", &self.before))?;
        }
        if let Err(error) = script.persist(&self.file) {
            if self.state() == HookState::Foreign {
                let _ = fs::rename(&self.before, &self.file);
            }
            return Err(failed("writing")(error.error));
        }
        Ok(())
    }

    /// Removes icr's script and restores the hook that existed before.
    pub(crate) fn restore(&self) -> Result<(), Error> {
        let paused = with_ending(&self.file, PAUSED);
        if fs::symlink_metadata(&self.file).is_err() && paused.exists() {
            return fs::remove_file(&paused).map_err(Error::io("deleting", paused));
        }
        match self.before_exists {
            true => fs::rename(&self.before, &self.file).map_err(Error::io("putting back", &self.file)),
            false => fs::remove_file(&self.file).map_err(Error::io("deleting", &self.file)),
        }
    }

    /// The hook that icr's script runs first, if the script is installed.
    pub(crate) fn runs_first(&self) -> Option<&Path> {
        self.former_hook().filter(|before| is_executable(before))
    }

    /// A hook of somebody else that is not run, neither by git nor by icr's script, because it is not executable.
    pub(crate) fn not_executable(&self) -> Option<&Path> {
        let foreign = (self.state() == HookState::Foreign).then_some(&*self.file);
        foreign.or_else(|| self.former_hook()).filter(|hook| !is_executable(hook))
    }

    /// The hook that existed before icr's script, if the script is installed.
    fn former_hook(&self) -> Option<&Path> {
        (self.before_exists && matches!(self.state(), HookState::Chained | HookState::Outdated))
            .then_some(&*self.before)
    }
}

/// The start of a file; empty if it is not a file, `None` if it does not exist.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let failed = |doing| Error::io(doing, path);
    match fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(failed("reading")(error)),
        // Neither a pipe, which would block, nor a link, whose target says nothing about this file.
        Ok(metadata) if !metadata.is_file() => return Ok(Some(Vec::new())),
        Ok(_) => {}
    }
    let mut text = Vec::new();
    let file = fs::File::open(path).map_err(failed("reading"))?;
    file.take(MOST_BYTES).read_to_end(&mut text).map_err(failed("reading"))?;
    Ok(Some(text))
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// Whether git would run the hook at `path`.
fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    return rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    // Where files have no such permission, git runs every hook.
    #[cfg(not(unix))]
    path.exists()
}

/// `path` with a suffix appended to its name.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
