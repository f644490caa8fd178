//! From a tree to the files of a view: by the difference from an existing view, otherwise by a walk.

use std::collections::{HashMap, HashSet};

use icr_git::{FileKind, Membership, Repository};
use icr_model::{BlobId, BlobNo, ContentKind, LiveSet, PathNo, RepoPath, TreeId};
use icr_store::{BlobRow, Ledger, PublishedView, Totals, ViewKey, ViewManifest};

use crate::{Error, Shape};

/// A blob to be indexed, with the language that its path implies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WantedBlob {
    /// The blob.
    pub blob_id: BlobId,
    /// Name in the language table.
    pub language: &'static str,
}

/// A path whose content in the target differs from the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChange {
    /// The path.
    pub path: RepoPath,
    /// Its content in the target; `None` if the target does not have the path.
    pub wanted: Option<WantedBlob>,
}

/// A [`PathChange`] with its numbers.
#[derive(Debug, Clone)]
pub struct NumberedPathChange {
    /// The path.
    pub path_no: PathNo,
    /// Tokens of the path.
    pub path_tokens: u32,
    /// Row of its content in the target; `None` if the target does not have the path.
    pub row: Option<BlobRow>,
}

/// Files and totals of a view, independent of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewContents {
    /// Its files.
    pub manifest: ViewManifest,
    /// Its chunks.
    pub live_chunks: LiveSet,
    /// Its totals.
    pub totals: Totals,
}

impl From<PublishedView> for ViewContents {
    fn from(view: PublishedView) -> Self {
        Self { manifest: view.manifest, live_chunks: view.live_chunks, totals: view.totals }
    }
}

impl ViewContents {
    /// These contents with `changes` applied; `row_of` returns the row of any blob that the contents contain. A blob
    /// leaves the live set only with the last path that has it. Cost: two passes over the files; chunks are not
    /// visited.
    ///
    /// # Errors
    ///
    /// Those of `row_of`.
    pub fn with_changes<E>(
        mut self,
        mut changes: Vec<NumberedPathChange>,
        mut row_of: impl FnMut(BlobNo) -> Result<BlobRow, E>,
    ) -> Result<Self, E> {
        changes.sort_by_key(|change| change.path_no);
        let mut old_rows: HashMap<BlobNo, BlobRow> = HashMap::new();
        let mut new_rows: HashMap<BlobNo, BlobRow> = HashMap::new();
        for change in &changes {
            let old = self.manifest.blob_at(change.path_no);
            let tokens = u64::from(change.path_tokens);
            match (old.is_some(), change.row.is_some()) {
                (true, false) => self.totals.path_tokens -= tokens,
                (false, true) => self.totals.path_tokens += tokens,
                _ => {}
            }
            if let Some(blob_no) = old {
                let row = row_of(blob_no)?;
                count_file(&mut self.totals, row.content, |count| *count -= 1);
                old_rows.insert(blob_no, row);
            }
            if let Some(row) = &change.row {
                count_file(&mut self.totals, row.content, |count| *count += 1);
                new_rows.insert(row.blob_no, row.clone());
            }
        }
        let numbered: Vec<_> =
            changes.iter().map(|change| (change.path_no, change.row.as_ref().map(|row| row.blob_no))).collect();
        let manifest = self.manifest.with_changes(&numbered);
        for row in absent_from(&manifest, old_rows) {
            self.live_chunks.remove_run(row.chunk_first.0, row.chunk_count);
            self.totals.text_bytes -= text_bytes(&row);
            self.totals.tokens -= row.tokens;
        }
        for row in absent_from(&self.manifest, new_rows) {
            self.live_chunks.insert_run(row.chunk_first.0, row.chunk_count);
            self.totals.text_bytes += text_bytes(&row);
            self.totals.tokens += row.tokens;
        }
        self.manifest = manifest;
        Ok(self)
    }
}

/// The differences between `tree` and a published view, and that view. The view is chosen for least cost: that of the
/// tree itself, then the one where a worktree stands, then the one whose commit is nearest in time, then the one used
/// last. If no view of this shape is complete: all files of the tree, and no view.
///
/// # Errors
///
/// Those of reading the ledger and trees.
pub fn changes_from_nearest(
    repository: &Repository,
    ledger: &Ledger,
    shape: &Shape,
    tree: TreeId,
    committer_time: Option<i64>,
    standing: Option<ViewKey>,
) -> Result<(Option<PublishedView>, Vec<PathChange>), Error> {
    for key in bases(ledger, shape, tree, committer_time, standing)? {
        // A view that lacked objects does not know which paths are missing from it.
        let Some(view) = ledger.view(&key)?.filter(|view| view.totals.missing_files == 0) else { continue };
        match changes_between(repository, shape, Some(key.tree), tree) {
            // The tree belongs to another clone and was never fetched here, or git has deleted it.
            Err(Error::Git(error)) if error.is_missing_object() => {}
            changes => return Ok((Some(view), changes?)),
        }
    }
    Ok((None, changes_between(repository, shape, None, tree)?))
}

