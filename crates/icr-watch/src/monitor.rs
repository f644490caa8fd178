//! Whether anything changed in a set of directories since it was last asked; what git calls a file system monitor.
//!
//! Somebody who looks at a whole tree names each directory before looking into it; as long as nothing changed there,
//! what was seen still stands. On Linux an event is in the queue of inotify before the system call that caused it returns,
//! so whoever empties the queue knows of everything that was done before: there is no thread, no waiting and no cookie file, and
//! a monitor that nobody asks costs nothing. Other systems promise no such order, so there is no monitor there.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Error;
use crate::queue::ChangeQueue;

/// Changed paths that are remembered: more than people or agents change between two questions, and half a megabyte.
const REMEMBERED: usize = 4_096;

/// Watches directories that it is told, and counts what changes in them.
#[derive(Debug)]
pub struct Monitor {
    state: Mutex<MonitorState>,
}

/// One look at the whole tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Passes that had begun, this one among them.
    pub number: u64,
    /// How much had changed when it began: what is seen in this pass is at least of that moment.
    pub clock: u64,
}

/// Which names in a directory matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Every one.
    All,
    /// These.
    Only(&'static [&'static str]),
}

/// What changed since a clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// Nothing did.
    Nothing,
    /// At most these paths did, each once; no directory came, went or was moved.
    Paths {
        /// How much had changed when they were listed.
        clock: u64,
        /// Absolute, in order.
        paths: Vec<PathBuf>,
    },
    /// Anything may have.
    Unknown,
}

/// What happened.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is told where there is no queue"))]
pub(crate) enum MonitorEvent {
    /// Something changed at this path, which is no directory that came, went or was moved.
    Changed(PathBuf),
    /// More than that.
    Many,
}

/// Why the system does not go on.
#[derive(Debug)]
pub(crate) struct MonitorRefusal(pub(crate) String);

#[derive(Debug)]
struct MonitorState {
    /// `None` once the system refused to go on.
    queue: Option<ChangeQueue>,
    /// Why it was given up.
    refused: Option<String>,
    /// Changes counted.
    clock: u64,
    /// Passes begun.
    passes: u64,
    /// The last changes, with the clock after each.
    changed: VecDeque<(u64, PathBuf)>,
    /// The clock from which on `changed` is complete.
    complete_from: u64,
}

impl Monitor {
    /// A monitor of no directory yet.
    ///
    /// # Errors
    ///
    /// [`Error::NoWatcher`] when this system promises no order, or has no queue left to give.
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

    /// Begins a look at the whole tree; `None` when nothing can be known any more.
    pub fn begin(&self) -> Option<Pass> {
        let mut state = self.lock();
        state.drain();
        state.queue.as_ref()?;
        state.passes += 1;
        Some(Pass { number: state.passes, clock: state.clock })
    }

    /// Counts, from here on, what changes in `directory`, which is absolute; to be called before `pass` looks into it. A
    /// directory that is gone has no changes of its own.
    ///
    /// Returns whether it was watched since before the pass began. If not, what the pass saw there earlier may have changed unnoticed.
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

    /// Ends a pass that named all directories that matter: others are watched no more.
    pub fn end(&self, pass: Pass) {
        if let Some(queue) = &mut self.lock().queue {
            queue.keep_seen(pass.number);
        }
    }

    /// What changed since `clock`. Cost: one read of an empty queue, or as many as it takes to empty it.
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

    /// How many directories are watched.
    pub fn directories(&self) -> usize {
        self.lock().queue.as_ref().map_or(0, ChangeQueue::directories)
    }

    /// Why nothing is known any more; `None` as long as it is.
    pub fn refusal_reason(&self) -> Option<String> {
        self.lock().refused.clone()
    }

    fn lock(&self) -> MutexGuard<'_, MonitorState> {
        self.state.lock().unwrap_or_else(|poisoned: PoisonError<MutexGuard<'_, MonitorState>>| {
            // What a thread that panicked had in hand was not counted.
            let mut state = poisoned.into_inner();
            state.give_up(MonitorRefusal("a thread that read its queue panicked".to_owned()));
            state
        })
    }
}

impl MonitorState {
    /// Counts all that the system has told.
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
        // A file that is being written is told many times.
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
