//! One attempt to run a program, with the means that are left to try.

use std::ffi::{CString, OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, PipeWriter, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use super::disk::DiskWatch;
use super::plan::OwnDirectories;
use super::pump::{Pump, RunEnd};
use super::report::{SandboxStep, StepFailure};
use super::supervisor::{self, Descriptors, Orders};
use super::sys::{self, Stack, Texts};
use super::tasks::TaskWatch;
use super::{SandboxLayers, SandboxPlaces, freeze, namespace, plan, seccomp, sweep, system};
use crate::program::Program;
use crate::{CapturedOutput, CommandStatus, Refusal, SandboxedCommand, environment, private};

/// Longest wait until the kernel has ended a pid namespace. A process that takes longer hangs in the kernel.
const ENDING_MOST: Duration = Duration::from_secs(5);

/// Time that a supervisor without a pid namespace gets for killing its processes; after it they are stopped first.
const KILLING_MOST: Duration = Duration::from_secs(1);

/// Time that it gets after that. If it were killed earlier, all processes of the run would escape.
const KILLING_STOPPED_MOST: Duration = Duration::from_secs(30);

/// Result of an attempt.
pub(super) enum Attempt {
    /// The program ran.
    Ended { status: CommandStatus, stdout: CapturedOutput, stderr: CapturedOutput },
    /// The kernel refuses these namespaces.
    NoNamespaces(String),
    /// The kernel refuses these Landlock rules.
    NoLandlock(String),
    /// The kernel refused a step of building the sandbox; the text says which.
    Failed(StepFailure, String),
}

/// Runs `program` with the means of `layers`.
///
/// # Errors
///
/// [`Refusal::System`] for a failure that does not come from those means.
pub(super) fn attempt(
    program: &Program,
    command: &SandboxedCommand<'_>,
    places: &SandboxPlaces,
    private: &Path,
    layers: &SandboxLayers,
    cancelled: &dyn Fn() -> bool,
) -> Result<Attempt, Refusal> {
    let piping = |error| system("making a pipe", error);
    let (output, output_end) = io::pipe().map_err(piping)?;
    let (errors, errors_end) = io::pipe().map_err(piping)?;
    let (reports, reports_end) = io::pipe().map_err(piping)?;
    let (life_end, life) = io::pipe().map_err(piping)?;
    let null = OpenOptions::new().read(true).write(true).open("/dev/null");
    let null = null.map_err(|error| system("opening /dev/null", error))?;
    let ruleset = match layers.landlock.map(|abilities| abilities.ruleset(!command.network && !layers.own_network)) {
        None => None,
        Some(Ok(ruleset)) => Some(ruleset),
        Some(Err(why)) => return Ok(Attempt::NoLandlock(why)),
    };
    let descriptors = Descriptors {
        null: null.as_raw_fd(),
        output: output_end.as_raw_fd(),
        errors: errors_end.as_raw_fd(),
        reports: reports_end.as_raw_fd(),
        life: life_end.as_raw_fd(),
        ruleset: ruleset.as_ref().map(|ruleset| ruleset.as_raw_fd()),
    };
    let mark = format!("{:016x}{:016x}", private::random(), private::random());
    let orders = orders(program, command, places, private, layers, descriptors, &mark)?;

    let blocked = sys::BlockedSignals::new();
    // SAFETY: the copy goes straight to `supervise`, which calls nothing but what `sys` has and does not return.
    let copied = unsafe { sys::copy_process(layers.namespaces(), 0) };
    let (process, descriptor) = match copied {
        Ok(None) => supervisor::supervise(&orders),
        Ok(Some(copied)) => copied,
        Err(errno) => {
            drop(blocked);
            let why = io::Error::from_raw_os_error(errno).to_string();
            return Ok(Attempt::NoNamespaces(why));
        }
    };
    drop(blocked);
    let mut supervisor = Supervisor::new(process, descriptor, life, layers.pid_namespace, mark);
    drop((output_end, errors_end, reports_end));
    if layers.namespaces() & libc::CLONE_NEWUSER != 0
        && let Err(error) = namespace::map_users(process)
    {
        return Ok(Attempt::NoNamespaces(format!("writing its users: {error}")));
    }
    // This process has the other end of the pipe open too, so writing does not kill it when the supervisor has died.
    supervisor.begin().map_err(|error| system("starting the supervisor", error))?;
    drop(life_end);

    let watch = DiskWatch::new(&[&program.root, private], command.written_bytes_most);
    let streams = [OwnedFd::from(output), OwnedFd::from(errors)];
    let mut pump = Pump::new(streams, OwnedFd::from(reports), command.output_bytes)
        .map_err(|error| system("preparing pipes", error))?;
    let tasks = TaskWatch::new(process);
    let deadline = Instant::now() + command.timeout;
    let end = pump.run(supervisor.descriptor(), deadline, (&watch, &tasks), cancelled);
    supervisor.end();
    let [stdout, stderr] = pump.finish();
    Ok(match end {
        RunEnd::Failed(failure) => Attempt::Failed(failure, doing(failure, &orders, command)),
        RunEnd::Status(status) => Attempt::Ended { status, stdout, stderr },
    })
}

/// Everything that the supervisor needs.
fn orders(
    program: &Program,
    command: &SandboxedCommand<'_>,
    places: &SandboxPlaces,
    private: &Path,
    layers: &SandboxLayers,
    descriptors: Descriptors,
    mark: &str,
) -> Result<Orders, Refusal> {
    let (view, own) = if layers.view {
        let (view, own) = plan::view(places, private, layers);
        (Some(view), own)
    } else {
        let temporary = private.join("tmp");
        (None, OwnDirectories { writable: vec![temporary.clone()], temporary })
    };
    let landlock_rules = match layers.landlock {
        Some(abilities) if layers.view => abilities.rules_of_view(places, &own.writable),
        Some(abilities) => abilities.rules_without_view(places, &own.writable),
        None => Vec::new(),
    };
    let filters = if layers.seccomp {
        seccomp::filters(layers.wishes()).map_err(|why| system("making filters of calls", io::Error::other(why)))?
    } else {
        Vec::new()
    };
    let mut variables = environment::command_variables(&command.environment, &own.temporary, &program.directory);
    variables.push((OsString::from(sweep::VARIABLE), OsString::from(mark)));
    let variables: Vec<_> = variables
        .iter()
        .map(|(name, value)| c_text(&[name.as_bytes(), b"=", value.as_bytes()].concat()))
        .collect::<Result<_, _>>()?;
    let arguments: Vec<_> = command.argv.iter().map(|text| c_text(text.as_bytes())).collect::<Result<_, _>>()?;
    let path = |path: &Path| c_text(OsStr::as_bytes(path.as_os_str()));
    Ok(Orders {
        descriptors,
        is_first_process: layers.pid_namespace,
        has_own_network: layers.own_network,
        view,
        landlock_rules,
        filters,
        kept_capabilities: plan::kept_capabilities(&program.root),
        limits: plan::limits(command, layers),
        directory: path(&program.directory)?,
        file: path(&program.file)?,
        arguments: Texts::new(arguments),
        environment: Texts::new(variables),
        stack: Stack::new(),
    })
}

fn c_text(bytes: &[u8]) -> Result<CString, Refusal> {
    CString::new(bytes).map_err(|_| Refusal::Nul { what: "a text for the system".to_owned() })
}

/// The step that `failure` happened in, for messages.
fn doing(failure: StepFailure, orders: &Orders, command: &SandboxedCommand<'_>) -> String {
    let program = command.argv.first().map_or("", String::as_str);
    match failure.step {
        SandboxStep::Start => "preparing the process".to_owned(),
        SandboxStep::View => orders.view.as_ref().map_or_else(String::new, |view| view.part(failure.part)),
        SandboxStep::Proc => "mounting /proc".to_owned(),
        SandboxStep::Landlock => match orders.landlock_rules.get(usize::from(failure.part)) {
            Some((path, _)) => format!("granting {path:?}"),
            None => "restricting".to_owned(),
        },
        SandboxStep::Seccomp => "installing a filter".to_owned(),
        SandboxStep::Capabilities => "giving up capabilities".to_owned(),
        SandboxStep::Limits => "setting limits".to_owned(),
        SandboxStep::Directory => format!("entering `{}`", command.directory.display()),
        SandboxStep::Execute => format!("executing `{program}`"),
    }
}

/// The supervisor of a run. Dropping it ends every process of the run.
struct Supervisor {
    process: libc::pid_t,
    descriptor: Option<OwnedFd>,
    life: Option<PipeWriter>,
    is_first_process: bool,
    mark: String,
}

impl Supervisor {
    fn new(process: libc::pid_t, descriptor: i32, life: PipeWriter, is_first_process: bool, mark: String) -> Self {
        // SAFETY: the system gave this descriptor for the process, and nobody else knows of it.
        let descriptor = (descriptor >= 0).then(|| unsafe { OwnedFd::from_raw_fd(descriptor) });
        Self { process, descriptor, life: Some(life), is_first_process, mark }
    }

    fn descriptor(&self) -> Option<&OwnedFd> {
        self.descriptor.as_ref()
    }

    /// Lets the supervisor begin.
    fn begin(&mut self) -> io::Result<()> {
        self.life.as_mut().map_or(Ok(()), |life| life.write_all(b"b"))
    }

    /// Ends the supervisor and the whole run. Returns when all processes are gone.
    fn end(&mut self) {
        if self.life.take().is_none() {
            return;
        }
        if self.is_first_process {
            sys::kill(self.process);
        }
        let has_ended = if self.is_first_process {
            self.wait(ENDING_MOST)
        } else {
            self.wait(KILLING_MOST) || {
                freeze::stop_descendants(self.process);
                self.wait(KILLING_STOPPED_MOST)
            }
        };
        if !has_ended {
            sys::kill(self.process);
            if !self.wait(ENDING_MOST) {
                tracing::warn!(process = self.process, "a process of a command does not end: it hangs in the kernel");
            }
        }
        if !self.is_first_process {
            sweep::kill_all_of(&self.mark);
        }
    }

    /// Waits for its end; `false` when it takes longer than `most`.
    fn wait(&self, most: Duration) -> bool {
        let deadline = Instant::now() + most;
        loop {
            // An error means that there is no such child, so it has ended too.
            if !matches!(sys::ended_child(self.process), Ok(None)) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let news = |descriptor: &OwnedFd| libc::pollfd {
                fd: descriptor.as_fd().as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            let mut descriptors: Vec<_> = self.descriptor.iter().map(news).collect();
            let milliseconds = if descriptors.is_empty() { 1 } else { left.as_millis().clamp(1, 1_000) as i32 };
            let _ = sys::poll(&mut descriptors, milliseconds);
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.end();
    }
}
