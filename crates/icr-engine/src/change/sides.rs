//! The two sides of a change, as views.

use crate::files::no_such_file;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use icr_git::{
    ChangeKind, Dots, FileDiff, FileKind, LinkChange, LinkKind, Membership, MergeBase, Overlay, OverlayState, Policy,
    Repository, Revision, RevisionOrRange, UnreadReason, WorktreeReader,
};
use icr_impact::{FileStatus, RevertedCommit, Sides};
use icr_model::{BlobId, CommitId, ContentKind, RepoPath, TreeId};

use crate::change::applied_patch::AppliedPatch;
use crate::change::incomplete::{Opaque, outside};
use crate::change::rules::{add_rule_files, newly_left_out, policy_before, rules_in_force};
use crate::search::path_of;
use crate::snapshot_context::SnapshotContext;
use crate::snapshot_source::SnapshotSource;
use crate::{Error, Freshness, Hint, Observer, Snapshot, ViewSelector};
use icr_view::ViewLayers;

/// What to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeSource {
    /// The worktree against HEAD, including staged and untracked files.
    Worktree,
    /// The staged files against HEAD.
    Staged,
    /// Revisions as git names them: `A..B` and `A...B` from their merge base to `B`, an empty side standing for HEAD; `A..B`
    /// from `A` if `B` is an ancestor of it; one revision for what its commit changed.
    Revisions(String),
    /// A unified diff, not yet applied to the worktree or already applied, or between any blobs of the repository.
    Patch(Arc<[u8]>),
    /// Whole files: all their definitions count as changed.
    Paths(Vec<String>),
}

/// A side of a change: the requested view, or one made for the comparison.
pub(crate) enum ChangeSide<'a> {
    Asked(&'a Snapshot),
    Made(Box<Snapshot>),
}

impl std::ops::Deref for ChangeSide<'_> {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        match self {
            Self::Asked(snapshot) => snapshot,
            Self::Made(snapshot) => snapshot,
        }
    }
}

/// A change between two views.
pub(crate) struct ViewChange<'a> {
    pub(crate) old: ChangeSide<'a>,
    pub(crate) new: ChangeSide<'a>,
    /// By path.
    pub(crate) files: Vec<FilePair>,
    /// Files that may have changed, and why that is not known.
    pub(crate) unread: Vec<(RepoPath, Opaque)>,
    pub(crate) sides: Sides,
    /// The commit that the change was made on; its history says which files change together.
    pub(crate) made_on: Option<CommitId>,
    /// Whether both views are the same, so that every definition counts as changed.
    pub(crate) is_whole_files: bool,
}

/// A file of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilePair {
    pub(crate) old: Option<RepoPath>,
    pub(crate) new: Option<RepoPath>,
    pub(crate) status: FileStatus,
    /// Why the file is not examined, if that is known before reading it.
    pub(crate) opaque: Option<Opaque>,
}

impl FilePair {
    /// Path after the change; for a deletion, path before it.
    pub(crate) fn path(&self) -> &RepoPath {
        self.new.as_ref().or(self.old.as_ref()).expect("a file of a change has a side")
    }
}

/// How to find the sides of a change: which view is asked, and what the other side is.
pub(crate) struct ChangePlan {
    /// The view that is asked; the store is brought up to date for it.
    pub(crate) at: ViewSelector,
    /// Base and head, if both are revisions.
    pub(crate) revisions: Option<(Revision, Revision)>,
    sides: Sides,
}

/// Makes the plans of changes. Reads names of revisions and commits of the repository, no store, and writes nothing.
#[derive(Clone, Copy)]
pub(crate) struct ChangePlanner<'a> {
    repository: &'a Repository,
}

impl<'a> ChangePlanner<'a> {
    pub(crate) fn of(context: &'a SnapshotContext) -> Self {
        Self { repository: &context.foundation.repository }
    }

