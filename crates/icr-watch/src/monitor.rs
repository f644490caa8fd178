//! Tells whether anything changed in a set of directories since the last query; git calls this a file system monitor.
//!
//! A pass over a tree names each directory before it reads it. As long as nothing changes there, the results of the
//! pass stay valid. On Linux an event is in the inotify queue before the system call that caused it returns, so
//! emptying the queue reveals everything that was done before. There is no thread, no waiting and no cookie file, and a
//! monitor that is not queried costs nothing. Other systems do not promise such an order, so there is no monitor on
//! them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Error;
use crate::queue::ChangeQueue;

/// Most changed paths that are remembered: more than people or agents change between two queries, and half a megabyte
/// of memory.
const REMEMBERED: usize = 4_096;

/// Watches the directories that it is given, and counts changes in them.
#[derive(Debug)]
pub struct Monitor {
    state: Mutex<MonitorState>,
}

/// One pass over the whole tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Number of the pass, counted from the first one.
    pub number: u64,
    /// Value of the change counter when the pass began; its results are at least as recent.
    pub clock: u64,
}

/// Which names in a directory are watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// All names.
    All,
    /// Only these names.
    Only(&'static [&'static str]),
}

/// The changes since a clock value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// Nothing changed.
    Nothing,
    /// No more than these paths changed, each listed once; no directory was created, deleted or moved.
    Paths {
        /// Value of the change counter when they were listed.
        clock: u64,
        /// The paths, absolute, sorted.
        paths: Vec<PathBuf>,
    },
    /// Anything may have changed.
    Unknown,
}

/// A decoded event.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is told where there is no queue"))]
pub(crate) enum MonitorEvent {
    /// This path changed; it is not a directory that was created, deleted or moved.
    Changed(PathBuf),
    /// More changed than one path.
    Many,
}

/// Why the system cannot watch any more.
#[derive(Debug)]
pub(crate) struct MonitorRefusal(pub(crate) String);

#[derive(Debug)]
struct MonitorState {
    /// `None` after the system could not watch any more.
    queue: Option<ChangeQueue>,
    /// The reason for that.
    refused: Option<String>,
    /// Number of changes so far.
    clock: u64,
    /// Number of passes begun.
    passes: u64,
    /// The latest changes, each with the clock value after it.
    changed: VecDeque<(u64, PathBuf)>,
    /// Clock value since which `changed` is complete.
    complete_from: u64,
}

impl Monitor {
    /// A monitor that watches no directory yet.
    ///
    /// # Errors
    ///
    /// [`Error::NoWatcher`] when this system does not promise the order of events, or cannot provide a queue.
    pub fn start() -> Result<Self, Error> {
        let queue = ChangeQueue::new().map_err(|refused| Error::NoWatcher { reason: refused.0 })?;
        let state = MonitorState {
            queue: Some(queue),
            refused: None,
            clock: 0,
            passes: 0,
            changed: VecDeque::new(),
            complete_from: 0,
        };
        Ok(Self { state: Mutex::new(state) })
    }

    /// Begins a pass over the whole tree; `None` if changes can no longer be detected.
    pub fn begin(&self) -> Option<Pass> {
        let mut state = self.lock();
        state.drain();
        state.queue.as_ref()?;
        state.passes += 1;
        Some(Pass { number: state.passes, clock: state.clock })
    }

    /// Counts changes in `directory`, which is absolute, from now on. Must be called before `pass` reads the directory.
    /// For a directory that does not exist nothing is counted.
    ///
    /// Returns whether it was already watched when the pass began. If not, changes since an earlier read in this pass
    /// may have been missed.
    pub fn watch(&self, pass: Pass, directory: &Path, names: Names) -> bool {
        let mut state = self.lock();
        let now = state.passes;
        let Some(queue) = &mut state.queue else { return false };
        match queue.watch(directory, names, pass.number, now) {
            Ok(added) => added.is_some_and(|added| added < pass.number),
            Err(refused) => {
                state.give_up(refused);
                false
            }
        }
    }

    /// Ends a pass that named all relevant directories; all others are no longer watched.
    pub fn end(&self, pass: Pass) {
        if let Some(queue) = &mut self.lock().queue {
            queue.keep_seen(pass.number);
        }
    }

    /// The changes since `clock`. Cost: one read of an empty queue, or as many reads as it takes to empty it.
    pub fn since(&self, clock: u64) -> Changes {
        let mut state = self.lock();
        state.drain();
        if state.queue.is_none() || clock < state.complete_from || clock > state.clock {
            return Changes::Unknown;
        }
        if clock == state.clock {
            return Changes::Nothing;
        }
        let news = state.changed.iter().rev().take_while(|(at, _)| *at > clock);
        let mut paths: Vec<PathBuf> = news.map(|(_, path)| path.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        Changes::Paths { clock: state.clock, paths }
    }

    /// Number of watched directories.
    pub fn directories(&self) -> usize {
        self.lock().queue.as_ref().map_or(0, ChangeQueue::directories)
    }

    /// Why changes can no longer be detected; `None` if they can.
    pub fn refusal_reason(&self) -> Option<String> {
        self.lock().refused.clone()
    }

    fn lock(&self) -> MutexGuard<'_, MonitorState> {
        self.state.lock().unwrap_or_else(|poisoned: PoisonError<MutexGuard<'_, MonitorState>>| {
            // An event that a panicking thread was processing was not counted.
            let mut state = poisoned.into_inner();
            state.give_up(MonitorRefusal("a thread that read its queue panicked".to_owned()));
            state
        })
    }
}

impl MonitorState {
    /// Reads the queue and counts all events in it.
    fn drain(&mut self) {
        let Some(mut queue) = self.queue.take() else { return };
        let drained = queue.drain(&mut |event| match event {
            MonitorEvent::Changed(path) => self.count(path),
            MonitorEvent::Many => self.count_many(),
        });
        match drained {
            Ok(()) => self.queue = Some(queue),
            Err(refused) => self.give_up(refused),
        }
    }

    fn count(&mut self, path: PathBuf) {
        self.clock += 1;
        // A file that is being written causes many events.
        if let Some((at, last)) = self.changed.back_mut()
            && *last == path
        {
            *at = self.clock;
            return;
        }
        self.changed.push_back((self.clock, path));
        if self.changed.len() > REMEMBERED
            && let Some((forgotten, _)) = self.changed.pop_front()
        {
            self.complete_from = forgotten;
        }
    }

    fn count_many(&mut self) {
        self.clock += 1;
        self.changed.clear();
        self.complete_from = self.clock;
    }

    fn give_up(&mut self, refused: MonitorRefusal) {
        self.queue = None;
        self.changed = VecDeque::new();
        self.refused.get_or_insert(refused.0);
    }
}
