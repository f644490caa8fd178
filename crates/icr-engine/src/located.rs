//! Finding a repository and opening it.

use std::path::Path;
use std::sync::Arc;

use icr_compute::Shape;
use icr_git::Repository;
use icr_store::RepositoryPlace;
use icr_view::Foundation;

use crate::engine::{policy, store_format};
use crate::identity::{IdRecording, determined_repo_id, known_repo_id, repo_id};
use crate::models::Models;
use crate::snapshot_context::SnapshotContext;
use crate::{Deadline, Engine, Error, OpenOptions};

/// A repository that was found, before anything else is known of it.
#[derive(Debug, Clone)]
pub struct LocatedRepository {
    repository: Repository,
}

impl LocatedRepository {
    /// The repository around `start`, upwards.
    ///
    /// # Errors
    ///
    /// [`Error::Git`] when there is none, or one that git itself would not read.
    pub fn find(start: &Path) -> Result<Self, Error> {
        Ok(Self { repository: Repository::discover(start)? })
    }

    /// The repository around a path that the user named. A git directory inside the files of a worktree is only used if
    /// it is named like this.
    ///
    /// # Errors
    ///
    /// As for [`LocatedRepository::find`].
    pub fn find_named(path: &Path) -> Result<Self, Error> {
        Ok(Self { repository: Repository::discover_named(path)? })
    }

    /// Root of the worktree, or the directory of a bare repository.
    pub fn root(&self) -> &Path {
        self.repository.worktree_root().unwrap_or_else(|| self.repository.git_dir())
    }

    /// The git directory that all worktrees of the repository share.
    pub fn common_dir(&self) -> &Path {
        self.repository.common_dir()
    }

    /// The git directory of this worktree.
    pub fn git_dir(&self) -> &Path {
        self.repository.git_dir()
    }

    /// Id under which the repository keeps its store below `home`; see [`OpenOptions::repo_id`] for `given`. Writes at
    /// most the record of that id.
    ///
    /// # Errors
    ///
    /// [`Error::Bounds`] for a given id that is none; those of reading history.
    pub fn repo_id(&self, home: &Path, given: Option<&str>, recording: IdRecording) -> Result<String, Error> {
        repo_id(&self.repository, home, given, recording)
    }

    /// The id of [`LocatedRepository::repo_id`] if it was given or recorded, or a root commit determines it. `None` if
    /// nothing does; then nothing is kept under an id yet, and the first commit can still determine it.
    ///
    /// # Errors
    ///
    /// As [`LocatedRepository::repo_id`].
    pub fn determined_repo_id(
        &self,
        home: &Path,
        given: Option<&str>,
        recording: IdRecording,
    ) -> Result<Option<String>, Error> {
        determined_repo_id(&self.repository, home, given, recording)
    }

    /// The id of [`LocatedRepository::repo_id`] if it was given or recorded. Reads no history and writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Bounds`] for a given id that is none.
    pub fn known_repo_id(&self, home: &Path, given: Option<&str>) -> Result<Option<String>, Error> {
        known_repo_id(&self.repository, home, given)
    }

    /// Opens it. Reads no store.
    ///
    /// # Errors
    ///
    /// As [`LocatedRepository::repo_id`], and those of reading ignore files.
    pub fn open(self, options: OpenOptions) -> Result<Engine, Error> {
        Ok(Engine::of(self.open_context(options)?))
    }

    /// As [`LocatedRepository::open`], without caches.
    pub(crate) fn open_context(self, options: OpenOptions) -> Result<SnapshotContext, Error> {
        let recording = IdRecording::unless(options.read_only);
        let repo_id = self.repo_id(&options.home, options.repo_id.as_deref(), recording)?;
        let repository = self.repository;
        let shape = Shape::new(policy(&repository, &options)?, options.chunk_limits);
        let place = RepositoryPlace::new(&options.home, &repo_id).store(store_format());
        let place = place.with_cache(options.cache_mb).with_notes(!options.read_only);
        let models = Arc::new(Models::new(options.embedding.clone()));
        let foundation = Arc::new(Foundation { repository, shape, place, repo_id, embedder: models.built_in_model() });
        Ok(SnapshotContext { foundation, options: Arc::new(options), models, deadline: Deadline::never() })
    }
}
