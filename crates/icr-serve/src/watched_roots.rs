//! Repositories that a running server keeps up to date, even if no call asks them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use icr_engine::{BusyStorePolicy, SilentObserver, SyncOptions};
use tokio::sync::watch;

use crate::{Repositories, STACK_BYTES, memory};

/// Name of the file in the home of icr. It has one line for the root of each watched worktree.
const FILE: &str = "watched";

/// How often watched repositories are checked. A question checks by itself, so no call waits for this.
const LOOK_EVERY: Duration = Duration::from_secs(5 * 60);

/// Largest size of the file, in bytes.
const BYTES_MOST: u64 = 1 << 20;

/// The roots of the watched worktrees, in order; empty if there is no file.
///
/// # Errors
///
/// When the file is there and cannot be read, or is longer than 1 MiB.
pub fn watched_roots(home: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let path = home.join(FILE);
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Ok(metadata) if metadata.len() > BYTES_MOST => {
            return Err(io::Error::other(format!("`{}` is longer than {BYTES_MOST} bytes", path.display())));
        }
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    let text = fs::read_to_string(&path)?;
    Ok(text.lines().filter(|line| !line.is_empty()).map(PathBuf::from).collect())
}

/// Starts or stops watching the worktree at `root`. Returns whether this changed anything.
///
/// # Errors
///
/// If the file cannot be read or written, or the path of the root is not UTF-8 or has a line break.
pub fn set_watched(home: &Path, root: &Path, is_watched: bool) -> io::Result<bool> {
    let name = root.to_str().filter(|name| !name.contains('\n'));
    let Some(name) = name else {
        return Err(io::Error::other(format!("`{}` is no name that can be kept", root.display())));
    };
    let mut roots = watched_roots(home)?;
    let changes = match is_watched {
        true => roots.insert(PathBuf::from(name)),
        false => roots.remove(Path::new(name)),
    };
    if changes {
        let lines: String = roots.iter().map(|root| format!("{}\n", root.display())).collect();
        write_whole(&home.join(FILE), &lines)?;
    }
    Ok(changes)
}

/// Writes a file that only its owner can read, atomically.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = path.with_extension(format!("{}.unfinished", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&unfinished).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&unfinished, path)).inspect_err(|_| drop(fs::remove_file(&unfinished)))
}

/// Checks the watched repositories every five minutes, one after another, until the returned value is dropped. If HEAD
/// has moved or vectors of a model are missing, the index is updated. A failure is logged; the next check may succeed.
///
/// # Errors
///
/// If the system has no thread for it.
pub fn keep_watched(home: PathBuf, repositories: Arc<Repositories>) -> io::Result<watch::Sender<()>> {
    let (alive, mut ended) = watch::channel(());
    let thread = std::thread::Builder::new().name("watched repositories".to_owned()).stack_size(STACK_BYTES);
    thread.spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let Ok(runtime) = runtime else { return };
        loop {
            follow_all(&home, &repositories);
            // Nobody sends a value; dropping the sender arrives here as an error.
            let waited = runtime.block_on(async { tokio::time::timeout(LOOK_EVERY, ended.changed()).await });
            if waited.is_ok() {
                return;
            }
        }
    })?;
    Ok(alive)
}

/// Brings every watched repository up to date once. Returns how many had to be.
pub(crate) fn follow_all(home: &Path, repositories: &Repositories) -> usize {
    let roots = watched_roots(home).unwrap_or_else(|error| {
        tracing::warn!(%error, "it is not known which repositories are watched");
        BTreeSet::new()
    });
    let followed = roots.iter().filter(|root| follow(root, repositories)).count();
    if followed > 0 {
        memory::give_back_freed();
    }
    followed
}

/// Returns whether the repository needed an update and got it.
fn follow(root: &Path, repositories: &Repositories) -> bool {
    let follow = || -> Result<bool, crate::Error> {
        let repository = repositories.register(root)?;
        let engine = repository.engine();
        if engine.store().is_indexed()? && engine.store().follows_head()? {
            return Ok(false);
        }
        engine.sync(&SyncOptions { waiting: BusyStorePolicy::Leave, ..SyncOptions::default() }, &SilentObserver)?;
        Ok(true)
    };
    follow().unwrap_or_else(|error| {
        tracing::warn!(root = %root.display(), %error, "a watched repository is not brought up to date");
        false
    })
}

#[cfg(test)]
mod tests {
    use icr_fixture::Fixture;

    use super::*;
    use crate::testing::repositories;

    #[test]
    fn a_watched_repository_follows_its_head_and_others_do_not() {
        let fixture = Fixture::new("//- a.rs\nfn a() {}\n");
        fixture.commit("first");
        let home = fixture.home().join("icr");
        fs::create_dir_all(&home).expect("a directory");
        let repositories = repositories(&fixture, &home);
        assert_eq!(follow_all(&home, &repositories), 0, "nothing is watched");
        assert!(set_watched(&home, fixture.root(), true).expect("written"));
        assert!(!set_watched(&home, fixture.root(), true).expect("it is already"));
        assert_eq!((follow_all(&home, &repositories), follow_all(&home, &repositories)), (1, 0));
        fixture.write("//- a.rs\nfn b() {}\n");
        fixture.commit("second");
        assert_eq!((follow_all(&home, &repositories), follow_all(&home, &repositories)), (1, 0));
        let gone = fixture.home().join("gone");
        set_watched(&home, &gone, true).expect("written");
        assert_eq!(follow_all(&home, &repositories), 0, "what is gone is told and stops nobody");
        assert!(set_watched(&home, fixture.root(), false).expect("written"));
        assert_eq!(watched_roots(&home).expect("readable"), BTreeSet::from([gone]));
    }
}