    /// The plan for `source`.
    ///
    /// # Errors
    ///
    /// Unknown revisions; [`Error::NoBase`] if the base cannot be determined.
    pub(crate) fn plan(&self, source: &ChangeSource) -> Result<ChangePlan, Error> {
        let sides = |base: &str, head: &str| Sides {
            base: base.to_owned(),
            base_commit: None,
            head: head.to_owned(),
            head_commit: None,
            reverts: None,
            notes: Vec::new(),
        };
        match source {
            ChangeSource::Worktree | ChangeSource::Staged if self.repository.is_bare() => Err(Error::NoBase {
                reason: "a bare repository has no worktree".to_owned(),
                hint: "name a revision or a range of them, as in `HEAD~3..HEAD`".into(),
            }),
            ChangeSource::Worktree => {
                Ok(ChangePlan { at: ViewSelector::Worktree, revisions: None, sides: sides("HEAD", "the worktree") })
            }
            ChangeSource::Staged => {
                Ok(ChangePlan { at: ViewSelector::Worktree, revisions: None, sides: sides("HEAD", "the index") })
            }
            ChangeSource::Patch(_) => Ok(ChangePlan {
                at: ViewSelector::Worktree,
                revisions: None,
                sides: sides("the worktree", "the patch"),
            }),
            ChangeSource::Paths(_) => {
                Ok(ChangePlan { at: ViewSelector::Worktree, revisions: None, sides: sides("nothing", "these files") })
            }
            ChangeSource::Revisions(text) => self.plan_revisions(text).map_err(|error| self.beyond_cut(error, text)),
        }
    }

    /// In a shallow clone, a missing commit may lie beyond the cut.
    fn beyond_cut(&self, error: Error, text: &str) -> Error {
        let is_absent = |error: &icr_git::Error| {
            matches!(error, icr_git::Error::UnknownRevision { .. } | icr_git::Error::MissingObject { .. })
        };
        match error {
            Error::Git(source) | Error::Range { source, .. } if is_absent(&source) && self.repository.is_shallow() => {
                Error::BeyondCut { range: text.to_owned(), source }
            }
            other => other,
        }
    }

    fn plan_revisions(&self, text: &str) -> Result<ChangePlan, Error> {
        let mut notes = Vec::new();
        let (base, head, base_name) = match self.repository.resolve_range(text).map_err(wrong_range)? {
            RevisionOrRange::Revision(head) => {
                let (base, name) = self.first_parent(&head, text, &mut notes)?;
                (base, head, name)
            }
            RevisionOrRange::Range(range) => {
                let name = |revision: &Revision| revision.name.clone().unwrap_or_else(|| "HEAD".to_owned());
                let base_name = name(&range.base);
                let base =
                    self.range_base(&range.base, &range.head, range.dots, &base_name, &name(&range.head), &mut notes)?;
                (base, range.head, base_name)
            }
        };
        let head_name = head.name.clone().unwrap_or_else(|| "HEAD".to_owned());
        let sides = Sides {
            base: base_name,
            base_commit: base.commit.map(|commit| commit.to_string()),
            head: head_name.clone(),
            head_commit: head.commit.map(|commit| commit.to_string()),
            reverts: self.reverted_commit(&base, &head)?,
            notes,
        };
        let at = ViewSelector::Revision(head.commit.map_or(head_name, |commit| commit.to_string()));
        Ok(ChangePlan { at, revisions: Some((base, head)), sides })
    }

    /// The commit that the single commit between `base` and `head` reverts, according to its message; `None` for
    /// several commits, and for one that reverts nothing.
    fn reverted_commit(&self, base: &Revision, head: &Revision) -> Result<Option<RevertedCommit>, Error> {
        let (Some(base), Some(head)) = (base.commit, head.commit) else { return Ok(None) };
        if self.repository.parents(head)?.first() != Some(&base) {
            return Ok(None);
        }
        Ok(commit_reverted_by(&self.repository.message(head)?))
    }

    /// The parent of `head`, which its change was made on.
    fn first_parent(&self, head: &Revision, text: &str, notes: &mut Vec<String>) -> Result<(Revision, String), Error> {
        let commit = head.commit.expect("a revision that was typed names a commit");
        let parents = self.repository.parents(commit)?;
        if parents.len() > 1 {
            notes.push(format!("`{text}` is a merge; compared with its first parent"));
        }
        let Some(parent) = parents.first() else {
            notes.push(format!("`{text}` has no parent; every file of it is new"));
            return Ok((self.repository.empty_tree(), "nothing".to_owned()));
        };
        let base = self.repository.resolve(&parent.to_string()).map_err(|error| match error {
            icr_git::Error::UnknownRevision { .. } | icr_git::Error::MissingObject { .. }
                if self.repository.is_shallow() =>
            {
                Error::NoBase {
                    reason: format!("the parent of `{text}` lies beyond the cut of this shallow clone"),
                    hint: DEEPEN.into(),
                }
            }
            other => other.into(),
        })?;
        Ok((base, format!("{text}^")))
    }

