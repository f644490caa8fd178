//! The watch: which directories it watches, and how it handles events.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use icr_model::even_after_panic;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::ignore_rules::WatchIgnoreRules;
use crate::{Batch, Debouncer, Error, IgnoreOptions};

/// Most directories that are watched one by one: a few tens of megabytes of paths, and what systems allow by default.
const MOST_DIRECTORIES: usize = 100_000;

/// How often HEAD is polled if nothing can be watched. A poll reads two small files.
const POLLED_EVERY: Duration = Duration::from_secs(2);

/// How often to check that the repository still exists: not every system reports the deletion of a watched directory.
const LOOKED_FOR_EVERY: Duration = Duration::from_secs(5);

/// Whether this system watches directories one by one. Other systems watch whole trees, and events of ignored paths are
/// discarded.
const BY_DIRECTORY: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Settings of a watch.
#[derive(Debug, Clone)]
pub struct WatchOptions {
    /// Root of the worktree, absolute and without links. For a bare repository its directory, in which only git's own
    /// files are watched.
    pub root: PathBuf,
    /// The git directory of the worktree.
    pub git_dir: PathBuf,
    /// The common git directory of all worktrees.
    pub common_dir: PathBuf,
    /// How long there must be no changes before a batch is delivered.
    pub debounce: Duration,
    /// Most paths of one batch that are kept; if there are more, the batch says so.
    pub most_paths: usize,
    /// Rules for what is not watched.
    pub ignore: IgnoreOptions,
}

/// A batch that has settled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettledBatch {
    /// Files that were changed, created or deleted, relative to the root.
    pub paths: BTreeSet<PathBuf>,
    /// Whether there were more changes.
    pub many: bool,
    /// Whether HEAD may have moved.
    pub head: bool,
}

/// How changes are detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchMode {
    /// By events of the system.
    Events,
    /// By polling, for the given reason: HEAD is checked every two seconds, and other changes are not detected.
    Polling(String),
}

/// Why a watch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchEnd {
    /// It was stopped.
    Stopped,
    /// The worktree or its git directory no longer exists.
    Gone,
}

/// Stops a watch from another thread.
#[derive(Debug, Clone)]
pub struct Stop(Arc<WatchState>);

impl Stop {
    /// Stops the watch, after the batch that is currently being delivered.
    pub fn stop(&self) {
        self.0.lock().is_stopped = true;
        self.0.news.notify_all();
    }
}

/// A worktree that is being watched.
#[derive(Debug)]
pub struct Watch {
    options: WatchOptions,
    ignored: WatchIgnoreRules,
    shared: Arc<WatchState>,
    watcher: Option<RecommendedWatcher>,
    way: WatchMode,
    /// The watched directories.
    directories: BTreeSet<PathBuf>,
}

#[derive(Debug)]
struct WatchState {
    state: Mutex<Pending>,
    news: Condvar,
}

#[derive(Debug)]
struct Pending {
    debouncer: Debouncer,
    is_stopped: bool,
}

impl WatchState {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        // A panicking thread leaves the batch either complete or not begun.
        even_after_panic(self.state.lock())
    }
}

impl Watch {
    /// Begins to watch. [`Watch::run`] delivers the changes from here on.
    ///
    /// Cost: one listing and one watch for each directory that is not ignored. If the system refuses to watch so many,
    /// HEAD is polled: see [`Watch::way`].
    ///
    /// # Errors
    ///
    /// [`Error::NoWatcher`] when the system's watcher cannot be started; [`Error::Io`] when the root cannot be listed.
    pub fn start(options: WatchOptions) -> Result<Self, Error> {
        fs::read_dir(&options.root).map_err(|source| Error::Io {
            doing: "listing",
            path: options.root.clone(),
            source,
        })?;
        let debouncer = Debouncer::new(options.debounce, options.most_paths);
        let state = Mutex::new(Pending { debouncer, is_stopped: false });
        let shared = Arc::new(WatchState { state, news: Condvar::new() });
        let (told, of_git) = (shared.clone(), GitFiles::of(&options));
        let told = move |event| note_event(&told, &of_git, event);
        let watcher =
            notify::recommended_watcher(told).map_err(|error| Error::NoWatcher { reason: error.to_string() })?;
        let ignored = WatchIgnoreRules::at(&options.root, &options.common_dir, &options.ignore);
        let directories = BTreeSet::new();
        let mut watch = Self { options, ignored, shared, watcher: Some(watcher), way: WatchMode::Events, directories };
        watch.refresh();
        Ok(watch)
    }

