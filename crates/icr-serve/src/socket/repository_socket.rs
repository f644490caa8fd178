//! The socket that a process opens for the repository it was started in.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use icr_engine::{Deadline, LocatedRepository};
use icr_model::even_after_panic;

use super::kind::own_kinds;
use super::{Handler, ListenError, Request, RequestError, RequestKind, Response, Socket};
use crate::{Error, OpenError, Repositories, ServedRepository};

/// The listening process, as `status` shows it.
#[derive(Debug, Clone)]
pub struct Program {
    /// Version of icr.
    pub version: String,
    /// When the process began.
    pub since: SystemTime,
}

/// The socket of a process's own repository, with access to the repositories of its other calls. It is opened on
/// request, without blocking the caller, and closed when dropped.
#[derive(Debug)]
pub struct RepositorySocket {
    repositories: Arc<Repositories>,
    kinds: Arc<Vec<RequestKind>>,
    repo_id: Option<String>,
    state: Mutex<RepositorySocketState>,
}

#[derive(Debug, Default)]
enum RepositorySocketState {
    /// Not open. At the last attempt there was no store to answer from.
    #[default]
    Unopened,
    /// A thread is opening it.
    Opening,
    /// It listens, or waits for its turn.
    Open(Socket),
    /// It cannot be opened, which was logged; or it was closed.
    Closed,
}

impl RepositorySocket {
    /// A socket that is not open yet, for `status` and the kinds of requests that `kinds` names; if a name occurs
    /// twice, the first one counts. `repo_id` is the id of the own repository if it is known; otherwise it is looked up
    /// when the socket is opened.
    pub fn new(
        repositories: Arc<Repositories>,
        program: &Program,
        kinds: Vec<RequestKind>,
        repo_id: Option<String>,
    ) -> Arc<Self> {
        let kinds = Arc::new(own_kinds(program).into_iter().chain(kinds).collect());
        Arc::new(Self { repositories, kinds, repo_id, state: Mutex::default() })
    }

    /// Opens the socket on a new thread if the repository has a store. Does nothing if it is open, or if it cannot be
    /// opened, which is logged once. Call it again when a store may exist: without a store this costs a short thread;
    /// with an open socket, nothing.
    pub fn open(self: &Arc<Self>) {
        {
            let mut state = self.state();
            if !matches!(*state, RepositorySocketState::Unopened) {
                return;
            }
            *state = RepositorySocketState::Opening;
        }
        let socket = Arc::downgrade(self);
        let thread = std::thread::Builder::new().name("opening the local socket".to_owned());
        let spawned = thread.spawn(move || {
            let Some(this) = socket.upgrade() else { return };
            let opened = this.start_listening().unwrap_or_else(|error| {
                tracing::warn!(%error, "there is no local socket for hooks, which answer by themselves");
                RepositorySocketState::Closed
            });
            this.settle(opened);
        });
        if let Err(error) = spawned {
            tracing::debug!(%error, "the local socket is opened another time");
            self.settle(RepositorySocketState::Unopened);
        }
    }

    /// Ends listening and removes the socket; it is not opened again.
    pub fn close(&self) {
        let state = std::mem::replace(&mut *self.state(), RepositorySocketState::Closed);
        drop(state);
    }

    /// Whether this process listens: not while the socket is being opened, nor while another process has it.
    pub fn is_listening(&self) -> bool {
        matches!(&*self.state(), RepositorySocketState::Open(socket) if socket.is_listening())
    }

    fn settle(&self, opened: RepositorySocketState) {
        let mut state = self.state();
        // If the socket was closed meanwhile, the opened one is dropped after the lock is released.
        let unwanted = if matches!(*state, RepositorySocketState::Opening) {
            std::mem::replace(&mut *state, opened)
        } else {
            opened
        };
        drop(state);
        drop(unwanted);
    }

    fn start_listening(&self) -> Result<RepositorySocketState, ListenError> {
        let Some(repo_id) = self.own_repo_id() else { return Ok(RepositorySocketState::Unopened) };
        let home = &self.repositories.places().home;
        if !home.join("repos").join(&repo_id).is_dir() {
            return Ok(RepositorySocketState::Unopened);
        }
        let handler = handler(Arc::clone(&self.repositories), repo_id.clone(), Arc::clone(&self.kinds));
        Socket::listen(home, &repo_id, handler).map(RepositorySocketState::Open)
    }

