//! Finding and opening a repository, and its paths.

use std::ffi::OsString;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::discover::upwards::TrustPolicy;
use gix::sec::Trust;
use tempfile::TempDir;

use crate::alternates::ObjectDirectories;
use crate::blob::VerifiedBlobs;
use crate::error::internal;
use crate::git_dir::{GitDirectory, check_link, check_worktree};
use crate::git_files::{
    check_before_opening, check_directory, check_git_files, check_loose_refs, objects_of, reads_other_files,
};
use crate::known_trees::KnownTrees;
use crate::packed_refs::check_packed_refs;
use crate::{Error, format};

/// A git repository as seen from one worktree, or a bare one. Cheap to clone and shared between threads.
///
/// Each call reads the current state on disk, so it sees commits that other processes made before it.
#[derive(Clone)]
pub struct Repository {
    shared: Arc<SharedRepository>,
}

struct SharedRepository {
    gix: gix::ThreadSafeRepository,
    git_dir: PathBuf,
    common_dir: PathBuf,
    worktree_root: Option<PathBuf>,
    hashed: VerifiedBlobs,
    known_trees: KnownTrees,
    /// Temporary directory through which objects are read if alternates lists form a loop; removed with the repository.
    _without_loop: Option<TempDir>,
}

/// Hash function of object ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashKind {
    /// SHA-1, 20 bytes.
    Sha1,
    /// SHA-256, 32 bytes.
    Sha256,
}

/// Environment variables with which git tells its hooks which repository they run in.
const ENVIRONMENT_OF_A_REPOSITORY: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

impl Repository {
    /// Finds the repository that contains `start`: a directory in a worktree, a linked worktree, a bare repository or a
    /// git directory, or anything below.
    ///
    /// If `start` is the current directory, git's environment variables count, as in git (`GIT_DIR`, `GIT_INDEX_FILE`
    /// and so on), so that a hook sees what git sees. For any other path they are ignored.
    ///
    /// Committed files may look like a git directory, and name any directory as their worktree. So a git directory is
    /// used only if it is a `.git`, if a `.git` file or `GIT_DIR` names it, or if it does not lie among the files of a
    /// worktree. Its worktree must name it, lie beside it, or be named by `GIT_WORK_TREE`.
    ///
    /// # Errors
    ///
    /// [`Error::NotARepository`]; [`Error::GitDirectoryAmongFiles`], [`Error::UnlinkedGitDirectory`] and
    /// [`Error::ForeignWorktree`]; [`Error::WorktreeMissing`]; [`Error::OtherOwner`]; [`Error::Unsupported`] for
    /// formats such as reftable; [`Error::Open`] for damage.
    pub fn discover(start: &Path) -> Result<Self, Error> {
        Self::search(start, false)
    }

    /// Like [`Repository::discover`], for a path that the user named. If `start` itself is a git directory, it may lie
    /// among the files of a worktree.
    ///
    /// # Errors
    ///
    /// As for [`Repository::discover`].
    pub fn discover_named(path: &Path) -> Result<Self, Error> {
        Self::search(path, true)
    }

