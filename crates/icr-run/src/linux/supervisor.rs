//! What runs in the copy of the caller's process: a supervisor, and in its child what ends by executing the program.
//!
//! All of it may call only the functions of [`sys`], and may not allocate: when the copy was made, other threads of the
//! caller may have held any lock.

use std::ffi::{CString, c_int, c_ulong};
use std::os::fd::RawFd;

use seccompiler::BpfProgram;

use super::report::{SandboxStep, StepFailure, SupervisorReport};
use super::sys::{self, Errno, Stack, Texts};
use super::view::FilesystemView;

/// Descriptors of the supervisor, under the numbers that it gives them.
const NULL: RawFd = 3;
const OUTPUT: RawFd = 4;
const ERRORS: RawFd = 5;
const REPORTS: RawFd = 6;
const LIFE: RawFd = 7;
const RULESET: RawFd = 8;

/// Everything that the copy needs. It is prepared before the copy is made, since the copy cannot allocate.
pub(super) struct Orders {
    pub(super) descriptors: Descriptors,
    /// Whether the supervisor is the first process of a pid namespace, so that the kernel kills what it leaves.
    pub(super) is_first_process: bool,
    /// Whether it has a network of its own, whose loopback must be started.
    pub(super) has_own_network: bool,
    pub(super) view: Option<FilesystemView>,
    /// Paths in the view, and the access that Landlock is to grant to each.
    pub(super) landlock_rules: Vec<(CString, u64)>,
    pub(super) filters: Vec<BpfProgram>,
    pub(super) kept_capabilities: u64,
    pub(super) limits: Vec<(c_int, u64)>,
    pub(super) directory: CString,
    pub(super) file: CString,
    pub(super) arguments: Texts,
    pub(super) environment: Texts,
    /// For the child that executes the program.
    pub(super) stack: Stack,
}

/// Descriptors of the caller's process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Descriptors {
    /// `/dev/null`, open for reading and writing.
    pub(super) null: RawFd,
    /// Pipe for the program's standard output and error.
    pub(super) output: RawFd,
    pub(super) errors: RawFd,
    /// Pipe for reports.
    pub(super) reports: RawFd,
    /// Pipe from the caller: one byte lets the supervisor begin, its end makes the supervisor end.
    pub(super) life: RawFd,
    /// Rules of Landlock.
    pub(super) ruleset: Option<RawFd>,
}

/// Supervises the program until it or the caller ends. After that no process of the run is left.
pub(super) fn supervise(orders: &Orders) -> ! {
    if orders.is_first_process {
        // The kernel kills the supervisor when the caller's thread ends, and with it everything else.
        let _ = sys::set_process_option(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong);
    }
    if let Err(errno) = take_descriptors(&orders.descriptors) {
        SupervisorReport::Failed(StepFailure { step: SandboxStep::Start, part: 0, errno })
            .send(orders.descriptors.reports);
        sys::exit(1);
    }
    // If the caller died before the death signal was set above, this read notices it.
    if sys::read(LIFE, &mut [0]) != Ok(1) {
        sys::exit(1);
    }
    match start(orders) {
        Err(failure) => SupervisorReport::Failed(failure).send(REPORTS),
        Ok((program, signals)) => {
            let status = wait(program, signals);
            if !orders.is_first_process {
                kill_children(signals);
            }
            if let Some(status) = status {
                SupervisorReport::Ended(status).send(REPORTS);
            }
        }
    }
    sys::exit(0)
}

/// Gives the descriptors their numbers and closes all others.
fn take_descriptors(descriptors: &Descriptors) -> Result<(), Errno> {
    let Descriptors { null, output, errors, reports, life, ruleset } = *descriptors;
    let lifted = [
        (sys::duplicate_from_ten(null)?, NULL),
        (sys::duplicate_from_ten(output)?, OUTPUT),
        (sys::duplicate_from_ten(errors)?, ERRORS),
        (sys::duplicate_from_ten(reports)?, REPORTS),
        (sys::duplicate_from_ten(life)?, LIFE),
        (sys::duplicate_from_ten(ruleset.unwrap_or(null))?, RULESET),
    ];
    for (descriptor, number) in lifted {
        sys::redirect(descriptor, number)?;
    }
    for stream in 0..3 {
        sys::redirect(NULL, stream)?;
    }
    sys::close_from_to(RULESET + 1, RawFd::MAX);
    Ok(())
}