    /// The base of a range.
    fn range_base(
        &self,
        base: &Revision,
        head: &Revision,
        dots: Dots,
        base_name: &str,
        head_name: &str,
        notes: &mut Vec<String>,
    ) -> Result<Revision, Error> {
        let (Some(base_commit), Some(head_commit)) = (base.commit, head.commit) else { return Ok(base.clone()) };
        match self.repository.merge_base(base_commit, head_commit)? {
            MergeBase::Base(found) if found == base_commit => Ok(base.clone()),
            // From their merge base to the head nothing changes, which is not what going back does to users.
            MergeBase::Base(found) if found == head_commit && dots == Dots::Two => {
                notes.push(format!(
                    "`{head_name}` is an ancestor of `{base_name}`; this is the change of going back to it"
                ));
                Ok(base.clone())
            }
            MergeBase::Base(found) => {
                if dots == Dots::Two {
                    notes
                        .push(format!("`{base_name}` is no ancestor of `{head_name}`; compared from their merge base"));
                }
                Ok(self.repository.resolve(&found.to_string())?)
            }
            MergeBase::CutOff if dots == Dots::Two => {
                notes.push(format!(
                    "the clone is shallow, so the merge base of `{base_name}` and `{head_name}` is not known; their trees were compared as they are"
                ));
                Ok(base.clone())
            }
            MergeBase::CutOff => Err(Error::NoBase {
                reason: format!(
                    "the merge base of `{base_name}` and `{head_name}` lies beyond the cut of this shallow clone"
                ),
                hint: DEEPEN.into(),
            }),
            MergeBase::Unrelated => Err(Error::NoBase {
                reason: format!("`{base_name}` and `{head_name}` have no common ancestor"),
                hint: Hint::ComparePatch { base: base_name.to_owned(), head: head_name.to_owned() },
            }),
        }
    }
}

fn wrong_range(error: icr_git::RangeError) -> Error {
    match error.side {
        Some(_) if !matches!(error.source, icr_git::Error::Interrupted) => {
            Error::Range { range: error.range, source: error.source }
        }
        _ => error.source.into(),
    }
}

/// The hint on how to get the history of a shallow clone.
pub(crate) const DEEPEN: &str =
    "`git fetch --deepen=500`, or in a pipeline a checkout with its whole history (`fetch-depth: 0`, `GIT_DEPTH: 0`)";

impl ChangePlan {
    /// Names of the sides, and notes on how they were chosen.
    pub(crate) fn sides(&self) -> &Sides {
        &self.sides
    }

    /// Brings the store up to date for the base, where that is not the view that is asked.
    pub(crate) fn bring_base_up_to_date(
        &self,
        source: &SnapshotSource<'_>,
        freshness: &Freshness,
        observer: &dyn Observer,
    ) -> Result<(), Error> {
        let base = self.revisions.as_ref().and_then(|(base, _)| base.commit);
        let at = base.map(|commit| ViewSelector::Revision(commit.to_string()));
        at.map_or(Ok(()), |at| source.bring_up_to_date(&at, freshness, observer))
    }