/// Views that may be a base for `tree`, best first; the first two may not be published.
fn bases(
    ledger: &Ledger,
    shape: &Shape,
    tree: TreeId,
    committer_time: Option<i64>,
    standing: Option<ViewKey>,
) -> Result<Vec<ViewKey>, Error> {
    let mut keys = vec![ViewKey { tree, shape: shape.digest() }];
    keys.extend(standing.filter(|key| key.shape == shape.digest() && committer_time.is_none()));
    let mut others: Vec<_> = ledger.views()?.into_iter().filter(|view| view.key.shape == shape.digest()).collect();
    if let Some(time) = committer_time {
        // A stable sort: equally near views keep the order of their last use.
        others.sort_by_key(|view| view.committer_time.map_or(u64::MAX, |other| other.abs_diff(time)));
    }
    keys.extend(others.iter().map(|view| view.key));
    Ok(keys)
}

/// The differences between `tree` and `base`; all files of `tree` if there is no base.
fn changes_between(
    repository: &Repository,
    shape: &Shape,
    base: Option<TreeId>,
    tree: TreeId,
) -> Result<Vec<PathChange>, Error> {
    let mut changes = Vec::new();
    let wanted = |path: &RepoPath, entry: Option<(BlobId, FileKind)>| {
        let (blob_id, kind) = entry?;
        let is_file = matches!(kind, FileKind::Regular | FileKind::Executable);
        let is_member = is_file && shape.policy().decide(path) == Membership::Member;
        is_member.then(|| WantedBlob { blob_id, language: icr_lang::language_of(path) })
    };
    match base {
        Some(base) => {
            for change in repository.tree_diff(base, tree)? {
                let wanted = wanted(&change.path, change.new);
                changes.push(PathChange { path: change.path, wanted });
            }
        }
        None => repository.files(tree, &mut |file| {
            if let Some(wanted) = wanted(&file.path, Some((file.blob, file.kind))) {
                changes.push(PathChange { path: file.path, wanted: Some(wanted) });
            }
        })?,
    }
    Ok(changes)
}

/// Rows of the wanted blobs that the ledger lists as complete, and the other wanted blobs in order of first occurrence.
///
/// # Errors
///
/// Those of reading the ledger.
pub fn resolve(
    ledger: &Ledger,
    shape: &Shape,
    wanted: impl IntoIterator<Item = WantedBlob>,
) -> Result<(HashMap<WantedBlob, BlobRow>, Vec<WantedBlob>), Error> {
    let mut recipe_numbers = HashMap::new();
    for recipes in shape.all_recipes() {
        if let Some(recipe_no) = ledger.recipe_no(recipes)? {
            recipe_numbers.insert(recipes, recipe_no);
        }
    }
    let listed = |wanted: &WantedBlob, content| match recipe_numbers.get(shape.recipes(wanted.language, content)) {
        Some(recipe_no) => ledger.blob(&wanted.blob_id, *recipe_no),
        None => Ok(None),
    };
    let max_bytes = shape.policy().max_file_bytes();
    let mut rows = HashMap::new();
    let mut missing = Vec::new();
    let mut seen = HashSet::new();
    for wanted in wanted {
        if !seen.insert(wanted) {
            continue;
        }
        // The size limit belongs to the view, not to the facts: the store may have read blobs that this view leaves
        // out, and left out blobs that this view reads.
        let read = listed(&wanted, ContentKind::Text)?;
        let row = match read {
            Some(row) if row.bytes_total <= max_bytes => Some(row),
            _ => listed(&wanted, ContentKind::Oversize)?.filter(|row| row.bytes_total > max_bytes),
        };
        match row {
            Some(row) => drop(rows.insert(wanted, row)),
            None => missing.push(wanted),
        }
    }
    Ok((rows, missing))
}

fn count_file(totals: &mut Totals, content: ContentKind, change: impl FnOnce(&mut u64)) {
    match content {
        ContentKind::Text => {}
        ContentKind::Binary => change(&mut totals.binary_files),
        ContentKind::Oversize => change(&mut totals.oversize_files),
    }
}

fn text_bytes(row: &BlobRow) -> u64 {
    if row.content == ContentKind::Text { row.bytes_total } else { 0 }
}

/// Rows whose blob does not occur in `manifest`.
fn absent_from(manifest: &ViewManifest, mut rows: HashMap<BlobNo, BlobRow>) -> impl Iterator<Item = BlobRow> {
    if !rows.is_empty() {
        for entry in manifest.entries() {
            rows.remove(&entry.blob_no);
        }
    }
    rows.into_values()
}
