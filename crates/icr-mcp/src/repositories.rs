//! Which repositories calls may ask, and those that were opened.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use icr_engine::Located;
use serde_json::{Value, json};

use crate::failure::{Code, Failure, Violation};
use crate::repository::Repository;
use crate::settings::Settings;

/// Repositories kept open at once; of further ones the one that was asked longest ago is closed.
const OPEN: usize = 16;

/// Allowed roots that a refusal names.
const NAMED: usize = 8;

/// The repositories of a server.
#[derive(Default)]
pub(crate) struct Repositories {
    /// By the directory that was asked for, used last, last.
    open: Mutex<Vec<(PathBuf, Arc<Repository>)>>,
}

impl Repositories {
    /// The repository around `repo_root`, or the server's own, opened or as it was left by the call before. May block.
    ///
    /// # Errors
    ///
    /// A validation error for a repository that the server may not ask; those of opening it.
    pub(crate) fn get(&self, settings: &Settings, repo_root: Option<&str>) -> Result<Arc<Repository>, Failure> {
        let asked = match repo_root {
            None => settings.start.clone(),
            // What is relative is so to the server's root, as all paths are.
            Some(given) => settings.start.join(checked(given)?),
        };
        let asked = std::fs::canonicalize(&asked).map_err(|error| {
            Failure::new(Code::NotFound, format!("`{}` is no directory that can be read: {error}", asked.display()))
                .with("field", "repo_root")
        })?;
        if let Some(known) = self.known(&asked) {
            return Ok(known);
        }
        if repo_root.is_some() {
            allowed(settings, &asked)?;
        }
        let repository = Arc::new(Repository::new(&asked, (settings.open)(&asked)?));
        Ok(self.keep(asked, repository))
    }

    /// The repository that was opened for this directory, if it would be opened the same again.
    fn known(&self, asked: &Path) -> Option<Arc<Repository>> {
        let mut open = self.open();
        let at = open.iter().position(|(directory, _)| directory == asked)?;
        let known = open.remove(at);
        if !known.1.is_current() {
            // Directories below the same root see the same change.
            open.retain(|(_, repository)| repository.root != known.1.root);
            return None;
        }
        let repository = Arc::clone(&known.1);
        open.push(known);
        Some(repository)
    }

    /// Keeps what was opened; where another directory or another call opened the same, that stays the only one.
    fn keep(&self, asked: PathBuf, repository: Arc<Repository>) -> Arc<Repository> {
        let mut open = self.open();
        let same = open.iter().find(|(_, known)| known.root == repository.root && known.is_current());
        let repository = same.map_or(repository, |(_, known)| Arc::clone(known));
        open.push((asked, Arc::clone(&repository)));
        if open.len() > OPEN {
            open.remove(0);
        }
        repository
    }

    fn open(&self) -> MutexGuard<'_, Vec<(PathBuf, Arc<Repository>)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn checked(given: &str) -> Result<&str, Failure> {
    let problem = match given {
        "" => "is empty",
        _ if given.contains('\0') => "holds a NUL, which no path does",
        _ => return Ok(given),
    };
    Err(Failure::validation(Violation {
        field: "repo_root",
        constraint: "path",
        value: &Value::String(given.to_owned()),
        allowed: json!("a directory"),
        problem: problem.to_owned(),
    }))
}

/// Refuses a repository that is neither the server's own, nor a worktree of that, nor below an allowed root, nor one that the
/// user has indexed.
fn allowed(settings: &Settings, asked: &Path) -> Result<(), Failure> {
    let located = Located::find(asked)?;
    let root = real(located.root());
    let own = Located::find(&settings.start).ok();
    let is_own = own.is_some_and(|own| real(own.common_dir()) == real(located.common_dir()));
    let mut roots: Vec<PathBuf> = settings.allowed_roots.iter().map(|path| real(path)).collect();
    if is_own || roots.iter().any(|allowed| root.starts_with(allowed)) {
        return Ok(());
    }
    let entries = icr_engine::repositories(&settings.home)?;
    let indexed = || entries.iter().flat_map(|entry| &entry.worktrees);
    if indexed().any(|worktree| real(Path::new(worktree)) == root) {
        return Ok(());
    }
    roots.insert(0, real(&settings.start));
    let names: Vec<String> = roots.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    Err(Failure::validation(Violation {
        field: "repo_root",
        constraint: "allowed_roots",
        value: &Value::String(root.display().to_string()),
        allowed: json!(names),
        problem: format!(
            "is a repository that this server may not read: `{}`; a person can allow it with `icr index` there, with \
             `icr mcp --root`, or with `mcp.allowed_roots`",
            root.display()
        ),
    }))
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
