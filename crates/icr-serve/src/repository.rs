//! An open repository that calls ask. Opened once; state stays warm between calls; the first index is made in the
//! background.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use icr_engine::{
    ChangeSource, Deadline, Engine, Freshness, ImpactRequest, ImpactRules, LineDiff, LineDiffRequest, Observer,
    Provenance, SilentObserver, Snapshot, ViewSelector, Warm,
};
use icr_impact::Impact;
use icr_model::even_after_panic;
use tokio::sync::watch;

use crate::monitor::attach_monitor;
use crate::{ConfiguredRepository, Error, memory};

/// Warm states kept. A state holds the query graphs of four views. More calls than this at once are rare; additional
/// ones start cold.
const WARM_STATES: usize = 4;

/// Stack size in bytes of threads that index or work on calls: parsed code may be nested deeply.
pub const STACK_BYTES: usize = 16 << 20;

/// An open repository. It is valid as long as no file changes that it was opened from.
pub struct ServedRepository {
    root: PathBuf,
    opened: ConfiguredRepository,
    made_of: Vec<(PathBuf, Stamp)>,
    /// Warm states, the most recently used last. Calls take from the end, so that few states are in use and those are
    /// warm.
    warm: Mutex<Vec<Warm>>,
    index: watch::Sender<Index>,
    done: AtomicU64,
    total: AtomicU64,
}

/// Progress of the first index.
#[derive(Debug, Clone)]
pub(crate) enum Index {
    /// Not checked yet, or the last attempt failed and was reported.
    Unknown,
    /// A thread works on it.
    Running,
    /// The index exists.
    Ready,
    /// The index cannot be made.
    Failed(Arc<Error>),
}

impl std::fmt::Debug for ServedRepository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Index {
    pub(crate) fn is_running(&self) -> bool {
        matches!(self, Self::Running)
    }
}

impl ServedRepository {
    /// A repository opened around `asked`, the directory that a call named.
    pub(crate) fn new(asked: &Path, mut opened: ConfiguredRepository) -> Self {
        if opened.watch {
            opened.engine = attach_monitor(opened.engine);
        }
        let engine = &opened.engine;
        let root = engine.root().to_owned();
        let root = std::fs::canonicalize(&root).unwrap_or(root);
        let mut made_of: Vec<PathBuf> = opened.made_of.clone();
        made_of.push(root.clone());
        // These files are read only once, when the repository is opened: ignore rules of git and icr, and git's
        // conversion of contents.
        made_of.extend([".git", ".icrignore", ".icr/ignore"].map(|name| root.join(name)));
        made_of.extend(["config", "info/attributes", "info/exclude"].map(|name| engine.git().common_dir().join(name)));
        made_of.push(engine.git().git_dir().join("config.worktree"));
        made_of.extend(engine.git().rule_files());
        // A repository that is made between the two is the one to ask from then on.
        let between = asked.ancestors().take_while(|directory| directory.starts_with(&root));
        made_of.extend(between.map(|directory| directory.join(".git")));
        let made_of = made_of.into_iter().map(|path| (path.clone(), Stamp::of(&path))).collect();
        Self {
            root,
            opened,
            made_of,
            warm: Mutex::default(),
            index: watch::Sender::new(Index::Unknown),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
        }
    }

    /// Whether opening it again would give the same. Cost: a look at a handful of files, and at HEAD's tree in a bare
    /// repository.
    pub(crate) fn is_current(&self) -> bool {
        self.made_of.iter().all(|(path, stamp)| Stamp::of(path) == *stamp) && self.engine().rule_files().are_current()
    }

    /// Canonical root of the worktree, or the directory of a bare repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its configuration.
    pub fn configuration(&self) -> &ConfiguredRepository {
        &self.opened
    }

    /// The engine of this repository, with a monitor if there is one.
    pub fn engine(&self) -> &Engine {
        &self.opened.engine
    }

