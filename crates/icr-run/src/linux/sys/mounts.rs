//! Calls that build a file system, with the rules of the module above.

use std::ffi::CStr;
use std::os::fd::RawFd;

use libc::{c_uint, c_ulong};

use super::{Errno, change_directory, checked_int, close, result_or_errno};

/// Flags of `open_tree`, `mount_setattr` and `move_mount`, from linux/mount.h.
const OPEN_TREE_CLONE: c_uint = 1;
const MOVE_MOUNT_F_EMPTY_PATH: c_uint = 4;
const MOUNT_ATTR_RDONLY: u64 = 1;
const MOUNT_ATTR_NOSUID: u64 = 2;
const MOUNT_ATTR_NODEV: u64 = 4;

pub(in crate::system) fn mount(
    source: &CStr,
    target: &CStr,
    kind: &CStr,
    flags: c_ulong,
    data: &CStr,
) -> Result<(), Errno> {
    // SAFETY: all texts end.
    let mounted = unsafe {
        libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, data.as_ptr().cast::<libc::c_void>())
    };
    checked_int(mounted).map(|_| ())
}

#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Restricts a mount, and with `is_recursive` all mounts below it.
fn restrict_mount(at: RawFd, path: &CStr, set: u64, is_recursive: bool) -> Result<(), Errno> {
    let attributes = MountAttributes { set, clear: 0, propagation: 0, user_namespace: 0 };
    let flags = libc::AT_EMPTY_PATH | if is_recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path ends, and the structure is as long as is said.
    let restricted = unsafe {
        let size = size_of::<MountAttributes>();
        libc::syscall(libc::SYS_mount_setattr, at, path.as_ptr(), flags, &raw const attributes, size)
    };
    result_or_errno(restricted).map(|_| ())
}

/// Makes the mount at `path` itself read-only.
pub(in crate::system) fn make_read_only(path: &CStr) -> Result<(), Errno> {
    restrict_mount(libc::AT_FDCWD, path, MOUNT_ATTR_RDONLY, false)
}

/// Shows `source`, and what is mounted below it, at `target` too. Devices work only with `has_devices`.
pub(in crate::system) fn show(
    source: &CStr,
    target: &CStr,
    is_read_only: bool,
    has_devices: bool,
) -> Result<(), Errno> {
    let flags = OPEN_TREE_CLONE | libc::O_CLOEXEC.cast_unsigned() | libc::AT_RECURSIVE.cast_unsigned();
    // SAFETY: the path ends.
    let tree = unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, source.as_ptr(), flags) };
    let tree = result_or_errno(tree)? as RawFd;
    let mut set = MOUNT_ATTR_NOSUID;
    set |= if is_read_only { MOUNT_ATTR_RDONLY } else { 0 };
    set |= if has_devices { 0 } else { MOUNT_ATTR_NODEV };
    let moved = restrict_mount(tree, c"", set, true).and_then(|()| {
        // SAFETY: the paths end.
        let moved = unsafe {
            let (from, to) = (c"".as_ptr(), target.as_ptr());
            libc::syscall(libc::SYS_move_mount, tree, from, libc::AT_FDCWD, to, MOVE_MOUNT_F_EMPTY_PATH)
        };
        result_or_errno(moved).map(|_| ())
    });
    close(tree);
    moved
}

/// Makes the working directory, which is a mount, the root of the file system; what was the root is gone.
pub(in crate::system) fn make_root() -> Result<(), Errno> {
    // SAFETY: the paths end.
    unsafe {
        result_or_errno(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()))?;
        checked_int(libc::umount2(c".".as_ptr(), libc::MNT_DETACH))?;
    }
    change_directory(c"/")
}

/// Makes a directory, unless it exists.
pub(in crate::system) fn make_directory(path: &CStr, mode: libc::mode_t) -> Result<(), Errno> {
    // SAFETY: the path ends.
    match checked_int(unsafe { libc::mkdir(path.as_ptr(), mode) }) {
        Err(libc::EEXIST) => Ok(()),
        result => result.map(|_| ()),
    }
}

/// Makes an empty file, unless it exists.
pub(in crate::system) fn make_file(path: &CStr) -> Result<(), Errno> {
    // SAFETY: the path ends.
    let made = unsafe { libc::open(path.as_ptr(), libc::O_CREAT | libc::O_RDONLY | libc::O_CLOEXEC, 0o600 as c_uint) };
    checked_int(made).map(close)
}

pub(in crate::system) fn make_link(target: &CStr, path: &CStr) -> Result<(), Errno> {
    // SAFETY: the paths end.
    checked_int(unsafe { libc::symlink(target.as_ptr(), path.as_ptr()) }).map(|_| ())
}