    fn search(start: &Path, is_named: bool) -> Result<Self, Error> {
        // For a file, the search starts in its directory.
        let start = if start.is_file() { start.parent().unwrap_or(start) } else { start };
        let start = if start.as_os_str().is_empty() { Path::new(".") } else { start };
        // gix loses the last component of `../bare.git`.
        let is_upward = start.is_relative() && start.components().any(|part| part == std::path::Component::ParentDir);
        let resolved = is_upward.then(|| std::fs::canonicalize(start).ok()).flatten();
        let start = resolved.as_deref().unwrap_or(start);
        let follow_environment = is_current_directory(start);
        let variable = |name| if follow_environment { variable(name) } else { None };
        let is_set = |name| variable(name).is_some();
        let (gix, objects) = if let Some(git_dir) = variable("GIT_DIR") {
            let git_dir = start.join(git_dir);
            check_before_opening(&git_dir)?;
            let objects = ObjectDirectories::of(&objects_of(&git_dir)?)?;
            let options = open_options(follow_environment, &objects);
            // As in git, the owner is not checked if the environment names the git directory.
            let gix = gix::ThreadSafeRepository::open_with_environment_overrides(start, options);
            (gix.map_err(|error| open_error(start, error))?, objects)
        } else {
            check_git_files(start)?;
            let search = || search_options(follow_environment);
            let (met, _) = gix::discover::upwards_opts(
                start,
                gix::discover::upwards::Options { trust: TrustPolicy::Assume(Trust::Full), ..search() },
            )
            .map_err(|error| open_error(start, error))?;
            let git_dir = GitDirectory::of_search(start, met)?;
            git_dir.check(is_named)?;
            let objects = ObjectDirectories::of(&objects_of(git_dir.path())?)?;
            let options = open_options(follow_environment, &objects);
            let trust = TrustPolicy::Assume(git_dir.trust());
            let search = gix::discover::upwards::Options { trust, ..search() };
            let gix = gix::ThreadSafeRepository::discover_opts(start, search, options);
            (gix.map_err(|error| open_error(start, error))?, objects)
        };
        let local = gix.to_thread_local();
        // A path that does not exist has no owner.
        if let Some(worktree) = local.workdir().filter(|worktree| !worktree.exists()) {
            let (git_dir, worktree) = (local.git_dir().to_owned(), worktree.to_owned());
            return Err(Error::WorktreeMissing { git_dir, worktree });
        }
        if !is_set("GIT_DIR") && local.git_dir_trust() != Trust::Full {
            let owned = local.workdir().unwrap_or_else(|| local.git_dir());
            return Err(Error::OtherOwner { path: std::fs::canonicalize(owned).unwrap_or_else(|_| owned.to_owned()) });
        }
        refuse_unreadable_formats(start, &local)?;
        let repository = Self::from_gix(without_unreadable_rules(gix)?, &objects)?;
        check_link(repository.git_dir(), None)?;
        match repository.worktree_root() {
            Some(worktree) if !is_set("GIT_WORK_TREE") => check_worktree(repository.git_dir(), worktree)?,
            _ => {}
        }
        Ok(repository)
    }

    /// The git directory of this worktree, absolute, without symbolic links.
    pub fn git_dir(&self) -> &Path {
        &self.shared.git_dir
    }

    /// The git directory that all worktrees of the repository share, absolute, without symbolic links.
    pub fn common_dir(&self) -> &Path {
        &self.shared.common_dir
    }

    /// Roots of all existing worktrees of the repository, absolute, without symbolic links, sorted. Only worktrees that
    /// name this repository are included. Reads one or two small files for each.
    pub fn worktree_roots(&self) -> Vec<PathBuf> {
        let mut roots = crate::git_dir::worktree_roots(self.common_dir());
        if let Some(own) = self.worktree_root().filter(|own| !roots.iter().any(|root| root == own)) {
            roots.push(own.to_owned());
            roots.sort();
        }
        roots
    }

    /// The root of the worktree, absolute, without symbolic links; `None` for a bare repository.
    pub fn worktree_root(&self) -> Option<&Path> {
        self.shared.worktree_root.as_deref()
    }

    /// Whether there is no worktree.
    pub fn is_bare(&self) -> bool {
        self.shared.worktree_root.is_none()
    }

    /// Whether history is cut off (`git clone --depth`), or may be.
    pub fn is_shallow(&self) -> bool {
        // If the list cannot be read, history may be incomplete.
        self.local().shallow_commits().map_or(true, |commits| commits.is_some())
    }

    /// Hash function of object ids.
    pub fn hash_kind(&self) -> HashKind {
        match self.local().object_hash() {
            gix::hash::Kind::Sha256 => HashKind::Sha256,
            _ => HashKind::Sha1,
        }
    }