    /// Compares the sides of `source`. Uncommitted files are those of `asked`.
    pub(crate) fn change<'a>(&self, source: &ChangeSource, asked: &'a Snapshot) -> Result<ViewChange<'a>, Error> {
        let mut change = self.compare(source, asked)?;
        let rules = rules_in_force(&change, source);
        change.sides.notes.extend(rules);
        Ok(change)
    }

    fn compare<'a>(&self, source: &ChangeSource, asked: &'a Snapshot) -> Result<ViewChange<'a>, Error> {
        let context = &asked.context;
        let no_files = BTreeMap::new();
        let clean = Arc::new(Overlay::default());
        let view = |revision: &Revision, name: &str, overlay: &Arc<Overlay>| {
            let layers = ViewLayers { revision: revision.clone(), name: name.to_owned(), overlay, laid: &no_files };
            Ok::<_, Error>(ChangeSide::Made(Box::new(asked.beside(&layers)?)))
        };
        let (head, mut sides) = (asked.view.revision(), self.sides.clone());
        let made_on = head.commit;
        if self.revisions.is_none() {
            sides.base_commit = made_on.map(|commit| commit.to_string());
        }
        match source {
            ChangeSource::Worktree => {
                let old = view(head, "HEAD", &clean)?;
                let new = ChangeSide::Asked(asked);
                let (mut files, unread) = overlaid(context, &old, &new, asked.view.overlay())?;
                add_links(context, &mut files, &asked.view.overlay().links);
                add_rule_files(&context.foundation.repository, head.tree, false, &mut files)?;
                Ok(ViewChange { old, new, files, unread, sides, made_on, is_whole_files: false })
            }
            ChangeSource::Staged => {
                let staged =
                    Arc::new(context.foundation.repository.staged(context.foundation.shape.policy(), head.tree)?);
                let old = view(head, "HEAD", &clean)?;
                let new = view(head, "the index", &staged)?;
                let (mut files, unread) = overlaid(context, &old, &new, &staged)?;
                files.extend(staged_and_left_out(context, head.tree)?);
                add_links(context, &mut files, &staged.links);
                add_rule_files(&context.foundation.repository, head.tree, true, &mut files)?;
                Ok(ViewChange { old, new, files, unread, sides, made_on, is_whole_files: false })
            }
            ChangeSource::Revisions(_) => {
                let (base, head) = self.revisions.as_ref().expect("a plan of revisions has both");
                let old = view(base, &sides.base, &clean)?;
                let new = view(head, &sides.head, &clean)?;
                let differences = context.foundation.repository.changes_between(Some(base.tree), head.tree)?;
                let files = differences.into_iter().map(|difference| differing(context, difference));
                let files = files.flat_map(|file| parted(context.foundation.shape.policy(), file)).collect();
                let (unread, made_on) = (Vec::new(), base.commit);
                Ok(ViewChange { old, new, files, unread, sides, made_on, is_whole_files: false })
            }
            ChangeSource::Patch(text) => {
                let patched = AppliedPatch::read(context, asked, text)?;
                let side = |laid: &BTreeMap<RepoPath, Option<Arc<[u8]>>>, name: &str| {
                    let layers = ViewLayers {
                        revision: head.clone(),
                        name: name.to_owned(),
                        overlay: asked.view.overlay(),
                        laid,
                    };
                    Ok::<_, Error>(ChangeSide::Made(Box::new(asked.beside(&layers)?)))
                };
                let old = side(&patched.old, "the files before the patch")?;
                let new = side(&patched.new, "the files after the patch")?;
                sides.notes.extend(patched.notes);
                let made_on = patched.made_on.or(made_on);
                sides.base_commit = made_on.map(|commit| commit.to_string());
                let (files, unread) = (patched.files, Vec::new());
                Ok(ViewChange { old, new, files, unread, sides, made_on, is_whole_files: false })
            }
            ChangeSource::Paths(paths) => {
                let mut files = BTreeSet::new();
                for path in paths {
                    let path = path_of(path);
                    asked.view.file(&path)?.ok_or_else(|| no_such_file(asked, &path))?;
                    files.insert(path);
                }
                let pair = |path: RepoPath| FilePair {
                    old: Some(path.clone()),
                    new: Some(path),
                    status: FileStatus::Modified,
                    opaque: None,
                };
                let files = files.into_iter().map(pair).collect();
                let (old, new) = (ChangeSide::Asked(asked), ChangeSide::Asked(asked));
                Ok(ViewChange { old, new, files, unread: Vec::new(), sides, made_on, is_whole_files: true })
            }
        }
    }
}

