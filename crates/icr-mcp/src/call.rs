//! One call, as a tool sees it.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use icr_engine::{At, ChangeSource, Deadline, ImpactRules, Provenance, Snapshot};
use icr_impact::Impact;
use icr_memory::{ListScope, MemoryDatabase, ProjectKey, Source};
use icr_serve::{Repositories, Repository};
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::{Code, Failure};
use crate::memory::{Purpose, SharedMemory};
use crate::settings::Settings;

/// Longest time that the code of memories is looked at: what is warm answers in a few milliseconds.
const ADDITION_TIME: Duration = Duration::from_millis(100);

/// Longest name of a client that a memory keeps, in bytes.
const SOURCE_BYTES_MOST: usize = 255;

/// What every call of a server works with.
pub(crate) struct Surroundings<'a> {
    pub(crate) settings: &'a Settings,
    /// When the server started.
    pub(crate) started: SystemTime,
    pub(crate) memory: &'a SharedMemory,
    pub(crate) repositories: &'a Repositories,
}

/// One call, as a tool sees it. Lives on a thread that may block.
pub(crate) struct Call<'a> {
    pub(crate) settings: &'a Settings,
    /// When the server started.
    pub(crate) started: SystemTime,
    /// Until when it is to be answered.
    pub(crate) deadline: Deadline,
    /// What the client calls itself.
    client: Option<&'a str>,
    memory: &'a SharedMemory,
    repositories: &'a Repositories,
    repo_root: Option<String>,
    /// Found at most once.
    project: OnceCell<ProjectKey>,
    /// The view that is meant.
    pub(crate) at: At,
}

impl<'a> Call<'a> {
    /// Takes the arguments that all tools share out of `arguments`.
    pub(crate) fn new(
        surroundings: &Surroundings<'a>,
        client: Option<&'a str>,
        deadline: Deadline,
        arguments: &mut JsonObject,
    ) -> Self {
        let Surroundings { settings, started, memory, repositories } = *surroundings;
        let mut text = |name: &str| match arguments.shift_remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let repo_root = text("repo_root");
        let at = text("rev").map_or(At::Worktree, At::Revision);
        Self { settings, started, deadline, client, memory, repositories, repo_root, project: OnceCell::new(), at }
    }

    /// The repository that is meant.
    ///
    /// # Errors
    ///
    /// Those of finding, allowing and opening it.
    pub(crate) fn repository(&self) -> Result<Arc<Repository>, Failure> {
        Ok(self.repositories.get(self.repo_root.as_deref())?)
    }

    /// Whether the caller named a repository.
    pub(crate) fn names_repository(&self) -> bool {
        self.repo_root.is_some()
    }

    /// The project whose memories are meant: that of the repository around the place that is meant, which is not opened for it.
    ///
    /// # Errors
    ///
    /// Those of finding and allowing it.
    pub(crate) fn project(&self) -> Result<ProjectKey, Failure> {
        if let Some(project) = self.project.get() {
            return Ok(project.clone());
        }
        let repo_id = self.repositories.repo_id(self.repo_root.as_deref())?;
        let project = repo_id.map_or(ProjectKey::NONE, |repo_id| ProjectKey::of_repository(&repo_id));
        Ok(self.project.get_or_init(|| project).clone())
    }

    /// Whose memories the call is about: those of its project and of none, or all where projects are not told apart.
    ///
    /// # Errors
    ///
    /// As for [`Call::project`].
    pub(crate) fn memory_scope(&self) -> Result<ListScope, Failure> {
        let project = self.project()?;
        Ok(if self.settings.memory.per_project { ListScope::Project(project) } else { ListScope::All })
    }

    /// What `question` gets from the worktree that is meant, where its repository is open and indexed already and answers at once: an
    /// addition that memories do without.
    pub(crate) fn ask_if_open<T>(&self, question: impl Fn(&Snapshot) -> Result<T, icr_engine::Error>) -> Option<T> {
        let repository = self.repositories.opened(self.repo_root.as_deref())?;
        if !repository.is_indexed() {
            return None;
        }
        let asked = repository.ask(&At::Worktree, &Deadline::after(ADDITION_TIME.min(self.remaining())), question);
        match asked {
            Ok((answer, _)) => Some(answer),
            Err(error) => {
                tracing::debug!(%error, "the code of memories is not looked at");
                None
            }
        }
    }

    /// What `work` gets from the memories, or does to them.
    ///
    /// # Errors
    ///
    /// That time was over before it began; those of opening the database, and of `work`.
    pub(crate) fn with_memory<T>(
        &self,
        purpose: Purpose,
        work: impl FnOnce(&mut MemoryDatabase) -> Result<T, icr_memory::Error>,
    ) -> Result<T, Failure> {
        self.memory.with(purpose, |database| {
            // Whoever waited for others may be the only one left who wants this.
            if self.deadline.is_over() {
                return Err(Failure::new(
                    Code::Timeout,
                    "the memories were in use until the time of the call was over",
                ));
            }
            Ok(work(database)?)
        })
    }

    /// Where a memory comes from that the client stores.
    pub(crate) fn source(&self) -> Source {
        let name = self.client.filter(|name| !name.trim().is_empty()).unwrap_or("mcp");
        Source(name[..name.floor_char_boundary(SOURCE_BYTES_MOST)].to_owned())
    }

    /// What `question` gets from the view that is meant, brought up to date first, and where that comes from.
    ///
    /// # Errors
    ///
    /// Those of the repository, its store and the question.
    pub(crate) fn ask<T>(
        &self,
        repository: &Repository,
        question: impl Fn(&Snapshot) -> Result<T, icr_engine::Error>,
    ) -> Result<(T, Provenance), Failure> {
        Ok(repository.ask(&self.at, &self.deadline, question)?)
    }

    /// What the change of `source` touches, judged by the rules that stood before it, as far as `bounded` makes of what is
    /// configured; both of its sides are brought up to date first.
    ///
    /// # Errors
    ///
    /// Those of the repository, its store, its configuration and the change.
    pub(crate) fn impact(
        &self,
        repository: &Repository,
        source: ChangeSource,
        bounded: impl FnOnce(ImpactRules) -> ImpactRules,
    ) -> Result<(Impact, Provenance), Failure> {
        Ok(repository.impact(&self.deadline, source, bounded)?)
    }

    /// What depends on files of the view that is meant, whose every definition is taken to change.
    ///
    /// # Errors
    ///
    /// Those of the repository and its store, and paths that the view does not have.
    pub(crate) fn impact_of_paths(
        &self,
        repository: &Repository,
        paths: Vec<String>,
        rules: ImpactRules,
    ) -> Result<(Impact, Provenance), Failure> {
        Ok(repository.impact_of_paths(&self.at, &self.deadline, paths, rules)?)
    }

    /// The time now, in seconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        seconds((self.settings.clock)())
    }

    /// The time now, in milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> i64 {
        let now = (self.settings.clock)();
        let since = now.duration_since(UNIX_EPOCH).map(|after| i64::try_from(after.as_millis()).unwrap_or(i64::MAX));
        since.unwrap_or_else(|_| seconds(now).saturating_mul(1_000))
    }

    /// Time that is left.
    pub(crate) fn remaining(&self) -> Duration {
        self.deadline.left().unwrap_or(self.settings.limits.hard)
    }
}

/// The arguments as `T`, which the schema that they were held against was made from.
pub(crate) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Failure> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Failure::new(Code::ValidationError, format!("the arguments cannot be read: {error}")))
}

/// Seconds since 1970; negative before.
pub(crate) fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_secs()).unwrap_or(i64::MAX),
    }
}
