//! Writes the user and group maps of a user namespace, from outside of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::sys;

/// Gives the user namespace of `process` its users: the caller, under the same number as outside. Root gets all
/// users that it has outside, so that it can write where others own files.
///
/// # Errors
///
/// The error of the system.
pub(super) fn map_users(process: libc::pid_t) -> io::Result<()> {
    let of = |file: &str| PathBuf::from(format!("/proc/{process}/{file}"));
    let (user, group) = sys::user_and_group();
    if user == 0 && map_all(&of("uid_map"), Path::new("/proc/self/uid_map")).is_ok() {
        return map_all(&of("gid_map"), Path::new("/proc/self/gid_map"));
    }
    fs::write(of("setgroups"), "deny")?;
    fs::write(of("uid_map"), format!("{user} {user} 1\n"))?;
    fs::write(of("gid_map"), format!("{group} {group} 1\n"))
}

/// Writes to `target` that each number of `own`, a map of this process, is itself.
fn map_all(target: &Path, own: &Path) -> io::Result<()> {
    let mut lines = String::new();
    for line in fs::read_to_string(own)?.lines() {
        let fields: Vec<_> = line.split_whitespace().collect();
        if let [first, _, count] = fields[..] {
            lines.push_str(&format!("{first} {first} {count}\n"));
        }
    }
    fs::write(target, lines)
}

/// Version of the running kernel; 0.0 if it is unknown.
pub(super) fn kernel_version() -> (u32, u32) {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map_while(|number| number.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
