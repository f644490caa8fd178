//! Records events in a background thread.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::bounds::{bound_event, bytes_of};
use crate::queue::EventQueue;
use crate::{TraceEvent, writer};

/// How long [`Recorder::flush`], and dropping a recorder, wait for the disk at most. A write takes milliseconds; if the
/// disk hangs, a program that is about to end must not hang with it.
pub const FLUSH_BOUND: Duration = Duration::from_millis(500);

/// Where traces are kept, how long, and how many.
#[derive(Debug, Clone)]
pub struct RecorderOptions {
    /// Directory of the database. It is created if it is missing (0700, the files 0600).
    pub directory: PathBuf,
    /// Days until an event is deleted; at least one.
    pub retention_days: u32,
    /// Largest size of the database in bytes; beyond it the oldest events are deleted. At least
    /// [`RecorderOptions::BYTES_LEAST`]. The write-ahead log beside the database takes a few megabytes more.
    pub bytes_most: u64,
    /// The clock that tells which events are too old.
    pub clock: fn() -> SystemTime,
}

impl RecorderOptions {
    /// Smallest allowed `bytes_most`: the pages of empty tables and some hundred calls.
    pub const BYTES_LEAST: u64 = 1 << 20;

    /// Keeps traces in `directory` for 30 days and up to 64 MiB, which is some ten thousand calls.
    pub fn new(directory: impl Into<PathBuf>, clock: fn() -> SystemTime) -> Self {
        Self { directory: directory.into(), retention_days: 30, bytes_most: 64 << 20, clock }
    }
}

/// Writes events to the database. Threads share it by reference or by [`Arc`].
///
/// A problem with the database never reaches the caller: an event that cannot be written is counted as dropped, and the
/// reason goes to the log (`tracing`, level debug). Dropping a recorder waits at most [`FLUSH_BOUND`] until its events
/// are written. A process that exits without that loses the events of the last hundredths of a second.
pub struct Recorder {
    shared: Option<Arc<RecorderState>>,
}

/// State that the recorder shares with its thread.
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

    /// A recorder with a waiting thread. It touches no file before the first event.
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

    /// Whether events are recorded. If not, a caller need not collect them.
    pub fn is_on(&self) -> bool {
        self.shared.is_some()
    }

    /// Records `event`. Takes microseconds and never waits for the disk: if the queue is full, the event is dropped and
    /// counted.
    pub fn record(&self, event: impl Into<TraceEvent>) {
        let Some(shared) = &self.shared else { return };
        let mut event = event.into();
        bound_event(&mut event);
        let bytes = bytes_of(&mut event);
        if !shared.queue.push_event(event, bytes) {
            shared.dropped_total.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until all earlier events are in the database or dropped. Returns false if that takes longer than
    /// [`FLUSH_BOUND`].
    pub fn flush(&self) -> bool {
        self.shared.as_ref().is_none_or(|shared| shared.queue.flush(FLUSH_BOUND))
    }

    /// Number of events that this recorder has dropped.
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
