//! The inotify queue, to which Linux reports events in directories.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use crate::monitor::{MonitorEvent, MonitorRefusal, Names};

/// Most directories that are watched; the same as for a watch with batches.
const MOST_DIRECTORIES: usize = 100_000;

/// A monitor uses at most this fraction (1 / `SHARE`) of the watches that a user may have; editors and other monitors
/// need the rest.
const SHARE: usize = 4;

/// Size of a read buffer in bytes: some hundred events.
const BUFFER: usize = 16 << 10;

/// Most events that are read at once: a few times what Linux holds in a queue (`fs.inotify.max_queued_events` is
/// 16,384). If events arrive faster than this reads them, the queue counts as overflowed.
const MOST_EVENTS: usize = 65_536;

/// File systems where this kernel sees every change, by their `statfs` number (linux/magic.h). On others, another
/// machine or a process behind the file system can change files without an event.
const TRUSTED: &[(u32, &str)] = &[
    // tidy: sorted
    (0x0000_ef53, "ext2, ext3, ext4"),
    (0x0102_1994, "tmpfs"),
    (0x2fc1_2fc1, "zfs"),
    (0x5846_5342, "xfs"),
    (0x794c_7630, "overlayfs"),
    (0x8584_58f6, "ramfs"),
    (0x9123_683e, "btrfs"),
    (0xca45_1a4e, "bcachefs"),
    (0xf2f5_2010, "f2fs"),
    // tidy: end
];

/// The watched directories and the queue of their events.
#[derive(Debug)]
pub(crate) struct ChangeQueue {
    inotify: OwnedFd,
    /// By path with a trailing slash, so that the directories below one follow it without a gap.
    directories: BTreeMap<Vec<u8>, WatchedDirectory>,
    paths: HashMap<i32, Vec<u8>>,
    /// Whether the file system of a device reports all changes, by device number.
    devices: HashMap<u64, bool>,
    most: usize,
}

#[derive(Debug, Clone, Copy)]
struct WatchedDirectory {
    watch: i32,
    names: Names,
    /// Number of passes begun when it was first watched for these names.
    added: u64,
    /// Number of the last pass that named it.
    seen: u64,
}

impl ChangeQueue {
    pub(crate) fn new() -> Result<Self, MonitorRefusal> {
        let allowed = fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok();
        let allowed = allowed.and_then(|text| text.trim().parse::<usize>().ok());
        Ok(Self {
            inotify: start()?,
            directories: BTreeMap::new(),
            paths: HashMap::new(),
            devices: HashMap::new(),
            most: allowed.map_or(MOST_DIRECTORIES, |allowed| (allowed / SHARE).min(MOST_DIRECTORIES)),
        })
    }

    pub(crate) fn directories(&self) -> usize {
        self.directories.len()
    }

    /// Watches `directory` for the pass `number`; `passes` is the number of passes begun. Returns the number of passes
    /// begun when the directory was first watched; `None` if it does not exist.
    pub(crate) fn watch(
        &mut self,
        directory: &Path,
        names: Names,
        number: u64,
        passes: u64,
    ) -> Result<Option<u64>, MonitorRefusal> {
        let path = with_slash(directory);
        if let Some(known) = self.directories.get_mut(&path) {
            // The set of names never shrinks: events of other names may be in the queue, and another pass may rely on
            // them.
            if known.names != Names::All && known.names != names {
                *known = WatchedDirectory { names: Names::All, added: passes, ..*known };
            }
            known.seen = known.seen.max(number);
            return Ok(Some(known.added));
        }
        if self.directories.len() >= self.most {
            return Err(MonitorRefusal(format!("there are more than {} directories to watch", self.most)));
        }
        let told = WatchFlags::ATTRIB
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MODIFY
            | WatchFlags::MOVE
            | WatchFlags::MOVE_SELF;
        let how = WatchFlags::DONT_FOLLOW | WatchFlags::ONLYDIR;
        let watch = match inotify::add_watch(&self.inotify, directory, told | how) {
            Ok(watch) => watch,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            Err(Errno::NOSPC) => {
                return Err(MonitorRefusal(
                    "it watches no more directories; raise `fs.inotify.max_user_watches`".to_owned(),
                ));
            }
            Err(error) => return Err(MonitorRefusal(format!("`{}` cannot be watched: {error}", directory.display()))),
        };
        // The directory was moved here, and the event of leaving its old place is still in the queue.
        if let Some(earlier) = self.paths.insert(watch, path.clone()) {
            self.directories.remove(&earlier);
        }
        self.directories.insert(path, WatchedDirectory { watch, names, added: passes, seen: number });
        self.refuse_silent(directory)?;
        Ok(Some(passes))
    }