/// A file that differs between two trees.
fn differing(context: &SnapshotContext, difference: FileDiff) -> FilePair {
    let kinds = [difference.old, difference.new];
    let any = |wanted: FileKind| kinds.iter().flatten().any(|(_, kind)| *kind == wanted);
    let opaque = match () {
        () if context.foundation.shape.policy().decide(&difference.path) == Membership::Secret => Some(Opaque::Secret),
        () if any(FileKind::Submodule) => Some(Opaque::Submodule),
        () if any(FileKind::Symlink) => Some(Opaque::Symlink),
        () => None,
    };
    let status = match difference.kind {
        ChangeKind::Added => FileStatus::Added,
        ChangeKind::Deleted => FileStatus::Deleted,
        ChangeKind::Renamed => FileStatus::Renamed,
        ChangeKind::TypeChanged => FileStatus::TypeChanged,
        // A file whose mode alone differs has the same content.
        ChangeKind::Modified if difference.old.map(|side| side.0) == difference.new.map(|side| side.0) => {
            FileStatus::ModeChanged
        }
        ChangeKind::Modified => FileStatus::Modified,
    };
    let old_path = difference.old_path.unwrap_or_else(|| difference.path.clone());
    FilePair { old: difference.old.map(|_| old_path), new: difference.new.map(|_| difference.path), status, opaque }
}

/// A rename to a path that is left out or secret counts as a deletion, and a rename from such a path as an addition.
/// Such a rename becomes two files, one of which is not examined.
fn parted(policy: &Policy, file: FilePair) -> Vec<FilePair> {
    let (FileStatus::Renamed, Some(old), Some(new)) = (file.status, &file.old, &file.new) else { return vec![file] };
    let (was, is) = (outside(policy, old), outside(policy, new));
    if was.is_some() == is.is_some() {
        return vec![file];
    }
    // A link stays one on the side that is not left out.
    let link = file.opaque.filter(|opaque| matches!(opaque, Opaque::Submodule | Opaque::Symlink));
    let deleted = FilePair { old: Some(old.clone()), new: None, status: FileStatus::Deleted, opaque: was.or(link) };
    let added = FilePair { old: None, new: Some(new.clone()), status: FileStatus::Added, opaque: is.or(link) };
    vec![deleted, added]
}

/// Most bytes read of a worktree file that is too large for the view, to learn whether it changed; a larger file counts
/// as changed.
const READ_TO_COMPARE: u64 = 64 << 20;

/// Files that an overlay changes, and files that may have changed.
type OverlaidFiles = (Vec<FilePair>, Vec<(RepoPath, Opaque)>);

