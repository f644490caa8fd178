//! Checks that git's own files are ordinary files. A git directory that was unpacked from an archive may have, in place
//! of HEAD, a pipe, which blocks forever, a device, which never ends, or a link to a private file, whose text must not
//! appear in a message.

use std::io::Read;
use std::path::{Path, PathBuf};

use icr_model::is_hexadecimal;

use crate::Error;
use crate::clone_file::open_ordinary;
use crate::config_includes::check_includes;

/// Files of a git directory that are read whole, with the most bytes that each may have. Names are no longer than a
/// path. Nobody writes many megabytes of rules, and the ids in `shallow` take less, too. Packed refs and the index grow
/// with the repository.
const GIT_FILES: [(&str, u64); 12] = [
    ("HEAD", NAME_BYTES),
    ("commondir", NAME_BYTES),
    ("config", CONFIGURATION_BYTES),
    ("config.worktree", CONFIGURATION_BYTES),
    ("gitdir", NAME_BYTES),
    ("index", INDEX_BYTES),
    ("info/attributes", LIST_BYTES),
    ("info/exclude", LIST_BYTES),
    ("info/grafts", LIST_BYTES),
    ("objects/info/alternates", LIST_BYTES),
    ("packed-refs", REFS_BYTES),
    ("shallow", LIST_BYTES),
];

/// Most bytes of a file that holds one name: Linux allows paths of 4,096 bytes, other systems of 32,768.
const NAME_BYTES: u64 = 64 << 10;

/// Most nested directories of loose refs that are looked at; git makes one level for each `/` of a name.
const DEEPEST_REF: usize = 64;

/// Most bytes of the index: those of five million files. Reading it takes some three times as much memory.
const INDEX_BYTES: u64 = 512 << 20;

/// Most bytes of the packed-refs file: those of a million and a half refs. Reading it takes twice as much memory.
const REFS_BYTES: u64 = 128 << 20;

/// Most bytes of a configuration file: those of some five thousand branches. gix takes sixty times the length of a file
/// in memory: one of 15.6 MB, with 3.9 million lines `b=c`, took 960 MB and ten seconds in every command.
pub(crate) const CONFIGURATION_BYTES: u64 = 1 << 20;

/// Most bytes of a file that is a list, with one item on each line.
pub(crate) const LIST_BYTES: u64 = 16 << 20;

/// Checks the git directories that a search upwards from `start` may find, before anything reads them. Refuses them if
/// one of their files is not an ordinary file. Links are followed: some tools keep git's files elsewhere.
///
/// Cost: metadata of some twenty files, and two or three files read.
///
/// # Errors
///
/// [`Error::GitFile`].
pub(crate) fn check_git_files(start: &Path) -> Result<(), Error> {
    met_from(start)?.iter().try_for_each(|git_dir| check_before_opening(git_dir))
}

/// Refuses a git directory if one of its files is not an ordinary file, or if its configuration includes too much.
///
/// # Errors
///
/// [`Error::GitFile`].
pub(crate) fn check_before_opening(git_dir: &Path) -> Result<(), Error> {
    check_directory(git_dir, None)?;
    check_includes(&common_dir_of(git_dir)?.join("config"))?;
    check_includes(&git_dir.join("config.worktree"))
}

/// Whether a git directory that a search upwards from `start` may find has a link as its configuration or as its
/// alternates list, or a configuration that includes other files. An error message about these could then quote a file
/// of somebody else.
pub(crate) fn reads_other_files(start: &Path) -> bool {
    let git_dirs = met_from(start).unwrap_or_default();
    let common_dirs = git_dirs.iter().filter_map(|git_dir| common_dir_of(git_dir).ok());
    let mut files = git_dirs.iter().cloned().chain(common_dirs).flat_map(|directory| {
        ["config", "config.worktree", "objects/info/alternates"].map(|name| directory.join(name))
    });
    files.any(|path| is_link(&path) || includes_others(&path))
}

/// Whether `path` itself is a link.
pub(crate) fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}

