//! A patch applied to a view: the content of each file before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use icr_git::{FileKind, Membership};
use icr_impact::FileStatus;
use icr_impact::patch::{self, Direction, FilePatch};
use icr_model::{BlobId, CommitId, ContentKind, RepoPath};

use crate::change::incomplete::{Opaque, outside};
use crate::change::sides::{FilePair, paired};
use crate::snapshot_context::SnapshotContext;
use crate::{Error, Hint, Snapshot};

/// Most commits that are searched for the base of a patch: a review is seldom about more.
const LOOKED_BACK: usize = 200;

/// Most commits that are searched for a file of a patch that the view does not have: as many as the history of a
/// repository counts.
const SEARCHED_FOR_FILES: usize = 2_000;

/// A patch, applied to the requested view in the right direction.
pub(crate) struct AppliedPatch {
    /// Contents that replace those of the requested view to get the view before the patch.
    pub(crate) old: BTreeMap<RepoPath, Option<Arc<[u8]>>>,
    /// Contents that replace those of the requested view to get the view after the patch.
    pub(crate) new: BTreeMap<RepoPath, Option<Arc<[u8]>>>,
    pub(crate) files: Vec<FilePair>,
    pub(crate) notes: Vec<String>,
    /// The commit that the patch was made on, if it is known and is not HEAD.
    pub(crate) made_on: Option<CommitId>,
}

/// Both contents of a file of a patch; `None` where the file does not exist.
struct PatchedFileContents {
    old: Option<Arc<[u8]>>,
    new: Option<Arc<[u8]>>,
    /// Whether the requested view already has the new content.
    is_applied: bool,
}

impl AppliedPatch {
    /// Parses `text` and finds out for every file whether `asked` has its content before or after the patch: by blob
    /// ids if the patch names them, else by trying to apply it.
    ///
    /// # Errors
    ///
    /// [`Error::Patch`] for a text that is no patch, and for a file to which it applies in neither direction and whose
    /// blobs are not in the repository.
    pub(crate) fn read(context: &SnapshotContext, asked: &Snapshot, text: &[u8]) -> Result<Self, Error> {
        let patches =
            patch::parse(text).map_err(|error| Error::Patch { reason: error.to_string(), hint: Hint::PassPatch })?;
        let mut patched =
            Self { old: BTreeMap::new(), new: BTreeMap::new(), files: Vec::new(), notes: Vec::new(), made_on: None };
        let (mut deleted, mut added): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
        let mut unexamined = Vec::new();
        let mut base = None;
        let strangers = strangers(context, asked, &patches)?;
        if !strangers.is_empty() {
            return Err(not_here(context, asked, &strangers)?);
        }
        let mut applied = 0;
        // `icr impact` of a worktree does not count the uncommitted files of submodules either.
        for file in patches.iter().filter(|file| !file.only_dirties_submodule()) {
            let opaque = match opaque(context, file) {
                Some(opaque) => Some(opaque),
                None => unreadable_reason(context, asked, file)?,
            };
            let contents = match opaque {
                Some(Opaque::Submodule | Opaque::Symlink) => contents_beside_link(context, asked, file)?,
                Some(_) => None,
                None => Some(contents(context, asked, file, &mut || match base {
                    Some(base) => Ok(base),
                    None => Ok(*base.insert(made_on(context, asked, &patches)?)),
                })?),
            };
            let pair = FilePair { old: file.old_path.clone(), new: file.new_path.clone(), status: file.status, opaque };
            if let Some(contents) = &contents {
                applied += usize::from(contents.is_applied);
                patched.lay(&pair, contents);
            }
            let Some(contents) = contents.filter(|_| opaque.is_none()) else {
                unexamined.push((pair, file.old_blob.as_deref().or(file.new_blob.as_deref())));
                continue;
            };
            match (pair.status, &contents.old, &contents.new) {
                (FileStatus::Deleted, Some(old), _) => deleted.push((pair.path().clone(), old.to_vec())),
                (FileStatus::Added, _, Some(new)) => added.push((pair.path().clone(), new.to_vec())),
                _ => patched.files.push(pair),
            }
        }
        patched.files.extend(paired(&deleted, &added));
        patched.files.extend(paired_links(unexamined));
        patched.files.sort_by(|one, other| one.path().cmp(other.path()));
        if applied > 0 {
            let base = match base {
                Some(base) => base,
                None => made_on(context, asked, &patches)?,
            };
            let base_name = base.map(|(_, steps)| format!(", and was made on `HEAD~{steps}`")).unwrap_or_default();
            patched.notes.push(format!("the patch is in the worktree already{base_name}"));
            patched.made_on = base.map(|(commit, _)| commit);
        }
        Ok(patched)
    }

