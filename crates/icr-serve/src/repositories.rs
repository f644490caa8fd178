//! The repositories that calls may ask, and those that are open.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use icr_engine::{LocatedRepository, RepositoryEntry};
use icr_model::even_after_panic;

use crate::{Error, OpenError, RepositoryAccess, ServedRepository, memory};

/// Most repositories open at once. Opening another one closes the least recently used.
const OPEN: usize = 16;

/// The repositories of a server.
#[derive(Debug)]
pub struct Repositories {
    places: RepositoryAccess,
    /// Open repositories by the directory that was asked for, the most recently used last.
    open: Mutex<Vec<(PathBuf, Arc<ServedRepository>)>>,
    /// The id of the server's own repository when it was last found. Its memories stay reachable if it is moved or
    /// deleted meanwhile.
    own_id: Mutex<Option<String>>,
    /// Roots of repositories that were registered or named by their id, by id. A store says where its repository is only
    /// after the first index.
    roots_by_id: Mutex<HashMap<String, PathBuf>>,
}

impl Repositories {
    /// Opens nothing until a call needs it.
    pub fn new(places: RepositoryAccess) -> Self {
        Self { places, open: Mutex::default(), own_id: Mutex::default(), roots_by_id: Mutex::default() }
    }

    /// Which repositories calls may ask.
    pub(crate) fn places(&self) -> &RepositoryAccess {
        &self.places
    }

    /// The repository around `named`, or the server's own. It is opened unless an earlier call left it open. May block.
    ///
    /// # Errors
    ///
    /// [`Error::NotAllowed`] for a repository that the server may not ask; [`Error::NoPath`], [`Error::NoDirectory`]; those of
    /// opening it.
    pub fn get(&self, named: Option<&str>) -> Result<Arc<ServedRepository>, Error> {
        let asked = self.directory(named)?;
        if let Some(known) = self.find_current(&asked) {
            return Ok(known);
        }
        if named.is_some() {
            ensure_allowed(&self.places, &asked)?;
        }
        let repository = Arc::new(ServedRepository::new(&asked, (self.places.open)(&asked)?));
        Ok(self.keep(asked, repository))
    }

    /// Opens the repository around `directory`, which the user named. From now on calls may ask it, wherever it is. May
    /// block.
    ///
    /// # Errors
    ///
    /// [`Error::NoDirectory`]; those of opening it.
    pub fn register(&self, directory: &Path) -> Result<Arc<ServedRepository>, Error> {
        let asked = std::fs::canonicalize(directory)
            .map_err(|source| Error::NoDirectory { directory: directory.to_owned(), source })?;
        let repository = match self.find_current(&asked) {
            Some(known) => known,
            None => {
                let repository = Arc::new(ServedRepository::new(&asked, (self.places.open)(&asked)?));
                self.keep(asked, repository)
            }
        };
        self.note_root(repository.engine().repo_id(), repository.root());
        Ok(repository)
    }

    /// As [`Repositories::get`], but returns only a repository that is open and still current; opens nothing.
    pub fn find_open(&self, named: Option<&str>) -> Option<Arc<ServedRepository>> {
        self.find_current(&self.directory(named).ok()?)
    }

    /// Repositories that have a store, by id. While the first index of one is made, its store does not say where the
    /// repository is, or cannot be read yet; its worktree is then the one that was registered, or that is open.
    ///
    /// # Errors
    ///
    /// Those of [`icr_engine::repositories`].
    pub fn list(&self) -> Result<Vec<RepositoryEntry>, Error> {
        let mut entries = icr_engine::repositories(&self.places.home)?;
        for entry in entries.iter_mut().filter(|entry| entry.worktrees.is_empty()) {
            if let Some(root) = self.root_by_id(&entry.repo_id).or_else(|| self.open_root(&entry.repo_id)) {
                entry.worktrees.push(root.to_string_lossy().into_owned());
                entry.problem = None;
            }
        }
        Ok(entries)
    }

    /// Where the repository `id` is, if it was registered or noted and is still there.
    pub fn root_by_id(&self, id: &str) -> Option<PathBuf> {
        even_after_panic(self.roots_by_id.lock()).get(id).filter(|root| root.is_dir()).cloned()
    }

    /// Notes where the repository `id` is, for the next call that names it by its id.
    pub fn note_root(&self, id: &str, root: &Path) {
        even_after_panic(self.roots_by_id.lock()).insert(id.to_owned(), root.to_owned());
    }

    fn open_root(&self, id: &str) -> Option<PathBuf> {
        let open = self.open();
        let (_, repository) = open.iter().find(|(_, repository)| repository.engine().repo_id() == id)?;
        Some(repository.root().to_owned())
    }

    /// Returns memory to the system: warm state of calls and freed memory. Closes all repositories except the one that
    /// was asked last, which is likely to be asked next. The next call starts cold.
    pub(crate) fn release_memory(&self) {
        let (closed, kept) = {
            let mut open = self.open();
            let others = open.len().saturating_sub(1);
            (open.drain(..others).collect::<Vec<_>>(), open.first().map(|(_, repository)| Arc::clone(repository)))
        };
        drop(closed);
        if let Some(repository) = kept {
            repository.cool_down();
        }
        icr_engine::close_vectors();
        memory::give_back_freed();
    }