/// Whether a configuration may include further files. A configuration that cannot be read includes none.
fn includes_others(path: &Path) -> bool {
    const SECTION: &[u8] = b"include";
    let text = std::fs::read(path).unwrap_or_default();
    text.windows(SECTION.len()).any(|word| word.eq_ignore_ascii_case(SECTION))
}

/// The git directories that a search upwards from `start` may find.
fn met_from(start: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut git_dirs = Vec::new();
    let Ok(start) = std::fs::canonicalize(start) else { return Ok(git_dirs) };
    for directory in start.ancestors() {
        let head = directory.join("HEAD");
        // The search opens any file named HEAD before it looks at the other files of the directory; a directory named
        // HEAD is harmless.
        let is_strange = std::fs::metadata(&head).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        if is_strange || (head.symlink_metadata().is_ok() && directory.join("objects").is_dir()) {
            git_dirs.push(directory.to_owned());
        }
        let entry = directory.join(".git");
        let Ok(metadata) = std::fs::metadata(&entry) else { continue };
        if metadata.is_dir() {
            let is_none = entry.join("HEAD").symlink_metadata().is_err();
            git_dirs.push(entry);
            // If `.git` is not a git directory, the search continues above it.
            if is_none {
                continue;
            }
        } else if let Some(text) = read_name(&entry)?
            && let Some(named) = text.strip_prefix("gitdir: ")
        {
            git_dirs.push(directory.join(named.trim_end()));
        }
        break;
    }
    Ok(git_dirs)
}

/// Refuses a git directory if a file of it, or of its common directory, is no ordinary file or too large, or if HEAD
/// names neither a ref nor an id. If the hash function of the repository, `hash`, is known, the id must be one of it.
///
/// # Errors
///
/// [`Error::GitFile`].
pub(crate) fn check_directory(git_dir: &Path, hash: Option<gix::hash::Kind>) -> Result<(), Error> {
    check_files_in(git_dir)?;
    let common_dir = common_dir_of(git_dir)?;
    if common_dir != git_dir {
        check_files_in(&common_dir)?;
    }
    check_shallow(&common_dir.join("shallow"))?;
    check_head(git_dir, &common_dir, hash)
}

/// Refuses the ref files that `name` may mean if one is not an ordinary file, or is larger than a ref name or an id.
///
/// # Errors
///
/// [`Error::GitFile`].
pub(crate) fn check_refs(git_dir: &Path, common_dir: &Path, name: &str) -> Result<(), Error> {
    // Git's rules for resolving a ref name, gitrevisions(7).
    for before in ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"] {
        // Directly in a git directory there are refs such as FETCH_HEAD, but also other files.
        if before.is_empty() && !name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') {
            continue;
        }
        let path = format!("{before}{name}");
        for path in [git_dir.join(&path), common_dir.join(&path), common_dir.join(&path).join("HEAD")] {
            match std::fs::metadata(&path) {
                // `feature` may be a directory of refs.
                Ok(metadata) if metadata.is_dir() => {}
                _ => check_file(&path, NAME_BYTES)?,
            }
        }
    }
    Ok(())
}

/// Refuses the loose refs of a git directory if one of them is not an ordinary file, or is larger than a ref name or an
/// id. gix reads each of them whole when it lists the refs.
///
/// Cost: metadata of each loose ref.
///
/// # Errors
///
/// [`Error::GitFile`].
pub(crate) fn check_loose_refs(git_dir: &Path) -> Result<(), Error> {
    let mut pending = vec![(git_dir.join("refs"), DEEPEST_REF)];
    while let Some((directory, levels)) = pending.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().filter_map(Result::ok) {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && levels > 0 => pending.push((entry.path(), levels - 1)),
                Ok(kind) if kind.is_dir() => {}
                _ => check_file(&entry.path(), NAME_BYTES)?,
            }
        }
    }
    Ok(())
}