    fn lay(&mut self, pair: &FilePair, contents: &PatchedFileContents) {
        if let Some(path) = &pair.old {
            self.old.insert(path.clone(), contents.old.clone());
        }
        if let Some(path) = &pair.new {
            self.new.insert(path.clone(), contents.new.clone());
        }
        // A path that only one side has does not exist on the other.
        if pair.old != pair.new {
            if let Some(path) = pair.old.as_ref().filter(|_| pair.status != FileStatus::Copied) {
                self.new.entry(path.clone()).or_insert(None);
            }
            if let Some(path) = &pair.new {
                self.old.entry(path.clone()).or_insert(None);
            }
        }
    }
}

/// Why a file of a patch is not examined, if the patch itself says so.
fn opaque(context: &SnapshotContext, file: &FilePatch) -> Option<Opaque> {
    let paths = || [&file.old_path, &file.new_path].into_iter().flatten();
    let policy = context.foundation.shape.policy();
    let is_member = |path: &Option<RepoPath>| path.as_ref().is_some_and(|path| outside(policy, path).is_none());
    if file.status == FileStatus::Renamed && is_member(&file.old_path) && !is_member(&file.new_path) {
        return Some(Opaque::MovedOut);
    }
    if paths().any(|path| context.foundation.shape.policy().decide(path) == Membership::Secret) {
        return Some(Opaque::Secret);
    }
    match () {
        () if file.submodule => Some(Opaque::Submodule),
        () if file.symlink() => Some(Opaque::Symlink),
        () if file.binary => Some(Opaque::Binary),
        () => None,
    }
}

/// Contents on both sides of a path that is a link or a submodule on one of them and a file on the other. `None` if
/// neither side is a file of the view, and for a binary file, whose content the patch lacks.
fn contents_beside_link(
    context: &SnapshotContext,
    asked: &Snapshot,
    file: &FilePatch,
) -> Result<Option<PatchedFileContents>, Error> {
    let path = file.path();
    let is_member = context.foundation.shape.policy().decide(path) == Membership::Member;
    if file.status != FileStatus::TypeChanged || file.binary || !is_member {
        return Ok(None);
    }
    let [old, new] = file.file_texts().map(|text| text.map(Arc::<[u8]>::from));
    if old.is_none() && new.is_none() {
        return Ok(None);
    }
    let current = asked.view.text_at(path)?;
    let is_applied = current.as_deref() == new.as_deref();
    Ok(Some(PatchedFileContents { old, new, is_applied }))
}

/// Joins the deletion and the addition of one link, which git writes apart if it shows no renames or the log of
/// submodules. Each file comes with the id that the patch gives for it; files that are no links stay as they are.
fn paired_links(files: Vec<(FilePair, Option<&str>)>) -> Vec<FilePair> {
    let is_link = |file: &FilePair| matches!(file.opaque, Some(Opaque::Submodule | Opaque::Symlink));
    let (mut deleted, rest): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|(file, _)| is_link(file) && file.status == FileStatus::Deleted);
    let mut paired = Vec::with_capacity(deleted.len() + rest.len());
    for (mut file, id) in rest {
        if is_link(&file) && file.status == FileStatus::Added {
            let is_same = |(other, other_id): &(FilePair, Option<&str>)| {
                other.opaque == file.opaque && id.is_some() && id == *other_id
            };
            let has_same_name =
                |(other, _): &&(FilePair, Option<&str>)| other.path().file_name() == file.path().file_name();
            let same = || deleted.iter().enumerate().filter(|(_, other)| is_same(other));
            let source = same().find(|(_, other)| has_same_name(other)).or_else(|| same().next()).map(|(at, _)| at);
            if let Some(source) = source {
                file = FilePair { old: deleted.remove(source).0.old, status: FileStatus::Renamed, ..file };
            }
        }
        paired.push(file);
    }
    paired.extend(deleted.into_iter().map(|(file, _)| file));
    paired
}

