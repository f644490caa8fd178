//! The directory of the socket, and whether it is safe from other users.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};

use super::UntrustedSocket;

/// Mode of the directory: only the user can reach the sockets in it.
const DIRECTORY_MODE: u32 = 0o700;

/// Rights of the socket.
pub(super) const SOCKET_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// The directory of sockets, opened and checked to be the user's own. Its entries are accessed through the open
/// directory, so that it remains the one that was checked.
#[derive(Debug)]
pub(super) struct SocketDirectory {
    directory: File,
    path: PathBuf,
    repo_id: String,
}

impl SocketDirectory {
    /// Opens an existing directory; `None` if there is none.
    pub(super) fn find(home: &Path, repo_id: &str) -> Result<Option<Self>, OpenPlaceError> {
        let path = home.join("run");
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(directory) => File::from(directory),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            // A link gives either error, depending on the system; a file gives the second.
            Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
                return Err(UntrustedSocket { path, problem: "is a link or no directory" }.into());
            }
            Err(error) => return Err(OpenPlaceError::Io(error.into())),
        };
        let metadata = directory.metadata().map_err(OpenPlaceError::Io)?;
        if metadata.uid() != own_user() {
            return Err(UntrustedSocket { path, problem: "belongs to another user" }.into());
        }
        if metadata.mode() & 0o077 != 0 {
            return Err(UntrustedSocket { path, problem: "is open to other users; its mode has to be 0700" }.into());
        }
        Ok(Some(Self { directory, path, repo_id: repo_id.to_owned() }))
    }

    /// Opens the directory, or makes it. If it is the user's own, rights of others are removed.
    pub(super) fn make(home: &Path, repo_id: &str) -> Result<Self, OpenPlaceError> {
        let path = home.join("run");
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(DIRECTORY_MODE).create(&path).map_err(OpenPlaceError::Io)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(directory) = rustix::fs::open(&path, flags, Mode::empty()) {
            // If that fails, the check below reports what is wrong.
            let _ = rustix::fs::fchmod(directory, Mode::RWXU);
        }
        let gone = || OpenPlaceError::Io(io::ErrorKind::NotFound.into());
        Self::find(home, repo_id)?.ok_or_else(gone)
    }

    /// Path of the socket, for messages.
    pub(super) fn socket_path(&self) -> PathBuf {
        self.path.join(self.socket_name())
    }

    pub(super) fn directory(&self) -> &File {
        &self.directory
    }

    pub(super) fn socket_name(&self) -> String {
        format!("{}.sock", self.repo_id)
    }

    pub(super) fn lock_name(&self) -> String {
        format!("{}.lock", self.repo_id)
    }

    /// The address of the socket. If its path is too long (108 bytes on Linux, 104 elsewhere), the address goes through
    /// the open directory, on systems that have a path for it.
    pub(super) fn address(&self) -> io::Result<SocketAddrUnix> {
        let whole = SocketAddrUnix::new(self.socket_path());
        #[cfg(target_os = "linux")]
        let whole = whole.or_else(|_| {
            use std::os::fd::AsRawFd;
            SocketAddrUnix::new(format!("/proc/self/fd/{}/{}", self.directory.as_raw_fd(), self.socket_name()))
        });
        whole.map_err(|_| io::Error::new(io::ErrorKind::InvalidFilename, "the path is too long for a socket"))
    }

    /// The metadata of the socket, if it is one and the user's own; `None` if nothing is there.
    pub(super) fn socket(&self) -> Result<Option<Stat>, OpenPlaceError> {
        let untrusted = |problem| OpenPlaceError::Untrusted(UntrustedSocket { path: self.socket_path(), problem });
        let stat = match rustix::fs::statat(&self.directory, self.socket_name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(OpenPlaceError::Io(error.into())),
        };
        if FileType::from_raw_mode(stat.st_mode) != FileType::Socket {
            return Err(untrusted("is no socket"));
        }
        if stat.st_uid != own_user() {
            return Err(untrusted("belongs to another user"));
        }
        if stat.st_mode & 0o077 != 0 {
            return Err(untrusted("is open to other users; its mode has to be 0600"));
        }
        Ok(Some(stat))
    }
}

/// Why the directory cannot be used.
#[derive(Debug)]
pub(super) enum OpenPlaceError {
    Untrusted(UntrustedSocket),
    Io(io::Error),
}

impl From<UntrustedSocket> for OpenPlaceError {
    fn from(untrusted: UntrustedSocket) -> Self {
        Self::Untrusted(untrusted)
    }
}

/// Whether `repo_id` is safe as a file name.
pub(super) fn is_repo_id(repo_id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&repo_id.len()) && repo_id.bytes().all(is_plain)
}

/// An unnamed socket that executed programs do not inherit.
#[cfg(target_os = "linux")]
pub(super) fn stream_socket() -> io::Result<OwnedFd> {
    Ok(rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, rustix::net::SocketFlags::CLOEXEC, None)?)
}

/// An unnamed socket that executed programs do not inherit.
#[cfg(not(target_os = "linux"))]
pub(super) fn stream_socket() -> io::Result<OwnedFd> {
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    Ok(socket)
}

/// Whether the process at the other end belongs to the user of this one; root is no exception.
#[cfg(target_os = "linux")]
pub(super) fn is_own_peer(stream: &impl std::os::fd::AsFd) -> bool {
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid.as_raw() == own_user())
}

/// Elsewhere the rights of the directory and of the socket decide alone.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_own_peer(_: &impl std::os::fd::AsFd) -> bool {
    true
}

fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}