/// Files that `overlay` changes from `old` to `new`, and files that may have changed.
fn overlaid(
    context: &SnapshotContext,
    old: &Snapshot,
    new: &ChangeSide<'_>,
    overlay: &Overlay,
) -> Result<OverlaidFiles, Error> {
    let (mut deleted, mut added, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let (large, unread): (Vec<_>, Vec<_>) =
        overlay.unread.iter().partition(|file| file.reason == UnreadReason::Oversize);
    let large: BTreeSet<&RepoPath> = large.into_iter().map(|file| &file.path).collect();
    let contents = FileContents::of(context);
    for path in &large {
        let before =
            context.foundation.repository.file_at(old.view.revision().tree, path)?.filter(|(_, kind)| kind.is_file());
        if before.is_some_and(|(blob, _)| contents.holds(path, blob)) {
            continue;
        }
        let status = if before.is_some() { FileStatus::Modified } else { FileStatus::Added };
        let old = before.map(|_| (*path).clone());
        files.push(FilePair { old, new: Some((*path).clone()), status, opaque: Some(Opaque::Oversize) });
    }
    let hidden = match new {
        ChangeSide::Asked(_) => {
            newly_left_out(context, old.view.revision().tree, |path, blob| contents.holds(path, blob))?
        }
        // Staged files are covered by `staged_and_left_out`.
        ChangeSide::Made(_) => Vec::new(),
    };
    for path in hidden {
        let is_there = path.as_str().is_none_or(|path| std::fs::symlink_metadata(context.root().join(path)).is_ok());
        let status = if is_there { FileStatus::Modified } else { FileStatus::Deleted };
        let new = is_there.then(|| path.clone());
        files.push(FilePair { old: Some(path), new, status, opaque: Some(Opaque::LeftOutByChange) });
    }
    // A file that has grown too large is deleted for the view, but it still exists.
    for entry in overlay.entries.iter().filter(|entry| !large.contains(&entry.path)) {
        let before = context
            .foundation
            .repository
            .file_at(old.view.revision().tree, &entry.path)?
            .filter(|(_, kind)| kind.is_file());
        match (before, entry.state) {
            (None, OverlayState::Present { .. }) => added.push(entry.path.clone()),
            (Some(_), OverlayState::Deleted) => deleted.push(entry.path.clone()),
            (Some(_), OverlayState::Present { .. }) => files.push(FilePair {
                old: Some(entry.path.clone()),
                new: Some(entry.path.clone()),
                status: FileStatus::Modified,
                opaque: None,
            }),
            (None, OverlayState::Deleted) => {}
        }
    }
    let texts = |snapshot: &Snapshot, paths: &[RepoPath]| -> Result<Vec<(RepoPath, Vec<u8>)>, Error> {
        let mut reader = snapshot.view.texts();
        let text_at = |path: &RepoPath| {
            let mut text = Vec::new();
            if let Some(file) = snapshot.view.file(path)? {
                match file.row.content {
                    ContentKind::Text if file.row.bytes_total > 0 => drop(reader.read(&file.row, &mut text)?),
                    // A file without text is identified by its blob id, so that only identical bytes match.
                    _ => text.extend(file.row.blob_id.to_string().into_bytes()),
                }
            }
            Ok((path.clone(), text))
        };
        paths.iter().map(text_at).collect()
    };
    files.extend(paired(&texts(old, &deleted)?, &texts(new, &added)?));
    files.sort_by(|one, other| one.path().cmp(other.path()));
    let unread = unread.into_iter().map(|file| (file.path.clone(), file.reason.into()));
    Ok((files, unread.collect()))
}

/// Adds the changed symbolic links and submodules. A link replaces the entry in `files` for its path, where it was not
/// counted as a file.
fn add_links(context: &SnapshotContext, files: &mut Vec<FilePair>, links: &[LinkChange]) {
    let moved = files.iter().filter(|file| file.status == FileStatus::Renamed).filter_map(|file| file.old.clone());
    let moved: BTreeSet<RepoPath> = moved.collect();
    // A new link at the old path of a renamed file does not belong to that file.
    let links = links.iter().filter(|link| !(link.is_other_kind && moved.contains(&link.path)));
    let links: BTreeMap<&RepoPath, &LinkChange> = links.map(|link| (&link.path, link)).collect();
    files.retain(|file| file.status == FileStatus::Renamed || !links.contains_key(file.path()));
    let policy = context.foundation.shape.policy();
    for LinkChange { path, old_path, kind, was_there, is_there, is_other_kind } in links.into_values() {
        let opaque = match kind {
            _ if policy.decide(path) == Membership::Secret => Opaque::Secret,
            LinkKind::Submodule => Opaque::Submodule,
            LinkKind::Symlink => Opaque::Symlink,
        };
        let status = match (was_there, is_there) {
            _ if old_path.is_some() => FileStatus::Renamed,
            (true, true) if *is_other_kind => FileStatus::TypeChanged,
            (true, true) => FileStatus::Modified,
            (true, false) => FileStatus::Deleted,
            (false, _) => FileStatus::Added,
        };
        let old = old_path.clone().or_else(|| was_there.then(|| path.clone()));
        let new = is_there.then(|| path.clone());
        files.extend(parted(policy, FilePair { old, new, status, opaque: Some(opaque) }));
    }
    files.sort_by(|one, other| one.path().cmp(other.path()));
}

/// Files that are staged with a change against `tree` and are left out by a rule that `tree` does not have.
fn staged_and_left_out(context: &SnapshotContext, tree: TreeId) -> Result<Vec<FilePair>, Error> {
    let (before, now) = (policy_before(context, tree)?, context.foundation.shape.policy());
    if before.digest() == now.digest() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in context.foundation.repository.staged(&before, tree)?.entries {
        if now.decide(&entry.path) == Membership::Member {
            continue;
        }
        let was_there =
            context.foundation.repository.file_at(tree, &entry.path)?.is_some_and(|(_, kind)| kind.is_file());
        let is_there = matches!(entry.state, OverlayState::Present { .. });
        let status = match (was_there, is_there) {
            (true, true) => FileStatus::Modified,
            (true, false) => FileStatus::Deleted,
            (false, _) => FileStatus::Added,
        };
        let old = was_there.then(|| entry.path.clone());
        let new = is_there.then_some(entry.path);
        files.push(FilePair { old, new, status, opaque: Some(Opaque::LeftOutByChange) });
    }
    Ok(files)
}

/// Compares worktree files with blobs. The reader is opened on first use.
struct FileContents<'a> {
    repository: &'a Repository,
    reader: OnceCell<Option<RefCell<WorktreeReader>>>,
}

