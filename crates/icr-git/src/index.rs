//! Reads git's index and checks whether the files on disk match it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use gix::index::entry::{Flags, Mode, Stat, stat};
use gix::index::fs::Metadata;
use rayon::prelude::*;

use crate::git_files::{check_ordinary, is_link};
use crate::index_paths::check_paths;
use crate::object::object_id;
use crate::{Error, FileKind};

/// One path of the index.
pub(crate) struct TrackedPath<'index> {
    pub(crate) path: Cow<'index, [u8]>,
    pub(crate) blob: gix::ObjectId,
    pub(crate) look: Look,
    /// Whether the index has a file's content for this path. `false` for links, submodules, conflicts and
    /// `git add --intent-to-add`.
    pub(crate) is_file: bool,
    /// Whether the index has several versions of it (a merge conflict).
    pub(crate) is_conflicted: bool,
    stat: Stat,
}

/// Where to look for the content of a tracked path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// On disk, unless the recorded stat data show that the file is unchanged.
    Disk,
    /// In the index; the disk is not checked (`assume-unchanged`, and `skip-worktree` without a sparse checkout).
    Index,
    /// On disk if the file exists, otherwise in the index: the path is outside of the sparse checkout.
    DiskIfThere,
    /// Always on disk: the index has several versions, or none yet.
    DiskAlways,
    /// On disk if there is an ordinary file; the index has a link or a submodule.
    DiskIfFile,
    /// Nowhere: a submodule, or a link on a file system that cannot hold one.
    Nowhere,
}

/// State of a tracked path on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskState {
    /// The same as in the index.
    AsIndexed,
    /// There is no ordinary file.
    Absent,
    /// There is an ordinary file whose content may differ from the index.
    MayDiffer,
}

/// Reads the index from disk. `None` if it does not exist, which is normal only before the first commit.
///
/// # Errors
///
/// [`Error::GitFile`] when the index, or a shared part of it, is not an ordinary file; [`Error::Index`] when it cannot
/// be decoded.
pub(crate) fn open(repo: &gix::Repository) -> Result<Option<gix::index::File>, Error> {
    let path = repo.index_path();
    match std::fs::symlink_metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        _ => check_ordinary(&path)?,
    }
    tracing::trace!("opened the index");
    let parts = shared_parts(&path);
    parts.iter().try_for_each(|part| check_ordinary(part))?;
    let id_bytes = repo.object_hash().len_in_bytes();
    parts.iter().chain([&path]).try_for_each(|part| check_paths(part, id_bytes))?;
    repo.open_index().map(Some).map_err(|error| {
        let source = match () {
            // The error would quote a wrong checksum, which is the last bytes of the file.
            () if is_link(&path) || parts.iter().any(|part| is_link(part)) => {
                "it is a link, or has a part that is one, whose contents are not told".into()
            }
            // gix calls the checksum of any index that of a shared one.
            () if error.is_corrupted() && parts.is_empty() => DAMAGED.into(),
            () if error.is_corrupted() => DAMAGED_OR_SHARED.into(),
            () => error.into(),
        };
        Error::Index { path, source }
    })
}

/// Why an index is not read whose bytes are not those that git wrote, and what restores it. `git reset` alone may not
/// replace such a file.
const DAMAGED: &str = "it is damaged; delete the file, and `git reset` writes it anew from the last commit";

/// As [`DAMAGED`], for an index that may be split.
const DAMAGED_OR_SHARED: &str =
    "it or its `sharedindex` file is damaged; delete the index, and `git reset` writes it anew from the last commit";

/// The shared parts that a split index may use.
fn shared_parts(index: &Path) -> Vec<PathBuf> {
    let entries = index.parent().and_then(|directory| directory.read_dir().ok());
    let parts = entries.into_iter().flatten().filter_map(Result::ok);
    parts
        .filter(|part| part.file_name().as_encoded_bytes().starts_with(b"sharedindex."))
        .map(|part| part.path())
        .collect()
}

/// An index without entries, as before the first `git add`.
pub(crate) fn empty(repo: &gix::Repository) -> gix::index::File {
    gix::index::File::from_state(gix::index::State::new(repo.object_hash()), repo.index_path())
}

