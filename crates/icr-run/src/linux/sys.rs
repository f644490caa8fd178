//! System calls that are safe in a process that was forked from one with many threads.
//!
//! Nothing here allocates, locks or panics, and nothing reads what another thread may have been writing. Texts come
//! with their end, numbers of descriptors are the caller's. Nearly all unsafe code of the crate is here.

mod mounts;
mod rights;

use std::cell::UnsafeCell;
use std::ffi::CStr;
use std::mem;
use std::os::fd::RawFd;
use std::ptr;

use libc::{c_int, c_long, c_uint, c_ulong, pid_t};

pub(super) use mounts::{make_directory, make_file, make_link, make_read_only, make_root, mount, show};
pub(super) use rights::{add_landlock_rule, filter_calls, keep_capabilities, landlock_version, restrict_by_landlock};

/// The error number of a system call.
pub(super) type Errno = c_int;

fn errno() -> Errno {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

fn result_or_errno(result: c_long) -> Result<c_long, Errno> {
    if result == -1 { Err(errno()) } else { Ok(result) }
}

fn checked_int(result: c_int) -> Result<c_int, Errno> {
    if result == -1 { Err(errno()) } else { Ok(result) }
}

/// Copies this process into new namespaces. In the copy it returns `None`, in the parent the copy's process id and a
/// descriptor of it.
///
/// The copy sends `signal` to the parent when it ends. Without a signal, only a wait for this very process notices the
/// end.
///
/// # Safety
///
/// The copy has one thread. It must call nothing but what is in this module until it executes a program or exits.
pub(super) unsafe fn copy_process(namespaces: c_int, signal: c_int) -> Result<Option<(pid_t, RawFd)>, Errno> {
    let mut descriptor: c_int = -1;
    let flags = c_ulong::from((namespaces | signal | libc::CLONE_PIDFD).cast_unsigned());
    // SAFETY: the copy goes on on a copy of this stack, as with `fork`; the descriptor has room.
    let child = unsafe { libc::syscall(libc::SYS_clone, flags, 0_usize, &raw mut descriptor, 0_usize, 0_usize) };
    match result_or_errno(child)? {
        0 => Ok(None),
        child => Ok(Some((child as pid_t, descriptor))),
    }
}

/// Memory for a child that shares this process's until it executes a program.
pub(super) struct Stack(Vec<UnsafeCell<u128>>);

impl Stack {
    /// Enough for a few nested calls and no large values.
    const BYTES: usize = 64 * 1024;

    pub(super) fn new() -> Self {
        Self((0..Self::BYTES / size_of::<u128>()).map(|_| UnsafeCell::new(0)).collect())
    }
}

/// Starts a child on `stack` that shares the memory of this process. The child calls `run`. This process waits until
/// the child has executed a program or exited.
///
/// # Safety
///
/// This process has one thread. `run` must call only the functions of this module and must not keep `argument`.
pub(super) unsafe fn start_child<T>(stack: &Stack, run: fn(&T) -> !, argument: &T) -> Result<pid_t, Errno> {
    struct ChildCall<'a, T>(fn(&T) -> !, &'a T);
    extern "C" fn enter<T>(call: *mut libc::c_void) -> c_int {
        // SAFETY: it is the call below, which lives until this child has left the memory.
        let ChildCall(run, argument) = unsafe { &*call.cast::<ChildCall<'_, T>>() };
        run(argument)
    }
    let mut call = ChildCall(run, argument);
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: stacks grow down, from an end that is aligned; nobody else has it, since this process waits.
    let child = unsafe {
        let end = stack.0.as_ptr_range().end.cast_mut().cast::<libc::c_void>();
        libc::clone(enter::<T>, end, flags, (&raw mut call).cast())
    };
    checked_int(child)
}

/// Blocks signals for this thread while the value lives, so that a copy of the process runs no handler.
pub(super) struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    pub(super) fn new() -> Self {
        // SAFETY: a set of signals is numbers; both sets have room.
        unsafe {
            let mut all: libc::sigset_t = mem::zeroed();
            let mut before: libc::sigset_t = mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            Self(before)
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the set was filled by the system.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut()) };
    }
}

