//! The indexed files of HEAD, read directly from git.

use std::collections::HashSet;
use std::path::Path;

use icr_git::{Membership, Policy, Repository};
use icr_lang::language_of;
use icr_model::{BlobId, CommitId, RepoPath, TreeId};

use crate::error::Error;

/// Names of the ignore files, which the engine reads too.
const IGNORE_FILES: [&str; 2] = [".icrignore", ".icr/ignore"];

/// A repository at HEAD.
pub(crate) struct Corpus {
    pub(crate) repository: Repository,
    pub(crate) commit: CommitId,
    /// In tree order, each content once for each language.
    pub(crate) members: Vec<Member>,
}

/// A content of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Member {
    pub(crate) blob: BlobId,
    pub(crate) language: &'static str,
}

impl Corpus {
    /// The repository around `path`. Reads its trees.
    ///
    /// # Errors
    ///
    /// [`Error::Unborn`] without a commit; [`Error::Repository`] when it cannot be read.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let repository = Repository::discover(path)?;
        let head = repository.head()?;
        let commit = head.commit.ok_or_else(|| Error::Unborn { path: path.to_owned() })?;
        let policy = policy(&repository, head.tree)?;
        let mut seen = HashSet::new();
        let mut members = Vec::new();
        repository.files(head.tree, &mut |file| {
            if file.kind.is_file() && policy.decide(&file.path) == Membership::Member {
                let member = Member { blob: file.blob, language: language_of(&file.path) };
                if seen.insert(member) {
                    members.push(member);
                }
            }
        })?;
        Ok(Self { repository, commit, members })
    }

    /// Gives the bytes of `members` to `visit`, in order, less those that are too large to be read.
    ///
    /// # Errors
    ///
    /// [`Error::Repository`] when a blob cannot be read.
    pub(crate) fn read<'a>(
        &self,
        members: impl IntoIterator<Item = &'a Member>,
        mut visit: impl FnMut(&'a Member, &[u8]),
    ) -> Result<(), Error> {
        let reader = self.repository.reader();
        let mut blob = Vec::new();
        for member in members {
            if reader.size(member.blob)? <= icr_git::DEFAULT_MAX_FILE_BYTES {
                reader.read(member.blob, &mut blob)?;
                visit(member, &blob);
            }
        }
        Ok(())
    }
}

fn policy(repository: &Repository, tree: TreeId) -> Result<Policy, Error> {
    let mut policy = Policy::default();
    let mut rules = Vec::new();
    for name in IGNORE_FILES {
        if let Some((blob, kind)) = repository.file_at(tree, &RepoPath::from(name))?
            && kind.is_file()
        {
            repository.reader().read(blob, &mut rules)?;
            policy = policy.with_ignore_file(&rules);
        }
    }
    Ok(policy)
}

#[cfg(test)]
mod tests {
    use icr_fixture::Fixture;

    use super::*;

    #[test]
    fn members_are_contents_of_the_view() {
        let fixture = Fixture::new(
            "//- .icrignore\nskipped/\n//- a.rs\nfn a() {}\n//- b.rs\nfn a() {}\n//- c.py\nfn a() {}\n//- skipped/d.rs\n1\n//- .env\nK=1\n",
        );
        let corpus = Corpus::open(fixture.root()).unwrap();
        let languages: Vec<&str> = corpus.members.iter().map(|member| member.language).collect();
        assert_eq!(languages, ["text", "rust", "python"]);
        let mut texts = Vec::new();
        corpus.read(&corpus.members[1..2], |_, blob| texts.push(blob.to_vec())).unwrap();
        assert_eq!(texts, [b"fn a() {}\n"]);
    }

    #[test]
    fn a_repository_without_a_commit_has_nothing_to_measure() {
        let fixture = Fixture::empty();
        assert!(matches!(Corpus::open(fixture.root()), Err(Error::Unborn { .. })));
    }
}
