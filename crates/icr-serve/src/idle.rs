//! What a server gives back once nobody asks it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;

use crate::Repositories;

/// How long nobody has to have asked: longer than an agent thinks between two calls, mostly.
const REST_AFTER: Duration = Duration::from_secs(60);

/// Notices that nobody asks.
#[derive(Debug, Default)]
pub(crate) struct IdleDetector {
    asked: Arc<Notify>,
    is_watched: AtomicBool,
}

impl IdleDetector {
    /// Somebody asks. The first time, a task of the runtime begins, which sleeps until there is something to give back.
    pub(crate) fn note_call(&self, repositories: &Arc<Repositories>) {
        self.asked.notify_one();
        if !self.is_watched.swap(true, Ordering::Relaxed) {
            tokio::spawn(give_back(Arc::clone(&self.asked), Arc::downgrade(repositories), REST_AFTER));
        }
    }
}

/// Gives back what calls left warm whenever nobody has asked for so long after somebody did.
async fn give_back(asked: Arc<Notify>, repositories: Weak<Repositories>, after: Duration) {
    loop {
        asked.notified().await;
        while tokio::time::timeout(after, asked.notified()).await.is_ok() {}
        let Some(repositories) = repositories.upgrade() else { return };
        // A failure is a panic, which has been told.
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
        // It is the one that was asked last, and stays open.
        assert!(repositories.find_open(None).is_some());
        let other = fixture.clone_to("other", &[]);
        repositories.register(&other).expect("another");
        repositories.release_memory();
        assert!(repositories.find_open(None).is_none());
    }
}
