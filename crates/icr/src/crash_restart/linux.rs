//! The implementation for Linux.

use std::cell::UnsafeCell;
use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStringExt;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use icr_engine::{TextId, ThreadReading};

use super::{INPUT, ReplayableInput};
use crate::environment;

/// Environment variable with the texts that ended processes. It begins with a process id, so that a child process which
/// inherits it ignores it. Then each text follows as sixteen hexadecimal digits and a comma, once for each time it
/// ended the process.
const STRIKES: &str = "ICR_CRASH_RESTART_TEXTS";

/// Environment variable with the file descriptor of the requests that a server has not answered.
const UNANSWERED: &str = "ICR_CRASH_RESTART_INPUT";

/// Bytes for one text: sixteen digits and a comma.
const STRIKE_BYTES: usize = 17;

/// How often a text must end the process before it is read without a grammar. Once is not enough, because somebody may
/// have sent the signal.
const STRIKES_OUT: usize = 2;

/// Strikes after which the process does not restart any more: a clone with so many such texts is meant to crash it.
const STRIKES_MOST: usize = 64;

/// Beginning of the name that Linux gives a memory file called `icr` (memfd_create(2)).
const MEMORY_FILE: &str = "/memfd:icr";

/// The first file descriptor after standard input, output and error.
const FIRST_FILE: c_uint = 3;

/// Signals of a crash, a failed assertion or a failed allocation.
const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// Processor time on one text after which it counts as an endless loop. The worst of thousands of texts that were made
/// to be slow took seven seconds.
const ENDLESS: Duration = Duration::from_secs(60);

/// Interval between two checks of the threads' processor time.
const LOOK: Duration = Duration::from_secs(10);

/// How often to check again, one millisecond apart, whether an answer is still being written.
const LOOKS_AT_WRITES: u32 = 1_000;

/// Everything that a signal handler needs to restart the program. A handler must not allocate or wait for a lock.
struct Restart {
    arguments: Vec<*const c_char>,
    /// Environment of this process plus two variables, whose texts are in `strikes` and `unanswered`.
    environment: Vec<*const c_char>,
    strikes: Text,
    unanswered: Text,
    /// The directory that the process was started in.
    directory: c_int,
    /// Actions of the signals before.
    before: [libc::sigaction; SIGNALS.len()],
}

/// A C string of fixed capacity. Only the thread that restarts the process writes it.
struct Text {
    bytes: &'static [UnsafeCell<u8>],
    length: UnsafeCell<usize>,
    /// Length that stays when the text is cut for another try.
    begin: usize,
}

// SAFETY: the pointers are to memory that is never freed, and only the thread that sets `IS_BEGUN` writes `Text`s.
unsafe impl Send for Restart {}
// SAFETY: as for `Send`.
unsafe impl Sync for Restart {}

static RESTART: OnceLock<Restart> = OnceLock::new();

/// Whether a thread is restarting the process.
static IS_BEGUN: AtomicBool = AtomicBool::new(false);

impl Text {
    /// The text `begin`, with room for `room` more bytes and the terminating NUL.
    fn with_room(begin: &str, room: usize) -> Self {
        let bytes: Box<[_]> = begin.bytes().chain(std::iter::repeat_n(0, room + 1)).map(UnsafeCell::new).collect();
        Self { bytes: Box::leak(bytes), length: UnsafeCell::new(begin.len()), begin: begin.len() }
    }

    fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr().cast()
    }

    /// Removes what was added after `begin`.
    ///
    /// # Safety
    ///
    /// No other thread writes at the same time.
    unsafe fn cut(&self) {
        // SAFETY: nobody else writes, as the caller promises.
        unsafe {
            *self.length.get() = self.begin;
            self.bytes[self.begin..].iter().for_each(|byte| *byte.get() = 0);
        }
    }

    /// Appends `text` as far as there is room. Formatting numbers does not allocate, so a signal handler may call this.
    ///
    /// # Safety
    ///
    /// No other thread does so at the same time.
    unsafe fn push(&self, text: fmt::Arguments<'_>) {
        /// Appends to a `Text` that no other thread writes.
        struct TextAppender<'a>(&'a Text);

        impl fmt::Write for TextAppender<'_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                let Self(Text { bytes, length, .. }) = self;
                // SAFETY: nobody else writes, as the caller of `push` promises, and nobody reads before the text is handed to the system.
                let length = unsafe { &mut *length.get() };
                if *length + text.len() >= bytes.len() {
                    return Err(fmt::Error);
                }
                for byte in text.bytes() {
                    // SAFETY: as above.
                    unsafe { *bytes[*length].get() = byte };
                    *length += 1;
                }
                Ok(())
            }
        }

        let _ = fmt::Write::write_fmt(&mut TextAppender(self), text);
    }
}

