//! Properties that hold whatever bytes git's own files contain: the body of a fuzz target, also called by tests.

use std::fs;
use std::path::PathBuf;

use icr_model::BlobId;
use tempfile::TempDir;

use crate::object::blob_id;
use crate::{OverlayState, Policy, PolicyOptions, Repository};

/// Files that can be overwritten, with the first byte of an input that selects each.
const FILES: [(u8, &str); 4] = [(b'h', "HEAD"), (b'i', "index"), (b'p', "packed-refs"), (b's', "shallow")];

/// Content of a file beside the worktree.
const OUTSIDE: &[u8] = b"a file beside the worktree\n";

/// Reads a repository in which one file contains `bytes`.
///
/// The first byte selects the file: `h` for HEAD, `i` for the index, `p` for packed refs, `s` for the `shallow` file,
/// any other byte for one of these. An index gets a checksum that git accepts.
///
/// # Panics
///
/// If the repository reads a file outside of the worktree, or returns results out of order.
pub fn check_git_files(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let other = FILES[usize::from(*first) % FILES.len()].1;
    let name = FILES.iter().find(|(letter, _)| letter == first).map_or(other, |(_, name)| *name);
    SCRATCH.with(|scratch| scratch.check(name, bytes));
}

thread_local! {
    /// Made once per thread: only one file of the repository changes between inputs.
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
            // With `index.skipHash` git writes zeros as the checksum, and does not check them.
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