/// Resets signals to what a program expects: all handlers default, none blocked.
pub(super) fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: no handler is set, and signals that have none to set are refused.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: a set of signals is numbers, and there is room for it.
    unsafe {
        let mut none: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

/// A descriptor that can be read when a child has ended. Signals must be blocked.
pub(super) fn child_signals() -> Result<RawFd, Errno> {
    // SAFETY: a set of signals is numbers, and there is room for it.
    unsafe {
        let mut set: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        checked_int(libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))
    }
}

/// Resets SIGCHLD to its default: if it is ignored, ended children vanish without notice.
pub(super) fn notice_children() {
    // SAFETY: no handler is set.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Waits until one of `descriptors` has an event, at most `milliseconds` (-1: no limit).
pub(super) fn poll(descriptors: &mut [libc::pollfd], milliseconds: c_int) -> Result<(), Errno> {
    // SAFETY: there are as many as is said.
    match checked_int(unsafe { libc::poll(descriptors.as_mut_ptr(), descriptors.len() as _, milliseconds) }) {
        Err(libc::EINTR) => Ok(()),
        result => result.map(|_| ()),
    }
}

pub(super) fn read(descriptor: RawFd, into: &mut [u8]) -> Result<usize, Errno> {
    loop {
        // SAFETY: there is as much room as is said.
        let count = unsafe { libc::read(descriptor, into.as_mut_ptr().cast(), into.len()) };
        match result_or_errno(count as c_long) {
            Err(libc::EINTR) => {}
            result => return result.map(|count| count as usize),
        }
    }
}

pub(super) fn write(descriptor: RawFd, bytes: &[u8]) -> Result<usize, Errno> {
    loop {
        // SAFETY: there are as many bytes as is said.
        let count = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        match result_or_errno(count as c_long) {
            Err(libc::EINTR) => {}
            result => return result.map(|count| count as usize),
        }
    }
}

pub(super) fn open(path: &CStr, flags: c_int) -> Result<RawFd, Errno> {
    // SAFETY: the path ends.
    checked_int(unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC) })
}

pub(super) fn close(descriptor: RawFd) {
    // SAFETY: whoever calls owns it; this process has one thread.
    unsafe { libc::close(descriptor) };
}

/// Duplicates a descriptor to a number of 10 or above.
pub(super) fn duplicate_from_ten(descriptor: RawFd) -> Result<RawFd, Errno> {
    // SAFETY: numbers only.
    checked_int(unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 10) })
}

/// Duplicates `descriptor` to `target`, which executed programs inherit.
pub(super) fn redirect(descriptor: RawFd, target: RawFd) -> Result<(), Errno> {
    // SAFETY: numbers only.
    checked_int(unsafe { libc::dup2(descriptor, target) }).map(|_| ())
}

/// Closes all descriptors from `first` to `last`.
pub(super) fn close_from_to(first: RawFd, last: RawFd) {
    // SAFETY: numbers only; this process has one thread, and keeps what it needs elsewhere.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, first as c_uint, last as c_uint, 0) };
    if closed == -1 {
        // An older kernel. Higher descriptors stay open until a program is executed.
        const MOST: RawFd = 65_536;
        (first..=last.min(MOST)).for_each(close);
    }
}

