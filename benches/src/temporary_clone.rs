//! A clone to commit and switch branches in, so that the repository that is measured stays as it is.

use std::fs;
use std::path::Path;

use icr_fixture::Fixture;
use icr_git::{HashKind, Repository};
use icr_model::CommitId;

use crate::error::{Error, io};

/// A checked-out clone that borrows the objects of its origin. Removed on drop.
pub(crate) struct TemporaryClone {
    fixture: Fixture,
}

impl TemporaryClone {
    /// A clone of `origin` with `commit` checked out on a branch of its own. Copies the files, no objects.
    ///
    /// # Errors
    ///
    /// [`Error::Git`] when git cannot check it out; [`Error::Io`] when the borrowing cannot be written down.
    pub(crate) fn of(origin: &Repository, commit: CommitId) -> Result<Self, Error> {
        let format = match origin.hash_kind() {
            HashKind::Sha1 => "sha1",
            HashKind::Sha256 => "sha256",
        };
        let clone = Self { fixture: Fixture::with_object_format(format) };
        let git_dir = clone.root().join(".git");
        let alternates = git_dir.join("objects/info/alternates");
        let mut line = origin.common_dir().join("objects").into_os_string().into_encoded_bytes();
        line.push(b'\n');
        fs::create_dir_all(git_dir.join("objects/info")).map_err(io("making", &git_dir))?;
        fs::write(&alternates, line).map_err(io("writing", &alternates))?;
        let cut = origin.common_dir().join("shallow");
        if cut.is_file() {
            fs::copy(&cut, git_dir.join("shallow")).map_err(io("copying", &cut))?;
        }
        clone.git(&["reset", "-q", "--hard", &commit.to_string()])?;
        Ok(clone)
    }

    /// A repository that was made to be changed.
    pub(crate) fn from_fixture(fixture: Fixture) -> Self {
        Self { fixture }
    }

    /// Its worktree.
    pub(crate) fn root(&self) -> &Path {
        self.fixture.root()
    }

    /// Runs git in the worktree, with fixed names and dates and without the user's configuration.
    ///
    /// # Errors
    ///
    /// [`Error::Git`] with git's message.
    pub(crate) fn git(&self, arguments: &[&str]) -> Result<String, Error> {
        let failed =
            |message| Error::Git { command: arguments.first().copied().unwrap_or_default().to_owned(), message };
        self.fixture.try_git(arguments).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_go_into_the_clone_alone() {
        let origin = Fixture::new("//- a\n1\n");
        let (head, objects) = (origin.git(&["rev-parse", "HEAD"]), origin.object_count());
        let repository = Repository::discover(origin.root()).unwrap();
        let clone = TemporaryClone::of(&repository, head.parse().unwrap()).unwrap();
        assert_eq!(fs::read_to_string(clone.root().join("a")).unwrap(), "1\n");
        fs::write(clone.root().join("a"), "2\n").unwrap();
        clone.git(&["commit", "-q", "-am", "second"]).unwrap();
        assert_eq!(clone.git(&["rev-list", "--count", "HEAD"]).unwrap(), "2");
        assert_eq!((origin.git(&["rev-parse", "HEAD"]), origin.object_count()), (head, objects));
    }

    #[test]
    fn a_shallow_origin_gives_a_shallow_clone() {
        let origin = Fixture::new("//- a\n1\n");
        origin.write("//- a\n2\n");
        let head = origin.commit("second");
        let shallow = origin.clone_to("shallow", &["--depth=1"]);
        let repository = Repository::discover(&shallow).unwrap();
        let clone = TemporaryClone::of(&repository, head.parse().unwrap()).unwrap();
        assert_eq!(clone.git(&["rev-list", "--count", "HEAD"]).unwrap(), "1");
    }

    #[test]
    fn failures_carry_the_message_of_git() {
        let clone = TemporaryClone::from_fixture(Fixture::empty());
        let error = clone.git(&["rev-parse", "--verify", "HEAD"]).unwrap_err();
        assert_eq!(error.to_string(), "`git rev-parse` failed: fatal: Needed a single revision");
    }
}