    /// How changes are detected.
    pub fn way(&self) -> &WatchMode {
        &self.way
    }

    /// Number of watched directories.
    pub fn directories(&self) -> usize {
        self.directories.len()
    }

    /// A handle that stops [`Watch::run`] from another thread.
    pub fn stopper(&self) -> Stop {
        Stop(self.shared.clone())
    }

    /// Delivers each batch until the watch is stopped or the repository is gone. Changes during a delivery are in the
    /// next batch.
    pub fn run(mut self, mut tell: impl FnMut(&SettledBatch)) -> WatchEnd {
        loop {
            let batch = match self.next() {
                NextBatch::Stopped => return WatchEnd::Stopped,
                NextBatch::Nothing => None,
                NextBatch::Batch(batch) => Some(batch),
            };
            if !self.options.root.is_dir() || !self.options.git_dir.join("HEAD").exists() {
                return WatchEnd::Gone;
            }
            let settled = match batch {
                Some(batch) => self.settled(batch),
                None => SettledBatch { head: self.way != WatchMode::Events, ..SettledBatch::default() },
            };
            if settled != SettledBatch::default() {
                tell(&settled);
            }
        }
    }

    /// Waits for a batch, at most until the next poll.
    fn next(&self) -> NextBatch {
        let look = Instant::now() + if self.way == WatchMode::Events { LOOKED_FOR_EVERY } else { POLLED_EVERY };
        let mut state = self.shared.lock();
        loop {
            let now = Instant::now();
            if state.is_stopped {
                return NextBatch::Stopped;
            }
            if let Some(batch) = state.debouncer.settle(now) {
                return NextBatch::Batch(batch);
            }
            if now >= look {
                return NextBatch::Nothing;
            }
            let until = state.debouncer.due().map_or(look, |due| due.min(look));
            let waited = self.shared.news.wait_timeout(state, until.saturating_duration_since(now));
            state = even_after_panic(waited).0;
        }
    }

    /// The relevant changes of a batch, after the watched directories were updated.
    fn settled(&mut self, batch: Batch) -> SettledBatch {
        let git = GitFiles::of(&self.options);
        let (of_git, of_worktree): (Vec<_>, Vec<_>) = batch.paths.into_iter().partition(|path| git.has(path));
        let mut settled =
            SettledBatch { many: batch.many, head: batch.many || !of_git.is_empty(), ..SettledBatch::default() };
        let moves_directories =
            |path: &PathBuf| self.directories.contains(path) || is_directory(path) || is_rules(path);
        let mut found = of_worktree;
        if batch.many || of_git.iter().chain(&found).any(moves_directories) {
            found.extend(self.refresh());
        }
        let is_bare = self.options.root == self.options.git_dir;
        for path in found {
            if is_bare || is_directory(&path) || self.ignored.leaves_out(&path, false) {
                continue;
            }
            let Ok(relative) = path.strip_prefix(&self.options.root) else { continue };
            if settled.paths.len() >= self.options.most_paths {
                settled.many = true;
                break;
            }
            if !self.directories.contains(&path) {
                settled.paths.insert(relative.to_owned());
            }
        }
        settled
    }

