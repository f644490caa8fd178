//! One call, as a tool sees it.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use icr_engine::{ChangeSource, Deadline, ImpactRules, Provenance, Snapshot, ViewSelector};
use icr_impact::Impact;
use icr_memory::{ListScope, Memory, MemoryDatabase, MemoryItem, MemoryOrigin, ProjectKey, RecordId};
use icr_model::{Moment, UnixMillis, even_after_panic};
use icr_serve::{Repositories, ServedRepository};
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::settings::Settings;
use icr_serve::{CallFailure, Code};
use icr_serve::{Purpose, SharedMemory};

/// Time limit for the first check of memories' code in a repository, which has to be opened for it, and whose worktree
/// may have changed much since it was indexed.
const FIRST_LOOK_TIME: Duration = Duration::from_secs(1);

/// Time limit for further checks: an open repository answers in a few milliseconds.
const LOOK_TIME: Duration = Duration::from_millis(100);

/// Longest name of a client that a memory keeps, in bytes.
const SOURCE_BYTES_MOST: usize = 255;

/// State shared by all calls of a server.
pub(crate) struct Surroundings<'a> {
    pub(crate) settings: &'a Settings,
    /// When the server started.
    pub(crate) started: SystemTime,
    pub(crate) memory: &'a SharedMemory,
    pub(crate) repositories: &'a Repositories,
    pub(crate) looked_at: &'a LookedAt,
}

/// Roots of the repositories in which the memories' code was checked in time.
#[derive(Debug, Default)]
pub(crate) struct LookedAt(Mutex<HashSet<PathBuf>>);

/// Result of checking the code of memories. Without it, memories are shown unchecked.
pub(crate) enum CodeLook<T> {
    Answered(T),
    /// The repository has no index, and none is made for this check.
    NotIndexed,
    /// The index did not answer in time, or not at all.
    NotAnswered,
}

/// The context of one call. It lives on a thread that may block.
pub(crate) struct CallContext<'a> {
    pub(crate) settings: &'a Settings,
    /// When the server started.
    pub(crate) started: SystemTime,
    /// Deadline of the answer.
    pub(crate) deadline: Deadline,
    /// Name that the client gave itself.
    client: Option<&'a str>,
    memory: &'a SharedMemory,
    repositories: &'a Repositories,
    looked_at: &'a LookedAt,
    repo_root: Option<String>,
    /// Found at most once.
    project: OnceCell<ProjectKey>,
    /// The view that the call is about.
    pub(crate) at: ViewSelector,
}

impl<'a> CallContext<'a> {
    /// Takes the arguments that all tools share out of `arguments`.
    pub(crate) fn new(
        surroundings: &Surroundings<'a>,
        client: Option<&'a str>,
        deadline: Deadline,
        arguments: &mut JsonObject,
    ) -> Self {
        let Surroundings { settings, started, memory, repositories, looked_at } = *surroundings;
        let mut text = |name: &str| match arguments.shift_remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let repo_root = text("repo_root");
        let at = text("rev").map_or(ViewSelector::Worktree, ViewSelector::Revision);
        let project = OnceCell::new();
        Self { settings, started, deadline, client, memory, repositories, looked_at, repo_root, project, at }
    }

    /// The repository that the call is about.
    ///
    /// # Errors
    ///
    /// Errors of finding and opening it, or a refusal if it may not be asked.
    pub(crate) fn repository(&self) -> Result<Arc<ServedRepository>, CallFailure> {
        Ok(self.repositories.get(self.repo_root.as_deref())?)
    }

    /// Whether the caller named a repository.
    pub(crate) fn names_repository(&self) -> bool {
        self.repo_root.is_some()
    }

    /// The project whose memories the call is about: that of its repository, which is not opened for this.
    ///
    /// # Errors
    ///
    /// Errors of finding it, or a refusal if it may not be asked.
    pub(crate) fn project(&self) -> Result<ProjectKey, CallFailure> {
        if let Some(project) = self.project.get() {
            return Ok(project.clone());
        }
        let repo_id = self.repositories.repo_id(self.repo_root.as_deref())?;
        let project = repo_id.map_or(ProjectKey::NONE, |repo_id| ProjectKey::of_repository(&repo_id));
        Ok(self.project.get_or_init(|| project).clone())
    }

    /// The memories that the call is about: those of its project and those without a project; all if projects are not
    /// separated.
    ///
    /// # Errors
    ///
    /// As for [`CallContext::project`].
    pub(crate) fn memory_scope(&self) -> Result<ListScope, CallFailure> {
        let project = self.project()?;
        Ok(if self.settings.memory.per_project { ListScope::Project(project) } else { ListScope::All })
    }

    /// The memory with this id, if it belongs to the project of the call or to none.
    ///
    /// # Errors
    ///
    /// If there is no such memory or it belongs to another project; as for [`CallContext::project`].
    pub(crate) fn own_memory(&self, purpose: Purpose, id: &RecordId) -> Result<Memory, CallFailure> {
        let memory = self.with_memory(purpose, |database| icr_memory::memory_of(database, id))?;
        if !self.settings.memory.per_project || memory.project.is_none() || memory.project == self.project()? {
            return Ok(memory);
        }
        let message = format!("there is no memory `{id}` here: it is of another repository; name that by `repo_root`");
        Err(CallFailure::new(Code::NotFound, message).with("field", "id").with("value", id.as_str()))
    }