/// The paths of the index, each once, ordered by path; directories of a sparse index are expanded.
pub(crate) fn tracked<'index>(
    repo: &gix::Repository,
    index: &'index gix::index::File,
) -> Result<Vec<TrackedPath<'index>>, Error> {
    let config = repo.config_snapshot();
    let is_sparse_checkout = config.boolean("core.sparseCheckout").unwrap_or(false);
    let has_links = config.boolean("core.symlinks").unwrap_or(true);
    let mut all: Vec<TrackedPath<'index>> = Vec::with_capacity(index.entries().len());
    for entry in index.entries() {
        let path: &'index [u8] = entry.path(index);
        let is_conflicted = entry.stage_raw() != 0;
        if is_conflicted && all.last().is_some_and(|last| *last.path == *path) {
            continue;
        }
        if entry.mode == Mode::DIR {
            crate::tree::walk(repo, entry.id, path, &mut |file| {
                let is_file = file.kind.is_file();
                let look = match file.kind {
                    FileKind::Submodule => Look::Nowhere,
                    FileKind::Symlink => Look::DiskIfFile,
                    _ => Look::DiskIfThere,
                };
                let blob = object_id(file.blob.as_bytes());
                let path = Cow::Owned(file.path.as_bytes().to_vec());
                all.push(TrackedPath { path, blob, look, is_file, is_conflicted: false, stat: Stat::default() });
            })?;
            continue;
        }
        let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
        let intended = entry.flags.contains(Flags::INTENT_TO_ADD);
        let look = if is_conflicted || intended {
            Look::DiskAlways
        } else if entry.mode == Mode::COMMIT || (entry.mode == Mode::SYMLINK && !has_links) {
            Look::Nowhere
        } else if !is_file {
            Look::DiskIfFile
        } else if entry.flags.contains(Flags::SKIP_WORKTREE) {
            // Without a sparse checkout the flag means that the user wants the file left alone.
            if is_sparse_checkout { Look::DiskIfThere } else { Look::Index }
        } else if entry.flags.contains(Flags::ASSUME_VALID) {
            Look::Index
        } else {
            Look::Disk
        };
        let is_file = is_file && !is_conflicted && !intended;
        all.push(TrackedPath {
            path: Cow::Borrowed(path),
            blob: entry.id,
            look,
            is_file,
            is_conflicted,
            stat: entry.stat,
        });
    }
    if !all.is_sorted_by(|a, b| a.path < b.path) {
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all.dedup_by(|a, b| a.path == b.path);
    }
    Ok(all)
}

/// Whether the index equals the tree `base`; the disk is not checked. Git records the tree of an index in the index,
/// and removes that record when it adds an entry.
pub(crate) fn is_tree(index: &gix::index::File, base: gix::ObjectId) -> bool {
    let root = index.tree().filter(|root| root.num_entries.is_some());
    root.is_some_and(|root| root.id == base)
        && !index.entries().iter().any(|entry| entry.stage_raw() != 0 || entry.flags.contains(Flags::INTENT_TO_ADD))
}

/// Number of consecutive tracked paths that one thread checks: enough to reuse what it knows of a directory, few enough
/// to spread the work.
const RUN: usize = 512;

/// The state on disk of each of `tracked`, in the same order. File contents are not read. Cost: one `lstat` for each
/// path and directory, on all threads.
pub(crate) fn examine(
    root: &Path,
    index: &gix::index::File,
    tracked: &[TrackedPath<'_>],
    options: stat::Options,
) -> Vec<DiskState> {
    let timestamp = index.timestamp();
    let runs = tracked.par_chunks(RUN).map(|run| {
        let mut directories = Directories::new(root);
        let index_written = (timestamp.unix_seconds(), timestamp.nanoseconds());
        let is_racy =
            |stat: &Stat, on_disk: &Stat| stat.is_racy(timestamp, options) && !is_settled(stat, on_disk, index_written);
        run.iter().map(|file| examine_one(file, &mut directories, options, is_racy)).collect::<Vec<_>>()
    });
    runs.flatten_iter().collect()
}

fn examine_one(
    file: &TrackedPath<'_>,
    directories: &mut Directories<'_>,
    options: stat::Options,
    is_racy: impl Fn(&Stat, &Stat) -> bool,
) -> DiskState {
    if matches!(file.look, Look::Index | Look::Nowhere) {
        return DiskState::AsIndexed;
    }
    let found = directories.file(&file.path);
    match (file.look, found) {
        (Look::DiskIfThere | Look::DiskIfFile, None) => DiskState::AsIndexed,
        (_, None) => DiskState::Absent,
        (Look::Disk, Some(found)) => {
            let on_disk = Stat::from_fs(&found).ok();
            // A file that was written in the same second as the index may have changed again within that second.
            let is_same = |on_disk: Stat| file.stat.matches(&on_disk, options) && !is_racy(&file.stat, &on_disk);
            let is_same = on_disk.is_some_and(is_same);
            if is_same { DiskState::AsIndexed } else { DiskState::MayDiffer }
        }
        (_, Some(_)) => DiskState::MayDiffer,
    }
}

/// Whether a file that was written in the same second as the index is nevertheless known to be unchanged. Both of its
/// times must equal the recorded ones to the nanosecond, and the index must be newer by more than the resolution of any
/// file system clock. All files of a small clone are written in that second, and git reads them again each time until
/// something rewrites the index.
fn is_settled(stat: &Stat, on_disk: &Stat, index_written: (i64, u32)) -> bool {
    let is_exact = |stat: &Stat| stat.mtime.nsecs != 0 && stat.ctime.nsecs != 0;
    let nanoseconds = |seconds: i64, nsecs: u32| i128::from(seconds) * 1_000_000_000 + i128::from(nsecs);
    let changed = |stat: &Stat| {
        let of = |time: &gix::index::entry::stat::Time| nanoseconds(i64::from(time.secs), time.nsecs);
        of(&stat.mtime).max(of(&stat.ctime))
    };
    is_exact(stat)
        && (stat.mtime, stat.ctime) == (on_disk.mtime, on_disk.ctime)
        && changed(stat) + COARSEST_CLOCK_NS < nanoseconds(index_written.0, index_written.1)
}

/// Coarsest resolution of a file system clock that has nanoseconds, in nanoseconds. A tick of the kernel is 10 ms at
/// most; ten ticks are safe.
const COARSEST_CLOCK_NS: i128 = 100_000_000;

/// Looks up files below a root without following links in the path: as in git, a file behind a linked directory does
/// not exist. Caches the last directory, since files come ordered by path.
pub(crate) struct Directories<'a> {
    root: &'a Path,
    last: Vec<u8>,
    last_is_real: bool,
}

