//! The queue between the threads that record and the thread that writes.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::TraceEvent;

/// Most events that wait in the queue. The writer takes all of them at once, every few hundredths of a second, so the
/// queue fills only if something is wrong with the disk. At one call a millisecond it is full after half a second.
pub(crate) const EVENTS_MOST: usize = 512;

/// Most bytes of events that wait in the queue. Most calls take one or two kilobytes.
pub(crate) const BYTES_MOST: usize = 8 << 20;

/// How long the writer collects events after the first one of a batch, so that one call and its steps need one
/// transaction. A killed process loses the events of this time, and the batch that is being written.
const LINGER: Duration = Duration::from_millis(30);

/// A queue with one consuming thread.
#[derive(Debug, Default)]
pub(crate) struct EventQueue {
    state: Mutex<EventQueueState>,
    /// Wakes the writer: there is something to do.
    work: Condvar,
    /// Wakes flushing threads: a batch is done, or the writer has ended.
    done: Condvar,
}

#[derive(Debug, Default)]
struct EventQueueState {
    events: VecDeque<TraceEvent>,
    bytes: usize,
    /// Events that did not fit into the queue since the writer last took a batch.
    dropped: u64,
    /// Number of events that were ever put in, and how many of them the writer has finished.
    put: u64,
    finished: u64,
    /// The number of finished events that a flushing thread waits for.
    awaited: u64,
    is_stopped: bool,
    is_over: bool,
}

impl EventQueueState {
    /// Whether the writer should stop collecting.
    fn is_due(&self) -> bool {
        let is_half_full = self.events.len() >= EVENTS_MOST / 2 || self.bytes >= BYTES_MOST / 2;
        is_half_full || self.is_stopped || self.awaited > self.finished
    }
}

/// What the writer takes from the queue.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) events: VecDeque<TraceEvent>,
    /// Events that were dropped since the previous batch.
    pub(crate) dropped: u64,
}

impl EventQueue {
    /// Puts `event` of about `bytes` into the queue; returns whether there was room. Never waits for the writer's work.
    pub(crate) fn push_event(&self, event: TraceEvent, bytes: usize) -> bool {
        let mut state = self.state();
        if state.is_over || state.events.len() >= EVENTS_MOST || state.bytes + bytes > BYTES_MOST {
            state.dropped += 1;
            drop(state);
            drop(event);
            return false;
        }
        let (is_first, was_due) = (state.events.is_empty(), state.is_due());
        state.events.push_back(event);
        state.bytes += bytes;
        state.put += 1;
        let is_due = state.is_due() && !was_due;
        drop(state);
        // While the writer collects a batch, its own timeout wakes it.
        if is_first || is_due {
            self.work.notify_one();
        }
        true
    }

    /// Waits for events and takes all that are there; `None` if the queue is closed and empty.
    pub(crate) fn next_batch(&self) -> Option<Batch> {
        let mut state = self.state();
        while state.events.is_empty() && !state.is_stopped {
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let until = Instant::now() + LINGER;
        while !state.is_due() {
            let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else { break };
            state = self.work.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let (events, dropped) = (std::mem::take(&mut state.events), std::mem::take(&mut state.dropped));
        state.bytes = 0;
        (!events.is_empty() || dropped > 0).then_some(Batch { events, dropped })
    }

    /// Reports that a batch of `events` is done.
    pub(crate) fn finish(&self, events: u64) {
        self.state().finished += events;
        self.done.notify_all();
    }

    /// Waits until everything that was put in before is done. Returns whether that took at most `bound`.
    pub(crate) fn flush(&self, bound: Duration) -> bool {
        let mut state = self.state();
        let awaited = state.put;
        state.awaited = state.awaited.max(awaited);
        self.work.notify_one();
        let until = Instant::now() + bound;
        while state.finished < awaited && !state.is_over {
            let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else { break };
            state = self.done.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.finished >= awaited
    }

    /// Closes the queue, and waits at most `bound` until the writer has ended.
    pub(crate) fn stop(&self, bound: Duration) {
        let mut state = self.state();
        state.is_stopped = true;
        self.work.notify_one();
        let until = Instant::now() + bound;
        while !state.is_over {
            let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else { break };
            state = self.done.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Reports that the writer has ended: later events are dropped.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_over = true;
        state.dropped += state.events.len() as u64;
        let events = std::mem::take(&mut state.events);
        drop(state);
        drop(events);
        self.done.notify_all();
    }

    /// A poisoned lock is usable: no holder can panic between two changes that belong together.
    fn state(&self) -> MutexGuard<'_, EventQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::FileEdit;

    fn event() -> TraceEvent {
        FileEdit::new(SystemTime::UNIX_EPOCH, "s", "r", "a.rs").into()
    }

    #[test]
    fn what_does_not_fit_is_counted_and_the_count_comes_with_the_next_batch() {
        let queue = EventQueue::default();
        assert_eq!((0..EVENTS_MOST + 3).filter(|_| queue.push_event(event(), 100)).count(), EVENTS_MOST);
        let batch = queue.next_batch().unwrap();
        assert_eq!((batch.events.len(), batch.dropped), (EVENTS_MOST, 3));
        assert!(queue.push_event(event(), BYTES_MOST - 1) && !queue.push_event(event(), 2));
        queue.stop(Duration::ZERO);
        let batch = queue.next_batch().unwrap();
        assert_eq!((batch.events.len(), batch.dropped), (1, 1));
        assert!(queue.next_batch().is_none());
    }

    #[test]
    fn nobody_waits_for_a_writer_that_has_ended() {
        let queue = EventQueue::default();
        assert!(queue.push_event(event(), 100));
        queue.close();
        assert!(!queue.flush(Duration::MAX / 4) && !queue.push_event(event(), 100));
        queue.stop(Duration::MAX / 4);
    }
}
