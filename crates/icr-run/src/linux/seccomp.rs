//! A filter of system calls. It blocks calls that no program of a project needs, and calls that get around the other
//! means.

use std::collections::BTreeMap;

use libc::{c_int, c_long};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

/// Settings of the filter that depend on the other means.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wishes {
    /// Whether sockets of the internet may be made: the network is allowed, or is the run's own.
    pub(super) allows_internet: bool,
    /// Whether local sockets may be made: other means keep those of other processes out of reach.
    pub(super) allows_local_sockets: bool,
    /// Whether processes may be traced and limited: other means keep those outside of the run out of reach.
    pub(super) allows_tracing: bool,
}

/// Calls that act on the machine, on mounts or on the kernel, and those that have been its weak places.
const FORBIDDEN: &[c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pivot_root,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Calls of the same kind that only x86 has.
#[cfg(target_arch = "x86_64")]
const FORBIDDEN_HERE: &[c_long] = &[libc::SYS_ioperm, libc::SYS_iopl, libc::SYS_modify_ldt];
#[cfg(not(target_arch = "x86_64"))]
const FORBIDDEN_HERE: &[c_long] = &[];

/// Calls that set the mode of a file, with the number of their mode argument. A set-user-id program left in the
/// worktree would run with the user's rights for everybody who starts it.
const MODES: &[(c_long, u8)] =
    &[(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (libc::SYS_fchmodat2, 2), (libc::SYS_mknodat, 2)];

/// Calls of the same kind that only x86 has.
#[cfg(target_arch = "x86_64")]
const MODES_HERE: &[(c_long, u8)] = &[(libc::SYS_chmod, 1), (libc::SYS_creat, 1), (libc::SYS_mknod, 1)];
#[cfg(not(target_arch = "x86_64"))]
const MODES_HERE: &[(c_long, u8)] = &[];

/// Calls that may create a file: the numbers of their flags argument and of their mode argument.
const OPENINGS: &[(c_long, u8, u8)] = &[(libc::SYS_openat, 2, 3)];

/// Calls of the same kind that only x86 has.
#[cfg(target_arch = "x86_64")]
const OPENINGS_HERE: &[(c_long, u8, u8)] = &[(libc::SYS_open, 1, 2)];
#[cfg(not(target_arch = "x86_64"))]
const OPENINGS_HERE: &[(c_long, u8, u8)] = &[];

/// Flags with which a file is made; `O_TMPFILE` without the bit that it shares with `O_DIRECTORY`.
const MAKING: [c_int; 2] = [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY];

/// Calls that inspect or change other processes.
const TRACING: &[c_long] =
    &[libc::SYS_kcmp, libc::SYS_pidfd_getfd, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_ptrace];

/// Calls for which the filter answers that the kernel does not have them; programs then use older ones. A filter cannot
/// see what `io_uring` does or which namespaces `clone3` makes, and `openat2` has its mode in memory.
const UNKNOWN: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_openat2,
];

/// Flags of `clone` and `unshare` that make namespaces.
const NAMESPACES: [c_int; 8] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
    // CLONE_NEWTIME of linux/sched.h. In `clone` this bit belongs to the signal number, so it only counts for
    // `unshare`.
    0x80,
];

