//! The background thread that writes events.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::database::Database;
use crate::masking::mask;
use crate::queue::Batch;
use crate::recorder::RecorderState;
use crate::{Error, RecorderOptions, TraceEvent, moments};

/// How long to wait before opening a database again after a failure. Somebody who repairs it should not have to wait
/// for traces.
const REOPEN_AFTER: Duration = Duration::from_secs(60);

/// How often old events are deleted, besides when the database is opened.
const EXPIRE_EVERY: Duration = Duration::from_secs(60 * 60);

/// Writes batches until the queue is closed and empty.
pub(crate) fn run(shared: &RecorderState) {
    // However this thread ends, nobody may wait for it any longer.
    let _closing = Closing(shared);
    let mut writer =
        TraceWriter { options: &shared.options, database: None, not_before: None, expire_at: None, lost: 0 };
    while let Some(Batch { events, dropped }) = shared.queue.next_batch() {
        let total = events.len() as u64;
        if let Err(error) = writer.write(events, dropped) {
            tracing::debug!(error = &error as &dyn std::error::Error, events = total, "traces are lost");
            shared.dropped_total.fetch_add(total, Ordering::Relaxed);
            writer.lost = writer.lost.saturating_add(total).saturating_add(dropped);
        }
        shared.queue.finish(total);
    }
}

struct Closing<'a>(&'a RecorderState);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.queue.close();
    }
}

struct TraceWriter<'a> {
    options: &'a RecorderOptions,
    database: Option<Database>,
    /// When opening a database that failed is tried again.
    not_before: Option<Instant>,
    /// When old events are deleted next.
    expire_at: Option<Instant>,
    /// Number of events that could not be written; it is stored with the next successful write.
    lost: u64,
}

impl TraceWriter<'_> {
    /// Writes a batch and the number of dropped events, all or nothing.
    fn write(&mut self, mut events: VecDeque<TraceEvent>, dropped: u64) -> Result<(), Error> {
        let lost = self.lost;
        let now = moments::microseconds((self.options.clock)());
        let database = self.database()?;
        events.iter_mut().for_each(mask);
        let written = database.write(&events, dropped.saturating_add(lost), now);
        if let Err(error) = written {
            self.give_up(&error);
            return Err(error);
        }
        self.lost = 0;
        if let Err(error) = self.delete_old(now) {
            tracing::debug!(error = &error as &dyn std::error::Error, "old traces are not deleted");
        }
        Ok(())
    }

    /// The open database. It is opened if it is not, or again if another file took its place.
    fn database(&mut self) -> Result<&mut Database, Error> {
        if self.database.as_ref().is_some_and(|database| !database.is_in_place()) {
            self.database = None;
        }
        if self.database.is_none() {
            if self.not_before.is_some_and(|moment| Instant::now() < moment) {
                return Err(Error::NotTried);
            }
            match Database::create(&self.options.directory) {
                Ok(database) => self.database = Some(database),
                Err(error) => {
                    self.give_up(&error);
                    return Err(error);
                }
            }
            (self.not_before, self.expire_at) = (None, None);
        }
        Ok(self.database.as_mut().expect("it was opened above"))
    }

    /// Stops using the database for a while. If another process or a full disk was the reason, it is tried again with
    /// the next batch.
    fn give_up(&mut self, error: &Error) {
        if matches!(error, Error::Busy | Error::Full { .. }) {
            return;
        }
        self.database = None;
        self.not_before = Some(Instant::now() + REOPEN_AFTER);
    }

    /// Deletes old events when that is due, and the oldest events if the database is too large.
    fn delete_old(&mut self, now: i64) -> Result<(), Error> {
        let Some(database) = &mut self.database else { return Ok(()) };
        if self.expire_at.is_none_or(|moment| Instant::now() >= moment) {
            self.expire_at = Some(Instant::now() + EXPIRE_EVERY);
            database.delete_before(now.saturating_sub(retention(self.options.retention_days)))?;
        }
        database.keep_size(self.options.bytes_most.max(RecorderOptions::BYTES_LEAST))
    }
}

/// So many days, in microseconds.
fn retention(days: u32) -> i64 {
    moments::of_duration(Duration::from_secs(u64::from(days.max(1)) * 24 * 60 * 60))
}