pub(super) fn install() {
    let known = strikes();
    let out = known.iter().filter(|text| known.iter().filter(|other| other == text).count() >= STRIKES_OUT);
    let out: BTreeSet<TextId> = out.copied().collect();
    icr_engine::give_up_on(out);
    if known.len() >= STRIKES_MOST {
        return;
    }
    let Ok(directory) =
        rustix::fs::open(".", rustix::fs::OFlags::PATH | rustix::fs::OFlags::CLOEXEC, rustix::fs::Mode::empty())
    else {
        return;
    };
    // Leaked on purpose: a handler may need it at any time.
    let leaked = |text: Vec<u8>| CString::new(text).ok().map(|text| text.into_raw().cast_const());
    let end = [ptr::null()];
    let arguments: Vec<_> =
        environment::arguments().into_iter().filter_map(|argument| leaked(argument.into_vec())).collect();
    let kept = environment::all().into_iter().filter(|(name, _)| name != STRIKES && name != UNANSWERED);
    let variables =
        kept.filter_map(|(name, value)| leaked([name.into_vec(), b"=".to_vec(), value.into_vec()].concat()));
    let known: String = known.iter().map(|text| format!("{text:016x},")).collect();
    let strikes = Text::with_room(&format!("{STRIKES}={}:{known}", std::process::id()), STRIKES_OUT * STRIKE_BYTES);
    let unanswered = Text::with_room(&format!("{UNANSWERED}="), 10);
    let environment = variables.chain([strikes.as_ptr(), unanswered.as_ptr()]).chain(end).collect();
    let mut restart = Restart {
        arguments: arguments.into_iter().chain(end).collect(),
        environment,
        strikes,
        unanswered,
        directory: std::os::fd::IntoRawFd::into_raw_fd(directory),
        // SAFETY: a `sigaction` is numbers and a pointer, for which zeros are right.
        before: unsafe { MaybeUninit::zeroed().assume_init() },
    };
    let mut ours: libc::sigaction = restart.before[0];
    ours.sa_sigaction = handle as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
    // Runs on the alternate stack that the standard library gives each thread, because the normal stack may have
    // overflowed.
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // A handler that goes wrong itself ends the process, and does not wait for itself.
    // SAFETY: there is room for a set of signals.
    unsafe { libc::sigfillset(&raw mut ours.sa_mask) };
    for (signal, before) in SIGNALS.into_iter().zip(&mut restart.before) {
        // SAFETY: `before` has room for an action.
        unsafe { libc::sigaction(signal, ptr::null(), before) };
    }
    if RESTART.set(restart).is_ok() {
        for signal in SIGNALS {
            // SAFETY: the handler does only what handlers may, and finds what it needs in `RESTART`.
            unsafe { libc::sigaction(signal, &raw const ours, ptr::null_mut()) };
        }
        icr_engine::observe_readings(|| {
            drop(std::thread::Builder::new().name("last resort".to_owned()).spawn(look_for_endless))
        });
    }
}

/// Texts that ended the process before its restarts, each once per time.
fn strikes() -> Vec<TextId> {
    let strikes = environment::variable(STRIKES).and_then(|text| text.into_string().ok()).unwrap_or_default();
    let own = strikes.strip_prefix(&format!("{}:", std::process::id())).unwrap_or_default();
    own.split(',').filter_map(|text| TextId::from_str_radix(text, 16).ok()).collect()
}

pub(super) fn report_restart() {
    let times = strikes().len();
    if times > 0 {
        tracing::warn!(
            times,
            "reading a file ended icr, which began again; a file that does so twice is read as plain text"
        );
    }
}

pub(super) fn unanswered_input() -> Vec<u8> {
    let number = environment::variable(UNANSWERED).and_then(|number| number.to_str()?.parse::<c_int>().ok());
    let path = number.map(|number| std::path::PathBuf::from(format!("/proc/self/fd/{number}")));
    // A child process that inherits the variable does not have the file.
    let is_ours = |path: &std::path::PathBuf| {
        std::fs::read_link(path).is_ok_and(|link| link.to_string_lossy().starts_with(MEMORY_FILE))
    };
    let text = path.filter(is_ours).and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    if let Some(number) = number.filter(|_| !text.is_empty()) {
        // SAFETY: the process before this one in its place opened it, and nobody else knows of it.
        unsafe { libc::close(number) };
    }
    text
}

/// Restarts the process if this thread was reading a text; otherwise does what the signal did before.
extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    if let Some(text) = icr_engine::text_of_this_thread() {
        begin_again(&[text]);
    }
    let before = RESTART.get().zip(SIGNALS.iter().position(|known| *known == signal));
    if let Some((restart, at)) = before {
        // SAFETY: the action is the one that `sigaction` returned, and the system passes valid information to a
        // handler. After a crash, the instruction crashes again when this handler returns; a signal that somebody sent,
        // which has no positive code, is raised again.
        unsafe {
            libc::sigaction(signal, &raw const restart.before[at], ptr::null_mut());
            if (*info).si_code <= 0 {
                libc::raise(signal);
            }
        }
    }
}

