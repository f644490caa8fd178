//! Which repositories there are, and what is done about them.

use std::path::{Path, PathBuf};

use icr_engine::RepositoryEntry;
use icr_serve::{Code, Failure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QuestionContext;
use super::status::NoInput;
use crate::answer::Answer;

/// Repositories that have an index.
#[derive(Serialize, JsonSchema)]
pub(super) struct RepositoryList {
    repositories: Vec<ListedRepository>,
    /// Id of the repository that questions are about when they name none.
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

pub(super) fn list(asked: &QuestionContext<'_>, NoInput {}: NoInput) -> Result<Answer, Failure> {
    let home = &asked.surroundings.settings.home;
    let watched = icr_serve::watched(home).map_err(unkept)?;
    let repositories = icr_engine::repositories(home)?.into_iter().map(|entry| {
        let watched = entry.worktrees.iter().any(|root| watched.contains(Path::new(root)));
        ListedRepository { entry, watched }
    });
    let repositories = repositories.collect();
    // A server that was started outside of any repository has none of its own.
    let current = asked.repositories.repo_id(None).unwrap_or_default();
    Answer::of(&RepositoryList { repositories, current })
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct RegisterInput {
    /// The repository, or a directory in it: an absolute path
    #[schemars(length(min = 1, max = 4096))]
    path: String,
}

/// A repository whose index is being made.
#[derive(Serialize, JsonSchema)]
pub(super) struct Registered {
    repo_id: String,
    /// Root of the worktree.
    root: PathBuf,
    /// Whether there is an index already.
    is_indexed: bool,
}

pub(super) fn register(asked: &QuestionContext<'_>, input: RegisterInput) -> Result<Answer, Failure> {
    asked.may_write()?;
    let path = PathBuf::from(&input.path);
    if !path.is_absolute() {
        let message = format!("`path` is `{}`; it must be absolute", icr_serve::shown(&input.path));
        return Err(Failure::new(Code::ValidationError, message).with("field", "path"));
    }
    let repository = asked.repositories.register(&path)?;
    let is_indexed = repository.is_indexed();
    if !is_indexed {
        repository.begin_index();
    }
    let repo_id = repository.engine().repo_id().to_owned();
    Answer::of(&Registered { repo_id, root: repository.root().to_owned(), is_indexed })
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct IdInput {
    /// 16 hexadecimal digits
    #[schemars(length(min = 16, max = 16))]
    id: String,
}

/// What became of the index of a repository.
#[derive(Serialize, JsonSchema)]
pub(super) struct Removed {
    repo_id: String,
    /// Whether there was one.
    removed: bool,
}

pub(super) fn remove(asked: &QuestionContext<'_>, input: IdInput) -> Result<Answer, Failure> {
    asked.may_write()?;
    let known = icr_engine::repositories(&asked.surroundings.settings.home)?;
    if !known.iter().any(|entry| entry.repo_id == input.id) {
        let message = format!("no repository with an index has the id `{}`", icr_serve::shown(&input.id));
        return Err(Failure::new(Code::NotFound, message).with("field", "id"));
    }
    let removed = icr_engine::remove_repository(&asked.surroundings.settings.home, &input.id)?;
    Answer::of(&Removed { repo_id: input.id, removed })
}

/// Whether a repository is kept up to date.
#[derive(Serialize, JsonSchema)]
pub(super) struct Watched {
    repo_id: String,
    /// Root of the worktree.
    root: PathBuf,
    watched: bool,
}

pub(super) fn watch(asked: &QuestionContext<'_>, input: IdInput) -> Result<Answer, Failure> {
    set_watched(asked, input.id, true)
}

pub(super) fn unwatch(asked: &QuestionContext<'_>, input: IdInput) -> Result<Answer, Failure> {
    set_watched(asked, input.id, false)
}

fn set_watched(asked: &QuestionContext<'_>, repo_id: String, watched: bool) -> Result<Answer, Failure> {
    asked.may_write()?;
    let place = asked.surroundings.place_of(&repo_id)?;
    let root = asked.repositories.get(Some(&place))?.root().to_owned();
    icr_serve::set_watched(&asked.surroundings.settings.home, &root, watched).map_err(unkept)?;
    Answer::of(&Watched { repo_id, root, watched })
}

fn unkept(error: std::io::Error) -> Failure {
    Failure::new(Code::ServiceUnavailable, format!("the list of watched repositories cannot be kept: {error}"))
}
