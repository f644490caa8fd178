//! Which repositories there are, and what is done about them.

use std::path::{Path, PathBuf};

use icr_engine::RepositoryEntry;
use icr_serve::{CallFailure, Code};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QuestionContext;
use super::status::NoInput;
use crate::answer::JsonAnswer;

/// Repositories that have an index.
#[derive(Serialize, JsonSchema)]
pub(super) struct RepositoryList {
    repositories: Vec<ListedRepository>,
    /// Id of the repository for questions that name none.
    current: Option<String>,
}

/// A repository that has an index.
#[derive(Serialize, JsonSchema)]
struct ListedRepository {
    #[serde(flatten)]
    entry: RepositoryEntry,
    /// Whether a server keeps it up to date.
    watched: bool,
}

pub(super) fn list(asked: &QuestionContext<'_>, NoInput {}: NoInput) -> Result<JsonAnswer, CallFailure> {
    let home = &asked.server.settings.home;
    let watched = icr_serve::watched_roots(home).map_err(unkept)?;
    let repositories = asked.repositories.list()?.into_iter().map(|entry| {
        let watched = entry.worktrees.iter().any(|root| watched.contains(Path::new(root)));
        ListedRepository { entry, watched }
    });
    let repositories = repositories.collect();
    // A server that was started outside of any repository has none of its own.
    let current = asked.repositories.repo_id(None).unwrap_or_default();
    JsonAnswer::of(&RepositoryList { repositories, current })
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct RegisterInput {
    /// The repository, or a directory in it: an absolute path
    #[schemars(length(min = 1, max = 4096))]
    path: String,
}

/// A repository whose index is being made.
#[derive(Serialize, JsonSchema)]
pub(super) struct RegisteredRepository {
    repo_id: String,
    /// Root of the worktree.
    root: PathBuf,
    /// Whether there is an index already.
    is_indexed: bool,
}

pub(super) fn register(asked: &QuestionContext<'_>, input: RegisterInput) -> Result<JsonAnswer, CallFailure> {
    asked.may_write()?;
    let path = PathBuf::from(&input.path);
    if !path.is_absolute() {
        let message = format!("`path` is `{}`; it must be absolute", icr_serve::truncate_text(&input.path));
        return Err(CallFailure::new(Code::ValidationError, message).with("field", "path"));
    }
    let repository = asked.repositories.register(&path)?;
    let is_indexed = repository.is_indexed();
    if !is_indexed {
        repository.begin_index();
    }
    let repo_id = repository.engine().repo_id().to_owned();
    JsonAnswer::of(&RegisteredRepository { repo_id, root: repository.root().to_owned(), is_indexed })
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct IdInput {
    /// 16 hexadecimal digits
    #[schemars(length(min = 16, max = 16))]
    id: String,
}

/// The result of deleting the data derived for a repository.
#[derive(Serialize, JsonSchema)]
pub(super) struct IndexRemoval {
    repo_id: String,
    /// Whether there was anything to delete.
    removed: bool,
}

pub(super) fn remove(asked: &QuestionContext<'_>, input: IdInput) -> Result<JsonAnswer, CallFailure> {
    asked.may_write()?;
    let known = icr_engine::repositories(&asked.server.settings.home)?;
    if !known.iter().any(|entry| entry.repo_id == input.id) {
        let message = format!("no repository with an index has the id `{}`", icr_serve::truncate_text(&input.id));
        return Err(CallFailure::new(Code::NotFound, message).with("field", "id"));
    }
    let removed = icr_engine::remove_repository(&asked.server.settings.home, &input.id)?;
    JsonAnswer::of(&IndexRemoval { repo_id: input.id, removed })
}

/// Whether a repository is kept up to date.
#[derive(Serialize, JsonSchema)]
pub(super) struct RepositoryWatch {
    repo_id: String,
    /// Root of the worktree.
    root: PathBuf,
    watched: bool,
}

pub(super) fn watch(asked: &QuestionContext<'_>, input: IdInput) -> Result<JsonAnswer, CallFailure> {
    set_watched(asked, input.id, true)
}

pub(super) fn unwatch(asked: &QuestionContext<'_>, input: IdInput) -> Result<JsonAnswer, CallFailure> {
    set_watched(asked, input.id, false)
}

fn set_watched(asked: &QuestionContext<'_>, repo_id: String, watched: bool) -> Result<JsonAnswer, CallFailure> {
    asked.may_write()?;
    let place = asked.server.directory_of(&repo_id)?;
    let root = asked.repositories.get(Some(&place))?.root().to_owned();
    icr_serve::set_watched(&asked.server.settings.home, &root, watched).map_err(unkept)?;
    JsonAnswer::of(&RepositoryWatch { repo_id, root, watched })
}

fn unkept(error: std::io::Error) -> CallFailure {
    CallFailure::new(Code::ServiceUnavailable, format!("the list of watched repositories cannot be kept: {error}"))
}