    /// Id of the repository around `named`, or around the server's own directory, without opening or indexing it.
    /// `None` if nothing was named and the server has no repository. May block.
    ///
    /// # Errors
    ///
    /// As for [`Repositories::get`], and those of a repository that git itself would not read.
    pub fn repo_id(&self, named: Option<&str>) -> Result<Option<String>, Error> {
        if named.is_some() {
            let asked = self.directory(named)?;
            ensure_allowed(&self.places, &asked)?;
            return Ok(Some((self.places.identify)(&asked)?));
        }
        let mut known = even_after_panic(self.own_id.lock());
        match self.own_repo_id() {
            Ok(Some(id)) => Ok(Some(known.insert(id).clone())),
            Ok(None) => Ok(known.clone()),
            Err(error) => known.clone().map_or(Err(error), |id| Ok(Some(id))),
        }
    }

    fn own_repo_id(&self) -> Result<Option<String>, Error> {
        let asked = match self.directory(None) {
            // A server whose directory was deleted still answers calls that need no repository.
            Err(Error::NoDirectory { .. }) => return Ok(None),
            asked => asked?,
        };
        match (self.places.identify)(&asked) {
            Err(OpenError::Engine(error))
                if error.code() == "NOT_A_REPOSITORY" && !icr_engine::is_marked_as_repository(&asked) =>
            {
                Ok(None)
            }
            identified => Ok(Some(identified?)),
        }
    }

    /// The directory that a call means.
    fn directory(&self, named: Option<&str>) -> Result<PathBuf, Error> {
        let asked = match named {
            None => self.places.start.clone(),
            // What is relative is so to the server's root, as all paths are.
            Some(given) => self.places.start.join(validate_path(given)?),
        };
        std::fs::canonicalize(&asked).map_err(|source| Error::NoDirectory { directory: asked, source })
    }

    /// The repository that was opened for this directory, if it would be opened the same again.
    fn find_current(&self, asked: &Path) -> Option<Arc<ServedRepository>> {
        let mut open = self.open();
        let at = open.iter().position(|(directory, _)| directory == asked)?;
        let known = open.remove(at);
        if !known.1.is_current() {
            // Other directories of the same root are affected by the same change.
            open.retain(|(_, repository)| repository.root() != known.1.root());
            return None;
        }
        let repository = Arc::clone(&known.1);
        open.push(known);
        Some(repository)
    }

    /// Keeps an opened repository. If another directory or another call has opened the same one, that one is kept
    /// instead.
    fn keep(&self, asked: PathBuf, repository: Arc<ServedRepository>) -> Arc<ServedRepository> {
        let mut open = self.open();
        let same = open.iter().find(|(_, known)| known.root() == repository.root() && known.is_current());
        let repository = same.map_or(repository, |(_, known)| Arc::clone(known));
        open.push((asked, Arc::clone(&repository)));
        if open.len() > OPEN {
            open.remove(0);
        }
        repository
    }

    fn open(&self) -> MutexGuard<'_, Vec<(PathBuf, Arc<ServedRepository>)>> {
        even_after_panic(self.open.lock())
    }
}

fn validate_path(given: &str) -> Result<&str, Error> {
    let problem = match given {
        "" => "is empty",
        _ if given.contains('\0') => "holds a NUL, which no path does",
        _ => return Ok(given),
    };
    Err(Error::NoPath { given: given.to_owned(), problem })
}

/// Refuses a repository that is neither the server's own, nor a worktree of that, nor below an allowed root, nor one that the
/// user has indexed.
fn ensure_allowed(places: &RepositoryAccess, asked: &Path) -> Result<(), Error> {
    let located = LocatedRepository::find(asked)?;
    let root = real(located.root());
    let own = LocatedRepository::find(&places.start).ok();
    let is_own = own.is_some_and(|own| real(own.common_dir()) == real(located.common_dir()));
    let mut allowed: Vec<PathBuf> = places.allowed_roots.iter().map(|path| real(path)).collect();
    if is_own || allowed.iter().any(|allowed| root.starts_with(allowed)) {
        return Ok(());
    }
    let entries = icr_engine::repositories(&places.home)?;
    let indexed = || entries.iter().flat_map(|entry| &entry.worktrees);
    if indexed().any(|worktree| real(Path::new(worktree)) == root) {
        return Ok(());
    }
    allowed.insert(0, real(&places.start));
    Err(Error::NotAllowed { root, allowed })
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use icr_fixture::Fixture;

    use crate::testing::repositories;

    #[test]
    fn a_repository_is_listed_with_its_worktree_before_its_first_index() {
        let (fixture, home) = (Fixture::new("//- a.rs\nfn a() {}\n"), tempfile::tempdir().expect("a directory"));
        let repositories = repositories(&fixture, home.path());
        assert_eq!(repositories.list().expect("the home can be read"), []);
        let own = repositories.get(None).expect("a repository");
        own.engine().store().create().expect("a store");
        std::fs::write(own.engine().store().directory().join("ledger.db"), "").expect("a ledger that is being made");
        let listed = repositories.list().expect("the home can be read");
        let worktrees: Vec<&str> = listed.iter().flat_map(|entry| &entry.worktrees).map(String::as_str).collect();
        assert_eq!((worktrees, &listed[0].problem), (vec![own.root().to_str().expect("a name")], &None));
    }
}
