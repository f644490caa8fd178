//! The watch itself: which directories, and what to do with what the system says of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use icr_model::even_after_panic;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::ignore_rules::WatchIgnoreRules;
use crate::{Batch, Debouncer, Error, IgnoreOptions};

/// Directories that are watched one by one at most: a few tens of megabytes of paths, and what systems allow without being told more.
const MOST_DIRECTORIES: usize = 100_000;

/// How often HEAD is looked at where nothing can be watched. A look reads two small files.
const POLLED_EVERY: Duration = Duration::from_secs(2);

/// How often the repository is looked for at least: the end of a directory is not told by every system.
const LOOKED_FOR_EVERY: Duration = Duration::from_secs(5);

/// Whether this system watches directories one by one. Others watch whole trees, and what is ignored in them is left out when it is told.
const BY_DIRECTORY: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// What to watch and how.
#[derive(Debug, Clone)]
pub struct WatchOptions {
    /// Root of the worktree, absolute and without links; for a bare repository its directory, of which only git's own files count.
    pub root: PathBuf,
    /// The git directory of the worktree.
    pub git_dir: PathBuf,
    /// The git directory that all worktrees share.
    pub common_dir: PathBuf,
    /// How long it must be quiet before a batch is told.
    pub debounce: Duration,
    /// Paths of one batch that are kept; of more it is known that there were many.
    pub most_paths: usize,
    /// What is not watched.
    pub ignore: IgnoreOptions,
}

/// A batch that has settled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettledBatch {
    /// Files that changed, came or went, relative to the root.
    pub paths: BTreeSet<PathBuf>,
    /// Whether there were more.
    pub many: bool,
    /// Whether HEAD may have moved.
    pub head: bool,
}

/// How changes are noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchMode {
    /// The system tells them.
    Events,
    /// The system tells none for the reason given: HEAD is looked at every two seconds, and other changes are not noticed.
    Polling(String),
}

/// Why a watch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchEnd {
    /// It was told to.
    Stopped,
    /// The worktree or its git directory is gone.
    Gone,
}

/// Ends a watch from another thread.
#[derive(Debug, Clone)]
pub struct Stop(Arc<WatchState>);

impl Stop {
    /// Ends it, after the batch that is being told.
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
    /// Directories that are watched.
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
        // What a thread that panicked leaves behind is a batch, whole or not begun.
        even_after_panic(self.state.lock())
    }
}

impl Watch {
    /// Begins to watch. What changes from here on is told by [`Watch::run`].
    ///
    /// Cost: one listing and one watch for each directory that is not ignored. Where the system refuses to watch so many, HEAD is polled:
    /// see [`Watch::way`].
    ///
    /// # Errors
    ///
    /// [`Error::NoWatcher`] when the system's watcher cannot be started at all; [`Error::Io`] when the root cannot be listed.
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

    /// How changes are noticed.
    pub fn way(&self) -> &WatchMode {
        &self.way
    }

    /// How many directories are watched.
    pub fn directories(&self) -> usize {
        self.directories.len()
    }

    /// Ends [`Watch::run`] from another thread.
    pub fn stopper(&self) -> Stop {
        Stop(self.shared.clone())
    }

    /// Tells each batch until the watch is stopped or the repository is gone. What changes while a batch is told is in the next one.
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

    /// Waits for a batch, at most until somebody should look.
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

    /// What of a batch counts, after directories that came and went were followed.
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

    /// Watches the directories that there are now. Returns files of those that were not watched before, but at the start.
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
            // Watched first, so that what comes while it is listed is told as well.
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
                // What is gone is watched no more in any case.
                let _ = watcher.unwatch(gone);
            }
        }
        self.directories = found;
        files
    }

    /// Watches one directory; says whether the system can go on. One that is gone already is no reason to stop.
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

/// The files by which HEAD moves.
#[derive(Debug, Clone)]
struct GitFiles {
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl GitFiles {
    fn of(options: &WatchOptions) -> Self {
        Self { git_dir: options.git_dir.clone(), common_dir: options.common_dir.clone() }
    }

    /// Directories in which they lie, but for branches with a slash in their name.
    fn directories(&self) -> Vec<PathBuf> {
        let mut all = vec![self.git_dir.clone(), self.common_dir.clone(), self.common_dir.join("refs/heads")];
        all.dedup();
        all
    }

    /// Whether `path` is one of them, or a directory of branches.
    fn has(&self, path: &Path) -> bool {
        let is_head = path == self.git_dir.join("HEAD") || path == self.common_dir.join("packed-refs");
        is_head
            || path.starts_with(self.common_dir.join("refs/heads"))
                && path.extension().is_none_or(|ending| ending != "lock")
    }

    /// Whether `path` is git's own, whatever it is for.
    fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.git_dir) || path.starts_with(&self.common_dir)
    }
}

/// Notes what the system says, on its thread. Bounded work and memory: nothing is looked up.
fn note_event(shared: &WatchState, git: &GitFiles, event: notify::Result<notify::Event>) {
    let now = Instant::now();
    match event {
        Ok(event) if event.need_rescan() => shared.lock().debouncer.note_many(now),
        // Reading is no change.
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

/// Whether the file says what is ignored.
fn is_rules(path: &Path) -> bool {
    path.file_name().is_some_and(|name| [".gitignore", ".icrignore", "ignore"].iter().any(|rules| name == *rules))
}
