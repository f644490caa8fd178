//! Systems without a sandbox: time and output are bounded, and the process group is killed where there is one.

use std::io::{self, Read};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::capture::Capture;
use crate::private::PrivateDirectory;
use crate::program::Program;
use crate::{
    CapturedOutput, CommandOutcome, CommandStatus, MissingMeans, Protection, Refusal, Sandbox, SandboxMeans,
    SandboxedCommand, environment,
};

/// How often the program's end and the caller's cancelling are checked.
const LOOKED_EVERY: Duration = Duration::from_millis(10);

/// How long the output in pipes is waited for after the program has ended. A process that left the group may hold a
/// pipe open.
const LAST_OUTPUT_MOST: Duration = Duration::from_millis(200);

/// The reason why no protection is in force here.
const WHY: &str = "icr has a sandbox on Linux only";

/// Runs `program` without a sandbox.
pub(crate) fn run(
    program: &Program,
    command: &SandboxedCommand<'_>,
    cancelled: &dyn Fn() -> bool,
) -> Result<CommandOutcome, Refusal> {
    if command.require_sandbox {
        return Err(Refusal::NoSandbox { lacks: vec![format!("anything: {WHY}")] });
    }
    let system = |doing: &str, source: io::Error| Refusal::System { doing: doing.to_owned(), source };
    let private = PrivateDirectory::new(&std::env::temp_dir(), &["tmp"])
        .map_err(|error| system("making a private directory", error))?;
    tracing::debug!(root = %program.root.display(), "a command runs without a sandbox: {WHY}");
    let started = Instant::now();
    let mut child = prepare_command(program, command, &private)
        .spawn()
        .map_err(|error| system(&format!("executing `{}`", command.argv[0]), error))?;
    let streams = [child.stdout.take().map(boxed), child.stderr.take().map(boxed)];
    let readers = streams.map(|stream| StreamReader::new(stream, command.output_bytes));
    let status = wait(&mut child, started + command.timeout, cancelled);
    kill(&mut child);
    let last = Instant::now() + LAST_OUTPUT_MOST;
    let [stdout, stderr] = readers.map(|reader| reader.finish(last));
    Ok(CommandOutcome { status, stdout, stderr, elapsed: started.elapsed(), sandbox: sandbox() })
}

fn boxed(stream: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(stream)
}

#[expect(clippy::disallowed_methods, reason = "a user's command is what this crate is about")]
fn prepare_command(
    program: &Program,
    command: &SandboxedCommand<'_>,
    private: &PrivateDirectory,
) -> std::process::Command {
    let mut prepared = std::process::Command::new(&program.file);
    let temporary = private.path().join("tmp");
    prepared
        .args(&command.argv[1..])
        .current_dir(&program.directory)
        .env_clear()
        .envs(environment::command_variables(&command.environment, &temporary, &program.directory))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut prepared, 0);
    prepared
}

/// How the program ended, or why it must.
fn wait(child: &mut Child, deadline: Instant, cancelled: &dyn Fn() -> bool) -> CommandStatus {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status_of(status),
            Ok(None) => {}
            Err(_) => return CommandStatus::Exited(-1),
        }
        if cancelled() {
            return CommandStatus::Cancelled;
        }
        if Instant::now() >= deadline {
            return CommandStatus::TimedOut;
        }
        thread::park_timeout(LOOKED_EVERY);
    }
}

#[cfg(unix)]
fn status_of(status: ExitStatus) -> CommandStatus {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    signal.map_or(CommandStatus::Exited(status.code().unwrap_or(-1)), CommandStatus::Signalled)
}

#[cfg(not(unix))]
fn status_of(status: ExitStatus) -> CommandStatus {
    CommandStatus::Exited(status.code().unwrap_or(-1))
}

/// Kills the program and its group.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// A thread that reads a stream, and what it has kept so far.
struct StreamReader {
    capture: Arc<Mutex<Capture>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl StreamReader {
    fn new(stream: Option<Box<dyn Read + Send>>, most: usize) -> Self {
        let capture = Arc::new(Mutex::new(Capture::new(most)));
        let kept = Arc::clone(&capture);
        let thread = stream.map(|mut stream| {
            thread::spawn(move || {
                let mut buffer = vec![0; 64 * 1024];
                while let Ok(count @ 1..) = stream.read(&mut buffer) {
                    lock(&kept).take(&buffer[..count]);
                }
            })
        });
        Self { capture, thread }
    }

    /// What was kept, once the stream has ended or at `last`.
    fn finish(self, last: Instant) -> CapturedOutput {
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) && Instant::now() < last {
            thread::park_timeout(Duration::from_millis(1));
        }
        std::mem::replace(&mut *lock(&self.capture), Capture::new(0)).finish()
    }
}

fn lock(capture: &Mutex<Capture>) -> MutexGuard<'_, Capture> {
    capture.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sandbox of a run here: almost no protection.
fn sandbox() -> Sandbox {
    let missing =
        |means| Protection { missing: vec![MissingMeans { means, why: WHY.to_owned() }], ..Protection::default() };
    let mut processes = missing(SandboxMeans::PidNamespace);
    if cfg!(unix) {
        processes.by.push(SandboxMeans::ProcessGroup);
    }
    let note = "what leaves the process group goes on, and the bytes that are written are not bounded";
    processes.notes.push(note.to_owned());
    processes.notes.push("files that the caller lets programs inherit are inherited".to_owned());
    Sandbox { files: missing(SandboxMeans::PrivateView), network: missing(SandboxMeans::NetworkNamespace), processes }
}