    /// A handle of gix for one thread, without object caches.
    pub(crate) fn local(&self) -> gix::Repository {
        let mut repo = self.shared.gix.to_thread_local();
        // An id must stand for the same content in all clones; `git replace` changes the content in one clone.
        repo.objects.ignore_replacements = true;
        // GIT_NAMESPACE is for servers; git's local commands ignore it when they read refs.
        repo.clear_namespace();
        repo
    }

    /// Like [`Repository::local`], for reading refs. Checks git's own files again, since they may have been replaced
    /// after the repository was opened: a pipe in place of HEAD would block forever.
    ///
    /// Cost: metadata of some twenty files, and two or three files read.
    ///
    /// # Errors
    ///
    /// [`Error::GitFile`].
    pub(crate) fn local_for_refs(&self) -> Result<gix::Repository, Error> {
        let repo = self.local();
        check_directory(self.git_dir(), Some(repo.object_hash()))?;
        Ok(repo)
    }

    /// Like [`Repository::local_for_refs`], for listing all refs. Checks the packed and the loose refs, which gix reads
    /// whole.
    ///
    /// Cost: the packed-refs file read, and metadata of each loose ref.
    ///
    /// # Errors
    ///
    /// [`Error::GitFile`], [`Error::PackedRefs`].
    pub(crate) fn local_for_all_refs(&self) -> Result<gix::Repository, Error> {
        let repo = self.local_for_refs()?;
        check_packed_refs(self.common_dir(), repo.object_hash())?;
        check_loose_refs(self.common_dir())?;
        if self.git_dir() != self.common_dir() {
            check_loose_refs(self.git_dir())?;
        }
        Ok(repo)
    }

    /// Like [`Repository::local`], with caches for walks over trees and commits, which need the same delta bases again.
    pub(crate) fn local_for_walks(&self) -> gix::Repository {
        let mut repo = self.local();
        repo.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
        repo
    }

    fn from_gix(mut gix: gix::ThreadSafeRepository, objects: &ObjectDirectories) -> Result<Self, Error> {
        let canonical =
            |path: &Path| std::fs::canonicalize(path).map_err(|source| Error::Io { path: path.to_owned(), source });
        let local = gix.to_thread_local();
        let without_loop = objects.is_loop().then(|| objects.without_loop(local.object_hash())).transpose();
        let without_loop = without_loop.map_err(internal("reading lists of objects that name each other"))?;
        let without_loop = without_loop.map(|(place, store)| {
            gix.objects = store;
            place
        });
        let shared = SharedRepository {
            git_dir: canonical(local.git_dir())?,
            common_dir: canonical(local.common_dir())?,
            worktree_root: local.workdir().map(canonical).transpose()?,
            gix,
            hashed: VerifiedBlobs::default(),
            known_trees: KnownTrees::default(),
            _without_loop: without_loop,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The most recently used trees.
    pub(crate) fn known_trees(&self) -> &KnownTrees {
        &self.shared.known_trees
    }

    /// Blobs that were read and match their ids.
    pub(crate) fn hashed(&self) -> &VerifiedBlobs {
        &self.shared.hashed
    }
}

/// Cache size for decoded trees and commits in one walk, in bytes; the trees of a repository of 13,000 files take a
/// third of it.
const OBJECT_CACHE_BYTES: usize = 64 << 20;

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repository").field("git_dir", &self.git_dir()).finish_non_exhaustive()
    }
}

/// Git's environment variables for the current repository, and where the user's own files for git are.
#[expect(clippy::disallowed_methods, reason = "git itself asks these variables")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Whether git's environment variables apply to `start`, that is, whether it is the current directory.
#[expect(clippy::disallowed_methods, reason = "git's environment is about the directory that the process works in")]
fn is_current_directory(start: &Path) -> bool {
    let current = std::env::current_dir().and_then(std::fs::canonicalize);
    matches!((std::fs::canonicalize(start), current), (Ok(start), Ok(current)) if start == current)
}

