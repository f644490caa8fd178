//! Limits how many calls run at once and how many wait.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use icr_model::even_after_panic;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Bounds, Error};

/// Calls that run at once in each lane other than the ordinary one. They take milliseconds, and most machines have at
/// least this many processors.
const QUICK: usize = 4;

/// How long a call has a processor to itself. Most calls end within it. One that does not shares the processor with the
/// calls behind it, so that none waits for a long one.
pub(crate) const TURN: Duration = Duration::from_millis(50);

/// Queue of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Waits for other quick calls only, which take milliseconds.
    Quick,
    /// Reads memories. Waits for other such calls only: a reader of the database waits for no writer.
    MemoryQuestion,
    /// Changes memories. Such a call may wait for another process that writes memories, so nothing else waits in its
    /// lane.
    MemoryChange,
    /// Waits for all calls that ask repositories.
    Ordinary,
}

/// The slots that calls run in. A cancelled call keeps its slot until its thread is done.
#[derive(Debug)]
pub(crate) struct Slots {
    quick: Arc<Semaphore>,
    memory_question: Arc<Semaphore>,
    memory_change: Arc<Semaphore>,
    ordinary: Arc<Semaphore>,
    /// As many turns as processors. If short calls all shared the processors, each would end only when the last one
    /// does.
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_most: usize,
}

impl Slots {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self {
            quick: Arc::new(Semaphore::new(QUICK)),
            memory_question: Arc::new(Semaphore::new(QUICK)),
            memory_change: Arc::new(Semaphore::new(QUICK)),
            ordinary: Arc::new(Semaphore::new(bounds.in_flight.max(1))),
            turns: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from))),
            waiting: AtomicUsize::new(0),
            waiting_most: bounds.waiting,
        }
    }

    /// A slot and a turn, in the order of asking. Dropping the result frees both.
    ///
    /// # Errors
    ///
    /// [`Error::Crowded`] if too many calls already wait.
    pub(crate) async fn enter(&self, lane: Lane) -> Result<CallSlot, Error> {
        let places = match lane {
            Lane::Quick => &self.quick,
            Lane::MemoryQuestion => &self.memory_question,
            Lane::MemoryChange => &self.memory_change,
            Lane::Ordinary => &self.ordinary,
        };
        let permit = self.one_of(places).await?;
        if lane != Lane::Ordinary {
            return Ok(CallSlot { _permit: permit, turn: Turn::default() });
        }
        let turn = Arc::clone(&self.turns).acquire_owned().await.expect("the turns are never closed");
        Ok(CallSlot { _permit: permit, turn: Turn(Arc::new(Mutex::new(Some(turn)))) })
    }

    async fn one_of(&self, places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Error> {
        if let Ok(place) = Arc::clone(places).try_acquire_owned() {
            return Ok(place);
        }
        let Some(_waiting) = WaitingCall::begin(self) else {
            return Err(Error::Crowded { waiting: self.waiting_most });
        };
        let place = Arc::clone(places).acquire_owned().await;
        Ok(place.expect("the places are never closed"))
    }
}

/// The slot of a call.
#[derive(Debug)]
pub(crate) struct CallSlot {
    _permit: OwnedSemaphorePermit,
    turn: Turn,
}

impl CallSlot {
    /// What ends the turn of this call before the call ends.
    pub(crate) fn turn(&self) -> Turn {
        self.turn.clone()
    }
}

impl Drop for CallSlot {
    fn drop(&mut self) {
        self.turn.pass();
    }
}

/// The turn of a call; there are as many as processors. Only ordinary calls have one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl Turn {
    /// Ends the turn, so that the next call can begin.
    pub(crate) fn pass(&self) {
        drop(even_after_panic(self.0.lock()).take());
    }
}

/// A waiting call. It counts until dropped, so a cancelled call no longer counts.
struct WaitingCall<'a>(&'a Slots);

impl<'a> WaitingCall<'a> {
    fn begin(slots: &'a Slots) -> Option<Self> {
        let more = |waiting: usize| (waiting < slots.waiting_most).then_some(waiting + 1);
        slots.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok().map(|_| Self(slots))
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_begins_when_another_has_had_its_turn() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let slots = Slots::new(Bounds { hard: Duration::from_secs(1), in_flight: 10_000, waiting: 10_000 });
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        runtime.block_on(async {
            let mut places = Vec::new();
            for _ in 0..processors {
                places.push(slots.enter(Lane::Ordinary).await.expect("a place"));
            }
            let next = slots.enter(Lane::Ordinary);
            tokio::pin!(next);
            assert!(tokio::time::timeout(Duration::ZERO, &mut next).await.is_err(), "every processor is taken");
            let quick = tokio::time::timeout(Duration::ZERO, slots.enter(Lane::Quick)).await;
            assert!(quick.is_ok(), "what is quick waits for its like alone");
            places[0].turn().pass();
            let next = next.await.expect("the first has had its turn");
            drop((places, next));
            assert_eq!(slots.turns.available_permits(), processors, "each turn was given back once");
        });
    }
    #[test]
    fn changes_of_memories_that_wait_hold_up_no_other_call() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let slots = Slots::new(Bounds { hard: Duration::from_secs(1), in_flight: 1, waiting: 10 });
        runtime.block_on(async {
            let mut changes = Vec::new();
            for _ in 0..QUICK {
                changes.push(slots.enter(Lane::MemoryChange).await.expect("a place"));
            }
            let next = tokio::time::timeout(Duration::ZERO, slots.enter(Lane::MemoryChange)).await;
            assert!(next.is_err(), "every place of the lane is taken");
            for lane in [Lane::Quick, Lane::MemoryQuestion, Lane::Ordinary] {
                let other = tokio::time::timeout(Duration::ZERO, slots.enter(lane)).await;
                assert!(other.is_ok_and(|other| other.is_ok()), "{lane:?}");
            }
        });
    }
}