/// Executes the program again, with `texts` added to the strikes. Returns only if that fails. Must not be called on a
/// thread that holds LMDB's writer lock, because the lock is kept across the restart. Threads that read texts do not
/// hold it.
fn begin_again(texts: &[TextId]) {
    let Some(restart) = RESTART.get() else { return };
    while IS_BEGUN.swap(true, Ordering::SeqCst) {
        // Another thread is restarting the process, which ends this thread.
        pause();
    }
    execute(restart, texts);
    IS_BEGUN.store(false, Ordering::SeqCst);
}

/// The work of [`begin_again`]; only one thread may run it at a time.
fn execute(restart: &Restart, texts: &[TextId]) {
    // SAFETY: `IS_BEGUN` lets one thread through.
    unsafe {
        restart.strikes.cut();
        restart.unanswered.cut();
    }
    let (mut _held, mut handed_over) = (None, None);
    for text in texts {
        // SAFETY: as above.
        unsafe { restart.strikes.push(format_args!("{text:016x},")) };
    }
    match INPUT.get() {
        None => {}
        Some(ReplayableInput::Whole(bytes)) => {
            let Some(file) = file_of(&mut |write| write(bytes)) else { return };
            // SAFETY: both are numbers of open files, and the first is needed no more.
            let is_input = unsafe { libc::dup2(file, libc::STDIN_FILENO) >= 0 };
            // SAFETY: as above.
            unsafe { libc::close(file) };
            if !is_input {
                return;
            }
        }
        Some(ReplayableInput::Served(kept)) => {
            let mut looks = 0;
            let mut wait = || {
                pause();
                looks += 1;
                looks < LOOKS_AT_WRITES
            };
            let file = file_of(&mut |write| _held = kept.hold(&mut wait, write));
            let Some(file) = file else { return };
            if _held.is_none() {
                // SAFETY: the file was just opened.
                unsafe { libc::close(file) };
                return;
            }
            // SAFETY: as above.
            unsafe { restart.unanswered.push(format_args!("{file}")) };
            handed_over = Some(file);
        }
    }
    // SAFETY: all pointers are to C strings and terminated lists, none of which is ever freed. The call also closes
    // files of libraries that would otherwise stay open in the new process. Signals that are blocked in this thread
    // would stay blocked there, so they are unblocked; pending ones are dropped first.
    unsafe {
        libc::syscall(libc::SYS_close_range, FIRST_FILE, c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
        if let Some(file) = handed_over {
            libc::fcntl(file, libc::F_SETFD, 0);
        }
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        for disposition in [libc::SIG_IGN, libc::SIG_DFL] {
            action.sa_sigaction = disposition;
            for signal in SIGNALS {
                libc::sigaction(signal, &raw const action, ptr::null_mut());
            }
            let mut none = MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigemptyset(none.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        }
        libc::fchdir(restart.directory);
        libc::execve(c"/proc/self/exe".as_ptr(), restart.arguments.as_ptr(), restart.environment.as_ptr());
    }
}

/// Sleeps for a millisecond, in a way that a signal handler may use.
fn pause() {
    // SAFETY: no descriptors are waited for.
    unsafe { libc::poll(ptr::null_mut(), 0, 1) };
}

/// Callback that writes a piece of a file.
type Write<'a> = &'a mut dyn FnMut(&[u8]);

/// A memory file with what `fill` writes, positioned at its start. It stays open in the restarted process.
fn file_of(fill: &mut dyn FnMut(Write<'_>)) -> Option<c_int> {
    // SAFETY: the name is a C string.
    let file = unsafe { libc::memfd_create(c"icr".as_ptr(), 0) };
    let mut is_whole = file >= 0;
    fill(&mut |mut bytes| {
        while is_whole && !bytes.is_empty() {
            // SAFETY: the bytes are there, and the number is that of an open file.
            let written = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(written @ 1..) => bytes = &bytes[written..],
                _ => is_whole = false,
            }
        }
    });
    // SAFETY: the number is that of an open file, or is refused.
    if is_whole && unsafe { libc::lseek(file, 0, libc::SEEK_SET) } == 0 {
        return Some(file);
    }
    // SAFETY: as above.
    unsafe { libc::close(file) };
    None
}

/// Checks the reading threads for ever, and restarts the process if one of them reads a text without end.
fn look_for_endless() {
    let mut before: Vec<(ThreadReading, Duration)> = Vec::new();
    loop {
        std::thread::park_timeout(LOOK);
        let now = icr_engine::reading_threads().into_iter();
        before = now
            .filter_map(|reading| {
                let since = before.iter().find(|(known, _)| *known == reading).map(|(_, since)| *since);
                let spent = processor_time(reading.thread)?;
                if since.is_some_and(|since| spent.saturating_sub(since) >= ENDLESS) {
                    // Nobody sent a signal here, so one time is enough: all strikes are given at once.
                    begin_again(&[reading.text; STRIKES_OUT]);
                }
                Some((reading, since.unwrap_or(spent)))
            })
            .collect();
    }
}

/// Processor time that a thread of this process has had (proc(5), `schedstat`).
fn processor_time(thread: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