/// Closes all descriptors from 3 on once a program is executed.
pub(super) fn close_when_executed() {
    const CLOSE_RANGE_CLOEXEC: c_uint = 4;
    // SAFETY: numbers only.
    let marked = unsafe { libc::syscall(libc::SYS_close_range, 3 as c_uint, c_uint::MAX, CLOSE_RANGE_CLOEXEC) };
    if marked == -1 {
        for descriptor in 3..65_536 {
            // SAFETY: numbers only.
            unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
}

pub(super) fn set_process_option(option: c_int, value: c_ulong) -> Result<(), Errno> {
    // SAFETY: numbers only.
    checked_int(unsafe { libc::prctl(option, value, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong) }).map(|_| ())
}

pub(super) fn new_session() -> Result<(), Errno> {
    // SAFETY: numbers only.
    checked_int(unsafe { libc::setsid() }).map(|_| ())
}

pub(super) fn change_directory(path: &CStr) -> Result<(), Errno> {
    // SAFETY: the path ends.
    checked_int(unsafe { libc::chdir(path.as_ptr()) }).map(|_| ())
}

/// Sets the limit `resource` to `most`, or to the hard limit where that is lower.
pub(super) fn limit(resource: c_int, most: u64) -> Result<(), Errno> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: there is room for a limit; limits are numbers. Some C libraries have another type for resources.
    unsafe {
        checked_int(libc::getrlimit(resource as _, &raw mut limit))?;
        let most = most.min(limit.rlim_max);
        limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        checked_int(libc::setrlimit(resource as _, &raw const limit)).map(|_| ())
    }
}

/// Ends this process without anything else.
pub(super) fn exit(code: c_int) -> ! {
    // SAFETY: it does not return.
    unsafe { libc::_exit(code) }
}

/// Texts in the form that `execve` takes: pointers to them, ended by a null pointer.
pub(super) struct Texts {
    pointers: Vec<*const libc::c_char>,
    /// What the pointers lead to. Moving the vector does not move the texts.
    _owned: Vec<std::ffi::CString>,
}

impl Texts {
    pub(super) fn new(owned: Vec<std::ffi::CString>) -> Self {
        let pointers = owned.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Self { pointers, _owned: owned }
    }
}

/// Executes `file` in place of this process; returns only when it cannot.
pub(super) fn execute(file: &CStr, arguments: &Texts, environment: &Texts) -> Errno {
    // SAFETY: the path ends, and so do both lists and all of their texts.
    unsafe { libc::execve(file.as_ptr(), arguments.pointers.as_ptr(), environment.pointers.as_ptr()) };
    errno()
}

/// What became of a child: its process id and status, `None` when none has ended.
pub(super) fn ended_child(child: pid_t) -> Result<Option<(pid_t, c_int)>, Errno> {
    let mut status = 0;
    // SAFETY: there is room for a status.
    let ended = unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG | libc::__WALL) };
    Ok(match checked_int(ended)? {
        0 => None,
        ended => Some((ended, status)),
    })
}

/// A child that has ended, `None` if none has. It is not reaped, so its process id cannot be reused yet.
pub(super) fn child_to_reap() -> Result<Option<pid_t>, Errno> {
    // SAFETY: what is told of a child is numbers, for which zeros are right, and there is room for it.
    unsafe {
        let mut told: libc::siginfo_t = mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
        checked_int(libc::waitid(libc::P_ALL, 0, &raw mut told, options))?;
        let child = told.si_pid();
        Ok((child != 0).then_some(child))
    }
}

/// Kills all processes of the group of `process` at once, however fast they start others.
pub(super) fn kill_group(process: pid_t) {
    if process > 1 {
        // SAFETY: numbers only.
        unsafe { libc::kill(-process, libc::SIGKILL) };
    }
}

pub(super) fn kill(process: pid_t) {
    if process > 1 {
        // SAFETY: numbers only.
        unsafe { libc::kill(process, libc::SIGKILL) };
    }
}

pub(super) fn is_root() -> bool {
    // SAFETY: numbers only.
    unsafe { libc::geteuid() == 0 }
}

/// The user and the group that this process acts as.
pub(super) fn user_and_group() -> (u32, u32) {
    // SAFETY: numbers only.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Starts the loopback interface of this network namespace.
pub(super) fn start_loopback() -> Result<(), Errno> {
    // SAFETY: the request is numbers, has room for flags, and names the interface with its end.
    unsafe {
        let socket = checked_int(libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0))?;
        let mut request: libc::ifreq = mem::zeroed();
        for (into, letter) in request.ifr_name.iter_mut().zip(c"lo".to_bytes()) {
            *into = *letter as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let started = checked_int(libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request));
        close(socket);
        started.map(|_| ())
    }
}
