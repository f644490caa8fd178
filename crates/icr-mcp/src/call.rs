//! One call, as a tool sees it.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use icr_engine::{At, ChangeSource, Deadline, ImpactRules, Provenance, Snapshot};
use icr_impact::Impact;
use icr_serve::{Repositories, Repository};
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::{Code, Failure};
use crate::settings::Settings;

/// One call, as a tool sees it. Lives on a thread that may block.
pub(crate) struct Call<'a> {
    pub(crate) settings: &'a Settings,
    /// When the server started.
    pub(crate) started: SystemTime,
    /// Until when it is to be answered.
    pub(crate) deadline: Deadline,
    repositories: &'a Repositories,
    repo_root: Option<String>,
    /// The view that is meant.
    pub(crate) at: At,
}

impl<'a> Call<'a> {
    /// Takes the arguments that all tools share out of `arguments`.
    pub(crate) fn new(
        settings: &'a Settings,
        started: SystemTime,
        deadline: Deadline,
        repositories: &'a Repositories,
        arguments: &mut JsonObject,
    ) -> Self {
        let mut text = |name: &str| match arguments.shift_remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let repo_root = text("repo_root");
        let at = text("rev").map_or(At::Worktree, At::Revision);
        Self { settings, started, deadline, repositories, repo_root, at }
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
