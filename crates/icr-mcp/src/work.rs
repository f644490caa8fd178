//! From a call to its answer: waiting for a place, working on a thread of its own, and giving up in time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use icr_engine::Deadline;
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::call::Call;
use crate::failure::{Code, Failure};
use crate::progress::Progress;
use crate::reply::{Reply, failed};
use crate::repositories::Repositories;
use crate::repository::{Index, Repository};
use crate::settings::Settings;
use crate::slots::Slots;
use crate::table::{Needs, Tool};
use crate::validate::validated;

/// How much longer than its limit a call is waited for: what ends by itself then says more than that it took too long.
const GRACE: Duration = Duration::from_millis(200);

/// How often somebody who waits is told how far it is.
const TICK: Duration = Duration::from_millis(250);

/// What answers calls.
pub(crate) struct Workshop {
    pub(crate) settings: Settings,
    started: SystemTime,
    slots: Slots,
    repositories: Repositories,
}

/// What came of working on a call.
enum Outcome {
    Answered(Box<CallToolResult>),
    Failed(Failure),
    /// There is nothing to answer from before the repository is indexed.
    NotIndexed(Arc<Repository>),
}

impl Workshop {
    pub(crate) fn new(settings: Settings) -> Self {
        let started = (settings.clock)();
        let slots = Slots::new(&settings.limits);
        Self { settings, started, slots, repositories: Repositories::default() }
    }