/// Refuses an object directory if something in its directory of packs is neither a file nor a directory: opening a pipe
/// in the place of a pack would block forever.
///
/// Cost: one list of a directory.
///
/// # Errors
///
/// [`Error::GitFile`].
pub(crate) fn check_packs(objects: &Path) -> Result<(), Error> {
    for entry in std::fs::read_dir(objects.join("pack")).into_iter().flatten().filter_map(Result::ok) {
        let is_ordinary = match entry.file_type() {
            Ok(kind) if kind.is_symlink() => {
                std::fs::metadata(entry.path()).map_or(true, |metadata| metadata.is_file() || metadata.is_dir())
            }
            Ok(kind) => kind.is_file() || kind.is_dir(),
            Err(_) => true,
        };
        if !is_ordinary {
            return Err(not_ordinary(&entry.path()));
        }
    }
    Ok(())
}

/// Checks the `shallow` file, if there is one: each line must be a commit id.
fn check_shallow(path: &Path) -> Result<(), Error> {
    let Some(bytes) = read_ordinary(path, LIST_BYTES)? else { return Ok(()) };
    let is_id = |line: &[u8]| matches!(line.len(), 40 | 64) && line.iter().all(u8::is_ascii_hexdigit);
    let lines = bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    match lines.filter(|line| !line.is_empty()).all(is_id) {
        true => Ok(()),
        false => {
            let reason = "has a line that is no id of a commit".into();
            Err(Error::GitFile { path: path.to_owned(), reason })
        }
    }
}

/// The common directory of `git_dir`; `git_dir` itself if there are no other worktrees.
fn common_dir_of(git_dir: &Path) -> Result<PathBuf, Error> {
    Ok(match read_name(&git_dir.join("commondir"))? {
        Some(named) => git_dir.join(named.trim_end()),
        None => git_dir.to_owned(),
    })
}

/// The object directory of a git directory.
///
/// # Errors
///
/// [`Error::GitFile`].
pub(crate) fn objects_of(git_dir: &Path) -> Result<PathBuf, Error> {
    Ok(common_dir_of(git_dir)?.join("objects"))
}

fn check_files_in(directory: &Path) -> Result<(), Error> {
    GIT_FILES.iter().try_for_each(|(name, most)| check_file(&directory.join(name), *most))
}

/// Refuses a path that exists but is not a file; opening a pipe, for example, would block. Links are followed.
///
/// # Errors
///
/// [`Error::GitFile`].
pub(crate) fn check_ordinary(path: &Path) -> Result<(), Error> {
    check_file(path, u64::MAX)
}

fn check_file(path: &Path, most: u64) -> Result<(), Error> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(not_ordinary(path)),
        Ok(metadata) if metadata.len() > most => Err(too_large(path, metadata.len(), most)),
        // If it cannot be looked at, the code that reads it reports why.
        _ => Ok(()),
    }
}

fn not_ordinary(path: &Path) -> Error {
    Error::GitFile { path: path.to_owned(), reason: "is not an ordinary file".into() }
}

/// The error for a file of `bytes` bytes, of which icr reads `most`.
fn too_large(path: &Path, bytes: u64, most: u64) -> Error {
    let most = match most >> 20 {
        0 => format!("{} KiB", most >> 10),
        mebibytes => format!("{mebibytes} MiB"),
    };
    let reason = format!("has {bytes} bytes, and icr reads such a file only up to {most}");
    Error::GitFile { path: path.to_owned(), reason: reason.into() }
}

/// Checks that HEAD contains a ref name or a commit id, and likewise the file of that ref, if there is one. The id must
/// be one of `hash`, if that is known.
fn check_head(git_dir: &Path, common_dir: &Path, hash: Option<gix::hash::Kind>) -> Result<(), Error> {
    let refused = |path: PathBuf, reason: &'static str| Err(Error::GitFile { path, reason: reason.into() });
    let mut path = git_dir.join("HEAD");
    // Follows symbolic refs as far as git does.
    for _ in 0..5 {
        let Some(text) = read_name(&path)? else { return Ok(()) };
        let Some(name) = text.strip_prefix("ref:").map(str::trim) else {
            let id = text.trim_end();
            let is_id = matches!(id.len(), 40 | 64) && is_hexadecimal(id);
            return match hash {
                _ if id.is_empty() => Ok(()),
                _ if !is_id => refused(path, NAMES_NOTHING),
                Some(hash) if id.len() != hash.len_in_hex() => refused(path, no_id_of(hash)),
                _ => Ok(()),
            };
        };
        if !name.starts_with("refs/") || name.split('/').any(|part| part == "..") {
            return refused(path, NAMES_NOTHING);
        }
        path = common_dir.join(name);
        if path.is_dir() {
            return Ok(());
        }
    }
    Ok(())
}

