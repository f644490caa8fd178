//! Resolves what a user types to a commit and its tree.

use gix::objs::Kind;
use icr_model::{CommitId, TreeId, similar_names};

use crate::error::internal;
use crate::git_files::{check_loose_refs, check_refs};
use crate::object::{commit_id, corrupt, find, header, id_prefix, missing, object_id, tree_id};
use crate::packed_refs::check_packed_refs;
use crate::reflog::ReflogEntry;
use crate::revision_steps::{self, RevisionWalk};
use crate::{Error, Repository, interrupt};

/// A commit with its tree, or the empty tree before the first commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The commit; `None` on an unborn branch, and for the state before the first commit.
    pub commit: Option<CommitId>,
    /// The tree of the commit; the empty tree on an unborn branch.
    pub tree: TreeId,
    /// When the commit was made, in seconds since the epoch, by the committer's clock.
    pub committer_time: Option<i64>,
    /// Branch that HEAD is on, without `refs/heads/`; for other revisions the text as typed.
    pub name: Option<String>,
}

/// Where the history of HEAD begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// The oldest commit without parents; among equal committer times the one with the smallest id.
    Commit(CommitId),
    /// There are no commits yet.
    Unborn,
    /// History is cut off, so the root is unknown here.
    Shallow,
}

/// Longest revision that is resolved, in bytes: ref names are paths, and paths are not longer.
const REVISION_BYTES: usize = 4_096;

/// Most walks over history that one revision may request.
const WALKS_MOST: usize = 16;

/// Most names that are suggested for an unknown revision.
const SIMILAR_NAMES: usize = 3;

/// Most branches and tags that are searched for similar names; a search through more is not worth its time.
const NAMES_COMPARED: usize = 10_000;

impl Repository {
    /// The commit that HEAD points to.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] and [`Error::CorruptObject`] when HEAD names a commit that cannot be read;
    /// [`Error::GitFile`], [`Error::PackedRefs`] and [`Error::Internal`] when HEAD itself cannot be read.
    pub fn head(&self) -> Result<Revision, Error> {
        let repo = self.local_for_refs()?;
        let unread = |error| match check_packed_refs(self.common_dir(), repo.object_hash()) {
            Err(unreadable) => unreadable,
            Ok(()) => internal("reading HEAD")(error),
        };
        let mut head = repo.head().map_err(unread)?;
        let name = head.referent_name().map(|name| name.shorten().to_string());
        if head.is_unborn() {
            let tree = tree_id(&gix::ObjectId::empty_tree(repo.object_hash()));
            return Ok(Revision { commit: None, tree, committer_time: None, name });
        }
        let id = head.try_peel_to_id().map_err(|error| match head.id() {
            Some(id) if !repo.has_object(id) => missing(id.detach()),
            Some(id) => corrupt(id.detach(), error),
            None => unread(error),
        })?;
        let id = id.map(gix::Id::detach).expect("a HEAD that is not unborn names an object");
        commit(&repo, id, name)
    }

    /// The commit that `revision` names, in git's syntax: branches, tags, `HEAD~3`, `main@{1}`, `main@{yesterday}`,
    /// abbreviated ids. A time is the one that git reads, or refused. An annotated tag stands for its commit, and
    /// `:/text` for the newest commit of any branch or tag whose message matches it. Commits at the cut of a shallow
    /// clone have no parents. Unlike in git, a commit has the parents that it was made with, whatever `git replace` and
    /// the file `info/grafts` say.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`]; [`Error::UnknownRevision`] with similar names, [`Error::AmbiguousRevision`],
    /// [`Error::NotACommit`], [`Error::ReflogTime`], [`Error::MessagePattern`], [`Error::PackedRefs`],
    /// [`Error::GitFile`]; [`Error::MissingObject`] and [`Error::CorruptObject`] when what it names cannot be read.
    pub fn resolve(&self, revision: &str) -> Result<Revision, Error> {
        // The text stands for several commits, or for something that is not a commit.
        let may_have_text = revision.starts_with(":/") || revision.contains("{/");
        if !may_have_text && ["^!", "^@", "^-"].iter().any(|several| revision.contains(several)) {
            return Err(unresolved(&self.local_for_refs()?, revision));
        }
        if revision.len() > REVISION_BYTES {
            return Err(Error::UnknownRevision { revision: revision.to_owned(), similar: Vec::new() });
        }
        let resolved = || match self.walk_in(revision) {
            Some(walk) => self.resolve_walks(revision, walk),
            None => self.resolve_plain(revision),
        };
        match resolved() {
            // Packs that git has deleted since they were opened are noticed by a look-up that fails; the next one finds
            // what is there now. What it still misses is named by something that exists.
            Err(Error::MissingObject { .. }) => resolved(),
            result => result,
        }
    }