    /// The result of `question` on the call's worktree. The repository is opened if it has a store; it is never indexed
    /// for this.
    pub(crate) fn look_at_code<T>(&self, question: impl Fn(&Snapshot) -> Result<T, icr_engine::Error>) -> CodeLook<T> {
        let has_store = |project: &ProjectKey| {
            !project.is_none() && self.settings.places.home.join("repos").join(project.as_str()).is_dir()
        };
        if !self.project().is_ok_and(|project| has_store(&project)) {
            return CodeLook::NotIndexed;
        }
        let first = Deadline::after(FIRST_LOOK_TIME.min(self.remaining()));
        let not_answered = |message: &str| {
            tracing::debug!(message, "the code of memories is not looked at");
            CodeLook::NotAnswered
        };
        let repository = match self.repository() {
            Ok(repository) => repository,
            Err(failure) => return not_answered(&failure.message),
        };
        if !repository.is_indexed() {
            return CodeLook::NotIndexed;
        }
        let is_first = !even_after_panic(self.looked_at.0.lock()).contains(repository.root());
        let deadline = if is_first { first } else { Deadline::after(LOOK_TIME.min(self.remaining())) };
        match repository.ask(&ViewSelector::Worktree, &deadline, question) {
            Ok((answer, _)) => {
                even_after_panic(self.looked_at.0.lock()).insert(repository.root().to_owned());
                CodeLook::Answered(answer)
            }
            Err(error) => not_answered(&error.to_string()),
        }
    }

    /// The result of `work` on the database of memories.
    ///
    /// # Errors
    ///
    /// That time was over before it began; those of opening the database, and of `work`.
    pub(crate) fn with_memory<T>(
        &self,
        purpose: Purpose,
        work: impl FnOnce(&mut MemoryDatabase) -> Result<T, icr_memory::Error>,
    ) -> Result<T, CallFailure> {
        self.memory.with(purpose, &self.deadline, self.settings.limits.hard, work)
    }

    /// Counts an access of each memory, now or later; see [`SharedMemory::count_accesses`].
    pub(crate) fn count_accesses(&self, items: &[MemoryItem], at: UnixMillis) {
        self.memory.count_accesses(items.iter().map(|item| item.id.clone()), at);
    }

    /// The origin of a memory that the client stores.
    pub(crate) fn source(&self) -> MemoryOrigin {
        let name = self.client.filter(|name| !name.trim().is_empty()).unwrap_or("mcp");
        MemoryOrigin(name[..name.floor_char_boundary(SOURCE_BYTES_MOST)].to_owned())
    }

    /// The result of `question` on the call's view, which is brought up to date first, and the provenance of the
    /// answer.
    ///
    /// # Errors
    ///
    /// Those of the repository, its store and the question.
    pub(crate) fn ask<T>(
        &self,
        repository: &ServedRepository,
        question: impl Fn(&Snapshot) -> Result<T, icr_engine::Error>,
    ) -> Result<(T, Provenance), CallFailure> {
        Ok(repository.ask(&self.at, &self.deadline, question)?)
    }

    /// The impact of the change `source`, judged by the rules that applied before it, with the configured limits as
    /// `bounded` adapts them. Both sides of the change are brought up to date first.
    ///
    /// # Errors
    ///
    /// Those of the repository, its store, its configuration and the change.
    pub(crate) fn impact(
        &self,
        repository: &ServedRepository,
        source: ChangeSource,
        bounded: impl FnOnce(ImpactRules) -> ImpactRules,
    ) -> Result<(Impact, Provenance), CallFailure> {
        Ok(repository.impact(&self.deadline, source, bounded)?)
    }

    /// The impact of changing every definition in the given files of the call's view.
    ///
    /// # Errors
    ///
    /// Those of the repository and its store, and paths that the view does not have.
    pub(crate) fn impact_of_paths(
        &self,
        repository: &ServedRepository,
        paths: Vec<String>,
        rules: ImpactRules,
    ) -> Result<(Impact, Provenance), CallFailure> {
        Ok(repository.impact_of_paths(&self.at, &self.deadline, paths, rules)?)
    }

    /// The time now, to the second.
    pub(crate) fn now(&self) -> Moment {
        Moment(seconds((self.settings.clock)()))
    }

    /// The time now, to the millisecond.
    pub(crate) fn now_ms(&self) -> UnixMillis {
        let now = (self.settings.clock)();
        let since = now.duration_since(UNIX_EPOCH).map(|after| i64::try_from(after.as_millis()).unwrap_or(i64::MAX));
        UnixMillis(since.unwrap_or_else(|_| seconds(now).saturating_mul(1_000)))
    }

    /// Time that is left.
    pub(crate) fn remaining(&self) -> Duration {
        self.deadline.remaining_time().unwrap_or(self.settings.limits.hard)
    }
}

/// The arguments as `T`. They were validated against the schema of `T` before.
pub(crate) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, CallFailure> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| CallFailure::new(Code::ValidationError, format!("the arguments cannot be read: {error}")))
}

/// Seconds since 1970; negative before.
pub(crate) fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_secs()).unwrap_or(i64::MAX),
    }
}