/// The kind of a link or submodule that a patch only moves. Git writes no mode then.
fn kind_of_moved_link(context: &SnapshotContext, asked: &Snapshot, file: &FilePatch) -> Result<Option<Opaque>, Error> {
    if !file.hunks.is_empty() || file.old_mode.or(file.new_mode).is_some() || file.old_path == file.new_path {
        return Ok(None);
    }
    for path in [&file.old_path, &file.new_path].into_iter().flatten() {
        match context.foundation.repository.file_at(asked.view.revision().tree, path)?.map(|(_, kind)| kind) {
            Some(FileKind::Submodule) => return Ok(Some(Opaque::Submodule)),
            Some(FileKind::Symlink) => return Ok(Some(Opaque::Symlink)),
            Some(FileKind::Regular | FileKind::Executable) => return Ok(None),
            None => {}
        }
    }
    Ok(None)
}

/// Why a file of a patch is not examined, if the view has the file but not its text. Applying the patch to an empty
/// text would show only the lines of the patch.
fn unreadable_reason(context: &SnapshotContext, asked: &Snapshot, file: &FilePatch) -> Result<Option<Opaque>, Error> {
    if let Some(opaque) = kind_of_moved_link(context, asked, file)? {
        return Ok(Some(opaque));
    }
    for path in [&file.old_path, &file.new_path].into_iter().flatten() {
        if let Some(file) = asked.view.overlay().unread.iter().find(|file| file.path == *path) {
            return Ok(Some(file.reason.into()));
        }
        match asked.view.file(path)?.map(|file| file.row.content) {
            Some(ContentKind::Text) => {}
            Some(ContentKind::Binary) => return Ok(Some(Opaque::Binary)),
            Some(ContentKind::Oversize) => return Ok(Some(Opaque::Oversize)),
            None if context.foundation.shape.policy().decide(path) == Membership::Ignored => {
                return Ok(Some(Opaque::LeftOut));
            }
            None => {}
        }
    }
    Ok(None)
}

/// Files that a patch changes, removes, renames or copies and that do not exist here: neither in the view, nor in its
/// commit, nor in the last [`SEARCHED_FOR_FILES`] commits before it. A patch with such a file is for another place, and
/// applying it here would compare nothing with nothing.
fn strangers<'a>(
    context: &SnapshotContext,
    asked: &Snapshot,
    patches: &'a [FilePatch<'a>],
) -> Result<Vec<&'a RepoPath>, Error> {
    let mut unknown = Vec::new();
    for file in patches.iter().filter(|file| file.status != FileStatus::Added) {
        let Some(path) = &file.old_path else { continue };
        let is_renamed_here = file.new_path.as_ref().filter(|new| *new != path).map(|new| is_here(context, asked, new));
        if !is_here(context, asked, path)? && !is_renamed_here.transpose()?.unwrap_or(false) {
            unknown.push(file);
        }
    }
    // If a commit removed the file, the patch may be of that commit or of an earlier one.
    let mut next = asked.view.revision().commit;
    for _ in 0..SEARCHED_FOR_FILES {
        let Some(commit) = next.filter(|_| !unknown.is_empty()) else { break };
        let Ok(revision) = context.foundation.repository.resolve(&commit.to_string()) else { break };
        let mut left = Vec::new();
        for file in unknown {
            let there = context
                .foundation
                .repository
                .file_at(revision.tree, file.old_path.as_ref().expect("it was checked"))?;
            let is_that = |blob: String| file.old_blob.as_ref().is_none_or(|id| blob.starts_with(id.as_str()));
            if !there.is_some_and(|(blob, _)| is_that(blob.to_string())) {
                left.push(file);
            }
        }
        unknown = left;
        next = context.foundation.repository.parents(commit)?.first().copied();
    }
    Ok(unknown.into_iter().filter_map(|file| file.old_path.as_ref()).collect())
}