    /// The id of the own repository, if it is recorded or a call has opened it. Searching further would write the
    /// record.
    fn own_repo_id(&self) -> Option<String> {
        if let Some(repo_id) = &self.repo_id {
            return Some(repo_id.clone());
        }
        if let Some(repository) = self.repositories.find_open(None) {
            return Some(repository.engine().repo_id().to_owned());
        }
        let places = self.repositories.places();
        let is_recorded =
            LocatedRepository::find(&places.start).and_then(|located| located.known_repo_id(&places.home, None));
        match is_recorded {
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return None,
        }
        // The configuration may give another id than the record.
        let identified = self.repositories.repo_id(None);
        identified.inspect_err(|error| tracing::debug!(%error, "the local socket is opened another time")).ok()?
    }

    fn state(&self) -> MutexGuard<'_, RepositorySocketState> {
        even_after_panic(self.state.lock())
    }
}

fn handler(repositories: Arc<Repositories>, repo_id: String, kinds: Arc<Vec<RequestKind>>) -> Handler {
    Arc::new(move |request: &Request, deadline: &Deadline| respond(&repositories, &repo_id, &kinds, request, deadline))
}

fn respond(
    repositories: &Repositories,
    repo_id: &str,
    kinds: &[RequestKind],
    request: &Request,
    deadline: &Deadline,
) -> Response {
    let kind = kinds.iter().find(|kind| kind.name == request.kind).ok_or_else(|| {
        let names: Vec<String> = kinds.iter().map(|kind| format!("`{}`", kind.name)).collect();
        let message = format!("there is no such kind of request; there are {}", names.join(", "));
        RequestError::new(RequestError::UNKNOWN_KIND, message)
    })?;
    still_wanted(deadline)?;
    let repository = repository_of(repositories, repo_id, &request.root)?;
    if kind.needs_index && !repository.is_indexed() {
        let message = format!("`{}` is not indexed yet", repository.name());
        return Err(RequestError::new(RequestError::NOT_INDEXED, message));
    }
    still_wanted(deadline)?;
    (kind.answer)(&repository, deadline, request.body.clone())
}

/// The repository at `root`, whose id has to be that of the socket whatever the request says.
fn repository_of(
    repositories: &Repositories,
    repo_id: &str,
    root: &Path,
) -> Result<Arc<ServedRepository>, RequestError> {
    let root = root.to_str().ok_or_else(|| RequestError::new(RequestError::BAD_REQUEST, "`root` is not UTF-8"))?;
    let wrong = || {
        let message = format!("`{root}` is no worktree of the repository {repo_id}");
        RequestError::new(RequestError::WRONG_REPOSITORY, message)
    };
    if let Some(repository) = repositories.find_open(Some(root)) {
        return if repository.engine().repo_id() == repo_id { Ok(repository) } else { Err(wrong()) };
    }
    // Nothing of another repository may be opened.
    if repositories.repo_id(Some(root))?.as_deref() != Some(repo_id) {
        return Err(wrong());
    }
    let repository = repositories.get(Some(root))?;
    if repository.engine().repo_id() == repo_id { Ok(repository) } else { Err(wrong()) }
}

fn still_wanted(deadline: &Deadline) -> Result<(), RequestError> {
    match deadline.is_over() {
        false => Ok(()),
        true => Err(RequestError::new(RequestError::TIMED_OUT, "the time of the request is over")),
    }
}

impl From<Error> for RequestError {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::NotAllowed { .. } => Self::new(Self::WRONG_REPOSITORY, message),
            Error::NoPath { .. } | Error::NoDirectory { .. } => Self::new(Self::BAD_REQUEST, message),
            Error::Engine(error) | Error::Open(OpenError::Engine(error)) => error.into(),
            Error::OutOfTime { .. } => Self::new(Self::TIMED_OUT, message),
            Error::Indexing { .. } | Error::NotIndexed(_) => Self::new(Self::NOT_INDEXED, message),
            Error::Panicked { .. } => Self::new(Self::PANICKED, message),
            Error::Open(_) | Error::Crowded { .. } | Error::NoThread(_) | Error::GivenUp => {
                Self::new(Self::CANNOT_OPEN, message)
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