/// Builds the sandbox and starts the program. Returns its process id, and a descriptor that is readable when a child
/// has ended.
fn start(orders: &Orders) -> Result<(libc::pid_t, RawFd), StepFailure> {
    let starting = StepFailure::of(SandboxStep::Start);
    // If memory runs out, the kernel kills the command before any process of the user.
    if let Ok(score) = sys::open(c"/proc/self/oom_score_adj", libc::O_WRONLY) {
        let _ = sys::write(score, b"1000");
        sys::close(score);
    }
    // This process's memory is a copy of the caller's, so nobody in the sandbox may read it.
    sys::set_process_option(libc::PR_SET_DUMPABLE, 0).map_err(&starting)?;
    sys::notice_children();
    if !orders.is_first_process {
        sys::set_process_option(libc::PR_SET_CHILD_SUBREAPER, 1).map_err(&starting)?;
    }
    if orders.has_own_network {
        // A missing loopback only means less network; the command can run without it.
        let _ = sys::start_loopback();
    }
    if let Some(view) = &orders.view {
        view.enter()?;
    }
    if orders.descriptors.ruleset.is_some() {
        for (part, (path, access)) in orders.landlock_rules.iter().enumerate() {
            match sys::add_landlock_rule(RULESET, path, *access) {
                // A path that does not exist needs no rule.
                Ok(()) | Err(libc::ENOENT | libc::ENOTDIR | libc::EACCES) => {}
                Err(errno) => return Err(StepFailure { step: SandboxStep::Landlock, part: part as u16, errno }),
            }
        }
    }
    let signals = sys::child_signals().map_err(&starting)?;
    // SAFETY: this process has one thread, and `become_program` calls nothing but what `sys` has.
    let program = unsafe { sys::start_child(&orders.stack, become_program, orders) }.map_err(&starting)?;
    sys::close(OUTPUT);
    sys::close(ERRORS);
    Ok((program, signals))
}

/// Executes the program, or reports why it cannot.
fn become_program(orders: &Orders) -> ! {
    let Err(failure) = execute(orders);
    SupervisorReport::Failed(failure).send(REPORTS);
    sys::exit(127)
}

/// Gives up all rights that the program must not have, then executes it.
fn execute(orders: &Orders) -> Result<std::convert::Infallible, StepFailure> {
    let starting = StepFailure::of(SandboxStep::Start);
    sys::reset_signals();
    sys::new_session().map_err(&starting)?;
    sys::set_process_option(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong).map_err(&starting)?;
    sys::redirect(OUTPUT, 1).map_err(&starting)?;
    sys::redirect(ERRORS, 2).map_err(&starting)?;
    sys::change_directory(&orders.directory).map_err(StepFailure::of(SandboxStep::Directory))?;
    for (resource, most) in &orders.limits {
        sys::limit(*resource, *most).map_err(StepFailure::of(SandboxStep::Limits))?;
    }
    sys::keep_capabilities(orders.kept_capabilities).map_err(StepFailure::of(SandboxStep::Capabilities))?;
    sys::set_process_option(libc::PR_SET_NO_NEW_PRIVS, 1).map_err(&starting)?;
    if orders.descriptors.ruleset.is_some() {
        sys::restrict_by_landlock(RULESET).map_err(StepFailure::of(SandboxStep::Landlock))?;
    }
    sys::close_when_executed();
    for filter in &orders.filters {
        sys::filter_calls(filter).map_err(StepFailure::of(SandboxStep::Seccomp))?;
    }
    let errno = sys::execute(&orders.file, &orders.arguments, &orders.environment);
    Err(StepFailure { step: SandboxStep::Execute, part: 0, errno })
}

/// Waits for the end of `program` or of the caller. Returns the program's status. Its process group is gone then.
fn wait(program: libc::pid_t, signals: RawFd) -> Option<c_int> {
    loop {
        match sys::child_to_reap() {
            Ok(Some(ended)) => {
                if ended == program {
                    // Killed before the program is reaped, while its process id still names the group. This also ends
                    // processes that fork faster than they can be killed one by one, unless they left the group.
                    sys::kill_group(program);
                }
                match sys::ended_child(ended) {
                    Ok(Some((_, status))) if ended == program => return Some(status),
                    Ok(_) => continue,
                    Err(_) => return None,
                }
            }
            Ok(None) => {}
            Err(_) => return None,
        }
        let news = |descriptor| libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
        let mut descriptors = [news(signals), news(LIFE)];
        if sys::poll(&mut descriptors, -1).is_err() || descriptors[1].revents != 0 {
            sys::kill_group(program);
            return None;
        }
        drain(signals);
    }
}

/// Empties `signals`. The content does not matter.
fn drain(signals: RawFd) {
    let mut told = [0; 1024];
    while sys::read(signals, &mut told).is_ok_and(|count| count > 0) {}
}

/// Kills children until there are none. Orphans of killed children become children of this process.
fn kill_children(signals: RawFd) {
    loop {
        loop {
            match sys::ended_child(-1) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        if !signal_children() {
            return;
        }
        let mut descriptors = [libc::pollfd { fd: signals, events: libc::POLLIN, revents: 0 }];
        let _ = sys::poll(&mut descriptors, 1);
        drain(signals);
    }
}

/// Kills each child that the kernel lists; `false` if the kernel has no list of children.
fn signal_children() -> bool {
    let Ok(list) = sys::open(c"/proc/thread-self/children", libc::O_RDONLY) else {
        return false;
    };
    let mut buffer = [0; 4096];
    let mut child: libc::pid_t = 0;
    while let Ok(count @ 1..) = sys::read(list, &mut buffer) {
        for byte in &buffer[..count] {
            if byte.is_ascii_digit() {
                child = child.wrapping_mul(10).wrapping_add(libc::pid_t::from(byte - b'0'));
            } else {
                sys::kill(child);
                child = 0;
            }
        }
    }
    sys::close(list);
    true
}
