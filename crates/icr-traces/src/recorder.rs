//! Recording.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::bounds::{bound_event, bytes_of};
use crate::queue::EventQueue;
use crate::{TraceEvent, writer};

/// How long [`Recorder::flush`], and the end of a recorder, wait for the disk at most. A write takes milliseconds; a
/// program that is about to end must not hang on a disk that does.
pub const FLUSH_BOUND: Duration = Duration::from_millis(500);

/// Where and for how long traces are kept.
#[derive(Debug, Clone)]
pub struct RecorderOptions {
    /// Directory of the database, which is made where there is none (0700, the files 0600).
    pub directory: PathBuf,
    /// Days after which an event is deleted; at least one.
    pub retention_days: u32,
    /// Bytes of the database above which the oldest events are deleted; at least [`RecorderOptions::BYTES_LEAST`]. The
    /// write-ahead log beside it has a few megabytes more.
    pub bytes_most: u64,
    /// What time it is, for what is too old.
    pub clock: fn() -> SystemTime,
}

impl RecorderOptions {
    /// The least bound of the size: the pages of empty tables and some hundred calls.
    pub const BYTES_LEAST: u64 = 1 << 20;

    /// Traces in `directory` for 30 days and 64 MiB, which are some ten thousand calls.
    pub fn new(directory: impl Into<PathBuf>, clock: fn() -> SystemTime) -> Self {
        Self { directory: directory.into(), retention_days: 30, bytes_most: 64 << 20, clock }
    }
}

/// Takes events to the database. Shared between threads by reference or by [`Arc`].
///
/// Nothing that is wrong with the database reaches the caller: an event that cannot be kept is counted as dropped, and
/// the reason goes to the log (`tracing`, level debug). A recorder that goes out of scope waits [`FLUSH_BOUND`] at most
/// until what it holds is written; a process that exits without that loses what came in the last hundredths of a
/// second.
pub struct Recorder {
    shared: Option<Arc<RecorderState>>,
}

/// What the recorder and its thread have in common.
pub(crate) struct RecorderState {
    pub(crate) queue: EventQueue,
    pub(crate) options: RecorderOptions,
    pub(crate) dropped_total: AtomicU64,
}

impl Recorder {
    /// A recorder that does nothing.
    pub fn off() -> Self {
        Self { shared: None }
    }

    /// A recorder with a thread that waits. No file is touched before the first event.
    pub fn open(options: RecorderOptions) -> Self {
        let shared =
            Arc::new(RecorderState { queue: EventQueue::default(), options, dropped_total: AtomicU64::new(0) });
        let of_thread = Arc::clone(&shared);
        let spawned = std::thread::Builder::new().name("icr-traces".to_owned()).spawn(move || writer::run(&of_thread));
        if let Err(error) = spawned {
            tracing::debug!(%error, "no thread to write traces with");
            shared.queue.close();
        }
        Self { shared: Some(shared) }
    }

    /// Whether anything is recorded, so that a caller need not collect what nobody keeps.
    pub fn is_on(&self) -> bool {
        self.shared.is_some()
    }

    /// Records `event`. Takes microseconds and never waits for the disk: where the queue is full the event is dropped
    /// and counted.
    pub fn record(&self, event: impl Into<TraceEvent>) {
        let Some(shared) = &self.shared else { return };
        let mut event = event.into();
        bound_event(&mut event);
        let bytes = bytes_of(&mut event);
        if !shared.queue.push_event(event, bytes) {
            shared.dropped_total.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until all events that were recorded before are in the database, or dropped; false where that takes longer
    /// than [`FLUSH_BOUND`].
    pub fn flush(&self) -> bool {
        self.shared.as_ref().is_none_or(|shared| shared.queue.flush(FLUSH_BOUND))
    }

    /// Events that this recorder dropped so far.
    pub fn dropped_events(&self) -> u64 {
        self.shared.as_ref().map_or(0, |shared| shared.dropped_total.load(Ordering::Relaxed))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.queue.stop(FLUSH_BOUND);
        }
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("options", &self.shared.as_ref().map(|shared| &shared.options)).finish()
    }
}
