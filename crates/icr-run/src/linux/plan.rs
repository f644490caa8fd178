//! From places to the view, the rules and the limits of a run.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::places::SandboxPlaces;
use super::tasks::{MOST_TASKS, tasks_of_machine};
use super::view::{FilesystemView, ViewOptions, VisiblePlace};
use super::{SandboxLayers, namespace, sys};
use crate::SandboxedCommand;

/// Directories in the private directory of a run: where a view is built, the run's own `/tmp`, `/var/tmp` and home, and
/// what is shown in place of directories that are not to be seen.
pub(super) const PRIVATE_DIRECTORIES: [&str; 5] = ["root", "tmp", "var-tmp", "home", "nothing"];

/// The empty file that is shown in place of hidden ones.
pub(super) const EMPTY_FILE: &str = "empty";

/// Files and directories that a process may have open at once.
const MOST_OPEN: u64 = 4_096;

/// The directories that a run has for itself.
#[derive(Debug)]
pub(super) struct OwnDirectories {
    /// Paths that the run may write, as they are inside of the view.
    pub(super) writable: Vec<PathBuf>,
    /// Directory for temporary files, as it is inside of the view.
    pub(super) temporary: PathBuf,
}

/// The view of `places`, and the run's own directories in it.
pub(super) fn view(places: &SandboxPlaces, private: &Path, layers: &SandboxLayers) -> (FilesystemView, OwnDirectories) {
    let mut shown: BTreeMap<PathBuf, VisiblePlace> = BTreeMap::new();
    let mut show = |at: &Path, source: &Path, is_read_only| {
        let (at, source) = (at.to_path_buf(), source.to_path_buf());
        shown.insert(at.clone(), VisiblePlace { at, source, is_read_only });
    };
    places.readable.iter().for_each(|place| show(place, place, true));
    let mut writable = Vec::new();
    let own = [
        (Some(PathBuf::from("/tmp")), "tmp"),
        (Some(PathBuf::from("/var/tmp")), "var-tmp"),
        (places.home.clone(), "home"),
    ];
    for (at, name) in own {
        // If the user granted the real directory, the run gets that one.
        let Some(at) = at.filter(|at| !is_granted(at, places)) else {
            continue;
        };
        show(&at, &private.join(name), false);
        writable.push(at);
    }
    let temporary = if writable.iter().any(|at| at == Path::new("/tmp")) {
        PathBuf::from("/tmp")
    } else {
        let temporary = private.join("tmp");
        show(&temporary, &temporary, false);
        writable.push(temporary.clone());
        temporary
    };
    places.writable.iter().for_each(|place| show(place, place, false));
    show(&places.root, &places.root, false);
    places.git.iter().for_each(|place| show(place, place, true));
    for place in &places.hidden {
        show(place, &private.join(if place.is_dir() { "nothing" } else { EMPTY_FILE }), true);
    }
    let options = ViewOptions {
        has_own_proc: layers.own_proc,
        limits_processes: layers.pid_namespace && namespace::kernel_version() >= (6, 14),
    };
    let shown: Vec<_> = shown.into_values().collect();
    (FilesystemView::new(&private.join("root"), &shown, options), OwnDirectories { writable, temporary })
}

/// Whether `path` itself is a granted place or the root of the worktree.
fn is_granted(path: &Path, places: &SandboxPlaces) -> bool {
    let mut granted = places.writable.iter().chain(&places.readable).chain([&places.root]);
    granted.any(|place| place == path)
}

/// Limits of the program, as kinds and numbers of `setrlimit`.
pub(super) fn limits(command: &SandboxedCommand<'_>, layers: &SandboxLayers) -> Vec<(c_int, u64)> {
    // Since Linux 5.14 a user namespace counts only its own processes. Otherwise the user's other processes count too.
    let counts_own = layers.user_namespace && layers.namespaces() != 0 && namespace::kernel_version() >= (5, 14);
    let others = if counts_own { 0 } else { tasks_of_machine() };
    vec![
        (libc::RLIMIT_CORE as c_int, 0),
        (libc::RLIMIT_FSIZE as c_int, command.written_bytes_most),
        (libc::RLIMIT_NOFILE as c_int, MOST_OPEN),
        (libc::RLIMIT_NPROC as c_int, MOST_TASKS + others),
    ]
}

/// Capabilities that the program keeps: none, except for root in a worktree that somebody else owns; it keeps those for
/// writing files of others.
pub(super) fn kept_capabilities(root: &Path) -> u64 {
    // CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER and CAP_FSETID of linux/capability.h.
    const FILES_OF_OTHERS: u64 = 1 | 1 << 1 | 1 << 3 | 1 << 4;
    let is_of_root = std::fs::metadata(root).is_ok_and(|root| root.uid() == 0);
    if sys::is_root() && !is_of_root { FILES_OF_OTHERS } else { 0 }
}
