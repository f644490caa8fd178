//! Knowing that a worktree has not changed, without looking at it.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

pub use icr_git::Names;
use icr_git::{Follow, Overlay};
use icr_model::{Gap, TreeId, even_after_panic};

use crate::engine::policy;
use crate::{Engine, Error};

/// Counts what changes in the directories that it is told; what git calls a file system monitor.
pub trait Monitor: Debug + Send + Sync {
    /// Begins a look at the whole worktree, after everything that was done before has been counted; `None` when nothing can
    /// be known.
    fn begin(&self) -> Option<Pass>;

    /// Counts, from here on, what happens to `names` in `directory`, into which `pass` is about to look. Returns whether that was
    /// counted since before the pass began.
    fn watch(&self, pass: Pass, directory: &Path, names: Names) -> bool;

    /// Ends a pass that told all directories that matter.
    fn end(&self, pass: Pass);

    /// Whether nothing was done since `clock`, up to now.
    fn is_unchanged_since(&self, clock: u64) -> bool;

    /// Whether nothing is watched yet.
    fn is_new(&self) -> bool;
}

/// A look at a whole worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Passes that had begun, this one among them.
    pub number: u64,
    /// Changes that were counted before it began.
    pub clock: u64,
}

/// A worktree with its monitor, shared by the clones of an engine.
#[derive(Debug)]
pub(crate) struct WatchedWorktree {
    monitor: Arc<dyn Monitor>,
    look_every: Duration,
    looks: AtomicU64,
    standing: Mutex<Option<Arc<CachedOverlay>>>,
}

/// An overlay, and when it was made.
#[derive(Debug)]
pub(crate) struct CachedOverlay {
    pub(crate) overlay: Arc<Overlay>,
    base: TreeId,
    clock: u64,
    began: Instant,
}

impl Engine {
    /// The same engine, which looks at its worktree only when `monitor` says that something changed there, and in any case
    /// when it last did so `look_every` ago: what is written through a memory map is told by nobody.
    #[must_use]
    pub fn with_monitor(self, monitor: Arc<dyn Monitor>, look_every: Duration) -> Self {
        let watched = WatchedWorktree { monitor, look_every, looks: AtomicU64::new(0), standing: Mutex::default() };
        Self { watched: Some(Arc::new(watched)), ..self }
    }

    /// Files outside of the repository that say what git ignores and how it converts, whether they are there or not. A monitor
    /// does not follow them, so that whoever keeps an engine opens it again when one changes.
    pub fn rule_files(&self) -> Vec<PathBuf> {
        self.foundation.repository.rule_files()
    }

    /// Whether the committed rules of what belongs to a view still are those that this was opened with, where they are read
    /// from HEAD's tree: in a bare repository. Rules in a worktree are files, which whoever keeps an engine looks at.
    ///
    /// Cost: in a bare repository, a look at HEAD and at two names of its tree; else nothing.
    pub fn has_current_rules(&self) -> bool {
        let (repository, shape) = (&self.foundation.repository, &self.foundation.shape);
        let is_same =
            || policy(repository, &self.options).is_ok_and(|policy| policy.digest() == shape.policy().digest());
        !repository.is_bare() || is_same()
    }

    /// How often the whole worktree was looked at, by this engine and its clones, since it has a monitor.
    pub fn looks(&self) -> u64 {
        self.watched.as_ref().map_or(0, |watched| watched.looks.load(Ordering::Relaxed))
    }

    /// What the worktree has that `base` does not, as far as could be looked at before `until`; and the same to go on from,
    /// where the monitor will tell whether it still stands.
    pub(crate) fn overlay(
        &self,
        base: TreeId,
        until: Option<Instant>,
    ) -> Result<(Arc<Overlay>, Option<Arc<CachedOverlay>>), Error> {
        let (repository, policy) = (&self.foundation.repository, self.foundation.shape.policy());
        let Some(watched) = &self.watched else {
            return Ok((Arc::new(repository.overlay_until(policy, base, until)?), None));
        };
        if let Some(standing) = watched.current_overlay(base) {
            return Ok((Arc::clone(&standing.overlay), Some(standing)));
        }
        watched.looks.fetch_add(1, Ordering::Relaxed);
        let began = Instant::now();
        // The clock is read first, so that what changes while the worktree is looked at is seen by the next question.
        let Some(pass) = watched.monitor.begin() else {
            return Ok((Arc::new(repository.overlay_until(policy, base, until)?), None));
        };
        let follower = Follower { monitor: &*watched.monitor, pass, missed: AtomicBool::new(false) };
        let overlay = Arc::new(repository.overlay_followed(policy, base, until, Some(&follower))?);
        watched.monitor.end(pass);
        let is_whole = !overlay.gaps.iter().any(may_pass) && !follower.missed.into_inner();
        let standing = CachedOverlay { overlay: Arc::clone(&overlay), base, clock: pass.clock, began };
        Ok((overlay, is_whole.then(|| watched.keep(standing))))
    }
}

impl WatchedWorktree {
    /// The overlay over `base` that was made last, if it still is what a look at the worktree would give.
    pub(crate) fn current_overlay(&self, base: TreeId) -> Option<Arc<CachedOverlay>> {
        let standing = self.lock().clone()?;
        let is_recent = standing.began.elapsed() < self.look_every;
        let stands = standing.base == base && is_recent && self.monitor.is_unchanged_since(standing.clock);
        stands.then_some(standing)
    }

    /// Keeps an overlay, unless another thread made one that began later.
    fn keep(&self, standing: CachedOverlay) -> Arc<CachedOverlay> {
        let standing = Arc::new(standing);
        let mut kept = self.lock();
        if kept.as_ref().is_none_or(|kept| kept.began <= standing.began) {
            *kept = Some(Arc::clone(&standing));
        }
        standing
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<CachedOverlay>>> {
        even_after_panic(self.standing.lock())
    }
}

/// Whether what is lacking may be there the next time, without any change to the worktree.
pub(crate) fn may_pass(gap: &Gap) -> bool {
    !matches!(
        gap,
        Gap::ExternalFilter { .. }
            | Gap::Oversize { .. }
            | Gap::Conflicted { .. }
            | Gap::ShallowHistory
            | Gap::NoVectors
    )
}

/// Tells a monitor of directories.
struct Follower<'a> {
    monitor: &'a dyn Monitor,
    pass: Pass,
    /// Whether something may have changed between its being seen and its being watched.
    missed: AtomicBool,
}

impl Follow for Follower<'_> {
    fn follow(&self, directory: &Path, names: Names, was_seen: bool) {
        let was_watched = self.monitor.watch(self.pass, directory, names);
        if was_seen && !was_watched {
            self.missed.store(true, Ordering::Relaxed);
        }
    }

    fn is_new(&self) -> bool {
        self.monitor.is_new()
    }
}
