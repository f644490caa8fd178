//! Branches and tags by name, for people to choose from.

use std::cmp::Reverse;

use gix::objs::Kind;
use icr_model::CommitId;

use crate::error::internal;
use crate::object::{commit_id, header};
use crate::{Error, Repository};

/// A branch or tag that leads to a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRef {
    /// Name without its namespace; invalid UTF-8 is replaced.
    pub name: String,
    /// Namespace of the name.
    pub kind: RefKind,
    /// The commit; an annotated tag is followed to its commit.
    pub commit: CommitId,
}

/// Namespaces of refs that people choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefKind {
    /// `refs/heads/`
    Branch,
    /// `refs/tags/`
    Tag,
    /// `refs/remotes/`
    Remote,
}

impl RefKind {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Branch, "refs/heads/"), (Self::Tag, "refs/tags/"), (Self::Remote, "refs/remotes/")];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Tag => "tag",
            Self::Remote => "remote",
        }
    }
}

impl Repository {
    /// Up to `most` refs: branches, then tags, then remote branches, each group with the newest commits first. A ref
    /// that leads to no commit, or cannot be read, is left out.
    ///
    /// Cost: one commit decoded for each ref.
    ///
    /// # Errors
    ///
    /// [`Error::PackedRefs`], [`Error::GitFile`] and [`Error::Internal`] when the refs cannot be listed.
    pub fn named_refs(&self, most: usize) -> Result<Vec<NamedRef>, Error> {
        let repo = self.local_for_all_refs()?;
        let references = repo.references().map_err(internal("listing the refs"))?;
        let mut named = Vec::new();
        for reference in references.all().map_err(internal("listing the refs"))?.filter_map(Result::ok) {
            let full = reference.name().as_bstr().to_string();
            let kind =
                RefKind::ALL.iter().find_map(|(kind, prefix)| Some((*kind, full.strip_prefix(prefix)?.to_owned())));
            let Some((kind, name)) = kind.filter(|(_, name)| !name.ends_with("/HEAD")) else { continue };
            let Ok(id) = reference.into_fully_peeled_id() else { continue };
            let id = id.detach();
            if !matches!(header(&repo, id), Ok((Kind::Commit, _))) {
                continue;
            }
            let time =
                repo.find_commit(id).ok().and_then(|commit| commit.time().ok()).map_or(i64::MIN, |time| time.seconds);
            named.push((kind, Reverse(time), NamedRef { name, kind, commit: commit_id(&id) }));
        }
        named.sort_by(|one, other| (one.0, one.1, &one.2.name).cmp(&(other.0, other.1, &other.2.name)));
        Ok(named.into_iter().take(most).map(|(_, _, named)| named).collect())
    }

    /// The commits that the remote-tracking refs of `remote` lead to, each once: what the remote had when this clone
    /// last fetched from it or pushed to it. A ref that leads to no commit, or cannot be read, is left out.
    ///
    /// Cost: one object header for each ref.
    ///
    /// # Errors
    ///
    /// [`Error::PackedRefs`], [`Error::GitFile`] and [`Error::Internal`] when the refs cannot be listed.
    pub fn remote_tips(&self, remote: &str) -> Result<Vec<CommitId>, Error> {
        let repo = self.local_for_all_refs()?;
        let references = repo.references().map_err(internal("listing the refs"))?;
        // Compared with whole names: a remote may be a path, and must not become one below the git directory.
        let is_of_remote = |name: &str| {
            let branch = name.strip_prefix("refs/remotes/").and_then(|name| name.strip_prefix(remote));
            branch.is_some_and(|branch| branch.starts_with('/'))
        };
        let mut tips = Vec::new();
        let branches = references.remote_branches().map_err(internal("listing the refs"))?;
        for reference in branches.filter_map(Result::ok) {
            if !is_of_remote(&reference.name().as_bstr().to_string()) {
                continue;
            }
            let Ok(id) = reference.into_fully_peeled_id() else { continue };
            let id = id.detach();
            if matches!(header(&repo, id), Ok((Kind::Commit, _))) {
                tips.push(commit_id(&id));
            }
        }
        tips.sort_unstable();
        tips.dedup();
        Ok(tips)
    }
}

#[cfg(test)]
mod tests {
    use icr_fixture::Fixture;

    use super::*;

    #[test]
    fn branches_come_first_and_the_newest_of_them() {
        let fixture = Fixture::new("//- a\na\n");
        fixture.commit("one");
        fixture.git(&["branch", "old"]);
        fixture.git(&["tag", "-a", "v1", "-m", "first"]);
        fixture.write("//- a\nb\n");
        fixture.commit("two");
        fixture.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
        fixture.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/topic"]);
        let blob = fixture.git(&["rev-parse", "HEAD:a"]);
        fixture.git(&["update-ref", "refs/tags/of-a-blob", blob.trim()]);
        let repository = Repository::discover(fixture.root()).expect("a repository");
        let shown = |most| {
            let refs = repository.named_refs(most).expect("refs");
            refs.iter().map(|named| format!("{} {}", named.kind.name(), named.name)).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(shown(9), "branch main, branch old, tag v1, remote origin/topic");
        assert_eq!(shown(1), "branch main");
    }

    #[test]
    fn a_remote_has_the_commits_that_its_own_refs_lead_to() {
        let fixture = Fixture::new("//- a\na\n");
        fixture.commit("one");
        for name in ["near/main", "near/same", "nearer/main"] {
            fixture.git(&["update-ref", &format!("refs/remotes/{name}"), "HEAD"]);
        }
        fixture.git(&["symbolic-ref", "refs/remotes/near/HEAD", "refs/remotes/near/main"]);
        fixture.git(&["update-ref", "refs/remotes/near/blob", fixture.git(&["rev-parse", "HEAD:a"]).trim()]);
        let repository = Repository::discover(fixture.root()).expect("a repository");
        let tips = |remote| repository.remote_tips(remote).expect("refs").len();
        assert_eq!((tips("near"), tips("nearer"), tips("nea"), tips(""), tips("../heads")), (1, 1, 0, 0, 0));
    }
}