impl<'a> FileContents<'a> {
    fn of(context: &'a SnapshotContext) -> Self {
        Self { repository: &context.foundation.repository, reader: OnceCell::new() }
    }

    /// Whether the file at `path` has the content `blob`; false if that cannot be read.
    fn holds(&self, path: &RepoPath, blob: BlobId) -> bool {
        let reader = self.reader.get_or_init(|| self.repository.worktree_reader().ok().map(RefCell::new));
        let read = |reader: &RefCell<WorktreeReader>| reader.borrow_mut().read(path, READ_TO_COMPARE, &mut Vec::new());
        reader.as_ref().is_some_and(|reader| read(reader).is_ok_and(|there| there == blob))
    }
}

/// The deleted and added files, with renames detected as git does.
pub(crate) fn paired(deleted: &[(RepoPath, Vec<u8>)], added: &[(RepoPath, Vec<u8>)]) -> Vec<FilePair> {
    let sources = icr_git::pair_renames(deleted, added);
    let mut is_source = vec![false; deleted.len()];
    let mut files = Vec::with_capacity(deleted.len() + added.len());
    for ((path, _), source) in added.iter().zip(&sources) {
        let old = source.map(|source| {
            is_source[source] = true;
            deleted[source].0.clone()
        });
        let status = if old.is_some() { FileStatus::Renamed } else { FileStatus::Added };
        files.push(FilePair { old, new: Some(path.clone()), status, opaque: None });
    }
    let gone = deleted.iter().zip(&is_source).filter(|(_, is_source)| !**is_source);
    files.extend(gone.map(|((path, _), _)| FilePair {
        old: Some(path.clone()),
        new: None,
        status: FileStatus::Deleted,
        opaque: None,
    }));
    files
}

/// The commit that a message says it reverts, in the words of `git revert`.
fn commit_reverted_by(message: &str) -> Option<RevertedCommit> {
    /// Number of digits of an id: fewer may be ambiguous, and SHA-256 has no more.
    const DIGITS: RangeInclusive<usize> = 10..=64;
    let subject = message.lines().next()?.strip_prefix("Revert \"")?.trim_end().strip_suffix('"')?;
    let id = message.lines().find_map(|line| line.trim_start().strip_prefix("This reverts commit "))?;
    let id: String = id.chars().take_while(char::is_ascii_hexdigit).collect();
    DIGITS.contains(&id.len()).then(|| RevertedCommit { id, subject: subject.to_owned() })
}

#[cfg(test)]
mod revert_tests {
    use super::{RevertedCommit, commit_reverted_by};

    #[track_caller]
    fn check(message: &str, expected: Option<(&str, &str)>) {
        let expected = expected.map(|(id, subject)| RevertedCommit { id: id.to_owned(), subject: subject.to_owned() });
        assert_eq!(commit_reverted_by(message), expected, "{message}");
    }

    #[test]
    fn a_revert_is_known_by_the_words_of_git() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let reverted = Some((id, "Say \"hello\""));
        check(&format!("Revert \"Say \"hello\"\"\n\nThis reverts commit {id}.\n"), reverted);
        check(
            &format!("Revert \"Say \"hello\"\"\n\nThis reverts commit {id}, reversing\nchanges made to {id}.\n"),
            reverted,
        );
        check("Revert \"Say hello\"\n", None);
        check("Revert \"Say hello\"\n\nThis reverts commit 0123.\n", None);
        check(&format!("Revert \"Say hello\"\n\nThis reverts commit {id}{id}.\n"), None);
        check(&format!("Say hello\n\nThis reverts commit {id}.\n"), None);
        check("", None);
    }
}