impl<'a> Directories<'a> {
    pub(crate) fn new(root: &'a Path) -> Self {
        Self { root, last: Vec::new(), last_is_real: true }
    }

    /// Metadata of the ordinary file at `path`; `None` if there is none.
    pub(crate) fn file(&mut self, path: &[u8]) -> Option<Metadata> {
        self.find(path).filter(|found| found.is_file() && !found.is_symlink())
    }

    /// Metadata of the entry at `path`, which may be a link; `None` if there is none.
    pub(crate) fn find(&mut self, path: &[u8]) -> Option<Metadata> {
        let parent = path.iter().rposition(|byte| *byte == b'/').map_or(&[][..], |end| &path[..end]);
        if !self.is_real(parent) {
            return None;
        }
        Metadata::from_path_no_follow(&on_disk(self.root, path)?).ok()
    }

    fn is_real(&mut self, directory: &[u8]) -> bool {
        if self.last == directory {
            return self.last_is_real;
        }
        let borders = directory.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let ends = borders.chain((!directory.is_empty()).then_some(directory.len()));
        let is_real = ends.into_iter().all(|end| {
            let prefix = &directory[..end];
            let is_known = self.last_is_real
                && self.last.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"));
            is_known
                || on_disk(self.root, prefix)
                    .is_some_and(|path| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()))
        });
        self.last.clear();
        self.last.extend_from_slice(directory);
        self.last_is_real = is_real;
        is_real
    }
}

/// The path below `root` that corresponds to git's `path`; `None` if this system cannot represent it.
pub(crate) fn on_disk(root: &Path, path: &[u8]) -> Option<PathBuf> {
    Some(root.join(gix::path::from_byte_slice(path).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: (i64, u32) = (100, 500_000_000);

    fn stat(secs: u32, nsecs: u32) -> Stat {
        let time = gix::index::entry::stat::Time { secs, nsecs };
        Stat { mtime: time, ctime: time, ..Stat::default() }
    }

    #[test]
    fn a_file_written_well_before_the_index_in_its_second_is_settled() {
        assert!(is_settled(&stat(100, 399_999_999), &stat(100, 399_999_999), WRITTEN));
        assert!(is_settled(&stat(99, 1), &stat(99, 1), WRITTEN));
    }

    #[test]
    fn what_may_have_changed_in_that_second_is_not() {
        let early = stat(100, 100_000_000);
        // Within a tick of a coarse clock.
        assert!(!is_settled(&stat(100, 400_000_001), &stat(100, 400_000_001), WRITTEN));
        // Changed since.
        assert!(!is_settled(&early, &stat(100, 100_000_001), WRITTEN));
        let touched = Stat { ctime: gix::index::entry::stat::Time { secs: 100, nsecs: 100_000_001 }, ..early };
        assert!(!is_settled(&early, &touched, WRITTEN));
        // A file system, or a program, that knows seconds only.
        assert!(!is_settled(&stat(100, 0), &stat(100, 0), WRITTEN));
        assert!(!is_settled(&stat(101, 1), &stat(101, 1), WRITTEN));
    }
}