const NAMES_NOTHING: &str = "names neither a ref nor a commit";

fn no_id_of(hash: gix::hash::Kind) -> &'static str {
    match hash {
        gix::hash::Kind::Sha256 => {
            "holds no id of SHA-256, the hash function that the repository's `extensions.objectFormat` names"
        }
        _ => "holds no id of SHA-1, the hash function of a repository without another `extensions.objectFormat`",
    }
}

/// The text of a file that holds a name; `None` if there is no such file, or if it is not text.
fn read_name(path: &Path) -> Result<Option<String>, Error> {
    Ok(read_ordinary(path, NAME_BYTES)?.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// The bytes of the file at `path`, also through a link; `None` if there is no file, or if it cannot be read.
///
/// # Errors
///
/// [`Error::GitFile`] for anything but an ordinary file, and above `most` bytes.
pub(crate) fn read_ordinary(path: &Path, most: u64) -> Result<Option<Vec<u8>>, Error> {
    let Ok(place) = std::fs::canonicalize(path) else { return Ok(None) };
    let file = match open_ordinary(&place) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => return Err(not_ordinary(path)),
        // The code that needs the file reports why.
        Err(_) => return Ok(None),
    };
    let recorded_bytes = file.metadata().map_or(0, |metadata| metadata.len());
    let mut bytes = Vec::new();
    if file.take(most.saturating_add(1)).read_to_end(&mut bytes).is_err() {
        return Ok(None);
    }
    if bytes.len() as u64 > most {
        return Err(too_large(path, recorded_bytes.max(bytes.len() as u64), most));
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prepare: impl FnOnce(&Path), expected: &str) {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let root = std::fs::canonicalize(directory.path()).expect("it exists");
        let git_dir = root.join(".git");
        std::fs::create_dir_all(git_dir.join("refs/heads")).unwrap();
        std::fs::create_dir_all(git_dir.join("objects/info")).unwrap();
        std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        prepare(&git_dir);
        let said = check_git_files(&root.join(".git/objects")).err().map(|error| error.to_string());
        let said = said.unwrap_or_default().replace(&root.display().to_string(), "$ROOT");
        assert_eq!(said, expected);
        assert_eq!(check_git_files(&root).is_err(), !expected.is_empty());
    }

    #[test]
    fn git_directories_of_git_pass() {
        check(|_| (), "");
        check(|git_dir| std::fs::write(git_dir.join("HEAD"), format!("{}\n", "1".repeat(40))).unwrap(), "");
        check(|git_dir| std::fs::write(git_dir.join("refs/heads/main"), format!("{}\n", "a".repeat(64))).unwrap(), "");
    }

    #[cfg(unix)]
    #[test]
    fn a_ref_that_is_named_is_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let git_dir = directory.path();
        std::fs::create_dir_all(git_dir.join("refs/heads/feature")).unwrap();
        std::fs::write(git_dir.join("index"), "x".repeat(70_000)).unwrap();
        std::os::unix::fs::symlink("/dev/zero", git_dir.join("refs/heads/zeros")).unwrap();
        let said = |name| check_refs(git_dir, git_dir, name).err().map(|error| error.to_string());
        assert_eq!(["main", "feature", "feature/one", "index"].map(said), [const { None }; 4]);
        assert!(said("zeros").is_some_and(|said| said.ends_with("zeros` is not an ordinary file")));
    }

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_texts_of_others_are_refused_and_not_quoted() {
        use std::os::unix::fs::symlink;
        for name in ["HEAD", "config", "packed-refs", "shallow", "objects/info/alternates", "refs/heads/main"] {
            let is_special = format!("`$ROOT/.git/{name}` is not an ordinary file");
            let place = |git_dir: &Path| {
                let _ = std::fs::remove_file(git_dir.join(name));
                git_dir.join(name)
            };
            check(|git_dir| symlink("/dev/zero", place(git_dir)).unwrap(), &is_special);
            let fifo = |git_dir: &Path| {
                let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                rustix::fs::mknodat(rustix::fs::CWD, place(git_dir), rustix::fs::FileType::Fifo, mode, 0).unwrap();
            };
            check(fifo, &is_special);
        }
        for name in ["HEAD", "refs/heads/main"] {
            check(
                |git_dir| std::fs::write(git_dir.join(name), "token of somebody\n").unwrap(),
                &format!("`$ROOT/.git/{name}` names neither a ref nor a commit"),
            );
        }
        check(
            |git_dir| std::fs::write(git_dir.join("shallow"), "token of somebody\n").unwrap(),
            "`$ROOT/.git/shallow` has a line that is no id of a commit",
        );
        let cut = format!("{}\n{}\n", "1".repeat(40), "a".repeat(40));
        check(|git_dir| std::fs::write(git_dir.join("shallow"), cut).unwrap(), "");
        check(
            |git_dir| std::fs::write(git_dir.join("HEAD"), "x".repeat(70_000)).unwrap(),
            "`$ROOT/.git/HEAD` has 70000 bytes, and icr reads such a file only up to 64 KiB",
        );
        // Not a byte of it lies on a disk.
        for (name, bytes, most) in [("packed-refs", REFS_BYTES, "128 MiB"), ("index", INDEX_BYTES, "512 MiB")] {
            let sparse = |git_dir: &Path| {
                std::fs::File::create(git_dir.join(name)).unwrap().set_len(bytes + 1).unwrap();
            };
            let size = bytes + 1;
            check(
                sparse,
                &format!("`$ROOT/.git/{name}` has {size} bytes, and icr reads such a file only up to {most}"),
            );
        }
    }

    #[test]
    fn a_configuration_is_small_because_it_takes_sixty_times_its_length_in_memory() {
        for name in ["config", "config.worktree"] {
            let write =
                |bytes: usize| move |git_dir: &Path| std::fs::write(git_dir.join(name), "#".repeat(bytes)).unwrap();
            check(write(1 << 20), "");
            check(
                write((1 << 20) + 1),
                &format!("`$ROOT/.git/{name}` has 1048577 bytes, and icr reads such a file only up to 1 MiB"),
            );
        }
    }

    #[test]
    fn an_id_of_another_hash_function_is_named() {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let git_dir = directory.path();
        let said = |hash| {
            let error = check_directory(git_dir, hash).err().map(|error| error.to_string()).unwrap_or_default();
            error.replace(&git_dir.display().to_string(), "$GIT_DIR")
        };
        std::fs::create_dir_all(git_dir.join("refs/heads")).unwrap();
        std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let (sha1, sha256) = (Some(gix::hash::Kind::Sha1), Some(gix::hash::Kind::Sha256));
        for (digits, right, wrong, name) in [(40, sha1, sha256, "SHA-256"), (64, sha256, sha1, "SHA-1")] {
            std::fs::write(git_dir.join("refs/heads/main"), format!("{}\n", "a".repeat(digits))).unwrap();
            assert_eq!([None, right].map(said), ["", ""]);
            let expected = format!("`$GIT_DIR/refs/heads/main` holds no id of {name}, the hash function");
            assert!(said(wrong).starts_with(&expected), "{}", said(wrong));
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_a_search_opens_above_a_directory_that_is_none_of_gits_is_looked_at() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().expect("a directory can be made");
        let root = std::fs::canonicalize(directory.path()).expect("it exists");
        let inner = root.join("inner");
        std::fs::create_dir_all(inner.join(".git")).unwrap();
        std::fs::create_dir_all(root.join("HEAD")).unwrap();
        assert!(check_git_files(&inner).is_ok(), "a directory may have any name");
        std::fs::remove_dir(root.join("HEAD")).unwrap();
        for strange in ["HEAD", ".git/HEAD"] {
            let path = root.join(strange);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink("/dev/zero", &path).unwrap();
            let error = check_git_files(&inner).unwrap_err();
            assert!(matches!(&error, Error::GitFile { path: found, .. } if *found == path), "{error}");
            std::fs::remove_file(&path).unwrap();
        }
    }
}
