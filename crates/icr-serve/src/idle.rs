//! Releases memory of a server that is idle.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;

use crate::Repositories;

/// Time without calls after which memory is released: usually longer than an agent thinks between two calls.
const REST_AFTER: Duration = Duration::from_secs(60);

/// Detects that a server is idle.
#[derive(Debug, Default)]
pub(crate) struct IdleDetector {
    asked: Arc<Notify>,
    is_watched: AtomicBool,
}

impl IdleDetector {
    /// Notes a call. The first one starts a task, which sleeps until there is memory to release.
    pub(crate) fn note_call(&self, repositories: &Arc<Repositories>) {
        self.asked.notify_one();
        if !self.is_watched.swap(true, Ordering::Relaxed) {
            tokio::spawn(give_back(Arc::clone(&self.asked), Arc::downgrade(repositories), REST_AFTER));
        }
    }
}

/// Releases warm state each time that no call came for the duration `after`.
async fn give_back(asked: Arc<Notify>, repositories: Weak<Repositories>, after: Duration) {
    loop {
        asked.notified().await;
        while tokio::time::timeout(after, asked.notified()).await.is_ok() {}
        let Some(repositories) = repositories.upgrade() else { return };
        // The task fails only by a panic, which is logged already.
        let _ = tokio::task::spawn_blocking(move || repositories.release_memory()).await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use icr_engine::{Deadline, SilentObserver, SyncOptions, ViewSelector};
    use icr_fixture::Fixture;

    use super::*;
    use crate::testing::repositories;

    #[test]
    fn what_is_warm_is_given_back_when_nobody_asks() {
        let fixture = Fixture::new("//- a.rs\nfn a() {}\n");
        let home = fixture.home().join("icr");
        let repositories = Arc::new(repositories(&fixture, &home));
        let repository = repositories.register(fixture.root()).expect("a repository");
        repository.engine().sync(&SyncOptions::default(), &SilentObserver).expect("an index");
        let ask =
            || repository.ask(&ViewSelector::Worktree, &Deadline::never(), |snapshot| Ok(snapshot.name().to_owned()));
        ask().expect("an answer");
        assert_eq!(repository.warm_total(), 1);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let asked = Arc::new(Notify::new());
        runtime.block_on(async {
            tokio::spawn(give_back(Arc::clone(&asked), Arc::downgrade(&repositories), Duration::from_millis(1)));
            tokio::task::yield_now().await;
            assert_eq!(repository.warm_total(), 1, "nobody has asked since it began");
            asked.notify_one();
            let began = Instant::now();
            while repository.warm_total() > 0 && began.elapsed() < Duration::from_secs(10) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        assert_eq!(repository.warm_total(), 0);
        ask().expect("an answer, from the start");
        // The repository that was asked last stays open.
        assert!(repositories.find_open(None).is_some());
        let other = fixture.clone_to("other", &[]);
        repositories.register(&other).expect("another");
        repositories.release_memory();
        assert!(repositories.find_open(None).is_none());
    }
}
