//! What holds for all bytes that lie where git's own files do: the body of a fuzz target, which tests call as well.

use std::fs;
use std::path::PathBuf;

use icr_model::BlobId;
use tempfile::TempDir;

use crate::object::blob_id;
use crate::{OverlayState, Policy, PolicyOptions, Repository};

/// Files that are written, by the first byte of an input.
const FILES: [(u8, &str); 4] = [(b'h', "HEAD"), (b'i', "index"), (b'p', "packed-refs"), (b's', "shallow")];

/// What a file beside the worktree holds.
const OUTSIDE: &[u8] = b"a file beside the worktree\n";

/// Reads a repository of which one file holds `bytes`.
///
/// The first byte says which: `h` for HEAD, `i` for the index, `p` for packed refs, `s` for the list at which a clone is
/// shallow, any other for one of them. An index gets a sum that git takes.
///
/// # Panics
///
/// When what a repository is asked is about a file outside of it, or an answer is out of order.
pub fn check_git_files(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let other = FILES[usize::from(*first) % FILES.len()].1;
    let name = FILES.iter().find(|(letter, _)| letter == first).map_or(other, |(_, name)| *name);
    SCRATCH.with(|scratch| scratch.check(name, bytes));
}

thread_local! {
    /// Made once: the rest of the repository stays as it is.
    static SCRATCH: Scratch = Scratch::new();
}

/// A repository without commits and a file beside it.
struct Scratch {
    directory: TempDir,
    outside: BlobId,
}

impl Scratch {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let git_dir = directory.path().join("worktree/.git");
        for path in ["objects", "refs/heads"] {
            fs::create_dir_all(git_dir.join(path)).expect("a directory can be made");
        }
        let settings = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
        fs::write(git_dir.join("config"), settings).expect("a file can be written");
        fs::write(git_dir.join("HEAD"), HEAD).expect("a file can be written");
        fs::write(directory.path().join("outside.txt"), OUTSIDE).expect("a file can be written");
        fs::write(directory.path().join("worktree/inside.txt"), "inside\n").expect("a file can be written");
        let outside = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, OUTSIDE);
        Self { directory, outside: blob_id(&outside.expect("SHA-1 collides with nothing here")) }
    }

    fn git_file(&self, name: &str) -> PathBuf {
        self.directory.path().join("worktree/.git").join(name)
    }

    fn check(&self, name: &str, bytes: &[u8]) {
        let mut content = bytes.to_vec();
        if name == "index" {
            // Git writes no sum under `index.skipHash`, and then reads none.
            content.extend([0; 20]);
        }
        let path = self.git_file(name);
        fs::write(&path, content).expect("a file can be written");
        if let Ok(repository) = Repository::discover(&self.directory.path().join("worktree")) {
            self.ask(&repository);
        }
        fs::remove_file(&path).expect("it was written");
        if name == "HEAD" {
            fs::write(&path, HEAD).expect("a file can be written");
        }
    }

    fn ask(&self, repository: &Repository) {
        if let Ok(tips) = repository.tips() {
            assert!(tips.is_sorted_by(|one, next| one < next));
        }
        let _ = (repository.head().map(drop), repository.resolve("main").map(drop), repository.root().map(drop));
        let policy = Policy::new(PolicyOptions::default());
        let base = repository.empty_tree().tree;
        let overlays = [repository.staged(&policy, base), repository.overlay(&policy, base)];
        for overlay in overlays.into_iter().flatten() {
            assert!(overlay.entries.is_sorted_by(|one, next| one.path < next.path));
            assert!(overlay.links.is_sorted_by(|one, next| one.path < next.path));
            for entry in &overlay.entries {
                let OverlayState::Present { blob, .. } = entry.state else { continue };
                assert_ne!(blob, self.outside, "`{}` is outside of the worktree", entry.path);
            }
        }
    }
}

/// Names a branch that has no commit.
const HEAD: &str = "ref: refs/heads/main\n";
