//! Reports the progress of a call to the client.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;

/// Share of the progress of a call that indexing has, if it must come first. The answer itself is quick compared with
/// it.
const INDEXING: f64 = 0.9;

/// Below any progress value, so that the first report may be zero.
const NOTHING: f64 = -1.0;

/// Reports progress if the client asked for it. Values only grow, in `0.0..1.0`; the answer ends them.
pub(crate) struct Progress<'a> {
    client: Option<(&'a Peer<RoleServer>, ProgressToken)>,
    told: f64,
    /// Progress value at which the work itself begins.
    floor: f64,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(peer: &'a Peer<RoleServer>, token: Option<ProgressToken>) -> Self {
        Self { client: token.map(|token| (peer, token)), told: NOTHING, floor: 0.0 }
    }

    async fn notify_client(&mut self, share: f64, message: impl FnOnce() -> String + Send) {
        let Some((peer, token)) = &self.client else { return };
        if share <= self.told {
            return;
        }
        self.told = share;
        let told = ProgressNotificationParam::new(token.clone(), share).with_total(1.0).with_message(message());
        // A client that is gone is noticed where its messages are read.
        let _ = peer.notify_progress(told).await;
    }
}

impl icr_serve::Progress for Progress<'_> {
    async fn indexing(&mut self, done: u64, total: u64) {
        self.floor = INDEXING;
        let share = done as f64 / total.max(1) as f64;
        self.notify_client(INDEXING * share.min(1.0), || format!("indexing: {done} of {total} files")).await;
    }

    async fn working(&mut self, done: Duration, limit: Duration) {
        let share = done.as_secs_f64() / limit.as_secs_f64().max(f64::MIN_POSITIVE);
        let share = self.floor + (1.0 - self.floor) * share.min(0.99);
        self.notify_client(share, || "working".to_owned()).await;
    }
}
