//! A file system that has only the granted places.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::report::{SandboxStep, StepFailure};
use super::sys::{self, Errno};

/// The steps of building the file system, in order. The caller makes the list, the supervisor executes it.
pub(super) struct FilesystemView {
    /// An empty directory to build it on.
    at: CString,
    operations: Vec<Operation>,
    /// Path of the new root's `/proc` while it is built, and of the file that takes the limit of processes.
    proc: Option<(CString, Option<CString>)>,
}

#[derive(Debug)]
enum Operation {
    Directory(CString),
    File(CString),
    Link {
        target: CString,
        at: CString,
    },
    Show {
        source: CString,
        at: CString,
        is_read_only: bool,
        has_devices: bool,
    },
    /// A file system in memory, with options.
    Memory {
        at: CString,
        options: &'static std::ffi::CStr,
    },
    /// A `devpts` with the run's own terminals.
    Terminals {
        at: CString,
    },
}

/// One place to show, under its path in the view.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VisiblePlace {
    /// Path in the view.
    pub(super) at: PathBuf,
    /// Path outside; the same for all but private directories.
    pub(super) source: PathBuf,
    pub(super) is_read_only: bool,
}

/// Devices that every program may expect.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// The most processes and threads at once: a large build has hundreds.
const MOST_PROCESSES: &[u8] = b"4096";

/// Settings of a view besides its places.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViewOptions {
    /// Whether `/proc` shows the processes of the run alone, which it can in a pid namespace.
    pub(super) has_own_proc: bool,
    /// Whether the kernel counts processes for each pid namespace.
    pub(super) limits_processes: bool,
}

impl FilesystemView {
    /// A view on `at`, an empty directory, that has `places`, devices and `/proc`.
    pub(super) fn new(at: &Path, places: &[VisiblePlace], options: ViewOptions) -> Self {
        let mut plan = ViewPlan { at, operations: Vec::new(), made: BTreeSet::new() };
        let mut places = places.to_vec();
        places.sort_by_key(|place| (place.at.components().count(), place.at.clone()));
        let mut shown: Vec<VisiblePlace> = Vec::new();
        for place in places {
            // The innermost place that contains this one.
            let around = shown
                .iter()
                .filter(|outer| place.at.starts_with(&outer.at))
                .max_by_key(|outer| outer.at.as_os_str().len());
            let is_there = around.is_some_and(|outer| outer.at == outer.source);
            let is_same = is_there && around.is_some_and(|outer| outer.is_read_only == place.is_read_only);
            if is_same && place.at == place.source {
                continue;
            }
            plan.show(&place, is_there);
            shown.push(place);
        }
        plan.devices();
        let proc = plan.proc(options);
        Self { at: text(at), operations: plan.operations, proc }
    }

    /// Makes it the file system of this process.
    pub(super) fn enter(&self) -> Result<(), StepFailure> {
        let failed = StepFailure::of(SandboxStep::View);
        sys::mount(c"none", c"/", c"", libc::MS_REC | libc::MS_PRIVATE, c"").map_err(&failed)?;
        let flags = libc::MS_NOSUID | libc::MS_NODEV;
        sys::mount(c"icr", &self.at, c"tmpfs", flags, c"mode=755,size=1m").map_err(&failed)?;
        for (part, operation) in self.operations.iter().enumerate() {
            let failed = |errno| StepFailure { step: SandboxStep::View, part: part as u16 + 1, errno };
            operation.perform().map_err(failed)?;
        }
        if let Some((at, limit)) = &self.proc {
            let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
            sys::mount(c"proc", at, c"proc", flags, c"").map_err(StepFailure::of(SandboxStep::Proc))?;
            if let Some(file) = limit.as_ref().and_then(|path| sys::open(path, libc::O_WRONLY).ok()) {
                let _ = sys::write(file, MOST_PROCESSES);
                sys::close(file);
            }
            sys::make_read_only(at).map_err(StepFailure::of(SandboxStep::Proc))?;
        }
        sys::make_read_only(&self.at).map_err(&failed)?;
        sys::change_directory(&self.at).map_err(&failed)?;
        sys::make_root().map_err(&failed)
    }

    /// Description of the `part`th step of building the view, for messages.
    pub(super) fn part(&self, part: u16) -> String {
        match usize::from(part).checked_sub(1).and_then(|part| self.operations.get(part)) {
            Some(Operation::Show { source, .. }) => format!("showing {source:?}"),
            Some(other) => format!("{other:?}"),
            None => "mounting".to_owned(),
        }
    }
}