    /// Stops watching directories that neither `pass` nor a later one named.
    pub(crate) fn keep_seen(&mut self, pass: u64) {
        let (inotify, paths) = (&self.inotify, &mut self.paths);
        self.directories.retain(|_, directory| {
            let is_seen = directory.seen >= pass;
            if !is_seen {
                unwatch(inotify, paths, directory.watch);
            }
            is_seen
        });
    }

    /// Reads the queue and passes all events to `sink`.
    pub(crate) fn drain(&mut self, sink: &mut dyn FnMut(MonitorEvent)) -> Result<(), MonitorRefusal> {
        let mut told = Vec::new();
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = inotify::Reader::new(&self.inotify, &mut buffer);
        let lost = loop {
            match reader.next() {
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => break true,
                Ok(_) if told.len() == MOST_EVENTS => break true,
                Ok(event) => {
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()).to_owned());
                    told.push((event.wd(), event.events(), name));
                }
                Err(Errno::AGAIN) => break false,
                Err(Errno::INTR) => {}
                Err(error) => return Err(MonitorRefusal(format!("its queue cannot be read: {error}"))),
            }
        };
        if lost {
            // Moves of directories may also be lost, so all directories must be named again.
            self.inotify = start()?;
            self.directories.clear();
            self.paths.clear();
            sink(MonitorEvent::Many);
            return Ok(());
        }
        for (watch, what, name) in told {
            self.deliver_event(watch, what, name.as_deref(), sink);
        }
        Ok(())
    }

    fn deliver_event(&mut self, watch: i32, what: ReadFlags, name: Option<&OsStr>, sink: &mut dyn FnMut(MonitorEvent)) {
        let Some(path) = self.paths.get(&watch) else { return };
        let Some(directory) = self.directories.get(path).copied() else { return };
        let mut path = path.clone();
        let Some(name) = name else {
            // An event of the watched directory itself.
            if !what.contains(ReadFlags::ATTRIB) {
                self.forget(&path);
            }
            return sink(MonitorEvent::Many);
        };
        path.extend_from_slice(name.as_bytes());
        let moved = ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        let moves_directory = what.contains(ReadFlags::ISDIR) && what.intersects(moved);
        if moves_directory && self.forget(&[path.as_slice(), b"/"].concat()) {
            return sink(MonitorEvent::Many);
        }
        match directory.names {
            Names::Only(names) if !names.iter().any(|only| name == *only) => {}
            _ if what.contains(ReadFlags::ISDIR) => sink(MonitorEvent::Many),
            _ => sink(MonitorEvent::Changed(PathBuf::from(OsString::from_vec(path)))),
        }
    }

    /// Stops watching `prefix`, which ends in a slash, and everything below it: it was moved or deleted. Returns
    /// whether any of it was watched.
    fn forget(&mut self, prefix: &[u8]) -> bool {
        let below = self.directories.range(prefix.to_vec()..).take_while(|(path, _)| path.starts_with(prefix));
        let gone: Vec<Vec<u8>> = below.map(|(path, _)| path.clone()).collect();
        for path in &gone {
            if let Some(directory) = self.directories.remove(path) {
                unwatch(&self.inotify, &mut self.paths, directory.watch);
            }
        }
        !gone.is_empty()
    }

    /// Refuses a directory on a file system that does not report every change.
    fn refuse_silent(&mut self, directory: &Path) -> Result<(), MonitorRefusal> {
        // A directory that is gone has no changes, and its deletion is reported.
        let Ok(metadata) = fs::symlink_metadata(directory) else { return Ok(()) };
        let is_trusted = *self.devices.entry(metadata.dev()).or_insert_with(|| is_trusted(directory));
        match is_trusted {
            true => Ok(()),
            false => {
                let reason = format!("`{}` is on a file system that does not tell every change", directory.display());
                Err(MonitorRefusal(reason))
            }
        }
    }
}

fn start() -> Result<OwnedFd, MonitorRefusal> {
    inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)
        .map_err(|error| MonitorRefusal(format!("there is no queue to be had: {error}")))
}

fn with_slash(directory: &Path) -> Vec<u8> {
    let mut path = directory.as_os_str().as_bytes().to_vec();
    while path.last() == Some(&b'/') {
        path.pop();
    }
    path.push(b'/');
    path
}

fn unwatch(inotify: &OwnedFd, paths: &mut HashMap<i32, Vec<u8>>, watch: i32) {
    if paths.remove(&watch).is_some() {
        // If the directory is gone, the kernel has removed the watch already.
        let _ = inotify::remove_watch(inotify, watch);
    }
}

fn is_trusted(directory: &Path) -> bool {
    let Ok(found) = rustix::fs::statfs(directory) else { return false };
    // The type is signed, and 32 or 64 bits wide, depending on the machine.
    let kind = found.f_type as u32;
    TRUSTED.iter().any(|(trusted, _)| *trusted == kind)
}