    /// The first part of `revision` that is not left to gix: a potentially long walk. gix follows parents beyond the cut
    /// of a shallow clone if they happen to be there, so that in such a clone no walk is left to it.
    fn walk_in<'a>(&self, revision: &'a str) -> Option<RevisionWalk<'a>> {
        RevisionWalk::of(revision, if self.is_shallow() { 0 } else { revision_steps::SHORT })
    }

    /// As [`Self::resolve`], for revisions that gix resolves without such a walk.
    fn resolve_plain(&self, revision: &str) -> Result<Revision, Error> {
        let repo = self.local_for_refs()?;
        let name = name_in(revision);
        if !name.is_empty() && !name.starts_with('/') && !name.contains("..") && !name.contains('\0') {
            check_refs(self.git_dir(), self.common_dir(), name)?;
        }
        let entry = ReflogEntry::of(revision);
        // Git, too, counts `@{yesterday}` from the present: no other revision depends on the time of day.
        let logged = entry.as_ref().map(|entry| entry.object(self, &repo, jiff::Zoned::now)).transpose()?.flatten();
        let parse = |revision: &str| repo.rev_parse_single(revision).ok().map(gix::Id::detach);
        let parsed = match (logged, &entry) {
            (Some(id), Some(entry)) if !entry.rest.is_empty() => parse(&format!("{id}{}", entry.rest)),
            (Some(id), _) => Some(id),
            // gix must not read the time in its own way.
            (None, Some(entry)) if entry.is_time() => None,
            (None, _) => parse(revision),
        };
        let mut id = match parsed {
            Some(id) => id,
            None => abbreviated(&repo, revision).map_err(|error| {
                match check_packed_refs(self.common_dir(), repo.object_hash()) {
                    // The ref may exist on a line that cannot be read.
                    Err(unreadable) if matches!(error, Error::UnknownRevision { .. }) => unreadable,
                    _ => error,
                }
            })?,
        };
        let mut buffer = Vec::new();
        loop {
            let (kind, _) = header(&repo, id)?;
            match kind {
                Kind::Commit => return commit(&repo, id, Some(revision.to_owned())),
                Kind::Tree => return Err(Error::NotACommit { revision: revision.to_owned(), object: "directory" }),
                Kind::Blob => return Err(Error::NotACommit { revision: revision.to_owned(), object: "file" }),
                // Tags may point to tags. The chain always ends, since an id depends on the content.
                Kind::Tag => {
                    let data = find(&repo, id, Kind::Tag, &mut buffer)?.data;
                    let tag = gix::objs::TagRef::from_bytes(data, repo.object_hash());
                    id = tag.map(|tag| tag.target()).map_err(|error| corrupt(id, error))?;
                }
            }
        }
    }

    /// Resolves `revision`, whose first walk is `walk`.
    fn resolve_walks(&self, revision: &str, walk: RevisionWalk<'_>) -> Result<Revision, Error> {
        let unknown = |similar| Error::UnknownRevision { revision: revision.to_owned(), similar };
        let of_whole = |error| match error {
            Error::UnknownRevision { similar, .. } => unknown(similar),
            error => error,
        };
        let mut from = match walk.from {
            Some(from) => self.resolve_plain(from).map(|from| from.commit.into_iter().collect()),
            None => self.commits_of_refs(),
        }
        .map_err(of_whole)?;
        let (mut step, mut rest) = (walk.step, walk.rest.to_owned());
        for _ in 0..WALKS_MOST {
            let found = revision_steps::walk(self, &from, &step)?.ok_or_else(|| unknown(Vec::new()))?;
            if rest.is_empty() {
                return commit(&self.local(), object_id(found.as_bytes()), Some(revision.to_owned()));
            }
            let left = format!("{found}{rest}");
            let Some(next) = self.walk_in(&left) else {
                let found = self.resolve_plain(&left).map_err(of_whole)?;
                return Ok(Revision { name: Some(revision.to_owned()), ..found });
            };
            let before = next.from.unwrap_or_default();
            from = self.resolve_plain(before).map_err(of_whole)?.commit.into_iter().collect();
            (step, rest) = (next.step.into_owned(), next.rest.to_owned());
        }
        Err(unknown(Vec::new()))
    }

    /// The commits of HEAD and of all branches, tags and other refs, in the order of git: HEAD, then the refs from the last name to the first.
    fn commits_of_refs(&self) -> Result<Vec<CommitId>, Error> {
        let repo = self.local_for_all_refs()?;
        let references = repo.references().map_err(internal("listing the refs"))?;
        let mut commits = Vec::new();
        for reference in references.all().map_err(internal("listing the refs"))?.filter_map(Result::ok) {
            interrupt::check()?;
            let Ok(id) = reference.into_fully_peeled_id() else { continue };
            if matches!(header(&repo, id.detach()), Ok((Kind::Commit, _))) {
                commits.push(commit_id(&id));
            }
        }
        commits.extend(self.head()?.commit);
        commits.reverse();
        Ok(commits)
    }

    /// The empty tree; it need not belong to a commit.
    pub fn empty_tree(&self) -> Revision {
        let tree = tree_id(&gix::ObjectId::empty_tree(self.local().object_hash()));
        Revision { commit: None, tree, committer_time: None, name: None }
    }

    /// The oldest commit without parents that HEAD reaches. Cost: the whole history of HEAD, once.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] and [`Error::CorruptObject`] for HEAD's own commit; [`Error::Internal`] when an earlier
    /// commit cannot be read.
    pub fn root(&self) -> Result<Root, Error> {
        if self.is_shallow() {
            return Ok(Root::Shallow);
        }
        let Some(head) = self.head()?.commit else { return Ok(Root::Unborn) };
        let repo = self.local_for_walks();
        let mut oldest: Option<(i64, gix::ObjectId)> = None;
        let head = object_id(head.as_bytes());
        let walk = repo.rev_walk([head]).all().map_err(internal("walking the history of HEAD"))?;
        for step in walk {
            // This walk cannot be interrupted: a retry would be no faster, and the result is recorded.
            let step = step.map_err(internal("walking the history of HEAD"))?;
            if step.parent_ids.is_empty() {
                let candidate = (committer_time(&repo, step.id)?, step.id);
                oldest = Some(oldest.map_or(candidate, |oldest| oldest.min(candidate)));
            }
        }
        // Every walk ends at a commit without parents. A history that was cut without a record in `shallow` cannot be
        // recognised.
        Ok(oldest.map_or(Root::Shallow, |(_, id)| Root::Commit(commit_id(&id))))
    }
}