fn search_options(follow_environment: bool) -> gix::discover::upwards::Options<'static> {
    // A ceiling directory that does not contain the start has no effect; git ignores it too.
    let options = gix::discover::upwards::Options { match_ceiling_dir_or_error: false, ..Default::default() };
    if !follow_environment {
        return options;
    }
    let cross_fs = variable("GIT_DISCOVERY_ACROSS_FILESYSTEM").and_then(|value| value.into_string().ok());
    let cross_fs = cross_fs.and_then(|value| gix::config::Boolean::try_from(gix::bstr::BString::from(value)).ok());
    let options = options.apply_environment();
    gix::discover::upwards::Options { cross_fs: cross_fs.map_or(options.cross_fs, |value| value.is_true()), ..options }
}

/// Largest object that is read, in bytes. It exceeds the largest file that is indexed (`watcher.max_file_size_kb` is at
/// most ten megabytes), and any commit or tree that people make. Reading a commit's history takes some three times its
/// bytes of memory.
const OBJECT_BYTES: u64 = 32 << 20;

/// gix's name of this setting.
const OBJECT_LIMIT_KEY: &str = "gitoxide.objects.allocLimit";

/// Keeps gix from reading git's commit-graph file, whose parents of commits nothing proves (see [`crate::lineage`]).
const NO_COMMIT_GRAPH: &str = "core.commitGraph=false";

/// Keeps gix from reading the refs of `git replace`, which do not count and may be of any size.
const NO_REPLACEMENTS: &str = "core.useReplaceRefs=false";

/// Options for opening repositories of the user and of others; none of them makes gix run the git binary.
fn open_options(follow_environment: bool, objects: &ObjectDirectories) -> gix::sec::trust::Mapping<gix::open::Options> {
    let mut mapping = gix::sec::trust::Mapping::<gix::open::Options>::default();
    let names_another = ENVIRONMENT_OF_A_REPOSITORY.iter().any(|name| variable(name).is_some());
    for options in [&mut mapping.full, &mut mapping.reduced] {
        let mut permissions = gix::open::Permissions::all();
        permissions.config.git_binary = false;
        permissions.attributes.git_binary = false;
        if names_another && !follow_environment {
            permissions.env.git_prefix = gix::sec::Permission::Deny;
            permissions.env.objects = gix::sec::Permission::Deny;
        }
        options.modify(|options| {
            let options = options.permissions(permissions).config_overrides([
                format!("{OBJECT_LIMIT_KEY}={OBJECT_BYTES}"),
                NO_COMMIT_GRAPH.to_owned(),
                NO_REPLACEMENTS.to_owned(),
            ]);
            match objects.is_loop() {
                // The object database is replaced before anything is read from it, so one slot is enough.
                true => options.object_store_slots(gix::odb::store::init::Slots::Given(1)),
                false => options,
            }
        });
    }
    mapping
}

/// Finds extensions that gix ignores but git refuses.
fn refuse_unreadable_formats(start: &Path, repo: &gix::Repository) -> Result<(), Error> {
    match format::unreadable(&repo.config_snapshot()) {
        Some(feature) => Err(Error::Unsupported { path: start.to_owned(), feature }),
        None => Ok(()),
    }
}

/// The file that people configure to have no such file.
const NO_RULES: &str = "/dev/null";