    /// Name of its directory, for messages.
    pub fn name(&self) -> String {
        self.root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Whether there is anything to answer from.
    pub fn is_indexed(&self) -> bool {
        let index = self.index.borrow().clone();
        match index {
            // An index that is being made may be incomplete.
            Index::Running => false,
            // The store may have been deleted since; the check of its directory notices at once.
            Index::Ready if self.engine().store().directory().is_dir() => true,
            _ => {
                // If the index cannot be read, the attempt to make one reports what is wrong.
                let is_indexed = self.engine().store().is_indexed().unwrap_or(false);
                if is_indexed {
                    self.index.send_if_modified(|index| {
                        let is_idle = !index.is_running();
                        if is_idle {
                            *index = Index::Ready;
                        }
                        is_idle
                    });
                }
                is_indexed
            }
        }
    }

    /// Makes the first index in the background, unless a thread already does.
    pub fn begin_index(self: &Arc<Self>) {
        drop(self.start_index());
    }

    /// Makes the first index in the background, unless a thread already does. The returned receiver tells when it is
    /// done.
    pub(crate) fn start_index(self: &Arc<Self>) -> watch::Receiver<Index> {
        let receiver = self.index.subscribe();
        let starts = self.index.send_if_modified(|index| {
            let starts = !index.is_running();
            *index = Index::Running;
            starts
        });
        if starts {
            let repository = Arc::clone(self);
            let thread = std::thread::Builder::new().name("first index".to_owned()).stack_size(STACK_BYTES);
            let spawned = thread.spawn(move || {
                let indexing = std::panic::AssertUnwindSafe(|| repository.first_index());
                let index = match std::panic::catch_unwind(indexing) {
                    Ok(Ok(())) => Index::Ready,
                    Ok(Err(error)) => Index::Failed(Arc::new(error.into())),
                    Err(payload) => Index::Failed(Arc::new(Error::panicked(payload.as_ref()))),
                };
                memory::give_back_freed();
                repository.index.send_replace(index);
            });
            if let Err(error) = spawned {
                self.index.send_replace(Index::Failed(Arc::new(Error::NoThread(error))));
            }
        }
        receiver
    }

    fn first_index(&self) -> Result<(), icr_engine::Error> {
        // If another process is indexing, this waits for it and continues from its result.
        self.engine().ask(&ViewSelector::Worktree, &Freshness::default(), self)?;
        Ok(())
    }

    /// Progress of the first index: files done, files in all.
    pub(crate) fn indexed(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// The result of `question` on a view that was brought up to date first, and the provenance of the answer. Uses
    /// warm state of earlier calls if some is free.
    ///
    /// # Errors
    ///
    /// Those of the store and of the question.
    pub fn ask<T>(
        &self,
        at: &ViewSelector,
        deadline: &Deadline,
        question: impl Fn(&Snapshot) -> Result<T, icr_engine::Error>,
    ) -> Result<(T, Provenance), icr_engine::Error> {
        let (engine, freshness) = (self.engine().with_deadline(deadline), self.freshness());
        self.with_warm(|warm| {
            warm.answer(&engine, at, &freshness, &SilentObserver, |snapshot| {
                Ok((question(snapshot)?, snapshot.provenance().clone()))
            })
        })
    }

    /// Drops the warm states that are not in use.
    pub(crate) fn cool_down(&self) {
        let warm = std::mem::take(&mut *self.stack());
        drop(warm);
    }

    /// Number of warm states that are not in use.
    #[cfg(test)]
    pub(crate) fn warm_total(&self) -> usize {
        self.stack().len()
    }

    /// The result of `work` on a warm state, which is returned afterwards.
    fn with_warm<T>(&self, work: impl FnOnce(&mut Warm) -> T) -> T {
        let mut warm = self.stack().pop().unwrap_or_default();
        let made = work(&mut warm);
        let mut stack = self.stack();
        stack.push(warm);
        if stack.len() > WARM_STATES {
            stack.remove(0);
        }
        made
    }

    /// The impact of the change `source`, judged by the rules that applied before it, with the configured limits as
    /// `bounded` adapts them. Both sides of the change are brought up to date first.
    ///
    /// # Errors
    ///
    /// Those of the store, the configuration and the change.
    pub fn impact(
        &self,
        deadline: &Deadline,
        source: ChangeSource,
        bounded: impl FnOnce(ImpactRules) -> ImpactRules,
    ) -> Result<(Impact, Provenance), Error> {
        let judging = self.opened.before.find(&source)?;
        let (engine, rules) = match &judging {
            Some(judging) => (&judging.engine, judging.impact),
            None => (self.engine(), self.opened.impact),
        };
        let request = ImpactRequest { source, rules: bounded(rules) };
        let engine = engine.with_deadline(deadline);
        let (mut impact, provenance) =
            self.with_warm(|warm| warm.impact(&engine, None, &request, &self.freshness(), &SilentObserver))?;
        impact.sides.notes.extend(judging.map(|judging| judging.note));
        Ok((impact, provenance))
    }

    /// The impact of changing every definition in the given files of a view.
    ///
    /// # Errors
    ///
    /// Those of the store, and paths that the view does not have.
    pub fn impact_of_paths(
        &self,
        at: &ViewSelector,
        deadline: &Deadline,
        paths: Vec<String>,
        rules: ImpactRules,
    ) -> Result<(Impact, Provenance), icr_engine::Error> {
        let request = ImpactRequest { source: ChangeSource::Paths(paths), rules };
        let engine = self.engine().with_deadline(deadline);
        self.with_warm(|warm| warm.impact(&engine, Some(at), &request, &self.freshness(), &SilentObserver))
    }

    /// The effect of a change on each line, by the rules that applied before it. Both sides of the change are brought up
    /// to date first.
    ///
    /// # Errors
    ///
    /// Those of the store, the configuration and the change.
    pub fn line_diff(&self, deadline: &Deadline, request: &LineDiffRequest) -> Result<(LineDiff, Provenance), Error> {
        let judging = self.opened.before.find(&request.source)?;
        let engine = judging.as_ref().map_or(self.engine(), |judging| &judging.engine).with_deadline(deadline);
        Ok(icr_engine::line_diff(&engine, request, &self.freshness(), &SilentObserver)?)
    }

    /// How far a call may go to bring the store up to date.
    fn freshness(&self) -> Freshness {
        Freshness { time_box: self.opened.catch_up }
    }

    fn stack(&self) -> MutexGuard<'_, Vec<Warm>> {
        even_after_panic(self.warm.lock())
    }
}

impl Observer for ServedRepository {
    fn progress(&self, done: u64, total: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
    }
}

/// Stamp of a path; it changes when the file changes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stamp {
    /// The path does not exist.
    Absent,
    /// A directory. Its time is ignored, since it changes with every entry.
    Directory { id: u64 },
    /// A file.
    File { id: u64, bytes: u64, modified: Option<SystemTime> },
}

impl Stamp {
    fn of(path: &Path) -> Self {
        let Ok(metadata) = std::fs::metadata(path) else { return Self::Absent };
        let id = file_id(&metadata);
        match metadata.is_dir() {
            true => Self::Directory { id },
            false => Self::File { id, bytes: metadata.len(), modified: metadata.modified().ok() },
        }
    }
}

#[cfg(unix)]
fn file_id(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn file_id(_: &std::fs::Metadata) -> u64 {
    0
}
