//! Sessions of one model: one for each thread that uses it at the same time. A session runs on the calling thread.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard};

use icr_model::even_after_panic;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;

use super::runtime::Runtime;
use crate::Error;

/// Most sessions, however many threads ask. Each holds the weights again, which for all-MiniLM-L6-v2 is 52 MB as bytes
/// and 130 MB as floats.
const MOST_SESSIONS: usize = 8;

/// A pool of sessions. A session is made when a thread needs one and none is idle.
pub(super) struct Sessions {
    runtime: Runtime,
    graph: PathBuf,
    most: usize,
    state: Mutex<PoolState>,
    returned: Condvar,
}

#[derive(Default)]
struct PoolState {
    idle: Vec<Session>,
    made_total: usize,
}

impl Sessions {
    /// A pool of sessions of the graph in a file, at most as many as the machine has processors. Makes none yet.
    pub(super) fn new(runtime: Runtime, graph: PathBuf) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self { runtime, graph, most: processors.min(MOST_SESSIONS), state: Mutex::default(), returned: Condvar::new() }
    }

    /// A session for the caller alone until it is dropped. Waits when all are in use.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if the runtime rejects the graph.
    pub(super) fn take(&self) -> Result<TakenSession<'_>, Error> {
        let mut state = self.lock();
        loop {
            if let Some(session) = state.idle.pop() {
                return Ok(TakenSession { session: Some(session), sessions: self });
            }
            if state.made_total < self.most {
                state.made_total += 1;
                break;
            }
            state = even_after_panic(self.returned.wait(state));
        }
        drop(state);
        match self.make() {
            Ok(session) => Ok(TakenSession { session: Some(session), sessions: self }),
            Err(error) => {
                self.lock().made_total -= 1;
                self.returned.notify_one();
                let version = &self.runtime.version;
                Err(Error::model(&self.graph, format!("ONNX Runtime {version} does not take it: {error}")))
            }
        }
    }

    /// One thread for each session. Texts run in parallel without waste, while threads inside an operator would spin
    /// while they wait for each other.
    fn make(&self) -> Result<Session, ort::Error> {
        Session::builder(&self.runtime.environment)?
            .with_intra_threads(1)?
            .with_inter_threads(1)?
            .with_optimization_level(GraphOptimizationLevel::All)?
            .with_memory_pattern(false)?
            // On processors whose fast byte product can overflow, the exact one is used.
            .with_precise_qmm()?
            .commit_from_file(&self.graph)
    }

    fn lock(&self) -> MutexGuard<'_, PoolState> {
        even_after_panic(self.state.lock())
    }
}

/// A session in use. Dropping it gives it back.
pub(super) struct TakenSession<'pool> {
    session: Option<Session>,
    sessions: &'pool Sessions,
}

impl Deref for TakenSession<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session.as_ref().expect("only dropping takes it out")
    }
}

impl DerefMut for TakenSession<'_> {
    fn deref_mut(&mut self) -> &mut Session {
        self.session.as_mut().expect("only dropping takes it out")
    }
}

impl Drop for TakenSession<'_> {
    fn drop(&mut self) {
        self.sessions.lock().idle.extend(self.session.take());
        self.sessions.returned.notify_one();
    }
}
