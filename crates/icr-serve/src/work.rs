//! Runs a job: waits for a slot, works on a separate thread, and cancels it in time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use icr_engine::Deadline;

use crate::idle::IdleDetector;
use crate::repository::Index;
use crate::slots::{CallSlot, Slots, TURN, Turn};
use crate::{Error, Lane, Repositories, RepositoryAccess, ServedRepository};

/// How long the answer is waited for beyond a job's time limit. A job that ends by itself gives a more useful error
/// than a time-out.
const GRACE: Duration = Duration::from_millis(200);

/// How often a waiting client is told the progress.
const TICK: Duration = Duration::from_millis(250);

/// Limits on the work of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Longest time for any job, including the wait for its turn.
    pub hard: Duration,
    /// Jobs worked on at once.
    pub in_flight: usize,
    /// Jobs that wait for their turn; further ones are told to come back.
    pub waiting: usize,
}

/// Terms of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// The queue that it waits in.
    pub lane: Lane,
    /// Time limit, including the wait for a slot.
    pub limit: Duration,
}

/// Result of one attempt at a job.
#[derive(Debug)]
pub enum Attempt<T> {
    /// The job is done; this is its result.
    Done(T),
    /// The repository has no index yet. It is indexed, then the job is tried again.
    NotIndexed(Arc<ServedRepository>),
}

/// Receives the progress of a job.
pub trait Progress {
    /// `done` of `total` files of the first index are done.
    fn indexing(&mut self, done: u64, total: u64) -> impl Future<Output = ()> + Send;
    /// The job has used `done` of its time.
    fn working(&mut self, done: Duration, limit: Duration) -> impl Future<Output = ()> + Send;
}

/// Runs the jobs of a server.
#[derive(Debug)]
pub struct Workshop {
    hard: Duration,
    slots: Slots,
    repositories: Arc<Repositories>,
    rest: IdleDetector,
}

impl Workshop {
    /// Opens nothing until a job needs it.
    pub fn new(places: RepositoryAccess, bounds: Bounds) -> Arc<Self> {
        let (slots, repositories) = (Slots::new(bounds), Arc::new(Repositories::new(places)));
        Arc::new(Self { hard: bounds.hard, slots, repositories, rest: IdleDetector::default() })
    }

    /// The repositories of the jobs, for callers outside of jobs.
    pub fn repositories(&self) -> &Arc<Repositories> {
        &self.repositories
    }

    /// Runs `job` within its time limit and 200 ms, including the wait for a slot. The job's deadline ends when nobody
    /// waits any more: the returned future was dropped, or time is over. The job keeps its slot until its thread is
    /// done.
    ///
    /// Needs a tokio runtime with time, whose threads for blocking work have [`crate::STACK_BYTES`] of stack.
    ///
    /// # Errors
    ///
    /// [`Error::Crowded`], [`Error::OutOfTime`], [`Error::Indexing`], [`Error::NotIndexed`], [`Error::Panicked`].
    pub async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        terms: Terms,
        job: impl Fn(&Repositories, Deadline) -> Attempt<T> + Send + Sync + 'static,
        progress: &mut (impl Progress + Send),
    ) -> Result<T, Error> {
        self.rest.note_call(&self.repositories);
        let terms = Terms { limit: terms.limit.min(self.hard), ..terms };
        let working = self.work_until_done(terms, Arc::new(job), progress);
        let over = |_| Err(Error::OutOfTime { limit: self.hard });
        tokio::time::timeout(self.hard, working).await.unwrap_or_else(over)
    }

    async fn work_until_done<T: Send + 'static>(
        self: &Arc<Self>,
        terms: Terms,
        job: Arc<impl Fn(&Repositories, Deadline) -> Attempt<T> + Send + Sync + 'static>,
        progress: &mut (impl Progress + Send),
    ) -> Result<T, Error> {
        let mut left = terms.limit;
        loop {
            let asked = Instant::now();
            let out_of_time = |_| Error::OutOfTime { limit: terms.limit };
            let entered = tokio::time::timeout(left, self.slots.enter(terms.lane)).await;
            let place = entered.map_err(out_of_time)??;
            left = left.saturating_sub(asked.elapsed());
            let began = Instant::now();
            match self.attempt(&job, terms.limit, left, place, progress).await? {
                Attempt::Done(done) => return Ok(done),
                Attempt::NotIndexed(repository) => {
                    left = left.saturating_sub(began.elapsed());
                    left = indexed(&repository, left, progress).await?;
                }
            }
        }
    }

    /// Runs the job on a separate thread, which keeps the slot until it is done.
    async fn attempt<T: Send + 'static>(
        self: &Arc<Self>,
        job: &Arc<impl Fn(&Repositories, Deadline) -> Attempt<T> + Send + Sync + 'static>,
        limit: Duration,
        left: Duration,
        place: CallSlot,
        progress: &mut (impl Progress + Send),
    ) -> Result<Attempt<T>, Error> {
        let began = Instant::now();
        let deadline = Deadline::after(left);
        let turn = place.turn();
        let _given_up = CancelOnDrop { deadline: deadline.clone(), turn: turn.clone() };
        let (workshop, job) = (Arc::clone(self), Arc::clone(job));
        let mut thread = tokio::task::spawn_blocking(move || {
            let working = AssertUnwindSafe(|| {
                let until = deadline.clone();
                until.run_interruptible(|| job(&workshop.repositories, deadline))
            });
            let attempt = catch_unwind(working).map_err(|payload| Error::panicked(&*payload));
            drop(place);
            attempt
        });
        let over = tokio::time::sleep(left + GRACE);
        let turn_over = tokio::time::sleep(TURN);
        tokio::pin!(over, turn_over);
        let mut has_turn = true;
        loop {
            tokio::select! {
                biased;
                attempt = &mut thread => return attempt.unwrap_or(Err(Error::GivenUp)),
                () = &mut turn_over, if has_turn => {
                    turn.pass();
                    has_turn = false;
                }
                () = &mut over => return Err(Error::OutOfTime { limit }),
                () = tokio::time::sleep(TICK) => {
                    progress.working(limit.saturating_sub(left) + began.elapsed(), limit).await;
                }
            }
        }
    }
}

/// Waits until the repository is indexed; gives the time that is then left.
async fn indexed(
    repository: &Arc<ServedRepository>,
    left: Duration,
    progress: &mut (impl Progress + Send),
) -> Result<Duration, Error> {
    let began = Instant::now();
    let mut index = repository.start_index();
    let over = tokio::time::sleep(left);
    tokio::pin!(over);
    loop {
        let is_running = index.borrow_and_update().is_running();
        if !is_running {
            break;
        }
        // Reported at once, so that a client that waits for another process gets a message too.
        let (done, total) = repository.indexed();
        progress.indexing(done, total).await;
        tokio::select! {
            biased;
            changed = index.changed() => if changed.is_err() { break },
            () = &mut over => {
                let (done, total) = repository.indexed();
                return Err(Error::Indexing { name: repository.name(), done, total });
            }
            () = tokio::time::sleep(TICK) => {}
        }
    }
    let index = index.borrow().clone();
    match index {
        Index::Failed(error) => Err(Error::NotIndexed(error)),
        _ => Ok(left.saturating_sub(began.elapsed())),
    }
}

/// On drop: if nobody waits any more, cancels the job and lets the next one begin.
struct CancelOnDrop {
    deadline: Deadline,
    turn: Turn,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.deadline.cancel();
        self.turn.pass();
    }
}