/// Whether the view or its commit has a file at `path`, even if it was deleted or renamed since.
fn is_here(context: &SnapshotContext, asked: &Snapshot, path: &RepoPath) -> Result<bool, Error> {
    Ok(asked.view.file(path)?.is_some()
        || asked.view.overlay().unread.iter().any(|file| file.path == *path)
        || context.foundation.repository.file_at(asked.view.revision().tree, path)?.is_some())
}

/// The error for a patch whose files do not exist here. It names the directory in which all of them would exist, if
/// there is exactly one.
fn not_here(context: &SnapshotContext, asked: &Snapshot, strangers: &[&RepoPath]) -> Result<Error, Error> {
    /// Names of files in a message.
    const NAMED: usize = 3;
    let mut named: Vec<String> = strangers.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    if strangers.len() > NAMED {
        named.push(format!("{} more", strangers.len() - NAMED));
    }
    let is = if strangers.len() == 1 { "is" } else { "are" };
    let mut known: BTreeSet<RepoPath> = asked.view.paths()?.into_iter().collect();
    // The worktree has already renamed or removed the file.
    context.foundation.repository.files(asked.view.revision().tree, &mut |file| {
        known.insert(file.path);
    })?;
    let hint = match directory_of_all(&known, strangers) {
        Some(directory) => Hint::PassPatchFromRoot(directory.to_string()),
        None => {
            "is it a patch of another repository, or of a directory inside this one? paths are relative to the root"
                .into()
        }
    };
    let reason = format!(
        "it changes {}, which {is} not in this repository, nor in its last {SEARCHED_FOR_FILES} commits",
        named.join(", ")
    );
    Ok(Error::Patch { reason, hint })
}

/// The directory below which all of `paths` exist, if there is exactly one.
fn directory_of_all(known: &BTreeSet<RepoPath>, paths: &[&RepoPath]) -> Option<RepoPath> {
    let (first, rest) = paths.split_first()?;
    let holds =
        |directory: &[u8], path: &RepoPath| known.contains(&RepoPath::new([directory, b"/", path.as_bytes()].concat()));
    let above_first =
        known.iter().filter_map(|path| path.as_bytes().strip_suffix(first.as_bytes())?.strip_suffix(b"/"));
    let mut directories = above_first.filter(|directory| rest.iter().all(|path| holds(directory, path)));
    let directory = directories.next()?;
    directories.next().is_none().then(|| RepoPath::new(directory))
}

/// The content of the file before and after; `base` finds the commit that the patch was made on.
fn contents(
    context: &SnapshotContext,
    asked: &Snapshot,
    file: &FilePatch,
    base: &mut dyn FnMut() -> Result<Option<Base>, Error>,
) -> Result<PatchedFileContents, Error> {
    let current = |path: &Option<RepoPath>| -> Result<Option<Arc<[u8]>>, Error> {
        let Some(path) = path else { return Ok(None) };
        Ok(asked.view.text_at(path)?.map(Arc::from))
    };
    let (at_old, at_new) = (current(&file.old_path)?, current(&file.new_path)?);
    let is = |content: &Option<Arc<[u8]>>, id: &Option<String>| match (content, id) {
        (Some(content), Some(id)) => context
            .foundation
            .repository
            .blob_id_of(content)
            .is_ok_and(|blob| blob.to_string().starts_with(id.as_str())),
        _ => false,
    };
    let forward = |old: &Option<Arc<[u8]>>| apply(file, old.as_deref().unwrap_or_default(), Direction::Forward);
    let reverse = |new: &Option<Arc<[u8]>>| apply(file, new.as_deref().unwrap_or_default(), Direction::Reverse);
    let none_if = |gone: bool, content: Vec<u8>| (!gone).then(|| Arc::from(content));
    let (is_new, is_gone) = (file.old_path.is_none(), file.new_path.is_none());
    // The ids tell with certainty which content the view has.
    let has_new = if is_gone { at_old.is_none() } else { is(&at_new, &file.new_blob) };
    let has_old = if is_new { at_new.is_none() } else { is(&at_old, &file.old_blob) };
    if !has_old
        && has_new
        && let Ok(old) = reverse(&at_new)
    {
        return Ok(PatchedFileContents { old: none_if(is_new, old), new: at_new, is_applied: true });
    }
    let expects_absence = is_new && at_new.is_some();
    let failure = match forward(&at_old) {
        Ok(new) if !expects_absence && (is_new || at_old.is_some()) => {
            let old = if is_new { None } else { at_old };
            return Ok(PatchedFileContents { old, new: none_if(is_gone, new), is_applied: false });
        }
        Ok(_) => Error::Patch {
            reason: format!(
                "`{}` {}",
                file.old_path.as_ref().or(file.new_path.as_ref()).map(ToString::to_string).unwrap_or_default(),
                if expects_absence {
                    "is added by the patch and is there already"
                } else {
                    "is changed by the patch and is not there"
                }
            ),
            hint: Hint::NameCommits,
        },
        Err(error) => error,
    };
    if (is_gone || at_new.is_some())
        && let Ok(old) = reverse(&at_new)
        && !(is_gone && at_old.is_some())
    {
        return Ok(PatchedFileContents {
            old: none_if(is_new, old),
            new: at_new.filter(|_| !is_gone),
            is_applied: true,
        });
    }
    // The view has neither content, but a commit may have the one that the patch was made on. The path is checked too,
    // because an id alone may be that of a secret file.
    if let Some(path) = &file.old_path
        && let Some(blob) = old_blob(context, asked, path, file.old_blob.as_deref(), base)?
    {
        let mut old = Vec::new();
        context.foundation.repository.reader().read(blob, &mut old)?;
        let new = apply(file, &old, Direction::Forward)?;
        return Ok(PatchedFileContents { old: Some(old.into()), new: none_if(is_gone, new), is_applied: false });
    }
    Err(failure)
}