fn commit(repo: &gix::Repository, id: gix::ObjectId, name: Option<String>) -> Result<Revision, Error> {
    let mut buffer = Vec::new();
    let data = find(repo, id, Kind::Commit, &mut buffer)?.data;
    let commit = gix::objs::CommitRef::from_bytes(data, repo.object_hash()).map_err(|error| corrupt(id, error))?;
    let time = commit.committer().map(|committer| committer.seconds()).map_err(|error| corrupt(id, error))?;
    Ok(Revision { commit: Some(commit_id(&id)), tree: tree_id(&commit.tree()), committer_time: Some(time), name })
}

fn committer_time(repo: &gix::Repository, id: gix::ObjectId) -> Result<i64, Error> {
    let revision = commit(repo, id, None)?;
    Ok(revision.committer_time.expect("a commit has a time"))
}

/// The object whose id begins with the digits `revision`.
fn abbreviated(repo: &gix::Repository, revision: &str) -> Result<gix::ObjectId, Error> {
    let Some(prefix) = id_prefix(repo, revision) else { return Err(unresolved(repo, revision)) };
    match repo.objects.lookup_prefix(prefix, None) {
        Ok(Some(Ok(id))) => Ok(id),
        Ok(Some(Err(()))) => Err(Error::AmbiguousRevision { revision: revision.to_owned() }),
        Ok(None) | Err(_) => Err(unresolved(repo, revision)),
    }
}

/// The ref name in a revision: `topik` in `topik~3`.
fn name_in(revision: &str) -> &str {
    revision.split(['~', '^', '@', ':']).next().unwrap_or_default()
}

/// The error for a `revision` that names nothing.
fn unresolved(repo: &gix::Repository, revision: &str) -> Error {
    let mut names = ref_names(repo);
    names.sort_unstable();
    names.dedup();
    let similar = similar_names(name_in(revision), names.iter().map(String::as_str), SIMILAR_NAMES);
    let similar = similar.into_iter().map(str::to_owned).collect();
    Error::UnknownRevision { revision: revision.to_owned(), similar }
}

/// Names of branches and tags as users type them: `topic`, `v1.0`, `origin/topic` and, for a remote branch, also
/// `topic`.
fn ref_names(repo: &gix::Repository) -> Vec<String> {
    let git_dirs = [repo.common_dir(), repo.git_dir()];
    if git_dirs.iter().any(|git_dir| check_loose_refs(git_dir).is_err()) {
        return Vec::new();
    }
    let Ok(references) = repo.references() else { return Vec::new() };
    let Ok(all) = references.all() else { return Vec::new() };
    let names = all.filter_map(Result::ok).take(NAMES_COMPARED).map(|reference| reference.name().as_bstr().to_string());
    names
        .filter_map(|name| {
            let rest = name.strip_prefix("refs/")?;
            ["heads/", "tags/", "remotes/"].iter().find_map(|kind| rest.strip_prefix(kind)).map(str::to_owned)
        })
        .collect()
}