impl Operation {
    fn perform(&self) -> Result<(), Errno> {
        match self {
            Self::Directory(at) => sys::make_directory(at, 0o755),
            Self::File(at) => sys::make_file(at),
            Self::Link { target, at } => sys::make_link(target, at),
            Self::Show { source, at, is_read_only, has_devices } => sys::show(source, at, *is_read_only, *has_devices),
            Self::Memory { at, options } => sys::mount(c"icr", at, c"tmpfs", libc::MS_NOSUID | libc::MS_NODEV, options),
            Self::Terminals { at } => {
                let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
                match sys::mount(c"devpts", at, c"devpts", flags, c"newinstance,ptmxmode=0666,mode=620") {
                    // Terminals are optional.
                    Err(_) => Ok(()),
                    done => done,
                }
            }
        }
    }
}

/// A view that is being planned.
struct ViewPlan<'a> {
    at: &'a Path,
    operations: Vec<Operation>,
    made: BTreeSet<PathBuf>,
}

impl ViewPlan<'_> {
    /// The location of `path` while the view is built.
    fn inside(&self, path: &Path) -> PathBuf {
        self.at.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Shows `place`. `is_there` says that its path already exists in the view.
    fn show(&mut self, place: &VisiblePlace, is_there: bool) {
        let at = self.inside(&place.at);
        if let Some(target) = link_of_root(&place.at).filter(|_| !is_there) {
            self.operations.push(Operation::Link { target: text(&target), at: text(&at) });
            return;
        }
        if !is_there {
            self.directories(place.at.parent());
            if place.source.is_dir() {
                self.directories(Some(&place.at));
            } else {
                self.operations.push(Operation::File(text(&at)));
            }
        }
        let has_devices = place.at.starts_with("/dev");
        let (source, is_read_only) = (text(&place.source), place.is_read_only);
        self.operations.push(Operation::Show { source, at: text(&at), is_read_only, has_devices });
    }

    /// Makes `path` and its parent directories, unless they were made before.
    fn directories(&mut self, path: Option<&Path>) {
        let Some(path) = path.filter(|path| path.parent().is_some() && !self.made.contains(*path)) else {
            return;
        };
        self.directories(path.parent());
        self.made.insert(path.to_path_buf());
        self.operations.push(Operation::Directory(text(&self.inside(path))));
    }

    fn devices(&mut self) {
        self.directories(Some(Path::new("/dev/pts")));
        self.directories(Some(Path::new("/dev/shm")));
        for device in DEVICES {
            let path = Path::new("/dev").join(device);
            if path.exists() {
                self.show(&VisiblePlace { at: path.clone(), source: path, is_read_only: false }, false);
            }
        }
        let links = [
            ("/dev/fd", "/proc/self/fd"),
            ("/dev/stdin", "/proc/self/fd/0"),
            ("/dev/stdout", "/proc/self/fd/1"),
            ("/dev/stderr", "/proc/self/fd/2"),
            ("/dev/ptmx", "pts/ptmx"),
        ];
        for (at, target) in links {
            let at = text(&self.inside(Path::new(at)));
            self.operations.push(Operation::Link { target: text(Path::new(target)), at });
        }
        let at = |path: &str| text(&self.at.join(path));
        let memory = Operation::Memory { at: at("dev/shm"), options: c"mode=1777,size=256m" };
        let terminals = Operation::Terminals { at: at("dev/pts") };
        self.operations.extend([memory, terminals]);
    }

    fn proc(&mut self, options: ViewOptions) -> Option<(CString, Option<CString>)> {
        let proc = PathBuf::from("/proc");
        self.directories(Some(&proc));
        let at = self.inside(&proc);
        if !options.has_own_proc {
            let (source, at) = (text(&proc), text(&at));
            self.operations.push(Operation::Show { source, at, is_read_only: true, has_devices: false });
            return None;
        }
        let limit = options.limits_processes.then(|| text(&at.join("sys/kernel/pid_max")));
        Some((text(&at), limit))
    }
}

/// Target of `path` if it is a link in the root, such as `/bin`, to a directory, such as `usr/bin`.
fn link_of_root(path: &Path) -> Option<PathBuf> {
    let is_in_root = path.parent().is_some_and(|parent| parent.parent().is_none());
    let target = is_in_root.then(|| std::fs::read_link(path).ok()).flatten()?;
    (target.starts_with("usr") || target.starts_with("/usr")).then_some(target)
}

/// `path` as a C string. Paths with NUL bytes were refused before; here they become empty.
pub(super) fn text(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}