/// The blob whose id begins with `id`, if HEAD or the commit that the patch was made on has it at `path`.
fn old_blob(
    context: &SnapshotContext,
    asked: &Snapshot,
    path: &RepoPath,
    id: Option<&str>,
    base: &mut dyn FnMut() -> Result<Option<Base>, Error>,
) -> Result<Option<BlobId>, Error> {
    let Some(id) = id else { return Ok(None) };
    let blob_of = |tree| -> Result<Option<BlobId>, Error> {
        let file = context.foundation.repository.file_at(tree, path)?.filter(|(_, kind)| kind.is_file());
        Ok(file.map(|(blob, _)| blob).filter(|blob| blob.to_string().starts_with(id)))
    };
    if let Some(blob) = blob_of(asked.view.revision().tree)? {
        return Ok(Some(blob));
    }
    let Some((commit, _)) = base()? else { return Ok(None) };
    blob_of(context.foundation.repository.resolve(&commit.to_string())?.tree)
}

fn apply(file: &FilePatch, content: &[u8], direction: Direction) -> Result<Vec<u8>, Error> {
    patch::apply(file, content, direction)
        .map_err(|error| Error::Patch { reason: error.to_string(), hint: Hint::NameCommits })
}

/// The commit that a patch was made on, with its distance from the requested commit.
type Base = (CommitId, usize);

/// The nearest commit, HEAD or before it along first parents, that has all blobs that the patch was made on, with its
/// distance from HEAD. `None` if the patch names no blobs.
fn made_on(context: &SnapshotContext, asked: &Snapshot, patches: &[FilePatch]) -> Result<Option<Base>, Error> {
    let named: Vec<(&RepoPath, Option<&String>)> = patches
        .iter()
        .filter_map(|file| match &file.old_path {
            Some(path) => file.old_blob.as_ref().map(|id| (path, Some(id))),
            None => file.new_path.as_ref().map(|path| (path, None)),
        })
        .collect();
    let mut next = asked.view.revision().commit;
    if named.iter().all(|(_, id)| id.is_none()) {
        return Ok(None);
    }
    for steps in 0..LOOKED_BACK {
        let Some(commit) = next else { break };
        let Ok(revision) = context.foundation.repository.resolve(&commit.to_string()) else { break };
        let mut all = true;
        for (path, id) in &named {
            let found = context.foundation.repository.file_at(revision.tree, path)?;
            all &= match (found, id) {
                (Some((blob, _)), Some(id)) => blob.to_string().starts_with(id.as_str()),
                (None, None) => true,
                _ => false,
            };
            if !all {
                break;
            }
        }
        if all {
            return Ok(Some((commit, steps)));
        }
        next = context.foundation.repository.parents(commit)?.first().copied();
    }
    Ok(None)
}
