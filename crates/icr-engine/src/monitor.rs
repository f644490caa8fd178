//! Detects that a worktree has not changed, without scanning it.

use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

pub use icr_git::Names;
use icr_git::{Follow, Overlay};
use icr_model::{Gap, TreeId, even_after_panic};
use icr_view::Foundation;

use crate::Error;

/// Counts changes in the directories that it watches; git calls this a file system monitor.
pub trait Monitor: Debug + Send + Sync {
    /// Begins a scan of the whole worktree, after all earlier changes have been counted; `None` when changes cannot be
    /// watched.
    fn begin(&self) -> Option<Pass>;

    /// Counts changes to `names` in `directory` from now on; `pass` is about to scan that directory. Returns whether
    /// these changes were already counted before the pass began.
    fn watch(&self, pass: Pass, directory: &Path, names: Names) -> bool;

    /// Ends a pass that has reported all relevant directories.
    fn end(&self, pass: Pass);

    /// Whether nothing has changed since `clock`.
    fn is_unchanged_since(&self, clock: u64) -> bool;

    /// Whether nothing is watched yet.
    fn is_new(&self) -> bool;
}

/// A scan of a whole worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Number of passes begun so far, including this one.
    pub number: u64,
    /// Number of changes that were counted before it began.
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

/// The differences of the worktree from `base`, as far as scanned before `until`; and the cached form to reuse, if the
/// monitor can tell whether it stays valid.
pub(crate) fn overlay_of(
    foundation: &Foundation,
    watched: Option<&WatchedWorktree>,
    base: TreeId,
    until: Option<Instant>,
) -> Result<(Arc<Overlay>, Option<Arc<CachedOverlay>>), Error> {
    let (repository, policy) = (&foundation.repository, foundation.shape.policy());
    let Some(watched) = watched else {
        return Ok((Arc::new(repository.overlay_until(policy, base, until)?), None));
    };
    if let Some(standing) = watched.current_overlay(base) {
        return Ok((Arc::clone(&standing.overlay), Some(standing)));
    }
    watched.looks.fetch_add(1, Ordering::Relaxed);
    let began = Instant::now();
    // The clock is read first, so that changes during the scan are seen by the next question.
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

impl WatchedWorktree {
    pub(crate) fn new(monitor: Arc<dyn Monitor>, look_every: Duration) -> Self {
        Self { monitor, look_every, looks: AtomicU64::new(0), standing: Mutex::default() }
    }

    /// How often the whole worktree was scanned.
    pub(crate) fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    /// The latest overlay over `base`, if a scan would give the same.
    pub(crate) fn current_overlay(&self, base: TreeId) -> Option<Arc<CachedOverlay>> {
        let standing = self.lock().clone()?;
        let is_recent = standing.began.elapsed() < self.look_every;
        let stands = standing.base == base && is_recent && self.monitor.is_unchanged_since(standing.clock);
        stands.then_some(standing)
    }

    /// Caches an overlay, unless another thread has cached one from a later scan.
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

/// Whether a gap may close without any change to the worktree.
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

/// Reports directories to a monitor.
struct Follower<'a> {
    monitor: &'a dyn Monitor,
    pass: Pass,
    /// Whether a directory may have changed between its scan and the start of its watch.
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
