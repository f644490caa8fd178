//! How many calls are worked on at once, and who waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Bounds, Error};

/// Quick calls at once. They read nothing, and so are as many as there are processors to run them on most machines.
const QUICK: usize = 4;

/// Which calls a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// For its like only, which take milliseconds.
    Quick,
    /// For all that ask repositories.
    Ordinary,
}

/// The places that calls work in. A call that was given up keeps its place until its thread is done.
#[derive(Debug)]
pub(crate) struct Slots {
    quick: Arc<Semaphore>,
    ordinary: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_most: usize,
}

impl Slots {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self {
            quick: Arc::new(Semaphore::new(QUICK)),
            ordinary: Arc::new(Semaphore::new(bounds.in_flight.max(1))),
            waiting: AtomicUsize::new(0),
            waiting_most: bounds.waiting,
        }
    }

    /// A place, in the order of asking; it is free again when what is returned is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Crowded`] when too many wait already.
    pub(crate) async fn enter(&self, lane: Lane) -> Result<OwnedSemaphorePermit, Error> {
        let places = match lane {
            Lane::Quick => &self.quick,
            Lane::Ordinary => &self.ordinary,
        };
        if let Ok(place) = Arc::clone(places).try_acquire_owned() {
            return Ok(place);
        }
        let Some(_waiting) = Waiting::begin(self) else {
            return Err(Error::Crowded { waiting: self.waiting_most });
        };
        let place = Arc::clone(places).acquire_owned().await;
        Ok(place.expect("the places are never closed"))
    }
}

/// Somebody who waits, counted until dropped: a call that is cancelled waits no longer.
struct Waiting<'a>(&'a Slots);

impl<'a> Waiting<'a> {
    fn begin(slots: &'a Slots) -> Option<Self> {
        let more = |waiting: usize| (waiting < slots.waiting_most).then_some(waiting + 1);
        slots.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok().map(|_| Self(slots))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