    /// The answer to a call, whatever happens, within its limit and the grace; waiting for a place does not count, but for the
    /// hard limit.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        tool: &'static Tool,
        arguments: JsonObject,
        mut progress: Progress<'_>,
    ) -> CallToolResult {
        let began = (self.settings.clock)();
        let limits = &self.settings.limits;
        let answering = async {
            let arguments = validated(&tool.schema(), arguments)?;
            let limit = (tool.limit)(limits, &arguments).min(limits.hard);
            self.work(tool, arguments, Terms { began, limit }, &mut progress).await
        };
        let answered = match tokio::time::timeout(limits.hard, answering).await {
            Ok(answered) => answered,
            Err(_) => Err(out_of_time(tool, limits.hard)),
        };
        answered.unwrap_or_else(|failure| failed(&failure, tool.form, &self.settings))
    }

    async fn work(
        self: &Arc<Self>,
        tool: &'static Tool,
        arguments: JsonObject,
        terms: Terms,
        progress: &mut Progress<'_>,
    ) -> Result<CallToolResult, Failure> {
        let lane = (tool.lane)(&arguments);
        let mut left = terms.limit;
        loop {
            let place = self.slots.enter(lane).await?;
            let began = Instant::now();
            match self.attempt(tool, arguments.clone(), terms, left, place, progress).await? {
                Outcome::Answered(result) => return Ok(*result),
                Outcome::Failed(failure) => return Err(failure),
                Outcome::NotIndexed(repository) => {
                    left = left.saturating_sub(began.elapsed());
                    left = self.indexed(&repository, left, progress).await?;
                }
            }
        }
    }

    /// Works on the call on a thread of its own, which keeps the place until it is done.
    async fn attempt(
        self: &Arc<Self>,
        tool: &'static Tool,
        arguments: JsonObject,
        terms: Terms,
        left: Duration,
        place: OwnedSemaphorePermit,
        progress: &mut Progress<'_>,
    ) -> Result<Outcome, Failure> {
        let began = Instant::now();
        let deadline = Deadline::after(left);
        let _given_up = CancelOnDrop(deadline.clone());
        let workshop = Arc::clone(self);
        let mut thread = tokio::task::spawn_blocking(move || {
            let working = AssertUnwindSafe(|| workshop.run(tool, arguments, deadline, terms));
            let outcome = catch_unwind(working).unwrap_or_else(|payload| Outcome::Failed(Failure::panicked(&*payload)));
            drop(place);
            outcome
        });
        let over = tokio::time::sleep(left + GRACE);
        tokio::pin!(over);
        loop {
            tokio::select! {
                biased;
                outcome = &mut thread => {
                    return outcome.map_err(|_| Failure::new(Code::InternalError, "the call was given up"));
                }
                () = &mut over => return Err(out_of_time(tool, terms.limit)),
                () = tokio::time::sleep(TICK) => {
                    progress.working(terms.limit.saturating_sub(left) + began.elapsed(), terms.limit).await;
                }
            }
        }
    }

    fn run(&self, tool: &Tool, mut arguments: JsonObject, deadline: Deadline, terms: Terms) -> Outcome {
        let call = Call::new(&self.settings, self.started, deadline, &self.repositories, &mut arguments);
        let answered = || -> Result<Result<Reply, Arc<Repository>>, Failure> {
            // A repository that may not be asked is refused also where nothing is read from it.
            if tool.needs == Needs::Nothing && call.names_repository() {
                call.repository()?;
            }
            if tool.needs == Needs::Index {
                let repository = call.repository()?;
                if !repository.is_indexed() {
                    return Ok(Err(repository));
                }
            }
            (tool.run)(&call, arguments).map(Ok)
        };
        match answered() {
            Ok(Ok(reply)) => {
                let elapsed = (self.settings.clock)().duration_since(terms.began).unwrap_or_default();
                Outcome::Answered(Box::new(reply.render(&self.settings, elapsed)))
            }
            Ok(Err(repository)) => Outcome::NotIndexed(repository),
            Err(failure) => Outcome::Failed(failure),
        }
    }

    /// Waits until the repository is indexed; gives the time that is then left.
    async fn indexed(
        &self,
        repository: &Arc<Repository>,
        left: Duration,
        progress: &mut Progress<'_>,
    ) -> Result<Duration, Failure> {
        let began = Instant::now();
        let mut index = repository.start_index();
        let over = tokio::time::sleep(left);
        tokio::pin!(over);
        loop {
            let is_running = *index.borrow_and_update() == Index::Running;
            if !is_running {
                break;
            }
            // At once, so that somebody who waits for another process hears of it as well.
            let counts = [&repository.done, &repository.total].map(|count| count.load(Ordering::Relaxed));
            progress.indexing(counts[0], counts[1]).await;
            tokio::select! {
                biased;
                changed = index.changed() => if changed.is_err() { break },
                () = &mut over => return Err(still_indexing(repository, &index)),
                () = tokio::time::sleep(TICK) => {}
            }
        }
        let index = index.borrow().clone();
        match index {
            Index::Failed(failure) => Err(failure),
            _ => Ok(left.saturating_sub(began.elapsed())),
        }
    }
}

/// Tells the thread of a call that nobody waits any more, when that is so.
struct CancelOnDrop(Deadline);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// What holds for a call from its beginning.
#[derive(Clone, Copy)]
struct Terms {
    began: SystemTime,
    limit: Duration,
}

fn out_of_time(tool: &Tool, limit: Duration) -> Failure {
    let message = format!("`{}` took longer than {} ms; ask for less", tool.name, limit.as_millis());
    Failure::new(Code::Timeout, message).with("limit_ms", u64::try_from(limit.as_millis()).unwrap_or(u64::MAX))
}

fn still_indexing(repository: &Repository, index: &watch::Receiver<Index>) -> Failure {
    drop(index.borrow());
    let [done, total] = [&repository.done, &repository.total].map(|count| count.load(Ordering::Relaxed));
    let message =
        format!("`{}` is being indexed for the first time, {done} of {total} files are done", repository.name());
    Failure::new(Code::ServiceUnavailable, message)
        .with("index_status", "indexing")
        .with("done", json!(done))
        .with("total", json!(total))
        .hinting(&["call again in a few seconds; indexing goes on meanwhile".to_owned()])
}
