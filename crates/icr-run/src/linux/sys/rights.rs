//! Calls by which a process gives up rights, with the rules of the module above.

use std::ffi::CStr;
use std::os::fd::RawFd;
use std::ptr;

use libc::{c_int, c_uint, c_ulong};

use super::{Errno, checked_int, close, open, result_or_errno, set_process_option};

/// `landlock_add_rule`'s kind of a rule for a path, from linux/landlock.h.
const LANDLOCK_RULE_PATH_BENEATH: c_int = 1;

/// `landlock_create_ruleset`'s flag to ask for the version, from linux/landlock.h.
const LANDLOCK_CREATE_RULESET_VERSION: c_uint = 1;

/// Version of the structures of `capget` and `capset`, from linux/capability.h.
const CAPABILITY_VERSION_3: u32 = 0x2008_0522;

/// The highest number that a capability can have in those structures.
const CAPABILITIES: c_ulong = 64;

/// The version of Landlock that the kernel has.
pub(in crate::system) fn landlock_version() -> Result<c_int, Errno> {
    // SAFETY: the version is asked for, so that nothing is read.
    let version = unsafe {
        let none = ptr::null::<libc::c_void>();
        libc::syscall(libc::SYS_landlock_create_ruleset, none, 0_usize, LANDLOCK_CREATE_RULESET_VERSION)
    };
    result_or_errno(version).map(|version| version as c_int)
}

#[repr(C, packed)]
struct PathRule {
    access: u64,
    parent: i32,
}

/// Adds a rule to `ruleset` that grants `access` to `path` and everything below it.
pub(in crate::system) fn add_landlock_rule(ruleset: RawFd, path: &CStr, access: u64) -> Result<(), Errno> {
    let parent = open(path, libc::O_PATH)?;
    let rule = PathRule { access, parent };
    // SAFETY: the structure is what the kernel takes for this kind of rule.
    let added = unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &raw const rule, 0 as c_uint)
    };
    close(parent);
    result_or_errno(added).map(|_| ())
}

/// Restricts this process and all that it starts to what `ruleset` grants.
pub(in crate::system) fn restrict_by_landlock(ruleset: RawFd) -> Result<(), Errno> {
    // SAFETY: numbers only.
    result_or_errno(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset, 0 as c_uint) }).map(|_| ())
}

/// Installs `filter` for all further system calls.
pub(in crate::system) fn filter_calls(filter: &[seccompiler::sock_filter]) -> Result<(), Errno> {
    let program = libc::sock_fprog {
        len: filter.len() as libc::c_ushort,
        filter: filter.as_ptr().cast_mut().cast::<libc::sock_filter>(),
    };
    // SAFETY: both types are the kernel's `struct sock_filter`, and there are as many as is said; they are only read.
    let set = unsafe {
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER as c_ulong, &raw const program, 0_usize, 0_usize)
    };
    checked_int(set).map(|_| ())
}

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    process: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CapabilityHalf {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Gives up all capabilities but `kept`, for good.
pub(in crate::system) fn keep_capabilities(kept: u64) -> Result<(), Errno> {
    for capability in (0..CAPABILITIES).filter(|capability| kept & 1 << capability == 0) {
        // A failure is harmless: the process does not have the capability, or has it in a way that no executed program
        // would get.
        let _ = set_process_option(libc::PR_CAPBSET_DROP, capability);
    }
    // SAFETY: numbers only.
    unsafe { libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL as c_ulong, 0_usize, 0_usize, 0_usize) };
    let header = CapabilityHeader { version: CAPABILITY_VERSION_3, process: 0 };
    let mut halves = [CapabilityHalf { effective: 0, permitted: 0, inheritable: 0 }; 2];
    // SAFETY: this version has two halves, and there is room for them.
    unsafe { result_or_errno(libc::syscall(libc::SYS_capget, &raw const header, halves.as_mut_ptr()))? };
    for (half, kept) in halves.iter_mut().zip([kept as u32, (kept >> 32) as u32]) {
        half.permitted &= kept;
        half.effective = half.permitted;
        half.inheritable = 0;
    }
    // SAFETY: as above.
    result_or_errno(unsafe { libc::syscall(libc::SYS_capset, &raw const header, halves.as_ptr()) }).map(|_| ())
}
