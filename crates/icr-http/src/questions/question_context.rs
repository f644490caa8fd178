//! State shared by all questions, and what one question gets: its repository, memories and rights.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use icr_engine::{Deadline, Provenance, Snapshot, ViewSelector};
use icr_memory::{ListScope, MemoryDatabase, ProjectKey};
use icr_model::UnixMillis;
use icr_serve::schema::{JsonObject, SharedArguments};
use icr_serve::{CallFailure, Code, Purpose, Repositories, ServedRepository};
use serde_json::Value;

use crate::Settings;
use crate::credentials::Credentials;

/// Digits of a repository id.
const ID_DIGITS: usize = 16;

/// State shared by all questions of a server.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) settings: Settings,
    /// Address that the server listens on.
    pub(crate) address: SocketAddr,
    pub(crate) credentials: Arc<Credentials>,
    /// When the server started.
    pub(crate) started: SystemTime,
}

impl ServerState {
    pub(crate) fn new(settings: Settings, address: SocketAddr, credentials: Arc<Credentials>) -> Self {
        let started = (settings.clock)();
        Self { settings, address, credentials, started }
    }

    /// The directory of the repository `named`, by its id or its directory. A relative directory is relative to the
    /// server's own.
    ///
    /// # Errors
    ///
    /// [`Code::NotFound`] for an id that no repository has.
    pub(crate) fn directory_of(&self, named: &str) -> Result<String, CallFailure> {
        let is_id = named.len() == ID_DIGITS && named.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id {
            return Ok(named.to_owned());
        }
        let repositories = self.settings.workshop.repositories();
        let place = match repositories.root_by_id(named) {
            Some(root) => root,
            None => match self.find(named) {
                Ok(found) => {
                    repositories.note_root(named, &found);
                    found
                }
                // The server's own repository has an id even before it has an index.
                Err(_) if self.is_own(named) => PathBuf::from("."),
                Err(failure) => return Err(failure),
            },
        };
        Ok(place.to_string_lossy().into_owned())
    }

    fn is_own(&self, id: &str) -> bool {
        self.settings.workshop.repositories().repo_id(None).is_ok_and(|own| own.as_deref() == Some(id))
    }

    fn find(&self, id: &str) -> Result<PathBuf, CallFailure> {
        let entries = icr_engine::repositories(&self.settings.home)?;
        let gone = |problem: String| CallFailure::new(Code::NotFound, problem).with("field", "repo");
        let entry = entries.iter().find(|entry| entry.repo_id == id);
        let entry = entry.ok_or_else(|| gone(format!("no repository with an index has the id `{id}`")))?;
        let mut places = entry.worktrees.iter().map(PathBuf::from);
        places.find(|place| place.is_dir()).ok_or_else(|| {
            if entry.worktrees.is_empty() {
                return gone(format!("nothing says where the repository `{id}` is; it may not be indexed to the end"));
            }
            let places = entry.worktrees.join("`, `");
            gone(format!("the repository `{id}` is not where it was any more: `{places}`"))
        })
    }
}

/// The context of one question. It lives on a thread that may block.
pub(crate) struct QuestionContext<'a> {
    pub(crate) server: &'a ServerState,
    pub(crate) repositories: &'a Repositories,
    /// Deadline of the answer.
    pub(crate) deadline: Deadline,
    /// The directory of the repository that is meant; `None` for the server's own.
    place: Option<String>,
    /// The view that the question is about.
    at: ViewSelector,
}

impl<'a> QuestionContext<'a> {
    /// Takes the arguments that all questions share out of `arguments`.
    ///
    /// # Errors
    ///
    /// If the repository is named by an unknown id.
    pub(super) fn new(
        server: &'a ServerState,
        repositories: &'a Repositories,
        deadline: Deadline,
        shared: SharedArguments,
        arguments: &mut JsonObject,
    ) -> Result<Self, CallFailure> {
        let mut text = |name: &str| match arguments.shift_remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let place = text("repo").map(|named| server.directory_of(&named)).transpose()?;
        // Some questions have their own argument `rev`.
        let at = shared.rev.then(|| text("rev")).flatten().map_or(ViewSelector::Worktree, ViewSelector::Revision);
        Ok(Self { server, repositories, deadline, place, at })
    }

    /// The repository that the question is about.
    ///
    /// # Errors
    ///
    /// Errors of finding and opening it, or a refusal if it may not be asked.
    pub(crate) fn repository(&self) -> Result<Arc<ServedRepository>, CallFailure> {
        Ok(self.repositories.get(self.place.as_deref())?)
    }

    /// The result of `question` on the view, and the provenance of the answer.
    ///
    /// # Errors
    ///
    /// Those of the repository, the store and the question.
    pub(crate) fn ask<T>(
        &self,
        question: impl Fn(&Snapshot) -> Result<T, icr_engine::Error>,
    ) -> Result<(T, Provenance), CallFailure> {
        Ok(self.repository()?.ask(&self.at, &self.deadline, question)?)
    }

    /// The result of `work` on the database of memories.
    ///
    /// # Errors
    ///
    /// If writing is forbidden, or time was over before it began; errors of opening the database, and of `work`.
    pub(crate) fn with_memory<T>(
        &self,
        purpose: Purpose,
        work: impl FnOnce(&mut MemoryDatabase) -> Result<T, icr_memory::Error>,
    ) -> Result<T, CallFailure> {
        if purpose != Purpose::Question {
            self.may_write()?;
        }
        let settings = &self.server.settings;
        settings.memory.with(purpose, &self.deadline, settings.call_limit, work)
    }

    /// # Errors
    ///
    /// If writing is forbidden.
    pub(crate) fn may_write(&self) -> Result<(), CallFailure> {
        match self.server.settings.read_only {
            false => Ok(()),
            true => {
                Err(CallFailure::new(Code::ServiceUnavailable, "this server was started read-only: it writes nothing")
                    .with("engine_code", "STORE_READ_ONLY")
                    .hinting(["a person can start it without `--read-only`"]))
            }
        }
    }

    /// Id of the repository that was named; `None` where none was.
    ///
    /// # Errors
    ///
    /// Errors of finding it, or a refusal if it may not be asked.
    pub(crate) fn named_repo_id(&self) -> Result<Option<String>, CallFailure> {
        match &self.place {
            Some(place) => Ok(self.repositories.repo_id(Some(place))?),
            None => Ok(None),
        }
    }

    /// The project whose memories the question is about: that of its repository, which is not opened for this.
    ///
    /// # Errors
    ///
    /// Errors of finding it, or a refusal if it may not be asked.
    pub(crate) fn project(&self) -> Result<ProjectKey, CallFailure> {
        let repo_id = self.repositories.repo_id(self.place.as_deref())?;
        Ok(repo_id.map_or(ProjectKey::NONE, |repo_id| ProjectKey::of_repository(&repo_id)))
    }

    /// The memories that the question is about: those of the project and those without a project, unless all are
    /// requested.
    ///
    /// # Errors
    ///
    /// As for [`QuestionContext::project`].
    pub(crate) fn memory_scope(&self, all_projects: bool) -> Result<ListScope, CallFailure> {
        match all_projects || !self.server.settings.memory_view.per_project {
            true => Ok(ListScope::All),
            false => Ok(ListScope::Project(self.project()?)),
        }
    }

    /// The time now, to the millisecond; that of 1970 before.
    pub(crate) fn now_ms(&self) -> UnixMillis {
        UnixMillis::of((self.server.settings.clock)())
    }
}
