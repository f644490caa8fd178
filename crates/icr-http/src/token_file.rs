//! The token that programs of the user show, in a file that only the user can read.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::random::secret;

/// Longest accepted token file, in bytes.
const BYTES_MOST: u64 = 256;

/// Shortest accepted token: a shorter one could be guessed.
const CHARACTERS_LEAST: usize = 32;

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read or written.
    #[error("the token of the server cannot be kept in `{}`: {source}", .path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Others could have read or written it.
    #[error("`{}` {problem}; delete it, and the server makes a new one", .path.display())]
    Untrusted {
        /// Where it is.
        path: PathBuf,
        /// End of the message: a phrase that follows the path.
        problem: &'static str,
    },
}

/// Path of the token file of servers with this home.
pub(crate) fn token_path(home: &Path) -> PathBuf {
    home.join("http-token")
}

/// The token of servers with this home; made if there is none. It is the same for all later servers, so that client
/// configurations stay valid. To change it, the user deletes the file.
///
/// # Errors
///
/// [`TokenError`].
pub(crate) fn token_of(home: &Path) -> Result<String, TokenError> {
    let path = token_path(home);
    let failed = |source| TokenError::Io { path: path.clone(), source };
    private_directory(home).map_err(failed)?;
    match create_token(&path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read(&path),
        made => made.map_err(failed),
    }
}

/// Creates the file with a new token, and returns the token.
fn create_token(path: &Path) -> io::Result<String> {
    // Written atomically: two servers may start at once.
    let token = secret()?;
    let unfinished = path.with_extension(secret()?);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = (|| {
        let mut file = options.open(&unfinished)?;
        writeln!(file, "{token}")?;
        file.sync_all()?;
        fs::hard_link(&unfinished, path)
    })();
    let removed = fs::remove_file(&unfinished);
    written?;
    removed?;
    Ok(token)
}

fn read(path: &Path) -> Result<String, TokenError> {
    let failed = |source| TokenError::Io { path: path.to_owned(), source };
    let untrusted = |problem| TokenError::Untrusted { path: path.to_owned(), problem };
    let metadata = fs::symlink_metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(untrusted("is not a file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let user = rustix::process::geteuid();
        if metadata.uid() != user.as_raw() && !user.is_root() {
            return Err(untrusted("is another user's"));
        }
        if metadata.mode() & 0o077 != 0 {
            return Err(untrusted("can be read by other users"));
        }
    }
    let mut text = String::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(BYTES_MOST + 1).read_to_string(&mut text).map_err(failed)?;
    let token = text.trim();
    let is_token = |token: &str| token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    match token.len() >= CHARACTERS_LEAST && token.len() as u64 <= BYTES_MOST && is_token(token) {
        true => Ok(token.to_owned()),
        false => Err(untrusted("does not contain a token")),
    }
}

fn private_directory(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_token_is_made_once_and_only_the_user_can_read_it() {
        let home = tempfile::tempdir().expect("a directory");
        let home = home.path().join("home");
        let token = token_of(&home).expect("a token");
        assert_eq!(token_of(&home).expect("the same token"), token);
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&token_path(&home)), mode(&home)), (0o600, 0o700));
        assert_eq!(fs::read_dir(&home).expect("a directory").count(), 1, "nothing else is left");
        fs::remove_file(token_path(&home)).expect("it can be deleted");
        assert_ne!(token_of(&home).expect("a new token"), token);
    }

    #[test]
    fn what_others_could_have_written_is_no_token() {
        let home = tempfile::tempdir().expect("a directory");
        let path = token_path(home.path());
        let refused = || match token_of(home.path()) {
            Err(TokenError::Untrusted { problem, .. }) => problem,
            other => panic!("{other:?}"),
        };
        fs::write(&path, "a".repeat(43)).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
        assert_eq!(refused(), "can be read by other users");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a mode");
        assert_eq!(token_of(home.path()).expect("a token"), "a".repeat(43));
        for text in ["", "short", &"a b".repeat(20), &"a".repeat(300)] {
            fs::write(&path, text).expect("written");
            assert_eq!(refused(), "does not contain a token", "{text:?}");
        }
        fs::remove_file(&path).expect("deleted");
        std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
        assert_eq!(refused(), "is not a file");
    }

    #[test]
    fn many_who_start_at_once_have_one_token() {
        let home = tempfile::tempdir().expect("a directory");
        let tokens: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(|| token_of(home.path()).expect("a token"))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(tokens.iter().all(|token| *token == tokens[0]));
    }
}