/// The filters, in the order of installing them. A call of another architecture kills the process.
///
/// # Errors
///
/// The error of the filter compiler.
pub(super) fn filters(wishes: Wishes) -> Result<Vec<BpfProgram>, String> {
    let mut forbidden: Rules = FORBIDDEN.iter().chain(FORBIDDEN_HERE).map(|call| (*call, Vec::new())).collect();
    if !wishes.allows_tracing {
        forbidden.extend(TRACING.iter().map(|call| (*call, Vec::new())));
        // A signal to everybody's processes at once, and limits of another process.
        let everybody = argument_condition(0, SeccompCmpOp::Eq, u64::from(u32::MAX))?;
        forbidden.insert(libc::SYS_kill, vec![rule(vec![everybody])?]);
        forbidden.insert(libc::SYS_prlimit64, vec![rule(vec![argument_condition(0, SeccompCmpOp::Ne, 0)?])?]);
    }
    for flag in NAMESPACES {
        let condition = || argument_condition(0, SeccompCmpOp::MaskedEq(flag as u64), flag as u64);
        forbidden.entry(libc::SYS_unshare).or_default().push(rule(vec![condition()?])?);
        if flag != 0x80 {
            forbidden.entry(libc::SYS_clone).or_default().push(rule(vec![condition()?])?);
        }
    }
    for bit in [libc::S_ISUID, libc::S_ISGID].map(u64::from) {
        let has_bit = |argument: u8| argument_condition(argument, SeccompCmpOp::MaskedEq(bit), bit);
        for (call, mode) in MODES.iter().chain(MODES_HERE) {
            forbidden.entry(*call).or_default().push(rule(vec![has_bit(*mode)?])?);
        }
        for (call, how, mode) in OPENINGS.iter().chain(OPENINGS_HERE) {
            for flag in MAKING.map(|flag| flag as u64) {
                let makes = argument_condition(*how, SeccompCmpOp::MaskedEq(flag), flag)?;
                forbidden.entry(*call).or_default().push(rule(vec![makes, has_bit(*mode)?])?);
            }
        }
    }
    // Requests that insert input into the terminal as if the user had typed it.
    for request in [libc::TIOCSTI, libc::TIOCLINUX] {
        let condition = argument_condition(1, SeccompCmpOp::Eq, request & u64::from(u32::MAX))?;
        forbidden.entry(libc::SYS_ioctl).or_default().push(rule(vec![condition])?);
    }
    let mut families = Vec::new();
    if wishes.allows_local_sockets {
        families.push(libc::AF_UNIX);
    }
    if wishes.allows_internet {
        families.extend([libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]);
    }
    let other_family: Result<Vec<_>, _> =
        families.iter().map(|family| argument_condition(0, SeccompCmpOp::Ne, *family as u64)).collect();
    let sockets = match other_family? {
        none if none.is_empty() => Vec::new(),
        conditions => vec![rule(conditions)?],
    };
    let unknown = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    Ok(vec![
        compiled(forbidden, libc::EPERM)?,
        compiled(Rules::from([(libc::SYS_socket, sockets)]), libc::EACCES)?,
        compiled(unknown, libc::ENOSYS)?,
    ])
}

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

fn argument_condition(argument: u8, how: SeccompCmpOp, value: u64) -> Result<SeccompCondition, String> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value).map_err(|error| error.to_string())
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, String> {
    SeccompRule::new(conditions).map_err(|error| error.to_string())
}

/// A filter that returns `errno` for the calls that `rules` match.
fn compiled(rules: Rules, errno: c_int) -> Result<BpfProgram, String> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    let answer = SeccompAction::Errno(errno.cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, architecture);
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(|error| error.to_string())?;
    Ok(without_other_numbers(program))
}

/// `program` with x86-64's second set of call numbers refused, the one for 32-bit pointers ("x32"): the rules do not
/// know those numbers.
fn without_other_numbers(program: BpfProgram) -> BpfProgram {
    if !cfg!(target_arch = "x86_64") {
        return program;
    }
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32_BIT: u32 = 0x4000_0000;
    let refuse = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
    let mut longer = vec![
        sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: X32_BIT },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: refuse },
    ];
    longer.extend(program);
    longer
}

#[cfg(test)]
mod tests {
    use super::{Wishes, filters};

    #[test]
    fn filters_fit_into_the_kernel_whatever_is_wished() {
        for wish in 0..8 {
            let wishes = Wishes {
                allows_internet: wish & 1 != 0,
                allows_local_sockets: wish & 2 != 0,
                allows_tracing: wish & 4 != 0,
            };
            let filters = filters(wishes).expect("filters");
            // BPF_MAXINSNS of linux/bpf_common.h.
            assert!(filters.iter().all(|filter| filter.len() > 8 && filter.len() < 4_096), "{wishes:?}");
        }
    }
}