/// Lets the user's files of ignore rules and conversions count as empty if the system does not let icr read them; git
/// warns and goes on.
fn without_unreadable_rules(gix: gix::ThreadSafeRepository) -> Result<gix::ThreadSafeRepository, Error> {
    let mut local = gix.to_thread_local();
    let is_absence = |error: &std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    // Reading an ordinary file ends; reading a pipe may wait forever, and some devices never end.
    let is_ordinary = |path: &Path| {
        std::fs::metadata(path).map(|metadata| metadata.is_file() && metadata.len() <= crate::rule_file::MOST_BYTES)
    };
    let is_unreadable = |path: &Path| match is_ordinary(path) {
        Ok(true) => std::fs::File::open(path).is_err(),
        Ok(false) => path != Path::new(NO_RULES),
        Err(error) => !is_absence(&error),
    };
    let unreadable: Vec<_> = rule_files(&local).into_iter().filter(|(_, path)| is_unreadable(path)).collect();
    if unreadable.is_empty() {
        return Ok(gix);
    }
    let doing = "leaving out rules that cannot be read";
    for (key, path) in &unreadable {
        tracing::warn!("`{}` cannot be read, so its rules do not count", path.display());
        let mut config = local.config_snapshot_mut();
        let empty = format!("{key}={NO_RULES}");
        config.append_config([empty.as_str()], gix::config::Source::Api).map_err(internal(doing))?;
        config.commit().map_err(internal(doing))?;
    }
    Ok(local.into_sync())
}

/// The user's files of ignore rules and conversions, with their configuration keys, whether or not they exist.
pub(crate) fn rule_files(repo: &gix::Repository) -> Vec<(&'static str, PathBuf)> {
    let config = repo.config_snapshot();
    let of_user = user_directory();
    let file = |key: &'static str, name: &str| match config.trusted_path(key) {
        Ok(Some(path)) => Some((key, path)),
        _ => of_user.as_ref().map(|directory| (key, directory.join(name))),
    };
    [file("core.excludesFile", "ignore"), file("core.attributesFile", "attributes")].into_iter().flatten().collect()
}

/// Whether a directory, or one above it, has an entry `.git`. Then there is a repository, even if it cannot be read or
/// the directory that `.git` points to is gone.
pub fn is_marked_as_repository(start: &Path) -> bool {
    start.ancestors().any(|directory| directory.join(".git").symlink_metadata().is_ok())
}

/// Where a user's own files for git lie, besides `~/.gitconfig`.
fn user_directory() -> Option<PathBuf> {
    let in_home = variable("HOME").map(|home| PathBuf::from(home).join(".config"));
    let of_user = variable("XDG_CONFIG_HOME").filter(|path| !path.is_empty()).map(PathBuf::from).or(in_home);
    of_user.map(|directory| directory.join("git"))
}

/// The files that the configuration was read from, including included files, and the user's configuration files, which
/// need not exist.
pub(crate) fn configuration_files(repo: &gix::Repository) -> Vec<PathBuf> {
    let config = repo.config_snapshot();
    let read = config.plumbing().sections().filter_map(|section| section.meta().path.clone());
    let of_user = user_directory().map(|directory| directory.join("config"));
    let in_home = variable("HOME").map(|home| PathBuf::from(home).join(".gitconfig"));
    let mut files: Vec<PathBuf> = read.chain(of_user).chain(in_home).collect();
    files.sort();
    files.dedup();
    files
}

fn open_error(start: &Path, error: gix::Error) -> Error {
    let path = start.to_owned();
    if error.downcast_any_ref::<gix::discover::upwards::Error>().is_some() || !start.exists() {
        return Error::NotARepository { path };
    }
    match format::unreadable_at(start) {
        Some(feature) => Error::Unsupported { path, feature },
        None => Error::Open { path, source: without_contents(start, error) },
    }
}

/// `error` without quoted text of git's files, if such a file may be a link to a file of somebody else.
fn without_contents(start: &Path, error: gix::Error) -> Box<dyn std::error::Error + Send + Sync> {
    if let Some(error) = error.downcast_any_ref::<gix::config::parse::Error>() {
        // The error would quote the rest of the line.
        return format!(
            "line {} of its configuration, or of a file that this includes, is no setting",
            error.line_number()
        )
        .into();
    }
    match reads_other_files(start) {
        true => "a file of its git directory is a link or includes others, whose contents are not told".into(),
        false => error.into(),
    }
}