    /// Updates the watched directories to those that exist now. Returns the files of directories that were not watched
    /// before; none at the start.
    fn refresh(&mut self) -> Vec<PathBuf> {
        if self.watcher.is_none() {
            return Vec::new();
        }
        let is_start = self.directories.is_empty();
        self.ignored = WatchIgnoreRules::at(&self.options.root, &self.options.common_dir, &self.options.ignore);
        let mut files = Vec::new();
        let mut found = BTreeSet::new();
        let mut pending = GitFiles::of(&self.options).directories();
        let git: BTreeSet<PathBuf> = pending.iter().cloned().collect();
        if self.options.root != self.options.git_dir {
            pending.push(self.options.root.clone());
        }
        while let Some(directory) = pending.pop() {
            let is_new = !self.directories.contains(&directory);
            // Watched before it is listed, so that files created meanwhile are reported, too.
            if is_new && !self.watch(&directory) {
                return files;
            }
            let below_git = git.contains(&directory) || self.is_of_refs(&directory);
            if !below_git {
                self.ignored.read(&directory);
            }
            for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
                let path = entry.path();
                let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if below_git {
                    if is_directory && self.is_of_refs(&path) && !git.contains(&path) {
                        pending.push(path);
                    }
                } else if is_directory {
                    if !self.ignored.leaves_out(&path, true) && !path.join(".git").exists() {
                        pending.push(path);
                    }
                } else if is_new && !is_start && files.len() <= self.options.most_paths {
                    files.push(path);
                }
            }
            found.insert(directory);
        }
        for gone in self.directories.difference(&found) {
            if let Some(watcher) = &mut self.watcher {
                // If the directory is gone, its watch has ended already.
                let _ = watcher.unwatch(gone);
            }
        }
        self.directories = found;
        files
    }

    /// Watches one directory; returns whether the system can go on. A directory that is gone already is not an error.
    fn watch(&mut self, directory: &Path) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        let is_root = directory == self.options.root;
        let mode = match BY_DIRECTORY {
            true => RecursiveMode::NonRecursive,
            false if !is_root => return true,
            false => RecursiveMode::Recursive,
        };
        let reason = match watcher.watch(directory, mode) {
            _ if self.directories.len() >= MOST_DIRECTORIES => {
                format!("there are more than {MOST_DIRECTORIES} directories; leave some out in `.icrignore`")
            }
            Err(error) if matches!(error.kind, notify::ErrorKind::MaxFilesWatch) => {
                "it watches no more directories; raise `fs.inotify.max_user_watches`".to_owned()
            }
            _ => {
                self.directories.insert(directory.to_owned());
                return true;
            }
        };
        self.way = WatchMode::Polling(reason);
        self.watcher = None;
        self.directories.clear();
        false
    }

    fn is_of_refs(&self, path: &Path) -> bool {
        path.starts_with(self.options.common_dir.join("refs/heads"))
    }
}

enum NextBatch {
    Stopped,
    Nothing,
    Batch(Batch),
}

/// The git files that change when HEAD moves.
#[derive(Debug, Clone)]
struct GitFiles {
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl GitFiles {
    fn of(options: &WatchOptions) -> Self {
        Self { git_dir: options.git_dir.clone(), common_dir: options.common_dir.clone() }
    }

    /// The directories that contain them, except for branches with a slash in their name.
    fn directories(&self) -> Vec<PathBuf> {
        let mut all = vec![self.git_dir.clone(), self.common_dir.clone(), self.common_dir.join("refs/heads")];
        all.dedup();
        all
    }

    /// Whether `path` is one of these files, or a directory of branches.
    fn has(&self, path: &Path) -> bool {
        let is_head = path == self.git_dir.join("HEAD") || path == self.common_dir.join("packed-refs");
        is_head
            || path.starts_with(self.common_dir.join("refs/heads"))
                && path.extension().is_none_or(|ending| ending != "lock")
    }

    /// Whether `path` is in a git directory.
    fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.git_dir) || path.starts_with(&self.common_dir)
    }
}

/// Records an event, on the system's thread. Work and memory are bounded: it accesses no files.
fn note_event(shared: &WatchState, git: &GitFiles, event: notify::Result<notify::Event>) {
    let now = Instant::now();
    match event {
        Ok(event) if event.need_rescan() => shared.lock().debouncer.note_many(now),
        // Reads are not changes.
        Ok(event) if matches!(event.kind, EventKind::Access(_)) => return,
        Ok(event) => {
            let mut paths = event.paths.into_iter().filter(|path| !git.holds(path) || git.has(path)).peekable();
            if paths.peek().is_none() {
                return;
            }
            let mut state = shared.lock();
            paths.for_each(|path| state.debouncer.note(now, path));
        }
        Err(_) => shared.lock().debouncer.note_many(now),
    }
    shared.news.notify_all();
}

fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Whether the file contains ignore rules.
fn is_rules(path: &Path) -> bool {
    path.file_name().is_some_and(|name| [".gitignore", ".icrignore", "ignore"].iter().any(|rules| name == *rules))
}
